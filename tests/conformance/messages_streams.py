"""Streamed answers of Messages servers: texts, thinking, calls, what the provider ran, and ends."""

from typing import Any

from llm_projections.model.items import Text, UserMessage
from llm_projections.model.tools import REQUIRED, FunctionTool
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import Declared, decode
from tests.conformance.forms import sse

__all__ = [
    "CASES",
    "END",
    "HELLO",
    "LOOK",
    "OPEN",
    "OPEN_TEXT",
    "STOP",
    "block",
    "case",
    "delta",
    "ended",
    "shut",
    "started",
    "text",
]

_USAGE = {"input_tokens": 12, "output_tokens": 1}


def started(usage: Any = _USAGE, **more: Any) -> dict[str, Any]:
    """The message as it begins; a usage of None is left out."""
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        **more,
    }
    if usage is not None:
        message["usage"] = usage
    return {"type": "message_start", "message": message}


def block(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    """A block that begins."""
    return {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": kind, **fields},
    }


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    """A piece of a block."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def text(said: str, index: int = 0) -> dict[str, Any]:
    """A piece of text."""
    return delta(index, "text_delta", text=said)


def shut(index: int = 0, **more: Any) -> dict[str, Any]:
    """A block that ends."""
    return {"type": "content_block_stop", "index": index, **more}


def ended(reason: Any = "end_turn", usage: Any = None, **more: Any) -> dict[str, Any]:
    """Why it stopped; `delta` holds what else the delta says, the rest stands beside it."""
    said = {"stop_reason": reason, "stop_sequence": None, **more.pop("delta", {})}
    counted = {"output_tokens": 4} if usage is None else usage
    return {"type": "message_delta", "delta": said, "usage": counted, **more}


OPEN = started()
OPEN_TEXT = block(0, "text", text="")
HELLO = [OPEN_TEXT, text("Hi"), shut()]
LOOK = block(0, "tool_use", id="toolu_1", name="look", input={})
STOP = {"type": "message_stop"}
END = [ended(), STOP]
_CALLED = [ended("tool_use"), STOP]
_PING = {"type": "ping"}
_CITATION = {
    "type": "char_location",
    "cited_text": "sky",
    "document_index": 0,
    "document_title": "A",
    "file_id": None,
    "start_char_index": 4,
    "end_char_index": 7,
}
_TURN = TurnRequest("caller-model", (UserMessage((Text("Hello"),)),), tools=(FunctionTool("see"),))


def case(slug: str, about: str, *payloads: Any, named: bool = True, **more: Any) -> Declared:
    """A stream of these payloads, with `event:` lines unless they are not wanted."""
    return decode("messages", slug, about, sse(*payloads, named=named), **more)


def _partial(said: str, index: int = 0) -> dict[str, Any]:
    return delta(index, "input_json_delta", partial_json=said)


_TEXTS = [
    case(
        "text",
        "Text in pieces; counters are added up from their parts, once.",
        started(
            {
                "input_tokens": 12,
                "cache_creation_input_tokens": 30,
                "cache_read_input_tokens": 100,
                "output_tokens": 1,
            }
        ),
        OPEN_TEXT,
        _PING,
        text("Hel"),
        text("lo."),
        shut(),
        ended(usage={"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 5}}),
        STOP,
    ),
    case("no-names", "Names of events may be missing.", OPEN, *HELLO, *END, named=False),
    case(
        "no-id-no-model",
        "What the server did not report stays unknown.",
        {"type": "message_start", "message": {}},
        block(0, "text"),
        text("Hi"),
        shut(),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        STOP,
    ),
    case("no-start", "A server that begins with a block.", *HELLO, *END),
    case(
        "no-indexes",
        "Blocks without an index come in their order.",
        OPEN,
        {"type": "content_block_start", "content_block": {"type": "text", "text": "Hi"}},
        {"type": "content_block_stop"},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "there"}},
        {"type": "content_block_stop"},
        *END,
    ),
    case(
        "text-in-its-start",
        "Words that stand in the start of a block.",
        OPEN,
        block(0, "text", text="Hi"),
        text(" there"),
        shut(),
        *END,
    ),
    case(
        "content-in-the-start",
        "Blocks that stand in the start of the message.",
        started(content=[{"type": "text", "text": "Hi"}]),
        *END,
    ),
    case("nothing", "An empty answer has no items.", OPEN, OPEN_TEXT, text(""), shut(), *END),
    case(
        "two-texts",
        "Two texts are two items.",
        OPEN,
        *HELLO,
        block(1, "text", text=""),
        text("there", 1),
        shut(1),
        *END,
    ),
    case(
        "citations",
        "Citations belong to their text, each whole.",
        OPEN,
        block(0, "text", text="", citations=[_CITATION]),
        text("The sky."),
        delta(0, "citations_delta", citation={**_CITATION, "end_char_index": 2**64}),
        delta(0, "citations_delta", citation=None),
        shut(),
        *END,
    ),
    case(
        "citations-only",
        "A text that says nothing and cites is an item.",
        OPEN,
        OPEN_TEXT,
        delta(0, "citations_delta", citation=_CITATION),
        shut(),
        *END,
    ),
    case(
        "two-open",
        "A server that opens a block before the first is closed, and closes both at the end.",
        OPEN,
        block(0, "thinking", thinking=""),
        delta(0, "thinking_delta", thinking="hm"),
        block(1, "text", text=""),
        text("Hi", 1),
        shut(0),
        shut(1),
        *END,
    ),
    case("never-closed", "Blocks that are never closed, with a warning.", OPEN, *HELLO[:2], *END),
    case(
        "closed-twice",
        "A block that is closed twice, with a warning.",
        OPEN,
        *HELLO,
        shut(),
        *END,
    ),
]

_THOUGHT = [
    case(
        "thinking-signed",
        "Signed thinking shows live, and is opaque when it is whole.",
        OPEN,
        block(0, "thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="3 + "),
        delta(0, "thinking_delta", thinking="4", estimated_tokens=2),
        delta(0, "signature_delta", signature="c2ln"),
        shut(),
        block(1, "text", text=""),
        text("7", 1),
        shut(1),
        *END,
    ),
    case(
        "thinking-unsigned",
        "Thinking without a signature is readable reasoning, and gets none.",
        OPEN,
        block(0, "thinking", thinking=""),
        delta(0, "thinking_delta", thinking="hm"),
        delta(0, "signature_delta", signature=""),
        shut(),
        *END,
    ),
    case(
        "thinking-not-shown",
        "Signed thinking of which nothing is shown.",
        OPEN,
        block(0, "thinking", thinking="", signature=""),
        delta(0, "signature_delta", signature="c2ln"),
        shut(),
        *END,
    ),
    case(
        "thinking-redacted",
        "Redacted thinking is opaque, and nothing of it can be read.",
        OPEN,
        block(0, "redacted_thinking", data="RW9w"),
        shut(),
        block(1, "text", text=""),
        text("7", 1),
        shut(1),
        *END,
    ),
    case(
        "compaction-sealed",
        "A compaction with its seal is opaque; a person may read its summary.",
        OPEN,
        block(0, "compaction", content=None, encrypted_content=None),
        delta(0, "compaction_delta", content="So far.", encrypted_content="ZW5j"),
        shut(),
        ended("compaction"),
        STOP,
    ),
    case(
        "compaction",
        "One without a seal is an item of this wire.",
        OPEN,
        block(0, "compaction", content=None),
        delta(0, "compaction_delta", content="So far."),
        shut(),
        ended("compaction"),
        STOP,
    ),
]

_RAN = block(0, "server_tool_use", id="srvtoolu_1", name="web_search", input={})

_CALLS = [
    case(
        "call",
        "A call is announced at once, then its arguments in pieces.",
        OPEN,
        LOOK,
        _partial(""),
        _partial('{"n"'),
        _partial(": 1}"),
        shut(),
        *_CALLED,
    ),
    case(
        "calls-mixed",
        "Two calls whose pieces mix.",
        OPEN,
        LOOK,
        block(1, "tool_use", id="toolu_2", name="see", input={}),
        _partial('{"n":'),
        _partial('{"a":', 1),
        _partial(" 1}"),
        shut(),
        _partial(" 2}", 1),
        shut(1),
        *_CALLED,
    ),
    case(
        "call-without-arguments",
        "No piece of arguments at all is an empty object.",
        OPEN,
        block(0, "tool_use", id="toolu_1", name="look"),
        shut(),
        *_CALLED,
    ),
    case(
        "call-arguments-in-its-start",
        "Arguments that stand in the start of the block.",
        OPEN,
        block(0, "tool_use", id="toolu_1", name="look", input={"n": 1}),
        shut(),
        *_CALLED,
    ),
    case(
        "call-exact",
        "Arguments stay as the model wrote them.",
        OPEN,
        LOOK,
        _partial('{"n": 1.10, "n": 18446744073709551616}'),
        shut(),
        *_CALLED,
    ),
    case(
        "call-with-a-caller",
        "Who made a call, and of which toolset it is, are carried: such a call shows when it is whole.",
        OPEN,
        block(
            0,
            "tool_use",
            id="toolu_1",
            name="look",
            input={},
            caller={"type": "code_execution_20250825", "tool_id": "srvtoolu_1"},
            toolset_name="browser",
        ),
        _partial('{"n": 1}'),
        shut(),
        block(1, "tool_use", id="toolu_2", name="look", input={}, caller={"type": "direct"}),
        _partial("{}", 1),
        shut(1),
        *_CALLED,
    ),
    case(
        "call-at-the-end-of-the-turn",
        "An end of the turn beside a call reads as calls, with a warning.",
        OPEN,
        LOOK,
        shut(),
        *END,
    ),
    case(
        "call-cut-by-the-limit",
        "At the limit the stop stands, and the unfinished call is kept, with a warning.",
        OPEN,
        LOOK,
        _partial('{"n": '),
        shut(),
        ended("max_tokens"),
        STOP,
    ),
    case(
        "call-arguments-kept",
        "The caller may keep arguments that are no JSON, with a warning.",
        OPEN,
        LOOK,
        _partial('{"n": 1'),
        shut(),
        *_CALLED,
        invalid_arguments="keep",
    ),
    case(
        "call-of-no-published-tool",
        "A call of a tool that nobody published warns.",
        OPEN,
        LOOK,
        shut(),
        *_CALLED,
        turn=_TURN,
    ),
    case(
        "choice-not-honoured",
        "A forced choice that the model did not honour warns.",
        OPEN,
        *HELLO,
        *END,
        turn=TurnRequest("caller-model", _TURN.items, tools=_TURN.tools, tool_choice=REQUIRED),
    ),
    case(
        "run-by-the-provider",
        "What the provider ran and found are items at their place, and no calls.",
        OPEN,
        _RAN,
        _partial('{"query": "sky", "n": 18446744073709551616}'),
        shut(),
        block(
            1,
            "web_search_tool_result",
            tool_use_id="srvtoolu_1",
            content=[{"type": "web_search_result", "url": "https://a.example/", "title": "A"}],
        ),
        shut(1),
        block(2, "text", text=""),
        text("Blue.", 2),
        shut(2),
        *END,
    ),
    case(
        "run-by-the-provider-everything",
        "Every other kind of what a provider runs.",
        OPEN,
        block(0, "mcp_tool_use", id="mcptoolu_1", name="find", server_name="m", input={}),
        _partial("{}"),
        shut(),
        *(
            each
            for index, kind in enumerate(
                (
                    "mcp_tool_result",
                    "mcp_tool_listing",
                    "web_fetch_tool_result",
                    "code_execution_tool_result",
                    "bash_code_execution_tool_result",
                    "text_editor_code_execution_tool_result",
                    "tool_search_tool_result",
                    "advisor_tool_result",
                    "container_upload",
                ),
                1,
            )
            for each in (block(index, kind, content=[]), shut(index))
        ),
        ended("pause_turn"),
        STOP,
    ),
    case(
        "run-by-the-provider-without-json",
        "An input of the provider's tool that is no JSON is kept as text, with a warning.",
        OPEN,
        _RAN,
        _partial('{"query": '),
        shut(),
        ended("max_tokens"),
        STOP,
    ),
    case(
        "fallback",
        "Another model goes on: it is the one that answered.",
        OPEN,
        *HELLO,
        block(1, "fallback", **{"from": {"model": "m"}, "to": {"model": "n"}}),
        shut(1),
        block(2, "text", text=""),
        text("there", 2),
        shut(2),
        *END,
    ),
    case(
        "fallback-starts-again",
        "After a fallback the message may start a second time.",
        OPEN,
        block(0, "fallback", **{"from": {"model": "m"}, "to": {"model": "n"}}),
        shut(),
        started(model="n"),
        block(1, "text", text=""),
        text("Hi", 1),
        shut(1),
        *END,
    ),
]


def _stopped(slug: str, about: str, reason: Any, **said: Any) -> Declared:
    return case(f"stop-{slug}", about, OPEN, *HELLO, ended(reason, delta=said), STOP)


_STOPS = [
    _stopped("max-tokens", "The limit was reached.", "max_tokens"),
    _stopped(
        "sequence", "A stop sequence was met, and which.", "stop_sequence", stop_sequence="END"
    ),
    _stopped("sequence-untold", "A stop sequence was met; it is not said which.", "stop_sequence"),
    _stopped(
        "sequence-at-the-end-of-the-turn",
        "A server that names a stop sequence beside the end of the turn, with a warning.",
        "end_turn",
        stop_sequence="END",
    ),
    _stopped(
        "refusal",
        "The model declined, and why.",
        "refusal",
        stop_details={"type": "refusal", "category": "cyber", "explanation": "No."},
    ),
    _stopped("pause-turn", "The provider's own tools are not done.", "pause_turn"),
    _stopped("context", "The context window is full.", "model_context_window_exceeded"),
    _stopped("compaction", "The conversation was compacted.", "compaction"),
    _stopped("unknown", "A word that nobody published is carried as the reason.", "wombat"),
    case(
        "stop-in-the-start",
        "A server that says it in the start of the message.",
        started(stop_reason="end_turn"),
        *HELLO,
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 4}},
        STOP,
    ),
    case(
        "after-the-stop",
        "What follows the end is ignored.",
        OPEN,
        *HELLO,
        *END,
        "[DONE]",
        text("a"),
    ),
]

CASES: list[Declared] = [*_TEXTS, *_THOUGHT, *_CALLS, *_STOPS]

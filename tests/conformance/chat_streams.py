"""Streamed answers of Chat servers: texts, reasoning, calls and ends."""

from typing import Any

from llm_projections.model.items import Text, UserMessage
from llm_projections.model.tools import FunctionTool, Named
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import Declared, decode
from tests.conformance.forms import sse

__all__ = [
    "CALLED",
    "CASES",
    "DONE",
    "END",
    "FIRST",
    "HI",
    "LOOK",
    "USAGE",
    "call",
    "case",
    "chunk",
    "counted",
    "head",
]


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk with one choice; `choice` holds what else the choice says, the rest stands beside `choices`."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish, **more.pop("choice", {})}
    return {**head(), "choices": [choice], **more}


def head() -> dict[str, Any]:
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def counted(usage: Any, **more: Any) -> dict[str, Any]:
    return {**head(), "choices": [], "usage": usage, **more}


def call(**said: Any) -> dict[str, Any]:
    """A delta with a piece of one call."""
    return {"tool_calls": [{"index": 0, **said}]}


USAGE = {"prompt_tokens": 12, "completion_tokens": 4, "total_tokens": 16}
FIRST = chunk({"role": "assistant", "content": ""})
HI = chunk({"content": "Hi"})
END = chunk({}, "stop")
DONE = "[DONE]"
CALLED = chunk({}, "tool_calls")
_OPENED = call(id="call_1", type="function", function={"name": "look", "arguments": ""})
LOOK = chunk({"role": "assistant", "content": None, **_OPENED})
_ARGUED = chunk(call(function={"arguments": '{"n": 1}'}))
_TURN = TurnRequest("caller-model", (UserMessage((Text("Hello"),)),), tools=(FunctionTool("see"),))


def case(slug: str, about: str, *payloads: Any, **more: Any) -> Declared:
    return decode("chat", slug, about, sse(*payloads), **more)


_TEXTS = [
    case(
        "text",
        "Text in pieces, counters in a chunk of their own, then the sentinel.",
        FIRST,
        chunk({"content": "Hel"}),
        chunk({"content": "lo."}),
        END,
        counted(
            {
                **USAGE,
                "prompt_tokens_details": {
                    "cached_tokens": 8,
                    "cache_write_tokens": 2,
                    "audio_tokens": 0,
                },
                "completion_tokens_details": {"reasoning_tokens": 1, "audio_tokens": 0},
            }
        ),
        DONE,
    ),
    case(
        "no-id-no-model",
        "What the server did not report stays unknown.",
        {"choices": [{"delta": {"content": "Hi"}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        DONE,
    ),
    case(
        "refusal",
        "Words of refusal are an item of their own.",
        FIRST,
        chunk({"refusal": "I will"}),
        chunk({"refusal": " not."}),
        END,
        DONE,
    ),
    case(
        "text-in-parts",
        "Content as typed chunks is read as its texts and its thinking.",
        FIRST,
        chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
        chunk({"content": [{"type": "text", "text": "Hi"}]}),
        END,
        DONE,
    ),
    case(
        "annotations",
        "Annotations belong to the text before them.",
        FIRST,
        HI,
        chunk(
            {
                "annotations": [
                    {"type": "url_citation", "url_citation": {"url": "https://a.example/"}}
                ]
            }
        ),
        END,
        DONE,
    ),
    case(
        "two-at-once",
        "Reasoning, text, a call and the end may share a chunk: reasoning comes before text.",
        chunk(
            {
                "role": "assistant",
                "reasoning_content": "hm",
                "content": "Hi",
                **call(id="call_1", function={"name": "look", "arguments": "{}"}),
            },
            "tool_calls",
        ),
        DONE,
    ),
    case(
        "empty-pieces",
        "Empty deltas are no events.",
        FIRST,
        chunk({"content": ""}),
        chunk({"content": None}),
        chunk({"reasoning_content": ""}),
        HI,
        END,
        DONE,
    ),
]

_REASONED = [
    case(
        "reasoning-content",
        "Readable reasoning is never joined to the text.",
        FIRST,
        chunk({"reasoning_content": "3 + "}),
        chunk({"reasoning_content": "4"}),
        chunk({"content": "7"}),
        END,
        DONE,
    ),
    case(
        "reasoning",
        "The same under its other name.",
        FIRST,
        chunk({"reasoning": "3 + 4"}),
        chunk({"content": "7"}),
        END,
        DONE,
    ),
    case(
        "reasoning-twice",
        "The same under both names counts once.",
        FIRST,
        chunk({"reasoning": "3 + 4", "reasoning_content": "3 + 4"}),
        chunk({"content": "7"}),
        END,
        DONE,
    ),
    case(
        "reasoning-details",
        "Sealed reasoning is one opaque item, put together from its pieces.",
        FIRST,
        chunk(
            {
                "reasoning": "3",
                "reasoning_details": [{"type": "reasoning.text", "text": "3", "index": 0}],
            }
        ),
        chunk(
            {
                "reasoning": " + 4",
                "reasoning_details": [{"type": "reasoning.text", "text": " + 4", "index": 0}],
            }
        ),
        chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "c2ln", "index": 0}]}),
        chunk({"content": "7"}),
        END,
        DONE,
    ),
    case(
        "extra-content",
        "Sealed state of a call stays on the call and belongs to the binding.",
        chunk(
            call(
                id="call_1",
                type="function",
                function={"name": "look", "arguments": "{}"},
                extra_content={"google": {"thought_signature": "c2ln"}},
            )
        ),
        CALLED,
        DONE,
    ),
]

_CALLS = [
    case(
        "call",
        "A call is announced once, then its arguments in pieces.",
        LOOK,
        chunk(call(function={"arguments": '{"n"'})),
        chunk(call(function={"arguments": ": 1}"})),
        CALLED,
        DONE,
    ),
    case(
        "calls-mixed",
        "Two calls whose pieces mix.",
        LOOK,
        chunk(
            {
                "tool_calls": [
                    {
                        "index": 1,
                        "id": "call_2",
                        "type": "function",
                        "function": {"name": "see", "arguments": '{"a":'},
                    }
                ]
            }
        ),
        _ARGUED,
        chunk({"tool_calls": [{"index": 1, "function": {"arguments": "2}"}}]}),
        CALLED,
        DONE,
    ),
    case(
        "calls-without-index",
        "A new id opens a new call where the server counts none.",
        chunk({"tool_calls": [{"id": "call_1", "function": {"name": "look", "arguments": "{}"}}]}),
        chunk({"tool_calls": [{"id": "call_2", "function": {"name": "see", "arguments": "{}"}}]}),
        CALLED,
        DONE,
    ),
    case(
        "calls-in-one-chunk",
        "Whole calls, the first of them counted as 1.",
        chunk(
            {
                "tool_calls": [
                    {"index": 1, "id": "call_1", "function": {"name": "look", "arguments": "{}"}},
                    {"index": 2, "id": "call_2", "function": {"name": "see", "arguments": "{}"}},
                ]
            }
        ),
        CALLED,
        DONE,
    ),
    case(
        "call-said-again",
        "Id and name that come with every piece announce the call once.",
        LOOK,
        chunk(call(id="call_1", function={"name": "look", "arguments": '{"n": '})),
        chunk(call(id="", function={"name": None, "arguments": "1}"})),
        CALLED,
        DONE,
    ),
    case(
        "call-without-arguments",
        "No piece of arguments at all is an empty object.",
        LOOK,
        CALLED,
        DONE,
    ),
    case(
        "call-exact",
        "Arguments stay as the model wrote them.",
        LOOK,
        chunk(call(function={"arguments": '{"n": 1.10, "n": 18446744073709551616}'})),
        CALLED,
        DONE,
    ),
    case(
        "call-at-a-stop",
        "A stop beside whole calls reads as calls, with a warning.",
        LOOK,
        _ARGUED,
        END,
        DONE,
    ),
    case(
        "call-cut-by-the-limit",
        "At the limit the stop stands, and the unfinished call is kept, with a warning.",
        LOOK,
        chunk(call(function={"arguments": '{"n": '})),
        chunk({}, "length"),
        DONE,
    ),
    case(
        "call-arguments-kept",
        "The caller may keep arguments that are no JSON, with a warning.",
        LOOK,
        chunk(call(function={"arguments": '{"n": 1'})),
        CALLED,
        DONE,
        invalid_arguments="keep",
    ),
    case(
        "call-ids-derived",
        "Ids are derived where the dialect says that this server sends none.",
        chunk({"tool_calls": [{"index": 0, "function": {"name": "look", "arguments": "{}"}}]}),
        CALLED,
        DONE,
        binding={"base": "chat", "dialect": {"derive_call_ids": True}},
    ),
    case(
        "function-call",
        "The call of the older interface is carried.",
        chunk(
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "look", "arguments": '{"n"'},
            }
        ),
        chunk({"function_call": {"arguments": ": 1}"}}),
        chunk({}, "function_call"),
        DONE,
    ),
    case(
        "call-of-no-published-tool",
        "A call of a tool that nobody published warns.",
        LOOK,
        _ARGUED,
        CALLED,
        DONE,
        turn=_TURN,
    ),
    case(
        "choice-not-honoured",
        "A forced choice that the model did not honour warns.",
        FIRST,
        HI,
        END,
        DONE,
        turn=TurnRequest("caller-model", _TURN.items, tools=_TURN.tools, tool_choice=Named("see")),
    ),
]

_STOPPED = [
    case("stop-length", "The limit was reached.", FIRST, HI, chunk({}, "length"), DONE),
    case("stop-content-filter", "A filter ended it.", FIRST, HI, chunk({}, "content_filter"), DONE),
    case("stop-eos", "Another word for the end.", FIRST, HI, chunk({}, "eos"), DONE),
    case(
        "stop-model-length",
        "Another word for the limit.",
        FIRST,
        HI,
        chunk({}, "model_length"),
        DONE,
    ),
    case(
        "stop-sequence",
        "A server that says which stop sequence was met.",
        FIRST,
        HI,
        chunk({}, "stop", choice={"stop_reason": "END"}),
        DONE,
    ),
    case(
        "stop-token",
        "A number there is a token and no stop sequence.",
        FIRST,
        HI,
        chunk({}, "stop", choice={"stop_reason": 151645}),
        DONE,
    ),
    case(
        "stop-unknown",
        "A word that nobody published is carried as the reason.",
        FIRST,
        HI,
        chunk({}, "wombat"),
        DONE,
    ),
    case(
        "stop-empty",
        "An empty word is none: the next one counts.",
        FIRST,
        chunk({"content": "Hi"}, ""),
        END,
        DONE,
    ),
    case(
        "stop-error",
        "A server that ends an answer with an error word is refused.",
        FIRST,
        HI,
        chunk({}, "error"),
        DONE,
    ),
    case("stop-twice", "The end that is said again changes nothing.", FIRST, HI, END, END, DONE),
    case("no-sentinel", "An end without the sentinel is whole, with a warning.", FIRST, HI, END),
    case(
        "no-sentinel-refused",
        "Unless the dialect says that this server always sends it.",
        FIRST,
        HI,
        END,
        binding={"base": "chat", "dialect": {"done_required": True}},
    ),
    case("after-the-sentinel", "What follows the sentinel is ignored.", FIRST, HI, END, DONE, HI),
]

CASES: list[Declared] = [*_TEXTS, *_REASONED, *_CALLS, *_STOPPED]

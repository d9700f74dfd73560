"""Answers of Messages servers that are one body, and answers with an error status."""

from typing import Any

from llm_projections.model.items import Text, UserMessage
from llm_projections.model.tools import FunctionTool, Named
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import Declared, decode_body, decode_error
from tests.conformance.messages_streams_odd import COUNTED

__all__ = ["CASES"]

_LOOK: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"n": 1}}
_HI = {"type": "text", "text": "Hi"}
_THOUGHT = {"type": "thinking", "thinking": "3 + 4", "signature": "c2ln"}
_CITATION = {"type": "char_location", "cited_text": "sky", "document_index": 0}
_TURN = TurnRequest("caller-model", (UserMessage((Text("Hello"),)),), tools=(FunctionTool("see"),))


def _body(*content: Any, stop: Any = "end_turn", **more: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 12, "output_tokens": 4},
        **more,
    }


def _case(slug: str, about: str, body: Any, **more: Any) -> Declared:
    return decode_body("messages", slug, about, body, **more)


_SAID = [
    _case("text", "A text with its counters.", _body(_HI)),
    _case("nothing", "An empty answer has no items.", _body({"type": "text", "text": ""})),
    _case(
        "citations",
        "Citations belong to their text.",
        _body({**_HI, "citations": [_CITATION]}, {**_HI, "citations": None}),
    ),
    _case(
        "thinking",
        "Signed, redacted and unsigned thinking.",
        _body(
            _THOUGHT,
            {"type": "redacted_thinking", "data": "RW9w"},
            {"type": "thinking", "thinking": "hm", "signature": ""},
            _HI,
        ),
    ),
    _case("call", "A call.", _body(_LOOK, stop="tool_use")),
    _case(
        "call-with-a-caller",
        "Who made a call and of which toolset it is are carried; a direct caller is none.",
        _body(
            {
                **_LOOK,
                "caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"},
                "toolset_name": "browser",
            },
            {**_LOOK, "id": "toolu_2", "caller": {"type": "direct"}},
            stop="tool_use",
        ),
    ),
    _case(
        "call-exact",
        "Arguments stay as the model wrote them.",
        (
            b'{"content":[{"type":"tool_use","id":"t1","name":"look","input":{"n": 1.10, "n": 18446744073709551616}}],'
            b'"stop_reason":"tool_use"}'
        ),
    ),
    _case(
        "call-arguments-as-text",
        "Arguments that a server writes as text.",
        _body({**_LOOK, "input": '{"n": 1}'}, stop="tool_use"),
    ),
    _case(
        "call-arguments-refused",
        "Arguments that are no object.",
        _body({**_LOOK, "input": [1]}, stop="tool_use"),
    ),
    _case(
        "call-arguments-kept",
        "The caller may keep them, with a warning.",
        _body({**_LOOK, "input": "{'n': 1}"}, stop="tool_use"),
        invalid_arguments="keep",
    ),
    _case("call-without-id", "A call without an id.", _body({"type": "tool_use", "name": "look"})),
    _case("call-id-twice", "One id for two calls.", _body(_LOOK, _LOOK, stop="tool_use")),
    _case(
        "call-at-the-end-of-the-turn",
        "An end of the turn beside a call reads as calls, with a warning.",
        _body(_LOOK),
    ),
    _case(
        "call-of-no-published-tool",
        "A call of a tool that nobody published, where another one had to be called.",
        _body(_LOOK, stop="tool_use"),
        turn=TurnRequest("caller-model", _TURN.items, tools=_TURN.tools, tool_choice=Named("see")),
    ),
    _case(
        "run-by-the-provider",
        "What the provider ran and found are items at their place.",
        _body(
            {
                "type": "server_tool_use",
                "id": "srvtoolu_1",
                "name": "web_search",
                "input": {"n": 2**64},
            },
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            _HI,
        ),
    ),
    _case(
        "compaction",
        "A compaction with its seal is opaque; one without is an item of this wire.",
        _body(
            {"type": "compaction", "content": "So far.", "encrypted_content": "ZW5j"},
            {"type": "compaction", "content": "So far."},
            stop="compaction",
        ),
    ),
    _case(
        "fallback",
        "Another model went on: it is the one that answered.",
        _body({"type": "fallback", "from": {"model": "m"}, "to": {"model": "n"}}, _HI),
    ),
    _case(
        "unknown-block",
        "A block that nobody published is kept at its place, with a warning.",
        _body({"type": "wombat", "a": 1}, _HI),
    ),
    _case(
        "unknown-fields",
        "Fields that nobody published are kept, with one warning.",
        _body({**_HI, "emu": 1}, koala=2),
    ),
]

_AROUND = [
    _case(
        "around",
        "What is published and has no neutral meaning is kept around the answer.",
        _body(
            _HI,
            stop="refusal",
            usage={
                **COUNTED,
                "output_tokens": 9,
                "output_tokens_details": {"thinking_tokens": 5},
                "server_tool_use": {"web_search_requests": 1, "web_fetch_requests": 0},
                "iterations": [{"type": "message", "input_tokens": 12, "output_tokens": 9}],
                "fallback_credit": {"token": "t"},
            },
            stop_details={"type": "refusal", "category": "cyber", "explanation": "No."},
            container={"id": "container_1", "expires_at": "2026-12-01T00:00:00Z"},
            diagnostics={"cache_miss_reason": None},
            context_management={"applied_edits": []},
            input_transformations=[{"type": "image_resized", "message_index": 0}],
        ),
    ),
    _case(
        "no-id-no-model",
        "What the server did not report stays unknown.",
        {"content": [_HI], "stop_reason": "end_turn"},
    ),
    _case(
        "counters-partly",
        "One part of the cache named and the other not leaves the total unknown.",
        _body(
            _HI,
            usage={"input_tokens": 12, "cache_creation_input_tokens": 30, "output_tokens": 4},
        ),
    ),
    _case(
        "counters-no-object",
        "Counters that are none are kept as they are, with a warning.",
        _body(_HI, usage=[1]),
    ),
    _case(
        "counters-contradict",
        "More thinking than output.",
        _body(
            _HI,
            usage={
                "input_tokens": 12,
                "output_tokens": 4,
                "output_tokens_details": {"thinking_tokens": 9},
            },
        ),
    ),
]

_STOPPED = [
    *(
        _case(f"stop-{reason.replace('_', '-')}", about, _body(_HI, stop=reason))
        for reason, about in (
            ("max_tokens", "The limit was reached."),
            ("pause_turn", "The provider's own tools are not done."),
            ("refusal", "The model declined."),
            ("model_context_window_exceeded", "The context window is full."),
            ("wombat", "A word that nobody published is carried as the reason."),
        )
    ),
    _case(
        "stop-sequence",
        "A stop sequence was met, and which.",
        _body(_HI, stop="stop_sequence", stop_sequence="END"),
    ),
    _case("stop-missing", "It does not say why it stopped.", _body(_HI, stop=None)),
    _case(
        "stop-without-calls", "It stops for a call, and there is none.", _body(_HI, stop="tool_use")
    ),
    _case("not-json", "A body that is no JSON.", b"<html>Bad gateway</html>"),
    _case("not-an-object", "A body that is no object.", b"[]"),
    _case(
        "no-content", "A body without content is no message.", {"id": "msg_1", "type": "message"}
    ),
    _case("block-no-object", "A block that is text.", _body("Hi")),
    _case("text-no-string", "A text that is a number.", _body({"type": "text", "text": 7})),
    _case(
        "citations-no-list", "Citations that are no list.", _body({**_HI, "citations": _CITATION})
    ),
    _case(
        "error",
        "An error under a status of success.",
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ),
    _case("limit-items", "More blocks than items may be.", _body(_HI, _HI), limits={"items": 1}),
    _case(
        "limit-arguments",
        "Arguments past their limit.",
        _body(_LOOK, stop="tool_use"),
        limits={"arguments_bytes": 4},
    ),
    _case("limit-body", "A body past its limit.", _body(_HI), limits={"stream_bytes": 40}),
    _case(
        "limit-depth",
        "A body that nests too deep.",
        _body({"type": "web_search_tool_result", "content": [[[[1]]]]}),
        limits={"json_depth": 4},
    ),
]


def _error(kind: str, message: str = "Sorry.", **more: Any) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, **more}


def _status(status: int, about: str, body: Any, slug: str = "", **more: Any) -> Declared:
    return decode_error("messages", f"{status}{slug}", about, status, body, **more)


_ERRORS = [
    _status(
        400,
        "A request that it does not take.",
        _error("invalid_request_error", "a: Extra inputs are not permitted", request_id="req_1"),
    ),
    _status(
        400,
        "A prompt that is too long is told by its text alone.",
        _error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        "-context",
    ),
    _status(401, "Nobody that it knows.", _error("authentication_error")),
    _status(402, "Not paid.", _error("billing_error")),
    _status(403, "Not allowed.", _error("permission_error")),
    _status(404, "No such model.", _error("not_found_error")),
    _status(408, "It took too long to come: it may have been taken.", b""),
    _status(409, "A conflict.", _error("conflict_error")),
    _status(409, "Two that write one path.", _error("memory_path_conflict_error"), "-path"),
    _status(
        412,
        "Not what was expected there.",
        _error("memory_precondition_failed_error"),
    ),
    _status(413, "Too much.", _error("request_too_large")),
    _status(
        429,
        "A rate limit, and how many seconds to wait.",
        _error("rate_limit_error"),
        headers=[["Retry-After", "7"]],
    ),
    _status(
        429,
        "A rate limit, and until when.",
        _error("rate_limit_error"),
        "-date",
        headers=[
            ["date", "Mon, 30 Nov 2026 20:00:00 GMT"],
            ["retry-after", "Mon, 30 Nov 2026 20:00:30 GMT"],
        ],
    ),
    _status(500, "A fault of the server: it may have been taken.", _error("api_error")),
    _status(502, "A page of a proxy.", b"<html>Bad gateway</html>"),
    _status(503, "Not there now.", b""),
    _status(504, "It took too long.", _error("timeout_error")),
    _status(529, "Overloaded: not taken.", _error("overloaded_error")),
    _status(302, "Somewhere else.", b""),
]

CASES: list[Declared] = [*_SAID, *_AROUND, *_STOPPED, *_ERRORS]

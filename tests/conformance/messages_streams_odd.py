"""Streamed answers of Messages servers: what stands around the text, counters, frames, and what is refused."""

from typing import Any

from tests.conformance.declared import Declared, decode
from tests.conformance.forms import sse
from tests.conformance.messages_streams import (
    END,
    HELLO,
    LOOK,
    OPEN,
    OPEN_TEXT,
    STOP,
    block,
    case,
    delta,
    ended,
    shut,
    started,
    text,
)

__all__ = ["CASES", "COUNTED"]

COUNTED: dict[str, Any] = {
    "input_tokens": 12,
    "cache_creation_input_tokens": 30,
    "cache_read_input_tokens": 100,
    "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
    "inference_geo": "eu",
    "service_tier": "standard",
    "speed": "fast",
    "output_tokens": 1,
}
_TRANSFORMED = [{"type": "image_resized", "message_index": 0}]
_EDITS = {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3}]}

_AROUND = [
    case(
        "around",
        "What is published and has no neutral meaning is kept around the answer.",
        started(
            COUNTED,
            container=None,
            diagnostics={"cache_miss_reason": None},
            stop_details=None,
            input_transformations=_TRANSFORMED,
        ),
        *HELLO,
        ended(
            "refusal",
            {
                "output_tokens": 9,
                "iterations": [{"type": "message", "input_tokens": 12, "output_tokens": 9}],
                "server_tool_use": {"web_search_requests": 1},
                "fallback_credit": {"token": "t"},
            },
            delta={
                "stop_details": {"type": "refusal", "category": "cyber"},
                "container": {"id": "container_1", "expires_at": "2026-12-01T00:00:00Z"},
            },
            context_management=_EDITS,
            input_transformations=[*_TRANSFORMED, *_TRANSFORMED],
        ),
        STOP,
    ),
    case(
        "around-in-the-start",
        "The same in the start of the message, as servers that answer whole begin.",
        started(
            container={"id": "container_1"},
            context_management=_EDITS,
            stop_details={"type": "refusal", "category": "bio"},
        ),
        *HELLO,
        *END,
    ),
    case(
        "unknown-fields",
        "Fields that nobody published are kept, with one warning.",
        {**started(wombat=1), "koala": 2},
        {**block(0, "text", text="", emu=3), "quokka": 4},
        {**delta(0, "text_delta", text="Hi", dingo=5), "numbat": 6},
        shut(platypus=7),
        ended(delta={"bilby": 8}, quoll=9),
        {**STOP, "echidna": 10},
    ),
    case(
        "unknown-event",
        "An event that nobody published is kept at its place, with a warning.",
        OPEN,
        *HELLO,
        {"type": "wombat", "n": 18446744073709551616},
        *END,
    ),
    case(
        "unknown-block",
        "A block that nobody published is kept at its place, with a warning.",
        OPEN,
        block(0, "wombat", a=1),
        delta(0, "wombat_delta", b=2),
        shut(),
        *END,
    ),
    case(
        "unknown-delta",
        "A piece that nobody published is kept on its item, with a warning.",
        OPEN,
        OPEN_TEXT,
        text("Hi"),
        delta(0, "wombat_delta", b=2),
        shut(),
        *END,
    ),
    case(
        "pings", "Pings change nothing, wherever they come.", {"type": "ping"}, OPEN, *HELLO, *END
    ),
]


def _counted(slug: str, about: str, first: Any, last: Any) -> Declared:
    return case(f"usage-{slug}", about, started(first), *HELLO, ended(usage=last), STOP)


_COUNTS = [
    _counted(
        "no-cache",
        "A server that names no cache counter accounts none: its input is the total.",
        {"input_tokens": 12, "output_tokens": 0},
        {"output_tokens": 4},
    ),
    _counted(
        "half-a-cache",
        "One part named and the other not leaves the total unknown.",
        {"input_tokens": 12, "cache_read_input_tokens": 100, "output_tokens": 0},
        {"output_tokens": 4},
    ),
    _counted(
        "replaced",
        "Later counters replace earlier ones, one by one; null keeps what was.",
        {"input_tokens": 12, "output_tokens": 1},
        {
            "input_tokens": 15,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
            "output_tokens": 4,
            "server_tool_use": None,
        },
    ),
    _counted(
        "zero",
        "A reported zero stays a zero.",
        {"input_tokens": 0, "output_tokens": 0},
        {"output_tokens": 0},
    ),
    _counted(
        "went-down",
        "A counter that went down warns.",
        {"input_tokens": 12, "output_tokens": 9},
        {"output_tokens": 4},
    ),
    _counted(
        "contradicts",
        "More thinking than output.",
        {"input_tokens": 12, "output_tokens": 1},
        {"output_tokens": 4, "output_tokens_details": {"thinking_tokens": 9}},
    ),
    _counted("empty", "An empty object of counters says nothing.", {}, {}),
    case(
        "usage-in-the-delta",
        "Counters that a gateway puts inside of the delta.",
        started(None),
        *HELLO,
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 4}},
        },
        STOP,
    ),
    case(
        "usage-not-final",
        "Counters that came only at the start are not final.",
        OPEN,
        *HELLO,
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        STOP,
    ),
]


def _failed(slug: str, about: str, *payloads: Any, **more: Any) -> Declared:
    return case(f"error-{slug}", about, *payloads, **more)


def _error(kind: str, message: str = "Sorry.", **more: Any) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, **more}


_FAILURES = [
    *(
        _failed(slug, about, _error(kind))
        for slug, kind, about in (
            ("overloaded", "overloaded_error", "A server that is overloaded at once: not taken."),
            ("rate-limit", "rate_limit_error", "A rate limit at once: not taken."),
            ("api", "api_error", "A fault of the server before any output."),
            ("timeout", "timeout_error", "It took too long."),
            ("authentication", "authentication_error", "Nobody that it knows."),
            ("permission", "permission_error", "Not allowed."),
            ("billing", "billing_error", "Not paid."),
            ("not-found", "not_found_error", "No such model."),
            ("invalid-request", "invalid_request_error", "A request that it does not take."),
            ("unknown", "wombat_error", "A type that nobody published is final."),
        )
    ),
    _failed(
        "context",
        "In a stream the type alone tells: a prompt that is too long is refused, in the server's words.",
        _error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    ),
    _failed(
        "in-mid-stream",
        "A failure after output is final, and what stood is kept.",
        OPEN,
        OPEN_TEXT,
        text("Hi"),
        _error("api_error", request_id="req_1"),
    ),
    _failed(
        "rate-limit-later",
        "A rate limit after output.",
        OPEN,
        *HELLO,
        _error("rate_limit_error"),
    ),
    decode(
        "messages",
        "error-bare",
        "A server that writes the bare error under the event's name alone.",
        b'event: error\ndata: {"message":"Sorry.","type":"api_error","code":500}\n\n',
    ),
    decode(
        "messages",
        "error-body",
        "An error as a body where a stream was expected.",
        b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    ),
    decode(
        "messages",
        "whole-body",
        "An answer as a body where a stream was expected.",
        b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"}],'
        b'"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}',
    ),
]


def _broken(slug: str, about: str, *payloads: Any, **more: Any) -> Declared:
    return case(f"broken-{slug}", about, *payloads, **more)


_BROKEN = [
    _broken("cut", "A stream that ends in the middle of a text.", OPEN, OPEN_TEXT, text("Hi")),
    _broken("cut-before-output", "One that ends before any output may be asked again.", OPEN),
    _broken("cut-in-a-call", "One that ends in the arguments of a call.", OPEN, LOOK),
    _broken("delta-after-the-end", "A piece of a block that has ended.", OPEN, *HELLO, text("a")),
    _broken(
        "delta-of-another-kind",
        "A piece that does not fit its block.",
        OPEN,
        OPEN_TEXT,
        delta(0, "input_json_delta", partial_json="{}"),
    ),
    _broken(
        "citation-of-thinking",
        "A citation of thinking.",
        OPEN,
        block(0, "thinking", thinking=""),
        delta(0, "citations_delta", citation={"type": "char_location"}),
    ),
    _broken(
        "text-no-string",
        "A text that is a number.",
        OPEN,
        OPEN_TEXT,
        delta(0, "text_delta", text=7),
    ),
    _broken("call-without-id", "A call without an id.", OPEN, block(0, "tool_use", name="look")),
    _broken("call-without-name", "A call without a name.", OPEN, block(0, "tool_use", id="t1")),
    _broken(
        "call-id-twice",
        "One id for two calls.",
        OPEN,
        LOOK,
        shut(),
        block(1, "tool_use", id="toolu_1", name="see", input={}),
        shut(1),
        ended("tool_use"),
        STOP,
    ),
    _broken(
        "calls-promised",
        "It stops for a call, and there is none.",
        OPEN,
        *HELLO,
        ended("tool_use"),
        STOP,
    ),
    _broken("message-no-object", "A message that is none.", {"type": "message_start"}),
    _broken(
        "block-no-object",
        "A block that is none.",
        OPEN,
        {"type": "content_block_start", "index": 0, "content_block": "text"},
    ),
    _broken("payload-no-event", "A payload without a type.", {"a": 1}, named=False),
    _broken("payload-no-object", "A payload that is a list.", "[]", named=False),
    decode(
        "messages",
        "broken-utf8",
        "Bytes that are no UTF-8.",
        sse(OPEN, named=True) + b'event: ping\ndata: {"type":"ping\xff"}\n\n',
    ),
]

_WHOLE = sse(OPEN, *HELLO, *END, named=True)

_FRAMES = [
    decode("messages", "frames-crlf", "Lines that end in CR LF.", _WHOLE.replace(b"\n", b"\r\n")),
    decode("messages", "frames-cr", "Lines that end in CR.", _WHOLE.replace(b"\n", b"\r")),
    decode(
        "messages",
        "frames-comments",
        "A mark of byte order, comments, ids, no space after the colon, data in two lines.",
        b"\xef\xbb\xbf: hello\n\nid: 7\nretry: 10\n\n"
        + _WHOLE.replace(b"data: ", b"data:").replace(
            b',"delta":{"type"', b',\ndata:"delta":{"type"'
        ),
    ),
    decode(
        "messages",
        "frames-last-line",
        "A last event without its empty line counts if it is whole.",
        _WHOLE.removesuffix(b"\n\n"),
    ),
    decode(
        "messages",
        "frames-message",
        "The name of an event that was given none says nothing.",
        sse(OPEN, *HELLO, *END).replace(b"data: ", b"event: message\ndata: "),
    ),
    case("limit-frame", "A frame past its limit.", OPEN, *HELLO, *END, limits={"frame_bytes": 64}),
    case(
        "limit-stream", "A stream past its limit.", OPEN, *HELLO, *END, limits={"stream_bytes": 300}
    ),
    case(
        "limit-items",
        "More blocks than items may be.",
        OPEN,
        *HELLO,
        block(1, "text", text=""),
        limits={"items": 1},
    ),
    case(
        "limit-arguments",
        "Arguments past their limit.",
        OPEN,
        LOOK,
        delta(0, "input_json_delta", partial_json='{"n": "'),
        delta(0, "input_json_delta", partial_json="xxxxxxxx"),
        limits={"arguments_bytes": 8},
    ),
    case(
        "limit-depth",
        "A block that nests too deep.",
        OPEN,
        block(0, "web_search_tool_result", content=[[[[1]]]]),
        limits={"json_depth": 4},
    ),
]

CASES: list[Declared] = [*_AROUND, *_COUNTS, *_FAILURES, *_BROKEN, *_FRAMES]

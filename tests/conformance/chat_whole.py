"""Answers of Chat servers that are one body, and answers with an error status."""

from typing import Any

from tests.conformance.declared import Declared, answer_kind, decode_body, decode_error

__all__ = ["CASES"]

_USAGE = {"prompt_tokens": 12, "completion_tokens": 4, "total_tokens": 16}
_LOOK = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}


def _body(message: dict[str, Any], finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A body with one choice; `choice` holds what else the choice says, the rest stands beside `choices`."""
    said = {"role": "assistant", "content": None, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish, **more.pop("choice", {})}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m"}
    return {**head, "choices": [choice], **more}


def _case(slug: str, about: str, body: Any, **more: Any) -> Declared:
    return decode_body("chat", slug, about, body, **more)


def _told(slug: str, about: str, message: dict[str, Any] | None = None, **more: Any) -> Declared:
    return _case(slug, about, _body({"content": "Hi", **(message or {})}, **more))


_SAID = [
    _case(
        "text",
        "A text with its counters.",
        _body(
            {"content": "Hi", "refusal": None, "annotations": []},
            usage={
                **_USAGE,
                "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 2},
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
        ),
    ),
    _told("nothing", "An empty answer has no items.", {"content": ""}),
    _told(
        "refusal-beside-text",
        "Text and words of refusal are two items.",
        {"refusal": "I will not."},
    ),
    _told(
        "annotations",
        "Annotations belong to the text.",
        {
            "annotations": [
                {
                    "type": "url_citation",
                    "url_citation": {
                        "url": "https://a.example/",
                        "title": "A",
                        "start_index": 0,
                        "end_index": 2,
                    },
                }
            ]
        },
    ),
    _case(
        "text-in-parts",
        "Content as typed parts is read as its texts and its thinking.",
        _body(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "Hi"},
                ]
            }
        ),
    ),
    _told(
        "reasoning-content",
        "Readable reasoning comes before the text.",
        {"reasoning_content": "hm"},
    ),
    _told("reasoning", "The same under its other name.", {"reasoning": "hm"}),
    _told(
        "reasoning-twice-differing",
        "Two different reasonings contradict each other.",
        {"reasoning": "hm", "reasoning_content": "mh"},
    ),
    _told(
        "reasoning-details",
        "Sealed reasoning is opaque, and belongs to the binding.",
        {
            "reasoning": "hm",
            "reasoning_details": [
                {"type": "reasoning.text", "text": "hm", "signature": "c2ln", "index": 0},
                {"type": "reasoning.encrypted", "data": "ZW5j", "index": 1},
            ],
        },
    ),
]

_CALLED = [
    _case("call", "A call.", _body({"tool_calls": [_LOOK]}, "tool_calls")),
    _case(
        "call-custom",
        "A call with free text.",
        _body(
            {
                "tool_calls": [
                    {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": "-x\n"}}
                ]
            },
            "tool_calls",
        ),
    ),
    _case(
        "call-at-a-stop",
        "A stop beside a call reads as calls, with a warning.",
        _body({"tool_calls": [_LOOK]}),
    ),
    _case(
        "call-arguments-as-object",
        "Arguments that are an object instead of its text.",
        _body(
            {
                "tool_calls": [
                    {**_LOOK, "function": {"name": "look", "arguments": {"n": 1, "b": [True]}}}
                ]
            },
            "tool_calls",
        ),
    ),
    _case(
        "call-arguments-refused",
        "Arguments that are no JSON.",
        _body(
            {"tool_calls": [{**_LOOK, "function": {"name": "look", "arguments": "{'n': 1}"}}]},
            "tool_calls",
        ),
    ),
    _case(
        "call-arguments-kept",
        "The caller may keep them, with a warning.",
        _body(
            {"tool_calls": [{**_LOOK, "function": {"name": "look", "arguments": "{'n': 1}"}}]},
            "tool_calls",
        ),
        invalid_arguments="keep",
    ),
    _case(
        "call-without-id",
        "A call that never gets an id.",
        _body({"tool_calls": [{"type": "function", "function": _LOOK["function"]}]}, "tool_calls"),
    ),
    _case(
        "call-id-twice",
        "One id for two calls: neither result could be told from the other.",
        _body({"tool_calls": [_LOOK, _LOOK]}, "tool_calls"),
    ),
    _case(
        "extra-content",
        "Sealed state of a call stays on it.",
        _body(
            {"tool_calls": [{**_LOOK, "extra_content": {"google": {"thought_signature": "c2ln"}}}]},
            "tool_calls",
        ),
    ),
    _case(
        "function-call",
        "The call of the older interface is carried.",
        _body({"function_call": {"name": "look", "arguments": "{}"}}, "function_call"),
    ),
]

_STOPPED = [
    _told("stop-length", "The limit was reached.", finish="length"),
    _told("stop-content-filter", "A filter ended it.", finish="content_filter"),
    _told(
        "stop-sequence",
        "A server that says which stop sequence was met.",
        choice={"stop_reason": "END"},
    ),
    _told("stop-error", "A server that ends an answer with an error word.", finish="error"),
    _told(
        "stop-missing",
        "A whole body cannot have been cut: without a finish reason it is whole, with a warning.",
        finish=None,
    ),
    _case(
        "choices-two",
        "A second choice.",
        {**_body({"content": "a"}), "choices": _body({})["choices"] * 2},
    ),
    _case("choices-none", "No choice at all.", {**_body({}), "choices": []}),
    _case("not-json", "A body that is no JSON.", b"<html>Bad gateway</html>"),
    _case("not-an-object", "A body that is no object.", b"[]"),
    _told(
        "counters-contradict",
        "More cached tokens than input.",
        usage={**_USAGE, "prompt_tokens_details": {"cached_tokens": 100}},
    ),
    _told(
        "counters-partly",
        "A counter that was not reported stays unknown.",
        usage={"prompt_tokens": 12},
    ),
    _case(
        "body-too-large",
        "A body past its limit.",
        _body({"content": "x" * 300}),
        limits={"stream_bytes": 256},
    ),
]

_CARRIED = [
    _told(
        "around",
        "What the vendor says around the message is carried.",
        service_tier="default",
        system_fingerprint="fp_1",
        moderation={"flagged": False},
        metadata={"a": "b"},
        choice={"logprobs": {"content": [{"token": "Hi", "logprob": -0.5, "bytes": [72, 105]}]}},
    ),
    _told(
        "audio",
        "A spoken answer is carried; its id can go back to the server.",
        {
            "content": None,
            "audio": {"id": "audio_1", "data": "UklGRg==", "expires_at": 9, "transcript": "Hi"},
        },
    ),
    _case(
        "part-of-mistral",
        "A part of no meaning here is kept beside the text.",
        _body(
            {
                "content": [
                    {"type": "text", "text": "Hi"},
                    {"type": "reference", "reference_ids": [1, 2]},
                ]
            }
        ),
    ),
    _told(
        "around-perplexity",
        "What a searching server says around the message.",
        citations=["https://a.example/"],
        search_results=[{"title": "A", "url": "https://a.example/"}],
        images=[{"image_url": "https://a.example/a.png"}],
        related_questions=["Why?"],
        type="message",
    ),
    _told(
        "around-llama-cpp",
        "What llama.cpp says around the message.",
        timings={"prompt_n": 12},
        prompt_progress={"total": 12},
        __verbose={"content": "Hi"},
    ),
    _told(
        "around-openrouter",
        "What a router says around the message.",
        provider="a",
        openrouter_metadata={"region": "eu"},
        choice={"native_finish_reason": "STOP", "seed": 7},
    ),
    _told("counters-of-kimi", "Counters in the choice.", usage=None, choice={"usage": _USAGE}),
    _told(
        "around-azure",
        "What filters say around the message.",
        prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}],
        choice={
            "content_filter_results": {"hate": {"filtered": False}},
            "content_filter_offsets": {"check_offset": 1},
        },
    ),
    _told(
        "around-others",
        "What three more servers say around the message.",
        x_groq={"id": "req_1"},
        usage_breakdown={"models": []},
        time_info={"queue_time": 0.1},
        request_id="r1",
    ),
    _told(
        "around-vllm",
        "What vLLM says around the message.",
        prompt_logprobs=[None],
        prompt_token_ids=[1, 2],
        prompt_text="Hello",
        prompt_routed_experts=[[1]],
        kv_transfer_params={"a": 1},
        ec_transfer_params={"b": 1},
        metrics={"ttft": 0.5},
        choice={"token_ids": [3], "routed_experts": [[1]], "stop_reason": 2},
    ),
    _told(
        "beside-the-text",
        "What servers say beside the text of a message.",
        {
            "executed_tools": [{"index": 0, "type": "search"}],
            "channel": "final",
            "images": [{"type": "image_url", "image_url": {"url": "https://a.example/a.png"}}],
            "context": {"citations": []},
            "thinking_blocks": [{"type": "thinking", "thinking": "hm"}],
            "provider_specific_fields": {"a": 1},
            "provider_metadata": {"b": 2},
            "token_id": 3,
        },
    ),
    _told("unknown-field", "A field that nobody published is carried, with a warning.", wombat=1),
]

_RAISED: list[tuple[str, str, int, Any, dict[str, str]]] = [
    (
        "401",
        "A credential that was turned down.",
        401,
        {
            "error": {
                "message": "Bad key",
                "type": "invalid_request_error",
                "code": "invalid_api_key",
            }
        },
        {},
    ),
    (
        "402",
        "An account that cannot pay.",
        402,
        {"error": {"message": "No credit", "code": 402}},
        {},
    ),
    (
        "404",
        "No such model.",
        404,
        {
            "error": {
                "message": "No model",
                "type": "invalid_request_error",
                "code": "model_not_found",
            }
        },
        {},
    ),
    ("408", "A server that gave up waiting.", 408, b"", {}),
    ("413", "A request that is too large.", 413, b"Request Entity Too Large", {}),
    (
        "429-seconds",
        "A rate limit that says in seconds when to come back.",
        429,
        {"error": {"message": "Slow down.", "type": "tokens", "code": "rate_limit_exceeded"}},
        {"retry-after": "3"},
    ),
    ("429-milliseconds", "In milliseconds.", 429, {"error": {}}, {"Retry-After-Ms": "1500"}),
    (
        "429-date",
        "At a date, beside the date of the answer.",
        429,
        {"error": {}},
        {"date": "Mon, 30 Nov 2026 12:00:00 GMT", "retry-after": "Mon, 30 Nov 2026 12:00:07 GMT"},
    ),
    (
        "429-quota",
        "A quota that is used up is no rate limit.",
        429,
        {"error": {"message": "Quota", "type": "insufficient_quota", "code": "insufficient_quota"}},
        {},
    ),
    (
        "400-context",
        "A conversation that is too long, told by its code.",
        400,
        {
            "error": {
                "message": "Too long",
                "type": "invalid_request_error",
                "param": "messages",
                "code": "context_length_exceeded",
            }
        },
        {},
    ),
    (
        "400",
        "Another fault of the request.",
        400,
        {
            "error": {
                "message": "Unknown parameter: 'wombat'.",
                "type": "invalid_request_error",
                "param": "wombat",
                "code": "unknown_parameter",
                "misalignment": {"category": "x"},
            }
        },
        {},
    ),
    (
        "500",
        "A server that failed: the request may have been worked on.",
        500,
        {"error": "boom"},
        {},
    ),
    (
        "503",
        "A server that is overloaded: it was not.",
        503,
        {"detail": "busy"},
        {"retry-after": "1"},
    ),
    ("529", "The same by another number.", 529, b"", {}),
    ("302", "A redirect is refused.", 302, b"", {"location": "https://b.example/"}),
    (
        "502-html",
        "A page of a proxy.",
        502,
        b"<html>Bad gateway</html>",
        {"content-type": "text/html"},
    ),
]

_KINDS = [
    answer_kind(
        "chat",
        "stream",
        "A stream that was asked for.",
        200,
        headers=[["Content-Type", "text/event-stream; charset=utf-8"]],
    ),
    answer_kind(
        "chat",
        "whole",
        "A body that was asked for.",
        200,
        headers=[["content-type", "application/json"]],
        streamed=False,
    ),
    answer_kind("chat", "unnamed", "What is not named is what was asked for.", 200),
    answer_kind("chat", "unnamed-whole", "Also where a body was.", 201, streamed=False),
    answer_kind(
        "chat",
        "error",
        "An error status, whatever was asked for.",
        429,
        headers=[["content-type", "text/event-stream"]],
    ),
    answer_kind(
        "chat",
        "other-than-asked",
        "A body where a stream was asked for is refused.",
        200,
        headers=[["content-type", "application/json"]],
    ),
    answer_kind(
        "chat",
        "stream-unasked",
        "So is a stream where a body was.",
        200,
        headers=[["content-type", "text/event-stream"]],
        streamed=False,
    ),
    answer_kind("chat", "page", "And a page.", 200, headers=[["content-type", "text/html"]]),
    answer_kind(
        "chat",
        "whole-by-dialect",
        "Unless the dialect says that this server answers so.",
        200,
        headers=[["content-type", "application/json"]],
        binding={"base": "chat", "dialect": {"answers_whole": True}},
    ),
    answer_kind(
        "chat",
        "stream-by-dialect",
        "In either way.",
        200,
        headers=[["content-type", "text/event-stream"]],
        streamed=False,
        binding={"base": "chat", "dialect": {"answers_stream": True}},
    ),
]

CASES: list[Declared] = [
    *_SAID,
    *_CALLED,
    *_STOPPED,
    *_CARRIED,
    _told(
        "error-in-a-choice",
        "A failure inside a choice.",
        finish="error",
        choice={"error": {"code": 502, "message": "Broke."}},
    ),
    _case(
        "error",
        "A failure under a status of success.",
        {"error": {"message": "overloaded", "type": "server_error"}},
    ),
    *(
        decode_error(
            "chat",
            slug,
            about,
            status,
            said,
            **({"headers": [list(pair) for pair in headers.items()]} if headers else {}),
        )
        for slug, about, status, said, headers in _RAISED
    ),
    *_KINDS,
]

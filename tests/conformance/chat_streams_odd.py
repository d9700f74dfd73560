"""Streamed answers of Chat servers: counters, what is carried, failures, frames and limits."""

from typing import Any

from tests.conformance.chat_streams import (
    CALLED,
    DONE,
    END,
    FIRST,
    HI,
    LOOK,
    USAGE,
    call,
    case,
    chunk,
    counted,
    head,
)
from tests.conformance.declared import Declared, decode
from tests.conformance.forms import sse

__all__ = ["CASES"]


def _told(slug: str, about: str, delta: dict[str, Any], **more: Any) -> Declared:
    """An answer whose one delta, choice or chunk says something more."""
    return case(slug, about, FIRST, chunk({"content": "Hi", **delta}, **more), END, DONE)


def _bytes(slug: str, about: str, data: bytes, **more: Any) -> Declared:
    return decode("chat", slug, about, data, **more)


_COUNTED = [
    case(
        "usage-last-wins",
        "Counters are never added up: the last ones count.",
        chunk(
            {"content": "Hi"},
            usage={"prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 13},
        ),
        END,
        counted(USAGE),
        DONE,
    ),
    case(
        "usage-null",
        "Null counters are none.",
        chunk({"content": "Hi"}, usage=None),
        chunk({}, "stop", usage=None),
        DONE,
    ),
    case("usage-empty", "Nor is an empty object.", FIRST, HI, END, counted({}), DONE),
    case(
        "usage-zero",
        "A reported zero stays a zero.",
        FIRST,
        HI,
        END,
        counted(
            {
                "prompt_tokens": 0,
                "completion_tokens": 0,
                "total_tokens": 0,
                "prompt_tokens_details": {"cached_tokens": 0},
            }
        ),
        DONE,
    ),
    case(
        "usage-of-groq",
        "Counters beside the chunk's own place.",
        FIRST,
        HI,
        chunk({}, "stop", x_groq={"id": "req_1", "usage": USAGE}),
        DONE,
    ),
    case(
        "usage-of-kimi",
        "Counters in the last choice.",
        FIRST,
        HI,
        {**END, "choices": [{**END["choices"][0], "usage": USAGE}]},
        DONE,
    ),
    case(
        "usage-cache-beside",
        "Where the dialect says so, cached tokens are added to the input.",
        FIRST,
        HI,
        END,
        counted({**USAGE, "prompt_tokens_details": {"cached_tokens": 100}}),
        DONE,
        binding={"base": "chat", "dialect": {"cache_beside_input": True}},
    ),
    case(
        "usage-reasoning-beside",
        "And reasoning to the output.",
        FIRST,
        HI,
        END,
        counted({**USAGE, "completion_tokens_details": {"reasoning_tokens": 30}}),
        DONE,
        binding={"base": "chat", "dialect": {"reasoning_beside_output": True}},
    ),
    case(
        "usage-went-down",
        "Counters that go down on the way warn.",
        chunk(
            {"content": "Hi"},
            usage={"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21},
        ),
        END,
        counted(USAGE),
        DONE,
    ),
]

_CARRIED = [
    _told(
        "around",
        "What the vendor says around the message is carried.",
        {},
        service_tier="default",
        system_fingerprint="fp_1",
        moderation={"flagged": False},
        obfuscation="aX",
        choice={
            "logprobs": {
                "content": [
                    {"token": "Hi", "logprob": -0.5, "bytes": [72, 105], "top_logprobs": []}
                ],
                "refusal": None,
            }
        },
    ),
    _told(
        "audio",
        "A spoken answer is carried.",
        {"audio": {"id": "audio_1", "data": "UklGRg==", "transcript": "Hi"}},
    ),
    case(
        "part-of-mistral",
        "A part of no meaning here is kept beside the text.",
        FIRST,
        chunk({"content": [{"type": "text", "text": "Hi"}]}),
        chunk({"content": [{"type": "reference", "reference_ids": [1, 2]}]}),
        END,
        DONE,
    ),
    _told(
        "around-perplexity",
        "What a searching server says around the message.",
        {},
        citations=["https://a.example/"],
        search_results=[{"title": "A", "url": "https://a.example/"}],
        images=[{"image_url": "https://a.example/a.png"}],
        related_questions=["Why?"],
        type="message",
    ),
    _told(
        "around-llama-cpp",
        "What llama.cpp says around the message.",
        {},
        timings={"prompt_n": 12, "predicted_ms": 3.5},
        prompt_progress={"total": 12, "cache": 0, "processed": 12, "time_ms": 1},
        __verbose={"index": 0, "content": "Hi"},
    ),
    _told(
        "around-openrouter",
        "What a router says around the message.",
        {},
        provider="a",
        openrouter_metadata={"region": "eu"},
        choice={"native_finish_reason": "stop", "seed": 7},
    ),
    _told(
        "around-azure",
        "What filters say around the message.",
        {},
        prompt_filter_results=[
            {
                "prompt_index": 0,
                "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}},
            }
        ],
        choice={
            "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}},
            "content_filter_offsets": {"check_offset": 1},
        },
    ),
    _told(
        "around-others",
        "What three more servers say around the message.",
        {},
        x_groq={"id": "req_1"},
        usage_breakdown={"models": []},
        time_info={"queue_time": 0.1},
        request_id="r1",
    ),
    _told(
        "around-vllm",
        "What vLLM says around the message.",
        {},
        prompt_logprobs=[None],
        prompt_token_ids=[1, 2],
        prompt_text="Hello",
        prompt_routed_experts=[[1]],
        kv_transfer_params={"a": 1},
        ec_transfer_params={"b": 1},
        metrics={"ttft": 0.5},
        choice={"token_ids": [3], "routed_experts": [[1]]},
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
    _told(
        "unknown-field",
        "A field that nobody published is carried too, with a warning.",
        {},
        wombat={"a": 1},
    ),
    case(
        "filter-chunk",
        "A chunk without choices is no fault, the first one neither.",
        {**head(), "id": "", "model": "", "choices": [], "prompt_filter_results": []},
        FIRST,
        HI,
        END,
        DONE,
    ),
]

_FAILED = [
    case(
        "error-misalignment",
        "A failure with all that the vendor says of it.",
        {
            "error": {
                "type": "invalid_request_error",
                "code": "misaligned",
                "message": "No.",
                "param": "messages",
                "misalignment": {"category": "x"},
            }
        },
    ),
    case(
        "error-beside-choices",
        "A failure is looked for first, whatever stands beside it.",
        FIRST,
        HI,
        {
            **head(),
            "choices": [],
            "error": {"code": 429, "message": "Slow down.", "type": "rate_limit_error"},
        },
    ),
    case(
        "error-in-a-choice",
        "A failure inside a choice.",
        FIRST,
        HI,
        chunk({}, "error", choice={"error": {"code": 502, "message": "Upstream broke."}}),
    ),
    case("error-text", "A failure that is a bare text.", {"error": "out of memory"}),
    case(
        "error-rate-limit-before-output",
        "Before any output a rate limit may be tried again.",
        {
            "error": {
                "type": "rate_limit_error",
                "code": "rate_limit_exceeded",
                "message": "Slow down.",
            }
        },
    ),
    _bytes(
        "error-body",
        "A bare error body where a stream was expected is that error.",
        b'{"error":{"message":"No such model","type":"invalid_request_error","code":"model_not_found"}}',
    ),
    _bytes(
        "whole-body",
        "A bare answer body where a stream was expected is that answer.",
        b'{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":'
        b'{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":4,"total_tokens":16}}',
    ),
    _bytes(
        "cut-mid-text",
        "A connection that ends between two events, before the end was said.",
        sse(FIRST, HI),
    ),
    _bytes("not-an-object", "A payload that is no object.", sse(FIRST, "[1]")),
    _bytes("choices-no-list", "Choices that are no list.", sse({**head(), "choices": {"a": 1}})),
    _bytes("content-no-text", "Content that is a number.", sse(chunk({"content": 7}))),
]

_LINE = sse(FIRST, HI, END, DONE)
_FRAMED = [
    _bytes("frames-crlf", "Lines may end with CR and LF.", _LINE.replace(b"\n", b"\r\n")),
    _bytes("frames-cr", "Or with CR alone.", _LINE.replace(b"\n", b"\r")),
    _bytes(
        "frames-comments",
        "Comments, ids, retry times, names and a byte order mark say nothing.",
        b"\xef\xbb\xbf: hello\n\nid: 7\nretry: 10\nevent: message\n" + _LINE,
    ),
    _bytes(
        "frames-no-space",
        "The space after the colon is optional.",
        _LINE.replace(b"data: ", b"data:"),
    ),
    _bytes(
        "frames-several-lines",
        "Several data lines are one payload.",
        sse(FIRST)
        + b'data: {"choices":\ndata: [{"index": 0, "delta": {"content": "Hi"}}]}\n\n'
        + sse(END, DONE),
    ),
    _bytes(
        "frames-last-line",
        "A last event without its blank line counts where it is complete.",
        sse(FIRST, HI, END) + b"data: [DONE]",
    ),
    _bytes(
        "frames-separators",
        "U+2028, U+2029 and U+0085 end no line.",
        sse(FIRST, chunk({"content": "a\u2028b\u2029c\x85d"}), END, DONE),
    ),
    _bytes(
        "frame-too-large",
        "A frame past its limit is refused at once.",
        sse(FIRST, chunk({"content": "x" * 300}), END, DONE),
        limits={"frame_bytes": 256},
    ),
    _bytes(
        "stream-too-large",
        "So is a stream.",
        sse(FIRST, *[HI] * 4, END, DONE),
        limits={"stream_bytes": 600},
    ),
    _bytes(
        "arguments-too-large",
        "And the arguments of a call.",
        sse(
            LOOK,
            chunk(call(function={"arguments": '{"text": "' + "x" * 40 + '"}'})),
            CALLED,
            DONE,
        ),
        limits={"arguments_bytes": 32},
    ),
    _bytes(
        "too-deep",
        "And what nests too deep.",
        sse(chunk({"content": "Hi"}, metrics=[[[[[[[[1]]]]]]]]), END, DONE),
        limits={"json_depth": 8},
    ),
]

CASES: list[Declared] = [*_COUNTED, *_CARRIED, *_FAILED, *_FRAMED]

"""The answers and failures that golden/wire writes on every wire: neutral events and refusals, said by hand."""

from llm_projections.errors import Dispatch, Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
    Warning,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Opaque,
    Protocol,
    Provenance,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    Observation,
    StopReason,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    UpstreamError,
    Usage,
)
from llm_projections.model.results import AnswerShape

__all__ = ["ANSWERS", "ERRORS", "IDENTITY", "SHAPE"]

IDENTITY = Identity("resp_golden", 1_793_000_000, "client-model")
SHAPE = AnswerShape(stream=True, include_usage=True, encrypted_reasoning=True)

_USAGE = Usage(120, 30, 100, 0, 12)
_PARTLY = Usage(120, 30)
_STARTED = ResponseStarted("up_1", "upstream-model")


def _from(protocol: Protocol) -> Provenance:
    return Provenance(protocol, "provider", "account", "endpoint", "model", "0" * 64)


def _ends(
    stop: StopReason,
    *items: Item,
    usage: Usage | None = _USAGE,
    extensions: tuple[Extension, ...] = (),
) -> list[Event]:
    """The events that close an answer of these items."""
    seen = Observation(None, "upstream-model", "up_1", usage, usage is not None)
    outcome = TurnOutcome(stop, items, seen, (), extensions)
    told: list[Event] = [] if usage is None else [UsageReported(usage)]
    return [*told, TurnCompleted(outcome)]


def _message(text: str, *annotations: Extension) -> AssistantMessage:
    return AssistantMessage((Text(text, annotations),))


_HELLO = _message("Hello there.")
_SAID: list[Event] = [TextDelta("Hello ", 0), TextDelta("there.", 0), ItemCompleted(_HELLO, 0)]
_ODD = _message('\u2028\u2029\x85 "\\ \n\x00 é 😀')
_PARIS = ToolCall("call_1", "weather", '{"city":"Paris"}')
_ROME = ToolCall("call_2", "weather", '{"city": "Rome", "n": 1.10, "big": 18446744073709551616}')
_NOW = ToolCall("call_1", "now", "{}")
_PATCH = CustomToolCall("call_1", "patch", "-x\n+y\n")
_THOUGHT = Reasoning("340 plus 51.")
_SUMMARY = Reasoning("Adding two numbers.", True)
_DECLINED = AssistantMessage((RefusalText("I will not."),))
_CUT = _message("Hel")

_NOTES = {
    Protocol.CHAT: Extension(
        Protocol.CHAT,
        "messages.annotations",
        {
            "type": "url_citation",
            "url_citation": {
                "url": "https://a.example/",
                "title": "A",
                "start_index": 0,
                "end_index": 5,
            },
        },
    ),
    Protocol.MESSAGES: Extension(
        Protocol.MESSAGES,
        "messages.content.citations",
        {
            "type": "char_location",
            "cited_text": "Hello",
            "document_index": 0,
            "document_title": "A",
            "file_id": None,
            "start_char_index": 0,
            "end_char_index": 5,
        },
    ),
    Protocol.RESPONSES: Extension(
        Protocol.RESPONSES,
        "input.content.annotations",
        {
            "type": "url_citation",
            "url": "https://a.example/",
            "title": "A",
            "start_index": 0,
            "end_index": 5,
        },
    ),
}
_SEALED = {
    Protocol.CHAT: Opaque(
        _from(Protocol.CHAT),
        {
            "reasoning_details": [
                {"type": "reasoning.text", "text": "340 plus 51.", "signature": "c2ln", "index": 0}
            ]
        },
        "340 plus 51.",
    ),
    Protocol.MESSAGES: Opaque(
        _from(Protocol.MESSAGES),
        {"type": "thinking", "thinking": "340 plus 51.", "signature": "c2lnbmF0dXJl"},
        "340 plus 51.",
    ),
    Protocol.RESPONSES: Opaque(
        _from(Protocol.RESPONSES),
        {
            "id": "rs_1",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "340 plus 51."}],
            "encrypted_content": "Z0FBQUFB",
        },
        "340 plus 51.",
    ),
}
_RAN = {
    Protocol.MESSAGES: WireItem(
        Protocol.MESSAGES,
        {
            "type": "server_tool_use",
            "id": "srvtoolu_1",
            "name": "web_search",
            "input": {"query": "news"},
        },
    ),
    Protocol.RESPONSES: WireItem(
        Protocol.RESPONSES,
        {
            "id": "ws_1",
            "type": "web_search_call",
            "status": "completed",
            "action": {"type": "search", "query": "news"},
        },
    ),
}
_LIMITED = ResponseRefused(
    RefusalCode.RATE_LIMITED,
    "the server limits the rate",
    dispatch=Dispatch.REJECTED,
    retriable=True,
    retry_after_ms=2500,
    upstream=UpstreamError("rate_limit_error", "rate_limit_exceeded", "Slow down."),
)
_BROKEN = ResponseRefused(
    RefusalCode.PROTOCOL,
    "the stream ended inside an event",
    dispatch=Dispatch.ACCEPTED,
)


def _sealed(protocol: Protocol) -> list[Event]:
    item = _SEALED[protocol]
    delta = ReasoningDelta("340 plus 51.", 0, protocol is Protocol.RESPONSES)
    answer = _message("391")
    return [
        _STARTED,
        delta,
        ItemCompleted(item, 0),
        TextDelta("391", 1),
        ItemCompleted(answer, 1),
        *_ends(EndTurn(), item, answer),
    ]


def _annotated(protocol: Protocol) -> list[Event]:
    item = _message("Hello there.", _NOTES[protocol])
    return [_STARTED, TextDelta("Hello there.", 0), ItemCompleted(item, 0), *_ends(EndTurn(), item)]


def _hosted(protocol: Protocol) -> list[Event]:
    item = _RAN[protocol]
    return [
        _STARTED,
        ItemCompleted(item, 0),
        TextDelta("Hello there.", 1),
        ItemCompleted(_HELLO, 1),
        *_ends(EndTurn(), item, _HELLO),
    ]


def _kept(protocol: Protocol, value: str) -> Extension:
    return Extension(protocol, "answer.service_tier", value)


ANSWERS: dict[str, list[Event]] = {
    "text": [_STARTED, *_SAID, *_ends(EndTurn(), _HELLO)],
    "text_uncounted": [_STARTED, *_SAID, *_ends(EndTurn(), _HELLO, usage=None)],
    "text_partly_counted": [_STARTED, *_SAID, *_ends(EndTurn(), _HELLO, usage=_PARTLY)],
    "text_whole": [_STARTED, ItemCompleted(_HELLO, 0), *_ends(EndTurn(), _HELLO)],
    "texts": [
        _STARTED,
        TextDelta("One.", 0),
        ItemCompleted(_message("One."), 0),
        TextDelta("Two.", 1),
        ItemCompleted(_message("Two."), 1),
        *_ends(EndTurn(), _message("One."), _message("Two.")),
    ],
    "nothing": [_STARTED, *_ends(EndTurn())],
    "unicode": [
        _STARTED,
        TextDelta('\u2028\u2029\x85 "\\', 0),
        Warning("odd", "fixed"),
        TextDelta(" \n\x00 é 😀", 0),
        ItemCompleted(_ODD, 0),
        *_ends(EndTurn(), _ODD),
    ],
    "call": [
        _STARTED,
        ToolCallStarted("call_1", "weather", 0),
        ToolArgumentsDelta("call_1", '{"city":', 0),
        ToolArgumentsDelta("call_1", '"Paris"}', 0),
        ItemCompleted(_PARIS, 0),
        *_ends(ToolCalls(), _PARIS),
    ],
    "call_beside_end_of_turn": [
        _STARTED,
        ToolCallStarted("call_1", "weather", 0),
        ToolArgumentsDelta("call_1", '{"city":"Paris"}', 0),
        ItemCompleted(_PARIS, 0),
        *_ends(EndTurn(), _PARIS),
    ],
    "call_without_arguments": [
        _STARTED,
        ToolCallStarted("call_1", "now", 0),
        ItemCompleted(_NOW, 0),
        *_ends(ToolCalls(), _NOW),
    ],
    "calls_interleaved": [
        _STARTED,
        TextDelta("Hello there.", 0),
        ItemCompleted(_HELLO, 0),
        ToolCallStarted("call_1", "weather", 1),
        ToolCallStarted("call_2", "weather", 2),
        ToolArgumentsDelta("call_2", '{"city": "Rome", ', 2),
        ToolArgumentsDelta("call_1", '{"city":"Paris"}', 1),
        ToolArgumentsDelta("call_2", '"n": 1.10, "big": 18446744073709551616}', 2),
        ItemCompleted(_PARIS, 1),
        ItemCompleted(_ROME, 2),
        *_ends(ToolCalls(), _HELLO, _PARIS, _ROME),
    ],
    "call_before_text": [
        _STARTED,
        ToolCallStarted("call_1", "now", 0),
        ToolArgumentsDelta("call_1", "{}", 0),
        ItemCompleted(_NOW, 0),
        TextDelta("Hello there.", 1),
        ItemCompleted(_HELLO, 1),
        *_ends(ToolCalls(), _NOW, _HELLO),
    ],
    "custom_call": [
        _STARTED,
        ToolCallStarted("call_1", "patch", 0, True),
        ToolArgumentsDelta("call_1", "-x\n", 0),
        ToolArgumentsDelta("call_1", "+y\n", 0),
        ItemCompleted(_PATCH, 0),
        *_ends(ToolCalls(), _PATCH),
    ],
    "reasoning": [
        _STARTED,
        ReasoningDelta("340 plus", 0),
        ReasoningDelta(" 51.", 0),
        ItemCompleted(_THOUGHT, 0),
        TextDelta("391", 1),
        ItemCompleted(_message("391"), 1),
        *_ends(EndTurn(), _THOUGHT, _message("391")),
    ],
    "reasoning_summary": [
        _STARTED,
        ReasoningDelta("Adding two numbers.", 0, True),
        ItemCompleted(_SUMMARY, 0),
        TextDelta("391", 1),
        ItemCompleted(_message("391"), 1),
        *_ends(EndTurn(), _SUMMARY, _message("391")),
    ],
    "sealed_chat": _sealed(Protocol.CHAT),
    "sealed_messages": _sealed(Protocol.MESSAGES),
    "sealed_responses": _sealed(Protocol.RESPONSES),
    "annotated_chat": _annotated(Protocol.CHAT),
    "annotated_messages": _annotated(Protocol.MESSAGES),
    "annotated_responses": _annotated(Protocol.RESPONSES),
    "hosted_messages": _hosted(Protocol.MESSAGES),
    "hosted_responses": _hosted(Protocol.RESPONSES),
    "refusal": [
        _STARTED,
        RefusalDelta("I will", 0),
        RefusalDelta(" not.", 0),
        ItemCompleted(_DECLINED, 0),
        *_ends(EndTurn(), _DECLINED),
    ],
    "limit": [
        _STARTED,
        TextDelta("Hel", 0),
        ItemCompleted(_CUT, 0),
        *_ends(MaxOutputTokens(), _CUT),
    ],
    "stop_sequence": [
        _STARTED,
        TextDelta("Hel", 0),
        ItemCompleted(_CUT, 0),
        *_ends(StopSequence("lo"), _CUT),
    ],
    "filtered": [
        _STARTED,
        TextDelta("Hel", 0),
        ItemCompleted(_CUT, 0),
        *_ends(Incomplete("content_filter"), _CUT),
    ],
    "paused": [
        _STARTED,
        TextDelta("Hel", 0),
        ItemCompleted(_CUT, 0),
        *_ends(Incomplete("pause_turn"), _CUT),
    ],
    "tier_of_chat": [
        _STARTED,
        *_SAID,
        *_ends(EndTurn(), _HELLO, extensions=(_kept(Protocol.CHAT, "flex"),)),
    ],
    "failed_in_the_middle": [_STARTED, TextDelta("Hello ", 0), TurnFailed(_BROKEN)],
    "failed_at_once": [TurnFailed(_LIMITED)],
}


def _failed(code: RefusalCode, upstream: UpstreamError | None = None) -> ResponseRefused:
    return ResponseRefused(
        code, "the server said no", dispatch=Dispatch.REJECTED, upstream=upstream
    )


ERRORS: dict[str, Refusal] = {
    "unknown_field": RequestRefused(
        RefusalCode.INVALID_REQUEST,
        "not a known field",
        "messages[3].content[0].foo",
        others=(RequestRefused(RefusalCode.INVALID_REQUEST, "not a known field", "bar"),),
    ),
    "unsupported_field": RequestRefused(
        RefusalCode.UNSUPPORTED,
        "the target cannot carry it",
        "context_management",
        loss="messages.context_management",
    ),
    "request_too_large": RequestRefused(RefusalCode.TOO_LARGE, "the request is too large"),
    "no_credential": RequestRefused(RefusalCode.UNAUTHORIZED, "a credential is missing"),
    "unknown_path": RequestRefused(RefusalCode.NOT_FOUND, "not the path of a known wire", "path"),
    "rate_limited": _LIMITED,
    "overloaded": ResponseRefused(
        RefusalCode.UNAVAILABLE,
        "the server is overloaded",
        dispatch=Dispatch.REJECTED,
        retriable=True,
        upstream=UpstreamError("overloaded_error", None, "Overloaded"),
    ),
    "context_length": _failed(
        RefusalCode.CONTEXT_LENGTH,
        UpstreamError(
            "invalid_request_error",
            "context_length_exceeded",
            "prompt is too long: 210000 tokens > 200000 maximum",
        ),
    ),
    "refused": _failed(
        RefusalCode.REFUSED,
        UpstreamError("invalid_request_error", None, "tools.0: no such tool", "tools"),
    ),
    "upstream_unauthorized": _failed(
        RefusalCode.UNAUTHORIZED, UpstreamError("authentication_error", None, "invalid x-api-key")
    ),
    "billing": _failed(RefusalCode.BILLING, UpstreamError("insufficient_quota", None, "No credit")),
    "model_not_found": _failed(RefusalCode.NOT_FOUND),
    "answer_too_large": _failed(
        RefusalCode.TOO_LARGE, UpstreamError("request_too_large", None, "Request too large")
    ),
    "broken_answer": _BROKEN,
    "transport": ResponseRefused(
        RefusalCode.TRANSPORT, "the connection broke", dispatch=Dispatch.UNKNOWN, retriable=True
    ),
}

"""What a Messages answer leaves behind, by name, and where it is refused."""

from typing import Any

from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
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
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    Observation,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    UpstreamError,
    Usage,
)
from llm_projections.model.results import AnswerShape
from tests.conformance.declared import (
    NEEDED,
    OURS,
    Declared,
    write_body,
    write_both,
    write_error,
    write_stream,
)

__all__ = ["CASES"]

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
_SEALER = Provenance(MESSAGES, "provider", "account", "endpoint", "model", "0" * 64)
_SIGNED = Opaque(_SEALER, {"type": "thinking", "thinking": "3 + 4", "signature": "c2ln"}, "3 + 4")
_CALL = ToolCall("toolu_1", "look", '{"n":1}')
_HEAD: list[Event] = [ResponseStarted("up_1", "upstream-model")]
_HI = AssistantMessage((Text("Hi"),))
_USAGE = Usage(142, 9, 100, 30, 5)
_SEEN = Observation(None, "upstream-model", "up_1", _USAGE, True)
_BARE = Observation(None, "upstream-model", "up_1")


def _outcome(
    *items: Item, stop: Any = EndTurn(), seen: Observation = _SEEN, **more: Any
) -> TurnOutcome:
    return TurnOutcome(stop, items, seen, **more)


def _own(path: str, value: Any) -> Extension:
    return Extension(MESSAGES, path, value)


_KEPT = WireItem(
    MESSAGES, {"type": "wombat", "n": 1}, extensions=(_own("answer.kept_event", True),)
)

_SAID = [
    *write_both(
        "messages",
        "counted",
        "Counters in this wire's parts, and what stood around an answer of this wire.",
        _outcome(
            _HI,
            stop=Incomplete("refusal"),
            extensions=(
                _own("answer.stop_details", {"type": "refusal", "category": "cyber"}),
                _own("answer.container", {"id": "container_1"}),
                _own("answer.context_management", {"applied_edits": []}),
            ),
        ),
    ),
    *write_both(
        "messages",
        "run-by-the-provider",
        "What the provider ran stands at its place, and is no call.",
        _outcome(
            WireItem(
                MESSAGES,
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "sky"},
                },
            ),
            WireItem(
                MESSAGES,
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            ),
            _HI,
        ),
    ),
    *write_both(
        "messages",
        "sealed",
        "Signed and redacted thinking and a compaction of this wire.",
        _outcome(
            Opaque(OURS["messages"], {"type": "redacted_thinking", "data": "RW9w"}),
            _SIGNED,
            Opaque(
                _SEALER,
                {"type": "compaction", "content": "So far.", "encrypted_content": "ZW5j"},
                "So far.",
            ),
            _HI,
            stop=Incomplete("compaction"),
        ),
    ),
    *write_both(
        "messages",
        "call-with-a-caller",
        "Who made a call, and of which toolset it is.",
        _outcome(
            ToolCall(
                "toolu_1",
                "look",
                '{"n":1}',
                None,
                (
                    _own("messages.content.caller", {"type": "code_execution_20250825"}),
                    _own("messages.content.toolset_name", "browser"),
                ),
            ),
            stop=ToolCalls(),
        ),
    ),
    *write_both(
        "messages",
        "stop-context",
        "A full context window.",
        _outcome(_HI, stop=Incomplete("model_context_window_exceeded")),
    ),
    *write_both(
        "messages",
        "stop-sequence-named",
        "The sequence that was met.",
        _outcome(_HI, stop=StopSequence("END")),
    ),
    *write_both(
        "messages",
        "refused-words",
        "Words of refusal are a text and the stop reason of one.",
        _outcome(AssistantMessage((RefusalText("No."),))),
    ),
    write_stream(
        "messages",
        "interleaved",
        "One block at a time: what comes for another one waits.",
        [
            *_HEAD,
            ToolCallStarted("toolu_1", "look", 0),
            ToolArgumentsDelta("toolu_1", '{"n":', 0),
            ToolCallStarted("toolu_2", "see", 1),
            ToolArgumentsDelta("toolu_2", "{}", 1),
            ToolArgumentsDelta("toolu_1", "1}", 0),
            ItemCompleted(_CALL, 0),
            ItemCompleted(ToolCall("toolu_2", "see", "{}"), 1),
            TurnCompleted(_outcome(_CALL, ToolCall("toolu_2", "see", "{}"), stop=ToolCalls())),
        ],
    ),
    write_stream(
        "messages",
        "signed-live",
        "Signed thinking is shown live, its signature when it is whole.",
        [
            *_HEAD,
            ReasoningDelta("3 + ", 0),
            ReasoningDelta("4", 0),
            ItemCompleted(_SIGNED, 0),
            TextDelta("7", 1),
            ItemCompleted(AssistantMessage((Text("7"),)), 1),
            UsageReported(_USAGE),
            TurnCompleted(_outcome(_SIGNED, AssistantMessage((Text("7"),)))),
        ],
    ),
    write_stream(
        "messages",
        "thinking-omitted",
        "A client that wants no thinking shown gets signed thinking without its text, and unsigned none at all.",
        [
            *_HEAD,
            ReasoningDelta("3 + 4", 0),
            ItemCompleted(_SIGNED, 0),
            ReasoningDelta("hm", 1),
            ItemCompleted(Reasoning("hm"), 1),
            TurnCompleted(_outcome(_SIGNED, Reasoning("hm"))),
        ],
        answer=AnswerShape(stream=True, reasoning_display="omitted"),
        accept=NEEDED,
    ),
    write_body(
        "messages",
        "thinking-omitted",
        "The same in one body.",
        _outcome(_SIGNED, Reasoning("hm")),
        answer=AnswerShape(reasoning_display="omitted"),
        accept=NEEDED,
    ),
    write_stream(
        "messages",
        "kept-event",
        "An event of this wire that was kept goes out again.",
        [
            *_HEAD,
            TextDelta("Hi", 0),
            ItemCompleted(_HI, 0),
            ItemCompleted(_KEPT, 1),
            TurnCompleted(_outcome(_HI, _KEPT)),
        ],
    ),
    write_body(
        "messages",
        "loses-own-kept-event",
        "A whole message has no events.",
        _outcome(
            _HI,
            _KEPT,
        ),
        accept=NEEDED,
    ),
]

_LOST = [
    *write_both(
        "messages",
        "loses-sealed",
        "Sealed reasoning of another wire, an item and a part of others.",
        _outcome(
            Opaque(
                Provenance(RESPONSES, "provider", "account", "endpoint", "model", "0" * 64),
                {"type": "reasoning", "encrypted_content": "ZW5j", "summary": []},
            ),
            WireItem(RESPONSES, {"type": "web_search_call", "id": "ws_1"}),
            AssistantMessage((Text("Hi"), WirePart(RESPONSES, {"type": "wombat"}))),
        ),
    ),
    *write_both(
        "messages",
        "loses-kept-event",
        "An event of another wire that was kept.",
        _outcome(
            _HI,
            WireItem(
                RESPONSES,
                {"type": "x"},
                extensions=(Extension(RESPONSES, "answer.kept_event", True),),
            ),
        ),
    ),
    *write_both(
        "messages",
        "loses-annotations",
        "Another vendor's citations.",
        _outcome(
            AssistantMessage((Text("Hi", (Extension(CHAT, "messages.annotations", {"a": 1}),)),))
        ),
    ),
    *write_both(
        "messages",
        "loses-extensions",
        "What stood around another vendor's answer.",
        _outcome(_HI, extensions=(Extension(CHAT, "answer.system_fingerprint", "fp"),)),
    ),
    *write_both(
        "messages",
        "loses-stop-reason",
        "A stop that this wire cannot say.",
        _outcome(_HI, stop=Incomplete("max_messages")),
    ),
    *write_both(
        "messages",
        "loses-stop-details",
        "Details of a stop of another wire.",
        _outcome(_HI, stop=Incomplete("content_filter", {"category": "x"})),
    ),
    *write_both(
        "messages",
        "loses-zeros",
        "Counters that this wire needs and nobody reported are zeros.",
        _outcome(_HI, seen=Observation(None, "upstream-model", "up_1", Usage(None, 4), True)),
    ),
    *write_both("messages", "loses-counters", "No counters at all.", _outcome(_HI, seen=_BARE)),
    *write_both(
        "messages",
        "loses-custom-call",
        "A call with free text has no place here.",
        _outcome(CustomToolCall("call_1", "patch", "-x\n"), stop=ToolCalls()),
    ),
    write_stream(
        "messages",
        "loses-summary",
        "Reasoning and its summary share one place: what came first is shown.",
        [
            *_HEAD,
            ReasoningDelta("3 + 4", 0),
            ReasoningDelta("An addition.", 0, True),
            ItemCompleted(Reasoning("3 + 4"), 0),
            TurnCompleted(_outcome(Reasoning("3 + 4"))),
        ],
        accept=NEEDED,
    ),
    write_stream(
        "messages",
        "loses-order",
        "An item that comes behind one that stands after it.",
        [
            *_HEAD,
            TextDelta("there", 1),
            ItemCompleted(AssistantMessage((Text("there"),)), 1),
            TextDelta("Hi", 0),
            ItemCompleted(_HI, 0),
            TurnCompleted(_outcome(_HI, AssistantMessage((Text("there"),)))),
        ],
        accept=NEEDED,
    ),
]

_UPSTREAM = ResponseRefused(
    RefusalCode.REFUSED,
    "the server declined",
    dispatch=Dispatch.REJECTED,
    upstream=UpstreamError(
        "invalid_request_error", "unknown_parameter", "Unknown parameter: 'a'.", "a"
    ),
)
_MANY = RequestRefused(RefusalCode.UNSUPPORTED, "nobody published it", "messages[3].content[0].foo")
_MANY.others = (RequestRefused(RefusalCode.INVALID_REQUEST, "must be a string", "system"),)

_REFUSED = [
    write_stream(
        "messages",
        "refuses-custom-call",
        "Without leave the stream ends with an error.",
        [
            *_HEAD,
            TextDelta("Hi", 0),
            ItemCompleted(_HI, 0),
            ToolCallStarted("call_1", "patch", 1, True),
        ],
    ),
    write_stream(
        "messages",
        "refuses-contradiction",
        "An item that contradicts what was already sent of it.",
        [*_HEAD, TextDelta("Hi", 0), ItemCompleted(AssistantMessage((Text("Ho"),)), 0)],
    ),
    write_body(
        "messages",
        "refuses-stop-reason",
        "And a whole answer is refused.",
        _outcome(_HI, stop=Incomplete("max_messages")),
    ),
    write_body(
        "messages",
        "refuses-callers-item",
        "An item that only a caller writes.",
        _outcome(_HI, UserMessage((Text("Hello"),))),
    ),
    write_body(
        "messages",
        "refuses-arguments",
        "Arguments that are no object can never be written here.",
        _outcome(ToolCall("toolu_1", "look", '{"n": '), stop=ToolCalls()),
    ),
    write_body(
        "messages",
        "refuses-no-model",
        "No name of a model: neither given nor reported.",
        TurnOutcome(EndTurn(), (_HI,)),
        identity={"response_id": "resp_1", "created": 1_790_000_000},
    ),
    write_body(
        "messages",
        "reported-model",
        "The reported name where none is given.",
        _outcome(_HI),
        identity={"response_id": "resp_1", "created": 1_790_000_000},
    ),
    write_body(
        "messages",
        "limit-items",
        "More items than there may be.",
        _outcome(_HI, _HI),
        limits={"items": 1},
    ),
    write_stream(
        "messages",
        "failed-upstream",
        "A failure in the middle, with what the provider wrote.",
        [
            *_HEAD,
            TextDelta("Hi", 0),
            TurnFailed(
                ResponseRefused(
                    RefusalCode.UNAVAILABLE,
                    "the server failed",
                    dispatch=Dispatch.ACCEPTED,
                    upstream=UpstreamError("server_error", "server_is_overloaded", "Overloaded."),
                )
            ),
        ],
    ),
    *(
        write_error(
            "messages",
            f"kept-{kind.replace('_', '-')}",
            "A type of this wire that tells clients more than its class.",
            ResponseRefused(
                code,
                "the server failed",
                dispatch=Dispatch.UNKNOWN,
                upstream=UpstreamError(kind, None, "Sorry."),
            ),
        )
        for kind, code in (
            ("api_error", RefusalCode.UNAVAILABLE),
            ("timeout_error", RefusalCode.UNAVAILABLE),
            ("conflict_error", RefusalCode.REFUSED),
        )
    ),
    write_error("messages", "upstream", "What the provider wrote is passed on.", _UPSTREAM),
    write_error(
        "messages",
        "upstream-hidden",
        "What the provider wrote stays hidden on request.",
        _UPSTREAM,
        expose_upstream=False,
    ),
    write_error(
        "messages",
        "context-in-other-words",
        "A prompt that is too long is told in the words that clients of this wire read.",
        ResponseRefused(
            RefusalCode.CONTEXT_LENGTH,
            "the context window is full",
            dispatch=Dispatch.REJECTED,
            upstream=UpstreamError(
                "invalid_request_error",
                "context_length_exceeded",
                "This model's maximum context length is 8192 tokens. However, your messages"
                " resulted in 9000 tokens.",
            ),
        ),
    ),
    write_error("messages", "several", "Every refusal of a request, each with its place.", _MANY),
]

CASES: list[Declared] = [*_SAID, *_LOST, *_REFUSED]

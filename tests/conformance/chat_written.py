"""What a Chat answer leaves behind, by name, and where it is refused."""

from typing import Any

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
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
    MaxOutputTokens,
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
    Declared,
    write_body,
    write_both,
    write_error,
    write_stream,
)

__all__ = ["CASES"]

MESSAGES, RESPONSES = Protocol.MESSAGES, Protocol.RESPONSES
_ASK = UserMessage((Text("Hello"),))
_CALL = ToolCall("call_1", "look", '{"n":1}')
_SIGNED = Provenance(MESSAGES, "provider", "account", "endpoint", "model", "0" * 64)

_HEAD: list[Event] = [ResponseStarted("up_1", "upstream-model")]
_HI = AssistantMessage((Text("Hi"),))
_SEEN = Observation(None, "upstream-model", "up_1")


def _outcome(
    *items: Item, stop: Any = EndTurn(), seen: Observation = _SEEN, **more: Any
) -> TurnOutcome:
    return TurnOutcome(stop, items, seen, **more)


_ANSWERS = [
    *write_both(
        "chat",
        "loses-sealed",
        "Sealed reasoning of another wire, an item and a part of others.",
        _outcome(
            Opaque(_SIGNED, {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, "hm"),
            WireItem(RESPONSES, {"type": "web_search_call", "id": "ws_1"}),
            AssistantMessage((Text("Hi"), WirePart(MESSAGES, {"type": "wombat"}))),
        ),
    ),
    *write_both(
        "chat",
        "loses-kept-event",
        "An event that was kept because nobody knew it.",
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
        "chat",
        "loses-annotations",
        "Another vendor's citations.",
        _outcome(
            AssistantMessage(
                (Text("Hi", (Extension(MESSAGES, "messages.content.citations", {"type": "x"}),)),)
            )
        ),
    ),
    *write_both(
        "chat",
        "loses-order",
        "A text after a call: a message says it before.",
        _outcome(_CALL, _HI, stop=ToolCalls()),
    ),
    *write_both(
        "chat",
        "loses-merged",
        "Two texts and two refusals are one of each.",
        _outcome(
            AssistantMessage((Text("One."), Text("Two."))),
            AssistantMessage((RefusalText("No."), RefusalText("Never."))),
        ),
    ),
    *write_both(
        "chat",
        "loses-stop-details",
        "Details of a stop, and fields around another vendor's answer.",
        _outcome(
            _HI,
            stop=Incomplete("refusal", {"category": "x"}),
            extensions=(Extension(MESSAGES, "answer.container", {"id": "c1"}),),
        ),
    ),
    *write_both(
        "chat",
        "loses-stop-reason",
        "A stop that this wire cannot say.",
        _outcome(_HI, stop=Incomplete("pause_turn")),
    ),
    *write_both(
        "chat",
        "loses-stop-sequence",
        "Which sequence it was.",
        _outcome(_HI, stop=StopSequence("END")),
    ),
    *write_both(
        "chat",
        "loses-usage",
        "Counters without a total.",
        _outcome(
            _HI, seen=Observation(None, "upstream-model", "up_1", Usage(output_tokens=4), True)
        ),
    ),
    write_stream(
        "chat",
        "loses-custom-call",
        "A call with free text has no place in a chunk.",
        [
            *_HEAD,
            ToolCallStarted("call_1", "patch", 0, True),
            ToolArgumentsDelta("call_1", "-x\n", 0),
            ItemCompleted(CustomToolCall("call_1", "patch", "-x\n"), 0),
            TurnCompleted(_outcome(CustomToolCall("call_1", "patch", "-x\n"), stop=ToolCalls())),
        ],
        accept=NEEDED,
    ),
    write_stream(
        "chat",
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
        "chat",
        "loses-reasoning-after-its-summary",
        "The other way round.",
        [
            *_HEAD,
            ReasoningDelta("An addition.", 0, True),
            ReasoningDelta("3 + 4", 0),
            ItemCompleted(Reasoning("3 + 4"), 0),
            TurnCompleted(_outcome(Reasoning("3 + 4"))),
        ],
        accept=NEEDED,
    ),
    write_stream(
        "chat",
        "refuses-order",
        "Without leave the stream ends with an error.",
        [
            *_HEAD,
            ToolCallStarted("call_1", "look", 0),
            ToolArgumentsDelta("call_1", '{"n":1}', 0),
            ItemCompleted(_CALL, 0),
            TextDelta("Hi", 1),
        ],
    ),
    write_body(
        "chat",
        "refuses-stop-reason",
        "And the whole answer is refused.",
        _outcome(_HI, stop=Incomplete("pause_turn")),
    ),
    write_body(
        "chat",
        "refuses-callers-item",
        "An item that only a caller writes.",
        _outcome(_HI, _ASK),
    ),
    write_body(
        "chat",
        "refuses-no-model",
        "No name of a model: neither given nor reported.",
        TurnOutcome(EndTurn(), (_HI,)),
        identity={"response_id": "resp_1", "created": 1_790_000_000},
    ),
    write_body(
        "chat",
        "reported-model",
        "The reported name where none is given.",
        _outcome(_HI),
        identity={"response_id": "resp_1", "created": 1_790_000_000},
    ),
    write_stream(
        "chat",
        "no-usage-wanted",
        "Counters go out only to a client that asked for them.",
        [
            *_HEAD,
            TextDelta("Hi", 0),
            ItemCompleted(_HI, 0),
            TurnCompleted(
                _outcome(
                    _HI,
                    stop=MaxOutputTokens(),
                    seen=Observation(None, "m", "up_1", Usage(12, 4), True),
                )
            ),
        ],
        answer=AnswerShape(stream=True),
    ),
    write_stream(
        "chat",
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
    write_error(
        "chat",
        "upstream-hidden",
        "What the provider wrote stays hidden on request.",
        ResponseRefused(
            RefusalCode.REFUSED,
            "the server declined",
            dispatch=Dispatch.REJECTED,
            upstream=UpstreamError(
                "invalid_request_error", "unknown_parameter", "Unknown parameter: 'a'.", "a"
            ),
        ),
        expose_upstream=False,
    ),
    write_error(
        "chat",
        "upstream-param",
        "Its parameter is passed on.",
        ResponseRefused(
            RefusalCode.REFUSED,
            "the server declined",
            dispatch=Dispatch.REJECTED,
            upstream=UpstreamError(
                "invalid_request_error", "unknown_parameter", "Unknown parameter: 'a'.", "a"
            ),
        ),
    ),
]

CASES: list[Declared] = _ANSWERS

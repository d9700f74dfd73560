"""What a Chat answer cannot hold: refused, or lost by name."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.errors import RefusalCode, ResponseRefused
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.losses import AGENT_CLIENTS, HINTS, Loss
from llm_projections.model.outcome import (
    Incomplete,
    Observation,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    Usage,
)
from llm_projections.model.results import AnswerShape
from llm_projections.wires.chat.answer import (
    IngressStream,
    encode_ingress_answer,
)
from tests.wires.chat_answering import CALL, ELSEWHERE, TEXT, deltas, ended, unsaid, whole, written
from tests.wires.chat_answers import IDENTITY, SHAPE

NO = AssistantMessage((RefusalText("no"),))


# what this wire cannot hold


LOST: list[tuple[str, TurnOutcome]] = [
    ("answer.opaque", ended(Opaque(ELSEWHERE, {"type": "thinking"}, "hm"))),
    ("answer.wire_item", ended(WireItem(Protocol.RESPONSES, {"type": "web_search_call"}))),
    (
        "answer.kept_event",
        ended(
            WireItem(
                Protocol.RESPONSES,
                {},
                extensions=(Extension(Protocol.RESPONSES, "answer.kept_event", True),),
            )
        ),
    ),
    ("answer.wire_part", ended(AssistantMessage((WirePart(Protocol.MESSAGES, {}),)))),
    (
        "answer.annotations",
        ended(
            AssistantMessage(
                (Text("a", (Extension(Protocol.MESSAGES, "messages.content.citations", {}),)),)
            )
        ),
    ),
    ("answer.text.merged", ended(TEXT, TEXT)),
    ("answer.text.merged", ended(AssistantMessage((Text("a"), Text("b"))))),
    ("answer.text.merged", ended(NO, NO)),
    ("answer.text.merged", ended(AssistantMessage((RefusalText("a"), RefusalText("b"))))),
    ("answer.order", ended(CALL, TEXT)),
    ("answer.order", ended(CALL, NO)),
    ("answer.order", ended(TEXT, Reasoning("late"))),
    ("answer.stop_sequence", ended(TEXT, stop=StopSequence("x"))),
    ("answer.stop_details", ended(TEXT, stop=Incomplete("refusal", {"a": 1}))),
    ("answer.stop_reason", ended(TEXT, stop=Incomplete("pause_turn"))),
    (
        "answer.extensions",
        ended(TEXT, extensions=(Extension(Protocol.MESSAGES, "answer.container", {}),)),
    ),
    (
        "answer.stop_details",
        ended(TEXT, extensions=(Extension(Protocol.MESSAGES, "answer.stop_details", {}),)),
    ),
    ("answer.usage", ended(TEXT, observation=Observation(usage=Usage(output_tokens=1)))),
    (
        "answer.usage",
        ended(
            TEXT,
            observation=Observation(
                usage=Usage(
                    9, 1, 0, 5, reported={"cache_creation": {"ephemeral_5m_input_tokens": 5}}
                )
            ),
        ),
    ),
]


@pytest.mark.parametrize(("loss", "said"), LOST)
def test_what_this_wire_cannot_hold_is_refused_or_lost_by_name(
    loss: str, said: TurnOutcome
) -> None:
    """In the stream and in the whole body alike."""
    with pytest.raises(ResponseRefused) as error:
        encode_ingress_answer(said, IDENTITY)
    assert RefusalCode.UNSUPPORTED is unsaid(error).code
    assert "error" in written([TurnCompleted(said)])[-1]
    for losses in ([], []):
        losses = list[Loss]()
        encode_ingress_answer(said, IDENTITY, accept={loss}, losses=losses)
        assert {loss} == {lost.name for lost in losses}
    losses = list[Loss]()
    assert "[DONE]" == written([TurnCompleted(said)], accept={loss}, losses=losses)[-1]
    assert {loss} == {lost.name for lost in losses}


def test_a_custom_call_is_said_in_a_whole_answer_only() -> None:
    """The published chunk has no place for it."""
    call = CustomToolCall("call_1", "patch", "*** x")
    assert {
        "id": "call_1",
        "type": "custom",
        "custom": {"name": "patch", "input": "*** x"},
    } == whole(ended(call))["choices"][0]["message"]["tool_calls"][0]
    with pytest.raises(ResponseRefused):
        IngressStream(IDENTITY, SHAPE).encode(ToolCallStarted("call_1", "patch", 0, custom=True))
    made: list[Event] = [
        ToolCallStarted("call_1", "patch", 0, custom=True),
        ToolArgumentsDelta("call_1", "*** x", 0),
        ItemCompleted(call, 0),
        TurnCompleted(ended(call)),
    ]
    left = written(made, accept={"answer.custom_tool_call", "answer.stop_reason"})
    assert "stop" == left[-2]["choices"][0]["finish_reason"]
    refused = written(made, accept={"answer.custom_tool_call"})
    assert "answer.stop_reason" in refused[-1]["error"]["message"]


def test_one_family_of_reasoning_is_shown_for_an_item() -> None:
    """The one that came first; the other is lost by name, and nothing is doubled."""
    item = Reasoning("raw")
    made: list[Event] = [
        ReasoningDelta("sum", 0, summary=True),
        ReasoningDelta("raw", 0),
        ItemCompleted(item, 0),
        TurnCompleted(ended(item)),
    ]
    losses: list[Loss] = []
    told = deltas(written(made, accept=AGENT_CLIENTS, losses=losses))
    assert [{"reasoning_content": "sum"}] == told
    assert [Loss("answer.reasoning", "items[0]")] == losses


def test_an_item_that_only_a_caller_writes_is_refused() -> None:
    """Whatever was accepted."""
    with pytest.raises(ResponseRefused):
        encode_ingress_answer(ended(UserMessage((Text("x"),))), IDENTITY, accept=AGENT_CLIENTS)


def test_an_unknown_loss_is_a_mistake_of_the_caller() -> None:
    """A typing error accepts nothing."""
    with pytest.raises(ValueError, match="not the name of a loss"):
        IngressStream(IDENTITY, SHAPE, accept={"answer.reasonign"})


def test_the_hints_are_enough_for_counters_and_stops() -> None:
    """They change nothing that a model reads."""
    assert {"answer.usage", "answer.stop_sequence", "answer.extensions"} <= HINTS


@pytest.mark.parametrize("kind", [TextDelta, ReasoningDelta])
def test_items_that_are_said_in_turns_lose_their_order(kind: Any) -> None:
    """A message has one place for both, so that their words would run into each other unnoticed."""
    stream = IngressStream(IDENTITY, SHAPE, accept={"answer.text.merged"})
    stream.encode(kind("a", 0))
    stream.encode(kind("b", 1))
    with pytest.raises(ResponseRefused) as error:
        stream.encode(kind("c", 0))
    assert "items[0]" == unsaid(error).path
    assert "answer.order" in error.value.message


def test_text_that_goes_on_beside_other_items_keeps_its_place() -> None:
    """Calls and reasoning have places of their own, so that nothing runs together."""
    stream = IngressStream(IDENTITY, SHAPE)
    stream.encode(ReasoningDelta("h", 0))
    stream.encode(TextDelta("a", 1))
    stream.encode(ReasoningDelta("m", 0))
    stream.encode(ToolCallStarted("call_1", "read", 2))
    assert stream.encode(TextDelta("b", 1))
    assert [] == stream.losses


def test_a_refused_first_event_leaves_the_head_to_the_next() -> None:
    """Nothing of it was sent, so that a client still reads who answers first."""
    stream = IngressStream(IDENTITY, SHAPE)
    with pytest.raises(ResponseRefused):
        stream.encode(TextDelta("\ud83d", 0))
    plain = IngressStream(IDENTITY, SHAPE)
    assert plain.encode(TextDelta("a", 1)) == stream.encode(TextDelta("a", 1))


def test_an_item_that_began_before_its_neighbour_loses_its_order() -> None:
    """The message would say the later one first."""
    stream = IngressStream(IDENTITY, SHAPE, accept={"answer.text.merged"})
    stream.encode(TextDelta("b", 1))
    with pytest.raises(ResponseRefused) as error:
        stream.encode(TextDelta("a", 0))
    assert "answer.order" in unsaid(error).message


def test_an_outcome_tells_its_items_by_what_was_shown_of_them() -> None:
    """Deltas alone say which kind of item they began; nothing is said twice."""
    called: dict[str, Any] = {"function_call": {"name": "f", "arguments": "{}"}}
    legacy = WireItem(Protocol.CHAT, called, role="call")
    made: list[Event] = [
        ReasoningDelta("hm", 1),
        TurnCompleted(ended(legacy, Reasoning("hm"), stop=ToolCalls())),
    ]
    assert [{"reasoning_content": "hm"}, called] == deltas(written(made, AnswerShape(stream=True)))

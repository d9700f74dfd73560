"""Outcomes and events that hold something else than their types say, through every encoder of answers."""

# pyright: reportArgumentType=false
# what the types forbid is what is tested

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from llm_projections import (
    Dispatch,
    Protocol,
    ResponseRefused,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    UsageReported,
    wire,
)
from llm_projections.model.events import Event, ItemCompleted, ReasoningDelta, RefusalDelta
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Opaque,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
)
from llm_projections.model.losses import NAMES
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    Observation,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    Usage,
    Warning,
)
from llm_projections.model.soundness import is_sound
from tests.everything import BINDINGS, IDENTITY, SEALED, SHAPE
from tests.wrong import OTHERS, places, put

SEEN = Observation(None, "m", "id", Usage(5, 4, 3, 2, 1, {"a": 1}), True)
USUAL = [
    ResponseStarted("id", "m"),
    TextDelta("x", 0),
    ReasoningDelta("x", 1),
    RefusalDelta("x", 2),
    ToolCallStarted("c", "f", 3),
    ToolArgumentsDelta("c", "{}", 3),
    UsageReported(Usage(1, 1, 0, 0, 0)),
    Warning("c", "m"),
]


def outcomes(protocol: Protocol) -> list[TurnOutcome]:
    cited = Extension(protocol, "messages.content.citations", {})
    said = (AssistantMessage((Text("a"),)),)
    sealed: tuple[Any, ...] = (Opaque(BINDINGS[protocol].provenance, SEALED[protocol], "r"),)
    items = (
        AssistantMessage((Text("a", (cited,)), RefusalText("no"))),
        Reasoning("t"),
        ToolCall("c1", "f", '{"a":1}'),
        *(() if protocol is Protocol.CHAT else sealed),
    )
    extensions = (Extension(protocol, "answer.x", 1),)
    return [
        TurnOutcome(ToolCalls(), items, SEEN, (Warning("c", "m"),), extensions),
        TurnOutcome(EndTurn(), said, SEEN),
        TurnOutcome(StopSequence("x"), said, SEEN),
        TurnOutcome(Incomplete("content_filter", {"a": 1}), said, SEEN),
    ]


def shown(protocol: Protocol, outcome: TurnOutcome, items: Any) -> list[bytes]:
    """An outcome as a stream of its items and itself."""
    stream = wire(protocol).IngressStream(IDENTITY, SHAPE, accept=NAMES)
    told: list[Event] = [ItemCompleted(item, index) for index, item in enumerate(items)]
    return [stream.encode(event) for event in (USUAL[0], *told, TurnCompleted(outcome))]


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_whatever_stands_in_an_outcome_is_refused(protocol: Protocol) -> None:
    """Whole and streamed, accepted by nobody: only what is sound is written."""
    jobs = wire(protocol)
    told: Counter[bool] = Counter()
    for at, outcome in enumerate(outcomes(protocol)):
        for step, place in enumerate(places(outcome)):
            for other in OTHERS[(at + step) % 3 :: 3]:
                wrong = put(outcome, place, other)
                sound = is_sound(wrong, TurnOutcome)
                items = wrong.items if isinstance(wrong.items, tuple) else outcome.items
                for run in (
                    lambda w=wrong: jobs.encode_ingress_answer(w, IDENTITY, SHAPE, accept=NAMES),
                    lambda w=wrong, i=items: shown(protocol, w, i),
                ):
                    try:
                        run()
                    except ResponseRefused:
                        continue
                    assert sound, (place, other)
                    told[sound] += 1
    assert told[True] > 150


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_whatever_stands_in_an_event_is_refused_or_of_no_account(protocol: Protocol) -> None:
    """An index may be any name of an item, and an empty thing says nothing; the stream stays open."""
    for at, event in enumerate(USUAL):
        for place in places(event):
            for other in OTHERS:
                stream = wire(protocol).IngressStream(IDENTITY, SHAPE, accept=NAMES)
                for before in USUAL[: at if at == 5 else 1]:
                    stream.encode(before)
                wrong = put(event, place, other)
                try:
                    data = stream.encode(wrong)
                except ResponseRefused as error:
                    assert Dispatch.ACCEPTED is error.dispatch  # noqa: PT017  either way is right
                    assert not stream.done
                    continue
                # an index only tells items apart, as an id does in arguments
                unwritten = place[0] in ("index", "summary") or (at, place[0]) == (5, "call_id")
                assert is_sound(wrong, type(wrong)) or unwritten or not (other and data)
                assert b"<" not in data


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_what_is_something_else_is_told_by_its_place(protocol: Protocol) -> None:
    """Of an outcome, and of an event; never its value."""
    jobs = wire(protocol)
    items: Any = (AssistantMessage((Text("a"),)), ToolCall("c", "f", {"secret": 1}))
    outcome = TurnOutcome(ToolCalls(), items, SEEN)
    stream = jobs.IngressStream(IDENTITY, SHAPE)
    delta: Any = TextDelta(5, 0)
    for path, run in (
        ("items[1].arguments", lambda: jobs.encode_ingress_answer(outcome, IDENTITY, SHAPE)),
        ("items[1].arguments", lambda: stream.encode(TurnCompleted(outcome))),
        ("item.arguments", lambda: stream.encode(ItemCompleted(items[1], 1))),
        ("text", lambda: stream.encode(delta)),
    ):
        with pytest.raises(ResponseRefused) as caught:
            run()
        assert (path, "must be text") == (caught.value.path, caught.value.message)
        assert "secret" not in f"{caught.value!r}{caught.value}"
    assert not stream.done


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_what_is_no_event_is_a_misuse(protocol: Protocol) -> None:
    """A TypeError, as is what is no outcome."""
    jobs = wire(protocol)
    with pytest.raises(TypeError, match="not an event"):
        jobs.IngressStream(IDENTITY, SHAPE).encode("hi")
    with pytest.raises(TypeError, match="not an outcome"):
        jobs.encode_ingress_answer("hi", IDENTITY, SHAPE)

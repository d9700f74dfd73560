"""Deltas that are written a row at a time are the bytes that each of them is alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections import AGENT_CLIENTS, AnswerShape, Protocol, ResponseRefused, wire
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
)
from tests.bench.streams import KINDS, STREAMS
from tests.everything import IDENTITY, binding_of

PAIRS = [(client, server) for client in Protocol for server in Protocol]
SHAPES = [AnswerShape(stream=True), AnswerShape(stream=True, reasoning_display="omitted")]


def alone(client: Protocol, events: list[Event], shape: AnswerShape) -> tuple[bytes, Any]:
    """Each event by itself, up to one that is refused."""
    stream, made = wire(client).IngressStream(IDENTITY, shape, accept=AGENT_CLIENTS), b""
    try:
        for event in events:
            made += stream.encode(event)
    except ResponseRefused as error:
        return made, (error.message, error.path, tuple(stream.losses))
    return made, tuple(stream.losses)


def in_a_row(client: Protocol, events: list[Event], shape: AnswerShape) -> tuple[bytes, Any]:
    """All of them at once."""
    stream = wire(client).IngressStream(IDENTITY, shape, accept=AGENT_CLIENTS)
    made: list[bytes] = []
    try:
        stream.encode_row(events, made)
    except ResponseRefused as error:
        return b"".join(made), (error.message, error.path, tuple(stream.losses))
    return b"".join(made), tuple(stream.losses)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_a_whole_answer_is_written_the_same(client: Protocol, server: Protocol, kind: str) -> None:
    """Text, calls and reasoning, of every wire for every wire."""
    chunk = b"".join(STREAMS[server.name.lower()](kind, 120))
    events = wire(server).StreamDecoder(binding_of(server)).feed(chunk)
    assert len(events) > 120
    for shape in SHAPES:
        assert alone(client, events, shape) == in_a_row(client, events, shape)


TEXTS = st.text(st.sampled_from('a\\",0{}\n\u2028\x85é🙂'), max_size=5) | st.sampled_from(
    ["", ",0,", '",0,"', "\\", "\\\\", '\\",0,"', "a\ud800"]
)
DELTAS = st.one_of(
    st.builds(TextDelta, TEXTS, st.sampled_from((0, 3))),
    st.builds(ReasoningDelta, TEXTS, st.just(1), st.booleans()),
    st.builds(ToolArgumentsDelta, st.just("call_a"), TEXTS, st.just(2)),
)


@pytest.mark.parametrize("client", list(Protocol))
@given(runs=st.lists(st.tuples(DELTAS, st.lists(TEXTS, max_size=9)), max_size=4))
def test_any_deltas_are_written_the_same(client: Protocol, runs: list[Any]) -> None:
    """Whatever their texts are: empty, what looks like a joint, or what no JSON holds."""
    events: list[Event] = [ResponseStarted("r", "m"), ToolCallStarted("call_a", "look", 2)]
    for first, texts in runs:
        events.append(first)
        for text in texts:
            match first:
                case TextDelta():
                    events.append(TextDelta(text, first.index))
                case ReasoningDelta():
                    events.append(ReasoningDelta(text, first.index, first.summary))
                case _:
                    events.append(ToolArgumentsDelta("call_a", text, first.index))
    for shape in SHAPES:
        assert alone(client, events, shape) == in_a_row(client, events, shape)

"""The loops around a decoder: every event, and no more input than it takes."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from llm_projections import (
    CROSS_VENDOR,
    Identity,
    Limits,
    Loss,
    Protocol,
    TurnFailed,
    TurnRequest,
)
from llm_projections.model.events import Event, TurnCompleted
from llm_projections.wires import WIRES
from llm_projections.wires._driving import drive_async
from tests.everything import BINDINGS, MODEL
from tests.helpers import by_event, chunked
from tests.relay.gateway import answer
from tests.wires.tiny import ANSWER, BINDING, Tiny, decode


def test_the_rest_of_the_input_is_not_asked_for():
    """A driver stops at the terminal event."""

    def chunks():
        yield ANSWER
        raise AssertionError("asked for more")

    assert isinstance(decode(chunks())[-1], TurnCompleted)


@pytest.mark.parametrize("data", [ANSWER, ANSWER[:-20], b'{"said": "hello"}'])
def test_an_asynchronous_driver_gives_the_same_events(data):
    """Under any event loop; the rest of the input is not asked for."""

    async def chunks() -> AsyncIterator[bytes]:
        for chunk in chunked(data, 7):
            yield chunk

    async def collected() -> list[Event]:
        return [event async for event in drive_async(Tiny(BINDING), chunks())]

    assert decode([data]) == asyncio.run(collected())


def test_an_asynchronous_driver_asks_for_no_more_either():
    """After the terminal event."""

    async def chunks() -> AsyncIterator[bytes]:
        yield ANSWER
        raise AssertionError("asked for more")

    async def collected() -> list[Event]:
        return [event async for event in drive_async(Tiny(BINDING), chunks())]

    assert isinstance(asyncio.run(collected())[-1], TurnCompleted)


def read(protocol: Protocol, data: bytes, **options: Any) -> list[Event]:
    """The events, which are the same for both kinds of input."""
    jobs, binding = WIRES[protocol], BINDINGS[protocol]

    async def chunks() -> AsyncIterator[bytes]:
        for chunk in by_event(data):
            yield chunk

    async def collected() -> list[Event]:
        return [event async for event in jobs.adecode_stream(chunks(), binding, **options)]

    events = list(jobs.decode_stream(by_event(data), binding, **options))
    assert events == asyncio.run(collected())
    return events


@pytest.mark.parametrize("protocol", list(Protocol))
def test_every_option_reaches_the_decoder(protocol: Protocol) -> None:
    """Limits, raw frames, what becomes of bad arguments, and the request."""
    good = answer(protocol, calls=[("c", "look", "{}")])
    last = read(protocol, good, limits=Limits(stream_bytes=len(good) // 2))[-1]
    assert isinstance(last, TurnFailed)
    assert "TOO_LARGE" == last.error.code
    broken: Any = read(protocol, answer(protocol, end=False), keep_raw=True)[-1]
    assert broken.error.partial.raw
    bad = answer(protocol, calls=[("c", "look", "{nope")])
    assert isinstance(read(protocol, bad)[-1], TurnFailed)
    kept: Any = read(protocol, bad, invalid_arguments="keep")[-1]
    assert "{nope" == kept.outcome.items[-1].arguments
    told: Any = read(protocol, good, request=TurnRequest(MODEL, ()))[-1]
    assert "unpublished-tool" in [warning.code for warning in told.outcome.warnings]


def write(
    protocol: Protocol, events: Iterable[Event], losses: list[Loss], **options: Any
) -> list[bytes]:
    """The pieces of an answer, which are the same for both kinds of events."""
    jobs, identity = WIRES[protocol], Identity("resp_1", 0, "m")
    given, again = list(events), list[Loss]()

    async def said() -> AsyncIterator[Event]:
        for event in given:
            yield event

    async def collected() -> list[bytes]:
        stream = jobs.aencode_ingress_stream(said(), identity, losses=again, **options)
        return [piece async for piece in stream]

    pieces = list(jobs.encode_ingress_stream(given, identity, losses=losses, **options))
    assert pieces == asyncio.run(collected())
    assert losses == again
    return pieces


@pytest.mark.parametrize("protocol", list(Protocol))
def test_every_option_reaches_the_encoder(protocol: Protocol) -> None:
    """What may be lost, and the list of what was."""
    other = Protocol.RESPONSES if protocol is Protocol.MESSAGES else Protocol.MESSAGES
    events = read(other, answer(other, sealed=True))
    losses: list[Loss] = []
    refused = read(protocol, b"".join(write(protocol, events, losses)))
    assert isinstance(refused[-1], TurnFailed)
    assert [] == losses
    shown = read(protocol, b"".join(write(protocol, events, losses, accept=CROSS_VENDOR)))
    assert isinstance(shown[-1], TurnCompleted)
    assert "answer.opaque" in {loss.name for loss in losses}

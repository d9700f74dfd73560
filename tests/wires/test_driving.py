"""The loops around a decoder: every event, and no more input than it takes."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from llm_projections.model.events import Event, TurnCompleted
from llm_projections.wires._driving import drive_async
from tests.helpers import chunked
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

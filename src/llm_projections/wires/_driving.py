"""Chunks to events: the loops around a decoder."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from llm_projections.model.events import Event
from llm_projections.wires._streams import BaseDecoder

__all__ = ["drive", "drive_async"]


def drive(decoder: BaseDecoder, chunks: Iterable[bytes]) -> Iterator[Event]:
    """Every event of a stream. The rest of the input is not asked for after the terminal one."""
    for chunk in chunks:
        yield from decoder.feed(chunk)
        if decoder.done:
            return
    yield from decoder.close()


async def drive_async(decoder: BaseDecoder, chunks: AsyncIterable[bytes]) -> AsyncIterator[Event]:
    """`drive` for an asynchronous input, under any event loop."""
    async for chunk in chunks:
        for event in decoder.feed(chunk):
            yield event
        if decoder.done:
            return
    for event in decoder.close():
        yield event

"""Answer bytes of the Messages wire to neutral events and outcomes."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Literal

from llm_projections.model.binding import Binding
from llm_projections.model.events import Event
from llm_projections.model.limits import Limits
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._driving import drive, drive_async
from llm_projections.wires.messages.decode.stream import StreamDecoder, decode_response

__all__ = ["StreamDecoder", "adecode_stream", "decode_response", "decode_stream"]


def decode_stream(
    chunks: Iterable[bytes],
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits = Limits(),
    keep_raw: bool = False,
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> Iterator[Event]:
    """The events of a streamed answer, cut anywhere; the last one, and no other, is terminal.

    Raises nothing for what the server sent: a stream that cannot be read ends in `TurnFailed`. `invalid_arguments`
    says what becomes of a call whose arguments are no JSON object.
    """
    decoder = StreamDecoder(
        binding,
        request=request,
        limits=limits,
        keep_raw=keep_raw,
        invalid_arguments=invalid_arguments,
    )
    return drive(decoder, chunks)


def adecode_stream(
    chunks: AsyncIterable[bytes],
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits = Limits(),
    keep_raw: bool = False,
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> AsyncIterator[Event]:
    """`decode_stream` for asynchronous input, under any event loop."""
    decoder = StreamDecoder(
        binding,
        request=request,
        limits=limits,
        keep_raw=keep_raw,
        invalid_arguments=invalid_arguments,
    )
    return drive_async(decoder, chunks)

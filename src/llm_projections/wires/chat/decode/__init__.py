"""Answer bytes of this wire to events and outcomes."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Literal

from llm_projections.model.binding import Binding
from llm_projections.model.events import Event
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._driving import drive, drive_async
from llm_projections.wires.chat.decode.stream import StreamDecoder, WholeDecoder

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
    """The events of one streamed answer, the last of them terminal.

    What the peer sent never raises: a refused stream ends with `TurnFailed`.
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
    """`decode_stream` for asynchronous chunks, under any event loop."""
    decoder = StreamDecoder(
        binding,
        request=request,
        limits=limits,
        keep_raw=keep_raw,
        invalid_arguments=invalid_arguments,
    )
    return drive_async(decoder, chunks)


def decode_response(
    body: bytes,
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits = Limits(),
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> TurnOutcome:
    """The outcome of an answer that was not streamed.

    Raises `ResponseRefused` for a body that is no answer of this wire, contradicts itself or reports an error; what was
    read before stands in its `partial`.
    """
    decoder = WholeDecoder(
        binding, request=request, limits=limits, invalid_arguments=invalid_arguments
    )
    return decoder.read(body)

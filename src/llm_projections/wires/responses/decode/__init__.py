"""Responses answers to neutral events and outcomes."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Literal

from llm_projections.model.binding import Binding
from llm_projections.model.events import Event
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._driving import drive, drive_async
from llm_projections.wires.responses.decode.stream import StreamDecoder

__all__ = ["StreamDecoder", "adecode_stream", "decode_response", "decode_stream"]


def decode_stream(
    chunks: Iterable[bytes],
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits | None = None,
    keep_raw: bool = False,
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> Iterator[Event]:
    """The events of a streamed answer, cut anywhere; the last one, and no other, is terminal.

    Raises nothing for what the server sent: a stream that cannot be read ends in `TurnFailed`. `invalid_arguments`
    says what becomes of a call whose arguments are not JSON; `keep_raw` puts the payloads into `PartialOutcome.raw`.
    """
    return drive(
        StreamDecoder(
            binding,
            request=request,
            limits=limits,
            keep_raw=keep_raw,
            invalid_arguments=invalid_arguments,
        ),
        chunks,
    )


def adecode_stream(
    chunks: AsyncIterable[bytes],
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits | None = None,
    keep_raw: bool = False,
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> AsyncIterator[Event]:
    """`decode_stream` for an asynchronous input, under any event loop."""
    return drive_async(
        StreamDecoder(
            binding,
            request=request,
            limits=limits,
            keep_raw=keep_raw,
            invalid_arguments=invalid_arguments,
        ),
        chunks,
    )


def decode_response(
    body: bytes,
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits | None = None,
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> TurnOutcome:
    """The outcome of an answer that was not streamed.

    Raises `ResponseRefused`: PROTOCOL for a body that is no response, is not finished or contradicts itself or
    `request`; TOO_LARGE past `limits`; and the class of its error for one that failed.
    """
    decoder = StreamDecoder(
        binding, request=request, limits=limits, invalid_arguments=invalid_arguments
    )
    return decoder.read_whole(body)

"""The jobs whose wire a binding names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.events import Event
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import Projection
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import wire
from llm_projections.wires._fragments import FragmentCache

__all__ = ["decode_stream", "encode_request", "project_request"]


def project_request(
    request: TurnRequest,
    binding: Binding,
    *,
    stream: bool = True,
    accept: Collection[str] = (),
    conversation: Conversation | None = None,
    limits: Limits = Limits(),
) -> Projection:
    """The request body for `binding`, as an object, and what was left out. Raises `RequestRefused`."""
    projection: Projection = wire(binding.protocol).project_request(
        request, binding, stream=stream, accept=accept, conversation=conversation, limits=limits
    )
    return projection


def encode_request(
    request: TurnRequest,
    binding: Binding,
    *,
    stream: bool = True,
    accept: Collection[str] = (),
    conversation: Conversation | None = None,
    fragments: FragmentCache | None = None,
    limits: Limits = Limits(),
    losses: list[Loss] | None = None,
) -> bytes:
    """The exact bytes of the request body for `binding`. Raises `RequestRefused`."""
    return wire(binding.protocol).encode_request(
        request,
        binding,
        stream=stream,
        accept=accept,
        conversation=conversation,
        fragments=fragments,
        limits=limits,
        losses=losses,
    )


def decode_stream(
    chunks: Iterable[bytes],
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits = Limits(),
    keep_raw: bool = False,
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> Iterator[Event]:
    """The events of one streamed answer; the last one is terminal. Raises nothing for what the server sent."""
    events: Iterator[Event] = wire(binding.protocol).decode_stream(
        chunks,
        binding,
        request=request,
        limits=limits,
        keep_raw=keep_raw,
        invalid_arguments=invalid_arguments,
    )
    return events

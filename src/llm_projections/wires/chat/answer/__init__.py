"""Events and outcomes to the answer bytes of this wire."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterable, Iterator

from llm_projections.model.binding import Identity
from llm_projections.model.events import Event
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import AnswerShape
from llm_projections.wires._answers import write_events, write_events_async
from llm_projections.wires.chat.answer.stream import IngressStream
from llm_projections.wires.chat.answer.whole import encode_ingress_answer

__all__ = [
    "IngressStream",
    "aencode_ingress_stream",
    "encode_ingress_answer",
    "encode_ingress_completion",
    "encode_ingress_stream",
]

_STREAMED = AnswerShape(stream=True)

encode_ingress_completion = encode_ingress_answer


def encode_ingress_stream(
    events: Iterable[Event],
    identity: Identity,
    answer: AnswerShape = _STREAMED,
    *,
    accept: Collection[str] = (),
    limits: Limits = Limits(),
    losses: list[Loss] | None = None,
) -> Iterator[bytes]:
    """The bytes of a streamed answer, event by event.

    What this wire cannot hold, and nobody accepted to lose, ends the stream with an error chunk. Raises `ValueError`
    for an unknown loss. Accepted losses are appended to `losses`.
    """
    stream = IngressStream(identity, answer, accept=accept, limits=limits, losses=losses)
    return write_events(stream, events)


def aencode_ingress_stream(
    events: AsyncIterable[Event],
    identity: Identity,
    answer: AnswerShape = _STREAMED,
    *,
    accept: Collection[str] = (),
    limits: Limits = Limits(),
    losses: list[Loss] | None = None,
) -> AsyncIterator[bytes]:
    """`encode_ingress_stream` for asynchronous events, under any event loop."""
    stream = IngressStream(identity, answer, accept=accept, limits=limits, losses=losses)
    return write_events_async(stream, events)

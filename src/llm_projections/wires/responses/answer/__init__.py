"""Neutral events and outcomes to Responses answers."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterable, Iterator
from typing import Any

from llm_projections import _json
from llm_projections.model.binding import Identity
from llm_projections.model.events import Event
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.results import AnswerShape
from llm_projections.wires._answers import (
    AnswerLosses,
    refuse_unsound,
    unsayable,
    unwritable,
    write_events,
    write_events_async,
)
from llm_projections.wires.responses.answer.items import (
    Ids,
    is_kept_event,
    kind_of,
    too_many_items,
    write_item,
)
from llm_projections.wires.responses.answer.response import (
    ending,
    extend,
    response_body,
    usage_body,
)
from llm_projections.wires.responses.answer.stream import IngressStream

__all__ = [
    "IngressStream",
    "aencode_ingress_stream",
    "encode_ingress_answer",
    "encode_ingress_response",
    "encode_ingress_stream",
]


def encode_ingress_stream(
    events: Iterable[Event],
    identity: Identity,
    answer: AnswerShape | None = None,
    *,
    accept: Collection[str] = (),
    limits: Limits | None = None,
    losses: list[Loss] | None = None,
) -> Iterator[bytes]:
    """The bytes of a streamed answer, one piece for each event that shows something.

    What this wire cannot hold ends the stream with `response.failed`, unless its loss is in `accept`; then it is left
    out and appended to `losses`. Raises `ValueError` for a name in `accept` that is no loss.

    Source: `ResponseStreamEvent` of openai 3.57.0, read 2026-11-30.
    """
    stream = IngressStream(identity, answer, accept=accept, limits=limits, losses=losses)
    return write_events(stream, events)


def aencode_ingress_stream(
    events: AsyncIterable[Event],
    identity: Identity,
    answer: AnswerShape | None = None,
    *,
    accept: Collection[str] = (),
    limits: Limits | None = None,
    losses: list[Loss] | None = None,
) -> AsyncIterator[bytes]:
    """`encode_ingress_stream` for asynchronous events, under any event loop."""
    stream = IngressStream(identity, answer, accept=accept, limits=limits, losses=losses)
    return write_events_async(stream, events)


def encode_ingress_answer(
    outcome: TurnOutcome,
    identity: Identity,
    answer: AnswerShape | None = None,
    *,
    accept: Collection[str] = (),
    limits: Limits | None = None,
    losses: list[Loss] | None = None,
) -> bytes:
    """The response object of an answer that is not streamed.

    Raises `ResponseRefused` (ACCEPTED): UNSUPPORTED for what this wire cannot hold and for a model that nobody named,
    TOO_LARGE past `limits`; `ValueError` for an unknown name in `accept`. Accepted losses are appended to `losses`.
    """
    told = AnswerLosses(accept, losses)
    refuse_unsound(outcome)
    if len(outcome.items) > (Limits() if limits is None else limits).items:
        raise too_many_items()
    model = identity.model or outcome.observation.upstream_model
    if model is None:
        raise unsayable("neither the caller nor the server named the model", "model")
    ids = Ids(identity)
    output: list[dict[str, Any]] = []
    for index, item in enumerate(outcome.items):
        path = f"items[{index}]"
        if is_kept_event(item):
            told.lose("answer.kept_event", path)
            continue
        written = write_item(item, path, told)
        if written is not None:
            name = ids.name(kind_of(written.body), index, written.own_id)
            output.append(written.named(name))
    status, details = ending(outcome.stop, told)
    usage = usage_body(outcome.observation, told)
    echo = (AnswerShape() if answer is None else answer).echo
    body = response_body(
        identity, model, echo, status, output, incomplete_details=details, usage=usage
    )
    extend(body, outcome.extensions, told)
    try:
        return _json.dumps(body)
    except _json.JsonError as error:
        raise unwritable(error, error.path) from None


encode_ingress_response = encode_ingress_answer

"""One recorded exchange, read: for tracing, recording and billing.

Rules:
1. It never raises for content: a request that cannot be read does not stop the answer from being
   decoded, and an answer that ends early gives what stands and its raw frames.
2. Bodies are as HTTP carried them without their content coding: undoing gzip, deflate, br or zstd
   is the caller's business, as are clocks.
3. Without a binding, opaque state stays unattributed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve

from llm_projections._values import field, frozen
from llm_projections.errors import Refusal, RequestRefused, ResponseRefused
from llm_projections.model.binding import Anonymous, Binding, Capabilities
from llm_projections.model.dialect import Dialect
from llm_projections.model.events import TurnCompleted, TurnFailed
from llm_projections.model.items import Item, Opaque, UnattributedOpaque
from llm_projections.model.limits import Limits
from llm_projections.model.losses import AGENT_CLIENTS, Loss
from llm_projections.model.outcome import (
    Observation,
    PartialOutcome,
    TurnOutcome,
    Usage,
    Warning,
)
from llm_projections.model.results import AnswerShape
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import Wire, wire_for_path
from llm_projections.wires._waiting import Headers, pairs

__all__ = ["Exchange", "read_exchange"]


@frozen
class Exchange:
    """What one request asked and what its answer said.

    `request` or `request_error` is set; `outcome` or `error` is, and with `error` `partial` where anything was
    decoded. `usage` is on the one scale of all wires. `raw` holds the answer's payloads whenever no terminal success
    came, or its bytes where they are no payloads, up to `Limits.raw_bytes`.
    """

    request: TurnRequest | None
    request_error: RequestRefused | None
    answer: AnswerShape | None
    outcome: TurnOutcome | None
    partial: PartialOutcome | None
    error: Refusal | None
    usage: Usage | None
    losses: tuple[Loss, ...] = ()
    warnings: tuple[Warning, ...] = ()
    raw: tuple[bytes, ...] = field(default=(), repr=False)


def read_exchange(
    path: str,
    request_body: bytes,
    status: int,
    response_headers: Headers,
    chunks: Iterable[bytes],
    *,
    request_headers: Headers = (),
    binding: Binding | None = None,
    accept: Collection[str] = AGENT_CLIENTS,
    limits: Limits | None = None,
) -> Exchange:
    """Read one exchange of any of the three wires; `path` is the request's.

    Raises `RequestRefused` (NOT_FOUND) for the path of no wire, and nothing for any content.
    """
    record = wire_for_path(path)
    bounds = Limits() if limits is None else limits
    request: TurnRequest | None = None
    answer: AnswerShape | None = None
    losses: tuple[Loss, ...] = ()
    request_error: RequestRefused | None = None
    try:
        ingested = record.ingest_request(
            request_body, headers=pairs(request_headers), accept=accept, limits=bounds
        )
        request, answer, losses = ingested.request, ingested.answer, ingested.losses
    except RequestRefused as error:
        request_error = error
    read = _Answer(record, _stand_in(record) if binding is None else binding, bounds)
    read.take(status, pairs(response_headers), chunks)
    outcome, partial = read.outcome, read.partial
    if binding is None:
        outcome = None if outcome is None else _unattributed_outcome(outcome)
        partial = None if partial is None else _unattributed_partial(partial)
    said = outcome or partial
    failure = read.error
    if partial is not None and isinstance(failure, ResponseRefused):
        failure = failure.carrying(partial)
    return Exchange(
        request,
        request_error,
        answer,
        outcome,
        partial,
        failure,
        said.observation.usage if said is not None else None,
        losses,
        said.warnings if said is not None else (),
        () if outcome is not None else tuple(read.raw),
    )


class _Answer:
    """The answer of one exchange."""

    def __init__(self, record: Wire, binding: Binding, limits: Limits) -> None:
        self.record = record
        self.binding = binding
        self.limits = limits
        self.outcome: TurnOutcome | None = None
        self.error: Refusal | None = None
        self.partial: PartialOutcome | None = None
        self.raw: list[bytes] = []

    def take(
        self, status: int, headers: tuple[tuple[str, str], ...], chunks: Iterable[bytes]
    ) -> None:
        if not 200 <= status < 300:
            body = self._whole(chunks)
            self.raw.append(body)
            self.error = self.record.decode_error(status, headers, body, self.binding)
            return
        # a stream and a whole body are told apart by their first bytes, whatever the headers say
        decoder = self.record.StreamDecoder(self.binding, limits=self.limits, keep_raw=True)
        seen = bytearray()
        for chunk in chunks:
            seen += chunk[: max(self.limits.raw_bytes - len(seen), 0)]
            self._end(decoder.feed(chunk))
            if decoder.done:
                break
        self._end(decoder.close())
        if self.outcome is None:
            # what is neither events nor JSON has no payloads, and is kept as it came
            self.raw.extend(decoder.snapshot().raw or ([bytes(seen)] if seen else []))

    def _end(self, events: Iterable[object]) -> None:
        for event in events:
            if isinstance(event, TurnCompleted):
                self.outcome = event.outcome
            elif isinstance(event, TurnFailed):
                self.error = event.error
                if isinstance(event.error, ResponseRefused):
                    self.partial = event.error.partial

    def _whole(self, chunks: Iterable[bytes]) -> bytes:
        body = bytearray()
        for chunk in chunks:
            body += chunk[: max(self.limits.raw_bytes - len(body), 0)]
        return bytes(body)


def _stand_in(record: Wire) -> Binding:
    """A binding for decoding alone; nothing of it is left in the result."""
    return Binding(
        record.protocol,
        "",
        "",
        "",
        "",
        "",
        "/",
        Anonymous(),
        Capabilities.all(),
        Dialect(answers_whole=True, answers_stream=True, derive_call_ids=True),
    )


def _unattributed(item: Item) -> Item:
    if isinstance(item, Opaque):
        return UnattributedOpaque(item.protocol, item.payload, item.text, item.extensions)
    if any(extension.provenance is not None for extension in item.extensions):
        extensions = tuple(evolve(each, provenance=None) for each in item.extensions)
        return evolve(item, extensions=extensions)
    return item


def _nobody(observation: Observation) -> Observation:
    return evolve(observation, provenance=None)


def _unattributed_outcome(outcome: TurnOutcome) -> TurnOutcome:
    return evolve(
        outcome,
        items=tuple(map(_unattributed, outcome.items)),
        observation=_nobody(outcome.observation),
    )


def _unattributed_partial(partial: PartialOutcome) -> PartialOutcome:
    return evolve(
        partial,
        items=tuple(map(_unattributed, partial.items)),
        observation=_nobody(partial.observation),
    )

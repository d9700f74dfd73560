"""What the inputs of cases are declared with: one function a job, neutral values and bytes as Python has them.

`tools/spec_cases.py` writes a file for each that has none, with the facts that the library gave once; a person reads
them. From then on the file is what counts.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from attrs import asdict, evolve, frozen

from llm_projections import _json
from llm_projections.errors import Refusal
from llm_projections.model.events import Event, ResponseStarted, TurnCompleted
from llm_projections.model.items import Provenance
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.results import AnswerShape
from llm_projections.model.turn import TurnRequest
from tests.conformance.documents import (
    Doc,
    binding_of,
    event_document,
    outcome_document,
    refusal_document,
    shape_document,
    turn_document,
)
from tests.conformance.forms import form_of
from tests.spec_tools import WIRES

__all__ = [
    "NEEDED",
    "OURS",
    "Declared",
    "answer_kind",
    "decode",
    "decode_body",
    "decode_error",
    "headers",
    "ingest",
    "ingest_count",
    "project",
    "url",
    "write_body",
    "write_both",
    "write_count",
    "write_error",
    "write_stream",
]

NEEDED: Final = "NEEDED"
"""In place of `accept`: the names that the library refuses the case for, found once when its file is written."""
OURS: Final = {wire: binding_of(wire).provenance for wire in WIRES}
"""The provenance of what a wire's binding sealed; in a case it stands for the binding of that case."""
_IDENTITY: Final = {"response_id": "resp_1", "created": 1_790_000_000, "model": "client-model"}
_SHAPE: Final = AnswerShape(stream=True, include_usage=True, encrypted_reasoning=True)

Accept = Iterable[str] | str
Named = str | Doc


@frozen
class Declared:
    """A case without what comes of it."""

    wire: str
    job: str
    slug: str
    about: str
    given: Doc

    @property
    def name(self) -> str:
        """Its file, without the ending."""
        return f"{self.job.replace('_', '-')}-{self.slug}"


def _case(wire: str, job: str, slug: str, about: str, given: Doc, **more: Any) -> Declared:
    told = {key: value for key, value in more.items() if value is not None}
    return Declared(wire, job, slug, about, {**given, **told})


def _accept(accept: Accept) -> Any:
    if accept == NEEDED:
        return NEEDED
    return sorted(accept) or None


def _turn(turn: TurnRequest | Doc, binding: Named) -> Doc:
    """A turn's document; it asks for the binding's model, and its own provenance is the binding's."""
    if not isinstance(turn, TurnRequest):
        return turn
    bound = binding_of(binding)
    document = turn_document(evolve(turn, model=bound.model))
    return dict(_bound(document, set(_told(bound.provenance, "binding_revision"))))


def _told(provenance: Provenance, *without: str) -> Iterator[tuple[str, Any]]:
    """What a provenance says, but for some of it."""
    said = {**asdict(provenance), "protocol": provenance.protocol.value}
    return ((key, value) for key, value in said.items() if key not in without)


def _bound(value: Any, ours: set[tuple[str, Any]]) -> Any:
    """A document in which what was sealed by any revision of the binding is the binding's."""
    if isinstance(value, list):
        return [_bound(each, ours) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() >= {"binding_revision", "endpoint"}:
        return "binding" if ours <= set(value.items()) else value
    return {key: _bound(each, ours) for key, each in value.items()}


def _body(body: Any) -> Doc:
    return form_of(body if isinstance(body, bytes) else _json.dumps(body))


def project(
    wire: str,
    slug: str,
    about: str,
    turn: TurnRequest | Doc,
    *,
    binding: Named | None = None,
    accept: Accept = (),
    **more: Any,
) -> Declared:
    """A turn written; `more`: streamed, conversation, limits."""
    told = binding or wire
    given = {"binding": told, "turn": _turn(turn, told)}
    return _case(wire, "project", slug, about, given, accept=_accept(accept), **more)


def headers(
    wire: str,
    slug: str,
    about: str,
    *,
    binding: Named | None = None,
    turn: TurnRequest | None = None,
    **more: Any,
) -> Declared:
    """The headers of a request; `more`: credential, streamed, conversation, request_number."""
    told = binding or wire
    asked = None if turn is None else _turn(turn, told)
    return _case(wire, "headers", slug, about, {"binding": told}, turn=asked, **more)


def url(wire: str, slug: str, about: str, binding: Named) -> Declared:
    """Where a request goes."""
    return _case(wire, "url", slug, about, {"binding": binding})


def answer_kind(
    wire: str, slug: str, about: str, status: int, *, binding: Named | None = None, **more: Any
) -> Declared:
    """How an answer is to be read; `more`: headers, streamed."""
    return _case(
        wire, "answer_kind", slug, about, {"binding": binding or wire, "status": status}, **more
    )


def ingest(
    wire: str, slug: str, about: str, body: Any, *, accept: Accept = (), **more: Any
) -> Declared:
    """A request read: bytes, or a JSON value; `more`: headers, envelopes, limits."""
    given = {"body": _body(body)}
    return _case(wire, "ingest", slug, about, given, accept=_accept(accept), **more)


def ingest_count(slug: str, about: str, body: Any, *, accept: Accept = (), **more: Any) -> Declared:
    """A request to count tokens, read."""
    given = {"body": _body(body)}
    return _case("messages", "ingest_count", slug, about, given, accept=_accept(accept), **more)


def decode(
    wire: str,
    slug: str,
    about: str,
    stream: bytes,
    *,
    binding: Named | None = None,
    turn: TurnRequest | None = None,
    **more: Any,
) -> Declared:
    """A streamed answer read; `more`: limits, invalid_arguments."""
    told = binding or wire
    asked = None if turn is None else _turn(turn, told)
    given = {"binding": told, "stream": form_of(stream)}
    return _case(wire, "decode", slug, about, given, turn=asked, **more)


def decode_body(
    wire: str,
    slug: str,
    about: str,
    body: Any,
    *,
    binding: Named | None = None,
    turn: TurnRequest | None = None,
    **more: Any,
) -> Declared:
    """A whole answer read: bytes, or a JSON value; `more`: limits, invalid_arguments."""
    told = binding or wire
    asked = None if turn is None else _turn(turn, told)
    given = {"binding": told, "body": _body(body)}
    return _case(wire, "decode_body", slug, about, given, turn=asked, **more)


def decode_error(wire: str, slug: str, about: str, status: int, body: Any, **more: Any) -> Declared:
    """An answer with an error status read; `more`: headers."""
    given = {"binding": wire, "status": status, "body": _body(body)}
    return _case(wire, "decode_error", slug, about, given, **more)


def write_stream(
    wire: str,
    slug: str,
    about: str,
    events: Iterable[Event],
    *,
    answer: AnswerShape = _SHAPE,
    accept: Accept = (),
    **more: Any,
) -> Declared:
    """An answer streamed to a client; `more`: identity, limits."""
    given = {
        "events": [event_document(event) for event in events],
        "identity": _IDENTITY,
        "answer": shape_document(answer),
    }
    return _case(wire, "write_stream", slug, about, given, accept=_accept(accept), **more)


def write_body(
    wire: str,
    slug: str,
    about: str,
    outcome: TurnOutcome,
    *,
    answer: AnswerShape | None = None,
    accept: Accept = (),
    **more: Any,
) -> Declared:
    """An answer written whole; `more`: identity, limits."""
    shape = evolve(_SHAPE, stream=False) if answer is None else answer
    given = {
        "outcome": outcome_document(outcome),
        "identity": _IDENTITY,
        "answer": shape_document(shape),
    }
    return _case(wire, "write_body", slug, about, given, accept=_accept(accept), **more)


def write_both(
    wire: str, slug: str, about: str, outcome: TurnOutcome, **more: Any
) -> list[Declared]:
    """An outcome streamed from its head on and written whole, with leave for what is lost."""
    seen = outcome.observation
    events: list[Event] = [
        ResponseStarted(seen.response_id, seen.upstream_model),
        TurnCompleted(outcome),
    ]
    return [
        write_stream(wire, slug, about, events, accept=NEEDED, **more),
        write_body(wire, slug, about, outcome, accept=NEEDED, **more),
    ]


def write_error(wire: str, slug: str, about: str, error: Refusal, **more: Any) -> Declared:
    """The error answer of a refusal; `more`: request_id, expose_upstream."""
    return _case(
        wire, "write_error", slug, about, {"refusal": refusal_document(error, message=True)}, **more
    )


def write_count(slug: str, about: str, input_tokens: int) -> Declared:
    """The answer to a request to count tokens."""
    return _case("messages", "write_count", slug, about, {"input_tokens": input_tokens})

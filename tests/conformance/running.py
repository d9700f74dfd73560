"""A case run by this library: what is given goes to the public function that does the job.

What comes of it are facts; they have the shape of a case's `expect`, except that bytes are bytes.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from llm_projections import messages
from llm_projections.errors import Refusal
from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.events import TurnCompleted, TurnFailed
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import Ingested
from llm_projections.wires import WIRES, Wire
from tests.conformance.documents import (
    CASES,
    Doc,
    binding_of,
    event_document,
    event_of,
    identity_of,
    losses_document,
    outcome_document,
    outcome_of,
    refusal_document,
    refusal_of,
    shape_document,
    shape_of,
    turn_document,
    turn_of,
)
from tests.conformance.forms import bytes_of
from tests.golden_tools import PROTOCOLS

__all__ = ["BYTES", "JOBS", "canonical", "case_at", "expected", "files", "run"]

# The members of `given` and `expect` that are bytes.
BYTES = ("body", "stream")


@cache
def files(wire: str) -> list[Path]:
    """The cases of a wire."""
    return sorted((CASES / wire).glob("*.json"))


@cache
def case_at(path: Path) -> Doc:
    """One case."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def run(case: Doc) -> Doc:
    """What this library makes of what a case gives."""
    given = dict(case["given"])
    for name in BYTES:
        if name in given:
            given[name] = bytes_of(given[name])
    told = given.get("binding")
    binding = None if told is None else binding_of(told)
    try:
        return JOBS[case["job"]](WIRES[PROTOCOLS[case["wire"]]], given, binding)
    except Refusal as error:
        return {"refusal": refusal_document(error, binding)}


def expected(case: Doc) -> Doc:
    """What a case expects, bytes as bytes."""
    facts = dict(case["expect"])
    return facts | {name: bytes_of(facts[name]) for name in BYTES if name in facts}


def canonical(facts: Doc) -> str:
    """Facts as text, so that 1, 1.0 and true are three things."""
    return json.dumps(facts, sort_keys=True, indent=1, default=repr)


def _limits(given: Doc) -> Limits:
    return Limits(**given.get("limits", {}))


def _lost(losses: list[Loss] | tuple[Loss, ...]) -> Doc:
    return {"losses": losses_document(losses)} if losses else {}


def _asked(given: Doc, binding: Binding | None) -> Any:
    return turn_of(given["turn"], binding) if "turn" in given else None


def _talk(given: Doc) -> Conversation | None:
    return Conversation(**given["conversation"]) if "conversation" in given else None


def _headers(given: Doc) -> list[tuple[str, str]]:
    return [(name, value) for name, value in given.get("headers", ())]


def _project(wire: Wire, given: Doc, binding: Binding | None) -> Doc:
    losses: list[Loss] = []
    body = wire.encode_request(
        _asked(given, binding),
        binding,
        stream=given.get("streamed", True),
        accept=given.get("accept", ()),
        conversation=_talk(given),
        limits=_limits(given),
        losses=losses,
    )
    return {"body": body, **_lost(losses)}


def _request_headers(wire: Wire, given: Doc, binding: Binding | None) -> Doc:
    said = wire.request_headers(
        binding,
        request=_asked(given, binding),
        credential=given.get("credential"),
        stream=given.get("streamed", True),
        conversation=_talk(given),
        request_number=given.get("request_number", 0),
    )
    return {"headers": [list(pair) for pair in said]}


def _url(wire: Wire, _given: Doc, binding: Binding | None) -> Doc:
    return {"url": wire.request_url(binding)}


def _kind(wire: Wire, given: Doc, binding: Binding | None) -> Doc:
    stream = given.get("streamed", True)
    return {"kind": wire.answer_kind(given["status"], _headers(given), binding, stream=stream)}


def _ingest(wire: Wire, given: Doc, _binding: Binding | None) -> Doc:
    return _ingested(wire.ingest_request, given)


def _ingest_count(_wire: Wire, given: Doc, _binding: Binding | None) -> Doc:
    return _ingested(messages.ingest_count_tokens, given)


def _ingested(job: Callable[..., Ingested], given: Doc) -> Doc:
    found = job(
        given["body"],
        headers=_headers(given),
        accept=given.get("accept", ()),
        envelopes=given.get("envelopes", True),
        limits=_limits(given),
    )
    said: Doc = {"turn": turn_document(found.request), "answer": shape_document(found.answer)}
    return said | _lost(found.losses)


def _decode(wire: Wire, given: Doc, binding: Binding | None) -> Doc:
    read = {
        "request": _asked(given, binding),
        "limits": _limits(given),
        "invalid_arguments": given.get("invalid_arguments", "refuse"),
    }
    data: bytes = given["stream"]
    found = list(wire.decode_stream([data], binding, **read))
    singly = [data[at : at + 1] for at in range(len(data))]
    assert found == list(wire.decode_stream(singly, binding, **read)), "cuts show"
    *before, last = found
    facts: Doc = {"events": [event_document(event, binding) for event in before]}
    if isinstance(last, TurnCompleted):
        return facts | {"outcome": outcome_document(last.outcome, binding)}
    assert isinstance(last, TurnFailed)
    return facts | {"refusal": refusal_document(last.error, binding)}


def _decode_body(wire: Wire, given: Doc, binding: Binding | None) -> Doc:
    found = wire.decode_response(
        given["body"],
        binding,
        request=_asked(given, binding),
        limits=_limits(given),
        invalid_arguments=given.get("invalid_arguments", "refuse"),
    )
    facts: Doc = {"outcome": outcome_document(found, binding)}
    if found.warnings:
        facts["warnings"] = [warning.code for warning in found.warnings]
    return facts


def _decode_error(wire: Wire, given: Doc, binding: Binding | None) -> Doc:
    found = wire.decode_error(given["status"], _headers(given), given["body"], binding)
    return {"refusal": refusal_document(found)}


def _answering(given: Doc, losses: list[Loss]) -> Doc:
    return {
        "accept": given.get("accept", ()),
        "limits": _limits(given),
        "losses": losses,
    }


def _write_stream(wire: Wire, given: Doc, _binding: Binding | None) -> Doc:
    losses: list[Loss] = []
    said = wire.encode_ingress_stream(
        [event_of(event) for event in given["events"]],
        identity_of(given["identity"]),
        shape_of(given["answer"]),
        **_answering(given, losses),
    )
    return {"stream": b"".join(said), **_lost(losses)}


def _write_body(wire: Wire, given: Doc, _binding: Binding | None) -> Doc:
    losses: list[Loss] = []
    body = wire.encode_ingress_answer(
        outcome_of(given["outcome"]),
        identity_of(given["identity"]),
        shape_of(given["answer"]),
        **_answering(given, losses),
    )
    return {"body": body, **_lost(losses)}


def _write_error(wire: Wire, given: Doc, _binding: Binding | None) -> Doc:
    made = wire.encode_ingress_error(
        refusal_of(given["refusal"]),
        request_id=given.get("request_id"),
        expose_upstream=given.get("expose_upstream", True),
    )
    headers = [list(pair) for pair in made.headers]
    return {"status": made.status, "headers": headers, "body": made.body}


def _write_count(_wire: Wire, given: Doc, _binding: Binding | None) -> Doc:
    return {"body": messages.encode_ingress_count(given["input_tokens"])}


JOBS: dict[str, Callable[[Wire, Doc, Binding | None], Doc]] = {
    "project": _project,
    "headers": _request_headers,
    "url": _url,
    "answer_kind": _kind,
    "ingest": _ingest,
    "ingest_count": _ingest_count,
    "decode": _decode,
    "decode_body": _decode_body,
    "decode_error": _decode_error,
    "write_stream": _write_stream,
    "write_body": _write_body,
    "write_error": _write_error,
    "write_count": _write_count,
}

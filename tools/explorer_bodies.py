"""Neutral documents beside the bodies that they are on the wires: turns, whole answers, refusals, refused requests."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from attrs import evolve

from llm_projections import (
    AGENT_CLIENTS,
    Binding,
    Ingested,
    Loss,
    Refusal,
    RequestRefused,
    TurnOutcome,
    TurnRequest,
    messages,
)
from llm_projections.model.document import from_document, to_document
from llm_projections.model.events import TurnCompleted
from llm_projections.wires import WIRES
from tests.golden_answers import ANSWERS, ERRORS, IDENTITY, SHAPE
from tests.golden_tools import GOLDEN, PROTOCOLS, binding, index
from tools.explorer_trace import Place, Trace, spelled, trace, turned
from tools.explorer_values import compact, refusal_of, refusal_shown, text_of

__all__ = ["error_view", "origin", "recorded_view", "refused_view", "turn_view", "whole_view"]

# The binding that a program's own request can be said with again.
_SERVER = {"chat": "chat-server", "messages": "messages", "responses": "responses"}
# Programs ask for as much as their own vendor's models say; a smaller limit would be all that there is to see.
_AS_ASKED = 128_000
# What says the kind of a thing on the wires.
_TAGS = frozenset({"type", "role"})


@dataclass
class Side:
    """One wire of a view: its bytes, what was left behind, why it was refused, and what makes each place."""

    said: str | None = None
    source: str | None = None
    head: str = ""
    headers: list[list[str]] = field(default_factory=list)
    losses: Sequence[Loss] = ()
    refused: Sequence[Refusal] = ()
    made: Trace = field(default_factory=dict)


def view(kind: str, document: Any, sides: Mapping[str, Side], note: str = "") -> dict[str, Any]:
    """What the page shows of a neutral document and its wires."""
    places: dict[str, int] = {}

    def number(place: Place) -> int:
        return places.setdefault(spelled(place), len(places))

    wires: dict[str, Any] = {}
    for wire, side in sides.items():
        told: dict[str, Any] = {"text": side.said, "source": side.source, "head": side.head}
        told["headers"] = side.headers
        told["losses"] = [
            [loss.name, loss.path, _home(loss.path, document)] for loss in side.losses
        ]
        told["refused"] = [
            [each.code.value, each.path, _home(each.path, document), each.message, _loss_of(each)]
            for each in side.refused
        ]
        told["map"] = [
            [spelled(place), *map(number, sources)] for place, sources in side.made.items()
        ]
        wires[wire] = {name: value for name, value in told.items() if value not in (None, "", [])}
    neutral = "" if document is None else compact(document)
    said = {"view": kind, "note": note, "neutral": neutral, "places": [*places]}
    return {**{name: value for name, value in said.items() if value}, "wires": wires}


def _loss_of(error: Refusal) -> str:
    return (error.loss or "") if isinstance(error, RequestRefused) else ""


def _home(path: str, document: Any) -> str:
    """Where in the document a refused or lost path stands: itself, a carried field of its owner, or the nearest."""
    steps = _steps(path)
    for length in range(len(steps), -1, -1):
        at, rest = document, steps[length:]
        try:
            for step in steps[:length]:
                at = at[step]
        except (LookupError, TypeError):
            continue
        carried = at.get("extensions", []) if isinstance(at, dict) else []
        for place, extension in enumerate(carried):
            its = extension["path"].removeprefix("answer.")
            if rest and its.split(".")[-len(rest) :] == [str(step) for step in rest]:
                return spelled((*steps[:length], "extensions", place))
        return spelled(tuple(steps[:length]))
    return ""


def _steps(path: str) -> list[str | int]:
    found: list[str | int] = []
    for part in path.replace("]", "").split("."):
        name, *numbers = part.split("[")
        found += [name] if name else []
        found += [int(each) if each.isdigit() else each for each in numbers]
    return found


def _traced(
    document: Any, write: Callable[[Any], Any], tags: frozenset[str] = frozenset()
) -> Trace:
    """The trace of a writer that refuses by raising."""

    def tried(other: Any) -> Any:
        try:
            return write(other)
        except (Refusal, ValueError, TypeError, KeyError):
            return None

    return trace(document, tried, tags)


def _refusals(error: RequestRefused) -> list[Refusal]:
    return [error, *error.others]


def _request_side(document: Mapping[str, Any], target: Binding, accept: Iterable[str]) -> Side:
    """A turn on a wire: what the library writes, or every reason why not."""
    jobs, names = WIRES[target.protocol], frozenset(accept)
    declared = {
        "upstream_name": target.upstream_name,
        "max_output_tokens": target.capabilities.max_output_tokens,
    }

    def write(other: Mapping[str, Any], losses: list[Loss] | None = None) -> bytes:
        said = dict(other)
        its = said.pop("binding")
        limits = evolve(target.capabilities, max_output_tokens=its["max_output_tokens"])
        used = evolve(target, upstream_name=its["upstream_name"], capabilities=limits)
        turn = from_document(compact(said).encode())
        assert isinstance(turn, TurnRequest)
        turn = evolve(turn.bind_unattributed(used.provenance), model=used.model)
        encoded: bytes = jobs.encode_request(turn, used, accept=names, losses=losses)
        return encoded

    asked = {**document, "binding": declared}
    told: list[Loss] = []
    turn = from_document(compact(document).encode())
    assert isinstance(turn, TurnRequest)
    carried = evolve(turn.bind_unattributed(target.provenance), model=target.model)
    side = Side(head=f"POST {jobs.path}")
    try:
        side.said = text_of(write(asked, told))
        side.headers = _pairs(jobs.request_headers(target, request=carried))
    except RequestRefused as error:
        side.refused = _refusals(error)
        return side
    side.losses = told
    side.made = _traced(asked, lambda other: json.loads(write(other)))
    return side


def turn_view(case: str) -> dict[str, Any]:
    """A turn of golden/turns on every wire."""
    document = _plain(json.loads((GOLDEN / "turns" / f"{case}.json").read_bytes()))
    sides = {}
    for wire in PROTOCOLS:
        entry = index()["turn"][case][wire]
        accept = {line.split()[0] for line in entry.get("losses", [])}
        sides[wire] = _request_side(document, binding(entry.get("binding", wire)), accept)
        sides[wire].source = _held(f"wire/{wire}/{case}/request.json", sides[wire].said)
    return view("request", document, sides)


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    """A document with its format first, and nothing else changed."""
    return {"format": document.pop("format"), **document}


def _held(name: str, said: str | None) -> str:
    """The name of a file of golden/, which must hold exactly this."""
    if (GOLDEN / name).read_bytes().decode() != said:
        raise AssertionError(f"golden/{name} is not what the library writes")
    return name


def _outcome_side(document: Any, wire: str, accept: Iterable[str]) -> Side:
    names = frozenset(accept)
    jobs = WIRES[PROTOCOLS[wire]]

    def write(other: Any, losses: list[Loss] | None = None) -> bytes:
        outcome = from_document(compact(other).encode())
        assert isinstance(outcome, TurnOutcome)
        encoded: bytes = jobs.encode_ingress_answer(
            outcome, IDENTITY, SHAPE, accept=names, losses=losses
        )
        return encoded

    told: list[Loss] = []
    side = Side(head="200")
    try:
        side.said = text_of(write(document, told))
    except Refusal as error:
        side.refused = [error]
        return side
    side.losses = told
    side.made = _traced(document, lambda other: json.loads(write(other)))
    return side


def whole_view(case: str) -> dict[str, Any] | None:
    """The body of an answer that is not streamed; None for a failure, which has none."""
    last = ANSWERS[case][-1]
    if not isinstance(last, TurnCompleted):
        return None
    document = json.loads(to_document(last.outcome))
    sides = {}
    for wire in PROTOCOLS:
        entry = index()["answer"][case][wire]
        losses = entry.get("whole", entry.get("losses", []))
        sides[wire] = _outcome_side(document, wire, {line.split()[0] for line in losses})
        sides[wire].source = _held(f"wire/{wire}/{case}/answer.json", sides[wire].said)
    return view("answer", document, sides)


def _error_side(document: Mapping[str, Any], wire: str) -> Side:
    jobs = WIRES[PROTOCOLS[wire]]
    request_id = "req_1"
    made = jobs.encode_ingress_error(refusal_of(document), request_id=request_id)
    said = text_of(made.body)
    side = Side(said, head=str(made.status), headers=_pairs(made.headers))
    side.made = _traced(
        document,
        lambda other: json.loads(
            jobs.encode_ingress_error(refusal_of(other), request_id=request_id).body
        ),
    )
    return side


def error_view(case: str) -> dict[str, Any]:
    """The error answers that tell of a refusal."""
    document = refusal_shown(ERRORS[case])
    sides = {}
    for wire in PROTOCOLS:
        sides[wire] = _error_side(document, wire)
        sides[wire].source = _held(f"wire/{wire}/{case}/error.json", sides[wire].said)
    return view("error", document, sides)


@cache
def origin(folder: Path) -> dict[str, Any]:
    """Where a recorded case comes from; header pairs as the library takes them."""
    its = tomllib.loads((folder / "ORIGIN.toml").read_text(encoding="utf-8"))
    return {**its, "headers": [(name, value) for name, value in its["headers"]]}


def recorded_view(wire: str, case: str, name: str) -> dict[str, Any]:
    """What a program or a server sent as one body, what it means, and the same on the other wires."""
    folder = GOLDEN / "recorded" / wire / case
    data = (folder / name).read_bytes()
    read: Callable[[bytes], Any]
    if name == "request.json":
        read = partial(_ingested, folder)
        say = _said_request
    elif name == "answer.json":
        read = partial(_decoded, wire)
        say = _said_outcome
    else:
        read = partial(_failed, folder)
        say = _said_error
    document = read(data)
    its = origin(folder)
    own = Side(text_of(data), f"recorded/{wire}/{case}/{name}", str(its.get("status", "")))
    if name == "request.json":
        own.head = f"POST {WIRES[PROTOCOLS[wire]].path}"
    own.headers = _pairs(its["headers"])
    if not name.endswith(".sse"):
        body = json.loads(data)
        own.made = turned(_traced(body, lambda other: read(compact(other).encode()), _TAGS), body)
    sides = {each: own if each == wire else say(document, each) for each in PROTOCOLS}
    return view(name.partition(".")[0], document, sides, "agents")


def _ingested(folder: Path, data: bytes) -> Any:
    its = origin(folder)
    read: Callable[..., Ingested] = WIRES[PROTOCOLS[folder.parent.name]].ingest_request
    if its.get("operation") == "count_tokens":
        read = messages.ingest_count_tokens
    return json.loads(to_document(read(data, headers=its["headers"]).request))


def _decoded(wire: str, data: bytes) -> Any:
    outcome = WIRES[PROTOCOLS[wire]].decode_response(data, binding(wire))
    return json.loads(to_document(outcome))


def _failed(folder: Path, data: bytes) -> Any:
    wire, its = folder.parent.name, origin(folder)
    decode = WIRES[PROTOCOLS[wire]].decode_error
    return refusal_shown(decode(its["status"], its["headers"], data, binding(wire)))


def _said_request(document: Any, wire: str) -> Side:
    target = binding(_SERVER[wire])
    large = evolve(target.capabilities, max_output_tokens=_AS_ASKED)
    return _request_side(document, evolve(target, capabilities=large), AGENT_CLIENTS)


def _said_outcome(document: Any, wire: str) -> Side:
    return _outcome_side(document, wire, AGENT_CLIENTS)


def _said_error(document: Any, wire: str) -> Side:
    return _error_side(document, wire)


def refused_view(wire: str, name: str, why: str) -> dict[str, Any]:
    """A request that must be refused, and every reason."""
    data = (GOLDEN / "invalid" / wire / name).read_bytes()
    side = Side(text_of(data), f"invalid/{wire}/{name}", f"POST {WIRES[PROTOCOLS[wire]].path}")
    try:
        WIRES[PROTOCOLS[wire]].ingest_request(data)
    except RequestRefused as error:
        side.refused = _refusals(error)
    try:
        document = json.loads(data)
    except ValueError:
        document = None
    told = view("refused", None, {wire: side}, why)
    for each, line in zip(side.refused, told["wires"][wire]["refused"], strict=True):
        line[2] = _home(each.path, document)
    return told


def _pairs(headers: Iterable[tuple[str, str]]) -> list[list[str]]:
    return [[name, value] for name, value in headers]

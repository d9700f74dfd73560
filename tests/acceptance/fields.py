"""Bodies with one field less, changed or more: nothing may go unnoticed (laws 9 and 13)."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from llm_projections import RequestRefused

from .corpus import Case
from .report import Report, strip_indexes
from .spellings import FREE, same
from .streams import json_body
from .turns import binding_for, encode, ingest, refusals

Place = tuple[str | int, ...]
STRANGER = "zz_stranger"
# Not a plain name: it may show in no refusal, which then names the parent.
UNSPEAKABLE = "zz stranger\n"


def check_removal(case: Case, sample: int) -> Report:
    """Each field in turn removed, each scalar changed: refused, or the projection differs."""
    report = Report()
    body = json_body(case.read())
    whole = _projection(case, json.dumps(body).encode()) if _usable(case, body) else None
    if whole is None:
        return report.plain()
    for place in _chosen(case, list(_places(body)), sample):
        path = strip_indexes(_format(place))
        for what, changed in (
            ("removed", _removed(body, place)),
            ("changed", _changed(body, place)),
        ):
            if changed is None:
                continue
            report.count(f"{case.wire} fields {what}", "tried", case.label)
            altered = json.dumps(changed).encode()
            try:
                silent = _projection(case, altered) == whole
            except Exception as error:  # noqa: BLE001  (this is what the run looks for)
                report.fail(
                    "only ours", case.label, f"{what} {path}: {type(error).__name__}: {error}"
                )
                continue
            if silent and same(case.wire, json.dumps(body).encode(), altered, pinned=False):
                report.fail(f"{case.wire} no silent loss, {what} {path}", case.label)
    return report.plain()


def check_growth(case: Case, sample: int) -> Report:
    """One unknown field added: refused by its name, or carried whole."""
    report = Report()
    body = json_body(case.read())
    if not _usable(case, body) or _projection(case, json.dumps(body).encode()) is None:
        return report.plain()
    for number, place in enumerate(_chosen(case, list(_objects(body)), sample)):
        _grow(report, case, body, place, UNSPEAKABLE if number % 4 == 3 else STRANGER)
    return report.plain()


def _grow(report: Report, case: Case, body: Any, place: Place, name: str) -> None:
    grown = copy.deepcopy(body)
    _at(grown, place)[name] = 1
    path = strip_indexes(_format((*place, STRANGER)))
    written = json.dumps(grown).encode()
    try:
        ingested = ingest(case, written)
        again = encode(case, ingested, binding_for(case, written))
    except RequestRefused as error:
        wanted = _format((*place, name) if name == STRANGER else place)
        told = [e.path for e in refusals(error)]
        if wanted not in told or any(UNSPEAKABLE in str(e) for e in refusals(error)):
            report.fail(f"{case.wire} named", case.label, f"{path}: {told} {error}")
        else:
            report.count(f"{case.wire} a stranger", "refused by name", case.label)
    except Exception as error:  # noqa: BLE001  (this is what the run looks for)
        report.fail("only ours", case.label, f"{path}: {type(error).__name__}: {error}")
    else:
        if json.dumps(name).encode() in again:
            report.count(f"{case.wire} a stranger", f"carried at {path}", case.label)
        else:
            report.fail(f"{case.wire} no silent loss of strangers", case.label, path)


def _usable(case: Case, body: Any) -> bool:
    return isinstance(body, dict) and not case.operation


def _projection(case: Case, body: bytes) -> Any:
    """Everything that a request becomes, or `None` where it is refused."""
    try:
        ingested = ingest(case, body)
        written = encode(case, ingested, binding_for(case, body))
    except RequestRefused:
        return None
    return written, ingested.request.model, ingested.answer, ingested.losses


def _places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Every field, a free-form subtree as one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*at, key)
            if key not in FREE and not (key == "input" and value.get("type") == "tool_use"):
                yield from _places(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _places(inner, (*at, index))


def _objects(body: Any) -> Iterator[Place]:
    yield ()
    for place in _places(body):
        value = _at(body, place)
        free = place[-1] in FREE or (place[-1] == "input" and len(place) > 1)
        if isinstance(value, dict) and not free:
            yield place
        if isinstance(value, list):
            yield from ((*place, i) for i, inner in enumerate(value) if isinstance(inner, dict))


def _chosen(case: Case, places: list[Place], sample: int) -> list[Place]:
    """Few enough places, with as many different paths among them as possible."""
    if sample <= 0 or len(places) <= sample:
        return places
    chance = random.Random(case.label)
    chance.shuffle(places)
    seen: dict[str, int] = {}

    def turn(place: Place) -> int:
        path = strip_indexes(_format(place))
        seen[path] = seen.get(path, 0) + 1
        return seen[path]

    ranked = [(turn(place), i) for i, place in enumerate(places)]
    return [places[i] for _, i in sorted(ranked)[:sample]]


def _removed(body: Any, place: Place) -> Any:
    copied = copy.deepcopy(body)
    del _at(copied, place[:-1])[place[-1]]
    return copied


def _changed(body: Any, place: Place) -> Any:
    value = _at(body, place)
    if isinstance(value, bool):
        other: Any = not value
    elif isinstance(value, int):
        other = value + 1
    elif isinstance(value, float):
        other = value / 2 + 0.01
    elif isinstance(value, str):
        other = value + "x"
    else:
        return None
    copied = copy.deepcopy(body)
    _at(copied, place[:-1])[place[-1]] = other
    return copied


def _at(body: Any, place: Place) -> Any:
    for step in place:
        body = body[step]
    return body


def _format(place: Place) -> str:
    out = ""
    for step in place:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else str(step)
    return out

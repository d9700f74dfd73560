"""Which cases show which rows of spec/: what is written, read and refused, by the places that stand in it.

A case is named by where it lies: `golden/wire/chat/text`, `golden/recorded/...`, `spec/cases/chat/...`, or by its
table, `tests/cases/chat.py::one stop word`. A place that holds null is not shown, for null reads as absent.
"""

import importlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from llm_projections import _json
from llm_projections.wires._rows import Treat
from tests.golden_tools import GOLDEN, HOMES, frames, index, rows_at, rows_below
from tests.spec_tools import SPEC, rows_of

__all__ = ["Shown", "answered", "cases_of", "cited", "present", "request_side", "words"]

_STOPS = {"chat": "finish_reason", "messages": "stop_reason"}
_TABLES = ("CASES", "MEANS", "COUNTS")


@frozen
class Shown:
    """A case, how many bytes it takes, and the ids of the rows that it shows."""

    name: str
    size: int
    rows: frozenset[str]

    @property
    def kind(self) -> str:
        """The folder or the table that it is one of."""
        return "table" if "::" in self.name else self.name.split("/")[1]


@cache
def cases_of(wire: str) -> Mapping[str, Shown]:
    """Every case of a wire by its name. Raises ValueError where two have one name."""
    refused = {row.id for row in rows_of(wire) if row.treat is Treat.REFUSE}
    found: dict[str, Shown] = {}
    # What is refused shows the rows that refuse it, and what is accepted all the others.
    for cases, others in (
        ((*_written(wire), *_recorded(wire), *_tabled(wire)), refused),
        (_refused(wire), {row.id for row in rows_of(wire)} - refused),
    ):
        for shown in cases:
            if shown.name in found:
                raise ValueError(f"two cases are named {shown.name}")
            found[shown.name] = Shown(shown.name, shown.size, shown.rows - others)
    # these say themselves what they show, and a test holds them to it
    return found | {shown.name: shown for shown in _suite(wire)}


@cache
def cited(wire: str) -> Mapping[str, list[str]]:
    """By row id, up to four cases: of what is written, of a table, of what was recorded, of the conformance suite.

    Of one kind, the case that golden/INDEX.toml names for the row comes first, then the smallest one.
    """
    named = _named(wire)
    best: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for shown in cases_of(wire).values():
        for row in shown.rows:
            rank = ((row, shown.name) not in named, shown.size, shown.name)
            at = (row, shown.kind)
            best[at] = min(best.get(at, rank), rank)
    kinds = ("wire", "table", "recorded", "cases")
    return {
        row.id: [best[row.id, kind][2] for kind in kinds if (row.id, kind) in best]
        for row in rows_of(wire)
    }


def _named(wire: str) -> set[tuple[str, str]]:
    return {
        (row, f"golden/wire/{wire}/{case}")
        for kind in ("turn", "answer", "error")
        for case, entry in index()[kind].items()
        for row in entry[wire].get("rows", [])
    }


def _written(wire: str) -> Iterator[Shown]:
    for folder in sorted((GOLDEN / "wire" / wire).iterdir()):
        yield _shown(wire, folder, "request")


def _recorded(wire: str) -> Iterator[Shown]:
    for folder in sorted((GOLDEN / "recorded" / wire).iterdir()):
        origin = tomllib.loads((folder / "ORIGIN.toml").read_text(encoding="utf-8"))
        request = "count_tokens" if origin.get("operation") == "count_tokens" else "request"
        shown = _shown(wire, folder, request)
        headers: dict[str, str] = {}
        if (folder / "request.json").exists():
            headers = {name.lower(): value for name, value in origin.get("headers", [])}
        rows = shown.rows | set(rows_below(wire, "header", headers))
        yield Shown(shown.name, shown.size, rows)


def _tabled(wire: str) -> Iterator[Shown]:
    tables = importlib.import_module(f"tests.cases.{wire}")
    for table in _TABLES:
        section = "count_tokens" if table == "COUNTS" else "request"
        for case in getattr(tables, table, ()):
            data = _json.dumps(case.body)
            rows = frozenset(rows_below(wire, section, present(json.loads(data))))
            yield Shown(f"tests/cases/{wire}.py::{case.name}", len(data), rows)


def _refused(wire: str) -> Iterator[Shown]:
    """Requests that are refused, and the rows of the places that are."""
    tables = importlib.import_module(f"tests.cases.{wire}")
    for case in getattr(tables, "REFUSED", ()):
        rows = frozenset(
            row.id for at in case.places for row in rows_at(wire, "request", case.body, at)
        )
        size = len(_json.dumps(case.body))
        yield Shown(f"tests/cases/{wire}.py::{case.name}", size, rows)


def _suite(wire: str) -> Iterator[Shown]:
    for path in sorted((SPEC / "cases" / wire).glob("*.json")):
        data = path.read_bytes()
        rows = frozenset(json.loads(data)["rows"])
        yield Shown(f"spec/cases/{wire}/{path.stem}", len(data), rows)


def _shown(wire: str, folder: Path, request: str) -> Shown:
    """What all files of a folder show together."""
    rows: set[str] = set()
    size = 0
    for file in sorted(folder.iterdir()):
        if file.suffix != ".toml":
            data = file.read_bytes()
            size += len(data)
            if file.suffix == ".sse":
                for payload in frames(data):
                    rows |= answered(wire, "chunk" if wire == "chat" else "event", payload)
            elif file.stem == "request":
                rows |= set(rows_below(wire, request, present(json.loads(data))))
            else:
                section = {"answer": "response", "error": "error"}[file.stem]
                rows |= answered(wire, section, json.loads(data))
    return Shown(folder.relative_to(GOLDEN.parent).as_posix(), size, frozenset(rows))


def answered(wire: str, section: str, payload: Any) -> set[str]:
    """The rows of an answer's payload, of what an event holds, and of the words in it."""
    payload = present(payload)
    if not isinstance(payload, dict):
        return set()
    kind = payload.get("type")
    place = f"event.{kind}" if section == "event" else section
    found = set(rows_below(wire, place, payload))
    if section == "event":
        for (its, event, key), home in HOMES.items():
            if its == wire and event in (kind, None) and key in payload:
                found |= set(rows_below(wire, home, payload[key]))
    for at, value in words(wire, payload):
        found |= set(rows_below(wire, at, value))
    return found


def words(wire: str, node: Any) -> Iterator[tuple[str, Any]]:
    """What an answer says in words and counters that have rows of their own: where those begin, and the value."""
    if isinstance(node, list):
        for element in node:
            yield from words(wire, element)
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key == "usage" and isinstance(value, dict):
            yield "usage", value
        elif key == "error" and isinstance(value, dict):
            yield "error", value
            yield from _faults(wire, value)
        elif key == _STOPS.get(wire) and value:
            yield f"stop.{value}", value
        elif key == "incomplete_details" and isinstance(value, dict):
            yield f"incomplete.{value.get('reason')}", value
        elif key == "status" and node.get("object") == "response":
            yield f"status.{value}", value
        else:
            yield from words(wire, value)


def _faults(wire: str, error: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if wire == "messages":
        yield f"error.{error.get('type')}", error.get("type")
    elif wire == "responses":
        yield f"error_code.{error.get('code')}", error.get("code")


def present(value: Any) -> Any:
    """A value without what is null."""
    if isinstance(value, dict):
        return {key: present(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [present(inner) for inner in value]
    return value


def request_side(wire: str) -> Iterable[str]:
    """The ids of the vendor's rows that say what becomes of a request, and are more than a spelling."""
    sections = ("request", "count_tokens", "header")
    return [
        row.id
        for row in rows_of(wire)
        if not row.by and row.treat is not Treat.SPELL and row.at.split(".")[0] in sections
    ]

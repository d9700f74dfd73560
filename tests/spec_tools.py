"""What spec/ says, what the code's rows say, and what the vendors publish, side by side.

Each check returns its findings as lines, empty when all is well, so that a test shows them all and
`tools/rows.py` can print them.
"""

import importlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from llm_projections.wires._rows import Row, Table, Treat

ROOT = Path(__file__).parent.parent
SPEC = ROOT / "spec"
SOURCES = ROOT / "src" / "llm_projections" / "wires"
WIRES = ("chat", "messages", "responses")
GENERATIONS = ("2026-11", "2026-11-beta", "prev", "prev-beta")

_ROW_KEYS = {
    "id": str,
    "at": str,
    "treat": str,
    "neutral": str,
    "loss": str,
    "default": list,
    "by": list,
    "reason": str,
    "source": str,
    "cases": list,
    "note": str,
}
_SENTENCE = 240
_SOURCE = re.compile(r"[^,]+, .+, (?:read )?20\d\d-\d\d(?:-\d\d)?")


@frozen
class Published:
    """One generation of one wire: where it was read, its root types, and its paths."""

    package: str
    read: str
    roots: Mapping[str, str]
    paths: tuple[str, ...]


@cache
def published(wire: str) -> Mapping[str, Published]:
    """Every generation of a wire that spec/published has, the newest first."""
    found: dict[str, Published] = {}
    for generation in GENERATIONS:
        file = SPEC / "published" / f"{wire}.{generation}.txt"
        if file.exists():
            lines = file.read_text(encoding="utf-8").splitlines()
            header = [line.removeprefix("# ") for line in lines if line.startswith("#")]
            package, _, read = header[0].split(", ")
            roots: dict[str, str] = {}
            for root in header[1:]:
                section, _, name = root.partition(": ")
                roots.setdefault(section, name.rpartition(".")[2])
            paths = tuple(line for line in lines if not line.startswith("#"))
            found[generation] = Published(package, read, roots, paths)
    return found


def has_rows(wire: str) -> bool:
    """Whether a wire's rows are declared in its code."""
    return (SOURCES / wire / "subset.py").exists()


def is_declared(wire: str) -> bool:
    """Whether a wire's rows are declared in its code and in its table."""
    return has_rows(wire) and (SPEC / f"{wire}.toml").exists()


def rows_of(wire: str) -> tuple[Row, ...]:
    """The rows that the code declares."""
    return tuple(importlib.import_module(f"llm_projections.wires.{wire}.subset").ROWS)


def table_of(name: str) -> dict[str, Any]:
    """A file of spec/, without its ending."""
    return tomllib.loads((SPEC / f"{name}.toml").read_text(encoding="utf-8"))


def as_table(row: Row) -> dict[str, Any]:
    """What a table says of a row that the code also says."""
    told: dict[str, Any] = {"id": row.id, "at": row.at, "treat": row.treat.value}
    if row.neutral:
        told["neutral"] = row.neutral
    if row.loss is not None:
        told["loss"] = row.loss
    if row.default:
        told["default"] = list(row.default)
    if row.by:
        told["by"] = sorted(row.by)
    return told


def faults_of_form(document: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a table by itself."""
    for key in document.keys() - {"row", "pinned"}:
        yield f"unknown top-level key {key}"
    if not all(type(name) is str for name in document.get("pinned", [])):
        yield "pinned is a list of body keys"
    seen: set[str] = set()
    for number, row in enumerate(document.get("row", [])):
        name = row.get("id", f"row {number}")
        if name in seen:
            yield f"{name}: the id is used twice"
        seen.add(name)
        yield from (f"{name}: {fault}" for fault in _faults_of_row(row))


def _faults_of_row(row: Mapping[str, Any]) -> Iterator[str]:
    for key, value in row.items():
        if key not in _ROW_KEYS:
            yield f"unknown key {key}"
        elif type(value) is not _ROW_KEYS[key]:
            yield f"{key} is not a {_ROW_KEYS[key].__name__}"
        elif key not in {"default", "cases"} and not value:
            yield f"{key} is empty"
        elif type(value) is str and len(value) > _SENTENCE and key != "at":
            yield f"{key} is longer than {_SENTENCE} characters"
    for key in ("id", "at", "treat", "source", "cases"):
        if key not in row:
            yield f"{key} is missing"
    if not _SOURCE.fullmatch(row.get("source", "")):
        yield "source is not `package version, type or page, date`"
    treat = row.get("treat")
    if treat not in list(Treat):
        yield f"treat {treat} is none of {', '.join(Treat)}"
    for key, only in (("neutral", "map"), ("reason", "refuse"), ("default", "default")):
        if treat == only and key not in row:
            yield f"{only} needs {key}"
    if "default" in row and treat != "default":
        yield "only default rows hold a default"
    if treat == "carry" and "loss" not in row and str(row.get("at", "")).startswith("request."):
        yield "what a request carries needs a loss"


def differences(rows: Iterable[Row], document: Mapping[str, Any]) -> Iterator[str]:
    """Where the code's rows and a table disagree."""
    coded = {row.id: as_table(row) for row in rows}
    told = {row["id"]: row for row in document["row"]}
    yield from (f"{name}: not in the table" for name in sorted(coded.keys() - told.keys()))
    yield from (f"{name}: not in the code" for name in sorted(told.keys() - coded.keys()))
    for name in sorted(coded.keys() & told.keys()):
        for key in ("at", "treat", "neutral", "loss", "default", "by"):
            left, right = coded[name].get(key), told[name].get(key)
            if key == "by" and right is not None:
                right = sorted(right)
            if repr(left) != repr(right):
                yield f"{name}: {key} is {left!r} in the code and {right!r} in the table"


def faults_of_rows(rows: Iterable[Row]) -> Iterator[str]:
    """What is wrong with the code's rows by themselves."""
    ids: set[str] = set()
    places: set[str] = set()
    for row in rows:
        if row.id in ids:
            yield f"{row.id}: the id is used twice"
        if row.at in places:
            yield f"{row.id}: {row.at} has two rows"
        ids.add(row.id)
        places.add(row.at)
        if row.default and row.treat is not Treat.DEFAULT:
            yield f"{row.id}: only DEFAULT rows hold a default"
        if row.treat is Treat.DEFAULT and not row.default:
            yield f"{row.id}: a DEFAULT row names the accepted values"


def unmet(table: Table, wire: str) -> Iterator[str]:
    """Published paths that no row or more than one row speaks for."""
    seen: set[str] = set()
    for generation, part in published(wire).items():
        for path in part.paths:
            if path not in seen:
                seen.add(path)
                found = table.best(path)
                if not found:
                    yield f"{generation}: {path} has no row"
                elif len(found) > 1:
                    names = ", ".join(row.id for row in found)
                    yield f"{generation}: {path} has {names}, none more specific than the other"


def met(table: Table, wire: str) -> Mapping[str, tuple[str, str]]:
    """By row id, the shortest published path of the newest generation that the row speaks for."""
    found: dict[str, tuple[str, str]] = {}
    for generation, part in published(wire).items():
        for path in sorted(part.paths, key=len):
            row = table.match(path)
            if row is not None:
                found.setdefault(row.id, (generation, path))
    return found


def idle(table: Table, wire: str) -> Iterator[str]:
    """The vendor's rows that speak for nothing that the vendor publishes."""
    busy = met(table, wire)
    for row in table.rows:
        if not row.by and row.id not in busy:
            yield f"{row.id}: {row.at} is published by nobody"


def unknown_losses(rows: Iterable[Row], names: Iterable[str]) -> Iterator[str]:
    """Losses of rows that the library cannot report."""
    known = frozenset(names)
    for row in rows:
        if row.loss is not None and row.loss not in known:
            yield f"{row.id}: {row.loss} is no loss"


def count(wire: str, generation: str, pattern: str) -> int:
    """How many published paths have exactly this form."""
    form = re.compile(pattern)
    return sum(form.fullmatch(path) is not None for path in published(wire)[generation].paths)

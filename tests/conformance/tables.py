"""Cases from what the tests have anyway: tables of turns and bodies, golden turns, answers, errors and inputs.

Each wire's own module takes what it wants and adds what only it has.
"""

import importlib
import json
import re
import tomllib
from collections.abc import Collection, Iterator
from typing import Any

from llm_projections.model.events import TurnCompleted
from tests.conformance import declared
from tests.conformance.declared import NEEDED, Declared, Named
from tests.conformance.documents import binding_of
from tests.everything import MODEL
from tests.golden_answers import ANSWERS, ERRORS
from tests.golden_tools import GOLDEN, index, turn

__all__ = ["answers", "bodies", "dialect_of", "errors", "refused", "slug", "turns", "writings"]

# What every body of a wire says, beside its model, and the tables leave out.
_REQUIRED: dict[str, dict[str, Any]] = {"messages": {"max_tokens": 1024}}


def slug(name: str) -> str:
    """A name as that of a file."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _sentence(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}."


def bodies(wire: str, tables: Collection[str] = ("CASES", "MEANS")) -> Iterator[Declared]:
    """Bodies of tests/cases, read."""
    module = importlib.import_module(f"tests.cases.{wire}")
    for table in tables:
        for case in getattr(module, table):
            about = _sentence(case.name)
            body = {"model": MODEL, **_REQUIRED.get(wire, {}), **case.body}
            yield declared.ingest(wire, slug(case.name), about, body)


def writings(wire: str, to: Named, table: str = "CASES") -> Iterator[Declared]:
    """Turns of tests/cases, written for a binding that takes all of it."""
    for case in getattr(importlib.import_module(f"tests.cases.{wire}"), table):
        about = _sentence(case.name)
        yield declared.project(wire, slug(case.name), about, case.turn, binding=to)


def turns(wire: str, without: Collection[str] = ()) -> Iterator[Declared]:
    """Turns of golden/turns, written with leave for what the wire lacks."""
    for case, entry in index()["turn"].items():
        if case in without:
            continue
        to: Named = wire
        if "binding" in entry[wire]:
            to = {"base": wire, "dialect": dialect_of(entry[wire]["binding"])}
        asked = turn(case).bind_unattributed(binding_of(to).provenance)
        name = f"golden-{slug(case)}"
        yield declared.project(wire, name, entry["shows"], asked, binding=to, accept=NEEDED)


def dialect_of(name: str) -> dict[str, Any]:
    """The habits that a binding of golden/bindings declares."""
    told = json.loads((GOLDEN / "bindings" / f"{name}.json").read_text(encoding="utf-8"))
    return {key: value for key, value in told.get("dialect", {}).items() if key != "request_fields"}


def answers(wire: str, without: Collection[str] = ()) -> Iterator[Declared]:
    """Answers of tests/golden_answers.py, streamed and whole, with leave for what the wire lacks."""
    for case, events in ANSWERS.items():
        if case in without:
            continue
        about = index()["answer"][case].get("shows", _sentence(case.replace("_", " ")))
        yield declared.write_stream(wire, slug(case), about, events, accept=NEEDED)
        last = events[-1]
        if isinstance(last, TurnCompleted):
            yield declared.write_body(wire, slug(case), about, last.outcome, accept=NEEDED)


def errors(wire: str) -> Iterator[Declared]:
    """Refusals of tests/golden_answers.py, told to a client."""
    for case, error in ERRORS.items():
        about = index()["error"][case].get("shows", _sentence(case.replace("_", " ")))
        yield declared.write_error(wire, slug(case), about, error, request_id="req_1")


def refused(wire: str) -> Iterator[Declared]:
    """Inputs of golden/invalid, refused."""
    for path in sorted((GOLDEN / "invalid" / wire).glob("*.toml")):
        about = tomllib.loads(path.read_text(encoding="utf-8"))["why"]
        stream, body = path.with_suffix(".sse"), path.with_suffix(".json")
        name = f"refused-{path.stem}"
        if stream.exists():
            yield declared.decode(wire, name, about, stream.read_bytes())
        else:
            yield declared.ingest(wire, name, about, body.read_bytes())

"""The suite as a whole: which files there are, what they show together, and how a new one is written."""

import importlib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

from llm_projections.model.losses import NAMES
from llm_projections.wires._rows import Treat
from tests import spec_tools
from tests.conformance.declared import NEEDED, Declared
from tests.conformance.documents import CASES, Doc
from tests.conformance.forms import form_of, pretty
from tests.conformance.running import BYTES, run
from tests.conformance.showing import losses_shown, rows_shown

__all__ = [
    "declared",
    "losses_without_case",
    "path_of",
    "read",
    "refresh_rows",
    "rows_without_case",
    "without",
    "write_missing",
]


def declared(name: str) -> list[Declared]:
    """What a module of tests/conformance declares; most of it is of the wire whose name it bears."""
    try:
        module = importlib.import_module(f"tests.conformance.{name}")
    except ModuleNotFoundError:
        return []
    cases: list[Declared] = list(module.CASES)
    return cases


def path_of(case: Declared) -> Path:
    """The file of a declared case."""
    return CASES / case.wire / f"{case.name}.json"


def read(path: Path) -> Doc:
    """What a file says."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def write_missing(cases: Iterable[Declared]) -> list[Path]:
    """Write the files that do not exist. Raises ValueError where two cases have one name."""
    seen: set[Path] = set()
    written: list[Path] = []
    for case in cases:
        path = path_of(case)
        if path in seen:
            raise ValueError(f"two cases are named {path.stem}")
        seen.add(path)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pretty(_whole(case)), encoding="utf-8")
            written.append(path)
    return written


def _whole(case: Declared) -> Doc:
    given = dict(case.given)
    if given.get("accept") == NEEDED:
        given["accept"] = _needed(case, {**given, "accept": sorted(NAMES)})
        if not given["accept"]:
            del given["accept"]
    found = _found(case, given)
    expect = {key: form_of(value) if key in BYTES else value for key, value in found.items()}
    head = {"wire": case.wire, "job": case.job, "about": case.about}
    return {
        **head,
        "rows": rows_shown({**head, "given": given, "expect": expect}),
        "given": given,
        "expect": expect,
    }


def _found(case: Declared, given: Doc) -> Doc:
    return run({"wire": case.wire, "job": case.job, "given": given})


def _needed(case: Declared, given: Doc) -> list[str]:
    """The names of what is left behind where everything may be."""
    return sorted({loss["name"] for loss in _found(case, given).get("losses", ())})


def refresh_rows(path: Path) -> None:
    """Say in a file which rows it shows, and nothing else."""
    case = read(path)
    shown = rows_shown(case)
    if shown != case["rows"]:
        case["rows"] = shown
        path.write_text(pretty(case), encoding="utf-8")


def without() -> dict[str, dict[str, str]]:
    """The rows and losses that no case can show, and why."""
    return tomllib.loads((CASES / "without.toml").read_text(encoding="utf-8"))


def rows_without_case(wire: str) -> list[str]:
    """The rows that say what becomes of a thing, and are shown by no case of their wire."""
    shown = {row for path in (CASES / wire).glob("*.json") for row in read(path)["rows"]}
    return [
        row.id
        for row in spec_tools.rows_of(wire)
        if row.treat is not Treat.SPELL and row.id not in shown
    ]


def losses_without_case() -> list[str]:
    """The names of losses that no case of any wire reports."""
    shown = {
        name
        for path in CASES.glob("*/*.json")
        if path.parent.name in spec_tools.WIRES
        for name in losses_shown(read(path))
    }
    return [name for name in NAMES if name not in shown]

"""What the pages count or list of the repository's own files is what is there."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.structure.source import ROOT, modules, tree

GOLDEN = ROOT / "golden"
EVIDENCE = (ROOT / "docs/evidence.md").read_text("utf-8").replace("\n", " ")
SPEC = (ROOT / "spec/README.md").read_text("utf-8")
TABLES = ("chat", "messages", "responses", "sse")


def files(pattern: str) -> int:
    """How many files of golden/ have such a place."""
    return len(list(GOLDEN.glob(pattern)))


def index() -> dict[str, Any]:
    """What golden/INDEX.toml lists."""
    return tomllib.loads((GOLDEN / "INDEX.toml").read_text("utf-8"))


COUNTED = {
    r"(\d+) turns": lambda: files("turns/*.json"),
    r"(\d+) answers and \d+ refusals": lambda: len(index()["answer"]),
    r"\d+ answers and (\d+) refusals": lambda: len(index()["error"]),
    r"(\d+) recordings": lambda: files("recorded/*/*/ORIGIN.toml"),
    r"(\d+) inputs that must be refused": lambda: files("invalid/*/*.toml"),
    r"(\d+) requests of programs": lambda: files("recorded/*/*/request.json"),
    r"(\d+) answers and errors of servers": lambda: (
        files("recorded/*/*/answer.*") + files("recorded/*/*/error.*")
    ),
}


@pytest.mark.parametrize("words", COUNTED)
def test_the_golden_files_are_counted(words: str) -> None:
    """As docs/evidence.md says."""
    (told,) = re.findall(words, EVIDENCE)
    assert COUNTED[words]() == int(told)


def test_there_are_as_many_faults_as_told() -> None:
    """All of mutants/ but the canary."""
    (told,) = re.findall(r"holds more than (\d+) faults", EVIDENCE)
    assert len(list((ROOT / "mutants").glob("*.patch"))) - 1 > int(told)


def first_cells(head: str) -> set[str]:
    """The names in the first column of the table of spec/README.md that begins so."""
    table = SPEC.split(head)[1].split("\n\n")[0]
    return {
        name
        for line in table.splitlines()
        for name in re.findall(r"`([\w./]+)`", line.split("|")[1])
    }


def test_every_key_of_a_row_has_its_meaning() -> None:
    """And no other has."""
    rows = [
        row
        for table in TABLES
        for row in tomllib.loads((ROOT / f"spec/{table}.toml").read_text("utf-8"))["row"]
    ]
    assert {key for row in rows for key in row} == first_cells("| key | meaning |\n|---|---|\n")
    assert {row["treat"] for row in rows} == first_cells("| treat | meaning |\n|---|---|\n")


def test_every_file_of_the_tables_has_its_line() -> None:
    """And each that has one is there."""
    inside: list[Path] = [path for path in (ROOT / "spec").iterdir() if path.name != "README.md"]
    names = {path.name + "/" * path.is_dir() for path in inside}
    assert names == first_cells("| file | holds |\n|---|---|\n")


def warned() -> dict[str, set[str]]:
    """Each code of a warning that the package has, and the wires whose decoders say it; "all" where none is named.

    A code stands right before its message, as two texts: in a call, or in a pair that is named.
    """
    found: dict[str, set[str]] = {}
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            pair = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
            texts = [each.value for each in pair[:2] if isinstance(each, ast.Constant)]
            if (
                len(texts) == 2
                and all(isinstance(each, str) for each in texts)
                and re.fullmatch(r"[a-z]+(-[a-z]+)+", str(texts[0]))
                and re.fullmatch(r"[^/]+ [^/]+", str(texts[1]))
            ):
                part = name.split(".")
                wire = part[1] if part[0] == "wires" and part[1] in TABLES else "all"
                found.setdefault(str(texts[0]), set()).add(wire)
    return found


def test_every_warning_is_told() -> None:
    """On docs/errors.md, with the wires that have it."""
    page = (ROOT / "docs/errors.md").read_text("utf-8").split("\n## Warnings\n")[1]
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", page, re.MULTILINE)
    told = {code: set(wires.lower().split(", ")) for code, wires in rows}
    everywhere = set(TABLES) - {"sse"}
    assert {
        code: {"all"} if "all" in wires or wires == everywhere else wires
        for code, wires in warned().items()
    } == told
    assert [code for code, _ in rows] == sorted(told)

"""What the pages count or list of the repository's own files is what is there."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.structure.source import ROOT

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

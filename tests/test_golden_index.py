"""golden/INDEX.toml and the disk say the same: no file without an entry, no entry without its files."""

from pathlib import Path

import pytest

from tests.golden_answers import ANSWERS
from tests.golden_tools import GOLDEN, PROTOCOLS, index, rows_met
from tests.spec_tools import rows_of

PLAIN = {"INDEX.toml", "README.md"}
# What there is now; fewer would be a loss, and more is told here.
COUNTS = {"turn": 42, "answer": 31, "error": 15, "recorded": 90, "invalid": 87}


def cases(kind: str) -> list[str]:
    told = index()[kind]
    if kind in ("recorded", "invalid"):
        return [f"{wire}/{case}" for wire in told for case in told[wire]]
    return list(told)


def expected() -> set[str]:
    """Every file that the index speaks of."""
    told = index()
    found = {f"turns/{case}.json" for case in told["turn"]} | PLAIN
    bindings = {*PROTOCOLS}
    for kind, name in (("turn", "request.json"), ("answer", "answer.sse"), ("error", "error.json")):
        for case, entry in told[kind].items():
            for wire in PROTOCOLS:
                found.add(f"wire/{wire}/{case}/{name}")
                bindings.add(entry[wire].get("binding", wire))
                if kind == "answer" and not case.startswith("failed_"):
                    found.add(f"wire/{wire}/{case}/answer.json")
    found |= {f"bindings/{name}.json" for name in bindings}
    for wire, entries in told["recorded"].items():
        for case, entry in entries.items():
            names = (entry["file"], "ORIGIN.toml", "expected.toml")
            found |= {f"recorded/{wire}/{case}/{name}" for name in names}
    for wire, entries in told["invalid"].items():
        for case, entry in entries.items():
            found |= {f"invalid/{wire}/{case}.toml", f"invalid/{wire}/{entry['file']}"}
    return found


def test_the_disk_holds_what_the_index_says() -> None:
    """An orphan is a file that nothing reads; a vanished one a case that nothing tests."""
    disk = {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*") if path.is_file()}
    assert expected() == disk


def test_the_counts_are_told() -> None:
    """A case that goes takes its number with it."""
    assert COUNTS == {kind: len(cases(kind)) for kind in COUNTS}
    assert len(ANSWERS) == COUNTS["answer"]


def cited() -> list[tuple[str, list[Path], list[str]]]:
    """Each wire, the files of a case on it, and the rows that the index cites for them."""
    found = []
    for kind in ("turn", "answer", "error"):
        for case, entry in index()[kind].items():
            for wire in PROTOCOLS:
                files = sorted((GOLDEN / "wire" / wire / case).iterdir())
                found.append((wire, files, entry[wire].get("rows", [])))
    return found


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_each_cited_row_is_met(wire: str) -> None:
    """The place of a row stands in the very bytes that cite it, and no row is cited twice."""
    known = {row.id for row in rows_of(wire)}
    seen: list[str] = []
    for its, files, rows in cited():
        if its == wire and rows:
            met = set().union(*(rows_met(wire, file) for file in files))
            assert [] == [row for row in rows if row not in met & known], files[0].parent.name
            seen += rows
    assert len(set(seen)) == len(seen)
    assert len(seen) >= 40


def test_what_is_written_is_short_enough_to_read() -> None:
    """A person reads each difference, so no file that the library writes is long."""
    files = [path for path in (GOLDEN / "wire").rglob("*") if path.is_file()]
    assert len(files) >= 300
    assert [] == [path.name for path in files if path.stat().st_size > 8192]

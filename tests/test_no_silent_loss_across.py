"""Law 13 onto every wire: each field of every accepted golden request, and of every golden turn, is written or told of.

docs/evidence.md has the counts; `python -m tools.silence --write` puts them there.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.golden_tools import GOLDEN, PROTOCOLS
from tests.silence_across import SPELLED_ALIKE, TOLD_BY, USED, Across, of_request, of_turn

EVIDENCE = (GOLDEN.parent / "docs/evidence.md").read_text(encoding="utf-8")
SOURCES = [*PROTOCOLS, "turn"]


def files(source: str) -> list[Path]:
    """The golden turns, or the requests of a wire that ask for an answer."""
    if source == "turn":
        return sorted(GOLDEN.glob("turns/*.json"))
    found = sorted(GOLDEN.glob(f"*/{source}/*/request.json"))
    return [path for path in found if "operation" not in origin(path)]


def origin(path: Path) -> dict[str, Any]:
    file = path.with_name("ORIGIN.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def tried(source: str, path: Path) -> dict[str, Across]:
    """One file onto each wire."""
    if source == "turn":
        return of_turn(path.read_bytes())
    headers = [(name, value) for name, value in origin(path).get("headers", [])]
    return of_request(source, path.read_bytes(), headers)


def told(source: str, target: str) -> list[int]:
    """What the page says was tried."""
    title = f"{source} requests" if source != "turn" else "neutral turns"
    (row,) = re.findall(rf"^\| {title} \| {target} \|(.*)\|$", EVIDENCE, re.MULTILINE)
    return [int(cell.replace(",", "")) for cell in row.split("|")]


@pytest.mark.parametrize("source", SOURCES)
def test_no_field_goes_silently_onto_any_wire(source: str) -> None:
    """The bytes or the reported losses differ, or it is refused, or a row or a table says why not."""
    sums = {target: Across() for target in PROTOCOLS}
    wholes = dict.fromkeys(PROTOCOLS, 0)
    for path in files(source):
        for target, across in tried(source, path).items():
            assert [] == across.lost, path.relative_to(GOLDEN)
            sums[target].add(across)
            wholes[target] += 1
    for target, across in sums.items():
        page = told(source, target)
        assert (page[0], page[1], page[-1]) == (wholes[target], across.tried, 0)
    entries = {(source, place, loss) for place, loss in TOLD_BY.get(source, [])}
    entries |= {(source, *entry[:3]) for entry in SPELLED_ALIKE[source]}
    assert set() == entries - USED, "no entry excuses what never happens"


def test_what_shows_nothing_has_its_reason() -> None:
    """Each in words, and each place once for what is done to it and onto which wire."""
    for entries in SPELLED_ALIKE.values():
        assert all(reason for *_, reason in entries)
        assert len({entry[:3] for entry in entries}) == len(entries)


def test_all_of_golden_is_tried() -> None:
    """On each wire, and as turns."""
    assert {"turn": 42} == {"turn": len(files("turn"))}
    assert [] == [wire for wire in PROTOCOLS if len(files(wire)) < 50]

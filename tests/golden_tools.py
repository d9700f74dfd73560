"""Where golden/ lies, what its index says, and what the tests over it share.

`python -m tests.golden_tools <file of golden/wire or golden/recorded>...` prints the rows that each file meets.
"""

import json
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension

from llm_projections.model.binding import Binding
from llm_projections.model.document import from_document
from llm_projections.model.items import Protocol
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._rows import Table
from tests.spec_tools import rows_of

__all__ = [
    "GOLDEN",
    "GoldenFile",
    "PROTOCOLS",
    "binding",
    "file_at",
    "frames",
    "index",
    "rows_met",
    "section_of",
    "turn",
]

GOLDEN = Path(__file__).parent.parent / "golden"
PROTOCOLS = {protocol.short: protocol for protocol in Protocol}


@cache
def index() -> dict[str, Any]:
    """What golden/INDEX.toml says."""
    return tomllib.loads((GOLDEN / "INDEX.toml").read_text(encoding="utf-8"))


@cache
def binding(name: str) -> Binding:
    """A binding of golden/bindings."""
    found = from_document((GOLDEN / "bindings" / f"{name}.json").read_bytes())
    assert isinstance(found, Binding)
    return found


@cache
def turn(name: str) -> TurnRequest:
    """A turn of golden/turns."""
    found = from_document((GOLDEN / "turns" / f"{name}.json").read_bytes())
    assert isinstance(found, TurnRequest)
    return found


class GoldenFile(SingleFileSnapshotExtension):
    """One file of golden/wire, bytes as they are.

    The tool may compare and, when told to, write this one file. It finds no other and deletes none: which files
    there must be is what INDEX.toml says.
    """

    at: Path

    @classmethod
    def dirname(cls, *, test_location: Any) -> str:
        """The folder of the case."""
        return str(cls.at.parent)

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:
        """The name without its ending: any other would count as a file of its own."""
        return cls.at.stem

    def discover_snapshots(self, **_: Any) -> SnapshotCollections:
        """Nothing, so that nothing is ever unused."""
        return SnapshotCollections()

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: set[str]) -> None:
        """Never: what others wrote by hand lies beside."""
        raise AssertionError(f"{snapshot_location} is not this tool's to delete")


def file_at(path: Path) -> type[GoldenFile]:
    """The snapshot of exactly this file."""
    return type("_File", (GoldenFile,), {"at": path, "file_extension": path.suffix[1:]})


def frames(stream: bytes) -> Iterator[Any]:
    """The payloads of a stream, in order."""
    for line in stream.splitlines():
        if line.startswith(b"data:") and line[5:].strip() not in (b"[DONE]", b""):
            yield json.loads(line[5:])


@cache
def _table(wire: str) -> Table:
    return Table(rows_of(wire))


def section_of(path: Path) -> str:
    """What a file of a case is: a request, a whole answer, a stream or an error."""
    return {"request": "request", "answer": "response", "error": "error"}[path.stem]


def rows_met(wire: str, path: Path) -> set[str]:
    """The ids of the rows whose places occur in a file."""
    data = path.read_bytes()
    section = section_of(path)
    if path.suffix != ".sse":
        return set(_rows(wire, section, json.loads(data)))
    found: set[str] = set()
    for payload in frames(data):
        kind = payload.get("type") if isinstance(payload, dict) else None
        found |= set(_rows(wire, "chunk" if wire == "chat" else f"event.{kind}", payload))
    return found


def _rows(wire: str, place: str, value: Any) -> Iterator[str]:
    """The row of a place and of every place below it; a tag of the value itself names its variant."""
    table = _table(wire)
    row = table.match(place)
    if row is not None:
        yield row.id
    if isinstance(value, list):
        for element in value:
            yield from _rows(wire, f"{place}[]", element)
    elif isinstance(value, dict):
        tags = [value[key] for key in ("role", "type") if isinstance(value.get(key), str)]
        places = [place, *(f"{place}<{tag}>" for tag in tags if _plain(tag))]
        for each in places[1:]:
            variant = table.match(each)
            if variant is not None:
                yield variant.id
        for key, inner in value.items():
            if _plain(key):
                for each in places:
                    yield from _rows(wire, f"{each}.{key}", inner)


def _plain(word: str) -> bool:
    return bool(word) and not set(word) & set(".[]{}<>|*")


def _main() -> None:
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        wire = path.relative_to(GOLDEN).parts[1]
        print(name, *sorted(rows_met(wire, path)), sep="\n  ")


if __name__ == "__main__":
    _main()

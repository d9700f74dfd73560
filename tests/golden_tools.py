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
from llm_projections.wires._rows import Row, Table
from tests.spec_tools import rows_of

__all__ = [
    "GOLDEN",
    "HOMES",
    "PROTOCOLS",
    "GoldenFile",
    "binding",
    "file_at",
    "frames",
    "index",
    "rows_at",
    "rows_below",
    "rows_met",
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
    def dirname(cls, **_: Any) -> str:
        """The folder of the case."""
        return str(cls.at.parent)

    @classmethod
    def get_snapshot_name(cls, **_: Any) -> str:
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


@cache
def _row(wire: str, path: str) -> Row | None:
    """The row of a place; the same places come again in every file."""
    return _table(wire).match(path)


# What an event holds of something that has rows of its own: by event and key, where those rows begin.
HOMES: dict[tuple[str, str | None, str | int], str] = {
    ("messages", "message_start", "message"): "response",
    ("messages", "content_block_start", "content_block"): "response.content[]",
    ("responses", None, "response"): "response",
    ("responses", None, "item"): "response.output[]",
    ("responses", None, "part"): "response.output[]<message>.content[]",
}


def rows_at(wire: str, section: str, body: Any, place: tuple[str | int, ...]) -> list[Row]:
    """The rows that speak for a place of a body: of the place itself, and of what an event holds there."""
    found = list(_along(wire, [section], body, place))
    if section.startswith("event.") and len(place) > 1:
        for kind in (section.removeprefix("event."), None):
            home = HOMES.get((wire, kind, place[0]))
            if home is not None:
                inner = body[place[0]]
                found += _along(wire, _variants(home, inner), inner, place[1:])
    return found


def _along(wire: str, paths: list[str], value: Any, place: tuple[str | int, ...]) -> Iterator[Row]:
    for step in place:
        if isinstance(step, int):
            paths = [f"{path}[]" for path in paths]
        elif not _plain(step):
            paths = [f"{path}{{}}" for path in paths]
        else:
            paths = [f"{each}.{step}" for path in paths for each in _variants(path, value)]
        value = value[step]
    rows = (_row(wire, path) for path in paths)
    yield from (row for row in rows if row is not None)


# The variant of a value that has no tag.
_UNTAGGED = {"request.tools[]": "custom"}


def _variants(path: str, value: Any) -> list[str]:
    """A place, and as the variant that a tag of its value names."""
    tags = [value.get(key) for key in ("role", "type")] if isinstance(value, dict) else []
    if tags == [None, None]:
        tags = [_UNTAGGED.get(path)]
    return [path, *(f"{path}<{tag}>" for tag in tags if isinstance(tag, str) and _plain(tag))]


def rows_met(wire: str, path: Path) -> set[str]:
    """The ids of the rows whose places occur in a file."""
    data = path.read_bytes()
    if path.suffix != ".sse":
        section = {"request": "request", "answer": "response", "error": "error"}[path.stem]
        return set(rows_below(wire, section, json.loads(data)))
    found: set[str] = set()
    for payload in frames(data):
        kind = payload.get("type") if isinstance(payload, dict) else None
        found |= set(rows_below(wire, "chunk" if wire == "chat" else f"event.{kind}", payload))
    return found


def rows_below(wire: str, place: str, value: Any) -> Iterator[str]:
    """The row of a place and of every place below it; a tag of the value itself names its variant."""
    for each in _variants(place, value):
        row = _row(wire, each)
        if row is not None:
            yield row.id
    if isinstance(value, list):
        for element in value:
            yield from rows_below(wire, f"{place}[]", element)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if _plain(key):
                for each in _variants(place, value):
                    yield from rows_below(wire, f"{each}.{key}", inner)


def _plain(word: str) -> bool:
    return bool(word) and not set(word) & set(".[]{}<>|*")


def _main() -> None:
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        wire = path.relative_to(GOLDEN).parts[1]
        print(name, *sorted(rows_met(wire, path)), sep="\n  ")


if __name__ == "__main__":
    _main()

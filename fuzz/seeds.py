"""What the fuzzer starts from: the golden files, and any folder of recorded traffic."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .inputs import HEAD, SPLIT

__all__ = ["GOLDEN", "seeds", "words", "write"]

GOLDEN = Path(__file__).parent.parent / "golden"

# everything in one go, and cut into small pieces of odd sizes
_HEADS = [bytes(4) + bytes([255] * 6), bytes(4) + bytes([7, 1, 64, 3, 0, 13])]
_LARGEST = 24_000


def _files(folder: Path, *endings: str) -> list[Path]:
    found = (path for path in sorted(folder.rglob("*")) if path.name.endswith(endings))
    return [path for path in found if path.is_file() and path.stat().st_size <= _LARGEST]


def _of(folder: Path, wire: str, *endings: str) -> Iterator[bytes]:
    """The contents of the files that lie in a folder named for the wire."""
    for path in _files(folder, *endings):
        if wire in path.relative_to(folder).parts:
            yield path.read_bytes()


def _requests(folder: Path, wire: str) -> Iterator[bytes]:
    for body in _of(folder, wire, ".json"):
        try:
            value = json.loads(body)
        except ValueError:
            yield body
            continue
        if not isinstance(value, dict) or not {"messages", "input"}.isdisjoint(value):
            yield body


def _bodies(folder: Path, wire: str) -> Iterator[bytes]:
    for body in _of(folder, wire, ".json"):
        if not any(key in body[:4000] for key in (b'"messages"', b'"input"')):
            yield body


_WIRES = ("chat", "messages", "responses")


def _bare(target: str, folder: Path) -> Iterator[bytes]:
    kind, _, wire = target.partition("_")
    if kind == "stream":
        yield from _of(folder, wire, ".sse")
    elif kind == "ingest":
        yield from _requests(folder, wire)
    elif kind == "documents":
        if folder == GOLDEN:
            yield from (path.read_bytes() for path in _files(folder / "turns", ".json"))
            yield from (path.read_bytes() for path in _files(folder / "bindings", ".json"))
            yield from _outcomes()
    else:
        for wire in _WIRES:
            yield from _mixed(kind, folder, wire)


def _mixed(kind: str, folder: Path, wire: str) -> Iterator[bytes]:
    if kind == "framing":
        yield from _of(folder, wire, ".sse")
    elif kind == "bodies":
        head = b"content-type:application/json\nretry-after:3"
        yield from (head + SPLIT + body for body in _bodies(folder, wire))
    else:
        answers = list(_of(folder, wire, ".sse"))
        for at, request in enumerate(_requests(folder, wire)):
            if answers:
                yield request + SPLIT + answers[at % len(answers)]


def _outcomes() -> Iterator[bytes]:
    """The outcomes of the golden streams, as documents."""
    from llm_projections import Protocol, TurnCompleted, to_document, wire

    from .inputs import binding_of

    for protocol in Protocol:
        for data in _of(GOLDEN, protocol.short, ".sse"):
            last = list(wire(protocol).decode_stream([data], binding_of(protocol)))[-1]
            if isinstance(last, TurnCompleted):
                yield to_document(last.outcome)


# the first choices that a seed is tried with: the wire, or both wires, and what a body is read as
_FIRST = {"bodies": range(6), "exchange": (0, 4, 8), "framing": (0, 3, 7, 11)}


def seeds(target: str, folders: list[Path]) -> Iterator[bytes]:
    """Every seed of a target; where the target chooses the wire, each is tried on all of them."""
    for folder in folders:
        for at, body in enumerate(_bare(target, folder)):
            for first in _FIRST.get(target, (0,)):
                head = bytearray(_HEADS[at % 2])
                head[0] = first
                yield bytes(head) + body


def write(target: str, folders: list[Path], into: Path) -> int:
    """Writes the seeds below `into`, each once; how many there are."""
    into.mkdir(parents=True, exist_ok=True)
    found = {hashlib.sha256(seed).hexdigest(): seed for seed in seeds(target, folders)}
    for name, seed in found.items():
        (into / name).write_bytes(seed)
    return len(found)


def words() -> list[Any]:
    """The keys and short words of the golden files: what a change may put in."""
    found: set[str] = set()
    for path in _files(GOLDEN, ".json", ".sse"):
        for line in path.read_bytes().split(b"\n"):
            try:
                value = json.loads(line.removeprefix(b"data: "))
            except ValueError:
                continue
            found.update(_words_of(value))
    return sorted(found)


def _words_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if len(key) <= 40:
                yield key
            yield from _words_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words_of(inner)
    elif isinstance(value, str) and len(value) <= 24:
        yield value


assert HEAD == len(_HEADS[0])

"""What a stream costs as it grows: the time an event must not depend on how many there are."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import median
from typing import Any

from tests.bench import corpus
from tests.bench.bindings import binding_for
from tests.bench.harness import sample
from tests.bench.streams import STREAMS
from tests.helpers import chunked

TIMES = (1, 2, 4, 8, 16)
# what each candidate of a row has 1 to 16 times
EVENTS, FRAGMENTS, TEXT = 1000, 1000, 256 << 10


@dataclass(frozen=True)
class Growth:
    """One row: a run of every size, and how many units each handles."""

    name: str
    unit: str
    runs: tuple[tuple[Callable[[], object], int], ...]


@dataclass(frozen=True)
class Grown:
    """Seconds a unit, of every size: medians."""

    growth: Growth
    seconds: tuple[float, ...]

    @property
    def last(self) -> float:
        """The time of a unit at the largest size, to that at the smallest."""
        return self.seconds[-1] / self.seconds[0]


def growths() -> Iterator[Growth]:
    """Every row."""
    for wire in corpus.WIRES:
        for cut in ("16k", "event"):
            yield _row(f"growth.{wire}.text.{cut}", "event", wire, cut, "text", EVENTS)
        yield _row(f"growth.{wire}.calls.16k", "fragment", wire, "16k", "tools", 5 * FRAGMENTS)
        runs = tuple(
            (partial(_fed, wire, chunked(_giant(wire, TEXT * times), 1024)), times * TEXT >> 10)
            for times in TIMES
        )
        yield Growth(f"growth.{wire}.giant", "KiB", runs)


def _row(name: str, unit: str, wire: str, cut: str, kind: str, count: int) -> Growth:
    runs: list[tuple[Callable[[], object], int]] = []
    for times in TIMES:
        events = STREAMS[wire](kind, count * times)
        chunks = events if cut == "event" else chunked(b"".join(events), 16 << 10)
        runs.append((partial(_fed, wire, chunks), count * times))
    return Growth(name, unit, tuple(runs))


def _fed(wire: str, chunks: Sequence[bytes]) -> None:
    """A decode as far as the chunks go."""
    package: Any = importlib.import_module(f"llm_projections.{wire}")
    decoder = package.StreamDecoder(_bound(wire))
    last: Any = ()
    for chunk in chunks:
        last = decoder.feed(chunk) or last
    if type(last[-1]).__name__ == "TurnFailed":
        raise AssertionError(f"the {wire} stream was not read: {last[-1]!r}")


@cache
def _bound(wire: str) -> Any:
    """The binding, which digests itself once: that would make the small sizes look slow."""
    return binding_for(wire)


def _giant(wire: str, size: int) -> bytes:
    """A stream up to its first text, which takes so many bytes in one event."""
    mark = {"chat": b'"content":"', "messages": b'_delta","text":"', "responses": b'"delta":"'}[
        wire
    ]
    events = STREAMS[wire]("text", 3)
    first = next(
        at for at, event in enumerate(events) if mark in event and mark + b'"' not in event
    )
    return b"".join(events[:first]) + events[first].replace(mark, mark + b"x" * size, 1)


def measure(growth: Growth, rounds: int) -> Grown:
    """Times every size in so many rounds, after one that warms up."""
    times: list[list[float]] = [[] for _ in growth.runs]
    for number in range(rounds + 1):
        for kept, (run, units) in zip(times, growth.runs, strict=True):
            taken = sample(run) / units
            if number:
                kept.append(taken)
    return Grown(growth, tuple(map(median, times)))


def table(grown: Sequence[Grown]) -> str:
    """The rows as a Markdown table: microseconds a unit."""
    sizes = " | ".join(f"{times}x" for times in TIMES)
    lines = [f"| what grows | unit | {sizes} | last/first |", f"|---|---|{'---:|' * 6}"]
    for row in grown:
        cells = " | ".join(f"{seconds * 1e6:.2f}" for seconds in row.seconds)
        lines.append(f"| {row.growth.name} | {row.growth.unit} | {cells} | {row.last:.2f} |")
    return "\n".join(lines)

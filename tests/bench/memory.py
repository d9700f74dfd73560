"""What a decoder holds while a long stream of deltas runs through it."""

from __future__ import annotations

import gc
import importlib
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from llm_projections import Limits
from tests.bench import corpus
from tests.bench.bindings import binding_for
from tests.bench.streams import STREAMS

STREAM = 64 << 20
_DELTA = {"chat": b'"content":"', "messages": b"text_delta", "responses": b"output_text.delta"}


@dataclass(frozen=True)
class Held:
    """Bytes: of the text so far, at most beside it, and of one delta's event where all are kept."""

    name: str
    text: int
    beside: int
    kept: float = 0.0


def measure(wire: str, size: int = STREAM) -> Held:
    """Feeds so many bytes of deltas, one event a chunk, and asks for what was said."""
    package: Any = importlib.import_module(f"llm_projections.{wire}")
    binding = binding_for(wire)
    decoder = package.StreamDecoder(binding, limits=Limits(stream_bytes=2 * size))
    chunks = _stream(wire, size)
    decoder.feed(next(chunks))
    gc.collect()
    tracemalloc.start()
    try:
        for chunk in chunks:
            decoder.feed(chunk)
        (said,) = decoder.snapshot().open_items
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    text = sys.getsizeof(said.text)
    return Held(f"memory.{wire}", text, peak - text, kept(wire))


def kept(wire: str, count: int = 4000) -> float:
    """Bytes that each event of a stream of so many deltas takes while a consumer keeps them all."""
    package: Any = importlib.import_module(f"llm_projections.{wire}")
    chunks = STREAMS[wire]("text", count)[:-4]
    decoder = package.StreamDecoder(binding_for(wire))
    gc.collect()
    tracemalloc.start()
    try:
        events = [event for chunk in chunks for event in decoder.feed(chunk)]
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return taken / len(events)


def _stream(wire: str, size: int) -> Iterator[bytes]:
    events = STREAMS[wire]("text", 60)
    deltas = [at for at, event in enumerate(events) if _DELTA[wire] in event]
    yield from events[: deltas[1]]
    left = size
    for event in cycle(events[deltas[1] : deltas[-1] + 1]):
        yield event
        left -= len(event)
        if left <= 0:
            return


def table(held: Sequence[Held]) -> str:
    """The results as a Markdown table."""
    lines = [
        "| stream | text held, MiB | beside it at most, MiB | a kept event, bytes |",
        "|---|---:|---:|---:|",
    ]
    for each in held:
        text, beside = each.text / 2**20, each.beside / 2**20
        lines.append(f"| {each.name} | {text:.2f} | {beside:.2f} | {each.kept:.0f} |")
    return "\n".join(lines)


def every() -> Iterator[Held]:
    """One row a wire."""
    return map(measure, corpus.WIRES)

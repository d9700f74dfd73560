"""Law 10 at sizes of 1, 2, 4 and 8: the work of each job, counted in lines of Python and in CPU time."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from llm_projections import (
    ItemCompleted,
    Protocol,
    ResponseStarted,
    Text,
    TextDelta,
    ToolArgumentsDelta,
    ToolCall,
    ToolCallStarted,
    ToolResult,
    TurnRequest,
    UserMessage,
    wire,
)
from tests.everything import BINDINGS, IDENTITY, MODEL, SHAPE
from tests.helpers import chunked
from tests.work import work

__all__ = ["Grown", "every", "table"]

TIMES = (1, 2, 4, 8)
# Lines are the same in every run: what is done once makes them grow less than their input.
_MOST_LINES = 1.15 * TIMES[-1]
# Time on a machine that does other things too: a square would give 64 and more.
_MOST_TIME = 2.5 * TIMES[-1]
_ROUNDS = 3

Job = Callable[[], object]


@dataclass(frozen=True)
class Grown:
    """Lines and seconds of one job at each size."""

    name: str
    lines: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def linear(self) -> bool:
        """Whether eight times the input is eight times the work."""
        return (
            self.lines[-1] <= _MOST_LINES * self.lines[0]
            and self.seconds[-1] <= _MOST_TIME * self.seconds[0]
        )


def _fed(protocol: Protocol, chunks: Iterable[bytes]) -> None:
    decoder = wire(protocol).StreamDecoder(BINDINGS[protocol])
    for chunk in chunks:
        decoder.feed(chunk)
    decoder.close()


def _stream(protocol: Protocol, events: Iterable[Any]) -> bytes:
    stream = wire(protocol).IngressStream(IDENTITY, SHAPE)
    return b"".join(map(stream.encode, [ResponseStarted("id", "m"), *events]))


def _texts(size: int) -> Iterator[Any]:
    return (TextDelta(f"word {at:06} ", 0) for at in range(size))


def _one_call(size: int) -> Iterator[Any]:
    yield ToolCallStarted("c", "f", 0)
    yield ToolArgumentsDelta("c", '{"a":"', 0)
    yield from (ToolArgumentsDelta("c", f"piece {at:06} ", 0) for at in range(size))
    yield ToolArgumentsDelta("c", '"}', 0)


def _many_calls(size: int) -> Iterator[Any]:
    for at in range(size // 4):
        yield ToolCallStarted(f"c{at}", "f", at)
        yield ToolArgumentsDelta(f"c{at}", "{}", at)
        yield ItemCompleted(ToolCall(f"c{at}", "f", "{}"), at)


def _turn(size: int) -> TurnRequest:
    items: list[Any] = []
    for at in range(size // 4):
        call = ToolCall(f"c{at}", "f", f'{{"n":{at}}}')
        items += [UserMessage((Text(f"u{at}"),)), call, ToolResult(f"c{at}", (Text("r" * 40),))]
    return TurnRequest(MODEL, tuple(items))


def _jobs(protocol: Protocol, size: int) -> Iterator[tuple[str, Job]]:
    """Every job over an input of this size."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    for name, events in (("texts", _texts), ("one call", _one_call), ("many calls", _many_calls)):
        stream = _stream(protocol, events(size))
        for cut in (64 << 10, 1000, 1):
            # a byte a chunk takes long, and is as long for less
            data = stream if cut > 1 else stream[: len(stream) // 8]
            chunks = chunked(data, cut)
            yield f"decode {name}, pieces of {cut}", partial(_fed, protocol, chunks)
        told = list(events(size))
        yield f"encode {name}", partial(_stream, protocol, told)
    long = b"data: " + b"x" * (size * 50)
    yield "decode a line without an end", partial(_fed, protocol, chunked(long, 100))
    lines = b"data: x\n" * (size * 2)
    yield "decode lines without an event", partial(_fed, protocol, chunked(lines, 100))
    quoted = json.dumps({"a": '\\",[{' * size}).encode()
    yield "decode a body of escapes", partial(_fed, protocol, chunked(quoted, 100))
    turn = _turn(size)
    body = jobs.encode_request(turn, binding)
    yield "encode a request", partial(jobs.encode_request, turn, binding)
    yield "ingest a request", partial(jobs.ingest_request, body)


def _timed(job: Job) -> float:
    gc.collect()
    began = time.process_time()
    job()
    return time.process_time() - began


def every(lines_at: int = 100, time_at: int = 1000) -> Iterator[Grown]:
    """Each job on each wire, its lines at small sizes and its time at larger ones."""
    for protocol in Protocol:
        counted = [dict(_jobs(protocol, lines_at * times)) for times in TIMES]
        timed = [dict(_jobs(protocol, time_at * times)) for times in TIMES]
        for name in counted[0]:
            taken = [min(_timed(each[name]) for _ in range(_ROUNDS)) for each in timed]
            lines = [work(each[name]) for each in counted]
            yield Grown(f"{protocol.short}: {name}", tuple(lines), tuple(taken))


def table(grown: Iterable[Grown]) -> str:
    """The results as a Markdown table: how often the work of the smallest size is done."""
    lines = [
        "| what grows | lines at 2x | 4x | 8x | CPU time at 2x | 4x | 8x |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for each in grown:
        counts = [f"{count / each.lines[0]:.2f}" for count in each.lines[1:]]
        times = [f"{taken / each.seconds[0]:.1f}" for taken in each.seconds[1:]]
        lines.append(f"| {each.name} | {' | '.join(counts + times)} |")
    return "\n".join(lines)

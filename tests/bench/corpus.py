"""What is measured: streams and bodies of each wire, the same in every run.

Streams of 2,000 deltas (text, five calls of 400 fragments, reasoning); bodies of 20 messages and of
400 messages in about 1 MB, as canonical compact JSON and with spaces.
"""

import json
from functools import cache

import orjson

from tests.bench.bodies import BODIES, history
from tests.bench.streams import KINDS, STREAMS
from tests.helpers import chunked

WIRES = ("chat", "messages", "responses")
EVENTS = 2000
SIZES = {20: 170_000, 400: 1_050_000}
GROWTH = (100, 200, 400, 800)

# 16 KiB is what a proxy or a busy socket gives, one event what a live model gives, one byte the
# worst that any peer can do; that one takes a tenth of the stream, because it is slow for everyone.
CUTS = ("16k", "event", "byte")

__all__ = [
    "CUTS",
    "EVENTS",
    "GROWTH",
    "KINDS",
    "SIZES",
    "WIRES",
    "body",
    "chunks",
    "events",
    "grown",
    "spaced",
]


@cache
def events(wire: str, kind: str, count: int = EVENTS) -> tuple[bytes, ...]:
    """The frames of one stream."""
    return tuple(STREAMS[wire](kind, count))


@cache
def chunks(wire: str, kind: str, cut: str) -> tuple[bytes, ...]:
    """One stream, cut in one of the three ways."""
    if cut == "event":
        return events(wire, kind)
    if cut == "byte":
        return tuple(chunked(b"".join(events(wire, kind, EVENTS // 10)), 1))
    return tuple(chunked(b"".join(events(wire, kind)), 16 << 10))


@cache
def body(wire: str, count: int) -> bytes:
    """One request body of about so many messages, as compact JSON."""
    return orjson.dumps(BODIES[wire](history(count, SIZES[count])))


@cache
def grown(wire: str, count: int) -> bytes:
    """The body of a conversation after so many messages, each as long as in the others."""
    return orjson.dumps(BODIES[wire](history(count, 100_000 + 2_400 * count)))


@cache
def spaced(wire: str, count: int) -> bytes:
    """The same body as Python's own writer spells it: spaces, and escapes for all but ASCII."""
    return json.dumps(orjson.loads(body(wire, count))).encode()

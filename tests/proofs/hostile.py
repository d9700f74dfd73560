"""What a peer sends that means harm, without end or far past every bound, in chunks of which none is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from typing import Any

from llm_projections import (
    Limits,
    Protocol,
    Refusal,
    RequestRefused,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnFailed,
    wire,
)
from tests.everything import BINDINGS, IDENTITY, SHAPE

__all__ = ["HOSTILE", "MIB", "SPARE", "Hostile"]

MIB = 1 << 20
SPARE = 32 * MIB
_GIB = 1 << 30
_CHUNK = 64 << 10
_LIMITS = Limits()


@dataclass(frozen=True)
class Hostile:
    """One attack: what it sends, what refuses that, and the bound that the memory for it is held to.

    A body is the caller's, who has it before it is read; a stream is made while it is fed.
    """

    name: str
    limit: int
    make: Callable[[], Any]
    refuse: Callable[[Any], Refusal]


def _refused(protocol: Protocol, chunks: Iterable[bytes], limits: Limits = _LIMITS) -> Refusal:
    """Feeds the chunks until the decoder has enough of them."""
    decoder = wire(protocol).StreamDecoder(BINDINGS[protocol], limits=limits)
    last: Any = None
    for chunk in chunks:
        events = decoder.feed(chunk)
        if events:
            last = events[-1]
        if decoder.done:
            break
    else:
        last = decoder.close()[-1]
    if not isinstance(last, TurnFailed):
        raise AssertionError(f"not refused: {last!r:.200}")
    return last.error


def _ingested(protocol: Protocol, body: bytes) -> Refusal:
    try:
        wire(protocol).ingest_request(body)
    except RequestRefused as error:
        return error
    raise AssertionError("a hostile body was read")


# streams


def _without_end(lead: bytes, unit: bytes, size: int = _GIB) -> Iterator[bytes]:
    """`lead`, then `unit` over and over in chunks of some 64 KiB, each the same object."""
    chunk = unit * max(1, _CHUNK // len(unit))
    return chain([lead], repeat(chunk, size // len(chunk) + 1))


def _begun(protocol: Protocol) -> tuple[bytes, Any]:
    stream = wire(protocol).IngressStream(IDENTITY, SHAPE)
    return stream.encode(ResponseStarted("id", "m")), stream


def _texts(protocol: Protocol, text: str) -> Iterator[bytes]:
    lead, stream = _begun(protocol)
    lead += stream.encode(TextDelta(text, 0))
    return _without_end(lead, stream.encode(TextDelta(text, 0)))


def _fragments(protocol: Protocol) -> Iterator[bytes]:
    """A million pieces of one call's arguments."""
    lead, stream = _begun(protocol)
    lead += stream.encode(ToolCallStarted("call_1", "f", 0))
    lead += stream.encode(ToolArgumentsDelta("call_1", '{"a":"', 0))
    unit = stream.encode(ToolArgumentsDelta("call_1", "seventeen letters", 0))
    return _without_end(lead, unit, len(unit) * 1_000_000)


def _smallest(protocol: Protocol, _nothing: None) -> Refusal:
    """Ten million events with one letter each, let through by a limit of their size."""
    lead, stream = _begun(protocol)
    lead += stream.encode(TextDelta("x", 0))
    unit = stream.encode(TextDelta("x", 0))
    size = len(unit) * 10_000_000
    return _refused(protocol, _without_end(lead, unit, size), Limits(stream_bytes=size + MIB))


def _unknown(protocol: Protocol) -> Iterator[bytes]:
    """A million events that nobody publishes: each would be kept."""
    lead, _ = _begun(protocol)
    unit = b'data: {"type":"x","choices":[{"index":0,"delta":{"y":[1]}}]}\n\n'
    return _without_end(lead, unit, len(unit) * 1_000_000)


def _items(protocol: Protocol) -> Iterator[bytes]:
    """Calls without end, each begun and never finished."""
    yield _begun(protocol)[0]
    at = 0
    while True:
        yield b"".join(_call_begun(protocol, index) for index in range(at, at + 100))
        at += 100


def _call_begun(protocol: Protocol, index: int) -> bytes:
    call = {"name": "f", "arguments": ""}
    told: dict[str, Any]
    if protocol is Protocol.CHAT:
        entry = {"index": index, "id": f"c{index}", "type": "function", "function": call}
        told = {"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}
    elif protocol is Protocol.MESSAGES:
        block = {"type": "tool_use", "id": f"c{index}", "name": "f", "input": {}}
        told = {"type": "content_block_start", "index": index, "content_block": block}
    else:
        item = {"type": "function_call", "id": f"i{index}", "call_id": f"c{index}", **call}
        told = {"type": "response.output_item.added", "output_index": index, "item": item}
    return b"data: " + json.dumps(told).encode() + b"\n\n"


def _nested(protocol: Protocol, deep: int) -> Iterator[bytes]:
    lead, _ = _begun(protocol)
    inner = b"[" * deep + b"]" * deep
    yield lead
    yield b'data: {"type":"response.in_progress","choices":[],"x":' + inner + b"}\n\n"
    yield b'data: {"type":"content_block_start","index":0,"content_block":' + inner + b"}\n\n"


_CALL_ENDS = {
    Protocol.CHAT: b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n',
    Protocol.MESSAGES: b'data: {"type":"content_block_stop","index":0}\n\n',
    Protocol.RESPONSES: b'data: {"type":"response.completed","response":{"output":[]}}\n\n',
}


def _nested_arguments(protocol: Protocol, deep: int) -> Iterator[bytes]:
    lead, stream = _begun(protocol)
    yield lead + stream.encode(ToolCallStarted("call_1", "f", 0))
    for text in ('{"a":', "[" * deep, "]" * deep, "}"):
        yield stream.encode(ToolArgumentsDelta("call_1", text, 0))
    yield _CALL_ENDS[protocol]


_COMMENT = b": " + b"comment " * 32 + b"\n\n"

# bodies

_MESSAGE = {
    Protocol.CHAT: (b'"messages"', b'{"role":"user","content":"x"}'),
    Protocol.MESSAGES: (b'"messages"', b'{"role":"user","content":"x"}'),
    Protocol.RESPONSES: (b'"input"', b'{"role":"user","content":"x"}'),
}


def _million(protocol: Protocol) -> bytes:
    key, message = _MESSAGE[protocol]
    return _listed(b"{%s:[" % key, message, 1_000_000, b"]}")


def _most_read(protocol: Protocol) -> bytes:
    """Messages with as many values as a body may have: they are read, and are too many items."""
    key, message = _MESSAGE[protocol]
    return _listed(b"{%s:[" % key, message, _LIMITS.request_bytes // 128 // 3, b"]}")


def _million_parts(protocol: Protocol) -> bytes:
    lead = b'{%s:[{"role":"user","content":[' % _MESSAGE[protocol][0]
    return _listed(lead, b'{"type":"text","text":"x"}', 1_000_000, b"]}]}")


def _densest(protocol: Protocol) -> bytes:
    """As many values as the largest body can hold."""
    lead = b'{%s:[],"metadata":[' % _MESSAGE[protocol][0]
    return _listed(lead, b"{}", 22_000_000, b"]}")


def _listed(lead: bytes, element: bytes, count: int, end: bytes) -> bytes:
    """One body, put together without a second copy of it."""
    body = bytearray(lead)
    body += (element + b",") * (count - 1)
    return bytes(body + element + end)


def _deep(protocol: Protocol) -> bytes:
    key, _ = _MESSAGE[protocol]
    return b'{%s:[{"role":"user","content":%s}]}' % (key, b"[" * 100_000 + b"]" * 100_000)


def _hostile() -> Iterator[Hostile]:
    for protocol in Protocol:
        refuse = partial(_refused, protocol)
        for name, limit, chunks in _streams():
            yield Hostile(f"{protocol.short}.{name}", limit, partial(chunks, protocol), refuse)
        name = f"{protocol.short}.stream of 10 million events"
        yield Hostile(name, _LIMITS.stream_bytes, lambda: None, partial(_smallest, protocol))
        for name, body in _bodies():
            make, ingest = partial(body, protocol), partial(_ingested, protocol)
            yield Hostile(f"{protocol.short}.{name}", _LIMITS.request_bytes, make, ingest)


def _streams() -> Iterator[tuple[str, int, Callable[[Protocol], Iterable[bytes]]]]:
    whole, frame = _LIMITS.stream_bytes, _LIMITS.frame_bytes
    yield "stream of 1 GiB, texts", whole, lambda wire_: _texts(wire_, "letters " * 100)
    yield "stream of 1 GiB, comments", whole, lambda _: _without_end(b": x\n", _COMMENT)
    yield "stream of 1 GiB, one JSON body", whole, lambda _: _without_end(b'{"a":"', b"letters ")
    yield "stream of a million unknown events", whole, _unknown
    yield "stream of calls without end", whole, _items
    yield "line of 1 GiB without an end", frame, lambda _: _without_end(b"data: ", b"letters ")
    yield "call of a million fragments", _LIMITS.arguments_bytes, _fragments
    yield "event nested 100,000 deep", frame, lambda wire_: _nested(wire_, 100_000)
    yield "arguments nested 100,000 deep", frame, lambda wire_: _nested_arguments(wire_, 100_000)


def _bodies() -> Iterator[tuple[str, Callable[[Protocol], bytes]]]:
    yield "body of a million messages", _million
    yield "body of as many messages as are read", _most_read
    yield "body of a million parts", _million_parts
    yield "body of 22 million values", _densest
    yield "body nested 100,000 deep", _deep


HOSTILE = {each.name: each for each in _hostile()}

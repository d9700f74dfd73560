"""Blocks in the order in which they began, one open at a time.

Rules:
1. The first of the queue is open: what it says goes out at once. What the others say is held.
2. A call keeps the later ones waiting until it is whole, since its fragments belong together.
3. A text or thinking ends where something else begins, so that the client need not wait for it;
   when it goes on after that, it goes on in a block of its own.
"""

from __future__ import annotations

from collections import deque

from llm_projections._json import Json
from llm_projections.wires.messages.answer.blocks import Block
from llm_projections.wires.messages.answer.frames import (
    delta_frame,
    dump,
    event_frame,
    quoted,
    text_lead,
    text_of,
)

__all__ = ["Segment", "Segments", "whole_segment"]

# the delta that each streamed block says its text with, and where
_TEXT = {"text": "text_delta", "thinking": "thinking_delta"}
_SPOKEN = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_KEY = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


class Segment:
    """One block, on its way out.

    `start` is the block as it opens, `None` while that is not known; `splits` says that it may go on in another block,
    and `stop` is what its end says beside its index.
    """

    __slots__ = ("complete", "held", "lead", "splits", "start", "stop", "takes", "wire")

    def __init__(self, takes: str, start: dict[str, Json] | None) -> None:
        self.takes: str = takes
        self.start: dict[str, Json] | None = start
        self.splits: bool = takes != "input_json_delta"
        self.stop: dict[str, Json] = {}
        self.held: list[bytes | Json] = []
        self.complete: bool = False
        self.wire: int = -1
        self.lead: bytes = b""

    @property
    def open(self) -> bool:
        """Whether its start is written."""
        return self.wire >= 0


class Segments:
    """The blocks of one answer that are not closed yet."""

    def __init__(self) -> None:
        self._queue: deque[Segment] = deque()
        self._next = 0

    def add(self, segment: Segment) -> bytes:
        """Begin a block; what goes out now."""
        if self._queue and self._queue[-1].splits:
            self._queue[-1].complete = True
        self._queue.append(segment)
        return self.advance()

    def say(self, segment: Segment, text: str, path: str) -> bytes:
        """Text of a block; what goes out now."""
        data = quoted(text, path)
        if segment.open:
            return text_of(segment.lead, data)
        segment.held.append(data)
        return b""

    def delta(self, segment: Segment, delta: Json) -> bytes:
        """Any other delta of a block; what goes out now."""
        if segment.open:
            return delta_frame(segment.wire, delta)
        segment.held.append(delta)
        return b""

    def advance(self) -> bytes:
        """Open what can be opened and close what is complete."""
        out: list[bytes] = []
        while self._queue:
            first = self._queue[0]
            if not first.open:
                if first.start is None:
                    break
                out += self._opened(first, first.start)
            if not first.complete:
                break
            out.append(event_frame("content_block_stop", index=first.wire, **first.stop))
            self._queue.popleft()
        return b"".join(out)

    def finish(self) -> bytes:
        """Close everything: the answer ends."""
        for segment in self._queue:
            segment.complete = True
        return self.advance()

    def _opened(self, segment: Segment, start: dict[str, Json]) -> list[bytes]:
        index = segment.wire = self._next
        self._next += 1
        if segment.takes:
            segment.lead = text_lead(index, segment.takes, _KEY[segment.takes])
        out = [event_frame("content_block_start", index=index, content_block=start)]
        for held in segment.held:
            if isinstance(held, bytes):
                out.append(text_of(segment.lead, held))
            else:
                out.append(delta_frame(index, held))
        segment.held.clear()
        return out


def whole_segment(block: Block, path: str) -> Segment:
    """A block that is known whole, as its vendor streams it: opened empty, then filled."""
    payload = dict(block.payload)
    kind = payload.get("type")
    kind = kind if isinstance(kind, str) else ""
    segment = Segment("", payload)
    segment.splits = False
    segment.complete = True
    if kind in _TEXT:
        segment.takes = _TEXT[kind]
        _hold_text(segment, kind, payload, path)
    elif kind in _SPOKEN:
        segment.takes = "input_json_delta"
        _hold_input(segment, payload, block.arguments, path)
    segment.held += block.deltas
    segment.stop = block.beside
    return segment


def _hold_text(segment: Segment, kind: str, payload: dict[str, Json], path: str) -> None:
    said = payload.get(kind)
    payload[kind] = ""
    if isinstance(said, str) and said:
        segment.held.append(quoted(said, path))
    if kind == "thinking":
        signature = payload.get("signature")
        payload["signature"] = ""
        if signature:
            segment.held.append({"type": "signature_delta", "signature": signature})
    cited = payload.pop("citations", None)
    if isinstance(cited, list):
        segment.held += [{"type": "citations_delta", "citation": each} for each in cited]


def _hold_input(
    segment: Segment, payload: dict[str, Json], arguments: str | None, path: str
) -> None:
    given = payload.get("input")
    if arguments is None and isinstance(given, dict) and given:
        arguments = dump(given, path).decode()
        payload["input"] = {}
    if arguments:
        segment.held.append(quoted(arguments, path))

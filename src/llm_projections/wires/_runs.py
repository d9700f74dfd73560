"""Runs of deltas: one after the other, of one item, alike in all but their texts.

Nearly every payload of an answer is one more of a run. What is no more of it ends the run and is read
in full, and the next delta may begin another; so a run never outlives what it was begun in.
"""

from __future__ import annotations

from typing import Any, Protocol

from llm_projections import _json
from llm_projections.model.events import Event, ReasoningDelta, TextDelta, ToolArgumentsDelta
from llm_projections.sse import Frame, Framer

__all__ = ["Delta", "Run", "Runs", "Sized", "bytes_of"]

Delta = TextDelta | ReasoningDelta | ToolArgumentsDelta

# A run shorter than this has not paid for the proof of its shape, which takes as long as five deltas.
_PAID = 8
# Proofs that may fail, or not pay, before no more is tried: some servers write no two payloads alike.
_PROOFS = 4


class Sized(Protocol):
    """An item while it is being said, as far as a run adds to it."""

    size: int


class Run:
    """Where the next deltas go, and what they are: the first of them began the run."""

    __slots__ = ("_index", "_pieces", "taken")

    def __init__(self, index: int, pieces: list[str]) -> None:
        self._index: int = index
        self._pieces: list[str] = pieces
        self.taken = 0

    def take_one(self, text: str) -> Delta | None:
        """One more delta; None, and it is not taken, where it passes the limit of arguments."""
        self.taken += 1
        self._pieces.append(text)
        return TextDelta(text, self._index)

    def take(self, texts: list[str], events: list[Event]) -> bool:
        """More deltas; False where one passes the limit of arguments: those before it are taken."""
        index = self._index
        events += [TextDelta(text, index) for text in texts]
        self._pieces += texts
        self.taken += len(texts)
        return True


class _Thinking(Run):
    """A run of reasoning."""

    __slots__ = ("_summary",)

    def __init__(self, index: int, pieces: list[str], summary: bool) -> None:
        super().__init__(index, pieces)
        self._summary = summary

    def take_one(self, text: str) -> Delta | None:
        self.taken += 1
        self._pieces.append(text)
        return ReasoningDelta(text, self._index, self._summary)

    def take(self, texts: list[str], events: list[Event]) -> bool:
        index, summary = self._index, self._summary
        events += [ReasoningDelta(text, index, summary) for text in texts]
        self._pieces += texts
        self.taken += len(texts)
        return True


class _Arguing(Run):
    """A run of a call's arguments, of which `sized` may have `most` bytes."""

    __slots__ = ("_call_id", "_most", "_sized")

    def __init__(
        self, index: int, pieces: list[str], call_id: str, sized: Sized, most: int
    ) -> None:
        super().__init__(index, pieces)
        self._call_id, self._sized, self._most = call_id, sized, most

    def take_one(self, text: str) -> Delta | None:
        self.taken += 1
        sized = self._sized
        sized.size += len(text) if text.isascii() else len(text.encode())
        if sized.size > self._most:
            return None
        self._pieces.append(text)
        return ToolArgumentsDelta(self._call_id, text, self._index)

    def take(self, texts: list[str], events: list[Event]) -> bool:
        size = bytes_of("".join(texts))
        if self._sized.size + size > self._most:
            for text in texts:
                event = self.take_one(text)
                if event is None:
                    return False
                events.append(event)
            return True
        self._sized.size += size
        call_id, index = self._call_id, self._index
        events += [ToolArgumentsDelta(call_id, text, index) for text in texts]
        self._pieces += texts
        self.taken += len(texts)
        return True


def _run_of(example: Event, pieces: list[str], sized: Sized, most: int) -> Run:
    """The run that `example` begins."""
    match example:
        case TextDelta():
            return Run(example.index, pieces)
        case ReasoningDelta():
            return _Thinking(example.index, pieces, example.summary)
        case _:
            assert isinstance(example, ToolArgumentsDelta)
            return _Arguing(example.index, pieces, example.call_id, sized, most)


class Runs:
    """The run that is going on in one answer, if one is.

    `varying` names the keys of a payload, beside its text, whose values change without meaning anything; `most` is the
    limit of a call's arguments. With `off` there are none. `wanted` says whether a delta may begin one.
    """

    __slots__ = ("_framer", "_most", "_proofs", "_varying", "current", "wanted")

    def __init__(
        self, framer: Framer, varying: tuple[str, ...], most: int, *, off: bool = False
    ) -> None:
        self._framer, self._varying, self._most = framer, varying, most
        self._proofs = 0 if off else _PROOFS
        self.current: Run | None = None
        self.wanted = not off

    def begin(
        self,
        name: bytes,
        data: bytes,
        body: dict[str, Any],
        place: tuple[dict[str, Any], str],
        pieces: list[str],
        sized: Sized,
        example: Event,
    ) -> bool:
        """Begin a run with a delta that was read: its payload, the value of that, which is given away, and the object
        and key in it that hold the text. Whether one began."""
        self._proofs -= 1
        self.wanted = self._proofs > 0
        if b"\n" in data or b"\r" in data:
            return False  # what came in two lines is not found in one
        shape = _json.shape_of(data, body, *place, self._varying, (_lead_of(name), b"\n\n"))
        if shape is None:
            return False
        self.current = _run_of(example, pieces, sized, self._most)
        self._framer.expected = shape
        self.wanted = False
        return True

    def ahead(self, frames: list[Frame], events: list[Event]) -> int | None:
        """How many of the frames, from the first on, are more of the run that has just begun: those are taken.

        None where one passes the limit of arguments. To read each in full would take three times as long.
        """
        run, shape = self.current, self._framer.expected
        if run is None or shape is None or len(frames) < _PAID:
            return 0
        name = frames[0][0]
        same = next((at for at, frame in enumerate(frames) if frame[0] != name), len(frames))
        lead = _lead_of(name)
        row = b"".join([lead, (b"\n\n" + lead).join([data for _, data in frames[:same]]), b"\n\n"])
        if row.count(b"\n") != same * (lead.count(b"\n") + 2):
            return 0  # a frame whose data are lines looks like several
        texts = shape.texts(row) or shape.texts(row[: shape.reach(row)])
        if not texts:
            return 0
        return len(texts) if run.take(texts, events) else None

    def end(self) -> None:
        """What comes next is no more of it."""
        run = self.current
        if run is not None:
            if run.taken >= _PAID:
                self._proofs = _PROOFS
            self.wanted = self._proofs > 0
            self.current = self._framer.expected = None


def _lead_of(name: bytes) -> bytes:
    """What stands before the data of a frame."""
    return b"event: %b\ndata: " % name if name else b"data: "


def bytes_of(text: str) -> int:
    """How long a text is in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())

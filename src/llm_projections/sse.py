"""Server-sent event bytes to frames, and frames to bytes. Knows no wire.

Rules:
1. Fields and lines are read as in WHATWG HTML 9.2 "Server-sent events" (living standard, 2026),
   in bytes: LF, CR and CRLF end a line and nothing else does.
2. An event is returned by the very feed that brings its blank line; cuts never show.
3. Every byte is handed to the field reader once, whatever the size of the chunks.
4. What is held between two feeds never exceeds one frame, and a frame never exceeds its limit.

Three departures from the standard, all in what counts as an event: empty data is nothing (the
standard fires an empty message, which no wire has); at the end of input a pending event counts when
its data is whole, because servers leave the last blank line out; and ids and retry times are not
kept, because an answer is never resumed.
"""

import re
from typing import Final, Literal, TypeAlias

from llm_projections._json import Shape, is_complete

__all__ = ["DONE", "SENTINEL", "Frame", "FrameTooLarge", "Framer", "comment", "frame", "frames"]

Frame: TypeAlias = tuple[bytes, bytes]

SENTINEL: Final = b"[DONE]"
DONE: Final = b"data: [DONE]\n\n"

_BOM: Final = b"\xef\xbb\xbf"

# Larger chunks are read in pieces of this size, so that a whole recording is not copied at once.
_STEP: Final = 1 << 20

# Each pattern takes one shape of frame and nothing else, so that counting newlines proves that no
# line was skipped: one for both shapes could not tell an event line from a skipped one. Possessive,
# so that "data: " (empty data) cannot match by giving its space back, and so that a long line is
# scanned once. The empty group is the absent name.
_NAMED: Final = re.compile(rb"^event: ?+([^\n]*+)\ndata: ?+([^\n]++)\n\n", re.MULTILINE)
_NAMELESS: Final = re.compile(rb"^()data: ?+([^\n]++)\n\n", re.MULTILINE)

# Bytes that end a line.
_ENDS: Final = frozenset({b"\n", b"\r"})

# What stands before the data of a frame in the spelling that every server writes.
_LEAD: Final = re.compile(rb"(?:event: ([^\n]*+)\n)?data: ")


class FrameTooLarge(Exception):
    """A limit was passed. Internal: decoders translate it.

    `what` says which limit; `frames` holds the events that the refused feed brought before that.
    """

    def __init__(self, what: Literal["frame", "stream"], frames: list[Frame]) -> None:
        super().__init__(what, frames)
        self.what: Literal["frame", "stream"] = what
        self.frames = frames


class Framer:
    """Cuts a stream of bytes into events of (name or b"", data).

    `max_frame` bounds the bytes after one blank line to the end of the next, a CRLF counted as one,
    comments and ignored fields included. `max_stream` bounds all bytes fed. After a FrameTooLarge
    every feed raises it again.
    """

    __slots__ = (
        "_cr",
        "_failed",
        "_head",
        "_lead",
        "_max_frame",
        "_name",
        "_odd",
        "_starting",
        "_step",
        "_tail",
        "expected",
        "left",
        "said",
    )

    def __init__(self, max_frame: int, max_stream: int) -> None:
        self._max_frame = max_frame
        # What whole frames are likely to be; those at the beginning of a feed that are it say here what they say.
        # Their reader knows what that means, and clears both when it means no more.
        self.expected: Shape | None = None
        self.said: list[str] | None = None
        # How many bytes may still come.
        self.left: int = max_stream
        # A chunk of at most this size holds no frame above the limit: quick paths need not measure.
        self._step = max(1, min(_STEP, max_frame))
        self._tail = bytearray()
        # What stood before the data of the last lone frame, and its name: the next is often alike.
        self._lead, self._name = b"data: ", b""
        self._head = b""
        self._starting = True
        self._cr = False
        # The next chunk needs the door: at the start (BOM), after a CR (its LF may follow).
        self._odd = True
        self._failed: Literal["frame", "stream"] | None = None

    @property
    def pending(self) -> bool:
        """Whether bytes are held that no blank line has ended yet."""
        return bool(self._tail or self._head)

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Frame]:
        """The events whose blank lines this chunk brings, in order. Raises FrameTooLarge."""
        if type(chunk) is not bytes:
            chunk = bytes(memoryview(chunk))
        size = len(chunk)
        self.left -= size
        if self._odd or size > self._step or self.left < 0 or b"\r" in chunk:
            return self._feed_odd(chunk)
        tail = self._tail
        # One whole frame is what a network delivers, and this proves it at half a pattern's price.
        if not tail:
            lead = self._lead
            if not chunk.startswith(lead):
                lead = self._learn(chunk)
            start = len(lead)
            end = size - 2
            if start < end and chunk.find(b"\n", start) == end and chunk[-1] == 10:
                return [(self._name, chunk[start:end])]
        if b"\n" in chunk:
            return self._cut(chunk, self.expected)
        tail += chunk
        return [] if len(tail) <= self._max_frame else self._hold(b"")

    def goes_on(self, chunk: bytes | bytearray | memoryview) -> bool:
        """Take one byte in the middle of a frame, of which nothing comes yet; False, and it is not taken, for another.

        It is fed in half the time so, 0.3 µs less.
        """
        tail = self._tail
        if (
            not tail
            or type(chunk) is not bytes
            or chunk in _ENDS
            or self._odd
            or self.left < 1
            or len(tail) >= self._max_frame
        ):
            return False
        self.left -= 1
        tail += chunk
        return True

    def lone(self, chunk: bytes | bytearray | memoryview) -> str | None:
        """What a chunk says that is one whole frame as `expected`, which is then done with; None for any other.

        A frame of one shape needs no proof of its line ends: no string holds one.
        """
        size = len(chunk)
        if (
            self._tail
            or self._odd
            or self.expected is None
            or type(chunk) is not bytes
            or size > self._step
            or size > self.left
        ):
            return None
        text = self.expected.text(chunk)
        if not text:
            return None
        self.left -= size
        return text

    def close(self) -> tuple[list[Frame], bool]:
        """The pending event, if its data is complete JSON or the sentinel, and whether input ended
        inside one that is not.

        A comment or an ignored field is not an event; a name, data, or the beginning of their
        lines is.
        """
        tail = bytes(self._tail)
        self._tail.clear()
        self._head = b""
        if not tail:
            return [], False
        pending = _read(tail + b"\n\n", len(tail) + 2)
        if pending and (pending[0][1] == SENTINEL or is_complete(pending[0][1])):
            return pending, False
        return [], any(map(_belongs, tail.split(b"\n")))

    def _learn(self, chunk: bytes) -> bytes:
        """The lead of this chunk, kept for the next; where it has none, one too long to match."""
        found = _LEAD.match(chunk)
        if found is None:
            return chunk
        self._lead, self._name = found[0], found[1] or b""
        return self._lead

    def _feed_odd(self, chunk: bytes) -> list[Frame]:
        """Feeds what needs care: the start, CRs, large chunks, the last bytes that are allowed."""
        if self._failed is not None:
            raise FrameTooLarge(self._failed, [])
        over = self.left < 0
        if over:
            chunk = chunk[: self.left]
        found: list[Frame] = []
        for at in range(0, len(chunk), self._step):
            piece = self._door(chunk[at : at + self._step])
            try:
                found += self._cut(piece)
            except FrameTooLarge as refused:
                raise FrameTooLarge("frame", found + refused.frames) from None
        if over:
            raise self._fail("stream", found)
        return found

    def _door(self, piece: bytes) -> bytes:
        """The piece without the byte order mark, every line end written as LF."""
        if self._starting:
            piece = self._head + piece
            if len(piece) < 3 and _BOM.startswith(piece):
                self._head = piece
                return b""
            self._head = b""
            self._starting = False
            piece = piece.removeprefix(_BOM)
        if self._cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._odd = self._cr = piece.endswith(b"\r")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return piece

    def _cut(self, chunk: bytes, expected: Shape | None = None) -> list[Frame]:
        """The events up to the last blank line; what follows is held. All line ends are LF."""
        tail = self._tail
        # What is held has no blank line: only the chunk and its joint with it are searched.
        end = chunk.rfind(b"\n\n") + 2
        if end == 1:
            if not chunk.startswith(b"\n") or (tail and tail[-1] != 10):
                return self._hold(chunk)
        if tail:
            tail += chunk[:end]
            region = bytes(tail)
            tail.clear()
        else:
            region = chunk if end == len(chunk) else chunk[:end]
        found = self._region(region, expected)
        tail += chunk[end:]  # shorter than a step, and so within the limit
        return found

    def _region(self, region: bytes, expected: Shape | None) -> list[Frame]:
        """The events of whole frames."""
        if len(region) <= self._max_frame:
            if expected is not None:
                self.said = expected.texts(region)
                if self.said is not None:
                    return []
                # the rest is of something else: a block ends, and another begins
                reached = expected.reach(region)
                self.said = expected.texts(region[:reached])
                if self.said is not None:
                    region = region[reached:]
            named = region.startswith(b"event:")
            found: list[Frame] = (_NAMED if named else _NAMELESS).findall(region)
            if region.count(b"\n") == len(found) * (3 if named else 2):
                return found
        try:
            return _read(region, self._max_frame)
        except FrameTooLarge as refused:
            raise self._fail("frame", refused.frames) from None

    def _hold(self, piece: bytes) -> list[Frame]:
        """Keeps the beginning of a frame; it brings no event."""
        tail = self._tail
        if len(tail) + len(piece) > self._max_frame:
            raise self._fail("frame", [])
        tail += piece
        return []

    def _fail(self, what: Literal["frame", "stream"], found: list[Frame]) -> FrameTooLarge:
        self._failed = what
        self._odd = True
        self._tail.clear()
        return FrameTooLarge(what, found)


def _read(region: bytes, limit: int) -> list[Frame]:
    """The events of lines ended by LF, the last of them blank, by every rule of the standard."""
    found: list[Frame] = []
    event = b""
    data: list[bytes] = []
    size = 0
    lines = region.split(b"\n")
    lines.pop()  # what follows the last LF is no line
    for line in lines:
        size += len(line) + 1
        if size > limit:
            raise FrameTooLarge("frame", found)
        if not line:
            joined = b"\n".join(data)
            if joined:
                found.append((event, joined))
            event, data, size = b"", [], 0
            continue
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
        elif name == b"event":
            event = value.removeprefix(b" ")
    return found


def _belongs(line: bytes) -> bool:
    """Whether a line carries a name or data, or is the beginning of a line that would."""
    name, colon, _ = line.partition(b":")
    if colon:
        return name in (b"data", b"event")
    return line != b"" and (b"data".startswith(line) or b"event".startswith(line))


def frame(data: bytes, event: str | None = None) -> bytes:
    """One event, which a reader gets back as it is given here.

    Raises ValueError for empty data and for a line end in the data or the name.
    """
    if not data or b"\n" in data or b"\r" in data:
        raise ValueError("the data of an event is one line that is not empty")
    if event is None:
        return b"data: " + data + b"\n\n"
    if "\n" in event or "\r" in event:
        raise ValueError("the name of an event is one line")
    return b"event: " + event.encode() + b"\ndata: " + data + b"\n\n"


def comment(text: str = "") -> bytes:
    """A comment: readers skip it. Raises ValueError when the text has a line end."""
    if "\n" in text or "\r" in text:
        raise ValueError("a comment is one line")
    return b": " + text.encode() + b"\n\n" if text else b":\n\n"


def frames(data: bytes) -> list[Frame]:
    """Every event of a whole input, a pending one that is whole included."""
    framer = Framer(len(data) + 1, len(data))
    return framer.feed(data) + framer.close()[0]

"""History that was encoded before, kept by the caller between requests of one conversation.

Three things are kept. The *beginning* is all that a growing conversation has in common with its last request, joined
and checked: one comparison of identities stands for reading and writing it. The *frame* is the body around the
conversation, found again where every setting is the very object that it was. So a request costs its last items and one
copy of its bytes: the jobs `grow` on docs/performance.md. A *piece* is one wire message (or the tools), found again by
the identity of what it was written from: it serves where a conversation cannot be joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter, is_
from typing import Any

from llm_projections._values import field, frozen
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Instruction,
    Item,
    Opaque,
    Reasoning,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.losses import Loss
from llm_projections.model.turn import TurnRequest

__all__ = ["NOTHING_BEGUN", "Beginning", "FragmentCache", "Frame", "settings_of"]

# So many messages are joined at once, at least: to join two takes as long as to write four of them again.
_STEP = 4
# So many messages at the end are not joined yet: programs often write their last ones anew.
_LATE = 4
# What could not be joined is tried again after so many items.
_PATIENCE = 16
# What is joined is kept in pieces of about this size, so that a longer conversation takes no longer to go on with.
_CHUNK = 64 << 10

_USERS = frozenset({ToolResult, UserMessage})
_MODELS = frozenset(
    {AssistantMessage, Reasoning, ToolCall, CustomToolCall, Opaque, UnattributedOpaque}
)


@frozen
class Beginning:
    """The first items of a conversation, and the wire messages that they are on every request of it.

    It ends between what a user said and what the model did next, with every call answered: there no wire joins a
    message to the one before, and no check of a later item looks back further than to `calls`, the ids so far. No
    instruction is in it, and no item that a client must answer.
    """

    items: tuple[Item, ...] = ()
    chunks: tuple[bytes, ...] = ()
    """The messages, a comma after each."""
    calls: set[str] = field(factory=set[str])
    size: int = 0
    """Bytes of all chunks."""
    losses: tuple[Loss, ...] = ()
    """What is left out of these items; each stands where it stood."""

    @property
    def count(self) -> int:
        """How many items it has."""
        return len(self.items)

    @property
    def data(self) -> bytes:
        """The messages as members of a JSON array."""
        return b"".join(self.chunks)[:-1]


NOTHING_BEGUN = Beginning()

_SETTINGS = attrgetter(*(name for name in TurnRequest.__match_args__ if name != "items"))


def settings_of(turn: TurnRequest) -> tuple[Any, ...]:
    """Everything of a turn but its conversation."""
    found: tuple[Any, ...] = _SETTINGS(turn)
    return found


@frozen
class Frame:
    """A body around its conversation: the bytes before and after, and the losses that were noted there."""

    settings: tuple[Any, ...] = ()
    """What it was written from."""
    head: bytes = b""
    tail: bytes = b""
    before: tuple[Loss, ...] = ()
    after: tuple[Loss, ...] = ()
    marks: int = 0
    """Cache marks in it, where a wire counts them."""


_NO_FRAME = Frame()


class FragmentCache:
    """Encoded wire messages of one conversation, for `encode_request(..., fragments=)`.

    It belongs to the caller, never changes a byte of a result, and holds at most `max_bytes` of encoded text (the
    oldest go first) beside the items themselves. Items and settings are told apart by identity, so that they must not
    be changed in place: an append-only conversation that keeps its item objects finds them again. It is fastest where
    the settings are the objects of the request before, as `attrs.evolve(turn, items=...)` leaves them. A cache serves
    one binding at a time and empties itself for another.
    Any thread may use it, one call at a time.
    """

    def __init__(self, max_bytes: int = 64 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._context: object = None
        self._kept: dict[tuple[int, ...], tuple[tuple[object, ...], bytes]] = {}
        self._beginning = NOTHING_BEGUN
        self._frame = _NO_FRAME
        self._seen: tuple[Any, ...] = ()
        self._stuck: Beginning | None = None
        self._patience = 0

    @property
    def size(self) -> int:
        """Bytes of encoded text that are held."""
        return self._size

    def __len__(self) -> int:
        return len(self._kept)

    def enter(self, context: object) -> None:
        """Everything that the encoding depends on beside the items; another one empties the cache."""
        if context != self._context:
            self._context = context
            self._kept.clear()
            self._beginning = NOTHING_BEGUN
            self._frame = _NO_FRAME
            self._seen = ()
            self._stuck = None
            self._size = 0

    # pieces

    def get(self, owners: tuple[object, ...]) -> bytes | None:
        """What these very objects were encoded to, if it is held."""
        found = self._kept.get(tuple(map(id, owners)))
        return None if found is None else found[1]

    def put(self, owners: tuple[object, ...], data: bytes) -> None:
        """Hold what `owners` were encoded to. They are held too, so that no other takes their identity."""
        if len(data) > self._max_bytes:
            return
        # what orjson gives has room for 4 KiB at least, for as long as it is held
        data = memoryview(data).tobytes()
        key = tuple(map(id, owners))
        before = self._kept.pop(key, None)
        if before is not None:
            self._size -= len(before[1])
        self._kept[key] = (owners, data)
        self._size += len(data)
        self._shrink()

    def _shrink(self) -> None:
        while self._size > self._max_bytes and self._kept:
            oldest = next(iter(self._kept))
            self._size -= len(self._kept.pop(oldest)[1])

    # the beginning

    def beginning(self, items: tuple[Item, ...]) -> Beginning:
        """What is held of the beginning of these very items: an empty one where they begin otherwise."""
        held = self._beginning
        count = held.count
        if (
            count < len(items)
            and type(items[count]) in _MODELS
            and all(map(is_, held.items, items))
        ):
            return held
        return NOTHING_BEGUN

    def extend(
        self, begun: Beginning, items: tuple[Item, ...], pieces: Sequence[tuple[int, bytes]]
    ) -> None:
        """Join to `begun`, which `items` begin with, as many of the messages after it as may be joined.

        Each of `pieces` is where in `items` a message ends, and its bytes.
        """
        if len(pieces) < _STEP + _LATE:
            return
        ended = {end: number for number, (end, _) in enumerate(pieces[:-_LATE], 1)}
        ends, calls = _ends_of(items, begun.count)
        reached, known = next((each for each in reversed(ends) if each[0] in ended), (0, 0))
        if reached:
            joined = pieces[: ended[reached]]
            data = b"".join([part for _, piece in joined for part in (piece, b",")])
            self.join(begun, items[:reached], data, calls[:known], ())

    def due(self, begun: Beginning, items: tuple[Item, ...]) -> tuple[int, list[str]]:
        """Where what may be joined to `begun` by now ends in `items`, and the ids of the calls in it; 0 if nothing.

        The items were found to be in order.
        """
        if self._stuck is begun and len(items) < self._patience:
            return 0, []
        # between two of these are two messages, and as many items at least
        least = max(1, _STEP // 2) + _LATE // 2
        if len(items) - begun.count < 2 * least:
            return 0, []
        ends, calls = _ends_of(items, begun.count)
        if len(ends) < least:
            return 0, []
        end, known = ends[-1 - _LATE // 2]
        return end, calls[:known]

    def join(
        self,
        begun: Beginning,
        items: tuple[Item, ...],
        data: bytes,
        calls: list[str],
        losses: tuple[Loss, ...],
    ) -> Beginning:
        """`begun` with `data`, each message of it with a comma, joined to it: the messages of `items`.

        `begun` itself where that would take too much.
        """
        size, chunks, known = begun.size + len(data), begun.chunks, begun.calls
        if size > self._max_bytes // 2:
            self.stick(begun, items)
            return begun
        if chunks and len(chunks[-1]) < _CHUNK:
            chunks, data = chunks[:-1], chunks[-1] + data
        if begun is NOTHING_BEGUN:
            known = set[str]()
        # what was held until now is its own beginning, so that both may share their ids
        known.update(calls)
        self._size += size - self._beginning.size
        self._beginning = joined = Beginning(
            items, (*chunks, data), known, size, (*begun.losses, *losses)
        )
        self._shrink()
        return joined

    def stick(self, begun: Beginning, items: tuple[Item, ...]) -> None:
        """Note that what comes after `begun` in `items` cannot be joined to it; nothing is due until many have come."""
        self._stuck, self._patience = begun, len(items) + _PATIENCE

    def is_stuck(self, begun: Beginning) -> bool:
        """Whether that was noted of it."""
        return self._stuck is begun

    # the frame

    def frame(self, settings: tuple[Any, ...]) -> Frame | None:
        """What these very settings were written to around a conversation, if it is held."""
        held = self._frame
        return held if held.settings and _same(held.settings, settings) else None

    def seen(self, settings: tuple[Any, ...]) -> bool:
        """Whether the request before had these very settings."""
        before, self._seen = self._seen, settings
        return _same(before, settings)

    def hold_frame(self, frame: Frame) -> None:
        """Hold the frame of a request that refused nothing."""
        size = len(frame.head) + len(frame.tail)
        if size > self._max_bytes // 2:
            return
        self._size += size - len(self._frame.head) - len(self._frame.tail)
        self._frame = frame
        self._shrink()


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _ends_of(items: tuple[Item, ...], since: int) -> tuple[list[tuple[int, int]], list[str]]:
    """Where a beginning may end in items that are in order, each with the number of calls so far; and their ids.

    That is where the model goes on after its user: every call before is answered.
    """
    waiting: set[str] = set()
    calls: list[str] = []
    ends: list[tuple[int, int]] = []
    users_end = False
    for position, item in enumerate(items[since:], since):
        if type(item) in _USERS:
            users_end = True
            if type(item) is ToolResult:
                if item.call_id not in waiting:
                    break  # what it answers is told elsewhere, and not in every request
                waiting.discard(item.call_id)
            continue
        if users_end and type(item) in _MODELS:
            ends.append((position, len(calls)))
        users_end = False
        if type(item) is ToolCall or type(item) is CustomToolCall:
            waiting.add(item.call_id)
            calls.append(item.call_id)
        elif type(item) is Instruction or (type(item) is WireItem and item.role != "other"):
            break  # nothing from here on belongs to a beginning
    return ends, calls

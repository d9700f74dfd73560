"""History that was encoded before, kept by the caller between requests of one conversation.

Two things are kept. A *piece* is one wire message (or the tools), found again by the identity of what it was written
from: it serves a conversation that was edited anywhere. The *beginning* is all that a growing conversation has in
common with its last request, joined and checked: one comparison of identities stands for reading and writing it, so
that a request costs its new items and one copy of its bytes (0.2 of what orjson takes for the ready body of 400 turns;
pieces alone take 1.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

from llm_projections._values import frozen
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

__all__ = ["NOTHING_BEGUN", "Beginning", "FragmentCache"]

# Joining copies the whole beginning, so it is done once for so many messages.
_STEP = 16
# So many messages at the end are not joined yet: programs often write their last ones anew.
_LATE = 8

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
    data: bytes = b""
    calls: frozenset[str] = frozenset()


NOTHING_BEGUN = Beginning()


class FragmentCache:
    """Encoded wire messages of one conversation, for `encode_request(..., fragments=)`.

    It belongs to the caller, never changes a byte of a result, and holds at most `max_bytes` of encoded text (the
    oldest go first) beside the items themselves. Items are told apart by identity: an append-only conversation that
    keeps its item objects finds them again. A cache serves one binding at a time and empties itself for another.
    Any thread may use it, one call at a time.
    """

    def __init__(self, max_bytes: int = 64 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._context: object = None
        self._kept: dict[tuple[int, ...], tuple[tuple[object, ...], bytes]] = {}
        self._beginning = NOTHING_BEGUN

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
        count = len(held.items)
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
        position = len(begun.items)
        waiting: set[str] = set()
        calls: set[str] = set(begun.calls)
        joined, reached, known = 0, 0, begun.calls
        for number, (end, _) in enumerate(pieces[:-_LATE], 1):
            for item in items[position:end]:
                if type(item) is ToolCall or type(item) is CustomToolCall:
                    waiting.add(item.call_id)
                    calls.add(item.call_id)
                elif type(item) is ToolResult:
                    waiting.discard(item.call_id)
                elif type(item) is Instruction or (type(item) is WireItem and item.role != "other"):
                    waiting.add("")  # nothing from here on belongs to a beginning
            position = end
            if (
                not waiting
                and end < len(items)
                and type(items[end]) in _MODELS
                and type(items[end - 1]) in _USERS
            ):
                joined, reached, known = number, end, frozenset(calls)
        if joined:
            data = b",".join([begun.data, *(data for _, data in pieces[:joined])])
            self._begin(Beginning(items[:reached], data.removeprefix(b","), known))

    def _begin(self, beginning: Beginning) -> None:
        if len(beginning.data) > self._max_bytes // 2:
            return
        self._size += len(beginning.data) - len(self._beginning.data)
        self._beginning = beginning
        self._shrink()

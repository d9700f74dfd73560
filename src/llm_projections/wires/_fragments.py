"""History that was encoded before, kept by the caller between requests of one conversation."""

from __future__ import annotations

from llm_projections.model.items import Item

__all__ = ["FragmentCache"]


class FragmentCache:
    """Encoded wire messages of one conversation, for `encode_request(..., fragments=)`.

    It belongs to the caller, never changes a byte of a result, and holds at most `max_bytes` of encoded text (the
    oldest go first) beside the items themselves. Items are told apart by identity: an append-only conversation that
    keeps its item objects finds them again. A cache serves one binding at a time and empties itself for another.
    """

    def __init__(self, max_bytes: int = 64 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._context: object = None
        self._kept: dict[tuple[int, ...], tuple[tuple[Item, ...], bytes]] = {}

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
            self._size = 0

    def get(self, items: tuple[Item, ...]) -> bytes | None:
        """What these very items were encoded to, if it is held."""
        found = self._kept.get(tuple(map(id, items)))
        return None if found is None else found[1]

    def put(self, items: tuple[Item, ...], data: bytes) -> None:
        """Hold what `items` were encoded to. The items are held too, so that no other takes their identity."""
        if len(data) > self._max_bytes:
            return
        key = tuple(map(id, items))
        before = self._kept.pop(key, None)
        if before is not None:
            self._size -= len(before[1])
        self._kept[key] = (items, data)
        self._size += len(data)
        while self._size > self._max_bytes:
            oldest = next(iter(self._kept))
            self._size -= len(self._kept.pop(oldest)[1])

"""Faults of a turn by the places of the Messages body that it was read from.

A turn is checked once it is read, in the words of the neutral model; who sent a body knows that body alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from re import compile as pattern

from llm_projections._json import Json
from llm_projections.errors import RequestRefused
from llm_projections.model.items import Item, ToolCall, ToolResult
from llm_projections.wires._reading import Path, path_text

__all__ = ["Places"]

_ITEM = pattern(r"items\[(\d+)\](?:\.(.*))?").fullmatch
_NAMES = {"max_output_tokens": "max_tokens", "items": "messages", "instructions": "system"}
_FIELDS: dict[type[Item], dict[str, str]] = {
    ToolCall: {"call_id": "id"},
    ToolResult: {"call_id": "tool_use_id"},
}
_BLOCKS = frozenset({"tool_use", "tool_result"})


class Places:
    """Where the items of a turn stand in its body."""

    def __init__(self, messages: Sequence[Json], items: Sequence[Item]) -> None:
        self._messages = messages
        self._items = items
        # each such block became one item, in this order
        self._at = [at for at, item in enumerate(items) if type(item) in _FIELDS]
        self._places = dict(zip(self._at, _blocks(messages), strict=False))

    def in_body(self, fault: RequestRefused) -> RequestRefused:
        """`fault` by its place in the body."""
        found = _ITEM(fault.path)
        if found is None:
            path = _NAMES.get(fault.path, fault.path).removeprefix("sampling.")
        else:
            path = self._item(int(found[1]), found[2])
        return RequestRefused(fault.code, fault.message, path, loss=fault.loss)

    def _item(self, at: int, field: str | None) -> str:
        place = self._places.get(at)
        if place is None:
            return path_text(("messages", self._message(at)))
        if field is None:
            return path_text(place)
        return path_text((*place, _FIELDS[type(self._items[at])].get(field, field)))

    def _message(self, at: int) -> int:
        """The message of an item that is neither a call nor a result: what comes after the last one of these."""
        before = bisect_left(self._at, at)
        last = len(self._messages) - 1
        if not before or at == len(self._items) - 1:
            return last
        start = self._places[self._at[before - 1]][1]
        return min(start + 1, last) if isinstance(start, int) else last


def _blocks(messages: Sequence[Json]) -> Iterator[Path]:
    for position, message in enumerate(messages):
        content = message.get("content") if isinstance(message, dict) else None
        for index, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and block.get("type") in _BLOCKS:
                yield "messages", position, "content", index

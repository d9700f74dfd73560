"""Items as a decoder keeps them, apart from those that it hands out.

Values are frozen, but the JSON that they carry is made of plain lists and objects. What a consumer does to those of an
event must not change what later events say.
"""

from __future__ import annotations

from attrs import evolve

from llm_projections import _json
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Item,
    Opaque,
    RefusalText,
    Text,
    WireItem,
    WirePart,
)

__all__ = ["apart"]


def apart(item: Item) -> Item:
    """An equal item that shares no list and no object with `item`."""
    if isinstance(item, Opaque | WireItem):
        item = evolve(item, payload=_json.copied(item.payload))
    elif isinstance(item, AssistantMessage):
        item = evolve(item, content=tuple(map(_part_apart, item.content)))
    if item.extensions:
        item = evolve(item, extensions=_extensions_apart(item.extensions))
    return item


def _part_apart(part: Text | RefusalText | WirePart) -> Text | RefusalText | WirePart:
    if isinstance(part, WirePart):
        part = evolve(part, payload=_json.copied(part.payload))
    elif isinstance(part, Text) and part.annotations:
        part = evolve(part, annotations=_extensions_apart(part.annotations))
    if part.extensions:
        part = evolve(part, extensions=_extensions_apart(part.extensions))
    return part


def _extensions_apart(extensions: tuple[Extension, ...]) -> tuple[Extension, ...]:
    return tuple(evolve(each, value=_json.copied(each.value)) for each in extensions)

"""Faults of a turn by the places of the Chat body that it was read from.

A turn is checked as a whole once it is read, by the names of the neutral model. Whoever sent the body knows nothing of
those, and programs read the path of a refusal: each is told where the fault stands in the body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from re import compile as pattern

from llm_projections._json import Json
from llm_projections.errors import RequestRefused
from llm_projections.model.items import CustomToolCall, Item, ToolCall

__all__ = ["in_body"]

_ITEM = pattern(r"items\[(\d+)\](.*)").fullmatch
_TOOL = pattern(r"tools\[(\d+)\](.*)").fullmatch
_NAMES = {"items": "messages", "instructions": "messages"}
_CALLS = (ToolCall, CustomToolCall)


def in_body(
    fault: RequestRefused,
    node: Mapping[str, Json],
    items: list[Item],
    message_of: Callable[[int], int],
) -> RequestRefused:
    """`fault` by its place in the body `node`; `message_of` says which message an item came in."""
    path = fault.path
    if found := _ITEM(path):
        path = _item(int(found[1]), found[2], items, message_of)
    elif found := _TOOL(path):
        tools = node["tools"]
        tool = tools[int(found[1])] if isinstance(tools, list) else None
        kind = "custom" if isinstance(tool, dict) and tool.get("type") == "custom" else "function"
        path = f"tools[{found[1]}].{kind}{found[2]}"
    elif path == "max_output_tokens":
        newer = node.get("max_completion_tokens") is not None
        path = "max_completion_tokens" if newer else "max_tokens"
    else:
        path = _NAMES.get(path, path).removeprefix("sampling.")
    return RequestRefused(fault.code, fault.message, path, loss=fault.loss)


def _item(at: int, field: str, items: list[Item], message_of: Callable[[int], int]) -> str:
    message = message_of(at)
    place = f"messages[{message}]"
    if not isinstance(items[at], _CALLS):
        # a result is tied to its call by one field, which says of what kind it is too
        return f"{place}.tool_call_id" if field else place
    before = at
    while before and isinstance(items[before - 1], _CALLS) and message_of(before - 1) == message:
        before -= 1
    return f"{place}.tool_calls[{at - before}]{'.id' if field == '.call_id' else field}"

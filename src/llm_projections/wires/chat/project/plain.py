"""The fast lane of Chat messages: those with nothing beside their text, which are nearly all.

What is written here is exactly what the general way writes (`messages`, `assistant`), without asking the binding
anything: no message here holds a thing that a binding may lack, and none can be refused.
"""

from __future__ import annotations

from typing import Any

from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Item,
    Opaque,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)

__all__ = ["write_plain"]

_MODELS = frozenset(
    (AssistantMessage, Reasoning, ToolCall, CustomToolCall, Opaque, UnattributedOpaque, WireItem)
)


def write_plain(items: tuple[Item, ...], position: int, out: list[Any], waiting: set[str]) -> int:
    """Append the messages from `position` on to `out`, up to the first that is not plain; its place.

    `waiting` holds the ids of calls without a result yet.
    """
    end = len(items)
    while position < end:
        item = items[position]
        if item.extensions:
            return position
        kind = type(item)
        if type(item) is ToolResult:
            text = _words(item.content)
            # a brace may begin what reads as our own envelope
            if text is None or text[0] == "{" or item.failed or item.cache is not None:
                return position
            call_id = item.call_id
            waiting.discard(call_id)
            out.append({"role": "tool", "tool_call_id": call_id, "content": text})
            position += 1
        elif kind is AssistantMessage or kind is ToolCall:
            after = _model(items, position, out, waiting)
            if after == position:
                return position
            position = after
        elif isinstance(item, UserMessage):
            text = _words(item.content)
            if text is None or waiting:
                return position
            out.append({"role": "user", "content": text})
            position += 1
        else:
            return position
    return position


def _words(content: tuple[Part, ...]) -> str | None:
    """What is said in a content that is one plain text and not empty."""
    if len(content) != 1:
        return None
    part = content[0]
    if type(part) is not Text or part.cache or part.annotations or part.extensions:
        return None
    return part.text or None


def _model(items: tuple[Item, ...], position: int, out: list[Any], waiting: set[str]) -> int:
    """One plain turn of the model: a text, calls, or both; `position` itself where it is more than that."""
    if waiting:
        return position
    start, end = position, len(items)
    content: str | None = None
    item = items[position]
    if type(item) is AssistantMessage:
        content = _words(item.content)
        if content is None:
            return start
        position += 1
    calls: list[dict[str, Any]] = []
    ids: list[str] = []
    while position < end:
        call = items[position]
        if type(call) is not ToolCall:
            if type(call) in _MODELS:
                return start
            break
        if call.extensions or call.cache is not None:
            return start
        function = {"name": call.name, "arguments": call.arguments or "{}"}
        call_id = call.call_id
        ids.append(call_id)
        calls.append({"id": call_id, "type": "function", "function": function})
        position += 1
    if calls:
        waiting.update(ids)
        out.append({"role": "assistant", "content": content, "tool_calls": calls})
    else:
        out.append({"role": "assistant", "content": content})
    return position

"""The fast lane of Chat messages: those with nothing beside their text, which are nearly all.

What is written here is exactly what the general way writes (`messages`, `assistant`), without asking the binding
anything: no message here holds a thing that a binding may lack, and none can be refused. A conversation that is
plain to its end is in order too: each result answers an earlier call, each call is answered before the model goes on,
no id comes twice, and no text is long enough to be measured. So it is not read twice (0.15 of encoding 400 messages).
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

__all__ = ["Lane"]

_MODELS = frozenset(
    (AssistantMessage, Reasoning, ToolCall, CustomToolCall, Opaque, UnattributedOpaque, WireItem)
)


class Lane:
    """The messages of one body so far, and the calls in them.

    A text of more than `short` characters is left to those who measure it.
    """

    __slots__ = ("_seen", "_short", "out", "waiting")

    def __init__(self, short: int) -> None:
        self.out: list[Any] = []
        self.waiting: set[str] = set()
        """The ids of calls without a result yet."""
        self._seen: set[str] = set()
        self._short = short

    def write(self, items: tuple[Item, ...], position: int) -> int:
        """Append the messages from `position` on, up to the first that is not plain; its place."""
        end, short, waiting, add = len(items), self._short, self.waiting, self.out.append
        while position < end:
            item = items[position]
            if item.extensions:
                return position
            kind = type(item)
            if type(item) is ToolResult:
                # what `_words` asks, without a call for each result
                content, call_id = item.content, item.call_id
                if len(content) != 1 or type(part := content[0]) is not Text:
                    return position
                text = part.text
                if part.cache or part.annotations or part.extensions or item.failed or item.cache:
                    return position
                # a brace may begin what reads as our own envelope
                if not text or text[0] == "{" or len(text) > short:
                    return position
                if call_id not in waiting or item.custom:
                    return position
                waiting.remove(call_id)
                add({"role": "tool", "tool_call_id": call_id, "content": text})
                position += 1
            elif kind is AssistantMessage or kind is ToolCall:
                after = self._model(items, position)
                if after == position:
                    return position
                position = after
            elif isinstance(item, UserMessage):
                said = _words(item.content)
                if said is None or waiting:
                    return position
                add({"role": "user", "content": said})
                position += 1
            else:
                return position
        return position

    def _model(self, items: tuple[Item, ...], position: int) -> int:
        """One plain turn of the model: a text, calls, or both; `position` itself where it is more than that."""
        if self.waiting:
            return position
        start, end, short, seen = position, len(items), self._short, self._seen
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
            call_id, arguments = call.call_id, call.arguments
            if call.extensions or call.cache is not None or len(arguments) > short:
                return start
            if call_id in seen or call_id in ids:
                return start
            ids.append(call_id)
            function = {"name": call.name, "arguments": arguments or "{}"}
            calls.append({"id": call_id, "type": "function", "function": function})
            position += 1
        if calls:
            self.waiting.update(ids)
            seen.update(ids)
            self.out.append({"role": "assistant", "content": content, "tool_calls": calls})
        else:
            self.out.append({"role": "assistant", "content": content})
        return position


def _words(content: tuple[Part, ...]) -> str | None:
    """What is said in a content that is one plain text and not empty."""
    if len(content) != 1:
        return None
    part = content[0]
    if type(part) is not Text or part.cache or part.annotations or part.extensions:
        return None
    return part.text or None

"""The fast lane of a Responses body: items with nothing beside their text, which are nearly all.

What is read here is exactly what the general way (`items`, `parts`) reads of the same node. On the way all items are
found to be in order, those of the general way too: each result answers an earlier call of its kind, each call is
answered before the model's next turn, no id comes twice, and there is no instruction among them. What is not plainly so
is left to the check of the turn, which would read 800 items a second time (0.1 of decoding their JSON).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from llm_projections._json import Json
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Instruction,
    Item,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.wires.responses.vocab import ENVELOPE, PROTOCOL

__all__ = ["Lane"]

# The constructors themselves: the way to them over their class takes a third of their time.
_text: Any = Text.__new__
_user: Any = UserMessage.__new__
_assistant: Any = AssistantMessage.__new__
_call: Any = ToolCall.__new__
_result: Any = ToolResult.__new__
_sealed: Any = UnattributedOpaque.__new__


class Lane:
    """The items of one body so far, and the calls in them."""

    __slots__ = ("_blocking", "_items", "_known", "_seen", "_waiting")

    def __init__(self, items: list[Item]) -> None:
        self._items = items
        self._known = True
        self._seen: set[str] = set()
        # the calls without a result, and whether each is a custom one
        self._waiting: dict[str, bool] = {}
        # those of them, once somebody has answered, that the model must not go on from
        self._blocking: Collection[str] = ()

    @property
    def in_order(self) -> bool:
        """Whether all that was read is plainly in order; lengths are not looked at."""
        return self._known and not self._waiting

    def read(self, nodes: list[Json], position: int) -> int:
        """Add the items from `position` on, up to the first that is not plain; its place.

        One loop for all of them: a call for each item, and one for each part, took half of its time.
        """
        add, seen, waiting, blocking = (
            self._items.append,
            self._seen,
            self._waiting,
            self._blocking,
        )
        end = len(nodes)
        while position < end:
            node = nodes[position]
            if type(node) is not dict:
                break
            kind = node.get("type")
            if kind == "function_call_output":
                call_id, output = node.get("call_id"), node.get("output")
                if len(node) != 3 or type(call_id) is not str or type(output) is not str:
                    break
                if not output or (output[0] == "{" and output.startswith(ENVELOPE)):
                    break
                if waiting.pop(call_id, True):
                    self._known = False
                blocking = waiting
                said = (_text(Text, output),)
                add(_result(ToolResult, call_id, said, None, False, None, ()))
            elif kind == "function_call":
                call_id, name = node.get("call_id"), node.get("name")
                arguments = node.get("arguments")
                if len(node) != 4 or type(call_id) is not str or type(name) is not str:
                    break
                if type(arguments) is not str:
                    break
                if blocking or call_id in seen:
                    self._known = False
                blocking = ()
                seen.add(call_id)
                waiting[call_id] = False
                add(_call(ToolCall, call_id, name, arguments, None, ()))
            elif kind == "message":
                role, content = node.get("role"), node.get("content")
                if len(node) != 3 or type(content) is not list or len(content) != 1:
                    break
                part = content[0]
                if type(part) is not dict or len(part) != 2:
                    break
                text, word = part.get("text"), part.get("type")
                if type(text) is not str:
                    break
                if role == "assistant" and word == "output_text":
                    if blocking:
                        self._known = False
                    blocking = ()
                    add(_assistant(AssistantMessage, (_text(Text, text),), ()))
                elif role == "user" and word == "input_text":
                    blocking = waiting
                    add(_user(UserMessage, (_text(Text, text),), ()))
                else:
                    break
            elif kind == "reasoning":
                seal, summary = node.get("encrypted_content"), node.get("summary")
                if type(seal) is not str or type(summary) is not list or len(summary) != 1:
                    break
                part = summary[0]
                text = part.get("text") if type(part) is dict else None
                if not seal or type(text) is not str or not text:
                    break
                if blocking:
                    self._known = False
                blocking = ()
                add(_sealed(UnattributedOpaque, PROTOCOL, node, text, ()))
            else:
                break
            position += 1
        self._blocking = blocking
        return position

    def follow(self, item: Item) -> None:
        """Go on after an item that was read in the general way."""
        kind = type(item)
        if isinstance(item, ToolResult):
            if self._waiting.pop(item.call_id, None) is not item.custom:
                self._known = False
            self._blocking = self._waiting
        elif kind is UserMessage:
            self._blocking = self._waiting
        elif kind is Instruction:
            self._known = False
        elif kind is not WireItem:
            if self._blocking:
                self._known = False
            self._blocking = ()
            if isinstance(item, ToolCall | CustomToolCall):
                if item.call_id in self._seen:
                    self._known = False
                self._seen.add(item.call_id)
                self._waiting[item.call_id] = kind is CustomToolCall

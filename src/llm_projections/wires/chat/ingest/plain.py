"""The fast lane of a Chat body: messages with nothing beside their text and calls, which are nearly all.

What is read here is exactly what the general way (`messages`, `calls`) reads of the same message. On the way the items
are found to be in order: each result answers an earlier call, each call is answered before the next message of anybody
else, no id comes twice. What is not plainly so is left to the check of the turn, which would read 600 items a second
time (0.2 of decoding their JSON).
"""

from __future__ import annotations

from collections.abc import Iterable
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
    UserMessage,
)

__all__ = ["Lane"]

# The constructors themselves: the way to them over their class takes a third of their time.
_text: Any = Text.__new__
_user: Any = UserMessage.__new__
_assistant: Any = AssistantMessage.__new__
_call: Any = ToolCall.__new__
_result: Any = ToolResult.__new__

# what reads as our own envelope of a failure begins so
_ENVELOPE = '{"error":'


class Lane:
    """The items of one body so far, and the calls in them.

    `waiting` holds the ids of the calls without a result, `custom` those of calls of custom tools; both are kept by the
    general way too.
    """

    __slots__ = ("_custom", "_items", "_known", "_seen", "_waiting")

    def __init__(self, items: list[Item], waiting: set[str], custom: set[str]) -> None:
        self._items = items
        self._waiting = waiting
        self._custom = custom
        self._known = True
        self._seen: set[str] = set()

    @property
    def in_order(self) -> bool:
        """Whether all that was read is plainly in order; lengths are not looked at."""
        return self._known and not self._waiting

    def read(self, messages: list[Json], position: int, *, after_assistant: bool) -> int:
        """Add the items of the messages from `position` on, up to the first that is not plain; its place.

        One loop for all of them: a call for each message and one for each of its calls took a third of its time.
        """
        waiting, custom, add = self._waiting, self._custom, self._items.append
        end = len(messages)
        while position < end:
            message = messages[position]
            if type(message) is not dict:
                break
            role, content = message.get("role"), message.get("content")
            if role == "tool":
                call_id = message.get("tool_call_id")
                if len(message) != 3 or type(content) is not str or not content:
                    break
                if type(call_id) is not str or call_id not in waiting or call_id in custom:
                    break
                if content[0] == "{" and content.startswith(_ENVELOPE):
                    break
                waiting.remove(call_id)
                said = (_text(Text, content),)
                add(_result(ToolResult, call_id, said, None, False, None, ()))
                after_assistant = False
            elif waiting:
                break
            elif role == "user":
                if len(message) != 2 or type(content) is not str or not content:
                    break
                add(_user(UserMessage, (_text(Text, content),), ()))
                after_assistant = False
            elif role == "assistant" and not after_assistant:
                if type(content) is not str or not content:
                    break
                if len(message) == 2:
                    add(_assistant(AssistantMessage, (_text(Text, content),), ()))
                elif len(message) != 3 or not self._calling(content, message.get("tool_calls")):
                    break
                after_assistant = True
            else:
                break
            position += 1
        return position

    def _calling(self, content: str, given: Json) -> bool:
        """Add a message and its calls, if these are plain."""
        if type(given) is not list or not given:
            return False
        calls: list[Item] = [_assistant(AssistantMessage, (_text(Text, content),), ())]
        ids: list[str] = []
        for call in given:
            if type(call) is not dict or len(call) != 3 or call.get("type") != "function":
                return False
            call_id, function = call.get("id"), call.get("function")
            if type(function) is not dict or len(function) != 2:
                return False
            name, arguments = function.get("name"), function.get("arguments")
            if type(call_id) is not str or type(name) is not str or type(arguments) is not str:
                return False
            if not call_id:
                return False
            calls.append(_call(ToolCall, call_id, name, arguments or "{}", None, ()))
            ids.append(call_id)
        self._items += calls
        self._note(ids)
        self._waiting.update(ids)
        return True

    def _note(self, ids: Iterable[str]) -> None:
        for call_id in ids:
            if call_id in self._seen:
                self._known = False
            self._seen.add(call_id)

    def leave(self) -> None:
        """Before a message that is read in the general way: between a call and its result it takes more than a look."""
        if self._waiting:
            self._known = False

    def follow(self, items: Iterable[Item]) -> None:
        """Go on after what was read in the general way."""
        for item in items:
            if isinstance(item, ToolCall | CustomToolCall):
                self._note((item.call_id,))
            elif isinstance(item, ToolResult | Instruction):
                self._known = False

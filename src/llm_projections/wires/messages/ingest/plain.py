"""The fast lane of a Messages body: messages with nothing beside their words, their calls and the answers to these.

What is read here is exactly what the general way reads (`conversation`, `blocks`), without a path: nothing here can be
refused, carried or lost. What it reads from the beginning on is in order too, as far as it says: each result answers an
earlier call, each call is answered before the model goes on, and no text is long enough to be measured. So this part is
not read twice.
"""

from __future__ import annotations

from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.model.items import (
    AssistantMessage,
    Item,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
)
from llm_projections.wires.messages.ingest.reader import MessagesReader

__all__ = ["Lane"]

_WIRE = Protocol.MESSAGES

# The constructors themselves: the way to them over their class takes a third of their time.
_text: Any = Text.__new__
_user: Any = UserMessage.__new__
_assistant: Any = AssistantMessage.__new__
_call: Any = ToolCall.__new__
_result: Any = ToolResult.__new__
_sealed: Any = UnattributedOpaque.__new__


class Lane:
    """The items of one body so far."""

    def __init__(self, reader: MessagesReader) -> None:
        self.items: list[Item] = []
        self.in_order: int = 0
        """How many of them are known to be in order, with every call answered, once it was left."""
        self.ids: frozenset[str] = frozenset()
        """The ids of the calls among these."""
        self._write = reader.arguments if reader.sliced else _json.object_text
        limits = reader.limits
        # A character is at most four bytes.
        self._short: int = min(limits.arguments_bytes, limits.result_bytes) // 4
        self._ids: list[str] = []
        self._waiting: set[str] = set()
        self._known = 0
        self._proves = True

    def leave(self) -> None:
        """Somebody else reads what comes next, if anything does: from here on nothing is said about the order."""
        if self._proves and not self._waiting:
            self.in_order, self._known = len(self.items), len(self._ids)
        self._proves = False
        self.ids = frozenset(self._ids[: self._known])
        if len(self.ids) != self._known:
            self.in_order, self.ids = 0, frozenset()

    def read(self, messages: list[Json], position: int) -> int:
        """Append the items of the messages from `position` on, up to the first that is not plain; its place.

        One loop for all of them: a call for each message and each block took a third of its time.
        """
        items, ids, waiting, short, write = (
            self.items,
            self._ids,
            self._waiting,
            self._short,
            self._write,
        )
        add, at, count = items.append, position, len(items)
        try:
            for at in range(position, len(messages)):
                count = len(items)
                message = messages[at]
                if type(message) is not dict or len(message) != 2:
                    return at
                role, content = message["role"], message["content"]
                if role == "assistant":
                    if count and type(items[-1]) is AssistantMessage:
                        return at
                    if waiting:
                        self._proves = False
                    if self._proves:
                        self.in_order, self._known = count, len(ids)
                    if type(content) is str and content:
                        add(_assistant(AssistantMessage, (_text(Text, content),), ()))
                        continue
                    if type(content) is not list or not content:
                        return at
                    texts: list[Text] = []
                    for block in content:
                        if type(block) is not dict:
                            return self._back(at, count)
                        kind, size = block["type"], len(block)
                        if kind == "text":
                            text = block["text"]
                            if size != 2 or type(text) is not str:
                                return self._back(at, count)
                            texts.append(_text(Text, text))
                            continue
                        if texts:
                            add(_assistant(AssistantMessage, tuple(texts), ()))
                            texts = []
                        if kind == "tool_use":
                            call_id, name, given = block["id"], block["name"], block["input"]
                            if size != 4 or type(call_id) is not str or type(name) is not str:
                                return self._back(at, count)
                            if type(given) is not dict:
                                return self._back(at, count)
                            arguments = write(given)
                            if len(arguments) > short:
                                self._proves = False
                            ids.append(call_id)
                            waiting.add(call_id)
                            add(_call(ToolCall, call_id, name, arguments, None, ()))
                        elif kind == "thinking":
                            thought, seal = block["thinking"], block["signature"]
                            if size != 3 or type(thought) is not str or type(seal) is not str:
                                return self._back(at, count)
                            if not seal:
                                return self._back(at, count)
                            add(_sealed(UnattributedOpaque, _WIRE, block, thought or None, ()))
                        else:
                            return self._back(at, count)
                    if texts:
                        add(_assistant(AssistantMessage, tuple(texts), ()))
                elif role == "user":
                    if type(content) is str and content:
                        add(_user(UserMessage, (_text(Text, content),), ()))
                        continue
                    if type(content) is not list or not content:
                        return at
                    parts: list[Text] = []
                    for block in content:
                        if type(block) is not dict:
                            return self._back(at, count)
                        kind, size = block["type"], len(block)
                        if kind == "text":
                            text = block["text"]
                            if size != 2 or type(text) is not str:
                                return self._back(at, count)
                            parts.append(_text(Text, text))
                            continue
                        if kind != "tool_result" or parts:
                            return self._back(at, count)
                        call_id, said = block["tool_use_id"], block["content"]
                        failed: bool | None = None
                        if size == 4:
                            told = block["is_error"]
                            if type(told) is not bool:
                                return self._back(at, count)
                            failed = told
                        elif size != 3:
                            return self._back(at, count)
                        if type(said) is list and len(said) == 1:
                            inner = said[0]
                            if type(inner) is not dict or len(inner) != 2:
                                return self._back(at, count)
                            if inner["type"] != "text":
                                return self._back(at, count)
                            said = inner["text"]
                        elif not said:
                            return self._back(at, count)
                        if type(said) is not str or type(call_id) is not str:
                            return self._back(at, count)
                        if call_id in waiting and len(said) <= short:
                            waiting.remove(call_id)
                        else:
                            self._proves = False
                        answer = (_text(Text, said),)
                        add(_result(ToolResult, call_id, answer, failed, False, None, ()))
                    if parts:
                        add(_user(UserMessage, tuple(parts), ()))
                else:
                    return at
        except KeyError:
            return self._back(at, count)
        return len(messages)

    def _back(self, at: int, count: int) -> int:
        """Where a message stands that is not plain after all, what was read of it taken back."""
        if len(self.items) > count:
            # what it answered is not known any more
            self._proves = False
            del self.items[count:]
        return at

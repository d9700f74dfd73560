"""The fast lane of Chat messages: those with nothing beside their text, which are nearly all.

What is written here is exactly what the general way writes (`messages`, `assistant`), without asking the binding
anything: no message here holds a thing that a binding may lack, none can be refused, and nothing is lost but the sealed
state of others, where that was accepted. A conversation that is plain to its end is in order too: each result answers
an earlier call, each call is answered before the model goes on, no id comes twice, and no text is long enough to be
measured. So it is not read twice (0.15 of encoding 400 messages).
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from llm_projections._json import ObjectText
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Item,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.losses import Loss

__all__ = ["Lane"]

_LEADS = frozenset((AssistantMessage, ToolCall, Opaque, UnattributedOpaque))
_MODELS = _LEADS | {Reasoning, CustomToolCall, WireItem}


class Lane:
    """The messages of one body so far, and the calls in them.

    A text of more than `short` characters is left to those who measure it. `left_out` says by which accepted loss the
    sealed state at a place is left out.
    """

    __slots__ = ("_left_out", "_seen", "_short", "lost", "out", "waiting")

    def __init__(
        self, short: int, left_out: Callable[[Opaque | UnattributedOpaque, int], Loss | None]
    ) -> None:
        self.out: list[Any] = []
        self.lost: list[Loss] = []
        """The sealed state of others that was left out, since somebody last asked."""
        self.waiting: set[str] = set()
        """The ids of calls without a result yet."""
        self._seen: set[str] = set()
        self._short = short
        self._left_out = left_out

    def write(self, items: tuple[Item, ...], position: int) -> int:
        """Append the messages from `position` on, up to the first that is not plain; its place.

        One loop for all of them: a call for each message, and one for each text, took a third of its time.
        """
        end, short, waiting, seen, lost, add = (
            len(items),
            self._short,
            self.waiting,
            self._seen,
            self.lost,
            self.out.append,
        )
        while position < end:
            item = items[position]
            if type(item) is ToolResult:
                content, call_id = item.content, item.call_id
                if len(content) != 1 or type(part := content[0]) is not Text:
                    return position
                text = part.text
                if type(text) is not str or type(content) is not tuple:
                    return position
                if part.cache is not None or part.annotations or part.extensions:
                    return position
                failed = item.failed
                if item.extensions or item.cache is not None or item.custom is not False:
                    return position
                if failed is not None and failed is not False:
                    return position
                # a brace may begin what reads as our own envelope
                if not text or text[0] == "{" or len(text) > short or call_id not in waiting:
                    return position
                waiting.remove(call_id)
                add({"role": "tool", "tool_call_id": call_id, "content": text})
                position += 1
                continue
            if waiting:
                return position
            start, said, left = position, None, len(lost)
            while type(item) is UnattributedOpaque or type(item) is Opaque:
                loss = self._left_out(item, position)
                position += 1
                # what is nothing else would be an empty message
                if loss is None or position == end or type(items[position]) not in _LEADS:
                    return self._back(start, left)
                lost.append(loss)
                item = items[position]
            if type(item) is AssistantMessage or type(item) is UserMessage:
                spoken = item.content
                if len(spoken) != 1 or type(first := spoken[0]) is not Text or item.extensions:
                    return self._back(start, left)
                said = first.text
                if first.cache is not None or first.annotations or first.extensions or not said:
                    return self._back(start, left)
                if type(said) is not str or type(spoken) is not tuple:
                    return self._back(start, left)
                position += 1
                if type(item) is UserMessage:
                    add({"role": "user", "content": said})
                    continue
            elif type(item) is not ToolCall:
                return start
            calls: list[dict[str, Any]] = []
            while position < end and type(call := items[position]) is ToolCall:
                call_id, name, arguments = call.call_id, call.name, call.arguments
                if type(name) is not str or type(call_id) is not str:
                    return self._back(start, left)
                if type(arguments) is not str and type(arguments) is not ObjectText:
                    return self._back(start, left)
                if (
                    call.extensions
                    or call.cache is not None
                    or len(arguments) > short
                    or call_id in seen
                ):
                    return self._back(start, left)
                function = {"name": name, "arguments": arguments or "{}"}
                calls.append({"id": call_id, "type": "function", "function": function})
                waiting.add(call_id)
                seen.add(call_id)
                position += 1
            if position < end and type(items[position]) in _MODELS:
                return self._back(start, left)
            if calls:
                add({"role": "assistant", "content": said, "tool_calls": calls})
            else:
                add({"role": "assistant", "content": said})
        return position

    def settled(self, items: tuple[Item, ...], reached: int) -> tuple[int, Set[str]]:
        """How many of the first items are in order, and the ids of their calls, where the lane was left at `reached`.

        It may have been left in the middle of the results: then what was called last is not in order yet.
        """
        if not self.waiting:
            return reached, self._seen
        while type(items[reached - 1]) is ToolResult:
            reached -= 1
        asked: set[str] = set()
        while reached and type(call := items[reached - 1]) is ToolCall:
            asked.add(call.call_id)
            reached -= 1
        return reached, self._seen - asked

    def _back(self, start: int, left: int) -> int:
        """Where a turn begins that is not plain after all, its calls and losses taken back."""
        del self.lost[left:]
        self._seen -= self.waiting
        self.waiting.clear()
        return start

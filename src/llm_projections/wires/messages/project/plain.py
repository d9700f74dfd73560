"""The fast lane of Messages: what a model says and what its user answers, with nothing beside the words.

What is written here is exactly what the general way writes (`conversation`, `blocks`), without asking the binding
anything: nothing here can be lacking, marked, renamed or refused, and nothing is lost but the sealed state of others,
where that was accepted. It goes from one turn of the model to the next, and what it took is in order too: each result
answers a call of the turn before it, all of these are answered, no id comes twice, and no text is long enough to be
measured. So this part of a conversation is not read twice (0.3 of writing the ready body of 400 messages).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
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
from llm_projections.model.soundness import is_sound_item
from llm_projections.wires._writing import SPLICE
from llm_projections.wires.messages.project.blocks import content_of
from llm_projections.wires.messages.project.writer import MessagesWriter
from llm_projections.wires.messages.vocab import CALL_ID

__all__ = ["Lane"]

Block = dict[str, Any]
# What is said by the model, and not written here.
_ELSEWHERE = frozenset({CustomToolCall, Reasoning, WireItem})
_READABLE = frozenset({str, NoneType})
_SAID = _ELSEWHERE | {AssistantMessage, Opaque, ToolCall, UnattributedOpaque}


class Lane:
    """The messages of one body so far: those of the items from `first` on."""

    __slots__ = ("_first", "_items", "_open", "_short", "_writer", "ids", "lost", "out", "reached")

    def __init__(self, writer: MessagesWriter, items: tuple[Item, ...], first: int = 0) -> None:
        self.out: list[Any] = []
        self.ids: list[str] = []
        """The ids of all calls in them."""
        self.lost: list[Loss] = []
        """The sealed state of others that was left out, since somebody last asked."""
        self.reached: int = 0
        """Where what `begin` wrote ends."""
        self._open: list[tuple[Block, str, int]] = []
        self._writer = writer
        self._first = first
        self._items: tuple[Item | None, ...] = (*items[first:], None)
        # A character is at most four bytes: what is longer is left to those who measure it.
        self._short: int = min(writer.limits.arguments_bytes, writer.limits.result_bytes) // 4

    def begin(self) -> int:
        """Write the items as far as they are plain, and in order; where that ends, 0 if they cannot be."""
        ids = self.ids
        self.reached = self.write(self._first)
        if ids and not ("" not in ids and len(set(ids)) == len(ids) and CALL_ID("".join(ids))):
            for written in (self.out, self.ids, self._open, self.lost):
                written.clear()
            self.reached = 0
        return self.reached

    @property
    def unread(self) -> list[str]:
        """The arguments of which nobody has said what they are, in the order of their calls."""
        return [text for _, text, _ in self._open]

    def fill(self, inputs: Sequence[Any] | None) -> None:
        """Put `inputs` where they belong, one for each of `unread`; None has each text read by itself."""
        if inputs is None:
            read = self._writer.arguments
            inputs = [read(text, ("items", position)) for _, text, position in self._open]
        for (call, _, _), value in zip(self._open, inputs, strict=True):
            call["input"] = value
        self._open.clear()

    def write(self, position: int) -> int:
        """Append the messages from `position` on, up to the turn that is not plain; its place.

        A turn is what the model said and what its user did next. One loop for all of them: a call for each message and
        each block took half of its time.
        """
        items, short, out, ids, lost = self._items, self._short, self.out, self.ids, self.lost
        first = self._first
        position -= first
        writer, splice, home = self._writer, self._writer.splice, self._writer.home
        waiting: set[str] = set()
        while items[position] is not None:
            start, made, asked, left = position, len(out), len(ids), len(lost)
            item = items[position]
            said: list[Block] = []
            while True:
                if type(item) is ToolCall:
                    call_id, name, given = item.call_id, item.name, item.arguments
                    if type(call_id) is not str or type(name) is not str:
                        return self._back(start, made, asked, left)
                    value: Any = None
                    if splice and type(given) is ObjectText:
                        value = SPLICE(given.data)
                    elif type(given) is not str and type(given) is not ObjectText:
                        return self._back(start, made, asked, left)
                    if item.cache is not None or item.extensions or len(given) > short:
                        return self._back(start, made, asked, left)
                    call: Block = {"type": "tool_use", "id": call_id, "name": name, "input": value}
                    if value is None:
                        self._open.append((call, given, first + position))
                    said.append(call)
                    ids.append(call_id)
                    waiting.add(call_id)
                elif type(item) is AssistantMessage:
                    spoken = item.content
                    if type(spoken) is not tuple or not spoken or item.extensions:
                        return self._back(start, made, asked, left)
                    if len(spoken) > 1 and not is_sound_item(item):
                        return self._back(start, made, asked, left)
                    for text in spoken:
                        if type(text) is not Text or type(words := text.text) is not str:
                            return self._back(start, made, asked, left)
                        if text.cache is not None or text.annotations or text.extensions:
                            return self._back(start, made, asked, left)
                        said.append({"type": "text", "text": words})
                elif type(item) is Opaque and (item.provenance is home or item.provenance == home):
                    payload = item.payload
                    if type(payload) is not dict or type(item.text) not in _READABLE:
                        return self._back(start, made, asked, left)
                    if item.extensions:
                        return self._back(start, made, asked, left)
                    for value in payload.values():
                        if type(value) is not str:
                            writer.watch(value)
                    said.append(payload)
                elif type(item) is UnattributedOpaque or type(item) is Opaque:
                    loss = writer.left_out(item, first + position)
                    if loss is None:
                        return self._back(start, made, asked, left)
                    lost.append(loss)
                else:
                    break
                position += 1
                item = items[position]
            if said:
                content = said if len(said) > 1 else content_of(said)
                out.append({"role": "assistant", "content": content})
            heard: list[Block] = []
            while type(item) is ToolResult:
                parts, call_id, failed = item.content, item.call_id, item.failed
                if type(parts) is not tuple or len(parts) != 1 or type(call_id) is not str:
                    return self._back(start, made, asked, left)
                part = parts[0]
                if type(part) is not Text or type(words := part.text) is not str or not words:
                    return self._back(start, made, asked, left)
                if part.cache is not None or part.annotations or part.extensions:
                    return self._back(start, made, asked, left)
                if item.cache is not None or item.extensions or item.custom is not False:
                    return self._back(start, made, asked, left)
                if call_id not in waiting or len(words) > short:
                    return self._back(start, made, asked, left)
                waiting.remove(call_id)
                result: Block = {"type": "tool_result", "tool_use_id": call_id, "content": words}
                if failed is not None:
                    if failed is not True and failed is not False:
                        return self._back(start, made, asked, left)
                    result["is_error"] = failed
                heard.append(result)
                position += 1
                item = items[position]
            if waiting or (not heard and type(item) in _ELSEWHERE):
                return self._back(start, made, asked, left)
            if heard:
                out.append({"role": "user", "content": heard})
            while type(item) is UserMessage:
                asks = item.content
                if type(asks) is not tuple or not asks or item.extensions:
                    return self._back(start, made, asked, left)
                if len(asks) > 1 and not is_sound_item(item):
                    return self._back(start, made, asked, left)
                # the first one joins the results
                own = heard or []
                for each in asks:
                    if type(each) is not Text or type(words := each.text) is not str:
                        return self._back(start, made, asked, left)
                    if each.cache is not None or each.annotations or each.extensions:
                        return self._back(start, made, asked, left)
                    own.append({"type": "text", "text": words})
                if own is not heard:
                    out.append({"role": "user", "content": content_of(own)})
                heard = []
                position += 1
                item = items[position]
            if item is not None and type(item) not in _SAID:
                return self._back(start, made, asked, left)
        return first + position

    def _back(self, start: int, made: int, asked: int, left: int) -> int:
        """Where a turn begins that is not plain after all, what was written of it taken back."""
        del self.out[made:], self.ids[asked:], self.lost[left:]
        start += self._first
        while self._open and self._open[-1][2] >= start:
            self._open.pop()
        return start

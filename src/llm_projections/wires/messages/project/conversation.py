"""The items of a turn as the messages of a Messages body.

Rules:
1. A run of what the model said is one assistant message, its blocks in the order of the items.
2. All results of one run of the model stand first in the one next user message; the user message after them joins
   it. What stands before or between results is moved after them only where that loss is accepted.
3. Sealed blocks go out as they came, at their place.
4. A message of which everything was left out is left out: the vendor takes an empty one from nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from llm_projections._json import ObjectText
from llm_projections.model.dialect import ALL
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Instruction,
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
from llm_projections.wires._reading import Path
from llm_projections.wires._writing import SPLICE
from llm_projections.wires.messages.project.blocks import content_of, is_plain, write_parts
from llm_projections.wires.messages.project.plain import Lane
from llm_projections.wires.messages.project.writer import MessagesWriter
from llm_projections.wires.messages.vocab import CALL_ID, UNSIGNED_MEMORY

__all__ = ["Messages", "write_messages"]

Block = dict[str, Any]
_SAID = frozenset(
    {AssistantMessage, ToolCall, CustomToolCall, Reasoning, Opaque, UnattributedOpaque, WireItem}
)
_BARE = 2  # the keys of a message that is nothing but its role and content
UNSIGNED = "content.thinking"
"""What a binding lists to be sent readable reasoning as unsigned thinking."""


class Messages:
    """The messages of a body, each a value or, where it was encoded before, its bytes.

    Where each came from is kept only where some are bytes.
    """

    def __init__(self, writer: MessagesWriter, items: tuple[Item, ...], bodies: list[Any]) -> None:
        self.bodies: list[Any] = bodies
        self.folded: int = 0
        """How many of them are the beginning of the conversation, all its messages in one."""
        self._writer = writer
        self._items = items
        self._runs: list[tuple[int, int, int]] = []
        begun = writer.begun
        if begun.count:
            self.bodies.insert(0, None)  # until all is written: who goes on from it needs no copy
            self.folded = 1
            self._runs.append((0, 0, 0))

    def add(self, start: int, end: int, messages: list[Any]) -> None:
        """Add the messages that the items of one run became, or were before."""
        self.bodies += messages
        self._runs += [(start, end, number) for number in range(len(messages))]

    def unfold(self) -> bool:
        """Write the beginning message by message; whether there was one to write."""
        if not self.folded:
            return False
        writer = self._writer
        runs = list(_runs_of(self._items[: writer.begun.count], 0))
        told = writer.losses
        writer.losses = []  # those of the beginning are told already
        written = [_write_run(writer, self._items, *run, []) for run in runs]
        writer.losses = told
        self.bodies[:1] = [message for messages in written for message in messages]
        self._runs[:1] = [
            (*run, number)
            for run, messages in zip(runs, written, strict=True)
            for number in range(len(messages))
        ]
        self.folded = 0
        return True

    def fold(self) -> None:
        """Put the bytes of the beginning to its place, now that all is written."""
        if self.folded:
            self.bodies[0] = SPLICE(self._writer.begun.data)

    def plain(self, position: int) -> Block:
        """One message as a value."""
        message = self.bodies[position]
        if isinstance(message, dict):
            return cast("dict[str, Any]", message)
        start, end, number = self._runs[position]
        written: Block = _write_run(self._writer, self._items, start, end, [])[number]
        return written


def write_messages(
    writer: MessagesWriter,
    items: tuple[Item, ...],
    moved: list[tuple[int, Instruction]],
    lane: Lane,
) -> Messages:
    """The messages; instructions that may not stand in place are added to `moved`, by an accepted loss.

    `lane` may have begun to write them.
    """
    _look_at_calls(writer, items, lane)
    _note(writer, lane)
    messages = Messages(writer, items, lane.out)
    position = lane.reached or writer.begun.count
    # it takes ids as they are, and was given no more items than are written
    within = len(items) <= writer.limits.items
    laned = writer.fragments is None and bool(writer.plain_ids) and within
    while position < len(items):
        start, end = next(_runs_of(items, position))
        if writer.fragments is None:
            messages.bodies += _write_run(writer, items, start, end, moved)
        else:
            messages.add(start, end, _kept_or_written(writer, items, start, end, moved))
        position = end
        if laned and position < len(items) and type(items[position]) in _SAID:
            position = lane.write(position)
            lane.fill(None)
            _note(writer, lane)
    return messages


def _note(writer: MessagesWriter, lane: Lane) -> None:
    """What `lane` left out is noted where it comes among what the others leave out."""
    writer.losses += lane.lost
    lane.lost.clear()


def _runs_of(items: tuple[Item, ...], start: int) -> Iterator[tuple[int, int]]:
    """Where what the model said begins and ends, and what the user said, in turn."""
    last = len(items)
    while start < last:
        said = type(items[start]) in _SAID
        end = start + 1
        while end < last and (type(items[end]) in _SAID) is said:
            end += 1
        yield start, end
        start = end


def _look_at_calls(writer: MessagesWriter, items: tuple[Item, ...], lane: Lane) -> None:
    # the beginning was written as it is, so its ids are plain
    begun, unread = writer.begun, lane.unread
    first = lane.reached or begun.count
    found = [item for item in (items[first:] if first else items) if type(item) is ToolCall]
    given = [item.arguments for item in found if type(item.arguments) is not ObjectText]
    inputs = writer.read(unread + given)
    if inputs is not None:
        writer.know(given, inputs[len(unread) :])
    lane.fill(inputs and inputs[: len(unread)])
    calls = [item.call_id for item in found]
    # one search through all of them, instead of two for every call and one for every result
    if CALL_ID("".join(calls)) and "" not in calls:
        writer.plain_ids = frozenset(calls)
    elif calls:
        plain = (call_id for call_id in calls if CALL_ID(call_id))
        before = (item.call_id for item in begun.items if type(item) is ToolCall)
        writer.reserve([*before, *lane.ids, *plain])


def _kept_or_written(
    writer: MessagesWriter,
    items: tuple[Item, ...],
    start: int,
    end: int,
    moved: list[tuple[int, Instruction]],
) -> list[Any]:
    written: list[Any] = []

    def write() -> Any:
        written.extend(_write_run(writer, items, start, end, moved))
        return written[0] if len(written) == 1 else None

    message = writer.kept(items[start:end], start, write)
    return written if message is None else [message]


def _write_run(
    writer: MessagesWriter,
    items: tuple[Item, ...],
    start: int,
    end: int,
    moved: list[tuple[int, Instruction]],
) -> list[Any]:
    item = items[start]
    if type(item) in _SAID:
        return _write_assistant(writer, items, start, end)
    if end - start == 1 and type(item) is ToolResult:  # by far the most frequent run of a user
        results: list[Block] = []
        _write_result(writer, item, ("items", start), results)
        return [{"role": "user", "content": results}] if results else []
    return _write_users(writer, items, start, end, moved)


# what the model said


def _write_assistant(
    writer: MessagesWriter, items: tuple[Item, ...], start: int, end: int
) -> list[Block]:
    blocks: list[Block] = []
    spoke = False
    for position in range(start, end):
        item = items[position]
        if type(item) is AssistantMessage:
            if item.extensions:
                writer.foreign(item.extensions, ("items", position))
            content = item.content
            spoke = spoke or not (content or item.extensions)
            if len(content) == 1 and type(part := content[0]) is Text and is_plain(part):
                blocks.append({"type": "text", "text": part.text})
            else:
                write_parts(writer, content, ("items", position), blocks)
        elif type(item) is ToolCall:
            blocks.append(_write_call(writer, item, ("items", position)))
        elif type(item) is Opaque and item.provenance is writer.home and not item.extensions:
            payload = item.payload
            for value in payload.values():
                if type(value) is not str:
                    writer.watch(value)
            blocks.append(payload)
        else:
            block = _write_other(writer, item, ("items", position))
            if block is not None:
                blocks.append(block)
    if not blocks and not spoke:
        return []
    return [{"role": "assistant", "content": content_of(blocks)}]


def _write_call(writer: MessagesWriter, item: ToolCall, path: Path) -> Block:
    call_id = item.call_id
    block: Block = {
        "type": "tool_use",
        "id": (
            call_id if call_id in writer.plain_ids else writer.call_id(call_id, (*path, "call_id"))
        ),
        "name": item.name,
        "input": writer.arguments(item.arguments, path),
    }
    if item.cache is None and not item.extensions:
        return block
    return writer.close(block, item.cache, item.extensions, path)


def _write_other(writer: MessagesWriter, item: Item, path: Path) -> Block | None:
    if isinstance(item, Opaque | UnattributedOpaque):
        payload = writer.opaque(item, path)
        if payload is not None:
            writer.watch(payload)
        if payload is not None and item.extensions:
            writer.foreign(item.extensions, path)
        return payload
    if isinstance(item, Reasoning):
        return _write_reasoning(writer, item, path)
    if isinstance(item, CustomToolCall):
        writer.lose("turn.tools.custom", path, "this wire has function calls only")
        return None
    assert isinstance(item, WireItem)
    if any(extension.path == "answer.kept_event" for extension in item.extensions):
        writer.lose("turn.kept_event", path, "an event, no part of the conversation")
        return None
    return writer.whole(item, "item", path)


def _write_reasoning(writer: MessagesWriter, item: Reasoning, path: Path) -> Block | None:
    # the vendor's endpoint turns thinking without a signature down, so that a binding which takes
    # everything sends only what a client of this wire sent so
    remembered = UNSIGNED_MEMORY in item.extensions
    able = writer.binding.capabilities
    asked = writer.dialect.unsigned_thinking or (
        able.extensions is not ALL and able.takes(f"{writer.protocol.short}.{UNSIGNED}")
    )
    if item.summary or not (asked or (remembered and writer.takes(writer.protocol, UNSIGNED))):
        writer.lose("turn.reasoning", path, "reasoning without a signature")
        return None
    others = tuple(each for each in item.extensions if each != UNSIGNED_MEMORY)
    if others:
        writer.foreign(others, path)
    return {"type": "thinking", "thinking": item.text, "signature": ""}


# what the user said


def _write_users(
    writer: MessagesWriter,
    items: tuple[Item, ...],
    start: int,
    end: int,
    moved: list[tuple[int, Instruction]],
) -> list[Block]:
    last = next(
        (n for n in range(end - 1, start - 1, -1) if type(items[n]) is ToolResult), start - 1
    )
    messages: list[Block] = []
    blocks: list[Block] = []
    early: list[int] = []
    for position in range(start, last + 1):
        item = items[position]
        if type(item) is ToolResult:
            _write_result(writer, item, ("items", position), blocks)
            continue
        early.append(position)
        if not isinstance(item, UserMessage) or item.content:
            writer.lose("messages.text_before_result", ("items", position), "results come first")
    joins = last >= start  # whether the message of the results still takes what follows
    for position in (*early, *range(last + 1, end)):
        item = items[position]
        if type(item) is UserMessage:
            if item.extensions:
                writer.foreign(item.extensions, ("items", position))
            own = blocks if joins else []
            write_parts(writer, item.content, ("items", position), own)
            if not joins:
                if own or not (item.content or item.extensions):
                    messages.append({"role": "user", "content": content_of(own)})
            elif position > last:
                joins = _close(messages, blocks)
        else:
            assert isinstance(item, Instruction)
            message = _write_instruction(writer, item, position, moved)
            if message is not None:
                joins = _close(messages, blocks) if joins else False
                messages.append(message)
    if joins:
        _close(messages, blocks)
    return messages


def _close(messages: list[Block], blocks: list[Block]) -> bool:
    """Put the message of the results where it belongs: nothing joins it any more."""
    if blocks:
        messages.append({"role": "user", "content": content_of(blocks)})
    return False


def _write_result(writer: MessagesWriter, item: ToolResult, path: Path, into: list[Block]) -> None:
    if item.custom:
        writer.lose("turn.tools.custom", path, "this wire has function calls only")
        return
    content, call_id = item.content, item.call_id
    said: str | list[Block]
    if len(content) == 1 and type(part := content[0]) is Text and is_plain(part) and part.text:
        said = part.text
    else:
        inner: list[Block] = []
        write_parts(writer, content, path, inner)
        said = content_of(inner)
    block: Block = {
        "type": "tool_result",
        "tool_use_id": (
            call_id if call_id in writer.plain_ids else writer.call_id(call_id, (*path, "call_id"))
        ),
        "content": said,
    }
    if item.failed is not None:
        block["is_error"] = item.failed
    if item.cache is not None or item.extensions:
        writer.close(block, item.cache, item.extensions, path)
    into.append(block)


def _write_instruction(
    writer: MessagesWriter,
    item: Instruction,
    position: int,
    moved: list[tuple[int, Instruction]],
) -> Block | None:
    path: Path = ("items", position)
    if not writer.declared(writer.able.instructions_in_place, "turn.instruction.position", path):
        moved.append((position, item))
        return None
    if item.role is not None:
        writer.lose("turn.instruction.role", (*path, "role"), "this wire has one role for them")
    blocks: list[Block] = []
    write_parts(writer, item.content, path, blocks)
    message: Block = {"role": "system", "content": content_of(blocks)}
    if item.extensions:
        writer.carry(item.extensions, "messages.", message, path)
    if blocks or len(message) > _BARE or not (item.content or item.extensions):
        return message
    return None

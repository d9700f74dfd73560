"""Instructions and items of a turn as Chat messages.

Items are taken in groups, one group for one message: an item of its own, or all that the model did in one turn.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from llm_projections import _json
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Document,
    Image,
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
    WirePart,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import _envelope
from llm_projections.wires._carried import carried_path
from llm_projections.wires._reading import Path
from llm_projections.wires._writing import SPLICE, Writer
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat.project.assistant import Assistant, legacy_call
from llm_projections.wires.chat.project.parts import write_content, write_parts
from llm_projections.wires.chat.project.plain import Lane

__all__ = ["Messages"]

_ASSISTANT = frozenset(
    (AssistantMessage, Reasoning, ToolCall, CustomToolCall, Opaque, UnattributedOpaque)
)
_CALLS = (ToolCall, CustomToolCall)
_PREFIX = "messages."
_KEPT_EVENT = "answer.kept_event"
_CONTINUED = ("messages.prefix", "messages.partial", "continue_final_message")


class Messages:
    """The messages of one body, written in order."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        limits = writer.limits
        # A character is at most four bytes.
        short = min(limits.arguments_bytes, limits.result_bytes) // 4
        self._lane = Lane(short, writer.left_out)
        self._reached = 0
        self._waiting = self._lane.waiting
        self._held: list[Any] = []
        self._moved: list[dict[str, Any]] = []
        self._out: list[Any] = self._lane.out
        self._writers: dict[type, Callable[[Any, Path], dict[str, Any] | None]] = {
            UserMessage: self._user,
            Instruction: self._instruction,
            ToolResult: self._result,
            WireItem: self._wire_item,
        }

    # instructions among the items

    def may_be_prefilled(self, turn: TurnRequest) -> bool:
        """Whether the end of the conversation has a say in what is lost before it."""
        return bool(turn.items) and _may_be_prefill(turn.items[-1])

    def must_hoist(self, turn: TurnRequest) -> bool:
        """Whether an instruction stands where this binding takes none."""
        return not self._writer.able.instructions_in_place and any(
            type(item) is Instruction for item in turn.items
        )

    def hoist(self, turn: TurnRequest) -> tuple[Instruction, ...]:
        """All instructions in their order; each that has to move is a loss."""
        moved: list[Instruction] = []
        for position, item in enumerate(turn.items):
            if type(item) is Instruction:
                self._writer.lose(
                    "turn.instruction.position",
                    ("items", position),
                    "the binding takes instructions only before everything else",
                )
                moved.append(item)
        return (*turn.instructions, *moved)

    # all messages

    def begin(self, items: tuple[Item, ...]) -> tuple[int, Set[str]]:
        """Write the items as far as they are plain; how many of them are in order too, and the ids of their calls."""
        if self._writer.fragments is not None or not items or _may_be_prefill(items[-1]):
            return 0, frozenset()
        self._reached = self._lane.write(items, 0)
        return self._lane.settled(items, self._reached)

    def write(self, turn: TurnRequest) -> list[Any]:
        """The value of `messages`."""
        writer, out = self._writer, self._out
        # before what `begin` wrote
        out[:0] = [
            self._instruction(instruction, ("instructions", position))
            for position, instruction in enumerate(turn.instructions)
        ]
        before = len(writer.losses)
        begun = writer.begun
        if begun.count:
            out.append(SPLICE(begun.data))
        self.write_later(turn)
        writer.around = before, len(writer.losses)
        if not out:
            writer.refuse(("items",), "a request needs at least one message")
        return out

    def write_later(self, turn: TurnRequest) -> list[Any]:
        """What is not written yet of the items of `turn`."""
        writer, out = self._writer, self._out
        in_place = writer.able.instructions_in_place
        self._note()
        items = self._without_prefill(turn)
        if writer.fragments is not None:
            writer.losses += writer.begun.losses
        laned = writer.fragments is None and len(items) <= writer.limits.items
        position, end = writer.begun.count or self._reached, len(items)
        while position < end:
            if laned and not self._moved and not self._held:
                position = self._lane.write(items, position)
                self._note()
                if position == end:
                    break
            item = items[position]
            start = position
            position += 1
            if _models(item):
                while position < end and _goes_on(items[position]):
                    position += 1
                self._assistant(items[start:position], start)
            elif type(item) is not Instruction or in_place:
                self._single(item, start)
        self._release()
        return out

    def _note(self) -> None:
        """What the lane left out is noted where it comes among what the others leave out."""
        self._writer.losses += self._lane.lost
        self._lane.lost.clear()

    def _without_prefill(self, turn: TurnRequest) -> tuple[Item, ...]:
        """The items without what the model said last, where this server would not go on from there."""
        items, writer = turn.items, self._writer
        if not items or not _may_be_prefill(items[-1]):
            return items
        if writer.dialect.prefill or any(
            found.path in _CONTINUED and writer.takes(found.protocol, found.path)
            for found in (*items[-1].extensions, *turn.extensions)
        ):
            return items
        start = len(items) - 1
        while start and _goes_on(items[start]) and type(items[start - 1]) in _ASSISTANT:
            start -= 1
        writer.lose("turn.prefill", ("items", start), "this server does not continue what it said")
        return items[:start]

    # one group each

    def _assistant(self, group: tuple[Item, ...], start: int) -> None:
        if self._waiting or self._moved:
            self._release()
        for item in group:
            if isinstance(item, _CALLS):
                self._waiting.add(item.call_id)
        self._out.append(self._kept(group, start, self._written))

    def _written(self, group: tuple[Item, ...], start: int) -> dict[str, Any]:
        return Assistant(self._writer).write(group, start)

    def _single(self, item: Item, position: int) -> None:
        if type(item) is ToolResult:
            self._waiting.discard(item.call_id)
            self._out.append(self._kept((item,), position, self._one))
            if not self._waiting:
                self._release()
            return
        if self._waiting:
            self._writer.lose(
                "chat.text_before_result",
                ("items", position),
                "stands between a call and its result",
            )
            self._held.append(self._one((item,), position))
            return
        if self._moved:
            self._release()
        written = self._kept((item,), position, self._one)
        if written is not None:
            self._out.append(written)

    def _one(self, group: tuple[Item, ...], position: int) -> dict[str, Any] | None:
        item = group[0]
        return self._writers[type(item)](item, ("items", position))

    def _kept(
        self,
        group: tuple[Item, ...],
        position: int,
        write: Callable[[tuple[Item, ...], int], dict[str, Any] | None],
    ) -> Any:
        """What the group is written to, out of the caller's cache if it is there."""
        return self._writer.kept(group, position, lambda: write(group, position))

    def _release(self) -> None:
        """What had to wait for the results: media out of them, then what stood between."""
        self._waiting.clear()
        if self._moved:
            self._out.append({"role": "user", "content": self._moved})
            self._moved = []
        if self._held:
            self._out += [message for message in self._held if message is not None]
            self._held.clear()

    # one message each

    def _instruction(self, item: Instruction, path: Path) -> dict[str, Any]:
        writer = self._writer
        role = item.role or writer.dialect.instruction_role
        message = {"role": role, "content": write_content(writer, item.content, path)}
        if item.extensions:
            writer.carry(item.extensions, _PREFIX, message, path)
        return message

    def _user(self, item: UserMessage, path: Path) -> dict[str, Any]:
        writer = self._writer
        message = {"role": "user", "content": write_content(writer, item.content, path)}
        if item.extensions:
            writer.carry(item.extensions, _PREFIX, message, path)
        return message

    def _wire_item(self, item: WireItem, path: Path) -> dict[str, Any] | None:
        writer = self._writer
        if any(extension.path == _KEPT_EVENT for extension in item.extensions):
            writer.lose("turn.kept_event", path, "an event of an answer, no part of a conversation")
            return None
        carried = carried_path(item.protocol, "item", item.payload)
        if writer.takes(item.protocol, carried) and "role" in item.payload:
            writer.carried = True
            return item.payload
        writer.lose(f"{item.protocol.short}.{carried}", path, "an item of another server")
        return None

    def _result(self, item: ToolResult, path: Path) -> dict[str, Any]:
        writer = self._writer
        parts: tuple[Any, ...] = item.content
        if len(parts) != 1 or type(parts[0]) is not Text:
            parts = self._placed(parts, path)
        message: dict[str, Any] = {
            "role": "tool",
            "tool_call_id": item.call_id,
            "content": self._failed(parts, path) if item.failed else self._as_it_came(parts, path),
        }
        if item.cache is not None:
            writer.lose("turn.cache", (*path, "cache"))
        if item.extensions:
            writer.carry(item.extensions, _PREFIX, message, path)
        return message

    def _placed(
        self, parts: tuple[Text | Image | Document | WirePart, ...], path: Path
    ) -> tuple[Text | Image | Document | WirePart, ...]:
        """The parts that stay in the `tool` message; images and documents wait for a `user` message elsewhere."""
        writer = self._writer
        media = [part for part in parts if type(part) in (Image, Document)]
        if not media or writer.dialect.tool_result_parts:
            return parts
        writer.lose(
            "turn.tool_result.media_moved", path, "a `tool` message of this server takes texts only"
        )
        self._moved += write_parts(writer, media, path)
        return tuple(part for part in parts if type(part) not in (Image, Document))

    def _failed(self, parts: tuple[Any, ...], path: Path) -> str | list[dict[str, Any]]:
        written = write_parts(self._writer, parts, path)
        texts = _envelope.texts_of(written, "text")
        if texts is None:
            return [{"type": "text", "text": _envelope.head(False)}, *written]
        try:
            return _envelope.write_error(texts)
        except _json.JsonError as error:
            self._writer.refuse((*path, "content"), error.reason)
            return ""

    def _as_it_came(self, parts: tuple[Any, ...], path: Path) -> str | list[dict[str, Any]]:
        content = write_content(self._writer, parts, path)
        if isinstance(content, str):
            failure = content.startswith("{") and _envelope.read_error(content) is not None
        else:
            first = _envelope.texts_of(content[:1], "text") or [""]
            failure = len(content) > 1 and _envelope.read_head(first[0]) is False
        if failure:
            self._writer.lose(
                "turn.tool_result.ambiguous",
                (*path, "content"),
                "the tool's own words would read as a failure",
            )
        return content


def _models(item: Item) -> bool:
    """Whether an item is part of an assistant message."""
    return type(item) in _ASSISTANT or (type(item) is WireItem and legacy_call(item) is not None)


def _may_be_prefill(last: Item) -> bool:
    """Whether the model is to go on from what is its own last word."""
    return type(last) in _ASSISTANT and type(last) not in _CALLS


def _goes_on(item: Item) -> bool:
    """Whether an item belongs to the assistant message before it."""
    return _models(item) and not (
        item.extensions and any(extension.path == vocab.APART for extension in item.extensions)
    )

"""The input of a request: instructions and items, in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, cast

from attrs import evolve

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Document,
    Extension,
    Image,
    Instruction,
    Item,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.wires._envelope import is_plain, read_head
from llm_projections.wires._envelope import read_result as read_envelope
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires.responses.ingest.parts import (
    read_assistant,
    read_instruction,
    read_result,
    read_user,
)
from llm_projections.wires.responses.ingest.plain import Lane
from llm_projections.wires.responses.subset import TABLE
from llm_projections.wires.responses.vocab import (
    ENVELOPE,
    PLACE,
    PROTOCOL,
    WIRE_ITEMS,
    readable,
    wire_item,
)

__all__ = ["read_input"]

_Node = dict[str, Json]
_InstructionRole = Literal["system", "developer"]
_Result = tuple[Text | Image | Document, ...]


def read_input(
    reader: Reader, node: _Node, envelopes: bool
) -> tuple[tuple[Instruction, ...], tuple[Item, ...], bool]:
    """The leading instructions, top-level ones first, the items after them, and whether these are in order.

    False where that takes more than a look; lengths are not looked at.
    """
    reading = _Input(reader, envelopes)
    text = reader.string(node, "instructions", ())
    if text:
        reading.instructions.append(Instruction((Text(text),)))
    given = node.get("input")
    if isinstance(given, str):
        reading.items.append(UserMessage((Text(given),) if given else ()))
    elif isinstance(given, list):
        reading.read(given)
    elif given is not None:
        reader.refuse(("input",), "must be a string or a list")
    return reading.finish()


class _Input:
    """The items of one body while they are read."""

    def __init__(self, reader: Reader, envelopes: bool) -> None:
        self.reader = reader
        self.envelopes = envelopes
        self.instructions: list[Instruction] = []
        self.items: list[Item] = []
        self._leading = True
        self._lane = Lane(self.items)
        # where each role of a system or developer message stands, and wire items inside the leading run
        self._roles: list[tuple[list[Instruction] | list[Item], int, _InstructionRole]] = []
        self._wires: list[tuple[int, int]] = []
        self._elsewhere: set[str] = set()  # ids of calls that the provider runs itself

    def read(self, given: list[Json]) -> None:
        """Read every item: the plain ones in their lane, each other one here."""
        lane, items = self._lane, self.items
        position, end = 0, len(given)
        while position < end:
            reached = lane.read(given, position)
            if reached > position:
                self._leading = False
                position = reached
                if position == end:
                    break
            before = len(items)
            self._read(given[position], ("input", position))
            if len(items) > before:
                lane.follow(items[before])
            position += 1

    def _read(self, node: Json, path: Path) -> None:
        if not isinstance(node, dict):
            self.reader.refuse(path, "must be an object")
            return
        kind = node.get("type")
        read = _READERS.get(kind) if isinstance(kind, str) else None
        if read is not None:
            self._leading = False
            self.items.append(read(self, node, path))
        elif kind == "message" or (kind is None and "role" in node):
            self._message(node, path)
        else:
            self._wire(node, kind, path)

    def finish(self) -> tuple[tuple[Instruction, ...], tuple[Item, ...], bool]:
        if len({role for _, _, role in self._roles}) > 1:
            for holder, index, role in self._roles:
                stored = cast("list[Item]", holder)
                stored[index] = evolve(cast(Instruction, stored[index]), role=role)
        for index, before in self._wires:
            if before < len(self.instructions):
                item = cast(WireItem, self.items[index])
                place = Extension(PROTOCOL, PLACE, before)
                self.items[index] = evolve(item, extensions=(*item.extensions, place))
        return tuple(self.instructions), tuple(self.items), self._lane.in_order

    def _message(self, node: _Node, path: Path) -> None:
        role = node.get("role")
        if role == "assistant":
            self._leading = False
            content = read_assistant(self.reader, node.get("content"), path)
            extensions = _extensions(self.reader, node, path, "assistant")
            self.items.append(AssistantMessage(content, extensions))
        elif role == "user":
            self._leading = False
            said = read_user(self.reader, node.get("content"), path)
            self.items.append(UserMessage(said, _extensions(self.reader, node, path, "user")))
        elif role == "developer":
            self._instruction(node, "developer", path)
        elif role == "system":
            self._instruction(node, "system", path)
        else:
            self.reader.refuse((*path, "role"), "not a published role", RefusalCode.UNSUPPORTED)

    def _instruction(self, node: _Node, role: _InstructionRole, path: Path) -> None:
        content = read_instruction(self.reader, node.get("content"), path)
        instruction = Instruction(content, None, _extensions(self.reader, node, path, role))
        if self._leading:
            self._roles.append((self.instructions, len(self.instructions), role))
            self.instructions.append(instruction)
        else:
            self._roles.append((self.items, len(self.items), role))
            self.items.append(instruction)

    def _wire(self, node: _Node, kind: Json, path: Path) -> None:
        if kind is None and isinstance(node.get("id"), str):
            node, kind = {"type": "item_reference", **node}, "item_reference"
            for key in node.keys() - {"type", "id", "agent"}:
                self.reader.refuse((*path, key), "not a published field", RefusalCode.UNSUPPORTED)
        if not isinstance(kind, str) or kind not in WIRE_ITEMS:
            self.reader.refuse((*path, "type"), "not a published item", RefusalCode.UNSUPPORTED)
            return
        if self._leading:
            self._wires.append((len(self.items), len(self.instructions)))
        item = wire_item(node, kind)
        if item.role == "result" and item.call_id in self._elsewhere:
            item = evolve(item, role="other")
        elif item.role == "other" and item.call_id is not None:
            self._elsewhere.add(item.call_id)
        self.items.append(item)


# what every item may carry

_MAPPED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("user", "assistant", "developer", "system"), frozenset({"type", "role", "content"})
    ),
    "function_call": frozenset({"type", "call_id", "name", "arguments"}),
    "custom_tool_call": frozenset({"type", "call_id", "name", "input"}),
    "function_call_output": frozenset({"type", "call_id", "output"}),
    "custom_tool_call_output": frozenset({"type", "call_id", "output"}),
    "reasoning": frozenset({"type", "summary", "content", "encrypted_content"}),
}
_PLAIN: Mapping[str, frozenset[str]] = {
    kind: mapped | {"id", "status"} for kind, mapped in _MAPPED.items()
}


def _extensions(reader: Reader, node: _Node, path: Path, kind: str) -> tuple[Extension, ...]:
    """What an item carries beside its neutral fields: its id first of all."""
    status = node.get("status")
    if (status is None or status == "completed") and node.keys() <= _PLAIN[kind]:
        name = node.get("id")
        if not name:  # absent, null or empty: no name
            return ()
        if type(name) is str:
            return (Extension(PROTOCOL, "input.id", name),)
    for key in ("id", "status"):
        reader.string(node, key, path)
    mapped = set(_MAPPED[kind])
    if status == "completed":
        mapped.add("status")
    if not node.get("id"):
        mapped.add("id")
    return reader.extras(node, path, TABLE.fields(f"request.input[]<{kind}>"), mapped)


# items


def _required(reader: Reader, node: _Node, key: str, path: Path) -> str:
    return reader.required(reader.string(node, key, path), (*path, key), "")


def _function_call(reading: _Input, node: _Node, path: Path) -> Item:
    reader = reading.reader
    return ToolCall(
        _required(reader, node, "call_id", path),
        _required(reader, node, "name", path),
        _required(reader, node, "arguments", path),
        None,
        _extensions(reader, node, path, "function_call"),
    )


def _custom_call(reading: _Input, node: _Node, path: Path) -> Item:
    reader = reading.reader
    return CustomToolCall(
        _required(reader, node, "call_id", path),
        _required(reader, node, "name", path),
        _required(reader, node, "input", path),
        None,
        _extensions(reader, node, path, "custom_tool_call"),
    )


def _function_output(reading: _Input, node: _Node, path: Path) -> Item:
    if node.get("call_id") is None:
        # an output that a program's own call produced names no call of the conversation
        return WireItem(PROTOCOL, node, None, "result")
    return _output(reading, node, path, "function_call_output")


def _custom_output(reading: _Input, node: _Node, path: Path) -> Item:
    return _output(reading, node, path, "custom_tool_call_output")


def _output(reading: _Input, node: _Node, path: Path, kind: str) -> ToolResult:
    reader = reading.reader
    call_id = _required(reader, node, "call_id", path)
    content = read_result(reader, node.get("output"), path)
    failed, content = _opened(content) if reading.envelopes else (None, content)
    custom = kind == "custom_tool_call_output"
    return ToolResult(call_id, content, failed, custom, None, _extensions(reader, node, path, kind))


def _opened(content: _Result) -> tuple[bool | None, _Result]:
    """What our own envelope says, and what stands in it."""
    if not content:
        return None, content
    first = content[0]
    if type(first) is not Text or not first.text.startswith(ENVELOPE) or not is_plain((first,)):
        return None, content
    if len(content) > 1:
        ok = read_head(first.text)
        return (None, content) if ok is None else (not ok, content[1:])
    found = read_envelope(first.text)
    return (None, content) if found is None else (not found[0], found[1])


def _reasoning(reading: _Input, node: _Node, path: Path) -> Item:
    reader = reading.reader
    sealed = node.get("encrypted_content")
    if type(sealed) is not str:
        sealed = reader.string(node, "encrypted_content", path)
    summary, raw = readable(node)
    if sealed:
        read = summary or raw
        return UnattributedOpaque(PROTOCOL, node, _joined(read) if read else None)
    extensions = _extensions(reader, node, path, "reasoning")
    _check_texts(reader, node, "summary", "summary_text", path)
    _check_texts(reader, node, "content", "reasoning_text", path)
    kept: list[Extension] = []
    if (raw and summary) or len(summary) > 1:
        kept.append(Extension(PROTOCOL, "input.summary", node["summary"]))
    if len(raw) > 1:
        kept.append(Extension(PROTOCOL, "input.content", node["content"]))
    text = _joined(raw or summary)
    return Reasoning(text, not raw, (*extensions, *kept))


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else "\n\n".join(texts)


def _check_texts(reader: Reader, node: _Node, key: str, kind: str, path: Path) -> None:
    values = reader.array(node, key, path) or ()
    for position, part in reader.objects(values, (*path, key)):
        at: Path = (*path, key, position)
        if part.get("type") != kind:
            reader.refuse((*at, "type"), "not a published part", RefusalCode.UNSUPPORTED)
        _required(reader, part, "text", at)
        for name in part.keys() - {"type", "text"}:
            reader.refuse((*at, name), "not a published field", RefusalCode.UNSUPPORTED)


def _compaction(reading: _Input, node: _Node, path: Path) -> Item:
    _required(reading.reader, node, "encrypted_content", path)
    return UnattributedOpaque(PROTOCOL, node)


_READERS: Mapping[str, Callable[[_Input, _Node, Path], Item]] = {
    "function_call": _function_call,
    "custom_tool_call": _custom_call,
    "function_call_output": _function_output,
    "custom_tool_call_output": _custom_output,
    "reasoning": _reasoning,
    "compaction": _compaction,
}

"""The system prompt and the messages of a Messages body.

Rules:
1. A block of `system` is one instruction. Leading `system` messages are instructions too, where they are made of
   plain texts alone; later ones stay items at their place.
2. Consecutive texts of an assistant's turn are one `AssistantMessage`; consecutive assistant messages are one turn
   (the vendor joins them).
3. A tool result is an item of its own; what a user says before, between and after results stays in that order.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import cast

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import (
    AssistantMessage,
    Document,
    Extension,
    Image,
    Instruction,
    Item,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WirePart,
)
from llm_projections.wires._reading import Path
from llm_projections.wires.messages.ingest.blocks import (
    read_said,
    read_text,
    read_tool_result,
    read_user_part,
)
from llm_projections.wires.messages.ingest.plain import Lane
from llm_projections.wires.messages.ingest.reader import MessagesReader
from llm_projections.wires.messages.subset import TABLE

__all__ = ["read_messages", "read_system"]

_PLAIN_MESSAGE = frozenset({"role", "content"})
_ROLES = ("user", "assistant", "system")
_NONE: list[Json] = []
_TWICE = (AssistantMessage, AssistantMessage)
_USERS = frozenset({UserMessage, ToolResult, Instruction})


def read_system(reader: MessagesReader, body: dict[str, Json]) -> list[Instruction]:
    """The instructions of `system`: a string is one, each block of a list is one."""
    system = body.get("system")
    if system is None:
        return []
    if isinstance(system, str):
        return [Instruction((Text(system),))] if system else []
    found: list[Instruction] = []
    for position, block in reader.objects(reader.array(body, "system", ()) or (), ("system",)):
        path: Path = ("system", position)
        if block.get("type") != "text":
            reader.refuse((*path, "type"), "a system prompt holds texts", RefusalCode.UNSUPPORTED)
        else:
            found.append(Instruction((read_text(reader, block, path, "request.system[]<text>"),)))
    return found


def read_messages(
    reader: MessagesReader, body: dict[str, Json], instructions: list[Instruction]
) -> list[Item]:
    """The items in their order; leading `system` messages are added to `instructions`."""
    lane = Lane(reader)
    items = lane.items
    messages = reader.array(body, "messages", ())
    if messages is None:
        reader.required(messages, ("messages",), _NONE)
        return items
    position, twice = lane.read(messages, 0), False
    lane.leave()
    while position < len(messages):
        twice = twice or (bool(items) and type(items[-1]) is AssistantMessage)
        _read_message(reader, messages[position], position, items, instructions)
        position = lane.read(messages, position + 1)
    joined = _joined(items) if twice else items
    if joined is items:
        reader.in_order, reader.ids = lane.in_order, lane.ids
    return joined


def _read_message(
    reader: MessagesReader,
    message: Json,
    position: int,
    items: list[Item],
    instructions: list[Instruction],
) -> None:
    if type(message) is not dict:
        reader.refuse(("messages", position), "must be an object")
        return
    role, content = message.get("role"), message.get("content")
    if type(role) is not str or role not in _ROLES:
        reader.refuse(
            ("messages", position, "role"),
            "not one of the published roles",
            RefusalCode.UNSUPPORTED,
        )
        return
    extensions: tuple[Extension, ...] = ()
    if len(message) != 2 or content is None:
        known = TABLE.fields(f"request.messages[]<{role}>")
        extensions = reader.extras(message, ("messages", position), known, _PLAIN_MESSAGE)
    if type(content) is not str and type(content) is not list:
        reader.refuse(("messages", position, "content"), "must be a string or a list")
    elif role == "user":
        _read_user(reader, content, position, items)
    elif role == "assistant":
        _read_assistant(reader, content, position, items)
    else:
        _read_instruction(reader, content, position, extensions, items, instructions)


def _read_user(
    reader: MessagesReader, content: str | list[Json], position: int, items: list[Item]
) -> None:
    if not content:
        # right after results there is nothing that it could add to their message
        if not items or type(items[-1]) is not ToolResult:
            items.append(UserMessage(()))
        return
    if type(content) is str:
        items.append(UserMessage((Text(content),)))
        return
    parts: list[Text | Image | Document | WirePart] = []
    for index, block in enumerate(content):
        if type(block) is not dict:
            reader.refuse(("messages", position, "content", index), "must be an object")
            continue
        kind = block.get("type")
        if kind == "text" and len(block) == 2 and type(text := block.get("text")) is str:
            parts.append(Text(text))
        elif kind == "tool_result":
            if parts:
                items.append(UserMessage(tuple(parts)))
                parts = []
            items.append(read_tool_result(reader, block, position, index))
        else:
            part = read_user_part(reader, block, ("messages", position, "content", index))
            if part is not None:
                parts.append(part)
    if parts:
        items.append(UserMessage(tuple(parts)))


def _read_assistant(
    reader: MessagesReader, content: str | list[Json], position: int, items: list[Item]
) -> None:
    if not content:
        if not items or type(items[-1]) in _USERS:
            items.append(AssistantMessage(()))
        return
    if items and type(items[-1]) is AssistantMessage and not items[-1].content:
        items.pop()
    if type(content) is str:
        items.append(AssistantMessage((Text(content),)))
        return
    texts: list[Text] = []
    for index, block in enumerate(content):
        if type(block) is not dict:
            reader.refuse(("messages", position, "content", index), "must be an object")
            continue
        if block.get("type") == "text":
            if len(block) == 2 and type(text := block.get("text")) is str:
                texts.append(Text(text))
            else:
                path = ("messages", position, "content", index)
                at = "request.messages[]<assistant>.content[]<text>"
                texts.append(read_text(reader, block, path, at))
            continue
        if texts:
            items.append(AssistantMessage(tuple(texts)))
            texts = []
        item = _read_plain(reader, block)
        if item is None:
            item = read_said(reader, block, position, index)
        if item is not None:
            items.append(item)
    if texts:
        items.append(AssistantMessage(tuple(texts)))


def _read_plain(reader: MessagesReader, block: dict[str, Json]) -> Item | None:
    """A call or a signed thought with nothing beside it, which nearly all are: read without a position."""
    kind = block.get("type")
    if kind == "tool_use":
        call_id, name, given = block.get("id"), block.get("name"), block.get("input")
        if len(block) == 4 and type(call_id) is str and type(name) is str and type(given) is dict:
            return ToolCall(call_id, name, reader.arguments(given))
    elif kind == "thinking":
        text, seal = block.get("thinking"), block.get("signature")
        if len(block) == 3 and type(text) is str and type(seal) is str and seal:
            return UnattributedOpaque(Protocol.MESSAGES, block, text or None)
    return None


def _joined(items: list[Item]) -> list[Item]:
    """`items` with each run of assistant messages as one: texts of one turn that came in several messages."""
    if _TWICE not in pairwise(map(type, items)):
        return items
    joined: list[Item] = []
    for kind, run in groupby(items, type):
        if kind is AssistantMessage:
            said = cast("Iterable[AssistantMessage]", run)
            joined.append(AssistantMessage(tuple(part for each in said for part in each.content)))
        else:
            joined += run
    return joined


def _read_instruction(
    reader: MessagesReader,
    content: str | list[Json],
    position: int,
    extensions: tuple[Extension, ...],
    items: list[Item],
    instructions: list[Instruction],
) -> None:
    parts: list[Text | WirePart] = []
    if isinstance(content, str):
        parts = [Text(content)] if content else []
    else:
        for index, block in reader.objects(content, ("messages", position, "content")):
            path = ("messages", position, "content", index)
            part = _instruction_part(reader, block, path)
            if part is not None:
                parts.append(part)
    if not items and not extensions and all(type(part) is Text for part in parts):
        instructions.extend(Instruction((part,)) for part in parts)
    else:
        items.append(Instruction(tuple(parts), None, extensions))


def _instruction_part(
    reader: MessagesReader, block: dict[str, Json], path: Path
) -> Text | WirePart | None:
    kind = block.get("type")
    if kind == "text":
        return read_text(reader, block, path, "request.messages[]<system>.content[]<text>")
    if kind in ("tool_addition", "tool_removal"):
        return WirePart(reader.protocol, reader.whole(block, path))
    reader.refuse(
        (*path, "type"), "a system message holds texts and tool changes", RefusalCode.UNSUPPORTED
    )
    return None

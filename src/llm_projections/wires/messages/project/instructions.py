"""The instructions of a turn as `system`."""

from __future__ import annotations

from typing import Any

from llm_projections.model.items import Instruction, Text
from llm_projections.wires._reading import Path
from llm_projections.wires.messages.project.blocks import write_text
from llm_projections.wires.messages.project.writer import MessagesWriter

__all__ = ["write_system"]


def write_system(
    writer: MessagesWriter,
    instructions: tuple[Instruction, ...],
    moved: list[tuple[int, Instruction]],
) -> str | list[dict[str, Any]]:
    """A string for one plain text, else a block for each text; `moved` are items that an accepted loss puts here."""
    blocks: list[dict[str, Any]] = []
    for position, instruction in enumerate(instructions):
        _write(writer, instruction, ("instructions", position), blocks)
    for position, instruction in moved:
        _write(writer, instruction, ("items", position), blocks)
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"} and blocks[0]["text"]:
        text: str = blocks[0]["text"]
        return text
    return blocks


def _write(
    writer: MessagesWriter, instruction: Instruction, path: Path, blocks: list[dict[str, Any]]
) -> None:
    if instruction.role is not None:
        writer.lose("turn.instruction.role", (*path, "role"), "this wire has one role for them")
    if instruction.extensions:
        writer.foreign(instruction.extensions, path)
    for index, part in enumerate(instruction.content):
        at = (*path, "content", index)
        if isinstance(part, Text):
            blocks.append(write_text(writer, part, at))
        else:
            writer.lose(writer.name_of(part), at, "a system prompt holds texts")

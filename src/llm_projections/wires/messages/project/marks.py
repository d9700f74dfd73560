"""The two automatic cache marks of a turn that leaves its marks to the wire.

One ends the standing instructions, one ends the conversation: on its last block that may hold a mark. A place that the
caller marked is left alone, and never are there more than four.
"""

from __future__ import annotations

from typing import Any

from llm_projections.wires.messages.project.conversation import Messages
from llm_projections.wires.messages.project.writer import MessagesWriter
from llm_projections.wires.messages.vocab import MARKABLE, MAX_MARKS

__all__ = ["mark_end", "mark_system"]

Block = dict[str, Any]


def mark_system(writer: MessagesWriter, body: dict[str, Any]) -> None:
    """Mark the end of `system`, where the binding takes marks and its dialect wants these."""
    if _wanted(writer) and "system" in body:
        marked = _marked(writer, body["system"])
        if marked is not None:
            body["system"] = marked


def mark_end(writer: MessagesWriter, messages: Messages, *, unfold: bool = True) -> bool:
    """Mark the end of `messages`, as `mark_system`; whether it was found.

    It may be in what was encoded before, which is written again for it with `unfold` only.
    """
    if not _wanted(writer):
        return True
    while not _mark_last(writer, messages):
        if not (unfold and messages.unfold()):
            return False
    return True


def _wanted(writer: MessagesWriter) -> bool:
    return writer.able.cache_marks and writer.dialect.automatic_cache_marks


def _mark_last(writer: MessagesWriter, messages: Messages) -> bool:
    """Mark the last message that can end the conversation; whether there is one."""
    for position in range(len(messages.bodies) - 1, messages.folded - 1, -1):
        message = messages.plain(position)
        content = message["content"]
        marked = _marked(writer, content)
        if marked is not None:
            messages.bodies[position] = {**message, "content": marked}
        if marked is not None or _can_end(content):
            return True
    return False


def _marked(writer: MessagesWriter, content: str | list[Block]) -> list[Block] | None:
    """The content with a mark on its last block that may hold one, or None where nothing is to be changed."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if not _is_markable(block):
            continue
        if "cache_control" in block or writer.marks >= MAX_MARKS:
            return None
        writer.marks += 1
        marked = {**block, "cache_control": {"type": "ephemeral"}}
        return [*blocks[:index], marked, *blocks[index + 1 :]]
    return None


def _can_end(content: str | list[Block]) -> bool:
    """Whether the search for the last markable block ends here."""
    return bool(content) if isinstance(content, str) else any(map(_is_markable, content))


def _is_markable(block: Block) -> bool:
    # the vendor refuses a mark on an empty text
    kind = block.get("type")
    return kind in MARKABLE and (kind != "text" or bool(block.get("text")))

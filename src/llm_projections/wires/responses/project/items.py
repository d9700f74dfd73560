"""Items of a turn to items of the wire, one each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llm_projections import _json
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Instruction,
    Opaque,
    Reasoning,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.wires import _envelope
from llm_projections.wires._carried import carried_path
from llm_projections.wires._reading import Path
from llm_projections.wires.responses.project.parts import (
    plain_text,
    write_content,
    write_parts,
    write_said,
)
from llm_projections.wires.responses.project.writer import ResponsesWriter
from llm_projections.wires.responses.vocab import ENVELOPE, PLACE, PROTOCOL

__all__ = ["WRITERS", "write_instruction"]

_Node = dict[str, Any]


def write_instruction(writer: ResponsesWriter, item: Instruction, path: Path) -> _Node:
    """A system or developer message: `developer` unless the turn says otherwise."""
    return _message(writer, item, item.role or "developer", path)


def _message(
    writer: ResponsesWriter, item: UserMessage | Instruction, role: str, path: Path
) -> _Node:
    content: Any = plain_text(item.content)
    if content is None:
        content = write_content(writer, item.content, path)
    node: _Node = {"type": "message", "role": role, "content": content}
    if item.extensions:
        _carry(writer, item.extensions, node, path)
    return node


def _carry(
    writer: ResponsesWriter, extensions: tuple[Extension, ...], node: _Node, path: Path
) -> None:
    """Write what an item carries. Its own id always goes; where it stood among instructions was used already."""
    others: list[Extension] = []
    for extension in extensions:
        if extension.protocol is PROTOCOL and extension.path == "input.id":
            node["id"] = extension.value
            writer.unread.append(extension.value)
        elif extension.path != PLACE:
            others.append(extension)
    if others:
        writer.carry(tuple(others), "input.", node, path)


def _unmarkable(writer: ResponsesWriter, path: Path) -> None:
    writer.lose("turn.cache", (*path, "cache"), "only input parts are marked on this wire")


def _user(writer: ResponsesWriter, item: UserMessage, path: Path) -> _Node:
    return _message(writer, item, "user", path)


def _assistant(writer: ResponsesWriter, item: AssistantMessage, path: Path) -> _Node:
    text = plain_text(item.content)
    said = (
        [{"type": "output_text", "text": text}] if text else write_said(writer, item.content, path)
    )
    node: _Node = {"type": "message", "role": "assistant", "content": said}
    if item.extensions:
        _carry(writer, item.extensions, node, path)
    return node


def _call(writer: ResponsesWriter, item: ToolCall, path: Path) -> _Node:
    node: _Node = {
        "type": "function_call",
        "call_id": item.call_id,
        "name": item.name,
        "arguments": item.arguments,
    }
    if item.cache is not None:
        _unmarkable(writer, path)
    if item.extensions:
        _carry(writer, item.extensions, node, path)
    return node


def _custom_call(writer: ResponsesWriter, item: CustomToolCall, path: Path) -> _Node:
    node: _Node = {
        "type": "custom_tool_call",
        "call_id": item.call_id,
        "name": item.name,
        "input": item.input,
    }
    if item.cache is not None:
        _unmarkable(writer, path)
    _carry(writer, item.extensions, node, path)
    return node


def _result(writer: ResponsesWriter, item: ToolResult, path: Path) -> _Node:
    output: Any = plain_text(item.content) if item.failed is None else None
    if output is None or output.startswith(ENVELOPE):
        output = _output(writer, item, path)
    node: _Node = {
        "type": "custom_tool_call_output" if item.custom else "function_call_output",
        "call_id": item.call_id,
        "output": output,
    }
    if item.cache is not None:
        _unmarkable(writer, path)
    if item.extensions:
        _carry(writer, item.extensions, node, path)
    return node


def _output(writer: ResponsesWriter, item: ToolResult, path: Path) -> str | list[_Node]:
    mode = writer.dialect.tool_result_envelope
    failed = item.failed
    if failed is not None and (mode == "always" or (failed and mode == "failures")):
        return _enveloped(writer, item, not failed, path)
    if failed:
        writer.lose(
            "turn.tool_result.failed", (*path, "failed"), "the dialect has no envelope for it"
        )
    output = write_content(writer, item.content, path)
    if mode != "never" and _reads_as_envelope(output):
        writer.lose("turn.tool_result.ambiguous", path, "its own text reads as our envelope")
    return output


def _enveloped(
    writer: ResponsesWriter, item: ToolResult, ok: bool, path: Path
) -> str | list[_Node]:
    written = write_parts(writer, item.content, path)
    texts = _envelope.texts_of(written, "input_text")
    if texts is None:
        return [{"type": "input_text", "text": _envelope.head(ok)}, *written]
    try:
        return _envelope.write_result(ok, texts)
    except _json.JsonError as error:
        writer.refuse((*path, "content"), error.reason)
        return ""


def _reads_as_envelope(output: str | list[_Node]) -> bool:
    if isinstance(output, str):
        return output.startswith(ENVELOPE) and _envelope.read_result(output) is not None
    first = _envelope.texts_of(output[:1], "input_text") or [""]
    return len(output) > 1 and _envelope.read_head(first[0]) is not None


def _opaque(writer: ResponsesWriter, item: Opaque | UnattributedOpaque, path: Path) -> _Node | None:
    if type(item) is Opaque and item.provenance is writer.binding.provenance:
        payload: _Node | None = item.payload
    else:
        payload = writer.opaque(item, path)
    if payload is None:
        return None
    writer.unread.append(payload)
    # required beside the seal, and left out by some who keep it
    if payload.get("type") == "reasoning" and payload.get("summary") is None:
        payload = {**payload, "summary": []}
    if item.extensions:
        payload = dict(payload)
        _carry(writer, item.extensions, payload, path)
    return payload


def _reasoning(writer: ResponsesWriter, item: Reasoning, path: Path) -> _Node | None:
    named = any(e.protocol is PROTOCOL and e.path == "input.id" for e in item.extensions)
    if not named and not writer.takes(PROTOCOL, "input.reasoning"):
        writer.lose(
            "turn.reasoning", path, "reasoning without a seal or a name cannot be continued from"
        )
        return None
    node: _Node = {"type": "reasoning", "summary": []}
    if item.text and item.summary:
        node["summary"] = [{"type": "summary_text", "text": item.text}]
    elif item.text:
        node["content"] = [{"type": "reasoning_text", "text": item.text}]
    _carry(writer, item.extensions, node, path)
    return node


def _wire_item(writer: ResponsesWriter, item: WireItem, path: Path) -> _Node | None:
    if any(extension.path == "answer.kept_event" for extension in item.extensions):
        writer.lose("turn.kept_event", path, "an event is no part of a conversation")
        return None
    carried = carried_path(item.protocol, "item", item.payload)
    if not writer.takes(item.protocol, carried):
        writer.lose(f"{item.protocol.short}.{carried}", path)
        return None
    writer.unread.append(item.payload)
    if not item.extensions:
        return item.payload
    node = dict(item.payload)
    _carry(writer, item.extensions, node, path)
    return node


WRITERS: Mapping[type, Callable[[ResponsesWriter, Any, Path], _Node | None]] = {
    UserMessage: _user,
    AssistantMessage: _assistant,
    Instruction: write_instruction,
    Reasoning: _reasoning,
    ToolCall: _call,
    CustomToolCall: _custom_call,
    ToolResult: _result,
    Opaque: _opaque,
    UnattributedOpaque: _opaque,
    WireItem: _wire_item,
}
"""Each kind of item to its wire item, or to `None` where it was refused or left out."""

"""What the cases of the Messages wire are made of."""

from __future__ import annotations

from typing import Any, NamedTuple

from llm_projections.model.items import (
    Extension,
    Item,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    WireItem,
)
from llm_projections.model.tools import (
    FunctionTool,
    HostedTool,
)
from llm_projections.model.turn import TurnRequest
from tests.everything import MODEL, binding_of

__all__ = [
    "ASK",
    "ASKED",
    "BINDING",
    "CITATION",
    "COMPACTED",
    "HOME",
    "PDF",
    "PNG",
    "PUBLISHED",
    "REDACTED",
    "SCHEMA",
    "SIGNED",
    "TOOL",
    "WIRE",
    "Case",
    "answered",
    "body",
    "carried",
    "hosted",
    "own",
    "part",
    "run_by_provider",
    "said",
    "setting",
    "turn",
]


class Case(NamedTuple):
    """A turn and its body, without what is always written."""

    name: str
    turn: TurnRequest
    body: dict[str, Any]


WIRE = Protocol.MESSAGES
BINDING = binding_of(WIRE)
HOME = BINDING.provenance
ASK = UserMessage((Text("Hello"),))
ASKED: dict[str, Any] = {"role": "user", "content": "Hello"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}
TOOL = FunctionTool("look", "Looks.", SCHEMA)
PUBLISHED: dict[str, Any] = {"name": "look", "description": "Looks.", "input_schema": SCHEMA}
PNG: dict[str, Any] = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
PDF: dict[str, Any] = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}


def own(path: str, value: Any) -> Extension:
    """A carried field of this wire."""
    return Extension(WIRE, path, value)


def turn(*items: Item, **settings: Any) -> TurnRequest:
    """A turn with its marks as given."""
    return TurnRequest(MODEL, items or (ASK,), cache_marks="given", **settings)


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """A body without what is always written."""
    return {"messages": list(messages) or [ASKED], **fields}


def setting(name: str, fields: dict[str, Any], **settings: Any) -> Case:
    """A setting of the turn beside fields of the body."""
    return Case(name, turn(**settings), body(**fields))


def said(name: str, item: Item | tuple[Item, ...], *blocks: Any) -> Case:
    """Items of the model between two user messages; its blocks beside them."""
    items = item if isinstance(item, tuple) else (item,)
    return Case(
        name,
        turn(ASK, *items, UserMessage((Text("On"),))),
        body(
            ASKED, {"role": "assistant", "content": list(blocks)}, {"role": "user", "content": "On"}
        ),
    )


def part(name: str, value: Any, block: dict[str, Any]) -> Case:
    """A part of a user message beside its block."""
    return Case(
        name,
        turn(UserMessage((value, Text("?")))),
        body({"role": "user", "content": [block, {"type": "text", "text": "?"}]}),
    )


def answered(name: str, result: ToolResult, block: dict[str, Any]) -> Case:
    """A tool result beside its block."""
    return Case(
        name,
        turn(ASK, ToolCall("t1", "look", '{"n":1}'), result),
        body(
            ASKED,
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {"n": 1}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", **block}]},
        ),
    )


def carried(name: str, value: Any) -> Case:
    """A field of the request that has no neutral meaning."""
    return setting(f"carried {name}", {name: value}, extensions=(own(name, value),))


def hosted(payload: dict[str, Any]) -> Case:
    """A tool of the provider."""
    return setting(payload["type"], {"tools": [payload]}, tools=(HostedTool(WIRE, payload),))


def run_by_provider(payload: dict[str, Any]) -> Case:
    """A block of the provider's own tools, in an assistant message."""
    return said(f"run by the provider: {payload['type']}", WireItem(WIRE, payload), payload)


SIGNED: dict[str, Any] = {"type": "thinking", "thinking": "plan", "signature": "c2ln"}
REDACTED: dict[str, Any] = {"type": "redacted_thinking", "data": "RW9w"}
COMPACTED: dict[str, Any] = {"type": "compaction", "content": "so far", "encrypted_content": "ZW5j"}
CITATION: dict[str, Any] = {
    "type": "char_location",
    "cited_text": "x",
    "document_index": 0,
    "document_title": None,
    "start_char_index": 0,
    "end_char_index": 1,
}

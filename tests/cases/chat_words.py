"""What the Chat cases are made of."""

from __future__ import annotations

from typing import Any, NamedTuple

from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Item,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.tools import (
    CustomTool,
    FunctionTool,
)
from llm_projections.model.turn import TurnRequest
from tests.everything import MODEL, binding_of

WIRE = Protocol.CHAT
BINDING = binding_of(
    WIRE,
    reasoning_details=True,
    extra_content=True,
    tool_result_parts=True,
    prefill=True,
)
HOME = BINDING.provenance
ASK = UserMessage((Text("Hello"),))
ASKED = {"role": "user", "content": "Hello"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}
TOOL = FunctionTool("look", "Looks.", SCHEMA)
PUBLISHED = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA},
}
PATCH = CustomTool("patch", "Patches.")
PATCHED = {"type": "custom", "custom": {"name": "patch", "description": "Patches."}}
CALL = ToolCall("c1", "look", '{"n": 1}')
CALLED = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
RESULT = ToolResult("c1", (Text("one"),))
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "one"}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALLED]}
PNG = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
MARK = {"mode": "explicit", "ttl": "30m"}
DETAILS: Any = [{"type": "reasoning.text", "text": "hm", "signature": "c2ln", "index": 0}]


class Case(NamedTuple):
    """A turn whose marks are given, and the body that says it, without what is always written."""

    name: str
    turn: TurnRequest
    body: dict[str, Any]


def own(path: str, value: Any) -> Extension:
    """A carried field of this wire."""
    return Extension(WIRE, path, value)


def turn(*items: Item, **settings: Any) -> TurnRequest:
    """A turn with its marks as given."""
    return TurnRequest(MODEL, items or (ASK,), cache_marks="given", **settings)


def setting(name: str, fields: dict[str, Any], **settings: Any) -> Case:
    """A setting of the turn beside fields of the body."""
    return Case(name, turn(**settings), {"messages": [ASKED], **fields})


def carried(path: str, value: Any) -> Case:
    """A field at the top of the body that is carried whole."""
    return setting(path, {path: value}, extensions=(own(path, value),))


def user(name: str, part: Any, written: dict[str, Any]) -> Case:
    """One part of a user message that is no plain text."""
    return Case(
        name, turn(UserMessage((part,))), {"messages": [{"role": "user", "content": [written]}]}
    )


def talk(name: str, items: tuple[Item, ...], messages: list[Any], **settings: Any) -> Case:
    """Several items and their messages."""
    return Case(name, turn(*items, **settings), {"messages": messages})


def said(*content: Any, extensions: tuple[Extension, ...] = ()) -> tuple[Item, ...]:
    """A user's words, the model's, and the user's next ones."""
    return (ASK, AssistantMessage(content, extensions), ASK)


def saying(**message: Any) -> list[Any]:
    """The messages of `said`."""
    return [ASKED, {"role": "assistant", **message}, ASKED]


REASONED = own("messages.reasoning_content", True)
ANNOTATION = {"type": "url_citation", "url_citation": {"url": "https://example.com"}}

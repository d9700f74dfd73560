"""Words of the Responses wire, in both directions: roles, parts, tools, choices, media.

Source: openai 3.57.0, `openai.types.responses`, read 2026-11-30; what client programs send beside it: docs/evidence.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from re import DOTALL
from re import compile as pattern
from typing import Any, Final, Literal

from llm_projections._json import Json
from llm_projections.model.items import DataSource, Protocol, UrlSource, WireItem
from llm_projections.model.tools import (
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    HostedTool,
    Named,
    Tool,
    ToolChoice,
    ToolChoiceMode,
)

__all__ = [
    "CHOICES",
    "EFFORTS",
    "ENCRYPTED",
    "ENVELOPE",
    "PLACE",
    "PROTOCOL",
    "TTLS",
    "WIRE_ITEMS",
    "choice_body",
    "custom_names",
    "data_url",
    "read_url",
    "readable",
    "wire_item",
]

PROTOCOL: Final = Protocol.RESPONSES
ENCRYPTED: Final = "reasoning.encrypted_content"
ENVELOPE: Final = '{"ok":'
"""What reads as our own envelope of a tool result begins so."""
PLACE: Final = "input.place"
"""The extension of a wire item that stood before a leading instruction: how many of them stood before it."""

EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
CHOICES: Mapping[str, ToolChoiceMode] = {
    "auto": ToolChoiceMode.AUTO,
    "none": NONE,
    "required": REQUIRED,
}

# items

_Role = Literal["call", "result", "other"]

WIRE_ITEMS: Mapping[str, _Role] = {
    "additional_tools": "other",
    "agent_message": "other",
    "apply_patch_call": "call",
    "apply_patch_call_output": "result",
    "code_interpreter_call": "other",
    "compaction_trigger": "other",
    "computer_call": "call",
    "computer_call_output": "result",
    "configuration_update": "other",
    "file_search_call": "other",
    "image_generation_call": "other",
    "item_reference": "other",
    "local_shell_call": "call",
    "local_shell_call_output": "result",
    "mcp_approval_request": "call",
    "mcp_approval_response": "result",
    "mcp_call": "other",
    "mcp_list_tools": "other",
    "multi_agent_call": "other",
    "multi_agent_call_output": "other",
    "program": "other",
    "program_output": "other",
    "shell_call": "call",
    "shell_call_output": "result",
    "tool_search_call": "call",
    "tool_search_output": "result",
    "web_search_call": "other",
}
"""Items without a neutral meaning. A `call` is answered by the client with the `result`; the rest is the provider's."""

# What names the call where it is not `call_id`: the approval's own id, and the older local shell's.
_CALL_KEYS: Mapping[str, tuple[str, ...]] = {
    "mcp_approval_request": ("id",),
    "mcp_approval_response": ("approval_request_id",),
    "local_shell_call_output": ("call_id", "id"),
}


def wire_item(payload: dict[str, Json], kind: str) -> WireItem:
    """The wire item of a published type, or of one that nobody publishes (then of role `other`)."""
    role: _Role = WIRE_ITEMS.get(kind, "other")
    if role != "other" and _runs_elsewhere(payload, kind):
        role = "other"
    call_id: Json = None
    for key in _CALL_KEYS.get(kind, ("call_id",)):
        call_id = call_id or payload.get(key)
    return WireItem(PROTOCOL, payload, call_id if isinstance(call_id, str) else None, role)


def _runs_elsewhere(payload: Mapping[str, Json], kind: str) -> bool:
    if kind.startswith("tool_search"):
        return payload.get("execution") != "client"
    environment = payload.get("environment")
    return (
        kind == "shell_call"
        and isinstance(environment, dict)
        and environment.get("type") != "local"
    )


def readable(item: Mapping[str, Json]) -> tuple[list[str], list[str]]:
    """What a person may read of a reasoning item: the texts of its summary, and of its raw content."""
    return _texts(item.get("summary")), _texts(item.get("content"))


def _texts(parts: Json) -> list[str]:
    if not parts:  # most have none
        return []
    found: list[str] = []
    for part in parts if isinstance(parts, list) else ():
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str) and text:
            found.append(text)
    return found


# tools


def custom_names(tools: tuple[Tool, ...], items: tuple[object, ...]) -> frozenset[str]:
    """The names of published custom tools, those inside namespaces and items included."""
    names: set[str] = set()
    for tool in tools:
        if isinstance(tool, CustomTool):
            names.add(tool.name)
        elif isinstance(tool, HostedTool):
            names.update(_nested(tool.payload.get("tools")))
    for item in items:
        if isinstance(item, WireItem):
            names.update(_nested(item.payload.get("tools")))
    return frozenset(names)


def _nested(tools: Json) -> Iterator[str]:
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            name = tool.get("name")
            if tool.get("type") == "custom" and isinstance(name, str):
                yield name
            yield from _nested(tool.get("tools"))


def choice_body(choice: ToolChoice, custom: frozenset[str]) -> Any:
    """How a choice is written; `custom` tells which names are of custom tools."""
    if isinstance(choice, ToolChoiceMode):
        return choice.value
    if isinstance(choice, Named):
        return _chosen(choice.name, custom)
    if isinstance(choice, Allowed):
        tools = [_chosen(name, custom) for name in choice.names]
        return {"type": "allowed_tools", "mode": choice.mode, "tools": tools}
    return choice.payload


def _chosen(name: str, custom: frozenset[str]) -> dict[str, Json]:
    return {"type": "custom" if name in custom else "function", "name": name}


# parts

TTLS = frozenset({"30m", "12h"})
"""Lifetimes of a cache breakpoint."""

_DATA_URL = pattern(r"data:([^,]*);base64,(.*)", DOTALL).fullmatch


def read_url(url: str) -> UrlSource | DataSource:
    """A URL of content: inline base64 data as data, anything else to be fetched."""
    found = _DATA_URL(url) if url.startswith("data:") else None
    return DataSource(found[2], found[1] or None) if found else UrlSource(url)


def data_url(source: DataSource) -> str:
    """Inline data as the URL that it was, or would be, given in."""
    return f"data:{source.media_type or ''};base64,{source.data}"

"""Published tools of a turn as the list of a Messages body."""

from __future__ import annotations

from typing import Any

from llm_projections.model.tools import CustomTool, FunctionTool, HostedTool, Tool
from llm_projections.wires._reading import Path
from llm_projections.wires.messages.project.writer import MessagesWriter

__all__ = ["write_tools"]


def write_tools(writer: MessagesWriter, tools: tuple[Tool, ...]) -> list[dict[str, Any]]:
    """The tools in their order, those left out that this wire cannot say; who writes them looks at their schemas."""
    written: list[dict[str, Any]] = []
    for position, tool in enumerate(tools):
        path: Path = ("tools", position)
        if isinstance(tool, FunctionTool):
            written.append(_function(writer, tool, path))
        elif isinstance(tool, HostedTool):
            payload = writer.whole(tool, "tool", path)
            if payload is not None:
                written.append(payload)
        else:
            assert isinstance(tool, CustomTool)
            writer.lose("turn.tools.custom", path, "this wire has functions only")
    return written


def _function(writer: MessagesWriter, tool: FunctionTool, path: Path) -> dict[str, Any]:
    node: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        node["description"] = tool.description
    schema = tool.input_schema
    # an empty one is Chat's other way to say that it takes nothing, and lacks the type that is required here
    node["input_schema"] = schema or {"type": "object", "properties": {}}
    if tool.strict is not None:
        node["strict"] = tool.strict
    if tool.cache is None and not tool.extensions:
        return node
    return writer.close(node, tool.cache, tool.extensions, path, "tools.")

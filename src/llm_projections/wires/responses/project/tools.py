"""Published tools and the choice among them, to the wire."""

from __future__ import annotations

from typing import Any

from llm_projections.model.tools import (
    AUTO,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    Named,
    Tool,
    ToolChoice,
    WireChoice,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._carried import carried_path, choice_loss, choice_path
from llm_projections.wires._reading import Path
from llm_projections.wires.responses.project.writer import ResponsesWriter
from llm_projections.wires.responses.vocab import choice_body, custom_names

__all__ = ["write_choice", "write_tools"]


def write_tools(writer: ResponsesWriter, tools: tuple[Tool, ...]) -> list[dict[str, Any]]:
    """`tools`, each where the binding takes it."""
    written: list[dict[str, Any]] = []
    for index, tool in enumerate(tools):
        path: Path = ("tools", index)
        if isinstance(tool, FunctionTool):
            node = _function(tool)
        elif isinstance(tool, CustomTool):
            node = _custom(tool)
        else:
            carried = carried_path(tool.protocol, "tool", tool.payload)
            if not writer.takes(tool.protocol, carried):
                writer.lose(f"{tool.protocol.short}.{carried}", path)
                continue
            node = tool.payload
        if tool.cache is not None:
            writer.lose("turn.cache", (*path, "cache"), "only input parts are marked on this wire")
        if tool.extensions:
            node = dict(node)
            writer.carry(tool.extensions, "tools.", node, path)
        written.append(node)
    return written


def _function(tool: FunctionTool) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "function", "name": tool.name}
    if tool.description is not None:
        node["description"] = tool.description
    node["parameters"] = tool.input_schema
    # left out, this wire would read it as true
    node["strict"] = tool.strict or False
    return node


def _custom(tool: CustomTool) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "custom", "name": tool.name}
    if tool.description is not None:
        node["description"] = tool.description
    if tool.format is not None:
        node["format"] = {
            "type": "grammar",
            "syntax": tool.format.syntax,
            "definition": tool.format.definition,
        }
    return node


def write_choice(writer: ResponsesWriter, turn: TurnRequest, body: dict[str, Any]) -> None:
    """`tool_choice`, if the turn chooses, and `parallel_tool_calls`."""
    choice = turn.tool_choice
    if isinstance(choice, WireChoice) and not _taken(writer, choice):
        choice = AUTO
    elif turn.tools and "tools" not in body and _chooses(choice):
        writer.lose("turn.tool_choice", ("tool_choice",), "no tool is left to choose")
        choice = AUTO
    if choice is not AUTO:
        body["tool_choice"] = choice_body(choice, custom_names(turn.tools, turn.items))
    # calls are parallel unless said otherwise: where a binding does not declare it, True asks for nothing
    if turn.parallel_tool_calls is not None and writer.able.parallel_tool_calls:
        body["parallel_tool_calls"] = turn.parallel_tool_calls


def _chooses(choice: ToolChoice) -> bool:
    return choice is REQUIRED or isinstance(choice, Named | Allowed)


def _taken(writer: ResponsesWriter, choice: WireChoice) -> bool:
    if writer.takes(choice.protocol, choice_path(choice)):
        return True
    writer.lose(choice_loss(choice), ("tool_choice",))
    return False

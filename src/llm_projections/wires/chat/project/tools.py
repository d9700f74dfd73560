"""Published tools and the choice among them as keys of a Chat body."""

from __future__ import annotations

from typing import Any, assert_never

from llm_projections.model.items import Protocol
from llm_projections.model.tools import (
    AUTO,
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    HostedTool,
    Named,
    Tool,
    ToolChoiceMode,
    WireChoice,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._carried import carried_path, choice_loss
from llm_projections.wires._reading import Path
from llm_projections.wires._writing import Writer
from llm_projections.wires.chat import vocab

__all__ = ["write_tools"]


def write_tools(writer: Writer, turn: TurnRequest, body: dict[str, Any]) -> None:
    """`tools`, `tool_choice` and `parallel_tool_calls`, as far as the turn has them."""
    tools = writer.kept(turn.tools, -1, lambda: _tools(writer, turn.tools) or None)
    if tools is not None:
        body["tools"] = tools
    # the vendor takes neither of these without tools; who gives none of its own is not second-guessed
    left = tools is not None or not turn.tools
    choice = _choice(writer, turn, left)
    if choice is not None:
        body["tool_choice"] = choice
    parallel = turn.parallel_tool_calls
    if parallel is not None and left:
        body["parallel_tool_calls"] = parallel
    elif parallel is False:
        writer.lose("turn.parallel_tool_calls.unused", ("parallel_tool_calls",), "no tool is left")


def _tools(writer: Writer, tools: tuple[Tool, ...]) -> list[dict[str, Any]]:
    written = [_tool(writer, tool, ("tools", position)) for position, tool in enumerate(tools)]
    return [tool for tool in written if tool is not None]


def _tool(writer: Writer, tool: Tool, path: Path) -> dict[str, Any] | None:
    if isinstance(tool, HostedTool):
        return _hosted(writer, tool, path)
    if isinstance(tool, FunctionTool):
        written = {"type": "function", "function": _function(tool)}
    else:
        written = {"type": "custom", "custom": _custom(tool)}
    if tool.cache is not None:
        writer.lose("turn.cache", (*path, "cache"))
    if tool.extensions:
        writer.carry(tool.extensions, "tools.", written, path)
    return written


def _hosted(writer: Writer, tool: HostedTool, path: Path) -> dict[str, Any] | None:
    carried = carried_path(tool.protocol, "tool", tool.payload)
    if writer.takes(tool.protocol, carried):
        writer.carried = True
        return tool.payload
    writer.lose(f"{tool.protocol.short}.{carried}", path, "a tool of another server")
    return None


def _function(tool: FunctionTool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.input_schema is not None:
        function["parameters"] = tool.input_schema
    if tool.strict is not None:
        function["strict"] = tool.strict
    return function


def _custom(tool: CustomTool) -> dict[str, Any]:
    custom: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        custom["description"] = tool.description
    if tool.format is not None:
        grammar = {"syntax": tool.format.syntax, "definition": tool.format.definition}
        custom["format"] = {"type": "grammar", "grammar": grammar}
    return custom


def _choice(writer: Writer, turn: TurnRequest, left: bool) -> object:
    choice = turn.tool_choice
    if not left and choice is NONE:
        return None
    if not left and (choice is REQUIRED or isinstance(choice, Named | Allowed)):
        writer.lose("turn.tool_choice", ("tool_choice",), "no tool is left to choose")
        return None
    match choice:
        case ToolChoiceMode():
            return None if choice is AUTO else vocab.CHOICES_OUT[choice]
        case Named(name):
            return _named(turn, name)
        case Allowed(mode, names):
            tools = [_named(turn, name) for name in names]
            return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}
        case WireChoice(protocol, payload):
            if protocol is Protocol.CHAT:
                writer.carried = True
                return payload
            writer.lose(choice_loss(choice), ("tool_choice",), "a choice of another wire")
            return None
        case _:
            assert_never(choice)


def _named(turn: TurnRequest, name: str) -> dict[str, Any]:
    custom = any(isinstance(tool, CustomTool) and tool.name == name for tool in turn.tools)
    kind = "custom" if custom else "function"
    return {"type": kind, kind: {"name": name}}

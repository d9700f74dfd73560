"""Published tools, and the choice among them."""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import Extension, Item
from llm_projections.model.tools import (
    AUTO,
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    HostedTool,
    Named,
    Tool,
    ToolChoice,
    WireChoice,
)
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires.responses.subset import TABLE
from llm_projections.wires.responses.vocab import CHOICES, PROTOCOL, choice_body, custom_names

__all__ = ["read_choice", "read_tools"]

_FUNCTION = frozenset({"type", "name", "description", "parameters", "strict"})
_CUSTOM = frozenset({"type", "name", "description", "format"})


def read_tools(reader: Reader, node: dict[str, Json]) -> tuple[Tool, ...]:
    """`tools`; what has no neutral meaning is carried whole."""
    tools: list[Tool] = []
    for position, tool in reader.objects(reader.array(node, "tools", ()) or (), ("tools",)):
        path: Path = ("tools", position)
        kind = tool.get("type")
        if kind == "function":
            tools.append(_function(reader, tool, path))
        elif kind == "custom":
            tools.append(_custom(reader, tool, path))
        elif isinstance(kind, str) and TABLE.variant("request.tools[]", kind) is not None:
            tools.append(HostedTool(PROTOCOL, tool))
        else:
            reader.refuse((*path, "type"), "not a published tool", RefusalCode.UNSUPPORTED)
    return tuple(tools)


def _function(reader: Reader, tool: dict[str, Json], path: Path) -> FunctionTool:
    extensions: tuple[Extension, ...] = ()
    if not tool.keys() <= _FUNCTION:
        known = TABLE.fields("request.tools[]<function>")
        extensions = reader.extras(tool, path, known, _FUNCTION)
    return FunctionTool(
        reader.required(reader.string(tool, "name", path), (*path, "name"), ""),
        reader.string(tool, "description", path),
        reader.object(tool, "parameters", path),
        # false is what every other wire means by its absence; absent here is written as false
        reader.boolean(tool, "strict", path) or None,
        None,
        extensions,
    )


def _custom(reader: Reader, tool: dict[str, Json], path: Path) -> CustomTool:
    extensions: tuple[Extension, ...] = ()
    if not tool.keys() <= _CUSTOM:
        extensions = reader.extras(tool, path, TABLE.fields("request.tools[]<custom>"), _CUSTOM)
    return CustomTool(
        reader.required(reader.string(tool, "name", path), (*path, "name"), ""),
        reader.string(tool, "description", path),
        _format(reader, tool, path),
        None,
        extensions,
    )


def _format(reader: Reader, tool: dict[str, Json], path: Path) -> Grammar | None:
    said = reader.object(tool, "format", path)
    if said is None:
        return None
    path = (*path, "format")
    kind = said.get("type")
    known = {"type", "syntax", "definition"} if kind == "grammar" else {"type"}
    for key in said.keys() - known:
        reader.refuse((*path, key), "not a published field", RefusalCode.UNSUPPORTED)
    if kind == "grammar":
        return Grammar(
            reader.required(reader.string(said, "syntax", path), (*path, "syntax"), ""),
            reader.required(reader.string(said, "definition", path), (*path, "definition"), ""),
        )
    if kind != "text":
        reader.refuse((*path, "type"), "not a published format", RefusalCode.UNSUPPORTED)
    return None


def read_choice(
    reader: Reader, node: dict[str, Json], tools: tuple[Tool, ...], items: tuple[Item, ...]
) -> ToolChoice:
    """`tool_choice`. A form that the neutral words would not give back is carried whole."""
    said = node.get("tool_choice")
    if said is None:
        return AUTO
    path: Path = ("tool_choice",)
    if isinstance(said, str):
        if said not in CHOICES:
            reader.refuse(path, "not one of the published values", RefusalCode.UNSUPPORTED)
        return CHOICES.get(said, AUTO)
    if not isinstance(said, dict):
        reader.refuse(path, "must be a string or an object")
        return AUTO
    kind = said.get("type")
    if not isinstance(kind, str) or TABLE.variant("request.tool_choice", kind) is None:
        reader.refuse((*path, "type"), "not a published choice", RefusalCode.UNSUPPORTED)
        return AUTO
    neutral = _neutral(reader, said, kind, path)
    if neutral is not None and choice_body(neutral, custom_names(tools, items)) == said:
        return neutral
    return WireChoice(PROTOCOL, said)


_KNOWN: Mapping[str, frozenset[str]] = {
    "function": frozenset({"type", "name"}),
    "custom": frozenset({"type", "name"}),
    "allowed_tools": frozenset({"type", "mode", "tools"}),
}


def _neutral(
    reader: Reader, said: dict[str, Json], kind: str, path: Path
) -> Named | Allowed | None:
    known = _KNOWN.get(kind)
    if known is None:
        return None
    for key in said.keys() - known:
        reader.refuse((*path, key), "not a published field", RefusalCode.UNSUPPORTED)
    if kind != "allowed_tools":
        return Named(reader.required(reader.string(said, "name", path), (*path, "name"), ""))
    mode = reader.required(
        reader.choice(said, "mode", path, ("auto", "required")), (*path, "mode"), "auto"
    )
    tools = reader.required(reader.array(said, "tools", path), (*path, "tools"), [])
    names: list[str] = []
    for _, tool in reader.objects(tools, (*path, "tools")):
        name = tool.get("name")
        names.append(name if isinstance(name, str) else "")
    return Allowed("required" if mode == "required" else "auto", tuple(names))

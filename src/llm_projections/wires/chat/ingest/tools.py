"""Published tools, the choice among them, and the asked format of a Chat body."""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.tools import (
    AUTO,
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    HostedTool,
    JsonObject,
    JsonSchema,
    Named,
    OutputFormat,
    Tool,
    ToolChoice,
    WireChoice,
)
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires._rows import Treat
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat.subset import TABLE

__all__ = ["read_choice", "read_format", "read_tools"]

_UNSUPPORTED = RefusalCode.UNSUPPORTED
_FUNCTION_TOOL = frozenset({"type", "function"})
_FUNCTION = frozenset({"name", "description", "parameters", "strict"})
_CUSTOM_TOOL = frozenset({"type", "custom"})
_CUSTOM = frozenset({"name", "description", "format"})
_NAME = frozenset({"name"})
_TYPE = frozenset({"type"})
_MISSING: dict[str, Json] = {}


def read_tools(reader: Reader, node: Mapping[str, Json]) -> tuple[Tool, ...]:
    """The published tools."""
    found = reader.array(node, "tools", ())
    if not found:
        return ()
    tools: list[Tool] = []
    for position, tool in reader.objects(found, ("tools",)):
        path: Path = ("tools", position)
        kind = reader.string(tool, "type", path)
        # vLLM's own types have "function" as the default, and programs leave the word out
        if kind == "function" or (kind is None and "function" in tool):
            tools.append(_function(reader, tool, path))
        elif kind == "custom":
            tools.append(_custom(reader, tool, path))
        elif kind is None:
            reader.required(kind, (*path, "type"), "")
        else:
            row = TABLE.variant("request.tools[]", kind)
            if row is not None and row.treat is Treat.CARRY:
                tools.append(HostedTool(Protocol.CHAT, tool))
            else:
                reader.refuse((*path, "type"), "not a published tool", _UNSUPPORTED)
    return tuple(tools)


def _function(reader: Reader, tool: dict[str, Json], path: Path) -> FunctionTool:
    at = "request.tools[]<function>"
    extensions = _extras(reader, tool, path, at, _FUNCTION_TOOL)
    path = (*path, "function")
    function = reader.required(reader.object(tool, "function", path[:-1]), path, _MISSING)
    if function is _MISSING:
        return FunctionTool("")
    return FunctionTool(
        _required_name(reader, function, path),
        reader.string(function, "description", path),
        reader.object(function, "parameters", path),
        reader.boolean(function, "strict", path),
        None,
        extensions + _extras(reader, function, path, f"{at}.function", _FUNCTION),
    )


def _custom(reader: Reader, tool: dict[str, Json], path: Path) -> CustomTool:
    at = "request.tools[]<custom>"
    extensions = _extras(reader, tool, path, at, _CUSTOM_TOOL)
    path = (*path, "custom")
    custom = reader.required(reader.object(tool, "custom", path[:-1]), path, _MISSING)
    if custom is _MISSING:
        return CustomTool("")
    return CustomTool(
        _required_name(reader, custom, path),
        reader.string(custom, "description", path),
        _grammar(reader, custom, path),
        None,
        extensions + _extras(reader, custom, path, f"{at}.custom", _CUSTOM),
    )


def _extras(
    reader: Reader, node: dict[str, Json], path: Path, at: str, known: frozenset[str]
) -> tuple[Extension, ...]:
    return () if node.keys() <= known else reader.extras(node, path, TABLE.fields(at), known)


def _grammar(reader: Reader, custom: dict[str, Json], path: Path) -> Grammar | None:
    form = reader.object(custom, "format", path)
    if form is None:
        return None
    path = (*path, "format")
    kind = reader.required(
        reader.choice(form, "type", path, ("text", "grammar")), (*path, "type"), ""
    )
    if kind != "grammar":
        _only(reader, form, path, _TYPE)
        return None
    _only(reader, form, path, frozenset({"type", "grammar"}))
    path = (*path, "grammar")
    grammar = reader.required(reader.object(form, "grammar", path[:-1]), path, {})
    _only(reader, grammar, path, frozenset({"syntax", "definition"}))
    syntax = reader.string(grammar, "syntax", path)
    definition = reader.string(grammar, "definition", path)
    return Grammar(
        reader.required(syntax, (*path, "syntax"), ""),
        reader.required(definition, (*path, "definition"), ""),
    )


def _required_name(reader: Reader, node: dict[str, Json], path: Path) -> str:
    return reader.required(reader.string(node, "name", path), (*path, "name"), "")


def _only(reader: Reader, node: Mapping[str, Json], path: Path, known: frozenset[str]) -> None:
    if not node.keys() <= known:
        reader.extras(node, path, {}, known)


def read_choice(reader: Reader, node: Mapping[str, Json]) -> ToolChoice:
    """How the model may choose; absent is `AUTO`."""
    choice = node.get("tool_choice")
    if choice is None:
        return AUTO
    path: Path = ("tool_choice",)
    if isinstance(choice, str):
        if choice in vocab.CHOICES:
            return vocab.CHOICES[choice]
        reader.refuse(path, "not one of the published values", _UNSUPPORTED)
        return AUTO
    if not isinstance(choice, dict):
        reader.refuse(path, "must be a string or an object")
        return AUTO
    kind = reader.string(choice, "type", path)
    if kind == "function" or kind == "custom":
        _only(reader, choice, path, frozenset({"type", kind}))
        path = (*path, kind)
        named = reader.required(reader.object(choice, kind, path[:-1]), path, {})
        _only(reader, named, path, _NAME)
        return Named(_required_name(reader, named, path))
    if kind == "allowed_tools":
        return _allowed(reader, choice, path)
    if kind is None:
        reader.required(kind, (*path, "type"), "")
    else:
        reader.refuse((*path, "type"), "not a published choice", _UNSUPPORTED)
    return AUTO


def _allowed(reader: Reader, choice: dict[str, Json], path: Path) -> ToolChoice:
    _only(reader, choice, path, frozenset({"type", "allowed_tools"}))
    path = (*path, "allowed_tools")
    allowed = reader.required(reader.object(choice, "allowed_tools", path[:-1]), path, {})
    _only(reader, allowed, path, frozenset({"mode", "tools"}))
    mode = reader.choice(allowed, "mode", path, ("auto", "required"))
    reader.required(mode, (*path, "mode"), "")
    tools = reader.required(reader.array(allowed, "tools", path), (*path, "tools"), [])
    names: list[str] = []
    for tool in tools:
        name = _plain_name(tool)
        if name is None:
            # the vendor publishes the entries as free objects: what is more than a name is carried
            return WireChoice(Protocol.CHAT, choice)
        names.append(name)
    return Allowed("required" if mode == "required" else "auto", tuple(names))


def _plain_name(tool: Json) -> str | None:
    """The name in `{"type": kind, kind: {"name": name}}`, if that is all."""
    if not isinstance(tool, dict) or tool.get("type") not in ("function", "custom"):
        return None
    kind = tool["type"]
    named = tool.get(kind) if isinstance(kind, str) else None
    if not isinstance(named, dict) or len(tool) != 2 or named.keys() != _NAME:
        return None
    name = named["name"]
    return name if isinstance(name, str) else None


def read_format(
    reader: Reader, node: Mapping[str, Json], carried: list[Extension]
) -> OutputFormat | None:
    """The asked format of the answer; `text` is none, and what only some servers know is `carried`."""
    form = reader.object(node, "response_format", ())
    if form is None:
        return None
    path: Path = ("response_format",)
    kind = reader.string(form, "type", path)
    if kind is None:
        reader.required(kind, (*path, "type"), "")
    elif kind == "text":
        _only(reader, form, path, _TYPE)
    elif kind == "json_object":
        fields = TABLE.fields("request.response_format<json_object>")
        carried += reader.extras(form, path, fields, _TYPE)
        return JsonObject()
    elif kind == "json_schema":
        return _schema(reader, form, path)
    else:
        row = TABLE.variant("request.response_format", kind)
        if row is not None and row.treat is Treat.CARRY:
            carried.append(Extension(Protocol.CHAT, "response_format", form))
        else:
            reader.refuse((*path, "type"), "not a published format", _UNSUPPORTED)
    return None


def _schema(reader: Reader, form: dict[str, Json], path: Path) -> JsonSchema:
    _only(reader, form, path, frozenset({"type", "json_schema"}))
    path = (*path, "json_schema")
    asked = reader.required(reader.object(form, "json_schema", path[:-1]), path, {})
    _only(reader, asked, path, frozenset({"name", "description", "schema", "strict"}))
    schema = reader.object(asked, "schema", path)
    return JsonSchema(
        _required_name(reader, asked, path),
        {} if schema is None else schema,
        reader.boolean(asked, "strict", path),
        reader.string(asked, "description", path),
    )

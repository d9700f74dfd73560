"""Published tools of a Messages body."""

from __future__ import annotations

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import Protocol
from llm_projections.model.tools import FunctionTool, HostedTool, Tool
from llm_projections.wires._reading import Path
from llm_projections.wires.messages.ingest.reader import MessagesReader
from llm_projections.wires.messages.subset import TABLE

__all__ = ["read_tools"]

_MAPPED = frozenset({"type", "name", "description", "input_schema", "strict", "cache_control"})


def read_tools(reader: MessagesReader, body: dict[str, Json]) -> tuple[Tool, ...]:
    """The tools in their order: functions, and hosted ones carried whole."""
    nodes = reader.array(body, "tools", ())
    if not nodes:
        return ()
    if len(nodes) > reader.limits.tools:
        reader.refuse(("tools",), f"more than {reader.limits.tools} tools", RefusalCode.TOO_LARGE)
        return ()
    tools: list[Tool] = []
    for position, node in reader.objects(nodes, ("tools",)):
        path: Path = ("tools", position)
        kind = node.get("type")
        if kind is None or kind == "custom":
            tools.append(_function(reader, node, path))
        elif not isinstance(kind, str):
            reader.refuse((*path, "type"), "must be a string")
        elif TABLE.variant("request.tools[]", kind) is None:
            reader.refuse((*path, "type"), "not a published tool", RefusalCode.UNSUPPORTED)
        else:
            tools.append(HostedTool(Protocol.MESSAGES, reader.whole(node, path)))
    return tuple(tools)


def _function(reader: MessagesReader, node: dict[str, Json], path: Path) -> FunctionTool:
    name, told, schema = node.get("name"), node.get("description"), node.get("input_schema")
    if type(name) is str and type(told) is str and type(schema) is dict and len(node) == 3:
        return FunctionTool(name, told, schema)
    cache, scope = reader.mark(node, path, "tools.")
    return FunctionTool(
        reader.required(reader.string(node, "name", path), (*path, "name"), ""),
        reader.string(node, "description", path),
        reader.required(reader.object(node, "input_schema", path), (*path, "input_schema"), {}),
        reader.boolean(node, "strict", path),
        cache,
        (*reader.extras(node, path, TABLE.fields("request.tools[]<custom>"), _MAPPED), *scope),
    )

"""A wrapped tool as a function, and a function's call as what a wrapped tool takes."""

from __future__ import annotations

from collections.abc import Iterator

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import Extension, Item, Protocol
from llm_projections.model.tools import CustomTool, FunctionTool, Grammar, HostedTool, Tool

__all__ = [
    "NAMESPACE",
    "SCHEMA",
    "described",
    "namespace_of",
    "objects",
    "only_input",
    "read_tool",
    "refused",
    "takes_only_input",
]

NAMESPACE = "input.namespace"
"""The path of the extension that tells which namespace a call is of."""
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
"""What a wrapped custom tool takes."""


def refused(message: str) -> RequestRefused:
    """The refusal of a request that cannot be wrapped."""
    return RequestRefused(RefusalCode.INVALID_REQUEST, message, "tools")


def objects(value: Json) -> Iterator[dict[str, Json]]:
    """The objects of a list, which may be absent. Raises `RequestRefused` for anything else."""
    if value is None:
        return
    if not isinstance(value, list):
        raise refused("tools are not a list")
    for element in value:
        if not isinstance(element, dict):
            raise refused("a tool is not an object")
        yield element


def read_tool(payload: dict[str, Json]) -> Tool:
    """A tool as the Responses wire spells it inside namespaces and `additional_tools`.

    Fields: openai 3.57.0 `NamespaceToolParam.tools`, 2026-11. One with a field that has no neutral
    place stays as it is.
    """
    known = {"type", "name", "description"}
    name, description = payload.get("name"), payload.get("description")
    if not isinstance(name, str) or not isinstance(description, str | None):
        return HostedTool(Protocol.RESPONSES, payload)
    extras = {"defer_loading", "output_schema", "allowed_callers"}
    extensions = tuple(
        Extension(Protocol.RESPONSES, f"tools.{key}", payload[key])
        for key in payload
        if key in extras and payload[key] is not None
    )
    match payload.get("type"):
        case "function" if payload.keys() <= known | extras | {"parameters", "strict"}:
            schema, strict = payload.get("parameters"), payload.get("strict")
            if isinstance(schema, dict | None) and isinstance(strict, bool | None):
                # false where it is absent too, as in `tools` (decision 062)
                return FunctionTool(name, description, schema, strict or None, None, extensions)
        case "custom" if payload.keys() <= known | extras | {"format"}:
            readable, grammar = _grammar(payload.get("format"))
            if readable:
                return CustomTool(name, description, grammar, None, extensions)
        case _:
            pass
    return HostedTool(Protocol.RESPONSES, payload)


def _grammar(value: Json) -> tuple[bool, Grammar | None]:
    if value is None or value == {"type": "text"}:
        return True, None
    if isinstance(value, dict) and value.keys() == {"type", "syntax", "definition"}:
        syntax, definition = value["syntax"], value["definition"]
        if isinstance(syntax, str) and isinstance(definition, str):
            return True, Grammar(syntax, definition)
    return False, None


def namespace_of(item: Item) -> str | None:
    """The namespace that a call says it is of."""
    for extension in item.extensions:
        if extension.path == NAMESPACE and isinstance(extension.value, str):
            return extension.value
    return None


def described(description: str | None, grammar: Grammar | None) -> str | None:
    """A custom tool's description as a function's, the grammar where the model can read it."""
    if grammar is None:
        return description
    rule = f"The input must match this {grammar.syntax} grammar:\n{grammar.definition}"
    return f"{description}\n\n{rule}" if description else rule


def takes_only_input(schema: dict[str, Json] | None) -> bool:
    """Whether a function may be called with exactly `{"input": <string>}`."""
    if schema is None:
        return False
    properties, needed = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(needed, list):
        return False
    if "input" not in properties or any(name != "input" for name in needed):
        return False
    taken = properties["input"]
    kind = taken.get("type", "string") if isinstance(taken, dict) else "string"
    return kind == "string" or (isinstance(kind, list) and "string" in kind)


def only_input(arguments: str) -> str | None:
    """The text of exactly `{"input": <string>}`."""
    try:
        value = _json.read(arguments.encode("utf-8", "surrogatepass")).value
    except _json.JsonError:
        return None
    if isinstance(value, dict) and value.keys() == {"input"}:
        text = value["input"]
        return text if isinstance(text, str) else None
    return None

"""Settings of a Messages body that are objects: thinking, output, tool choice, metadata, tier."""

from __future__ import annotations

from typing import Literal, cast

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import Extension
from llm_projections.model.tools import (
    AUTO,
    NONE,
    REQUIRED,
    JsonSchema,
    Named,
    OutputFormat,
    ToolChoice,
)
from llm_projections.model.turn import Thinking
from llm_projections.wires._reading import Path
from llm_projections.wires.messages.ingest.reader import MessagesReader
from llm_projections.wires.messages.subset import TABLE
from llm_projections.wires.messages.vocab import DISPLAYS, EFFORTS, MODES, SERVICE_TIERS

__all__ = ["read_choice", "read_metadata", "read_output", "read_thinking", "read_tier"]

Mode = Literal["adaptive", "enabled", "disabled", "between_tools"]

_THINKING = frozenset({"type", "budget_tokens", "display"})
_ANY_THINKING = _THINKING | {"block_binding"}
_OUTPUT = frozenset({"effort", "format"})
_FORMAT = frozenset({"type", "schema"})
_CHOICE = frozenset({"type", "name", "disable_parallel_tool_use"})
_CHOICES: dict[str, ToolChoice] = {"auto": AUTO, "any": REQUIRED, "none": NONE}
_KINDS = frozenset({*_CHOICES, "tool"})
_SHOWING = frozenset({"adaptive", "enabled"})


def _said(node: dict[str, Json] | None, published: frozenset[str]) -> dict[str, Json] | None:
    """A setting of several forms without its nulls: one that only another form has reads as absent too."""
    if node is None or None not in node.values():
        return node
    return {key: value for key, value in node.items() if value is not None or key not in published}


def read_thinking(
    reader: MessagesReader, body: dict[str, Json]
) -> tuple[Thinking, tuple[Extension, ...]]:
    """What `thinking` asks, and what is carried of it."""
    node = _said(reader.object(body, "thinking", ()), _ANY_THINKING)
    if node is None:
        return Thinking(), ()
    path: Path = ("thinking",)
    mode = reader.choice(node, "type", path, MODES)
    if mode is None:
        reader.required(None if "type" not in node else "", (*path, "type"), "")
        return Thinking(), ()
    known = TABLE.fields(f"request.thinking<{mode}>")
    mapped = _THINKING if mode == "enabled" else _THINKING - {"budget_tokens"}
    if mode not in _SHOWING:
        mapped = frozenset({"type"})
        known = {key: row for key, row in known.items() if key in mapped}
    elif mode != "enabled":
        known = {key: row for key, row in known.items() if key != "budget_tokens"}
    carried = reader.extras(node, path, known, mapped)
    budget = reader.integer(node, "budget_tokens", path) if mode == "enabled" else None
    if budget is not None and budget <= 0:
        reader.refuse((*path, "budget_tokens"), "must be above zero")
    display = reader.choice(node, "display", path, DISPLAYS) if mode in _SHOWING else None
    return Thinking(None, budget, cast(Mode, mode), display), carried


def read_output(
    reader: MessagesReader, body: dict[str, Json]
) -> tuple[str | None, OutputFormat | None, tuple[Extension, ...]]:
    """The effort, the output format (in its present place or its older one), and what is carried beside them."""
    older = _read_format(reader, body, "output_format", ())
    node = reader.object(body, "output_config", ())
    if node is None:
        return None, older, ()
    path: Path = ("output_config",)
    carried = reader.extras(node, path, TABLE.fields("request.output_config"), _OUTPUT)
    newer = _read_format(reader, node, "format", path)
    if older is not None and newer is not None and older != newer:
        reader.refuse(("output_format",), "contradicts output_config.format")
    return reader.choice(node, "effort", path, EFFORTS), newer or older, carried


def _read_format(
    reader: MessagesReader, owner: dict[str, Json], key: str, path: Path
) -> JsonSchema | None:
    node = reader.object(owner, key, path)
    if node is None:
        return None
    at = (*path, key)
    if node.get("type") != "json_schema":
        reader.refuse((*at, "type"), "not one of the published values", RefusalCode.UNSUPPORTED)
    reader.extras(node, at, TABLE.fields("request.output_config.format"), _FORMAT)
    schema = reader.required(reader.object(node, "schema", at), (*at, "schema"), {})
    return JsonSchema(None, schema)


def read_choice(reader: MessagesReader, body: dict[str, Json]) -> tuple[ToolChoice, bool | None]:
    """How the model may choose among tools, and whether several at once."""
    node = _said(reader.object(body, "tool_choice", ()), _CHOICE)
    if node is None:
        return AUTO, None
    path: Path = ("tool_choice",)
    kind = node.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        reader.refuse((*path, "type"), "not one of the published values", RefusalCode.UNSUPPORTED)
        return AUTO, None
    known = TABLE.fields(f"request.tool_choice<{kind}>")
    mapped = _CHOICE if kind == "tool" else _CHOICE - {"name"}
    if kind == "none":
        mapped = frozenset({"type"})
        known = {key: row for key, row in known.items() if key == "type"}
    reader.extras(node, path, known, mapped)
    serial = reader.boolean(node, "disable_parallel_tool_use", path) if kind != "none" else None
    parallel = None if serial is None else not serial
    bare = not (body.get("tools") or body.get("mcp_servers"))
    if serial and bare:
        reader.refuse((*path, "disable_parallel_tool_use"), "needs tools")
    if kind == "none" and bare:
        return AUTO, None  # of no tools, none is what any choice gives
    if kind == "tool":
        name = reader.required(reader.string(node, "name", path), (*path, "name"), "")
        return Named(name), parallel
    return _CHOICES[kind], parallel


def read_metadata(reader: MessagesReader, body: dict[str, Json]) -> str | None:
    """The id of the end user."""
    node = reader.object(body, "metadata", ())
    if node is None:
        return None
    reader.extras(node, ("metadata",), TABLE.fields("request.metadata"), ("user_id",))
    return reader.string(node, "user_id", ("metadata",))


def read_tier(reader: MessagesReader, body: dict[str, Json]) -> str | None:
    """The service tier, in neutral words."""
    tier = reader.choice(body, "service_tier", (), SERVICE_TIERS.keys())
    return None if tier is None else SERVICE_TIERS[tier]

"""Tools that a turn publishes, and how the model may choose among them."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

from llm_projections._json import Json
from llm_projections._values import field, frozen
from llm_projections.model.items import CacheMark, Extension, Protocol

__all__ = [
    "AUTO",
    "NONE",
    "REQUIRED",
    "Allowed",
    "CustomTool",
    "FunctionTool",
    "Grammar",
    "HostedTool",
    "JsonObject",
    "JsonSchema",
    "Named",
    "OutputFormat",
    "Tool",
    "ToolChoice",
    "ToolChoiceMode",
    "WireChoice",
]


@frozen
class FunctionTool:
    """A function that the caller runs. `input_schema` is JSON Schema; `None` takes no arguments.

    `strict` is three-valued: `None` leaves the wire's own default.
    """

    name: str
    description: str | None = None
    input_schema: dict[str, Json] | None = field(default=None, hash=False)
    strict: bool | None = None
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class Grammar:
    """What a custom tool's input must match: a `lark` or `regex` definition."""

    syntax: str
    definition: str


@frozen
class CustomTool:
    """A tool whose input is free text; `format` narrows it (`None` is any text)."""

    name: str
    description: str | None = None
    format: Grammar | None = None
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class HostedTool:
    """A tool that only its own wire knows, carried whole (its cache mark stays inside `payload`)."""

    protocol: Protocol
    payload: dict[str, Json] = field(hash=False)
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


Tool = FunctionTool | CustomTool | HostedTool
"""What a turn may publish."""


class ToolChoiceMode(Enum):
    """Whether the model may, must not, or must call a tool."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"


AUTO: Final = ToolChoiceMode.AUTO
"""The model may call a tool: every wire's default, so that it is not written."""
NONE: Final = ToolChoiceMode.NONE
"""The model must not call a tool."""
REQUIRED: Final = ToolChoiceMode.REQUIRED
"""The model must call a tool: `required` on the OpenAI wires, `any` on Messages."""


@frozen
class Named:
    """The model must call this published tool."""

    name: str


@frozen
class Allowed:
    """The model may (`auto`) or must (`required`) choose among these published tools."""

    mode: Literal["auto", "required"]
    names: tuple[str, ...]


@frozen
class WireChoice:
    """A choice that only its own wire can say, carried whole."""

    protocol: Protocol
    payload: dict[str, Json] = field(hash=False)


ToolChoice = ToolChoiceMode | Named | Allowed | WireChoice
"""`AUTO`, `NONE`, `REQUIRED`, or one of the classes."""


@frozen
class JsonObject:
    """The answer must be a JSON object."""


@frozen
class JsonSchema:
    """The answer must match `schema`; Messages has no `name`, `strict` or `description`."""

    name: str | None
    schema: dict[str, Json] = field(hash=False)
    strict: bool | None = None
    description: str | None = None


OutputFormat = JsonObject | JsonSchema
"""What the answer's text must be, where it is not free."""

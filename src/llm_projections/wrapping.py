"""Custom tools, namespaces and late tools, made reachable on wires that have only functions.

Rules:
1. A custom tool becomes a function with the one string property `input`; its grammar goes into the
   description, where the model can read it.
2. A namespaced tool becomes `<namespace>__<name>`; tools inside an `additional_tools` item become
   published tools. History is wrapped like the tools.
3. A name that collides or is longer than 64 characters is refused.
4. A call that does not unwrap exactly is refused, never repaired.

It is the caller's explicit choice. `ToolWrapping` holds nothing of a conversation; `resolve` ties it
to one request, whose tools then say which calls are whose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, overload

from attrs import evolve, field, frozen

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.dialect import ALL, All
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
)
from llm_projections.model.items import (
    CustomToolCall,
    Extension,
    Item,
    Protocol,
    ToolCall,
    ToolResult,
    WireItem,
)
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.tools import (
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    HostedTool,
    Named,
    Tool,
)
from llm_projections.model.turn import TurnRequest

__all__ = ["ToolWrapping", "Unwrapping"]

_LONGEST_NAME = 64
_JOINT = "__"
_NAMESPACE = "input.namespace"
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}


@frozen
class ToolWrapping:
    """How tools that a target lacks are made functions there.

    `custom` names the custom tools to wrap, or is `ALL`. Unresolved, `ALL` takes every call with
    exactly `{"input": <string>}` for a custom one, and the last `__` of a name for the end of its
    namespace; `wrap` refuses a request whose own tools would make that wrong.
    """

    custom: frozenset[str] | All = frozenset()
    flatten_namespaces: bool = False
    hoist_additional_tools: bool = False
    _spaces: Mapping[str, tuple[str, str]] | None = field(default=None, repr=False, alias="spaces")

    def resolve(self, request: TurnRequest) -> ToolWrapping:
        """The same wrapping for one request: which names are custom, and which lie in a namespace."""
        tools = tuple(self._published(request))
        customs = {tool.name for tool, _, _ in tools if isinstance(tool, CustomTool)}
        spaces = {
            tool.name: (space, own)
            for tool, space, own in tools
            if space and not isinstance(tool, HostedTool)
        }
        for item in request.items:
            space = _namespace(item)
            if space is not None and isinstance(item, ToolCall | CustomToolCall):
                spaces[f"{space}{_JOINT}{item.name}"] = (space, item.name)
                if isinstance(item, CustomToolCall):
                    customs.add(f"{space}{_JOINT}{item.name}")
            elif isinstance(item, CustomToolCall):
                customs.add(item.name)
        chosen = (
            customs if self.custom is ALL else {name for name in customs if self._is_custom(name)}
        )
        return evolve(
            self,
            custom=frozenset(chosen),
            spaces=spaces if self.flatten_namespaces else {},
        )

    def wrap(self, request: TurnRequest) -> TurnRequest:
        """`request` with its tools and its history as functions.

        Raises `RequestRefused` (INVALID_REQUEST) for names that collide or are too long, and, where this is not
        resolved, for tools that `unwrap` could not tell apart.
        """
        tools: dict[str, Tool] = {}
        hosted: list[Tool] = []
        for tool, _, _ in self._published(request):
            if isinstance(tool, HostedTool):
                hosted.append(tool)
                continue
            wrapped = self._wrap_tool(tool)
            if tools.setdefault(wrapped.name, wrapped) != wrapped:
                raise _refused("two tools have one name once wrapped")
        items = tuple(self._wrap_item(item) for item in request.items if not self._hoists(item))
        choice = request.tool_choice
        if isinstance(choice, Named):
            choice = Named(self._flat_name(choice.name))
        elif isinstance(choice, Allowed):
            choice = evolve(choice, names=tuple(self._flat_name(name) for name in choice.names))
        return evolve(request, tools=(*tools.values(), *hosted), items=items, tool_choice=choice)

    @overload
    def unwrap(self, value: TurnOutcome) -> TurnOutcome: ...
    @overload
    def unwrap(self, value: Item) -> Item: ...
    @overload
    def unwrap(self, value: Event) -> Event: ...
    def unwrap(self, value: Any) -> Any:
        """An event, an item or an outcome with its calls as the client published them.

        An arguments delta cannot be told on its own and comes back as it is: drive a stream through `Unwrapping`.
        Raises `ResponseRefused` (PROTOCOL, ACCEPTED) for a call that is not exactly what a wrapped tool takes.
        """
        if isinstance(value, ToolCall):
            return self._unwrap_call(value)
        if isinstance(value, TurnOutcome):
            return evolve(value, items=tuple(self.unwrap(item) for item in value.items))
        if isinstance(value, ItemCompleted):
            return ItemCompleted(self.unwrap(value.item), value.index)
        if isinstance(value, TurnCompleted):
            return TurnCompleted(self.unwrap(value.outcome))
        if isinstance(value, ToolCallStarted) and self.custom is not ALL:
            own = self._own_name(value.name)[1]
            return evolve(value, name=own, custom=self._is_custom(value.name))
        return value

    # tools

    def _published(self, request: TurnRequest) -> Iterator[tuple[Tool, str, str]]:
        """Every tool that counts, with its namespace and its own name; flat where that is asked for."""
        for tool in request.tools:
            yield from self._flatten(tool)
        for item in request.items:
            if self._hoists(item):
                assert isinstance(item, WireItem)
                for payload in _objects(item.payload.get("tools")):
                    yield from self._flatten(_tool(payload))

    def _hoists(self, item: Item) -> bool:
        return (
            self.hoist_additional_tools
            and isinstance(item, WireItem)
            and item.protocol is Protocol.RESPONSES
            and item.payload.get("type") == "additional_tools"
        )

    def _flatten(self, tool: Tool) -> Iterator[tuple[Tool, str, str]]:
        if not (
            self.flatten_namespaces
            and isinstance(tool, HostedTool)
            and tool.payload.get("type") == "namespace"
        ):
            yield tool, "", tool.name if not isinstance(tool, HostedTool) else ""
            return
        space = tool.payload.get("name")
        if not isinstance(space, str):
            raise _refused("a namespace has no name")
        for payload in _objects(tool.payload.get("tools")):
            inner = _tool(payload)
            if isinstance(inner, HostedTool):
                yield inner, space, ""
            else:
                yield evolve(inner, name=f"{space}{_JOINT}{inner.name}"), space, inner.name

    def _wrap_tool(self, tool: FunctionTool | CustomTool) -> FunctionTool | CustomTool:
        if len(tool.name) > _LONGEST_NAME and self.flatten_namespaces and _JOINT in tool.name:
            raise _refused("a name is longer than 64 characters once wrapped")
        if isinstance(tool, FunctionTool):
            if self.custom is ALL and _takes_only_input(tool.input_schema):
                raise _refused("a function takes what only a wrapped custom tool would")
            return tool
        if not self._is_custom(tool.name):
            return tool
        return FunctionTool(
            tool.name,
            _described(tool.description, tool.format),
            _SCHEMA,
            None,
            tool.cache,
            tool.extensions,
        )

    def _is_custom(self, name: str) -> bool:
        return self.custom is ALL or name in self.custom or self._own_name(name)[1] in self.custom

    def _own_name(self, name: str) -> tuple[str | None, str]:
        """A flat name's namespace and the name inside it."""
        if not self.flatten_namespaces:
            return None, name
        if self._spaces is not None:
            return self._spaces.get(name, (None, name))
        space, joint, own = name.rpartition(_JOINT)
        return (space, own) if joint and space and own else (None, name)

    def _flat_name(self, name: str) -> str:
        for flat, (_, own) in (self._spaces or {}).items():
            if own == name:
                return flat
        return name

    # history

    def _wrap_item(self, item: Item) -> Item:
        if isinstance(item, ToolResult):
            return evolve(item, custom=False) if item.custom and self.custom else item
        if not isinstance(item, ToolCall | CustomToolCall):
            return item
        space = _namespace(item) if self.flatten_namespaces else None
        if space is not None:
            item = evolve(
                item,
                name=f"{space}{_JOINT}{item.name}",
                extensions=tuple(each for each in item.extensions if each.path != _NAMESPACE),
            )
            if len(item.name) > _LONGEST_NAME:
                raise _refused("a name is longer than 64 characters once wrapped")
        if isinstance(item, CustomToolCall) and self._is_custom(item.name):
            try:
                arguments = _json.dumps({"input": item.input}).decode()
            except _json.JsonError as error:
                raise _refused(error.reason) from None
            return ToolCall(item.call_id, item.name, arguments, item.cache, item.extensions)
        return item

    # the way back

    def _unwrap_call(self, call: ToolCall) -> Item:
        space, own = self._own_name(call.name)
        extensions = call.extensions
        if space is not None:
            extensions = (*extensions, Extension(Protocol.RESPONSES, _NAMESPACE, space))
        text = _only_input(call.arguments)
        if self.custom is ALL and text is None:
            return evolve(call, name=own, extensions=extensions)
        if self._is_custom(call.name):
            if text is None:
                raise ResponseRefused(
                    RefusalCode.PROTOCOL,
                    "a call of a wrapped custom tool is not exactly its input",
                    "tool_call.custom_unwrap",
                    dispatch=Dispatch.ACCEPTED,
                )
            return CustomToolCall(call.call_id, own, text, call.cache, extensions)
        return evolve(call, name=own, extensions=extensions)


class Unwrapping:
    """Unwraps one streamed answer. A wrapped call's input comes whole, once its JSON is."""

    def __init__(self, wrapping: ToolWrapping) -> None:
        self._wrapping = wrapping
        self._held: set[str] = set()

    def take(self, event: Event) -> tuple[Event, ...]:
        """The events that the client sees for one of the server's.

        Raises `ResponseRefused` (PROTOCOL, ACCEPTED) for a call that is not exactly what a wrapped tool takes.
        """
        if isinstance(event, ToolArgumentsDelta):
            return () if event.call_id in self._held else (event,)
        shown = self._wrapping.unwrap(event)
        if isinstance(shown, ToolCallStarted) and shown.custom:
            self._held.add(shown.call_id)
        elif (
            isinstance(shown, ItemCompleted)
            and isinstance(shown.item, CustomToolCall)
            and shown.item.call_id in self._held
        ):
            self._held.discard(shown.item.call_id)
            if shown.item.input:
                said = ToolArgumentsDelta(shown.item.call_id, shown.item.input, shown.index)
                return said, shown
        return (shown,)


def _refused(message: str) -> RequestRefused:
    return RequestRefused(RefusalCode.INVALID_REQUEST, message, "tools")


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, list):
        for element in value:
            if isinstance(element, dict):
                yield element


def _tool(payload: dict[str, Json]) -> Tool:
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
                return FunctionTool(name, description, schema, strict, None, extensions)
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


def _namespace(item: Item) -> str | None:
    for extension in item.extensions:
        if extension.path == _NAMESPACE and isinstance(extension.value, str):
            return extension.value
    return None


def _described(description: str | None, grammar: Grammar | None) -> str | None:
    if grammar is None:
        return description
    rule = f"The input must match this {grammar.syntax} grammar:\n{grammar.definition}"
    return f"{description}\n\n{rule}" if description else rule


def _takes_only_input(schema: dict[str, Json] | None) -> bool:
    """Whether a function may be called with exactly `{"input": <string>}`."""
    if schema is None:
        return False
    properties, needed = schema.get("properties"), schema.get("required", [])
    return (
        isinstance(properties, dict)
        and "input" in properties
        and isinstance(needed, list)
        and all(name == "input" for name in needed)
    )


def _only_input(arguments: str) -> str | None:
    try:
        value = _json.read(arguments.encode("utf-8", "surrogatepass")).value
    except _json.JsonError:
        return None
    if isinstance(value, dict) and value.keys() == {"input"}:
        text = value["input"]
        return text if isinstance(text, str) else None
    return None

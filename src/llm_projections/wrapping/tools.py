"""Requests wrapped, and calls unwrapped, by the rules of this package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, TypeGuard, cast, overload

from attrs import evolve

from llm_projections import _json
from llm_projections._values import field, frozen
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.dialect import ALL, All
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
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
    HostedTool,
    Named,
    Tool,
    ToolChoice,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wrapping.functions import (
    NAMESPACE,
    SCHEMA,
    described,
    namespace_of,
    objects,
    only_input,
    read_tool,
    refused,
    takes_only_input,
)

__all__ = ["ToolWrapping"]

_LONGEST_NAME = 64
_JOINT = "__"
_ID = "input.id"


@frozen
class _Own:
    """What a name on the wire stands for: its namespace, its name there, whether it takes free text."""

    space: str | None
    name: str
    custom: bool


@frozen
class _Published:
    """A tool under its name on the wire, and what it is to its client."""

    tool: Tool
    space: str | None = None
    own: str = ""


def _are_names(given: object) -> bool:
    if not isinstance(given, Set | list | tuple):
        return False
    return all(isinstance(name, str) for name in cast("Iterable[object]", given))


@frozen
class ToolWrapping:
    """How tools that a target lacks are made functions there.

    `custom` names the custom tools to wrap (by their own or their flat name), or is `ALL`.

    Unresolved, a call is told by itself alone: the last `__` of a name ends its namespace, and with `ALL` a call with
    exactly `{"input": <string>}` is a custom one. `wrap` then refuses a request whose own tools would make that wrong.

    Raises TypeError for names that are no collection of strings: of one string, every part would be a name.
    """

    custom: frozenset[str] | All = frozenset()
    flatten_namespaces: bool = False
    hoist_additional_tools: bool = False
    _known: Mapping[str, _Own] | None = field(default=None, repr=False, hash=False, alias="known")

    def __attrs_post_init__(self) -> None:
        if self.custom is not ALL and not _are_names(self.custom):
            raise TypeError("ToolWrapping: custom must be a set of names, or ALL")

    @property
    def resolved(self) -> bool:
        """Whether this is tied to one request."""
        return self._known is not None

    def resolve(self, request: TurnRequest) -> ToolWrapping:
        """The same wrapping for one request, whose tools and history say which calls are whose.

        Raises `RequestRefused` (INVALID_REQUEST) for names that collide.
        """
        return evolve(self, known=self._find(request))

    def wrap(self, request: TurnRequest) -> TurnRequest:
        """`request` with its tools and its history as functions.

        Raises `RequestRefused` (INVALID_REQUEST) for names that collide or are too long, and, where this is not
        resolved, for tools that `unwrap` could not tell apart.
        """
        known = self._find(request)
        tools: dict[str | int, Tool] = {}
        for published in self._published(request):
            wrapped = self._wrap_tool(published)
            # a tool may be published again, word for word; a hosted one has no name that could collide
            name = len(tools) if isinstance(wrapped, HostedTool) else wrapped.name
            if tools.setdefault(name, wrapped) != wrapped:
                raise refused("two tools have one name once wrapped")
        return evolve(
            request,
            tools=tuple(tools.values()),
            items=tuple(self._wrap_items(request)),
            tool_choice=_wrap_choice(request.tool_choice, known),
        )

    @overload
    def unwrap(self, value: TurnOutcome) -> TurnOutcome: ...
    @overload
    def unwrap(self, value: Item) -> Item: ...
    @overload
    def unwrap(self, value: TurnFailed) -> TurnFailed: ...
    @overload
    def unwrap(self, value: Event) -> Event: ...
    def unwrap(self, value: Any) -> Any:
        """An event, an item or an outcome with its calls as the client published them.

        An arguments delta cannot be told on its own and comes back as it is, nor can the start of a call where this is
        unresolved and wraps `ALL`: drive a stream through `Unwrapping`.
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
        if isinstance(value, TurnFailed):
            return TurnFailed(self._unwrap_partial(value.error))
        if isinstance(value, ToolCallStarted) and self._tells_starts:
            own = self._own(value.name)
            return evolve(value, name=own.name, custom=own.custom)
        return value

    # tools

    def _published(self, request: TurnRequest) -> Iterator[_Published]:
        """Every tool that counts, under its name on the wire."""
        for tool in request.tools:
            yield from self._flatten(tool)
        for item in request.items:
            if self._hoists(item):
                for payload in objects(item.payload.get("tools")):
                    yield from self._flatten(read_tool(payload))

    def _hoists(self, item: Item) -> TypeGuard[WireItem]:
        return (
            self.hoist_additional_tools
            and isinstance(item, WireItem)
            and item.protocol is Protocol.RESPONSES
            and item.payload.get("type") == "additional_tools"
        )

    def _flatten(self, tool: Tool) -> Iterator[_Published]:
        if not (
            self.flatten_namespaces
            and isinstance(tool, HostedTool)
            and tool.payload.get("type") == "namespace"
        ):
            yield _Published(tool, None, "" if isinstance(tool, HostedTool) else tool.name)
            return
        space, says = tool.payload.get("name"), tool.payload.get("description")
        if not isinstance(space, str) or not isinstance(says, str | None):
            raise refused("a namespace has no name, or a description that is no text")
        if not tool.payload.keys() <= {"type", "name", "description", "tools"}:
            raise refused("a namespace has a field that its tools cannot carry")
        for payload in objects(tool.payload.get("tools")):
            inner = read_tool(payload)
            if isinstance(inner, HostedTool):
                raise refused("a namespace holds what is neither a function nor a custom tool")
            flat = evolve(
                inner,
                name=f"{space}{_JOINT}{inner.name}",
                description="\n\n".join(text for text in (says, inner.description) if text) or None,
            )
            yield _Published(flat, space, inner.name)

    def _wrap_tool(self, published: _Published) -> Tool:
        tool, own = published.tool, published.own
        if isinstance(tool, HostedTool):
            return tool
        chosen = isinstance(tool, CustomTool) and self._chooses(tool.name, own)
        if len(tool.name) > _LONGEST_NAME and (chosen or published.space is not None):
            raise refused("a name is longer than 64 characters once wrapped")
        if self._known is None and not self._tells(tool, _Own(published.space, own, chosen)):
            raise refused("tools that cannot be told apart again unless the wrapping is resolved")
        if not chosen:
            return tool
        assert isinstance(tool, CustomTool)
        return FunctionTool(
            tool.name,
            described(tool.description, tool.format),
            SCHEMA,
            None,
            tool.cache,
            tool.extensions,
        )

    def _tells(self, tool: FunctionTool | CustomTool, meant: _Own) -> bool:
        """Whether a call of this tool is told right by itself alone."""
        guessed = self._own(tool.name)
        if (guessed.space, guessed.name) != (meant.space, meant.name):
            return False
        if self.custom is ALL:
            return isinstance(tool, CustomTool) or not takes_only_input(tool.input_schema)
        return guessed.custom == meant.custom

    def _chooses(self, flat: str, own: str) -> bool:
        return self.custom is ALL or flat in self.custom or own in self.custom

    # names

    def _find(self, request: TurnRequest) -> dict[str, _Own]:
        """What each name on the wire stands for; published tools first, then what history called."""
        known: dict[str, _Own] = {}
        for each in self._published(request):
            if not isinstance(each.tool, HostedTool):
                name = each.tool.name
                custom = isinstance(each.tool, CustomTool) and self._chooses(name, each.own)
                own = _Own(each.space, each.own, custom)
                if known.setdefault(name, own) != own:
                    raise refused("two tools have one name once wrapped")
        for item in request.items:
            if isinstance(item, ToolCall | CustomToolCall):
                name, space = self._flat(item)
                custom = isinstance(item, CustomToolCall) and self._chooses(name, item.name)
                own = known.setdefault(name, _Own(space, item.name, custom))
                if space is not None and (own.space, own.name) != (space, item.name):
                    raise refused("two tools have one name once wrapped")
        return known

    def _flat(self, call: ToolCall | CustomToolCall) -> tuple[str, str | None]:
        """A call's name on the wire, and the namespace that is part of it."""
        space = namespace_of(call) if self.flatten_namespaces else None
        return (call.name if space is None else f"{space}{_JOINT}{call.name}"), space

    @property
    def _tells_starts(self) -> bool:
        """Whether the start of a call is told before its arguments are known."""
        return self._known is not None or self.custom is not ALL

    def _own(self, name: str) -> _Own:
        if self._known is not None:
            return self._known.get(name, _Own(None, name, False))
        space, joint, own = name.rpartition(_JOINT)
        if not (self.flatten_namespaces and joint and space and own):
            return _Own(None, name, self._chooses(name, name))
        return _Own(space, own, self._chooses(name, own))

    # history

    def _wrap_items(self, request: TurnRequest) -> Iterator[Item]:
        wrapped: set[str] = set()
        for item in request.items:
            if isinstance(item, ToolCall | CustomToolCall):
                call = self._wrap_call(item)
                if type(call) is not type(item):
                    wrapped.add(item.call_id)
                yield call
            elif isinstance(item, ToolResult):
                custom = item.custom and item.call_id not in wrapped and self.custom is not ALL
                yield evolve(item, custom=custom, extensions=self._without_space(item))
            elif not self._hoists(item):
                yield item

    def _wrap_call(self, item: ToolCall | CustomToolCall) -> Item:
        name, space = self._flat(item)
        chosen = isinstance(item, CustomToolCall) and self._chooses(name, item.name)
        if len(name) > _LONGEST_NAME and (chosen or space is not None):
            raise refused("a name is longer than 64 characters once wrapped")
        extensions = self._without_space(item)
        if not chosen:
            return evolve(item, name=name, extensions=extensions)
        assert isinstance(item, CustomToolCall)
        try:
            arguments = _json.dumps({"input": item.input}).decode()
        except _json.JsonError as error:
            raise refused(error.reason) from None
        # its id says what kind of item it was
        extensions = tuple(each for each in extensions if each.path != _ID)
        return ToolCall(item.call_id, name, arguments, item.cache, extensions)

    def _without_space(self, item: Item) -> tuple[Extension, ...]:
        if not self.flatten_namespaces:
            return item.extensions
        return tuple(each for each in item.extensions if each.path != NAMESPACE)

    # the way back

    def _unwrap_call(self, call: ToolCall) -> Item:
        own = self._own(call.name)
        extensions = call.extensions
        if own.space is not None:
            extensions = (*extensions, Extension(Protocol.RESPONSES, NAMESPACE, own.space))
        text = only_input(call.arguments) if own.custom else None
        if text is not None:
            return CustomToolCall(call.call_id, own.name, text, call.cache, extensions)
        if own.custom and self._tells_starts:
            raise ResponseRefused(
                RefusalCode.PROTOCOL,
                "a call of a wrapped custom tool is not exactly its input",
                "tool_call.custom_unwrap",
                dispatch=Dispatch.ACCEPTED,
            )
        return evolve(call, name=own.name, extensions=extensions)

    def _unwrap_partial(self, error: Any) -> Any:
        """What a failure carries, as far as it unwraps: a broken answer hides nothing."""
        if not isinstance(error, ResponseRefused) or error.partial is None:
            return error
        items: list[Item] = []
        for item in error.partial.items:
            try:
                items.append(self.unwrap(item))
            except ResponseRefused:
                items.append(item)
        return error.carrying(evolve(error.partial, items=tuple(items)))


def _wrap_choice(choice: ToolChoice, known: Mapping[str, _Own]) -> ToolChoice:
    if isinstance(choice, Named):
        return Named(_flat_name(choice.name, known))
    if isinstance(choice, Allowed):
        return evolve(choice, names=tuple(_flat_name(name, known) for name in choice.names))
    return choice


def _flat_name(name: str, known: Mapping[str, _Own]) -> str:
    """The name on the wire of a tool that a choice names by its own."""
    flat = [wire for wire, own in known.items() if own.name == name]
    if name in known or not flat:
        return name
    if len(flat) > 1:
        raise refused("chooses a name that several namespaces have")
    return flat[0]

"""Tool names and call ids that a target would refuse, mapped within one exchange.

Rules:
1. A name or id that the target takes stays as it is.
2. Any other becomes one that is derived from it alone (readable letters, then a digest), so that
   every request of a conversation maps it the same way and nothing is kept between requests.
3. The client sees its own names again. Call ids of an answer are the server's own and need no way
   back: a client repeats them, and they map the same way again.

Alphabets: tool names `[a-zA-Z0-9_-]{1,64}` (openai 3.57.0 `FunctionDefinition.name`, 2026-11) and
`{1,128}` (Messages, "Tool use", 2026-11); Messages ids `[a-zA-Z0-9_-]+`; Responses call ids up to 64.
"""

from __future__ import annotations

from collections.abc import Iterable
from re import Pattern
from re import compile as pattern

from attrs import evolve

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.events import Event, ItemCompleted, ToolCallStarted, TurnCompleted
from llm_projections.model.items import CustomToolCall, Item, Protocol, ToolCall, ToolResult
from llm_projections.model.outcome import PartialOutcome
from llm_projections.model.tools import Allowed, CustomTool, FunctionTool, Named, Tool
from llm_projections.model.turn import TurnRequest

__all__ = ["Naming"]

_SHORT = pattern(r"[a-zA-Z0-9_-]{1,64}")
_NAMES: dict[Protocol, Pattern[str]] = {
    Protocol.CHAT: _SHORT,
    Protocol.MESSAGES: pattern(r"[a-zA-Z0-9_-]{1,128}"),
    Protocol.RESPONSES: _SHORT,
}
_IDS: dict[Protocol, Pattern[str]] = {
    Protocol.CHAT: pattern(r"[^\x00-\x1f]{1,256}"),
    Protocol.MESSAGES: pattern(r"[a-zA-Z0-9_-]{1,256}"),
    Protocol.RESPONSES: pattern(r"[^\x00-\x1f]{1,64}"),
}
_ODD = pattern(r"[^a-zA-Z0-9_-]")


class Naming:
    """The names of one exchange."""

    def __init__(self, target: Protocol) -> None:
        self._names = _NAMES[target]
        self._ids = _IDS[target]
        self._back: dict[str, str] = {}

    def outward(self, request: TurnRequest) -> TurnRequest:
        """`request` with names and ids that the target takes.

        Raises `RequestRefused` (INVALID_REQUEST) when a derived name is one that the request uses already.
        """
        used = {tool.name for tool in request.tools if isinstance(tool, FunctionTool | CustomTool)}
        tools = tuple(self._tool(tool, used) for tool in request.tools)
        items = self._items(request.items, used)
        choice = request.tool_choice
        if isinstance(choice, Named):
            choice = Named(self._name(choice.name, used))
        elif isinstance(choice, Allowed):
            choice = evolve(choice, names=tuple(self._name(name, used) for name in choice.names))
        if tools == request.tools and items is request.items and choice == request.tool_choice:
            return request
        return evolve(request, tools=tools, items=items, tool_choice=choice)

    def inward(self, event: Event) -> Event:
        """`event` with the client's own names."""
        if not self._back:
            return event
        if isinstance(event, ToolCallStarted) and event.name in self._back:
            return evolve(event, name=self._back[event.name])
        if isinstance(event, ItemCompleted):
            return evolve(event, item=self._restored(event.item))
        if isinstance(event, TurnCompleted):
            items = tuple(map(self._restored, event.outcome.items))
            return TurnCompleted(evolve(event.outcome, items=items))
        return event

    def inward_partial(self, partial: PartialOutcome) -> PartialOutcome:
        """What stood of a broken answer, with the client's own names."""
        if not self._back:
            return partial
        opened = tuple(
            evolve(each, name=self._back[each.name]) if each.name in self._back else each
            for each in partial.open_items
        )
        return evolve(partial, items=tuple(map(self._restored, partial.items)), open_items=opened)

    def _restored(self, item: Item) -> Item:
        if isinstance(item, ToolCall | CustomToolCall) and item.name in self._back:
            return evolve(item, name=self._back[item.name])
        return item

    def _tool(self, tool: Tool, used: set[str]) -> Tool:
        if isinstance(tool, FunctionTool | CustomTool):
            name = self._name(tool.name, used)
            return tool if name == tool.name else evolve(tool, name=name)
        return tool

    def _items(self, items: tuple[Item, ...], used: Iterable[str]) -> tuple[Item, ...]:
        changed: dict[int, Item] = {}
        for position, item in enumerate(items):
            if not isinstance(item, ToolCall | CustomToolCall | ToolResult):
                continue
            if self._ids.fullmatch(item.call_id) is None:
                item = evolve(item, call_id=_derived(item.call_id, 64))
            if not isinstance(item, ToolResult) and self._names.fullmatch(item.name) is None:
                item = evolve(item, name=self._name(item.name, used))
            if item is not items[position]:
                changed[position] = item
        if not changed:
            return items
        return tuple(changed.get(position, item) for position, item in enumerate(items))

    def _name(self, name: str, used: Iterable[str]) -> str:
        if not name or self._names.fullmatch(name) is not None:
            return name
        derived = _derived(name, 64)
        if derived in used or self._back.get(derived, name) != name:
            raise RequestRefused(
                RefusalCode.INVALID_REQUEST, "a name that the target takes is used already", "tools"
            )
        self._back[derived] = name
        return derived


def _derived(name: str, longest: int) -> str:
    # here, because it loads a cryptography library: 2 ms that importing this package need not take
    from hashlib import sha256

    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_ODD.sub('_', name)[: longest - 17]}_{digest}"

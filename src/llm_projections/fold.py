"""Events to what they add up to: the only place that accumulates.

Rules:
1. A completed item replaces what its deltas built.
2. Items stand in the order of their index.
3. Text is gathered in lists and joined once: adding to a string on an attribute is quadratic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Item,
    Provenance,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
)
from llm_projections.model.outcome import (
    Observation,
    OpenItem,
    PartialOutcome,
    Usage,
    Warning,
)

__all__ = ["Building", "Fold", "Ledger", "fold", "gathered"]

Kind = Literal["text", "refusal", "reasoning", "summary", "call", "custom"]


def gathered(pieces: list[str]) -> str:
    """All pieces in one, which takes their place.

    The pieces after the first are joined, and the first grows by that: CPython lets a string grow where it is if
    nothing else holds it, so that two of a long text are never there together.
    """
    if len(pieces) > 1:
        text = pieces[0]
        rest = "".join(pieces[1:])
        pieces.clear()
        text += rest
        pieces.append(text)
    return pieces[0] if pieces else ""


class Building:
    """One output item while it is being said. `pieces` is appended to directly on the hot path."""

    __slots__ = ("call_id", "index", "kind", "name", "pieces", "size")

    def __init__(
        self, index: int, kind: Kind, call_id: str | None = None, name: str | None = None
    ) -> None:
        self.index: int = index
        self.kind: Kind = kind
        self.call_id: str | None = call_id
        self.name: str | None = name
        self.pieces: list[str] = []
        self.size: int = 0

    def text(self) -> str:
        """All pieces so far."""
        return gathered(self.pieces)

    def gather(self) -> None:
        """Hold what was said in one piece: a short one takes ten times the bytes of its text."""
        gathered(self.pieces)

    def opened(self) -> OpenItem:
        """How it stands now, for a snapshot."""
        return OpenItem(self.index, self.kind, self.text(), self.call_id, self.name)

    def item(self) -> Item:
        """The item that the pieces make."""
        text = self.text()
        match self.kind:
            case "text":
                return AssistantMessage((Text(text),))
            case "refusal":
                return AssistantMessage((RefusalText(text),))
            case "reasoning":
                return Reasoning(text)
            case "summary":
                return Reasoning(text, True)
            case "call":
                return ToolCall(self.call_id or "", self.name or "", text)
            case "custom":
                return CustomToolCall(self.call_id or "", self.name or "", text)


class Ledger:
    """What an answer has said so far."""

    __slots__ = (
        "building",
        "final_usage",
        "items",
        "provenance",
        "raw",
        "response_id",
        "upstream_model",
        "usage",
        "warnings",
    )

    def __init__(self, provenance: Provenance | None = None) -> None:
        self.provenance: Provenance | None = provenance
        self.response_id: str | None = None
        self.upstream_model: str | None = None
        self.usage: Usage | None = None
        self.final_usage: bool = False
        self.items: dict[int, Item] = {}
        self.building: dict[int, Building] = {}
        self.warnings: list[Warning] = []
        self.raw: list[bytes] = []

    def complete(self, index: int, item: Item) -> None:
        """`item` is what stands at `index`."""
        self.building.pop(index, None)
        self.items[index] = item

    def in_order(self) -> tuple[Item, ...]:
        """The completed items, by index."""
        return tuple(self.items[index] for index in sorted(self.items))

    def observation(self) -> Observation:
        """What the answer said of itself."""
        return Observation(
            self.provenance, self.upstream_model, self.response_id, self.usage, self.final_usage
        )

    def partial(self) -> PartialOutcome:
        """Everything so far, as a value that later events do not change."""
        return PartialOutcome(
            self.in_order(),
            tuple(self.building[index].opened() for index in sorted(self.building)),
            self.observation(),
            tuple(self.warnings),
            tuple(self.raw),
        )


class Fold:
    """Adds up the events of one answer. After the terminal event `result` is what it said.

    Any thread may call it, one call at a time.
    """

    def __init__(self) -> None:
        self._ledger = Ledger()
        self.terminal: TurnCompleted | TurnFailed | None = None
        self._takes: dict[type, Callable[..., None]] = {
            TextDelta: self._text,
            ReasoningDelta: self._reasoning,
            RefusalDelta: self._refusal,
            ToolCallStarted: self._call,
            ToolArgumentsDelta: self._arguments,
            ItemCompleted: self._item,
            ResponseStarted: self._started,
            UsageReported: self._usage,
            Warning: self._ledger.warnings.append,
            TurnCompleted: self._end,
            TurnFailed: self._end,
        }

    def add(self, event: Event) -> None:
        """Take one event."""
        self._takes[type(event)](event)

    def partial(self) -> PartialOutcome:
        """What the events so far add up to; items that were never completed are open."""
        return self._ledger.partial()

    def items(self) -> tuple[Item, ...]:
        """Every item so far in order, those still open built from their deltas."""
        ledger = self._ledger
        every = {index: each.item() for index, each in ledger.building.items()} | ledger.items
        return tuple(every[index] for index in sorted(every))

    def _building(self, index: int, kind: Kind) -> Building:
        building = self._ledger.building.get(index)
        if building is None:
            building = self._ledger.building[index] = Building(index, kind)
        return building

    def _text(self, event: TextDelta) -> None:
        self._building(event.index, "text").pieces.append(event.text)

    def _reasoning(self, event: ReasoningDelta) -> None:
        kind: Kind = "summary" if event.summary else "reasoning"
        self._building(event.index, kind).pieces.append(event.text)

    def _refusal(self, event: RefusalDelta) -> None:
        self._building(event.index, "refusal").pieces.append(event.text)

    def _call(self, event: ToolCallStarted) -> None:
        kind: Kind = "custom" if event.custom else "call"
        self._ledger.building[event.index] = Building(event.index, kind, event.call_id, event.name)

    def _arguments(self, event: ToolArgumentsDelta) -> None:
        self._building(event.index, "call").pieces.append(event.delta)

    def _item(self, event: ItemCompleted) -> None:
        self._ledger.complete(event.index, event.item)

    def _started(self, event: ResponseStarted) -> None:
        self._ledger.response_id = event.response_id
        self._ledger.upstream_model = event.upstream_model

    def _usage(self, event: UsageReported) -> None:
        self._ledger.usage = event.usage

    def _end(self, event: TurnCompleted | TurnFailed) -> None:
        self.terminal = event


def fold(events: Iterable[Event]) -> PartialOutcome:
    """What `events` add up to, up to the terminal one, which is not looked into."""
    folding = Fold()
    for event in events:
        folding.add(event)
    return folding.partial()

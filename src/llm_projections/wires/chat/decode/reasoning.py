"""Reasoning that an answer shows, and the sealed state beside it.

Rules:
1. `reasoning_content` and `reasoning` are one thing under two names: equal ones count once, different ones in one delta
   are refused.
2. Reasoning is whole when text or a call begins; what comes later is another item.
3. `reasoning_details` (OpenRouter) are state to be sent back as they came: pieces of one entry are joined, entries stay
   in order. Their texts are shown only where nothing else shows them.
"""

from __future__ import annotations

from llm_projections._json import Json
from llm_projections.fold import Building, Kind
from llm_projections.model.events import Event, ReasoningDelta
from llm_projections.model.items import Opaque, Reasoning
from llm_projections.wires._streams import BaseDecoder
from llm_projections.wires._types import TEXT, Types, mistyped

__all__ = ["ReasoningDecoder"]

# texts of an entry, which come in pieces (openrouter.ai/docs, "Reasoning tokens", read 2026-11)
_GROWS = ("text", "summary")
_GROWING: Types = dict.fromkeys(_GROWS, TEXT)


class ReasoningDecoder(BaseDecoder):
    """The part of the decoder that reads reasoning."""

    _next: int
    _thought: Building | None
    _details: list[dict[str, Json]]
    _plain: bool

    def _open_item(self, kind: Kind) -> Building:
        """The next output item: items are numbered as they appear."""
        if self._next >= self.limits.items:
            raise self._too_large("items")
        building = Building(self._next, kind)
        self._ledger.building[self._next] = building
        self._next += 1
        return building

    def _check(self, node: dict[str, Json], types: Types, path: str) -> None:
        """Refuse what has another type than its place may have."""
        key = mistyped(node, types)
        if key is not None:
            path = f"{path}.{key}" if path else key
            raise self._protocol("a value of a type that nobody publishes", path)

    def _unread(self, events: list[Event]) -> None:
        """Say, once a stream, that there is a field which nobody publishes."""
        self._warn(
            "unknown-answer-field",
            "the answer has a field that nobody publishes",
            events,
            once=True,
        )

    def _reason(self, delta: dict[str, Json], events: list[Event]) -> None:
        """The reasoning of one delta, under any of its names."""
        one, other = delta.get("reasoning_content"), delta.get("reasoning")
        if one and other and one != other:
            raise self._protocol(
                "different reasoning under two names", "choices[0].delta.reasoning"
            )
        text = one or other
        if type(text) is str and text:
            self._plain = True
            self._think(text, events)
        details = delta.get("reasoning_details")
        if details:
            self._detail(details, events)

    def _think(self, text: str, events: list[Event]) -> None:
        thought = self._thought
        if thought is None:
            thought = self._thought = self._open_item("reasoning")
        thought.pieces.append(text)
        events.append(ReasoningDelta(text, thought.index))

    def _detail(self, details: Json, events: list[Event]) -> None:
        path = "choices[0].delta.reasoning_details"
        if type(details) is not list or not all(type(entry) is dict for entry in details):
            raise self._protocol("reasoning details are objects", path)
        if self._thought is None:
            self._thought = self._open_item("reasoning")
        for at, entry in enumerate(details):
            assert isinstance(entry, dict)
            self._check(entry, _GROWING, f"{path}[{at}]")
            if not self._plain:
                text = entry.get("text") or entry.get("summary")
                if type(text) is str and text:
                    self._think(text, events)
            self._join(entry)

    def _join(self, entry: dict[str, Json]) -> None:
        """Add an entry, or a piece to the latest one."""
        latest = self._details[-1] if self._details else None
        if latest is None or not _continues(latest, entry):
            self._details.append(dict(entry))
            return
        for key, value in entry.items():
            before = latest.get(key)
            if key in _GROWS and type(before) is str and type(value) is str:
                latest[key] = before + value
            elif value is not None and (value != "" or before is None):
                latest[key] = value

    def _end_thought(self, events: list[Event]) -> None:
        """Complete the reasoning, if some is open."""
        thought = self._thought
        if thought is None:
            return
        self._thought = None
        text = thought.text()
        if self._details:
            payload: dict[str, Json] = {"reasoning_details": list(self._details)}
            self._details = []
            item: Opaque | Reasoning = Opaque(self.binding.provenance, payload, text or None)
        else:
            item = Reasoning(text)
        self._item(thought.index, item, events)


def _continues(latest: dict[str, Json], entry: dict[str, Json]) -> bool:
    """Whether an entry is another piece of the latest one."""
    if latest.get("type") != entry.get("type") or latest.get("index") != entry.get("index"):
        return False
    if entry.get("index") is None or ("data" in latest and "data" in entry):
        return False
    return entry.get("id") is None or latest.get("id") in (None, entry["id"])

"""One streamed answer, unwrapped as it comes."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from llm_projections.model.dialect import ALL
from llm_projections.model.events import Event, ItemCompleted, ToolArgumentsDelta, ToolCallStarted
from llm_projections.model.items import CustomToolCall, ToolCall
from llm_projections.wrapping.tools import ToolWrapping

__all__ = ["Unwrapping"]


class Unwrapping:
    """Unwraps one streamed answer. A wrapped call's input comes whole, once its JSON is."""

    def __init__(self, wrapping: ToolWrapping) -> None:
        self._wrapping = wrapping
        # calls whose start was shown and whose input is still to come, and those not yet told at all
        self._held: set[str] = set()
        self._untold: dict[str, ToolCallStarted] = {}

    def take(self, event: Event) -> tuple[Event, ...]:
        """The events that the client sees for one of the server's.

        Raises `ResponseRefused` (PROTOCOL, ACCEPTED) for a call that is not exactly what a wrapped tool takes.
        """
        if isinstance(event, ToolArgumentsDelta):
            kept = event.call_id in self._held or event.call_id in self._untold
            return () if kept else (event,)
        shown = self._wrapping.unwrap(event)
        if isinstance(shown, ToolCallStarted):
            if shown.custom:
                self._held.add(shown.call_id)
            elif self._wrapping.custom is ALL and not self._wrapping.resolved:
                self._untold[shown.call_id] = shown
                return ()
        elif isinstance(shown, ItemCompleted) and isinstance(shown.item, ToolCall | CustomToolCall):
            return (*self._told(shown.item, shown.index), shown)
        return (shown,)

    def _told(self, call: ToolCall | CustomToolCall, index: int) -> Iterator[Event]:
        """What was held back of a call that is now whole."""
        custom = isinstance(call, CustomToolCall)
        started = self._untold.pop(call.call_id, None)
        if started is not None:
            yield evolve(started, name=call.name, custom=custom)
        elif call.call_id not in self._held:
            return
        self._held.discard(call.call_id)
        said = call.input if isinstance(call, CustomToolCall) else call.arguments
        if said:
            yield ToolArgumentsDelta(call.call_id, said, index)

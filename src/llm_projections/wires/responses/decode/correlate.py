"""Which item an event speaks of.

An event belongs to an item by item id first, by output index second, by order last: servers leave either
out, repeat an index, or give every event another id (docs/evidence.md). Where both are given and no item has either, it
is an item that was never announced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import ResponseRefused
from llm_projections.model.binding import Binding
from llm_projections.model.events import (
    Event,
    ResponseStarted,
    ToolArgumentsDelta,
    ToolCallStarted,
)
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import Usage
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._streams import BaseDecoder
from llm_projections.wires._types import MISTYPED, mistyped
from llm_projections.wires._usage import inclusive_usage
from llm_projections.wires.responses.decode.published import AROUND, EVENT, EVERY, fault_of
from llm_projections.wires.responses.decode.slots import CALLS, KINDS, Slot, kind_of
from llm_projections.wires.responses.vocab_answer import EVENT_FIELDS

__all__ = ["Correlator", "counterpart"]


class Correlator(BaseDecoder):
    """Knows the items of one answer, and opens those that were never announced."""

    def __init__(
        self,
        binding: Binding,
        *,
        request: TurnRequest | None = None,
        limits: Limits | None = None,
        keep_raw: bool = False,
        invalid_arguments: Literal["refuse", "keep"] = "refuse",
    ) -> None:
        super().__init__(
            binding,
            request=request,
            limits=limits,
            keep_raw=keep_raw,
            invalid_arguments=invalid_arguments,
        )
        self._slots: list[Slot] = []
        self._by_id: dict[str, Slot] = {}
        self._own_ids: dict[int, str] = {}
        self._by_output: dict[int, Slot] = {}
        self._taken: set[int] = set()
        self._next = 0
        # kept events before an item move its index up
        self._shift = 0
        self._started = False
        # refusals of finished items, with the item where it may be read again
        self._held: list[tuple[Slot | None, ResponseRefused]] = []
        # what events say beside their published fields, as it was first said
        self._beside: dict[str, Json] = {}

    def item_ids(self) -> Mapping[int, str]:
        """The wire's own ids of the items so far, by event index; one that a server repeats is the first item's."""
        return self._own_ids

    def _hold_fault(self, fault: ResponseRefused | None) -> None:
        """Refuse the answer once its end was read, so that its counters are kept."""
        if fault is not None:
            self._held.append((None, fault))

    def _note(self, payload: dict[str, Any], events: list[Event]) -> None:
        """Hold an event to its types, and keep what it says beside its fields.

        Servers repeat there what they tell of the whole answer.
        """
        # one look for nearly every event
        if mistyped(payload, EVERY) is not None:
            fault = fault_of(payload, EVENT)
            if fault is not None:
                raise fault
            self._warn(*MISTYPED, events, once=True)
        if not payload.keys() <= EVENT_FIELDS:
            for key in payload.keys() - EVENT_FIELDS:
                self._beside.setdefault(key, payload[key])

    def _find(self, payload: dict[str, Any], kind: str, events: list[Event]) -> Slot:
        """The item that an event speaks of; one that was never announced is opened."""
        item_id = payload.get("item_id")
        slot = self._by_id.get(item_id) if isinstance(item_id, str) else None
        if slot is not None and slot.type == kind:
            return slot
        output = payload.get("output_index")
        slot = self._by_output.get(output) if type(output) is int else None
        if slot is not None and slot.type == kind:
            return slot
        # an id and an index that nobody had yet are another item's than one that has an index
        new = self._is_new(item_id, output)
        for slot in reversed(self._slots):
            if slot.type == kind and not slot.done and not (new and slot.place[0] >= 0):
                return slot
        opened: dict[str, Any] = {"type": kind}
        if isinstance(item_id, str) and item_id:
            opened["id"] = item_id
        return self._open(opened, output, events)

    def _is_new(self, item_id: Json, output: Json) -> bool:
        """Whether an event has both an id and an index, and no item was announced with either."""
        named = isinstance(item_id, str) and bool(item_id) and item_id not in self._by_id
        return named and type(output) is int and output not in self._by_output

    def _match(self, item: dict[str, Any], output: Json) -> Slot | None:
        """The open item that a whole object speaks of."""
        kind, item_id = kind_of(item), item.get("id")
        slot = self._by_id.get(item_id) if isinstance(item_id, str) and item_id else None
        if slot is not None and slot.type == kind and not slot.done:
            return slot
        slot = self._by_output.get(output) if type(output) is int else None
        if slot is not None and slot.type == kind and not slot.done:
            return slot
        if isinstance(item_id, str) and item_id and type(output) is int:
            return None
        return next((s for s in reversed(self._slots) if s.type == kind and not s.done), None)

    def _open(self, item: dict[str, Any], output: Json, events: list[Event]) -> Slot:
        if len(self._slots) >= self.limits.items:
            raise self._too_large("items")
        self._begin(events)
        kind = kind_of(item)
        place = output if type(output) is int and output >= 0 else -1, self._shift
        # an item that only shows when it is whole stands after the events that were kept before that
        slot = Slot(self._take(place) if kind in KINDS else -1, kind, item)
        slot.place = place
        self._slots.append(slot)
        if slot.item_id is not None:
            if slot.item_id not in self._by_id:
                self._own_ids[slot.index] = slot.item_id
            self._by_id[slot.item_id] = slot
        if type(output) is int:
            self._by_output[output] = slot
        if slot.type in KINDS:
            self._ledger.building[slot.index] = slot
        self._announce(slot, events)
        return slot

    def _take(self, place: tuple[int, int]) -> int:
        """An event index: the output index moved up by kept events, or the next where that is taken."""
        output, shift = place
        index = self._next
        if output >= 0:
            for wanted in (output + self._shift, output + shift):
                if wanted not in self._taken:
                    index = wanted
                    break
        self._taken.add(index)
        self._next = max(self._next, index + 1)
        return index

    def _announce(self, slot: Slot, events: list[Event]) -> None:
        """Say a call's name, once it is known with its id, and what it was given until then."""
        if slot.announced or slot.type not in CALLS:
            return
        if slot.call_id is None or slot.name is None:
            return
        slot.announced = True
        custom = slot.type == "custom_tool_call"
        events.append(ToolCallStarted(slot.call_id, slot.name, slot.index, custom))
        if slot.pieces:
            events.append(ToolArgumentsDelta(slot.call_id, slot.text(), slot.index))

    def _begin(self, events: list[Event]) -> None:
        self._accepted = True
        if not self._started:
            self._started = True
            events.append(ResponseStarted(self._ledger.response_id, self._ledger.upstream_model))

    def _observe(self, response: Mapping[str, Json], events: list[Event]) -> None:
        """The id and the model, each as it was first reported, and counters."""
        if mistyped(response, AROUND) is not None:
            self._warn(*MISTYPED, events, once=True)
        ledger = self._ledger
        before = ledger.response_id, ledger.upstream_model
        for key, attribute in (("id", "response_id"), ("model", "upstream_model")):
            value = response.get(key)
            if isinstance(value, str) and value and getattr(ledger, attribute) is None:
                setattr(ledger, attribute, value)
        after = ledger.response_id, ledger.upstream_model
        if after != before:
            self._started = True
            events.append(ResponseStarted(*after))
        usage = self._told_usage(response)
        if usage is not None:
            self._usage(usage, events)

    def _told_usage(self, response: Mapping[str, Json]) -> Usage | None:
        usage = response.get("usage")
        if not isinstance(usage, dict) or not usage:
            return None
        return inclusive_usage(usage, "input_tokens", "output_tokens", self.binding.dialect)

    def _exact(self, data: bytes, value: Any = None) -> Any:
        """A payload, exactly; `value` is what `loads` made of it, None where that is not known."""
        try:
            if value is None:
                return _json.loads_exact(data, self.limits.json_depth)
            return _json.exactly(value, data, self.limits.json_depth)
        except _json.JsonError as error:
            raise self._unreadable(error) from None


def counterpart(
    item: dict[str, Any], position: int, left: list[Slot], by_id: Mapping[str, Slot]
) -> Slot | None:
    """The streamed item that an item of the terminal output is."""
    kind, item_id = kind_of(item), item.get("id")
    slot = by_id.get(item_id) if isinstance(item_id, str) and item_id else None
    if slot is not None and slot.type == kind and slot in left:
        return slot
    alike = [each for each in left if each.type == kind]
    call_id = item.get("call_id")
    if kind in CALLS and call_id:
        return next((each for each in alike if each.call_id in (call_id, None)), None)
    return next((each for each in alike if each.index == position), alike[0] if alike else None)

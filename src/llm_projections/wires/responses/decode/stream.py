"""Responses stream bytes to neutral events.

Rules:
1. An event belongs to an item by item id first, by output index second, by order last: servers leave
   either out, repeat an index, or give every event another id.
2. Text and arguments count once, whether they come as deltas, in a `.done` event, or in the finished item.
3. The terminal object has the last word: its items where it lists any, its counters, its end. What was
   shown stays where it leaves it out.
4. A refusal of one item is held until the terminal object has been read, so that its counters are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from attrs import evolve

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.binding import Binding
from llm_projections.model.events import Event, TurnCompleted, TurnFailed
from llm_projections.model.items import Extension, Item, Opaque, Protocol, WireItem
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import SENTINEL
from llm_projections.wires._upstream import is_bare_error
from llm_projections.wires._usage import check_usage, contradiction
from llm_projections.wires.responses.decode.correlate import counterpart
from llm_projections.wires.responses.decode.deltas import DELTAS, DeltaReader, Read
from llm_projections.wires.responses.decode.items import ItemReader
from llm_projections.wires.responses.decode.published import fault_of_item, fault_of_response
from llm_projections.wires.responses.decode.slots import CALLS, Slot, as_object, output_of
from llm_projections.wires.responses.decode.terminal import (
    adds,
    contradicts,
    differs,
    ending,
    extensions,
    unfinished,
)
from llm_projections.wires.responses.vocab_answer import (
    INCOMPLETE,
    KEPT_EVENT,
    PART_ADDED_ONLY,
    REPEATED_EVENTS,
    SILENT_EVENTS,
)

__all__ = ["StreamDecoder"]

_loads = _json.loads
_BOM = b"\xef\xbb\xbf"
# what the event's name says of the answer, whatever its status says
_STATUS = {"response.completed": "completed", "response.incomplete": INCOMPLETE}


class StreamDecoder(DeltaReader):
    """Reads one streamed answer: feed it bytes, then close it. Any thread may call it, one call at a time."""

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
        # where warnings of the item in hand go
        self._events: list[Event] = []
        self._reader = ItemReader(binding.provenance, self.limits, self._keeps_arguments, self._odd)
        self._reads: dict[str, Read] = {
            **self.says,
            "response.created": self._opened,
            "response.queued": self._opened,
            "response.in_progress": self._opened,
            "response.output_item.added": self._added,
            "response.output_item.done": self._item_done,
            "response.completed": self._terminal,
            "response.incomplete": self._terminal,
            "response.done": self._terminal,
            "response.failed": self._failed,
            "response.cancelled": self._failed,
            "error": self._error,
            **dict.fromkeys(REPEATED_EVENTS, _nothing),
            **dict.fromkeys(PART_ADDED_ONLY, self._keep_event),
        }

    # payloads

    def _payload(self, name: bytes, data: bytes, events: list[Event]) -> None:
        try:
            payload: Any = _loads(data)
        except _json.JsonError as error:
            if data == SENTINEL:
                self._end_here()
            raise self._unreadable(error) from None
        try:
            kind: Json = payload.get("type")
        except AttributeError:
            raise self._protocol("a payload that is no object") from None
        if not isinstance(kind, str):
            if kind is not None:
                raise self._protocol("a value of a type that nobody publishes", "type")
            kind = name.decode("utf-8", "replace")
        if kind in DELTAS:
            self._hold(data, payload)
            self._note(payload, events)
            self._delta(kind, payload, events)
            return
        # finished texts may follow, after which this part is not added to any more
        self._hot = None
        self._events = events
        read = self._reads.get(kind)
        if read is None:
            if payload.get("error") or is_bare_error(payload):
                self._hold(data, payload)
                raise self._reported(payload, events)
            if kind.startswith(SILENT_EVENTS):
                return
            self._accepted = True
            self._keep_odd(self._exact(data, payload), events)
            return
        if kind != "error" and kind != "response.failed":
            self._accepted = True
        if read is not _nothing:
            payload = self._exact(data, payload)
            if not isinstance(payload.get("type"), str):
                # the event's name said what this is
                payload["type"] = kind
            # a failure stays one, whatever else is said with it
            if kind not in PART_ADDED_ONLY and read not in (self._failed, self._error):
                self._note(payload, events)
            read(payload, events)

    def _odd(self, code: str, message: str) -> None:
        self._warn(code, message, self._events, once=code == "unknown-answer-field")

    def _keep_odd(self, payload: dict[str, Any], events: list[Event]) -> None:
        self._warn("unknown-stream-event", "an event that nobody publishes was kept", events)
        self._keep_event(payload, events)

    def _keep_event(self, payload: dict[str, Any], events: list[Event]) -> None:
        index = self._next
        self._next += 1
        self._shift += 1
        self._taken.add(index)
        mark = Extension(Protocol.RESPONSES, KEPT_EVENT, True)
        self._item(index, WireItem(Protocol.RESPONSES, payload, extensions=(mark,)), events)

    def _end_here(self) -> None:
        if self._held:
            raise self._held[0][1]
        raise ResponseRefused(
            RefusalCode.PROTOCOL,
            "the stream ended before its end",
            dispatch=Dispatch.ACCEPTED if self._accepted else Dispatch.UNKNOWN,
            retriable=True,
        )

    def _at_end(self, events: list[Event]) -> None:
        if self._held:
            self._refuse(self._held[0][1], events)

    # items

    def _opened(self, payload: dict[str, Any], events: list[Event]) -> None:
        response = as_object(payload.get("response"))
        fault = fault_of_response(response, "response")
        if fault is not None:
            raise fault
        self._observe(response, events)
        self._begin(events)

    def _added(self, payload: dict[str, Any], events: list[Event]) -> None:
        item = as_object(payload.get("item"))
        if not item:
            self._keep_odd(payload, events)
            return
        self._hold_fault(fault_of_item(item, "item"))
        item_id, output = item.get("id"), payload.get("output_index")
        known = self._by_id.get(item_id) if isinstance(item_id, str) and item_id else None
        if known is None and type(output) is int:
            known = self._by_output.get(output)
            if known is not None and (known.item_id is not None and item_id):
                known = None
        if known is not None and known.type == item.get("type") and not known.done:
            known.payload = item
            known.learn(item)
            self._announce(known, events)
            return
        self._open(item, output, events)

    def _item_done(self, payload: dict[str, Any], events: list[Event]) -> None:
        item, output = as_object(payload.get("item")), payload.get("output_index")
        if not item:
            self._keep_odd(payload, events)
            return
        self._hold_fault(fault_of_item(item, "item"))
        slot = self._match(item, output)
        if slot is None:
            slot = self._open(item, output, events)
        self._finish(slot, item, events)

    def _finish(self, slot: Slot, payload: dict[str, Any], events: list[Event]) -> None:
        """An item is whole: show what was not shown, then the item."""
        identity = payload.get("id")
        if isinstance(identity, str) and identity:
            if slot.item_id is None:
                slot.item_id = identity
            self._by_id.setdefault(identity, slot)
        whole = slot.whole(payload)
        # the terminal object is held against what was said, whatever became of the item that was given out
        slot.payload = _json.copied(whole)
        if slot.type in CALLS and not self._finish_call(slot, whole, events):
            return
        try:
            item = self._reader.read(whole)
        except ResponseRefused as error:
            slot.done = True
            self._held.append((slot, error))
            return
        if slot.type == "message":
            self._rest_of_message(slot, whole, events)
        elif slot.type == "reasoning":
            self._rest_of_reasoning(slot, whole, events)
        self._conclude_item(slot, item, events)

    def _finish_call(self, slot: Slot, whole: dict[str, Any], events: list[Event]) -> bool:
        """Show the rest of a call; whether there is a call to read."""
        slot.learn(whole)
        if slot.call_id is None:
            slot.call_id = slot.item_id
        if self._reader.unfinished and not slot.known():
            self._warn("unfinished-call", "the answer ended before a call was known", events)
            self._forget(slot)
            return False
        self._announce(slot, events)
        try:
            self._rest_of_call(slot, whole.get(CALLS[slot.type]), events)
        except ResponseRefused as error:
            slot.done = True
            self._held.append((None, error))
            return False
        return True

    def _conclude_item(self, slot: Slot, item: Item, events: list[Event]) -> None:
        slot.done = True
        if slot.index < 0:
            slot.index = self._take(slot.place)
        if isinstance(item, Opaque) and item.text is None and slot.shown():
            item = evolve(item, text=slot.text())
        self._item(slot.index, item, events)

    def _forget(self, slot: Slot) -> None:
        slot.done = True
        self._ledger.building.pop(slot.index, None)

    # the end

    def _terminal(self, payload: dict[str, Any], events: list[Event]) -> None:
        response = as_object(payload.get("response"))
        status = response.get("status")
        if status in ("failed", "cancelled") or response.get("error"):
            self._failed(payload, events)
        self._hold_fault(fault_of_response(response, "response"))
        named = _STATUS.get(payload.get("type", ""))
        self._close(response, status if named is None or status == INCOMPLETE else named, events)

    def _close(self, response: dict[str, Any], status: Json, events: list[Event]) -> None:
        self._observe(response, events)
        self._begin(events)
        self._reader.unfinished = unfinished(response, status)
        self._settle(output_of(response), events)
        ledger = self._ledger
        ledger.final_usage = ledger.usage is not None
        self._release(events)
        check_usage(ledger.usage)
        items = ledger.in_order()
        # llama.cpp tells its timings beside the response (recorded; docs/evidence.md)
        told = extensions({**self._beside, **response}, items, self._odd)
        self._complete(ending(response, items, status), events, told)

    def _release(self, events: list[Event]) -> None:
        """Raise what was held; a call that was held is read again where a limit cut the answer off."""
        for slot, error in self._held:
            if slot is None or not self._reader.unfinished:
                raise error
            self._conclude_item(slot, self._reader.read(slot.payload), events)

    def _settle(self, output: list[dict[str, Any]], events: list[Event]) -> None:
        """Bring the terminal object's items together with the streamed ones."""
        left = list(self._slots)
        for position, item in enumerate(output):
            slot = counterpart(item, position, left, self._by_id)
            if slot is None:
                self._finish(self._open(item, position, events), item, events)
                continue
            left.remove(slot)
            if not slot.done:
                self._finish(slot, item, events)
            elif contradicts(slot.payload, item):
                raise self._protocol("the terminal object contradicts a finished call")
            elif differs(slot.payload, item):
                self._warn(
                    "text-differs", "a finished text is not what the answer ends with", events
                )
            elif adds(slot.payload, item):
                self._warn("item-differs", "the answer ends with more than an item said", events)
        for slot in left:
            # an authoritative output leaves out what was never shown
            if not slot.done and (not output or slot.shown()):
                self._finish(slot, slot.payload, events)
            elif not slot.done:
                self._forget(slot)

    def _failed(self, payload: dict[str, Any], events: list[Event]) -> None:
        response = as_object(payload.get("response"))
        self._counted(response, events)
        if payload.get("type") == "response.cancelled" or response.get("status") == "cancelled":
            raise ResponseRefused(
                RefusalCode.REFUSED, "the response was cancelled", dispatch=Dispatch.UNKNOWN
            )
        error: Json = response.get("error") or payload.get("error") or response.get("error")
        raise self._reported({} if error is None else {"error": error}, events)

    def _error(self, payload: dict[str, Any], events: list[Event]) -> None:
        raise self._reported(payload, events)

    def _counted(self, response: Mapping[str, Json], events: list[Event]) -> None:
        """What a response that failed says of itself, its last counters among it."""
        told = self._told_usage(response)
        sound = told is None or contradiction(told) is None
        # counters that contradict each other never hide what failed, and are told to nobody
        self._observe(response if sound else {**response, "usage": None}, events)
        self._ledger.final_usage = sound and self._ledger.usage is not None

    def _reported(self, body: Json, events: list[Event]) -> ResponseRefused:
        if isinstance(body, dict) and body.get("object") == "response":
            self._counted(body, events)
        return super()._reported(body, events)

    # a whole body

    def _whole(self, body: bytes, events: list[Event]) -> TurnOutcome:
        inner = StreamDecoder(
            self.binding,
            limits=self.limits,
            invalid_arguments="keep" if self._keeps_arguments else "refuse",
        )
        try:
            return inner.read_whole(body)
        except ResponseRefused:
            self._adopt(inner._ledger, inner._events, events)
            raise

    def read_whole(self, body: bytes) -> TurnOutcome:
        """The outcome of one body. Raises `ResponseRefused`; what was read before stands in its `partial`."""
        events = self._events
        self._guard(self._read_response, body, events)
        last = events[-1]
        if isinstance(last, TurnCompleted):
            return last.outcome
        assert isinstance(last, TurnFailed)
        raise last.error

    def _read_response(self, body: bytes, events: list[Event]) -> None:
        self._measure(body)
        try:
            response: Any = self._exact(body.removeprefix(_BOM))
        except ResponseRefused as error:
            if error.code is not RefusalCode.PROTOCOL:
                raise
            raise ResponseRefused(
                RefusalCode.PROTOCOL, "an answer that is not JSON", dispatch=Dispatch.UNKNOWN
            ) from None
        if self._is_error(response):
            self._keep_said(as_object(response), events)
            raise self._reported(response, events)
        self._accepted = True
        response = as_object(response)
        if response.get("object") != "response" and not isinstance(response.get("output"), list):
            raise self._protocol("the body is no response")
        self._observe(response, events)
        status: Any = response.get("status")
        if status in ("queued", "in_progress"):
            raise self._protocol("the response is not finished", "status")
        if status in ("failed", "cancelled"):
            self._keep_said(response, events)
            self._failed({"response": response}, events)
        self._hold_fault(fault_of_response(response))
        self._close(response, status, events)

    def _keep_said(self, response: Mapping[str, Json], events: list[Event]) -> None:
        """What a failed body said before it failed, as far as it can be read."""
        self._reader.unfinished = True
        with suppress(ResponseRefused):
            self._settle(output_of(response), events)


def _nothing(_payload: dict[str, Any], _events: list[Event]) -> None:
    """What the finished item says again."""

"""Fragments of tool calls to calls.

Rules:
1. Fragments belong together by `index`; without one, by `id`; without both, to the latest call. The number is a key,
   not a position.
2. A call is announced once, when its id and its name are known; its arguments go out only after that.
3. A call whose arguments are a whole object is whole when the next one begins; the others when the answer ends.
4. The first name and id that are not empty stand; empty, null and repeated ones say nothing.
"""

from __future__ import annotations

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.fold import Building
from llm_projections.model.events import Event, ToolArgumentsDelta, ToolCallStarted
from llm_projections.model.items import CustomToolCall, Extension, Protocol, ToolCall
from llm_projections.wires._runs import bytes_of
from llm_projections.wires._types import OBJECT, TEXT, Types
from llm_projections.wires.chat.decode.reasoning import ReasoningDecoder

__all__ = ["Call", "CallDecoder"]

_KNOWN = frozenset({"index", "id", "type", "function", "custom", "extra_content"})
_PATH = "choices[0].delta.tool_calls"
_TYPES: Types = {
    # some servers write a word
    "index": frozenset({int, str, type(None)}),
    "id": TEXT,
    "type": TEXT,
    "function": OBJECT,
    "custom": OBJECT,
}
_TOLD: Types = {"name": TEXT}


class Call:
    """A call while its fragments come. `building` is the item that it will be.

    It `takes` arguments from when it was announced until it is whole; `call_id` is what it was announced by.
    """

    __slots__ = ("announced", "building", "call_id", "extras", "number", "takes", "whole")

    def __init__(self, building: Building, number: int) -> None:
        self.building: Building = building
        self.number: int = number
        self.announced: bool = False
        self.whole: bool = False
        self.takes: bool = False
        self.call_id: str = ""
        self.extras: dict[str, Json] = {}

    @property
    def path(self) -> str:
        """Its place in the deltas; that of a whole body is told as a place in its message."""
        return f"{_PATH}[{self.number}]"


class CallDecoder(ReasoningDecoder):
    """The part of the decoder that reads tool calls."""

    _most: int
    _calls: list[Call]
    _by_index: dict[int | str, Call]
    _by_id: dict[str, Call]

    def _fragments(self, fragments: Json, events: list[Event]) -> None:
        """The `tool_calls` of one delta."""
        if type(fragments) is not list:
            return
        for at, fragment in enumerate(fragments):
            path = f"{_PATH}[{at}]"
            if type(fragment) is not dict:
                raise self._protocol("a tool call is an object", path)
            self._check(fragment, _TYPES, path)
            said = fragment.get("function")
            custom = type(said) is not dict and type(fragment.get("custom")) is dict
            said = fragment["custom"] if custom else said
            told: dict[str, Json] = said if type(said) is dict else {}
            self._check(told, _TOLD, f"{path}.{'custom' if custom else 'function'}")
            text = told.get("input" if custom else "arguments")
            if text is None:
                text = ""
            elif type(text) is not str:
                # an object, where every other server writes its text
                text = _json.dumps(text).decode()
            self._fragment(fragment, told, text, custom, events)

    def _fragment(
        self,
        fragment: dict[str, Json],
        told: dict[str, Json],
        text: str,
        custom: bool,
        events: list[Event],
    ) -> None:
        name = told.get("name")
        name = name if type(name) is str and name else None
        call = self._call_of(fragment, name, text, custom, events)
        building = call.building
        if building.name is None:
            building.name = name
        if fragment.keys() - _KNOWN or "extra_content" in fragment:
            self._extras_of(call, fragment, events)
        if call.whole:
            if text.strip():
                raise self._protocol("arguments after their end", call.path)
            return
        if not call.announced:
            if text:
                self._grow(call, text)
            self._announce(call, events)
        elif text:
            self._grow(call, text)
            events.append(ToolArgumentsDelta(call.call_id, text, building.index))

    def _call_of(
        self,
        fragment: dict[str, Json],
        name: str | None,
        text: str,
        custom: bool,
        events: list[Event],
    ) -> Call:
        """The call that a fragment belongs to, opened if it is a new one."""
        index, said = fragment.get("index"), fragment.get("id")
        call_id = said if type(said) is str and said else None
        found: Call | None
        if type(index) is int or type(index) is str:
            found = self._by_index.get(index)
            known = found.building.call_id if found is not None else None
            if call_id is not None and known is not None and known != call_id:
                found = self._by_id.get(call_id)
        else:
            index = None
            if call_id is not None:
                found = self._by_id.get(call_id)
                if found is None and self._calls and self._calls[-1].building.call_id is None:
                    found = self._calls[-1]
            else:
                found = self._calls[-1] if self._calls else None
        if found is not None and call_id is None and name is not None:
            found = self._continued(found, name, text)
        if found is None:
            found = self._open_call(custom, events)
        if index is not None:
            self._by_index[index] = found
        if call_id is not None:
            found.building.call_id = found.building.call_id or call_id
            self._by_id[call_id] = found
        return found

    def _continued(self, call: Call, name: str, text: str) -> Call | None:
        """`call`, unless a name without an id begins another: its arguments are whole, and more come."""
        building = call.building
        if building.name is None:
            return call
        ended = _json.is_object(building.text())
        if ended and (text.strip() or name != building.name):
            return None
        if name != building.name:
            raise self._protocol("a call changes its name", call.path)
        return call

    def _open_call(self, custom: bool, events: list[Event]) -> Call:
        self._end_thought(events)
        if self._calls:
            latest = self._calls[-1]
            if latest.announced and not latest.whole and _json.is_object(latest.building.text()):
                self._complete_call(latest, events)
        call = Call(self._open_item("custom" if custom else "call"), len(self._calls))
        self._calls.append(call)
        return call

    def _announce(self, call: Call, events: list[Event]) -> None:
        building = call.building
        if building.name is None:
            return
        if building.call_id is None:
            if not self.binding.dialect.derive_call_ids or self._ledger.response_id is None:
                return
            building.call_id = f"call_{self._ledger.response_id}_{call.number}"
            self._warn("derived-call-id", "a call without an id was given one", events)
        call.announced = call.takes = True
        call.call_id = building.call_id
        custom = building.kind == "custom"
        events.append(ToolCallStarted(building.call_id, building.name, building.index, custom))
        text = building.text()
        if text:
            events.append(ToolArgumentsDelta(building.call_id, text, building.index))

    def _grow(self, call: Call, text: str) -> None:
        building = call.building
        building.size += bytes_of(text)
        if building.size > self._most:
            raise self._too_large("arguments_bytes")
        building.pieces.append(text)

    def _finish_calls(self, finished: bool, events: list[Event]) -> None:
        """Complete every open call. `finished` says that the model ended them, not a limit or a filter."""
        for call in self._calls:
            if call.whole:
                continue
            if not call.announced:
                self._drop_or_refuse(call, finished, events)
                continue
            text = call.building.text()
            free = call.building.kind == "custom"
            if not free and self._is_deep(text):
                raise self._too_large("json_depth")
            sound = free or not text.strip() or _json.is_complete(text)
            if not sound and not finished:
                self._warn("unfinished-call", "the answer ended inside a call's arguments", events)
            elif not sound and self._keeps_arguments:
                self._warn("invalid-arguments", "a call's arguments are not JSON", events)
            elif not sound:
                raise self._protocol("arguments that are not JSON", f"{call.path}.arguments")
            self._complete_call(call, events)

    def _drop_or_refuse(self, call: Call, finished: bool, events: list[Event]) -> None:
        lacks = "name" if call.building.name is None else "id"
        if finished:
            raise self._protocol(f"a call without {lacks}", f"{call.path}.{lacks}")
        # nothing of it was ever shown, and nobody can answer it
        self._ledger.building.pop(call.building.index)
        self._warn("unfinished-call", "the answer ended before a call was known", events)

    def _complete_call(self, call: Call, events: list[Event]) -> None:
        call.whole = True
        call.takes = False
        building = call.building
        text, call_id, name = building.text(), building.call_id or "", building.name or ""
        extensions = tuple(
            Extension(
                Protocol.CHAT,
                f"{'messages' if key == 'extra_content' else 'answer'}.tool_calls.{key}",
                value,
                self.binding.provenance if key == "extra_content" else None,
            )
            for key, value in call.extras.items()
        )
        item: ToolCall | CustomToolCall
        if building.kind == "custom":
            item = CustomToolCall(call_id, name, text, None, extensions)
        else:
            item = ToolCall(call_id, name, text if text.strip() else "{}", None, extensions)
        self._item(building.index, item, events)

    def _extras_of(self, call: Call, fragment: dict[str, Json], events: list[Event]) -> None:
        for key, value in fragment.items():
            if value is None or (key in _KNOWN and key != "extra_content"):
                continue
            if key != "extra_content":
                self._unread(events)
            if call.whole:
                raise self._protocol("a call goes on after its end", call.path)
            call.extras[key] = value

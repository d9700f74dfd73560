"""What is said piece by piece. The hot path: one text or argument delta is one event.

Text and arguments count once, whether they come as deltas, in a `.done` event, or in the finished item.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.model.binding import Binding
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolArgumentsDelta,
)
from llm_projections.model.limits import Limits
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import Frame
from llm_projections.wires._runs import bytes_of
from llm_projections.wires._types import MISTYPED, mistyped
from llm_projections.wires.responses.decode.correlate import Correlator
from llm_projections.wires.responses.decode.items import texts_of
from llm_projections.wires.responses.decode.published import BESIDE, PART, fault_of, text_called
from llm_projections.wires.responses.decode.slots import (
    JOINT,
    Family,
    Piece,
    Slot,
    as_list,
    as_object,
    kind_of,
)

__all__ = ["DELTAS", "FAMILIES", "DeltaReader", "Hot"]

# compared by identity on the hot path
_TEXT: Final = "text"
_ARGUMENTS: Final = ""

DELTAS: Final[Mapping[str, tuple[str, Family, str]]] = {
    "response.output_text.delta": ("message", _TEXT, "content_index"),
    "response.refusal.delta": ("message", "refusal", "content_index"),
    "response.reasoning_summary_text.delta": ("reasoning", "summary", "summary_index"),
    "response.reasoning_text.delta": ("reasoning", "content", "content_index"),
    # a name of vLLM's (recorded; docs/evidence.md)
    "response.reasoning.delta": ("reasoning", "content", "content_index"),
    "response.function_call_arguments.delta": ("function_call", _ARGUMENTS, "content_index"),
    "response.custom_tool_call_input.delta": ("custom_tool_call", _ARGUMENTS, "content_index"),
}
"""Events that say a piece: of which type of item, where in it, and the key that names the part."""
FAMILIES: Mapping[str, Family] = {
    "output_text": "text",
    "text": "text",
    "refusal": "refusal",
    "summary_text": "summary",
    "reasoning_text": "content",
}
"""Where the text of a part goes, by the part's type."""

Read = Callable[[dict[str, Any], list[Event]], None]


class Hot:
    """Where the last delta went: the next one mostly goes there too.

    `position` is the key that names the part, and `at` its value; a call has no `piece`.
    """

    __slots__ = (
        "at",
        "family",
        "index",
        "item_id",
        "kind",
        "piece",
        "pieces",
        "position",
        "say",
        "slot",
    )
    kind: str
    item_id: str
    family: Family
    position: str
    at: Json
    slot: Slot
    index: int

    def __init__(
        self,
        kind: str,
        item_id: str,
        family: Family,
        position: tuple[str, Json],
        slot: Slot,
        piece: Piece | None,
    ) -> None:
        self.kind, self.item_id, self.family = kind, item_id, family
        self.position, self.at = position
        self.slot, self.index = slot, slot.index
        self.piece: Piece = Piece(family) if piece is None else piece
        self.pieces: list[str] = slot.pieces if piece is None else piece.pieces
        self.say: Callable[[str], None] = self.pieces.append


class DeltaReader(Correlator):
    """Shows deltas, and what finished parts have beyond them."""

    _varying = ("sequence_number", "obfuscation")

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
        self._hot: Hot | None = None
        self.says: dict[str, Read] = {
            "response.content_part.added": self._part_added,
            "response.content_part.done": self._part_done,
            "response.reasoning_part.done": self._part_done,
            "response.reasoning_summary_part.done": self._part_done,
            # a spelling of llm-rosetta's (recorded; docs/evidence.md)
            "response.reasoning_summary.part.done": self._part_done,
            "response.output_text.annotation.added": self._noted,
            "response.output_text.done": self._done_of("message", "text"),
            "response.refusal.done": self._done_of("message", "refusal"),
            "response.reasoning_summary_text.done": self._done_of("reasoning", "summary"),
            "response.reasoning_text.done": self._done_of("reasoning", "content"),
            "response.reasoning.done": self._done_of("reasoning", "content"),
            "response.function_call_arguments.done": self._arguments_done,
            "response.custom_tool_call_input.done": self._arguments_done,
        }

    @abstractmethod
    def _payload(self, name: bytes, data: bytes, events: list[Event]) -> None:
        """One payload, read in full."""

    def _payloads(self, frames: list[Frame], events: list[Event]) -> int:
        """Payloads of one feed. What is one more delta of the part of the last is read here at once.

        Flat, because calls cost as much as orjson here: a method for each payload and one for each delta took 0.5 µs
        of 2.6 an event.
        """
        swift, hot, show, runs = _json.swift, self._hot, events.append, self._runs
        for read, (name, data) in enumerate(frames, 1):
            if hot is not None:
                try:
                    payload = swift(data)
                    delta = payload["delta"]
                    if (
                        payload["type"] == hot.kind
                        and payload["item_id"] == hot.item_id
                        and payload.get(hot.position) == hot.at
                        and type(delta) is str
                        and delta
                    ):
                        family = hot.family
                        if family is _TEXT:
                            hot.say(delta)
                            show(TextDelta(delta, hot.index))
                            if payload.get("logprobs"):
                                if not hot.piece.likely(payload["logprobs"]):
                                    self._warn(*MISTYPED, events, once=True)
                                continue
                        elif family is _ARGUMENTS:
                            self._argue(hot.slot, delta, events)
                        else:
                            hot.say(delta)
                            show(ReasoningDelta(delta, hot.index, family == "summary"))
                        if runs.wanted:
                            place = (payload, "delta")
                            pieces, slot = hot.pieces, hot.slot
                            if runs.begin(name, data, payload, place, pieces, slot, events[-1]):
                                return read
                        continue
                except (KeyError, TypeError, AttributeError, ValueError):
                    pass
            runs.end()
            self._payload(name, data, events)
            if self.done:
                return read
            hot = self._hot
        return len(frames)

    def _delta(self, event: str, payload: dict[str, Any], events: list[Event]) -> None:
        """Find where a delta goes, and expect the next one there too."""
        kind, family, position = DELTAS[event]
        delta = payload.get("delta")
        if type(delta) is not str:
            raise self._protocol("a delta that is no text")
        slot = self._find(payload, kind, events)
        self._hot = None
        if slot.done or not delta:
            return
        at = payload.get(position)
        piece = None
        if family:
            self._say(slot, family, at, delta, events)
            piece = slot.part(family, _position(at))
            piece.likely(payload.get("logprobs"))
        else:
            self._argue(slot, delta, events)
            if not slot.announced:
                return
        item_id = payload.get("item_id")
        # without an id, every delta is looked up anew; words of refusal are few
        if isinstance(item_id, str) and item_id and family != "refusal":
            self._hot = Hot(event, item_id, family, (position, at), slot, piece)

    def _argue(self, slot: Slot, delta: str, events: list[Event]) -> None:
        """Show a piece of a call's arguments; they wait while the call has no name."""
        slot.size += bytes_of(delta)
        if slot.size > self.limits.arguments_bytes:
            raise self._too_large("arguments_bytes")
        slot.pieces.append(delta)
        if slot.announced:
            events.append(ToolArgumentsDelta(slot.call_id or "", delta, slot.index))

    def _done_of(self, kind: str, family: Family) -> Read:
        key = "refusal" if family == "refusal" else "text"

        def read(payload: dict[str, Any], events: list[Event]) -> None:
            self._finish_part(payload, kind, family, payload.get(key), events)

        return read

    def _say(
        self, slot: Slot, family: Family, position: Json, text: str, events: list[Event]
    ) -> None:
        """Show a piece of one part."""
        piece = slot.part(family, _position(position))
        first = not piece.pieces
        piece.pieces.append(text)
        if family == "text":
            events.append(TextDelta(text, slot.index))
        elif family == "refusal":
            events.append(RefusalDelta(text, slot.index))
        else:
            if first and any(
                each.family == family and each.pieces and each is not piece
                for each in slot.parts.values()
            ):
                text = JOINT + text
            events.append(ReasoningDelta(text, slot.index, family == "summary"))

    def _part_of(self, payload: dict[str, Any], events: list[Event]) -> dict[str, Any]:
        part = as_object(payload.get("part"))
        fault = fault_of(part, PART, "part")
        if fault is not None:
            raise fault
        if mistyped(part, BESIDE) is not None:
            self._warn(*MISTYPED, events, once=True)
        return part

    def _part_added(self, payload: dict[str, Any], events: list[Event]) -> None:
        """A part opens: nothing is said yet, but its place is known."""
        part = self._part_of(payload, events)
        family = FAMILIES.get(kind_of(part))
        if family is not None:
            kind = "reasoning" if family in ("content", "summary") else "message"
            slot = self._find(payload, kind, events)
            if not slot.done:
                slot.part(family, _position(payload.get("content_index")))

    def _noted(self, payload: dict[str, Any], events: list[Event]) -> None:
        """Keep an annotation for an item that never says its annotations whole."""
        annotation = as_object(payload.get("annotation"))
        if annotation:
            slot = self._find(payload, "message", events)
            if not slot.done:
                position = _position(payload.get("content_index"))
                slot.part("text", position).annotations.append(annotation)

    def _part_done(self, payload: dict[str, Any], events: list[Event]) -> None:
        part = self._part_of(payload, events)
        family = FAMILIES.get(kind_of(part))
        if family is not None:
            kind = "reasoning" if family in ("content", "summary") else "message"
            said = part.get("refusal" if family == "refusal" else "text")
            self._finish_part(payload, kind, family, said, events)

    def _finish_part(
        self,
        payload: dict[str, Any],
        kind: str,
        family: Family,
        said: Json,
        events: list[Event],
    ) -> None:
        slot = self._find(payload, kind, events)
        if not slot.done and isinstance(said, str):
            self._rest(slot, family, payload.get(_POSITIONS[family]), said, events)

    def _rest(
        self, slot: Slot, family: Family, position: Json, whole: str, events: list[Event]
    ) -> None:
        """Show what a finished text has beyond its deltas."""
        piece = slot.parts.get((family, _position(position)))
        shown = "" if piece is None else piece.text()
        if whole == shown:
            return
        if whole.startswith(shown):
            self._say(slot, family, position, whole[len(shown) :], events)
        elif whole:
            self._warn("text-differs", "a finished text is not what its deltas said", events)

    def _rest_of_item(
        self, slot: Slot, family: Family, texts: list[str], events: list[Event]
    ) -> None:
        """Show what a finished item has beyond its deltas, however its parts were cut."""
        joint = JOINT if family in ("summary", "content") else ""
        whole = joint.join(text for text in texts if text)
        shown = joint.join(text for text in slot.texts(family) if text)
        if whole == shown or not whole:
            return
        if not whole.startswith(shown):
            self._warn("text-differs", "a finished text is not what its deltas said", events)
            return
        rest = whole[len(shown) :]
        last = max((at for each, at in slot.parts if each == family), default=0)
        self._say(slot, family, last, rest, events)

    def _rest_of_message(self, slot: Slot, whole: Mapping[str, Any], events: list[Event]) -> None:
        content: Any = whole.get("content")
        texts: dict[Family, list[str]] = {"text": [], "refusal": []}
        for part in [content] if isinstance(content, str) else as_list(content):
            family = "text" if isinstance(part, str) else FAMILIES.get(kind_of(as_object(part)), "")
            said = as_object(part).get(family, part)
            if family in texts and isinstance(said, str):
                texts[family].append(said)
        for family, said in texts.items():
            self._rest_of_item(slot, family, said, events)

    def _rest_of_reasoning(self, slot: Slot, whole: Mapping[str, Any], events: list[Event]) -> None:
        for family in ("summary", "content"):
            self._rest_of_item(slot, family, texts_of(whole.get(family)), events)

    def _arguments_done(self, payload: dict[str, Any], events: list[Event]) -> None:
        custom = payload.get("type") == "response.custom_tool_call_input.done" or "input" in payload
        slot = self._find(payload, "custom_tool_call" if custom else "function_call", events)
        if slot.done:
            return
        slot.learn(payload)
        self._announce(slot, events)
        self._rest_of_call(slot, payload.get("input" if custom else "arguments"), events)

    def _rest_of_call(self, slot: Slot, called: Json, events: list[Event]) -> None:
        whole, shown = text_called(called) or "", slot.text()
        if isinstance(called, dict | list) and _json.same_tokens(whole, shown):
            # the value itself, where every other server writes its text
            return
        if whole != shown and whole.startswith(shown):
            self._argue(slot, whole[len(shown) :], events)
        elif whole != shown and whole:
            raise self._protocol("finished arguments are not what their deltas said")


_POSITIONS: Mapping[Family, str] = {
    "text": "content_index",
    "refusal": "content_index",
    "content": "content_index",
    "summary": "summary_index",
}


def _position(value: Json) -> int:
    return value if type(value) is int and value > 0 else 0

"""A wire of a few words, so that what every decoder shares can be tried without any wire's own rules."""

import json
from collections.abc import Iterable
from typing import Any

from llm_projections import _json
from llm_projections.fold import Building
from llm_projections.model.events import Event, ResponseStarted, TextDelta
from llm_projections.model.items import AssistantMessage, Protocol, Text, UserMessage
from llm_projections.model.outcome import EndTurn, Observation, TurnOutcome, Usage, Warning
from llm_projections.sse import Frame
from llm_projections.wires._driving import drive
from llm_projections.wires._streams import BaseDecoder
from tests.everything import binding_of

__all__ = ["ANSWER", "BINDING", "Tiny", "decode", "sse"]

BINDING = binding_of(Protocol.CHAT)


class Tiny(BaseDecoder):
    """A wire of `{"start"}`, `{"say"}`, `{"usage"}`, `{"error"}`, `{"user"}` and `{"end"}`."""

    def _payloads(self, frames: list[Frame], events: list[Event]) -> int:
        for read, (name, data) in enumerate(frames, 1):
            self._payload(name, data, events)
            if self.done:
                return read
        return len(frames)

    def _payload(self, name: bytes, data: bytes, events: list[Event]) -> None:
        body = self._load(data)
        if not isinstance(body, dict):
            raise self._protocol("a payload that is not an object")
        if "error" in body:
            raise self._reported(body, events)
        self._accepted = True
        ledger = self._ledger
        if "start" in body:
            ledger.response_id = body["start"]
            events.append(ResponseStarted(body["start"]))
        if "say" in body:
            open_ = ledger.building.setdefault(0, Building(0, "text"))
            open_.pieces.append(body["say"])
            events.append(TextDelta(body["say"], 0))
        if "usage" in body:
            self._usage(Usage(body["usage"]), events)
        if "odd" in body:
            self._warn(body["odd"], "odd", events, once=True)
        if "user" in body:
            self._item(len(ledger.items), UserMessage(()), events)
        if "end" in body:
            if 0 in ledger.building:
                self._item(0, AssistantMessage((Text(ledger.building[0].text()),)), events)
            self._complete(EndTurn(), events)

    def _at_end(self, events: list[Event]) -> None:
        if self._ledger.response_id == "may end anywhere":
            self._complete(EndTurn(), events)

    def _whole(self, body: bytes, events: list[Event]) -> TurnOutcome:
        said = _json.loads(body)
        if not isinstance(said, dict) or "said" not in said:
            raise self._protocol("an answer without what was said", "said")
        return TurnOutcome(
            EndTurn(),
            (AssistantMessage((Text(str(said["said"])),)),),
            Observation(BINDING.provenance, "m", "id", Usage(3), True),
            (Warning("quaint", "fixed"),),
        )


def sse(*payloads: Any) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(payload).encode() for payload in payloads)


def decode(chunks: Iterable[bytes], **options: Any) -> list[Event]:
    return list(drive(Tiny(BINDING, **options), chunks))


ANSWER = sse({"start": "id"}, {"say": "hel"}, {"say": "lo"}, {"usage": 3}, {"end": 1})

"""How an answer ends: its items made whole, its stop, its counters.

Rules:
1. What is still open is completed in the order of its index.
2. `stop` beside calls means that the calls wait; a limit or a filter stands, whatever the items are.
3. Final counters that contradict each other are refused.
"""

from __future__ import annotations

from typing import Literal

from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.fold import Building
from llm_projections.model.binding import Binding
from llm_projections.model.events import Event, TurnCompleted
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Item,
    Protocol,
    RefusalText,
    Text,
    WireItem,
    WirePart,
)
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    StopReason,
    StopSequence,
    ToolCalls,
    TurnOutcome,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._types import TEXT, Types
from llm_projections.wires._usage import check_usage
from llm_projections.wires.chat.decode.calls import Call, CallDecoder
from llm_projections.wires.chat.decode.extras import Extras
from llm_projections.wires.chat.vocab_answer import FAILED, STOPS

__all__ = ["EndingDecoder"]

_CALLED: Types = {"name": TEXT, "arguments": TEXT}


class EndingDecoder(CallDecoder):
    """The part of the decoder that holds what was said, and ends the turn."""

    _outcome: TurnOutcome

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
        self._most = self.limits.arguments_bytes
        self._started = False
        self._next = 0
        self._said: Building | None = None
        self._refused: Building | None = None
        self._thought: Building | None = None
        self._details: list[dict[str, Json]] = []
        self._plain = False
        self._calls: list[Call] = []
        self._by_index: dict[int | str, Call] = {}
        self._by_id: dict[str, Call] = {}
        self._function: Building | None = None
        self._cited: list[Json] = []
        self._kept_parts: list[WirePart] = []
        self._audio: dict[str, Json] = {}
        self._logprobs: dict[str, Json] = {}
        self._extras = Extras()
        self._reason_word: str | None = None
        self._matched: str | None = None

    def _end_turn(self, events: list[Event]) -> None:
        stop = self._stop()
        finished = isinstance(stop, EndTurn | ToolCalls | StopSequence)
        self._end_thought(events)
        self._end_message(events)
        self._finish_calls(finished, events)
        waits = bool(self._calls) or self._function is not None
        if waits and isinstance(stop, EndTurn | StopSequence):
            if self._reason_word is not None:
                self._warn("stop-beside-calls", "the answer stops beside calls", events)
            stop = ToolCalls()
        self._keep_word(stop)
        check_usage(self._ledger.usage)
        self._ledger.final_usage = self._ledger.usage is not None
        self._complete(stop, events, self._extras.extensions())
        last = events[-1]
        if isinstance(last, TurnCompleted):
            self._outcome = last.outcome

    def _stop(self) -> StopReason:
        word = self._reason_word
        if word is None:  # a whole answer only: it is known to be whole
            return EndTurn()
        if word == FAILED:
            raise ResponseRefused(
                RefusalCode.UNAVAILABLE,
                "the server ended its answer as failed",
                "choices[0].finish_reason",
                dispatch=Dispatch.ACCEPTED,
                retriable=True,
            )
        if word == "stop" and self._matched is not None:
            return StopSequence(self._matched)
        return STOPS.get(word) or Incomplete(word)

    def _keep_word(self, stop: StopReason) -> None:
        """Keep a finish reason that the neutral stop does not say."""
        word = self._reason_word
        plain = {"ToolCalls": "tool_calls", "EndTurn": "stop", "StopSequence": "stop"}
        said = plain.get(type(stop).__name__, word)
        if word not in (said, "length", None):
            self._extras.gather("answer.choices.finish_reason", word)

    def _end_message(self, events: list[Event]) -> None:
        whole: list[tuple[Building, Item]] = []
        if self._said is not None:
            whole.append((self._said, self._message(self._said.text())))
        elif self._logprobs:
            self._extras.keep("answer.logprobs", self._logprobs)
        if self._refused is not None:
            spoken = RefusalText(self._refused.text())
            whole.append((self._refused, AssistantMessage((spoken,))))
        if self._function is not None:
            whole.append((self._function, self._legacy_call(self._function)))
        for building, item in sorted(whole, key=lambda each: each[0].index):
            self._item(building.index, item, events)
        if self._said is None:
            for cited in self._cited:
                self._extras.gather("answer.message.annotations", cited)

    def _message(self, text: str) -> AssistantMessage:
        extensions: list[Extension] = []
        if self._logprobs:
            extensions.append(Extension(Protocol.CHAT, "answer.logprobs", self._logprobs))
        if self._audio:
            extensions.append(Extension(Protocol.CHAT, "answer.audio", self._audio))
            if "id" in self._audio:
                # the request's way of saying it again: assistant.audio.id
                said: dict[str, Json] = {"id": self._audio["id"]}
                extensions.append(Extension(Protocol.CHAT, "messages.audio", said))
        cited = tuple(
            Extension(Protocol.CHAT, "messages.annotations", each) for each in self._cited
        )
        spoken = (Text(text, cited),) if text or cited else ()
        return AssistantMessage((*spoken, *self._kept_parts), tuple(extensions))

    def _legacy_call(self, building: Building) -> WireItem:
        call: dict[str, Json] = {"name": building.name, "arguments": building.text()}
        payload: dict[str, Json] = {"role": "assistant", "content": None, "function_call": call}
        return WireItem(Protocol.CHAT, payload, None, "call")

    # pieces of what has no events of its own

    def _legacy(self, called: dict[str, Json], events: list[Event]) -> None:
        """A piece of the `function_call` of old."""
        self._check(called, _CALLED, "choices[0].delta.function_call")
        if self._function is None:
            self._end_thought(events)
            self._function = self._open_item("call")
        name, text = called.get("name"), called.get("arguments")
        if type(name) is str and name and self._function.name is None:
            self._function.name = name
        if type(text) is str:
            self._function.pieces.append(text)

    def _hear(self, audio: dict[str, Json], events: list[Event]) -> None:
        """A piece of spoken output; its item is the message."""
        if self._said is None:
            self._end_thought(events)
            self._said = self._open_item("text")
        for key, value in audio.items():
            before = self._audio.get(key)
            if key in ("data", "transcript") and type(before) is str and type(value) is str:
                self._audio[key] = before + value
            elif value is not None:
                self._audio[key] = value

    def _weigh(self, logprobs: Json) -> None:
        if type(logprobs) is not dict:
            self._extras.gather("answer.choices.logprobs", logprobs)
            return
        for key, value in logprobs.items():
            before = self._logprobs.get(key)
            if type(before) is list and type(value) is list:
                before += value
            elif value is not None:
                self._logprobs[key] = list(value) if type(value) is list else value

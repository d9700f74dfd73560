"""Chat Completions bytes to events.

Rules:
1. Errors are looked for first: in the chunk, in its choice, in `x_groq`.
2. The turn ends with `[DONE]`, or with the input after a finish reason; the last reason that says something stands.
3. Counters replace each other, wherever they come; they are never added up.
4. A whole answer is read by the same code, as one chunk.
"""

from __future__ import annotations

from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    TurnFailed,
)
from llm_projections.model.outcome import TurnOutcome
from llm_projections.sse import SENTINEL, Frame
from llm_projections.wires._runs import bytes_of
from llm_projections.wires._types import LIST, MISTYPED, NUMBER, OBJECT, TEXT, Types, mistyped
from llm_projections.wires._upstream import is_bare_error
from llm_projections.wires._usage import inclusive_usage, went_down
from llm_projections.wires.chat.decode.message import MessageDecoder
from llm_projections.wires.chat.subset_answers import ANSWERS

__all__ = ["StreamDecoder", "WholeDecoder"]

# What a chunk repeats, and what pads it: read where the stream begins and ends, not in between.
_REPEATED = frozenset(
    {
        "id",
        "object",
        "created",
        "model",
        "choices",
        "usage",
        "service_tier",
        "system_fingerprint",
        "provider",
        "obfuscation",
        "p",
    }
)
_READ_TOP = frozenset(
    {"id", "object", "created", "model", "choices", "usage", "obfuscation", "p", "error"}
)
_READ_CHOICE = frozenset(
    {"index", "delta", "finish_reason", "logprobs", "message", "text", "error"}
)
_TOP: Types = {"choices": LIST}
_CHUNK: Types = {
    **_TOP,
    "id": TEXT,
    "object": TEXT,
    "created": NUMBER,
    "model": TEXT,
    "usage": OBJECT,
    "service_tier": TEXT,
    "system_fingerprint": TEXT,
}
_CHOICE: Types = {
    "index": NUMBER,
    "delta": OBJECT,
    "message": OBJECT,
    "text": TEXT,
    "finish_reason": TEXT,
}
_GROQ: Types = {"usage": OBJECT}
_BOM = b"\xef\xbb\xbf"


class StreamDecoder(MessageDecoder):
    """Reads one streamed answer: feed it bytes, then close it. Any thread may call it, one call at a time."""

    _varying = ("obfuscation", "p", "created")

    def _payloads(self, frames: list[Frame], events: list[Event]) -> int:
        """Payloads of one feed. A piece of a text, of reasoning or of arguments that has begun is read here.

        Flat, because a call costs as much as three looks into a payload: with a method for each payload and one for
        each kind of piece, reading took 0.5 µs more of 2.2 an event.
        """
        swift, show, by_index = _json.swift, events.append, self._by_index
        runs, most = self._runs, self._most
        event: Event
        for read, (name, data) in enumerate(frames, 1):
            chunk: Any = None
            try:
                chunk = swift(data)
                # a subscript costs half of what `get` does, and few servers leave these keys out
                (choice,) = chunk["choices"]
                delta = choice["delta"]
                if (
                    len(delta) == 1
                    and choice["finish_reason"] is None
                    and not choice["index"]
                    and (len(choice) == 3 or (choice["logprobs"] is None and len(choice) == 4))
                    and delta.__class__ is dict
                    and chunk.get("usage") is None
                    and _REPEATED.issuperset(chunk)
                ):
                    if "content" in delta:
                        text, said = delta["content"], self._said
                        if said is not None and type(text) is str:
                            if text:
                                said.pieces.append(text)
                                show(event := TextDelta(text, said.index))
                                if runs.wanted:
                                    place = (delta, "content")
                                    if runs.begin(
                                        name, data, chunk, place, said.pieces, said, event
                                    ):
                                        return read
                            continue
                    elif "tool_calls" in delta:
                        (fragment,) = delta["tool_calls"]
                        told = fragment["function"]
                        text = told["arguments"]
                        call = by_index[fragment["index"]]
                        # arguments and nothing else, of a call that was announced
                        if call.takes and type(text) is str and len(fragment) == 2 == len(told) + 1:
                            if text:
                                building = call.building
                                building.size += bytes_of(text)
                                if building.size > most:
                                    raise self._too_large("arguments_bytes")
                                pieces = building.pieces
                                pieces.append(text)
                                show(
                                    event := ToolArgumentsDelta(call.call_id, text, building.index)
                                )
                                if runs.wanted:
                                    place = (told, "arguments")
                                    if runs.begin(
                                        name, data, chunk, place, pieces, building, event
                                    ):
                                        return read
                            continue
                    elif self._thought is not None and self._plain:
                        text = delta.get("reasoning_content") or delta.get("reasoning")
                        if type(text) is str:
                            thought = self._thought
                            thought.pieces.append(text)
                            show(event := ReasoningDelta(text, thought.index))
                            if runs.wanted:
                                place = (delta, *delta)
                                if runs.begin(
                                    name, data, chunk, place, thought.pieces, thought, event
                                ):
                                    return read
                            continue
            except (KeyError, TypeError, ValueError, AttributeError):
                pass
            runs.end()
            self._take(name, data, chunk, events)
            if self.done:
                return read
        return len(frames)

    # everything else

    def _take(self, name: bytes, data: bytes, chunk: Any, events: list[Event]) -> None:
        """Any payload; `chunk` is its value, None where that is not known."""
        if chunk is None:
            try:
                chunk = _json.loads(data)
            except _json.JsonError as error:
                self._not_json(data, error, events)
                return
        self._chunk(name, self._exactly(chunk, data), events)

    def _exactly(self, chunk: Any, data: bytes) -> Any:
        """`chunk` with what it carries exact: integers of any size, within the limit of depth."""
        try:
            return _json.exactly(chunk, data, self.limits.json_depth)
        except _json.JsonError as error:
            raise self._unreadable(error) from None

    def _not_json(self, data: bytes, error: _json.JsonError, events: list[Event]) -> None:
        if data.strip() != SENTINEL:
            raise self._unreadable(error)
        if self._reason_word is None:
            raise ResponseRefused(
                RefusalCode.PROTOCOL,
                "the stream ended without a finish reason",
                dispatch=Dispatch.ACCEPTED if self._accepted else Dispatch.UNKNOWN,
                retriable=True,
            )
        self._end_turn(events)

    def _at_end(self, events: list[Event]) -> None:
        if self._reason_word is None:
            return
        if self.binding.dialect.done_required:
            raise ResponseRefused(
                RefusalCode.PROTOCOL,
                "the stream ended without its sentinel",
                dispatch=Dispatch.ACCEPTED,
                retriable=True,
            )
        self._warn("missing-done-sentinel", "the stream ended without its sentinel", events)
        self._end_turn(events)

    def _chunk(self, name: bytes, chunk: Json, events: list[Event]) -> None:
        if type(chunk) is not dict:
            raise self._protocol("a chunk is an object")
        self._failure(name, chunk, events)
        # one look for nearly every chunk
        odd = mistyped(chunk, _CHUNK) is not None
        if odd:
            self._check(chunk, _TOP, "")
        choices = chunk.get("choices")
        self._accepted = True
        self._start(chunk, bool(choices), events)
        if odd:
            self._warn(*MISTYPED, events, once=True)
        self._top(chunk, events)
        for position, choice in enumerate(choices if type(choices) is list else ()):
            self._choice(choice, position, events)

    def _failure(self, name: bytes, chunk: dict[str, Json], events: list[Event]) -> None:
        groq = chunk.get("x_groq")
        if chunk.get("error"):
            raise self._reported(chunk, events)
        if type(groq) is dict and groq.get("error"):
            raise self._reported(groq, events)
        if "choices" not in chunk and (name == b"error" or is_bare_error(chunk, typed=False)):
            raise self._reported(chunk, events)

    def _start(self, chunk: dict[str, Json], output: bool, events: list[Event]) -> None:
        """Say who answers: once, before the first choice; an opening chunk may know neither."""
        if self._started:
            return
        known, model = chunk.get("id"), chunk.get("model")
        response_id = known if type(known) is str and known else None
        named = model if type(model) is str and model else None
        if response_id is None and named is None and not output:
            return
        self._started = True
        self._ledger.response_id, self._ledger.upstream_model = response_id, named
        events.append(ResponseStarted(response_id, named))

    def _top(self, chunk: dict[str, Json], events: list[Event]) -> None:
        counted = chunk.get("usage")
        for key, value in chunk.items():
            if key in _READ_TOP or value is None:
                continue
            if key == "x_groq" and type(value) is dict:
                counted = counted or value.get("usage")
                if mistyped(value, _GROQ) is not None:
                    self._warn(*MISTYPED, events, once=True)
                value = {name: value[name] for name in value if name != "usage"}
                if not value:
                    continue
            if key not in ANSWERS.fields("chunk") and key not in ANSWERS.fields("response"):
                self._unread(events)
            self._extras.keep(f"answer.{key}", value)
        if type(counted) is dict and counted:
            self._count(counted, events)

    def _count(self, counted: dict[str, Json], events: list[Event]) -> None:
        usage = inclusive_usage(counted, "prompt_tokens", "completion_tokens", self.binding.dialect)
        if went_down(self._ledger.usage, usage):
            self._warn("usage-went-down", "a counter is less than it was", events, once=True)
        self._usage(usage, events)

    def _choice(self, choice: Json, position: int, events: list[Event]) -> None:
        if type(choice) is not dict:
            raise self._protocol("a choice is an object", "choices[0]")
        self._check(choice, _CHOICE, f"choices[{position}]")
        index = choice.get("index")
        if index or (position and index is None):
            raise self._protocol("a second choice", "choices[1]")
        if choice.get("error"):
            raise self._reported(choice, events)
        delta = choice.get("delta")
        if delta is None:
            delta = choice.get("message")
            if delta is None and choice.get("text"):
                raise self._protocol("a text completion, not a chat completion", "choices[0].text")
        if type(delta) is dict:
            self._delta(delta, events)
        for key, value in choice.items():
            if key in _READ_CHOICE or value is None:
                continue
            if key == "usage" and type(value) is dict:
                self._count(value, events)  # Kimi says it there at the end of a stream
                continue
            if key not in ANSWERS.fields("chunk.choices[]"):
                self._unread(events)
            self._extras.gather(f"answer.choices.{key}", value)
        if choice.get("logprobs") is not None:
            self._weigh(choice["logprobs"])
        self._stop_at(choice, events)

    def _stop_at(self, choice: dict[str, Json], events: list[Event]) -> None:
        word = choice.get("finish_reason")
        if type(word) is not str or not word:
            return
        if self._reason_word not in (None, word):
            self._warn("stop-reason-changed", "another reason to stop was said before", events)
        self._reason_word = word
        matched = choice.get("stop_reason")  # vLLM: the stop string that was met
        self._matched = matched if type(matched) is str and matched else None

    # whole answers

    def _whole(self, body: bytes, events: list[Event]) -> TurnOutcome:
        inner = WholeDecoder(
            self.binding,
            limits=self.limits,
            invalid_arguments="keep" if self._keeps_arguments else "refuse",
        )
        told: list[Event] = []
        try:
            return inner.read(body, told)
        except ResponseRefused:
            self._adopt(inner._ledger, told, events)
            raise


class WholeDecoder(StreamDecoder):
    """Reads one answer that came as a whole body."""

    def read(self, body: bytes, events: list[Event] | None = None) -> TurnOutcome:
        """The outcome. Raises `ResponseRefused` for an error, or a body that is no answer of this wire.

        What it tells on the way is added to `events`.
        """
        self._measure(body)
        try:
            value = _json.loads_exact(body.removeprefix(_BOM), self.limits.json_depth)
        except _json.JsonError as error:
            if error.too_deep:
                raise self._too_large("json_depth") from None
            raise ResponseRefused(
                RefusalCode.PROTOCOL, "an answer that is not JSON", dispatch=Dispatch.UNKNOWN
            ) from None
        events = [] if events is None else events
        self._guard(self._completion, value, events)
        last = events[-1]
        if isinstance(last, TurnFailed):
            raise last.error
        return self._outcome

    def _fragments(self, fragments: Json, events: list[Event]) -> None:
        if type(fragments) is list:
            # nothing comes in pieces here: each is a call of its own, whatever its id and index
            fragments = [
                {**call, "index": at} if type(call) is dict else call
                for at, call in enumerate(fragments)
            ]
        super()._fragments(fragments, events)

    def _protocol(self, message: str, path: str = "") -> ResponseRefused:
        return super()._protocol(message, path.replace(".delta", ".message", 1))

    def _completion(self, body: Json, events: list[Event]) -> None:
        if type(body) is dict and self._is_error(body) and not body.get("choices"):
            raise self._reported(body, events)
        choices = body.get("choices") if type(body) is dict else None
        if type(choices) is not list or not choices:
            raise self._protocol("an answer without a choice", "choices")
        if len(choices) > 1:
            raise self._protocol("a second choice", "choices[1]")
        choice = choices[0]
        if type(choice) is dict and type(choice.get("message")) is dict:
            # perplexity keeps an empty delta beside it
            choice = {key: value for key, value in choice.items() if key != "delta"}
            body = {**body, "choices": [choice]} if type(body) is dict else body
        self._chunk(b"", body, events)
        if self._reason_word is None:
            self._warn("missing-finish-reason", "a whole answer without a finish reason", events)
        self._end_turn(events)

"""A Messages stream to events.

Rules:
1. The payload's own `type` decides; an SSE name that contradicts it is refused, a missing one is fine.
2. Blocks may be open together and left open: llama.cpp b11434 closes all of them at the end. Each
   is one item, in the order in which they began.
3. Counters are cumulative: each that `message_delta` names replaces the earlier value.
4. `message_stop` alone ends the answer.

Source: platform.claude.com, "Streaming messages", and the event types of anthropic 2.14.0, read
2026-11-30; other servers: docs/evidence.md.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.binding import Binding
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    TextDelta,
    ToolArgumentsDelta,
    TurnCompleted,
    TurnFailed,
)
from llm_projections.model.items import Extension, Protocol, WireItem
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import SENTINEL, Frame
from llm_projections.wires._types import OBJECT, Types
from llm_projections.wires._upstream import is_bare_error
from llm_projections.wires._usage import check_usage, counter, disjoint_usage, went_down
from llm_projections.wires.messages.decode.blocks import check, word
from llm_projections.wires.messages.decode.running import EVENT_KEYS, BlocksDecoder
from llm_projections.wires.messages.decode.whole import (
    AROUND,
    ENDING,
    MESSAGE,
    exact,
    fallback_model,
    given_arguments,
    read_stop,
    whole_block,
)
from llm_projections.wires.messages.vocab_answer import (
    KEPT_EVENT,
    MESSAGE_KEYS,
)

__all__ = ["StreamDecoder", "decode_response"]

_DELTA: Final = "content_block_delta"
_DELTA_NAME: Final = b"content_block_delta"

_NOTHING: Final[frozenset[str]] = frozenset()
_MESSAGE_DELTA: Final[Types] = {"delta": OBJECT}
# what is understood of a message_delta's delta
_DELTA_KEYS: Final = frozenset({"type", "stop_reason", "stop_sequence"})

# stop reasons after which a call is whole, if it ever was
_FINISHED: Final = frozenset({None, "end_turn", "tool_use", "stop_sequence"})


class StreamDecoder(BlocksDecoder):
    """Reads one Messages answer, cut anywhere. See `decode_stream` for what it takes.

    Any thread may call it, one call at a time.
    """

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
        self._started = False
        self._counted: dict[str, Json] = {}
        self._stop: str | None = None
        self._sequence: str | None = None

    # what the base asks

    def _payloads(self, frames: list[Frame], events: list[Event]) -> int:
        """Payloads of one feed. A delta that says what its block already says is read here.

        Flat, because events of this wire are small: a method for each payload took a tenth of the time. Whatever has
        another shape misses a key, or has no keys, and is read with care.
        """
        self._events = events
        swift, opened, show, runs = _json.swift, self._open, events.append, self._runs
        for read, (name, data) in enumerate(frames, 1):
            body: Any = None
            try:
                body = swift(data)
                delta = body["delta"]
                block = opened[body["index"]]
                said = delta[block.key]
                live = block.live
                if (
                    body["type"] == _DELTA
                    and delta["type"] == live
                    and len(delta) == 2
                    and len(body) == 3
                    and type(said) is str
                    and (name == _DELTA_NAME or not name)
                ):
                    if said:
                        event: Event
                        if live == "text_delta":
                            event = TextDelta(said, block.index)
                        elif live == "thinking_delta":
                            event = ReasoningDelta(said, block.index)
                        else:
                            self._count(block, said)
                            event = ToolArgumentsDelta(block.call_id, said, block.index)
                        pieces = block.pieces
                        pieces.append(said)
                        show(event)
                        if runs.wanted:
                            place = (delta, block.key)
                            if runs.begin(name, data, body, place, pieces, block, event):
                                return read
                    continue
            except (KeyError, TypeError, ValueError):
                pass
            if body is None:
                try:
                    body = _json.loads(data)
                except _json.JsonError as error:
                    raise self._not_json(data, error) from None
            runs.end()
            self._dispatch(name, body, data, events)
            if self.done:
                return read
        return len(frames)

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

    def _at_end(self, events: list[Event]) -> None:
        """Nothing but its own stop ends a message."""

    def read_whole(self, body: bytes) -> TurnOutcome:
        """The outcome of one body. Raises `ResponseRefused`; what was read before stands in its `partial`."""
        events = self._events
        self._guard(self._read_message, body, events)
        last = events[-1]
        if isinstance(last, TurnCompleted):
            return last.outcome
        assert isinstance(last, TurnFailed)
        raise last.error

    def _read_message(self, body: bytes, events: list[Event]) -> None:
        self._measure(body)
        try:
            value = _json.loads_exact(body, self.limits.json_depth)
        except _json.JsonError as error:
            if error.too_deep:
                raise self._too_large("json_depth") from None
            raise ResponseRefused(
                RefusalCode.PROTOCOL, "an answer that is not JSON", dispatch=Dispatch.UNKNOWN
            ) from None
        if self._is_error(value):
            raise self._reported(value, events)
        self._accepted = True
        message, envelope = exact(body, self.limits)
        content = message.get("content")
        if not isinstance(content, list):
            raise self._protocol("an answer that is not a message", "content")
        if len(content) > self.limits.items:
            raise self._too_large("items")
        self._name(word(message.get("id")), fallback_model(content) or word(message.get("model")))
        reported = message.get("usage")
        usage = disjoint_usage(reported) if isinstance(reported, dict) else None
        if usage is not None:
            self._usage(usage, events)
            self._ledger.final_usage = True
        for position, block in enumerate(content):
            item = whole_block(block, position, self._reader, envelope)
            if item is not None:
                self._item(position, item, events)
        check(message, ENDING)
        self._around(message, AROUND)
        check_usage(usage)
        self._extras.add(message, MESSAGE_KEYS if usage is not None else MESSAGE_KEYS - {"usage"})
        items = self._ledger.in_order()
        stop = read_stop(message.get("stop_reason"), message.get("stop_sequence"), items, self._odd)
        self._complete(stop, events, self._extras.extensions())

    # one payload

    def _dispatch(self, name: bytes, body: Json, data: bytes, events: list[Event]) -> None:
        if not isinstance(body, dict):
            raise self._protocol("a payload that is not an event")
        self._hold(data, body)
        kind = body.get("type")
        if _is_error(name, kind, body):
            raise self._reported(body, events)
        if kind is None and name:
            kind = name.decode("utf-8", "replace")
        if type(kind) is not str:
            raise self._protocol("a payload that is not an event")
        # "message" is the name of an event that was given none
        if name and name != b"message" and name != kind.encode("utf-8", "replace"):
            raise self._protocol("an event whose name contradicts its type")
        if kind == "ping":
            return
        self._accepted = True
        match kind:
            case "content_block_delta":
                self._delta(body, data)
            case "content_block_start":
                self._start(data)
            case "content_block_stop":
                self._close_block(body, data)
            case "message_delta":
                self._message_delta(data)
            case "message_stop":
                self._message_stop(body)
            case "message_start":
                self._message_start(data)
            case _:
                self._keep_event(data)

    def _not_json(self, data: bytes, error: _json.JsonError) -> ResponseRefused:
        if data != SENTINEL:
            return self._unreadable(error)
        return ResponseRefused(
            RefusalCode.PROTOCOL,
            "the stream ended before its end",
            dispatch=Dispatch.ACCEPTED if self._accepted else Dispatch.UNKNOWN,
            retriable=True,
        )

    # the message

    def _message_start(self, data: bytes) -> None:
        body, envelope = exact(data, self.limits)
        message = body.get("message")
        if not isinstance(message, dict):
            raise self._protocol("a message that is not an object", "message_start.message")
        if self._started and not self._fallen_back:
            raise self._protocol("a second message_start", "message_start")
        self._started = True
        check(message, MESSAGE, "message_start.message")
        self._around(message, AROUND)
        self._surplus("message_start", body)
        self._name(word(message.get("id")), word(message.get("model")))
        self._extras.add(message, MESSAGE_KEYS)
        self._stop = word(message.get("stop_reason")) or self._stop
        self._sequence = word(message.get("stop_sequence")) or self._sequence
        self._counters(message.get("usage"))
        content = message.get("content")
        if content and isinstance(content, str):
            raise self._protocol("must be a list", "message_start.message.content")
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                raise self._protocol("a block that is not an object", "message_start.message")
            arguments = given_arguments(block, envelope) if block.get("type") == "tool_use" else ""
            self._end_block(self._begin(block, arguments))

    def _message_delta(self, data: bytes) -> None:
        body, _ = exact(data, self.limits)
        check(body, _MESSAGE_DELTA, "message_delta")
        delta = body.get("delta")
        if isinstance(delta, dict):
            check(delta, ENDING, "message_delta.delta")
            said = word(delta.get("stop_reason")) or self._stop
            if self._stop not in (None, said):
                self._odd("stop-reason-changed", "another reason to stop was said before")
            self._stop = said
            self._sequence = word(delta.get("stop_sequence")) or self._sequence
            if isinstance(delta.get("usage"), dict) and body.get("usage") is None:
                # counters belong beside the delta; some gateways put them in it
                body["usage"] = delta.pop("usage")
            self._extras.add(delta, _DELTA_KEYS)
        self._surplus("message_delta", body)
        usage = body.get("usage")
        self._counters(usage)
        if isinstance(usage, dict) and counter(usage.get("output_tokens")) is not None:
            self._ledger.final_usage = True

    def _counters(self, reported: Json) -> None:
        """Counters replace what was said before, one by one; null says nothing."""
        if not isinstance(reported, dict):
            self._extras.add({"usage": reported}, _NOTHING)
            return
        if not reported:
            return
        merged = dict(self._counted)
        for key, value in reported.items():
            if value is not None or key not in merged:
                merged[key] = value
        self._counted = merged
        usage = disjoint_usage(_json.copied(merged))
        if went_down(self._ledger.usage, usage):
            self._odd("usage-went-down", "a counter is less than it was")
        self._usage(usage, self._events)

    def _message_stop(self, body: dict[str, Json]) -> None:
        self._surplus("message_stop", body)
        for block in self._open.values():
            if not block.closed:
                self._odd("unclosed-block", "a block was still open at the end of the message")
                self._end_block(block)
        # why it stopped is known by now, and whether that explains a call that is not whole
        unfinished = self._stop not in _FINISHED
        for block in self._unsound:
            self._finish(block, unfinished=unfinished)
        check_usage(self._ledger.usage)
        items = self._ledger.in_order()
        stop = read_stop(self._stop, self._sequence, items, self._odd)
        self._complete(stop, self._events, self._extras.extensions())

    def _keep_event(self, data: bytes) -> None:
        body, _ = exact(data, self.limits)
        self._warn("unknown-stream-event", "an unpublished event was kept", self._events)
        mark = Extension(Protocol.MESSAGES, KEPT_EVENT, True)
        self._item(
            self._take_index(),
            WireItem(Protocol.MESSAGES, body, extensions=(mark,)),
            self._events,
        )


def _is_error(name: bytes, kind: object, body: dict[str, Json]) -> bool:
    """Whether a payload is a failure. llama.cpp writes the bare error under the name alone."""
    if kind == "error" or name == b"error":
        return True
    if isinstance(kind, str) and (kind in EVENT_KEYS or kind == "ping"):
        return False
    return bool(body.get("error")) or is_bare_error(body)


def decode_response(
    body: bytes,
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits = Limits(),
    invalid_arguments: Literal["refuse", "keep"] = "refuse",
) -> TurnOutcome:
    """A whole message as an outcome; `invalid_arguments="keep"` keeps arguments that are no object, with a warning.

    Raises `ResponseRefused`: PROTOCOL for anything that is not a message, its arguments are no JSON objects, it does
    not say why it stopped, its counters or items contradict each other or `request`; TOO_LARGE past `limits`; and the
    class of an error under a success status. Source: `Message` of anthropic 2.14.0, read 2026-11-30.
    """
    decoder = StreamDecoder(
        binding, request=request, limits=limits, invalid_arguments=invalid_arguments
    )
    return decoder.read_whole(body)

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
from llm_projections.fold import Building
from llm_projections.model.binding import Binding
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
)
from llm_projections.model.items import Extension, Protocol, WireItem
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import Observation, TurnOutcome
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import SENTINEL
from llm_projections.wires._http import classify_code
from llm_projections.wires._streams import BaseDecoder
from llm_projections.wires._usage import check_usage, counter, disjoint_usage, went_down
from llm_projections.wires.messages.decode.blocks import Block, BlockReader, word
from llm_projections.wires.messages.decode.whole import (
    Extras,
    Notes,
    exact,
    given_arguments,
    message_outcome,
    read_stop,
)
from llm_projections.wires.messages.vocab_answer import (
    DELTA_TEXT,
    KEPT_EVENT,
    MESSAGE_KEYS,
)

__all__ = ["StreamDecoder", "decode_response"]

_DELTA: Final = "content_block_delta"
_DELTA_NAME: Final = b"content_block_delta"

# which delta a block takes, by the block's type
_TAKES: Final = {
    "text": "text_delta",
    "thinking": "thinking_delta",
    "tool_use": "input_json_delta",
    "server_tool_use": "input_json_delta",
    "mcp_tool_use": "input_json_delta",
}
# stop reasons after which a call is whole, if it ever was
_FINISHED: Final = frozenset({None, "end_turn", "tool_use", "stop_sequence"})
_KEYS: Final = {
    "message_start": frozenset({"type", "message"}),
    "content_block_start": frozenset({"type", "index", "content_block"}),
    _DELTA: frozenset({"type", "index", "delta"}),
    "content_block_stop": frozenset({"type", "index"}),
    "message_delta": frozenset({"type", "delta", "usage"}),
    "message_stop": frozenset({"type"}),
}


class _Open:
    """A block that has begun. `live` is the delta that can go straight out as an event, if any."""

    __slots__ = (
        "block",
        "building",
        "call_id",
        "closed",
        "given",
        "index",
        "kept",
        "key",
        "kind",
        "live",
        "pieces",
    )

    def __init__(self, index: int, kind: str, block: Block) -> None:
        self.index = index
        self.kind = kind
        self.block = block
        self.building = Building(index, "text")
        self.pieces = self.building.pieces
        self.live = ""
        self.key = ""
        self.call_id = ""
        self.given = ""
        self.kept: list[Extension] = []
        self.closed = False


class StreamDecoder(BaseDecoder):
    """Reads one Messages answer, cut anywhere. See `decode_stream` for what it takes."""

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
        self._open: dict[int, _Open] = {}
        self._unsound: list[_Open] = []
        self._last = -1
        self._next = 0
        self._events: list[Event] = []
        self._started = False
        self._fallen_back = False
        self._counted: dict[str, Json] = {}
        self._stop: Json = None
        self._sequence: Json = None
        self._extras = Extras(self._odd)
        self._reader = BlockReader(
            binding.provenance,
            self.limits,
            self._odd,
            keeps_arguments=self._keeps_arguments,
        )

    # what the base asks

    def _payload(self, name: bytes, data: bytes, events: list[Event]) -> None:
        self._events = events
        try:
            body: Any = _json.loads(data)
        except _json.JsonError:
            raise self._not_json(data) from None
        if type(body) is not dict:
            raise self._protocol("a payload that is not an event")
        if body.get("type") == _DELTA and (name == _DELTA_NAME or not name):
            index = body.get("index")
            block = self._open.get(index) if type(index) is int else None
            delta = body.get("delta")
            if block is not None and type(delta) is dict and len(delta) == 2 and len(body) == 3:
                live = block.live
                if live and delta.get("type") == live:
                    said = delta.get(block.key)
                    if type(said) is str:
                        if said:
                            block.pieces.append(said)
                            if live == "text_delta":
                                events.append(TextDelta(said, block.index))
                            elif live == "thinking_delta":
                                events.append(ReasoningDelta(said, block.index))
                            else:
                                events.append(ToolArgumentsDelta(block.call_id, said, block.index))
                                self._count(block, said)
                        return
        self._dispatch(name, body, data, events)

    def _whole(self, body: bytes) -> TurnOutcome:
        notes = Notes()
        reader = BlockReader(
            self.binding.provenance,
            self.limits,
            notes.warn,
            keeps_arguments=self._keeps_arguments,
        )
        observed = Observation(self.binding.provenance)
        return message_outcome(body, reader, self.limits, notes, observed)

    def read_whole(self, body: bytes) -> TurnOutcome:
        """The outcome that one JSON body is. Raises as `decode_response`."""
        if len(body) > self.limits.stream_bytes:
            raise self._too_large("stream_bytes")
        try:
            value = _json.loads(body)
        except _json.JsonError:
            raise ResponseRefused(
                RefusalCode.PROTOCOL, "an answer that is not JSON", dispatch=Dispatch.UNKNOWN
            ) from None
        if self._is_error(value):
            raise self._reported(value, [])
        outcome = self._whole(body)
        self._ledger.warnings.extend(outcome.warnings)
        events: list[Event] = []
        self._conclude(outcome, events)
        last = events[-1]
        assert isinstance(last, TurnCompleted)
        return last.outcome

    # one payload

    def _dispatch(
        self, name: bytes, body: dict[str, Any], data: bytes, events: list[Event]
    ) -> None:
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
                self._close_block(body)
            case "message_delta":
                self._message_delta(data)
            case "message_stop":
                self._message_stop(body)
            case "message_start":
                self._message_start(data)
            case _:
                self._keep_event(data)

    def _not_json(self, data: bytes) -> ResponseRefused:
        if data != SENTINEL:
            return self._protocol("a payload that is not JSON")
        return ResponseRefused(
            RefusalCode.PROTOCOL,
            "the stream ended before its end",
            dispatch=Dispatch.ACCEPTED if self._accepted else Dispatch.UNKNOWN,
            retriable=True,
        )

    def _odd(self, code: str, message: str) -> None:
        self._warn(code, message, self._events, once=True)

    # the message

    def _message_start(self, data: bytes) -> None:
        envelope = exact(data, self.limits)
        body: Any = envelope.value
        message = body.get("message")
        if not isinstance(message, dict):
            raise self._protocol("a message that is not an object", "message_start.message")
        if self._started and not self._fallen_back:
            raise self._protocol("a second message_start", "message_start")
        self._started = True
        self._surplus("message_start", body)
        self._name(word(message.get("id")), word(message.get("model")))
        self._extras.add(message, MESSAGE_KEYS)
        self._stop = message.get("stop_reason") or self._stop
        self._sequence = message.get("stop_sequence") or self._sequence
        self._counters(message.get("usage"))
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                raise self._protocol("a block that is not an object", "message_start.message")
            arguments = given_arguments(block, envelope) if block.get("type") == "tool_use" else ""
            self._end_block(self._begin(block, arguments))

    def _name(self, response_id: str | None, model: str | None) -> None:
        ledger = self._ledger
        ledger.response_id = response_id or ledger.response_id
        ledger.upstream_model = model or ledger.upstream_model
        self._events.append(ResponseStarted(ledger.response_id, ledger.upstream_model))

    def _message_delta(self, data: bytes) -> None:
        body: Any = exact(data, self.limits).value
        delta = body.get("delta")
        if isinstance(delta, dict):
            self._stop = delta.get("stop_reason") or self._stop
            self._sequence = delta.get("stop_sequence") or self._sequence
            self._extras.add(delta, MESSAGE_KEYS)
        self._surplus("message_delta", body)
        usage = body.get("usage")
        if self._counters(usage) and counter(usage.get("output_tokens")) is not None:
            self._ledger.final_usage = True

    def _counters(self, reported: Json) -> bool:
        """Counters replace what was said before, one by one; null says nothing."""
        if not isinstance(reported, dict) or not reported:
            return False
        merged = dict(self._counted)
        for key, value in reported.items():
            if value is not None or key not in merged:
                merged[key] = value
        self._counted = merged
        usage = disjoint_usage(merged)
        if went_down(self._ledger.usage, usage):
            self._odd("usage-went-down", "a counter is less than it was")
        self._usage(usage, self._events)
        return True

    def _message_stop(self, body: dict[str, Any]) -> None:
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
        body: Any = exact(data, self.limits).value
        self._warn("unknown-stream-event", "an unpublished event was kept", self._events)
        mark = Extension(Protocol.MESSAGES, KEPT_EVENT, True)
        self._item(
            self._take_index(),
            WireItem(Protocol.MESSAGES, body, extensions=(mark,)),
            self._events,
        )

    def _surplus(self, kind: str, body: dict[str, Any]) -> None:
        """What an event holds beside its published fields."""
        if not body.keys() <= _KEYS[kind]:
            self._extras.add(body, _KEYS[kind])

    # blocks

    def _take_index(self) -> int:
        if self._next >= self.limits.items:
            raise self._too_large("items")
        self._next += 1
        return self._next - 1

    def _start(self, data: bytes) -> None:
        envelope = exact(data, self.limits)
        body: Any = envelope.value
        block = body.get("content_block")
        if not isinstance(block, dict):
            raise self._protocol("a block that is not an object", "content_block_start")
        index = body.get("index")
        if type(index) is not int:
            index = max(self._open, default=-1) + 1
        if index in self._open:
            raise self._protocol("two blocks have one index", "content_block_start.index")
        self._surplus("content_block_start", body)
        arguments = given_arguments(block, envelope) if block.get("type") == "tool_use" else ""
        self._open[index] = self._begin(block, arguments)
        self._last = index

    def _begin(self, block: Block, given: str) -> _Open:
        kind = block.get("type")
        opened = _Open(self._take_index(), kind if isinstance(kind, str) else "", block)
        match kind:
            case "text" | "thinking":
                said = block.get(kind)
                if isinstance(said, str) and said:
                    self._say(opened, said)
            case "tool_use":
                self._begin_call(opened, given)
            case _:
                pass
        return opened

    def _begin_call(self, opened: _Open, given: str) -> None:
        opened.given = given
        call_id, name = self._reader.call_words(opened.block, _path(opened))
        opened.call_id = call_id
        building = Building(opened.index, "call", call_id, name)
        opened.building, opened.pieces = building, building.pieces
        self._ledger.building[opened.index] = building
        # A mark on a call stands in its block's start, which nobody could write again from the
        # announcement alone: such a call is announced when it is whole.
        if not self._reader.extras(opened.block):
            opened.live, opened.key = "input_json_delta", "partial_json"
            self._events.append(ToolCallStarted(call_id, name, opened.index))

    def _say(self, opened: _Open, said: str) -> None:
        """The first words of a text or of thinking; from now on its deltas go straight out."""
        if not opened.pieces:
            opened.building.kind = "text" if opened.kind == "text" else "reasoning"
            self._ledger.building[opened.index] = opened.building
            opened.live = _TAKES[opened.kind]
            opened.key = DELTA_TEXT[opened.live]
        opened.pieces.append(said)
        if opened.kind == "text":
            self._events.append(TextDelta(said, opened.index))
        else:
            self._events.append(ReasoningDelta(said, opened.index))

    def _delta(self, body: dict[str, Any], data: bytes) -> None:
        """Any delta that the short way does not take."""
        index = body.get("index")
        opened = self._open.get(index if type(index) is int else self._last)
        if opened is None:
            raise self._protocol("a delta for a block that never started", "content_block_delta")
        if opened.closed:
            raise self._protocol("a delta for a block that has ended", "content_block_delta")
        delta = body.get("delta")
        if not isinstance(delta, dict):
            raise self._protocol("a delta that is not an object", "content_block_delta.delta")
        self._surplus(_DELTA, body)
        kind = delta.get("type")
        if kind == "citations_delta":
            self._cite(opened, data)
        elif kind == "compaction_delta" and opened.kind == "compaction":
            whole: Any = exact(data, self.limits).value
            opened.block.update({k: v for k, v in whole["delta"].items() if k != "type"})
        elif isinstance(kind, str) and kind in DELTA_TEXT:
            self._known_delta(opened, kind, delta)
        else:
            self._keep_delta(opened, data)

    def _known_delta(self, opened: _Open, kind: str, delta: dict[str, Any]) -> None:
        said = delta.get(DELTA_TEXT[kind])
        if said is not None and not isinstance(said, str):
            raise self._protocol("must be a string", "content_block_delta.delta")
        if said and kind == "signature_delta" and opened.kind == "thinking":
            # One comes, with the whole signature; the official client replaces it too.
            opened.block["signature"] = said
        elif said and _TAKES.get(opened.kind) != kind:
            raise self._protocol("a delta that does not fit its block", "content_block_delta.delta")
        elif said and opened.kind in ("text", "thinking"):
            self._say(opened, said)
        elif said:
            opened.pieces.append(said)
            self._count(opened, said)
            if opened.live:
                self._events.append(ToolArgumentsDelta(opened.call_id, said, opened.index))
        rest = {k: v for k, v in delta.items() if k not in ("type", DELTA_TEXT[kind])}
        if any(value is not None for value in rest.values()):
            if kind != "thinking_delta" or rest.keys() != {"estimated_tokens"}:
                self._odd("unknown-answer-field", "an unpublished field of the answer was kept")
            bare: dict[str, Json] = {"type": kind, DELTA_TEXT[kind]: "", **rest}
            opened.kept.append(Extension(Protocol.MESSAGES, "answer.delta", bare))

    def _cite(self, opened: _Open, data: bytes) -> None:
        if opened.kind != "text":
            raise self._protocol("a delta that does not fit its block", "content_block_delta.delta")
        body: Any = exact(data, self.limits).value
        citations = opened.block.get("citations")
        if not isinstance(citations, list):
            citations = opened.block["citations"] = []
        citations.append(body["delta"].get("citation"))

    def _keep_delta(self, opened: _Open, data: bytes) -> None:
        body: Any = exact(data, self.limits).value
        self._odd("unknown-stream-event", "an unpublished event was kept")
        opened.kept.append(Extension(Protocol.MESSAGES, "answer.delta", body["delta"]))

    def _count(self, opened: _Open, said: str) -> None:
        opened.building.size += len(said)
        if opened.building.size > self.limits.arguments_bytes:
            raise self._too_large("arguments_bytes")

    def _close_block(self, body: dict[str, Any]) -> None:
        index = body.get("index")
        opened = self._open.get(index if type(index) is int else self._last)
        if opened is None or opened.closed:
            # a gateway was seen to close one block twice and the next one never
            self._odd("unmatched-block-stop", "a block was closed that is not open")
            return
        for key, value in body.items():
            if key not in _KEYS["content_block_stop"]:
                opened.block.setdefault(key, value)
        self._end_block(opened)

    def _end_block(self, opened: _Open) -> None:
        opened.closed = True
        text = opened.building.text() if opened.kind == "tool_use" else ""
        if text.strip() and not self._keeps_arguments and not _json.is_object(text):
            self._unsound.append(opened)
        else:
            self._finish(opened)

    def _finish(self, opened: _Open, *, unfinished: bool = False) -> None:
        """A block is whole: its item, if it says anything."""
        block, text = opened.block, opened.building.text()
        arguments = ""
        match opened.kind:
            case "text" | "thinking":
                block[opened.kind] = text
            case "tool_use":
                arguments = self._finish_call(opened, text, unfinished=unfinished)
            case _ if text.strip():
                block["input"] = self._wire_input(text)
            case _:
                pass
        item = self._reader.item(block, arguments, _path(opened), tuple(opened.kept))
        opened.block = {}
        if item is None:
            self._ledger.building.pop(opened.index, None)
        else:
            self._item(opened.index, item, self._events)
            if opened.kind == "fallback":
                self._fall_back(block)

    def _finish_call(self, opened: _Open, said: str, *, unfinished: bool) -> str:
        """The arguments of a call, which are announced with it where its deltas did not say them."""
        given = "" if said.strip() else opened.given
        arguments = self._reader.arguments(given or said, _path(opened), unfinished=unfinished)
        if not opened.live:
            name = opened.building.name or ""
            self._events.append(ToolCallStarted(opened.call_id, name, opened.index))
        elif given:
            self._events.append(ToolArgumentsDelta(opened.call_id, given, opened.index))
        return arguments

    def _wire_input(self, text: str) -> Json:
        """What a provider's own tool was called with."""
        try:
            return _json.loads_exact(text, self.limits.json_depth)
        except _json.JsonError:
            self._odd("invalid-arguments", "the input of a provider's tool is not JSON")
            return text

    def _fall_back(self, block: Block) -> None:
        """Another model goes on in the same message."""
        self._fallen_back = True
        to = block.get("to")
        model = word(to.get("model")) if isinstance(to, dict) else None
        if model is not None:
            self._name(None, model)


def _path(opened: _Open) -> str:
    return f"content[{opened.index}]"


def _is_error(name: bytes, kind: object, body: dict[str, Any]) -> bool:
    """Whether a payload is a failure. llama.cpp writes the bare error under the name alone."""
    if kind == "error" or name == b"error":
        return True
    if kind in _KEYS or kind == "ping":
        return False
    return bool(body.get("error")) or ("message" in body and classify_code(kind) is not None)


def decode_response(
    body: bytes,
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    limits: Limits = Limits(),
) -> TurnOutcome:
    """A whole message as an outcome.

    Raises `ResponseRefused`: PROTOCOL for anything that is not a message, its arguments are no JSON objects, it does
    not say why it stopped, its counters or items contradict each other or `request`; TOO_LARGE past `limits`; and the
    class of an error under a success status. Source: `Message` of anthropic 2.14.0, read 2026-11-30.
    """
    return StreamDecoder(binding, request=request, limits=limits).read_whole(body)

"""Neutral events to a Messages stream.

Rules:
1. `message_start` goes out before the first output, no earlier: an answer that fails at once is an
   error alone.
2. What was written is never contradicted: an item or outcome that does is refused.
3. `message_delta` and `message_stop` end the answer, `error` breaks it off; nothing follows.

Source: platform.claude.com, "Streaming messages", and what the official clients of both generations
and client programs accept (docs/evidence.md), 2026-11.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from llm_projections._json import Json
from llm_projections.errors import Refusal
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    UnattributedOpaque,
    WireItem,
    WirePart,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.outcome import TurnOutcome, Usage
from llm_projections.model.results import AnswerShape
from llm_projections.wires._answers import BaseIngressStream, unsayable
from llm_projections.wires.messages.answer.blocks import (
    Block,
    citations,
    item_blocks,
    late_keys,
    marks,
    object_arguments,
    too_many_items,
)
from llm_projections.wires.messages.answer.ending import read_ending
from llm_projections.wires.messages.answer.frames import (
    PING,
    STOPPED,
    error_frame,
    event_frame,
    head_frame,
    kept_frame,
    piece_of,
)
from llm_projections.wires.messages.answer.queue import Segment, Segments, whole_segment
from llm_projections.wires.messages.answer.said import Said
from llm_projections.wires.messages.answer.usage import final_usage, opening_usage
from llm_projections.wires.messages.vocab_answer import (
    BLOCK_KEYS,
    KEPT_EVENT,
    TOP_LEVEL,
    error_text,
    error_words,
)

__all__ = ["IngressStream"]

_THOUGHTS = frozenset({"summary", "thinking"})


class IngressStream(BaseIngressStream):
    """Writes one streamed answer for a Messages client. Any thread may call it, one call at a time."""

    def __init__(
        self,
        identity: Identity,
        answer: AnswerShape | None = None,
        *,
        accept: Collection[str] = (),
        limits: Limits | None = None,
        losses: list[Loss] | None = None,
    ) -> None:
        super().__init__(identity, answer, accept=accept, limits=limits, losses=losses)
        self._display = self.answer.reasoning_display
        self._opened: dict[str, Json] | None = None
        self._segments = Segments()
        self._said: dict[int, Said] = {}
        self._items: dict[int, Item] = {}
        self._left_out: set[int] = set()
        self._furthest = -1
        self._usage_so_far: Usage | None = None
        self._calls = False
        self._refused = False

    def keepalive(self) -> bytes:
        """A ping, which may come anywhere, also before the message starts."""
        return b"" if self.done else PING

    # deltas

    def _text(self, event: TextDelta) -> bytes:
        said = self._said.get(event.index)
        if said is not None and said.kind == "text":
            segment = said.segment
            if segment is not None and segment.lead and not segment.complete and event.text:
                data = piece_of(segment.lead, event.text, event.index)
                said.pieces.append(event.text)
                return data
        return self._words(event.index, "text", event.text)

    def _refusal(self, event: RefusalDelta) -> bytes:
        self._refused = True
        return self._words(event.index, "text", event.text)

    def _reasoning(self, event: ReasoningDelta) -> bytes:
        if self._display == "omitted":
            return b""  # whether it is signed, and so shown without its text, its item tells
        kind = "summary" if event.summary else "thinking"
        said = self._said.get(event.index)
        if said is not None and said.kind != kind and said.kind in _THOUGHTS:
            # one of the two is shown, the one that came first
            self.lose("answer.reasoning.summary", _path(event.index))
            return b""
        if said is not None and said.kind == kind and event.text:
            segment = said.segment
            if segment is not None and segment.lead and not segment.complete:
                data = piece_of(segment.lead, event.text, event.index)
                said.pieces.append(event.text)
                return data
        return self._words(event.index, kind, event.text)

    def _call(self, event: ToolCallStarted) -> bytes:
        if event.custom:
            self.lose("answer.custom_tool_call", _path(event.index))
            self._left_out.add(event.index)
            return b""
        if event.index in self._said or event.index in self._items:
            raise unsayable("one call is announced twice", _path(event.index))
        self._place(event.index)
        said = self._said[event.index] = Said("call")
        said.call = event
        # Its block opens with the first of its arguments, or when it is whole: only then is known
        # what else stands in it.
        said.segment = Segment("input_json_delta", None)
        self._calls = True
        return self._head() + self._segments.add(said.segment)

    def _arguments(self, event: ToolArgumentsDelta) -> bytes:
        said = self._said.get(event.index)
        if said is None or said.call is None or said.segment is None:
            if event.index in self._left_out:
                return b""
            raise unsayable("arguments of a call that is not open", _path(event.index))
        segment, delta = said.segment, event.delta
        if segment.lead and delta and not segment.complete:
            data = piece_of(segment.lead, delta, event.index)
            said.pieces.append(delta)
            return data
        opened = b""
        if segment.start is None:
            # the clients' parsers take no text that is blank
            delta = said.blank + delta
            if not delta or delta.isspace():
                said.blank = delta
                return b""
            segment.start = said.call_start()
            opened = self._segments.advance()
        elif not delta:
            return b""
        written = self._segments.say(segment, delta, _path(event.index))
        said.pieces.append(delta)
        return opened + written

    def _more(self, like: Any, texts: list[str], quoted: list[bytes]) -> bytes | None:
        said = self._said.get(like.index)
        return None if said is None else said.more(like, texts, quoted)

    def _words(self, index: int, kind: str, text: str) -> bytes:
        """Words of a text or of thinking."""
        if not text:
            return b""
        said = self._said.get(index)
        if index in self._items or (said is not None and said.kind != kind):
            raise unsayable("more words of an item that is whole, or another", _path(index))
        if said is None:
            self._place(index)
            said = self._said[index] = Said(kind)
        said.pieces.append(text)
        opened = self._head()
        segment = said.segment
        if segment is None or segment.complete:
            said.parted = segment is not None
            block = "text" if kind == "text" else "thinking"
            start: dict[str, Json] = {"type": block, block: ""}
            if block == "thinking":
                start["signature"] = ""
            segment = said.segment = Segment(f"{block}_delta", start)
            opened += self._segments.add(segment)
        return opened + self._segments.say(segment, text, _path(index))

    # items

    def _item(self, event: ItemCompleted) -> bytes:
        return self._take(event.item, event.index)

    def _take(self, item: Item, index: int) -> bytes:
        """An item is whole: what of it is not written yet."""
        if index in self._items:
            raise unsayable("an item is completed twice", _path(index))
        if len(self._items) >= self.limits.items:
            raise too_many_items()
        said = self._said.get(index)
        if index in self._left_out:
            written = b""
        elif said is None:
            written = self._unsaid(item, index)
        else:
            match item:
                case AssistantMessage() if said.kind == "text":
                    written = self._end_text(item, said, index)
                case ToolCall() if said.call is not None:
                    written = self._end_call(item, said, said.call, index)
                case Reasoning() | Opaque() | UnattributedOpaque() if said.kind in _THOUGHTS:
                    written = self._end_thinking(item, said, index)
                case _:
                    raise unsayable("an item is not what was begun at its place", _path(index))
        self._items[index] = item
        return written

    def _unsaid(self, item: Item, index: int) -> bytes:
        """An item of which no delta came."""
        path = _path(index)
        if isinstance(item, WireItem) and item.protocol is Protocol.MESSAGES:
            if any(extension.path == KEPT_EVENT for extension in item.extensions):
                return self._head() + kept_frame(item, path)
        blocks = item_blocks(item, path, self, self._display)
        self._note(item)
        if blocks:
            self._place(index)
        return self._write(blocks, path)

    def _place(self, index: int) -> None:
        """Note that an item begins: behind one that stands after it, its place is lost."""
        if index < self._furthest:
            self.lose("answer.order", _path(index), "it comes after items that stand behind it")
        self._furthest = max(index, self._furthest)

    def _write(self, blocks: list[Block], path: str) -> bytes:
        written = [self._head()] if blocks else []
        written += [self._segments.add(whole_segment(block, path)) for block in blocks]
        return b"".join(written)

    def _note(self, item: Item) -> None:
        """What the stop reason depends on."""
        if isinstance(item, ToolCall):
            self._calls = True
        elif isinstance(item, AssistantMessage):
            if any(isinstance(part, RefusalText) for part in item.content):
                self._refused = True

    def _end_text(self, item: AssistantMessage, said: Said, index: int) -> bytes:
        path = _path(index)
        self._note(item)
        spoken = [part for part in item.content if isinstance(part, Text | RefusalText)]
        out = [self._rest(said, "".join(part.text for part in spoken), index)]
        fields, deltas = marks(item.extensions, path, self)
        for part in spoken:
            more, others = marks(part.extensions, path, self)
            fields, deltas = {**fields, **more}, [*deltas, *others]
            if isinstance(part, Text):
                deltas += [
                    {"type": "citations_delta", "citation": each}
                    for each in citations(part, path, self)
                ]
        out.append(self._end(said, fields, deltas, "answer.annotations", path))
        parts = tuple(part for part in item.content if isinstance(part, WirePart))
        if parts:
            out.append(self._write(item_blocks(AssistantMessage(parts), path, self, None), path))
        return b"".join(out)

    def _end_thinking(
        self, item: Reasoning | Opaque | UnattributedOpaque, said: Said, index: int
    ) -> bytes:
        path = _path(index)
        if said.parted and not isinstance(item, Reasoning):
            self.lose("answer.opaque", path, "what was signed was said in two blocks")
            return self._end(said, {}, [], "answer.extensions", path)
        if isinstance(item, Reasoning):
            fields, deltas = marks(item.extensions, path, self)
            same = item.summary is (said.kind == "summary") and item.text.startswith(said.text())
            rest = self._rest(said, item.text, index) if same else b""
            return rest + self._end(said, fields, deltas, "answer.extensions", path)
        if item.protocol is not Protocol.MESSAGES:
            self.lose("answer.opaque", path, "sealed state of another wire")
            return self._end(said, {}, [], "answer.extensions", path)
        _, deltas = marks(item.extensions, path, self)
        payload = item.payload
        thought = payload.get("thinking")
        rest = self._rest(said, thought if isinstance(thought, str) else "", index)
        signature: Json = {"type": "signature_delta", "signature": payload.get("signature")}
        late = late_keys(payload, BLOCK_KEYS["thinking"])
        return rest + self._end(said, late, [signature, *deltas], "answer.opaque", path)

    def _end_call(self, item: ToolCall, said: Said, call: ToolCallStarted, index: int) -> bytes:
        path = _path(index)
        segment = said.segment
        assert segment is not None
        if (item.call_id, item.name) != (call.call_id, call.name):
            raise unsayable("a call is not the one that was announced", path)
        (block,) = item_blocks(item, path, self, None)
        arguments = object_arguments(item.arguments, path)
        if segment.start is None:
            segment.start = block.payload
            if arguments:
                self._segments.say(segment, arguments, path)
            late: dict[str, Json] = {}
        else:
            late = late_keys(block.payload, BLOCK_KEYS["tool_use"])
        opened = self._segments.advance()
        rest = self._rest(said, arguments, index) if said.pieces else b""
        return opened + rest + self._end(said, late, block.deltas, "answer.extensions", path)

    def _rest(self, said: Said, whole: str, index: int) -> bytes:
        """What of an item's text its deltas did not say."""
        text = said.text()
        if not whole.startswith(text):
            raise unsayable("an item contradicts what was already sent of it", _path(index))
        rest = whole[len(text) :]
        if not rest:
            return b""
        if said.call is None:
            return self._words(index, said.kind, rest)
        assert said.segment is not None
        said.pieces.append(rest)
        return self._segments.say(said.segment, rest, _path(index))

    def _end(
        self, said: Said, fields: dict[str, Json], deltas: list[Json], loss: str, path: str
    ) -> bytes:
        """Close the block of an item; `loss` names what it can no longer hold if it is closed already."""
        segment = said.segment
        assert segment is not None
        if segment.complete:
            if fields or deltas:
                self.lose(loss, path, "its block had to be closed before")
            return b""
        written = b"".join(self._segments.delta(segment, delta) for delta in deltas)
        segment.stop = fields
        segment.complete = True
        return written + self._segments.advance()

    # the message

    def _head(self) -> bytes:
        if self._opened is not None:
            return b""
        usage = opening_usage(self._usage_so_far)
        data = head_frame(self.identity.response_id, self.model(), usage)
        self._opened = usage
        return data

    def _usage(self, event: UsageReported) -> bytes:
        self._usage_so_far = event.usage
        return b""

    def _completed(self, event: TurnCompleted) -> bytes:
        outcome = event.outcome
        if outcome.observation.upstream_model is not None:
            self._upstream_model = outcome.observation.upstream_model
        if self._opened is None and self._usage_so_far is None:
            self._usage_so_far = outcome.observation.usage
        out = [self._head(), self._remaining(outcome), self._segments.finish()]
        ending = read_ending(outcome, self, calls=self._calls, refused=self._refused)
        usage = final_usage(
            outcome.observation.usage, outcome.observation, self._opened or {}, self
        )
        beside = {key: value for key, value in ending.fields.items() if key in TOP_LEVEL}
        within = {key: value for key, value in ending.fields.items() if key not in TOP_LEVEL}
        delta = {"stop_reason": ending.reason, "stop_sequence": ending.sequence, **within}
        out.append(event_frame("message_delta", delta=delta, usage=usage, **beside))
        out.append(STOPPED)
        self.done = True
        return b"".join(out)

    def _remaining(self, outcome: TurnOutcome) -> bytes:
        """The items that no event completed; those that one did must be the outcome's."""
        told = tuple(self._items[index] for index in sorted(self._items))
        if told == outcome.items:
            return b""
        out: list[bytes] = []
        for index, item in enumerate(outcome.items):
            if index not in self._items:
                out.append(self._take(item, index))
            elif self._items[index] != item:
                raise unsayable("the outcome contradicts what was already sent", _path(index))
        if len(self._items) > len(outcome.items):
            raise unsayable("the outcome lacks an item that was already sent", "items")
        return b"".join(out)

    def _failure(self, error: Refusal) -> bytes:
        _, kind = error_words(error)
        return error_frame(kind, error_text(error), error.message)


def _path(index: int) -> str:
    return f"items[{index}]"

"""The blocks of a stream that is being read.

Rules:
1. A block that begins takes the next place among the items, whatever index its server gives it.
2. Its deltas go out as events at once; its item when it ends, or when the message does.
3. A call whose start bears more than its id and name is announced when it is whole: its announcement
   alone would not let anybody write that start again.
4. Arguments that are not whole are judged when it is known why the answer stopped.
"""

from __future__ import annotations

from typing import Final, Literal

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.fold import Building
from llm_projections.model.binding import Binding
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
)
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._runs import bytes_of
from llm_projections.wires._streams import BaseDecoder
from llm_projections.wires._types import MISTYPED, Types, mistyped
from llm_projections.wires.messages.decode.blocks import Block, BlockReader, word
from llm_projections.wires.messages.decode.whole import Extras, exact, given_arguments
from llm_projections.wires.messages.vocab_answer import BLOCK_KEYS, DELTA_TEXT

__all__ = ["EVENT_KEYS", "BlocksDecoder", "Open"]

# which delta a block takes, by the block's type
_TAKES: Final = {
    "text": "text_delta",
    "thinking": "thinking_delta",
    "tool_use": "input_json_delta",
    "server_tool_use": "input_json_delta",
    "mcp_tool_use": "input_json_delta",
}
# an input that says nothing: PHP writes an empty object as a list
_EMPTY: Final[tuple[Json, ...]] = (None, "", "{}", [])
EVENT_KEYS: Final = {
    "message_start": frozenset({"type", "message"}),
    "content_block_start": frozenset({"type", "index", "content_block"}),
    "content_block_delta": frozenset({"type", "index", "delta"}),
    "content_block_stop": frozenset({"type", "index"}),
    "message_delta": frozenset({"type", "delta", "usage"}),
    "message_stop": frozenset({"type"}),
}


class Open:
    """A block that has begun.

    `live` is the delta that can go straight out as an event, if any; `spoken` says that deltas bring what it says.
    """

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
        "size",
        "spoken",
    )

    def __init__(self, index: int, kind: str, block: Block) -> None:
        self.index: int = index
        self.kind: str = kind
        self.block: Block = block
        self.building: Building = Building(index, "text")
        self.pieces: list[str] = self.building.pieces
        self.live: str = ""
        self.key: str = ""
        self.call_id: str = ""
        self.given: str = ""
        self.size: int = 0
        self.kept: list[Extension] = []
        self.closed: bool = False
        self.spoken: bool = kind in _TAKES or "input" in block


class BlocksDecoder(BaseDecoder):
    """What a Messages decoder does with blocks; `StreamDecoder` reads the rest of the stream."""

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
        self._open: dict[int, Open] = {}
        self._unsound: list[Open] = []
        self._most = self.limits.arguments_bytes
        self._last = self._highest = -1
        self._next = 0
        self._events: list[Event] = []
        self._fallen_back = False
        self._extras = Extras(self._odd)
        self._reader = BlockReader(
            binding.provenance, self.limits, self._odd, keeps_arguments=self._keeps_arguments
        )

    def _odd(self, code: str, message: str) -> None:
        self._warn(code, message, self._events, once=True)

    def _name(self, response_id: str | None, model: str | None) -> None:
        """Who answers, as far as it is said; what was said before stands."""
        ledger = self._ledger
        ledger.response_id = response_id or ledger.response_id
        ledger.upstream_model = model or ledger.upstream_model
        self._events.append(ResponseStarted(ledger.response_id, ledger.upstream_model))

    def _surplus(self, kind: str, body: dict[str, Json]) -> None:
        """What an event holds beside its published fields."""
        if not body.keys() <= EVENT_KEYS[kind]:
            self._extras.add(body, EVENT_KEYS[kind])

    def _unsaid(self, index: Json, event: str, meant: int) -> int:
        """The block that is `meant` where an event leaves its index out; one of another type is refused."""
        if index is not None:
            raise self._protocol("an index that is no integer", f"{event}.index")
        return meant

    def _around(self, node: dict[str, Json], types: Types) -> None:
        """Tell of what only accompanies the answer, and has another type than its place may have."""
        if mistyped(node, types) is not None:
            self._odd(*MISTYPED)

    def _take_index(self) -> int:
        if self._next >= self.limits.items:
            raise self._too_large("items")
        self._next += 1
        return self._next - 1

    def _start(self, data: bytes) -> None:
        body, envelope = exact(data, self.limits)
        block = body.get("content_block")
        if not isinstance(block, dict):
            raise self._protocol("a block that is not an object", "content_block_start")
        index = body.get("index")
        if type(index) is not int:
            index = self._unsaid(index, "content_block_start", self._highest + 1)
        if index in self._open:
            raise self._protocol("two blocks have one index", "content_block_start.index")
        self._end_unspoken()
        self._surplus("content_block_start", body)
        arguments = given_arguments(block, envelope) if block.get("type") == "tool_use" else ""
        self._open[index] = self._begin(block, arguments)
        self._last = index
        self._highest = max(self._highest, index)

    def _end_unspoken(self) -> None:
        """End the last block if nothing of it can still be to come.

        Such a block shows nothing before its item does: left open, it would be told of behind those that began later.
        """
        last = self._open.get(self._last)
        if last is None or last.closed or last.kind in BLOCK_KEYS:
            return
        if not last.spoken or _json.is_object(last.building.text()):
            self._end_block(last)

    def _begin(self, block: Block, given: str) -> Open:
        kind = block.get("type")
        opened = Open(self._take_index(), kind if isinstance(kind, str) else "", block)
        self._reader.check(block, _path(opened))
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

    def _begin_call(self, opened: Open, given: str) -> None:
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

    def _say(self, opened: Open, said: str) -> None:
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

    def _delta(self, body: dict[str, Json], data: bytes) -> None:
        """Any delta that the short way does not take."""
        index = body.get("index")
        if type(index) is not int:
            index = self._unsaid(index, "content_block_delta", self._last)
        opened = self._open.get(index)
        if opened is None:
            raise self._protocol("a delta for a block that never started", "content_block_delta")
        if opened.closed:
            raise self._protocol("a delta for a block that has ended", "content_block_delta")
        delta = body.get("delta")
        if not isinstance(delta, dict):
            raise self._protocol("a delta that is not an object", "content_block_delta.delta")
        self._surplus("content_block_delta", body)
        kind = delta.get("type")
        if opened.kind not in BLOCK_KEYS and not (opened.spoken and kind == "input_json_delta"):
            self._wire_delta(opened, delta, data)
        elif kind == "citations_delta":
            self._cite(opened, data)
        elif isinstance(kind, str) and kind in DELTA_TEXT:
            self._known_delta(opened, kind, delta)
        else:
            self._keep_delta(opened, data)

    def _wire_delta(self, opened: Open, delta: dict[str, Json], data: bytes) -> None:
        """A delta of a block without a neutral meaning: only that of a compaction is known."""
        if delta.get("type") == "compaction_delta" and opened.kind == "compaction":
            said = self._exact_delta(data)
            opened.block.update({key: value for key, value in said.items() if key != "type"})
        elif any(value not in (None, "") for key, value in delta.items() if key != "type"):
            self._keep_delta(opened, data)

    def _known_delta(self, opened: Open, kind: str, delta: dict[str, Json]) -> None:
        said = delta.get(DELTA_TEXT[kind])
        if said is not None and not isinstance(said, str):
            raise self._protocol("must be a string", "content_block_delta.delta")
        if said and kind == "signature_delta" and opened.kind == "thinking":
            # One comes, with the whole signature; the official client replaces it too.
            opened.block["signature"] = said
        elif said and opened.kind in BLOCK_KEYS and _TAKES[opened.kind] != kind:
            raise self._protocol("a delta that does not fit its block", "content_block_delta.delta")
        elif said and opened.kind in ("text", "thinking"):
            self._say(opened, said)
        elif said:
            self._count(opened, said)
            opened.pieces.append(said)
            if opened.live:
                self._events.append(ToolArgumentsDelta(opened.call_id, said, opened.index))
        rest = {k: v for k, v in delta.items() if k not in ("type", DELTA_TEXT[kind])}
        if any(value is not None for value in rest.values()):
            if kind != "thinking_delta" or rest.keys() != {"estimated_tokens"}:
                self._odd("unknown-answer-field", "an unpublished field of the answer was kept")
            bare: dict[str, Json] = {"type": kind, DELTA_TEXT[kind]: "", **rest}
            opened.kept.append(Extension(Protocol.MESSAGES, "answer.delta", bare))

    def _cite(self, opened: Open, data: bytes) -> None:
        if opened.kind != "text":
            raise self._protocol("a delta that does not fit its block", "content_block_delta.delta")
        citation = self._exact_delta(data).get("citation")
        if citation is None:
            return
        citations = opened.block.get("citations")
        if not isinstance(citations, list):
            citations = opened.block["citations"] = []
        citations.append(citation)

    def _keep_delta(self, opened: Open, data: bytes) -> None:
        self._odd("unknown-stream-event", "an unpublished event was kept")
        kept = self._exact_delta(data)
        opened.kept.append(Extension(Protocol.MESSAGES, "answer.delta", kept))

    def _exact_delta(self, data: bytes) -> dict[str, Json]:
        """The delta of a payload, its numbers exact."""
        delta = exact(data, self.limits)[0].get("delta")
        return delta if isinstance(delta, dict) else {}

    def _count(self, opened: Open, said: str) -> None:
        opened.size += bytes_of(said)
        if opened.size > self._most:
            raise self._too_large("arguments_bytes")

    def _close_block(self, body: dict[str, Json], data: bytes) -> None:
        index = body.get("index")
        if type(index) is not int:
            index = self._unsaid(index, "content_block_stop", self._last)
        opened = self._open.get(index)
        if opened is None or opened.closed:
            # a gateway was seen to close one block twice and the next one never
            self._odd("unmatched-block-stop", "a block was closed that is not open")
            return
        if not body.keys() <= EVENT_KEYS["content_block_stop"]:
            self._say_late(opened, exact(data, self.limits)[0])
        self._end_block(opened)

    def _say_late(self, opened: Open, body: dict[str, Json]) -> None:
        """What a block's end says of it: our own encoder writes there what was known too late for the start."""
        for key, value in body.items():
            if key in EVENT_KEYS["content_block_stop"] or value is None:
                continue
            if opened.kind in BLOCK_KEYS:
                opened.block.setdefault(key, value)
            else:
                self._odd("unknown-answer-field", "an unpublished field of the answer was kept")
                opened.kept.append(Extension(Protocol.MESSAGES, f"answer.{key}", value))

    def _end_block(self, opened: Open) -> None:
        opened.closed = True
        opened.live = ""
        text = opened.building.text() if opened.kind == "tool_use" else ""
        if self._is_deep(text):
            raise self._too_large("json_depth")
        if text.strip() and not self._keeps_arguments and not _json.is_object(text):
            self._unsound.append(opened)
        else:
            self._finish(opened)

    def _finish(self, opened: Open, *, unfinished: bool = False) -> None:
        """A block is whole: its item, if it says anything."""
        block, text = opened.block, opened.building.text()
        arguments = ""
        match opened.kind:
            case "text" | "thinking":
                block[opened.kind] = text
            case "tool_use":
                arguments = self._finish_call(opened, text, unfinished=unfinished)
            case _ if text.strip():
                self._placeholder(opened)
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

    def _finish_call(self, opened: Open, said: str, *, unfinished: bool) -> str:
        """The arguments of a call, which are announced with it where its deltas did not say them."""
        given = "" if said.strip() else opened.given
        if said.strip():
            self._placeholder(opened)
        arguments = self._reader.arguments(given or said, _path(opened), unfinished=unfinished)
        if not opened.key:
            name = opened.building.name or ""
            self._events.append(ToolCallStarted(opened.call_id, name, opened.index))
        elif given:
            self._events.append(ToolArgumentsDelta(opened.call_id, given, opened.index))
        return arguments

    def _placeholder(self, opened: Open) -> None:
        """What the deltas take the place of is an object, or says nothing."""
        given = opened.block.get("input")
        if type(given) is not dict and given not in _EMPTY:
            raise self._protocol("an input that is no object", f"{_path(opened)}.input")

    def _wire_input(self, text: str) -> Json:
        """What a provider's own tool was called with."""
        try:
            return _json.loads_exact(text, self.limits.json_depth)
        except _json.JsonError as error:
            if error.too_deep:
                raise self._too_large("json_depth") from None
            self._odd("invalid-arguments", "the input of a provider's tool is not JSON")
            return text

    def _fall_back(self, block: Block) -> None:
        """Another model goes on in the same message."""
        self._fallen_back = True
        to = block.get("to")
        model = word(to.get("model")) if isinstance(to, dict) else None
        if model is not None:
            self._name(None, model)


def _path(opened: Open) -> str:
    return f"content[{opened.index}]"

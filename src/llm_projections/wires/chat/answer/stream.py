"""Events to the chunks of this wire, in the shape that every known client takes.

Rules (measured on clients; docs/evidence.md):
1. `role` once and first, an index on every choice and call, a call's id and name once; lists without indexes in one
   chunk only, because the official helper adds lists up.
2. Text never shares a chunk with the finish reason; the usage chunk, with no choice, is the last before `[DONE]`.
3. After an error chunk nothing follows.
4. What was sent stands: an item that contradicts it is refused.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Refusal, ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    Event,
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
    CustomToolCall,
    Item,
    Opaque,
    Reasoning,
    ToolCall,
    UnattributedOpaque,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import AnswerShape
from llm_projections.sse import DONE, comment, frame
from llm_projections.wires._answers import SLIPS, BaseIngressStream, unsayable, unwritable
from llm_projections.wires._failures import openai_error
from llm_projections.wires.chat.answer.message import Said, Sayer, Shown, said_by
from llm_projections.wires.chat.answer.words import (
    Beside,
    beside,
    finish_word,
    too_many_items,
    usage_object,
)

__all__ = ["IngressStream"]

_TAIL = b',"finish_reason":null}]}\n\n'
_SAID = b"}" + _TAIL
_ARGUED = b"}}]}" + _TAIL

# where a delta of words says its text
_KEYS: dict[type, str] = {
    TextDelta: "content",
    RefusalDelta: "refusal",
    ReasoningDelta: "reasoning_content",
}
# what deltas may have shown of an item before it is whole
_KINDS: dict[type, str] = {
    AssistantMessage: "text",
    Reasoning: "reasoning",
    Opaque: "reasoning",
    UnattributedOpaque: "reasoning",
    ToolCall: "call",
    CustomToolCall: "call",
}


class IngressStream(BaseIngressStream):
    """Writes one streamed answer: encode every event, in order. Any thread may call it, one call at a time."""

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
        self._sayer = Sayer(self)
        self._shown: dict[int, Shown] = {}
        self._calls = 0
        self._legacy = False
        self._lead = b""
        self._leads: dict[str, bytes] = {}
        # whose text was said last: to ask for every delta whether it keeps the order took 0.15 µs of 1.2
        self._texting = self._thinking = -1
        self._chunk: dict[str, Json] = {}
        self._annotations: list[Json] = []
        self._details: dict[str, Json] = {}
        self._logprobs: Json = None

    def encode(self, event: Event) -> bytes:
        """The bytes that show `event` on this wire; empty where it shows nothing.

        Raises `ResponseRefused` (ACCEPTED) for what this wire cannot hold and RuntimeError after the terminal event.
        """
        unopened = not self._chunk
        if self.done:
            raise RuntimeError("the answer has ended")
        try:
            return self._writes[type(event)](event)
        except (_json.JsonError, ResponseRefused) as error:
            if unopened:
                self._chunk = {}  # nothing of this event goes out, the head included
            if isinstance(error, _json.JsonError):
                place = f"items[{getattr(event, 'index', 0)}]"
                raise unwritable(error, place) from None
            raise
        except SLIPS:
            self._look(event)
            raise

    def keepalive(self) -> bytes:
        """A comment, which readers skip."""
        return comment("keep-alive")

    # deltas

    def _text(self, event: TextDelta) -> bytes:
        shown = self._shown.get(event.index)
        if shown is None or shown.kind != "text" or shown.item is not None:
            shown = self._begin(event.index, "text")
        data = self._telling("content", event.text)
        if self._texting != event.index:
            self._sayer.say("text", event.index)
            self._texting = event.index
        shown.pieces.append(event.text)
        return data

    def _refusal(self, event: RefusalDelta) -> bytes:
        shown = self._begin(event.index, "text")
        data = self._telling("refusal", event.text)
        self._sayer.say("refusal", event.index)
        shown.refusals.append(event.text)
        return data

    def _reasoning(self, event: ReasoningDelta) -> bytes:
        shown = self._begin(event.index, "reasoning")
        if shown.summary is None:
            shown.summary = event.summary
        elif shown.summary is not event.summary:
            # one place for both: what came first is shown, and nothing twice
            loss = "answer.reasoning.summary" if event.summary else "answer.reasoning"
            self.lose(loss, f"items[{event.index}]")
            return b""
        data = self._telling("reasoning_content", event.text)
        if self._thinking != event.index:
            self._sayer.say("reasoning", event.index)
            self._thinking = event.index
        shown.pieces.append(event.text)
        return data

    def _call(self, event: ToolCallStarted) -> bytes:
        if event.index in self._shown:
            raise unsayable("a call is announced twice", f"items[{event.index}]")
        if event.custom:
            self.lose(
                "answer.custom_tool_call",
                f"items[{event.index}]",
                "a chunk has no place for a custom tool's call",
            )
            self._begin(event.index, "call").dropped = True
            return b""
        return self._announce(event.index, event.call_id, event.name, "")

    def _announce(self, index: int, call_id: str, name: str, arguments: str) -> bytes:
        opening = self._opening()
        function = {"name": name, "arguments": arguments}
        call = {"index": self._calls, "id": call_id, "type": "function", "function": function}
        data = opening + _dump({"tool_calls": [call]}) + _TAIL
        self._sayer.say("call", index)
        shown = self._begin(index, "call")
        shown.call = self._calls
        if arguments:
            shown.pieces.append(arguments)
        self._calls += 1
        return data

    def _arguments(self, event: ToolArgumentsDelta) -> bytes:
        shown = self._shown.get(event.index)
        if shown is None or shown.kind != "call" or shown.item is not None:
            raise unsayable("arguments of a call that is not open", f"items[{event.index}]")
        if shown.dropped:
            return b""
        shown.pieces.append(event.delta)
        return self._argue(shown, event.delta)

    def _argue(self, shown: Shown, text: str) -> bytes:
        if not shown.lead:
            told = b'{"tool_calls":[{"index":%d,"function":{"arguments":' % shown.call
            shown.lead = self._opening() + told
        return _json.quoted(shown.lead, text, _ARGUED)

    def _more(self, like: Any, texts: list[str], quoted: list[bytes]) -> bytes | None:
        shown = self._shown[like.index]
        if shown.dropped or shown.summary is not getattr(like, "summary", None):
            return None
        key = _KEYS.get(like.__class__)
        lead, tail = (shown.lead, _ARGUED) if key is None else (self._leads[key], _SAID)
        shown.pieces += texts
        return lead + b'"' + (b'"' + tail + lead + b'"').join(quoted) + b'"' + tail

    # items

    def _item(self, event: ItemCompleted) -> bytes:
        shown = self._shown.get(event.index)
        if shown is not None and shown.item is not None:
            raise unsayable("an item is completed twice", f"items[{event.index}]")
        return self._complete(event.item, event.index)

    def _complete(self, item: Item, index: int) -> bytes:
        """What an item says that its deltas have not said."""
        path = f"items[{index}]"
        shown = self._shown.get(index)
        if shown is not None and shown.dropped:
            shown.item = item
            return b""
        said = said_by(self, item, path, streamed=True)
        if said.kind == "call":
            data = self._complete_call(said, index)
        else:
            data = self._rest(said, index, path)
        (self._shown.get(index) or self._begin(index, said.kind)).item = item
        return data

    def _complete_call(self, said: Said, index: int) -> bytes:
        shown = self._shown.get(index)
        if shown is None:
            data = self._announce(index, said.call_id or "", said.name or "", said.text)
            shown = self._shown[index]
        else:
            left = self._left(shown, "call", said.text, f"items[{index}]")
            data = self._argue(shown, left) if left else b""
        if said.extras:
            call: dict[str, Json] = {"index": shown.call, "function": {"arguments": ""}}
            data += self._opening() + _dump({"tool_calls": [call | said.extras]}) + _TAIL
        return data

    def _rest(self, said: Said, index: int, path: str) -> bytes:
        shown = self._shown.get(index)
        data = b""
        if said.kind == "legacy":
            self._legacy = True
            return self._opening() + _dump(said.extras) + _TAIL
        if said.kind == "reasoning":
            left = said.text if shown is None else self._unthought(shown, said.text, path)
            if left:
                data = self._reasoning(ReasoningDelta(left, index, bool(shown and shown.summary)))
            if said.extras:
                # beside its reasoning, so that a reader keeps the two together
                data += self._opening() + _dump(said.extras) + _TAIL
            return data
        left = self._left(shown, "text", said.text, path)
        if left:
            data += self._text(TextDelta(left, index))
        refused = "".join(shown.refusals) if shown is not None else ""
        if not said.refusal.startswith(refused):
            raise unsayable("an item contradicts what was sent of it", path)
        if said.refusal != refused:
            data += self._refusal(RefusalDelta(said.refusal[len(refused) :], index))
        if said.parts:
            data += self._opening() + _dump({"content": said.parts}) + _TAIL
        self._annotations += said.annotations
        self._logprobs = said.extras.pop("logprobs", self._logprobs)
        self._details |= said.extras
        return data

    def _left(self, shown: Shown | None, kind: str, text: str, path: str) -> str:
        """What of `text` was not sent yet; refused where something else was."""
        if shown is None:
            return text
        sent = "".join(shown.pieces)
        if shown.kind == kind and text.startswith(sent):
            return text[len(sent) :]
        if shown.kind == kind == "call" and not sent.strip():
            return text
        raise unsayable("an item contradicts what was sent of it", path)

    def _unthought(self, shown: Shown, text: str, path: str) -> str:
        """What of some reasoning was not sent yet."""
        if shown.kind != "reasoning":
            raise unsayable("an item contradicts what was sent of it", path)
        sent = "".join(shown.pieces)
        # the item keeps one family of its reasoning, and the deltas may have shown the other
        return text[len(sent) :] if text.startswith(sent) else ""

    # the end

    def _usage(self, event: UsageReported) -> bytes:  # noqa: ARG002  the outcome has the last word
        return b""

    def _completed(self, event: TurnCompleted) -> bytes:
        outcome = event.outcome
        if self._upstream_model is None:
            self._upstream_model = outcome.observation.upstream_model
        data = self._head() + self._missing(outcome.items)
        carried = beside(self, outcome.extensions)
        waits = self._calls > 0 or self._legacy
        word = finish_word(self, outcome, waits=waits)
        usage = usage_object(self, outcome) if self.answer.include_usage else None
        top = {key: value for key, value in carried.top.items() if key not in self._chunk}
        data += self._apart(carried)
        choice: dict[str, Json] = {"index": 0, "delta": {}, "finish_reason": word}
        choice |= {key: each for key, each in carried.choice.items() if key not in choice}
        data += frame(_dump({**self._chunk, "choices": [choice], **top}))
        if usage is not None:
            data += frame(_dump({**self._chunk, "choices": [], "usage": usage, **top}))
        self.done = True
        return data + DONE

    def _missing(self, items: tuple[Item, ...]) -> bytes:
        """The items, or their ends, that no event has shown; refused where they contradict those that were shown."""
        shown = sorted(self._shown)
        data, at = b"", 0
        last = shown[-1] if shown else -1
        for position, item in enumerate(items):
            index = shown[at] if at < len(shown) else None
            if index is not None and self._is(index, item):
                if self._shown[index].item is None:
                    data += self._complete(item, index)
                at += 1
            elif len(items) - position > len(shown) - at:
                last += 1
                data += self._complete(item, last)
            else:
                raise unsayable("the outcome contradicts what was sent", f"items[{position}]")
        if at < len(shown):
            raise unsayable("the outcome lacks what was sent", f"items[{len(items)}]")
        return data

    def _is(self, index: int, item: Item) -> bool:
        """Whether `item` is the one that was shown at `index`, or may be."""
        shown = self._shown[index]
        if shown.item is None:
            return _KINDS.get(type(item)) == shown.kind
        return shown.item is item or shown.item == item

    def _apart(self, carried: Beside) -> bytes:
        """What stands beside the texts of a message, in one chunk."""
        delta: dict[str, Json] = {}
        if self._annotations:
            delta["annotations"] = self._annotations
        for extras in (self._details, carried.message):
            delta |= {key: value for key, value in extras.items() if key not in delta}
        logprobs = self._logprobs if self._logprobs is not None else carried.logprobs
        if not delta and logprobs is None:
            return b""
        choice: dict[str, Json] = {"index": 0, "delta": delta}
        if logprobs is not None:
            choice["logprobs"] = logprobs
        choice["finish_reason"] = None
        return frame(_dump({**self._chunk, "choices": [choice]}))

    def _failure(self, error: Refusal) -> bytes:
        for expose in (True, False):
            try:
                told = openai_error(error, expose_upstream=expose)[1]
                return frame(_dump({"error": told}))
            except _json.JsonError:
                continue  # a lone surrogate in what the provider wrote
        raise AssertionError("our own words are whole")

    # frames

    def _begin(self, index: int, kind: str) -> Shown:
        shown = self._shown.get(index)
        if shown is None:
            if len(self._shown) >= self.limits.items:
                raise too_many_items()
            shown = self._shown[index] = Shown(kind)
        elif shown.kind != kind or shown.item is not None:
            raise unsayable("one item is of two kinds, or goes on after its end", f"items[{index}]")
        return shown

    def _telling(self, key: str, text: str) -> bytes:
        """A delta that says a text, behind the head if it is the first."""
        head = b"" if self._chunk else self._head()
        return _json.quoted(head + self._leads[key], text, _SAID)

    def _opening(self) -> bytes:
        """What comes before a delta: the head, if this is the first."""
        return self._lead if self._chunk else self._head() + self._lead

    def _head(self) -> bytes:
        """The chunk that names the role, once."""
        if self._chunk:
            return b""
        chunk: dict[str, Json] = {
            "id": self.identity.response_id,
            "object": "chat.completion.chunk",
            "created": self.identity.created,
            "model": self.model(),
        }
        self._lead = b"data: " + _dump(chunk)[:-1] + b',"choices":[{"index":0,"delta":'
        for key in _KEYS.values():
            self._leads[key] = self._lead + b'{"%b":' % key.encode()
        self._chunk = chunk
        return self._lead + b'{"role":"assistant","content":null}' + _TAIL


def _dump(value: object) -> bytes:
    return _json.escape_separators(_json.dumps(value))

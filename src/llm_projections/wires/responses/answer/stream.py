"""Events to a Responses stream.

Rules:
1. `response.created` is first and one terminal event last; every event has the next `sequence_number`.
2. Output indexes count items in the order in which they were announced; items may interleave.
3. An item is announced once, with empty arrays and texts; its parts open and close; its finished form is what the
   terminal object lists at the same index.
4. What a finished item says beyond its deltas is shown before it is closed; what it says otherwise is refused.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from llm_projections import _json
from llm_projections.errors import Refusal
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    UsageReported,
)
from llm_projections.model.items import Item, Protocol, WireItem
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import AnswerShape
from llm_projections.sse import comment
from llm_projections.wires._answers import SLIPS, BaseIngressStream, unsayable, unwritable
from llm_projections.wires.responses.answer.frames import Output, Shown
from llm_projections.wires.responses.answer.items import (
    Ids,
    Written,
    is_kept_event,
    kind_of,
    too_many_items,
    write_item,
)
from llm_projections.wires.responses.answer.parts import beyond, parts_of
from llm_projections.wires.responses.answer.response import (
    ending,
    error_body,
    extend,
    response_body,
    usage_body,
)

__all__ = ["IngressStream"]

_CALL_TEXT = {"function_call": "arguments", "custom_tool_call": "input"}
_EMPTY: dict[str, dict[str, Any]] = {
    "message": {"type": "message", "status": "in_progress", "role": "assistant", "content": []},
    "reasoning": {"type": "reasoning", "status": "in_progress", "summary": []},
}


class IngressStream(BaseIngressStream):
    """Writes one streamed answer for one client of this wire. Any thread may call it, one call at a time."""

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
        self._out = Output()
        self._ids = Ids(identity)
        self._begun = False
        # by event index: what is open, and what is done
        self._shown: dict[int, Shown] = {}
        self._done: dict[int, Item] = {}
        # by output index: the finished items; None while one is open
        self._output: list[dict[str, Any] | None] = []
        self._places: dict[int, int] = {}

    def encode(self, event: Event) -> bytes:
        """The bytes that show `event`; see `BaseIngressStream.encode`."""
        if self.done:
            raise RuntimeError("the answer has ended")
        try:
            data = self._writes[type(event)](event)
        except _json.JsonError as error:
            index = getattr(event, "index", None)
            raise unwritable(error, "items" if index is None else f"items[{index}]") from None
        except SLIPS:
            self._look(event)
            raise
        return self._out.take() + data if self._out.pending else data

    def keepalive(self) -> bytes:
        """A comment, which every reader of this wire skips."""
        return comment("keepalive")

    # deltas: on the hot path one is bytes at once, everything else waits in the output

    def _text(self, event: TextDelta) -> bytes:
        shown = self._shown.get(event.index)
        if shown is not None and shown.family == "text" and shown.part is not None:
            return shown.part.delta(self._out, event.text)
        return self._say("message", "text", event.index, event.text)

    def _refusal(self, event: RefusalDelta) -> bytes:
        return self._say("message", "refusal", event.index, event.text)

    def _reasoning(self, event: ReasoningDelta) -> bytes:
        family = "summary" if event.summary else "content"
        shown = self._shown.get(event.index)
        if shown is not None and shown.family == family and shown.part is not None:
            return shown.part.delta(self._out, event.text)
        return self._say("reasoning", family, event.index, event.text)

    def _say(self, kind: str, family: str, index: int, text: str) -> bytes:
        """A piece of a part that may have to be opened first."""
        shown = self._shown.get(index) or self._announce(index, _EMPTY[kind])
        if shown.kind != kind:
            raise self._contradicts(index)
        if shown.family != family or shown.part is None:
            shown.open(self._out, family)
        shown.say(self._out, text)
        return b""

    def _call(self, event: ToolCallStarted) -> bytes:
        kind = "custom_tool_call" if event.custom else "function_call"
        if event.index in self._shown:
            raise self._contradicts(event.index)
        body = {
            "type": kind,
            "status": "in_progress",
            "call_id": event.call_id,
            "name": event.name,
            _CALL_TEXT[kind]: "",
        }
        self._announce(event.index, body).open_call()
        return b""

    def _arguments(self, event: ToolArgumentsDelta) -> bytes:
        shown = self._shown.get(event.index)
        part = None if shown is None or shown.family not in _CALL_TEXT else shown.part
        if part is None:
            raise self._contradicts(event.index)
        return part.delta(self._out, event.delta)

    def _more(self, like: Any, texts: list[str], quoted: list[bytes]) -> bytes | None:
        shown = self._shown[like.index]
        assert shown.part is not None
        return shown.part.deltas(self._out, texts, quoted)

    # items

    def _announce(self, index: int, body: dict[str, Any], own: Any = None) -> Shown:
        if index in self._done:
            raise self._contradicts(index)
        if len(self._output) >= self.limits.items:
            raise too_many_items()
        self._head()
        kind = kind_of(body)
        shown = Shown(
            kind,
            self._ids.name(kind, index, own),
            len(self._output),
            body.get("call_id"),
            body.get("name"),
        )
        self._shown[index] = shown
        self._places[index] = len(self._output)
        self._output.append(None)
        shown.added(self._out, {"id": shown.item_id, **body})
        return shown

    def _item(self, event: ItemCompleted) -> bytes:
        if event.index in self._done:
            raise self._contradicts(event.index)
        self._finish(event.index, event.item, f"items[{event.index}]")
        return b""

    def _finish(self, index: int, item: Item, path: str) -> None:
        """The item is whole: what was not shown, then its end."""
        if is_kept_event(item):
            self._kept(item, path)
            self._done[index] = item
            return
        written = write_item(item, path, self)
        shown = self._shown.get(index)
        if written is None:
            if shown is not None:
                raise self._contradicts(index)
            self._done[index] = item
            return
        if shown is None:
            shown = self._announce(index, _opening(written.body), written.own_id)
            if shown.kind in _CALL_TEXT:
                shown.open_call()
        self._rest(shown, written, index)
        body = written.named(shown.item_id)
        self._out.frame("response.output_item.done", output_index=shown.output_index, item=body)
        self._output[shown.output_index] = body
        self._done[index] = item
        self._shown.pop(index, None)

    def _rest(self, shown: Shown, written: Written, index: int) -> None:
        """What the finished item says beyond what was shown, and the end of its parts."""
        body = written.body
        if shown.kind != kind_of(body):
            raise self._contradicts(index)
        if shown.kind in _CALL_TEXT:
            self._rest_of_call(shown, body, index)
        elif shown.kind in _EMPTY:
            self._rest_of_parts(shown, body, index)

    def _rest_of_parts(self, shown: Shown, body: dict[str, Any], index: int) -> None:
        parts = parts_of(body)
        if not shown.closed and shown.part is None:
            for family, text, part in parts:
                shown.open(self._out, family)
                shown.say(self._out, text)
                shown.close(self._out, part)
            return
        rest = beyond(shown.said(), [(family, text) for family, text, _ in parts])
        if not parts and body.get("encrypted_content"):
            # sealed state whose summary was only streamed goes back as it came, without one
            rest = []
        if rest is None:
            raise self._contradicts(index)
        for family, text in rest:
            if shown.part is None or shown.family != family:
                shown.open(self._out, family)
            shown.say(self._out, text)
        alone = parts[0][2] if len(parts) == 1 and not shown.closed else None
        shown.finish(self._out, None if shown.aside else alone)

    def _rest_of_call(self, shown: Shown, body: dict[str, Any], index: int) -> None:
        assert shown.part is not None
        whole, said = str(body[_CALL_TEXT[shown.kind]]), shown.part.text()
        if (
            body["call_id"] != shown.call_id
            or body["name"] != shown.name
            or not whole.startswith(said)
        ):
            raise self._contradicts(index)
        shown.say(self._out, whole[len(said) :])
        shown.close(self._out)

    def _kept(self, item: Item, path: str) -> None:
        assert isinstance(item, WireItem)
        kind = kind_of(item.payload)
        if item.protocol is not Protocol.RESPONSES or not kind.isprintable() or not kind:
            self.lose("answer.kept_event", path)
            return
        fields = {k: v for k, v in item.payload.items() if k not in ("type", "sequence_number")}
        self._head()
        self._out.frame(kind, **fields)

    def _contradicts(self, index: int) -> Exception:
        return unsayable("it contradicts what was already shown", f"items[{index}]")

    # the response

    def _started(self, event: ResponseStarted) -> bytes:
        if event.upstream_model is not None:
            self._upstream_model = event.upstream_model
        return b""

    def _usage(self, event: UsageReported) -> bytes:
        del (
            event
        )  # the terminal object has the last word on counters, and nothing before it shows them
        return b""

    def _head(self) -> None:
        if not self._begun:
            response = self._response("in_progress", [])
            self._begun = True
            self._out.frame("response.created", response=response)
            self._out.frame("response.in_progress", response=response)

    def _response(self, status: str, output: object, **said: object) -> dict[str, Any]:
        return response_body(self.identity, self.model(), self.answer.echo, status, output, **said)

    def _completed(self, event: TurnCompleted) -> bytes:
        outcome = event.outcome
        if outcome.observation.upstream_model is not None:
            self._upstream_model = outcome.observation.upstream_model
        self._head()
        self._settle(outcome.items)
        status, details = ending(outcome.stop, self)
        usage = usage_body(outcome.observation, self)
        output = [item for item in self._output if item is not None]
        body = self._response(status, output, incomplete_details=details, usage=usage)
        extend(body, outcome.extensions, self)
        self._out.frame(f"response.{status}", response=body)
        self.done = True
        return b""

    def _settle(self, items: tuple[Item, ...]) -> None:
        """Finish what is open and show what was never announced; everything shown must be among `items`."""
        waiting = sorted(self._done.keys() | self._shown.keys())
        index = max(waiting, default=-1)
        for position, item in enumerate(items):
            path = f"items[{position}]"
            if waiting and self._is(waiting[0], item):
                at = waiting.pop(0)
                if at in self._shown:
                    self._finish(at, item, path)
                continue
            if waiting:
                self.lose("answer.order", path, "it comes after items that stand behind it")
            index += 1
            self._finish(index, item, path)
        if waiting:
            raise self._contradicts(waiting[0])
        places = [self._places[each] for each in sorted(self._places)]
        if places != sorted(places):
            self.lose("answer.order", "items", "an item was finished before one that stands first")

    def _is(self, index: int, item: Item) -> bool:
        """Whether what was shown at `index` is `item`."""
        known = self._done.get(index)
        if known is not None:
            return known == item
        shown, written = self._shown[index], write_item(item, f"items[{index}]", self)
        if written is None or kind_of(written.body) != shown.kind:
            return False
        if shown.kind in _CALL_TEXT:
            return bool(written.body["call_id"] == shown.call_id)
        parts = [(family, text) for family, text, _ in parts_of(written.body)]
        return beyond(shown.said(), parts) is not None

    def _failure(self, error: Refusal) -> bytes:
        told = error_body(error)
        try:
            return self._failed_response(told)
        except _json.JsonError:
            # what the caller or the request gave for every response object is no JSON
            self._out.frame("error", param=None, **told)
            return self._out.take()

    def _failed_response(self, told: dict[str, Any]) -> bytes:
        if not self._begun and self.identity.model is None and self._upstream_model is None:
            self._out.frame("error", param=None, **told)
            return self._out.take()
        self._head()
        output = [item for item in self._output if item is not None]
        body = self._response("failed", output, error=told)
        self._out.frame("response.failed", response=body)
        return self._out.take()


def _opening(body: dict[str, Any]) -> dict[str, Any]:
    """A finished item as it was when it began."""
    kind = kind_of(body)
    if kind in _EMPTY:
        return _EMPTY[kind]
    opened = {key: value for key, value in body.items() if key != "id"}
    if kind in _CALL_TEXT:
        opened[_CALL_TEXT[kind]] = ""
    if "status" in opened and not kind.endswith("_output"):
        opened["status"] = "in_progress"
    return opened

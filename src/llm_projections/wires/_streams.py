"""Answer bytes to events: what every wire's decoder shares.

Rules:
1. Whatever comes in, events come out and exactly one of them, the last, is terminal.
2. A terminal event comes with the payload that ends the turn; bytes after it are ignored.
3. A refusal carries everything that was decoded before it, and says whether a retry is safe: never
   once output was decoded.
4. A body that is JSON where a stream was expected is read as the error or the answer that it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from attrs import evolve

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.fold import Ledger
from llm_projections.model.agreement import check_outcome, check_outcome_alone
from llm_projections.model.binding import Binding
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ResponseStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import Extension, Item
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import (
    PartialOutcome,
    StopReason,
    TurnOutcome,
    Usage,
    Warning,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import Frame, Framer, FrameTooLarge
from llm_projections.wires._depth import Bounded
from llm_projections.wires._http import stream_refusal
from llm_projections.wires._keeping import apart
from llm_projections.wires._opening import Opening
from llm_projections.wires._runs import Runs
from llm_projections.wires._upstream import is_bare_error

__all__ = ["BaseDecoder"]

_QUIET = (ResponseStarted, UsageReported, Warning)
# so much of a stream holds some thousand deltas, whose texts are then put together
_GATHERED = 1 << 18


class BaseDecoder(Bounded, ABC):
    """One answer, from its bytes. A wire's decoder says what a payload means.

    A wire overrides `_payloads` (those of one feed), `_at_end` (input ended without the terminal payload) and `_whole`
    (a JSON body instead of a stream); it appends events to the list that it is given, and ends with `_complete` or by
    raising `ResponseRefused`.
    """

    done: bool
    """True once a terminal event was returned."""

    _varying: tuple[str, ...] = ()
    """The keys of a delta's payload, beside its text, whose values change without meaning anything."""

    def __init__(
        self,
        binding: Binding,
        *,
        request: TurnRequest | None = None,
        limits: Limits | None = None,
        keep_raw: bool = False,
        invalid_arguments: Literal["refuse", "keep"] = "refuse",
    ) -> None:
        if invalid_arguments not in ("refuse", "keep"):
            raise ValueError("invalid_arguments is 'refuse' or 'keep'")
        self.binding = binding
        self.limits: Limits = Limits() if limits is None else limits
        self.done = False
        self._request = request
        self._keeps_arguments = invalid_arguments == "keep"
        self._keep_raw = keep_raw
        self._kept = 0
        self._framed = 0
        self._framer = Framer(self.limits.frame_bytes, self.limits.stream_bytes)
        self._ledger = Ledger(binding.provenance)
        self._closed = False
        self._eventful = False
        self._accepted = False
        self._shown = False
        self._warned: set[str] = set()
        most = self.limits.arguments_bytes
        # where frames are kept, each has to be cut out
        self._runs = Runs(self._framer, self._varying, most, off=keep_raw)
        self._gathers_at = self._framer.left - _GATHERED
        # whether bytes go straight to the framer: one look a feed where else there are four
        self._flows = False
        self._opening = Opening()

    # the public face

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Event]:
        """The events that this chunk completes. Raises RuntimeError only when fed after `close`."""
        framer, run = self._framer, self._runs.current
        if len(chunk) == 1:
            # the least that a network gives
            if self._flows and framer.goes_on(chunk):
                return []
        elif run is not None:
            # what a network gives: one delta a chunk
            text = framer.lone(chunk)
            if text is not None:
                event = run.take_one(text)
                if event is not None:
                    if framer.left < self._gathers_at:
                        self._gather()
                    return [event]
                return self._run_over([])
        events: list[Event] = []
        if not self._flows:
            held = self._begin_feed(bytes(chunk), events)
            if held is None:
                return events
            chunk = held
        try:
            frames = framer.feed(chunk)
        except FrameTooLarge as error:
            self._read(error.frames, events)
            if not self.done:
                self._refuse(self._too_large(f"{error.what}_bytes"), events)
            return events
        texts = framer.said
        if texts is not None:
            framer.said = None
            if run is not None and not run.take(texts, events):
                return self._run_over(events)
        elif not frames:
            return events
        if frames:
            self._read(frames, events)
        if framer.left < self._gathers_at:
            self._gather()
        return events

    def feed_payload(self, payload: bytes, event: str | None = None) -> list[Event]:
        """The events of one payload that came framed otherwise (a WebSocket message)."""
        if self._closed:
            raise RuntimeError("a closed decoder was fed")
        if self.done:
            return []
        events: list[Event] = []
        self._framed += len(payload)
        for limit, size in (("frame_bytes", len(payload)), ("stream_bytes", self._framed)):
            if size > getattr(self.limits, limit):
                self._refuse(self._too_large(limit), events)
                return events
        self._opening.over = True
        name = b"" if event is None else event.encode("utf-8", "replace")
        self._read([(name, bytes(payload))], events)
        return events

    def close(self) -> list[Event]:
        """End of input: the terminal event, if it has not come."""
        if self._closed:
            return []
        self._closed = True
        self._flows = False
        events: list[Event] = []
        if self.done:
            return events
        if self._opening.body is not None:
            self._guard(self._read_body, bytes(self._opening.body), events)
            return events
        frames, inside = self._framer.close()
        self._read(frames, events)
        if not self.done:
            self._guard(self._end, inside, events)
        return events

    def snapshot(self) -> PartialOutcome:
        """What has been decoded so far."""
        partial = self._ledger.partial()
        seen = partial.observation
        usage = seen.usage
        if usage is not None:
            seen = evolve(seen, usage=evolve(usage, reported=_json.copied(usage.reported)))
        return evolve(partial, items=tuple(map(apart, partial.items)), observation=seen)

    def item_ids(self) -> Mapping[int, str]:
        """The wire's own ids of the items so far, by event index: what a relay to the same wire shows again."""
        return {}

    # what a wire says

    @abstractmethod
    def _payloads(self, frames: list[Frame], events: list[Event]) -> int:
        """Payloads of one feed, up to one that ends the turn or begins a run. How many were read."""

    @abstractmethod
    def _at_end(self, events: list[Event]) -> None:
        """Input ended between events, without the terminal payload: complete, or return."""

    @abstractmethod
    def _whole(self, body: bytes, events: list[Event]) -> TurnOutcome:
        """The outcome of a JSON body that came instead of a stream; where it is refused, `events` tell what stands."""

    def _adopt(self, ledger: Ledger, told: Iterable[Event], events: list[Event]) -> None:
        """What another decoder read of the body until it refused it stands here too, and is told."""
        ledger.raw = self._ledger.raw
        self._ledger = ledger
        events += (event for event in told if not isinstance(event, TurnFailed))

    def _is_error(self, body: Json) -> bool:
        """Whether a whole JSON body is an error."""
        return isinstance(body, dict) and (
            bool(body.get("error")) or body.get("type") == "error" or is_bare_error(body)
        )

    # what a wire does

    def _complete(
        self, stop: StopReason, events: list[Event], extensions: tuple[Extension, ...] = ()
    ) -> None:
        """End the turn with what the ledger holds."""
        ledger = self._ledger
        outcome = TurnOutcome(
            stop, ledger.in_order(), ledger.observation(), tuple(ledger.warnings), extensions
        )
        self._conclude(outcome, events)

    def _conclude(self, outcome: TurnOutcome, events: list[Event]) -> None:
        if self._request is None:
            check_outcome_alone(outcome, self._ledger.provenance)
        else:
            for warning in check_outcome(outcome, self._request, self._ledger.provenance):
                self._warn(warning.code, warning.message, events)
            outcome = evolve(outcome, warnings=tuple(self._ledger.warnings))
        events.append(TurnCompleted(outcome))
        self.done, self._flows = True, False

    def _warn(self, code: str, message: str, events: list[Event], *, once: bool = False) -> None:
        """Say that something was odd; with `once`, the first time only."""
        if once:
            if code in self._warned:
                return
            self._warned.add(code)
        warning = Warning(code, message)
        self._ledger.warnings.append(warning)
        events.append(warning)

    def _item(self, index: int, item: Item, events: list[Event]) -> None:
        """An item is whole."""
        if len(self._ledger.items) >= self.limits.items:
            raise self._too_large("items")
        self._ledger.complete(index, apart(item))
        events.append(ItemCompleted(item, index))

    def _usage(self, usage: Usage, events: list[Event]) -> None:
        """Counters so far; nothing is said where they did not change."""
        if usage != self._ledger.usage:
            self._ledger.usage = evolve(usage, reported=_json.copied(usage.reported))
            events.append(UsageReported(usage))

    def _reported(self, body: Json, events: list[Event]) -> ResponseRefused:
        """The refusal that an error inside the answer is."""
        return stream_refusal(body, shown=self._was_shown(events), accepted=self._accepted)

    # inside

    def _begin_feed(self, chunk: bytes, events: list[Event]) -> bytes | None:
        """The bytes to frame, where it is not known yet that bytes go straight to the framer."""
        if self._closed:
            raise RuntimeError("a closed decoder was fed")
        if self.done:
            return None
        opening = self._opening
        held = opening.take(chunk)
        self._flows = held is not None
        if opening.body is not None and len(opening.body) > self.limits.stream_bytes:
            opening.body = None
            self._refuse(self._too_large("stream_bytes"), events)
        return held

    def _read(self, frames: list[Frame], events: list[Event]) -> None:
        self._runs.end()
        self._eventful = self._eventful or bool(frames)
        try:
            if self._keep_raw:
                for each in frames:
                    self._keep(each[1])
                    self._payloads([each], events)
                    if self.done:
                        break
            else:
                while frames and not self.done:
                    frames = frames[self._payloads(frames, events) :]
                    taken = self._runs.ahead(frames, events)
                    if taken is None:
                        raise self._too_large("arguments_bytes")
                    frames = frames[taken:]
        except ResponseRefused as error:
            self._refuse(error, events)
        if not self._shown and events:
            self._shown = self._was_shown(events)

    def _guard(
        self, read: Callable[[Any, list[Event]], None], given: object, events: list[Event]
    ) -> None:
        try:
            read(given, events)
        except ResponseRefused as error:
            self._refuse(error, events)

    def _was_shown(self, events: list[Event]) -> bool:
        return self._shown or any(not isinstance(event, _QUIET) for event in events)

    def _refuse(self, error: ResponseRefused, events: list[Event]) -> None:
        """End the turn with a refusal that carries what stands."""
        self._runs.end()
        shown = self._was_shown(events)
        events.append(
            TurnFailed(
                ResponseRefused(
                    error.code,
                    error.message,
                    error.path,
                    dispatch=Dispatch.ACCEPTED if self._accepted else error.dispatch,
                    retriable=error.retriable and not shown,
                    retry_after_ms=error.retry_after_ms,
                    partial=self._ledger.partial(),
                    upstream=error.upstream,
                )
            )
        )
        self.done, self._flows = True, False

    def _end(self, inside: bool, events: list[Event]) -> None:
        if not inside:
            self._at_end(events)
            if self.done:
                return
        message = (
            "the stream ended inside an event" if inside else "the stream ended before its end"
        )
        came = self._framer.left < self.limits.stream_bytes
        if came and not (inside or self._eventful or self._opening.remarked):
            message = "neither events nor a JSON object came"
        raise ResponseRefused(
            RefusalCode.PROTOCOL,
            message,
            dispatch=Dispatch.ACCEPTED if self._accepted else Dispatch.UNKNOWN,
            retriable=True,
        )

    def _run_over(self, events: list[Event]) -> list[Event]:
        self._refuse(self._too_large("arguments_bytes"), events)
        return events

    def _gather(self) -> None:
        self._gathers_at = self._framer.left - _GATHERED
        for building in self._ledger.building.values():
            building.gather()

    def _keep(self, data: bytes) -> None:
        self._kept += len(data)
        if self._kept <= self.limits.raw_bytes:
            self._ledger.raw.append(data)

    def _read_body(self, body: bytes, events: list[Event]) -> None:
        if self._keep_raw:
            self._keep(body)
        self._measure(body)
        try:
            value = _json.loads_exact(body, self.limits.json_depth)
        except _json.JsonError as error:
            if error.too_deep:
                raise self._too_large("json_depth") from None
            raise ResponseRefused(
                RefusalCode.PROTOCOL, "neither events nor JSON", dispatch=Dispatch.UNKNOWN
            ) from None
        if self._is_error(value):
            raise self._reported(value, events)
        self._accepted = True
        outcome = self._whole(body, events)
        ledger = self._ledger
        ledger.response_id = outcome.observation.response_id
        ledger.upstream_model = outcome.observation.upstream_model
        ledger.final_usage = outcome.observation.final_usage
        ledger.warnings.extend(outcome.warnings)
        events.append(ResponseStarted(ledger.response_id, ledger.upstream_model))
        events.extend(outcome.warnings)
        self._warn("whole-answer", "the server sent one body where a stream was asked", events)
        for index, item in enumerate(outcome.items):
            self._item(index, item, events)
        if outcome.observation.usage is not None:
            self._usage(outcome.observation.usage, events)
        seen = evolve(outcome.observation, usage=ledger.usage)
        warnings = tuple(ledger.warnings)
        self._conclude(
            evolve(outcome, items=ledger.in_order(), observation=seen, warnings=warnings), events
        )

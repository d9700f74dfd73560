"""Events to answer bytes: what every wire's encoder shares.

Rules:
1. What the client's wire cannot hold is refused (ACCEPTED, not retriable), or left out and reported
   when its loss was accepted. A refusal leaves the stream open, so that `fail` can close it.
2. One terminal frame, last; nothing is written after it.
3. What was announced is never announced again; an outcome that contradicts what was sent is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Iterator
from typing import Any

from llm_projections import _json
from llm_projections.errors import Dispatch, Refusal, RefusalCode, ResponseRefused
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
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.looks import is_sound_event, is_sound_outcome
from llm_projections.model.losses import Loss, accepted
from llm_projections.model.outcome import TurnOutcome, Warning
from llm_projections.model.results import AnswerShape
from llm_projections.model.soundness import unsound

_RARE = (
    ToolCallStarted,
    ItemCompleted,
    ResponseStarted,
    UsageReported,
    Warning,
    TurnCompleted,
    TurnFailed,
)
# what Python says of a value of another type
SLIPS = (AttributeError, LookupError, TypeError)
_DELTAS = frozenset({TextDelta, ReasoningDelta, ToolArgumentsDelta})
# fewer deltas than this are as quickly written one by one
_ROW = 4

__all__ = [
    "SLIPS",
    "AnswerLosses",
    "BaseIngressStream",
    "refuse_unsound",
    "unsayable",
    "unwritable",
    "write_events",
    "write_events_async",
]


def unsayable(
    message: str, path: str = "", code: RefusalCode = RefusalCode.UNSUPPORTED
) -> ResponseRefused:
    """The refusal of an answer that the client's wire cannot hold."""
    return ResponseRefused(code, message, path, dispatch=Dispatch.ACCEPTED, retriable=False)


def unwritable(error: _json.JsonError, path: str, lead: str = "") -> ResponseRefused:
    """The refusal of an answer that no JSON can hold, or that nests too deep to be written."""
    code = RefusalCode.TOO_LARGE if error.too_deep else RefusalCode.UNSUPPORTED
    return unsayable(lead + error.reason, path, code)


def refuse_unsound(outcome: TurnOutcome) -> None:
    """Raise `ResponseRefused` for an outcome that holds something else than its types say."""
    if not is_sound_outcome(outcome):
        raise _unsound(outcome)


def _unsound(value: object) -> ResponseRefused:
    for path, message in unsound(value, type(value), ""):
        return unsayable(message, path.removeprefix("outcome."))
    raise TypeError("not an outcome")


class AnswerLosses:
    """The accepted losses of one answer."""

    losses: list[Loss]
    """What was left out so far."""

    def __init__(self, accept: Collection[str], into: list[Loss] | None = None) -> None:
        self.accept: frozenset[str] = accepted(accept)
        self.losses = [] if into is None else into
        self._told = set(self.losses)

    def lose(
        self, loss: str, path: str, message: str = "the client's wire has no place for it"
    ) -> None:
        """Leave something out: reported once a place if its name was accepted, refused otherwise."""
        if loss not in self.accept:
            raise unsayable(f"{message} ({loss})", path)
        lost = Loss(loss, path)
        if lost not in self._told:
            self._told.add(lost)
            self.losses.append(lost)

    def leave(self, extension: Extension, path: str) -> None:
        """Leave out what a server said beside its answer. What a model made there has a name of its own."""
        made = _MADE.get(extension.path) if extension.protocol is Protocol.CHAT else None
        self.lose(made or "answer.extensions", path)


# the rows chat-ans-*-message-images (OpenRouter) and -audio
_MADE = {"answer.message.images": "answer.images", "answer.audio": "answer.audio"}


class BaseIngressStream(AnswerLosses, ABC):
    """Writes one streamed answer for one client.

    A wire overrides the handlers, one an event class.
    """

    done: bool
    """True once the terminal frame was returned."""

    def __init__(
        self,
        identity: Identity,
        answer: AnswerShape | None = None,
        *,
        accept: Collection[str] = (),
        limits: Limits | None = None,
        losses: list[Loss] | None = None,
    ) -> None:
        super().__init__(accept, losses)
        self.identity = identity
        self.answer: AnswerShape = AnswerShape(stream=True) if answer is None else answer
        self.limits: Limits = Limits() if limits is None else limits
        self.done = False
        self._upstream_model: str | None = None
        looked = self._looked
        self._writes: dict[type, Callable[[Any], bytes]] = {
            TextDelta: self._text,
            ReasoningDelta: self._reasoning,
            RefusalDelta: self._refusal,
            ToolArgumentsDelta: self._arguments,
            **dict.fromkeys(_RARE, looked),
        }
        self._rare: dict[type, Callable[[Any], bytes]] = {
            ToolCallStarted: self._call,
            ItemCompleted: self._item,
            ResponseStarted: self._started,
            UsageReported: self._usage,
            Warning: self._warning,
            TurnCompleted: self._completed,
            TurnFailed: self._failed,
        }

    def encode(self, event: Event) -> bytes:
        """The bytes that show `event` on this wire; empty where it shows nothing.

        Raises `ResponseRefused` (ACCEPTED) for what this wire cannot hold, or what is of another type than its field,
        and RuntimeError after the terminal event.
        """
        if self.done:
            raise RuntimeError("the answer has ended")
        try:
            return self._writes[type(event)](event)
        except SLIPS:
            self._look(event)
            raise

    def encode_row(self, events: Iterable[Event], into: list[bytes]) -> None:
        """Append the bytes that `encode` gives for each event. Where it raises, those before stand there.

        Deltas that follow each other in one item are written at once: that takes a third of the time.
        """
        row: list[Any] = []
        kind: Any = None
        index = -1
        for told in events:
            event: Any = told  # a delta of its class has an index
            if type(event) is kind and event.index == index:
                row.append(event)
                continue
            if row:
                self._encode_alike(row, into)
                row = []
            if type(event) in _DELTAS:
                row, kind, index = [event], type(told), event.index
            else:
                kind = None
                into.append(self.encode(event))
        if row:
            self._encode_alike(row, into)

    def _encode_alike(self, row: list[Any], into: list[bytes]) -> None:
        first = row[0]
        into.append(self.encode(first))
        if len(row) < _ROW:
            into.extend(map(self.encode, row[1:]))
            return
        if type(first) is ToolArgumentsDelta:
            texts = [event.delta for event in row[1:]]
        elif type(first) is TextDelta or len({event.summary for event in row}) == 1:
            texts = [event.text for event in row[1:]]
        else:
            texts = []
        data = None
        if texts and all(texts):
            quoted = _json.quoted_row(texts)
            if quoted is not None:
                data = self._more(first, texts, quoted)
        if data is None:
            into.extend(map(self.encode, row[1:]))
        else:
            into.append(data)

    def _looked(self, event: Event) -> bytes:
        self._look(event)
        return self._rare[type(event)](event)

    def _look(self, event: Event) -> None:
        """Refuse an event that holds something else than its types say; TypeError for what is no event."""
        if type(event) not in self._writes:
            raise TypeError("not an event")
        if not is_sound_event(event):
            raise _unsound(event)

    def fail(self, error: Refusal) -> bytes:
        """The wire's own error frame; closes the stream. Empty when it is closed already."""
        if self.done:
            return b""
        data = self._failure(error)
        self.done = True
        return data

    @abstractmethod
    def keepalive(self) -> bytes:
        """Bytes that change nothing and show that the connection lives."""

    def model(self) -> str:
        """The model's name for this client. Raises `ResponseRefused` when nobody gave one."""
        name = self.identity.model or self._upstream_model
        if name is None:
            raise unsayable("neither the caller nor the server named the model", "model")
        return name

    # what a wire says

    @abstractmethod
    def _more(self, like: Any, texts: list[str], quoted: list[bytes]) -> bytes | None:
        """More deltas like one that was just written: their texts, none of them empty, and what stands between the
        quotation marks of each. None where each has to be looked at.
        """

    def _started(self, event: ResponseStarted) -> bytes:
        self._upstream_model = event.upstream_model
        return b""

    def _warning(self, _event: Warning) -> bytes:
        return b""

    def _failed(self, event: TurnFailed) -> bytes:
        return self.fail(event.error)

    @abstractmethod
    def _text(self, event: TextDelta) -> bytes:
        """A piece of a text."""

    @abstractmethod
    def _reasoning(self, event: ReasoningDelta) -> bytes:
        """A piece of reasoning."""

    @abstractmethod
    def _refusal(self, event: RefusalDelta) -> bytes:
        """A piece of a refusal."""

    @abstractmethod
    def _call(self, event: ToolCallStarted) -> bytes:
        """A call that begins."""

    @abstractmethod
    def _arguments(self, event: ToolArgumentsDelta) -> bytes:
        """A piece of a call's arguments."""

    @abstractmethod
    def _item(self, event: ItemCompleted) -> bytes:
        """An item that is whole."""

    @abstractmethod
    def _usage(self, event: UsageReported) -> bytes:
        """Counters so far."""

    @abstractmethod
    def _completed(self, event: TurnCompleted) -> bytes:
        """The end; sets `done`."""

    @abstractmethod
    def _failure(self, error: Refusal) -> bytes:
        """The wire's own error frame."""


def write_events(stream: BaseIngressStream, events: Iterable[Event]) -> Iterator[bytes]:
    """The bytes of every event; a refusal closes the stream with the wire's error frame."""
    for event in events:
        try:
            data = stream.encode(event)
        except ResponseRefused as error:
            data = stream.fail(error)
        if data:
            yield data
        if stream.done:
            return


async def write_events_async(
    stream: BaseIngressStream, events: AsyncIterable[Event]
) -> AsyncIterator[bytes]:
    """`write_events` for asynchronous events, under any event loop."""
    async for event in events:
        try:
            data = stream.encode(event)
        except ResponseRefused as error:
            data = stream.fail(error)
        if data:
            yield data
        if stream.done:
            return

"""The gateway as one object: a client's wire in front, a binding's wire behind, no I/O between.

Rules:
1. The order of a request is: ingest, model set to the binding's, sealed and unattributed state,
   `prepare`, `wrapping`, names, project. A refusal at any stage is an error answer on the client's
   own wire.
2. Upstream is always asked for a stream; it is folded where the client wants one body.
3. Exactly one head goes out, before any body. It waits for the first output or terminal event, so
   that an error under HTTP 200 still becomes an error status.
4. Nothing claims success after an upstream that broke off, and nothing claims that a request was
   not sent once any of its answer came.
5. The credential is in the header that the binding names and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Literal

from attrs import evolve

from llm_projections.errors import Dispatch, Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import Binding, Conversation, Identity
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss, accepted
from llm_projections.model.outcome import TurnOutcome, Warning
from llm_projections.model.results import (
    AnswerBody,
    AnswerHead,
    AnswerShape,
    HttpAnswer,
    HttpRequest,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.naming import Naming
from llm_projections.sealing import Seal, Sealing, Unseal, unseal_turn
from llm_projections.wires import Wire, wire
from llm_projections.wires._answers import BaseIngressStream
from llm_projections.wires._http import header
from llm_projections.wires._streams import BaseDecoder
from llm_projections.wires._waiting import Headers, pairs
from llm_projections.wrapping import ToolWrapping, Unwrapping

__all__ = ["AnswerBody", "AnswerHead", "Relay"]

_QUIET = frozenset({ResponseStarted, UsageReported, Warning})
# what no name, seal or wrapping touches; arguments are, where tools are wrapped
_WORDS = frozenset({TextDelta, ReasoningDelta, RefusalDelta})
_DELTAS = _WORDS | {ToolArgumentsDelta}
_STREAM_HEADERS = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
)
_JSON_HEADERS = (("content-type", "application/json"),)
Out = AnswerHead | AnswerBody


class Relay:
    """One exchange between a client and the server behind a binding. Any HTTP stack drives it.

    `unattributed="bind"` is the operator's statement that this route always reaches this binding. `prepare` may change
    the turn before it is projected. `seal` and `unseal` carry the server's sealed state through a client of another
    wire. At any moment `losses`, `warnings`, `outcome`, `error` and `done` say how it stands; `error.may_retry` says
    whether sending the same request again is safe, and `error.partial` what had been decoded. Any thread may call it,
    one call at a time.
    """

    def __init__(
        self,
        client: Wire,
        binding: Binding,
        identity: Identity,
        *,
        accept: Collection[str] = (),
        credential: str | None = None,
        unattributed: Literal["refuse", "bind"] = "refuse",
        prepare: Callable[[TurnRequest], TurnRequest] | None = None,
        wrapping: ToolWrapping | None = None,
        conversation: Conversation | None = None,
        request_number: int = 0,
        seal: Seal | None = None,
        unseal: Unseal | None = None,
        expose_upstream: bool = True,
        keep_raw: bool = False,
        limits: Limits | None = None,
    ) -> None:
        if unattributed not in ("refuse", "bind"):
            raise ValueError("unattributed is 'refuse' or 'bind'")
        self.client = client
        self.binding = binding
        self.identity: Identity = identity
        self.losses: list[Loss] = []
        self.warnings: list[Warning] = []
        self.outcome: TurnOutcome | None = None
        self.error: Refusal | None = None
        self.done: bool = False
        self._server = wire(binding.protocol)
        self._accept = accepted(accept)
        self._credential = credential
        self._binds = unattributed == "bind"
        self._prepare = prepare
        self._wrapping = wrapping
        self._conversation = (conversation, request_number)
        self._seal, self._unseal = seal, unseal
        self._expose, self._keep_raw = expose_upstream, keep_raw
        self._limits = Limits() if limits is None else limits
        self._naming = Naming(binding.protocol)
        self._named = identity
        self._resolved: ToolWrapping | None = None
        self._unwrapping: Unwrapping | None = None
        self._sealing: Sealing | None = None
        # what is passed straight on: nothing until the head is out
        self._live = self._direct = frozenset[type]()
        self._answer = AnswerShape()
        self._reads_overflow_in_streams = False
        self._decoder: BaseDecoder | None = None
        self._reading: BaseDecoder | None = None  # the same, once the answer's status came
        self._encoder: BaseIngressStream | None = None
        self._status: int | None = None
        self._headers: tuple[tuple[str, str], ...] = ()
        self._error_body: bytearray | None = None
        self._mismatch: ResponseRefused | None = None
        self._accepted = self._shown = self._head_sent = False
        self._unsent = b""
        self._waiting: list[Event] = []

    # the request

    def request(self, headers: Headers, body: bytes) -> HttpRequest | HttpAnswer:
        """What to send upstream, or answer at once: a refusal. RuntimeError when called again, nothing for content."""
        if self.done or self._decoder is not None:
            raise RuntimeError("a relay carries one request")
        try:
            return self._project(pairs(headers), body)
        except RequestRefused as error:
            self.error, self.done = error, True
            return self._error_answer(error)

    def _project(self, headers: tuple[tuple[str, str], ...], body: bytes) -> HttpRequest:
        ingested = self.client.ingest_request(
            body, headers=headers, accept=self._accept, envelopes=False, limits=self._limits
        )
        self.losses.extend(ingested.losses)
        self._answer = ingested.answer
        # Codex shortens its conversation for `response.failed`, and a status 400 is final there
        # (github.com/openai/codex, codex-rs/codex-api, read 2026-11-30)
        self._reads_overflow_in_streams = (
            self._answer.stream
            and self.client.protocol is Protocol.RESPONSES
            and (header(headers, "originator") or "").lower().startswith("codex")
        )
        turn: TurnRequest = ingested.request
        if self.identity.model is None:
            self.identity = evolve(self.identity, model=turn.model)
        turn = evolve(turn, model=self.binding.model)
        if self._unseal is not None:
            turn = unseal_turn(turn, self._unseal)
        if self._binds:
            turn = turn.bind_unattributed(self.binding.provenance)
        if self._prepare is not None:
            turn = self._prepare(turn)
        if self._wrapping is not None:
            self._resolved = self._wrapping.resolve(turn)
            turn = self._resolved.wrap(turn)
            self._unwrapping = Unwrapping(self._resolved)
        if self._seal is not None:
            self._sealing = Sealing(self._seal, self.client.protocol, self.identity)
        turn = self._naming.outward(turn)
        conversation, number = self._conversation
        data = self._server.encode_request(
            turn,
            self.binding,
            accept=self._accept,
            conversation=conversation,
            limits=self._limits,
            losses=self.losses,
        )
        sent = self._server.request_headers(
            self.binding,
            request=turn,
            credential=self._credential,
            conversation=conversation,
            request_number=number,
        )
        self._decoder = self._server.StreamDecoder(
            self.binding, request=turn, limits=self._limits, keep_raw=self._keep_raw
        )
        self._named = self.identity
        if self._server is self.client and self.identity.item_id is None:
            # sealed state of one wire may be bound to the id of its item
            self._named = evolve(self.identity, item_id=self._name_item)
        self._encoder = self.client.IngressStream(
            self._named,
            self._answer,
            accept=self._accept,
            limits=self._limits,
            losses=self.losses,
        )
        self._direct = _DELTAS if self._unwrapping is None else _WORDS
        return HttpRequest("POST", self._server.request_url(self.binding), sent, data)

    def _name_item(self, kind: str, index: int) -> str:
        assert self._decoder is not None
        return self._decoder.item_ids().get(index) or self.identity.name_item(kind, index)

    # the answer

    def response(self, status: int, headers: Headers) -> list[Out]:
        """The upstream's status and headers came. Nothing is shown yet. RuntimeError before the request, or again."""
        if self._status is not None or (self._decoder is None and not self.done):
            raise RuntimeError("one answer follows one request")
        self._status = status
        self._reading = self._decoder
        self._headers = pairs(headers)
        try:
            if self._server.answer_kind(status, self._headers, self.binding) == "error":
                self._error_body = bytearray()
        except ResponseRefused as error:
            # the body may still say what went wrong, so it is read before this is said
            self._mismatch = error
        return []

    def feed(self, chunk: bytes) -> list[Out]:
        """Upstream bytes in, cut anywhere, the client's bytes out: what they complete, at once.

        Nothing after the end (`done`). Raises RuntimeError before `response`, and nothing for what the bytes hold.
        """
        decoder = self._reading
        if decoder is None or self.done:
            return self._nothing()
        if self._error_body is not None:
            room = self._limits.raw_bytes - len(self._error_body)
            self._error_body += chunk[: max(room, 0)]
            return []
        events = decoder.feed(chunk)
        if len(events) == 1 and events[0].__class__ in self._live:
            encoder = self._encoder
            assert encoder is not None
            try:
                data = encoder.encode(events[0])
            except ResponseRefused as error:
                return self._fail(error)
            return [AnswerBody(data)] if data else []
        return self._show(events) if events else []

    def close(self) -> list[Out]:
        """The upstream's body ended: the rest, or the error that a missing end is. RuntimeError before `response`."""
        decoder = self._reading
        if decoder is None or self.done:
            return self._nothing()
        if self._error_body is not None:
            return self._fail(
                self._server.decode_error(
                    self._status, self._headers, bytes(self._error_body), self.binding
                )
            )
        return self._show(decoder.close())

    def transport_failed(self, sent: bool | None) -> list[Out]:
        """The caller's connection broke; `sent` says whether the request went out, None that nobody knows."""
        if self.done:
            return []
        if self._error_body is not None:
            # its status came, and says more than that its body was cut
            return self.close()
        code, message = RefusalCode.TRANSPORT, "the connection broke"
        if sent is False and self._status is None and not self._accepted:
            return self._fail(RequestRefused(code, f"{message} before the request"))
        dispatch = Dispatch.ACCEPTED if self._accepted else Dispatch.UNKNOWN
        broken = ResponseRefused(code, message, dispatch=dispatch, retriable=not self._shown)
        return self._fail(broken)

    def keepalive(self) -> list[Out]:
        """Bytes that keep the client's connection alive; they commit the head. Nothing for a whole answer."""
        if self.done or not self._answer.stream or self._encoder is None:
            return []
        try:
            opening = self._encoded(())
        except ResponseRefused as error:
            return self._fail(error)
        return self._sent(opening + self._encoder.keepalive())

    def _nothing(self) -> list[Out]:
        if self.done:
            return []
        raise RuntimeError("an answer begins with its status")

    # showing

    def _show(self, events: list[Event]) -> list[Out]:
        """What the client gets for the events of one feed: at most a head and one piece of body."""
        kinds = set(map(type, events))
        self._accepted = True
        self._shown = self._shown or not kinds <= _QUIET
        if kinds <= self._live:
            try:
                return self._sent(self._encoded(events))
            except ResponseRefused as error:
                return self._fail(error)
        shown: list[Event] = []
        failure: Refusal | None = None
        try:
            for event in events:
                if isinstance(event, TurnFailed):
                    failure = event.error
                elif type(event) in self._direct:
                    shown.append(event)
                elif isinstance(event, Warning):
                    self.warnings.append(event)
                else:
                    shown.extend(self._client_events(event))
        except ResponseRefused as error:
            failure = error
        if self._mismatch is not None:
            if failure is None and not isinstance(events[-1], TurnCompleted):
                return []
            if failure is None or failure.code is RefusalCode.PROTOCOL:
                failure = self._mismatch
            return self._fail(failure)
        out: list[Out] = []
        try:
            out = self._written(shown)
        except ResponseRefused as error:
            failure = error
        return out if failure is None else out + self._fail(failure)

    def _client_events(self, event: Event) -> tuple[Event, ...]:
        """The client's view of one of the server's events: own names, own tools, own seal."""
        event = self._naming.inward(event)
        if self._sealing is not None:
            event = self._sealing.take(event)
        return (event,) if self._unwrapping is None else self._unwrapping.take(event)

    def _written(self, events: list[Event]) -> list[Out]:
        last = events[-1] if events else None
        completed = last.outcome if isinstance(last, TurnCompleted) else None
        if not self._answer.stream:
            return [] if completed is None else self._whole(completed)
        if not self._head_sent and _QUIET.issuperset(map(type, events)):
            self._waiting += events
            return []
        out = self._sent(self._encoded(events))
        if self._shown:
            self._live = self._direct
        if completed is not None:
            self.outcome, self.done = completed, True
        return out

    def _encoded(self, events: Iterable[Event]) -> bytes:
        """The bytes of what waits and of `events`.

        A refusal keeps what was encoded before it, if the head is out; else it becomes an error status.
        """
        assert self._encoder is not None
        pieces: list[bytes] = []
        if self._waiting:
            events = (*self._waiting, *events)
            self._waiting = []
        try:
            self._encoder.encode_row(events, pieces)
        except ResponseRefused:
            if self._head_sent:
                self._unsent = b"".join(pieces)
            raise
        return b"".join(pieces)

    def _sent(self, data: bytes) -> list[Out]:
        out: list[Out] = []
        if not self._head_sent:
            self._head_sent = True
            out.append(AnswerHead(200, _STREAM_HEADERS))
        if data:
            out.append(AnswerBody(data))
        return out

    def _whole(self, outcome: TurnOutcome) -> list[Out]:
        body = self.client.encode_ingress_answer(
            outcome, self._named, self._answer, accept=self._accept, losses=self.losses
        )
        self.outcome = outcome
        self._head_sent = self.done = True
        return [AnswerHead(200, _JSON_HEADERS), AnswerBody(body)]

    def _fail(self, error: Refusal) -> list[Out]:
        """End with an error: a status while the head is not out, a frame in the stream after that."""
        if isinstance(error, ResponseRefused) and self._decoder is not None:
            partial = error.partial or self._decoder.snapshot()
            error = error.carrying(self._naming.inward_partial(partial))
            if self._resolved is not None:
                error = self._resolved.unwrap(TurnFailed(error)).error
        self.error, self.done = error, True
        overflows = error.code is RefusalCode.CONTEXT_LENGTH and self._reads_overflow_in_streams
        if self._head_sent or overflows:
            assert self._encoder is not None
            told = error if self._expose else error.without_upstream()
            return self._sent(self._unsent + self._encoder.fail(told))
        self._head_sent = True
        answer = self._error_answer(error)
        return [AnswerHead(answer.status, answer.headers), AnswerBody(answer.body)]

    def _error_answer(self, error: Refusal) -> HttpAnswer:
        answer: HttpAnswer = self.client.encode_ingress_error(
            error, request_id=self.identity.response_id, expose_upstream=self._expose
        )
        return answer

"""What the library refuses, as two kinds of error.

Refusal                 the base of both; never raised itself
├── RequestRefused      our caller, or a client on ingress, asked for what cannot be said: nothing was sent
└── ResponseRefused     a server's answer could not be read, or says that it failed

Rules:
1. Only these two leave the library, whatever bytes come in; any other exception is a bug.
2. The class decides what `dispatch` may be, so that a refusal raised while reading an answer can never claim that
   nothing was sent.
3. `str()` and `repr()` hold our own fixed text, paths and bounded codes only. What a provider wrote is on
   `ResponseRefused.upstream`.
4. Errors compare by value, pickle and copy.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_projections.model.outcome import PartialOutcome, UpstreamError

__all__ = ["Dispatch", "Refusal", "RefusalCode", "RequestRefused", "ResponseRefused"]


class RefusalCode(StrEnum):
    """What kind of refusal it is, the same on every wire."""

    INVALID_REQUEST = "INVALID_REQUEST"
    """The request contradicts itself or its wire's rules."""
    UNSUPPORTED = "UNSUPPORTED"
    """Known, but the target cannot carry it and the caller did not accept its loss."""
    TOO_LARGE = "TOO_LARGE"
    """Past one of `Limits`, or HTTP 413."""
    UNAUTHORIZED = "UNAUTHORIZED"
    """The credential is missing, not allowed here, or was turned down (HTTP 401, 403)."""
    RATE_LIMITED = "RATE_LIMITED"
    """HTTP 429, or a rate limit reported in a stream."""
    UNAVAILABLE = "UNAVAILABLE"
    """The server failed or is overloaded (HTTP 408, 5xx, 529, or such a code in a stream)."""
    REFUSED = "REFUSED"
    """The server declined for another reason; final."""
    PROTOCOL = "PROTOCOL"
    """The answer's bytes are not the wire's, or they end too early."""
    TRANSPORT = "TRANSPORT"
    """The connection broke; said by the caller, who owns it."""
    CONTEXT_LENGTH = "CONTEXT_LENGTH"
    """The conversation does not fit the model's context window."""
    NOT_FOUND = "NOT_FOUND"
    """No such model or path (HTTP 404)."""
    BILLING = "BILLING"
    """The account cannot pay (HTTP 402, or a quota code)."""


class Dispatch(StrEnum):
    """How far the request is known to have come."""

    NOT_SENT = "NOT_SENT"
    """No byte of it was sent."""
    REJECTED = "REJECTED"
    """It was turned down before a model worked on it."""
    UNKNOWN = "UNKNOWN"
    """It may have been worked on, and billed."""
    ACCEPTED = "ACCEPTED"
    """A model worked on it: some of the answer was read."""


_RETRIABLE_CODES = frozenset(
    {
        RefusalCode.TRANSPORT,
        RefusalCode.RATE_LIMITED,
        RefusalCode.UNAVAILABLE,
        RefusalCode.PROTOCOL,
    }
)


class Refusal(Exception):
    """Base of both kinds of refusal; raising it itself is a `TypeError`.

    `code` says what kind it is, `path` where (see docs/architecture.md, "Paths"; empty for the whole), `message` is
    our own fixed text, `dispatch` how far the request had come.
    """

    code: RefusalCode
    path: str
    message: str
    dispatch: Dispatch

    def __init__(self, code: RefusalCode, message: str, path: str, dispatch: Dispatch) -> None:
        if type(self) is Refusal:
            raise TypeError("raise RequestRefused or ResponseRefused")
        super().__init__(code, message, path)
        self.code = code
        self.message = message
        self.path = path
        self.dispatch = dispatch

    @property
    def may_retry(self) -> bool:
        """Whether sending the same request again is safe and may help."""
        return False

    def without_upstream(self) -> Refusal:
        """The same refusal without what the provider wrote."""
        return self

    def _state(self) -> tuple[Any, ...]:
        return (self.code, self.message, self.path, self.dispatch)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Refusal):
            return NotImplemented
        return type(other) is type(self) and self._state() == other._state()

    def __hash__(self) -> int:
        return hash((type(self), self.code, self.message, self.path, self.dispatch))

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.code.value}{where}: {self.message}"


class RequestRefused(Refusal):
    """A request cannot be read, or cannot be said on the target wire. Nothing was sent.

    `loss` is the name to pass in `accept=` to leave the thing out instead, or `None` where it cannot be left out.
    `others` holds every further refusal of the same request, in the order of the request.
    """

    loss: str | None
    others: tuple[RequestRefused, ...]

    def __init__(
        self,
        code: RefusalCode,
        message: str,
        path: str = "",
        *,
        loss: str | None = None,
        others: Sequence[RequestRefused] = (),
    ) -> None:
        super().__init__(code, message, path, Dispatch.NOT_SENT)
        self.loss = loss
        self.others = tuple(others)

    @property
    def may_retry(self) -> bool:
        """Whether sending the same request again is safe and may help: only where the connection failed before it."""
        return self.code is RefusalCode.TRANSPORT

    def _state(self) -> tuple[Any, ...]:
        return (*super()._state(), self.loss, self.others)

    def __reduce__(self) -> tuple[Any, ...]:
        return _request_refused, (self.code, self.message, self.path, self.loss, self.others)

    def __repr__(self) -> str:
        return (
            f"RequestRefused(code={self.code.value}, path={self.path!r}, message={self.message!r},"
            f" loss={self.loss!r}, others={len(self.others)})"
        )


class ResponseRefused(Refusal):
    """A server's answer is an error, cannot be read, or ended too early; or an answer cannot be written.

    `retriable` says that nothing was shown yet and the failure may pass; `retry_after_ms` is what the server asked
    to wait, in milliseconds. `partial` holds what was decoded before the failure, `upstream` what the provider wrote.
    """

    retriable: bool
    retry_after_ms: int | None
    partial: PartialOutcome | None
    upstream: UpstreamError | None

    def __init__(
        self,
        code: RefusalCode,
        message: str,
        path: str = "",
        *,
        dispatch: Dispatch = Dispatch.UNKNOWN,
        retriable: bool = False,
        retry_after_ms: int | None = None,
        partial: PartialOutcome | None = None,
        upstream: UpstreamError | None = None,
    ) -> None:
        if dispatch == Dispatch.NOT_SENT:
            raise ValueError("an answer is never refused before its request was sent")
        super().__init__(code, message, path, dispatch)
        self.retriable = retriable
        self.retry_after_ms = retry_after_ms
        self.partial = partial
        self.upstream = upstream

    @property
    def may_retry(self) -> bool:
        """Whether sending the same request again is safe and may help."""
        return self.retriable and self.code in _RETRIABLE_CODES

    def carrying(self, partial: PartialOutcome) -> ResponseRefused:
        """The same refusal with what was decoded before it."""
        return ResponseRefused(
            self.code,
            self.message,
            self.path,
            dispatch=self.dispatch,
            retriable=self.retriable,
            retry_after_ms=self.retry_after_ms,
            partial=partial,
            upstream=self.upstream,
        )

    def without_upstream(self) -> ResponseRefused:
        """The same refusal without what the provider wrote."""
        return ResponseRefused(
            self.code,
            self.message,
            self.path,
            dispatch=self.dispatch,
            retriable=self.retriable,
            retry_after_ms=self.retry_after_ms,
            partial=self.partial,
        )

    def _state(self) -> tuple[Any, ...]:
        return (
            *super()._state(),
            self.retriable,
            self.retry_after_ms,
            self.partial,
            self.upstream,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _response_refused, (
            self.code,
            self.message,
            self.path,
            self.dispatch,
            self.retriable,
            self.retry_after_ms,
            self.partial,
            self.upstream,
        )

    def __repr__(self) -> str:
        return (
            f"ResponseRefused(code={self.code.value}, path={self.path!r}, message={self.message!r},"
            f" dispatch={self.dispatch.value}, retriable={self.retriable}, retry_after_ms={self.retry_after_ms})"
        )


def _request_refused(
    code: RefusalCode,
    message: str,
    path: str,
    loss: str | None,
    others: tuple[RequestRefused, ...],
) -> RequestRefused:
    return RequestRefused(code, message, path, loss=loss, others=others)


def _response_refused(
    code: RefusalCode,
    message: str,
    path: str,
    dispatch: Dispatch,
    retriable: bool,
    retry_after_ms: int | None,
    partial: PartialOutcome | None,
    upstream: UpstreamError | None,
) -> ResponseRefused:
    return ResponseRefused(
        code,
        message,
        path,
        dispatch=dispatch,
        retriable=retriable,
        retry_after_ms=retry_after_ms,
        partial=partial,
        upstream=upstream,
    )

"""What is too large or nests too deep, told from what is no JSON."""

from __future__ import annotations

from typing import Any, Final

from llm_projections import _json
from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.limits import Limits

__all__ = ["TOO_DEEP", "WRITTEN_DEPTH", "Bounded", "body_apart", "json_refused"]

TOO_DEEP: Final = "nested too deep"
WRITTEN_DEPTH: Final = 1024
"""As deep as the arguments of a call are written where a wire holds them as JSON."""


def json_refused(error: _json.JsonError) -> RequestRefused:
    """The refusal of a request that is no JSON, or nests deeper than is read or written."""
    code = RefusalCode.TOO_LARGE if error.too_deep else RefusalCode.INVALID_REQUEST
    return RequestRefused(code, error.reason, error.path)


def body_apart(body: dict[str, Any]) -> dict[str, Any]:
    """A request's body that shares no list and no object with its turn: it is its caller's to change.

    Raises `RequestRefused` (TOO_LARGE) by path for a value that holds itself, and other nesting without end.
    """
    try:
        # arguments of as many levels as are written have a body around them
        return _json.copied_within(body, 2 * WRITTEN_DEPTH)
    except _json.JsonError as error:
        refused = json_refused(error)
    try:
        _json.dumps(body)
    except _json.JsonError as error:
        if error.too_deep:
            refused = json_refused(error)
    raise refused


class Bounded:
    """Refuses what a decoder reads no further: bytes that are not the wire's, and those past a limit."""

    limits: Limits
    _accepted: bool

    def _protocol(self, message: str, path: str = "") -> ResponseRefused:
        """The refusal of bytes that are not this wire's."""
        return ResponseRefused(
            RefusalCode.PROTOCOL, message, path, dispatch=Dispatch.ACCEPTED, retriable=False
        )

    def _too_large(self, limit: str) -> ResponseRefused:
        return ResponseRefused(
            RefusalCode.TOO_LARGE,
            f"past the limit {limit}",
            dispatch=Dispatch.ACCEPTED if self._accepted else Dispatch.UNKNOWN,
        )

    def _unreadable(self, error: _json.JsonError) -> ResponseRefused:
        """The refusal of bytes that are not JSON, or nest deeper than is read."""
        if error.too_deep:
            return self._too_large("json_depth")
        return self._protocol("a payload that is not JSON")

    def _hold(self, data: bytes, value: Any) -> None:
        """Refuse a payload that nests deeper than is read, where nothing else of it is asked for exactly."""
        # each level takes two bytes at least
        if len(data) > 2 * self.limits.json_depth:
            try:
                _json.exactly(value, data, self.limits.json_depth)
            except _json.JsonError as error:
                raise self._unreadable(error) from None

    def _is_deep(self, text: str) -> bool:
        """Whether the arguments of a call nest deeper than is read."""
        return _json.nests_past(text, self.limits.json_depth)

    def _load(self, data: bytes) -> Any:
        """One payload as JSON; refused where it is none, or nests deeper than is read."""
        try:
            value = _json.loads(data)
        except _json.JsonError as error:
            raise self._unreadable(error) from None
        self._hold(data, value)
        return value

    def _measure(self, body: bytes) -> None:
        """Refuse a whole body that is too large to be read."""
        most = self.limits.stream_bytes
        if len(body) > most or _json.crowded(body, most):
            raise self._too_large("stream_bytes")

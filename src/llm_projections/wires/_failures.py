"""How a refusal is shown to a client, as far as the wires share it."""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json
from llm_projections.errors import Refusal, RefusalCode, ResponseRefused

__all__ = ["OPENAI_ERRORS", "openai_error", "shown_code", "waiting"]

OPENAI_ERRORS: Mapping[RefusalCode, tuple[int, str, str | None]] = {
    RefusalCode.INVALID_REQUEST: (400, "invalid_request_error", None),
    RefusalCode.UNSUPPORTED: (400, "invalid_request_error", "unsupported_parameter"),
    RefusalCode.CONTEXT_LENGTH: (400, "invalid_request_error", "context_length_exceeded"),
    RefusalCode.REFUSED: (400, "invalid_request_error", None),
    RefusalCode.UNAUTHORIZED: (401, "authentication_error", "invalid_api_key"),
    RefusalCode.BILLING: (402, "insufficient_quota", "insufficient_quota"),
    RefusalCode.NOT_FOUND: (404, "invalid_request_error", "model_not_found"),
    RefusalCode.TOO_LARGE: (413, "invalid_request_error", "request_too_large"),
    RefusalCode.RATE_LIMITED: (429, "rate_limit_error", "rate_limit_exceeded"),
    RefusalCode.PROTOCOL: (502, "server_error", "bad_gateway"),
    RefusalCode.TRANSPORT: (502, "server_error", "bad_gateway"),
    RefusalCode.UNAVAILABLE: (503, "server_error", "server_is_overloaded"),
}
"""The status, `type` and `code` with which both OpenAI wires show a refusal."""

_OURS = frozenset({RefusalCode.UNAUTHORIZED, RefusalCode.UNSUPPORTED, RefusalCode.INVALID_REQUEST})


def shown_code(error: Refusal) -> RefusalCode:
    """The class under which a client sees `error`.

    A server that turned down this side's credential, and an answer that the client's wire cannot hold or that is past
    our limits, are faults of this side (`PROTOCOL`): the client's request was in order.
    """
    if isinstance(error, ResponseRefused) and (
        error.code in _OURS or (error.code is RefusalCode.TOO_LARGE and error.upstream is None)
    ):
        return RefusalCode.PROTOCOL
    return error.code


def waiting(error: Refusal, status: int) -> list[tuple[str, str]]:
    """The headers that say whether and when to try again.

    Both vendors' SDKs try 408, 409, 429 and every 5xx again unless `x-should-retry: false` says otherwise (openai
    3.57.0 and anthropic 2.14.0, `_should_retry`, 2026-11): without it a turn that was billed would be asked for twice
    more. `retry-after` is in whole seconds, rounded up.
    """
    found: list[tuple[str, str]] = []
    wait = error.retry_after_ms if isinstance(error, ResponseRefused) else None
    if wait is not None:
        found.append(("retry-after", str(-(-wait // 1000))))
    if not error.may_retry and (status in (408, 409, 429) or status >= 500):
        found.append(("x-should-retry", "false"))
    return found


def openai_error(error: Refusal, *, expose_upstream: bool) -> tuple[int, dict[str, Json]]:
    """The status and the `error` object that tell a client of either OpenAI wire of a refusal.

    Shape: openai 3.57.0, `shared.ErrorObject`, read 2026-11-30. With `expose_upstream` the provider's own message, type
    and code are passed on, because clients read them to adapt their next request.
    """
    code = shown_code(error)
    status, kind, word = OPENAI_ERRORS[code]
    message = f"{error.path}: {error.message}" if error.path else error.message
    param: str | None = error.path or None
    upstream = error.upstream if isinstance(error, ResponseRefused) else None
    if upstream is not None and expose_upstream:
        message = upstream.message or message
        param = upstream.param
        # its class stays ours, for statuses and retries; its words only narrow it
        if code is RefusalCode.REFUSED:
            kind, word = upstream.type or kind, upstream.code
    return status, {"message": message, "type": kind, "param": param, "code": word}

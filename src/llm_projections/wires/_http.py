"""HTTP around the bodies: headers, URLs, statuses and error bodies, as far as the wires share them.

Statuses and their classes: docs of both vendors, read 2026-11; what servers really send:
docs/evidence.md. A body's machine-readable code is trusted over its status only where it narrows it.
"""

from __future__ import annotations

from re import compile as pattern
from typing import Literal

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import Anonymous, ApiKey, Binding, Conversation
from llm_projections.model.outcome import UpstreamError
from llm_projections.wires._upstream import by_status, classify_code, read_upstream_error
from llm_projections.wires._waiting import Headers, header, pairs, retry_after_ms

__all__ = [
    "answer_kind",
    "auth_headers",
    "check_header",
    "header",
    "http_refusal",
    "refuse_foreign",
    "request_url",
    "retry_after_ms",
    "stream_refusal",
]

# requests


def auth_headers(binding: Binding, credential: str | None) -> list[tuple[str, str]]:
    """The header that authenticates, as the binding declares it.

    Raises `RequestRefused` (UNAUTHORIZED) for a credential that is missing, or given to `Anonymous`;
    (INVALID_REQUEST) for one with CR, LF or NUL.
    """
    if isinstance(binding.auth, Anonymous):
        if credential is not None:
            raise RequestRefused(
                RefusalCode.UNAUTHORIZED, "an anonymous binding takes no credential", "credential"
            )
        return []
    if not credential:
        raise RequestRefused(
            RefusalCode.UNAUTHORIZED, "the binding needs a credential", "credential"
        )
    check_header(credential, "credential")
    if isinstance(binding.auth, ApiKey):
        return [(binding.auth.header, credential)]
    return [("authorization", f"Bearer {credential}")]


def check_header(value: str, path: str) -> None:
    """Raise `RequestRefused` (INVALID_REQUEST) for a header value that would end its line."""
    if any(char in value for char in "\r\n\0"):
        raise RequestRefused(
            RefusalCode.INVALID_REQUEST, "a header value holds CR, LF or NUL", path
        )


def request_url(binding: Binding, path: str) -> str:
    """`base_url`, the wire's path and the dialect's query.

    Raises `RequestRefused` (INVALID_REQUEST) for a base URL that does not end in a slash.
    """
    if not binding.base_url.endswith("/"):
        raise RequestRefused(
            RefusalCode.INVALID_REQUEST, "base_url must end in a slash", "base_url"
        )
    query = binding.dialect.query
    return f"{binding.base_url}{path}?{query}" if query else f"{binding.base_url}{path}"


def refuse_foreign(stream: bool, conversation: Conversation | None) -> None:
    """Refuse what a wire that is always streamed and knows no conversations cannot say.

    Raises `RequestRefused` (UNSUPPORTED) for a `conversation` or for `stream=False`.
    """
    if conversation is not None:
        raise RequestRefused(
            RefusalCode.UNSUPPORTED, "this wire has no conversation identity", "conversation"
        )
    if not stream:
        raise RequestRefused(
            RefusalCode.UNSUPPORTED, "requests on this wire are always streamed", "stream"
        )


# answers

_STREAM = "text/event-stream"


def answer_kind(
    status: int, headers: Headers, binding: Binding, *, stream: bool = True
) -> Literal["stream", "whole", "error"]:
    """How an answer is to be read.

    A success without content-type is what was asked for. Raises `ResponseRefused` (PROTOCOL,
    ACCEPTED) for a success of another kind than asked, unless the dialect says that this server
    answers so.
    """
    if not 200 <= status < 300:
        return "error"
    asked: Literal["stream", "whole"] = "stream" if stream else "whole"
    named = (header(pairs(headers), "content-type") or "").partition(";")[0].strip().lower()
    if not named:
        return asked
    if named == _STREAM:
        answered: Literal["stream", "whole", "other"] = "stream"
    elif named == "application/json" or named.endswith("+json"):
        answered = "whole"
    else:
        answered = "other"
    if answered == asked:
        return asked
    if answered == "whole" and binding.dialect.answers_whole:
        return "whole"
    if answered == "stream" and binding.dialect.answers_stream:
        return "stream"
    raise ResponseRefused(
        RefusalCode.PROTOCOL,
        "the answer is of another content type than asked",
        "header.content-type",
        dispatch=Dispatch.ACCEPTED,
    )


# turned away at the door, which a fault on the way is not: that one may have been billed
_OVERLOADED = frozenset(
    {
        "server_is_overloaded",
        "overloaded_error",
        "overloaded",
        "engine_overloaded",
        "service_unavailable",
        "slow_down",
        "503",
        "529",
    }
)
_STATUS = pattern(r"[1-5][0-9]{2}").fullmatch

_TOO_LONG = pattern(
    r"prompt is too long|maximum context length|context length|context window|context size"
    r"|exceeds? the (?:available )?context|too many tokens",
    2,  # re.IGNORECASE
).search


def http_refusal(status: int, headers: Headers, body: bytes) -> ResponseRefused:
    """An HTTP error answer as the refusal that it is."""
    try:
        value: Json = _json.loads_exact(body) if body.strip() else None
    except _json.JsonError:
        value = bytes(body[:65_536]).decode("utf-8", "replace")
    upstream = read_upstream_error(value)
    code = by_status(status)
    said = classify_code(upstream.code, upstream.type)
    if code is RefusalCode.REFUSED and 400 <= status < 500:
        if said is not None and said in _NARROWS:
            code = said
        elif _means_too_long(upstream):
            code = RefusalCode.CONTEXT_LENGTH
    elif code is RefusalCode.RATE_LIMITED and said is RefusalCode.BILLING:
        code = RefusalCode.BILLING
    elif code is RefusalCode.TOO_LARGE and said is RefusalCode.CONTEXT_LENGTH:
        code = said
    return ResponseRefused(
        code,
        f"the server answered with status {status}" if 100 <= status <= 999 else "no HTTP status",
        dispatch=_dispatch(status),
        retriable=code in (RefusalCode.RATE_LIMITED, RefusalCode.UNAVAILABLE),
        retry_after_ms=retry_after_ms(pairs(headers)),
        upstream=upstream,
    )


_NARROWS = frozenset(
    {
        RefusalCode.CONTEXT_LENGTH,
        RefusalCode.NOT_FOUND,
        RefusalCode.BILLING,
        RefusalCode.UNAUTHORIZED,
        RefusalCode.TOO_LARGE,
    }
)


def _means_too_long(upstream: UpstreamError) -> bool:
    # Messages has no code of its own for it: type invalid_request_error and this text
    # (platform.claude.com, "Errors", read 2026-11), which is also all that vLLM says.
    return upstream.message is not None and _TOO_LONG(upstream.message) is not None


def _dispatch(status: int) -> Dispatch:
    if (400 <= status < 500 and status != 408) or status in (503, 529):
        return Dispatch.REJECTED
    return Dispatch.UNKNOWN


def stream_refusal(body: Json, *, shown: bool, accepted: bool) -> ResponseRefused:
    """An error that came inside a success, classified by its machine-readable code alone.

    `shown` says that output was decoded before it, `accepted` that any payload was.
    """
    upstream = read_upstream_error(body)
    said = (upstream.code, upstream.type)
    code = classify_code(*said)
    if code is None and upstream.code is not None and _STATUS(upstream.code):
        code = by_status(int(upstream.code))
    if code is None and isinstance(body, dict):
        code = classify_code(body.get("status"))  # of a WebSocket's error message
    if code is None:
        code = RefusalCode.REFUSED
    passing = code in (RefusalCode.UNAVAILABLE, RefusalCode.RATE_LIMITED)
    overloaded = any(word is not None and word.lower() in _OVERLOADED for word in said)
    if accepted:
        dispatch = Dispatch.ACCEPTED
    elif code is RefusalCode.RATE_LIMITED or overloaded:
        dispatch = Dispatch.REJECTED
    else:
        dispatch = Dispatch.UNKNOWN
    return ResponseRefused(
        code,
        "the server reported an error in its answer",
        dispatch=dispatch,
        retriable=passing and not shown,
        upstream=upstream,
    )

"""What a server says went wrong, in any of the shapes that servers write."""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.outcome import UpstreamError

__all__ = ["by_status", "classify_code", "is_bare_error", "read_upstream_error"]

# codes that mean the same wherever a server writes them: `code` or `type` of an error object
_CODES: Mapping[str, RefusalCode] = {
    **dict.fromkeys(
        (
            "server_error",
            "server_is_overloaded",
            "overloaded_error",
            "overloaded",
            "api_error",
            "timeout_error",
            "internal_server_error",
            "internal_error",
            "service_unavailable",
            "engine_overloaded",
            "slow_down",
            "vector_store_timeout",
        ),
        RefusalCode.UNAVAILABLE,
    ),
    **dict.fromkeys(
        (
            "rate_limit_exceeded",
            "rate_limit_error",
            "rate_limit_reached",
            "too_many_requests",
            "tokens",
            "requests",
        ),
        RefusalCode.RATE_LIMITED,
    ),
    **dict.fromkeys(
        (
            "authentication_error",
            "permission_error",
            "invalid_api_key",
            "invalid_authentication",
            "unauthorized",
            "permission_denied",
        ),
        RefusalCode.UNAUTHORIZED,
    ),
    **dict.fromkeys(
        (
            "insufficient_quota",
            "billing_error",
            "billing_not_active",
            "billing_hard_limit_reached",
            "exceeded_current_quota_error",
        ),
        RefusalCode.BILLING,
    ),
    **dict.fromkeys(
        (
            "not_found_error",
            "not_found",
            "model_not_found",
            "notfounderror",
            "deployment_not_found",
            "deploymentnotfound",
        ),
        RefusalCode.NOT_FOUND,
    ),
    **dict.fromkeys(
        (
            "context_length_exceeded",
            "exceed_context_size_error",
            "model_context_window_exceeded",
            "context_window_exceeded",
            "string_above_max_length",
        ),
        RefusalCode.CONTEXT_LENGTH,
    ),
    **dict.fromkeys(("request_too_large",), RefusalCode.TOO_LARGE),
}


def classify_code(*codes: object) -> RefusalCode | None:
    """The class that the first known of several machine-readable codes means."""
    for code in codes:
        if isinstance(code, str):
            found = _CODES.get(code.lower())
            if found is not None:
                return found
        elif type(code) is int and 400 <= code <= 599:
            return by_status(code)
    return None


def by_status(status: int) -> RefusalCode:
    """The class that a status means by itself."""
    match status:
        case 401 | 403:
            return RefusalCode.UNAUTHORIZED
        case 402:
            return RefusalCode.BILLING
        case 404:
            return RefusalCode.NOT_FOUND
        case 413:
            return RefusalCode.TOO_LARGE
        case 429:
            return RefusalCode.RATE_LIMITED
        case 408:
            return RefusalCode.UNAVAILABLE
        case _ if status >= 500:
            return RefusalCode.UNAVAILABLE
        case _:
            return RefusalCode.REFUSED


def is_bare_error(payload: Mapping[str, Json], *, typed: bool = True) -> bool:
    """Whether an object that is no event or answer of its wire says what went wrong.

    `{"object": "error", ...}` (vLLM), `{"message": ...}` with a code or a type (llama.cpp, gateways), `{"detail": ...}`
    (FastAPI). Where events are `typed`, the type of one that nobody publishes has to be that of an error.
    """
    if payload.get("object") == "error":
        return True
    kind = payload.get("type")
    if not typed or kind is None:
        told = isinstance(payload.get("message"), str) and ("code" in payload or kind is not None)
        return told or "detail" in payload
    if not isinstance(kind, str) or not isinstance(payload.get("message"), str):
        return False
    return kind.lower().endswith("error") or classify_code(kind) is not None


def read_upstream_error(body: Json) -> UpstreamError:
    """What an error body says, in any of the shapes that servers write.

    `{"error": {...}}` (both vendors; llama.cpp and vLLM with an integer code), `{"error": "text"}` (transformers),
    `{"detail": ...}` (FastAPI: a text, an object, or a list of findings), `{"errors": [...]}` (Cloudflare), a list
    of one of these (Gemini), a bare `{"code", "message", "type"}` (llama.cpp in mid-stream), or any other value. All of
    it is kept as `raw`.
    """
    said = _innermost(body)
    beside = body.get("code") if isinstance(body, dict) else None
    if isinstance(said, str):
        return UpstreamError(message=said, code=_word(beside), raw=body)
    if isinstance(said, list):
        told = [_message(each) for each in said]
        found = "; ".join(each for each in told if each is not None)
        return UpstreamError(message=found or None, code=_word(beside), raw=body)
    if not isinstance(said, dict):
        return UpstreamError(raw=body)
    kind = _word(said.get("type"))
    return UpstreamError(
        # the type of the event, not of what went wrong
        type=None if said is body and kind == "error" else kind,
        code=_word(said.get("code")),
        message=_message(said),
        param=_word(said.get("param")),
        raw=body,
    )


_DEEPEST = 4  # lists and wrappers around what went wrong, none seen with more than two


def _innermost(value: Json) -> Json:
    """The object, the text or the findings that say what went wrong."""
    for _ in range(_DEEPEST):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
            continue
        inner: Json = None
        if isinstance(value, dict):
            inner = value.get("error")
            if not inner and not isinstance(value.get("message"), str):
                inner = value.get("errors") or value.get("detail")
        if not inner or not isinstance(inner, dict | list | str):
            return value
        value = inner
    return value


def _message(said: Json) -> str | None:
    """The words of an error or of a finding."""
    if isinstance(said, str):
        return said
    if isinstance(said, dict):
        for key in ("message", "msg", "detail"):
            words = said.get(key)
            if isinstance(words, str):
                return words
    return None


def _word(value: Json) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if type(value) is int else None

"""Words of answers, in both directions.

Sources: openai 3.57.0, `chat_completion_chunk.Choice.finish_reason` and `chat_completion.Choice.finish_reason`, read
2026-11-30; what other servers write instead is marked with who does.
"""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json
from llm_projections.errors import Refusal, RefusalCode, ResponseRefused
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopReason,
    StopSequence,
    ToolCalls,
)

__all__ = ["ERRORS", "FAILED", "INCOMPLETE_OUT", "STOPS", "STOPS_OUT", "error_object"]

STOPS: Mapping[str, StopReason] = {
    "stop": EndTurn(),
    "length": MaxOutputTokens(),
    "tool_calls": ToolCalls(),
    "function_call": ToolCalls(),
    "content_filter": Incomplete("content_filter"),
    "eos": EndTurn(),  # Together, where the model ended by its own token
    "model_length": MaxOutputTokens(),  # Mistral, where the context window was full
}
"""`finish_reason` to the neutral stop; any other word is `Incomplete` under its own name."""

FAILED = "error"
"""The `finish_reason` with which OpenRouter and Mistral end an answer that failed."""

STOPS_OUT: Mapping[type, str] = {
    EndTurn: "stop",
    StopSequence: "stop",
    MaxOutputTokens: "length",
    ToolCalls: "tool_calls",
}

INCOMPLETE_OUT: Mapping[str, str] = {
    "content_filter": "content_filter",
    "refusal": "content_filter",  # Messages: its classifiers stopped the answer
    "model_context_window_exceeded": "length",  # Messages
    "max_output_tokens": "length",  # Responses
}
"""Reasons of any wire that this one can say; `pause_turn`, for one, it cannot."""

ERRORS: Mapping[RefusalCode, tuple[int, str, str | None]] = {
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
"""The status, `type` and `code` with which a refusal is shown to a client."""


def error_object(error: Refusal, *, expose_upstream: bool) -> tuple[int, dict[str, Json]]:
    """The status and the `error` object that tell a client of a refusal.

    Shape: openai 3.57.0, `shared.ErrorObject`, read 2026-11-30. With `expose_upstream` the provider's own message, type
    and code are passed on, because clients read them to adapt their next request. A server that turned down our
    credential is a fault of this side (502), unlike a client whose own is missing.
    """
    code = error.code
    if code is RefusalCode.UNAUTHORIZED and isinstance(error, ResponseRefused):
        code = RefusalCode.PROTOCOL
    status, kind, word = ERRORS[code]
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

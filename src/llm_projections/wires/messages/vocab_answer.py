"""Words of Messages answers: blocks, deltas, stop reasons and errors, both directions.

Sources: types of anthropic 2.14.0 and 0.121.0 and platform.claude.com ("Streaming", "Stop reasons",
"Errors"), read 2026-11-30; what other servers send: docs/evidence.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from re import compile as pattern

from llm_projections.errors import Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopReason,
    StopSequence,
    ToolCalls,
)
from llm_projections.wires._failures import shown_code

__all__ = [
    "BLOCK_KEYS",
    "CARRIED_BLOCK_KEYS",
    "CITATIONS",
    "DELTA_TEXT",
    "DELTA_USAGE",
    "DIRECT",
    "KEPT_EVENT",
    "MESSAGE_KEYS",
    "OWN_STOPS",
    "PUBLISHED_MESSAGE_KEYS",
    "STOPS",
    "TOP_LEVEL",
    "WIRE_BLOCKS",
    "error_text",
    "error_words",
    "stop_words",
]

# blocks

CITATIONS = "messages.content.citations"
"""The extension path of one citation."""

KEPT_EVENT = "answer.kept_event"
"""The extension path that tells a kept stream event from an item."""

BLOCK_KEYS: Mapping[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "citations"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "tool_use": frozenset({"type", "id", "name", "input"}),
}
"""What is understood of each block that has a neutral meaning."""

CARRIED_BLOCK_KEYS: Mapping[str, frozenset[str]] = {
    "tool_use": frozenset({"caller", "toolset_name"})
}
"""What a later request repeats of a block: the paths that ingest gives them, `messages.content.<key>`."""

DIRECT = {"type": "direct"}
"""The caller of a call that names no other: the same as none."""

WIRE_BLOCKS = frozenset(
    {
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "container_upload",
        "advisor_tool_result",
        "compaction",
        "fallback",
        "mcp_tool_listing",
        "mcp_tool_result",
        "mcp_tool_use",
    }
)
"""Published blocks without a neutral meaning."""

DELTA_TEXT: Mapping[str, str] = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
    "signature_delta": "signature",
}
"""Where each delta has its text."""

# the message

MESSAGE_KEYS = frozenset(
    {"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"}
)
PUBLISHED_MESSAGE_KEYS = frozenset(
    {"container", "context_management", "diagnostics", "input_transformations", "stop_details"}
)
TOP_LEVEL = frozenset({"context_management", "input_transformations"})
"""Fields of the message that stand beside `delta` in `message_delta`, not in it."""

DELTA_USAGE = frozenset(
    {
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "fallback_credit",
        "input_tokens",
        "iterations",
        "output_tokens",
        "output_tokens_details",
        "server_tool_use",
    }
)
"""Counters that `message_delta` publishes; the others stand in `message_start` alone."""

# why it stopped

STOPS: Mapping[str, StopReason] = {
    "end_turn": EndTurn(),
    "tool_use": ToolCalls(),
    "max_tokens": MaxOutputTokens(),
}
"""Stop reasons that say all by themselves; `stop_sequence` brings its text."""

OWN_STOPS = frozenset({"pause_turn", "refusal", "model_context_window_exceeded", "compaction"})
"""Published stop reasons without a neutral meaning, under their own names in `Incomplete`."""

_FOREIGN_STOPS: Mapping[str, str] = {"content_filter": "refusal"}


def stop_words(stop: StopReason, *, own: bool) -> tuple[str, str | None] | None:
    """`stop_reason` and `stop_sequence`; `None` where this wire cannot say it.

    `own` says that the answer came from this wire, whose unpublished reasons go out as they came.
    """
    match stop:
        case EndTurn():
            return "end_turn", None
        case ToolCalls():
            return "tool_use", None
        case MaxOutputTokens():
            return "max_tokens", None
        case StopSequence(text):
            return "stop_sequence", text
        case Incomplete(reason):
            if own or reason in OWN_STOPS:
                return reason, None
            word = _FOREIGN_STOPS.get(reason)
            return None if word is None else (word, None)


# errors

_WORDS: Mapping[RefusalCode, tuple[int, str]] = {
    RefusalCode.INVALID_REQUEST: (400, "invalid_request_error"),
    RefusalCode.UNSUPPORTED: (400, "invalid_request_error"),
    RefusalCode.TOO_LARGE: (413, "request_too_large"),
    RefusalCode.UNAUTHORIZED: (401, "authentication_error"),
    RefusalCode.RATE_LIMITED: (429, "rate_limit_error"),
    RefusalCode.UNAVAILABLE: (529, "overloaded_error"),
    RefusalCode.REFUSED: (400, "invalid_request_error"),
    RefusalCode.PROTOCOL: (502, "api_error"),
    RefusalCode.TRANSPORT: (502, "api_error"),
    RefusalCode.CONTEXT_LENGTH: (400, "invalid_request_error"),
    RefusalCode.NOT_FOUND: (404, "not_found_error"),
    RefusalCode.BILLING: (402, "billing_error"),
}

# An upstream of this wire may say more exactly what it is; these types tell clients something.
_KEPT: Mapping[tuple[RefusalCode, str | None], tuple[int, str]] = {
    (RefusalCode.UNAVAILABLE, "api_error"): (500, "api_error"),
    (RefusalCode.UNAVAILABLE, "timeout_error"): (504, "timeout_error"),
    (RefusalCode.REFUSED, "conflict_error"): (409, "conflict_error"),
}

# more than this is a list for an operator, who has the refusal itself
_MOST_NAMED = 16


def error_words(error: Refusal) -> tuple[int, str]:
    """The HTTP status and the type of an error answer."""
    code = shown_code(error)
    if code is error.code and isinstance(error, ResponseRefused):
        said = None if error.upstream is None else error.upstream.type
        return _KEPT.get((code, said), _WORDS[code])
    return _WORDS[code]


def error_text(error: Refusal, *, expose_upstream: bool = True) -> str:
    """What an error answer says: the upstream's own words, or ours.

    Claude Code 2.1.332 reads it: `<field>: Extra inputs are not permitted` makes it leave the field
    out, `max_tokens: N > M` lower its limit, and `prompt is too long` compact (seen on loopback, 2026-11).
    """
    if isinstance(error, RequestRefused):
        named = [_refused(each) for each in (error, *error.others)[:_MOST_NAMED]]
        return "; ".join(dict.fromkeys(named))
    upstream = error.upstream if isinstance(error, ResponseRefused) else None
    said = upstream.message if upstream is not None and expose_upstream else None
    if upstream is not None and error.code is RefusalCode.CONTEXT_LENGTH:
        return _too_long(said)
    if said:
        return said
    return f"{_dotted(error.path)}: {error.message}" if error.path else error.message


def _too_long(said: str | None) -> str:
    """That the context window is full, in this vendor's words, whoever said it: `N tokens > M maximum`.

    Other servers give the two numbers in sentences of their own (OpenAI, vLLM, llama.cpp; read 2026-11-30).
    """
    if not said:
        return _TOO_LONG
    if _TOO_LONG in said.lower():
        return said
    window = _WINDOW(said)
    asked = [int(found) for found in _TOKENS(said) if window and int(found) > int(window[1])]
    if window is None or not asked:
        return f"{_TOO_LONG}: {said}"
    return f"{_TOO_LONG}: {asked[0]} tokens > {int(window[1])} maximum ({said})"


_TOO_LONG = "prompt is too long"
_WINDOW = pattern(
    r"(?:context (?:length|window|size)(?: is| of)?|limit of) ?\(?([0-9]{1,12})\b", 2
).search  # 2: re.IGNORECASE
_TOKENS = pattern(r"\b([0-9]{1,12}) (?:input |prompt )?tokens\b", 2).findall


def _refused(error: RequestRefused) -> str:
    if error.loss == "max_output_tokens.lowered" or not error.path:
        return error.message
    if error.code is RefusalCode.UNSUPPORTED:
        return f"{_dotted(error.path)}: Extra inputs are not permitted"
    return f"{_dotted(error.path)}: {error.message}"


def _dotted(path: str) -> str:
    """A path as the vendor writes it: `messages[3].content[0]` is `messages.3.content.0`."""
    return path.replace("[", ".").replace("]", "")

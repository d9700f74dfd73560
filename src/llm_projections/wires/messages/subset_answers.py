"""The declared subset of Messages answers: every published place of them and what becomes of it.

Read from anthropic 2.14 (2026-10-21) and 0.121 (2023-06-01), beta types included. Blocks are placed
below `response.`; in a stream they come within `content_block_start`, `content_block_delta` and
`content_block_stop`.
"""

from __future__ import annotations

from llm_projections.wires._rows import Row, Treat
from llm_projections.wires.messages.vocab_answer import WIRE_BLOCKS

__all__ = ["ROWS"]

_BLOCK = "response.content[]"
_START = "event.message_start"
_DELTA = "event.content_block_delta"
_END = "event.message_delta"


def _map(name: str, at: str, neutral: str, loss: str | None = None) -> Row:
    return Row(f"messages-ans-{name}", at, Treat.MAP, neutral, loss)


def _carry(name: str, at: str, loss: str) -> Row:
    return Row(f"messages-ans-{name}", at, Treat.CARRY, "", loss)


def _spell(name: str, at: str, neutral: str) -> Row:
    return Row(f"messages-ans-{name}", at, Treat.SPELL, neutral)


_MESSAGE = (
    _map("id", "response.id", "Observation.response_id"),
    _map("model", "response.model", "Observation.upstream_model"),
    _spell("type", "response.type", "message, a constant"),
    _spell("role", "response.role", "assistant, a constant"),
    _map("content", "response.content", "TurnOutcome.items"),
    _map("stop-reason", "response.stop_reason", "TurnOutcome.stop"),
    _map("stop-sequence", "response.stop_sequence", "StopSequence.text", "answer.stop_sequence"),
    _map("usage", "response.usage", "Observation.usage", "answer.usage"),
    _carry("stop-details", "response.stop_details.**", "answer.extensions"),
    _carry("container", "response.container.**", "answer.extensions"),
    _carry("diagnostics", "response.diagnostics.**", "answer.extensions"),
    _carry("context-management", "response.context_management.**", "answer.extensions"),
    _carry("input-transformations", "response.input_transformations.**", "answer.extensions"),
)

_TEXT = (
    _map("text", f"{_BLOCK}<text>", "AssistantMessage"),
    _spell("text-type", f"{_BLOCK}<text>.type", "text, a constant"),
    _map("text-text", f"{_BLOCK}<text>.text", "Text.text"),
    _map("citations", f"{_BLOCK}<text>.citations.**", "Text.annotations", "answer.annotations"),
)

_THINKING = (
    _map("thinking", f"{_BLOCK}<thinking>", "Opaque, or Reasoning unsigned", "answer.reasoning"),
    _spell("thinking-type", f"{_BLOCK}<thinking>.type", "thinking, a constant"),
    _map("thinking-text", f"{_BLOCK}<thinking>.thinking", "Opaque.text", "answer.reasoning"),
    _carry("thinking-signature", f"{_BLOCK}<thinking>.signature", "answer.opaque"),
    _carry("redacted-thinking", f"{_BLOCK}<redacted_thinking>.**", "answer.opaque"),
)

_CALL = f"{_BLOCK}<tool_use>"
_CALLS = (
    _map("call", _CALL, "ToolCall"),
    _spell("call-type", f"{_CALL}.type", "tool_use, a constant"),
    _map("call-id", f"{_CALL}.id", "ToolCall.call_id"),
    _map("call-name", f"{_CALL}.name", "ToolCall.name"),
    _map("call-input", f"{_CALL}.input", "ToolCall.arguments"),
    _carry("call-caller", f"{_CALL}.caller.**", "answer.extensions"),
    _spell("call-caller-direct", f"{_CALL}.caller<direct>.**", "no caller named"),
    _carry("call-toolset", f"{_CALL}.toolset_name", "answer.extensions"),
)

_WIRE_ITEMS = (
    _carry(
        "blocks",
        f"{_BLOCK}<{'|'.join(sorted(WIRE_BLOCKS - {'compaction', 'fallback'}))}>.**",
        "answer.wire_item",
    ),
    _carry("compaction", f"{_BLOCK}<compaction>.**", "answer.wire_item"),
    _carry("compaction-sealed", f"{_BLOCK}<compaction>.encrypted_content", "answer.opaque"),
    _carry("fallback", f"{_BLOCK}<fallback>.**", "answer.wire_item"),
    _map("fallback-model", f"{_BLOCK}<fallback>.to.model", "Observation.upstream_model"),
)

_STOPS = (
    _map("stop-end-turn", "stop.end_turn", "EndTurn"),
    _map("stop-tool-use", "stop.tool_use", "ToolCalls"),
    _map("stop-max-tokens", "stop.max_tokens", "MaxOutputTokens"),
    _map("stop-stop-sequence", "stop.stop_sequence", "StopSequence"),
    _map("stop-refusal", "stop.refusal", "Incomplete", "answer.stop_reason"),
    _map("stop-pause-turn", "stop.pause_turn", "Incomplete", "answer.stop_reason"),
    _map("stop-context", "stop.model_context_window_exceeded", "Incomplete", "answer.stop_reason"),
    _map("stop-compaction", "stop.compaction", "Incomplete", "answer.stop_reason"),
)

_USAGE = (
    _map("usage-input", "usage.input_tokens", "Usage.input_tokens, with cache reads and writes"),
    _map("usage-output", "usage.output_tokens", "Usage.output_tokens"),
    _map("usage-read", "usage.cache_read_input_tokens", "Usage.cached_input_tokens"),
    _map("usage-written", "usage.cache_creation_input_tokens", "Usage.cache_creation_input_tokens"),
    _map("usage-details", "usage.output_tokens_details", "Usage.reported"),
    _map(
        "usage-thinking",
        "usage.output_tokens_details.thinking_tokens",
        "Usage.reasoning_output_tokens",
    ),
    *(
        _carry(f"usage-{key.replace('_', '-')}", f"usage.{key}.**", "answer.usage")
        for key in (
            "cache_creation",
            "fallback_credit",
            "inference_geo",
            "iterations",
            "server_tool_use",
            "service_tier",
            "speed",
        )
    ),
)

_EVENTS = (
    _map("event-start", _START, "ResponseStarted"),
    _spell("event-start-type", f"{_START}.type", "message_start, a constant"),
    _map("event-start-message", f"{_START}.message", "ResponseStarted, UsageReported"),
    _map("event-block", "event.content_block_start", "the item begins"),
    _spell("event-block-type", "event.content_block_start.type", "the event's name, a constant"),
    _map("event-block-index", "event.content_block_start.index", "which block"),
    _map("event-block-block", "event.content_block_start.content_block", "the item as it begins"),
    _map("event-delta", _DELTA, "an event by the delta's type"),
    _spell("event-delta-type", f"{_DELTA}.type", "the event's name, a constant"),
    _map("event-delta-index", f"{_DELTA}.index", "which block"),
    _map("event-delta-delta", f"{_DELTA}.delta", "an event by the delta's type"),
    _map("delta-text", f"{_DELTA}.delta<text_delta>.**", "TextDelta"),
    _map("delta-arguments", f"{_DELTA}.delta<input_json_delta>.**", "ToolArgumentsDelta"),
    _map("delta-thinking", f"{_DELTA}.delta<thinking_delta>.**", "ReasoningDelta"),
    _carry(
        "delta-estimate",
        f"{_DELTA}.delta<thinking_delta>.estimated_tokens",
        "answer.extensions",
    ),
    _carry("delta-signature", f"{_DELTA}.delta<signature_delta>.**", "answer.opaque"),
    _map(
        "delta-citation",
        f"{_DELTA}.delta<citations_delta>.**",
        "Text.annotations",
        "answer.annotations",
    ),
    _carry("delta-compaction", f"{_DELTA}.delta<compaction_delta>.**", "answer.wire_item"),
    _map("event-block-end", "event.content_block_stop.**", "ItemCompleted"),
    _map("event-end", _END, "UsageReported"),
    _spell("event-end-type", f"{_END}.type", "message_delta, a constant"),
    _map("event-end-delta", f"{_END}.delta", "TurnCompleted"),
    _map("event-end-stop", f"{_END}.delta.stop_reason", "TurnOutcome.stop"),
    _map(
        "event-end-sequence",
        f"{_END}.delta.stop_sequence",
        "StopSequence.text",
        "answer.stop_sequence",
    ),
    _carry("event-end-details", f"{_END}.delta.stop_details.**", "answer.extensions"),
    _carry("event-end-container", f"{_END}.delta.container.**", "answer.extensions"),
    _map("event-end-usage", f"{_END}.usage", "UsageReported", "answer.usage"),
    _carry("event-end-edits", f"{_END}.context_management.**", "answer.extensions"),
    _carry("event-end-transformations", f"{_END}.input_transformations.**", "answer.extensions"),
    _map("event-stop", "event.message_stop.**", "TurnCompleted"),
    _spell("event-ping", "event.ping.**", "nothing"),
    _map("event-error", "event.error.**", "TurnFailed"),
)

_ERRORS = (
    *(
        _map(f"error-{kind.replace('_', '-')}", f"error.{kind}", f"RefusalCode.{code}")
        for kind, code in (
            ("invalid_request_error", "REFUSED, or CONTEXT_LENGTH by its text"),
            ("authentication_error", "UNAUTHORIZED"),
            ("permission_error", "UNAUTHORIZED"),
            ("billing_error", "BILLING"),
            ("not_found_error", "NOT_FOUND"),
            ("rate_limit_error", "RATE_LIMITED"),
            ("timeout_error", "UNAVAILABLE"),
            ("api_error", "UNAVAILABLE"),
            ("overloaded_error", "UNAVAILABLE"),
            ("conflict_error", "REFUSED"),
            ("memory_path_conflict_error", "REFUSED"),
            ("memory_precondition_failed_error", "REFUSED"),
        )
    ),
    _map("error-request-id", "error.request_id", "UpstreamError.raw"),
    _map("count", "count_tokens_response.input_tokens", "the count, as an argument"),
    Row(
        "messages-ans-count-edits",
        "count_tokens_response.context_management.**",
        Treat.REFUSE,
        "a count is given as one number, after any edits",
    ),
)

ROWS: tuple[Row, ...] = (
    *_MESSAGE,
    *_TEXT,
    *_THINKING,
    *_CALLS,
    *_WIRE_ITEMS,
    *_STOPS,
    *_USAGE,
    *_EVENTS,
    *_ERRORS,
)

"""The declared subset of Responses answers: every published place of them and what becomes of it.

Read from openai 3.57.0 and 2.54.0, beta types included (2026-11-30). An item stands below `response.output[]`,
whether a stream adds it or the terminal object lists it.
"""

from __future__ import annotations

from llm_projections.wires._rows import Row, Treat
from llm_projections.wires.responses.vocab import WIRE_ITEMS
from llm_projections.wires.responses.vocab_answer import (
    ECHOES,
    PART_ADDED_ONLY,
    PUBLISHED_ANSWER_FIELDS,
    REPEATED_EVENTS,
    SAYABLE_CODES,
)

__all__ = ["ROWS"]

_ITEM = "response.output[]"
_MESSAGE_AT = f"{_ITEM}<assistant>"
_TEXT_AT = f"{_MESSAGE_AT}.content[]<output_text>"
_REASONING_AT = f"{_ITEM}<reasoning>"


# what servers write beside the published types: read alike, and nobody's to declare
_UNPUBLISHED_ECHOES = frozenset({"frequency_penalty", "presence_penalty", "store", "top_k"})
_UNPUBLISHED_EVENTS = frozenset(
    {"response.reasoning_part.added", "response.reasoning_summary.part.added"}
)
_ITEMS = {*WIRE_ITEMS, "custom_tool_call_output", "function_call_output"} - {
    "compaction_trigger",
    "configuration_update",
    "item_reference",
}


def _map(name: str, at: str, neutral: str, loss: str | None = None) -> Row:
    return Row(f"responses-ans-{name}", at, Treat.MAP, neutral, loss)


def _carry(name: str, at: str, loss: str) -> Row:
    return Row(f"responses-ans-{name}", at, Treat.CARRY, "", loss)


def _spell(name: str, at: str, neutral: str) -> Row:
    return Row(f"responses-ans-{name}", at, Treat.SPELL, neutral)


def _plain(name: str) -> str:
    return name.replace("_", "-").replace(".", "-")


_RESPONSE = (
    _map("id", "response.id", "Observation.response_id"),
    _map("model", "response.model", "Observation.upstream_model"),
    _map("status", "response.status", "TurnOutcome.stop"),
    _map("incomplete-details", "response.incomplete_details.**", "TurnOutcome.stop"),
    _map("error", "response.error.**", "ResponseRefused.upstream"),
    _map("output", "response.output", "TurnOutcome.items"),
    _map("usage", "response.usage", "Observation.usage", "answer.usage"),
    _spell("object", "response.object", "response, a constant"),
    _spell("created-at", "response.created_at", "the server's clock; written from Identity"),
    *(
        _spell(f"echo-{_plain(field)}", f"response.{field}.**", "the request's own value, repeated")
        for field in sorted(ECHOES - _UNPUBLISHED_ECHOES)
    ),
    *(
        _carry(_plain(field), f"response.{field}.**", "answer.extensions")
        for field in sorted(PUBLISHED_ANSWER_FIELDS)
    ),
)

_MESSAGE = (
    _map("message", _MESSAGE_AT, "AssistantMessage"),
    _spell("message-type", f"{_MESSAGE_AT}.type", "message, a constant"),
    _spell("message-role", f"{_MESSAGE_AT}.role", "assistant, a constant"),
    _carry("message-id", f"{_MESSAGE_AT}.id", "responses.input.id"),
    _carry("message-status", f"{_MESSAGE_AT}.status", "answer.extensions"),
    _carry("message-phase", f"{_MESSAGE_AT}.phase", "answer.extensions"),
    _carry("message-agent", f"{_MESSAGE_AT}.agent.**", "answer.extensions"),
    _map("message-content", f"{_MESSAGE_AT}.content", "AssistantMessage.content"),
    _map("text", _TEXT_AT, "Text"),
    _spell("text-type", f"{_TEXT_AT}.type", "output_text, a constant"),
    _map("text-text", f"{_TEXT_AT}.text", "Text.text"),
    _map("annotations", f"{_TEXT_AT}.annotations.**", "Text.annotations", "answer.annotations"),
    _carry("logprobs", f"{_TEXT_AT}.logprobs.**", "answer.extensions"),
    _map("refusal", f"{_MESSAGE_AT}.content[]<refusal>.**", "RefusalText", "answer.refusal"),
)

_REASONING = (
    _map("reasoning", _REASONING_AT, "Opaque, or Reasoning unsealed", "answer.reasoning"),
    _spell("reasoning-type", f"{_REASONING_AT}.type", "reasoning, a constant"),
    _carry("reasoning-id", f"{_REASONING_AT}.id", "responses.input.id"),
    _carry("reasoning-status", f"{_REASONING_AT}.status", "answer.extensions"),
    _carry("reasoning-agent", f"{_REASONING_AT}.agent.**", "answer.extensions"),
    _map("summary", f"{_REASONING_AT}.summary.**", "Reasoning.text", "answer.reasoning.summary"),
    _map("raw", f"{_REASONING_AT}.content.**", "Reasoning.text", "answer.reasoning"),
    _carry("encrypted", f"{_REASONING_AT}.encrypted_content", "answer.opaque"),
    _carry("compaction", f"{_ITEM}<compaction>.**", "answer.opaque"),
)


def _call(kind: str, neutral: str, said: str) -> tuple[Row, ...]:
    at, name = f"{_ITEM}<{kind}>", _plain(kind)
    loss = "answer.custom_tool_call" if said == "input" else None
    return (
        _map(name, at, neutral, loss),
        _spell(f"{name}-type", f"{at}.type", f"{kind}, a constant"),
        _map(f"{name}-call-id", f"{at}.call_id", f"{neutral}.call_id"),
        _map(f"{name}-name", f"{at}.name", f"{neutral}.name"),
        _map(f"{name}-said", f"{at}.{said}", f"{neutral}.{said}"),
        _carry(f"{name}-id", f"{at}.id", "responses.input.id"),
        *(
            _carry(f"{name}-{field}", f"{at}.{field}.**", "answer.extensions")
            for field in ("agent", "async", "caller", "namespace")
        ),
    )


_CALLS = (
    *_call("function_call", "ToolCall", "arguments"),
    _carry("function-call-status", f"{_ITEM}<function_call>.status", "answer.extensions"),
    *_call("custom_tool_call", "CustomToolCall", "input"),
    *(
        _carry(f"item-{_plain(kind)}", f"{_ITEM}<{kind}>.**", "answer.wire_item")
        for kind in sorted(_ITEMS)
    ),
)

_SAID = {
    "response.output_text.delta": "TextDelta",
    "response.output_text.done": "TextDelta, where no delta said it",
    "response.refusal.delta": "RefusalDelta",
    "response.refusal.done": "RefusalDelta, where no delta said it",
    "response.reasoning_summary_text.delta": "ReasoningDelta.summary",
    "response.reasoning_summary_text.done": "ReasoningDelta, where no delta said it",
    "response.reasoning_summary_part.done": "ReasoningDelta, where no delta said it",
    "response.reasoning_text.delta": "ReasoningDelta",
    "response.reasoning_text.done": "ReasoningDelta, where no delta said it",
    "response.function_call_arguments.delta": "ToolArgumentsDelta",
    "response.function_call_arguments.done": "ToolArgumentsDelta, where no delta said it",
    "response.custom_tool_call_input.delta": "ToolArgumentsDelta",
    "response.custom_tool_call_input.done": "ToolArgumentsDelta, where no delta said it",
    "response.content_part.done": "TextDelta, where no delta said it",
    "response.output_item.added": "ToolCallStarted",
    "response.output_item.done": "ItemCompleted",
    "response.created": "ResponseStarted",
    "response.queued": "ResponseStarted",
    "response.in_progress": "ResponseStarted",
    "response.completed": "TurnCompleted",
    "response.incomplete": "TurnCompleted",
    "response.failed": "TurnFailed",
    "error": "TurnFailed",
}

_EVENTS = (
    *(
        _map(f"event-{_plain(event)}", f"event.{event}.**", neutral)
        for event, neutral in _SAID.items()
    ),
    _spell(
        "event-response-content-part-added",
        "event.response.content_part.added.**",
        "where a part will stand; what it says follows",
    ),
    _map(
        "event-response-output-text-annotation-added",
        "event.response.output_text.annotation.added.**",
        "Text.annotations, in the finished item",
        "answer.annotations",
    ),
    *(
        _spell(f"event-{_plain(event)}", f"event.{event}.**", "said again by the finished item")
        for event in sorted(REPEATED_EVENTS - _UNPUBLISHED_EVENTS)
    ),
    *(
        _carry(f"event-{_plain(event)}", f"event.{event}.**", "answer.kept_event")
        for event in sorted(PART_ADDED_ONLY)
    ),
)

_USAGE = (
    _map("usage-input", "usage.input_tokens", "Usage.input_tokens"),
    _map("usage-output", "usage.output_tokens", "Usage.output_tokens"),
    _spell("usage-total", "usage.total_tokens", "the sum of both; Usage.reported"),
    _map("usage-input-details", "usage.input_tokens_details", "Usage"),
    _map("usage-cached", "usage.input_tokens_details.cached_tokens", "Usage.cached_input_tokens"),
    _map(
        "usage-written",
        "usage.input_tokens_details.cache_write_tokens",
        "Usage.cache_creation_input_tokens",
    ),
    _map(
        "usage-written-details",
        "usage.input_tokens_details.cache_write_tokens_details.**",
        "Usage.reported",
    ),
    _map("usage-output-details", "usage.output_tokens_details", "Usage"),
    _map(
        "usage-reasoning",
        "usage.output_tokens_details.reasoning_tokens",
        "Usage.reasoning_output_tokens",
    ),
)

_ENDS = (
    _map("status-completed", "status.completed", "EndTurn or ToolCalls"),
    _map("status-incomplete", "status.incomplete", "MaxOutputTokens or Incomplete"),
    _map("status-failed", "status.failed", "TurnFailed"),
    _map("status-cancelled", "status.cancelled", "TurnFailed"),
    _spell("status-in-progress", "status.in_progress", "before the end; refused as a whole answer"),
    _spell("status-queued", "status.queued", "before the end; refused as a whole answer"),
    _map("incomplete-max", "incomplete.max_output_tokens", "MaxOutputTokens"),
    _map("incomplete-filter", "incomplete.content_filter", "Incomplete.reason"),
    _map("incomplete-messages", "incomplete.max_messages", "Incomplete.reason"),
    _map("incomplete-steered", "incomplete.steered", "Incomplete.reason"),
)

# Codex acts on these; the types of this wire do not list them
_UNPUBLISHED_CODES = frozenset(
    {
        "context_length_exceeded",
        "insufficient_quota",
        "server_is_overloaded",
        "slow_down",
        "usage_not_included",
    }
)

_ERRORS = (
    _map("error-code", "error.code", "RefusalCode; UpstreamError.code"),
    _map("error-message", "error.message", "UpstreamError.message"),
    _map("error-param", "error.param", "UpstreamError.param"),
    _map("error-type", "error.type", "UpstreamError.type"),
    _map("error-misalignment", "error.misalignment.**", "UpstreamError.raw"),
    *(
        _map(f"error-code-{_plain(code)}", f"error_code.{code}", "RefusalCode; UpstreamError.code")
        for code in sorted(SAYABLE_CODES - _UNPUBLISHED_CODES)
    ),
)

ROWS: tuple[Row, ...] = (
    *_RESPONSE,
    *_MESSAGE,
    *_REASONING,
    *_CALLS,
    *_EVENTS,
    *_USAGE,
    *_ENDS,
    *_ERRORS,
)
"""Every row of this wire's answers."""

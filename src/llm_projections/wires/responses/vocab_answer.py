"""Words of Responses answers, in both directions: events, fields, reasons, codes.

Sources: openai 3.57.0 and 2.54.0, `openai.types.responses`, read 2026-11-30; what servers add or leave
out: docs/evidence.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from llm_projections.errors import RefusalCode

__all__ = [
    "ANNOTATIONS",
    "CODES_OUT",
    "ECHOES",
    "EVENT_FIELDS",
    "INCOMPLETE",
    "KEPT_EVENT",
    "KNOWN_FIELDS",
    "LIMITS",
    "PART_ADDED_ONLY",
    "PUBLISHED_ANSWER_FIELDS",
    "REASONS_OUT",
    "REPEATED_EVENTS",
    "SAYABLE_CODES",
    "SILENT_EVENTS",
    "STATUSES",
    "SUMMARY",
    "UNSAYABLE_REASONS",
]

ANNOTATIONS: Final = "input.content.annotations"
"""The extension path of one citation of a text."""
SUMMARY: Final = "input.summary"
"""The extension path of a summary that stands beside raw reasoning."""
KEPT_EVENT: Final = "answer.kept_event"
"""The extension that marks a kept event, which is no output item."""

# events

_PROGRESS = {
    "code_interpreter_call": ("in_progress", "interpreting", "completed"),
    "compaction": ("compacting",),
    "file_search_call": ("in_progress", "searching", "completed"),
    "image_generation_call": ("in_progress", "generating", "completed"),
    "mcp_call": ("in_progress", "completed", "failed"),
    "mcp_list_tools": ("in_progress", "completed", "failed"),
    "web_search_call": ("in_progress", "searching", "completed"),
}
REPEATED_EVENTS: frozenset[str] = frozenset(
    {f"response.{item}.{step}" for item, steps in _PROGRESS.items() for step in steps}
    | {
        "response.code_interpreter_call_code.delta",
        "response.code_interpreter_call_code.done",
        "response.mcp_call_arguments.delta",
        "response.mcp_call_arguments.done",
        "response.shell_call_command.added",
        "response.shell_call_command.delta",
        "response.shell_call_command.done",
        "response.shell_call_output_content.delta",
        "response.shell_call_output_content.done",
        # a summary part that opens says nothing yet, and both spellings of its end repeat the text
        "response.reasoning_summary_part.added",
        "response.reasoning_summary.part.added",
        "response.reasoning_part.added",
    }
)
"""Events whose content the finished item says again, whole."""

PART_ADDED_ONLY: frozenset[str] = frozenset(
    {
        "response.image_generation_call.partial_image",
        "response.audio.delta",
        "response.audio.done",
        "response.audio.transcript.delta",
        "response.audio.transcript.done",
    }
)
"""Published events whose content nothing else says: they are kept as they came."""

SILENT_EVENTS: tuple[str, ...] = ("keepalive", "ping", "codex.", "responsesapi.", "rate_limits")
"""How events begin that are no part of an answer: the vendor's own telemetry and signs of life."""

EVENT_FIELDS: frozenset[str] = frozenset(
    {
        "agent",
        "annotation",
        "annotation_index",
        "arguments",
        "call_id",
        "content_index",
        "delta",
        "event_id",
        "input",
        "item",
        "item_id",
        "logprobs",
        "name",
        "obfuscation",
        "output_index",
        "part",
        "refusal",
        "response",
        "response_id",
        "sequence_number",
        "status",
        "summary_index",
        "text",
        "type",
    }
)
"""What events hold by the published types, or to say where they belong; the rest is told of the answer."""

# fields of the response object

KNOWN_FIELDS: frozenset[str] = frozenset(
    {
        "id",
        "object",
        "created_at",
        "status",
        "model",
        "output",
        "output_text",
        "usage",
        "error",
        "incomplete_details",
    }
)
"""Fields that are read for their meaning, or are constants of the wire."""

ECHOES: frozenset[str] = frozenset(
    {
        "background",
        "frequency_penalty",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "parallel_tool_calls",
        "presence_penalty",
        "previous_response_id",
        "prompt",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning",
        "safety_identifier",
        "store",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_k",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
    }
)
"""Fields that repeat the request: nothing that the answer says."""

PUBLISHED_ANSWER_FIELDS: frozenset[str] = frozenset(
    {
        "access_programs",
        "completed_at",
        "conversation",
        "image",
        "input_transformations",
        "moderation",
        "prompt_cache_diagnostics",
        "service_tier",
        "tool_usage",
    }
)
"""Fields that say something of the answer without a neutral meaning: `answer.<field>`."""

# why an answer ended early

INCOMPLETE: Final = "incomplete"
"""The status of an answer that was cut off, and the neutral reason where it says no other."""

STATUSES: frozenset[str] = frozenset(
    {"", "completed", "failed", "in_progress", "cancelled", "queued", INCOMPLETE}
)
"""Every status that is published (openai 3.57.0 `ResponseStatus`, 2026-11), and none."""

LIMITS: frozenset[str] = frozenset({"max_output_tokens", "length", "max_tokens"})
"""Reasons that mean the output limit; the last two are other servers' words for it (Volcengine)."""

REASONS_OUT: Mapping[str, str] = {
    "refusal": "content_filter",
    "model_context_window_exceeded": "max_output_tokens",
}
"""The reasons of other wires that have a word here; every other one goes out under its own name."""

UNSAYABLE_REASONS: frozenset[str] = frozenset({"pause_turn", "compaction"})
"""Ends of a Messages turn that asks to be continued, which this wire cannot say."""

# failures

CODES_OUT: Mapping[RefusalCode, str] = {
    RefusalCode.INVALID_REQUEST: "invalid_prompt",
    RefusalCode.UNSUPPORTED: "invalid_prompt",
    RefusalCode.TOO_LARGE: "invalid_prompt",
    RefusalCode.REFUSED: "invalid_prompt",
    RefusalCode.NOT_FOUND: "invalid_prompt",
    RefusalCode.RATE_LIMITED: "rate_limit_exceeded",
    RefusalCode.CONTEXT_LENGTH: "context_length_exceeded",
    RefusalCode.BILLING: "insufficient_quota",
}
"""The code of a `response.failed`; `server_error` for every other class.

Codex tries again after any code but those it knows as final, `invalid_prompt` among them.
"""

SAYABLE_CODES: frozenset[str] = frozenset(
    {
        "bio_policy",
        "context_length_exceeded",
        "data_residency_mismatch",
        "empty_image_file",
        "failed_to_download_image",
        "image_content_policy_violation",
        "image_file_not_found",
        "image_file_too_large",
        "image_parse_error",
        "image_too_large",
        "image_too_small",
        "insufficient_quota",
        "invalid_base64_image",
        "invalid_image",
        "invalid_image_format",
        "invalid_image_mode",
        "invalid_image_url",
        "invalid_prompt",
        "misalignment_policy_violation",
        "rate_limit_exceeded",
        "server_error",
        "server_is_overloaded",
        "slow_down",
        "unsupported_image_media_type",
        "usage_not_included",
        "vector_store_timeout",
    }
)
"""An upstream's own code that goes on as it came: the published ones, and those that Codex acts on."""

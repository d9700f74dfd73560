"""Words of answers, in both directions.

Sources: openai 3.57.0, `chat_completion_chunk.Choice.finish_reason` and `chat_completion.Choice.finish_reason`, read
2026-11-30; what other servers write instead is marked with who does.
"""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopReason,
    StopSequence,
    ToolCalls,
)

__all__ = ["FAILED", "INCOMPLETE_OUT", "STOPS", "STOPS_OUT"]

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

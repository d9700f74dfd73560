"""The settings of a turn to the wire."""

from __future__ import annotations

from typing import Any

from llm_projections.model.binding import Conversation
from llm_projections.model.dialect import ALL
from llm_projections.model.tools import JsonObject, OutputFormat
from llm_projections.model.turn import Thinking, TurnRequest
from llm_projections.wires.responses.project.writer import ResponsesWriter

__all__ = ["write_settings"]

# What only servers beside the vendor publish: sent where the dialect lists it.
_LOCAL = ("top_k", "seed", "presence_penalty", "frequency_penalty")


def write_settings(
    writer: ResponsesWriter,
    turn: TurnRequest,
    conversation: Conversation | None,
    body: dict[str, Any],
) -> None:
    """Everything of the body but its model, items, tools and pinned keys, in its order."""
    if turn.max_output_tokens is not None:
        body["max_output_tokens"] = turn.max_output_tokens
    if turn.sampling.temperature is not None:
        body["temperature"] = turn.sampling.temperature
    if turn.sampling.top_p is not None:
        body["top_p"] = turn.sampling.top_p
    for name in _LOCAL:
        value = getattr(turn.sampling, name)
        if value is not None and _listed(writer, name, f"sampling.{name}"):
            body[name] = value
    if turn.stop and _listed(writer, "stop", "stop"):
        body["stop"] = list(turn.stop)
    reasoning = _reasoning(writer, turn.thinking)
    if reasoning:
        body["reasoning"] = reasoning
    text = _text(turn.output_format, turn.verbosity)
    if text:
        body["text"] = text
        writer.unread.append(text)
    if turn.metadata:
        body["metadata"] = dict(turn.metadata)
    if turn.end_user_id is not None:
        body["safety_identifier"] = turn.end_user_id
    key = _cache_key(writer, turn.prompt_cache_key, conversation)
    if key is not None:
        body["prompt_cache_key"] = key
    if turn.service_tier is not None:
        body["service_tier"] = turn.service_tier


def _listed(writer: ResponsesWriter, name: str, path: str) -> bool:
    fields = writer.dialect.request_fields
    if fields is ALL or writer.able.extensions is ALL or name in fields:
        return True
    writer.lose(f"turn.{name}", tuple(path.split(".")), "only some servers publish it on this wire")
    return False


def _reasoning(writer: ResponsesWriter, thinking: Thinking) -> dict[str, Any]:
    written: dict[str, Any] = {}
    if thinking.effort is not None:
        written["effort"] = thinking.effort
    if thinking.display == "summarized":
        written["summary"] = "auto"
    elif thinking.display is not None:
        writer.lose("turn.thinking.display", ("thinking", "display"))
    if thinking.mode is not None:
        writer.lose("turn.thinking.mode", ("thinking", "mode"))
    if thinking.budget_tokens is not None:
        writer.lose("turn.thinking.budget_tokens", ("thinking", "budget_tokens"))
    return written


def _text(output_format: OutputFormat | None, verbosity: str | None) -> dict[str, Any]:
    written: dict[str, Any] = {}
    if isinstance(output_format, JsonObject):
        written["format"] = {"type": "json_object"}
    elif output_format is not None:
        # required here, and unknown to Messages: a name has no effect on what is generated
        named: dict[str, Any] = {"type": "json_schema", "name": output_format.name or "response"}
        if output_format.description is not None:
            named["description"] = output_format.description
        named["schema"] = output_format.schema
        if output_format.strict is not None:
            named["strict"] = output_format.strict
        written["format"] = named
    if verbosity is not None:
        written["verbosity"] = verbosity
    return written


def _cache_key(
    writer: ResponsesWriter, key: str | None, conversation: Conversation | None
) -> str | None:
    if conversation is None:
        return key
    if key is not None and key != conversation.id:
        writer.refuse(("prompt_cache_key",), "another value than the conversation's id")
    return conversation.id

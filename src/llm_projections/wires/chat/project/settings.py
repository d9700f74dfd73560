"""The settings of a turn as keys of a Chat body, in the declared order."""

from __future__ import annotations

from typing import Any

from llm_projections.model.dialect import ALL
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.tools import JsonObject, JsonSchema
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._writing import Writer
from llm_projections.wires.chat import vocab

__all__ = ["write_settings"]

# The vendor's bound on both fields that name an end user (platform.openai.com, API reference, read 2026-11).
_LONGEST_USER = 64
_UNNAMED_SCHEMA = "response"


def write_settings(
    writer: Writer, turn: TurnRequest, body: dict[str, Any], *, stream: bool
) -> None:
    """Everything beside messages and tools."""
    _format(turn, body)
    sampling = turn.sampling
    settings: tuple[tuple[str, object], ...] = (
        (writer.dialect.output_limit_field, turn.max_output_tokens),
        ("temperature", sampling.temperature),
        ("top_p", sampling.top_p),
        ("top_k", _top_k(writer, turn)),
        ("presence_penalty", sampling.presence_penalty),
        ("frequency_penalty", sampling.frequency_penalty),
        ("seed", sampling.seed),
        ("stop", list(turn.stop) if turn.stop else None),
        ("reasoning_effort", turn.thinking.effort),
        ("verbosity", turn.verbosity),
        ("service_tier", turn.service_tier),
        (_user_field(writer, turn), _user(writer, turn)),
        ("prompt_cache_key", turn.prompt_cache_key),
        ("metadata", None if turn.metadata is None else dict(turn.metadata)),
    )
    body.update({key: value for key, value in settings if value is not None})
    _thinking(writer, turn)
    body["stream"] = stream
    if stream and writer.dialect.stream_usage:
        body["stream_options"] = {"include_usage": True}
    _extensions(writer, turn, body)


def _format(turn: TurnRequest, body: dict[str, Any]) -> None:
    form = turn.output_format
    if isinstance(form, JsonObject):
        body["response_format"] = {"type": "json_object"}
    elif isinstance(form, JsonSchema):
        asked: dict[str, Any] = {"name": _UNNAMED_SCHEMA if form.name is None else form.name}
        if form.description is not None:
            asked["description"] = form.description
        asked["schema"] = form.schema
        if form.strict is not None:
            asked["strict"] = form.strict
        body["response_format"] = {"type": "json_schema", "json_schema": asked}


def _top_k(writer: Writer, turn: TurnRequest) -> int | None:
    """`top_k`, which only other servers than the vendor's publish."""
    top_k = turn.sampling.top_k
    if top_k is None or ALL in (writer.able.extensions, writer.dialect.request_fields):
        return top_k
    if isinstance(writer.dialect.request_fields, frozenset) and (
        "top_k" in writer.dialect.request_fields
    ):
        return top_k
    writer.lose("turn.top_k", ("sampling", "top_k"))
    return None


def _user_field(writer: Writer, turn: TurnRequest) -> str:
    # both fields stand side by side only where a client gave both
    both = any(extension.path == vocab.USER for extension in turn.extensions)
    return "safety_identifier" if both else writer.dialect.end_user_field


def _user(writer: Writer, turn: TurnRequest) -> str | None:
    user = turn.end_user_id
    if user is not None and len(user) > _LONGEST_USER:
        writer.lose("turn.end_user_id", ("end_user_id",), "longer than 64 characters")
        return None
    return user


def _thinking(writer: Writer, turn: TurnRequest) -> None:
    """What only other wires can say of thinking."""
    thinking = turn.thinking
    for name in ("budget_tokens", "mode", "display"):
        if getattr(thinking, name) is not None:
            writer.lose(f"turn.thinking.{name}", ("thinking", name))


def _extensions(writer: Writer, turn: TurnRequest, body: dict[str, Any]) -> None:
    options = "stream_options" in body
    for extension in turn.extensions:
        own = extension.protocol is Protocol.CHAT
        if own and extension.path.startswith("stream_options.") and not options:
            # the vendor turns down `stream_options` without `stream`
            writer.lose(
                f"chat.{extension.path}", tuple(extension.path.split(".")), "nothing is streamed"
            )
        else:
            _carry(writer, extension, body)


def _carry(writer: Writer, extension: Extension, body: dict[str, Any]) -> None:
    writer.carry((extension,), "", body, ())

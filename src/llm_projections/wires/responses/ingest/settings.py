"""The settings of a request, and what it says about its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llm_projections._json import Json
from llm_projections._values import frozen
from llm_projections.errors import RefusalCode
from llm_projections.model.items import Extension
from llm_projections.model.results import AnswerShape
from llm_projections.model.tools import JsonObject, JsonSchema, OutputFormat
from llm_projections.model.turn import Sampling, Thinking
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires.responses.subset import TABLE
from llm_projections.wires.responses.vocab import EFFORTS, ENCRYPTED, PROTOCOL

__all__ = ["Settings", "read_settings"]

_MAPPED = frozenset(
    {
        "model",
        "input",
        "instructions",
        "max_output_tokens",
        "temperature",
        "top_p",
        "top_k",
        "seed",
        "presence_penalty",
        "frequency_penalty",
        "stop",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "reasoning",
        "text",
        "metadata",
        "safety_identifier",
        "user",
        "prompt_cache_key",
        "service_tier",
        "stream",
        "store",
        "include",
    }
)

# Values at which a carried setting says what its absence says.
_IDLE: Mapping[str, Json] = {"background": False, "truncation": "disabled", "generate": True}

_ECHOED = (
    "background",
    "conversation",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
)


@frozen
class Settings:
    """Fields of the turn by name, and the shape of its answer."""

    fields: Mapping[str, Any]
    answer: AnswerShape


def read_settings(reader: Reader, node: dict[str, Json], beta: str | None) -> Settings:
    """Everything of the body but its model, items and tools."""
    thinking, reasoning_extensions = _thinking(reader, node)
    output_format, verbosity, text_extensions = _text(reader, node)
    user, user_extensions = _end_user(reader, node)
    encrypted, include_extensions = _include(reader, node)
    if reader.boolean(node, "store", ()):
        reader.lose("responses.store", ("store",), "the answer is stored by nobody")
    # by type too: 0 is not false
    idle = {
        key
        for key, value in _IDLE.items()
        if node.get(key) == value and type(node.get(key)) is type(value)
    }
    extensions = (
        *reader.extras(node, (), TABLE.fields("request"), _MAPPED | idle),
        *reasoning_extensions,
        *text_extensions,
        *user_extensions,
        *include_extensions,
    )
    if beta is not None:
        extensions += (Extension(PROTOCOL, "header.openai-beta", beta),)
    fields = {
        "parallel_tool_calls": reader.boolean(node, "parallel_tool_calls", ()),
        "max_output_tokens": reader.integer(node, "max_output_tokens", ()),
        "sampling": _sampling(reader, node),
        "thinking": thinking,
        "output_format": output_format,
        "stop": _stop(reader, node),
        "verbosity": verbosity,
        "end_user_id": user,
        "prompt_cache_key": reader.string(node, "prompt_cache_key", ()),
        "metadata": _metadata(reader, node),
        "service_tier": reader.string(node, "service_tier", ()),
        "extensions": extensions,
    }
    answer = AnswerShape(
        stream=reader.boolean(node, "stream", ()) or False,
        encrypted_reasoning=encrypted,
        echo={key: node[key] for key in _ECHOED if node.get(key) is not None},
    )
    return Settings(fields, answer)


def _sampling(reader: Reader, node: dict[str, Json]) -> Sampling:
    return Sampling(
        temperature=reader.number(node, "temperature", ()),
        top_p=reader.number(node, "top_p", ()),
        top_k=reader.integer(node, "top_k", ()),
        seed=reader.integer(node, "seed", ()),
        presence_penalty=reader.number(node, "presence_penalty", ()),
        frequency_penalty=reader.number(node, "frequency_penalty", ()),
    )


def _stop(reader: Reader, node: dict[str, Json]) -> tuple[str, ...]:
    value = node.get("stop")
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return tuple(text for text in value if isinstance(text, str))
    reader.refuse(("stop",), "must be a string or a list of strings")
    return ()


def _metadata(reader: Reader, node: dict[str, Json]) -> Mapping[str, str] | None:
    value = reader.object(node, "metadata", ())
    if not value:
        return None
    for key, said in value.items():
        if not isinstance(said, str):
            reader.refuse(("metadata", key), "must be a string")
    return {key: said for key, said in value.items() if isinstance(said, str)}


def _end_user(reader: Reader, node: dict[str, Json]) -> tuple[str | None, tuple[Extension, ...]]:
    """`safety_identifier`, or the `user` that it replaces; a `user` beside it is carried."""
    identifier = reader.string(node, "safety_identifier", ())
    user = reader.string(node, "user", ())
    if identifier is None or user is None:
        return (user if identifier is None else identifier), ()
    return identifier, (Extension(PROTOCOL, "user", user),)


def _include(reader: Reader, node: dict[str, Json]) -> tuple[bool, tuple[Extension, ...]]:
    names = reader.array(node, "include", ()) or []
    for position, name in enumerate(names):
        if not isinstance(name, str):
            reader.refuse(("include", position), "must be a string")
    others: list[Json] = [name for name in names if name != ENCRYPTED]
    carried = (Extension(PROTOCOL, "include", others),) if others else ()
    return ENCRYPTED in names, carried


# reasoning and text

_THINKING = frozenset({"effort", "summary"})
_SUMMARIES = frozenset({"auto", "concise", "detailed"})


def _thinking(reader: Reader, node: dict[str, Json]) -> tuple[Thinking, tuple[Extension, ...]]:
    asked = reader.object(node, "reasoning", ())
    if not asked:
        return Thinking(), ()
    path: Path = ("reasoning",)
    effort = reader.choice(asked, "effort", path, EFFORTS)
    summary = reader.choice(asked, "summary", path, _SUMMARIES)
    extensions = reader.extras(asked, path, TABLE.fields("request.reasoning"), _THINKING)
    if summary is not None and summary != "auto":
        extensions = (Extension(PROTOCOL, "reasoning.summary", summary), *extensions)
    display = None if summary is None else "summarized"
    return Thinking(effort=effort, display=display), extensions


_TEXT = frozenset({"format", "verbosity"})


def _text(
    reader: Reader, node: dict[str, Json]
) -> tuple[OutputFormat | None, str | None, tuple[Extension, ...]]:
    asked = reader.object(node, "text", ())
    if not asked:
        return None, None, ()
    path: Path = ("text",)
    extensions = reader.extras(asked, path, TABLE.fields("request.text"), _TEXT)
    return _format(reader, asked), reader.string(asked, "verbosity", path), extensions


_SCHEMA = frozenset({"type", "name", "schema", "strict", "description"})


def _format(reader: Reader, asked: dict[str, Json]) -> OutputFormat | None:
    path: Path = ("text", "format")
    said = reader.object(asked, "format", ("text",))
    if said is None:
        return None
    kind = reader.required(reader.string(said, "type", path), (*path, "type"), "")
    if kind == "json_schema":
        _only(reader, said, path, _SCHEMA)
        schema = reader.object(said, "schema", path)
        return JsonSchema(
            reader.required(reader.string(said, "name", path), (*path, "name"), ""),
            reader.required(schema, (*path, "schema"), {}),
            reader.boolean(said, "strict", path),
            reader.string(said, "description", path),
        )
    _only(reader, said, path, {"type"})
    if kind == "json_object":
        return JsonObject()
    if kind not in ("text", ""):
        reader.refuse((*path, "type"), "not a published format", RefusalCode.UNSUPPORTED)
    return None


def _only(
    reader: Reader, node: dict[str, Json], path: Path, known: frozenset[str] | set[str]
) -> None:
    for key in node.keys() - known:
        reader.refuse((*path, key), "not a published field", RefusalCode.UNSUPPORTED)

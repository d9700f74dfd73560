"""The response object: everything of it but its items.

Rules:
1. It repeats the request's own values (`AnswerShape.echo`); what the typed clients cannot do without is there always.
2. An unreported usage is null. In a reported one each counter that the typed clients demand and nobody reported is a
   zero, and the loss `answer.usage.unknown_as_zero`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Refusal, ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.outcome import (
    Incomplete,
    MaxOutputTokens,
    Observation,
    StopReason,
    StopSequence,
    Usage,
)
from llm_projections.wires._answers import AnswerLosses
from llm_projections.wires._upstream import classify_code
from llm_projections.wires.responses.vocab_answer import (
    CODES_OUT,
    INCOMPLETE,
    REASONS_OUT,
    SAYABLE_CODES,
    UNSAYABLE_REASONS,
)

__all__ = ["ending", "error_body", "extend", "response_body", "usage_body"]

# openai 3.57.0, `types.responses.Response`: required are id, created_at, model, object, output, parallel_tool_calls,
# tool_choice and tools; clients in other languages also look for the others, null or not (docs/evidence.md).
_CONSTANT: Mapping[str, Json] = {
    "background": False,
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "temperature": None,
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "usage": None,
}


def response_body(
    identity: Identity,
    model: str,
    echo: Mapping[str, Json],
    status: str,
    output: object,
    **said: object,
) -> dict[str, Any]:
    """The response object at one moment of its life."""
    return {
        "id": identity.response_id,
        "object": "response",
        "created_at": identity.created,
        "status": status,
        "model": model,
        "output": output,
        **{
            key: value
            for key, value in {**_CONSTANT, **echo}.items()
            if key not in ("id", "object", "created_at", "status", "model", "output")
        },
        **said,
    }


def ending(stop: StopReason, losses: AnswerLosses) -> tuple[str, dict[str, Json] | None]:
    """The status and `incomplete_details` of an end."""
    match stop:
        case MaxOutputTokens():
            return "incomplete", {"reason": "max_output_tokens"}
        case Incomplete(reason, details):
            if isinstance(details, dict) and details.get("reason") == reason:
                return "incomplete", details
            if details is not None:
                losses.lose("answer.stop_details", "stop")
            if reason in UNSAYABLE_REASONS:
                losses.lose("answer.stop_reason", "stop", "this end cannot be said here")
                return "completed", None
            if reason == INCOMPLETE:
                return "incomplete", None
            return "incomplete", {"reason": REASONS_OUT.get(reason, reason)}
        case StopSequence():
            losses.lose("answer.stop_sequence", "stop")
            return "completed", None
        case _:
            return "completed", None


def usage_body(observation: Observation, losses: AnswerLosses) -> dict[str, Json] | None:
    """The usage object, or None where nothing was reported."""
    usage = observation.usage
    if usage is None:
        return None
    given, said = _counted(usage.input_tokens, losses), _counted(usage.output_tokens, losses)
    details_in: dict[str, Json] = {
        "cached_tokens": _part(usage.cached_input_tokens, usage.input_tokens, losses),
        "cache_write_tokens": _part(usage.cache_creation_input_tokens, usage.input_tokens, losses),
    }
    details_out: dict[str, Json] = {
        "reasoning_tokens": _part(usage.reasoning_output_tokens, usage.output_tokens, losses)
    }
    own = _own_report(observation, usage)
    body: dict[str, Json] = {
        "input_tokens": given,
        "input_tokens_details": {**_object(own.get("input_tokens_details")), **details_in},
        "output_tokens": said,
        "output_tokens_details": {**_object(own.get("output_tokens_details")), **details_out},
        "total_tokens": given + said,
    }
    return {**body, **{key: value for key, value in own.items() if key not in body}}


def _own_report(observation: Observation, usage: Usage) -> Mapping[str, Json]:
    """What a server of this wire counted beside the published counters."""
    provenance = observation.provenance
    if provenance is None or provenance.protocol is not Protocol.RESPONSES:
        return {}
    return usage.reported or {}


def _counted(counter: int | None, losses: AnswerLosses) -> int:
    if counter is None:
        losses.lose("answer.usage.unknown_as_zero", "usage", "a counter that nobody reported")
        return 0
    return counter


def _part(counter: int | None, whole: int | None, losses: AnswerLosses) -> int:
    """A counter that is part of another; beside an unknown whole it cannot be said without contradicting it."""
    if counter and whole is None:
        losses.lose("answer.usage", "usage", "a part of a total that nobody reported")
        return 0
    return _counted(counter, losses)


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def extend(body: dict[str, Any], extensions: tuple[Extension, ...], losses: AnswerLosses) -> None:
    """Write what an answer of this wire said of itself back at its place."""
    for extension in extensions:
        key = extension.path.removeprefix("answer.")
        if extension.protocol is Protocol.RESPONSES and key != extension.path:
            body[key] = extension.value
        else:
            losses.leave(extension, "extensions")


def error_body(error: Refusal) -> dict[str, Json]:
    """The `error` of a response that failed.

    A code that the vendor or its programs know goes on as the upstream wrote it, where it is of the same class.
    """
    code = CODES_OUT.get(error.code, "server_error")
    message = error.message
    upstream = error.upstream if isinstance(error, ResponseRefused) else None
    if upstream is not None:
        message = upstream.message or message
        if upstream.code in SAYABLE_CODES and classify_code(upstream.code) in (None, error.code):
            code = upstream.code or code
    try:
        _json.dumps(message)
    except _json.JsonError:
        message = error.message
    return {"code": code, "message": message}

"""What the response object says beside its items: how it ended, and what else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Protocol,
    ToolCall,
    WireItem,
)
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopReason,
    ToolCalls,
)
from llm_projections.wires.responses.decode.published import text_called
from llm_projections.wires.responses.vocab_answer import (
    ECHOES,
    INCOMPLETE,
    KNOWN_FIELDS,
    LIMITS,
    PUBLISHED_ANSWER_FIELDS,
    STATUSES,
)

__all__ = ["adds", "contradicts", "differs", "ending", "extensions", "unfinished"]


def unfinished(response: Mapping[str, Json], status: Json) -> bool:
    """Whether an answer of this status was cut off: a reason to be incomplete stands beside any status."""
    return status == INCOMPLETE or _reason(response) is not None


def ending(response: Mapping[str, Json], items: Iterable[Item], status: Json) -> StopReason:
    """Why the answer ended: its status decides, then whether the client must answer a call."""
    if unfinished(response, status):
        details, reason = response.get("incomplete_details"), _reason(response)
        if reason is None:
            return Incomplete(INCOMPLETE)
        if reason in LIMITS:
            return MaxOutputTokens()
        more = isinstance(details, dict) and len(details) > 1
        return Incomplete(reason, details if more else None)
    waits = any(
        isinstance(item, ToolCall | CustomToolCall)
        or (isinstance(item, WireItem) and item.role == "call")
        for item in items
    )
    return ToolCalls() if waits else EndTurn()


def _reason(response: Mapping[str, Json]) -> str | None:
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return reason if isinstance(reason, str) and reason else None


def extensions(
    response: Mapping[str, Json], items: Iterable[Item], warn: Callable[[str, str], None]
) -> tuple[Extension, ...]:
    """What the answer says of itself without a neutral meaning."""
    found: list[Extension] = []
    for key, value in response.items():
        news = _is_news(key, value, items)
        if value is None or ((key in KNOWN_FIELDS or key in ECHOES) and not news):
            continue
        found.append(Extension(Protocol.RESPONSES, f"answer.{key}", value))
        if news or key not in PUBLISHED_ANSWER_FIELDS:
            warn("unknown-answer-field", "a field that nobody publishes")
    return tuple(found)


def _is_news(key: str, value: Json, items: Iterable[Item]) -> bool:
    """Whether a known field says what nothing else does: another status, or texts that no item holds."""
    if key == "status":
        return isinstance(value, str) and value not in STATUSES
    return key == "output_text" and bool(value) and not any(map(_speaks, items))


def _speaks(item: Item) -> bool:
    return isinstance(item, AssistantMessage)


def contradicts(done: Mapping[str, Any], listed: Mapping[str, Any]) -> bool:
    """Whether two objects of one call name different calls or arguments."""
    if done.get("type") not in ("function_call", "custom_tool_call"):
        return False
    for key in ("call_id", "name", "input"):
        if done.get(key) and listed.get(key) and done[key] != listed[key]:
            return True
    ours, theirs = text_called(done.get("arguments")), text_called(listed.get("arguments"))
    return bool(ours and theirs) and not _json.same_tokens(ours or "", theirs or "")


def differs(done: Mapping[str, Any], listed: Mapping[str, Any]) -> bool:
    """Whether two objects of one message or reasoning say different texts; one without texts says nothing."""
    for key in ("content", "summary"):
        ours, theirs = _said(done.get(key)), _said(listed.get(key))
        if ours and theirs and ours != theirs:
            return True
    return False


def adds(done: Mapping[str, Any], listed: Mapping[str, Any]) -> bool:
    """Whether the terminal object's item holds what the finished one left out: a seal, citations, a field.

    What both hold may differ: the vendor seals the same reasoning anew each time it writes it (recorded 2025 and 2026).
    """
    told = {_said(done.get("content")), _said(done.get("summary")), ""}
    for key, value in listed.items():
        if key in _NAMES or not value:
            continue
        if key in ("content", "summary"):
            parts = zip(_parts(done.get(key)), _parts(value), strict=False)
            if (not _said(done.get(key)) and _said(value) not in told) or any(
                theirs[each] and not ours.get(each) for ours, theirs in parts for each in theirs
            ):
                return True
        elif not done.get(key):
            return True
    return False


_NAMES = frozenset({"type", "id", "status", "role"})


def _parts(content: Json) -> list[dict[str, Json]]:
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def _said(content: Json) -> str:
    """The texts of a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (
        part.get("text", part.get("refusal")) if isinstance(part, dict) else part for part in parts
    )
    return "".join(text for text in texts if isinstance(text, str))

"""Whether an answer agrees with what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.items import (
    CustomToolCall,
    Instruction,
    Opaque,
    Provenance,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.outcome import EndTurn, ToolCalls, TurnOutcome, Warning
from llm_projections.model.tools import NONE, REQUIRED, Allowed, Named
from llm_projections.model.validation import published_names

if TYPE_CHECKING:
    from llm_projections.model.turn import TurnRequest

__all__ = ["check_outcome", "check_outcome_alone"]


def check_outcome(
    outcome: TurnOutcome, request: TurnRequest, provenance: Provenance | None
) -> tuple[Warning, ...]:
    """What `TurnOutcome.validate_for` says."""
    check_outcome_alone(outcome, provenance)
    return tuple(_oddities(outcome, request))


def check_outcome_alone(outcome: TurnOutcome, provenance: Provenance | None) -> None:
    """Raise where an answer contradicts itself."""
    seen: set[str] = set()
    waits = False
    for position, item in enumerate(outcome.items):
        path = f"items[{position}]"
        if isinstance(item, UserMessage | Instruction | ToolResult | UnattributedOpaque):
            raise _contradicts("an item that only a caller may write", path)
        if isinstance(item, ToolCall | CustomToolCall):
            waits = True
            if item.call_id in seen:
                raise _contradicts("two calls have one id", f"{path}.call_id")
            seen.add(item.call_id)
        elif isinstance(item, WireItem):
            waits = waits or item.role == "call"
        elif isinstance(item, Opaque) and provenance is not None and item.provenance != provenance:
            raise _contradicts("opaque state of another binding", path)
    if isinstance(outcome.stop, ToolCalls) and not waits:
        raise _contradicts("ends with tool calls and holds none", "stop")
    if isinstance(outcome.stop, EndTurn) and seen:
        raise _contradicts("holds tool calls and ends as if it held none", "stop")


def _contradicts(message: str, path: str) -> ResponseRefused:
    return ResponseRefused(
        RefusalCode.PROTOCOL, message, path, dispatch=Dispatch.ACCEPTED, retriable=False
    )


def _oddities(outcome: TurnOutcome, request: TurnRequest) -> Iterator[Warning]:
    called = [item for item in outcome.items if isinstance(item, ToolCall | CustomToolCall)]
    names = {item.name for item in called}
    if called and not names <= published_names(request):
        yield Warning("unpublished-tool", "a call names a tool that the request did not publish")
    choice = request.tool_choice
    # the provider's own tools are called too, and their calls are wire items
    idle = isinstance(outcome.stop, EndTurn) and not any(
        isinstance(item, WireItem) for item in outcome.items
    )
    must = choice is REQUIRED or isinstance(choice, Named)
    broken = (
        (choice is NONE and called)
        or (idle and (must or (isinstance(choice, Allowed) and choice.mode == "required")))
        or (isinstance(choice, Named) and called and names != {choice.name})
        or (isinstance(choice, Allowed) and not names <= set(choice.names))
        or (request.parallel_tool_calls is False and len(called) > 1)
    )
    if broken:
        yield Warning("tool-choice-not-honoured", "the answer does not keep to the tool choice")

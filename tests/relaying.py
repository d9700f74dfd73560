"""What crosses from one wire to another: the view of an answer that the law of the relay compares.

What may differ is what a reported loss takes away (`TAKES`) and the normalizations that spec/laws.toml declares.
"""

import copy
from typing import Any

from llm_projections import _json
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.losses import AGENT_CLIENTS
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopReason,
    ToolCalls,
    TurnOutcome,
    Usage,
)

__all__ = ["DECIDED", "TAKES", "normalized", "view"]


def view(outcome: TurnOutcome) -> dict[str, Any]:
    """What an answer says on any wire: without ids, provenance and the cut of its texts."""
    seen: dict[str, Any] = {"stop": outcome.stop, "text": "", "refusal": "", "reasoning": ""}
    seen |= {"calls": [], "wire items": 0, "annotations": 0}
    for item in outcome.items:
        match item:
            case AssistantMessage(content):
                for part in content:
                    kind = "refusal" if isinstance(part, RefusalText) else "text"
                    assert isinstance(part, Text | RefusalText)
                    seen[kind] += part.text
                    seen["annotations"] += len(part.annotations) if isinstance(part, Text) else 0
            case ToolCall(call_id, name, arguments):
                # arguments are JSON on Messages: their tokens are what crosses
                spelled = _json.compact(arguments)
                seen["calls"].append((call_id, name, spelled))
            case CustomToolCall(call_id, name, said_):
                seen["calls"].append((call_id, name, said_))
            case Reasoning(text=text) | Opaque(text=text):
                seen["reasoning"] += text or ""
            case WireItem():
                seen["wire items"] += 1
            case _:
                raise AssertionError(f"a server answered with {type(item)}")
    usage = outcome.observation.usage or Usage()
    seen["usage"] = (usage.input_tokens, usage.output_tokens)
    seen["details"] = (
        usage.cached_input_tokens,
        usage.cache_creation_input_tokens,
        usage.reasoning_output_tokens,
    )
    return seen


# What each loss may take away or change; every other difference is a fault.
TAKES: dict[str, set[str]] = {
    "answer.opaque": {"reasoning"},
    "answer.reasoning": {"reasoning"},
    "answer.reasoning.summary": {"reasoning"},
    "answer.annotations": {"annotations"},
    "answer.refusal": {"refusal"},
    "answer.wire_item": {"wire items"},
    "answer.stop_sequence": {"stop"},
    "answer.stop_reason": {"stop"},
    "answer.stop_details": {"stop"},
    "answer.custom_tool_call": {"calls", "stop"},
    "answer.usage": {"usage", "details"},
    "answer.usage.unknown_as_zero": {"usage", "details"},
    "answer.text.merged": set(),
    "answer.order": set(),
    "answer.extensions": set(),
    "answer.kept_event": set(),
}
# Decisions of their own that no published set holds, beside what agent programs accept.
DECIDED = AGENT_CLIENTS | {"answer.custom_tool_call", "answer.stop_reason"}


# Reasons to stop that another wire says in its own word (the tables of stop reasons in spec/).
CROSSING: dict[Protocol, dict[str, StopReason]] = {
    Protocol.CHAT: {
        "refusal": Incomplete("content_filter"),
        "model_context_window_exceeded": MaxOutputTokens(),
    },
    Protocol.MESSAGES: {"content_filter": Incomplete("refusal")},
    Protocol.RESPONSES: {
        "refusal": Incomplete("content_filter"),
        "model_context_window_exceeded": MaxOutputTokens(),
    },
}


def normalized(seen: dict[str, Any], target: Protocol, lost: set[str]) -> dict[str, Any]:
    """What a target's wire says of an answer, by the declared normalizations of the law."""
    seen = copy.deepcopy(seen)
    if target is Protocol.MESSAGES and seen["refusal"]:
        # a refusal is text there, and the reason to stop
        if isinstance(seen["stop"], EndTurn):
            seen["stop"] = Incomplete("refusal")
        seen["text"], seen["refusal"] = seen["text"] + seen["refusal"], ""
    if isinstance(seen["stop"], Incomplete):
        seen["stop"] = CROSSING[target].get(seen["stop"].reason, seen["stop"])
    if "answer.custom_tool_call" in lost and isinstance(seen["stop"], ToolCalls):
        seen["stop"] = EndTurn()
    return seen

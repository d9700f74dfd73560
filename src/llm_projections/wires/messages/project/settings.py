"""Settings of a turn as the objects of a Messages body."""

from __future__ import annotations

from typing import Any

from llm_projections.model.tools import (
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    JsonSchema,
    Named,
    WireChoice,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from llm_projections.wires._carried import choice_loss
from llm_projections.wires.messages.project.writer import MessagesWriter
from llm_projections.wires.messages.vocab import DISPLAYS, EFFORTS, SERVICE_TIERS_OUT

__all__ = [
    "refuse_unsaid",
    "write_choice",
    "write_output",
    "write_sampling",
    "write_thinking",
    "write_tier",
]

_NEWER = "2026-10-21"
_SAMPLED = ("temperature", "top_p", "top_k")
_UNSAMPLED = ("seed", "presence_penalty", "frequency_penalty")
_UNSAID = ("verbosity", "prompt_cache_key", "metadata")
_SHOWING = frozenset({"adaptive", "enabled"})


def write_thinking(writer: MessagesWriter, thinking: Thinking, body: dict[str, Any]) -> None:
    """Mode, budget and display. No effort at all is thinking disabled; a budget alone is thinking enabled."""
    mode, budget, display = thinking.mode, thinking.budget_tokens, thinking.display
    if thinking.effort == "none" and mode is None:
        mode = "disabled"
    if budget is not None and mode is None:
        mode = "enabled"
    if budget is not None and mode != "enabled":
        writer.lose("turn.thinking.budget_tokens", ("thinking", "budget_tokens"))
        budget = None
    if display is not None and (mode not in _SHOWING or display not in DISPLAYS):
        writer.lose("turn.thinking.display", ("thinking", "display"))
        display = None
    if mode is None:
        return
    node: dict[str, Any] = {"type": mode}
    if budget is not None:
        node["budget_tokens"] = budget
    if display is not None:
        node["display"] = display
    body["thinking"] = node


def write_output(writer: MessagesWriter, turn: TurnRequest, body: dict[str, Any]) -> None:
    """Effort and output format."""
    node: dict[str, Any] = {}
    effort = turn.thinking.effort
    if effort in EFFORTS:
        node["effort"] = effort
    elif effort is not None and (effort, turn.thinking.mode) not in _NO_EFFORT:
        writer.lose("turn.thinking.effort", ("thinking", "effort"), "not a word of this wire")
    form = turn.output_format
    if isinstance(form, JsonSchema):
        writer.watch(form.schema)
        node["format"] = {"type": "json_schema", "schema": form.schema}
        if form.name is not None:
            writer.lose("turn.output_format.name", ("output_format", "name"))
        if form.description is not None:
            writer.lose("turn.output_format.description", ("output_format", "description"))
        # the schema always binds here, so that only the wish for less is lost
        if form.strict is False:
            writer.lose("turn.output_format.strict", ("output_format", "strict"))
    elif form is not None:
        writer.lose("turn.output_format", ("output_format",), "this wire takes schemas only")
    if node:
        body["output_config"] = node


_NO_EFFORT = frozenset({("none", None), ("none", "disabled")})


def write_sampling(writer: MessagesWriter, sampling: Sampling, body: dict[str, Any]) -> None:
    """Temperature, top_p and top_k, which the version of 2026 no longer has."""
    newer = writer.dialect.version == _NEWER
    for name in _SAMPLED:
        value = getattr(sampling, name)
        if value is None:
            continue
        if newer:
            writer.lose(f"turn.{name}", ("sampling", name), "not a field of version 2026-10-21")
        elif name == "temperature" and value > 1:
            writer.lose("turn.temperature", ("sampling", name), "this wire takes 0 to 1")
        else:
            body[name] = value
    for name in _UNSAMPLED:
        if getattr(sampling, name) is not None:
            writer.lose(f"turn.{name}", ("sampling", name))


def write_choice(writer: MessagesWriter, turn: TurnRequest, body: dict[str, Any]) -> None:
    """The tool choice, which also holds whether calls may be parallel."""
    choice, any_tool = turn.tool_choice, _any_tool(turn, body)
    node: dict[str, Any] = {"type": "auto"}
    if turn.tools and not any_tool and (choice is REQUIRED or isinstance(choice, Named)):
        writer.lose("turn.tool_choice", ("tool_choice",), "no tool is left to choose")
        return
    if choice is REQUIRED:
        node = {"type": "any"}
    elif choice is NONE:
        node = {"type": "none"}
    elif isinstance(choice, Named):
        if any(isinstance(tool, CustomTool) and tool.name == choice.name for tool in turn.tools):
            writer.lose("turn.tool_choice", ("tool_choice",), "chooses a custom tool")
        else:
            node = {"type": "tool", "name": choice.name}
    elif isinstance(choice, Allowed):
        writer.lose("turn.tool_choice.allowed", ("tool_choice",))
    elif isinstance(choice, WireChoice):
        writer.lose(choice_loss(choice), ("tool_choice",), "a choice of another wire")
    parallel = turn.parallel_tool_calls
    if parallel is not None and choice is not NONE and any_tool:
        node["disable_parallel_tool_use"] = not parallel
    elif parallel is False:
        writer.lose(
            "turn.parallel_tool_calls.unused", ("parallel_tool_calls",), "there can be no call"
        )
    if node != {"type": "auto"} and (any_tool or choice is not NONE):
        body["tool_choice"] = node


def _any_tool(turn: TurnRequest, body: dict[str, Any]) -> bool:
    return "tools" in body or any(each.path == "mcp_servers" for each in turn.extensions)


def write_tier(writer: MessagesWriter, tier: str | None, body: dict[str, Any]) -> None:
    """The service tier, in the wire's words."""
    if tier is None:
        return
    word = SERVICE_TIERS_OUT.get(tier)
    if word is None:
        writer.lose("turn.service_tier", ("service_tier",), "not a tier of this wire")
    else:
        body["service_tier"] = word


def refuse_unsaid(writer: MessagesWriter, turn: TurnRequest) -> None:
    """Leave out the settings that this wire has no place for."""
    for name in _UNSAID:
        if getattr(turn, name) is not None:
            writer.lose(f"turn.{name}", (name,))

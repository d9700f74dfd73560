"""One look at what most turns and answers hold: what its classes alone tell to be sound.

Whatever is not so plain is asked about by its annotations (`soundness`), which takes some five times as long.
"""

from __future__ import annotations

from operator import attrgetter
from types import NoneType

from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ResponseStarted,
    ToolCallStarted,
    TurnCompleted,
    UsageReported,
)
from llm_projections.model.items import AssistantMessage, Instruction, Item, Text, ToolCall
from llm_projections.model.outcome import (
    EndTurn,
    MaxOutputTokens,
    Observation,
    StopReason,
    ToolCalls,
    TurnOutcome,
    Usage,
)
from llm_projections.model.soundness import is_sound, is_sound_field, is_sound_item
from llm_projections.model.tools import AUTO, FunctionTool, Tool, ToolChoice
from llm_projections.model.turn import Sampling, Thinking, TurnRequest

__all__ = ["has_sound_settings", "is_sound_event", "is_sound_outcome"]

_NAMES = (
    "parallel_tool_calls",
    "output_format",
    "stop",
    "verbosity",
    "end_user_id",
    "prompt_cache_key",
    "metadata",
    "service_tier",
    "cache_marks",
    "extensions",
)
_REST = attrgetter(*_NAMES)
_LEAST = TurnRequest("", ())
_SAMPLING, _THINKING = _LEAST.sampling, _LEAST.thinking
_USUAL = _REST(_LEAST)
_NUMBER = frozenset({int, NoneType})
_TEXT = frozenset({str, NoneType})
_OBJECT = frozenset({dict, NoneType})
_FLAG = frozenset({bool, NoneType})
_STOPS = frozenset({EndTurn, ToolCalls, MaxOutputTokens})
_NOTHING: tuple[()] = ()


def has_sound_settings(turn: TurnRequest) -> bool:
    """Whether all of a turn but its items is what its annotations say.

    What most turns hold is told by its class or its being the default: that takes 1 µs, and 6 by the annotations.
    """
    return (
        type(turn.model) is str
        and type(turn.items) is tuple
        and type(turn.instructions) is tuple
        and (not turn.instructions or _are_sound_instructions(turn.instructions))
        and type(turn.tools) is tuple
        and (not turn.tools or _are_sound_tools(turn.tools))
        and (turn.tool_choice is AUTO or is_sound(turn.tool_choice, ToolChoice))
        and type(turn.max_output_tokens) in _NUMBER
        and (turn.sampling is _SAMPLING or is_sound(turn.sampling, Sampling))
        and (turn.thinking is _THINKING or is_sound(turn.thinking, Thinking))
        and _has_sound_rest(turn)
    )


def _are_sound_instructions(instructions: tuple[Instruction, ...]) -> bool:
    for each in instructions:
        content = each.content if type(each) is Instruction else ()
        said = content[0] if type(content) is tuple and len(content) == 1 else None
        if (
            type(said) is not Text
            or type(said.text) is not str
            or said.cache
            or said.annotations
            or said.extensions
            or each.role is not None
            or each.extensions
        ) and not is_sound(each, Instruction):
            return False
    return True


def _are_sound_tools(tools: tuple[Tool, ...]) -> bool:
    for tool in tools:
        if (
            type(tool) is not FunctionTool
            or type(tool.name) is not str
            or type(tool.description) not in _TEXT
            or type(tool.input_schema) not in _OBJECT
            or type(tool.strict) not in _FLAG
            or tool.cache
            or tool.extensions
        ) and not is_sound(tool, Tool):
            return False
    return True


def _has_sound_rest(turn: TurnRequest) -> bool:
    given = _REST(turn)
    if given == _USUAL:
        return True
    for name, held, usual in zip(_NAMES, given, _USUAL, strict=True):
        if held is not usual and not is_sound_field(TurnRequest, name, held):
            return False
    return True


def is_sound_outcome(outcome: TurnOutcome) -> bool:
    """Whether all of an outcome is what its annotations say."""
    return (
        type(outcome) is TurnOutcome
        and type(outcome.items) is tuple
        and all(map(_is_sound_output, outcome.items))
        and (type(outcome.stop) in _STOPS or is_sound(outcome.stop, StopReason))
        and _is_sound_observation(outcome.observation)
        and _are_sound("warnings", outcome.warnings)
        and _are_sound("extensions", outcome.extensions)
    )


def is_sound_event(event: Event) -> bool:
    """Whether all of an event is what its annotations say; False for what is no event."""
    if type(event) is ItemCompleted:
        plain = type(event.index) is int and _is_sound_output(event.item)
    elif type(event) is TurnCompleted:
        plain = is_sound_outcome(event.outcome)
    elif type(event) is UsageReported:
        plain = _is_sound_usage(event.usage)
    elif type(event) is ResponseStarted:
        plain = type(event.response_id) in _TEXT and type(event.upstream_model) in _TEXT
    elif type(event) is ToolCallStarted:
        plain = (
            type(event.call_id) is str
            and type(event.name) is str
            and type(event.index) is int
            and type(event.custom) is bool
        )
    else:
        plain = False
    return plain or is_sound(event, Event)


def _are_sound(name: str, held: tuple[object, ...]) -> bool:
    return (not held and type(held) is tuple) or is_sound_field(TurnOutcome, name, held)


def _is_sound_output(item: Item) -> bool:
    """An item, most likely one that a model made."""
    if type(item) is AssistantMessage:
        content = item.content
        said = content[0] if type(content) is tuple and len(content) == 1 else None
        if (
            type(said) is Text
            and type(said.text) is str
            and said.cache is None
            and said.annotations is _NOTHING
            and said.extensions is _NOTHING
            and item.extensions is _NOTHING
        ):
            return True
    elif (
        type(item) is ToolCall
        and type(item.call_id) is str
        and type(item.name) is str
        and type(item.arguments) is str
        and item.cache is None
        and item.extensions is _NOTHING
    ):
        return True
    return is_sound_item(item)


def _is_sound_observation(seen: Observation) -> bool:
    return (
        type(seen) is Observation
        and (seen.provenance is None or is_sound_field(Observation, "provenance", seen.provenance))
        and type(seen.upstream_model) in _TEXT
        and type(seen.response_id) in _TEXT
        and (seen.usage is None or _is_sound_usage(seen.usage))
        and type(seen.final_usage) is bool
    ) or is_sound(seen, Observation)


def _is_sound_usage(usage: Usage) -> bool:
    return (
        type(usage) is Usage
        and type(usage.input_tokens) in _NUMBER
        and type(usage.output_tokens) in _NUMBER
        and type(usage.cached_input_tokens) in _NUMBER
        and type(usage.cache_creation_input_tokens) in _NUMBER
        and type(usage.reasoning_output_tokens) in _NUMBER
        and type(usage.reported) in _OBJECT
    ) or is_sound(usage, Usage)

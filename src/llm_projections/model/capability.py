"""Which of a turn's settings a binding does not declare.

One table decides it for `TurnRequest.validate_for` and for every projection: what is used, the capability that takes
it, and the name of the loss that leaves it out. Content (parts, items, marks) is checked where it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from attrs import evolve

from llm_projections._values import frozen
from llm_projections.model.binding import Capabilities
from llm_projections.model.tools import (
    AUTO,
    NONE,
    Allowed,
    CustomTool,
    FunctionTool,
    JsonObject,
    Named,
)

if TYPE_CHECKING:
    from llm_projections.model.binding import Binding
    from llm_projections.model.turn import TurnRequest

__all__ = ["Lack", "lacks"]


@frozen
class Lack:
    """A setting that is used and not declared; `without` gives the turn that does not use it."""

    loss: str
    path: str
    message: str
    without: Callable[[TurnRequest], TurnRequest]


def _clear(**cleared: Any) -> Callable[[TurnRequest], TurnRequest]:
    return lambda turn: evolve(turn, **cleared)


def _clear_sampling(name: str) -> Callable[[TurnRequest], TurnRequest]:
    return lambda turn: evolve(turn, sampling=evolve(turn.sampling, **{name: None}))


def _clear_thinking(name: str) -> Callable[[TurnRequest], TurnRequest]:
    return lambda turn: evolve(turn, thinking=evolve(turn.thinking, **{name: None}))


def _without_strict(turn: TurnRequest) -> TurnRequest:
    return evolve(
        turn,
        tools=tuple(
            evolve(tool, strict=None) if isinstance(tool, FunctionTool) else tool
            for tool in turn.tools
        ),
    )


def _without_custom(turn: TurnRequest) -> TurnRequest:
    return evolve(
        turn, tools=tuple(tool for tool in turn.tools if not isinstance(tool, CustomTool))
    )


_TOLD = 1 << 63
_SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "presence_penalty",
    "frequency_penalty",
)


def lacks(turn: TurnRequest, binding: Binding) -> Iterator[Lack]:
    """Every setting of `turn` that `binding` does not declare."""
    able = binding.capabilities
    for name in _SAMPLING:
        if getattr(turn.sampling, name) is not None and not getattr(able, name):
            yield _undeclared(f"turn.{name}", f"sampling.{name}", _clear_sampling(name))
    yield from _tool_lacks(turn, able)
    yield from _thinking_lacks(turn, able)
    if turn.stop and not able.stop:
        yield _undeclared("turn.stop", "stop", _clear(stop=()))
    if turn.output_format is not None:
        kind = "json_object" if isinstance(turn.output_format, JsonObject) else "json_schema"
        if kind not in able.output_formats:
            yield _undeclared("turn.output_format", "output_format", _clear(output_format=None))
    for name in ("verbosity", "end_user_id", "prompt_cache_key", "metadata", "service_tier"):
        if getattr(turn, name) is not None and not getattr(able, name):
            yield _undeclared(f"turn.{name}", name, _clear(**{name: None}))
    asked, maximum = turn.max_output_tokens, able.max_output_tokens
    if asked is not None and maximum is not None and asked > maximum:
        yield Lack(
            "max_output_tokens.lowered",
            "max_output_tokens",
            # a number is told while it is one that anybody could mean
            f"max_tokens: {asked if asked < _TOLD else 'too many'} > {maximum}",
            _clear(max_output_tokens=maximum),
        )


def _tool_lacks(turn: TurnRequest, able: Capabilities) -> Iterator[Lack]:
    if turn.tools and not able.tools:
        yield _undeclared("turn.tools", "tools", _clear(tools=(), tool_choice=AUTO))
    else:
        yield from _kind_lacks(turn, able)
        yield from _choice_lacks(turn, able)
    # calls are parallel unless said otherwise, so that the value `True` asks for nothing (rule 16)
    if turn.parallel_tool_calls is False and not able.parallel_tool_calls:
        loss = "turn.parallel_tool_calls"
        if not turn.tools or turn.tool_choice is NONE:
            loss += ".unused"
        yield _undeclared(loss, "parallel_tool_calls", _clear(parallel_tool_calls=None))


def _kind_lacks(turn: TurnRequest, able: Capabilities) -> Iterator[Lack]:
    if not able.custom_tools and any(isinstance(tool, CustomTool) for tool in turn.tools):
        yield _undeclared("turn.tools.custom", "tools", _without_custom)
    if not able.strict_tools and any(
        isinstance(tool, FunctionTool) and tool.strict is not None for tool in turn.tools
    ):
        yield _undeclared("turn.tools.strict", "tools", _without_strict)


def _choice_lacks(turn: TurnRequest, able: Capabilities) -> Iterator[Lack]:
    choice = turn.tool_choice
    if choice is AUTO or (choice is NONE and not turn.tools):
        return
    # a choice among tools that go out with `turn.tools.custom` would name what is not published
    gone = frozenset[str]()
    if not able.custom_tools:
        gone = frozenset(tool.name for tool in turn.tools if isinstance(tool, CustomTool))
    if isinstance(choice, Allowed):
        if not able.allowed_tools or not gone.isdisjoint(choice.names):
            yield _undeclared("turn.tool_choice.allowed", "tool_choice", _clear(tool_choice=AUTO))
    elif not able.tool_choice or (isinstance(choice, Named) and choice.name in gone):
        yield _undeclared("turn.tool_choice", "tool_choice", _clear(tool_choice=AUTO))


def _thinking_lacks(turn: TurnRequest, able: Capabilities) -> Iterator[Lack]:
    thinking = turn.thinking
    if thinking.effort is not None and thinking.effort not in able.reasoning_efforts:
        yield _undeclared("turn.thinking.effort", "thinking.effort", _clear_thinking("effort"))
    if thinking.mode is not None and thinking.mode not in able.thinking_modes:
        yield _undeclared("turn.thinking.mode", "thinking.mode", _clear_thinking("mode"))
    if thinking.budget_tokens is not None and not able.thinking_budget:
        yield _undeclared(
            "turn.thinking.budget_tokens",
            "thinking.budget_tokens",
            _clear_thinking("budget_tokens"),
        )
    if thinking.display is not None and not able.thinking_display:
        yield _undeclared("turn.thinking.display", "thinking.display", _clear_thinking("display"))


def _undeclared(loss: str, path: str, without: Callable[[TurnRequest], TurnRequest]) -> Lack:
    return Lack(loss, path, "the binding does not declare it", without)

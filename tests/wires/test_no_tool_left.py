"""Whoever asks for a call when every tool was left out asks for what no server does."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.model.binding import Binding
from llm_projections.model.items import Protocol, Text, UserMessage
from llm_projections.model.tools import (
    AUTO,
    NONE,
    REQUIRED,
    FunctionTool,
    HostedTool,
    Named,
    ToolChoice,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES
from tests.everything import MODEL, binding_of
from tests.wires.chat_projecting import without

WIRE = pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
ASK = UserMessage((Text("hi"),))


def elsewhere(protocol: Protocol) -> HostedTool:
    """A tool that only another wire has."""
    if protocol is Protocol.RESPONSES:
        return HostedTool(Protocol.MESSAGES, {"type": "web_search_20250305", "name": "web_search"})
    return HostedTool(Protocol.RESPONSES, {"type": "web_search", "name": "web_search"})


def settings(
    protocol: Protocol, *tools: Any, accept: frozenset[str] = frozenset(), **more: Any
) -> tuple[dict[str, Any], set[str]]:
    """What is written of the tools, and the names of what is lost."""
    turn = TurnRequest(MODEL, (ASK,), tools=tools, max_output_tokens=9, **more)
    hosted = "messages.tools.web_search" if protocol is Protocol.RESPONSES else ""
    names = accept | {hosted or "responses.tools.web_search"}
    written = WIRES[protocol].project_request(turn, bound(protocol), accept=names)
    kept = {key: written.body.get(key) for key in ("tools", "tool_choice", "parallel_tool_calls")}
    return kept, {loss.name for loss in written.losses}


def bound(protocol: Protocol) -> Binding:
    """A binding that takes no tool of another wire."""
    return binding_of(protocol, request_fields=frozenset())


@WIRE
@pytest.mark.parametrize("choice", [REQUIRED, Named("web_search"), AUTO, NONE])
def test_a_choice_among_nothing_is_lost_with_the_tools(
    protocol: Protocol, choice: ToolChoice
) -> None:
    """By its own name, in no set; a choice that asks for no call is as good as none."""
    asks = choice not in (AUTO, NONE)
    accept = frozenset({"turn.tool_choice"})
    found, losses = settings(protocol, elsewhere(protocol), tool_choice=choice, accept=accept)
    assert found["tools"] is None
    assert ("turn.tool_choice" in losses) == asks
    if asks or protocol is not Protocol.RESPONSES:
        assert found["tool_choice"] is None


@pytest.mark.parametrize("protocol", [Protocol.CHAT, Protocol.MESSAGES], ids=lambda it: it.short)
def test_one_call_at_a_time_is_a_hint_where_there_is_none(protocol: Protocol) -> None:
    """Accepted with every other hint."""
    accept = frozenset({"turn.parallel_tool_calls.unused"})
    found, losses = settings(
        protocol, elsewhere(protocol), parallel_tool_calls=False, accept=accept
    )
    assert "turn.parallel_tool_calls.unused" in losses
    assert found["parallel_tool_calls"] is found["tool_choice"] is None


@WIRE
@pytest.mark.parametrize(
    ("tools", "choice", "unused"),
    [
        ((), AUTO, ".unused"),
        ((FunctionTool("f"),), NONE, ".unused"),
        ((FunctionTool("f"),), AUTO, ""),
    ],
)
def test_a_binding_without_the_setting_says_whether_it_matters(
    protocol: Protocol, tools: tuple[Any, ...], choice: ToolChoice, unused: str
) -> None:
    """Where a call may come, the caller decides; where none may, it is a hint."""
    turn = TurnRequest(
        MODEL,
        (ASK,),
        tools=tools,
        tool_choice=choice,
        parallel_tool_calls=False,
        max_output_tokens=9,
    )
    binding = without(bound(protocol), parallel_tool_calls=False)
    name = f"turn.parallel_tool_calls{unused}"
    written = WIRES[protocol].project_request(turn, binding, accept={name})
    assert {name} == {loss.name for loss in written.losses}

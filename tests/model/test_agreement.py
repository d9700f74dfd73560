"""An answer against itself and against what was asked."""

import pytest
from attrs import evolve

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.agreement import check_outcome_alone
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Instruction,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopSequence,
    ToolCalls,
    TurnOutcome,
)
from llm_projections.model.tools import (
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    HostedTool,
    Named,
    WireChoice,
)
from llm_projections.model.turn import TurnRequest
from tests.everything import MODEL, binding_of

HERE = binding_of(Protocol.MESSAGES).provenance
CALL = ToolCall("1", "f", "{}")
CUSTOM = CustomToolCall("2", "c", "x")
SAID = AssistantMessage((Text("a"),))
WAITS = WireItem(Protocol.RESPONSES, {"type": "shell_call"}, "3", "call")
HOSTED = WireItem(Protocol.RESPONSES, {"type": "web_search_call"})
ASKED = TurnRequest.text(MODEL, "u", tools=(FunctionTool("f"), CustomTool("c")))


@pytest.mark.parametrize(
    ("items", "stop"),
    [
        ((), EndTurn()),
        ((SAID,), EndTurn()),
        ((Reasoning("r"), SAID, CALL, CUSTOM), ToolCalls()),
        ((WAITS,), ToolCalls()),
        ((WAITS,), EndTurn()),
        ((WireItem(Protocol.RESPONSES, {}),), EndTurn()),
        ((SAID, CALL), MaxOutputTokens()),
        ((CALL,), Incomplete("content_filter")),
        ((CALL,), StopSequence("x")),
        ((Opaque(HERE, {}),), EndTurn()),
    ],
)
def test_an_answer_that_agrees_with_itself(items, stop):
    """Limits and filters stand beside calls; provider-run items do not count as calls."""
    check_outcome_alone(TurnOutcome(stop, items), HERE)


@pytest.mark.parametrize(
    ("items", "stop", "path"),
    [
        ((SAID, UserMessage(())), EndTurn(), "items[1]"),
        ((Instruction(()),), EndTurn(), "items[0]"),
        ((ToolResult("1", ()),), EndTurn(), "items[0]"),
        ((UnattributedOpaque(Protocol.MESSAGES, {}),), EndTurn(), "items[0]"),
        ((CALL, evolve(CUSTOM, call_id="1")), ToolCalls(), "items[1].call_id"),
        ((Opaque(evolve(HERE, account="other"), {}),), EndTurn(), "items[0]"),
        ((SAID,), ToolCalls(), "stop"),
        ((WireItem(Protocol.MESSAGES, {}, "3", "other"),), ToolCalls(), "stop"),
        ((CALL,), EndTurn(), "stop"),
        ((CUSTOM,), EndTurn(), "stop"),
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(items, stop, path):
    """By the place of the contradiction; a model worked on it, so that a retry is not free."""
    with pytest.raises(ResponseRefused) as refused:
        TurnOutcome(stop, items).validate_for(ASKED, HERE)
    error = refused.value
    assert (RefusalCode.PROTOCOL, path) == (error.code, error.path)
    assert (Dispatch.ACCEPTED, False) == (error.dispatch, error.retriable)


def test_without_a_provenance_no_state_is_foreign():
    """Whoever asks without a binding cannot tell."""
    assert () == TurnOutcome(EndTurn(), (Opaque(HERE, {}),)).validate_for(ASKED)


NAMESPACE = HostedTool(
    Protocol.RESPONSES,
    {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]},
)
LATE = WireItem(Protocol.RESPONSES, {"type": "additional_tools", "tools": [{"name": "f"}]})


@pytest.mark.parametrize(
    ("changes", "published"),
    [
        ({}, True),
        ({"tools": ()}, False),
        ({"tools": (FunctionTool("g"),)}, False),
        ({"tools": (NAMESPACE,)}, True),
        ({"tools": (), "items": (LATE,)}, True),
    ],
)
def test_a_call_of_a_tool_that_nobody_published_is_odd(changes, published):
    """A warning, not a refusal: the agent answers the model with an error."""
    warnings = TurnOutcome(ToolCalls(), (CALL,)).validate_for(evolve(ASKED, **changes))
    assert ([] if published else ["unpublished-tool"]) == [w.code for w in warnings]


@pytest.mark.parametrize(
    ("changes", "items", "stop", "honoured"),
    [
        ({"tool_choice": NONE}, (SAID,), EndTurn(), True),
        ({"tool_choice": NONE}, (CALL,), ToolCalls(), False),
        ({"tool_choice": REQUIRED}, (CALL,), ToolCalls(), True),
        ({"tool_choice": REQUIRED}, (SAID,), EndTurn(), False),
        ({"tool_choice": REQUIRED}, (SAID,), MaxOutputTokens(), True),
        ({"tool_choice": Named("f")}, (CALL,), ToolCalls(), True),
        ({"tool_choice": Named("c")}, (CALL,), ToolCalls(), False),
        ({"tool_choice": Named("f")}, (SAID,), EndTurn(), False),
        ({"tool_choice": Named("f")}, (SAID,), MaxOutputTokens(), True),
        ({"tool_choice": Allowed("auto", ("f",))}, (SAID,), EndTurn(), True),
        ({"tool_choice": Allowed("auto", ("f",))}, (CUSTOM,), ToolCalls(), False),
        ({"tool_choice": Allowed("required", ("f",))}, (CALL,), ToolCalls(), True),
        ({"tool_choice": Allowed("required", ("f",))}, (SAID,), EndTurn(), False),
        ({"tool_choice": REQUIRED}, (HOSTED, SAID), EndTurn(), True),
        ({"tool_choice": WireChoice(Protocol.CHAT, {})}, (CALL,), ToolCalls(), True),
        ({"parallel_tool_calls": False}, (CALL,), ToolCalls(), True),
        ({"parallel_tool_calls": False}, (CALL, CUSTOM), ToolCalls(), False),
        ({"parallel_tool_calls": None}, (CALL, CUSTOM), ToolCalls(), True),
    ],
)
def test_a_choice_that_was_not_honoured_is_odd(changes, items, stop, honoured):
    """An answer that was cut off is not judged for what it had no time to say."""
    warnings = TurnOutcome(stop, items).validate_for(evolve(ASKED, **changes))
    assert ([] if honoured else ["tool-choice-not-honoured"]) == [w.code for w in warnings]

"""What a binding does not declare: each is named, and can be left out."""

from typing import Any

import pytest
from attrs import evolve, fields_dict
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.model.binding import Capabilities
from llm_projections.model.capability import lacks
from llm_projections.model.items import Protocol
from llm_projections.model.losses import NAMES
from llm_projections.model.tools import (
    AUTO,
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    HostedTool,
    JsonObject,
    JsonSchema,
    Named,
    WireChoice,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from tests.everything import MODEL, binding_of

EVERY = TurnRequest.text(
    MODEL,
    "u",
    tools=(FunctionTool("f", strict=True), CustomTool("c")),
    tool_choice=REQUIRED,
    parallel_tool_calls=False,
    max_output_tokens=100,
    sampling=Sampling(0.5, 0.5, 5, 5, 0.5, 0.5),
    thinking=Thinking("high", 1000, "enabled", "omitted"),
    output_format=JsonObject(),
    stop=("x",),
    verbosity="low",
    end_user_id="u",
    prompt_cache_key="k",
    metadata={"a": "b"},
    service_tier="flex",
)

# the capability that is taken away, what is lacking then and where
TABLE: list[tuple[dict[str, Any], str, str]] = [
    ({"temperature": False}, "turn.temperature", "sampling.temperature"),
    ({"top_p": False}, "turn.top_p", "sampling.top_p"),
    ({"top_k": False}, "turn.top_k", "sampling.top_k"),
    ({"seed": False}, "turn.seed", "sampling.seed"),
    ({"presence_penalty": False}, "turn.presence_penalty", "sampling.presence_penalty"),
    ({"frequency_penalty": False}, "turn.frequency_penalty", "sampling.frequency_penalty"),
    ({"tools": False}, "turn.tools", "tools"),
    ({"custom_tools": False}, "turn.tools.custom", "tools"),
    ({"strict_tools": False}, "turn.tools.strict", "tools"),
    ({"tool_choice": False}, "turn.tool_choice", "tool_choice"),
    ({"parallel_tool_calls": False}, "turn.parallel_tool_calls", "parallel_tool_calls"),
    ({"reasoning_efforts": frozenset({"low"})}, "turn.thinking.effort", "thinking.effort"),
    ({"thinking_modes": frozenset({"adaptive"})}, "turn.thinking.mode", "thinking.mode"),
    ({"thinking_budget": False}, "turn.thinking.budget_tokens", "thinking.budget_tokens"),
    ({"thinking_display": False}, "turn.thinking.display", "thinking.display"),
    ({"stop": False}, "turn.stop", "stop"),
    ({"output_formats": frozenset({"json_schema"})}, "turn.output_format", "output_format"),
    ({"verbosity": False}, "turn.verbosity", "verbosity"),
    ({"end_user_id": False}, "turn.end_user_id", "end_user_id"),
    ({"prompt_cache_key": False}, "turn.prompt_cache_key", "prompt_cache_key"),
    ({"metadata": False}, "turn.metadata", "metadata"),
    ({"service_tier": False}, "turn.service_tier", "service_tier"),
    ({"max_output_tokens": 99}, "max_output_tokens.lowered", "max_output_tokens"),
]


def able(**changes: Any) -> Any:
    """A binding that declares everything but for these."""
    return binding_of(Protocol.CHAT, capabilities=evolve(Capabilities.all(1000, 1000), **changes))


def test_a_binding_that_declares_everything_lacks_nothing():
    """Whatever is used."""
    assert [] == list(lacks(EVERY, able()))


@pytest.mark.parametrize(("change", "loss", "path"), TABLE)
def test_one_undeclared_capability_is_one_lack(change, loss, path):
    """It has the name of a loss and the place of the setting, and left out it is gone."""
    (lack,) = lacks(EVERY, able(**change))
    assert (loss, path) == (lack.loss, lack.path)
    assert loss in NAMES
    assert EVERY != lack.without(EVERY)
    assert [] == list(lacks(lack.without(EVERY), able(**change)))


@pytest.mark.parametrize(
    ("setting", "change", "loss"),
    [
        ({"sampling": Sampling(temperature=0.0)}, {"temperature": False}, "turn.temperature"),
        ({"sampling": Sampling(top_k=0)}, {"top_k": False}, "turn.top_k"),
        (
            {"thinking": Thinking(budget_tokens=0)},
            {"thinking_budget": False},
            "turn.thinking.budget_tokens",
        ),
        ({"end_user_id": ""}, {"end_user_id": False}, "turn.end_user_id"),
        ({"metadata": {}}, {"metadata": False}, "turn.metadata"),
        (
            {"tools": (FunctionTool("f", strict=False),)},
            {"strict_tools": False},
            "turn.tools.strict",
        ),
    ],
)
def test_a_setting_of_nothing_is_a_setting(setting, change, loss):
    """Zero, no and an empty text are said like any other value."""
    (lack,) = lacks(turn := TurnRequest.text(MODEL, "u", **setting), able(**change))
    assert loss == lack.loss
    assert [] == list(lacks(lack.without(turn), able(**change)))


def test_nothing_else_changes_when_a_setting_is_left_out():
    """Only the field that is named."""
    for change, _, path in TABLE:
        (lack,) = lacks(EVERY, able(**change))
        field = path.split(".")[0]
        also = {"tool_choice"} if lack.loss == "turn.tools" else set[str]()
        before, after = EVERY, lack.without(EVERY)
        changed = {
            n for n in fields_dict(TurnRequest) if getattr(before, n, 0) != getattr(after, n, 0)
        }
        assert {field} | also == changed


def test_an_asked_limit_above_the_maximum_is_said_in_the_words_that_clients_read():
    """Claude Code reads exactly this; accepted, the maximum is sent."""
    (lack,) = lacks(EVERY, able(max_output_tokens=64))
    assert "max_tokens: 100 > 64" == lack.message
    assert 64 == lack.without(EVERY).max_output_tokens


def test_a_number_that_nobody_means_is_not_told():
    """It may have more digits than Python writes."""
    (lack,) = lacks(evolve(EVERY, max_output_tokens=10**5000), able(max_output_tokens=64))
    assert "max_tokens: too many > 64" == lack.message


@pytest.mark.parametrize(
    ("setting", "change"),
    [
        ({"parallel_tool_calls": True}, {"parallel_tool_calls": False}),
        ({"tool_choice": AUTO}, {"tool_choice": False, "allowed_tools": False}),
        ({"tools": (), "tool_choice": NONE}, {"tool_choice": False, "tools": False}),
        ({"max_output_tokens": 100}, {"max_output_tokens": 100}),
        ({"max_output_tokens": 100}, {"max_output_tokens": None}),
        ({"max_output_tokens": None}, {"max_output_tokens": 1}),
    ],
)
def test_a_setting_that_asks_for_nothing_needs_no_capability(setting, change):
    """Rule 16: a harmless default is never refused."""
    base = TurnRequest.text(MODEL, "u", tools=(FunctionTool("f"),))
    assert [] == list(lacks(evolve(base, **setting), able(**change)))


@pytest.mark.parametrize(
    ("choice", "change", "expected"),
    [
        (Named("c"), {"custom_tools": False}, ["turn.tools.custom", "turn.tool_choice"]),
        (Named("f"), {"custom_tools": False}, ["turn.tools.custom"]),
        (
            Allowed("auto", ("f", "c")),
            {"custom_tools": False},
            ["turn.tools.custom", "turn.tool_choice.allowed"],
        ),
        (Allowed("auto", ("f",)), {"custom_tools": False}, ["turn.tools.custom"]),
        (Allowed("auto", ("f",)), {"allowed_tools": False}, ["turn.tool_choice.allowed"]),
        (Allowed("auto", ("f",)), {"tool_choice": False}, []),
        (NONE, {"tool_choice": False}, ["turn.tool_choice"]),
        (WireChoice(Protocol.CHAT, {}), {"tool_choice": False}, ["turn.tool_choice"]),
    ],
)
def test_a_choice_goes_with_the_tools_that_it_names(choice, change, expected):
    """A choice of a tool that is left out would contradict the turn."""
    turn = evolve(EVERY, tool_choice=choice)
    assert expected == [lack.loss for lack in lacks(turn, able(**change))]


SWITCHES = [change for change, _, _ in TABLE] + [{"allowed_tools": False}]


@given(
    st.lists(st.sampled_from(SWITCHES)),
    st.sampled_from([AUTO, NONE, REQUIRED, Named("f"), Named("c"), Allowed("auto", ("f", "c"))]),
    st.sampled_from([EVERY.tools, EVERY.tools[:1], (), (HostedTool(Protocol.CHAT, {}),)]),
    st.sampled_from([JsonObject(), JsonSchema("s", {}), None]),
)
def test_what_is_left_out_is_no_longer_lacking(changes, choice, tools, form):
    """Taking every lack out gives a turn that the binding declares whole."""
    binding = able(**{name: value for change in changes for name, value in change.items()})
    turn = evolve(EVERY, tool_choice=choice, tools=tools, output_format=form)
    for lack in tuple(lacks(turn, binding)):
        turn = lack.without(turn)
    assert [] == list(lacks(turn, binding))

"""Tool names and call ids that a target would refuse: mapped one way, restored the other."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import RequestRefused
from llm_projections.model.events import (
    ItemCompleted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
)
from llm_projections.model.items import (
    CustomToolCall,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.outcome import OpenItem, PartialOutcome, ToolCalls, TurnOutcome
from llm_projections.model.tools import Allowed, CustomTool, FunctionTool, HostedTool, Named
from llm_projections.model.turn import TurnRequest
from llm_projections.naming import Naming
from tests.values import names, texts

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def turn(*items: Any, tools: tuple[Any, ...] = (), **settings: Any) -> TurnRequest:
    return TurnRequest("m", items, tools=tools, **settings)


def mapped(name: str, target: Protocol = CHAT) -> str:
    """What a published name becomes."""
    (tool,) = Naming(target).outward(turn(tools=(FunctionTool(name),))).tools
    assert isinstance(tool, FunctionTool)
    return tool.name


@pytest.mark.parametrize("target", list(Protocol))
def test_what_the_target_takes_stays_the_same_turn(target: Protocol) -> None:
    """Not even a copy is made."""
    asked = turn(
        UserMessage((Text("u"),)),
        ToolCall("call_1", "look", "{}"),
        ToolResult("call_1", (Text("r"),)),
        tools=(FunctionTool("look"), HostedTool(RESPONSES, {"type": "web_search"})),
        tool_choice=Named("look"),
    )
    assert asked is Naming(target).outward(asked)


@given(texts(1) | st.text(min_size=60, max_size=200))
def test_every_name_becomes_one_of_the_alphabet(name: str) -> None:
    """And the same one in every exchange, and another for another name."""
    for target in Protocol:
        made = mapped(name, target)
        assert set(made) <= ALPHABET
        assert 0 < len(made) <= (128 if target is MESSAGES else 64)
        assert made == mapped(name, target)
        assert made != mapped(name + ".", target)


def test_a_name_is_mapped_the_same_in_every_process() -> None:
    """A conversation goes on after a restart: the digest is a published one."""
    assert 64 == len(mapped("x" * 129))
    assert "_" == mapped("\ud800")[0]
    assert "a_b_2e7336dc8eba87ef" == mapped("a.b")


@given(st.lists(names() | texts(1), min_size=1, max_size=6, unique=True))
def test_the_client_sees_its_own_names(published: list[str]) -> None:
    """In starts, items and outcomes, of functions and custom tools."""
    naming = Naming(CHAT)
    sent = naming.outward(turn(tools=tuple(FunctionTool(name) for name in published)))
    for tool, name in zip(sent.tools, published, strict=True):
        assert isinstance(tool, FunctionTool)
        call, custom = ToolCall("c", tool.name, "{}"), CustomToolCall("c", tool.name, "")
        started = naming.inward(ToolCallStarted("c", tool.name, 0))
        assert ToolCallStarted("c", name, 0) == started
        assert ItemCompleted(ToolCall("c", name, "{}"), 0) == naming.inward(ItemCompleted(call, 0))
        assert ItemCompleted(CustomToolCall("c", name, ""), 1) == naming.inward(
            ItemCompleted(custom, 1)
        )
        ended = naming.inward(TurnCompleted(TurnOutcome(ToolCalls(), (call,))))
        assert TurnCompleted(TurnOutcome(ToolCalls(), (ToolCall("c", name, "{}"),))) == ended


def test_a_broken_answer_tells_them_too() -> None:
    """Of what was whole and of what was open."""
    naming = Naming(CHAT)
    sent = naming.outward(turn(tools=(FunctionTool("a.b"),))).tools[0]
    assert isinstance(sent, FunctionTool)
    broken = PartialOutcome(
        (ToolCall("c", sent.name, "{}"),),
        (OpenItem(1, "call", "", "d", sent.name), OpenItem(2, "text", "x")),
    )
    expected = PartialOutcome(
        (ToolCall("c", "a.b", "{}"),),
        (OpenItem(1, "call", "", "d", "a.b"), OpenItem(2, "text", "x")),
    )
    assert expected == naming.inward_partial(broken)
    assert broken is Naming(CHAT).inward_partial(broken)


def test_what_names_nothing_is_left_alone() -> None:
    """Deltas and foreign names pass as they are."""
    naming = Naming(CHAT)
    naming.outward(turn(tools=(FunctionTool("a.b"),)))
    for event in (
        TextDelta("x", 0),
        ToolArgumentsDelta("c", "x", 0),
        ToolCallStarted("c", "unknown", 0),
    ):
        assert event is naming.inward(event)


def test_history_choices_and_custom_tools_are_mapped_alike() -> None:
    """Whatever names a tool names it the same."""
    name = mapped("a.b")
    for choice, expected in (
        (Named("a.b"), Named(name)),
        (Allowed("auto", ("look", "a.b")), Allowed("auto", ("look", name))),
    ):
        asked = turn(
            ToolCall("c1", "a.b", "{}"),
            ToolResult("c1", ()),
            CustomToolCall("c2", "a.b", ""),
            ToolResult("c2", (), custom=True),
            tools=(CustomTool("a.b"), FunctionTool("look")),
            tool_choice=choice,
        )
        sent = Naming(CHAT).outward(asked)
        kinds = (ToolCall, CustomToolCall)
        called = [item.name for item in sent.items if isinstance(item, kinds)]
        assert [name, name] == called
        assert (CustomTool(name), FunctionTool("look")) == sent.tools
        assert expected == sent.tool_choice


def test_a_name_that_the_derived_one_would_hide_is_refused() -> None:
    """Two tools never become one."""
    with pytest.raises(RequestRefused, match="used already") as refused:
        Naming(CHAT).outward(turn(tools=(FunctionTool("a.b"), FunctionTool(mapped("a.b")))))
    assert "tools" == refused.value.path


def test_what_stands_between_mapped_calls_stays() -> None:
    """Every other item is the very same, in its place."""
    before, after = UserMessage((Text("u"),)), UserMessage((Text("on"),))
    asked = turn(before, ToolCall("c1", "a.b", "{}"), ToolResult("c1", ()), after)
    sent = Naming(CHAT).outward(asked).items
    assert [before, ToolCall("c1", mapped("a.b"), "{}"), ToolResult("c1", ()), after] == list(sent)


@pytest.mark.parametrize(
    ("target", "call_id", "kept"),
    [
        (MESSAGES, "toolu_1-A", True),
        (MESSAGES, "functions.look:0", False),
        (MESSAGES, "é", False),
        (RESPONSES, "functions.look:0", True),
        (RESPONSES, "x" * 64, True),
        (RESPONSES, "x" * 65, False),
        (CHAT, "functions.look:0", True),
        (CHAT, "x" * 257, False),
        (CHAT, "a\nb", False),
    ],
)
def test_call_ids_are_mapped_where_the_target_refuses_them(
    target: Protocol, call_id: str, kept: bool
) -> None:
    """A call and its result stay together, and the same id maps the same in every request."""
    asked = turn(ToolCall(call_id, "look", "{}"), ToolResult(call_id, ()))
    call, result = Naming(target).outward(asked).items
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResult)
    assert call.call_id == result.call_id
    assert kept is (call.call_id == call_id)
    assert kept or (set(call.call_id) <= ALPHABET and len(call.call_id) <= 64)
    assert (call, result) == Naming(target).outward(asked).items


def test_an_empty_name_is_left_to_validation() -> None:
    """Nothing readable could be derived from it."""
    assert "" == mapped("")


def test_a_mapped_name_is_still_readable() -> None:
    """What a model reads is close to what the client wrote."""
    assert mapped("files.read/all").startswith("files_read_all_")

"""What a class's annotations say of a value, and where it is something else."""

# pyright: reportArgumentType=false
# what the types forbid is what is tested

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections import ALL, Binding, Identity, Protocol, TurnRequest
from llm_projections.model.items import (
    CacheMark,
    DataSource,
    Extension,
    Image,
    Instruction,
    Item,
    Text,
    ToolCall,
    UserMessage,
    WireItem,
)
from llm_projections.model.soundness import (
    is_sound,
    is_sound_item,
    kind_faults,
    require_sound,
    unsound,
)
from llm_projections.model.tools import FunctionTool
from llm_projections.model.turn import Sampling
from tests.everything import BINDINGS, IDENTITY, MODEL, everything


class Word(str):
    """A text of the caller's own class."""


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_what_belongs_there_is_sound(protocol: Protocol) -> None:
    """Everything that the model can say, and every binding."""
    turn = everything(BINDINGS[protocol])
    assert is_sound(turn, TurnRequest)
    assert all(map(is_sound_item, turn.items))
    assert is_sound(BINDINGS[protocol], Binding)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Text(Word("t")), Text),
        (Sampling(1, 1, 5), Sampling),
        (Text("t", (), CacheMark()), Text),
        (WireItem(Protocol.CHAT, {}, role="call"), WireItem),
        (Extension(Protocol.CHAT, "x", None), Extension),
        (Extension(Protocol.CHAT, "x", [1, {}]), Extension),
        (Image(DataSource("QQ==")), Image),
    ],
)
def test_a_subclass_and_a_whole_number_belong_there(value: Any, kind: type) -> None:
    """So does whatever JSON holds, and what may be left out."""
    assert is_sound(value, kind)
    assert [] == list(unsound(value, kind, ""))


@pytest.mark.parametrize(
    ("value", "kind", "told"),
    [
        (Text(5), Text, ("text", "must be text")),
        (Text(b"x"), Text, ("text", "must be text")),
        (Text("x", [Text("y")]), Text, ("annotations", "must be a tuple")),
        (UserMessage("hi"), UserMessage, ("content", "must be a tuple")),
        (UserMessage((5,)), UserMessage, ("content[0]", "is not what belongs here")),
        (
            UserMessage((Text("x", cache="5m"),)),
            UserMessage,
            ("content[0].cache", "is not what belongs here"),
        ),
        (
            UserMessage((Text("x"), Image(DataSource(b"x")))),
            UserMessage,
            ("content[1].source.data", "must be text"),
        ),
        (Sampling(top_k=1.5), Sampling, ("top_k", "must be an integer")),
        (Sampling(top_k=True), Sampling, ("top_k", "must be an integer")),
        (Sampling("1"), Sampling, ("temperature", "must be a number")),
        (FunctionTool("f", strict=1), FunctionTool, ("strict", "must be true or false")),
        (FunctionTool("f", input_schema=[]), FunctionTool, ("input_schema", "must be an object")),
        (Extension("chat", "x", 1), Extension, ("protocol", "is not one of its values")),
        (WireItem(Protocol.CHAT, {}, role="x"), WireItem, ("role", "is not what belongs here")),
        (Instruction((Text("x"),), 5), Instruction, ("role", "is not what belongs here")),
        (
            TurnRequest.text(MODEL, "q", metadata={"a": 1}),
            TurnRequest,
            ("metadata", "must be an object"),
        ),
        ("hi", Item, ("", "is not what belongs here")),
    ],
    ids=str,
)
def test_what_is_something_else_is_told_by_its_place(
    value: Any, kind: Any, told: tuple[str, str]
) -> None:
    """And by what belongs there, in fixed words."""
    assert not is_sound(value, kind)
    assert [told] == list(unsound(value, kind, ""))


def test_faults_are_refusals():
    """One a place, with its path."""
    turn = TurnRequest(MODEL, (ToolCall("c", "f", {}),), stop="END")
    told = [(fault.path, fault.message) for fault in kind_faults(turn)]
    assert [("items[0].arguments", "must be text"), ("stop", "must be a tuple")] == told


def test_a_field_that_holds_something_else_is_a_type_error():
    """It names the field, and never what stands there."""
    require_sound(IDENTITY)
    require_sound(BINDINGS[Protocol.CHAT])
    with pytest.raises(TypeError, match=r"^Sampling: top_k must be an integer$"):
        require_sound(Sampling(top_k="secret"))


def test_what_may_be_called_or_be_everything_is_known():
    """Functions, and sets that may be `ALL`."""
    binding = BINDINGS[Protocol.CHAT]
    assert is_sound(Identity("r", 1, None, lambda kind, index: f"{kind}{index}"), Identity)
    able = evolve(binding.capabilities, extensions=ALL)
    assert is_sound(able, type(able))
    assert not is_sound(evolve(able, extensions={"x"}), type(able))

"""What one call asks: the short constructor, and the decisions about a whole turn."""

import pytest

from llm_projections.errors import RequestRefused
from llm_projections.model.items import (
    Instruction,
    Opaque,
    Protocol,
    Text,
    UnattributedOpaque,
    UserMessage,
)
from llm_projections.model.limits import Limits
from llm_projections.model.tools import AUTO
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from tests.everything import binding_of


def test_the_common_case_is_one_line():
    """A model and a text; everything else is unset."""
    turn = TurnRequest.text("m", "hello")
    assert TurnRequest("m", (UserMessage((Text("hello"),)),)) == turn
    assert (AUTO, Sampling(), Thinking(), "auto") == (
        turn.tool_choice,
        turn.sampling,
        turn.thinking,
        turn.cache_marks,
    )


@pytest.mark.parametrize(
    ("given", "instructions"),
    [
        ("be brief", (Instruction((Text("be brief"),)),)),
        ("", ()),
        (
            [Instruction((Text("a"),)), Instruction(())],
            (Instruction((Text("a"),)), Instruction(())),
        ),
    ],
)
def test_instructions_are_a_text_or_many(given, instructions):
    """A string is one instruction, an empty one none."""
    assert instructions == TurnRequest.text("m", "u", instructions=given).instructions


def test_further_settings_are_named():
    """Every field of the turn can be set beside the text."""
    turn = TurnRequest.text("m", "u", max_output_tokens=5, stop=("x",))
    assert (5, ("x",)) == (turn.max_output_tokens, turn.stop)


def test_a_turn_of_plain_values_is_hashable():
    """It can be the key of a cache."""
    assert 1 == len({TurnRequest.text("m", "u"), TurnRequest.text("m", "u")})


def test_binding_leaves_other_protocols_alone():
    """The caller's decision is about one binding."""
    here = binding_of(Protocol.MESSAGES).provenance
    mine, other = (UnattributedOpaque(p, {"a": 1}) for p in (Protocol.MESSAGES, Protocol.RESPONSES))
    turn = TurnRequest("m", (mine, other)).bind_unattributed(here)
    assert (Opaque(here, {"a": 1}), other) == turn.items


def test_a_turn_is_checked_within_the_usual_limits_unless_told():
    """`validate` and `validate_for` take the limits of the caller."""
    turn = TurnRequest.text(binding_of(Protocol.CHAT).model, "u")
    turn.validate()
    turn.validate_for(binding_of(Protocol.CHAT))
    for check in (
        turn.validate,
        lambda limits: turn.validate_for(binding_of(Protocol.CHAT), limits),
    ):
        with pytest.raises(RequestRefused, match="more than 0 items"):
            check(Limits(items=0))

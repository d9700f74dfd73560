"""Tools and choices as values."""

import pytest

from llm_projections.model.tools import (
    AUTO,
    NONE,
    REQUIRED,
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    JsonObject,
    JsonSchema,
    Named,
    ToolChoiceMode,
)


def test_the_three_modes_are_the_members_of_one_enumeration():
    """They are told apart by identity."""
    assert [AUTO, NONE, REQUIRED] == list(ToolChoiceMode)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FunctionTool("f", strict=True),
        lambda: CustomTool("c", format=Grammar("lark", "start: WORD")),
        lambda: Named("f"),
        lambda: Allowed("auto", ("f", "g")),
        lambda: JsonObject(),
    ],
)
def test_values_compare_and_hash_by_what_they_say(make):
    """Two that say the same are one key."""
    assert make() == make()
    assert 1 == len({make(), make()})


def test_strict_is_three_valued():
    """Not said is neither yes nor no, and is what stands unless one of them is said."""
    assert (None, None) == (FunctionTool("f").strict, JsonSchema("s", {}).strict)
    assert 3 == len({FunctionTool("f", strict=said) for said in (None, True, False)})
    assert JsonSchema("s", {}) != JsonSchema("s", {}, strict=False)

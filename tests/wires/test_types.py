"""What a value may be at its place."""

from typing import Any

import pytest

from llm_projections.wires._types import (
    CALLED,
    INTEGER,
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    mistyped,
)

VALUES: tuple[Any, ...] = (3, 1.5, True, "x", [], {})


@pytest.mark.parametrize(
    ("right", "values"),
    [
        (TEXT, ("x",)),
        (INTEGER, (3,)),
        (NUMBER, (3, 1.5)),
        (OBJECT, ({},)),
        (LIST, ([],)),
        (TEXTS, ("x", [])),
        (CALLED, ("x", [], {})),
    ],
)
def test_a_place_has_its_types_and_no_other(right: frozenset[type], values: tuple[Any, ...]):
    """A bool is no integer, a number no text, and emptiness is no excuse."""
    found = [value for value in VALUES if mistyped({"at": value}, {"at": right}) is None]
    assert list(values) == found


@pytest.mark.parametrize("right", [TEXT, INTEGER, NUMBER, OBJECT, LIST, TEXTS, CALLED])
def test_null_is_absent(right: frozenset[type]):
    assert mistyped({"at": None}, {"at": right}) is None
    assert mistyped({}, {"at": right}) is None


def test_the_first_member_of_a_wrong_type_is_named():
    """What no table names may be anything."""
    node: dict[str, Any] = {"free": object, "b": 1, "a": 2}
    assert mistyped(node, {"a": TEXT, "b": TEXT}) == "b"

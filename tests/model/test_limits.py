"""The bounds and their defaults."""

from typing import Any

import pytest
from attrs import asdict, fields

from llm_projections.model.limits import Limits

MIB = 1024 * 1024


def test_the_defaults_are_the_documented_ones():
    """A change of one of these is a change of the interface."""
    assert {
        "frame_bytes": 16 * MIB,
        "stream_bytes": 512 * MIB,
        "request_bytes": 64 * MIB,
        "items": 65_536,
        "tools": 1_024,
        "arguments_bytes": 16 * MIB,
        "result_bytes": 16 * MIB,
        "instructions_bytes": 4 * MIB,
        "json_depth": 512,
        "raw_bytes": 16 * MIB,
    } == asdict(Limits())


@pytest.mark.parametrize("name", [own.name for own in fields(Limits)])
def test_a_bound_is_an_integer_from_zero_on(name: str):
    """Another value would be found where it is compared first, in the middle of an answer."""
    assert 0 == getattr(Limits(**{name: 0}), name)
    wrongs: list[Any] = [None, "1", 1.5, True]
    for wrong in wrongs:
        with pytest.raises(TypeError, match=f"Limits: {name} must be an integer"):
            Limits(**{name: wrong})
    with pytest.raises(ValueError, match=f"Limits: {name} must not be below zero"):
        Limits(**{name: -1})

"""A value of a type that its place never has is refused, told or kept: it is never read as if it were not there."""

import pytest

from tests.golden_tools import PROTOCOLS
from tests.mistyped import ALLOWED, PARTS, Found, mistyped

every_wire = pytest.mark.parametrize("wire", list(PROTOCOLS))
LEAST = {"chat": 4_000, "messages": 3_500, "responses": 10_000}


def all_of(wire: str) -> Found:
    found = Found()
    for part in PARTS:
        found.add(mistyped(wire, part))
    return found


@every_wire
def test_no_value_of_a_wrong_type_is_read_as_absent(wire: str) -> None:
    """Each place of golden/ and spec/cases, in streams, bodies and errors, unless a table says why not."""
    found = all_of(wire)
    assert [] == found.lost
    assert found.tried == found.told + found.allowed.total() >= LEAST[wire]


@every_wire
def test_what_may_be_read_as_absent_has_its_reason_and_is_met(wire: str) -> None:
    """And each place is named once."""
    entries = [(section, place) for section, place, _, reason in ALLOWED[wire] if reason]
    assert len(entries) == len(ALLOWED[wire]) == len(set(entries))
    assert [] == [entry for entry in entries if entry not in all_of(wire).allowed]

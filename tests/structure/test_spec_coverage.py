"""The conformance suite shows what spec/ declares: every row that says what becomes of a thing, and every loss."""

import pytest

from llm_projections.model.losses import NAMES
from tests.conformance import suite
from tests.conformance.running import files

# The wires whose cases are complete.
COMPLETE = ("chat", "messages", "responses")
LEAST = 150

every_wire = pytest.mark.parametrize("wire", COMPLETE)


@every_wire
def test_every_row_has_a_case(wire: str):
    """What is mapped, carried, defaulted or refused is shown, but for the rows that say why not."""
    told = [row for row in suite.without()["rows"] if row.startswith(f"{wire}-")]
    assert sorted(told) == sorted(suite.rows_without_case(wire))


def test_every_loss_has_a_case():
    """Each name of a complete wire is reported by some case, but for those that say why not."""
    told = suite.without()["losses"]
    missing = suite.losses_without_case()
    assert [] == [name for name in missing if name.split(".")[0] in COMPLETE and name not in told]
    assert [] == [name for name in told if name not in missing or name not in NAMES]


@every_wire
def test_there_are_many_cases(wire: str):
    """The suite counts itself."""
    assert LEAST <= len(files(wire))

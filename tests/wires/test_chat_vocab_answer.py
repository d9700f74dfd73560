"""The words of Chat answers."""

from __future__ import annotations

from llm_projections.wires.chat.subset_answers import ROWS
from llm_projections.wires.chat.vocab_answer import (
    FAILED,
    INCOMPLETE_OUT,
    STOPS,
    STOPS_OUT,
)


def test_every_stop_that_is_read_has_a_row() -> None:
    """And no row speaks of another."""
    rows = {row.at.removeprefix("stop.") for row in ROWS if row.at.startswith("stop.")}
    assert {*STOPS, FAILED} == rows


def test_every_word_that_is_written_is_read() -> None:
    """As a stop of this wire."""
    assert {*STOPS_OUT.values(), *INCOMPLETE_OUT.values()} <= STOPS.keys()

"""The words of Chat answers."""

from __future__ import annotations

import pytest

from llm_projections.errors import RefusalCode, ResponseRefused
from llm_projections.wires._http import classify_code
from llm_projections.wires.chat.subset_answers import ROWS
from llm_projections.wires.chat.vocab_answer import (
    ERRORS,
    FAILED,
    INCOMPLETE_OUT,
    STOPS,
    STOPS_OUT,
    error_object,
)


def test_every_stop_that_is_read_has_a_row() -> None:
    """And no row speaks of another."""
    rows = {row.at.removeprefix("stop.") for row in ROWS if row.at.startswith("stop.")}
    assert {*STOPS, FAILED} == rows


def test_every_word_that_is_written_is_read() -> None:
    """As a stop of this wire."""
    assert {*STOPS_OUT.values(), *INCOMPLETE_OUT.values()} <= STOPS.keys()


def test_every_kind_of_refusal_has_a_status() -> None:
    """None falls through."""
    assert set(RefusalCode) == ERRORS.keys()


@pytest.mark.parametrize(
    "code",
    [
        RefusalCode.RATE_LIMITED,
        RefusalCode.UNAVAILABLE,
        RefusalCode.CONTEXT_LENGTH,
        RefusalCode.NOT_FOUND,
        RefusalCode.BILLING,
        RefusalCode.TOO_LARGE,
    ],
)
def test_the_words_of_an_error_classify_it_in_a_stream(code: RefusalCode) -> None:
    """Where there is no status to say so."""
    _, told = error_object(ResponseRefused(code, "x"), expose_upstream=True)
    assert code is classify_code(told["code"], told["type"])

"""The rows of Messages answers, and the words that the code acts on, say the same."""

from __future__ import annotations

import pytest

from llm_projections.messages import decode_error
from llm_projections.model.losses import NAMES
from llm_projections.wires._rows import Table, Treat
from llm_projections.wires.messages.subset_answers import ROWS
from llm_projections.wires.messages.vocab_answer import (
    BLOCK_KEYS,
    DELTA_TEXT,
    DELTA_USAGE,
    MESSAGE_KEYS,
    OWN_STOPS,
    PUBLISHED_MESSAGE_KEYS,
    STOPS,
    WIRE_BLOCKS,
)
from tests.wires.messages_wire import BINDING, text, thinking, whole_block
from tests.wires.messages_wire import answer as decoded

TABLE = Table(ROWS)


def treat(at: str) -> Treat:
    """What becomes of a place."""
    row = TABLE.match(at)
    assert row is not None, at
    return row.treat


def test_every_loss_has_a_name() -> None:
    """A row never names a loss that nobody can accept."""
    assert set() == {row.loss for row in ROWS if row.loss is not None} - NAMES.keys()


@pytest.mark.parametrize("kind", sorted(WIRE_BLOCKS))
def test_blocks_that_the_rows_carry_are_carried(kind: str) -> None:
    """Each is an item at its place, without a warning."""
    assert Treat.CARRY is treat(f"response.content[]<{kind}>")
    outcome = decoded(*whole_block(0, {"type": kind, "x": 1}), *text(1, "x"))
    assert ([], 2) == (list(outcome.warnings), len(outcome.items))


@pytest.mark.parametrize("kind", sorted(BLOCK_KEYS))
def test_fields_of_a_block_that_are_understood_are_mapped(kind: str) -> None:
    """Its type is a constant, its signature is carried."""
    treats = {key: treat(f"response.content[]<{kind}>.{key}") for key in BLOCK_KEYS[kind]}
    assert {Treat.SPELL} == {treats.pop("type")}
    carried = {Treat.CARRY} if "signature" in treats else set()
    assert {Treat.MAP} | carried == set(treats.values())


def test_fields_of_the_message_are_mapped_or_carried() -> None:
    """What is carried is an extension of the outcome."""
    assert {Treat.MAP, Treat.SPELL} == {treat(f"response.{key}") for key in MESSAGE_KEYS}
    assert {Treat.CARRY} == {treat(f"response.{key}") for key in PUBLISHED_MESSAGE_KEYS}


def test_every_delta_and_counter_has_its_row() -> None:
    """Those that the code reads and writes."""
    deltas = {treat(f"event.content_block_delta.delta<{kind}>") for kind in DELTA_TEXT}
    assert {Treat.MAP, Treat.CARRY} == deltas
    assert {Treat.MAP, Treat.CARRY} == {treat(f"usage.{key}") for key in DELTA_USAGE}


def test_stop_reasons_are_the_rows() -> None:
    """Neither knows one more than the other."""
    named = {row.at.removeprefix("stop.") for row in ROWS if row.at.startswith("stop.")}
    assert named == {*STOPS, "stop_sequence", *OWN_STOPS}


def test_error_types_mean_what_their_rows_say() -> None:
    """As far as the type alone decides it."""
    for row in ROWS:
        kind = row.at.removeprefix("error.")
        if not row.at.startswith("error.") or not kind.endswith("_error"):
            continue
        said = b'{"type":"error","error":{"type":"%s"}}' % kind.encode()
        code = decode_error(STATUS.get(kind, 400), [], said, BINDING).code
        assert row.neutral.startswith(f"RefusalCode.{code.value}"), kind


# the statuses that the vendor pairs with types (platform.claude.com, "Errors", read 2026-11-30)
STATUS = {
    "timeout_error": 504,
    "api_error": 500,
    "overloaded_error": 529,
    "rate_limit_error": 429,
}


def test_thinking_is_carried_or_mapped_by_its_signature() -> None:
    """One block, two items."""
    signed, unsigned = decoded(*thinking(0, "a", "c2ln"), *thinking(1, "b")).items
    assert ["Opaque", "Reasoning"] == [type(signed).__name__, type(unsigned).__name__]

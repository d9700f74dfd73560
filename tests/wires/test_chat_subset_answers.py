"""What is declared of Chat answers."""

from __future__ import annotations

import pytest

from llm_projections.wires._rows import Table, Treat
from llm_projections.wires.chat.subset_answers import ROWS

TABLE = Table(ROWS)


@pytest.mark.parametrize(
    ("piece", "body", "apart"),
    [
        ("chunk", "response", {"obfuscation", "p", "metadata"}),
        ("chunk.choices[]", "response.choices[]", {"delta", "message"}),
        ("chunk.choices[].delta", "response.choices[].message", set[str]()),
    ],
)
def test_a_stream_says_what_a_body_says(piece: str, body: str, apart: set[str]) -> None:
    """Field by field, save for padding and for what holds the message."""
    assert TABLE.fields(piece).keys() - apart == TABLE.fields(body).keys() - apart


def test_what_is_carried_names_its_loss() -> None:
    """On the way to a client of another wire."""
    carried = [row for row in ROWS if row.treat is Treat.CARRY]
    assert len(carried) > 20
    assert [] == [row.id for row in carried if row.loss is None]


def test_a_counter_is_read_or_carried() -> None:
    """Nothing that a server counts is lost on its own wire."""
    assert {"prompt_tokens", "completion_tokens", "total_tokens"} <= TABLE.fields("usage").keys()
    assert [] == [
        row.id for row in ROWS if row.at.startswith("usage.") and row.treat is Treat.REFUSE
    ]

"""The rows of Responses answers, against what the vendor publishes and what the decoder reads."""

from __future__ import annotations

import pytest

from llm_projections.model.items import WireItem
from llm_projections.wires._rows import Table, Treat
from llm_projections.wires.responses.decode.stream import StreamDecoder
from llm_projections.wires.responses.subset_answers import ROWS
from tests import spec_tools
from tests.wires.responses_answers import BINDING, HEAD, event, warned

TABLE = Table(ROWS)
ANSWERS = ("response", "event", "usage", "status", "incomplete", "error", "error_code")
PUBLISHED = sorted(
    {
        path
        for generation in spec_tools.published("responses").values()
        for path in generation.paths
        if path.partition(".")[0] in ANSWERS
    }
)
EVENTS = sorted(
    {
        path.removeprefix("event.").removesuffix(".type")
        for path in PUBLISHED
        if path.startswith("event.") and path.endswith(".type") and "<" not in path
    }
    - {"error.agent"}
)


def test_every_published_place_meets_exactly_one_row():
    """Of both generations, the beta types included."""
    assert len(PUBLISHED) > 3900
    assert [] == [path for path in PUBLISHED if len(TABLE.best(path)) != 1]


def test_no_row_is_idle():
    """Each is the row of a published place."""
    met = {row.id for path in PUBLISHED for row in TABLE.best(path)}
    assert set() == {row.id for row in ROWS} - met


def test_an_answer_is_never_refused_for_a_published_field():
    """Answers are read for meaning."""
    assert {Treat.MAP, Treat.CARRY, Treat.SPELL} == {row.treat for row in ROWS}


@pytest.mark.parametrize("name", EVENTS)
def test_every_published_event_is_known_to_the_decoder(name: str):
    """None of them is an event that nobody publishes."""
    assert "unknown-stream-event" not in warned(
        HEAD + event(name, item={"type": "message", "id": "msg_1"})
    )


def test_a_carried_event_is_kept_and_a_repeated_one_is_not():
    """What the table says of an event is what becomes of it."""
    for name in EVENTS:
        row = TABLE.match(f"event.{name}")
        assert row is not None
        decoder = StreamDecoder(BINDING)
        decoder.feed(HEAD + event(name, item={"type": "message", "id": "msg_1"}))
        kept = any(isinstance(item, WireItem) for item in decoder.snapshot().items)
        assert kept is (row.treat is Treat.CARRY), name

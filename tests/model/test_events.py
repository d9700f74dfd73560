"""Events: a closed union of values."""

from typing import get_args

import pytest

from llm_projections.model import events
from llm_projections.model.events import (
    Event,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolArgumentsDelta,
)


def test_the_union_holds_every_event_class():
    """A consumer that handles these handles all."""
    classes = {getattr(events, name) for name in events.__all__} - {Event}
    assert classes == set(get_args(Event))


@pytest.mark.parametrize(
    "make",
    [
        lambda: TextDelta("a", 0),
        lambda: ReasoningDelta("a", 0),
        lambda: RefusalDelta("a", 0),
        lambda: ToolArgumentsDelta("c", "a", 0),
    ],
)
def test_deltas_compare_and_hash_and_have_no_room_for_more(make):
    """They are cheap, and still values."""
    assert make() == make()
    assert 1 == len({make(), make()})
    with pytest.raises(AttributeError):
        make().more = 1


def test_a_summary_is_told_from_raw_reasoning():
    """The flag is part of what the delta says."""
    assert ReasoningDelta("a", 0) != ReasoningDelta("a", 0, summary=True)

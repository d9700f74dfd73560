"""What one call answered, as values."""

from attrs import fields_dict

from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    OpenItem,
    PartialOutcome,
    StopSequence,
    TurnOutcome,
    UpstreamError,
    Usage,
    Warning,
)


def test_warnings_are_not_compared():
    """Two answers that say the same are equal, however odd one of them was."""
    assert TurnOutcome(EndTurn(), ()) == TurnOutcome(EndTurn(), (), warnings=(Warning("a", "b"),))
    assert PartialOutcome() == PartialOutcome(warnings=(Warning("a", "b"),), raw=(b"x",))


def test_an_unknown_counter_is_not_zero():
    """A reported zero stays a zero."""
    assert Usage() != Usage(0)
    assert [None] * 6 == [getattr(Usage(), name) for name in fields_dict(Usage)]


def test_stops_differ_by_what_they_say():
    """The reason and the sequence are part of the value."""
    assert StopSequence() != StopSequence("x")
    assert Incomplete("content_filter") != Incomplete("pause_turn")
    assert Incomplete("refusal", {"a": 1}) != Incomplete("refusal")


def test_what_others_wrote_is_left_out_of_the_repr():
    """Upstream prose, arguments and raw bytes do not leak into logs."""
    said = "their words"
    shown = (
        repr(UpstreamError(message=said, raw={"error": said}))
        + repr(OpenItem(0, "call", said))
        + repr(PartialOutcome(raw=(said.encode(),)))
    )
    assert said not in shown

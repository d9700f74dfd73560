"""One look at turns and answers lets nothing through that its types forbid."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections import Protocol, TurnRequest
from llm_projections.model.events import Event, ItemCompleted, TextDelta, TurnCompleted
from llm_projections.model.looks import has_sound_settings, is_sound_event, is_sound_outcome
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.soundness import is_sound
from tests.everything import BINDINGS, everything
from tests.wires.test_answers_wrong import USUAL, outcomes
from tests.wrong import OTHERS, places, put


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_what_belongs_there_is_let_through(protocol: Protocol) -> None:
    """Plain or not."""
    assert has_sound_settings(everything(BINDINGS[protocol]))
    assert has_sound_settings(TurnRequest("m", ()))
    assert all(map(is_sound_outcome, outcomes(protocol)))
    assert all(map(is_sound_event, [*USUAL, TextDelta("x", 0)]))


def test_a_look_at_settings_says_what_the_annotations_say():
    """What it lets through is sound, for any other thing at any place of the settings of a turn."""
    turn = evolve(everything(BINDINGS[Protocol.MESSAGES]), items=())
    checked = 0
    for place in places(turn):
        if place[0] == "items":
            continue
        for other in OTHERS:
            wrong = put(turn, place, other)
            if other and not is_sound(wrong, TurnRequest):
                checked += 1
                assert not has_sound_settings(wrong), (place, other)
    assert checked > 1000


def test_a_look_at_an_answer_says_what_the_annotations_say():
    """Of outcomes, of the events that hold them and their items, and of every other event."""
    checked = 0
    for protocol in Protocol:
        for outcome in outcomes(protocol):
            for step, place in enumerate(places(outcome)):
                for other in OTHERS[step % 3 :: 3]:
                    wrong = put(outcome, place, other)
                    sound = is_sound(wrong, TurnOutcome)
                    assert sound is is_sound_outcome(wrong) or (sound and _is_word(other))
                    assert sound is is_sound_event(TurnCompleted(wrong))
                    checked += not sound
    for event in (*USUAL, ItemCompleted(outcomes(Protocol.CHAT)[0].items[0], 0)):
        for place in places(event):
            for other in OTHERS:
                changed = put(event, place, other)
                assert is_sound(changed, Event) is is_sound_event(changed)
                checked += 1
    assert checked > 3000


def _is_word(other: Any) -> bool:
    """A subclass of text, which a look does not know."""
    return isinstance(other, str) and type(other) is not str

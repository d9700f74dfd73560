"""Events to what they add up to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import RefusalCode, ResponseRefused
from llm_projections.fold import Building, Fold, Ledger, fold
from llm_projections.model.events import (
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
)
from llm_projections.model.outcome import (
    EndTurn,
    Observation,
    OpenItem,
    PartialOutcome,
    TurnOutcome,
    Usage,
    Warning,
)
from tests.everything import binding_of

# what each kind of item is built from, how it stands while it is open, and what it makes
KINDS = {
    "text": ([TextDelta("a", 0), TextDelta("b", 0)], AssistantMessage((Text("ab"),))),
    "refusal": (
        [RefusalDelta("a", 0), RefusalDelta("b", 0)],
        AssistantMessage((RefusalText("ab"),)),
    ),
    "reasoning": ([ReasoningDelta("a", 0), ReasoningDelta("b", 0)], Reasoning("ab")),
    "summary": (
        [ReasoningDelta("a", 0, True), ReasoningDelta("b", 0, True)],
        Reasoning("ab", True),
    ),
    "call": (
        [
            ToolCallStarted("c", "f", 0),
            ToolArgumentsDelta("c", "a", 0),
            ToolArgumentsDelta("c", "b", 0),
        ],
        ToolCall("c", "f", "ab"),
    ),
    "custom": (
        [
            ToolCallStarted("c", "f", 0, True),
            ToolArgumentsDelta("c", "a", 0),
            ToolArgumentsDelta("c", "b", 0),
        ],
        CustomToolCall("c", "f", "ab"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_deltas_make_an_item(kind):
    """An item that was never completed is what its deltas say."""
    events, item = KINDS[kind]
    folding = Fold()
    for event in events:
        folding.add(event)
    assert (item,) == folding.items()


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_that_was_not_completed_is_open(kind):
    """A snapshot tells it apart from those that are whole."""
    events, _ = KINDS[kind]
    call = ("c", "f") if kind in ("call", "custom") else (None, None)
    assert PartialOutcome((), (OpenItem(0, kind, "ab", *call),)) == fold(events)


@pytest.mark.parametrize("kind", KINDS)
def test_a_completed_item_replaces_its_deltas(kind):
    """The item has the last word, whatever was streamed before."""
    events, _ = KINDS[kind]
    whole = AssistantMessage((Text("otherwise"),))
    assert PartialOutcome((whole,)) == fold([*events, ItemCompleted(whole, 0)])


def test_items_stand_by_index_not_by_time():
    """Interleaved and late items keep their places, gaps included."""
    events = [
        TextDelta("second", 3),
        ItemCompleted(Reasoning("first"), 1),
        ToolCallStarted("c", "f", 7),
        ItemCompleted(ToolCall("c", "f", "{}"), 7),
    ]
    folding = Fold()
    for event in events:
        folding.add(event)
    text = AssistantMessage((Text("second"),))
    assert (Reasoning("first"), text, ToolCall("c", "f", "{}")) == folding.items()
    folding.add(ItemCompleted(text, 3))
    assert (Reasoning("first"), text, ToolCall("c", "f", "{}")) == folding.partial().items


def test_what_is_known_of_a_call_is_told():
    """Arguments of a call that never began are those of a call, without an id and a name."""
    folding = Fold()
    assert None is folding.terminal
    folding.add(ToolArgumentsDelta("c", "{}", 0))
    assert (OpenItem(0, "call", "{}", None, None),) == folding.partial().open_items
    assert (ToolCall("", "", "{}"),) == folding.items()
    custom = Building(0, "custom")
    assert CustomToolCall("", "", "") == custom.item()


def test_a_ledger_tells_whose_answer_it_is():
    """With whether its counters are the last word, and the frames that were kept."""
    home = binding_of(Protocol.CHAT).provenance
    ledger = Ledger(home)
    ledger.final_usage = True
    ledger.raw.append(b"{}")
    told = ledger.partial()
    assert Observation(home, None, None, None, True) == told.observation
    assert (b"{}",) == told.raw


def test_what_the_answer_said_of_itself_is_kept():
    """Id, model, the last counters and every warning."""
    usage, odd = Usage(3, 4), Warning("odd", "fixed")
    told = fold(
        [ResponseStarted("id", "model"), UsageReported(Usage(1)), odd, UsageReported(usage)]
    )
    assert Observation(None, "model", "id", usage, False) == told.observation
    assert (odd,) == told.warnings


@pytest.mark.parametrize(
    "terminal",
    [
        TurnCompleted(TurnOutcome(EndTurn(), ())),
        TurnFailed(ResponseRefused(RefusalCode.REFUSED, "x")),
    ],
)
def test_the_terminal_event_is_kept_and_not_looked_into(terminal):
    """What the events said before stands as it was."""
    folding = Fold()
    for event in (TextDelta("a", 0), terminal):
        folding.add(event)
    assert terminal is folding.terminal
    assert fold([TextDelta("a", 0)]) == folding.partial()


def test_a_snapshot_does_not_change_afterwards():
    """It is a value, not a view."""
    folding = Fold()
    folding.add(TextDelta("a", 0))
    before = folding.partial()
    folding.add(TextDelta("b", 0))
    folding.add(Warning("odd", "fixed"))
    folding.add(ItemCompleted(AssistantMessage((Text("ab"),)), 0))
    assert PartialOutcome((), (OpenItem(0, "text", "a"),)) == before
    assert () == before.warnings


@given(st.lists(st.text(max_size=4)))
def test_pieces_join_whenever_they_are_asked_for(pieces):
    """Reading the text in between changes nothing."""
    building = Building(0, "text")
    for at, piece in enumerate(pieces):
        building.pieces.append(piece)
        assert "".join(pieces[: at + 1]) == building.text()
    assert "".join(pieces) == building.text()


def test_a_ledger_forgets_what_built_a_completed_item():
    """Nothing is held twice."""
    ledger = Ledger()
    ledger.building[0] = Building(0, "text")
    ledger.complete(0, Reasoning("x"))
    assert {} == ledger.building
    assert (Reasoning("x"),) == ledger.in_order()

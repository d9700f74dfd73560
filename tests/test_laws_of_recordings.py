"""The laws of answers over what real servers sent, and over damage to it. Sentences: spec/laws.toml."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_projections.errors import Dispatch, ResponseRefused
from llm_projections.fold import fold
from llm_projections.model.events import ItemCompleted, TurnCompleted, TurnFailed
from llm_projections.model.items import Protocol
from llm_projections.model.losses import Loss
from llm_projections.wires import WIRES
from tests.answers import decoded, written
from tests.changing import damaged
from tests.everything import BINDINGS
from tests.golden_tools import GOLDEN, PROTOCOLS
from tests.helpers import cuts
from tests.relaying import DECIDED, TAKES, normalized, view

STREAMS = sorted((GOLDEN / "recorded").glob("*/*/answer.sse"))
every_stream = pytest.mark.parametrize(
    "path", STREAMS, ids=lambda path: "-".join(path.parts[-3:-1])
)
few = settings(max_examples=max(1, settings().max_examples // 10))


def wire_of(path: Path) -> Protocol:
    return PROTOCOLS[path.parent.parent.name]


def test_the_recordings_are_there() -> None:
    """Of every wire; none at all would hold every law."""
    assert len(STREAMS) >= 30
    assert set(Protocol) == {wire_of(path) for path in STREAMS}


@every_stream
def test_law_fold_of_recordings(path: Path) -> None:
    """The events add up to the outcome, each item completed once."""
    events = decoded(BINDINGS[wire_of(path)], [path.read_bytes()])
    told, last = fold(events), events[-1]
    if isinstance(last, TurnCompleted):
        stands = last.outcome
        assert () == told.open_items
    else:
        assert isinstance(last, TurnFailed)
        assert isinstance(last.error, ResponseRefused)
        assert last.error.partial is not None
        stands = last.error.partial
    assert stands.items == told.items
    assert stands.observation.usage == told.observation.usage
    assert stands.observation.response_id == told.observation.response_id
    assert stands.observation.upstream_model == told.observation.upstream_model
    completed = [event.index for event in events if isinstance(event, ItemCompleted)]
    assert len(set(completed)) == len(completed)


@pytest.mark.parametrize("target", list(Protocol), ids=lambda wire: f"to-{wire.short}")
@every_stream
def test_law_relay_of_recordings(path: Path, target: Protocol) -> None:
    """Written on any wire and read again, it says the same; a failure stays one."""
    events = decoded(BINDINGS[wire_of(path)], [path.read_bytes()])
    last, losses = events[-1], list[Loss]()
    again = decoded(BINDINGS[target], [written(target, events, DECIDED, losses)])[-1]
    assert type(last) is type(again)
    if not isinstance(last, TurnCompleted) or not isinstance(again, TurnCompleted):
        return
    lost = {loss.name for loss in losses}
    before, after = (normalized(view(e.outcome), target, lost) for e in (last, again))
    taken = set[str]().union(*(TAKES[name] for name in lost))
    assert set() == {name for name in before if before[name] != after[name]} - taken


@every_stream
@few
@given(data=st.data())
def test_law_only_ours_of_damaged_recordings(path: Path, data: st.DataObject) -> None:
    """However broken, it is events with one end, the same for any cut, and never a thing that was not sent."""
    binding = BINDINGS[wire_of(path)]
    stream = data.draw(damaged(path.read_bytes()))
    events = decoded(binding, [stream])
    assert events == decoded(binding, data.draw(cuts(stream)))
    ends = [e for e in events if isinstance(e, TurnCompleted | TurnFailed)]
    assert [events[-1]] == ends
    if isinstance(events[-1], TurnFailed):
        assert events[-1].error.dispatch is not Dispatch.NOT_SENT
    for wire in WIRES:
        again = decoded(BINDINGS[wire], [written(wire, events, DECIDED)])
        assert isinstance(again[-1], TurnCompleted | TurnFailed)

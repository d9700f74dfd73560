"""The jobs whose wire a binding names are that wire's own."""

import pytest

from llm_projections import Loss, TurnRequest, UserMessage

from llm_projections import decode_stream, encode_request, project_request  # isort: skip
from llm_projections.errors import RequestRefused
from llm_projections.model.events import TurnCompleted
from llm_projections.model.items import CacheMark, Protocol, Text
from llm_projections.wires import WIRES
from llm_projections.wires._fragments import FragmentCache
from tests.everything import BINDINGS, MODEL
from tests.helpers import by_event
from tests.relay.gateway import answer

TURN = TurnRequest(MODEL, (UserMessage((Text("go", cache=CacheMark("1h")),)),), cache_marks="given")
wires = pytest.mark.parametrize("protocol", list(Protocol))


@wires
def test_a_projection_is_the_wires_own(protocol: Protocol) -> None:
    """Body and losses alike."""
    accept = {"turn.cache", "turn.cache.ttl"}
    made = project_request(TURN, BINDINGS[protocol], accept=accept)
    own = WIRES[protocol].project_request(TURN, BINDINGS[protocol], accept=accept)
    assert own == made
    assert own.losses == made.losses


@wires
def test_the_bytes_are_the_wires_own(protocol: Protocol) -> None:
    """With or without a cache; what was left out is told into the given list."""
    accept = {"turn.cache", "turn.cache.ttl"}
    losses: list[Loss] = []
    data = encode_request(TURN, BINDINGS[protocol], accept=accept, losses=losses)
    assert WIRES[protocol].encode_request(TURN, BINDINGS[protocol], accept=accept) == data
    assert list(project_request(TURN, BINDINGS[protocol], accept=accept).losses) == losses
    cache = FragmentCache()
    for _ in range(2):
        assert data == encode_request(TURN, BINDINGS[protocol], accept=accept, fragments=cache)


@wires
def test_the_events_are_the_wires_own(protocol: Protocol) -> None:
    """Lazily, up to the terminal one."""
    chunks = by_event(answer(protocol))
    events = list(decode_stream(chunks, BINDINGS[protocol]))
    assert list(WIRES[protocol].decode_stream(chunks, BINDINGS[protocol])) == events
    assert isinstance(events[-1], TurnCompleted)


@wires
def test_the_answer_is_held_against_a_given_request(protocol: Protocol) -> None:
    """What it calls was not published."""
    chunks = by_event(answer(protocol, calls=[("call_1", "look", "{}")]))
    last = list(decode_stream(chunks, BINDINGS[protocol], request=TURN))[-1]
    assert isinstance(last, TurnCompleted)
    assert "unpublished-tool" in [warning.code for warning in last.outcome.warnings]


@wires
def test_refusals_pass_through(protocol: Protocol) -> None:
    """A turn for another model is no wire's."""
    other = TurnRequest("another", TURN.items)
    with pytest.raises(RequestRefused):
        project_request(other, BINDINGS[protocol])
    with pytest.raises(RequestRefused):
        encode_request(other, BINDINGS[protocol])

"""Keys that repeat in an answer: the last one stands, as JSON readers have it, on every wire."""

from __future__ import annotations

import pytest

from llm_projections import Protocol, RequestRefused, TurnCompleted, wire
from llm_projections.model.items import Text, UserMessage
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import frames
from tests.answers import written
from tests.everything import BINDINGS, IDENTITY, MODEL
from tests.test_limits_met import EVENTS, OUTCOME


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_the_last_of_repeated_keys_stands_in_a_body(protocol: Protocol) -> None:
    """At its top and further in, as a body and where a stream was asked for."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    body = jobs.encode_ingress_answer(OUTCOME, IDENTITY)
    plain = jobs.decode_response(body, binding)
    twice = b'{"model":"first",' + body[1:].replace(b'"role":', b'"role":"first","role":')
    assert plain == jobs.decode_response(twice, binding)
    last = list(jobs.decode_stream([twice], binding))[-1]
    assert isinstance(last, TurnCompleted)
    assert plain == last.outcome


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_the_last_of_repeated_keys_stands_in_an_event(protocol: Protocol) -> None:
    """Whatever kind of event it is."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    stream = written(protocol, EVENTS)
    plain = list(jobs.decode_stream([stream], binding))[-1]
    decoder = jobs.StreamDecoder(binding)
    events = []
    for name, data in frames(stream):
        twice = data if data == b"[DONE]" else data[:1] + b'"type":"first",' + data[1:]
        if protocol is Protocol.CHAT:
            twice = twice.replace(b'"type":"first"', b'"model":"first"')
        events += decoder.feed_payload(twice, name.decode() or None)
    assert isinstance(plain, TurnCompleted)
    assert plain == events[-1]


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_a_request_that_says_a_thing_twice_is_refused(protocol: Protocol) -> None:
    """Which one its client meant is not to be guessed."""
    turn = TurnRequest(MODEL, (UserMessage((Text("q"),)),), max_output_tokens=9)
    body = wire(protocol).encode_request(turn, BINDINGS[protocol])
    with pytest.raises(RequestRefused, match="duplicate key"):
        wire(protocol).ingest_request(b'{"model":"first",' + body[1:])

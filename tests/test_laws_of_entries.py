"""Law 2 at the entries that test_laws.py does not name: payloads, counts, documents, exchanges, relays, frames."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_projections import (
    ALL,
    AnswerHead,
    HttpAnswer,
    Limits,
    Protocol,
    Relay,
    RequestRefused,
    ToolWrapping,
    TurnCompleted,
    TurnFailed,
    from_document,
    messages,
    read_exchange,
    to_document,
)
from llm_projections.model.losses import AGENT_CLIENTS, NAMES
from llm_projections.sse import Framer, FrameTooLarge
from llm_projections.wires import WIRES
from tests.answers import answers, outcomes
from tests.changing import damaged, damaged_body
from tests.everything import BINDINGS, IDENTITY
from tests.helpers import cuts
from tests.strategies import turns

every_wire = pytest.mark.parametrize("wire", list(Protocol), ids=lambda wire: wire.short)
few = settings(max_examples=max(1, settings().max_examples * 2 // 5))
ACCEPTED = st.sampled_from([frozenset(), AGENT_CLIENTS, frozenset(NAMES)])


@st.composite
def any_request(draw: Any, wire: Protocol) -> bytes:
    """Any bytes, a request of this wire, or one that is damaged."""
    binding = BINDINGS[wire]
    body = WIRES[wire].encode_request(draw(turns(wire, binding.provenance)), binding)
    return draw(st.just(body) | damaged_body(json.loads(body)) | st.binary())


@st.composite
def any_answer(draw: Any, wire: Protocol) -> bytes:
    """Any bytes, a stream of this wire, or one that is damaged."""
    stream = draw(answers(BINDINGS[wire]))
    return draw(st.just(stream) | damaged(stream) | st.binary())


@every_wire
@few
@given(data=st.data())
def test_law_only_ours_of_payloads(wire: Protocol, data: st.DataObject) -> None:
    """Any payloads, under any event names, end in one terminal event."""
    decoder = WIRES[wire].StreamDecoder(BINDINGS[wire])
    events: list[Any] = []
    name = st.none() | st.text(max_size=8) | st.sampled_from(["error", "ping", "message_stop"])
    for line in data.draw(any_answer(wire)).split(b"\n"):
        events += decoder.feed_payload(line.removeprefix(b"data: "), data.draw(name))
    events += decoder.close()
    ends = [at for at, each in enumerate(events) if isinstance(each, TurnCompleted | TurnFailed)]
    assert [len(events) - 1] == ends


@few
@given(data=st.data())
def test_law_only_ours_of_counts(data: st.DataObject) -> None:
    """Any body of a count is a turn or a refusal."""
    body = data.draw(any_request(Protocol.MESSAGES))
    with suppress(RequestRefused):
        messages.ingest_count_tokens(body, accept=data.draw(ACCEPTED))


@every_wire
@few
@given(data=st.data())
def test_law_only_ours_of_documents(wire: Protocol, data: st.DataObject) -> None:
    """Any document is a value that can be stored again, or a refusal; a damaged one too."""
    binding = BINDINGS[wire]
    value = data.draw(turns(wire, binding.provenance) | outcomes(binding) | st.just(binding))
    document = json.loads(to_document(value))
    try:
        found = from_document(data.draw(damaged_body(document) | st.binary()))
    except RequestRefused:
        return
    assert found == from_document(to_document(found))


@pytest.mark.parametrize("server", list(Protocol), ids=lambda wire: f"from-{wire.short}")
@every_wire
@few
@given(data=st.data())
def test_law_only_ours_of_relays(wire: Protocol, server: Protocol, data: st.DataObject) -> None:
    """Any request and any answer give one head, first, and an end."""
    relay = Relay(
        WIRES[wire],
        BINDINGS[server],
        IDENTITY,
        accept=data.draw(ACCEPTED),
        unattributed=data.draw(st.sampled_from(["refuse", "bind"])),
        wrapping=data.draw(st.sampled_from([None, ToolWrapping(ALL, True, True)])),
    )
    asked = relay.request((), data.draw(any_request(wire)))
    if not isinstance(asked, HttpAnswer):
        kind = data.draw(st.sampled_from(["text/event-stream", "application/json", "text/html"]))
        status = data.draw(st.sampled_from([200, 200, 200, 204, 302, 400, 429, 500, 529]))
        out = relay.response(status, (("content-type", kind),))
        for chunk in data.draw(any_answer(server).flatmap(cuts)):
            out += relay.feed(chunk)
        out += relay.close()
        assert [0] == [at for at, each in enumerate(out) if isinstance(each, AnswerHead)]
    assert relay.done
    assert (relay.outcome is None) != (relay.error is None)


@every_wire
@few
@given(data=st.data(), status=st.sampled_from([200, 200, 200, 400, 503]))
def test_law_only_ours_of_exchanges(wire: Protocol, data: st.DataObject, status: int) -> None:
    """Any recording is read: a request or its error, and an outcome or an error."""
    exchange = read_exchange(
        WIRES[wire].path,
        data.draw(any_request(wire)),
        status,
        (),
        data.draw(any_answer(wire).flatmap(cuts)),
        binding=data.draw(st.sampled_from([None, BINDINGS[wire]])),
        accept=data.draw(ACCEPTED),
        limits=data.draw(st.sampled_from([Limits(), Limits(raw_bytes=100, items=1)])),
    )
    assert (exchange.request is None) != (exchange.request_error is None)
    assert (exchange.outcome is None) != (exchange.error is None)


@given(data=st.data(), most=st.integers(1, 40))
def test_law_only_ours_of_frames(data: st.DataObject, most: int) -> None:
    """Any bytes are frames, or too large at the same frame however they are cut."""
    line = st.sampled_from([b"data: x", b"data:", b"event: e", b": c", b"", b"\r", b"\xef\xbb\xbf"])
    stream = data.draw(st.binary() | st.lists(line, max_size=12).map(b"\n".join))

    def read(chunks: list[bytes]) -> object:
        framer = Framer(most, 1 << 20)
        found: list[Any] = []
        try:
            for chunk in chunks:
                found += framer.feed(chunk)
        except FrameTooLarge as error:
            return [*found, *error.frames], error.what
        last, inside = framer.close()
        return found + last, inside

    assert read([stream]) == read(data.draw(cuts(stream)))

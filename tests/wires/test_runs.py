"""Runs of deltas: what is read by what payloads share is what reading each of them gives.

A decoder that keeps the frames begins no run, and so says what the answer is.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections import Limits, Protocol, TurnCompleted, TurnFailed, wire
from llm_projections.wires._runs import bytes_of
from tests.bench.streams import KINDS, STREAMS
from tests.everything import binding_of
from tests.helpers import by_event, chunked, whole

CUTS = {
    "whole": whole,
    "by event": by_event,
    "in 1 KiB": lambda data: chunked(data, 1024),
    "in 100 bytes": lambda data: chunked(data, 100),
}
EVERY = [(protocol, kind) for protocol in Protocol for kind in KINDS]


def stream(protocol: Protocol, kind: str, count: int) -> list[bytes]:
    """The frames of one answer."""
    return STREAMS[protocol.name.lower()](kind, count)


def told(protocol: Protocol, chunks: list[bytes], **options: Any) -> list[Any]:
    """The events; of an error, what it says."""
    decoder = wire(protocol).StreamDecoder(binding_of(protocol), **options)
    events = [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()
    last = events[-1]
    if isinstance(last, TurnFailed):
        error: Any = last.error
        events[-1] = (error.code, error.message, error.path, error.dispatch, error.partial)
    return events


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("protocol", "kind"), EVERY)
def test_a_run_says_what_its_payloads_say(protocol: Protocol, kind: str, cut: str) -> None:
    """Text, arguments and reasoning, on every wire, however they come."""
    data = b"".join(stream(protocol, kind, 60))
    one = told(protocol, CUTS[cut](data))
    assert told(protocol, [data], keep_raw=True) == one
    assert isinstance(one[-1], TurnCompleted)


@pytest.mark.parametrize(("protocol", "kind"), EVERY)
def test_there_are_runs(protocol: Protocol, kind: str) -> None:
    """The streams of this file are read by them, in rows and one by one."""
    events = stream(protocol, kind, 400)
    for chunks in (events, chunked(b"".join(events), 2048)):
        decoder = wire(protocol).StreamDecoder(binding_of(protocol))
        taken = 0
        for chunk in chunks:
            run = decoder._runs.current
            before = run.taken if run is not None else 0
            decoder.feed(chunk)
            taken += run.taken - before if run is not None else 0
        assert taken > 20


@given(st.data())
def test_a_broken_stream_says_the_same_with_runs_and_without(data):
    """A changed byte, a frame left out, doubled or moved: no run reads what its payloads do not say."""
    protocol, kind = data.draw(st.sampled_from(EVERY))
    events = stream(protocol, kind, 24)
    at, to = (data.draw(st.integers(0, len(events) - 1)) for _ in range(2))
    match data.draw(st.sampled_from(("byte", "drop", "double", "move"))):
        case "byte":
            place = data.draw(st.integers(0, len(events[at]) - 1))
            byte = data.draw(st.sampled_from(sorted(set(events[at]) | set(b'\r\n\\"}0\xff'))))
            events[at] = events[at][:place] + bytes([byte]) + events[at][place + 1 :]
        case "drop":
            del events[at]
        case "double":
            events.insert(to, events[at])
        case _:
            events.insert(to, events.pop(at))
    changed = b"".join(events)
    expected = told(protocol, [changed], keep_raw=True)
    for chunks in (events, chunked(changed, 1500), [changed]):
        assert expected == told(protocol, chunks)


QUIET = {
    Protocol.CHAT: b'data: {"id":"c","choices":[]}\n\n',
    Protocol.MESSAGES: b'event: ping\ndata: {"type":"ping"}\n\n',
    Protocol.RESPONSES: b'event: keepalive\ndata: {"type":"keepalive"}\n\n',
}


@pytest.mark.parametrize("times", [1, 6])
@pytest.mark.parametrize("protocol", list(Protocol))
def test_what_stands_between_the_deltas_ends_a_run(protocol: Protocol, times: int) -> None:
    """Those after it are read as well as those before it, also where no other run is begun."""
    events = stream(protocol, "text", 60)
    chunks = [b"".join(events[:10])]
    for at in range(10, 10 + 3 * times, 3):
        chunks += [QUIET[protocol], *events[at : at + 3]]
    chunks += [QUIET[protocol], *chunked(b"".join(events[10 + 3 * times :]), 2000)]
    expected = told(protocol, [b"".join(chunks)], keep_raw=True)
    assert isinstance(expected[-1], TurnCompleted)
    assert expected == told(protocol, chunks)


@pytest.mark.parametrize("most", [30, 31, 200])
@pytest.mark.parametrize("protocol", list(Protocol))
def test_the_limit_of_arguments_holds_in_a_run(protocol: Protocol, most: int) -> None:
    """At the same delta, with the same events before it."""
    events = stream(protocol, "tools", 200)
    limits = Limits(arguments_bytes=most)
    expected = told(protocol, events, keep_raw=True, limits=limits)
    assert "TOO_LARGE" == expected[-1][0].name
    for chunks in (events, chunked(b"".join(events), 2000)):
        assert expected == told(protocol, chunks, limits=limits)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_the_limit_of_a_stream_holds_in_a_run(protocol: Protocol) -> None:
    """At the same byte, with the same events before it."""
    events = stream(protocol, "text", 60)
    for bound in (len(b"".join(events[:40])), len(b"".join(events[:40])) - 1):
        limits = Limits(stream_bytes=bound)
        expected = told(protocol, events, keep_raw=True, limits=limits)
        assert "TOO_LARGE" == expected[-1][0].name
        assert expected == told(protocol, events, limits=limits)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_pieces_are_put_together_on_the_way(protocol: Protocol) -> None:
    """What a decoder holds of a text is not many times its bytes."""
    decoder = wire(protocol).StreamDecoder(binding_of(protocol))
    most = 0
    for chunk in chunked(b"".join(stream(protocol, "text", 6000)), 1 << 14):
        decoder.feed(chunk)
        for building in decoder._ledger.building.values():
            parts = getattr(building, "parts", {}).values()
            most = max([most, len(building.pieces), *(len(part.pieces) for part in parts)])
    assert 10 < most < 4000


def test_the_bytes_of_a_text_are_those_of_utf_8():
    """A character may be four."""
    assert [0, 2, 2, 4] == [bytes_of(text) for text in ("", "ab", "é", "😀")]

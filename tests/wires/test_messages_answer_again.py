"""Messages answers read, written again and read again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import ResponseRefused
from llm_projections.messages import (
    decode_response,
    decode_stream,
    encode_ingress_answer,
    encode_ingress_stream,
)
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    ItemCompleted,
    ReasoningDelta,
    TextDelta,
    TurnCompleted,
)
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Opaque,
    Protocol,
    Text,
    WireItem,
)
from llm_projections.model.losses import CROSS_VENDOR, HINTS, Loss
from llm_projections.model.outcome import EndTurn, Observation, TurnOutcome
from tests.wires.messages_wire import (
    BINDING,
    STOP,
    argues,
    call,
    ending,
    goes_on,
    named,
    opening,
    says,
    starts,
    stops,
    text,
    thinking,
    thinks,
    whole_block,
)

STREAMS: dict[str, list[dict[str, Any]]] = {
    "text": [opening(), *text(0, "Hel", "lo"), ending(), STOP],
    "thinking, text and calls": [
        opening(),
        *thinking(0, "hm", "c2ln"),
        *text(1, "a"),
        *call(2, "t", "f", '{"a":', "1}"),
        *call(3, "u", "g"),
        ending("tool_use"),
        STOP,
    ],
    "a call with a caller": [
        opening(),
        *call(0, "t", "f", '{"a":1}', caller={"type": "code_execution_20260120", "tool_id": "s"}),
        ending("tool_use"),
        STOP,
    ],
    "redacted, server tools, citations": [
        opening(),
        *whole_block(0, {"type": "redacted_thinking", "data": "RW9w"}),
        *whole_block(
            1,
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            argues('{"q":"x"}'),
        ),
        *whole_block(2, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
        *whole_block(
            3,
            {"type": "text", "text": ""},
            {"type": "citations_delta", "citation": {"type": "char_location"}},
            says("x"),
        ),
        ending(),
        STOP,
    ],
    "what nobody publishes": [
        opening(odd=1),
        *whole_block(0, {"type": "text", "text": "", "status": "x"}, says("a"), {"type": "new"}),
        {"type": "verdict", "safe": True},
        *whole_block(1, {"type": "future", "n": 1}, {"type": "new", "n": 2}),
        *whole_block(
            2,
            {"type": "thinking", "thinking": ""},
            {**thinks("h"), "estimated_tokens": 50},
        ),
        ending("new_reason", usage={"output_tokens": 5, "iterations": []}),
        STOP,
    ],
    "what is said beside whole blocks and the message": [
        opening(),
        *whole_block(0, {"type": "redacted_thinking", "data": "RW9w"})[:-1],
        {**stops(0), "note": 1},
        *whole_block(1, {"type": "container_upload", "file_id": "f"})[:-1],
        {**stops(1), "note": 2},
        ending(id="x"),
        STOP,
    ],
    "interleaved": [
        opening(),
        starts(0, {"type": "tool_use", "id": "t", "name": "f"}),
        starts(1, {"type": "tool_use", "id": "u", "name": "g"}),
        goes_on(1, argues('{"y":2}')),
        goes_on(0, argues('{"x":1}')),
        stops(0),
        stops(1),
        ending("tool_use"),
        STOP,
    ],
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_written_again_is_the_same_answer(name: str) -> None:
    """Items, stop, counters and extensions; as many blocks as before."""
    before = list(decode_stream([named(*STREAMS[name])], BINDING))
    me = Identity("msg_1", 1)
    data = b"".join(encode_ingress_stream(before, me))
    after = list(decode_stream([data], BINDING))
    first, second = before[-1], after[-1]
    assert isinstance(first, TurnCompleted)
    assert isinstance(second, TurnCompleted)
    assert first.outcome == second.outcome
    count = [payload["type"] for payload in STREAMS[name]].count("content_block_start")
    assert count == data.count(b"event: content_block_start\n")
    assert count == data.count(b"event: content_block_stop\n")


@pytest.mark.parametrize("name", ["text", "thinking, text and calls", "a call with a caller"])
def test_a_body_written_of_a_stream_is_the_same_answer(name: str) -> None:
    """Without its deltas nothing is missing."""
    last_event = list(decode_stream([named(*STREAMS[name])], BINDING))[-1]
    assert isinstance(last_event, TurnCompleted)
    outcome = last_event.outcome
    body = encode_ingress_answer(outcome, Identity("msg_1", 1))
    assert outcome == decode_response(body, BINDING)


ME = Identity("msg_1", 1, "m")


def test_nothing_carried_takes_the_place_of_a_field_of_the_message() -> None:
    """It is left out by name."""
    carried = tuple(
        Extension(Protocol.MESSAGES, f"answer.{name}", "mine")
        for name in ("id", "content", "stop_reason", "note")
    )
    outcome = TurnOutcome(EndTurn(), (AssistantMessage((Text("a"),)),), extensions=carried)
    losses: list[Loss] = []
    body = json.loads(encode_ingress_answer(outcome, ME, accept=HINTS, losses=losses))
    assert ("msg_1", "end_turn", "mine") == (body["id"], body["stop_reason"], body["note"])
    assert [{"type": "text", "text": "a"}] == body["content"]
    left = {loss.path for loss in losses if loss.name == "answer.extensions"}
    assert {"answer.id", "answer.content", "answer.stop_reason"} == left
    with pytest.raises(ResponseRefused):
        encode_ingress_answer(outcome, ME)
    streamed = b"".join(encode_ingress_stream([TurnCompleted(outcome)], ME, accept=HINTS))
    assert b'"stop_reason":"end_turn"' in streamed


def test_signed_thinking_never_goes_out_in_two_parts() -> None:
    """Its signature is that of the whole; by an accepted loss the words alone go out."""
    payload: dict[str, Any] = {"type": "thinking", "thinking": "ab", "signature": "c2ln"}
    thought = Opaque(BINDING.provenance, payload, "ab")
    spoken = AssistantMessage((Text("x"),))
    events: list[Any] = [
        ReasoningDelta("a", 0),
        TextDelta("x", 1),
        ReasoningDelta("b", 0),
        ItemCompleted(thought, 0),
        ItemCompleted(spoken, 1),
        TurnCompleted(TurnOutcome(EndTurn(), (thought, spoken))),
    ]
    refused = b"".join(encode_ingress_stream(events, ME, accept=HINTS))
    assert b"event: error\n" in refused
    written = b"".join(encode_ingress_stream(events, ME, accept=CROSS_VENDOR))
    assert b"event: message_stop\n" in written
    assert b"c2ln" not in refused + written


def test_an_item_that_begins_behind_a_later_one_loses_its_place_by_name() -> None:
    """Nothing is reordered in silence."""
    used = WireItem(Protocol.MESSAGES, {"type": "container_upload", "file_id": "f"})
    spoken = AssistantMessage((Text("x"),))
    last = TurnCompleted(TurnOutcome(EndTurn(), (used, spoken)))
    events: list[Any] = [TextDelta("x", 1), ItemCompleted(spoken, 1), ItemCompleted(used, 0), last]
    losses: list[Loss] = []
    accept = {*HINTS, "answer.order"}
    assert b"error" not in b"".join(encode_ingress_stream(events, ME, accept=accept, losses=losses))
    assert Loss("answer.order", "items[0]") in losses
    assert b"event: error\n" in b"".join(encode_ingress_stream(events, ME, accept=HINTS))


def test_a_body_says_nothing_beside_its_blocks() -> None:
    """What a stream said at a block's end is a hint there."""
    note = (Extension(Protocol.MESSAGES, "answer.note", 1),)
    item = WireItem(Protocol.MESSAGES, {"type": "container_upload"}, extensions=note)
    losses: list[Loss] = []
    encode_ingress_answer(TurnOutcome(EndTurn(), (item,)), ME, accept=HINTS, losses=losses)
    assert Loss("answer.extensions", "items[0]") in losses


def test_a_body_has_no_place_for_a_kept_event() -> None:
    """It is left out by name alone."""
    mark = (Extension(Protocol.MESSAGES, "answer.kept_event", True),)
    kept = WireItem(Protocol.MESSAGES, {"type": "verdict", "safe": True}, extensions=mark)
    outcome = TurnOutcome(EndTurn(), (kept,), Observation(BINDING.provenance))
    with pytest.raises(ResponseRefused, match=r"answer\.kept_event"):
        encode_ingress_answer(outcome, ME)
    losses: list[Loss] = []
    body = encode_ingress_answer(outcome, ME, accept=HINTS, losses=losses)
    assert [] == json.loads(body)["content"]
    assert Loss("answer.kept_event", "items[0]") in losses

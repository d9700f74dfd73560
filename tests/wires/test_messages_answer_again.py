"""Messages answers read, written again and read again."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.messages import (
    decode_response,
    decode_stream,
    encode_ingress_answer,
    encode_ingress_stream,
)
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    TurnCompleted,
)
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

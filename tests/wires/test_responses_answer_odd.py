"""Responses answers: what grows side by side, odd names, limits, and failures that can hardly be told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import ItemCompleted, ReasoningDelta, TextDelta, TurnCompleted
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    WireItem,
    WirePart,
)
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import EndTurn, Observation, TurnOutcome
from llm_projections.wires.responses.answer import (
    IngressStream,
    encode_ingress_answer,
    encode_ingress_stream,
)
from tests.wires.responses_answers import BINDING, HEAD, IDENTITY, done, ended, outcome, text_delta

RESPONSES = Protocol.RESPONSES


def _outcome(*items: Item) -> TurnOutcome:
    return TurnOutcome(EndTurn(), items, Observation(BINDING.provenance, "m-1", "resp_u"))


def _payloads(data: bytes) -> list[dict[str, Any]]:
    lines = data.decode().split("\n")
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def test_a_summary_and_raw_reasoning_grow_side_by_side():
    """Each is one part, however often the two take turns."""
    summary = Extension(RESPONSES, "input.summary", [{"type": "summary_text", "text": "ST"}])
    item = Reasoning("abc", False, (summary,))
    events = [
        ReasoningDelta("a", 0),
        ReasoningDelta("S", 0, True),
        ReasoningDelta("b", 0),
        ReasoningDelta("T", 0, True),
        ItemCompleted(item, 0),
        TurnCompleted(_outcome(item)),
    ]
    payloads = _payloads(b"".join(encode_ingress_stream(events, IDENTITY)))
    assert payloads[-1]["type"] == "response.completed"
    opened = [each["type"] for each in payloads if each["type"].endswith("part.added")]
    assert opened == ["response.content_part.added", "response.reasoning_summary_part.added"]
    closed = {each["type"]: each["text"] for each in payloads if each["type"].endswith("text.done")}
    assert closed == {
        "response.reasoning_text.done": "abc",
        "response.reasoning_summary_text.done": "ST",
    }


@pytest.mark.parametrize("key", ["a.b", "x.input.y", "input.z", "content.c"])
def test_a_key_that_holds_dots_goes_back_as_it_came(key: str):
    item = {"type": "message", "role": "assistant", "id": "m", "status": "completed", "content": []}
    found = outcome(HEAD + done({**item, key: 1}) + ended())
    body = json.loads(encode_ingress_answer(found, IDENTITY))
    assert body["output"][0] == {**item, key: 1}


@pytest.mark.parametrize(
    "item",
    [
        Opaque(
            BINDING.provenance,
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "c2VhbA=="},
        ),
        WireItem(RESPONSES, {"type": "web_search_call", "status": "completed", "id": "ws"}),
    ],
)
def test_an_item_that_came_whole_keeps_the_order_of_its_keys(item: Opaque | WireItem):
    keys = list(item.payload)
    whole = json.loads(encode_ingress_answer(_outcome(item), IDENTITY))
    events = [ItemCompleted(item, 0), TurnCompleted(_outcome(item))]
    streamed = _payloads(b"".join(encode_ingress_stream(events, IDENTITY)))[-1]["response"]
    assert [list(each["output"][0]) for each in (whole, streamed)] == [keys, keys]


def test_items_past_the_limit_are_refused_in_both_shapes():
    items = tuple(AssistantMessage((Text("a"),)) for _ in range(3))
    stream = IngressStream(IDENTITY, limits=Limits(items=2))
    stream.encode(TextDelta("a", 0))
    stream.encode(TextDelta("a", 1))
    for write in (
        lambda: stream.encode(TextDelta("a", 2)),
        lambda: encode_ingress_answer(_outcome(*items), IDENTITY, limits=Limits(items=2)),
    ):
        with pytest.raises(ResponseRefused) as caught:
            write()
        assert (caught.value.code, caught.value.dispatch) == (
            RefusalCode.TOO_LARGE,
            Dispatch.ACCEPTED,
        )


def test_an_empty_delta_is_no_event():
    stream = IngressStream(IDENTITY)
    stream.encode(TextDelta("a", 0))
    assert stream.encode(TextDelta("", 0)) == b""
    data = stream.encode(TextDelta("b", 0))
    assert [each["sequence_number"] for each in _payloads(data)] == [5]


def test_a_failure_is_told_even_where_no_response_object_can_be_written():
    """The identity is the caller's own; a refusal still ends the answer."""
    stream = IngressStream(Identity("resp_\ud800", 1, "m"))
    told = _payloads(stream.fail(RequestRefused(RefusalCode.UNSUPPORTED, "no")))
    assert told == [
        {
            "type": "error",
            "sequence_number": 0,
            "param": None,
            "code": "invalid_prompt",
            "message": "no",
        }
    ]
    assert stream.done


def test_shown_text_is_never_doubled_by_an_empty_part_before_it():
    parts = [{"type": "output_text", "text": each, "annotations": []} for each in ("", "Hi")]
    whole = {"type": "message", "id": "msg_u", "role": "assistant", "content": parts}
    item = outcome(HEAD + text_delta("Hi") + done(whole) + ended()).items[0]
    assert isinstance(item, AssistantMessage)
    assert [part.text for part in item.content if isinstance(part, Text)] == ["", "Hi"]


@pytest.mark.parametrize("odd", [5, True, "text", {"a": 1}])
def test_a_carried_part_may_hold_anything_where_annotations_stand(odd: Any):
    """It goes out whole; only a list has annotations to be told of."""
    part = {"type": "output_text", "text": "t", "annotations": odd}
    item = AssistantMessage((WirePart(RESPONSES, part),))
    data = b"".join(
        encode_ingress_stream([ItemCompleted(item, 0), TurnCompleted(_outcome(item))], IDENTITY)
    )
    told = _payloads(data)
    assert "response.completed" == told[-1]["type"]
    assert [part] == told[-1]["response"]["output"][0]["content"]
    assert [] == [each for each in told if each["type"].endswith("annotation.added")]

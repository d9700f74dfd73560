"""Neutral events and outcomes to Responses answers: shapes, order, losses, and the way back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Opaque,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.losses import HINTS, Loss
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    Observation,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    Usage,
    Warning,
)
from llm_projections.model.results import AnswerShape
from llm_projections.wires.responses.answer import (
    IngressStream,
    aencode_ingress_stream,
    encode_ingress_answer,
    encode_ingress_response,
    encode_ingress_stream,
)
from llm_projections.wires.responses.decode import decode_response
from tests.wires.responses_answers import (
    BINDING,
    EVERYTHING,
    HEAD,
    HELLO,
    IDENTITY,
    SEALED,
    SHAPE,
    call,
    ended,
    event,
    events,
    frames,
    message,
    outcome,
    own,
    said,
    text_delta,
)
from tests.wires.responses_written import HI, USAGE, kinds, refusal, turn, written

# shapes


def test_a_text_opens_grows_and_closes():
    """Every event that the strictest client counts on, in the vendor's order."""
    item = AssistantMessage((Text("Hi"),))
    found = written(
        TextDelta("H", 0), TextDelta("i", 0), ItemCompleted(item, 0), TurnCompleted(turn(item))
    )
    assert [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ] == kinds(found)
    assert [] == found[2]["item"]["content"]
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    assert part == found[3]["part"]
    assert ["H", "i"] == [each["delta"] for each in found[4:6]]
    assert part | {"text": "Hi"} == found[7]["part"]
    assert [found[8]["item"]] == found[9]["response"]["output"]
    assert {found[2]["item"]["id"]} == {each["item_id"] for each in found[3:8]}


def test_a_call_is_announced_empty_and_closed_whole():
    """Its name stands in every place where a generation of the official client looks for it."""
    item = ToolCall("c1", "f", "{}")
    found = written(
        ToolCallStarted("c1", "f", 0),
        ToolArgumentsDelta("c1", "{}", 0),
        ItemCompleted(item, 0),
        TurnCompleted(turn(item, stop=ToolCalls())),
    )
    assert [
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
    ] == kinds(found)[2:6]
    assert ("", "in_progress") == (found[2]["item"]["arguments"], found[2]["item"]["status"])
    assert ("{}", "f") == (found[4]["arguments"], found[4]["name"])


def test_a_custom_call_has_events_of_its_own():
    """Free text, under `input`."""
    item = CustomToolCall("c1", "patch", "+x")
    found = written(ItemCompleted(item, 0), TurnCompleted(turn(item, stop=ToolCalls())))
    assert ["custom_tool_call_input.delta", "custom_tool_call_input.done"] == kinds(found)[3:5]
    assert "+x" == found[4]["input"]


def test_a_custom_call_that_streams_is_one_from_its_start():
    """A client that took it for a function would parse free text as JSON."""
    item = CustomToolCall("c1", "patch", "+x")
    found = written(
        ToolCallStarted("c1", "patch", 0, True),
        ToolArgumentsDelta("c1", "+x", 0),
        TurnCompleted(turn(item, stop=ToolCalls())),
    )
    assert [
        "output_item.added",
        "custom_tool_call_input.delta",
        "custom_tool_call_input.done",
        "output_item.done",
    ] == kinds(found)[2:6]
    assert ("custom_tool_call", "") == (found[2]["item"]["type"], found[2]["item"]["input"])


@pytest.mark.parametrize(
    ("summary", "key", "opened"),
    [(True, "summary", "reasoning_summary_part.added"), (False, "content", "content_part.added")],
)
def test_reasoning_goes_where_its_kind_belongs(summary: bool, key: str, opened: str):
    """A summary is a summary, raw text is content; neither is shown in the other's place."""
    item = Reasoning("hm", summary)
    found = written(
        ReasoningDelta("h", 0, summary), ReasoningDelta("m", 0, summary), TurnCompleted(turn(item))
    )
    assert opened in kinds(found)
    whole = found[-1]["response"]["output"][0]
    assert ["hm"] == [part["text"] for part in whole[key]]
    assert not summary or "content" not in whole
    assert summary or [] == whole["summary"]


def test_a_refusal_is_a_part_of_its_own():
    """It is no text."""
    item = AssistantMessage((RefusalText("No."),))
    found = written(RefusalDelta("No.", 0), TurnCompleted(turn(item)))
    assert ["refusal.delta", "refusal.done"] == kinds(found)[4:6]
    assert [{"type": "refusal", "refusal": "No."}] == found[-1]["response"]["output"][0]["content"]


def test_what_only_comes_whole_is_shown_piece_by_piece_too():
    """Clients that look at deltas alone lose nothing."""
    items = (HI, ToolCall("c1", "f", "{}"), Reasoning("hm"))
    found = written(TurnCompleted(turn(*items, stop=ToolCalls())))
    assert {
        "output_text.delta",
        "function_call_arguments.delta",
        "reasoning_text.delta",
    } <= set(kinds(found))
    assert [0, 1, 2] == [
        each["output_index"] for each in found if "added" in each["type"] and "item" in each
    ]


def test_what_a_finished_item_says_beyond_its_deltas_is_shown():
    """The rest of the text, of the arguments, a second part."""
    item = AssistantMessage((Text("Hello"), RefusalText("No.")))
    found = written(TextDelta("Hel", 0), ItemCompleted(item, 0), TurnCompleted(turn(item)))
    deltas = [each["delta"] for each in found if each["type"].endswith(".delta")]
    assert ["Hel", "lo", "No."] == deltas


@pytest.mark.parametrize("summary", [True, False])
def test_what_finished_reasoning_says_beyond_its_deltas_is_shown(summary: bool):
    """Of a summary and of the reasoning itself alike."""
    found = written(ReasoningDelta("h", 0, summary), TurnCompleted(turn(Reasoning("hm", summary))))
    assert ["h", "m"] == [each["delta"] for each in found if each["type"].endswith(".delta")]


def test_annotations_are_said_with_their_text():
    """Each as an event, and in the part."""
    cited = {"type": "url_citation", "url": "https://a.example"}
    item = AssistantMessage((Text("Hi", (own("input.content.annotations", cited),)),))
    found = written(TextDelta("Hi", 0), ItemCompleted(item, 0), TurnCompleted(turn(item)))
    (said_,) = [each for each in found if each["type"].endswith("annotation.added")]
    assert (cited, 0) == (said_["annotation"], said_["annotation_index"])
    assert [cited] == found[-1]["response"]["output"][0]["content"][0]["annotations"]


def test_items_may_interleave():
    """Each delta names its own item; output indexes count announcements."""
    one, two = ToolCall("c1", "f", "[1]"), ToolCall("c2", "g", "[2]")
    found = written(
        ToolCallStarted("c1", "f", 3),
        ToolCallStarted("c2", "g", 5),
        ToolArgumentsDelta("c1", "[1]", 3),
        ToolArgumentsDelta("c2", "[2]", 5),
        ItemCompleted(two, 5),
        ItemCompleted(one, 3),
        TurnCompleted(turn(one, two, stop=ToolCalls())),
    )
    output = found[-1]["response"]["output"]
    assert ["c1", "c2"] == [each["call_id"] for each in output]
    for each in found:
        if each["type"].endswith("output_item.done"):
            assert output[each["output_index"]] == each["item"]


def test_nothing_is_written_before_the_first_output():
    """An opening event shows nothing, so that a refusal can still become an error status."""
    stream = IngressStream(IDENTITY, SHAPE)
    assert b"" == stream.encode(ResponseStarted("u", "m-1"))
    assert b"" == stream.encode(UsageReported(USAGE))
    assert b"" == stream.encode(Warning("odd", "x"))
    assert b"response.created" in stream.encode(TextDelta("H", 0))


def test_separators_go_out_as_escapes():
    """Readers that cut at every Unicode line end still find one event."""
    item = AssistantMessage((Text("a\u2028b\u2029c\u0085d"),))
    data = b"".join(encode_ingress_stream([TurnCompleted(turn(item))], IDENTITY, SHAPE))
    assert data.isascii()
    assert (item.content,) == tuple(
        each.content for each in outcome(data).items if isinstance(each, AssistantMessage)
    )


# the response object


def test_the_object_repeats_what_the_request_said():
    """`echo` wins over the placeholders; ids and clocks are the caller's."""
    shape = AnswerShape(echo={"temperature": 0.5, "tools": [{"type": "function"}], "id": "x"})
    found = json.loads(encode_ingress_answer(turn(HI), IDENTITY, shape))
    assert (0.5, [{"type": "function"}], "auto") == (
        found["temperature"],
        found["tools"],
        found["tool_choice"],
    )
    assert ("resp_1", 1_760_000_000, "client-model", "response") == (
        found["id"],
        found["created_at"],
        found["model"],
        found["object"],
    )


def test_the_model_is_the_callers_or_the_reported_one():
    """Where nobody named it, the answer is refused before its head."""
    nobody = Identity("resp_1", 1)
    assert "m-1" == json.loads(encode_ingress_answer(turn(HI), nobody))["model"]
    unnamed = evolve(turn(HI), observation=Observation())
    with pytest.raises(ResponseRefused) as caught:
        encode_ingress_answer(unnamed, nobody)
    assert "model" == caught.value.path
    stream = IngressStream(nobody, SHAPE)
    with pytest.raises(ResponseRefused):
        stream.encode(TextDelta("H", 0))
    assert "error" == frames(stream.fail(caught.value))[0]["type"]


def test_ids_come_from_the_identity_and_are_never_given_twice():
    """The item's own where it is still free, the caller's naming otherwise; equal inputs, equal bytes."""
    mine = AssistantMessage((Text("A"),), (own("input.id", "msg_own"),))
    found = json.loads(encode_ingress_answer(turn(mine, mine, HI), IDENTITY))
    assert ["msg_own", "msg_resp_1_1", "msg_resp_1_2"] == [each["id"] for each in found["output"]]
    named = evolve(IDENTITY, item_id=lambda kind, index: f"{kind}-{index}")
    found = json.loads(encode_ingress_answer(turn(HI), named))
    assert "msg-0" == found["output"][0]["id"]


@pytest.mark.parametrize(
    ("stop", "status", "details"),
    [
        (EndTurn(), "completed", None),
        (ToolCalls(), "completed", None),
        (MaxOutputTokens(), "incomplete", {"reason": "max_output_tokens"}),
        (Incomplete("incomplete"), "incomplete", None),
        (Incomplete("content_filter"), "incomplete", {"reason": "content_filter"}),
        (Incomplete("refusal"), "incomplete", {"reason": "content_filter"}),
        (
            Incomplete("model_context_window_exceeded"),
            "incomplete",
            {"reason": "max_output_tokens"},
        ),
        (Incomplete("odd", {"reason": "odd", "x": 1}), "incomplete", {"reason": "odd", "x": 1}),
    ],
)
def test_how_it_ended(stop: Any, status: str, details: Any):
    """In a stream and in a body."""
    item = ToolCall("c1", "f", "{}") if stop == ToolCalls() else HI
    last = written(TurnCompleted(turn(item, stop=stop)))[-1]
    assert f"response.{status}" == last["type"]
    body = json.loads(encode_ingress_answer(turn(item, stop=stop), IDENTITY))
    for found in (last["response"], body):
        assert (status, details) == (found["status"], found["incomplete_details"])


def test_an_end_that_this_wire_cannot_say_is_refused():
    """A paused turn asks to be continued; a stop sequence has no word here."""
    error = refusal(TurnCompleted(turn(HI, stop=Incomplete("pause_turn"))))
    assert "answer.stop_reason" in error.message
    losses: list[Loss] = []
    stop = StopSequence("END")
    written(TurnCompleted(turn(HI, stop=stop)), accept=HINTS, losses=losses)
    assert [Loss("answer.stop_sequence", "stop")] == losses
    losses.clear()
    stop = Incomplete("refusal", {"type": "refusal"})
    encode_ingress_answer(turn(HI, stop=stop), IDENTITY, accept=HINTS, losses=losses)
    assert [Loss("answer.stop_details", "stop")] == losses


def test_unreported_usage_is_null_and_unreported_counters_are_reported_zeros():
    """The typed client cannot do without the numbers; each zero is a loss."""
    assert json.loads(encode_ingress_answer(turn(HI, usage=None), IDENTITY))["usage"] is None
    losses: list[Loss] = []
    body = encode_ingress_answer(turn(HI, usage=Usage(5, 2)), IDENTITY, accept=HINTS, losses=losses)
    assert {
        "input_tokens": 5,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 2,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 7,
    } == json.loads(body)["usage"]
    assert [Loss("answer.usage.unknown_as_zero", "usage")] == losses
    with pytest.raises(ResponseRefused):
        encode_ingress_answer(turn(HI, usage=Usage(5, 2)), IDENTITY)


def test_a_part_of_an_unknown_total_is_left_out():
    """Beside a zero it would contradict it."""
    losses: list[Loss] = []
    usage = Usage(None, 2, 21, None, 0)
    body = encode_ingress_answer(turn(HI, usage=usage), IDENTITY, accept=HINTS, losses=losses)
    assert 0 == json.loads(body)["usage"]["input_tokens_details"]["cached_tokens"]
    assert {"answer.usage", "answer.usage.unknown_as_zero"} == {loss.name for loss in losses}
    assert 0 == (decode_response(body, BINDING).observation.usage or Usage(9)).input_tokens


def test_what_a_server_of_this_wire_counted_beside_stays():
    """Its own object is written back around the counters."""
    reported: Any = {"input_tokens_details": {"per_turn": [1]}, "zz": 3}
    observed = Observation(BINDING.provenance, "m-1", "u", evolve(USAGE, reported=reported))
    found = json.loads(encode_ingress_answer(evolve(turn(HI), observation=observed), IDENTITY))
    assert ([1], 4, 3) == (
        found["usage"]["input_tokens_details"]["per_turn"],
        found["usage"]["input_tokens_details"]["cached_tokens"],
        found["usage"]["zz"],
    )


# the way back


def again(data: bytes, **settings: Any) -> TurnOutcome:
    """What a client of the same wire reads of a stream that was read and written again."""
    given = events(data)
    return outcome(b"".join(encode_ingress_stream(given, IDENTITY, SHAPE, **settings)))


def without_ids(found: TurnOutcome) -> Any:
    """An outcome as far as a second writing keeps it."""
    items: list[Any] = []
    for item in found.items:
        if isinstance(item, Opaque | WireItem):
            fields = ("id", "sequence_number")
            items.append({k: v for k, v in item.payload.items() if k not in fields})
        else:
            kept = tuple(each for each in item.extensions if each.path != "input.id")
            items.append(evolve(item, extensions=kept))
    return found.stop, items, found.observation.usage, found.extensions


@pytest.mark.parametrize(
    "data",
    [
        EVERYTHING,
        HEAD + said(HELLO, text_delta("Hello")) + ended(HELLO),
        HEAD + ended(HELLO, call("c1", "f", "{}", namespace="n", status="incomplete")),
        HEAD + ended(message("A", "m1", phase="commentary"), message("B", "m2")),
        HEAD
        + ended(
            HELLO
            | {"content": [*HELLO["content"], {"type": "refusal", "refusal": "No."}, {"type": "x"}]}
        ),
        HEAD + ended(message("", "m1") | {"content": []}, SEALED),
        HEAD
        + ended(
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "S"}],
                "content": [{"type": "reasoning_text", "text": "R"}],
            }
        ),
        HEAD + ended({"type": "web_search_call", "id": "ws", "action": {}}, service_tier="flex"),
        HEAD + event("response.dream", x=1) + said(HELLO, text_delta("Hello")) + ended(HELLO),
        HEAD + ended(HELLO, status="incomplete", incomplete_details={"reason": "content_filter"}),
    ],
)
def test_law_relay(data: bytes):
    """Written again for the same wire and read again, an answer is the same, without any loss."""
    assert without_ids(outcome(data)) == without_ids(again(data))


def test_a_body_says_what_its_stream_says():
    """Written whole and read whole."""
    found = outcome(EVERYTHING)
    body = encode_ingress_response(found, IDENTITY)
    assert without_ids(found) == without_ids(decode_response(body, BINDING))


def test_a_kept_event_is_no_item_of_a_body():
    """It has no place outside a stream."""
    found = outcome(HEAD + event("response.dream", x=1) + ended(HELLO))
    losses: list[Loss] = []
    body = json.loads(encode_ingress_answer(found, IDENTITY, accept=HINTS, losses=losses))
    assert (["message"], ["answer.kept_event"]) == (
        [each["type"] for each in body["output"]],
        [loss.name for loss in losses],
    )


def test_sealed_reasoning_goes_out_as_it_came():
    """With its own id, which its seal may be bound to, where no other was shown before."""
    silent = SEALED | {"summary": []}
    found = frames(b"".join(encode_ingress_stream(events(HEAD + ended(silent)), IDENTITY, SHAPE)))
    assert [silent] == found[-1]["response"]["output"]
    body = encode_ingress_answer(outcome(HEAD + ended(SEALED)), IDENTITY)
    assert [SEALED] == json.loads(body)["output"]


def test_an_identity_that_knows_the_wires_ids_keeps_them_while_it_streams():
    """What a relay between two servers of this wire does."""
    named = evolve(IDENTITY, item_id=lambda _kind, index: ("rs_u", "msg_u", "fc_u")[index])
    data = b"".join(encode_ingress_stream(events(EVERYTHING), named, SHAPE))
    assert ["rs_u", "msg_u", "fc_u"] == [
        each["id"] for each in frames(data)[-1]["response"]["output"]
    ]


def test_asynchronous_events_are_written_alike():
    """Under any event loop."""
    given = events(EVERYTHING)

    async def source() -> AsyncIterator[Event]:
        for each in given:
            yield each

    async def write() -> list[bytes]:
        return [data async for data in aencode_ingress_stream(source(), IDENTITY, SHAPE)]

    assert list(encode_ingress_stream(given, IDENTITY, SHAPE)) == asyncio.run(write())

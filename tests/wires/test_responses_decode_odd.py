"""Responses answers to events and outcomes: what only this wire knows, what fails, bodies, and the laws."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import Dispatch, Refusal, RefusalCode, ResponseRefused
from llm_projections.fold import fold
from llm_projections.model.events import (
    ItemCompleted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    Opaque,
    Protocol,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import (
    EndTurn,
    ToolCalls,
)
from llm_projections.model.tools import FunctionTool
from llm_projections.model.turn import TurnRequest
from llm_projections.wires.responses.decode import (
    StreamDecoder,
    adecode_stream,
    decode_response,
    decode_stream,
)
from tests.helpers import cuts, singles
from tests.wires.responses_answers import (
    BINDING,
    EVERYTHING,
    HEAD,
    HELLO,
    SEALED,
    USAGE,
    added,
    arguments_delta,
    call,
    done,
    ended,
    event,
    events,
    first,
    message,
    outcome,
    own,
    refused,
    response,
    said,
    summary_delta,
    text_delta,
    warned,
)

# what only this wire knows


def test_an_error_makes_a_completed_response_a_failure() -> None:
    """In a stream as in a body: whoever reports an error has no answer, whatever else is said."""
    failed = response(error={"code": "server_error", "message": "broke"}, usage=USAGE)
    told = refused(HEAD + event("response.completed", response=failed))
    with pytest.raises(ResponseRefused) as caught:
        decode_response(json.dumps(failed).encode(), BINDING)
    for error in (told, caught.value):
        assert RefusalCode.UNAVAILABLE is error.code
        assert error.upstream is not None
        assert "broke" == error.upstream.message


@pytest.mark.parametrize(
    ("item", "role"),
    [
        ({"type": "web_search_call", "id": "ws_1", "action": {"type": "search"}}, "other"),
        ({"type": "local_shell_call", "id": "l_1", "call_id": "c1"}, "call"),
        ({"type": "shell_call", "call_id": "c1", "environment": {"type": "local"}}, "call"),
        ({"type": "shell_call", "call_id": "c1", "environment": {"type": "container"}}, "other"),
        ({"type": "apply_patch_call", "call_id": "c1"}, "call"),
        ({"type": "tool_search_call", "execution": "client", "call_id": "c1"}, "call"),
        ({"type": "tool_search_call", "execution": "server", "call_id": None}, "other"),
        ({"type": "shell_call_output", "call_id": "c1"}, "other"),
        ({"type": "mcp_approval_request", "id": "m_1"}, "call"),
    ],
)
def test_only_what_the_client_must_answer_makes_the_stop_a_call(item: dict[str, Any], role: str):
    """Items that the provider runs itself end the turn like any text."""
    found = outcome(HEAD + said(item) + ended(item))
    assert isinstance(found.items[0], WireItem)
    assert (item, role) == (found.items[0].payload, found.items[0].role)
    assert found.stop == (ToolCalls() if role == "call" else EndTurn())


def test_a_compaction_item_is_sealed():
    """It goes back as it came."""
    item: dict[str, Any] = {"type": "compaction", "id": "cmp_1", "encrypted_content": "c2VhbGVk"}
    assert (Opaque(BINDING.provenance, item),) == outcome(HEAD + done(item) + ended(item)).items


def test_an_item_of_an_unknown_type_is_kept():
    """With a warning, at its place."""
    item: dict[str, Any] = {"type": "dream", "id": "d_1"}
    assert (WireItem(Protocol.RESPONSES, item),) == outcome(HEAD + done(item) + ended()).items
    assert ["unknown-output-item"] == warned(HEAD + done(item) + ended())


def test_an_unknown_event_is_kept_at_its_place():
    """It takes an index of its own, and what follows moves up."""
    odd = event("response.dream.delta", delta="zzz")
    data = HEAD + said(message("A", "m1"), index=0) + odd + said(message("B", "m2"), index=1)
    found = outcome(data + ended(message("A", "m1"), message("B", "m2")))
    assert [AssistantMessage, WireItem, AssistantMessage] == [type(item) for item in found.items]
    assert (own("answer.kept_event", True),) == found.items[1].extensions
    assert ["unknown-stream-event"] == warned(data + ended())


def test_the_vendors_telemetry_is_no_part_of_the_answer():
    """Signs of life and rate limits never show, whatever they say."""
    noise = event("codex.rate_limits", rate_limits={"limit_reached": True}) + event("keepalive")
    noise += event("responsesapi.websocket_timing", timing={})
    data = HEAD + noise + said(HELLO, text_delta("Hello"), noise) + ended(HELLO)
    assert events(HEAD + said(HELLO, text_delta("Hello")) + ended(HELLO)) == events(data)


def test_progress_of_a_hosted_tool_is_said_again_by_its_item():
    """Only the finished item is kept."""
    item = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    steps = [
        event(f"response.web_search_call.{step}", item_id="ws_1")
        for step in ("in_progress", "searching", "completed")
    ]
    assert 1 == len(outcome(HEAD + said(item, *steps) + ended(item)).items)


def test_what_no_item_says_again_is_kept():
    """A partial image is content of its own; it stands before the item that it is part of."""
    item = {"type": "image_generation_call", "id": "ig_1", "result": "aGk="}
    partial = event("response.image_generation_call.partial_image", partial_image_b64="aA==")
    found = outcome(HEAD + said(item, partial) + ended(item)).items
    assert ["response.image_generation_call.partial_image", "image_generation_call"] == [
        each.payload["type"] for each in found if isinstance(each, WireItem)
    ]


# failures


@pytest.mark.parametrize(
    ("error", "code", "retriable"),
    [
        ({"code": "server_error", "message": "x"}, RefusalCode.UNAVAILABLE, True),
        ({"code": "server_is_overloaded", "message": "x"}, RefusalCode.UNAVAILABLE, True),
        ({"code": "rate_limit_exceeded", "message": "x"}, RefusalCode.RATE_LIMITED, True),
        ({"code": "context_length_exceeded"}, RefusalCode.CONTEXT_LENGTH, False),
        ({"code": "insufficient_quota"}, RefusalCode.BILLING, False),
        ({"code": "invalid_prompt", "message": "server_error"}, RefusalCode.REFUSED, False),
        (None, RefusalCode.REFUSED, False),
    ],
)
def test_failures_are_classified_by_code_alone(error: Any, code: RefusalCode, retriable: bool):
    """In `response.failed`, in an `error` event, and in a bare error object; words never classify."""
    failed = event("response.failed", response=response("failed", error=error))
    assert (code, retriable) == (refused(HEAD + failed).code, refused(HEAD + failed).retriable)
    if error is not None:
        bare = b"data: " + json.dumps({"error": error}).encode() + b"\n\n"
        for data in (event("error", **error), bare):
            assert (code, retriable) == (refused(data).code, refused(data).retriable)


@pytest.mark.parametrize("kind", ["error", "response.failed"])
def test_an_overload_before_anything_else_was_turned_down(kind: str):
    """Nobody is billed for it; once the response was created, somebody may be."""
    error = {"code": "server_is_overloaded"}
    body = error if kind == "error" else {"response": response("failed", error=error)}
    told = event(kind, **body)
    assert Dispatch.REJECTED is refused(told).dispatch
    assert Dispatch.ACCEPTED is refused(HEAD + told).dispatch


def test_a_failure_after_output_is_final_and_keeps_what_came():
    """Whatever its class."""
    failed = event("response.failed", response=response("failed", error={"code": "server_error"}))
    error = refused(HEAD + added(HELLO) + text_delta("Hel") + failed)
    assert (False, Dispatch.ACCEPTED) == (error.retriable, error.dispatch)
    assert error.partial is not None
    assert ["Hel"] == [item.text for item in error.partial.open_items]


def test_a_failure_keeps_its_counters():
    """What was used is billed, whether an answer came of it or not."""
    body = response("failed", error={"code": "server_error"}, usage=USAGE)
    partial = refused(HEAD + event("response.failed", response=body)).partial
    assert partial is not None
    assert partial.observation.usage is not None
    assert (USAGE, True) == (partial.observation.usage.reported, partial.observation.final_usage)


@pytest.mark.parametrize("kind", ["response.cancelled", "response.completed"])
def test_a_cancelled_answer_says_that_it_was(kind: str):
    """By its event or by its status."""
    error = refused(HEAD + event(kind, response=response("cancelled")))
    assert ("the response was cancelled", False) == (error.message, error.retriable)


def test_a_rate_limit_stays_one_when_its_counters_contradict():
    """The counters are dropped, the class is not."""
    body = response(
        "failed", error={"code": "rate_limit_exceeded"}, usage=USAGE | {"input_tokens": 1}
    )
    data = HEAD + event("response.failed", response=body)
    error = refused(data)
    assert RefusalCode.RATE_LIMITED is error.code
    assert error.partial is not None
    assert error.partial.observation.usage is None
    assert [] == [each for each in events(data) if isinstance(each, UsageReported)]


def test_parts_of_a_summary_are_told_apart_in_what_is_left_of_a_cut_answer():
    """As they would be in the finished item."""
    partial = refused(HEAD + summary_delta("A") + summary_delta("B", 1)).partial
    assert partial is not None
    assert ["A\n\nB"] == [item.text for item in partial.open_items]


@pytest.mark.parametrize("tail", [b"", b"data: [DONE]\n\n"])
def test_an_end_without_a_terminal_event_is_no_answer(tail: bytes):
    """End of input, or the sentinel of another wire, is truncation: retriable while nothing was shown."""
    error = refused(HEAD + tail)
    assert (RefusalCode.PROTOCOL, True) == (error.code, error.retriable)
    assert not refused(HEAD + said(HELLO) + tail).retriable


def test_a_held_refusal_is_not_lost_when_the_stream_is_cut():
    """The fault that came first is told."""
    data = HEAD + said(call("c1", "f", "{oops"))
    assert "the arguments of a finished call are not JSON" == refused(data).message


def test_what_follows_the_terminal_event_is_ignored():
    """The turn ends with the payload that ends it, not with the connection."""
    decoder = StreamDecoder(BINDING)
    decoder.feed(HEAD + ended(HELLO))
    assert decoder.done
    assert [] == decoder.feed(b"data: [DONE]\n\ndata: {oops\n\n")


@pytest.mark.parametrize(
    "data",
    [
        b"data: {oops\n\n",
        b"data: 5\n\n",
        event("response.output_text.delta", delta=5),
        event("response.function_call_arguments.delta", delta=[]),
        done({"type": "function_call", "call_id": "c", "arguments": "{}"}) + ended(),
        done({"type": "function_call", "name": "f", "arguments": "{}"}) + ended(),
        event("response.cancelled", response=response("cancelled")),
    ],
)
def test_what_has_no_meaning_is_refused(data: bytes):
    """Never an accident."""
    assert not refused(HEAD + data).retriable


def test_limits_are_held():
    """One call's arguments, one frame, the number of items."""
    long = HEAD + added(call("c1", "f", "")) + arguments_delta("x" * 100)
    assert RefusalCode.TOO_LARGE is refused(long, limits=Limits(arguments_bytes=50)).code
    whole = HEAD + done(call("c1", "f", f'"{"é" * 40}"')) + ended()
    assert RefusalCode.TOO_LARGE is refused(whole, limits=Limits(arguments_bytes=50)).code
    many = HEAD + b"".join(added(message("", f"m{n}"), n) for n in range(5))
    assert RefusalCode.TOO_LARGE is refused(many, limits=Limits(items=3)).code
    deep = HEAD + event("response.completed", response=response(output=[], text=[[[[[[1]]]]]]))
    assert RefusalCode.TOO_LARGE is refused(deep, limits=Limits(json_depth=5)).code


# bodies, payloads, laws


def test_a_whole_answer_reads_like_its_stream():
    """The object alone says all that counts."""
    body = json.dumps(response(output=[SEALED, HELLO], usage=USAGE)).encode()
    found = decode_response(body, BINDING)
    streamed = outcome(HEAD + said(SEALED, index=0) + said(HELLO, index=1) + ended(SEALED, HELLO))
    assert streamed == found


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (response("in_progress"), RefusalCode.PROTOCOL),
        (response("queued"), RefusalCode.PROTOCOL),
        (response("failed", error={"code": "server_error"}), RefusalCode.UNAVAILABLE),
        (response("cancelled"), RefusalCode.REFUSED),
        ({"error": {"code": "rate_limit_exceeded"}}, RefusalCode.RATE_LIMITED),
        ({"id": "x"}, RefusalCode.PROTOCOL),
        ([], RefusalCode.PROTOCOL),
    ],
)
def test_a_body_that_is_no_answer_is_refused(body: Any, code: RefusalCode):
    """By its status, or by what it is."""
    with pytest.raises(ResponseRefused) as caught:
        decode_response(json.dumps(body).encode(), BINDING)
    assert code is caught.value.code


def test_a_body_where_a_stream_was_expected_is_read():
    """With a warning; what it says is said once."""
    body = json.dumps(response(output=[HELLO], usage=USAGE, zz=1)).encode()
    found = events(body)
    assert ["unknown-answer-field", "whole-answer"] == warned(body)
    assert 1 == len([e for e in found if isinstance(e, ItemCompleted)])


def test_payloads_of_another_transport_are_fed_one_by_one():
    """A WebSocket message is a payload without framing."""
    decoder = StreamDecoder(BINDING)
    found = [
        each
        for line in EVERYTHING.split(b"\n")
        if line.startswith(b"data: ")
        for each in decoder.feed_payload(line.removeprefix(b"data: "))
    ]
    assert events(EVERYTHING) == found


def test_a_decoder_that_knows_the_request_checks_the_answer_against_it():
    """A call of a tool that was not published is odd."""
    request = TurnRequest("m", (), tools=(FunctionTool("g"),))
    data = HEAD + said(call("c1", "f", "{}")) + ended()
    assert "unpublished-tool" in warned(data, request=request)
    body = json.dumps(response(output=[call("c1", "f", "{}")])).encode()
    found = decode_response(body, BINDING, request=request)
    assert ["unpublished-tool"] == [each.code for each in found.warnings]


def test_the_wires_own_ids_are_known_while_it_streams():
    """What a relay to a client of the same wire names its items by."""
    decoder = StreamDecoder(BINDING)
    decoder.feed(HEAD + added(HELLO))
    assert {0: "msg_u"} == decoder.item_ids()


def test_big_integers_in_items_are_exact():
    """orjson alone would make a float of them."""
    item = {"type": "dream", "n": 2**70}
    assert 2**70 == first(WireItem, HEAD + done(item) + ended()).payload["n"]


@given(cuts(EVERYTHING))
def test_law_cuts(chunks: list[bytes]):
    """Where the bytes are cut never shows in the events."""
    assert list(decode_stream([EVERYTHING], BINDING)) == list(decode_stream(chunks, BINDING))


@given(st.lists(st.sampled_from(singles(EVERYTHING)[:400]) | st.binary(max_size=8), max_size=60))
def test_law_only_ours(chunks: list[bytes]):
    """Any bytes give events, the last of them terminal."""
    found = list(decode_stream(chunks, BINDING))
    assert isinstance(found[-1], TurnCompleted | TurnFailed)


@given(st.data())
def test_law_only_ours_for_shuffled_events(data: st.DataObject):
    """Events out of order, lost or doubled give events too, and the fold of what completed."""
    blocks = [block + b"\n\n" for block in EVERYTHING.split(b"\n\n")[:-1]]
    some = data.draw(st.lists(st.sampled_from(blocks), max_size=20))
    found = list(decode_stream([b"".join(some)], BINDING))
    last = found[-1]
    if isinstance(last, TurnCompleted):
        assert last.outcome.items == fold(found).items
    else:
        assert isinstance(last, TurnFailed)
        assert isinstance(last.error, Refusal)


def test_law_fold():
    """The events before the terminal one give its items, usage, id and model."""
    found = events(EVERYTHING)
    last, folded = found[-1], fold(found[:-1])
    assert isinstance(last, TurnCompleted)
    observed = last.outcome.observation
    assert last.outcome.items == folded.items
    assert (observed.usage, observed.response_id, observed.upstream_model) == (
        folded.observation.usage,
        folded.observation.response_id,
        folded.observation.upstream_model,
    )


def test_an_asynchronous_input_reads_alike():
    """Under any event loop."""

    async def chunks() -> AsyncIterator[bytes]:
        for chunk in singles(EVERYTHING):
            yield chunk

    async def read() -> list[Any]:
        return [each async for each in adecode_stream(chunks(), BINDING)]

    assert events(EVERYTHING) == asyncio.run(read())


def test_an_item_event_without_an_item_is_kept():
    """It says nothing that could be read."""
    found = outcome(HEAD + event("response.output_item.done", output_index=0) + ended(HELLO))
    assert [WireItem, AssistantMessage] == [type(item) for item in found.items]

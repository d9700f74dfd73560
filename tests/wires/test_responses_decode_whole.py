"""Responses bodies that are not streamed, and what finished objects leave out, alter or say without a type."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.events import TurnFailed
from llm_projections.model.items import AssistantMessage, Extension, Protocol, Reasoning, Text
from llm_projections.model.outcome import EndTurn, MaxOutputTokens, PartialOutcome
from llm_projections.wires.responses.decode import StreamDecoder, decode_response
from tests.wires.responses_answers import (
    BINDING,
    HEAD,
    USAGE,
    call,
    done,
    ended,
    event,
    first,
    message,
    outcome,
    raw_delta,
    refused,
    response,
    text_delta,
)

FAILED = response("failed", error={"code": "server_error", "message": "m"}, usage=USAGE)
CONTRADICTING = {**USAGE, "input_tokens": 1}


def _refusal(body: bytes) -> ResponseRefused:
    with pytest.raises(ResponseRefused) as caught:
        decode_response(body, BINDING)
    return caught.value


def _partial(error: ResponseRefused) -> PartialOutcome:
    assert error.partial is not None
    return error.partial


@pytest.mark.parametrize(
    "body",
    [
        FAILED,
        response("cancelled", usage=USAGE),
        response(output=[call("c", "f", "{no")], usage=USAGE),
        response("in_progress", usage=USAGE),
    ],
)
def test_a_refused_body_keeps_its_counters(body: dict[str, Any]):
    """Whether it is read as a body, or came where a stream was expected."""
    raw = json.dumps(body).encode()
    for error in (_refusal(raw), refused(raw)):
        observation = _partial(error).observation
        assert (observation.response_id, observation.usage is not None) == ("resp_u", True)


def test_a_refused_body_keeps_its_items():
    body = response(output=[message("Hi"), call("c", "f", "{no")], usage=USAGE)
    items = _partial(_refusal(json.dumps(body).encode())).items
    assert [type(item) for item in items] == [AssistantMessage]


def test_counters_that_contradict_each_other_stand_in_the_partial_outcome():
    body = response(output=[message("Hi")], usage=CONTRADICTING)
    error = _refusal(json.dumps(body).encode())
    assert error.code is RefusalCode.PROTOCOL
    usage = _partial(error).observation.usage
    assert usage is not None
    assert usage.reported == CONTRADICTING


def test_a_status_that_nobody_publishes_is_kept():
    """With a warning; the answer is as whole as it looks."""
    found = decode_response(
        json.dumps(response("succeeded", output=[message("Hi")])).encode(), BINDING
    )
    assert (EndTurn(), ["unknown-answer-field"]) == (
        found.stop,
        [warning.code for warning in found.warnings],
    )
    assert (Extension(Protocol.RESPONSES, "answer.status", "succeeded"),) == found.extensions


@pytest.mark.parametrize(("output", "news"), [([], True), ([message("Hi")], False)])
def test_a_text_that_no_item_holds_is_kept(output: list[Any], news: bool):
    """The sum of the texts, which SDKs add, is left out where items say the same."""
    body = {**response(output=output), "output_text": "Hi"}
    found = decode_response(json.dumps(body).encode(), BINDING)
    kept = (Extension(Protocol.RESPONSES, "answer.output_text", "Hi"),)
    assert (kept if news else ()) == found.extensions
    assert news == bool(found.warnings)


def test_a_failed_body_is_the_failure_that_it_tells():
    error = _refusal(json.dumps(FAILED).encode())
    assert (error.code, error.dispatch, error.retriable) == (
        RefusalCode.UNAVAILABLE,
        Dispatch.UNKNOWN,
        True,
    )


@pytest.mark.parametrize(
    "ends",
    [
        {"status": "cancelled"},
        {"status": "failed", "error": {"code": "server_error", "message": "It failed."}},
        {"status": "failed", "error": None},
    ],
)
def test_a_failed_body_keeps_what_it_said_and_counted(ends: dict[str, Any]):
    broken = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "[1"}
    body = response(output=[message("Hi"), broken], usage=USAGE, **ends)
    partial = _partial(_refusal(json.dumps(body).encode()))
    said = partial.items[0]
    assert isinstance(said, AssistantMessage)
    assert said.content == (Text("Hi"),)
    assert partial.observation.usage is not None
    assert partial.observation.usage.output_tokens == 7


def test_a_body_may_begin_with_a_byte_order_mark():
    body = b"\xef\xbb\xbf" + json.dumps(response(output=[message("Hi")])).encode()
    assert len(decode_response(body, BINDING).items) == 1


def test_bytes_that_are_no_json_tell_nothing_of_the_dispatch():
    error = _refusal(b"<html>")
    assert (error.code, error.dispatch) == (RefusalCode.PROTOCOL, Dispatch.UNKNOWN)


def _untyped(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(fields)}\n\n".encode()


def test_the_name_of_an_event_stands_for_a_missing_type():
    """An answer that was cut off is never taken for a whole one."""
    body = {
        key: value for key, value in response(output=[message("Hi")]).items() if key != "status"
    }
    cut = _untyped(
        "response.incomplete",
        response={**body, "incomplete_details": {"reason": "max_output_tokens"}},
    )
    assert outcome(HEAD + cut).stop == MaxOutputTokens()
    cancelled = refused(HEAD + _untyped("response.cancelled", response=body))
    assert cancelled.message == "the response was cancelled"


@pytest.mark.parametrize("name", ["response.failed", "error", "message", "response.created"])
def test_the_type_of_a_payload_says_what_it_is_whatever_its_event_is_called(name: str):
    """Gateways rename events; decision 075."""
    body = {"type": "response.completed", "response": response(output=[message("Hi")])}
    assert len(outcome(HEAD + f"event: {name}\ndata: {json.dumps(body)}\n\n".encode()).items) == 1


@pytest.mark.parametrize("content", [[], None, [None], [{"type": "output_text"}], [""], ""])
def test_shown_text_stays_where_the_finished_message_says_none(content: Any):
    whole = message("", content=content)
    item = first(AssistantMessage, HEAD + text_delta("Hi") + done(whole) + ended())
    assert [part.text for part in item.content if isinstance(part, Text)] == ["Hi"]


@pytest.mark.parametrize(
    "content", ["Why", ["Why"], [], None, [None], [{"type": "reasoning_text"}]]
)
def test_shown_reasoning_stays_however_the_finished_item_says_it(content: Any):
    whole = {"type": "reasoning", "id": "rs_u", "summary": [], "content": content}
    item = first(Reasoning, HEAD + raw_delta("Why") + done(whole) + ended())
    assert (item.text, item.summary) == ("Why", False)


def test_a_body_that_is_fed_as_a_stream_fails_with_what_it_told():
    decoder = StreamDecoder(BINDING)
    decoder.feed(json.dumps(FAILED).encode())
    last = decoder.close()[-1]
    assert isinstance(last, TurnFailed)
    assert decoder.snapshot().observation.usage is not None


def test_a_reported_failure_after_output_is_final():
    stream = HEAD + text_delta("Hi") + event("response.failed", response=FAILED)
    error = refused(stream)
    assert (error.retriable, error.dispatch) == (False, Dispatch.ACCEPTED)


REASONED = {"type": "reasoning", "id": "rs_u", "summary": [{"type": "summary_text", "text": "Why"}]}
CITED = [{"type": "output_text", "text": "Hi", "annotations": [{"type": "url_citation"}]}]


@pytest.mark.parametrize(
    ("finished", "listed"),
    [
        (REASONED, {**REASONED, "encrypted_content": "c2VhbA=="}),
        (message("Hi"), message("Hi", content=CITED)),
        (call("c", "f", "{}"), call("c", "f", "{}", namespace="n")),
        (
            {"type": "web_search_call", "id": "ws"},
            {"type": "web_search_call", "id": "ws", "action": {"q": 1}},
        ),
    ],
)
def test_what_only_the_terminal_object_says_of_an_item_is_warned_of(
    finished: dict[str, Any], listed: dict[str, Any]
):
    """The item went to its readers already, and is never completed twice."""
    found = outcome(HEAD + done(finished) + ended(listed))
    assert [warning.code for warning in found.warnings] == ["item-differs"]


@pytest.mark.parametrize(
    ("finished", "listed"),
    [
        ({**REASONED, "encrypted_content": "b25l"}, {**REASONED, "encrypted_content": "dHdv"}),
        (REASONED, {"type": "reasoning", "id": "x", "content": [{"type": "text", "text": "Why"}]}),
        (message("Hi", status="in_progress"), message("Hi", "other")),
        (message("Hi", content=CITED), message("Hi")),
    ],
)
def test_another_seal_spelling_or_name_of_the_same_item_is_no_news(
    finished: dict[str, Any], listed: dict[str, Any]
):
    """Servers seal anew, and say the same reasoning in other words of the wire, when they list it again."""
    assert outcome(HEAD + done(finished) + ended(listed)).warnings == ()


@pytest.mark.parametrize(
    "told",
    [
        event("response.in_progress", response=response("in_progress"), fresh=1),
        event("response.output_text.delta", item_id="msg_u", delta="H", fresh=1),
        done(message("Hi")).replace(b'"output_index"', b'"fresh": 1, "output_index"'),
        event("response.output_text.done", item_id="msg_u", text="Hi", fresh=1),
    ],
)
def test_what_an_event_says_beside_its_fields_is_told_of_the_answer(told: bytes):
    """Servers repeat there what they tell of the whole answer: kept once, with one warning."""
    found = outcome(HEAD + told + ended(message("Hi")))
    assert found.extensions == (Extension(Protocol.RESPONSES, "answer.fresh", 1),)
    assert [warning.code for warning in found.warnings] == ["unknown-answer-field"]


def test_text_is_not_doubled_where_deltas_count_the_items_before_as_parts():
    """Bedrock's `mantle` endpoint gives its only part the index 1 (recorded 2026)."""
    stream = HEAD + text_delta("Hi", part=1) + done(message("Hi")) + ended(message("Hi"))
    found = outcome(stream)
    item = found.items[0]
    assert isinstance(item, AssistantMessage)
    assert [part.text for part in item.content if isinstance(part, Text)] == ["Hi"]
    assert found.warnings == ()

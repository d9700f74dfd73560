"""How Chat answers end: stops, counters, failures, whole bodies."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.fold import fold
from llm_projections.model.dialect import Dialect
from llm_projections.model.events import (
    TurnCompleted,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Reasoning,
    Text,
    ToolCall,
)
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopSequence,
    ToolCalls,
    Usage,
)
from llm_projections.wires.chat.decode import decode_response
from tests.helpers import reads
from tests.wires.chat_answers import (
    BINDING,
    DONE,
    HEAD,
    USAGE,
    body,
    carried,
    chunk,
    events,
    fragment,
    outcome,
    payload,
    refused,
    said,
    speaking,
)

HELLO = said(
    {"role": "assistant", "content": ""}, {"content": "Hel"}, {"content": "lo"}, usage=USAGE
)


def message(text: str) -> AssistantMessage:
    """One plain text."""
    return AssistantMessage((Text(text),))


def codes(data: bytes, **settings: Any) -> list[str]:
    """What a complete stream was warned of."""
    return [warning.code for warning in outcome(data, **settings).warnings]


# how it ends


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("stop", EndTurn()),
        ("length", MaxOutputTokens()),
        ("content_filter", Incomplete("content_filter")),
        ("eos", EndTurn()),
        ("model_length", MaxOutputTokens()),
        ("insufficient_system_resource", Incomplete("insufficient_system_resource")),
    ],
)
def test_a_finish_reason_is_the_neutral_stop(word: str, stop: Any) -> None:
    """One that nobody knows is carried under its own name."""
    assert stop == outcome(said({"content": "x"}, finish=word)).stop


def test_stop_beside_a_call_means_that_the_call_waits() -> None:
    """With a warning, and the word itself is kept."""
    ended = outcome(said(fragment(0, "a", "f", "{}"), finish="stop"))
    assert ToolCalls() == ended.stop
    assert ["stop-beside-calls"] == [warning.code for warning in ended.warnings]
    assert (carried("answer.choices.finish_reason", "stop"),) == ended.extensions


def test_the_stop_string_that_vllm_names_is_the_stop_sequence() -> None:
    """A number there is a token, and says nothing neutral."""
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", "stop_reason": "END"}
    data = chunk({"content": "x"}) + payload({**HEAD, "choices": [choice]}) + DONE
    assert StopSequence("END") == outcome(data).stop


@pytest.mark.parametrize("word", ["", None])
def test_an_empty_finish_reason_is_none(word: str | None) -> None:
    """Some servers write it on every chunk; it ends nothing, and overwrites nothing."""
    data = chunk({"content": "a"}, word) + chunk({}, "stop") + chunk({}, word) + DONE
    assert (message("a"),) == outcome(data).items


def test_a_stream_without_a_finish_reason_is_refused() -> None:
    """The sentinel does not make it whole; what came is in the partial outcome."""
    error = refused(chunk({"content": "Hel"}) + DONE)
    assert (RefusalCode.PROTOCOL, Dispatch.ACCEPTED, False) == (
        error.code,
        error.dispatch,
        error.may_retry,
    )
    assert error.partial is not None
    assert ["Hel"] == [each.text for each in error.partial.open_items]


def test_a_stream_that_ends_after_its_finish_reason_is_whole() -> None:
    """With a warning; a dialect may declare that its server always sends the sentinel."""
    data = chunk({"content": "x"}, "stop")
    assert ["missing-done-sentinel"] == codes(data)
    strict = speaking(Dialect(done_required=True))
    assert RefusalCode.PROTOCOL is refused(data, strict).code


@pytest.mark.parametrize("tail", [b"", b"\n", b"\n\n"])
def test_the_last_event_needs_no_blank_line(tail: bytes) -> None:
    """Its data is whole."""
    data = chunk({"content": "x"}, "stop") + b"data: [DONE]" + tail
    assert (message("x"),) == outcome(data).items


def test_bytes_after_the_sentinel_are_ignored() -> None:
    """Whatever they are."""
    assert (message("Hello"),) == outcome(HELLO + b"data: nonsense\n\n").items


def test_a_second_choice_is_refused() -> None:
    """Interleaved answers of `n` above 1 have no neutral meaning."""
    other = payload({**HEAD, "choices": [{"index": 1, "delta": {"content": "x"}}]})
    assert "choices[1]" == refused(chunk({"content": "y"}) + other).path


def test_a_text_completion_is_not_a_chat_completion() -> None:
    """Its text would be lost otherwise."""
    data = payload({**HEAD, "choices": [{"index": 0, "text": "x", "finish_reason": "stop"}]})
    assert "choices[0].text" == refused(data).path


def test_another_finish_reason_than_before_is_told() -> None:
    """The last word stands; the same word twice is nothing."""
    ended = outcome(chunk({"content": "x"}, "length") + chunk({}, "stop") + DONE)
    assert EndTurn() == ended.stop
    assert ["stop-reason-changed"] == [warning.code for warning in ended.warnings]
    assert [] == codes(chunk({"content": "x"}, "stop") + chunk({}, "stop") + DONE)


# counters


@pytest.mark.parametrize(
    "tail",
    [
        payload({**HEAD, "choices": [], "usage": USAGE}),
        payload({**HEAD, "choices": [], "usage": USAGE}) + payload({**HEAD, "choices": []}),
        payload({**HEAD, "choices": [], "usage": {}})
        + payload({**HEAD, "choices": [], "usage": USAGE}),
        payload({**HEAD, "choices": [], "x_groq": {"id": "r", "usage": USAGE}}),
        payload({**HEAD, "choices": [{"index": 0, "delta": {}, "usage": USAGE}]}),
    ],
)
def test_the_last_counters_that_say_something_stand(tail: bytes) -> None:
    """Before the last chunk, after an empty object, or where Groq or Kimi put them."""
    ended = outcome(chunk({"content": "x"}, "stop", usage=None) + tail + DONE)
    assert (Usage(5, 2, reported=USAGE), True) == (
        ended.observation.usage,
        ended.observation.final_usage,
    )


def test_counters_on_every_chunk_are_not_added_up() -> None:
    """They are cumulative; one that goes down is odd, and no fault."""
    first = {"prompt_tokens": 7, "completion_tokens": 3}
    data = chunk({"content": "a"}, None, usage=first) + chunk({}, "stop", usage=USAGE) + DONE
    ended = outcome(data)
    assert Usage(5, 2, reported=USAGE) == ended.observation.usage
    assert ["usage-went-down"] == [warning.code for warning in ended.warnings]


def test_counters_beside_a_later_text_count() -> None:
    """A chunk that does nothing but go on with the text may be the only one that counts."""
    data = chunk({"content": "a"}) + chunk({"content": "b"}, None, usage=USAGE) + chunk({}, "stop")
    assert Usage(5, 2, reported=USAGE) == outcome(data + DONE).observation.usage


def test_no_counters_stay_unknown() -> None:
    """Never zero."""
    seen = outcome(said({"content": "x"})).observation
    assert (None, False) == (seen.usage, seen.final_usage)


def test_contradicting_final_counters_are_refused() -> None:
    """With everything that was said in the partial outcome."""
    usage = {**USAGE, "prompt_tokens_details": {"cached_tokens": 6}}
    error = refused(said({"content": "x"}, usage=usage))
    assert "usage.cached_input_tokens" == error.path
    assert error.partial is not None
    assert (message("x"),) == error.partial.items


# failures


@pytest.mark.parametrize(
    "broken",
    [
        {"choices": [], "error": {"message": "boom", "code": 502}},
        {"error": {"message": "boom", "type": "server_error"}},
        {"code": 500, "message": "boom", "type": "server_error"},
        {"object": "error", "message": "boom", "type": "server_error"},
        {"choices": [{"index": 0, "delta": {}, "error": {"code": 502, "message": "boom"}}]},
        {"choices": [], "x_groq": {"error": {"message": "boom", "code": 503}}},
    ],
)
def test_an_error_in_a_stream_fails_the_turn(broken: Any) -> None:
    """In every shape that servers write; before output was shown a retry is safe."""
    error = refused(payload(broken))
    assert (RefusalCode.UNAVAILABLE, True) == (error.code, error.may_retry)
    assert error.upstream is not None
    assert "boom" == error.upstream.message
    later = refused(chunk({"content": "x"}) + payload(broken))
    assert (False, Dispatch.ACCEPTED) == (later.may_retry, later.dispatch)


def test_a_finish_reason_of_error_is_a_failure() -> None:
    """It is no way to end an answer."""
    assert RefusalCode.UNAVAILABLE is refused(said({"content": "x"}, finish="error")).code


@pytest.mark.parametrize("data", [b"data: {\n\n", b"data: []\n\n", b'data: {"choices":1}\n\n'])
def test_a_payload_of_another_shape_is_refused(data: bytes) -> None:
    """Finally."""
    error = refused(data)
    assert (RefusalCode.PROTOCOL, False) == (error.code, error.may_retry)


@pytest.mark.parametrize(
    "delta",
    [
        {"content": 1},
        {"reasoning": {"a": 1}},
        {"reasoning_details": ["x"]},
        {"refusal": 1},
        {"tool_calls": {"a": 1}},
        {"tool_calls": [1]},
        {"content": [1]},
        1,
    ],
)
def test_a_delta_of_another_shape_is_refused(delta: Any) -> None:
    """Its meaning would be lost."""
    assert RefusalCode.PROTOCOL is refused(said(delta)).code


# whole answers


def test_a_whole_answer_says_what_its_stream_would() -> None:
    """Reasoning, text, refusal, calls, in that order."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    custom = {"id": "b", "type": "custom", "custom": {"name": "g", "input": "x"}}
    whole = {
        "role": "assistant",
        "content": "hi",
        "refusal": None,
        "reasoning_content": "hm",
        "annotations": [],
        "tool_calls": [call, custom],
    }
    ended = decode_response(body(whole, "tool_calls", service_tier="flex"), BINDING)
    assert (
        Reasoning("hm"),
        message("hi"),
        ToolCall("a", "f", "{}"),
        CustomToolCall("b", "g", "x"),
    ) == ended.items
    assert (ToolCalls(), (carried("answer.service_tier", "flex"),)) == (
        ended.stop,
        ended.extensions,
    )
    assert Usage(5, 2, reported=USAGE) == ended.observation.usage


def test_each_call_of_a_whole_answer_is_one() -> None:
    """Whatever its id and index: nothing comes in pieces there."""
    said = {"name": "f", "arguments": ""}
    calls = [{"id": name, "index": 0, "function": said} for name in "ab"]
    ended = decode_response(body({"content": None, "tool_calls": calls}, "tool_calls"), BINDING)
    assert (ToolCall("a", "f", "{}"), ToolCall("b", "f", "{}")) == ended.items
    with pytest.raises(ResponseRefused) as error:
        decode_response(body({"content": None, "tool_calls": calls[:1] * 2}), BINDING)
    assert "items[1].call_id" == error.value.path


def test_a_whole_answer_is_refused_by_the_places_of_its_message() -> None:
    """It has no delta."""
    with pytest.raises(ResponseRefused) as error:
        decode_response(body({"reasoning": "a", "reasoning_content": "b"}), BINDING)
    assert "choices[0].message.reasoning" == error.value.path


def test_a_whole_answer_without_a_finish_reason_is_whole() -> None:
    """It cannot have been cut; a warning says that the word is missing."""
    ended = decode_response(body({"content": "x"}, ""), BINDING)
    assert (EndTurn(), ["missing-finish-reason"]) == (
        ended.stop,
        [warning.code for warning in ended.warnings],
    )


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (b"{", ""),
        (b'{"choices":[]}', "choices"),
        (b"[]", "choices"),
        (orjson.dumps({"choices": [{"index": 0}, {"index": 1}]}), "choices[1]"),
        (b'{"error":{"message":"x"}}', ""),
        (b'{"detail":"x"}', ""),
    ],
)
def test_a_body_that_is_no_answer_is_refused(data: bytes, path: str) -> None:
    """An error under HTTP 200 too."""
    with pytest.raises(ResponseRefused) as error:
        decode_response(data, BINDING)
    assert path == error.value.path


def test_a_refused_whole_answer_keeps_what_it_said() -> None:
    """In its partial outcome."""
    call = {"id": "a", "function": {"name": "f", "arguments": "{oops"}}
    data = body({"content": "x", "tool_calls": [call]}, "tool_calls")
    with pytest.raises(ResponseRefused) as error:
        decode_response(data, BINDING)
    assert error.value.partial is not None
    assert (message("x"),) == error.value.partial.items


def test_a_whole_answer_where_a_stream_was_asked_is_read() -> None:
    """With a warning, and with the same events at the end; a refusal keeps what was said."""
    made = reads(events, body({"content": "x"}))
    last = made[-1]
    assert isinstance(last, TurnCompleted)
    assert (message("x"),) == last.outcome.items == fold(made).items
    usage = {**USAGE, "prompt_tokens_details": {"cached_tokens": 9}}
    error = refused(body({"content": "x"}, usage=usage))
    assert error.partial is not None
    assert (message("x"),) == error.partial.items

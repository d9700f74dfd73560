"""Messages answers read: what servers make of the wire, errors, limits, whole bodies, laws."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.fold import fold
from llm_projections.messages import decode_response, decode_stream
from llm_projections.model.events import (
    ItemCompleted,
    TurnCompleted,
    TurnFailed,
)
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Protocol,
    Reasoning,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import (
    EndTurn,
    PartialOutcome,
    TurnOutcome,
    Warning,
)
from llm_projections.model.tools import FunctionTool
from llm_projections.model.turn import TurnRequest
from tests.wires.messages_wire import (
    BINDING,
    PING,
    STOP,
    answer,
    argues,
    call,
    ending,
    failure,
    goes_on,
    named,
    opening,
    read,
    says,
    starts,
    stops,
    text,
    thinking,
    thinks,
    unnamed,
    whole_block,
)


def codes(outcome: TurnOutcome) -> list[str]:
    """The codes of its warnings."""
    return [warning.code for warning in outcome.warnings]


def said(words: str, *annotations: Extension, extensions: tuple[Extension, ...] = ()) -> Any:
    """A text as an item."""
    return AssistantMessage((Text(words, annotations, None, extensions),))


def own(path: str, value: Any) -> Extension:
    """An extension of this wire."""
    return Extension(Protocol.MESSAGES, path, value)


# what servers do


def test_event_names_are_optional_and_never_contradict() -> None:
    """The payload's type decides."""
    payloads = [opening(), PING, *text(0, "hey"), ending(), STOP]
    last = list(decode_stream([unnamed(*payloads)], BINDING))[-1]
    assert isinstance(last, TurnCompleted)
    wrong = named(*payloads).replace(b"event: content_block_delta", b"event: message_delta")
    failed = list(decode_stream([wrong], BINDING))[-1]
    assert isinstance(failed, TurnFailed)
    assert RefusalCode.PROTOCOL is failed.error.code
    generic = named(*payloads).replace(b"event: content_block_delta", b"event: message")
    assert last == list(decode_stream([generic], BINDING))[-1]


def test_a_ping_is_nothing_wherever_it_comes() -> None:
    """No event, no item, no warning."""
    payloads = [opening(), *text(0, "he", "y"), ending(), STOP]
    pinged = [each for payload in payloads for each in (PING, payload)]
    assert read(*payloads) == read(*pinged)


def test_blocks_may_be_open_together() -> None:
    """llama.cpp starts a block before the last one stops, and stops all of them at the end."""
    outcome = answer(
        starts(0, {"type": "thinking", "thinking": ""}),
        goes_on(0, thinks("hm")),
        starts(1, {"type": "tool_use", "id": "t", "name": "f"}),
        goes_on(1, argues('{"a"')),
        goes_on(0, thinks(", yes")),
        goes_on(1, argues(":1}")),
        stops(0),
        stops(1),
        reason="tool_use",
    )
    assert (Reasoning("hm, yes"), ToolCall("t", "f", '{"a":1}')) == outcome.items


def test_a_block_left_open_ends_with_the_message() -> None:
    """Also where another one was closed twice instead."""
    outcome = answer(*text(0, "x"), *call(1, "t", "f", "{}")[:-1], stops(0), reason="tool_use")
    assert (said("x"), ToolCall("t", "f", "{}")) == outcome.items
    assert ["unmatched-block-stop", "unclosed-block"] == codes(outcome)


def test_indexes_may_be_missing_or_leap() -> None:
    """Without one, an event concerns the block that began last."""
    bare = [
        {key: value for key, value in payload.items() if key != "index"}
        for payload in (*text(0, "a"), *text(1, "b"))
    ]
    assert (said("a"), said("b")) == answer(*bare).items
    assert (said("a"), said("b")) == answer(*text(1, "a"), *text(5, "b")).items


def test_unknown_events_blocks_and_deltas_are_kept_at_their_place() -> None:
    """Each with a warning, none of them fatal."""
    event = {"type": "verdict", "safe": True}
    block = {"type": "future", "n": 2**70}
    delta = {"type": "future_delta", "x": 1}
    outcome = answer(
        *whole_block(0, {"type": "text", "text": ""}, says("a"), delta),
        event,
        *whole_block(1, block, {"type": "future_delta", "y": 2}),
    )
    kept = (own("answer.kept_event", True),)
    assert (
        said("a", extensions=(own("answer.delta", delta),)),
        WireItem(Protocol.MESSAGES, event, extensions=kept),
        WireItem(
            Protocol.MESSAGES,
            block,
            extensions=(own("answer.delta", {"type": "future_delta", "y": 2}),),
        ),
    ) == outcome.items
    assert ["unknown-stream-event", "unknown-stream-event", "unknown-output-item"] == codes(outcome)


@pytest.mark.parametrize(
    "delta",
    [says("x"), thinks("x"), {"type": "citations_delta", "citation": {"n": 2**70}}, argues("{}")],
)
def test_no_delta_of_a_block_without_a_meaning_is_fatal(delta: dict[str, Any]) -> None:
    """It is kept on the item, whatever it is called; one that says nothing is nothing."""
    silent = {"type": delta["type"], "text": "", "thinking": None}
    outcome = answer(*whole_block(0, {"type": "future", "id": "h"}, silent, delta))
    kept = (own("answer.delta", delta),)
    assert (
        WireItem(Protocol.MESSAGES, {"type": "future", "id": "h"}, extensions=kept),
    ) == outcome.items


def test_the_input_of_an_unknown_call_is_gathered() -> None:
    """A block that began with an input is called like any other."""
    block = {"type": "future_tool_use", "id": "h", "name": "f", "input": {}}
    outcome = answer(*whole_block(0, block, argues('{"a"'), argues(f":{2**70}}}")))
    assert (WireItem(Protocol.MESSAGES, {**block, "input": {"a": 2**70}}),) == outcome.items


def test_a_block_without_deltas_ends_where_the_next_begins() -> None:
    """Left open, it would be told of behind those that came after it."""
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    events = read(
        opening(),
        *whole_block(
            0, {"type": "server_tool_use", "id": "s", "name": "f", "input": {}}, argues("{}")
        )[:-1],
        starts(1, result),
        *text(2, "x"),
        ending(),
        STOP,
    )
    places = [event.index for event in events if isinstance(event, ItemCompleted)]
    assert [0, 1, 2] == places


def test_what_the_end_of_a_block_says_is_kept_exactly() -> None:
    """Never inside a block that is carried whole; null is absent."""
    late = {**stops(0), "note": 2**70, "gone": None}
    carried: dict[str, Any] = {"type": "container_upload", "file_id": "f"}
    note = own("answer.note", 2**70)
    assert (WireItem(Protocol.MESSAGES, carried, extensions=(note,)),) == answer(
        starts(0, carried), late
    ).items
    assert (said("a", extensions=(note,)),) == answer(*text(0, "a")[:-1], late).items


def test_a_citation_that_is_null_is_none() -> None:
    """Whether named or left out."""
    nothing = {"type": "citations_delta"}
    block = whole_block(
        0, {"type": "text", "text": ""}, says("a"), nothing, {**nothing, "citation": None}
    )
    assert (said("a"),) == answer(*block).items


def test_counters_inside_the_delta_are_read() -> None:
    """Where none stand beside it; whatever else it holds is kept."""
    end = ending(usage=None, stop_details=None, id="x")
    end["delta"]["usage"] = end.pop("usage")
    last = read(opening(), *text(0, "a"), end, STOP)[-1]
    assert isinstance(last, TurnCompleted)
    usage = last.outcome.observation.usage
    assert usage is not None
    assert (9, 4) == (usage.input_tokens, usage.output_tokens)
    assert (own("answer.id", "x"),) == last.outcome.extensions


def test_usage_that_is_no_object_is_kept() -> None:
    """It counts nothing, and is not dropped."""
    last = read(opening(), *text(0, "a"), {**ending(), "usage": [1]}, STOP)[-1]
    assert isinstance(last, TurnCompleted)
    assert (own("answer.usage", [1]),) == last.outcome.extensions
    body = json.dumps({**MESSAGE, "usage": [1]}).encode()
    assert own("answer.usage", [1]) in decode_response(body, BINDING).extensions


def test_what_a_delta_holds_beside_its_text_is_kept_without_it() -> None:
    """Estimated tokens of hidden thinking are published; null is absent."""
    outcome = answer(
        *whole_block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {**thinks("h"), "estimated_tokens": 50},
            {**thinks("m"), "estimated_tokens": None},
        )
    )
    bare = {"type": "thinking_delta", "thinking": "", "estimated_tokens": 50}
    assert (Reasoning("hm", False, (own("answer.delta", bare),)),) == outcome.items
    assert [] == codes(outcome)


def test_unpublished_fields_of_a_block_are_kept_on_its_item() -> None:
    """One warning says so."""
    outcome = answer(
        *whole_block(
            0, {"type": "text", "text": "", "status": "x", "cache_control": None}, says("a")
        )
    )
    assert (said("a", extensions=(own("answer.status", "x"),)),) == outcome.items
    assert ["unknown-answer-field"] == codes(outcome)


BROKEN: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a delta before its block": ([goes_on(0, says("x"))], "content_block_delta"),
    "a delta after its block": ([*text(0, "x"), goes_on(0, says("y"))], "content_block_delta"),
    "two blocks at one index": ([*text(0, "x"), *text(0, "y")], "content_block_start.index"),
    "a second message_start": ([opening()], "message_start"),
    "text for a call": (
        [*call(0, "t", "f")[:-1], goes_on(0, says("x"))],
        "content_block_delta.delta",
    ),
    "a text that is none": (
        [starts(0, {"type": "text", "text": ""}), goes_on(0, {"type": "text_delta", "text": 1})],
        "content_block_delta.delta",
    ),
    "a block that is none": ([{"type": "content_block_start", "index": 0}], "content_block_start"),
    "citations that are no list": (
        [starts(0, {"type": "text", "text": "a", "citations": {"x": 1}}), stops(0)],
        "content[0].citations",
    ),
    "a delta that is none": (
        [starts(0, {"type": "text", "text": ""}), {"type": "content_block_delta", "index": 0}],
        "content_block_delta.delta",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_contradicts_itself_is_refused(name: str) -> None:
    """By our own words and a path; it is final."""
    payloads, path = BROKEN[name]
    error = failure(opening(), *payloads)
    assert (RefusalCode.PROTOCOL, path, False) == (error.code, error.path, error.retriable)


@pytest.mark.parametrize("data", [b"data: nope\n\n", b"data: [1]\n\n", b'data: {"a":1}\n\n'])
def test_payloads_that_are_no_events_are_refused(data: bytes) -> None:
    """What came before stays."""
    last = list(decode_stream([named(opening(), *text(0, "x")) + data], BINDING))[-1]
    assert isinstance(last, TurnFailed)
    assert isinstance(last.error, ResponseRefused)
    assert last.error.partial is not None
    assert (said("x"),) == last.error.partial.items


ERRORS: dict[str, tuple[bytes, RefusalCode, str]] = {
    "the vendor's": (
        named({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        RefusalCode.UNAVAILABLE,
        "Overloaded",
    ),
    "without its name": (
        unnamed({"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}),
        RefusalCode.RATE_LIMITED,
        "slow",
    ),
    "bare, under the name alone": (
        b'event: error\ndata: {"code":500,"message":"grammar","type":"server_error"}\n\n',
        RefusalCode.UNAVAILABLE,
        "grammar",
    ),
    "another wire's": (
        b'data: {"error":{"message":"no","type":"invalid_api_key"}}\n\n',
        RefusalCode.UNAUTHORIZED,
        "no",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_in_the_stream_fails_the_turn(name: str) -> None:
    """First or after text; what the provider wrote is kept apart."""
    data, code, message = ERRORS[name]
    for before in ([], [PING], [opening()], [opening(), *text(0, "Partial")]):
        last = list(decode_stream([named(*before) + data], BINDING))[-1]
        assert isinstance(last, TurnFailed)
        error = last.error
        assert isinstance(error, ResponseRefused)
        assert error.upstream is not None
        assert (code, message) == (error.code, error.upstream.message)
        assert message not in str(error)
        assert error.partial is not None
        assert bool(before[1:]) is bool(error.partial.items)
        assert error.retriable is (not error.partial.items and code is not RefusalCode.UNAUTHORIZED)


# limits


@pytest.mark.parametrize(
    ("limits", "payloads"),
    [
        (Limits(items=1), [*text(0, "a"), *text(1, "b")]),
        (Limits(arguments_bytes=8), call(0, "t", "f", '{"a":', '"bcdef"}')),
        (Limits(arguments_bytes=8), call(0, "t", "f", input={"abc": "defgh"})),
        (Limits(json_depth=8), call(0, "t", "f", input={"a": [[[[[[[[1]]]]]]]]})),
    ],
)
def test_limits_are_kept(limits: Limits, payloads: list[dict[str, Any]]) -> None:
    """Past one the stream is refused at once."""
    last = list(decode_stream([named(opening(), *payloads)], BINDING, limits=limits))[-1]
    assert isinstance(last, TurnFailed)
    assert RefusalCode.TOO_LARGE is last.error.code


@pytest.mark.parametrize("limits", [Limits(items=2), Limits(json_depth=3), Limits(stream_bytes=99)])
def test_limits_are_kept_in_bodies(limits: Limits) -> None:
    """By the same code as in streams."""
    body = json.dumps({**MESSAGE, "container": {"a": {"b": {"c": {}}}}}).encode()
    with pytest.raises(ResponseRefused) as caught:
        decode_response(body, BINDING, limits=limits)
    assert RefusalCode.TOO_LARGE is caught.value.code


def test_content_of_the_opening_is_a_list() -> None:
    """Words that stand elsewhere are not passed over."""
    last = read(opening(content=""), ending(), STOP)[-1]
    assert isinstance(last, TurnCompleted)
    assert () == last.outcome.items
    error = failure(opening(content="Hello"))
    assert (RefusalCode.PROTOCOL, "message_start.message.content") == (error.code, error.path)


# whole bodies

MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "Hi", "citations": None},
        {"type": "tool_use", "id": "t", "name": "f", "input": {"n": 2**70}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 4},
    "container": {"id": "c"},
}


BEYOND = {"thinking_tokens": 5}


def test_a_body_is_read_like_its_stream() -> None:
    """The same items, stop, counters and extensions."""
    outcome = decode_response(json.dumps(MESSAGE).encode(), BINDING)
    arguments = '{"n":1180591620717411303424}'
    streamed = read(
        opening(container={"id": "c"}),
        *thinking(0, "hm", "c2ln"),
        *text(1, "Hi"),
        *call(2, "t", "f", arguments),
        ending("tool_use"),
        STOP,
    )[-1]
    assert isinstance(streamed, TurnCompleted)
    said_there = json.loads(getattr(outcome.items[2], "arguments"))  # noqa: B009  any item
    assert json.loads(arguments) == said_there
    assert streamed.outcome.items[:2] == outcome.items[:2]
    assert streamed.outcome.observation == outcome.observation
    assert (streamed.outcome.stop, streamed.outcome.extensions) == (
        outcome.stop,
        outcome.extensions,
    )


def test_a_body_where_a_stream_was_expected_is_read() -> None:
    """With a warning; an error body is the error that it is."""
    last = list(decode_stream([json.dumps(MESSAGE).encode()], BINDING))[-1]
    assert isinstance(last, TurnCompleted)
    assert ["whole-answer"] == codes(last.outcome)
    body = b'{"type":"error","error":{"type":"not_found_error","message":"model: x"}}'
    failed = list(decode_stream([body], BINDING))[-1]
    assert isinstance(failed, TurnFailed)
    assert RefusalCode.NOT_FOUND is failed.error.code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", RefusalCode.PROTOCOL),
        (b"[]", RefusalCode.PROTOCOL),
        (b"{}", RefusalCode.PROTOCOL),
        (b'{"input_tokens":3}', RefusalCode.PROTOCOL),
        (b'{"type":"message","content":[1]}', RefusalCode.PROTOCOL),
        (json.dumps({**MESSAGE, "stop_reason": None}).encode(), RefusalCode.PROTOCOL),
        (b'{"type":"error","error":{"type":"overloaded_error"}}', RefusalCode.UNAVAILABLE),
        (b'{"error":{"message":"no","code":401}}', RefusalCode.UNAUTHORIZED),
    ],
)
def test_bodies_that_are_no_message_are_refused(body: bytes, code: RefusalCode) -> None:
    """By what they are."""
    with pytest.raises(ResponseRefused) as caught:
        decode_response(body, BINDING)
    assert code is caught.value.code
    assert Dispatch.NOT_SENT is not caught.value.dispatch


@pytest.mark.parametrize(
    "wrong",
    [
        {"stop_reason": None},
        {"content": [*MESSAGE["content"], {"type": "text", "text": 1}]},
        {"usage": {"input_tokens": 9, "output_tokens": 4, "output_tokens_details": BEYOND}},
    ],
    ids=["no reason", "a block", "counters"],
)
def test_a_refused_body_keeps_what_it_said(wrong: dict[str, Any]) -> None:
    """Items, counters and names, whether it is read as a body or came where a stream was expected."""
    body = json.dumps({**MESSAGE, **wrong}).encode()
    with pytest.raises(ResponseRefused) as caught:
        decode_response(body, BINDING)
    *before, failed = list(decode_stream([body], BINDING))
    assert isinstance(failed, TurnFailed)
    whole = decode_response(json.dumps(MESSAGE).encode(), BINDING)
    assert isinstance(failed.error, ResponseRefused)
    for partial in (caught.value.partial, failed.error.partial, fold([*before, failed])):
        assert isinstance(partial, PartialOutcome)
        assert whole.items == partial.items
        assert (whole.observation.response_id, whole.observation.upstream_model) == (
            partial.observation.response_id,
            partial.observation.upstream_model,
        )
        assert partial.observation.usage is not None


def test_another_reason_to_stop_than_before_is_told() -> None:
    """The last word stands; the same word twice is nothing."""
    data = named(opening(), *text(0, "x"), ending("max_tokens"), ending("end_turn"), STOP)
    last = list(decode_stream([data], BINDING))[-1]
    assert isinstance(last, TurnCompleted)
    assert (EndTurn(), ["stop-reason-changed"]) == (last.outcome.stop, codes(last.outcome))
    data = named(opening(), *text(0, "x"), ending("end_turn"), ending("end_turn"), STOP)
    last = list(decode_stream([data], BINDING))[-1]
    assert isinstance(last, TurnCompleted)
    assert [] == codes(last.outcome)


def test_an_answer_is_held_against_its_request() -> None:
    """A call of a tool that nobody published is odd."""
    request = TurnRequest.text("m", "hi", tools=(FunctionTool("g"),))
    outcome = answer(*call(0, "t", "f", "{}"), reason="tool_use", request=request)
    assert ["unpublished-tool"] == codes(outcome)
    whole = decode_response(json.dumps(MESSAGE).encode(), BINDING, request=request)
    assert ["unpublished-tool"] == codes(whole)


# laws


@given(st.binary(max_size=400))
def test_any_bytes_give_events_or_a_refusal(data: bytes) -> None:
    """Exactly one terminal event, last."""
    for lead in (b"", named(opening(), *text(0, "x")[:2])):
        events = list(decode_stream([lead + data], BINDING))
        terminal = [i for i, e in enumerate(events) if isinstance(e, TurnCompleted | TurnFailed)]
        assert [len(events) - 1] == terminal
    with suppress(ResponseRefused):
        decode_response(data, BINDING)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "index", "delta", "id", "input", "content", "usage"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(
    st.lists(
        st.builds(
            lambda kind, rest: {**rest, "type": kind},
            st.sampled_from(
                [*{p["type"] for p in (opening(), *text(0, "x"), ending(), STOP)}, "odd"]
            ),
            st.dictionaries(
                st.sampled_from(["message", "index", "content_block", "delta", "usage"]),
                JSON,
                max_size=4,
            ),
        ),
        max_size=6,
    )
)
def test_any_payloads_give_events_or_a_refusal(payloads: list[dict[str, Any]]) -> None:
    """Wrong types anywhere are refused, not raised."""
    events = list(decode_stream([named(opening(), *text(0, "x"), *payloads)], BINDING))
    assert isinstance(events[-1], TurnCompleted | TurnFailed)


def test_events_fold_to_the_outcome() -> None:
    """What the events before the last add up to is what the last one says."""
    events = read(
        opening(),
        *thinking(0, "hm", "c2ln"),
        *text(1, "a"),
        {"type": "odd"},
        *call(2, "t", "f", "{}"),
        ending("tool_use"),
        STOP,
    )
    last = events[-1]
    assert isinstance(last, TurnCompleted)
    folded = fold(events[:-1])
    assert last.outcome.items == folded.items
    observed = last.outcome.observation
    assert (observed.usage, observed.response_id, observed.upstream_model) == (
        folded.observation.usage,
        folded.observation.response_id,
        folded.observation.upstream_model,
    )
    assert any(isinstance(event, Warning) for event in events)


def test_arguments_of_a_body_that_are_no_object_can_be_kept() -> None:
    """As those of a stream."""
    block = {"type": "tool_use", "id": "t", "name": "f", "input": "{nope"}
    body = json.dumps({**MESSAGE, "content": [block], "stop_reason": "tool_use"}).encode()
    with pytest.raises(ResponseRefused):
        decode_response(body, BINDING)
    kept = decode_response(body, BINDING, invalid_arguments="keep")
    assert (ToolCall("t", "f", "{nope"),) == kept.items
    assert ["invalid-arguments"] == [warning.code for warning in kept.warnings]

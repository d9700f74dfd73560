"""The harness sees what the clients see: good streams pass, and each known fault is told apart."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from . import sdk, streams
from .published import compare

GOOD = {
    "chat": streams.unnamed(*streams.chat_text()),
    "messages": streams.named(*streams.messages_text()),
    "responses": streams.numbered(*streams.responses_text()),
}
WIRES = sorted(GOOD)


def text_of(wire: str, final: dict[str, Any]) -> str:
    """The text of an SDK's final object."""
    if wire == "chat":
        return str(final["choices"][0]["message"]["content"])
    return str(
        final["content"][0]["text"]
        if wire == "messages"
        else final["output"][0]["content"][0]["text"]
    )


def without(payload: dict[str, Any], path: str) -> dict[str, Any]:
    """A copy that lacks the key at a dotted path."""
    copy = json.loads(json.dumps(payload))
    *parents, last = path.split(".")
    target = copy
    for parent in parents:
        target = target[int(parent)] if isinstance(target, list) else target[parent]
    del target[last]
    return dict(copy)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("chunk", [None, 1, 7])
def test_a_good_stream_is_read_by_the_helper(wire: str, chunk: int | None) -> None:
    """The helper accumulates the text, and the types reject nothing."""
    seen = sdk.read_stream(wire, GOOD[wire], chunk=chunk)
    assert (None, [], []) == (seen.error, seen.strict, seen.unknown)
    assert "Hello" == text_of(wire, seen.final)


@pytest.mark.parametrize("wire", WIRES)
def test_a_good_stream_is_iterated(wire: str) -> None:
    """The plain iterator yields every payload."""
    seen = sdk.iterate_stream(wire, GOOD[wire])
    assert (None, len(sdk.frames(GOOD[wire]))) == (seen.error, len(seen.events))


def test_the_beta_client_reads_messages() -> None:
    """The beta types and helper are driven too."""
    seen = sdk.read_stream("messages", GOOD["messages"], beta=True)
    assert (None, [], "Hello") == (seen.error, seen.strict, text_of("messages", seen.final))


def test_helper_events_are_listed_in_order() -> None:
    """A consumer of the helper sees these types."""
    seen = sdk.read_stream("messages", GOOD["messages"])
    assert ["message_start", "content_block_start", "content_block_delta", "text"] == seen.events[
        :4
    ]
    assert "message_stop" == seen.events[-1]


def test_a_chat_answer_cut_by_length_has_a_final_object() -> None:
    """The helper raises for this finish reason; the accumulated object is told anyway."""
    seen = sdk.read_stream("chat", streams.unnamed(*streams.chat_text(finish="length")))
    assert (None, "length") == (seen.error, seen.final["choices"][0]["finish_reason"])


def test_an_incomplete_response_has_a_final_object() -> None:
    """The helper raises without `response.completed`; the last lifecycle object is told anyway."""
    *first, _ = streams.responses_text()
    ended = streams.response("incomplete", streams.spoken("Hello")) | {
        "incomplete_details": {"reason": "max_output_tokens"}
    }
    seen = sdk.read_stream(
        "responses", streams.numbered(*first, {"type": "response.incomplete", "response": ended})
    )
    assert (None, "incomplete") == (seen.error, seen.final["status"])


def test_parallel_calls_are_accumulated_apart() -> None:
    """Interleaved fragments land in their own calls."""
    data = streams.unnamed(
        streams.chunk({"role": "assistant", "content": None}),
        streams.chunk(streams.call(0, "call_a", "f")),
        streams.chunk(streams.call(1, "call_b", "g")),
        streams.chunk(streams.call(0, arguments='{"x":1}')),
        streams.chunk(streams.call(1, arguments="{}")),
        streams.chunk({}, "tool_calls"),
    )
    seen = sdk.read_stream("chat", data)
    calls = seen.final["choices"][0]["message"]["tool_calls"]
    assert [("call_a", '{"x":1}'), ("call_b", "{}")] == [
        (c["id"], c["function"]["arguments"]) for c in calls
    ]


DAMAGED: list[tuple[str, int, str]] = [
    ("chat", 1, "choices"),
    ("chat", 1, "choices.0.index"),
    ("chat", 1, "choices.0.delta"),
    ("messages", 0, "message.content"),
    ("messages", 0, "message.usage"),
    ("messages", 1, "content_block.text"),
    ("messages", 5, "usage"),
    ("responses", 0, "response"),
    ("responses", 3, "part.text"),
    ("responses", 4, "delta"),
]


@pytest.mark.parametrize(("wire", "number", "path"), DAMAGED)
def test_a_missing_field_that_breaks_the_helper_is_told(wire: str, number: int, path: str) -> None:
    """The helper raises, and the types name the place."""
    payloads = [json.loads(text) for text in sdk.frames(GOOD[wire])]
    payloads[number] = without(payloads[number], path)
    seen = sdk.read_stream(
        wire, streams.unnamed(*payloads) if wire == "chat" else streams.named(*payloads)
    )
    named = path.replace(".0.", "[0].")
    assert seen.error is not None
    assert [f"{payloads[number].get('type', 'chunk')} {named}: missing"] == seen.strict


UNNOTICED: list[tuple[str, int, str]] = [
    ("chat", 0, "created"),
    ("messages", 0, "message.role"),
    ("responses", 4, "item_id"),
    ("responses", 9, "response.tools"),
]


@pytest.mark.parametrize(("wire", "number", "path"), UNNOTICED)
def test_a_missing_field_that_no_helper_notices_is_still_told(
    wire: str, number: int, path: str
) -> None:
    """The types are stricter than the helpers."""
    payloads = [json.loads(text) for text in sdk.frames(GOOD[wire])]
    payloads[number] = without(payloads[number], path)
    seen = sdk.read_stream(
        wire, streams.unnamed(*payloads) if wire == "chat" else streams.named(*payloads)
    )
    assert (None, [f"{payloads[number].get('type', 'chunk')} {path}: missing"]) == (
        seen.error,
        seen.strict,
    )


def test_a_wrong_scalar_is_told() -> None:
    """A number written as a string is no number, and `true` is no integer."""
    for wrong in ("1760000000", True, 1.5):
        payloads = [p | {"created": wrong} for p in streams.chat_text()]
        assert ["chunk created: not int"] * 5 == sdk.read_stream(
            "chat", streams.unnamed(*payloads)
        ).strict


def test_an_unknown_variant_is_told() -> None:
    """A union is entered by its literal tag."""
    payloads = streams.messages_text()
    payloads[2]["delta"]["type"] = "txt_delta"
    seen = sdk.read_stream("messages", streams.named(*payloads))
    assert ["content_block_delta delta: not variant 'txt_delta'"] == seen.strict


def test_an_undeclared_field_is_listed_apart() -> None:
    """The types allow more fields than they declare, so these are no mismatch."""
    payloads = streams.chat_text()
    payloads[1]["choices"][0]["delta"]["reasoning_content"] = "hm"
    seen = sdk.read_stream("chat", streams.unnamed(*payloads))
    assert ([], ["chunk choices[0].delta.reasoning_content"]) == (seen.strict, seen.unknown)


def test_a_repeated_call_id_is_seen_as_the_helper_joins_it() -> None:
    """What the final object holds is the client's accumulation, not our reading."""
    fragments = [streams.call(0, "call_a", "f"), streams.call(0, "call_a", arguments="{}")]
    data = streams.unnamed(
        streams.chunk({"role": "assistant"}),
        *map(streams.chunk, fragments),
        streams.chunk({}, "tool_calls"),
    )
    seen = sdk.read_stream("chat", data)
    assert "call_acall_a" == seen.final["choices"][0]["message"]["tool_calls"][0]["id"]


def test_a_stream_cut_off_gives_no_final_response() -> None:
    """The helper says so itself."""
    seen = sdk.read_stream("responses", streams.numbered(*streams.responses_text()[:-1]))
    assert seen.error is not None or seen.final["status"] == "in_progress"


@pytest.mark.parametrize("wire", ["chat", "responses"])
def test_an_error_frame_raises_in_the_openai_client(wire: str) -> None:
    """A top-level `error` in mid-stream becomes an APIError with its code."""
    broken = b'data: {"error":{"message":"busy","type":"server_error","code":"overloaded"}}\n\n'
    head = GOOD[wire].split(b"\n\n")[0] + b"\n\n"
    seen = sdk.read_stream(wire, head + broken)
    assert sdk.SdkError("APIError", code="overloaded", type="server_error") == seen.error


def test_an_error_event_raises_in_the_anthropic_client() -> None:
    """`event: error` becomes an APIStatusError that holds the error's type."""
    failure = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    seen = sdk.read_stream("messages", streams.named(streams.message_start(), failure))
    assert seen.error is not None
    assert ("APIStatusError", 200) == (seen.error.name, seen.error.status)


def test_error_answers_become_the_sdk_s_own_classes() -> None:
    """Status and machine-readable type reach the caller."""
    problem = {"message": "slow", "type": "rate_limit_error", "code": "rate_limit_exceeded"}
    body = json.dumps({"error": problem | {"param": None}}).encode()
    expected = sdk.SdkError("RateLimitError", 429, "rate_limit_exceeded", "rate_limit_error")
    assert expected == sdk.read_error("chat", 429, sdk.JSON_HEADERS, body)


WHOLE: dict[str, dict[str, Any]] = {
    "chat": streams.CHUNK
    | {"object": "chat.completion", "usage": streams.COUNTS}
    | {
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hello", "refusal": None},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ]
    },
    "messages": streams.message_start()["message"]
    | {"content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"},
    "responses": streams.response("completed", streams.spoken("Hello")),
}


@pytest.mark.parametrize("wire", WIRES)
def test_a_good_answer_is_read(wire: str) -> None:
    """Without streaming, the object is what was sent."""
    seen = sdk.read_whole(wire, json.dumps(WHOLE[wire]).encode())
    assert (None, [], [], "Hello") == (
        seen.error,
        seen.strict,
        seen.unknown,
        text_of(wire, seen.final),
    )


@pytest.mark.parametrize("wire", WIRES)
def test_a_bad_answer_is_told(wire: str) -> None:
    """Each answer type demands a model name."""
    seen = sdk.read_whole(wire, json.dumps(WHOLE[wire] | {"model": None}).encode())
    assert [line.split(":")[0] for line in seen.strict] == ["model"]


SENT = {"chat": "/v1/chat/completions", "messages": "/v1/messages", "responses": "/v1/responses"}


@pytest.mark.parametrize("wire", WIRES)
def test_what_the_client_sends_fits_its_own_parameter_type(wire: str) -> None:
    """The parameter walk accepts the SDK's own request, and the path is the wire's."""
    request = sdk.sent(wire, **sdk.ARGUMENTS[wire])
    found = sdk.check_params(wire, request.body)
    assert (SENT[wire], [], []) == (request.path, found.strict, found.unknown)


def test_a_bad_request_is_told_by_path() -> None:
    """Missing, wrong and unknown keys of a request are named, inside lists as well."""
    body = {
        "model": "m",
        "max_tokens": "64",
        "messages": [{"role": "user", "content": [{"type": "text", "txt": "hi"}]}],
    }
    found = sdk.check_params("messages", json.dumps(body).encode())
    assert ["max_tokens: not int", "messages[0].content[0].text: missing"] == sorted(found.strict)
    assert ["messages[0].content[0].txt"] == found.unknown


def test_the_walk_knows_the_shapes_of_types() -> None:
    """Literals, unions, lists and mappings are entered; a bool is no int, nor the reverse."""
    assert [] == compare(dict[str, list[int] | None], {"a": [1], "b": None}, "").strict
    assert ["$: not bool"] == compare(bool | None, 1, "").strict
    assert ["$: not literal"] == compare(Literal[1], True, "").strict
    assert ["a[1]: not int"] == compare(dict[str, list[int]], {"a": [1, True]}, "").strict

"""Answers that fail on the way: errors in a stream, truncation, broken connections, hostile bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections import (
    AnswerHead,
    AssistantMessage,
    Dispatch,
    Protocol,
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
    Text,
    ToolWrapping,
)
from llm_projections.model.dialect import ALL
from tests.helpers import by_event, chunked
from tests.relay.gateway import (
    CHAT,
    JSON,
    MESSAGES,
    PAIRS,
    RESPONSES,
    SSE,
    Run,
    answer,
    ask,
    frames,
    opening,
)

pairs = pytest.mark.parametrize(("client", "server"), PAIRS)
servers = pytest.mark.parametrize("server", list(Protocol))
streamed = pytest.mark.parametrize("streams", [True, False])


def error_event(server: Protocol, code: str, message: str = "its words") -> bytes:
    """An error as a server of this wire says it inside a stream."""
    error = {"type": code, "code": code, "message": message}
    if server is RESPONSES:
        response = {"id": "resp_up", "status": "failed", "output": [], "error": error}
        return frames(server, {"type": "response.failed", "response": response})
    return frames(
        server, {"type": "error", "error": error} if server is MESSAGES else {"error": error}
    )


def claims_success(run: Run) -> bool:
    """Whether anything that the client got reads as a finished answer."""
    if not run.out:
        return False
    if run.head.status != 200:
        return False
    if run.head.headers[0][1] == "application/json":
        return True
    return type(run.events()[-1]).__name__ == "TurnCompleted"


def stood(run: Run) -> str:
    """What had been said when the answer broke."""
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert error.partial is not None
    opened = "".join(each.text for each in error.partial.open_items)
    return (
        "".join(
            part.text
            for item in error.partial.items
            if isinstance(item, AssistantMessage)
            for part in item.content
            if isinstance(part, Text)
        )
        + opened
    )


# errors in a stream


IN_STREAM = [
    ("overloaded_error", RefusalCode.UNAVAILABLE, True, {CHAT: 503, MESSAGES: 529, RESPONSES: 503}),
    ("server_error", RefusalCode.UNAVAILABLE, True, {CHAT: 503, MESSAGES: 529, RESPONSES: 503}),
    ("rate_limit_exceeded", RefusalCode.RATE_LIMITED, True, dict.fromkeys(Protocol, 429)),
    ("insufficient_quota", RefusalCode.BILLING, False, dict.fromkeys(Protocol, 402)),
    ("context_length_exceeded", RefusalCode.CONTEXT_LENGTH, False, dict.fromkeys(Protocol, 400)),
    ("model_not_found", RefusalCode.NOT_FOUND, False, dict.fromkeys(Protocol, 404)),
    ("never_heard_of", RefusalCode.REFUSED, False, dict.fromkeys(Protocol, 400)),
]


@pairs
@streamed
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize(("word", "code", "retry", "status"), IN_STREAM)
def test_an_error_before_output_is_a_status(
    client: Protocol,
    server: Protocol,
    streams: bool,
    opened: bool,
    word: str,
    code: RefusalCode,
    retry: bool,
    status: dict[Protocol, int],
) -> None:
    """Under HTTP 200, also after an opening event: the client can still act on it."""
    run = Run(client, server).ask(ask(client, stream=streams))
    before = opening(server) if opened else b""
    run.play(before, error_event(server, word))
    assert status[client] == run.head.status
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (code, retry) == (error.code, error.may_retry)
    assert "its words" in run.told["message"]
    if opened:
        assert Dispatch.ACCEPTED is error.dispatch


@pairs
@pytest.mark.parametrize(("word", "code"), [(each[0], each[1]) for each in IN_STREAM[:5]])
def test_an_error_after_output_is_a_frame(
    client: Protocol, server: Protocol, word: str, code: RefusalCode
) -> None:
    """Of the client's own wire, with the class kept, and final."""
    run = Run(client, server).ask()
    run.play(answer(server, "Hello", end=False), error_event(server, word))
    assert 200 == run.head.status
    assert b"Hel" in run.body
    failed = run.failure().error
    assert isinstance(failed, ResponseRefused)
    assert failed.upstream is not None
    assert "its words" in (failed.upstream.message or "")
    # Messages has no word of its own for an overflow, and tells it by its text
    if client is MESSAGES and code is RefusalCode.CONTEXT_LENGTH:
        assert "prompt is too long: its words" == failed.upstream.message
    else:
        assert code is failed.code
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (code, False, Dispatch.ACCEPTED) == (error.code, error.may_retry, error.dispatch)
    assert "Hello" == stood(run)


@pairs
def test_a_whole_answer_that_failed_after_output_is_final(
    client: Protocol, server: Protocol
) -> None:
    """The client saw nothing of it, and it was paid for all the same."""
    run = Run(client, server).ask(ask(client, stream=False))
    run.play(answer(server, "Hello", end=False), error_event(server, "overloaded_error"))
    assert run.head.status in (503, 529)
    assert run.relay.error is not None
    assert not run.relay.error.may_retry


@pairs
def test_a_stream_ends_once(client: Protocol, server: Protocol) -> None:
    """After its error a stream says nothing more."""
    run = Run(client, server).ask()
    run.play(answer(server, "Hello", end=False), error_event(server, "server_error"), close=False)
    before = run.body
    run.take(run.relay.feed(answer(server)))
    run.take(run.relay.close())
    assert before == run.body


# truncation


@pairs
@streamed
def test_no_prefix_of_an_answer_is_a_success(
    client: Protocol, server: Protocol, streams: bool
) -> None:
    """However early it breaks off; only Chat has an end before its last bytes."""
    data = answer(server, "Hello", calls=[("call_1", "look", '{"a":1}')])
    body = ask(client, stream=streams, tools=["look"])
    enough = len(data)
    if server is CHAT:
        enough = data.index(b'"usage"')
        enough = data.rindex(b"data: ", 0, enough)
    for end in range(0, enough - 1, 11):
        run = Run(client, server).ask(body).play(data[:end])
        if run.relay.error is None:
            # the end was there, but for what follows the last event's data
            assert data[:end].rstrip() == data.rstrip()
            continue
        assert not claims_success(run), end
        assert run.relay.done
        if run.head.status != 200:
            assert json.loads(run.body)["error"]


@pairs
@streamed
def test_truncation_before_output_may_be_tried_again(
    client: Protocol, server: Protocol, streams: bool
) -> None:
    """Nothing was shown, so that the same request is safe to send."""
    run = Run(client, server).ask(ask(client, stream=streams)).play(opening(server))
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (502, RefusalCode.PROTOCOL, True) == (run.head.status, error.code, error.may_retry)
    assert Dispatch.ACCEPTED is error.dispatch


@pairs
@streamed
def test_an_empty_answer_is_none(client: Protocol, server: Protocol, streams: bool) -> None:
    """Nobody knows whether a model worked on it."""
    run = Run(client, server).ask(ask(client, stream=streams)).play()
    error = run.relay.error
    assert error is not None
    assert (502, RefusalCode.PROTOCOL, True) == (run.head.status, error.code, error.may_retry)
    assert Dispatch.UNKNOWN is error.dispatch


@pairs
def test_truncation_after_output_is_final(client: Protocol, server: Protocol) -> None:
    """The stream ends with an error frame, and the operator has what stood."""
    run = Run(client, server).ask().play(answer(server, "Hello", end=False))
    assert 200 == run.head.status
    assert not claims_success(run)
    failed = run.failure().error
    assert isinstance(failed, ResponseRefused)
    assert failed.upstream is not None, "an error frame was written, not an end"
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (RefusalCode.PROTOCOL, False) == (error.code, error.may_retry)
    assert error.partial is not None


@pairs
def test_raw_frames_are_kept_for_who_asks(client: Protocol, server: Protocol) -> None:
    """What an answer that broke off had said, payload by payload."""
    run = Run(client, server, keep_raw=True).ask().play(answer(server, "Hello", end=False))
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert error.partial is not None
    assert len(by_event(answer(server, "Hello", end=False))) == len(error.partial.raw)


def test_a_broken_answer_tells_the_clients_own_names() -> None:
    """What stood is in the client's words: its tools as it published them."""
    tool = {"type": "custom", "name": "patch"}
    run = Run(RESPONSES, CHAT, wrapping=ToolWrapping(ALL))
    run.ask(ask(RESPONSES, input="go", tools=[tool]))
    run.play(answer(CHAT, calls=[("c1", "patch", '{"input":"x"}')], end=False))
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert error.partial is not None
    assert ["patch"] == [each.name for each in error.partial.open_items if each.name]

    long = "t" * 60 + ".read"
    run = Run(RESPONSES, CHAT).ask(ask(RESPONSES, tools=[long]))
    name = run.sent_body["tools"][0]["function"]["name"]
    run.play(answer(CHAT, calls=[("c1", name, "{}")], end=False))
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert error.partial is not None
    assert [long] == [each.name for each in error.partial.open_items if each.name]


# broken connections


@pairs
@streamed
def test_a_connection_that_never_was(client: Protocol, server: Protocol, streams: bool) -> None:
    """The caller knows that nothing went out: a retry is safe."""
    run = Run(client, server).ask(ask(client, stream=streams))
    run.take(run.relay.transport_failed(False))
    error = run.relay.error
    assert isinstance(error, RequestRefused)
    assert (502, RefusalCode.TRANSPORT, True) == (run.head.status, error.code, error.may_retry)
    assert Dispatch.NOT_SENT is error.dispatch


@pairs
@streamed
@pytest.mark.parametrize("sent", [True, None])
def test_a_connection_that_broke_before_the_answer(
    client: Protocol, server: Protocol, streams: bool, sent: bool | None
) -> None:
    """It may have been worked on, and nothing was shown."""
    run = Run(client, server).ask(ask(client, stream=streams))
    run.take(run.relay.transport_failed(sent))
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (502, RefusalCode.TRANSPORT, True) == (run.head.status, error.code, error.may_retry)
    assert Dispatch.UNKNOWN is error.dispatch


@pairs
@pytest.mark.parametrize("sent", [True, None, False])
@pytest.mark.parametrize("keeps", [False, True])
def test_a_connection_that_broke_after_the_opening_event(
    client: Protocol, server: Protocol, sent: bool | None, keeps: bool
) -> None:
    """A model worked on it, nothing was shown: whatever the caller believes, it was sent."""
    run = Run(client, server).ask().play(opening(server), close=False)
    if keeps:
        run.take(run.relay.keepalive())
    run.take(run.relay.transport_failed(sent))
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (Dispatch.ACCEPTED, True) == (error.dispatch, error.may_retry)
    assert (200 if keeps else 502) == run.head.status
    assert not claims_success(run)


@pairs
@streamed
@pytest.mark.parametrize("sent", [True, None, False])
def test_a_connection_that_broke_after_output(
    client: Protocol, server: Protocol, streams: bool, sent: bool | None
) -> None:
    """Final, with what stood."""
    run = Run(client, server).ask(ask(client, stream=streams))
    run.play(answer(server, "Hello", end=False), close=False)
    run.take(run.relay.transport_failed(sent))
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (RefusalCode.TRANSPORT, False) == (error.code, error.may_retry)
    assert Dispatch.ACCEPTED is error.dispatch
    assert "Hello" == stood(run)
    assert not claims_success(run)
    assert (200 if streams else 502) == run.head.status


@pairs
def test_a_connection_that_broke_within_an_error_body(client: Protocol, server: Protocol) -> None:
    """The status came, and says more than that its body was cut."""
    run = Run(client, server).ask().play(b'{"error":', status=429, headers=JSON, close=False)
    run.take(run.relay.transport_failed(True))
    assert 429 == run.head.status
    assert run.relay.error is not None
    assert RefusalCode.RATE_LIMITED is run.relay.error.code


def test_a_connection_that_broke_before_the_request_was_read() -> None:
    """Nothing was asked yet; the client gets an answer all the same."""
    run = Run(CHAT, CHAT)
    run.take(run.relay.transport_failed(None))
    assert (502, True) == (run.head.status, run.relay.done)


# what the client's wire cannot hold


@pytest.mark.parametrize("server", [CHAT, RESPONSES])
def test_arguments_that_messages_cannot_hold_end_the_stream(server: Protocol) -> None:
    """What was said before is out, and then comes an error: nothing is repaired."""
    call = ("call_1", "look", "[1]")
    run = Run(MESSAGES, server).ask(ask(MESSAGES, tools=["look"]))
    run.play(*by_event(answer(server, "Hello", calls=[call])))
    assert b"Hel" in run.body
    assert not claims_success(run)
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (Dispatch.ACCEPTED, False) == (error.dispatch, error.may_retry)


@pytest.mark.parametrize("server", [CHAT, RESPONSES])
def test_what_was_encoded_before_a_refusal_is_not_lost(server: Protocol) -> None:
    """In one feed, too: the bytes of the events before it stand before the error."""
    first, second, *rest = by_event(answer(server, "Hello", calls=[("call_1", "look", "[1]")]))
    while b"Hel" not in second:
        second += rest.pop(0)
    run = Run(MESSAGES, server).ask(ask(MESSAGES, tools=["look"]))
    run.play(first + second, close=False)
    assert b'"lo"' not in run.body
    run.play(b"".join(rest))
    assert b'"lo"' in run.body
    assert run.body.index(b'"lo"') < run.body.index(b"event: error")
    assert not claims_success(run)


# hostile bytes


@given(st.data())
def test_hostile_bytes_never_raise(data: st.DataObject) -> None:
    """Whatever a server sends, in whatever order its connection does things, the client gets one answer."""
    client, server = data.draw(st.sampled_from(PAIRS))
    streams = data.draw(st.booleans())
    run = Run(client, server).ask(ask(client, stream=streams, tools=["look"]))
    status = data.draw(st.sampled_from([200, 200, 200, 204, 301, 400, 429, 500, 0, 999]))
    kind = data.draw(st.sampled_from(["text/event-stream", "application/json", "text/html", ""]))
    run.take(run.relay.response(status, [("content-type", kind)] if kind else []))
    for chunk in chunked(data.draw(damaged(server)), data.draw(st.integers(1, 200))):
        run.take(run.relay.feed(chunk))
        if data.draw(st.integers(0, 9)) == 0:
            run.take(run.relay.keepalive())
    if data.draw(st.booleans()):
        run.take(run.relay.close())
    else:
        run.take(run.relay.transport_failed(data.draw(st.sampled_from([True, False, None]))))
    assert run.relay.done
    assert isinstance(run.out[0], AnswerHead)
    assert (run.relay.outcome is None) is (run.relay.error is not None)
    if run.relay.error is not None:
        assert not claims_success(run)
        assert isinstance(run.relay.error, Refusal)
        assert run.relay.error.dispatch is not Dispatch.NOT_SENT


@st.composite
def damaged(draw: Any, server: Protocol) -> bytes:
    """An answer with frames left out, doubled, cut and overwritten, or mere bytes."""
    if draw(st.integers(0, 5)) == 0:
        return bytes(draw(st.binary(max_size=60)))
    calls = [("call_1", "look", draw(st.sampled_from(["{}", "[", "", '{"a":1}'])))]
    parts = by_event(answer(server, "Hello", thought="Hm", calls=calls, sealed=draw(st.booleans())))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(parts) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                parts[at] = b""
            case 1:
                parts.insert(at, parts[at])
            case 2:
                parts[at] = parts[at][: draw(st.integers(0, len(parts[at])))]
            case 3:
                words = [b"null", b"-1", b'"\\ud800"', b"[]", b"{}", b"1e999", b'"type"']
                old = draw(
                    st.sampled_from([b'"index": 0', b'"Hel"', b'"call_1"', b'"text"', b"{}"])
                )
                parts[at] = parts[at].replace(old, draw(st.sampled_from(words)))
            case _:
                parts.append(error_event(server, "server_error"))
    return b"".join(parts)


@given(st.binary(max_size=80), st.sampled_from(PAIRS))
def test_hostile_requests_never_raise(body: bytes, pair: tuple[Protocol, Protocol]) -> None:
    """Whatever a client sends is answered."""
    run = Run(*pair).ask(body)
    assert run.sent is None
    assert run.head.status in (400, 413)
    assert run.play(headers=SSE).relay.done

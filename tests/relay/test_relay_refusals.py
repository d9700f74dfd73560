"""Refusals at every stage, as errors on the client's own wire."""

import json
from typing import Any

import pytest
from attrs import evolve

from llm_projections import (
    AGENT_CLIENTS,
    Bearer,
    Dispatch,
    Limits,
    Protocol,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
)
from tests.everything import binding_of
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
)

pairs = pytest.mark.parametrize(("client", "server"), PAIRS)
clients = pytest.mark.parametrize("client", list(Protocol))
CODEX = [("Originator", "codex_cli_rs")]


def is_error(run: Run) -> bool:
    """Whether the answer has the client's own shape of an error."""
    body = json.loads(run.body)
    if run.client is MESSAGES:
        told = {"type", "message"}
        return bool(body["type"] == "error" and body["error"].keys() == told)
    return bool(body["error"].keys() == {"message", "type", "param", "code"})


def upstream(code: str, message: str = "its words") -> bytes:
    """An error body that any of the three vendors might write."""
    return json.dumps({"error": {"type": code, "code": code, "message": message}}).encode()


# before anything was sent


@pairs
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{not JSON", 400, RefusalCode.INVALID_REQUEST),
        (b"[]", 400, RefusalCode.INVALID_REQUEST),
        (b"", 400, RefusalCode.INVALID_REQUEST),
        (b'{"model":"\\ud800"}', 400, RefusalCode.INVALID_REQUEST),
    ],
)
def test_a_request_that_cannot_be_read(
    client: Protocol, server: Protocol, body: bytes, status: int, code: RefusalCode
) -> None:
    """It is answered at once, and nothing goes upstream."""
    run = Run(client, server).ask(body)
    assert (None, status, True) == (run.sent, run.head.status, run.relay.done)
    assert is_error(run)
    error = run.relay.error
    assert isinstance(error, RequestRefused)
    assert (code, Dispatch.NOT_SENT, False) == (error.code, error.dispatch, error.may_retry)


@pairs
def test_an_unknown_field_is_named(client: Protocol, server: Protocol) -> None:
    """On Messages in the words that its clients adapt to."""
    run = Run(client, server).ask(ask(client, never_heard_of=1))
    assert (None, 400) == (run.sent, run.head.status)
    assert "never_heard_of" in run.told["message"]
    if client is MESSAGES:
        assert "never_heard_of: Extra inputs are not permitted" == run.told["message"]


@pairs
def test_what_the_server_cannot_do_is_refused_with_its_loss(
    client: Protocol, server: Protocol
) -> None:
    """The operator sees the name to accept; accepted, it is left out and reported."""
    binding = binding_of(server)
    binding = evolve(binding, capabilities=evolve(binding.capabilities, temperature=False))
    body = ask(client, temperature=0.5)
    error = Run(client, server, binding=binding).ask(body).relay.error
    assert isinstance(error, RequestRefused)
    assert ("sampling.temperature", RefusalCode.UNSUPPORTED) == (error.path, error.code)
    assert error.loss is not None
    run = Run(client, server, binding=binding, accept={error.loss}).ask(body)
    assert "temperature" not in run.sent_body
    assert [error.loss] == [loss.name for loss in run.relay.losses]


def test_every_refusal_of_a_request_is_told() -> None:
    """So that an operator sees the list once."""
    error = Run(CHAT, CHAT).ask(ask(CHAT, one=1, two=2)).relay.error
    assert isinstance(error, RequestRefused)
    assert ["one", "two"] == [each.path for each in (error, *error.others)]


@pairs
def test_a_missing_credential(client: Protocol, server: Protocol) -> None:
    """Nothing is sent that could not be answered."""
    run = Run(client, server, binding=binding_of(server, auth=Bearer())).ask()
    assert (None, 401) == (run.sent, run.head.status)
    assert is_error(run)


@pairs
def test_a_credential_that_would_end_its_header(client: Protocol, server: Protocol) -> None:
    """A new line in it is an attack or an accident; it is not quoted."""
    binding = binding_of(server, auth=Bearer())
    run = Run(client, server, binding=binding, credential="secret\r\nx: y").ask()
    assert run.sent is None
    assert b"secret" not in run.body + repr(run.relay.error).encode()


def test_a_base_url_without_its_slash() -> None:
    """What would be joined wrongly is refused before it is sent."""
    binding = evolve(binding_of(CHAT), base_url="https://upstream.example/v1")
    run = Run(CHAT, CHAT, binding=binding).ask()
    assert (None, 400) == (run.sent, run.head.status)


def test_a_refusal_of_prepare_is_the_clients_answer() -> None:
    """A gateway's own policy speaks on the client's wire."""

    def prepare(_turn: Any) -> Any:
        raise RequestRefused(RefusalCode.RATE_LIMITED, "this team has no budget left")

    run = Run(MESSAGES, CHAT, prepare=prepare).ask()
    assert (429, "rate_limit_error") == (run.head.status, run.told["type"])
    assert "this team has no budget left" == run.told["message"]


def test_a_limit_above_the_servers_is_told_as_claude_code_reads_it() -> None:
    """`max_tokens: N > M` makes it ask for less."""
    run = Run(MESSAGES, CHAT).ask(ask(MESSAGES, max_tokens=128_000))
    assert run.told["message"].startswith("max_tokens: 128000 > 64000")
    lowered = {"max_output_tokens.lowered"}
    run = Run(MESSAGES, CHAT, accept=AGENT_CLIENTS | lowered).ask(ask(MESSAGES, max_tokens=128_000))
    assert 64_000 == run.sent_body["max_completion_tokens"]


# error statuses of the server


STATUSES = [
    (400, RefusalCode.REFUSED, Dispatch.REJECTED, False, (400, 400, 400)),
    (401, RefusalCode.UNAUTHORIZED, Dispatch.REJECTED, False, (502, 502, 502)),
    (402, RefusalCode.BILLING, Dispatch.REJECTED, False, (402, 402, 402)),
    (403, RefusalCode.UNAUTHORIZED, Dispatch.REJECTED, False, (502, 502, 502)),
    (404, RefusalCode.NOT_FOUND, Dispatch.REJECTED, False, (404, 404, 404)),
    (408, RefusalCode.UNAVAILABLE, Dispatch.UNKNOWN, True, (503, 529, 503)),
    (413, RefusalCode.TOO_LARGE, Dispatch.REJECTED, False, (413, 413, 413)),
    (422, RefusalCode.REFUSED, Dispatch.REJECTED, False, (400, 400, 400)),
    (429, RefusalCode.RATE_LIMITED, Dispatch.REJECTED, True, (429, 429, 429)),
    (500, RefusalCode.UNAVAILABLE, Dispatch.UNKNOWN, True, (503, 529, 503)),
    (503, RefusalCode.UNAVAILABLE, Dispatch.REJECTED, True, (503, 529, 503)),
    (529, RefusalCode.UNAVAILABLE, Dispatch.REJECTED, True, (503, 529, 503)),
    (302, RefusalCode.REFUSED, Dispatch.UNKNOWN, False, (400, 400, 400)),
]


@pairs
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(("status", "code", "dispatch", "retry", "shown"), STATUSES)
def test_an_error_status(
    client: Protocol,
    server: Protocol,
    streams: bool,
    status: int,
    code: RefusalCode,
    dispatch: Dispatch,
    retry: bool,
    shown: tuple[int, int, int],
) -> None:
    """It becomes the client's own, and says whether the same request may be sent again."""
    run = Run(client, server).ask(ask(client, stream=streams))
    run.play(b'{"error":{"message":"its words"}}', status=status, headers=JSON)
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert (code, dispatch, retry) == (error.code, error.dispatch, error.may_retry)
    assert shown[list(Protocol).index(client)] == run.head.status
    assert is_error(run)
    assert "its words" == run.told["message"]
    assert "its words" not in str(error) + repr(error)


@pairs
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"upstream connect error or disconnect",
        b"<html><body>502 Bad Gateway</body></html>",
        b"\xff\xfe\x00",
        b'{"detail":"Not Found"}',
        b'{"error":"text"}',
        b'{"error":null}',
        b"[1,2]",
        b'"text"',
        b"null",
        b'{"error":{"message":"\\ud800"}}',
        b'{"a":' * 9_999,
    ],
)
def test_any_error_body_is_an_error(client: Protocol, server: Protocol, body: bytes) -> None:
    """Proxies and frameworks write what they like."""
    run = Run(client, server).ask().play(body[:7], body[7:], status=503, headers=SSE)
    assert run.head.status in (503, 529)
    assert is_error(run)
    assert run.told["message"]
    assert run.relay.error is not None
    assert run.relay.error.may_retry


def test_an_error_body_without_end_is_cut() -> None:
    """A hostile server cannot fill the memory."""
    run = Run(CHAT, CHAT, limits=Limits(raw_bytes=100)).ask()
    run.play(*[b"x" * 60] * 9, status=500)
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert error.upstream is not None
    assert "x" * 100 == error.upstream.raw


@pairs
@pytest.mark.parametrize(
    ("header", "waits"),
    [
        (("Retry-After", "7"), "7"),
        (("retry-after-ms", "1500"), "2"),
        (("x-ratelimit-reset-requests", "6m0s"), "360"),
    ],
)
def test_how_long_to_wait_is_passed_on(
    client: Protocol, server: Protocol, header: tuple[str, str], waits: str
) -> None:
    """Clients of every wire wait for `retry-after`."""
    run = Run(client, server).ask()
    run.play(upstream("rate_limit_error"), status=429, headers=[*JSON, header])
    assert (429, waits) == (run.head.status, dict(run.head.headers)["retry-after"])
    assert "rate_limit_error" == run.told["type"]
    if client is not MESSAGES:
        assert "rate_limit_exceeded" == run.told["code"]


@pairs
@pytest.mark.parametrize("streams", [True, False])
def test_the_providers_words_can_be_kept_from_the_client(
    client: Protocol, server: Protocol, streams: bool
) -> None:
    """In a status and in a stream alike; the operator still has them."""
    body = upstream("overloaded_error", "private words")
    run = Run(client, server, expose_upstream=False).ask(ask(client, stream=streams))
    run.play(body, status=529)
    assert b"private" not in run.body
    assert is_error(run)
    error = run.relay.error
    assert isinstance(error, ResponseRefused)
    assert error.upstream is not None
    assert "private words" == error.upstream.message


@pairs
def test_they_can_be_kept_from_a_stream_too(client: Protocol, server: Protocol) -> None:
    """An error in mid-stream hides what an error status would."""
    run = Run(client, server, expose_upstream=False).ask()
    error = {"type": "error", "error": {"type": "server_error", "message": "private words"}}
    run.play(answer(server, "Hi", end=False) + frames(server, error))
    assert b"Hi" in run.body
    assert b"private" not in run.body
    assert RefusalCode.UNAVAILABLE is run.failure().error.code


# a conversation that is too long


OVERFLOWS = [
    (
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens. However, your messages made 9001 tokens.",
        "9001 tokens > 8192 maximum",
    ),
    (
        "BadRequestError",
        "The maximum context length is 8192 tokens. Your prompt has at least 8193 input tokens.",
        "8193 tokens > 8192 maximum",
    ),
    (
        "exceed_context_size_error",
        "request (60011 tokens) exceeds the available context size (16384 tokens)",
        "60011 tokens > 16384 maximum",
    ),
    (
        "invalid_request_error",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "210000 tokens > 200000 maximum",
    ),
    ("context_length_exceeded", "Your input exceeds the context window of this model.", "Your"),
]


@pairs
@pytest.mark.parametrize(("kind", "message", "numbers"), OVERFLOWS)
def test_an_overflow_arrives_as_clients_read_it(
    client: Protocol, server: Protocol, kind: str, message: str, numbers: str
) -> None:
    """OpenAI's SDK by its code; Claude Code by `prompt is too long: N tokens > M maximum`."""
    run = Run(client, server).ask().play(upstream(kind, message), status=400, headers=JSON)
    error = run.relay.error
    assert error is not None
    assert (RefusalCode.CONTEXT_LENGTH, False) == (error.code, error.may_retry)
    assert 400 == run.head.status
    assert "invalid_request_error" == run.told["type"]
    assert message in run.told["message"]
    if client is MESSAGES:
        assert run.told["message"].startswith("prompt is too long")
        assert numbers in run.told["message"]
    else:
        assert "context_length_exceeded" == run.told["code"]


@clients
def test_an_overflow_needs_none_of_the_providers_words(client: Protocol) -> None:
    """What clients act on is ours."""
    run = Run(client, CHAT, expose_upstream=False).ask()
    run.play(upstream("context_length_exceeded", "private"), status=400)
    assert b"private" not in run.body
    said = run.told["message"] if client is MESSAGES else run.told["code"]
    expected = "prompt is too long" if client is MESSAGES else "context_length_exceeded"
    assert expected == said


@pytest.mark.parametrize("server", list(Protocol))
def test_codex_is_told_of_an_overflow_in_a_stream(server: Protocol) -> None:
    """It shortens its conversation for `response.failed`, and gives up at a status 400."""
    run = Run(RESPONSES, server).ask(headers=CODEX)
    run.play(upstream("context_length_exceeded"), status=400, headers=JSON)
    assert 200 == run.head.status
    frame = json.loads(run.body.rpartition(b"data: ")[2])
    assert "response.failed" == frame["type"]
    assert "context_length_exceeded" == frame["response"]["error"]["code"]
    assert RefusalCode.CONTEXT_LENGTH is run.failure().error.code


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (ask(RESPONSES, stream=False), CODEX),
        (ask(RESPONSES), []),
        (ask(RESPONSES), [("originator", "other")]),
    ],
)
def test_others_are_told_of_an_overflow_by_status(body: bytes, headers: Any) -> None:
    """The SDKs raise for it; and a client of a whole answer has no stream."""
    run = Run(RESPONSES, CHAT).ask(body, headers)
    run.play(upstream("context_length_exceeded"), status=400)
    assert (400, "context_length_exceeded") == (run.head.status, run.told["code"])


def test_codex_gets_every_other_error_by_status() -> None:
    """It reads 429 and 503 with their codes from statuses."""
    run = Run(RESPONSES, CHAT).ask(headers=CODEX)
    run.play(upstream("server_is_overloaded"), status=503)
    assert (503, "server_is_overloaded") == (run.head.status, run.told["code"])


# answers of another kind than asked


@pairs
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html; charset=utf-8", b"<html>sign in</html>"),
        ("text/plain", b"ok"),
        ("application/json", b"{}"),
        ("application/json", b'{"id":'),
        ("application/octet-stream", b"\x00\x01"),
        ("text/html", b""),
    ],
)
def test_a_success_of_another_kind_is_a_bad_gateway(
    client: Protocol, server: Protocol, streams: bool, content_type: str, body: bytes
) -> None:
    """A sign-in page under status 200 is no answer."""
    run = Run(client, server).ask(ask(client, stream=streams))
    run.play(body, headers=[("content-type", content_type)])
    assert 502 == run.head.status
    assert is_error(run)
    error = run.relay.error
    assert error is not None
    assert (RefusalCode.PROTOCOL, False) == (error.code, error.may_retry)
    assert run.relay.outcome is None


@pairs
def test_a_page_under_an_event_stream_is_a_bad_gateway(client: Protocol, server: Protocol) -> None:
    """The header may lie; the bytes are what is read."""
    run = Run(client, server).ask().play(b"<html>\n\nsign in\n\n</html>")
    assert 502 == run.head.status
    assert run.relay.outcome is None


@pairs
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_error_body_under_success_is_the_error_that_it_is(
    client: Protocol, server: Protocol, kind: str
) -> None:
    """Whatever the header says it is."""
    run = Run(client, server).ask()
    run.play(upstream("rate_limit_exceeded"), headers=[("content-type", kind)])
    assert 429 == run.head.status
    error = run.relay.error
    assert error is not None
    assert (RefusalCode.RATE_LIMITED, True) == (error.code, error.may_retry)


@pairs
@pytest.mark.parametrize("streams", [True, False])
def test_a_server_that_is_known_to_answer_whole_is_read(
    client: Protocol, server: Protocol, streams: bool
) -> None:
    """One body where a stream was asked, because the dialect says so; the client gets what it asked for."""
    writer = Run(server, server).ask(ask(server, stream=False)).play(answer(server, "Hello"))
    binding = binding_of(server, answers_whole=True)
    run = Run(client, server, binding=binding).ask(ask(client, stream=streams))
    run.play(writer.body, headers=JSON)
    assert 200 == run.head.status
    assert "Hello" in str(run.outcome().items)
    assert ["whole-answer"] == [warning.code for warning in run.relay.warnings]


@pairs
def test_a_stream_without_content_type_is_what_was_asked_for(
    client: Protocol, server: Protocol
) -> None:
    """Some servers send none."""
    run = Run(client, server).ask().play(answer(server), headers=[])
    assert "Hello" in str(run.outcome().items)


@pairs
def test_a_stream_under_another_name_shows_nothing(client: Protocol, server: Protocol) -> None:
    """What was not asked for is not half shown, also where a keepalive committed the head."""
    run = Run(client, server).ask()
    run.take(run.relay.keepalive())
    run.play(answer(server), headers=[("content-type", "text/plain")])
    assert b"Hel" not in run.body
    assert RefusalCode.UNAVAILABLE is run.failure().error.code
    assert run.relay.error is not None
    assert RefusalCode.PROTOCOL is run.relay.error.code

"""Error answers of the Messages wire, both directions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import Dispatch, Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.messages import decode_error, encode_ingress_error
from llm_projections.model.outcome import UpstreamError
from tests.wires.messages_wire import BINDING

JSON = [("content-type", "application/json")]


def read(status: int, kind: str, message: str = "no", **headers: str) -> ResponseRefused:
    """An error answer as its vendor writes it."""
    body = json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return decode_error(status, [*JSON, *named], body, BINDING)


def told(error: Refusal, **settings: Any) -> tuple[int, str, str]:
    """The status, type and message of an error answer."""
    made = encode_ingress_error(error, **settings)
    body = json.loads(made.body)
    assert "error" == body["type"]
    return made.status, body["error"]["type"], body["error"]["message"]


@pytest.mark.parametrize(
    ("status", "kind", "code", "dispatch", "retriable"),
    [
        (400, "invalid_request_error", RefusalCode.REFUSED, Dispatch.REJECTED, False),
        (401, "authentication_error", RefusalCode.UNAUTHORIZED, Dispatch.REJECTED, False),
        (402, "billing_error", RefusalCode.BILLING, Dispatch.REJECTED, False),
        (403, "permission_error", RefusalCode.UNAUTHORIZED, Dispatch.REJECTED, False),
        (404, "not_found_error", RefusalCode.NOT_FOUND, Dispatch.REJECTED, False),
        (413, "request_too_large", RefusalCode.TOO_LARGE, Dispatch.REJECTED, False),
        (429, "rate_limit_error", RefusalCode.RATE_LIMITED, Dispatch.REJECTED, True),
        (500, "api_error", RefusalCode.UNAVAILABLE, Dispatch.UNKNOWN, True),
        (504, "timeout_error", RefusalCode.UNAVAILABLE, Dispatch.UNKNOWN, True),
        (529, "overloaded_error", RefusalCode.UNAVAILABLE, Dispatch.REJECTED, True),
    ],
)
def test_statuses_are_classified(
    status: int, kind: str, code: RefusalCode, dispatch: Dispatch, retriable: bool
) -> None:
    """What a provider wrote stands apart from what we say."""
    error = read(status, kind, "private words")
    assert (code, dispatch, retriable) == (error.code, error.dispatch, error.retriable)
    assert error.upstream is not None
    assert (kind, "private words") == (error.upstream.type, error.upstream.message)
    assert "private" not in str(error) + repr(error)


def test_a_prompt_that_is_too_long_is_told_by_its_text() -> None:
    """The wire has no code for it."""
    said = "prompt is too long: 210000 tokens > 200000 maximum"
    error = read(400, "invalid_request_error", said)
    assert RefusalCode.CONTEXT_LENGTH is error.code
    assert (400, "invalid_request_error", said) == told(error)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"\xff\xfe", b'{"detail":"no"}', b"[1]", b'{"error":"Method Not Allowed"}'],
)
def test_any_body_is_read(body: bytes) -> None:
    """Gateways write what they like."""
    error = decode_error(503, JSON, body, BINDING)
    assert (RefusalCode.UNAVAILABLE, Dispatch.REJECTED) == (error.code, error.dispatch)


def test_how_long_to_wait_is_passed_on() -> None:
    """In whole seconds, rounded up."""
    error = read(429, "rate_limit_error", retry_after_ms="1500")
    made = encode_ingress_error(error, request_id="req_1")
    assert ("retry-after", "2") in made.headers
    assert ("request-id", "req_1") in made.headers
    assert "req_1" == json.loads(made.body)["request_id"]


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        (RefusalCode.RATE_LIMITED, 429, "rate_limit_error"),
        (RefusalCode.UNAVAILABLE, 529, "overloaded_error"),
        (RefusalCode.PROTOCOL, 502, "api_error"),
        (RefusalCode.TRANSPORT, 502, "api_error"),
        (RefusalCode.UNAUTHORIZED, 502, "api_error"),
        (RefusalCode.NOT_FOUND, 404, "not_found_error"),
        (RefusalCode.BILLING, 402, "billing_error"),
        (RefusalCode.REFUSED, 400, "invalid_request_error"),
        (RefusalCode.CONTEXT_LENGTH, 400, "invalid_request_error"),
        (RefusalCode.UNSUPPORTED, 502, "api_error"),
        (RefusalCode.TOO_LARGE, 502, "api_error"),
    ],
)
def test_a_refused_answer_becomes_the_status_that_clients_act_on(
    code: RefusalCode, status: int, kind: str
) -> None:
    """An upstream that turned our credential down is no fault of the client's."""
    assert (status, kind, "no") == told(ResponseRefused(code, "no"))


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        (RefusalCode.INVALID_REQUEST, 400, "invalid_request_error"),
        (RefusalCode.UNSUPPORTED, 400, "invalid_request_error"),
        (RefusalCode.TOO_LARGE, 413, "request_too_large"),
        (RefusalCode.UNAUTHORIZED, 401, "authentication_error"),
        (RefusalCode.NOT_FOUND, 404, "not_found_error"),
    ],
)
def test_a_refused_request_is_the_clients_to_mend(
    code: RefusalCode, status: int, kind: str
) -> None:
    """With the type that the vendor pairs with the status."""
    assert (status, kind, "no") == told(RequestRefused(code, "no"))


@pytest.mark.parametrize(
    ("kind", "status"), [("api_error", 500), ("timeout_error", 504), ("overloaded_error", 529)]
)
def test_a_more_exact_type_of_this_wire_stays(kind: str, status: int) -> None:
    """All three are one class of ours."""
    assert (status, kind, "no") == told(read(status, kind))


def test_the_upstreams_words_are_passed_on_unless_told_otherwise() -> None:
    """Clients read them to adapt."""
    error = read(400, "invalid_request_error", "temperature: deprecated")
    assert "temperature: deprecated" == told(error)[2]
    assert "the server answered with status 400" == told(error, expose_upstream=False)[2]


def test_unsupported_fields_are_named_as_the_vendor_names_them() -> None:
    """Claude Code leaves out a field of which this is said."""
    more = RequestRefused(RefusalCode.INVALID_REQUEST, "must be a string", "model")
    first = RequestRefused(
        RefusalCode.UNSUPPORTED,
        "not a published field",
        "messages[3].content[0].foo",
        others=[more],
    )
    assert (
        "messages.3.content.0.foo: Extra inputs are not permitted; model: must be a string"
        == told(first)[2]
    )


def test_a_limit_that_is_too_high_is_told_in_the_vendors_words() -> None:
    """Claude Code reads both numbers and lowers its own."""
    error = RequestRefused(
        RefusalCode.UNSUPPORTED,
        "max_tokens: 128000 > 8192",
        "max_output_tokens",
        loss="max_output_tokens.lowered",
    )
    assert "max_tokens: 128000 > 8192" == told(error)[2]


def test_words_that_no_json_can_hold_are_replaced() -> None:
    """A lone surrogate in what the provider wrote never reaches the client."""
    error = ResponseRefused(RefusalCode.REFUSED, "no", upstream=UpstreamError(message="a\ud800"))
    assert "no" == told(error)[2]

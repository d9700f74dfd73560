"""Error answers of the Chat wire, read and written."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from llm_projections.errors import Dispatch, Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.outcome import UpstreamError
from llm_projections.wires.chat.errors import decode_error, encode_ingress_error
from tests.wires.chat_answers import BINDING


def told(error: Refusal, **settings: Any) -> dict[str, Any]:
    """The `error` object that a client gets."""
    told: dict[str, Any] = orjson.loads(encode_ingress_error(error, **settings).body)["error"]
    return told


@pytest.mark.parametrize(
    ("status", "body", "code", "dispatch"),
    [
        (400, b'{"error":{"code":"context_length_exceeded"}}', "CONTEXT_LENGTH", "REJECTED"),
        (400, b'{"error":{"message":"no"}}', "REFUSED", "REJECTED"),
        (401, b"", "UNAUTHORIZED", "REJECTED"),
        (422, b'{"detail":[{"msg":"x"}]}', "REFUSED", "REJECTED"),
        (429, b'{"error":{"code":"insufficient_quota"}}', "BILLING", "REJECTED"),
        (429, b"slow down", "RATE_LIMITED", "REJECTED"),
        (500, b"Internal Server Error", "UNAVAILABLE", "UNKNOWN"),
        (503, b"{}", "UNAVAILABLE", "REJECTED"),
    ],
)
def test_an_error_status_is_a_refusal(status: int, body: bytes, code: str, dispatch: str) -> None:
    """Whatever its body is."""
    error = decode_error(status, (), body, BINDING)
    assert (RefusalCode(code), Dispatch(dispatch)) == (error.code, error.dispatch)


def test_what_the_provider_wrote_stays_out_of_diagnostics() -> None:
    """It is on `upstream`, whole."""
    body = b'{"error":{"message":"secret prose","type":"t","code":7,"param":"p"}}'
    error = decode_error(400, (("retry-after", "3"),), body, BINDING)
    assert "secret" not in str(error) + repr(error)
    assert UpstreamError("t", "7", "secret prose", "p", orjson.loads(body)) == error.upstream
    assert 3000 == error.retry_after_ms


def test_an_error_answer_is_json_with_what_clients_act_on() -> None:
    """Status, type and code by the kind of refusal; how long to wait, rounded up; the caller's id."""
    error = ResponseRefused(RefusalCode.RATE_LIMITED, "ours", retriable=True, retry_after_ms=1_500)
    made = encode_ingress_error(error, request_id="req_1")
    assert 429 == made.status
    assert (
        ("content-type", "application/json"),
        ("x-request-id", "req_1"),
        ("retry-after", "2"),
    ) == made.headers
    assert {
        "message": "ours",
        "type": "rate_limit_error",
        "param": None,
        "code": "rate_limit_exceeded",
    } == told(error)


def test_a_refused_request_names_the_path() -> None:
    """As `param`, and in the text."""
    error = RequestRefused(RefusalCode.UNSUPPORTED, "not carried", "messages[1].name")
    assert ("messages[1].name: not carried", "messages[1].name") == (
        told(error)["message"],
        told(error)["param"],
    )


def test_the_providers_own_words_are_passed_on_unless_forbidden() -> None:
    """Clients read the text of a 400 to adapt their request."""
    upstream = UpstreamError("invalid_request_error", "bad_thing", "theirs", "tools[0]")
    error = ResponseRefused(RefusalCode.REFUSED, "ours", upstream=upstream)
    assert {
        "message": "theirs",
        "type": "invalid_request_error",
        "param": "tools[0]",
        "code": "bad_thing",
    } == told(error)
    hidden = told(error, expose_upstream=False)
    assert ("ours", None, None) == (hidden["message"], hidden["param"], hidden["code"])


def test_a_credential_that_the_upstream_turned_down_is_no_fault_of_the_client() -> None:
    """Its own missing credential is."""
    ours = ResponseRefused(RefusalCode.UNAUTHORIZED, "no")
    theirs = RequestRefused(RefusalCode.UNAUTHORIZED, "no", "credential")
    assert (502, 401) == (encode_ingress_error(ours).status, encode_ingress_error(theirs).status)


def test_words_that_are_no_unicode_are_not_passed_on() -> None:
    """The body is valid UTF-8 whatever the provider wrote."""
    upstream = UpstreamError(message="\ud83d")
    assert (
        "ours" == told(ResponseRefused(RefusalCode.REFUSED, "ours", upstream=upstream))["message"]
    )


@pytest.mark.parametrize("code", list(RefusalCode))
def test_what_is_written_is_read_as_the_same_kind(code: RefusalCode) -> None:
    """As far as HTTP has a status for it."""
    error = RequestRefused(code, "x")
    made = encode_ingress_error(error)
    again = decode_error(made.status, made.headers, made.body, BINDING)
    same = {
        RefusalCode.INVALID_REQUEST: RefusalCode.REFUSED,
        RefusalCode.UNSUPPORTED: RefusalCode.REFUSED,
        RefusalCode.PROTOCOL: RefusalCode.UNAVAILABLE,
        RefusalCode.TRANSPORT: RefusalCode.UNAVAILABLE,
    }
    assert same.get(code, code) is again.code

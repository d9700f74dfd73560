"""Error answers of the Responses wire, in both directions."""

from __future__ import annotations

import json

import pytest

from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.outcome import UpstreamError
from llm_projections.wires.responses.errors import decode_error, encode_ingress_error
from tests.wires.responses_answers import BINDING


@pytest.mark.parametrize(
    ("status", "body", "code", "dispatch"),
    [
        (400, {"error": {"code": "invalid_prompt"}}, RefusalCode.REFUSED, Dispatch.REJECTED),
        (
            400,
            {"error": {"code": "context_length_exceeded"}},
            RefusalCode.CONTEXT_LENGTH,
            Dispatch.REJECTED,
        ),
        (401, {"error": {"code": "invalid_api_key"}}, RefusalCode.UNAUTHORIZED, Dispatch.REJECTED),
        (404, {"error": {"type": "NotFoundError"}}, RefusalCode.NOT_FOUND, Dispatch.REJECTED),
        (429, {"error": {"code": "x"}}, RefusalCode.RATE_LIMITED, Dispatch.REJECTED),
        (429, {"error": {"code": "insufficient_quota"}}, RefusalCode.BILLING, Dispatch.REJECTED),
        (500, "Internal Server Error", RefusalCode.UNAVAILABLE, Dispatch.UNKNOWN),
        (503, {}, RefusalCode.UNAVAILABLE, Dispatch.REJECTED),
        (302, "", RefusalCode.REFUSED, Dispatch.UNKNOWN),
    ],
)
def test_a_status_and_a_code_say_what_failed(
    status: int, body: object, code: RefusalCode, dispatch: Dispatch
):
    """Whatever the body is."""
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    found = decode_error(status, (), data, BINDING)
    assert (code, dispatch) == (found.code, found.dispatch)


def test_what_the_provider_wrote_is_beside_the_refusal():
    """Never in its text."""
    body = b'{"error":{"message":"secret","type":"t","param":"input","code":"c"}}'
    found = decode_error(400, [("Retry-After", "2")], body, BINDING)
    assert "secret" not in f"{found} {found!r}"
    assert found.upstream is not None
    assert ("secret", "t", "input", "c") == (
        found.upstream.message,
        found.upstream.type,
        found.upstream.param,
        found.upstream.code,
    )
    assert 2000 == found.retry_after_ms


@pytest.mark.parametrize(
    ("code", "status", "word"),
    [
        (RefusalCode.INVALID_REQUEST, 400, None),
        (RefusalCode.UNSUPPORTED, 400, "unsupported_parameter"),
        (RefusalCode.CONTEXT_LENGTH, 400, "context_length_exceeded"),
        (RefusalCode.UNAUTHORIZED, 401, "invalid_api_key"),
        (RefusalCode.BILLING, 402, "insufficient_quota"),
        (RefusalCode.NOT_FOUND, 404, "model_not_found"),
        (RefusalCode.TOO_LARGE, 413, "request_too_large"),
        (RefusalCode.RATE_LIMITED, 429, "rate_limit_exceeded"),
        (RefusalCode.PROTOCOL, 502, "bad_gateway"),
        (RefusalCode.TRANSPORT, 502, "bad_gateway"),
        (RefusalCode.UNAVAILABLE, 503, "server_is_overloaded"),
        (RefusalCode.REFUSED, 400, None),
    ],
)
def test_every_kind_of_refusal_has_a_status_and_a_code(
    code: RefusalCode, status: int, word: str | None
):
    """Which clients act on."""
    made = encode_ingress_error(RequestRefused(code, "no", "input[0]"), request_id="req_1")
    told = json.loads(made.body)["error"]
    assert (status, word, "input[0]", "input[0]: no") == (
        made.status,
        told["code"],
        told["param"],
        told["message"],
    )
    assert ("x-request-id", "req_1") in made.headers
    assert told["type"]


def test_a_credential_that_an_upstream_turned_down_is_a_fault_of_this_side():
    """The client's own was fine."""
    assert 502 == encode_ingress_error(ResponseRefused(RefusalCode.UNAUTHORIZED, "no")).status


def test_the_upstreams_words_are_passed_on_unless_they_are_not_to_be():
    """Clients read them; an operator may not want them shown."""
    upstream = UpstreamError("invalid_image_error", "invalid_image", "Too dark", "input")
    error = ResponseRefused(RefusalCode.REFUSED, "no", upstream=upstream, retry_after_ms=1500)
    made = encode_ingress_error(error)
    assert {
        "message": "Too dark",
        "type": "invalid_image_error",
        "param": "input",
        "code": "invalid_image",
    } == json.loads(made.body)["error"]
    assert ("retry-after", "2") in made.headers
    hidden = encode_ingress_error(error, expose_upstream=False)
    assert "no" == json.loads(hidden.body)["error"]["message"]
    assert b"dark" not in hidden.body
    assert b"invalid_image" not in hidden.body


def test_what_a_provider_wrote_never_breaks_the_body():
    """A lone surrogate in its message leaves the message out."""
    error = ResponseRefused(RefusalCode.REFUSED, "no", upstream=UpstreamError(message="\ud800"))
    assert "no" == json.loads(encode_ingress_error(error).body)["error"]["message"]

"""HTTP around the bodies: who is asking, what kind of answer came, and what class of failure."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import Anonymous, ApiKey, Bearer
from llm_projections.model.items import Protocol
from llm_projections.model.outcome import UpstreamError
from llm_projections.wires._http import (
    answer_kind,
    auth_headers,
    check_header,
    http_refusal,
    request_url,
    stream_refusal,
)
from tests.everything import binding_of
from tests.values import json_values


@pytest.mark.parametrize(
    ("auth", "credential", "expected"),
    [
        (Anonymous(), None, []),
        (Bearer(), "k", [("authorization", "Bearer k")]),
        (ApiKey(), "k", [("x-api-key", "k")]),
        (ApiKey("api-key"), "k", [("api-key", "k")]),
    ],
)
@pytest.mark.parametrize("protocol", Protocol)
def test_the_binding_decides_authentication(protocol, auth, credential, expected):
    """Alike on every wire."""
    assert expected == auth_headers(binding_of(protocol, auth=auth), credential)


@pytest.mark.parametrize(
    ("auth", "credential", "code"),
    [
        (Anonymous(), "k", "UNAUTHORIZED"),
        (Anonymous(), "", "UNAUTHORIZED"),
        (Bearer(), None, "UNAUTHORIZED"),
        (ApiKey(), "", "UNAUTHORIZED"),
        (Bearer(), "secret\r\nx: y", "INVALID_REQUEST"),
        (ApiKey(), "secret\0", "INVALID_REQUEST"),
    ],
)
def test_a_credential_that_does_not_fit_is_refused_and_not_shown(auth, credential, code):
    """Missing, unwanted, or one that would end its header line."""
    with pytest.raises(RequestRefused) as refused:
        auth_headers(binding_of(Protocol.CHAT, auth=auth), credential)
    assert (code, "credential") == (refused.value.code.value, refused.value.path)
    assert "secret" not in str(refused.value) + repr(refused.value)


@pytest.mark.parametrize("value", ["a\rb", "a\nb", "a\0b"])
def test_a_header_value_never_ends_its_line(value):
    """Whoever gave it."""
    with pytest.raises(RequestRefused) as refused:
        check_header(value, "header.x")
    assert "header.x" == refused.value.path
    check_header("plain", "header.x")


def test_the_url_is_base_path_and_query():
    """The base must say where it ends."""
    binding = binding_of(Protocol.CHAT, query="api-version=1")
    assert "https://upstream.example/v1/messages?api-version=1" == request_url(binding, "messages")
    plain = binding_of(Protocol.CHAT)
    assert "https://upstream.example/v1/messages" == request_url(plain, "messages")


@pytest.mark.parametrize(
    ("status", "content_type", "asked", "habits", "expected"),
    [
        (200, "text/event-stream", True, {}, "stream"),
        (200, "Text/Event-Stream; charset=utf-8", True, {}, "stream"),
        (200, "application/json", False, {}, "whole"),
        (200, "application/problem+json", False, {}, "whole"),
        (200, None, True, {}, "stream"),
        (200, None, False, {}, "whole"),
        (200, "", True, {}, "stream"),
        (299, None, True, {}, "stream"),
        (200, "application/json", True, {"answers_whole": True}, "whole"),
        (200, "text/event-stream", False, {"answers_stream": True}, "stream"),
        (300, "text/event-stream", True, {}, "error"),
        (400, "application/json", True, {}, "error"),
        (503, None, True, {}, "error"),
        (101, None, True, {}, "error"),
    ],
)
def test_how_an_answer_is_to_be_read(status, content_type, asked, habits, expected):
    """By status, then by its own word, then by what was asked."""
    headers = [] if content_type is None else [("Content-Type", content_type)]
    assert expected == answer_kind(
        status, headers, binding_of(Protocol.CHAT, **habits), stream=asked
    )


@pytest.mark.parametrize(
    ("content_type", "asked", "habits"),
    [
        ("application/json", True, {}),
        ("application/json", True, {"answers_stream": True}),
        ("text/event-stream", False, {"answers_whole": True}),
        ("text/html", True, {"answers_whole": True, "answers_stream": True}),
    ],
)
def test_a_success_of_another_kind_is_refused(content_type, asked, habits):
    """A model may have worked on it, so that it was accepted."""
    with pytest.raises(ResponseRefused) as refused:
        answer_kind(
            200,
            [("content-type", content_type)],
            binding_of(Protocol.CHAT, **habits),
            stream=asked,
        )
    error = refused.value
    assert (RefusalCode.PROTOCOL, Dispatch.ACCEPTED) == (error.code, error.dispatch)
    assert "header.content-type" == error.path


# The table of the contract: status, class, dispatch, retriable.
STATUSES = [
    (301, "REFUSED", "UNKNOWN", False),
    (307, "REFUSED", "UNKNOWN", False),
    (400, "REFUSED", "REJECTED", False),
    (401, "UNAUTHORIZED", "REJECTED", False),
    (402, "BILLING", "REJECTED", False),
    (403, "UNAUTHORIZED", "REJECTED", False),
    (404, "NOT_FOUND", "REJECTED", False),
    (408, "UNAVAILABLE", "UNKNOWN", True),
    (409, "REFUSED", "REJECTED", False),
    (413, "TOO_LARGE", "REJECTED", False),
    (422, "REFUSED", "REJECTED", False),
    (429, "RATE_LIMITED", "REJECTED", True),
    (499, "REFUSED", "REJECTED", False),
    (500, "UNAVAILABLE", "UNKNOWN", True),
    (502, "UNAVAILABLE", "UNKNOWN", True),
    (503, "UNAVAILABLE", "REJECTED", True),
    (504, "UNAVAILABLE", "UNKNOWN", True),
    (524, "UNAVAILABLE", "UNKNOWN", True),
    (529, "UNAVAILABLE", "REJECTED", True),
]


@pytest.mark.parametrize(("status", "code", "dispatch", "retriable"), STATUSES)
@pytest.mark.parametrize("body", [b"", b"<html>", b'{"error":{"message":"m"}}', b"\xff", b"[]"])
def test_the_class_of_a_status(status, code, dispatch, retriable, body):
    """Whatever the body is."""
    error = http_refusal(status, [("retry-after", "1")], body)
    assert (code, dispatch, retriable) == (error.code, error.dispatch, error.retriable)
    assert 1000 == error.retry_after_ms
    assert f"the server answered with status {status}" == error.message


def said(**error: Any) -> bytes:
    return json.dumps({"error": error}).encode()


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, said(code="context_length_exceeded"), "CONTEXT_LENGTH"),
        (400, said(type="exceed_context_size_error", code=400), "CONTEXT_LENGTH"),
        (
            400,
            said(type="invalid_request_error", message="prompt is too long: 9 > 5"),
            "CONTEXT_LENGTH",
        ),
        (400, said(message="This model's maximum context length is 5 tokens"), "CONTEXT_LENGTH"),
        (413, said(code="context_length_exceeded"), "CONTEXT_LENGTH"),
        (400, said(type="invalid_request_error", message="temperature"), "REFUSED"),
        (400, said(code="model_not_found"), "NOT_FOUND"),
        (400, said(type="invalid_request_error", code="insufficient_quota"), "BILLING"),
        (429, said(code="insufficient_quota", type="insufficient_quota"), "BILLING"),
        (429, said(code="context_length_exceeded"), "RATE_LIMITED"),
        (400, said(code="rate_limit_exceeded"), "REFUSED"),
        (400, said(type="server_error"), "REFUSED"),
        (503, said(code="context_length_exceeded"), "UNAVAILABLE"),
        (401, said(code="insufficient_quota"), "UNAUTHORIZED"),
    ],
)
def test_a_machine_readable_code_narrows_the_status(status, body, code):
    """It never turns a final failure into one that is tried again."""
    error = http_refusal(status, [], body)
    assert code == error.code
    assert error.retriable == (code in ("RATE_LIMITED", "UNAVAILABLE"))


# In a stream: what was said, its class, the dispatch before any payload, whether a retry may help.
STREAMED = [
    ({"code": "server_error"}, "UNAVAILABLE", "UNKNOWN", True),
    ({"type": "api_error"}, "UNAVAILABLE", "UNKNOWN", True),
    ({"type": "timeout_error"}, "UNAVAILABLE", "UNKNOWN", True),
    ({"code": 500}, "UNAVAILABLE", "UNKNOWN", True),
    ({"code": "server_is_overloaded"}, "UNAVAILABLE", "REJECTED", True),
    ({"type": "overloaded_error"}, "UNAVAILABLE", "REJECTED", True),
    ({"code": 503}, "UNAVAILABLE", "REJECTED", True),
    ({"code": "529"}, "UNAVAILABLE", "REJECTED", True),
    ({"code": "rate_limit_exceeded"}, "RATE_LIMITED", "REJECTED", True),
    ({"type": "rate_limit_error"}, "RATE_LIMITED", "REJECTED", True),
    ({"code": "429"}, "RATE_LIMITED", "REJECTED", True),
    ({"type": "authentication_error"}, "UNAUTHORIZED", "UNKNOWN", False),
    ({"type": "permission_error"}, "UNAUTHORIZED", "UNKNOWN", False),
    ({"code": "insufficient_quota"}, "BILLING", "UNKNOWN", False),
    ({"type": "billing_error"}, "BILLING", "UNKNOWN", False),
    ({"code": "context_length_exceeded"}, "CONTEXT_LENGTH", "UNKNOWN", False),
    ({"type": "not_found_error"}, "NOT_FOUND", "UNKNOWN", False),
    ({"type": "invalid_request_error"}, "REFUSED", "UNKNOWN", False),
    ({"message": "overloaded, rate limit"}, "REFUSED", "UNKNOWN", False),
    ({"code": 400}, "REFUSED", "UNKNOWN", False),
    ({"code": "9" * 5000}, "REFUSED", "UNKNOWN", False),
    ({"code": "²³¹"}, "REFUSED", "UNKNOWN", False),
]


@pytest.mark.parametrize(("error", "code", "dispatch", "passing"), STREAMED)
def test_the_class_of_an_error_in_a_stream(error, code, dispatch, passing):
    """By its machine-readable code alone, never by prose; after output nothing is retriable."""
    body = {"error": error}
    before = stream_refusal(body, shown=False, accepted=False)
    assert (code, dispatch, passing) == (before.code, before.dispatch, before.retriable)
    begun = stream_refusal(body, shown=False, accepted=True)
    assert (code, "ACCEPTED", passing) == (begun.code, begun.dispatch, begun.retriable)
    shown = stream_refusal(body, shown=True, accepted=True)
    assert (code, "ACCEPTED", False) == (shown.code, shown.dispatch, shown.retriable)
    assert "overloaded, rate limit" not in str(before) + repr(before)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"type": "error", "status": 429, "error": {"message": "m"}}, "RATE_LIMITED"),
        ({"type": "error", "status": 400, "error": {"code": "server_error"}}, "UNAVAILABLE"),
        ({"type": "error", "status": "INVALID", "error": {"message": "m"}}, "REFUSED"),
        ({"type": "error", "status": 200, "error": {"message": "m"}}, "REFUSED"),
    ],
)
def test_a_status_beside_an_error_counts_where_no_code_does(body, code):
    """A WebSocket has no other place for it."""
    assert code == stream_refusal(body, shown=False, accepted=False).code


@given(
    st.integers(),
    st.lists(st.tuples(st.text(), st.text()), max_size=3),
    st.binary() | json_values().map(lambda value: json.dumps(value).encode()),
)
def test_any_answer_is_some_refusal(status, headers, body):
    """Law "only ours" for what comes with an error status."""
    error = http_refusal(status, headers, body)
    assert error.dispatch is not Dispatch.NOT_SENT
    assert isinstance(error.upstream, UpstreamError)


@given(json_values(), st.booleans(), st.booleans())
def test_any_error_in_a_stream_is_some_refusal(body, shown, accepted):
    """Law "only ours" for what comes in a success."""
    error = stream_refusal({"error": body}, shown=shown, accepted=accepted)
    assert accepted == (error.dispatch is Dispatch.ACCEPTED)

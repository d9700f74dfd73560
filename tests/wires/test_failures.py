"""How a refusal is shown to a client, on every wire."""

from __future__ import annotations

import pytest

from llm_projections.errors import Dispatch, Refusal, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.items import Protocol
from llm_projections.model.outcome import UpstreamError
from llm_projections.wires import WIRES
from llm_projections.wires._failures import OPENAI_ERRORS, openai_error, shown_code, waiting
from llm_projections.wires._upstream import classify_code

PROTOCOLS = list(Protocol)


def test_every_kind_of_refusal_has_a_status() -> None:
    """None falls through."""
    assert set(RefusalCode) == OPENAI_ERRORS.keys()


@pytest.mark.parametrize(
    "code",
    [
        RefusalCode.RATE_LIMITED,
        RefusalCode.UNAVAILABLE,
        RefusalCode.CONTEXT_LENGTH,
        RefusalCode.NOT_FOUND,
        RefusalCode.BILLING,
        RefusalCode.TOO_LARGE,
    ],
)
def test_the_words_of_an_error_classify_it_in_a_stream(code: RefusalCode) -> None:
    """Where there is no status to say so."""
    error = ResponseRefused(code, "x", upstream=UpstreamError())
    _, told = openai_error(error, expose_upstream=True)
    assert code is classify_code(told["code"], told["type"])


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "code",
    [
        RefusalCode.UNSUPPORTED,
        RefusalCode.INVALID_REQUEST,
        RefusalCode.UNAUTHORIZED,
        RefusalCode.TOO_LARGE,
    ],
)
def test_an_answer_that_cannot_be_written_is_this_sides_fault(
    protocol: Protocol, code: RefusalCode
) -> None:
    """The client's request was in order, and asking again would be billed again."""
    error = ResponseRefused(code, "x", dispatch=Dispatch.ACCEPTED)
    answer = WIRES[protocol].encode_ingress_error(error)
    assert 502 == answer.status
    assert ("x-should-retry", "false") in answer.headers


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_request_of_the_client_is_the_clients_fault(protocol: Protocol) -> None:
    """The same codes, from a request."""
    answer = WIRES[protocol].encode_ingress_error(RequestRefused(RefusalCode.UNSUPPORTED, "x"))
    assert 400 == answer.status
    assert "x-should-retry" not in dict(answer.headers)


def test_a_body_that_the_server_found_too_large_is_shown_as_such() -> None:
    """What the server said stands."""
    error = ResponseRefused(RefusalCode.TOO_LARGE, "x", upstream=UpstreamError())
    assert RefusalCode.TOO_LARGE is shown_code(error)


@pytest.mark.parametrize(
    ("error", "status", "expected"),
    [
        (ResponseRefused(RefusalCode.UNAVAILABLE, "x", retriable=True), 503, []),
        (
            ResponseRefused(RefusalCode.UNAVAILABLE, "x", retriable=False),
            503,
            [("x-should-retry", "false")],
        ),
        (
            ResponseRefused(RefusalCode.RATE_LIMITED, "x", retriable=True, retry_after_ms=1_001),
            429,
            [("retry-after", "2")],
        ),
        (RequestRefused(RefusalCode.TRANSPORT, "x"), 502, []),
        (ResponseRefused(RefusalCode.REFUSED, "x"), 400, []),
    ],
)
def test_a_client_is_told_whether_a_retry_is_safe(
    error: Refusal, status: int, expected: list[tuple[str, str]]
) -> None:
    """A header says no; its absence leaves the status to say it."""
    assert expected == waiting(error, status)

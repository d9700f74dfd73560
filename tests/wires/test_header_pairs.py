"""Headers as ASGI and h11 give them, pairs of bytes, at every entry that takes headers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from llm_projections import (
    AnswerHead,
    HttpRequest,
    Protocol,
    Relay,
    TurnRequest,
    messages,
    read_exchange,
    responses,
    wire,
)
from tests.everything import BINDINGS, IDENTITY, MODEL

HEADERS = (("Content-Type", "application/json"), ("Retry-After", "7"))


def as_bytes(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers]


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_an_answer_is_read_alike(protocol: Protocol) -> None:
    """Its kind, and how long an error asks to wait."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    for headers in (HEADERS, as_bytes(HEADERS)):
        assert "whole" == jobs.answer_kind(200, headers, binding, stream=False)
        assert 7000 == jobs.decode_error(429, headers, b"{}", binding).retry_after_ms
    with pytest.raises(TypeError):
        jobs.answer_kind(200, dict(HEADERS), binding)


def test_a_request_is_read_alike():
    """Its version and betas on Messages, the beta of a Responses socket, of which others read none."""
    turn = TurnRequest.text(MODEL, "q", max_output_tokens=9)
    body = messages.encode_request(turn, BINDINGS[Protocol.MESSAGES])
    headers = (("anthropic-version", "2023-06-01"), ("anthropic-beta", "a-1,b-2"))
    texts = messages.ingest_request(body, headers=headers)
    assert texts == messages.ingest_request(body, headers=as_bytes(headers))
    assert ["a-1,b-2"] == [extension.value for extension in texts.request.extensions]
    count = json.loads(body)
    del count["max_tokens"], count["stream"]
    counted = json.dumps(count).encode()
    assert messages.ingest_count_tokens(counted, headers=headers) == messages.ingest_count_tokens(
        counted, headers=as_bytes(headers)
    )
    asked = responses.encode_request(turn, BINDINGS[Protocol.RESPONSES])
    beta = (("openai-beta", "responses_websockets=2026-02-06"),)
    assert responses.ingest_request(asked, headers=beta) == responses.ingest_request(
        asked, headers=as_bytes(beta)
    )


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_a_relay_and_a_recording_read_them_alike(protocol: Protocol) -> None:
    """What the client sent, and what the server answered."""
    turn = TurnRequest.text(MODEL, "q", max_output_tokens=9)
    body = wire(protocol).encode_request(turn, BINDINGS[protocol])
    failed = b'{"error":{"message":"no","type":"rate_limit_error"}}'
    told = []
    shapes: tuple[Callable[[Any], Any], ...] = (tuple, as_bytes)
    for shape in shapes:
        relay = Relay(wire(protocol), BINDINGS[protocol], IDENTITY)
        assert isinstance(relay.request(shape(HEADERS), body), HttpRequest)
        relay.response(429, shape(HEADERS))
        relay.feed(failed)
        head = relay.close()[0]
        assert isinstance(head, AnswerHead)
        exchange = read_exchange(
            f"/v1/{wire(protocol).path}",
            body,
            429,
            shape(HEADERS),
            [failed],
            request_headers=shape(HEADERS),
        )
        told.append((head, relay.error, exchange))
    assert told[0] == told[1]
    assert ("retry-after", "7") in told[0][0].headers

"""Chat Completions as the official `openai` client reads and writes it."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections import Refusal, RefusalCode, RequestRefused, ResponseRefused, TurnFailed, chat

from . import sdk
from .answers import ANSWERS, IDENTITY, SHAPE, Answer, answer, text
from .checks import ACCEPTED, calls_as_text, chat_says, faults, whole, written
from .turns import TURNS, binding

STOPS = {
    "EndTurn": "stop",
    "ToolCalls": "tool_calls",
    "MaxOutputTokens": "length",
    "StopSequence": "stop",
}
UNKNOWN = {
    "chunk choices[0].delta.reasoning_content": "the vendor publishes no place for reasoning",
    "choices[0].message.reasoning_content": "the same in a whole answer",
}


def expected(said: Answer) -> dict[str, Any]:
    """What the final completion must say."""
    return {
        "text": said.text,
        "refusal": said.refusal,
        "reasoning": said.reasoning,
        "calls": calls_as_text(said),
        "stop": STOPS[type(said.outcome.stop).__name__],
    }


@pytest.mark.parametrize("name", ANSWERS)
def test_the_helper_agrees(name: str) -> None:
    """The stream helper accumulates what was said."""
    seen = sdk.read_stream("chat", written("chat", ANSWERS[name]))
    assert ACCEPTED == faults(seen, UNKNOWN)
    assert expected(ANSWERS[name]) == chat_says(seen.final)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_iterator_yields_every_chunk(name: str) -> None:
    """Every frame is a chunk."""
    data = written("chat", ANSWERS[name])
    seen = sdk.iterate_stream("chat", data)
    assert (None, len(sdk.frames(data))) == (seen.error, len(seen.events))


@pytest.mark.parametrize("name", ANSWERS)
def test_a_whole_answer_agrees(name: str) -> None:
    """Without streaming, the completion says the same."""
    seen = sdk.read_whole("chat", whole("chat", ANSWERS[name]))
    assert ACCEPTED == faults(seen, UNKNOWN)
    assert expected(ANSWERS[name]) == chat_says(seen.final)


def test_usage_reaches_the_client_when_it_asked() -> None:
    """The usage chunk comes last, so that the helper keeps it."""
    seen = sdk.read_stream("chat", written("chat", ANSWERS["text"]))
    counted = seen.final["usage"]
    assert (12, 7, 19) == tuple(
        counted[key] for key in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    assert 4 == counted["prompt_tokens_details"]["cached_tokens"]


def test_a_failure_in_mid_stream_raises() -> None:
    """The client raises, and its exception holds a machine-readable type."""
    broken = ResponseRefused(RefusalCode.UNAVAILABLE, "the upstream went away")
    events = [*answer(text("Hel")).events[:2], TurnFailed(broken)]
    seen = sdk.read_stream("chat", b"".join(chat.encode_ingress_stream(events, IDENTITY, SHAPE)))
    assert seen.error is not None
    assert "APIError" == seen.error.name
    assert seen.error.type


ERRORS = [
    (ResponseRefused(RefusalCode.RATE_LIMITED, "no"), "RateLimitError", 429),
    (ResponseRefused(RefusalCode.NOT_FOUND, "no"), "NotFoundError", 404),
    (RequestRefused(RefusalCode.INVALID_REQUEST, "no"), "BadRequestError", 400),
    (ResponseRefused(RefusalCode.CONTEXT_LENGTH, "no"), "BadRequestError", 400),
    (ResponseRefused(RefusalCode.UNAVAILABLE, "no"), "InternalServerError", 503),
    (ResponseRefused(RefusalCode.PROTOCOL, "no"), "InternalServerError", 502),
]


@pytest.mark.parametrize(
    ("error", "name", "status"), ERRORS, ids=lambda v: getattr(v, "code", None)
)
def test_an_error_answer_becomes_the_class_of_its_status(
    error: Refusal, name: str, status: int
) -> None:
    """Clients act on the class, and on `code` and `type`."""
    made = chat.encode_ingress_error(error)
    seen = sdk.read_error("chat", made.status, made.headers, made.body)
    assert seen is not None
    assert (name, status) == (seen.name, seen.status)
    assert seen.type


@pytest.mark.parametrize("name", TURNS)
def test_requests_fit_the_parameter_type(name: str) -> None:
    """What we send is what the SDK lets its users say."""
    body = chat.encode_request(TURNS[name], binding("chat"))
    found = sdk.check_params("chat", body)
    assert ([], []) == (found.strict, found.unknown)


SENT: dict[str, dict[str, Any]] = {
    "plain": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    "streamed": {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    },
    "tools": {
        "model": "m",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "f", "arguments": "{}"},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "done"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
            }
        ],
        "temperature": 0.2,
        "max_completion_tokens": 50,
    },
}


@pytest.mark.parametrize("name", SENT)
def test_what_the_client_sends_is_read(name: str) -> None:
    """Typical calls ingest without a loss, and are written again for the vendor's own types."""
    request = sdk.sent("chat", **SENT[name])
    ingested = chat.ingest_request(request.body, headers=request.headers)
    assert () == ingested.losses
    assert bool(SENT[name].get("stream")) is ingested.answer.stream
    assert "m" == ingested.request.model
    again = chat.encode_request(ingested.request, binding("chat"))
    assert [] == sdk.check_params("chat", again).strict

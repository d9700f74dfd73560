"""Messages as the official `anthropic` client reads and writes it."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections import (
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
    TurnFailed,
    messages,
)

from . import sdk
from .answers import ANSWERS, IDENTITY, SHAPE, Answer, answer, call, signed, text
from .checks import ACCEPTED, calls_as_values, faults, message_says, whole, written
from .turns import TURNS, binding

STOPS = {
    "EndTurn": "end_turn",
    "ToolCalls": "tool_use",
    "MaxOutputTokens": "max_tokens",
    "StopSequence": "stop_sequence",
}
THINKING = {
    "signed thinking": answer(signed("let me think", "c2ln"), text("Yes.")),
    "signed thinking and a call": answer(
        signed("let me think", "c2ln"), call("toolu_1", "read", '{"path":"a"}')
    ),
}
CASES = ANSWERS | THINKING
UNKNOWN: dict[str, str] = {}


def expected(said: Answer) -> dict[str, Any]:
    """What the final message must say; words of refusal are text here."""
    refused = {"stop": "refusal"} if said.refusal else {}
    return {
        "text": said.text + said.refusal,
        "reasoning": said.reasoning,
        "calls": calls_as_values(said),
        "stop": STOPS[type(said.outcome.stop).__name__],
    } | refused


@pytest.mark.parametrize("beta", [False, True], ids=["plain", "beta"])
@pytest.mark.parametrize("name", CASES)
def test_the_helper_agrees(name: str, beta: bool) -> None:
    """Both stream helpers accumulate what was said."""
    seen = sdk.read_stream("messages", written("messages", CASES[name]), beta=beta)
    assert ACCEPTED == faults(seen, UNKNOWN)
    assert expected(CASES[name]) == message_says(seen.final)


@pytest.mark.parametrize("name", CASES)
def test_the_iterator_yields_every_event(name: str) -> None:
    """Every frame carries its own name, or the client would drop it."""
    data = written("messages", CASES[name])
    seen = sdk.iterate_stream("messages", data)
    assert (None, len(sdk.frames(data))) == (seen.error, len(seen.events))


@pytest.mark.parametrize("name", CASES)
def test_a_whole_answer_agrees(name: str) -> None:
    """Without streaming, the message says the same."""
    seen = sdk.read_whole("messages", whole("messages", CASES[name]))
    assert ACCEPTED == faults(seen, UNKNOWN)
    assert expected(CASES[name]) == message_says(seen.final)


def test_signatures_reach_the_client() -> None:
    """A signed block keeps its signature, at its place."""
    seen = sdk.read_stream("messages", written("messages", THINKING["signed thinking and a call"]))
    assert ["thinking", "tool_use"] == [block["type"] for block in seen.final["content"]]
    assert "c2ln" == seen.final["content"][0]["signature"]


def test_usage_reaches_the_client() -> None:
    """The counters are disjoint again: 12 tokens went in, 4 of them from the cache."""
    counted = sdk.read_stream("messages", written("messages", ANSWERS["text"])).final["usage"]
    assert (8, 4, 7) == tuple(
        counted[key] for key in ("input_tokens", "cache_read_input_tokens", "output_tokens")
    )


def test_a_ping_is_no_event() -> None:
    """Keep-alives pass the client unseen."""
    stream = messages.IngressStream(IDENTITY, SHAPE)
    events = ANSWERS["text"].events
    data = stream.encode(events[0]) + stream.keepalive()
    data += b"".join(stream.encode(event) for event in events[1:])
    seen = sdk.read_stream("messages", data)
    assert (None, "Hello there") == (seen.error, message_says(seen.final)["text"])


def test_a_failure_in_mid_stream_raises() -> None:
    """The client raises with the error's own type."""
    broken = ResponseRefused(RefusalCode.UNAVAILABLE, "the upstream went away")
    events = [*answer(text("Hel")).events[:2], TurnFailed(broken)]
    data = b"".join(messages.encode_ingress_stream(events, IDENTITY, SHAPE))
    seen = sdk.read_stream("messages", data)
    assert seen.error is not None
    assert "APIStatusError" == seen.error.name
    assert "overloaded_error" in seen.error.text or "api_error" in seen.error.text


ERRORS = [
    (ResponseRefused(RefusalCode.RATE_LIMITED, "no"), "RateLimitError", 429),
    (ResponseRefused(RefusalCode.NOT_FOUND, "no"), "NotFoundError", 404),
    (RequestRefused(RefusalCode.INVALID_REQUEST, "no"), "BadRequestError", 400),
    (ResponseRefused(RefusalCode.CONTEXT_LENGTH, "no"), "BadRequestError", 400),
    (
        RequestRefused(RefusalCode.TOO_LARGE, "no"),
        ("RequestTooLargeError", "ContentTooLargeError"),
        413,
    ),
    (ResponseRefused(RefusalCode.PROTOCOL, "no"), "InternalServerError", 502),
]


@pytest.mark.parametrize(
    ("error", "name", "status"), ERRORS, ids=lambda v: getattr(v, "code", None)
)
def test_an_error_answer_becomes_the_class_of_its_status(
    error: Refusal, name: str | tuple[str, ...], status: int
) -> None:
    """Clients act on the class and on the type inside."""
    made = messages.encode_ingress_error(error, request_id="req_1")
    seen = sdk.read_error("messages", made.status, made.headers, made.body)
    assert seen is not None
    # The class of a 413 was renamed between the generations.
    assert seen.name in ((name,) if isinstance(name, str) else name)
    assert status == seen.status


@pytest.mark.parametrize("name", TURNS)
def test_requests_fit_the_parameter_type(name: str) -> None:
    """What we send is what the SDK lets its users say."""
    accept = ["turn.output_format.name"]  # a schema has no name on this wire
    body = messages.encode_request(TURNS[name], binding("messages"), accept=accept)
    found = sdk.check_params("messages", body)
    assert ([], []) == (found.strict, [path for path in found.unknown if path not in DROPPED])


# The newest parameter type follows version 2026-10-21, which has no sampling; the pinned one has.
DROPPED = frozenset({"temperature", "top_p"})
USER = [{"role": "user", "content": "hi"}]
SENT: dict[str, dict[str, Any]] = {
    "plain": {"model": "m", "max_tokens": 64, "messages": USER, "system": "s"},
    "streamed": {"model": "m", "max_tokens": 64, "messages": USER, "stream": True},
    "thinking": {
        "model": "m",
        "max_tokens": 4096,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": "no",
                        "is_error": True,
                    }
                ],
            },
        ],
        "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {}}}],
    },
}


@pytest.mark.parametrize("name", SENT)
def test_what_the_client_sends_is_read(name: str) -> None:
    """Typical calls ingest without a loss, and are written again for the vendor's own types."""
    request = sdk.sent("messages", **SENT[name])
    ingested = messages.ingest_request(request.body, headers=request.headers)
    assert () == ingested.losses
    assert bool(SENT[name].get("stream")) is ingested.answer.stream
    target = binding("messages")
    bound = ingested.request.bind_unattributed(target.provenance)
    again = messages.encode_request(bound, target)
    assert [] == sdk.check_params("messages", again).strict


def test_the_beta_header_is_carried() -> None:
    """What `betas=` becomes is an extension of the turn, and goes out again as a header."""
    request = sdk.sent("messages", beta=True, betas=["x-1", "y-2"], **SENT["plain"])
    ingested = messages.ingest_request(request.body, headers=request.headers)
    headers = messages.request_headers(binding("messages"), request=ingested.request)
    assert "x-1,y-2" == dict(headers)["anthropic-beta"].replace(" ", "")

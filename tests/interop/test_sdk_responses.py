"""Responses as the official `openai` client reads and writes it."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections import (
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
    TurnFailed,
    responses,
)

from . import sdk
from .answers import ANSWERS, IDENTITY, SHAPE, Answer, answer, call, custom, text
from .checks import ACCEPTED, calls_as_text, faults, response_says, whole, written
from .turns import TURNS, binding

STOPS = {
    "EndTurn": ("completed", None),
    "ToolCalls": ("completed", None),
    "MaxOutputTokens": ("incomplete", "max_output_tokens"),
    "StopSequence": ("completed", None),
}
CUSTOM = {
    "a custom call": answer(custom("call_1", "patch", "*** Begin\n+x\n")),
    "both kinds of call": answer(
        text("Now."), custom("call_1", "patch", "+x"), call("call_2", "read", '{"path":"a"}')
    ),
    "interleaved kinds": answer(
        custom("call_1", "patch", "+x"), call("call_2", "read", '{"path":"a"}'), interleaved=True
    ),
}
CASES = ANSWERS | CUSTOM
_STATUS = "the vendor writes a status on custom calls, which its types leave out (recorded 2026)"
UNKNOWN: dict[str, str] = {
    "response.function_call_arguments.done name": "openai 2.54.0 demands it, 3.57.0 ignores it",
    "response.output_item.added item.status": _STATUS,
    "response.output_item.done item.status": _STATUS,
    **{f"response.completed response.output[{index}].status": _STATUS for index in range(3)},
    **{f"output[{index}].status": _STATUS for index in range(3)},
}
# The typed form of an assistant's text carries an item id, which a turn from elsewhere has not.
UNTYPED = frozenset({"input[1].content[0]: not variant 'output_text'"})


def expected(said: Answer) -> dict[str, Any]:
    """What the final response must say."""
    return {
        "text": said.text,
        "refusal": said.refusal,
        "reasoning": said.reasoning,
        "calls": calls_as_text(said),
        "stop": STOPS[type(said.outcome.stop).__name__],
    }


@pytest.mark.parametrize("name", CASES)
def test_the_helper_agrees(name: str) -> None:
    """The stream helper ends with the response that was said."""
    seen = sdk.read_stream("responses", written("responses", CASES[name]))
    assert ACCEPTED == faults(seen, UNKNOWN)
    assert expected(CASES[name]) == response_says(seen.final)


@pytest.mark.parametrize("name", CASES)
def test_the_iterator_yields_every_event(name: str) -> None:
    """The first event announces the response, the last one ends it."""
    data = written("responses", CASES[name])
    seen = sdk.iterate_stream("responses", data)
    assert (None, len(sdk.frames(data))) == (seen.error, len(seen.events))
    assert "response.created" == seen.events[0]
    assert seen.events[-1] in ("response.completed", "response.incomplete")


@pytest.mark.parametrize("name", CASES)
def test_a_whole_answer_agrees(name: str) -> None:
    """Without streaming, the response says the same."""
    seen = sdk.read_whole("responses", whole("responses", CASES[name]))
    assert ACCEPTED == faults(seen, UNKNOWN)
    assert expected(CASES[name]) == response_says(seen.final)


def test_usage_reaches_the_client() -> None:
    """The terminal object holds the counters."""
    counted = sdk.read_stream("responses", written("responses", ANSWERS["text"])).final["usage"]
    assert (12, 7, 19) == tuple(
        counted[key] for key in ("input_tokens", "output_tokens", "total_tokens")
    )
    assert 4 == counted["input_tokens_details"]["cached_tokens"]
    assert 2 == counted["output_tokens_details"]["reasoning_tokens"]


def test_a_failure_in_mid_stream_ends_the_response() -> None:
    """The client sees a response that failed, with a code of the published kind."""
    broken = ResponseRefused(RefusalCode.UNAVAILABLE, "the upstream went away")
    events = [*answer(text("Hel")).events[:2], TurnFailed(broken)]
    data = b"".join(responses.encode_ingress_stream(events, IDENTITY, SHAPE))
    seen = sdk.read_stream("responses", data)
    assert (None, []) == (seen.error, seen.strict)
    assert "failed" == seen.final["status"]
    assert seen.final["error"]["code"]


ERRORS = [
    (ResponseRefused(RefusalCode.RATE_LIMITED, "no"), "RateLimitError", 429),
    (ResponseRefused(RefusalCode.NOT_FOUND, "no"), "NotFoundError", 404),
    (RequestRefused(RefusalCode.INVALID_REQUEST, "no"), "BadRequestError", 400),
    (ResponseRefused(RefusalCode.UNAVAILABLE, "no"), "InternalServerError", 503),
    (ResponseRefused(RefusalCode.TRANSPORT, "no"), "InternalServerError", 502),
]


@pytest.mark.parametrize(
    ("error", "name", "status"), ERRORS, ids=lambda v: getattr(v, "code", None)
)
def test_an_error_answer_becomes_the_class_of_its_status(
    error: Refusal, name: str, status: int
) -> None:
    """Clients act on the class, and on `code` and `type`."""
    made = responses.encode_ingress_error(error)
    seen = sdk.read_error("responses", made.status, made.headers, made.body)
    assert seen is not None
    assert (name, status) == (seen.name, seen.status)
    assert seen.type


@pytest.mark.parametrize("name", TURNS)
def test_requests_fit_the_parameter_type(name: str) -> None:
    """What we send is what the SDK lets its users say."""
    body = responses.encode_request(TURNS[name], binding("responses"))
    found = sdk.check_params("responses", body)
    assert ([], []) == ([line for line in found.strict if line not in UNTYPED], found.unknown)


SENT: dict[str, dict[str, Any]] = {
    "plain": {"model": "m", "input": "hi", "instructions": "s"},
    "streamed": {"model": "m", "input": "hi", "stream": True, "store": False},
    "calls": {
        "model": "m",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "done"},
        ],
        "tools": [
            {
                "type": "function",
                "name": "f",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            }
        ],
        "reasoning": {"effort": "low"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
    },
}


@pytest.mark.parametrize("name", SENT)
def test_what_the_client_sends_is_read(name: str) -> None:
    """Typical calls ingest without a loss, and are written again for the vendor's own types."""
    request = sdk.sent("responses", **SENT[name])
    ingested = responses.ingest_request(request.body, headers=request.headers)
    assert () == ingested.losses
    assert bool(SENT[name].get("stream")) is ingested.answer.stream
    again = responses.encode_request(ingested.request, binding("responses"))
    assert [] == sdk.check_params("responses", again).strict

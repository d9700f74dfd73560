"""Every bound of `Limits` from both sides, at every entry that takes one: met it passes, and one less refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import asdict

from llm_projections import (
    AnswerHead,
    HttpAnswer,
    ItemCompleted,
    Limits,
    Protocol,
    RefusalCode,
    Relay,
    ResponseStarted,
    TurnCompleted,
    TurnFailed,
    messages,
    read_exchange,
    wire,
)
from llm_projections.errors import Refusal
from llm_projections.model.items import (
    AssistantMessage,
    Instruction,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.outcome import Observation, ToolCalls, TurnOutcome, Usage
from llm_projections.model.tools import FunctionTool
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import frames
from tests.answers import written
from tests.everything import BINDINGS, IDENTITY, MODEL
from tests.helpers import chunked

Entry = Callable[[Limits], object]

# letters of more than one byte, so that bytes and characters are told apart
ARGUMENTS = '{"é":[[1]]}'
RESULT = "résultat"
RULES = ("Sois bref.", "Réponds en français.")
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"é": {"type": ["array", "null"]}}}
TURN = TurnRequest(
    MODEL,
    (
        UserMessage((Text("question"),)),
        ToolCall("call_1", "f", ARGUMENTS),
        ToolResult("call_1", (Text(RESULT),)),
    ),
    tuple(Instruction((Text(rule),)) for rule in RULES),
    (FunctionTool("f", None, SCHEMA), FunctionTool("g", None, SCHEMA)),
)
OUTCOME = TurnOutcome(
    ToolCalls(),
    (AssistantMessage((Text("réponse"),)), ToolCall("call_1", "f", ARGUMENTS)),
    Observation(usage=Usage(1, 1, 0, 0, 0)),
)
EVENTS = [
    ResponseStarted("id", "m"),
    *(ItemCompleted(item, index) for index, item in enumerate(OUTCOME.items)),
    TurnCompleted(OUTCOME),
]


def size(text: str) -> int:
    return len(text.encode())


def depth(value: Any) -> int:
    """How many arrays and objects stand inside each other."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth, inner), default=0)
    return 0


def framed_size(stream: bytes) -> int:
    return max(len(event) + 2 for event in stream.split(b"\n\n"))


ANSWERED = {
    "items": len(OUTCOME.items),
    "arguments_bytes": size(ARGUMENTS),
}


def asked(body: bytes) -> dict[str, int]:
    return {
        "request_bytes": len(body),
        "items": len(TURN.items),
        "tools": len(TURN.tools),
        "arguments_bytes": size(ARGUMENTS),
        "result_bytes": size(RESULT),
        "instructions_bytes": sum(map(size, RULES)),
        "json_depth": depth(json.loads(body)),
    }


def entries(protocol: Protocol) -> Iterator[tuple[str, Entry, dict[str, int]]]:
    """Every entry of a wire that takes limits, with what its input needs of each."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    body = jobs.encode_request(TURN, binding)
    needs = asked(body)
    yield "ingest", lambda limits: jobs.ingest_request(body, limits=limits), needs
    if protocol is Protocol.MESSAGES:
        count = json.loads(body)
        del count["max_tokens"], count["stream"]
        counted = json.dumps(count).encode()
        yield (
            "count",
            lambda limits: messages.ingest_count_tokens(counted, limits=limits),
            asked(counted),
        )
    yield "validate", lambda limits: TURN.validate(limits), _less(needs, "request_bytes")
    # what was read within the depth is written whatever its depth
    written_needs = {name: need for name, need in needs.items() if name != "json_depth"}
    yield (
        "encode",
        lambda limits: jobs.encode_request(TURN, binding, limits=limits),
        written_needs,
    )
    yield (
        "project",
        lambda limits: jobs.project_request(TURN, binding, limits=limits),
        _less(needs, "request_bytes"),
    )
    stream, whole = written(protocol, EVENTS), jobs.encode_ingress_answer(OUTCOME, IDENTITY)
    payloads = [data for _, data in frames(stream)]
    deepest = max(depth(json.loads(data)) for data in payloads if data != b"[DONE]")
    fed = {
        **ANSWERED,
        "frame_bytes": framed_size(stream),
        "stream_bytes": len(stream),
        "json_depth": deepest,
    }
    for name, length in (("whole", len(stream)), ("bytewise", 1)):
        chunks = chunked(stream, length)
        yield (
            f"stream {name}",
            lambda limits, c=chunks: _ended(jobs.decode_stream(c, binding, limits=limits)),
            fed,
        )
    yield (
        "payloads",
        lambda limits: _ended(_by_payload(jobs.StreamDecoder(binding, limits=limits), payloads)),
        {**fed, "frame_bytes": max(map(len, payloads)), "stream_bytes": sum(map(len, payloads))},
    )
    sent = {**ANSWERED, "stream_bytes": len(whole), "json_depth": depth(json.loads(whole))}
    yield "body", lambda limits: jobs.decode_response(whole, binding, limits=limits), sent
    yield (
        "body as a stream",
        lambda limits: _ended(jobs.decode_stream([whole], binding, limits=limits)),
        sent,
    )
    yield (
        "answer",
        lambda limits: jobs.encode_ingress_answer(OUTCOME, IDENTITY, limits=limits),
        {"items": len(OUTCOME.items)},
    )
    yield (
        "answer stream",
        lambda limits: _encoded(jobs.IngressStream(IDENTITY, limits=limits)),
        {"items": len(OUTCOME.items)},
    )


def _less(needs: dict[str, int], *names: str) -> dict[str, int]:
    return {name: need for name, need in needs.items() if name not in (*names, "json_depth")}


def _by_payload(decoder: Any, payloads: list[bytes]) -> Iterator[object]:
    for payload in payloads:
        yield from decoder.feed_payload(payload)
    yield from decoder.close()


def _ended(events: Any) -> None:
    last = list(events)[-1]
    if isinstance(last, TurnFailed):
        raise last.error


def _encoded(stream: Any) -> None:
    for event in EVENTS:
        stream.encode(event)


CASES = {
    f"{protocol.short} {entry} {bound}": (run, bound, need)
    for protocol in Protocol
    for entry, run, needs in entries(protocol)
    for bound, need in needs.items()
}


@pytest.mark.parametrize(("run", "bound", "need"), CASES.values(), ids=CASES)
def test_a_bound_may_be_met_and_not_passed(run: Entry, bound: str, need: int) -> None:
    """One less is refused as too large."""
    run(Limits(**{bound: need}))
    with pytest.raises(Refusal) as caught:
        run(Limits(**{bound: need - 1}))
    assert RefusalCode.TOO_LARGE is caught.value.code


def test_every_bound_is_met_on_every_wire():
    """The bytes kept for a report refuse nothing, and have their own tests below."""
    for protocol in Protocol:
        met = {bound for name, (_, bound, _) in CASES.items() if name.startswith(protocol.short)}
        assert set(asdict(Limits())) - {"raw_bytes"} == met


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_payloads_are_kept_up_to_the_bound(protocol: Protocol) -> None:
    """The one that passes it is not kept, nor is any after it."""
    stream = written(protocol, EVENTS[:-1])
    payloads = [data for _, data in frames(stream)]
    for kept, spare in ((len(payloads), 0), (len(payloads) - 1, 1)):
        limits = Limits(raw_bytes=sum(map(len, payloads)) - spare)
        decoder = wire(protocol).StreamDecoder(BINDINGS[protocol], limits=limits, keep_raw=True)
        decoder.feed(stream)
        assert tuple(payloads[:kept]) == decoder.snapshot().raw


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_a_recorded_error_is_kept_up_to_the_bound(protocol: Protocol) -> None:
    """Its beginning, where it is longer."""
    body = b'{"error":{"message":"no","type":"t"}}'
    path = f"/v1/{wire(protocol).path}"
    for most in (len(body), len(body) - 1):
        limits = Limits(raw_bytes=most)
        exchange = read_exchange(path, b"{}", 500, (), chunked(body, 7), limits=limits)
        assert (body[:most],) == exchange.raw


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_a_relay_holds_a_request_and_its_answer_to_the_bounds(protocol: Protocol) -> None:
    """The client is told that its request is too large, and of an answer that it broke off."""
    body = wire(protocol).encode_request(TURN, BINDINGS[protocol])
    stream = written(protocol, EVENTS)

    def play(limits: Limits) -> Relay:
        relay = Relay(wire(protocol), BINDINGS[protocol], IDENTITY, limits=limits)
        asked_for = relay.request((), body)
        if isinstance(asked_for, HttpAnswer):
            assert 413 == asked_for.status
        else:
            relay.response(200, (("content-type", "text/event-stream"),))
            out = relay.feed(stream) + relay.close()
            assert isinstance(out[0], AnswerHead)
        assert relay.done
        return relay

    for bound, need in (("request_bytes", len(body)), ("stream_bytes", len(stream))):
        assert play(Limits(**{bound: need})).outcome is not None
        error = play(Limits(**{bound: need - 1})).error
        assert error is not None
        assert RefusalCode.TOO_LARGE is error.code


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_a_body_of_too_many_values_is_refused_unread(protocol: Protocol) -> None:
    """65,536 of them are never too many; one more is, under a limit of few bytes."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    for count, refused in ((65_534, False), (65_535, True)):
        body = b'{"x":[' + b",".join([b"1"] * count) + b"]}"
        tight = Limits(request_bytes=len(body), stream_bytes=len(body))
        told = []
        for run in (
            lambda body=body, tight=tight: jobs.ingest_request(body, limits=tight),
            lambda body=body, tight=tight: jobs.decode_response(body, binding, limits=tight),
            lambda body=body, tight=tight: _ended(
                jobs.decode_stream([body], binding, limits=tight)
            ),
        ):
            with pytest.raises(Refusal) as caught:
                run()
            told.append(caught.value.code is RefusalCode.TOO_LARGE)
        assert [refused] * 3 == told

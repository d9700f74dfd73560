"""Nesting past the bound is too large everywhere, and told from broken JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from llm_projections import (
    Limits,
    Protocol,
    Refusal,
    RefusalCode,
    ResponseStarted,
    TurnCompleted,
    TurnFailed,
    from_document,
    to_document,
    wire,
)
from llm_projections._json import dumps, is_complete, nests_past, read
from llm_projections.model.events import ItemCompleted
from llm_projections.model.items import Extension, Text, ToolCall, ToolResult, UserMessage
from llm_projections.model.outcome import Observation, ToolCalls, TurnOutcome, Usage
from llm_projections.model.turn import TurnRequest
from llm_projections.sse import frames
from tests.answers import written
from tests.everything import BINDINGS, IDENTITY, MODEL
from tests.proofs.hostile import HOSTILE
from tests.test_limits_met import EVENTS, OUTCOME, TURN
from tests.values import json_values

BOUND = Limits().json_depth
WRITTEN = 1024
# the first level of a body or of arguments is its own object
PAST = (BOUND, BOUND + 1, 1022, 1023, 1024, 1025, 100_000)


def nest(deep: int) -> bytes:
    return b"[" * deep + b"]" * deep


def held(deep: int) -> str:
    """Arguments of so many levels."""
    return '{"a":' + nest(deep - 1).decode() + "}"


def code_of(run: Callable[[], object]) -> RefusalCode | None:
    """How it is refused, if it is."""
    try:
        run()
    except Refusal as error:
        return error.code
    return None


def ended(protocol: Protocol, payloads: list[bytes], **options: Any) -> None:
    decoder = wire(protocol).StreamDecoder(BINDINGS[protocol], **options)
    events = [event for payload in payloads for event in decoder.feed_payload(payload)]
    last = [*events, *decoder.close()][-1]
    if isinstance(last, TurnFailed):
        raise last.error


def grown(body: bytes, deep: int) -> bytes:
    """A body with one more field, which goes so many levels down."""
    return body[:-1] + b',"zz":' + nest(deep - 1) + b"}"


def entries(
    protocol: Protocol,
) -> Iterator[tuple[str, Callable[[int], object], RefusalCode | None]]:
    """Every entry that reads JSON, how it is called with so many levels, and how it refuses what is not too deep."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    payloads = [data for _, data in frames(written(protocol, EVENTS)) if data != b"[DONE]"]
    for at, data in enumerate([*payloads, b'{"type":"unheard of"}']):

        def feed(deep: int, at: int = at, data: bytes = data) -> None:
            lead = payloads[:at] if at < len(payloads) else payloads[:1]
            rest = payloads[at + 1 :] if at < len(payloads) else payloads[1:]
            ended(protocol, [*lead, grown(data, deep), *rest])

        yield f"event {at} {json.loads(data).get('type', '')}", feed, None
    failed = b'{"error":{"message":"no","type":"overloaded_error"}}'
    kind = RefusalCode.UNAVAILABLE
    yield "error event", lambda deep: ended(protocol, [payloads[0], grown(failed, deep)]), kind
    whole = jobs.encode_ingress_answer(OUTCOME, IDENTITY)
    for name, body, otherwise in (("body", whole, None), ("error body", failed, kind)):
        yield (
            name,
            lambda deep, body=body: jobs.decode_response(grown(body, deep), binding),
            otherwise,
        )
        yield (
            f"{name} as a stream",
            lambda deep, body=body: _last(jobs.decode_stream([grown(body, deep)], binding)),
            otherwise,
        )
    asked = jobs.encode_request(TURN, binding)
    yield (
        "request",
        lambda deep: jobs.ingest_request(grown(asked, deep)),
        RefusalCode.UNSUPPORTED,
    )


def _last(events: Any) -> None:
    last = list(events)[-1]
    if isinstance(last, TurnFailed):
        raise last.error


ENTRIES = {
    f"{protocol.short} {name}": (run, otherwise)
    for protocol in Protocol
    for name, run, otherwise in entries(protocol)
}


@pytest.mark.parametrize(("run", "otherwise"), ENTRIES.values(), ids=ENTRIES)
def test_every_entry_reads_to_the_bound_and_refuses_what_is_past_it(
    run: Callable[[int], object], otherwise: RefusalCode | None
) -> None:
    """One level more is too large, whether the JSON reader would still have read it or not."""
    assert otherwise is code_of(lambda: run(BOUND))
    told = [code_of(lambda deep=deep: run(deep)) for deep in PAST if deep > BOUND]
    assert [RefusalCode.TOO_LARGE] * len(told) == told


def with_arguments(protocol: Protocol, stream: bool, arguments: str) -> bytes:
    """An answer with one call, its arguments put in behind the encoder's back."""
    outcome = calling('{"held":1}')
    if stream:
        data = written(protocol, heard(outcome))
        return data.replace(rb"{\"held\":1}", json.dumps(arguments).encode()[1:-1])
    data = wire(protocol).encode_ingress_answer(outcome, IDENTITY)
    if protocol is Protocol.MESSAGES:
        return data.replace(b'{"held":1}', arguments.encode())
    return data.replace(rb'"{\"held\":1}"', json.dumps(arguments).encode())


def calling(arguments: str) -> TurnOutcome:
    item = ToolCall("call_1", "f", arguments)
    return TurnOutcome(ToolCalls(), (item,), Observation(usage=Usage(1, 1, 0, 0, 0)))


def heard(outcome: TurnOutcome) -> list[Any]:
    shown = [ItemCompleted(item, index) for index, item in enumerate(outcome.items)]
    return [ResponseStarted("id", "m"), *shown, TurnCompleted(outcome)]


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
@pytest.mark.parametrize("kept", ["refuse", "keep"])
def test_arguments_in_a_stream_are_held_to_the_bound(protocol: Protocol, kept: Any) -> None:
    """Also where those that are not JSON are kept; what breaks before it gets so deep is broken."""
    jobs, binding = wire(protocol), BINDINGS[protocol]

    def code(arguments: str) -> RefusalCode | None:
        body = with_arguments(protocol, True, arguments)
        return code_of(lambda: _last(jobs.decode_stream([body], binding, invalid_arguments=kept)))

    assert None is code(held(BOUND))
    assert RefusalCode.TOO_LARGE is code(held(BOUND + 1))
    assert RefusalCode.TOO_LARGE is code(held(100_000))
    assert RefusalCode.TOO_LARGE is code('{"a":' + "[" * 100_000)
    broken = None if kept == "keep" else RefusalCode.PROTOCOL
    assert broken is code('{"a":' + "[" * (BOUND - 1))
    assert broken is code('{"a" ' + "[" * 100_000)


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_arguments_in_a_body_are_held_to_the_bound(protocol: Protocol) -> None:
    """On Messages they are part of the body, and its levels count."""
    jobs, binding = wire(protocol), BINDINGS[protocol]
    most = BOUND - 3 if protocol is Protocol.MESSAGES else BOUND
    for deep, refused in ((most, None), (most + 1, RefusalCode.TOO_LARGE)):
        body = with_arguments(protocol, False, held(deep))
        outcome: list[TurnOutcome] = []
        told = code_of(
            lambda body=body, found=outcome: found.append(jobs.decode_response(body, binding))
        )
        assert refused is told
        if refused is None:
            (item,) = outcome[0].items
            assert isinstance(item, ToolCall)
            assert held(deep) == item.arguments


def test_a_wire_that_writes_arguments_as_json_writes_1024_levels_of_them():
    """Of a request and of an answer; a wire that holds them as text writes any text."""
    for protocol in Protocol:
        jobs, binding = wire(protocol), BINDINGS[protocol]
        for deep in (WRITTEN, WRITTEN + 1, 100_000):
            outcome = calling(held(deep))
            history = (
                UserMessage((Text("q"),)),
                *outcome.items,
                ToolResult("call_1", (Text("r"),)),
            )
            turn = TurnRequest(MODEL, history)
            told = {
                code_of(partial(jobs.encode_request, turn, binding)),
                code_of(partial(jobs.project_request, turn, binding)),
                code_of(partial(jobs.encode_ingress_answer, outcome, IDENTITY)),
                code_of(partial(list, map(jobs.IngressStream(IDENTITY).encode, heard(outcome)))),
            }
            refused = protocol is Protocol.MESSAGES and deep > WRITTEN
            assert {RefusalCode.TOO_LARGE if refused else None} == told


def test_what_is_carried_is_written_to_1024_levels():
    """An extension of a request, and one of an answer."""
    for deep, refused in ((1000, None), (2000, RefusalCode.TOO_LARGE)):
        for protocol in Protocol:
            jobs, binding = wire(protocol), BINDINGS[protocol]
            value: Any = json.loads("[" * 100 + "]" * 100)
            for _ in range(deep - 100):
                value = [value]
            path = {"chat": "prediction", "messages": "container", "responses": "prompt"}
            asked = Extension(protocol, path[protocol.short], {"x": value})
            turn = TurnRequest(MODEL, (UserMessage((Text("q"),)),), extensions=(asked,))
            assert refused is code_of(lambda t=turn, j=jobs, b=binding: j.encode_request(t, b))
            said = Extension(protocol, "answer.zz", value)
            outcome = TurnOutcome(OUTCOME.stop, OUTCOME.items, OUTCOME.observation, (), (said,))
            told = code_of(lambda o=outcome, j=jobs: j.encode_ingress_answer(o, IDENTITY))
            assert refused is told


def test_an_error_answer_is_told_by_its_status_and_its_text_is_kept():
    """What it nests is no reason to call a rate limit something else."""
    for protocol in Protocol:
        body = grown(b'{"error":{"message":"no"}}', 100_000)
        error = wire(protocol).decode_error(429, (), body, BINDINGS[protocol])
        assert RefusalCode.RATE_LIMITED is error.code
        assert error.upstream is not None
        assert body[:65_536].decode() == error.upstream.raw


def test_a_document_holds_whatever_a_body_may():
    """What was read at the bound stands deeper in a document, and comes back from it."""
    for deep, refused in ((BOUND + 100, None), (2000, RefusalCode.TOO_LARGE)):
        value: Any = []
        for _ in range(deep - 1):
            value = [value]
        outcome = TurnOutcome(
            ToolCalls(), (), Observation(), (), (Extension(Protocol.CHAT, "answer.x", value),)
        )
        assert refused is code_of(lambda outcome=outcome: to_document(outcome))
        if refused is None:
            assert to_document(outcome) == to_document(from_document(to_document(outcome)))
    hostile = grown(to_document(OUTCOME), 100_000)
    assert RefusalCode.TOO_LARGE is code_of(lambda: from_document(hostile))


@pytest.mark.parametrize("name", [name for name in HOSTILE if "nested" in name])
def test_hostile_nesting_is_refused_as_too_large(name: str) -> None:
    """A hundred thousand levels, in a body, an event and arguments."""
    hostile = HOSTILE[name]
    assert RefusalCode.TOO_LARGE is hostile.refuse(hostile.make()).code


class TestNestsPast:
    @given(json_values())
    def test_it_says_how_deep_a_value_goes(self, value: Any):
        """Whatever stands in its strings."""
        text, deep = dumps(value).decode(), _depth(value)
        assert not nests_past(text, deep)
        assert not deep or nests_past(text, deep - 1)

    @pytest.mark.parametrize(
        "text", ['"[[[["', r'"\"[[[[["', r'["\\[[["]', '{"[[{":"]"}', '[[],[],[],[{"a":[]}]]']
    )
    def test_brackets_in_strings_and_side_by_side_are_no_levels(self, text: str):
        """Each is complete, and as deep as its value is."""
        assert is_complete(text)
        deep = _depth(json.loads(text))
        assert (False, deep > 0) == (nests_past(text, deep), nests_past(text, deep - 1))

    @pytest.mark.parametrize("text", ["x[[[[", '{"a" [[[[', "[}[[[[", '"[[[[[', "[[]]]]]]][[[["])
    def test_what_breaks_first_is_broken(self, text: str):
        """It is no JSON, and not deep."""
        assert not nests_past(text, 2)

    def test_what_gets_deep_first_is_deep(self):
        """Whether it would have ended or not."""
        assert nests_past("[[[", 2)
        assert nests_past("[[[]]x", 2)


def test_the_text_of_a_node_is_written_to_the_bound():
    """Also of one that is deeper than orjson writes, with spaces or without."""
    for deep in (253, 254, 255, 500):
        for space in (b"", b" "):
            inner = nest(deep)
            body = b'{"a":%s%s,"b": "x"}' % (space, inner)
            envelope = read(body)
            assert isinstance(envelope.value, dict)
            assert inner.decode() == envelope.text_of(envelope.value["a"])


def _depth(value: Any) -> int:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(_depth, inner), default=0)
    return 0

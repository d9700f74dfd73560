"""One recorded exchange, read: whatever was recorded gives a record."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections import (
    AGENT_CLIENTS,
    Exchange,
    Limits,
    Loss,
    Opaque,
    Protocol,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
    Text,
    ToolCall,
    ToolCalls,
    UnattributedOpaque,
    UserMessage,
    read_exchange,
)
from llm_projections.wires import WIRES
from tests.everything import BINDINGS
from tests.helpers import by_event, chunked, singles, whole
from tests.relay.gateway import (
    CHAT,
    JSON,
    MESSAGES,
    RESPONSES,
    SSE,
    Run,
    answer,
    ask,
    frames,
    opening,
)
from tests.relay.test_relay_broken import damaged, error_event

wires = pytest.mark.parametrize("wire", list(Protocol))
CALL = ("call_1", "look", '{"a":1.0}')


def read(
    wire: Protocol,
    chunks: Iterable[bytes],
    *,
    body: bytes | None = None,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = SSE,
    **options: Any,
) -> Exchange:
    """An exchange at the usual path of the wire."""
    asked = ask(wire) if body is None else body
    return read_exchange(f"/v1/{WIRES[wire].path}", asked, status, headers, chunks, **options)


def whole_body(wire: Protocol) -> bytes:
    """A whole answer as the wire writes it."""
    run = Run(wire, wire).ask(ask(wire, stream=False, tools=["look"]))
    return run.play(answer(wire, "Hello", calls=[CALL])).body


# good ones


@wires
@pytest.mark.parametrize("cut", [whole, singles, by_event])
def test_a_good_exchange_is_read(wire: Protocol, cut: Any) -> None:
    """Request, answer's shape, outcome and counters; nothing raw is kept."""
    body = ask(wire, tools=["look"])
    exchange = read(wire, cut(answer(wire, "Hello", thought="Hm", calls=[CALL])), body=body)
    assert exchange.request is not None
    assert (UserMessage((Text("go"),)),) == exchange.request.items
    assert "alias-of-the-client" == exchange.request.model
    assert exchange.answer is not None
    assert exchange.answer.stream
    assert exchange.outcome is not None
    assert ToolCalls() == exchange.outcome.stop
    calls = [item for item in exchange.outcome.items if isinstance(item, ToolCall)]
    assert [CALL] == [(call.call_id, call.name, call.arguments) for call in calls]
    assert (None, None, None) == (exchange.request_error, exchange.error, exchange.partial)
    assert ((), ()) == (exchange.raw, exchange.losses)


@wires
def test_counters_are_on_one_scale(wire: Protocol) -> None:
    """Whatever the wire counts apart, and what it said is beside."""
    usage = read(wire, [answer(wire)]).usage
    assert usage is not None
    assert (11, 7, 3) == (usage.input_tokens, usage.output_tokens, usage.cached_input_tokens)
    assert usage.reported is not None


@wires
@pytest.mark.parametrize("headers", [JSON, SSE, ()])
def test_a_whole_answer_is_read_whatever_its_header_says(
    wire: Protocol, headers: tuple[tuple[str, str], ...]
) -> None:
    """The first bytes tell a body from a stream."""
    body = ask(wire, tools=["look"], stream=False)
    exchange = read(wire, chunked(whole_body(wire), 9), body=body, headers=headers)
    assert exchange.outcome is not None
    assert ToolCalls() == exchange.outcome.stop
    assert exchange.answer is not None
    assert not exchange.answer.stream


@wires
def test_a_recorder_agrees_with_the_decoder(wire: Protocol) -> None:
    """With a binding the outcome is the one that its user saw."""
    data = answer(wire, "Hello", thought="Hm", sealed=True, calls=[CALL])
    seen = list(WIRES[wire].decode_stream([data], BINDINGS[wire]))[-1].outcome
    assert seen == read(wire, [data], binding=BINDINGS[wire]).outcome


@wires
def test_without_a_binding_state_is_nobodys(wire: Protocol) -> None:
    """In outcomes, partial ones, and what extensions hold."""
    data = answer(wire, "", thought="Hm", sealed=True)
    exchange = read(wire, [data])
    assert exchange.outcome is not None
    assert [UnattributedOpaque] == [type(item) for item in exchange.outcome.items]
    assert exchange.outcome.observation.provenance is None
    bound = read(wire, [data], binding=BINDINGS[wire]).outcome
    assert bound is not None
    (item,), (own,) = exchange.outcome.items, bound.items
    assert isinstance(own, Opaque)
    assert isinstance(item, UnattributedOpaque)
    assert own == item.bind_unattributed(BINDINGS[wire].provenance)
    broken = read(wire, [answer(wire, "Hello", thought="Hm", sealed=True, end=False)])
    assert broken.partial is not None
    assert broken.partial.observation.provenance is None
    assert not [item for item in broken.partial.items if isinstance(item, Opaque)]
    assert isinstance(broken.error, ResponseRefused)
    assert broken.error.partial == broken.partial


def test_sealed_extensions_are_nobodys_either() -> None:
    """Gemini's signature on a call is bound too."""
    google = {"google": {"thought_signature": "S"}}
    first, *rest = by_event(answer(CHAT, "", calls=[CALL]))
    started = json.loads(rest[0].partition(b"data: ")[2])
    started["choices"][0]["delta"]["tool_calls"][0]["extra_content"] = google
    data = first + frames(CHAT, started) + b"".join(rest[1:])
    for binding, owner in ((None, None), (BINDINGS[CHAT], BINDINGS[CHAT].provenance)):
        outcome = read(CHAT, [data], binding=binding).outcome
        assert outcome is not None
        (call,) = outcome.items
        assert [(google, owner)] == [(each.value, each.provenance) for each in call.extensions]


def test_losses_of_the_request_are_told() -> None:
    """What a tolerant reader leaves out it names; the caller may accept nothing."""
    body = ask(RESPONSES, store=True)
    accepted = read(RESPONSES, [answer(RESPONSES)], body=body, accept={"responses.store"})
    assert (Loss("responses.store", "store"),) == accepted.losses
    strict = read(RESPONSES, [answer(RESPONSES)], body=body, accept=())
    assert strict.request_error is not None
    assert "responses.store" == strict.request_error.loss


def test_an_unknown_loss_is_a_mistake() -> None:
    """Which shows at once."""
    with pytest.raises(ValueError, match="nothing"):
        read(CHAT, [], accept={"nothing"})


def test_headers_of_the_request_are_read() -> None:
    """Those that are part of it."""
    exchange = read(
        MESSAGES, [answer(MESSAGES)], request_headers=[("anthropic-beta", "x"), ("cookie", "y")]
    )
    assert exchange.request is not None
    assert "x" in str(exchange.request.extensions)
    assert "cookie" not in str(exchange.request.extensions)


def test_warnings_are_told() -> None:
    """What was odd about the answer."""
    first, *rest = by_event(answer(MESSAGES))
    data = first + frames(MESSAGES, {"type": "never_heard_of"}) + b"".join(rest)
    assert "unknown-stream-event" in [each.code for each in read(MESSAGES, [data]).warnings]


# bad ones


@wires
@pytest.mark.parametrize("body", [b"", b"not JSON", b"[]", b"\xff", b'{"model":1}', b"{" * 9_999])
def test_a_request_that_cannot_be_read_does_not_stop_the_answer(
    wire: Protocol, body: bytes
) -> None:
    """The counters are what a bill is made of."""
    exchange = read(wire, [answer(wire)], body=body)
    assert (None, None) == (exchange.request, exchange.answer)
    assert isinstance(exchange.request_error, RequestRefused)
    assert exchange.outcome is not None
    assert exchange.usage is not None
    assert exchange.error is None


@wires
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, RefusalCode.REFUSED),
        (401, RefusalCode.UNAUTHORIZED),
        (429, RefusalCode.RATE_LIMITED),
        (500, RefusalCode.UNAVAILABLE),
        (302, RefusalCode.REFUSED),
        (0, RefusalCode.REFUSED),
    ],
)
def test_an_error_status_is_an_error(wire: Protocol, status: int, code: RefusalCode) -> None:
    """With what the provider wrote, parsed and raw."""
    body = b'{"error":{"message":"its words"}}'
    exchange = read(wire, chunked(body, 5), status=status, headers=(*JSON, ("retry-after", "3")))
    error = exchange.error
    assert isinstance(error, ResponseRefused)
    assert (code, 3_000) == (error.code, error.retry_after_ms)
    assert error.upstream is not None
    assert "its words" == error.upstream.message
    assert ((body,), None, None) == (exchange.raw, exchange.outcome, exchange.usage)
    assert exchange.request is not None


@wires
@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xfe", b"null", b"x" * 99])
def test_any_error_body_is_kept(wire: Protocol, body: bytes) -> None:
    """As far as the limit goes."""
    exchange = read(wire, [body], status=502, limits=Limits(raw_bytes=50))
    assert (body[:50],) == exchange.raw
    assert exchange.error is not None


@wires
def test_an_answer_that_ended_early_gives_what_stood(wire: Protocol) -> None:
    """Items, counters so far, and every payload as it came."""
    data = answer(wire, "Hello", calls=[CALL], end=False)
    exchange = read(wire, singles(data))
    assert exchange.outcome is None
    assert isinstance(exchange.error, ResponseRefused)
    assert RefusalCode.PROTOCOL is exchange.error.code
    assert exchange.partial is not None
    told = str(exchange.partial.items) + "".join(e.text for e in exchange.partial.open_items)
    assert "Hello" in told
    assert CALL[2] in told
    assert len(by_event(data)) == len(exchange.raw)
    assert [json.loads(raw) for raw in exchange.raw]
    if wire is MESSAGES:
        assert exchange.usage is not None


@wires
def test_an_error_in_mid_stream(wire: Protocol) -> None:
    """It is told with what came before."""
    exchange = read(wire, [answer(wire, "Hello", end=False), error_event(wire, "server_error")])
    assert exchange.error is not None
    assert RefusalCode.UNAVAILABLE is exchange.error.code
    assert exchange.partial is not None
    assert b"server_error" in exchange.raw[-1]


@wires
@pytest.mark.parametrize(
    "data", [b"<html>sign in</html>", b"event: x\n\n", b": keep-alive\n\n", b"{"]
)
def test_what_is_no_answer_is_kept_as_it_came(wire: Protocol, data: bytes) -> None:
    """There is no payload in it to keep."""
    exchange = read(wire, singles(data))
    assert exchange.error is not None
    assert exchange.outcome is None
    assert (data,) == exchange.raw


@wires
def test_an_empty_answer_has_nothing_to_keep(wire: Protocol) -> None:
    """And is an error all the same."""
    exchange = read(wire, [])
    assert exchange.error is not None
    assert () == exchange.raw


@wires
def test_raw_payloads_are_bounded(wire: Protocol) -> None:
    """A recorder of broken streams does not fill the memory."""
    data = answer(wire, "Hello" * 99, end=False)
    exchange = read(wire, [data], limits=Limits(raw_bytes=500))
    assert sum(map(len, exchange.raw)) <= 500
    assert exchange.raw
    html = read(wire, [b"<p>" * 999], limits=Limits(raw_bytes=500))
    assert 500 == sum(map(len, html.raw))


@wires
def test_the_rest_of_the_chunks_is_not_asked_for(wire: Protocol) -> None:
    """Once the answer has ended."""

    def chunks() -> Iterable[bytes]:
        yield answer(wire)
        raise AssertionError("asked for more")

    assert read(wire, chunks()).outcome is not None


@wires
def test_raw_and_private_things_stay_out_of_its_repr(wire: Protocol) -> None:
    """A record may be logged."""
    exchange = read(wire, [opening(wire), error_event(wire, "server_error", "private words")])
    assert exchange.raw
    assert "private" not in repr(exchange)


@pytest.mark.parametrize("path", ["/v1/models", "/v1/messages/count_tokens", ""])
def test_the_path_of_no_wire_is_the_callers_mistake(path: str) -> None:
    """It is no content, and raises."""
    with pytest.raises(RequestRefused) as caught:
        read_exchange(path, b"", 200, (), ())
    assert RefusalCode.NOT_FOUND is caught.value.code


@given(st.data())
def test_no_content_raises(data: st.DataObject) -> None:
    """Whatever was recorded, one of outcome and error is there, and raw with every error."""
    wire = data.draw(st.sampled_from(list(Protocol)))
    body = data.draw(st.binary(max_size=40) | st.just(ask(wire)))
    status = data.draw(st.sampled_from([200, 200, 200, 206, 304, 400, 503, -1, 70_000]))
    received = data.draw(damaged(wire))
    chunks = chunked(received, data.draw(st.integers(1, 300)))
    binding = data.draw(st.sampled_from([None, BINDINGS[wire]]))
    exchange = read(wire, chunks, body=body, status=status, binding=binding, accept=AGENT_CLIENTS)
    assert (exchange.request is None) is (exchange.request_error is not None)
    assert (exchange.outcome is None) is (exchange.error is not None)
    assert exchange.outcome is None or () == exchange.raw
    assert exchange.outcome is not None or bool(received) <= bool(exchange.raw)


@wires
@pytest.mark.parametrize("body", [b"Internal error", b"<html>\n<body>no</body></html>\n", b"null"])
def test_a_body_that_is_no_answer_is_called_that(wire: Protocol, body: bytes) -> None:
    """However it was cut, and whatever its type was; a stream that broke off is another thing."""
    for cut in (whole, singles):
        exchange = read(wire, cut(body))
        assert exchange.error is not None
        assert "neither events nor a JSON object came" == exchange.error.message
        assert body == b"".join(exchange.raw)
    for cut_off in (b"", opening(wire)):
        error = read(wire, [cut_off]).error
        assert error is not None
        assert "the stream ended before its end" == error.message

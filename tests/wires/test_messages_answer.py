"""Answers written for Messages clients: streams and bodies."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.messages import (
    IngressStream,
    encode_ingress_answer,
    encode_ingress_stream,
)
from llm_projections.model.binding import Identity
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Opaque,
    Protocol,
    Provenance,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.model.losses import AGENT_CLIENTS, HINTS, Loss
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    Observation,
    StopReason,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    UpstreamError,
    Usage,
    Warning,
)
from llm_projections.model.results import AnswerShape
from llm_projections.sse import frames
from tests.wires.messages_wire import (
    BINDING,
)

ME = Identity("msg_9", 1_760_000_000, "client-model")
USAGE = Usage(12, 7, 4, 3, 2)
ELSEWHERE = Provenance(Protocol.RESPONSES, "p", "a", "e", "m", "r")
MESSAGES = BINDING.provenance


def text_item(words: str) -> AssistantMessage:
    """A text."""
    return AssistantMessage((Text(words),))


def done(
    *items: Item,
    stop: StopReason | None = None,
    usage: Usage | None = USAGE,
    where: Provenance | None = None,
    extensions: tuple[Extension, ...] = (),
) -> TurnCompleted:
    """The end of an answer."""
    waits = any(isinstance(item, ToolCall) for item in items)
    observed = Observation(where, "upstream", "up_1", usage, usage is not None)
    return TurnCompleted(
        TurnOutcome(stop or (ToolCalls() if waits else EndTurn()), items, observed, (), extensions)
    )


def written(
    events: Iterable[Event], shape: AnswerShape | None = None, **settings: Any
) -> list[dict[str, Any]]:
    """The payloads of a stream, whose names agree with them."""
    data = b"".join(encode_ingress_stream(events, ME, shape or AnswerShape(True), **settings))
    payloads: list[dict[str, Any]] = []
    for name, payload in frames(data):
        payloads.append(json.loads(payload))
        assert name.decode() == payloads[-1]["type"]
    return payloads


def shown(payloads: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """A stream in short: what each event says of which block."""
    short: list[tuple[Any, ...]] = []
    for payload in payloads:
        kind, index = payload["type"].removeprefix("content_block_"), payload.get("index")
        if kind == "start":
            short.append(("start", index, payload["content_block"]["type"]))
        elif kind == "delta":
            delta = payload["delta"]
            short.append((delta["type"].removesuffix("_delta"), index, *list(delta.values())[1:]))
        elif kind == "stop":
            short.append(("stop", index))
    return short


def last(payloads: list[dict[str, Any]]) -> dict[str, Any]:
    """`message_delta`, after which only `message_stop` comes."""
    assert ["message_delta", "message_stop"] == [p["type"] for p in payloads[-2:]]
    end: dict[str, Any] = payloads[-2]
    return end


def refused(*events: Event, accept: Iterable[str] = ()) -> ResponseRefused:
    """What the encoder says of events that it cannot write."""
    stream = IngressStream(ME, accept=frozenset(accept))
    with pytest.raises(ResponseRefused) as caught:
        list(map(stream.encode, events))
    assert (Dispatch.ACCEPTED, False) == (caught.value.dispatch, caught.value.retriable)
    assert not stream.done
    assert b"event: error\n" == stream.fail(caught.value)[:13]
    assert stream.done
    return caught.value


# streams


def test_a_text_is_written_as_it_comes() -> None:
    """Each delta at once, after the head; one start, one stop, no empty delta."""
    stream = IngressStream(ME)
    assert b"" == stream.encode(ResponseStarted("up_1", "upstream"))
    pieces = [stream.encode(TextDelta(piece, 0)) for piece in ("Hel", "", "lo")]
    assert [3, 0, 1] == [piece.count(b"event: ") for piece in pieces]
    end = stream.encode(ItemCompleted(text_item("Hello"), 0)) + stream.encode(
        done(text_item("Hello"))
    )
    payloads = [json.loads(data) for _, data in frames(b"".join(pieces) + end)]
    assert {
        "id": "msg_9",
        "type": "message",
        "role": "assistant",
        "model": "client-model",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    } == payloads[0]["message"]
    assert [
        ("start", 0, "text"),
        ("text", 0, "Hel"),
        ("text", 0, "lo"),
        ("stop", 0),
    ] == shown(payloads)
    assert {"stop_reason": "end_turn", "stop_sequence": None} == last(payloads)["delta"]
    assert stream.done
    assert b"" == stream.fail(ResponseRefused(RefusalCode.PROTOCOL, "late"))


def test_the_head_waits_for_output() -> None:
    """A failure before any output is an error alone; a ping may come before the head."""
    stream = IngressStream(ME)
    head = stream.encode(ResponseStarted(None, None)) + stream.encode(UsageReported(USAGE))
    assert b'event: ping\ndata: {"type":"ping"}\n\n' == head + stream.keepalive()
    failed = stream.encode(TurnFailed(ResponseRefused(RefusalCode.RATE_LIMITED, "slow")))
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}
    assert [(b"error", error)] == [(name, json.loads(data)) for name, data in frames(failed)]
    assert b"" == stream.keepalive()


def test_no_model_is_refused_before_the_head() -> None:
    """Nobody named it."""
    stream = IngressStream(Identity("msg_9", 1))
    with pytest.raises(ResponseRefused):
        stream.encode(TextDelta("x", 0))
    named_upstream = IngressStream(Identity("msg_9", 1))
    named_upstream.encode(ResponseStarted(None, "upstream"))
    assert b'"model":"upstream"' in named_upstream.encode(TextDelta("x", 0))


def test_separators_are_escaped_and_surrogates_refused() -> None:
    """Readers that split at every Unicode line end would cut a frame there."""
    words = "a\u2028b\u2029c\u0085d"
    item = AssistantMessage((Text(words),))
    data = b"".join(encode_ingress_stream([TextDelta(words, 0), done(item)], ME))
    body = encode_ingress_answer(done(item).outcome, ME)
    for made in (data, body):
        assert not {"\u2028", "\u2029", "\u0085"} & set(made.decode())
    assert "items[0]" == refused(TextDelta("a", 0), TextDelta("b\ud800", 0)).path
    assert "items[0]" == refused(TextDelta("b\ud800", 0)).path


def test_signed_thinking_has_one_signature_delta_before_its_stop() -> None:
    """It opens with the empty placeholder."""
    payload: dict[str, Any] = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    thought = Opaque(MESSAGES, payload, "hm")
    events = [ReasoningDelta("hm", 0), ItemCompleted(thought, 0), TextDelta("Yes", 1)]
    payloads = written([*events, done(thought, text_item("Yes"))])
    opened = {"type": "thinking", "thinking": "", "signature": ""}
    assert opened == payloads[1]["content_block"]
    assert [
        ("start", 0, "thinking"),
        ("thinking", 0, "hm"),
        ("signature", 0, "c2ln"),
        ("stop", 0),
        ("start", 1, "text"),
        ("text", 1, "Yes"),
        ("stop", 1),
    ] == shown(payloads)


def test_thinking_that_comes_whole_is_signed_after_its_text() -> None:
    """As its vendor streams it: clients take the signature for the end of the thought."""
    payload: dict[str, Any] = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    assert [
        ("start", 0, "thinking"),
        ("thinking", 0, "hm"),
        ("signature", 0, "c2ln"),
        ("stop", 0),
    ] == shown(written([done(Opaque(MESSAGES, payload, "hm"))]))


def test_unsigned_reasoning_gets_no_signature() -> None:
    """From any wire, summaries too; a summary beside the reasoning itself is left out."""
    for summary in (False, True):
        item = Reasoning("hm", summary)
        payloads = written([ReasoningDelta("hm", 0, summary), done(item)])
        assert [("start", 0, "thinking"), ("thinking", 0, "hm"), ("stop", 0)] == shown(payloads)
    both: list[Event] = [ReasoningDelta("hm", 0), ReasoningDelta("in short", 0, True)]
    assert "answer.reasoning.summary" in refused(*both).message
    losses: list[Loss] = []
    kept = written([*both, done(Reasoning("hm"))], accept=AGENT_CLIENTS, losses=losses)
    assert "in short" not in json.dumps(kept)
    assert [Loss("answer.reasoning.summary", "items[0]")] == losses


def test_thinking_that_the_client_wants_omitted() -> None:
    """Signed thinking keeps its signature, unsigned reasoning is a loss."""
    shape = AnswerShape(True, reasoning_display="omitted")
    payload: dict[str, Any] = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    signed = Opaque(MESSAGES, payload, "hm")
    payloads = written([ReasoningDelta("hm", 0), ItemCompleted(signed, 0), done(signed)], shape)
    assert [("start", 0, "thinking"), ("signature", 0, "c2ln"), ("stop", 0)] == shown(payloads)
    losses: list[Loss] = []
    bare = Reasoning("hm")
    events = [ReasoningDelta("hm", 0), ItemCompleted(bare, 0), TextDelta("x", 1)]
    payloads = written(
        [*events, done(bare, text_item("x"))], shape, accept=AGENT_CLIENTS, losses=losses
    )
    assert [("start", 0, "text"), ("text", 0, "x"), ("stop", 0)] == shown(payloads)
    assert [Loss("answer.reasoning", "items[0]")] == losses
    whole = json.loads(encode_ingress_answer(done(signed).outcome, ME, shape))
    assert [{**payload, "thinking": ""}] == whole["content"]


def test_sealed_state_of_another_wire_is_left_out_and_its_text_shown() -> None:
    """Once, whether its deltas came or not."""
    item = Opaque(ELSEWHERE, {"type": "reasoning", "encrypted_content": "x"}, "in short")
    for events in ([done(item)], [ReasoningDelta("in short", 0, True), done(item)]):
        assert "answer.opaque" in refused(*events).message
        losses: list[Loss] = []
        payloads = written(events, accept=AGENT_CLIENTS, losses=losses)
        assert [("start", 0, "thinking"), ("thinking", 0, "in short"), ("stop", 0)] == shown(
            payloads
        )
        assert [Loss("answer.opaque", "items[0]")] == losses


def test_interleaved_calls_are_written_one_after_the_other() -> None:
    """In the order in which they began; what the first says goes out at once."""
    stream = IngressStream(ME)
    stream.encode(ToolCallStarted("a", "f", 0))
    stream.encode(ToolCallStarted("b", "g", 1))
    assert b"" == stream.encode(ToolArgumentsDelta("b", '{"y"', 1))
    live = [stream.encode(ToolArgumentsDelta("a", piece, 0)) for piece in ('{"x"', ":1}")]
    assert [2, 1] == [data.count(b"event: ") for data in live]
    stream.encode(ToolArgumentsDelta("b", ":2}", 1))
    first, second = ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", '{"y":2}')
    ends = [stream.encode(ItemCompleted(item, i)) for i, item in ((1, second), (0, first))]
    ends.append(stream.encode(done(first, second)))
    payloads = [json.loads(data) for _, data in frames(b"".join([*live, *ends]))]
    assert [
        ("start", 0, "tool_use"),
        ("input_json", 0, '{"x"'),
        ("input_json", 0, ":1}"),
        ("stop", 0),
        ("start", 1, "tool_use"),
        ("input_json", 1, '{"y"'),
        ("input_json", 1, ":2}"),
        ("stop", 1),
    ] == shown(payloads)
    assert "tool_use" == last(payloads)["delta"]["stop_reason"]


def test_a_text_ends_where_something_else_begins() -> None:
    """The client need not wait for it; what it says later has a block of its own."""
    stream = IngressStream(ME)
    stream.encode(TextDelta("a", 0))
    assert b"content_block_stop" in stream.encode(ToolCallStarted("t", "f", 1))
    assert b'"partial_json":"{}"' in stream.encode(ToolArgumentsDelta("t", "{}", 1))
    assert b"" == stream.encode(TextDelta("b", 0))
    item, made = text_item("ab"), ToolCall("t", "f", "{}")
    rest = stream.encode(ItemCompleted(made, 1)) + stream.encode(done(item, made))
    payloads = [json.loads(data) for _, data in frames(rest)]
    assert [("stop", 1), ("start", 2, "text"), ("text", 2, "b"), ("stop", 2)] == shown(payloads)


@pytest.mark.parametrize("pieces", [(), ("",), (" ", "\n"), ("{}",)])
def test_a_call_without_arguments_has_the_empty_object(pieces: tuple[str, ...]) -> None:
    """No delta is blank: the clients' parsers take none."""
    events = [ToolCallStarted("t", "f", 0), *(ToolArgumentsDelta("t", p, 0) for p in pieces)]
    payloads = written([*events, done(ToolCall("t", "f", "".join(pieces)))])
    assert {"type": "tool_use", "id": "t", "name": "f", "input": {}} == payloads[1]["content_block"]
    said = [entry[2] for entry in shown(payloads) if entry[0] == "input_json"]
    assert [piece for piece in pieces if piece.strip()] == said


def test_a_blank_first_piece_goes_out_with_the_next() -> None:
    """Nothing of the arguments is lost, and they agree with their item."""
    pieces = (" ", "\n", '{"a":', "1}")
    events = [ToolCallStarted("t", "f", 0), *(ToolArgumentsDelta("t", p, 0) for p in pieces)]
    payloads = written([*events, done(ToolCall("t", "f", "".join(pieces)))])
    said = [entry[2] for entry in shown(payloads) if entry[0] == "input_json"]
    assert [' \n{"a":', "1}"] == said


def test_arguments_keep_their_spelling() -> None:
    """Also where they come only with the item, and in a body."""
    spelled = '{"n": 1.10, "id": 1180591620717411303424, "a": 1, "a": 2}'
    item = ToolCall("t", "f", spelled)
    payloads = written([ItemCompleted(item, 0), done(item)])
    assert ("input_json", 0, spelled) in shown(payloads)
    body = encode_ingress_answer(done(item).outcome, ME)
    assert f'"input":{spelled}'.encode() in body


@pytest.mark.parametrize("arguments", ["[1]", "nope", '{"a":'])
def test_arguments_that_are_no_object_are_refused(arguments: str) -> None:
    """The clients would fail on them."""
    item = ToolCall("t", "f", arguments)
    assert "items[0].arguments" == refused(done(item), accept=AGENT_CLIENTS).path
    with pytest.raises(ResponseRefused):
        encode_ingress_answer(done(item).outcome, ME, accept=AGENT_CLIENTS)


def test_a_custom_call_is_a_decision_of_its_own() -> None:
    """This wire has no free text for tools."""
    item = CustomToolCall("t", "f", "free")
    started = ToolCallStarted("t", "f", 0, custom=True)
    for events in ([started], [done(item, stop=ToolCalls())]):
        assert "answer.custom_tool_call" in refused(*events, accept=AGENT_CLIENTS).message
    accept = {*AGENT_CLIENTS, "answer.custom_tool_call", "answer.stop_reason"}
    events = [started, ToolArgumentsDelta("t", "free", 0), done(item, stop=ToolCalls())]
    losses: list[Loss] = []
    assert [] == shown(written(events, accept=accept, losses=losses))
    assert {"answer.custom_tool_call", "answer.stop_reason"} == {loss.name for loss in losses}


def test_items_that_come_only_with_the_outcome_are_written() -> None:
    """Each text a block, none of them empty."""
    item = AssistantMessage((Text("a"), Text(""), Text("b")))
    payloads = written([done(item, ToolCall("t", "f", "{}"))])
    assert ["text", "text", "tool_use"] == [e[2] for e in shown(payloads) if e[0] == "start"]


def test_own_citations_go_out_and_others_are_a_loss() -> None:
    """As deltas of their text, and in a body beside it."""
    cited: dict[str, Any] = {"type": "char_location", "cited_text": "a"}
    note = Extension(Protocol.MESSAGES, "messages.content.citations", cited)
    item = AssistantMessage((Text("Fact.", (note,)),))
    payloads = written([TextDelta("Fact.", 0), done(item)])
    assert ("citations", 0, cited) == shown(payloads)[-2]
    body = json.loads(encode_ingress_answer(done(item).outcome, ME))
    assert [cited] == body["content"][0]["citations"]
    foreign = Extension(Protocol.CHAT, "messages.annotations", {"type": "url_citation"})
    other = AssistantMessage((Text("Fact.", (foreign,)),))
    assert "answer.annotations" in refused(done(other)).message


def test_wire_items_go_out_on_their_own_wire_only() -> None:
    """A provider's call is streamed like a call; another wire's is a loss."""
    used = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    items = [WireItem(Protocol.MESSAGES, each) for each in (used, found)]
    payloads = written([done(*items)])
    assert ("input_json", 0, '{"q":"x"}') in shown(payloads)
    assert found == payloads[4]["content_block"]
    assert "end_turn" == last(payloads)["delta"]["stop_reason"]
    foreign = WireItem(Protocol.RESPONSES, {"type": "web_search_call"})
    assert "answer.wire_item" in refused(done(foreign)).message
    part = AssistantMessage((WirePart(Protocol.CHAT, {"type": "audio"}),))
    assert "answer.wire_part" in refused(done(part)).message


def test_kept_events_go_out_as_events() -> None:
    """Under their own names, where those are one line."""
    mark = (Extension(Protocol.MESSAGES, "answer.kept_event", True),)
    kept = WireItem(Protocol.MESSAGES, {"type": "verdict", "safe": True}, extensions=mark)
    assert {"type": "verdict", "safe": True} in written([ItemCompleted(kept, 0), done(kept)])
    odd = WireItem(Protocol.MESSAGES, {"type": "a\nevent: b"}, extensions=mark)
    data = b"".join(encode_ingress_stream([done(odd)], ME))
    assert [b"message_start", b"", b"message_delta", b"message_stop"] == [
        name for name, _ in frames(data)
    ]
    foreign = WireItem(Protocol.RESPONSES, {"type": "x"}, extensions=mark)
    losses: list[Loss] = []
    written([done(foreign)], accept=HINTS, losses=losses)
    assert [Loss("answer.kept_event", "items[0]")] == [
        loss for loss in losses if loss.name != "answer.usage.unknown_as_zero"
    ]


# the end


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (EndTurn(), ("end_turn", None)),
        (MaxOutputTokens(), ("max_tokens", None)),
        (StopSequence("4"), ("stop_sequence", "4")),
        (StopSequence(), ("stop_sequence", None)),
        (Incomplete("pause_turn"), ("pause_turn", None)),
        (Incomplete("content_filter"), ("refusal", None)),
    ],
)
def test_stop_reasons(stop: StopReason, words: tuple[str, str | None]) -> None:
    """In streams and bodies alike."""
    delta = last(written([TextDelta("x", 0), done(text_item("x"), stop=stop)]))["delta"]
    body = json.loads(encode_ingress_answer(done(text_item("x"), stop=stop).outcome, ME))
    assert words == (delta["stop_reason"], delta["stop_sequence"])
    assert words == (body["stop_reason"], body["stop_sequence"])


def test_end_turn_beside_a_call_is_written_as_tool_use() -> None:
    """Limits and other reasons stand; server tools do not count."""
    made = ToolCall("t", "f", "{}")
    for stop, word in ((EndTurn(), "tool_use"), (MaxOutputTokens(), "max_tokens")):
        assert word == last(written([done(made, stop=stop)]))["delta"]["stop_reason"]


def test_words_of_refusal_are_text_that_stops_with_refusal() -> None:
    """The wire has no part for them."""
    item = AssistantMessage((RefusalText("I cannot."),))
    for events in ([RefusalDelta("I cannot.", 0), done(item)], [done(item)]):
        payloads = written(events)
        assert [("start", 0, "text"), ("text", 0, "I cannot."), ("stop", 0)] == shown(payloads)
        assert "refusal" == last(payloads)["delta"]["stop_reason"]


def test_details_of_another_wire_beside_a_reason_are_lost_by_name() -> None:
    """The reason goes out; this wire's own details are a field of its message."""
    told = done(text_item("x"), stop=Incomplete("content_filter", {"a": 1}), where=ELSEWHERE)
    assert "answer.stop_details" in refused(told).message
    kept = written([told], accept={"answer.stop_details"})
    assert "refusal" == last(kept)["delta"]["stop_reason"]


def test_a_reason_that_the_wire_cannot_say_is_refused() -> None:
    """Unless the answer came from this wire, or the loss was accepted."""
    stop = Incomplete("steered")
    foreign = done(text_item("x"), stop=stop, where=ELSEWHERE)
    assert "answer.stop_reason" in refused(foreign, accept=AGENT_CLIENTS).message
    own = written([done(text_item("x"), stop=stop, where=MESSAGES, usage=None)], accept=HINTS)
    assert "steered" == last(own)["delta"]["stop_reason"]
    lost = written([foreign], accept={"answer.stop_reason"})
    assert "end_turn" == last(lost)["delta"]["stop_reason"]


def test_own_fields_of_the_answer_go_back_to_their_places() -> None:
    """Beside the delta or in it; another wire's are a loss."""
    extensions = (
        Extension(Protocol.MESSAGES, "answer.container", {"id": "c"}),
        Extension(Protocol.MESSAGES, "answer.context_management", {"applied_edits": []}),
    )
    end = last(written([done(text_item("x"), extensions=extensions)]))
    assert {"id": "c"} == end["delta"]["container"]
    assert {"applied_edits": []} == end["context_management"]
    foreign = (Extension(Protocol.CHAT, "answer.system_fingerprint", "fp"),)
    assert "answer.extensions" in refused(done(extensions=foreign)).message


# counters


def test_counters_are_disjoint_again() -> None:
    """Reads and writes beside the input, in `message_delta`."""
    counted = last(written([TextDelta("x", 0), done(text_item("x"))]))["usage"]
    assert {
        "input_tokens": 5,
        "cache_creation_input_tokens": 3,
        "cache_read_input_tokens": 4,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 2},
    } == counted


def test_counters_that_nobody_reported_are_zeros_and_a_loss() -> None:
    """The clients cannot do without two of them."""
    for usage, lost in (
        (None, ["usage.input_tokens", "usage.output_tokens"]),
        (Usage(output_tokens=3), ["usage.input_tokens"]),
    ):
        end = done(text_item("x"), usage=usage)
        assert "answer.usage.unknown_as_zero" in refused(end).message
        losses: list[Loss] = []
        payloads = written([end], accept=HINTS, losses=losses)
        assert [Loss("answer.usage.unknown_as_zero", path) for path in lost] == losses
        assert 0 == payloads[0]["message"]["usage"]["input_tokens"]
        assert (usage.output_tokens if usage else 0) == last(payloads)["usage"]["output_tokens"]


def test_half_of_the_cache_counters_is_made_whole_only_by_consent() -> None:
    """Without both, this wire's counters do not tell the total; a zero is a reported loss."""
    end = done(text_item("x"), usage=Usage(1000, 5, 900))
    plain = {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 5}
    assert plain == last(written([end]))["usage"]
    losses: list[Loss] = []
    counted = last(written([end], accept=HINTS, losses=losses))["usage"]
    assert {**plain, "cache_creation_input_tokens": 0} == counted
    assert [Loss("answer.usage.unknown_as_zero", "usage.cache_creation_input_tokens")] == losses


def test_contradictory_counters_are_refused() -> None:
    """They would come out negative."""
    assert "usage" == refused(done(text_item("x"), usage=Usage(1, 5, 900))).path


# what contradicts itself


@pytest.mark.parametrize(
    "events",
    [
        [TextDelta("abc", 0), ItemCompleted(text_item("abd"), 0)],
        [TextDelta("abc", 0), done(text_item("x"))],
        [ItemCompleted(text_item("a"), 0), done(text_item("b"))],
        [ItemCompleted(text_item("a"), 0), done()],
        [ItemCompleted(text_item("a"), 0), TextDelta("b", 0)],
        [ItemCompleted(text_item("a"), 0), ItemCompleted(text_item("a"), 0)],
        [ToolCallStarted("t", "f", 0), ToolCallStarted("t", "f", 0)],
        [ToolCallStarted("t", "f", 0), ItemCompleted(ToolCall("u", "f", "{}"), 0)],
        [ToolCallStarted("t", "f", 0), TextDelta("x", 0)],
        [ToolArgumentsDelta("t", "{}", 0)],
        [TextDelta("x", 0), ItemCompleted(Reasoning("x"), 0)],
        [ItemCompleted(UserMessage((Text("x"),)), 0)],
    ],
)
def test_what_contradicts_what_was_sent_is_refused(events: list[Event]) -> None:
    """The stream stays open for its error."""
    refused(*events, accept=AGENT_CLIENTS)


def test_a_failure_in_mid_stream_is_an_error_event() -> None:
    """The upstream's own words are passed on; nothing follows."""
    broken = ResponseRefused(
        RefusalCode.UNAVAILABLE, "no", upstream=UpstreamError("overloaded_error", None, "Busy")
    )
    payloads = written([TextDelta("Hel", 0), Warning("odd", "odd"), TurnFailed(broken)])
    error = {"type": "overloaded_error", "message": "Busy"}
    assert {"type": "error", "error": error} == payloads[-1]
    refused_request = RequestRefused(RefusalCode.UNSUPPORTED, "no", "foo")
    assert b"foo: Extra inputs are not permitted" in IngressStream(ME).fail(refused_request)


def test_nothing_is_written_after_the_end() -> None:
    """That would be misuse."""
    stream = IngressStream(ME)
    stream.encode(done(text_item("x")))
    with pytest.raises(RuntimeError):
        stream.encode(TextDelta("y", 0))

"""What every decoder shares, driven through a wire of three words."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import Dispatch, Refusal, RefusalCode, ResponseRefused
from llm_projections.fold import fold
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ResponseStarted,
    TextDelta,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import AssistantMessage, Protocol, Text
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import (
    EndTurn,
    Observation,
    OpenItem,
    TurnOutcome,
    Usage,
    Warning,
)
from llm_projections.model.tools import REQUIRED, FunctionTool
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES
from tests.everything import MODEL, binding_of
from tests.helpers import chunked, cuts, reads, singles
from tests.wires.tiny import ANSWER, BINDING, Tiny, decode, sse


def failure(events: list[Event]) -> Any:
    """The error of the terminal event."""
    assert isinstance(events[-1], TurnFailed)
    return events[-1].error


def completed(events: list[Event]) -> TurnOutcome:
    """The outcome of the terminal event."""
    assert isinstance(events[-1], TurnCompleted)
    return events[-1].outcome


HELLO = AssistantMessage((Text("hello"),))


def test_an_answer_is_events_and_one_terminal_one():
    """The outcome holds what the ledger holds."""
    outcome = TurnOutcome(
        EndTurn(), (HELLO,), Observation(BINDING.provenance, None, "id", Usage(3), False)
    )
    assert [
        ResponseStarted("id"),
        TextDelta("hel", 0),
        TextDelta("lo", 0),
        UsageReported(Usage(3)),
        ItemCompleted(HELLO, 0),
        TurnCompleted(outcome),
    ] == reads(decode, ANSWER)


@given(cuts(ANSWER))
def test_cuts_never_show(chunks):
    """However the bytes arrive."""
    assert decode([ANSWER]) == decode(chunks)


def test_the_terminal_event_comes_with_the_payload_that_ends_the_turn():
    """Not with the end of input; what follows is ignored."""
    decoder = Tiny(BINDING)
    assert isinstance(decoder.feed(ANSWER)[-1], TurnCompleted)
    assert decoder.done
    assert [] == decoder.feed(b"data: not json\n\n")
    assert [] == decoder.feed_payload(b"not json")
    assert [] == decoder.close()
    assert decode([ANSWER]) == decode([ANSWER + sse({"say": "more"})])


def test_an_event_comes_from_the_very_feed_that_completes_its_frame():
    """Live means live."""
    decoder = Tiny(BINDING)
    assert [] == decoder.feed(b'data: {"say": "a"}\n')
    assert [TextDelta("a", 0)] == decoder.feed(b"\n")


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_kind_of_bytes_may_be_fed(kind):
    """And none of it is kept: a caller may use its buffer again."""
    decoder, said = Tiny(BINDING), []
    for chunk in chunked(ANSWER, 9):
        buffer = bytearray(chunk)
        said += decoder.feed(kind(buffer))
        buffer[:] = b"x" * len(buffer)
    assert decode([ANSWER]) == said


@pytest.mark.parametrize("call", [lambda d: d.feed(b""), lambda d: d.feed_payload(b"{}")])
def test_a_closed_decoder_takes_nothing(call):
    """That is misuse, the one thing that raises."""
    decoder = Tiny(BINDING)
    decoder.close()
    with pytest.raises(RuntimeError, match="closed decoder"):
        call(decoder)
    assert [] == decoder.close()


def test_framed_payloads_give_the_same_events():
    """A WebSocket brings them one by one."""
    decoder, said = Tiny(BINDING), []
    for payload in ({"start": "id"}, {"say": "hel"}, {"say": "lo"}, {"usage": 3}, {"end": 1}):
        said += decoder.feed_payload(json.dumps(payload).encode(), "any \ud800 name")
    assert decode([ANSWER]) == said


def test_counters_that_did_not_change_are_not_reported_again():
    """And an odd thing said once is said once."""
    events = decode([sse({"usage": 3, "odd": "a"}, {"usage": 3, "odd": "a"}, {"end": 1})])
    assert [1, 1] == [
        sum(isinstance(event, kind) for event in events) for kind in (UsageReported, Warning)
    ]


def test_input_that_ends_early_is_a_refusal_with_what_stood():
    """End of input is never an answer."""
    error = failure(decode([sse({"start": "id"}, {"say": "hel"})]))
    assert (RefusalCode.PROTOCOL, "the stream ended before its end") == (error.code, error.message)
    assert (OpenItem(0, "text", "hel"),) == error.partial.open_items
    assert "id" == error.partial.observation.response_id


# the stream so far; what a cut after it says of dispatch and of a retry
CUT = [
    (b"", "UNKNOWN", True),
    (b": comment\n\n", "UNKNOWN", True),
    (sse({"start": "id"}), "ACCEPTED", True),
    (sse({"start": "id"}, {"usage": 3}, {"odd": "a"}), "ACCEPTED", True),
    (sse({"start": "id"}, {"say": "a"}), "ACCEPTED", False),
    (sse({"say": "a"}, {"usage": 3}), "ACCEPTED", False),
]


@pytest.mark.parametrize(("stream", "dispatch", "retriable"), CUT)
@pytest.mark.parametrize("inside", [b"", b'data: {"say"', b"data"])
def test_a_cut_stream_is_retriable_until_output_was_decoded(stream, dispatch, retriable, inside):
    """Opening, counters and warnings are no output; any payload was accepted."""
    for chunks in ([stream + inside], singles(stream + inside)):
        error = failure(decode(chunks))
        assert (RefusalCode.PROTOCOL, dispatch, retriable) == (
            error.code,
            error.dispatch,
            error.retriable,
        )
        assert retriable == error.may_retry
        where = "inside an event" if inside else "before its end"
        assert f"the stream ended {where}" == error.message


def test_a_last_event_without_its_blank_line_counts():
    """Some servers leave it out."""
    assert decode([ANSWER]) == decode([ANSWER[:-2]])


def test_a_wire_may_end_without_its_terminal_payload():
    """Where its own hook says so, and never inside an event."""
    stream = sse({"start": "may end anywhere"})
    assert isinstance(decode([stream])[-1], TurnCompleted)
    assert isinstance(decode([stream + b'data: {"say"'])[-1], TurnFailed)


@pytest.mark.parametrize("payload", [b"data: {\n\n", b"data: \xff\n\n", b'data: "\\ud800"\n\n'])
def test_a_payload_that_is_no_json_is_final(payload):
    """What came before stays; nothing quotes it."""
    error = failure(decode([sse({"say": "a"}) + payload]))
    assert (RefusalCode.PROTOCOL, Dispatch.ACCEPTED, False) == (
        error.code,
        error.dispatch,
        error.retriable,
    )
    assert "a payload that is not JSON" == error.message
    assert (OpenItem(0, "text", "a"),) == error.partial.open_items


@pytest.mark.parametrize(
    ("before", "dispatch", "retriable"),
    [
        ((), "REJECTED", True),
        (({"start": "id"},), "ACCEPTED", True),
        (({"start": "id"}, {"usage": 1}), "ACCEPTED", True),
        (({"say": "a"},), "ACCEPTED", False),
    ],
)
@pytest.mark.parametrize("cut", [lambda data: [data], singles])
def test_an_error_in_the_stream_is_retriable_before_output_only(before, dispatch, retriable, cut):
    """The same whether the output came in the same chunk or in an earlier one."""
    error = failure(decode(cut(sse(*before, {"error": {"type": "overloaded_error"}}))))
    assert ("UNAVAILABLE", dispatch, retriable) == (error.code, error.dispatch, error.retriable)


BODIES = [b'{"said": "hello"}', b' \r\n\t {"said": "hello"}\n', b'\xef\xbb\xbf{"said": "hello"}']


@pytest.mark.parametrize("body", BODIES)
def test_a_whole_answer_in_place_of_a_stream_is_read(body):
    """With a warning; the outcome keeps what the body said of itself."""
    events = decode([body])
    for other in (singles(body), chunked(body, 3)):
        assert events == decode(other)
    outcome = TurnOutcome(
        EndTurn(), (HELLO,), Observation(BINDING.provenance, "m", "id", Usage(3), True)
    )
    assert [
        ResponseStarted("id", "m"),
        Warning("quaint", "fixed"),
        Warning("whole-answer", "the server sent one body where a stream was asked"),
        ItemCompleted(HELLO, 0),
        UsageReported(Usage(3)),
        TurnCompleted(outcome),
    ] == events
    assert ["quaint", "whole-answer"] == [w.code for w in completed(events).warnings]


@pytest.mark.parametrize(
    ("body", "code", "dispatch", "retriable"),
    [
        (b'{"error": {"type": "overloaded_error"}}', "UNAVAILABLE", "REJECTED", True),
        (b'{"error": {"code": "insufficient_quota"}}', "BILLING", "UNKNOWN", False),
        (b'{"type": "error", "message": "m"}', "REFUSED", "UNKNOWN", False),
        (b'{"detail": "Not Found"}', "REFUSED", "UNKNOWN", False),
        (b'{"said"', "PROTOCOL", "UNKNOWN", False),
        (b"{}", "PROTOCOL", "ACCEPTED", False),
        (b"[", "PROTOCOL", "UNKNOWN", False),
    ],
)
def test_a_body_that_is_no_answer_is_the_error_that_it_is(body, code, dispatch, retriable):
    """Classified like an error in a stream, or no JSON at all."""
    error = failure(decode([body]))
    assert (code, dispatch, retriable) == (error.code, error.dispatch, error.retriable)
    assert [] == [event for event in decode([body])[:-1] if isinstance(event, TextDelta)]


OPENINGS = [
    b"",
    b" ",
    b"\n",
    b"\r\n\t ",
    b"\xef\xbb\xbf",
    b": c\n",
    b"{",
    b"[",
    b"data",
    b"x",
    b"\xef",
]


@given(
    st.lists(st.sampled_from(OPENINGS + BODIES + [ANSWER]), max_size=4)
    .map(b"".join)
    .flatmap(lambda data: st.tuples(st.just(data), cuts(data)))
)
def test_what_kind_of_body_it_is_never_depends_on_cuts(given):
    """White space, marks, streams and bodies in any order."""
    data, chunks = given
    assert decode([data]) == decode(chunks)


def test_endless_white_space_is_a_stream_that_says_nothing():
    """Nothing is held for longer than it takes to tell."""
    for size in (65_536, 65_537, 200_000):
        blank = b"\n" * size
        assert decode([ANSWER]) == decode(chunked(blank + ANSWER, 1000))
    assert "PROTOCOL" == failure(decode([b"\n" * 65_537 + BODIES[0]])).code
    assert isinstance(decode([b"\n" * 65_536 + BODIES[0]])[-1], TurnCompleted)


@pytest.mark.parametrize(
    ("limits", "data", "message"),
    [
        (Limits(frame_bytes=30), sse({"say": "a" * 30}), "past the limit frame_bytes"),
        (Limits(stream_bytes=40), ANSWER, "past the limit stream_bytes"),
        (Limits(stream_bytes=10), b'{"said": "hello"}', "past the limit stream_bytes"),
        (Limits(items=1), sse({"user": 1}, {"user": 1}), "past the limit items"),
    ],
)
def test_past_a_limit_the_answer_is_refused_at_once(limits, data, message):
    """Not at end of input; cut into bytes it is the same."""
    for chunks in ([data], singles(data)):
        decoder, events = Tiny(BINDING, limits=limits), []
        for chunk in chunks:
            events += decoder.feed(chunk)
        assert decoder.done
        error = failure(events)
        assert (RefusalCode.TOO_LARGE, message, False) == (
            error.code,
            error.message,
            error.retriable,
        )


def test_events_before_a_limit_stay():
    """In the same feed too."""
    data = sse({"say": "a"}, {"say": "b" * 100})
    events = decode([data], limits=Limits(frame_bytes=30))
    assert TextDelta("a", 0) == events[0]
    assert Dispatch.ACCEPTED is failure(events).dispatch


def test_framed_payloads_keep_to_the_limits_too():
    """Each by itself, and all together."""
    large = Tiny(BINDING, limits=Limits(frame_bytes=10))
    assert "past the limit frame_bytes" == failure(large.feed_payload(b'{"say": "abc"}')).message
    many = Tiny(BINDING, limits=Limits(stream_bytes=20))
    assert [TextDelta("a", 0)] == many.feed_payload(b'{"say": "a"}')
    assert "past the limit stream_bytes" == failure(many.feed_payload(b'{"say": "b"}')).message


def test_raw_payloads_are_kept_only_when_asked_for_and_bounded():
    """For a report of a broken answer."""
    stream = sse({"say": "a"}, {"say": "b"})
    assert () == failure(decode([stream])).partial.raw
    assert (b'{"say": "a"}', b'{"say": "b"}') == failure(
        decode([stream], keep_raw=True)
    ).partial.raw
    bounded = failure(decode([stream], keep_raw=True, limits=Limits(raw_bytes=12))).partial
    assert (b'{"say": "a"}',) == bounded.raw
    assert (b"{}",) == failure(decode([b"{}"], keep_raw=True)).partial.raw


def test_an_answer_that_contradicts_itself_is_a_failure():
    """An item that only a caller may write."""
    error = failure(decode([sse({"user": 1}, {"end": 1})]))
    assert ("PROTOCOL", "items[0]", Dispatch.ACCEPTED) == (error.code, error.path, error.dispatch)


def test_with_the_request_given_the_answer_is_held_against_it():
    """What was not honoured is a warning, in the stream and in the outcome."""
    request = TurnRequest.text(MODEL, "u", tools=(FunctionTool("f"),), tool_choice=REQUIRED)
    events = decode([ANSWER], request=request)
    odd = Warning("tool-choice-not-honoured", "the answer does not keep to the tool choice")
    assert odd == events[-2]
    assert (odd,) == completed(events).warnings


def test_a_snapshot_can_be_taken_at_any_moment():
    """It is the partial outcome that a failure there would carry."""
    decoder = Tiny(BINDING)
    assert Observation(BINDING.provenance) == decoder.snapshot().observation
    decoder.feed(sse({"say": "a"}))
    assert decoder.snapshot() == failure(decoder.close()).partial


def test_what_becomes_of_bad_arguments_is_one_of_two_words():
    """A mistyped word is a programming error."""
    with pytest.raises(ValueError, match="'refuse' or 'keep'"):
        Tiny(BINDING, invalid_arguments="drop")  # type: ignore[arg-type]  # the misuse under test


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_end_in_one_terminal_event(data, framed):
    """Law "only ours" for the shared half."""
    payload = b"data: " + data.replace(b"\n", b"") + b"\n\n" if framed else data
    events = decode([payload])
    assert [len(events) - 1] == [
        at for at, event in enumerate(events) if isinstance(event, TurnCompleted | TurnFailed)
    ]
    assert not isinstance(events[-1], TurnFailed) or isinstance(events[-1].error, Refusal)


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (Protocol.CHAT, b'{"new":1,"choices":[[]]}'),
        (Protocol.CHAT, b'{"usage":{"prompt_tokens":3,"completion_tokens":1},"choices":[[]]}'),
        (
            Protocol.RESPONSES,
            b"""{"object":"response","status":"completed","output":[
            {"type":"message","role":"assistant","new":1,"content":[{"type":"output_text","text":"said"}]},
            {"type":"function_call","call_id":3,"name":"f","arguments":"{}"}]}""",
        ),
        (Protocol.MESSAGES, b'{"type":"message","new":1,"content":3}'),
    ],
)
def test_what_stands_of_a_body_that_is_refused_was_told(protocol: Protocol, body: bytes) -> None:
    """Its items, counters and warnings come as events before the end, and its bytes stay with what stands."""
    decoder = WIRES[protocol].StreamDecoder(binding_of(protocol), keep_raw=True)
    events = [*decoder.feed(body), *decoder.close()]
    last = events[-1]
    assert isinstance(last, TurnFailed)
    assert isinstance(last.error, ResponseRefused)
    stands, told = last.error.partial, fold(events)
    assert stands is not None
    assert stands.items == told.items
    assert stands.warnings == told.warnings
    assert stands.observation.usage == told.observation.usage
    assert (body,) == stands.raw

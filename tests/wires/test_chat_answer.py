"""Events and outcomes to Chat answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import RefusalCode, ResponseRefused
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
    Warning,
)
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WireItem,
)
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
)
from llm_projections.model.results import AnswerShape
from llm_projections.wires.chat.answer import (
    IngressStream,
    aencode_ingress_stream,
    encode_ingress_answer,
    encode_ingress_completion,
    encode_ingress_stream,
)
from llm_projections.wires.chat.decode import decode_response
from tests.wires.chat_answering import CALL, ELSEWHERE, TEXT, deltas, ended, unsaid, whole, written
from tests.wires.chat_answers import BINDING, IDENTITY, SHAPE, carried, outcome

# the stream


def test_a_text_is_streamed_in_the_shape_that_every_client_takes() -> None:
    """Role once and first, an index and a finish reason on every choice, usage and sentinel last."""
    usage = Usage(5, 2, 1)
    observed = Observation(None, "up", "up_1", usage, True)
    head = {
        "id": "resp_1",
        "object": "chat.completion.chunk",
        "created": 1_760_000_000,
        "model": "client-model",
    }

    def choice(delta: Any, finish: str | None = None) -> Any:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    assert [
        choice({"role": "assistant", "content": None}),
        choice({"content": "Hel"}),
        choice({"content": "lo"}),
        choice({}, "stop"),
        {
            **head,
            "choices": [],
            "usage": {
                "prompt_tokens": 5,
                "completion_tokens": 2,
                "total_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 1},
            },
        },
        "[DONE]",
    ] == written(
        [
            ResponseStarted("up_1", "up"),
            TextDelta("Hel", 0),
            TextDelta("lo", 0),
            Warning("odd", "odd"),
            ItemCompleted(TEXT, 0),
            UsageReported(usage),
            TurnCompleted(ended(TEXT, observation=observed)),
        ]
    )


def test_nothing_but_data_lines_is_written() -> None:
    """And what some clients would take for the end of a line goes out as an escape."""
    said = ended(AssistantMessage((Text("a\u2028b\u2029c\u0085d 🙂"),)))
    data = b"".join(encode_ingress_stream([TurnCompleted(said)], IDENTITY, SHAPE))
    assert all(line.startswith("data: ") for line in data.decode().splitlines() if line)
    assert said.items == outcome(data).items


def test_usage_is_written_only_to_a_client_that_asked() -> None:
    """And only when something was counted."""
    counted = ended(TEXT, observation=Observation(usage=Usage(1, 1), final_usage=True))
    assert "usage" in written([TurnCompleted(counted)])[-2]
    quiet = AnswerShape(stream=True)
    assert "usage" not in written([TurnCompleted(counted)], quiet)[-2]
    assert "usage" not in written([TurnCompleted(ended(TEXT))])[-2]


def test_a_call_is_announced_once() -> None:
    """Id, type and name in the first fragment; index and arguments in the others."""
    made = written(
        [
            ToolCallStarted("call_1", "read", 0),
            ToolArgumentsDelta("call_1", '{"path":', 0),
            ToolArgumentsDelta("call_1", '"a"}', 0),
            ItemCompleted(CALL, 0),
            TurnCompleted(ended(CALL)),
        ]
    )
    first = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "read", "arguments": ""},
    }
    assert [
        {"tool_calls": [first]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"path":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"a"}'}}]},
    ] == deltas(made)
    assert "tool_calls" == made[-2]["choices"][0]["finish_reason"]


def test_calls_are_numbered_from_zero_in_order_of_appearance() -> None:
    """Whatever their items' indexes are."""
    other = ToolCall("call_2", "list", "{}")
    made = written(
        [
            ToolCallStarted("call_1", "read", 4),
            ToolCallStarted("call_2", "list", 7),
            ToolArgumentsDelta("call_2", "{}", 7),
            ToolArgumentsDelta("call_1", CALL.arguments, 4),
            ItemCompleted(CALL, 4),
            ItemCompleted(other, 7),
            TurnCompleted(ended(CALL, other)),
        ]
    )
    assert [0, 1, 1, 0] == [delta["tool_calls"][0]["index"] for delta in deltas(made)]


def test_an_outcome_alone_is_written_whole() -> None:
    """Items that no event has shown are shown at the end."""
    said = ended(
        Reasoning("hm"),
        AssistantMessage((Text("Hello"), RefusalText("no"))),
        CALL,
    )
    assert [
        {"reasoning_content": "hm"},
        {"content": "Hello"},
        {"refusal": "no"},
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "read", "arguments": CALL.arguments},
                }
            ]
        },
    ] == deltas(written([TurnCompleted(said)]))


def test_what_a_completed_item_adds_is_sent() -> None:
    """The rest of a text, of a refusal, of arguments that were blank."""
    blank = ToolCall("call_1", "now", "{}")
    message = AssistantMessage((Text("Hello"), RefusalText("no")))
    made = written(
        [
            TextDelta("Hel", 0),
            RefusalDelta("n", 0),
            ItemCompleted(message, 0),
            ToolCallStarted("call_1", "now", 1),
            ItemCompleted(blank, 1),
            TurnCompleted(ended(message, blank)),
        ]
    )
    told = deltas(made)
    assert [{"content": "Hel"}, {"refusal": "n"}, {"content": "lo"}, {"refusal": "o"}] == told[:4]
    assert "{}" == told[-1]["tool_calls"][0]["function"]["arguments"]


@pytest.mark.parametrize(
    "made",
    [
        [TextDelta("a", 0), ItemCompleted(TEXT, 0)],
        [RefusalDelta("x", 0), ItemCompleted(TEXT, 0)],
        [TextDelta("a", 0), ReasoningDelta("b", 0)],
        [TextDelta("H", 0), ItemCompleted(Reasoning("H"), 0)],
        [ItemCompleted(TEXT, 0), ItemCompleted(TEXT, 0)],
        [ItemCompleted(TEXT, 0), TextDelta("more", 0)],
        [ToolCallStarted("call_1", "f", 0), ToolCallStarted("call_1", "f", 0)],
        [ToolArgumentsDelta("call_1", "{}", 0)],
        [
            ToolCallStarted("call_1", "read", 0),
            ToolArgumentsDelta("call_1", "[", 0),
            ItemCompleted(CALL, 0),
        ],
        [ItemCompleted(TEXT, 0), TurnCompleted(ended(CALL))],
        [ItemCompleted(TEXT, 0), TurnCompleted(ended())],
        [ItemCompleted(TEXT, 0), ItemCompleted(CALL, 1), TurnCompleted(ended(CALL, TEXT))],
    ],
)
def test_what_contradicts_what_was_sent_is_refused(made: list[Event]) -> None:
    """The stream stays open, so that a failure can close it."""
    stream = IngressStream(IDENTITY, SHAPE)
    for event in made[:-1]:
        stream.encode(event)
    with pytest.raises(ResponseRefused) as error:
        stream.encode(made[-1])
    assert RefusalCode.UNSUPPORTED is unsaid(error).code
    assert not stream.done
    assert b'"error"' in stream.fail(error.value)
    assert stream.done


def test_a_failure_is_an_error_chunk_and_nothing_after_it() -> None:
    """No finish reason, no sentinel; the provider's words are passed on."""
    upstream = UpstreamError(message="theirs")
    error = ResponseRefused(RefusalCode.UNAVAILABLE, "ours", upstream=upstream)
    made = written([TextDelta("a", 0), TurnFailed(error)])
    assert {
        "error": {
            "message": "theirs",
            "type": "server_error",
            "param": None,
            "code": "server_is_overloaded",
        }
    } == made[-1]


def test_a_failure_before_any_output_needs_no_model() -> None:
    """There may be none to name."""
    stream = IngressStream(evolve(IDENTITY, model=None), SHAPE)
    assert stream.fail(ResponseRefused(RefusalCode.PROTOCOL, "x")).startswith(b'data: {"error"')
    assert b"" == stream.fail(ResponseRefused(RefusalCode.PROTOCOL, "x"))


def test_a_lone_surrogate_is_refused_by_path() -> None:
    """The bytes are always valid UTF-8."""
    with pytest.raises(ResponseRefused) as error:
        IngressStream(IDENTITY, SHAPE).encode(TextDelta("\ud83d", 3))
    assert "items[3]" == unsaid(error).path


def test_a_keepalive_is_a_comment() -> None:
    """Clients skip it."""
    assert IngressStream(IDENTITY, SHAPE).keepalive().startswith(b": ")


def test_the_model_is_the_callers_or_the_reported_one() -> None:
    """Or nobody's, which is refused before the head."""
    nobody = Identity("r", 1)
    reported = [ResponseStarted(None, "up"), TurnCompleted(ended(TEXT))]
    data = b"".join(encode_ingress_stream(reported, nobody, SHAPE))
    assert b'"model":"up"' in data
    with pytest.raises(ResponseRefused) as error:
        IngressStream(nobody, SHAPE).encode(TextDelta("a", 0))
    assert "model" == unsaid(error).path
    with pytest.raises(ResponseRefused):
        encode_ingress_answer(ended(TEXT), nobody)


# how it ends


@pytest.mark.parametrize(
    ("stop", "word"),
    [
        (EndTurn(), "stop"),
        (MaxOutputTokens(), "length"),
        (StopSequence(), "stop"),
        (Incomplete("content_filter"), "content_filter"),
        (Incomplete("refusal"), "content_filter"),
        (Incomplete("model_context_window_exceeded"), "length"),
    ],
)
def test_a_stop_is_said_in_the_words_of_this_wire(stop: StopReason, word: str) -> None:
    """By the table."""
    assert word == whole(ended(TEXT, stop=stop))["choices"][0]["finish_reason"]


def test_a_reason_of_this_wire_goes_back_as_it_came() -> None:
    """Also one that nobody publishes."""
    said = ended(TEXT, stop=Incomplete("odd"), observation=Observation(BINDING.provenance))
    assert "odd" == whole(said)["choices"][0]["finish_reason"]


def test_an_end_beside_a_call_is_written_as_tool_calls() -> None:
    """The encoder holds the wire's rule; a limit stands."""
    assert "tool_calls" == whole(ended(CALL, stop=EndTurn()))["choices"][0]["finish_reason"]
    assert "length" == whole(ended(CALL, stop=MaxOutputTokens()))["choices"][0]["finish_reason"]


# whole answers


def test_a_whole_answer_has_the_keys_of_the_vendor() -> None:
    """In the vendor's order, absent content as null."""
    said = ended(
        Reasoning("hm"),
        CALL,
        observation=Observation(usage=Usage(5, 2, 1, 2, 1), final_usage=True),
    )
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "read", "arguments": CALL.arguments},
    }
    assert {
        "id": "resp_1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "client-model",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "refusal": None,
                    "reasoning_content": "hm",
                    "tool_calls": [call],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 5,
            "completion_tokens": 2,
            "total_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    } == whole(said)
    assert encode_ingress_completion is encode_ingress_answer


def test_what_this_wire_carried_goes_back_to_its_places() -> None:
    """In a stream and in a whole body, so that the same outcome is read again."""
    details: Any = [{"type": "reasoning.encrypted", "data": "x", "index": 0}]
    extra: Any = {"google": {"thought_signature": "c2ln"}}
    cited: Any = {"type": "url_citation", "url_citation": {"url": "u"}}
    sealed = Extension(
        Protocol.CHAT, "messages.tool_calls.extra_content", extra, BINDING.provenance
    )
    message = AssistantMessage(
        (Text("a", (carried("messages.annotations", cited),)),),
        (carried("answer.logprobs", {"content": [1]}),),
    )
    legacy: Any = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "f", "arguments": "{}"},
    }
    said = TurnOutcome(
        ToolCalls(),
        (
            Opaque(BINDING.provenance, {"reasoning_details": details}, "hm"),
            message,
            ToolCall("call_1", "f", "{}", None, (sealed,)),
            WireItem(Protocol.CHAT, legacy, None, "call"),
        ),
        Observation(
            BINDING.provenance,
            "client-model",
            "resp_1",
            Usage(
                5,
                2,
                reported={
                    "prompt_tokens": 5,
                    "completion_tokens": 2,
                    "total_tokens": 7,
                    "cost": 0.5,
                },
            ),
            True,
        ),
        (),
        (
            carried("answer.service_tier", "flex"),
            carried("answer.message.channel", "final"),
            carried("answer.choices.content_filter_results", {"a": 1}),
        ),
    )
    streamed = b"".join(encode_ingress_stream([TurnCompleted(said)], IDENTITY, SHAPE))
    assert said == outcome(streamed)
    again = decode_response(encode_ingress_answer(said, IDENTITY), BINDING)
    # a body says nothing of the order of calls of two kinds
    assert set(map(repr, said.items)) == set(map(repr, again.items))
    assert evolve(said, items=()) == evolve(again, items=())


def test_all_sealed_reasoning_of_a_whole_answer_stands_in_one_list() -> None:
    """A client sends back what it was given, so that a lost entry would be missed by the provider."""
    sealed = [
        Opaque(BINDING.provenance, {"reasoning_details": [{"data": data}]}) for data in ("a", "b")
    ]
    message = whole(ended(*sealed, TEXT))["choices"][0]["message"]
    assert [{"data": "a"}, {"data": "b"}] == message["reasoning_details"]


def test_counters_that_were_read_on_another_scale_are_written_on_this_one() -> None:
    """The total is their sum; what only the other wire counts is not written."""
    usage = Usage(1000, 5, 900, None, None, {"input_tokens": 100, "cache_read_input_tokens": 900})
    said = ended(TEXT, observation=Observation(ELSEWHERE, usage=usage))
    assert {
        "prompt_tokens": 1000,
        "completion_tokens": 5,
        "total_tokens": 1005,
        "prompt_tokens_details": {"cached_tokens": 900},
    } == whole(said)["usage"]


# laws


_TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8
)  # a lone surrogate is refused
_ITEMS = st.tuples(
    st.none() | st.builds(Reasoning, _TEXTS),
    st.none() | st.builds(lambda text: AssistantMessage((Text(text),)), _TEXTS),
    st.lists(_TEXTS, max_size=3).map(
        lambda texts: [
            ToolCall(f"call_{at}", "f", orjson.dumps({"a": text}).decode())
            for at, text in enumerate(texts)
        ]
    ),
).map(lambda parts: tuple(item for item in (*parts[:2], *parts[2]) if item is not None))


@given(_ITEMS, st.integers(1, 4))
def test_law_relay_to_the_same_wire(items: tuple[Item, ...], size: int) -> None:
    """Written from deltas of any size, and read again, an answer is the same answer."""
    made: list[Event] = [ResponseStarted("resp_1", "client-model")]
    for index, item in enumerate(items):
        match item:
            case Reasoning(text=text):
                made += [ReasoningDelta(piece, index) for piece in _pieces(text, size)]
            case ToolCall():
                made.append(ToolCallStarted(item.call_id, item.name, index))
                made += [
                    ToolArgumentsDelta(item.call_id, piece, index)
                    for piece in _pieces(item.arguments, size)
                ]
            case AssistantMessage(content=(Text(text=text),)):
                made += [TextDelta(piece, index) for piece in _pieces(text, size)]
            case _:
                pass
        made.append(ItemCompleted(item, index))
    observed = Observation(BINDING.provenance, "client-model", "resp_1")
    said = evolve(ended(*items), observation=observed)
    made.append(TurnCompleted(said))
    assert said == outcome(b"".join(encode_ingress_stream(made, IDENTITY, SHAPE)))
    assert said == decode_response(encode_ingress_answer(said, IDENTITY), BINDING)


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


async def _later(made: list[Event]) -> list[bytes]:
    async def source() -> AsyncIterator[Event]:
        for event in made:
            yield event

    return [data async for data in aencode_ingress_stream(source(), IDENTITY, SHAPE)]


def test_asynchronous_events_give_the_same_bytes() -> None:
    """Under any event loop: here, under none."""
    made: list[Event] = [TextDelta("Hello", 0), TurnCompleted(ended(TEXT))]
    waiting = _later(made)
    with pytest.raises(StopIteration) as stopped:
        waiting.send(None)
    assert list(encode_ingress_stream(made, IDENTITY, SHAPE)) == stopped.value.value

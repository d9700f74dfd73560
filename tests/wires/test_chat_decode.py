"""Chat answers to events and outcomes: what they say, and the laws."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import Dispatch, Refusal
from llm_projections.fold import fold
from llm_projections.model.events import (
    ItemCompleted,
    ReasoningDelta,
    ResponseStarted,
    TextDelta,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WirePart,
)
from llm_projections.model.outcome import (
    EndTurn,
    Usage,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wires.chat import project_request
from llm_projections.wires.chat.decode import StreamDecoder, adecode_stream, decode_response
from tests.helpers import cuts, reads
from tests.wires.chat_answers import (
    BINDING,
    DONE,
    HEAD,
    USAGE,
    body,
    carried,
    chunk,
    events,
    fragment,
    outcome,
    payload,
    refused,
    said,
)

HELLO = said(
    {"role": "assistant", "content": ""}, {"content": "Hel"}, {"content": "lo"}, usage=USAGE
)
EVERYTHING = said(
    {"role": "assistant", "content": None},
    {"reasoning_content": "hm"},
    {"reasoning_content": ", so"},
    {"content": "I look."},
    fragment(0, "call_a", "read", ""),
    fragment(0, None, None, '{"path":'),
    fragment(1, "call_b", "list", "{}"),
    fragment(0, None, None, '"ä\u2028"}'),
    {"refusal": "no"},
    finish="tool_calls",
    usage=USAGE,
)


def message(text: str) -> AssistantMessage:
    """One plain text."""
    return AssistantMessage((Text(text),))


# texts


def test_a_text_comes_in_deltas_and_ends_in_one_item() -> None:
    """Empty deltas are no events; who answers is said first; the counters come before the end."""
    usage = Usage(5, 2, reported=USAGE)
    made = reads(events, HELLO)
    assert [
        ResponseStarted("chatcmpl-1", "m-1"),
        TextDelta("Hel", 0),
        TextDelta("lo", 0),
        UsageReported(usage),
        ItemCompleted(message("Hello"), 0),
    ] == made[:-1]
    last = made[-1]
    assert isinstance(last, TurnCompleted)
    assert (EndTurn(), (message("Hello"),)) == (last.outcome.stop, last.outcome.items)
    seen = last.outcome.observation
    assert (usage, True, "m-1", "chatcmpl-1", BINDING.provenance) == (
        seen.usage,
        seen.final_usage,
        seen.upstream_model,
        seen.response_id,
        seen.provenance,
    )


def test_the_events_add_up_to_the_outcome() -> None:
    """Also with calls whose fragments interleave, and where text goes on after a call."""
    made = reads(events, EVERYTHING)
    last = made[-1]
    assert isinstance(last, TurnCompleted)
    assert last.outcome.items == fold(made).items
    assert (
        Reasoning("hm, so"),
        message("I look."),
        ToolCall("call_a", "read", '{"path":"ä\u2028"}'),
        ToolCall("call_b", "list", "{}"),
        AssistantMessage((RefusalText("no"),)),
    ) == last.outcome.items


def test_the_last_text_may_share_a_chunk_with_the_finish_reason() -> None:
    """Nothing of it is lost."""
    data = chunk({"content": "Bonjour"}) + chunk({"content": " !"}, "stop") + DONE
    assert (message("Bonjour !"),) == outcome(data).items


def test_text_on_both_sides_of_a_call_is_one_item() -> None:
    """The wire has one content; blanks after a call are part of it."""
    data = said({"content": "a"}, fragment(0, "c", "f", "{}"), {"content": "\n"})
    assert (message("a\n"), ToolCall("c", "f", "{}")) == outcome(data).items


def test_content_in_typed_chunks_is_read_as_its_texts_and_thinking() -> None:
    """Mistral's spelling; a chunk of no kind is refused by its place, and so is a known one without its field."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    data = said({"content": [thinking]}, {"content": [{"type": "text", "text": "Hi"}]})
    assert (Reasoning("hm"), message("Hi")) == outcome(data).items
    for odd in ({"type": ""}, {"type": "text"}, {"type": "thinking", "thinking": 1}, {"text": "x"}):
        assert "choices[0].delta.content[0]" == refused(said({"content": [odd]})).path


@pytest.mark.parametrize("text", [[], [{"type": "text", "text": "Hi"}]])
def test_a_chunk_of_an_unknown_kind_is_kept(text: list[Any]) -> None:
    """Beside its text, with a warning; it goes back to its own wire as it came."""
    reference = {"type": "reference", "reference_ids": [1, 2]}
    found = outcome(said({"content": [*text, reference]}, {"content": [reference]}))
    parts = tuple(Text(each["text"]) for each in text)
    kept = WirePart(Protocol.CHAT, reference)
    assert (AssistantMessage((*parts, kept, kept)),) == found.items
    assert ["unknown-output-item"] == [warning.code for warning in found.warnings]
    turn = TurnRequest.text(BINDING.model, "again")
    again = project_request(evolve(turn, items=(*found.items, *turn.items)), BINDING)
    assert [*text, reference, reference] == again.body["messages"][0]["content"]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": "a", "new": 1},
        {"type": "refusal", "refusal": "a", "new": 1},
        {"type": "thinking", "thinking": "a", "new": 1},
        {"type": "thinking", "thinking": [{"type": "text", "text": "a", "new": 1}]},
    ],
)
def test_a_field_of_a_typed_chunk_that_nobody_publishes_is_told(part: dict[str, Any]) -> None:
    """As every other is; a thought that says that it is closed has a published one."""
    codes = [warning.code for warning in outcome(said({"content": [part]})).warnings]
    assert ["unknown-answer-field"] == codes
    closed = {"type": "thinking", "thinking": [{"type": "text", "text": "a"}], "closed": True}
    assert () == outcome(said({"content": [closed]})).warnings


# reasoning


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_is_whole_when_text_begins(name: str) -> None:
    """Under either name, never joined to the text."""
    made = reads(events, said({name: "so"}, {name: " be"}, {"content": "it"}))
    assert [
        ReasoningDelta("so", 0),
        ReasoningDelta(" be", 0),
        ItemCompleted(Reasoning("so be"), 0),
        TextDelta("it", 1),
        ItemCompleted(message("it"), 1),
    ] == made[1:-1]


def test_reasoning_comes_before_text_within_a_chunk() -> None:
    """Whatever the order of the keys."""
    data = said({"content": "Answer", "reasoning_content": "so"})
    assert (Reasoning("so"), message("Answer")) == outcome(data).items


def test_the_same_reasoning_under_both_names_counts_once() -> None:
    """Different ones are refused by name."""
    same = said({"reasoning": "The cat", "reasoning_content": "The cat"})
    assert (Reasoning("The cat"),) == outcome(same).items
    different = said({"reasoning": "a", "reasoning_content": "b"})
    assert "choices[0].delta.reasoning" == refused(different).path


def test_reasoning_details_become_one_sealed_item() -> None:
    """Pieces of one entry are joined, a signature is added, and what is shown is not shown twice."""
    data = said(
        {"reasoning": "I ", "reasoning_details": [_detail("I ")]},
        {"reasoning": "see", "reasoning_details": [_detail("see")]},
        {"reasoning_details": [_detail("", signature="sig")]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": "x", "index": 1}]},
        {"content": "ok"},
    )
    details: list[Any] = [
        _detail("I see", signature="sig"),
        {"type": "reasoning.encrypted", "data": "x", "index": 1},
    ]
    sealed = Opaque(BINDING.provenance, {"reasoning_details": details}, "I see")
    assert (sealed, message("ok")) == outcome(data).items


def test_reasoning_details_alone_are_readable() -> None:
    """Their texts are shown where no other field shows them."""
    made = events([said({"reasoning_details": [_detail("thought")]})])
    assert ReasoningDelta("thought", 0) in made


def test_sealed_state_after_the_text_is_an_item_of_its_own() -> None:
    """It stays in its place, and the array can be put together again in order."""
    sealed: Any = {"type": "reasoning.encrypted", "data": "x", "index": 0}
    data = said({"reasoning": "a"}, {"content": "b"}, {"reasoning_details": [sealed]})
    assert (
        Reasoning("a"),
        message("b"),
        Opaque(BINDING.provenance, {"reasoning_details": [sealed]}),
    ) == outcome(data).items


def _detail(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "index": 0, **more}


# what is carried


def test_fields_beside_the_message_are_extensions() -> None:
    """Published ones without a word, others with one warning a stream; nulls say nothing."""
    choice = {"index": 0, "delta": {"content": "x", "vibe": 1}, "content_filter_results": {"a": 1}}
    data = (
        payload({**HEAD, "service_tier": "default", "odd": None, "choices": [choice]})
        + chunk({"vibe": 2}, "stop", system_fingerprint="fp", odd=1)
        + DONE
    )
    ended = outcome(data)
    assert (
        carried("answer.service_tier", "default"),
        carried("answer.system_fingerprint", "fp"),
        carried("answer.odd", 1),
        carried("answer.message.vibe", [1, 2]),
        carried("answer.choices.content_filter_results", {"a": 1}),
    ) == ended.extensions
    assert ["unknown-answer-field"] == [warning.code for warning in ended.warnings]


def test_a_field_of_the_answer_has_its_last_value() -> None:
    """A server knows the tier that it answered in when it is done."""
    data = chunk({"content": "x"}, None, service_tier="auto") + chunk(
        {}, "stop", service_tier="flex"
    )
    assert (carried("answer.service_tier", "flex"),) == outcome(data + DONE).extensions


def test_logprobs_stay_with_the_message() -> None:
    """Gathered over the chunks."""
    first = {"index": 0, "delta": {"content": "a"}, "logprobs": {"content": [1], "refusal": None}}
    second = {"index": 0, "delta": {"content": "b"}, "logprobs": {"content": [2]}}
    data = payload({**HEAD, "choices": [first]}) + payload({**HEAD, "choices": [second]})
    (item,) = outcome(data + chunk(None, "stop") + DONE).items
    assert (carried("answer.logprobs", {"content": [1, 2]}),) == item.extensions


def test_annotations_stay_with_the_text() -> None:
    """Unread."""
    cited = {"type": "url_citation", "url_citation": {"url": "u"}}
    data = said({"content": "x"}, {"annotations": [cited]})
    text = Text("x", (carried("messages.annotations", cited),))
    assert (AssistantMessage((text,)),) == outcome(data).items


def test_annotations_of_several_chunks_are_all_kept() -> None:
    """In the order in which they came."""
    data = said({"content": "x"}, {"annotations": [1, 2]}, {"annotations": [3]})
    cited = tuple(carried("messages.annotations", each) for each in (1, 2, 3))
    assert (AssistantMessage((Text("x", cited),)),) == outcome(data).items


def test_spoken_output_is_carried_with_what_a_later_request_says_of_it() -> None:
    """Its pieces are joined; a request names it by its id."""
    data = said({"audio": {"id": "au", "transcript": "Hel"}}, {"audio": {"transcript": "lo"}})
    (item,) = outcome(data).items
    assert (
        carried("answer.audio", {"id": "au", "transcript": "Hello"}),
        carried("messages.audio", {"id": "au"}),
    ) == item.extensions


def test_an_opening_chunk_without_a_name_says_nothing() -> None:
    """Azure's filter results come before the answer, without id and model."""
    opening = payload({"id": "", "model": "", "choices": [], "prompt_filter_results": [1]})
    made = events([opening + HELLO])
    assert [ResponseStarted("chatcmpl-1", "m-1")] == [
        event for event in made if isinstance(event, ResponseStarted)
    ]


# the object


def test_a_snapshot_tells_what_stands() -> None:
    """At any moment; calls that nobody knows yet are open items."""
    decoder = StreamDecoder(BINDING)
    decoder.feed(chunk({"content": "a"}) + chunk(fragment(0, "c", None, '{"x')))
    partial = decoder.snapshot()
    assert [("text", "a", None), ("call", '{"x', "c")] == [
        (each.kind, each.text, each.call_id) for each in partial.open_items
    ]


async def _later(data: bytes) -> list[Any]:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(data), 5):
            yield data[at : at + 5]

    return [event async for event in adecode_stream(chunks(), BINDING)]


def test_asynchronous_input_gives_the_same_events() -> None:
    """Under any event loop: here, under none."""
    waiting = _later(HELLO)
    with pytest.raises(StopIteration) as stopped:
        waiting.send(None)
    assert events([HELLO]) == stopped.value.value


# laws


@given(cuts(EVERYTHING))
def test_law_cuts(pieces: list[bytes]) -> None:
    """Where the bytes are cut never shows in the events."""
    assert events([EVERYTHING]) == events(pieces)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["", "a", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "content",
                    "index",
                    "id",
                    "function",
                    "name",
                    "arguments",
                    "tool_calls",
                    "usage",
                    "error",
                    "reasoning",
                    "reasoning_details",
                    "finish_reason",
                    "message",
                    "refusal",
                    "logprobs",
                    "x_groq",
                    "audio",
                    "annotations",
                    "text",
                    "type",
                    "function_call",
                    "prompt_tokens",
                    "total_tokens",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(_JSON, max_size=5), st.booleans())
def test_law_only_ours(values: list[Any], framed: bool) -> None:
    """Any payloads give events, or a refusal in a terminal event, and nothing else."""
    data = b"".join(chunk(value) if framed else payload(value) for value in values)
    made = events([data + chunk({}, "stop") + DONE])
    assert isinstance(made[-1], TurnCompleted | TurnFailed)
    assert not any(isinstance(event, TurnCompleted | TurnFailed) for event in made[:-1])


@given(_JSON)
def test_law_only_ours_for_whole_answers(value: Any) -> None:
    """Any message gives an outcome or a refusal."""
    refusal: Refusal | None = None
    try:
        decode_response(body(value), BINDING)
    except Refusal as error:
        refusal = error
    assert refusal is None or refusal.dispatch is not Dispatch.NOT_SENT


@given(st.binary(max_size=200), st.integers(0, len(EVERYTHING)))
def test_law_only_ours_for_bytes(noise: bytes, at: int) -> None:
    """Any bytes, also in the middle of a stream."""
    made = events([EVERYTHING[:at] + noise + EVERYTHING[at:]])
    assert isinstance(made[-1], TurnCompleted | TurnFailed)

"""Responses answers to events and outcomes: what they say, however a server says it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import Dispatch, RefusalCode
from llm_projections.model.dialect import Dialect
from llm_projections.model.events import (
    ItemCompleted,
    ReasoningDelta,
    RefusalDelta,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    UsageReported,
)
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Opaque,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
)
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    ToolCalls,
    Usage,
)
from llm_projections.wires.responses.decode import decode_response
from tests.wires.responses_answers import (
    BINDING,
    EVERYTHING,
    HEAD,
    HELLO,
    SEALED,
    USAGE,
    added,
    arguments_delta,
    call,
    done,
    ended,
    event,
    events,
    first,
    message,
    outcome,
    own,
    raw_delta,
    refused,
    response,
    said,
    summary_delta,
    text_delta,
    warned,
)

# what is said


def test_a_text_is_shown_as_it_comes_and_then_whole():
    """Each delta is one event; the finished item follows, and the turn ends with the terminal payload."""
    item = AssistantMessage((Text("Hello"),), (own("input.id", "msg_u"),))
    usage = Usage(11, 7, 4, 0, 2, USAGE)
    expected = [
        ResponseStarted("resp_u", "m-1"),
        TextDelta("Hel", 0),
        TextDelta("lo", 0),
        ItemCompleted(item, 0),
        UsageReported(usage),
    ]
    found = events(HEAD + said(HELLO, text_delta("Hel"), text_delta("lo")) + ended(HELLO))
    assert expected == found[:-1]
    last = found[-1]
    assert isinstance(last, TurnCompleted)
    assert (EndTurn(), (item,)) == (last.outcome.stop, last.outcome.items)
    assert usage == last.outcome.observation.usage
    assert last.outcome.observation.final_usage


def test_everything_at_once_keeps_its_order():
    """Items stand by output index, and calls make the stop."""
    found = outcome(EVERYTHING)
    assert [Opaque, AssistantMessage, ToolCall] == [type(item) for item in found.items]
    assert ToolCalls() == found.stop


def test_a_call_is_announced_before_its_arguments():
    """The name and id come with the announcement of the item."""
    data = HEAD + said(call("c1", "f", '{"a":1}'), arguments_delta('{"a"'), arguments_delta(":1}"))
    found = events(data + ended())
    assert [
        ToolCallStarted("c1", "f", 0),
        ToolArgumentsDelta("c1", '{"a"', 0),
        ToolArgumentsDelta("c1", ":1}", 0),
    ] == found[1:4]


def test_arguments_wait_for_a_name_that_comes_late():
    """Nothing is shown of a call before its name is known; then all of it is."""
    late = {"type": "function_call", "id": "fc_u"}
    data = HEAD + added(late) + arguments_delta("{") + arguments_delta("}")
    data += event("response.function_call_arguments.done", item_id="fc_u", arguments="{}", name="f")
    found = events(data + done(call("c1", "f", "{}")) + ended())
    assert [ToolCallStarted("c1", "f", 0), ToolArgumentsDelta("c1", "{}", 0)] == found[1:3]


def test_a_custom_call_has_free_text():
    """Its input is text, not JSON."""
    item = {"type": "custom_tool_call", "id": "ctc_u", "call_id": "c1", "name": "patch"}
    item |= {"input": "*** x"}
    delta = event("response.custom_tool_call_input.delta", item_id="ctc_u", delta="*** x")
    found = events(HEAD + said(item, delta) + ended(item))
    assert ToolCallStarted("c1", "patch", 0, custom=True) == found[1]
    last = found[-1]
    assert isinstance(last, TurnCompleted)
    assert (CustomToolCall("c1", "patch", "*** x", None, (own("input.id", "ctc_u"),)),) == (
        last.outcome.items
    )


def test_a_refusal_part_stays_apart_from_text():
    """The model's words of refusal are a part of their own."""
    item = message("") | {"content": [{"type": "refusal", "refusal": "No."}]}
    delta = event("response.refusal.delta", item_id="msg_u", content_index=0, delta="No.")
    found = events(HEAD + said(item, delta) + ended(item))
    assert RefusalDelta("No.", 0) == found[1]
    assert (RefusalText("No."),) == first(AssistantMessage, HEAD + said(item) + ended(item)).content


def test_annotations_stay_with_their_text():
    """A citation is carried whole, unread."""
    cited = {"type": "url_citation", "url": "https://a.example", "title": "A"}
    part = {"type": "output_text", "text": "Hello", "annotations": [cited]}
    item = message("Hello") | {"content": [part]}
    added_ = event("response.output_text.annotation.added", item_id="msg_u", annotation=cited)
    found = outcome(HEAD + said(item, text_delta("Hello"), added_) + ended(item)).items[0]
    assert isinstance(found, AssistantMessage)
    assert (Text("Hello", (own("input.content.annotations", cited),)),) == found.content


def test_annotations_that_only_their_events_tell_stay():
    """A finished item that leaves them out, and an answer that lists no items, lose none."""
    cited = {"type": "url_citation", "url": "https://a.example", "title": "A"}
    told = event("response.output_text.annotation.added", item_id="msg_u", annotation=cited)
    streamed = HEAD + added(message("")) + text_delta("Hello") + told
    expected = (Text("Hello", (own("input.content.annotations", cited),)),)
    for end in (ended(), done(message("Hello")) + ended(message("Hello"))):
        assert expected == first(AssistantMessage, streamed + end).content


def test_an_end_that_says_another_text_is_told():
    """The item was whole before: it stays, and a warning says that the answer's end differs."""
    data = HEAD + said(message("Hello"), text_delta("Hello")) + ended(message("Help"))
    assert (Text("Hello"),) == first(AssistantMessage, data).content
    assert ["text-differs"] == warned(data)


def test_what_stands_beside_the_response_is_kept():
    """llama.cpp tells its timings there."""
    data = HEAD + event(
        "response.completed", response=response(output=[HELLO]), timings={"cache_n": 1}
    )
    assert own("answer.timings", {"cache_n": 1}) in outcome(data).extensions
    assert ["unknown-answer-field"] == warned(data)


# reasoning


def test_sealed_reasoning_is_opaque_and_its_summary_is_readable():
    """The whole item is kept; the parts of the summary are joined by an empty line, as they were shown."""
    found = events(HEAD + said(SEALED, summary_delta("A"), summary_delta("B", 1)) + ended(SEALED))
    assert [ReasoningDelta("A", 0, True), ReasoningDelta("\n\nB", 0, True)] == found[1:3]
    item = ItemCompleted(Opaque(BINDING.provenance, SEALED, "A\n\nB"), 0)
    assert item == found[3]


@pytest.mark.parametrize("kind", ["response.reasoning_text.delta", "response.reasoning.delta"])
def test_raw_reasoning_is_not_a_summary(kind: str):
    """Open-weight servers stream the raw text, under either name."""
    content = [{"type": "reasoning_text", "text": "17"}]
    item = {"type": "reasoning", "id": "rs_u", "summary": [], "content": content}
    found = events(HEAD + said(item, raw_delta("1", kind), raw_delta("7", kind)) + ended(item))
    assert [ReasoningDelta("1", 0), ReasoningDelta("7", 0)] == found[1:3]
    assert ItemCompleted(Reasoning("17", False, (own("input.id", "rs_u"),)), 0) == found[3]


def test_a_summary_beside_raw_reasoning_is_kept_and_neither_is_doubled():
    """The raw text is the item's; the summary is its extension."""
    summary = [{"type": "summary_text", "text": "S"}]
    content = [{"type": "reasoning_text", "text": "R"}]
    item = {"type": "reasoning", "id": "rs_u", "summary": summary, "content": content}
    data = HEAD + said(item, raw_delta("R"), summary_delta("S")) + ended(item)
    assert [ReasoningDelta("R", 0), ReasoningDelta("S", 0, True)] == events(data)[1:3]
    kept = (own("input.id", "rs_u"), own("input.summary", summary))
    assert (Reasoning("R", False, kept),) == outcome(data).items


def test_reasoning_without_a_seal_is_only_readable():
    """An item without ciphertext cannot be continued from."""
    item = {"type": "reasoning", "id": "rs_u", "summary": [], "encrypted_content": None}
    assert (Reasoning("", True, (own("input.id", "rs_u"),)),) == outcome(
        HEAD + said(item) + ended(item)
    ).items


# said once, however often it is said


def test_a_text_repeated_by_done_events_counts_once():
    """`.done`, the part, the item and the terminal object say the same again."""
    place = {"item_id": "msg_u", "output_index": 0, "content_index": 0}
    part = HELLO["content"][0]
    data = HEAD + added(HELLO) + text_delta("Hel") + text_delta("lo")
    data += event("response.output_text.done", **place, text="Hello")
    data += event("response.content_part.done", **place, part=part) + done(HELLO) + ended(HELLO)
    assert ["Hel", "lo"] == [e.text for e in events(data) if isinstance(e, TextDelta)]
    assert 1 == len(outcome(data).items)


@pytest.mark.parametrize("repeated", ["ha", "\n"])
def test_equal_deltas_are_not_taken_for_repetitions(repeated: str):
    """A token that the model said twice stands twice."""
    item = message(repeated * 2)
    data = HEAD + said(item, text_delta(repeated), text_delta(repeated)) + ended(item)
    assert [repeated] * 2 == [e.text for e in events(data) if isinstance(e, TextDelta)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            added(HELLO)
            + event("response.output_text.done", item_id="msg_u", content_index=0, text="Hello")
            + done(HELLO)
            + ended(HELLO),
            id="the text's end",
        ),
        pytest.param(
            added(HELLO)
            + text_delta("Hel")
            + event("response.output_text.done", item_id="msg_u", content_index=0, text="Hello")
            + done(HELLO)
            + ended(HELLO),
            id="the rest in the text's end",
        ),
        pytest.param(said(HELLO) + ended(HELLO), id="the item's end"),
        pytest.param(ended(HELLO), id="the terminal object"),
        pytest.param(said(HELLO, text_delta("Hel")) + ended(HELLO), id="partly in deltas"),
        pytest.param(added(HELLO) + text_delta("Hello") + ended(), id="deltas alone"),
        pytest.param(text_delta("Hello") + ended(HELLO), id="deltas of no announced item"),
        pytest.param(
            said(message(""), text_delta("Hello")) + ended(), id="deltas, and an empty end"
        ),
    ],
)
def test_a_text_is_shown_once_wherever_it_comes(data: bytes):
    """Deltas, done events, the finished item, the terminal object: one of them is enough."""
    shown = "".join(e.text for e in events(HEAD + data) if isinstance(e, TextDelta))
    assert 1 == len(outcome(HEAD + data).items)
    (part,) = first(AssistantMessage, HEAD + data).content
    assert isinstance(part, Text)
    assert ("Hello", "Hello") == (shown, part.text)


@pytest.mark.parametrize("where", ["arguments", "item", "terminal"])
def test_arguments_that_come_whole_are_shown_once(where: str):
    """Servers without argument deltas say them in the end alone."""
    item = call("c1", "f", '{"a":1}')
    data = HEAD
    if where == "arguments":
        kind = "response.function_call_arguments.done"
        data += added(item) + event(kind, item_id="fc_u", arguments='{"a":1}')
    elif where == "item":
        data += done(item)
    data += ended(item)
    deltas = [e.delta for e in events(data) if isinstance(e, ToolArgumentsDelta)]
    assert ['{"a":1}'] == deltas
    assert (ToolCall("c1", "f", '{"a":1}', None, (own("input.id", "fc_u"),)),) == (
        outcome(data).items
    )


def test_arguments_that_come_before_the_name_are_kept():
    """A server may name its call in the end alone, and not say the arguments again."""
    nameless = {"type": "function_call", "id": "fc_u", "call_id": "c1"}
    data = HEAD + event("response.output_item.added", output_index=0, item=nameless)
    data += arguments_delta('{"a"') + arguments_delta(":1}")
    data += done({**nameless, "name": "f"}) + ended()
    assert '{"a":1}' == first(ToolCall, data).arguments
    assert '{"a":1}' == "".join(e.delta for e in events(data) if isinstance(e, ToolArgumentsDelta))


# servers that leave things out, or repeat them


def test_indexes_and_numbers_may_be_missing():
    """llama.cpp writes no output index, no content index and no sequence number."""
    data = HEAD
    for item, text in ((message("A", "m1"), "A"), (message("B", "m2"), "B")):
        data += event("response.output_item.added", item=item | {"content": []})
        data += event("response.output_text.delta", item_id=item["id"], delta=text)
        data += event("response.output_item.done", item=item)
    data += ended(message("A", "m1"), message("B", "m2"))
    assert [TextDelta("A", 0), TextDelta("B", 1)] == [
        e for e in events(data) if isinstance(e, TextDelta)
    ]
    assert 2 == len(outcome(data).items)


def test_an_output_index_used_twice_is_told_apart_by_item_id():
    """transformers gives a call and the message after it one index; a gateway gives reasoning -1."""
    calling = call("c1", "f", "{}")
    data = HEAD + said(calling, index=2) + said(HELLO, text_delta("Hello", index=2), index=2)
    found = outcome(data + ended(HELLO, calling))
    assert [ToolCall, AssistantMessage] == [type(item) for item in found.items]
    data = HEAD + said(SEALED, index=-1) + said(HELLO, index=0) + ended(SEALED, HELLO)
    assert [Opaque, AssistantMessage] == [type(item) for item in outcome(data).items]


def test_open_items_of_one_output_index_are_told_apart_by_item_id():
    """A server that gives every item the index 0 means its ids."""
    one, two = call("c1", "f", "[1]", "fc_1"), call("c2", "g", "[2]", "fc_2")
    data = HEAD + added(one) + added(two)
    data += arguments_delta("[1", "fc_1") + arguments_delta("[2", "fc_2")
    data += arguments_delta("]", "fc_1") + arguments_delta("]", "fc_2")
    found = outcome(data + done(one) + done(two) + ended(one, two))
    assert [("c1", "[1]"), ("c2", "[2]")] == [
        (item.call_id, item.arguments) for item in found.items if isinstance(item, ToolCall)
    ]


def test_what_names_no_item_belongs_to_the_latest():
    """Where a server gives neither ids nor indexes, it goes on with what it began last."""
    bare = event("response.output_item.added", item={"type": "message"})
    told = [event("response.output_text.delta", delta=text) for text in ("A", "B", "C")]
    data = HEAD + bare + told[0] + bare + told[1] + told[2] + ended()
    assert [TextDelta("A", 0), TextDelta("B", 1), TextDelta("C", 1)] == [
        e for e in events(data) if isinstance(e, TextDelta)
    ]


def test_item_ids_that_change_with_every_event_are_told_apart_by_index():
    """GitHub Copilot gives each event another id."""
    data = HEAD + added(message("Hello", "x1"))
    data += text_delta("Hel", "x2") + text_delta("lo", "x3")
    data += done(message("Hello", "x4")) + ended(message("Hello", "x5"))
    (item,) = outcome(data).items
    assert isinstance(item, AssistantMessage)
    assert (Text("Hello"),) == item.content


def test_an_item_that_was_never_announced_is_told_by_its_own_id_and_index():
    """Both differ from those of the item before it, which is still open."""
    first, second = message("A", "m_1"), message("B", "m_2")
    told = [text_delta("A", "m_1", 0), text_delta("B", "m_2", 1)]
    for last in (ended(), ended(first, second)):
        found = outcome(HEAD + told[0] + told[1] + last).items
        assert [(Text("A"),), (Text("B"),)] == [
            item.content for item in found if isinstance(item, AssistantMessage)
        ]
    # announced without an index, it may be what a later event gives one
    bare = event("response.output_item.added", item={"type": "message"})
    assert 1 == len(outcome(HEAD + bare + told[1] + ended()).items)


def test_items_may_interleave():
    """Each delta goes to its own item."""
    one, two = call("c1", "f", "[1]", "fc_1"), call("c2", "g", "[2]", "fc_2")
    data = HEAD + added(one, 0) + added(two, 1)
    data += arguments_delta("[1", "fc_1", 0) + arguments_delta("[2", "fc_2", 1)
    data += arguments_delta("]", "fc_1", 0) + arguments_delta("]", "fc_2", 1)
    found = outcome(data + done(two, 1) + done(one, 0) + ended(one, two))
    assert [("c1", "[1]"), ("c2", "[2]")] == [
        (item.call_id, item.arguments) for item in found.items if isinstance(item, ToolCall)
    ]


def test_empty_arrays_may_be_missing_when_an_item_opens():
    """An item that is announced bare is an item."""
    bare = event(
        "response.output_item.added", output_index=0, item={"type": "message", "id": "msg_u"}
    )
    assert EndTurn() == outcome(HEAD + bare + text_delta("Hello") + done(HELLO) + ended()).stop


def test_events_without_names_are_read_by_their_type():
    """The payload says what it is."""
    nameless = b"".join(
        b"data: " + line.removeprefix(b"data: ") + b"\n\n"
        for line in EVERYTHING.split(b"\n")
        if line.startswith(b"data: ")
    )
    assert outcome(EVERYTHING) == outcome(nameless)


def test_a_payload_without_a_type_is_read_by_its_name():
    """Only a name and no type is enough."""
    data = (
        HEAD
        + b"event: response.completed\ndata: "
        + json.dumps({"response": response(output=[HELLO])}).encode()
    )
    assert 1 == len(outcome(data + b"\n\n").items)


def test_the_first_id_and_model_stand():
    """Consumers have filed the answer under them when the terminal object says others."""
    other = response(output=[HELLO], usage=USAGE, id="resp_other", model="m-2")
    found = events(HEAD + event("response.completed", response=other))
    assert [ResponseStarted("resp_u", "m-1")] == [
        e for e in found if isinstance(e, ResponseStarted)
    ]
    last = found[-1]
    assert isinstance(last, TurnCompleted)
    seen = last.outcome.observation
    assert ("resp_u", "m-1") == (seen.response_id, seen.upstream_model)


def test_an_id_and_model_that_come_late_are_reported_when_they_come():
    """The first one reported stands."""
    bare = event("response.created", response={"id": "resp_u", "status": "in_progress"})
    found = events(bare + ended(HELLO))
    assert [ResponseStarted("resp_u", None), ResponseStarted("resp_u", "m-1")] == [
        e for e in found if isinstance(e, ResponseStarted)
    ]


# the terminal object


def test_a_text_that_the_terminal_output_omits_stays_at_its_place():
    """What was shown is not taken back."""
    calling = call("c1", "f", "{}")
    data = HEAD + said(HELLO, text_delta("Hello"), index=0) + said(calling, index=1)
    found = outcome(data + ended(calling))
    assert [AssistantMessage, ToolCall] == [type(item) for item in found.items]


def test_an_announced_item_that_says_nothing_and_is_not_listed_is_nothing():
    """An authoritative output leaves it out."""
    data = HEAD + added(message("", "msg_0"), 0) + said(HELLO, index=1) + ended(HELLO)
    assert 1 == len(outcome(data).items)


@pytest.mark.parametrize(
    ("status", "details", "stop"),
    [
        ("completed", None, EndTurn()),
        ("incomplete", {"reason": "max_output_tokens"}, MaxOutputTokens()),
        ("incomplete", {"reason": "length"}, MaxOutputTokens()),
        ("incomplete", {"reason": "content_filter"}, Incomplete("content_filter")),
        ("incomplete", {"reason": "steered"}, Incomplete("steered")),
        ("incomplete", None, Incomplete("incomplete")),
        (
            "incomplete",
            {"reason": "odd", "more": 1},
            Incomplete("odd", {"reason": "odd", "more": 1}),
        ),
    ],
)
def test_how_it_ended(status: str, details: Any, stop: Any):
    """The status decides, whichever event brings it (vLLM ends an incomplete answer with `completed`)."""
    body = response(status, output=[HELLO], incomplete_details=details)
    for name in (f"response.{status}", "response.completed", "response.done"):
        assert stop == outcome(HEAD + event(name, response=body)).stop


def test_a_reason_to_be_incomplete_stands_beside_any_status():
    """A server that calls it completed has cut it off none the less, calls included."""
    body = response(
        output=[call("c1", "f", '{"a')], incomplete_details={"reason": "max_output_tokens"}
    )
    found = outcome(HEAD + event("response.completed", response=body))
    assert MaxOutputTokens() == found.stop
    assert [ToolCall] == [type(item) for item in found.items]
    assert found.stop == decode_response(json.dumps(body).encode(), BINDING).stop


@pytest.mark.parametrize("given", ["", " ", None])
def test_a_call_without_arguments_is_one_of_nothing(given: str | None):
    """Programs parse them: an empty object on every wire."""
    item = {**call("c1", "f", "{}"), "arguments": given}
    (found,) = outcome(HEAD + said(item) + ended(item)).items
    assert isinstance(found, ToolCall)
    assert "{}" == found.arguments


def test_a_call_that_a_limit_cut_off_stays_as_it_was_written():
    """Unfinished arguments are no fault of an answer that says it is unfinished."""
    item = call("c1", "f", '{"a', status="incomplete")
    data = HEAD + said(item, arguments_delta('{"a'))
    data += ended(item, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    found = outcome(data)
    assert (MaxOutputTokens(), '{"a') == (found.stop, first(ToolCall, data).arguments)
    assert "unfinished-call" in warned(data)


def test_a_cut_call_held_as_a_fault_is_read_again():
    """A server may call the item completed before it says that the answer is not."""
    item = call("c1", "f", '{"a')
    data = HEAD + said(item, arguments_delta('{"a'))
    data += ended(item, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert (MaxOutputTokens(), 1) == (outcome(data).stop, len(outcome(data).items))


def test_a_refused_item_is_held_until_the_counters_are_read():
    """Arguments that are not JSON are refused at the terminal object, whose counters are kept."""
    data = HEAD + said(call("c1", "f", "{oops"), arguments_delta("{oops")) + ended()
    error = refused(data)
    assert (RefusalCode.PROTOCOL, Dispatch.ACCEPTED, False) == (
        error.code,
        error.dispatch,
        error.retriable,
    )
    assert error.partial is not None
    assert ["{oops"] == [item.text for item in error.partial.open_items]
    assert error.partial.observation.usage is not None
    assert error.partial.observation.final_usage


def test_arguments_that_are_not_json_may_be_kept():
    """For agents that answer the model with an error."""
    data = HEAD + said(call("c1", "f", "{oops")) + ended()
    assert "{oops" == first(ToolCall, data, invalid_arguments="keep").arguments


def test_finished_arguments_that_contradict_their_deltas_are_refused():
    """A call that was shown is not another call."""
    data = HEAD + said(call("c1", "f", "{}"), arguments_delta('{"a"')) + ended()
    assert RefusalCode.PROTOCOL is refused(data).code
    data = HEAD + said(call("c1", "f", "{}")) + ended(call("c1", "f", '{"b":1}'))
    assert RefusalCode.PROTOCOL is refused(data).code


def test_a_finished_text_that_differs_is_odd_and_stands():
    """The finished item has the last word."""
    data = HEAD + said(HELLO, text_delta("Hallo")) + ended(HELLO)
    assert ["text-differs"] == warned(data)
    assert (Text("Hello"),) == first(AssistantMessage, data).content


def test_counters_that_contradict_each_other_are_refused():
    """More cached than counted; unless the dialect says how this server counts."""
    odd = USAGE | {"input_tokens": 1}
    data = HEAD + event("response.completed", response=response(output=[HELLO], usage=odd))
    assert "usage.cached_input_tokens" == refused(data).path
    binding = evolve(BINDING, dialect=Dialect(cache_beside_input=True))
    usage = outcome(data, binding).observation.usage
    assert usage is not None
    assert 5 == usage.input_tokens


def test_what_the_answer_says_of_itself_is_kept_and_echoes_are_not():
    """Fields that repeat the request say nothing; unpublished ones are odd, once."""
    body = response(output=[HELLO], service_tier="flex", tools=[], temperature=1.0, zz=1, yy=2)
    data = HEAD + event("response.completed", response=body)
    assert (
        own("answer.service_tier", "flex"),
        own("answer.zz", 1),
        own("answer.yy", 2),
    ) == outcome(data).extensions
    assert ["unknown-answer-field"] == warned(data)

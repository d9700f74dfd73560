"""Messages streams read: blocks, calls, ends and counters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.messages import StreamDecoder, decode_stream
from llm_projections.model.events import (
    ItemCompleted,
    ReasoningDelta,
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
    Extension,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.outcome import (
    EndTurn,
    Incomplete,
    MaxOutputTokens,
    StopSequence,
    ToolCalls,
    TurnOutcome,
    Usage,
)
from tests.wires.messages_wire import (
    BINDING,
    STOP,
    answer,
    argues,
    call,
    ending,
    failure,
    goes_on,
    named,
    opening,
    read,
    says,
    signs,
    starts,
    stops,
    text,
    thinking,
    thinks,
    whole_block,
)

WHERE = BINDING.provenance


def codes(outcome: TurnOutcome) -> list[str]:
    """The codes of its warnings."""
    return [warning.code for warning in outcome.warnings]


def said(words: str, *annotations: Extension, extensions: tuple[Extension, ...] = ()) -> Any:
    """A text as an item."""
    return AssistantMessage((Text(words, annotations, None, extensions),))


def own(path: str, value: Any) -> Extension:
    """An extension of this wire."""
    return Extension(Protocol.MESSAGES, path, value)


def signed(thought: str, signature: str) -> Opaque:
    """Signed thinking as an item."""
    payload: dict[str, Any] = {"type": "thinking", "thinking": thought, "signature": signature}
    return Opaque(WHERE, payload, thought or None)


# blocks


def test_a_text_streams_and_is_whole_at_its_stop() -> None:
    """Deltas go out as they come, the item with its block's end, the outcome with message_stop."""
    events = read(opening(), *text(0, "Hel", "lo"), ending(), STOP)
    usage = Usage(9, 4, reported={"input_tokens": 9, "output_tokens": 4})
    first = Usage(9, 1, reported={"input_tokens": 9, "output_tokens": 1})
    assert [
        ResponseStarted("msg_1", "claude-x"),
        UsageReported(first),
        TextDelta("Hel", 0),
        TextDelta("lo", 0),
        ItemCompleted(said("Hello"), 0),
        UsageReported(usage),
    ] == events[:-1]
    last = events[-1]
    assert isinstance(last, TurnCompleted)
    assert (EndTurn(), (said("Hello"),)) == (last.outcome.stop, last.outcome.items)
    assert last.outcome.observation.final_usage


def test_signed_thinking_is_opaque_and_keeps_its_block() -> None:
    """The signature comes in one delta; the item is the whole block, bound to where it came from."""
    outcome = answer(
        *thinking(0, "Let me", "RXE="), *call(1, "toolu_1", "f", "{}"), reason="tool_use"
    )
    assert (signed("Let me", "RXE="), ToolCall("toolu_1", "f", "{}")) == outcome.items
    (opaque, _) = outcome.items
    assert isinstance(opaque, Opaque)
    assert ["type", "thinking", "signature"] == list(opaque.payload)


def test_a_signature_that_comes_again_replaces_the_first() -> None:
    """Each delta holds the whole signature; joined, they would be none."""
    block = {"type": "thinking", "thinking": "", "signature": ""}
    again = whole_block(0, block, thinks("hm"), signs("RXE="), signs("RXE="))
    assert (signed("hm", "RXE="), said("Yes.")) == answer(*again, *text(1, "Yes.")).items


def test_what_else_stands_in_signed_thinking_is_sealed_with_it() -> None:
    """The block goes back whole: nobody but its provider knows what the signature covers."""
    block = {"type": "thinking", "thinking": "", "signature": "", "variant": 2}
    (opaque,) = answer(*whole_block(0, block, thinks("hm"), signs("RXE="))).items
    assert Opaque(WHERE, {**block, "thinking": "hm", "signature": "RXE="}, "hm") == opaque


def test_unsigned_thinking_is_reasoning() -> None:
    """Servers without signatures send an empty one, or none (llama.cpp)."""
    start = starts(0, {"type": "thinking", "thinking": ""})
    events = read(
        opening(), start, goes_on(0, thinks("hm")), goes_on(0, signs("")), stops(0), ending(), STOP
    )
    assert ReasoningDelta("hm", 0) in events
    assert ItemCompleted(Reasoning("hm"), 0) in events


def test_thinking_that_is_not_shown_is_opaque_without_text() -> None:
    """With `display: omitted` only the signature comes."""
    assert (signed("", "c2ln"), said("Yes.")) == answer(
        *thinking(0, "", "c2ln"), *text(1, "Yes.")
    ).items


def test_redacted_thinking_is_opaque() -> None:
    """Its block goes back as it came."""
    block: dict[str, Any] = {"type": "redacted_thinking", "data": "RW9w"}
    assert (Opaque(WHERE, block), said("x")) == answer(*whole_block(0, block), *text(1, "x")).items


def test_citations_are_annotations_of_their_text() -> None:
    """In their order, unread; integers of any size stay exact."""
    one = {"type": "char_location", "cited_text": "a", "document_index": 2**70}
    two = {"type": "page_location", "cited_text": "b"}
    cites = [{"type": "citations_delta", "citation": each} for each in (one, two)]
    outcome = answer(
        *whole_block(
            0, {"type": "text", "text": "", "citations": []}, cites[0], says("Fact."), cites[1]
        )
    )
    at = "messages.content.citations"
    assert (said("Fact.", own(at, one), own(at, two)),) == outcome.items


def test_blocks_that_say_nothing_are_no_items() -> None:
    """An empty text or unsigned thinking has nothing to show or to send back."""
    assert (said("x"),) == answer(*thinking(0, ""), *text(1), *text(2, "x")).items


def test_a_block_may_bring_its_text_at_its_start() -> None:
    """What the start holds comes first."""
    assert (said("ab"),) == answer(*whole_block(0, {"type": "text", "text": "a"}, says("b"))).items


def test_provider_tools_are_wire_items_and_no_tool_use() -> None:
    """Their input is put together; their results may hold an object or a list."""
    used = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    }
    outcome = answer(
        *whole_block(0, used, argues('{"query":'), argues('"x"}')),
        *whole_block(1, found),
        *text(2, "no luck"),
    )
    whole = {**used, "input": {"query": "x"}}
    assert (
        WireItem(Protocol.MESSAGES, whole),
        WireItem(Protocol.MESSAGES, found),
        said("no luck"),
    ) == outcome.items
    assert (EndTurn(), []) == (outcome.stop, codes(outcome))


def test_a_fallback_block_changes_the_model() -> None:
    """Who goes on is said at once, and in the outcome; a new message_start may follow."""
    block = {"type": "fallback", "from": {"model": "claude-x"}, "to": {"model": "claude-y"}}
    events = read(
        opening(),
        *whole_block(0, block),
        opening({"input_tokens": 10, "output_tokens": 1}, model="claude-y"),
        *text(1, "Hi"),
        ending(),
        STOP,
    )
    assert ResponseStarted("msg_1", "claude-y") in events
    last = events[-1]
    assert isinstance(last, TurnCompleted)
    assert "claude-y" == last.outcome.observation.upstream_model
    assert (WireItem(Protocol.MESSAGES, block), said("Hi")) == last.outcome.items


def test_a_fallback_block_alone_changes_the_model() -> None:
    """The bill is the model's that went on, whether a second message_start says so or not."""
    block = {"type": "fallback", "from": {"model": "claude-x"}, "to": {"model": "claude-y"}}
    outcome = answer(*whole_block(0, block), *text(1, "Hi"))
    assert "claude-y" == outcome.observation.upstream_model


def test_compaction_deltas_fill_their_block() -> None:
    """Content and sealed content replace what the start holds."""
    delta = {"type": "compaction_delta", "content": "so far", "encrypted_content": "ZW5j"}
    outcome = answer(
        *whole_block(0, {"type": "compaction", "content": None}, delta), reason="compaction"
    )
    whole: dict[str, Any] = {"type": "compaction", "content": "so far", "encrypted_content": "ZW5j"}
    assert (Opaque(WHERE, whole, "so far"),) == outcome.items
    assert Incomplete("compaction") == outcome.stop


# calls


def test_a_call_is_announced_before_its_arguments() -> None:
    """Once, with id and name; the arguments as the model spells them."""
    events = read(opening(), *call(0, "toolu_1", "f", '{"n": ', "1.10}"), ending("tool_use"), STOP)
    assert [
        ToolCallStarted("toolu_1", "f", 0),
        ToolArgumentsDelta("toolu_1", '{"n": ', 0),
        ToolArgumentsDelta("toolu_1", "1.10}", 0),
        ItemCompleted(ToolCall("toolu_1", "f", '{"n": 1.10}'), 0),
    ] == [event for event in events if getattr(event, "index", None) == 0]


@pytest.mark.parametrize("pieces", [(), ("",), ("  ", "\n")])
def test_blank_arguments_are_the_empty_object(pieces: tuple[str, ...]) -> None:
    """A tool without parameters."""
    outcome = answer(*call(0, "toolu_1", "snooze", *pieces), reason="tool_use")
    assert (ToolCall("toolu_1", "snooze", "{}"),) == outcome.items


@pytest.mark.parametrize(
    "given", [{"id": 2**70, "x": [1]}, '{"id":1180591620717411303424,"x":[1]}']
)
def test_arguments_may_stand_in_the_start(given: Any) -> None:
    """Whole, as an object or as text; big integers stay exact, and the client is told of them."""
    events = read(opening(), *call(0, "t", "f", input=given), ending("tool_use"), STOP)
    expected = '{"id": 1180591620717411303424, "x": [1]}'
    told = [event.delta for event in events if isinstance(event, ToolArgumentsDelta)]
    assert [json.loads(expected)] == [json.loads(delta) for delta in told]


def test_deltas_win_over_the_input_of_the_start() -> None:
    """As the official client replaces it."""
    outcome = answer(*call(0, "t", "f", '{"a":1}', input={"b": 2}), reason="tool_use")
    assert (ToolCall("t", "f", '{"a":1}'),) == outcome.items


def test_a_call_with_marks_is_announced_when_it_is_whole() -> None:
    """Who called it stands in its start; the direct caller is the same as none."""
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
    events = read(
        opening(),
        *call(0, "toolu_1", "f", '{"a":1}', caller=caller),
        *call(1, "toolu_2", "f", "{}", caller={"type": "direct"}),
        ending("tool_use"),
        STOP,
    )
    marked = ToolCall("toolu_1", "f", '{"a":1}', None, (own("messages.content.caller", caller),))
    assert [
        ToolCallStarted("toolu_1", "f", 0),
        ItemCompleted(marked, 0),
        ToolCallStarted("toolu_2", "f", 1),
        ToolArgumentsDelta("toolu_2", "{}", 1),
        ItemCompleted(ToolCall("toolu_2", "f", "{}"), 1),
    ] == events[2:7]


@pytest.mark.parametrize("broken", ['{"a":', "[1]", "nope", '{"a": NaN}'])
def test_arguments_that_are_no_object_are_refused_with_their_text(broken: str) -> None:
    """The counters are read before, so that nothing counted is lost."""
    error = failure(opening(), *call(0, "t", "f", broken), ending("tool_use"), STOP)
    assert (RefusalCode.PROTOCOL, "content[0].input") == (error.code, error.path)
    (open_item,) = error.partial.open_items
    assert (broken, "t", "f") == (open_item.text, open_item.call_id, open_item.name)
    assert 4 == error.partial.observation.usage.output_tokens


def test_arguments_that_are_no_object_can_be_kept() -> None:
    """For agents that answer the model with an error."""
    outcome = answer(*call(0, "t", "f", "{nope"), reason="tool_use", invalid_arguments="keep")
    assert (ToolCall("t", "f", "{nope"),) == outcome.items
    assert ["invalid-arguments"] == codes(outcome)


@pytest.mark.parametrize("closed", [True, False])
def test_a_call_that_the_limit_cut_off_is_kept(closed: bool) -> None:
    """The stop reason explains it; the vendor was seen to close its block and to leave it open."""
    blocks = call(0, "t", "f", '{"a": "lo')
    outcome = answer(*(blocks if closed else blocks[:-1]), reason="max_tokens")
    assert (ToolCall("t", "f", '{"a": "lo'),) == outcome.items
    assert MaxOutputTokens() == outcome.stop
    assert "unfinished-call" in codes(outcome)


@pytest.mark.parametrize("key", ["id", "name"])
def test_a_call_without_id_or_name_is_refused(key: str) -> None:
    """Nobody could answer it."""
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}, key: ""}
    assert f"content[0].{key}" == failure(opening(), starts(0, block)).path


def test_end_turn_beside_calls_reads_as_tool_calls() -> None:
    """Servers that leave the stop reason alone still wait for results."""
    outcome = answer(*call(0, "t", "f", "{}"))
    assert (ToolCalls(), ["stop-reads-as-tool-calls"]) == (outcome.stop, codes(outcome))


def test_tool_use_without_calls_is_refused() -> None:
    """It would make the client wait for nothing."""
    assert "stop" == failure(opening(), *text(0, "x"), ending("tool_use"), STOP).path


# how it ends


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", EndTurn()),
        ("max_tokens", MaxOutputTokens()),
        ("pause_turn", Incomplete("pause_turn")),
        ("refusal", Incomplete("refusal")),
        ("model_context_window_exceeded", Incomplete("model_context_window_exceeded")),
        ("something_new", Incomplete("something_new")),
    ],
)
def test_stop_reasons(reason: str, stop: Any) -> None:
    """Those without a neutral meaning stay under their own names."""
    assert stop == answer(*text(0, "x"), reason=reason).stop


def test_a_stop_sequence_brings_its_text() -> None:
    """Also where the reason beside it says otherwise (llama.cpp)."""
    for reason, warned in (("stop_sequence", []), ("end_turn", ["stop-reads-as-stop-sequence"])):
        last = read(opening(), *text(0, "1"), ending(reason, stop_sequence="4"), STOP)[-1]
        assert isinstance(last, TurnCompleted)
        assert (StopSequence("4"), warned) == (last.outcome.stop, codes(last.outcome))


def test_fields_of_the_answer_without_meaning_are_extensions() -> None:
    """Published ones silently, others with one warning; null is absent."""
    details = {"type": "refusal", "category": "cyber", "explanation": None}
    last = read(
        opening(container={"id": "c"}, new=None),
        *text(0, "no"),
        {
            **ending("refusal", stop_details=details, odd=1),
            "context_management": {"applied_edits": []},
        },
        {**STOP, "amazon-bedrock-invocationMetrics": {"n": 1}},
    )[-1]
    assert isinstance(last, TurnCompleted)
    assert (
        own("answer.container", {"id": "c"}),
        own("answer.stop_details", details),
        own("answer.odd", 1),
        own("answer.context_management", {"applied_edits": []}),
        own("answer.amazon-bedrock-invocationMetrics", {"n": 1}),
    ) == last.outcome.extensions
    assert ["unknown-answer-field"] == codes(last.outcome)


def test_a_stream_without_a_stop_reason_is_refused() -> None:
    """`message_stop` alone does not say why."""
    for payloads in ([], [ending(None)]):
        assert "stop_reason" == failure(opening(), *text(0, "x"), *payloads, STOP).path


def test_the_end_comes_with_message_stop_and_nothing_after_it_counts() -> None:
    """OpenRouter ends its stream as a Chat server does."""
    decoder = StreamDecoder(BINDING)
    events = decoder.feed(named(opening(), *text(0, "OK"), ending(), STOP))
    assert isinstance(events[-1], TurnCompleted)
    assert decoder.done
    assert [] == decoder.feed(b"data: [DONE]\n\n") + decoder.close()


@pytest.mark.parametrize("tail", [b"", b"data: [DONE]\n\n"])
@pytest.mark.parametrize("length", [1, 3, 5])
def test_a_cut_stream_is_no_answer(tail: bytes, length: int) -> None:
    """It carries what stood; it may be retried only while nothing was shown."""
    payloads = [opening(), *text(0, "Hel", "lo"), ending()]
    last = list(decode_stream([named(*payloads[:length]) + tail], BINDING))[-1]
    assert isinstance(last, TurnFailed)
    error = last.error
    assert isinstance(error, ResponseRefused)
    assert (RefusalCode.PROTOCOL, Dispatch.ACCEPTED) == (error.code, error.dispatch)
    assert (length == 1) is error.may_retry
    assert error.partial is not None
    opened = [item.text for item in error.partial.open_items]
    assert {1: ([], ()), 3: (["Hel"], ()), 5: ([], (said("Hello"),))}[length] == (
        opened,
        error.partial.items,
    )


# counters


def test_counters_replace_one_by_one_and_null_keeps() -> None:
    """`message_delta` is cumulative and may name only some."""
    first = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 100,
        "output_tokens": 2,
        "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 1},
    }
    last = read(
        opening(first),
        *text(0, "x"),
        ending(usage={"output_tokens": 76, "input_tokens": None, "speed": None}),
        STOP,
    )[-1]
    assert isinstance(last, TurnCompleted)
    reported = {**first, "output_tokens": 76, "speed": None}
    assert Usage(115, 76, 100, 5, None, reported) == last.outcome.observation.usage


def test_a_counter_that_goes_down_is_odd_and_stands() -> None:
    """Real servers correct themselves."""
    last = read(
        opening({"input_tokens": 20, "output_tokens": 9}),
        *text(0, "x"),
        ending(usage={"input_tokens": 12, "output_tokens": 3}),
        STOP,
    )[-1]
    assert isinstance(last, TurnCompleted)
    assert ["usage-went-down"] == codes(last.outcome)
    usage = last.outcome.observation.usage
    assert usage is not None
    assert (12, 3) == (usage.input_tokens, usage.output_tokens)


def test_final_counters_that_contradict_each_other_are_refused() -> None:
    """More thinking than output cannot be."""
    counted = {"output_tokens": 3, "output_tokens_details": {"thinking_tokens": 4}}
    error = failure(opening(), *text(0, "x"), ending(usage=counted), STOP)
    assert "usage.reasoning_output_tokens" == error.path


def test_no_usage_is_no_usage() -> None:
    """Nothing is made of nothing."""
    start, end = opening({}), ending(usage={})
    del start["message"]["usage"]
    last = read(start, *text(0, "x"), end, STOP)[-1]
    assert isinstance(last, TurnCompleted)
    assert (None, False) == (
        last.outcome.observation.usage,
        last.outcome.observation.final_usage,
    )

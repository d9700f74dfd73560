"""Tool calls in Chat answers, from their fragments."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.errors import RefusalCode
from llm_projections.model.dialect import Dialect
from llm_projections.model.events import (
    ItemCompleted,
    ToolArgumentsDelta,
    ToolCallStarted,
)
from llm_projections.model.items import (
    CustomToolCall,
    Extension,
    Protocol,
    ToolCall,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.outcome import (
    MaxOutputTokens,
    ToolCalls,
)
from tests.helpers import reads
from tests.wires.chat_answers import (
    BINDING,
    DONE,
    chunk,
    events,
    fragment,
    outcome,
    refused,
    said,
    speaking,
)


def codes(data: bytes, **settings: Any) -> list[str]:
    """What a complete stream was warned of."""
    return [warning.code for warning in outcome(data, **settings).warnings]


# calls


def test_a_call_is_announced_once_and_before_its_arguments() -> None:
    """Its id and name come with the first fragment; empty arguments are no event."""
    data = said(
        fragment(0, "call_1", "get", ""),
        fragment(0, None, None, '{"a"'),
        fragment(0, None, None, ":1}"),
        finish="tool_calls",
    )
    assert [
        ToolCallStarted("call_1", "get", 0),
        ToolArgumentsDelta("call_1", '{"a"', 0),
        ToolArgumentsDelta("call_1", ":1}", 0),
        ItemCompleted(ToolCall("call_1", "get", '{"a":1}'), 0),
    ] == reads(events, data)[1:-1]


def test_arguments_wait_until_the_call_is_known() -> None:
    """An empty name says nothing; the first that is not empty stands."""
    data = said(
        fragment(0, "call_1", "", '{"cmd"'),
        fragment(0, "", "bash", ':"ls"}'),
        finish="tool_calls",
    )
    assert [
        ToolCallStarted("call_1", "bash", 0),
        ToolArgumentsDelta("call_1", '{"cmd":"ls"}', 0),
    ] == events([data])[1:3]


@pytest.mark.parametrize(
    "again",
    [
        fragment(0, "call_1", "get", ":1}"),
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": None,
                    "type": None,
                    "function": {"name": None, "arguments": ":1}"},
                }
            ]
        },
        {"role": None, **fragment(0, "", None, ":1}")},
    ],
)
def test_repeated_empty_and_null_names_continue_a_call(again: Any) -> None:
    """One call, whatever a server writes beside its arguments."""
    data = said(fragment(0, "call_1", "get", '{"a"'), again, finish="tool_calls")
    assert (ToolCall("call_1", "get", '{"a":1}'),) == outcome(data).items


def test_a_call_without_an_index_belongs_to_its_id() -> None:
    """A new id opens a new call; a fragment without both goes to the latest."""
    data = said(
        fragment(None, "a", "f", '{"x"'),
        fragment(None, None, None, ":1}"),
        fragment(None, "b", "g", "{}"),
    )
    assert (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", "{}")) == outcome(data).items


def test_interleaved_calls_are_told_apart_by_index() -> None:
    """Only the first fragment of each has an id."""
    data = said(
        fragment(3, "a", "f", '{"x"'),
        fragment(1, "b", "g", '{"y"'),
        fragment(3, None, None, ":1}"),
        fragment(1, None, None, ":2}"),
        finish="tool_calls",
    )
    assert (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", '{"y":2}')) == outcome(data).items


def test_interleaved_fragments_that_repeat_every_key_are_told_apart_by_index() -> None:
    """The number is a key and no position, also where a fragment says more than its arguments."""
    data = said(
        fragment(3, "a", "f", '{"x"'),
        fragment(1, "b", "g", '{"y"'),
        {"role": "assistant", **fragment(3, "", "f", ":1}")},
        {"role": "assistant", **fragment(1, "", "g", ":2}")},
        finish="tool_calls",
    )
    assert (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", '{"y":2}')) == outcome(data).items


def test_another_id_at_the_same_index_is_another_call() -> None:
    """Some servers number every call 0."""
    data = said(fragment(0, "a", "f", "{}"), fragment(0, "b", "f", "{}"), finish="tool_calls")
    assert (ToolCall("a", "f", "{}"), ToolCall("b", "f", "{}")) == outcome(data).items


def test_a_whole_call_is_completed_when_the_next_begins() -> None:
    """A live consumer need not wait for the end of the answer."""
    made = events([said(fragment(0, "a", "f", "{}"), fragment(1, "b", "g", "{}"))])
    kinds = [type(event) for event in made]
    assert kinds.index(ItemCompleted) < len(kinds) - 1 - kinds[::-1].index(ToolCallStarted)


def test_a_call_that_never_gets_an_id_is_refused() -> None:
    """Unless the dialect says that this server sends none: then it is derived, with a warning."""
    data = said(fragment(0, None, "f", "{}"), finish="tool_calls")
    assert "choices[0].delta.tool_calls[0].id" == refused(data).path
    lenient = speaking(Dialect(derive_call_ids=True))
    assert (ToolCall("call_chatcmpl-1_0", "f", "{}"),) == outcome(data, lenient).items
    assert ["derived-call-id"] == codes(data, binding=lenient)


@pytest.mark.parametrize("arguments", ["", "  ", None])
def test_no_arguments_are_the_empty_object(arguments: str | None) -> None:
    """Blank text, or none at all."""
    data = said(fragment(0, "a", "now", arguments), finish="tool_calls")
    assert (ToolCall("a", "now", "{}"),) == outcome(data).items


def test_arguments_that_are_not_json_are_refused() -> None:
    """The raw text stands in the partial outcome; `keep` keeps it with a warning."""
    data = said(fragment(0, "a", "f", "{oops"), finish="tool_calls")
    error = refused(data)
    assert "choices[0].delta.tool_calls[0].arguments" == error.path
    assert error.partial is not None
    assert ["{oops"] == [each.text for each in error.partial.open_items]
    kept = outcome(data, invalid_arguments="keep")
    assert (ToolCall("a", "f", "{oops"),) == kept.items
    assert ["invalid-arguments"] == [warning.code for warning in kept.warnings]


def test_a_call_that_the_limit_cut_keeps_its_text() -> None:
    """The limit stands, and nobody is told that the arguments were meant so."""
    cut_off = outcome(said(fragment(0, "a", "f", '{"path":"/ho'), finish="length"))
    assert (MaxOutputTokens(), (ToolCall("a", "f", '{"path":"/ho'),)) == (
        cut_off.stop,
        cut_off.items,
    )
    assert ["unfinished-call"] == [warning.code for warning in cut_off.warnings]


def test_arguments_keep_their_spelling() -> None:
    """Big integers, number spelling, key order and duplicate keys survive."""
    text = '{"id":12345678901234567890123,"n":1.10,"b":1,"a":2,"a":3}'
    data = said(fragment(0, "a", "f", text), finish="tool_calls")
    assert (ToolCall("a", "f", text),) == outcome(data).items


def test_arguments_as_an_object_are_written_as_text() -> None:
    """With integers exact: the payload is read again where that matters."""
    raw = chunk(fragment(0, "a", "f", "X")).replace(b'"X"', b'{"id":98765432109876543210}')
    data = raw + chunk(None, "tool_calls") + DONE
    assert (ToolCall("a", "f", '{"id":98765432109876543210}'),) == outcome(data).items


def test_a_signature_beside_a_call_is_sealed_state() -> None:
    """Gemini's `extra_content` may come with the call or after it, and knows its binding."""
    extra: Any = {"google": {"thought_signature": "c2ln"}}
    late = {"tool_calls": [{"index": 0, "extra_content": extra}]}
    data = said(fragment(0, "a", "f", "{}"), late)
    sealed = Extension(
        Protocol.CHAT, "messages.tool_calls.extra_content", extra, BINDING.provenance
    )
    assert (ToolCall("a", "f", "{}", None, (sealed,)),) == outcome(data).items


def test_a_custom_call_has_free_text() -> None:
    """Streams of it are published by nobody, and read all the same."""
    call = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "patch", "input": "*** x"}}
    assert (CustomToolCall("a", "patch", "*** x"),) == outcome(said({"tool_calls": [call]})).items


def test_the_function_call_of_old_waits_for_the_client() -> None:
    """It has no id, and is carried for this wire alone."""
    data = said(
        {"function_call": {"name": "f", "arguments": '{"a"'}},
        {"function_call": {"arguments": ":1}"}},
        finish="function_call",
    )
    call = {"name": "f", "arguments": '{"a":1}'}
    message_: Any = {"role": "assistant", "content": None, "function_call": call}
    ended = outcome(data)
    assert (ToolCalls(), (WireItem(Protocol.CHAT, message_, None, "call"),)) == (
        ended.stop,
        ended.items,
    )


def test_past_the_limit_of_arguments_is_too_large() -> None:
    """At once, with what stood before."""
    data = said(fragment(0, "a", "f", "{"), fragment(0, None, None, "x" * 9))
    error = refused(data, limits=Limits(arguments_bytes=9))
    assert (RefusalCode.TOO_LARGE, "{") == (
        error.code,
        error.partial.open_items[0].text if error.partial else None,
    )

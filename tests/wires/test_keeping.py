"""What a decoder hands out is not what it keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from attrs import fields, has

from llm_projections import _json
from llm_projections.messages import StreamDecoder
from llm_projections.model.events import Event
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Protocol,
    RefusalText,
    Text,
    WirePart,
)
from llm_projections.wires._keeping import apart
from tests.wires.messages_wire import (
    BINDING,
    STOP,
    call,
    ending,
    named,
    opening,
    says,
    thinking,
    whole_block,
)

PAYLOADS: list[dict[str, Any]] = [
    opening(
        {"input_tokens": 3, "output_tokens": 1, "cache_creation": {"a": 1}}, container={"x": {}}
    ),
    *thinking(0, "hm", "c2ln"),
    *whole_block(
        1, {"type": "web_search_tool_result", "content": [{"a": {}}]}, {"type": "odd", "x": []}
    ),
    *whole_block(
        2,
        {"type": "text", "text": "", "note": {"a": []}},
        {"type": "citations_delta", "citation": {"cited": []}},
        says("a"),
    ),
    {"type": "verdict", "why": [{}]},
    *call(3, "t", "f", "{}", caller={"type": "x", "of": []}),
    ending("tool_use"),
    STOP,
]
WHOLE = {
    "type": "message",
    "content": [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "a", "n": {}}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 2, "by": {}},
}


def _open(value: object) -> Iterator[list[Any] | dict[str, Any]]:
    """Every list and object inside a value."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _open(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _open(inner)
    elif has(kind := type(value)):
        for each in fields(kind):
            yield from _open(getattr(value, each.name))


def _spoil(value: object) -> int:
    """Change everything in a value that can be changed."""
    found = list(_open(value))
    for node in found:
        node.clear()
    return len(found)


def _events(pieces: list[bytes], *, spoil: bool) -> tuple[list[Event], int]:
    decoder = StreamDecoder(BINDING)
    seen: list[Event] = []
    spoiled = 0
    for piece in (*pieces, None):
        events = decoder.close() if piece is None else decoder.feed(piece)
        seen += deepcopy(events)
        if spoil:
            spoiled += sum(map(_spoil, events)) + _spoil(decoder.snapshot())
    return seen, spoiled


@pytest.mark.parametrize(
    "pieces",
    [[named(each) for each in PAYLOADS], [json.dumps(WHOLE).encode()]],
    ids=["stream", "whole"],
)
def test_what_a_consumer_does_to_events_and_snapshots_changes_no_later_event(
    pieces: list[bytes],
) -> None:
    """Not even the outcome."""
    expected, _ = _events(pieces, spoil=False)
    actual, spoiled = _events(pieces, spoil=True)
    assert expected == actual
    assert spoiled > 5


def test_an_item_apart_is_equal_and_shares_nothing() -> None:
    """Parts and extensions too."""
    mark = (Extension(Protocol.CHAT, "answer.x", {"a": [1]}),)
    item = AssistantMessage(
        (
            Text("a", mark, None, mark),
            RefusalText("b", None, mark),
            WirePart(Protocol.CHAT, {"c": {}}, None, mark),
        ),
        mark,
    )
    other = apart(item)
    assert item == other
    mine, theirs = ({id(node) for node in _open(each)} for each in (item, other))
    assert not mine & theirs


def test_a_copied_value_shares_nothing_and_may_be_deep() -> None:
    """Copying does not recurse."""
    value: Any = []
    for _ in range(5_000):
        value = [{"a": value}]
    other = _json.copied(value)
    value[0]["b"] = 1
    assert ["a"] == list(other[0])
    assert "x" == _json.copied("x")

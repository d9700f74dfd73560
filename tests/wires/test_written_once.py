"""What a turn carries is never written over what it says, nor over what the library writes."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import (
    Extension,
    Item,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from llm_projections.wires import WIRES
from llm_projections.wires._writing import nest
from tests.everything import MODEL, binding_of

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES


def carrying(protocol: Protocol, path: str, value: Any, **settings: Any) -> TurnRequest:
    """A turn that carries one field of its wire."""
    settings = {"max_output_tokens": 9, "sampling": Sampling(temperature=0.5), **settings}
    asks = (UserMessage((Text("hi"),)),)
    return TurnRequest(MODEL, asks, extensions=(Extension(protocol, path, value),), **settings)


@pytest.mark.parametrize(
    ("protocol", "path"),
    [
        (CHAT, "messages"),
        (CHAT, "model"),
        (CHAT, "temperature"),
        (CHAT, "stream"),
        (CHAT, "stream_options.include_usage"),
        (CHAT, "messages.more"),
        (MESSAGES, "messages"),
        (MESSAGES, "max_tokens"),
        (MESSAGES, "stream"),
        (MESSAGES, "model.more"),
        (RESPONSES, "input"),
        (RESPONSES, "store"),
        (RESPONSES, "temperature"),
        (RESPONSES, "stream"),
    ],
)
def test_a_place_of_the_body_is_written_once(protocol: Protocol, path: str) -> None:
    """Both by value and as bytes, with the place."""
    wire, turn = WIRES[protocol], carrying(protocol, path, "x")
    for job in (wire.project_request, wire.encode_request):
        with pytest.raises(RequestRefused) as caught:
            job(turn, binding_of(protocol))
        assert (RefusalCode.INVALID_REQUEST, path) == (caught.value.code, caught.value.path)


@pytest.mark.parametrize(
    ("item", "path"),
    [
        (UserMessage((Text("hi"),), (Extension(CHAT, "messages.content", "x"),)), "content"),
        (
            ToolCall("c", "f", "{}", None, (Extension(CHAT, "messages.tool_calls.id", "x"),)),
            "id",
        ),
    ],
)
def test_so_is_a_place_of_an_item(item: Item, path: str) -> None:
    """What is said in its stead would be gone without a word."""
    answered = (ToolResult("c", ()),) if isinstance(item, ToolCall) else ()
    turn = TurnRequest(MODEL, (item, *answered))
    with pytest.raises(RequestRefused) as caught:
        WIRES[CHAT].project_request(turn, binding_of(CHAT))
    assert caught.value.path.startswith("items[0].")
    assert caught.value.path.endswith(path)


@pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
def test_beside_and_below_what_is_written_there_is_room(protocol: Protocol) -> None:
    """A new field of an object that the library writes."""
    wire, below = WIRES[protocol], {CHAT: "stream_options", RESPONSES: "reasoning"}
    settings: dict[str, Any] = {"thinking": Thinking(effort="low")} if protocol is RESPONSES else {}
    place = below.get(protocol, "container")
    turn = carrying(protocol, f"{place}.more", 1, **settings)
    assert 1 == wire.project_request(turn, binding_of(protocol)).body[place]["more"]


def test_nothing_is_overwritten_on_the_way() -> None:
    """Neither at the place nor above it."""
    body: dict[str, Any] = {"a": {"b": 1}, "c": "text"}
    assert [True, False, False, False, False] == [
        nest(body, path, value)
        for path, value in (("a.x.y", 2), ("a.b", 2), ("c.d", 2), ("a", {}), ("a.b", 1))
    ]
    assert {"a": {"b": 1, "x": {"y": 2}}, "c": "text"} == body

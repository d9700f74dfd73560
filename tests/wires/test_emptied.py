"""What is left of content whose parts were accepted losses is as plain as if nothing else had been there."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.model.binding import Binding, Capabilities
from llm_projections.model.items import (
    AssistantMessage,
    CacheMark,
    DataSource,
    Image,
    Item,
    Part,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.losses import AGENT_CLIENTS
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES
from tests.everything import MODEL, binding_of

PNG = Image(DataSource("QUJD", "image/png"))
CALL = ToolCall("c1", "f", "{}")
ASK = UserMessage((Text("look"),))
LOST = frozenset({"turn.images", "turn.cache"})
WIRE = pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
LEFT: list[tuple[tuple[Part, ...], tuple[Text, ...]]] = [
    ((PNG,), ()),
    ((PNG, PNG), ()),
    ((PNG, Text("seen")), (Text("seen"),)),
    ((Text("seen", cache=CacheMark()), PNG), (Text("seen"),)),
    ((Text("a"), PNG, Text("b")), (Text("a"), Text("b"))),
]


def texts_only(protocol: Protocol) -> Binding:
    """A binding of a model that reads texts, whose server would take a list as a tool's result."""
    own: dict[Protocol, dict[str, Any]] = {
        Protocol.CHAT: {"tool_result_parts": True},
        Protocol.RESPONSES: {"tool_result_envelope": "failures"},
    }
    return binding_of(protocol, capabilities=Capabilities.text(1000), **own.get(protocol, {}))


def body(protocol: Protocol, *items: Item) -> dict[str, Any]:
    """The body of a conversation, as texts only."""
    turn = TurnRequest(MODEL, max_output_tokens=9, items=items)
    written = WIRES[protocol].project_request(turn, texts_only(protocol), accept=LOST)
    assert "turn.images" in {loss.name for loss in written.losses}
    value: dict[str, Any] = written.body
    return value


@WIRE
@pytest.mark.parametrize("failed", [None, True])
@pytest.mark.parametrize(("parts", "left"), LEFT)
def test_a_result_is_what_is_left_of_it(
    protocol: Protocol, failed: bool | None, parts: tuple[Any, ...], left: tuple[Text, ...]
) -> None:
    """The body is that of the turn which had the rest alone; whether the tool failed is never lost."""
    plain = TurnRequest(
        MODEL, max_output_tokens=9, items=(ASK, CALL, ToolResult("c1", left, failed))
    )
    expected = WIRES[protocol].project_request(plain, texts_only(protocol)).body
    assert expected == body(protocol, ASK, CALL, ToolResult("c1", parts, failed))
    data = WIRES[protocol].encode_request(plain, texts_only(protocol))
    result = WIRES[protocol].ingest_request(data, accept=AGENT_CLIENTS).request.items[-1]
    assert (left, failed) == (result.content, result.failed)


@pytest.mark.parametrize("protocol", [Protocol.CHAT, Protocol.RESPONSES], ids=lambda it: it.short)
@pytest.mark.parametrize(("parts", "left"), LEFT)
def test_a_user_message_is_what_is_left_of_it(
    protocol: Protocol, parts: tuple[Any, ...], left: tuple[Text, ...]
) -> None:
    """Where nothing is left, the user said nothing: an empty list is what servers turn down."""
    plain = TurnRequest(MODEL, max_output_tokens=9, items=(UserMessage(left),))
    expected = WIRES[protocol].project_request(plain, texts_only(protocol)).body
    found = body(protocol, UserMessage(parts))
    assert expected == found
    (message,) = found["messages" if protocol is Protocol.CHAT else "input"]
    assert message["content"] or not left
    assert message["content"] != []


def test_a_message_of_which_nothing_is_left_is_left_out_where_none_may_be_empty() -> None:
    """Messages: content must not be empty."""
    said = AssistantMessage((Text("hi"),))
    found = body(Protocol.MESSAGES, UserMessage((Text("a"),)), said, UserMessage((PNG,)))
    assert ["user", "assistant"] == [message["role"] for message in found["messages"]]


@pytest.mark.parametrize(
    ("protocol", "text", "alone"),
    [
        (Protocol.CHAT, '{"error":"x","ok":false}', True),
        (Protocol.CHAT, '{"ok":false}', False),
        (Protocol.RESPONSES, '{"ok":false,"output":"x"}', True),
        (Protocol.RESPONSES, '{"ok":false}', False),
    ],
)
def test_what_is_left_is_no_failure_by_chance(protocol: Protocol, text: str, alone: bool) -> None:
    """A tool's own words that read as a failure once the rest is gone are told as that."""
    rest = () if alone else (Text("x"),)
    turn = TurnRequest(
        MODEL, max_output_tokens=9, items=(ASK, CALL, ToolResult("c1", (Text(text), PNG, *rest)))
    )
    accept = LOST | {"turn.tool_result.ambiguous"}
    written = WIRES[protocol].project_request(turn, texts_only(protocol), accept=accept)
    assert "turn.tool_result.ambiguous" in {loss.name for loss in written.losses}

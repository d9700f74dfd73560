"""What is odd about Chat: an answer goes back in the next request as the server gave it."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections import project_request as project_anywhere
from llm_projections.errors import RequestRefused
from llm_projections.model.binding import Binding, Capabilities
from llm_projections.model.dialects import DIALECTS
from llm_projections.model.items import (
    AssistantMessage,
    Item,
    Opaque,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    WireItem,
)
from llm_projections.model.losses import AGENT_CLIENTS
from llm_projections.model.turn import TurnRequest
from llm_projections.wires.chat import ingest_request, project_request
from llm_projections.wires.chat.project import encode_request
from tests.everything import binding_of
from tests.wires.chat_answers import BINDING, fragment, outcome, said

OPENROUTER = evolve(BINDING, dialect=DIALECTS["openrouter"])
OPENAI = evolve(BINDING, dialect=DIALECTS["openai"], capabilities=Capabilities.text())
TEXT = {"type": "reasoning.text", "text": "hm", "index": 0}
SEALED = {"type": "reasoning.encrypted", "data": "c2VhbGVk", "index": 1}
CALLED: dict[str, Any] = {"name": "f", "arguments": "{}"}
LEGACY = WireItem(
    Protocol.CHAT, {"role": "assistant", "content": None, "function_call": CALLED}, role="call"
)
ANSWERED: dict[str, Any] = {"role": "function", "name": "f", "content": "r"}
RESULT = WireItem(Protocol.CHAT, ANSWERED, role="result")


def following(*items: Item) -> TurnRequest:
    """A turn in which the model said these items."""
    return TurnRequest("model", (UserMessage((Text("q"),)), *items))


def replayed(binding: Binding, *items: Item, **options: Any) -> Any:
    """The messages after the question, of a turn in which the model said these items."""
    return project_request(following(*items), binding, **options).body["messages"][1:]


def test_sealed_reasoning_that_came_last_goes_back_in_its_field() -> None:
    """A message has no order between the two: some servers send it after the text, or after the calls."""
    deltas: list[Any] = [
        {"reasoning_details": [TEXT]},
        {"content": "Hi"},
        fragment(0, "a", "f", "{}"),
        {"reasoning_details": [SEALED]},
    ]
    items = outcome(said(*deltas, finish="tool_calls"), OPENROUTER).items
    assert [Opaque, AssistantMessage, ToolCall, Opaque] == [type(item) for item in items]
    message, result = replayed(OPENROUTER, *items, ToolResult("a", (Text("r"),)))
    assert [TEXT, SEALED] == message["reasoning_details"]
    assert "Hi" == message["content"]
    assert "tool" == result["role"]


@pytest.mark.parametrize("text", [(), ({"content": "I ask."},)], ids=["alone", "after a text"])
def test_a_function_call_of_old_goes_back_in_its_message(text: tuple[Any, ...]) -> None:
    """With what was said before it, to a server that publishes the field."""
    data = said(*text, {"function_call": CALLED}, finish="function_call")
    items = outcome(data, OPENAI).items
    message, answered = replayed(OPENAI, *items, RESULT)
    said_before = text[0]["content"] if text else None
    assert {"role": "assistant", "content": said_before, "function_call": CALLED} == message
    assert ANSWERED == answered


def test_a_function_call_of_old_is_written_as_it_is_read() -> None:
    """The second round changes nothing."""
    data = encode_request(following(LEGACY, RESULT), OPENAI)
    again = evolve(ingest_request(data).request, model="model")
    assert data == encode_request(again, OPENAI)


@pytest.mark.parametrize("target", list(Protocol))
def test_a_function_call_of_old_is_a_loss_of_its_own(target: Protocol) -> None:
    """No set of losses leaves a call out: its result would answer nothing."""
    bare = binding_of(target, capabilities=Capabilities.text(1000, 100), request_fields=frozenset())
    with pytest.raises(RequestRefused) as error:
        project_anywhere(evolve(following(LEGACY), model=bare.model), bare, accept=AGENT_CLIENTS)
    assert "chat.messages.function_call" == error.value.loss

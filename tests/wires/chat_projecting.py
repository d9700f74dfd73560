"""What tests of Chat projection share."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import RequestRefused
from llm_projections.model.binding import Binding, Capabilities
from llm_projections.model.items import (
    DataSource,
    Image,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
)
from llm_projections.model.losses import Loss
from llm_projections.model.turn import TurnRequest
from llm_projections.wires.chat import project_request
from tests.cases.chat import BINDING
from tests.everything import binding_of

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
VENDOR = binding_of(CHAT, request_fields=frozenset())
PLAIN = binding_of(CHAT, capabilities=Capabilities.text(1000), request_fields=frozenset())
CALL = ToolCall("c1", "f", "{}")
RESULT = ToolResult("c1", (Text("r"),))
CALLED = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
PNG = Image(DataSource("iVBORw0KGgo=", "image/png"))


DIALECTED = binding_of(CHAT, request_fields=frozenset(), reasoning_field="reasoning")
WIDE = binding_of(CHAT)


def without(binding: Binding, **lacking: Any) -> Binding:
    """The binding with less than it declared."""
    return evolve(binding, capabilities=evolve(binding.capabilities, **lacking))


def messages(given: TurnRequest, binding: Binding = BINDING, **options: Any) -> Any:
    """The messages that a turn is written as."""
    return project_request(given, binding, **options).body["messages"]


def refused(given: TurnRequest, binding: Binding = BINDING, **options: Any) -> dict[str, Any]:
    """The losses and messages of every refusal, by path."""
    with pytest.raises(RequestRefused) as caught:
        project_request(given, binding, **options)
    error = caught.value
    return {fault.path: fault.loss or fault.message for fault in (error, *error.others)}


def lost(given: TurnRequest, binding: Binding, *accept: str) -> tuple[Any, tuple[Loss, ...]]:
    """The messages and losses once the losses are accepted; refused by the same names without."""
    assert set(accept) == set(refused(given, binding).values())
    projection = project_request(given, binding, accept=accept)
    return projection.body["messages"], projection.losses

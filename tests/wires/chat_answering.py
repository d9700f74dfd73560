"""What tests of Chat answers share: outcomes, and what is written of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
import pytest

from llm_projections.errors import Dispatch, ResponseRefused
from llm_projections.model.events import Event
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Item,
    Protocol,
    Provenance,
    Text,
    ToolCall,
)
from llm_projections.model.outcome import EndTurn, StopReason, ToolCalls, TurnOutcome
from llm_projections.model.results import AnswerShape
from llm_projections.sse import frames
from llm_projections.wires.chat.answer import encode_ingress_answer, encode_ingress_stream
from tests.wires.chat_answers import IDENTITY, SHAPE

ELSEWHERE = Provenance(Protocol.MESSAGES, "p", "a", "e", "m", "r")
TEXT = AssistantMessage((Text("Hello"),))
CALL = ToolCall("call_1", "read", '{"path":"a"}')


def ended(*items: Item, stop: StopReason | None = None, **more: Any) -> TurnOutcome:
    """An outcome of these items."""
    waits = any(isinstance(item, ToolCall | CustomToolCall) for item in items)
    return TurnOutcome(stop or (ToolCalls() if waits else EndTurn()), items, **more)


def written(
    made: Iterable[Event], answer: AnswerShape = SHAPE, accept: Iterable[str] = (), **more: Any
) -> list[Any]:
    """The payloads of a stream, the sentinel as text."""
    data = b"".join(encode_ingress_stream(made, IDENTITY, answer, accept=set(accept), **more))
    return [
        orjson.loads(payload) if payload != b"[DONE]" else "[DONE]" for _, payload in frames(data)
    ]


def deltas(payloads: list[Any]) -> list[Any]:
    """The deltas of a stream, the one with the role and the empty last one left out."""
    told = [choice["delta"] for each in payloads if each != "[DONE]" for choice in each["choices"]]
    assert {"role": "assistant", "content": None} == told[0]
    assert {} == told[-1]
    return told[1:-1]


def whole(said: TurnOutcome, **more: Any) -> Any:
    """A whole answer."""
    return orjson.loads(encode_ingress_answer(said, IDENTITY, **more))


def unsaid(error: pytest.ExceptionInfo[ResponseRefused]) -> ResponseRefused:
    """The refusal of an encoder, which never claims more than it knows."""
    assert (Dispatch.ACCEPTED, False) == (error.value.dispatch, error.value.may_retry)
    return error.value

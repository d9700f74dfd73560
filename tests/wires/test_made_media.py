"""What a model made beside its text is no hint: images and sound have losses of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import TurnCompleted
from llm_projections.model.items import AssistantMessage, Protocol, Text, WirePart
from llm_projections.model.losses import AGENT_CLIENTS, CROSS_VENDOR, Loss
from llm_projections.wires import WIRES
from tests.everything import MODEL, binding_of

IDENTITY = Identity("resp_1", 1, MODEL)
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
MADE: list[tuple[dict[str, Any], str]] = [
    ({"images": [IMAGE]}, "answer.images"),
    ({"audio": {"id": "a", "data": "QUJD", "transcript": "Hi", "expires_at": 1}}, "answer.audio"),
    ({"content": [{"type": "text", "text": "Hi"}, IMAGE]}, "answer.wire_part"),
]
OTHERS = pytest.mark.parametrize(
    "protocol", [Protocol.MESSAGES, Protocol.RESPONSES], ids=lambda protocol: protocol.short
)


def answered(message: dict[str, Any]) -> Any:
    """The outcome of a Chat answer whose message says this beside its text."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"content": "Hi", **message}}
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    body = {"id": "c", "model": "m", "choices": [choice], "usage": usage}
    return WIRES[Protocol.CHAT].decode_response(
        json.dumps(body).encode(), binding_of(Protocol.CHAT)
    )


@OTHERS
@pytest.mark.parametrize(("message", "name"), MADE)
def test_it_is_lost_by_its_own_name(protocol: Protocol, message: dict[str, Any], name: str) -> None:
    """Agent programs accept it; the hints, and what is lost between vendors, do not."""
    outcome, write = answered(message), WIRES[protocol].encode_ingress_answer
    for accept in (CROSS_VENDOR, AGENT_CLIENTS - {name}):
        with pytest.raises(ResponseRefused, match=name):
            write(outcome, IDENTITY, accept=accept)
    losses: list[Loss] = []
    write(outcome, IDENTITY, accept=AGENT_CLIENTS, losses=losses)
    assert name in {loss.name for loss in losses}


@pytest.mark.parametrize(("message", "name"), MADE)
def test_its_own_wire_says_it_again(message: dict[str, Any], name: str) -> None:
    """Nothing is lost there."""
    losses: list[Loss] = []
    body = WIRES[Protocol.CHAT].encode_ingress_answer(answered(message), IDENTITY, losses=losses)
    said = json.loads(body)["choices"][0]["message"]
    assert message.items() <= said.items()
    assert name not in {loss.name for loss in losses}


@pytest.mark.parametrize("text", ["Hi", ""])
def test_so_does_its_stream(text: str) -> None:
    """A part after the text that was shown, or alone."""
    wire, binding = WIRES[Protocol.CHAT], binding_of(Protocol.CHAT)
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {"content": [IMAGE]}, "finish_reason": "stop"}]},
    ]
    data = b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks)
    events = list(wire.decode_stream([data, b"data: [DONE]\n\n"], binding))
    again = b"".join(wire.encode_ingress_stream(events, IDENTITY))
    last = list(wire.decode_stream([again], binding))[-1]
    assert isinstance(last, TurnCompleted)
    texts = (Text(text),) if text else ()
    assert (AssistantMessage((*texts, WirePart(Protocol.CHAT, IMAGE))),) == last.outcome.items

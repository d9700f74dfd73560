"""Opaque state inside another wire's seal: made, opened, bounded, refused."""

from base64 import b64decode, b64encode
from typing import Any

import pytest
from hypothesis import given

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Identity
from llm_projections.model.events import ItemCompleted, TextDelta, TurnCompleted
from llm_projections.model.items import (
    AssistantMessage,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    UnattributedOpaque,
)
from llm_projections.model.outcome import EndTurn, TurnOutcome
from llm_projections.model.turn import TurnRequest
from llm_projections.sealing import (
    MAX_SEALED_BYTES,
    Sealing,
    seal_item,
    unseal_item,
    unseal_turn,
)
from tests.everything import BINDINGS, SEALED
from tests.values import json_objects

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
FOREIGN = [
    (made, client) for made in Protocol for client in (MESSAGES, RESPONSES) if made is not client
]
IDENTITY = Identity("r", 1)


def seal(data: bytes) -> str:
    """Stands for encryption: what matters here is what is sealed."""
    return b64encode(data).decode()


def unseal(text: str) -> bytes | None:
    """None for what was not made by `seal`."""
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return None


def state(made: Protocol, text: str | None = "read") -> Opaque:
    return Opaque(BINDINGS[made].provenance, SEALED[made], text)


def sealed(made: Protocol, client: Protocol, text: str | None = "read") -> Opaque:
    item = seal_item(state(made, text), client, seal, "rs_1")
    assert isinstance(item, Opaque)
    return item


def replayed(item: Opaque) -> UnattributedOpaque:
    """How the client's next request brings it."""
    return UnattributedOpaque(item.protocol, item.payload, item.text)


@pytest.mark.parametrize(("made", "client"), FOREIGN)
@pytest.mark.parametrize("text", ["read", "", None])
def test_what_was_sealed_opens_to_what_it_was(
    made: Protocol, client: Protocol, text: str | None
) -> None:
    """Provenance, payload and readable text, to the last key."""
    opened = unseal_item(replayed(sealed(made, client, text)), unseal, "items[0]")
    assert state(made, text) == opened
    assert isinstance(opened, Opaque)
    assert list(SEALED[made]) == list(opened.payload)


@given(json_objects())
def test_any_payload_survives(payload: dict[str, Any]) -> None:
    """Big integers, odd keys and nulls included."""
    item = Opaque(BINDINGS[CHAT].provenance, payload)
    made = seal_item(item, MESSAGES, seal, "rs_1")
    assert isinstance(made, Opaque)
    assert item == unseal_item(replayed(made), unseal, "items[0]")


def test_the_shape_is_the_clients_own() -> None:
    """Signed thinking on Messages, encrypted reasoning on Responses; the text stays readable."""
    thinking = sealed(RESPONSES, MESSAGES).payload
    assert ["type", "thinking", "signature"] == list(thinking)
    assert ("thinking", "read") == (thinking["type"], thinking["thinking"])
    reasoning = sealed(MESSAGES, RESPONSES).payload
    assert ("reasoning", "rs_1", []) == (reasoning["type"], reasoning["id"], reasoning["summary"])
    assert [{"type": "reasoning_text", "text": "read"}] == reasoning["content"]
    assert "content" not in sealed(MESSAGES, RESPONSES, None).payload
    assert {MESSAGES, RESPONSES} == {
        sealed(RESPONSES, MESSAGES).protocol,
        sealed(MESSAGES, RESPONSES).protocol,
    }


@pytest.mark.parametrize("made", list(Protocol))
def test_nothing_is_sealed_for_its_own_wire_or_for_chat(made: Protocol) -> None:
    """The one needs none, the other has no place for one."""
    for client in {made, CHAT}:
        item = state(made)
        assert item is seal_item(item, client, seal, "rs_1")


def test_state_past_the_bound_is_not_sealed() -> None:
    """It stays the foreign state that it is."""
    item = Opaque(BINDINGS[CHAT].provenance, {"data": "x" * MAX_SEALED_BYTES})
    assert item is seal_item(item, MESSAGES, seal, "rs_1")


@pytest.mark.parametrize(
    "closed",
    [
        "",
        "!",
        seal(b""),
        seal(b"null"),
        seal(b"[]"),
        seal(b"{}"),
        seal(b"not JSON"),
        seal(b'{"provenance":{},"payload":{},"text":null}'),
        seal(b'{"provenance":1,"payload":{},"text":null}'),
        seal(b'{"provenance":{},"payload":{},"text":null,"more":1}'),
        seal(
            b'{"provenance":{"protocol":"other","provider":"p","account":"a","endpoint":"e",'
            b'"model":"m","revision":"r"},"payload":{},"text":null}'
        ),
        seal(
            b'{"provenance":{"protocol":"messages","provider":"p","account":"a","endpoint":"e",'
            b'"model":"m","revision":1},"payload":{},"text":null}'
        ),
        seal(
            b'{"provenance":{"protocol":"messages","provider":"p","account":"a","endpoint":"e",'
            b'"model":"m","revision":"r"},"payload":[],"text":null}'
        ),
        seal(
            b'{"provenance":{"protocol":"messages","provider":"p","account":"a","endpoint":"e",'
            b'"model":"m","revision":"r"},"payload":{},"text":1}'
        ),
    ],
)
@pytest.mark.parametrize("client", [MESSAGES, RESPONSES])
def test_what_does_not_open_to_state_is_refused(client: Protocol, closed: str) -> None:
    """By its place; what it holds is not quoted."""
    key = "signature" if client is MESSAGES else "encrypted_content"
    item = UnattributedOpaque(client, {"type": "x", key: f"llmp1.{closed}"})
    with pytest.raises(RequestRefused) as caught:
        unseal_item(item, unseal, "items[3]")
    assert (RefusalCode.INVALID_REQUEST, "items[3]") == (caught.value.code, caught.value.path)
    assert not closed or closed not in str(caught.value)


def test_a_seal_that_is_too_long_is_not_even_tried() -> None:
    """A client cannot make the gateway decrypt without bound."""

    def untried(_text: str) -> bytes:
        raise AssertionError("it was opened")

    payload: dict[str, Any] = {
        "type": "thinking",
        "signature": "llmp1." + "x" * 2 * MAX_SEALED_BYTES,
    }
    with pytest.raises(RequestRefused, match="does not open"):
        unseal_item(UnattributedOpaque(MESSAGES, payload), untried, "items[0]")


@pytest.mark.parametrize(
    "item",
    [
        UnattributedOpaque(MESSAGES, {"type": "thinking", "signature": "vendor"}),
        UnattributedOpaque(MESSAGES, {"type": "redacted_thinking", "data": "llmp1.x"}),
        UnattributedOpaque(RESPONSES, {"type": "reasoning", "encrypted_content": None}),
        state(MESSAGES),
        Reasoning("llmp1."),
    ],
)
def test_everything_else_is_left_alone(item: Any) -> None:
    """A vendor's own seal is not ours."""
    assert item is unseal_item(item, unseal, "items[0]")


def test_every_seal_that_does_not_open_is_told() -> None:
    """An operator sees the list once."""
    bad = UnattributedOpaque(MESSAGES, {"type": "thinking", "signature": "llmp1.!"})
    turn = TurnRequest("m", (Reasoning("x"), bad, replayed(sealed(CHAT, MESSAGES)), bad))
    with pytest.raises(RequestRefused) as caught:
        unseal_turn(turn, unseal)
    paths = [each.path for each in (caught.value, *caught.value.others)]
    assert ["items[1]", "items[3]"] == paths


def test_a_turn_is_unsealed_item_by_item() -> None:
    """In its place among the others."""
    turn = TurnRequest("m", (Reasoning("x"), replayed(sealed(CHAT, MESSAGES))))
    assert (Reasoning("x"), state(CHAT)) == unseal_turn(turn, unseal).items


def test_one_answer_seals_each_item_once() -> None:
    """Said as an item, again in the outcome, or read again as an equal one."""
    made: list[bytes] = []

    def counted(data: bytes) -> str:
        made.append(data)
        return f"{len(made)}"

    sealing = Sealing(counted, MESSAGES, IDENTITY)
    item, equal = state(CHAT), Opaque(state(CHAT).provenance, dict(SEALED[CHAT]), "read")
    text = AssistantMessage((Text("x"),))
    first = sealing.take(ItemCompleted(item, 0))
    assert isinstance(first, ItemCompleted)
    for again in (item, equal):
        ended = sealing.take(TurnCompleted(TurnOutcome(EndTurn(), (again, text))))
        assert TurnCompleted(TurnOutcome(EndTurn(), (first.item, text))) == ended
    assert 1 == len(made)


def test_state_that_was_never_said_is_sealed_with_the_outcome() -> None:
    """Nothing goes out unsealed."""
    ended = Sealing(seal, RESPONSES, IDENTITY).take(
        TurnCompleted(TurnOutcome(EndTurn(), (state(MESSAGES),)))
    )
    assert isinstance(ended, TurnCompleted)
    (item,) = ended.outcome.items
    assert isinstance(item, Opaque)
    assert "rs_r_0" == item.payload["id"]


def test_other_events_pass() -> None:
    """As they are."""
    sealing = Sealing(seal, MESSAGES, IDENTITY)
    for event in (TextDelta("x", 0), ItemCompleted(Reasoning("x"), 0)):
        assert event is sealing.take(event)

"""Parts and items: values that compare, and state that is bound by an explicit decision."""

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import (
    Audio,
    CacheMark,
    DataSource,
    Extension,
    Opaque,
    Protocol,
    Provenance,
    Text,
    TextSource,
    ToolCall,
    UnattributedOpaque,
    UserMessage,
    bind_item,
)

HERE = Provenance(Protocol.MESSAGES, "p", "a", "e", "m", "r")
THERE = evolve(HERE, protocol=Protocol.CHAT)
SEALED = "messages.tool_calls.extra_content"


def test_a_protocol_has_a_short_name_that_begins_its_losses():
    """The values are the wires' own names."""
    assert {
        "chat-completions": "chat",
        "messages": "messages",
        "responses": "responses",
    } == {protocol.value: protocol.short for protocol in Protocol}


def test_values_are_frozen_and_compare_by_value():
    """Two texts that say the same are the same, and can be keys."""
    one, other = Text("a", cache=CacheMark("1h")), Text("a", cache=CacheMark("1h"))
    assert one == other
    assert 1 == len({one, other, Text("a")} - {Text("a")})
    with pytest.raises(FrozenInstanceError):
        one.text = "b"  # type: ignore[misc]  # the misuse under test


@pytest.mark.parametrize(
    "value", [DataSource("c2VjcmV0"), TextSource("secret"), Audio("c2VjcmV0", "wav")]
)
def test_bulk_is_left_out_of_the_repr(value):
    """Inline content can be megabytes."""
    assert "secret" not in repr(value)
    assert "c2VjcmV0" not in repr(value)


def test_sealed_payloads_are_left_out_of_the_repr():
    """They mean nothing to a reader."""
    sealed = UnattributedOpaque(Protocol.MESSAGES, {"signature": "zzz"})
    assert "zzz" not in repr(sealed) + repr(sealed.bind_unattributed(HERE))


def test_unattributed_state_is_bound_whole():
    """Payload, text and extensions stay."""
    extension = Extension(Protocol.MESSAGES, "x", 1)
    loose = UnattributedOpaque(Protocol.MESSAGES, {"type": "thinking"}, "so", (extension,))
    bound = loose.bind_unattributed(HERE)
    assert Opaque(HERE, {"type": "thinking"}, "so", (extension,)) == bound
    assert Protocol.MESSAGES is bound.protocol


def test_state_of_another_protocol_cannot_be_bound():
    """Asked for one item, that is refused."""
    with pytest.raises(RequestRefused) as refused:
        UnattributedOpaque(Protocol.MESSAGES, {}).bind_unattributed(THERE)
    assert RefusalCode.INVALID_REQUEST is refused.value.code


def test_of_a_whole_turn_only_its_own_protocol_is_bound():
    """Other protocols' state, bound state and plain items stay as they are."""
    loose = UnattributedOpaque(Protocol.MESSAGES, {})
    bound = Opaque(THERE, {})
    plain = UserMessage((Text("a"),))
    assert Opaque(HERE, {}) == bind_item(loose, HERE)
    assert loose is bind_item(loose, THERE)
    assert bound is bind_item(bound, HERE)
    assert plain is bind_item(plain, HERE)


def test_sealed_state_beside_a_call_is_bound_too():
    """A signature that came as an extension has the same six coordinates."""
    seal = Extension(Protocol.CHAT, SEALED, {"google": {}})
    other = Extension(Protocol.CHAT, "messages.name", "n")
    call = ToolCall("c", "f", "{}", extensions=(seal, other))
    bound = bind_item(call, THERE)
    assert (evolve(seal, provenance=THERE), other) == bound.extensions
    assert call is bind_item(call, HERE)
    assert bound is bind_item(bound, THERE)

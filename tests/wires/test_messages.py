"""What is odd about the Messages wire: its words, its sealed blocks, its counts."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections.messages import encode_ingress_count
from llm_projections.wires.messages.vocab import (
    CALL_ID,
    SERVICE_TIERS,
    SERVICE_TIERS_OUT,
    is_sealed,
    sealed_text,
)


@pytest.mark.parametrize(
    ("block", "sealed", "text"),
    [
        ({"type": "thinking", "thinking": "a", "signature": "c2ln"}, True, "a"),
        ({"type": "thinking", "thinking": "", "signature": "c2ln"}, True, None),
        ({"type": "thinking", "thinking": "a", "signature": ""}, False, "a"),
        ({"type": "thinking", "thinking": "a"}, False, "a"),
        ({"type": "redacted_thinking", "data": "RW9w"}, True, None),
        ({"type": "compaction", "content": "so far", "encrypted_content": "x"}, True, "so far"),
        ({"type": "compaction", "content": None, "signature": "x"}, True, None),
        ({"type": "compaction", "content": "so far"}, False, "so far"),
        ({"type": "text", "text": "a", "signature": "x"}, False, None),
    ],
)
def test_which_blocks_are_sealed_and_what_of_them_can_be_read(
    block: dict[str, Any], sealed: bool, text: str | None
) -> None:
    """A signature or ciphertext seals a block; its readable part stays readable."""
    assert sealed == is_sealed(block)
    assert text == sealed_text(block)


def test_tiers_are_told_one_to_one() -> None:
    """Each word has one of its own on the other side."""
    assert {word: own for own, word in SERVICE_TIERS.items()} == SERVICE_TIERS_OUT
    assert len(SERVICE_TIERS) == len(SERVICE_TIERS_OUT)


@pytest.mark.parametrize(
    ("call_id", "fits"),
    [
        ("toolu_01-A", True),
        ("", False),
        ("functions.f:0", False),
        ("a b", False),
        ("é", False),
        ("a\n", False),
    ],
)
def test_which_call_ids_fit(call_id: str, fits: bool) -> None:
    """Letters, digits, underscore and hyphen of ASCII."""
    assert fits == (CALL_ID(call_id) is not None)


def test_a_count_is_answered_by_one_number() -> None:
    """Zero is a count, less is none."""
    assert b'{"input_tokens":0}' == encode_ingress_count(0)
    with pytest.raises(ValueError, match="not negative"):
        encode_ingress_count(-1)

"""Named losses: what a projection may leave behind because the caller said so in advance.

Rules:
1. A name that is not in `NAMES` is a `ValueError`: a typing mistake never accepts anything.
2. Three published sets grow from each other: `HINTS`, `CROSS_VENDOR`, `AGENT_CLIENTS`. What is in none of them is
   always a decision of its own. There is no set of everything.
3. The reason for each name's place is its row in spec/losses.toml.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from llm_projections._values import frozen
from llm_projections.model.losses import chat, messages, responses, turn
from llm_projections.model.losses.tier import Tier

__all__ = ["AGENT_CLIENTS", "CROSS_VENDOR", "HINTS", "NAMES", "Loss", "Tier", "accepted"]


@frozen
class Loss:
    """Something that was left out: its stable name, and where it stood."""

    name: str
    path: str


NAMES: Mapping[str, Tier] = {
    **turn.NAMES,
    **chat.NAMES,
    **messages.NAMES,
    **responses.NAMES,
}
"""Every loss that the library can report, and the published set that it first belongs to."""


def _up_to(*tiers: Tier) -> frozenset[str]:
    return frozenset(name for name, tier in NAMES.items() if tier in tiers)


HINTS = _up_to(Tier.HINT)
"""Cannot change what the model reads or may answer."""
CROSS_VENDOR = _up_to(Tier.HINT, Tier.CROSS_VENDOR)
"""`HINTS`, and what only its origin can read."""
AGENT_CLIENTS = _up_to(Tier.HINT, Tier.CROSS_VENDOR, Tier.AGENT)
"""`CROSS_VENDOR`, and what agent programs always send and most targets lack."""


_EVERY = frozenset(NAMES)


def accepted(names: Collection[str]) -> frozenset[str]:
    """`names` as a set, or `ValueError` when one of them is not a loss."""
    chosen = names if isinstance(names, frozenset) else frozenset(names)
    if not chosen <= _EVERY:
        unknown = sorted(chosen - _EVERY)
        raise ValueError(f"not the name of a loss: {', '.join(unknown)}")
    return chosen

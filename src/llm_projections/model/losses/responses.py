"""Losses of things that only the Responses wire carries, and of what its shape forces."""

from __future__ import annotations

from llm_projections.model.losses.tier import Tier

__all__ = ["NAMES"]

NAMES: dict[str, Tier] = {
    "responses.store": Tier.HINT,
}

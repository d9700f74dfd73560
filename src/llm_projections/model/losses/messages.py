"""Losses of things that only the Messages wire carries, and of what its shape forces."""

from __future__ import annotations

from llm_projections.model.losses.tier import Tier

__all__ = ["NAMES"]

NAMES: dict[str, Tier] = {
    "messages.text_before_result": Tier.AGENT,
}

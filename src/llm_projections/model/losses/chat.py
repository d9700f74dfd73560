"""Losses of things that only the Chat wire carries, and of what its shape forces."""

from __future__ import annotations

from llm_projections.model.losses.tier import Tier

__all__ = ["NAMES"]

NAMES: dict[str, Tier] = {
    "chat.assistant.merged": Tier.CROSS_VENDOR,
    "chat.assistant.reordered": Tier.AGENT,
}

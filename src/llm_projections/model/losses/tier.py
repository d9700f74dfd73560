"""Which published set a loss first belongs to."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Tier"]


class Tier(StrEnum):
    """The smallest published set that holds a loss."""

    HINT = "HINTS"
    CROSS_VENDOR = "CROSS_VENDOR"
    AGENT = "AGENT_CLIENTS"
    OWN = "none"
    """In no set: always a decision of its own."""

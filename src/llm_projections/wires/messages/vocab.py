"""Words of the Messages wire and what they mean, both directions."""

from __future__ import annotations

from collections.abc import Mapping
from re import compile as pattern

from llm_projections._json import Json
from llm_projections.model.items import Extension, Protocol

__all__ = [
    "CALL_ID",
    "DISPLAYS",
    "DOCUMENT_TYPES",
    "EFFORTS",
    "IMAGE_TYPES",
    "MARKABLE",
    "MAX_MARKS",
    "MODES",
    "SERVICE_TIERS",
    "SERVICE_TIERS_OUT",
    "TEXT_TYPES",
    "TTLS",
    "UNSIGNED_MEMORY",
    "VERSIONS",
    "is_sealed",
    "sealed_text",
]

UNSIGNED_MEMORY = Extension(Protocol.MESSAGES, "messages.content.unsigned", True)
"""Remembers on readable reasoning that a client of this wire sent it, without a signature."""
VERSIONS = frozenset({"2023-06-01", "2026-10-21"})
EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
MODES = frozenset({"adaptive", "enabled", "disabled", "between_tools"})
DISPLAYS = frozenset({"summarized", "omitted", "updates"})
"""`updates` is Claude Code's, behind `thinking-display-updates-2026-08-18`."""
TTLS = frozenset({"5m", "1h"})
IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
DOCUMENT_TYPES = frozenset({"application/pdf"})
TEXT_TYPES = frozenset({"text/plain"})

# "Only the standard capacity" is what the OpenAI wires call the default tier.
SERVICE_TIERS: Mapping[str, str] = {"auto": "auto", "standard_only": "default"}
SERVICE_TIERS_OUT: Mapping[str, str] = {word: own for own, word in SERVICE_TIERS.items()}

MARKABLE = frozenset({"text", "tool_use", "tool_result", "image", "document"})
"""Blocks that may hold a cache mark; thinking never does (platform.claude.com, "Prompt caching", read 2026-11)."""
MAX_MARKS = 4

CALL_ID = pattern(r"[a-zA-Z0-9_-]+").fullmatch
"""What the vendor takes as the id of a call."""


def is_sealed(block: Mapping[str, Json]) -> bool:
    """Whether only its origin can read a block: signed or redacted thinking, the ciphertext of a compaction."""
    match block.get("type"):
        case "redacted_thinking":
            return True
        case "thinking":
            return bool(block.get("signature"))
        case "compaction":
            return bool(block.get("signature") or block.get("encrypted_content"))
        case _:
            return False


def sealed_text(block: Mapping[str, Json]) -> str | None:
    """What a person may read of a sealed block."""
    text = block.get("content" if block.get("type") == "compaction" else "thinking")
    return text if isinstance(text, str) and text else None

"""The declared part of this wire: every published place, once (spec/chat.toml says the same with sources)."""

from __future__ import annotations

from llm_projections.wires._rows import Table
from llm_projections.wires.chat.subset_answers import ROWS as _ANSWERS
from llm_projections.wires.chat.subset_dialects import ROWS as _DIALECTS
from llm_projections.wires.chat.subset_request import ROWS as _REQUEST

__all__ = ["HARMLESS", "ROWS", "TABLE"]

ROWS = (*_REQUEST, *_DIALECTS, *_ANSWERS)
TABLE = Table(ROWS)

HARMLESS: dict[str, object] = {
    "store": False,
    "logprobs": False,
    "modalities": ["text"],
    "messages.prefix": False,
    "messages.partial": False,
}
"""Carried things, by extension path, at their server's own default: they say nothing and are not kept."""

"""The declared subset of the Messages wire, answers."""

from __future__ import annotations

from llm_projections.wires._rows import Row

__all__ = ["ROWS"]

ROWS: tuple[Row, ...] = ()

"""What the vendor publishes for answers, and what becomes of it."""

from __future__ import annotations

from llm_projections.wires._rows import Row

__all__ = ["ROWS"]

ROWS: tuple[Row, ...] = ()

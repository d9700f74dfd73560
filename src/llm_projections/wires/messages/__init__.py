"""The Messages wire."""

from __future__ import annotations

from llm_projections.wires.messages.http import PATH

__all__ = ["PATH"]

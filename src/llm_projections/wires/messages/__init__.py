"""The Messages wire."""

from __future__ import annotations

from llm_projections.wires.messages.http import PATH, answer_kind, request_headers, request_url
from llm_projections.wires.messages.ingest import ingest_count_tokens, ingest_request

__all__ = [
    "PATH",
    "answer_kind",
    "ingest_count_tokens",
    "ingest_request",
    "request_headers",
    "request_url",
]

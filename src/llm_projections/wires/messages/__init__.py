"""The Messages wire."""

from __future__ import annotations

from llm_projections.wires.messages.counting import encode_ingress_count
from llm_projections.wires.messages.http import PATH, answer_kind, request_headers, request_url
from llm_projections.wires.messages.ingest import ingest_count_tokens, ingest_request
from llm_projections.wires.messages.project import encode_request, project_request

__all__ = [
    "PATH",
    "answer_kind",
    "encode_ingress_count",
    "encode_request",
    "ingest_count_tokens",
    "ingest_request",
    "project_request",
    "request_headers",
    "request_url",
]

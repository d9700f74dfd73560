"""Responses, in both directions: the names of `llm_projections.wires.responses`."""

from llm_projections.wires.responses import (
    PATH,
    answer_kind,
    encode_request,
    ingest_request,
    project_request,
    request_headers,
    request_url,
)

__all__ = [
    "PATH",
    "answer_kind",
    "encode_request",
    "ingest_request",
    "project_request",
    "request_headers",
    "request_url",
]

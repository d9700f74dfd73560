"""The Responses wire: `{base}responses`."""

from llm_projections.wires.responses.http import PATH, answer_kind, request_headers, request_url
from llm_projections.wires.responses.ingest import ingest_request
from llm_projections.wires.responses.project import encode_request, project_request

__all__ = [
    "PATH",
    "answer_kind",
    "encode_request",
    "ingest_request",
    "project_request",
    "request_headers",
    "request_url",
]

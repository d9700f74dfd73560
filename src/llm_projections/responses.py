"""The Responses wire, `{base}responses`: what it carries is told in docs/responses.md."""

from __future__ import annotations

from llm_projections.wires.responses import (
    PATH,
    IngressStream,
    StreamDecoder,
    adecode_stream,
    aencode_ingress_stream,
    answer_kind,
    decode_error,
    decode_response,
    decode_stream,
    encode_ingress_answer,
    encode_ingress_error,
    encode_ingress_response,
    encode_ingress_stream,
    encode_request,
    ingest_request,
    project_request,
    request_headers,
    request_url,
)

__all__ = [
    "PATH",
    "IngressStream",
    "StreamDecoder",
    "adecode_stream",
    "aencode_ingress_stream",
    "answer_kind",
    "decode_error",
    "decode_response",
    "decode_stream",
    "encode_ingress_answer",
    "encode_ingress_error",
    "encode_ingress_response",
    "encode_ingress_stream",
    "encode_request",
    "ingest_request",
    "project_request",
    "request_headers",
    "request_url",
]

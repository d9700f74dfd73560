"""The Messages wire, `{base}messages`: what it carries is told in docs/messages.md."""

from __future__ import annotations

from llm_projections.wires.messages import (
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
    encode_ingress_count,
    encode_ingress_error,
    encode_ingress_message,
    encode_ingress_stream,
    encode_request,
    ingest_count_tokens,
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
    "encode_ingress_count",
    "encode_ingress_error",
    "encode_ingress_message",
    "encode_ingress_stream",
    "encode_request",
    "ingest_count_tokens",
    "ingest_request",
    "project_request",
    "request_headers",
    "request_url",
]

"""The Messages wire: every job, both directions."""

from __future__ import annotations

from llm_projections.wires.messages.answer import (
    IngressStream,
    aencode_ingress_stream,
    encode_ingress_answer,
    encode_ingress_stream,
)
from llm_projections.wires.messages.answer import encode_ingress_answer as encode_ingress_message
from llm_projections.wires.messages.counting import (
    encode_ingress_count,
)
from llm_projections.wires.messages.decode import (
    StreamDecoder,
    adecode_stream,
    decode_response,
    decode_stream,
)
from llm_projections.wires.messages.errors import (
    decode_error,
    encode_ingress_error,
)
from llm_projections.wires.messages.http import (
    PATH,
    answer_kind,
    request_headers,
    request_url,
)
from llm_projections.wires.messages.ingest import (
    ingest_count_tokens,
    ingest_request,
)
from llm_projections.wires.messages.project import (
    encode_request,
    project_request,
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

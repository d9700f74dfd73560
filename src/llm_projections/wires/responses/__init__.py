"""The Responses wire: `{base}responses`."""

from llm_projections.wires.responses.answer import (
    IngressStream,
    aencode_ingress_stream,
    encode_ingress_answer,
    encode_ingress_response,
    encode_ingress_stream,
)
from llm_projections.wires.responses.decode import (
    StreamDecoder,
    adecode_stream,
    decode_response,
    decode_stream,
)
from llm_projections.wires.responses.errors import (
    decode_error,
    encode_ingress_error,
)
from llm_projections.wires.responses.http import (
    PATH,
    answer_kind,
    request_headers,
    request_url,
)
from llm_projections.wires.responses.ingest import (
    ingest_request,
)
from llm_projections.wires.responses.project import (
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
    "encode_ingress_error",
    "encode_ingress_response",
    "encode_ingress_stream",
    "encode_request",
    "ingest_request",
    "project_request",
    "request_headers",
    "request_url",
]

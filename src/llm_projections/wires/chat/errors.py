"""Error answers of this wire, in both directions.

What the vendor writes is `{"error": {"message", "type", "param", "code"}}` (openai 3.57.0, `shared.ErrorObject`, read
2026-11-30); what other servers write is read too (wires/_http.py).
"""

from __future__ import annotations

from llm_projections import _json
from llm_projections.errors import Refusal, ResponseRefused
from llm_projections.model.binding import Binding
from llm_projections.model.results import HttpAnswer
from llm_projections.wires._failures import openai_error, waiting
from llm_projections.wires._http import http_refusal
from llm_projections.wires._waiting import Headers

__all__ = ["decode_error", "encode_ingress_error"]


def decode_error(
    status: int,
    headers: Headers,
    body: bytes,
    binding: Binding,  # noqa: ARG001  every wire has this signature
) -> ResponseRefused:
    """The refusal that an answer with an error status is, for the caller to raise. Never raises: any body is accepted.

    What the provider wrote is on `.upstream`, how long it asks to wait, in milliseconds, on `.retry_after_ms`.
    """
    return http_refusal(status, headers, body)


def encode_ingress_error(
    error: Refusal, *, request_id: str | None = None, expose_upstream: bool = True
) -> HttpAnswer:
    """The error answer that tells a client of a refusal.

    The status and the machine-readable `type` and `code` are by the kind of refusal; `retry-after` is written in whole
    seconds, rounded up. With `expose_upstream=False` nothing that the provider wrote is passed on.
    """
    status, told = openai_error(error, expose_upstream=expose_upstream)
    headers = [("content-type", "application/json")]
    if request_id is not None:
        headers.append(("x-request-id", request_id))
    headers += waiting(error, status)
    try:
        body = _json.dumps({"error": told})
    except _json.JsonError:  # a lone surrogate in what the provider wrote
        body = _json.dumps({"error": openai_error(error, expose_upstream=False)[1]})
    return HttpAnswer(status, tuple(headers), body)

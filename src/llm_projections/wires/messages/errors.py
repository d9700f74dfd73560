"""Error answers of the Messages wire, both directions.

Source: platform.claude.com, "Errors", and `ErrorResponse` of anthropic 2.14.0, read 2026-11-30.
"""

from __future__ import annotations

from llm_projections import _json
from llm_projections.errors import Refusal, ResponseRefused
from llm_projections.model.binding import Binding
from llm_projections.model.results import HttpAnswer
from llm_projections.wires._failures import waiting
from llm_projections.wires._http import http_refusal
from llm_projections.wires._waiting import Headers
from llm_projections.wires.messages.vocab_answer import error_text, error_words

__all__ = ["decode_error", "encode_ingress_error"]


def decode_error(
    status: int,
    headers: Headers,
    body: bytes,
    binding: Binding,  # noqa: ARG001  every wire has this signature
) -> ResponseRefused:
    """An HTTP error answer as the refusal that it is, for the caller to raise; it never claims that nothing was sent.

    What the provider wrote is on `.upstream`, how long it asks to wait on `.retry_after_ms`.
    """
    return http_refusal(status, headers, body)


def encode_ingress_error(
    error: Refusal, *, request_id: str | None = None, expose_upstream: bool = True
) -> HttpAnswer:
    """The HTTP answer that tells a Messages client of `error`.

    The status and the machine-readable `type` are by the kind of refusal; `retry-after` is written in whole seconds,
    rounded up. The upstream's own message is passed on, since clients read it, unless `expose_upstream` is False.
    """
    status, kind = error_words(error)
    told = {"type": kind, "message": error_text(error, expose_upstream=expose_upstream)}
    body: dict[str, object] = {"type": "error", "error": told}
    headers = [("content-type", "application/json")]
    if request_id is not None:
        body["request_id"] = request_id
        headers.append(("request-id", request_id))
    headers += waiting(error, status)
    try:
        data = _json.dumps(body)
    except _json.JsonError:
        told["message"] = error.message
        data = _json.dumps(body)
    return HttpAnswer(status, tuple(headers), data)

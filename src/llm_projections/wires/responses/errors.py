"""Error answers of the Responses wire, in both directions.

What the vendor writes is `{"error": {"message", "type", "param", "code"}}` (openai 3.57.0, `shared.ErrorObject`, read
2026-11-30); what other servers write is read too (wires/_http.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Refusal, RefusalCode, ResponseRefused
from llm_projections.model.binding import Binding
from llm_projections.model.results import HttpAnswer
from llm_projections.wires._http import http_refusal
from llm_projections.wires.responses.vocab_answer import ERRORS

__all__ = ["decode_error", "encode_ingress_error"]


def decode_error(
    status: int,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    binding: Binding,  # noqa: ARG001  every wire has this signature
) -> ResponseRefused:
    """The refusal that an answer with an error status is. Never raises: any body is accepted."""
    return http_refusal(status, headers, body)


def encode_ingress_error(
    error: Refusal, *, request_id: str | None = None, expose_upstream: bool = True
) -> HttpAnswer:
    """The error answer that tells a client of a refusal.

    The status and the machine-readable `type` and `code` are by the kind of refusal; `retry-after` is written in whole
    seconds, rounded up. With `expose_upstream=False` nothing that the provider wrote is passed on.
    """
    status, told = _told(error, expose_upstream=expose_upstream)
    headers = [("content-type", "application/json")]
    if request_id is not None:
        headers.append(("x-request-id", request_id))
    wait = error.retry_after_ms if isinstance(error, ResponseRefused) else None
    if wait is not None:
        headers.append(("retry-after", str(-(-wait // 1000))))
    try:
        body = _json.dumps({"error": told})
    except _json.JsonError:  # a lone surrogate in what the provider wrote
        body = _json.dumps({"error": _told(error, expose_upstream=False)[1]})
    return HttpAnswer(status, tuple(headers), body)


def _told(error: Refusal, *, expose_upstream: bool) -> tuple[int, dict[str, Json]]:
    code = error.code
    if code is RefusalCode.UNAUTHORIZED and isinstance(error, ResponseRefused):
        # the credential that was turned down is this side's, not the client's
        code = RefusalCode.PROTOCOL
    status, kind, word = ERRORS[code]
    message = f"{error.path}: {error.message}" if error.path else error.message
    param: str | None = error.path or None
    upstream = error.upstream if isinstance(error, ResponseRefused) else None
    if upstream is not None and expose_upstream:
        message = upstream.message or message
        param = upstream.param
        # the class stays ours, for statuses and retries; the upstream's words only narrow it
        if code is RefusalCode.REFUSED:
            kind, word = upstream.type or kind, upstream.code
    return status, {"message": message, "type": kind, "param": param, "code": word}

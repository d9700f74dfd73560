"""HTTP around a Responses request and its answer."""

from __future__ import annotations

from typing import Literal

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.dialect import ALL
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import _http
from llm_projections.wires._waiting import Headers
from llm_projections.wires._writing import header_extensions

__all__ = ["PATH", "answer_kind", "request_headers", "request_url"]

PATH = "responses"


def request_url(binding: Binding) -> str:
    """`base_url`, `responses` and the dialect's query.

    Raises `RequestRefused` (INVALID_REQUEST) for a base URL that does not end in a slash.
    """
    return _http.request_url(binding, PATH)


def request_headers(
    binding: Binding,
    *,
    request: TurnRequest | None = None,
    credential: str | None = None,
    stream: bool = True,
    conversation: Conversation | None = None,
    request_number: int = 0,
) -> tuple[tuple[str, str], ...]:
    """Every header that the request carries, in order.

    With a `conversation`: `session-id`, `x-client-request-id` (its id and `request_number`), and `originator` where
    it names one.

    Raises `RequestRefused`: UNAUTHORIZED for a credential that is missing or not wanted, INVALID_REQUEST for a value
    with CR, LF or NUL, UNSUPPORTED for `stream=False`.

    Source: what Codex 0.171.0 sends, 2026-11-30.
    """
    if not stream:
        raise RequestRefused(RefusalCode.UNSUPPORTED, "this wire is always streamed", "stream")
    headers = [("content-type", "application/json"), ("accept", "text/event-stream")]
    headers += _http.auth_headers(binding, credential)
    if request is not None:
        for name, value in header_extensions(request.extensions, binding).items():
            if _takes(binding, name):
                _http.check_header(value, f"header.{name}")
                headers.append((name, value))
    if conversation is not None:
        for text in (conversation.id, conversation.originator or ""):
            _http.check_header(text, "conversation")
        headers.append(("session-id", conversation.id))
        headers.append(("x-client-request-id", f"{conversation.id}-{request_number}"))
        if conversation.originator is not None:
            headers.append(("originator", conversation.originator))
    return tuple(headers)


def _takes(binding: Binding, name: str) -> bool:
    """Whether a carried header goes out: the same question that the body's writer asks."""
    fields = binding.dialect.request_fields
    return (
        binding.capabilities.takes(f"responses.header.{name}")
        or fields is ALL
        or not fields.isdisjoint((f"header.{name}", "header"))
    )


def answer_kind(
    status: int, headers: Headers, binding: Binding, *, stream: bool = True
) -> Literal["stream", "whole", "error"]:
    """How an answer is to be read. A success without content-type is an event stream: the Codex backend answers so.

    Raises `ResponseRefused` (PROTOCOL, ACCEPTED) for a success of another kind than asked, unless the dialect says
    that this server answers so.
    """
    return _http.answer_kind(status, headers, binding, stream=stream)

"""HTTP around a Chat request and its answer."""

from __future__ import annotations

from typing import Literal

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import _http
from llm_projections.wires._waiting import Headers
from llm_projections.wires._writing import header_extensions

__all__ = ["PATH", "answer_kind", "request_headers", "request_url"]

PATH = "chat/completions"


def request_url(binding: Binding) -> str:
    """`base_url`, `chat/completions` and the dialect's query.

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
    request_number: int = 0,  # noqa: ARG001  every wire takes it; only one sends it
) -> tuple[tuple[str, str], ...]:
    """Every header that the request carries, in order.

    Raises `RequestRefused`: UNAUTHORIZED for a credential that is missing or not wanted, INVALID_REQUEST for a value
    with CR, LF or NUL, UNSUPPORTED for a `conversation`, which this wire has no place for.
    """
    if conversation is not None:
        raise RequestRefused(
            RefusalCode.UNSUPPORTED, "this wire knows no conversations", "conversation"
        )
    accept = "text/event-stream" if stream else "application/json"
    headers = [("content-type", "application/json"), ("accept", accept)]
    headers += _http.auth_headers(binding, credential)
    if request is not None:
        for name, value in header_extensions(request.extensions, binding).items():
            _http.check_header(value, f"header.{name}")
            headers.append((name, value))
    return tuple(headers)


def answer_kind(
    status: int, headers: Headers, binding: Binding, *, stream: bool = True
) -> Literal["stream", "whole", "error"]:
    """How an answer is to be read.

    Raises `ResponseRefused` (PROTOCOL, ACCEPTED) for a success of another kind than asked, unless the dialect says
    that this server answers so.
    """
    return _http.answer_kind(status, headers, binding, stream=stream)

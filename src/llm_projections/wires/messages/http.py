"""HTTP around a Messages request: its path, URL and headers.

Headers: anthropic 0.121 sends `anthropic-version: 2023-06-01`, anthropic 2.14 sends `2026-10-21`; both captured
2026-11-30. Beta names, the user profile and the workspace are headers that a turn may carry.
"""

from __future__ import annotations

from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.items import Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import _http
from llm_projections.wires._http import answer_kind
from llm_projections.wires._writing import Writer, header_extensions

__all__ = ["PATH", "answer_kind", "request_headers", "request_url"]

PATH = "messages"


def request_url(binding: Binding) -> str:
    """`base_url`, `messages` and the dialect's query.

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
    """Every header of a request, in order: content type, accepted type, version, credential, carried headers.

    Raises `RequestRefused`: UNAUTHORIZED for a credential that is missing or given to `Anonymous`; INVALID_REQUEST
    for a header value with CR, LF or NUL; UNSUPPORTED for a `conversation` or for `stream=False`.
    """
    del request_number  # numbers the requests of a conversation, which this wire does not have
    _http.refuse_foreign(stream, conversation)
    headers = [
        ("content-type", "application/json"),
        ("accept", "text/event-stream"),
        ("anthropic-version", binding.dialect.version),
        *_http.auth_headers(binding, credential),
    ]
    if request is not None:
        for name, value in header_extensions(request.extensions, binding).items():
            if _takes(binding, name):
                _http.check_header(value, f"header.{name}")
                headers.append((name, value))
    return tuple(headers)


def _takes(binding: Binding, name: str) -> bool:
    """Whether a carried header goes out to this binding."""
    return Writer(binding, (), Limits()).takes(Protocol.MESSAGES, f"header.{name}")

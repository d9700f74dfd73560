"""The answer to a request to count tokens."""

from __future__ import annotations

from llm_projections import _json

__all__ = ["encode_ingress_count"]


def encode_ingress_count(input_tokens: int) -> bytes:
    """The body that answers `messages/count_tokens` (anthropic 2.14, MessageTokensCount, read 2026-11-30).

    Raises `ValueError` for a negative number.
    """
    if input_tokens < 0:
        raise ValueError("a number of tokens is not negative")
    return _json.dumps({"input_tokens": input_tokens})

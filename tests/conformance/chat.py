"""The cases of Chat Completions: what this module declares, and what the tables of the suite give."""

from tests.conformance import (
    chat_fields,
    chat_losses,
    chat_parts,
    chat_requests,
    chat_streams,
    chat_streams_odd,
    chat_whole,
    chat_written,
    mistyped,
    tables,
)
from tests.conformance.declared import Declared, Named

__all__ = ["CASES"]

_SERVER: Named = {
    "base": "chat",
    "dialect": {
        "reasoning_field": "reasoning_content",
        "reasoning_details": True,
        "extra_content": True,
        "tool_result_parts": True,
        "prefill": True,
    },
}

CASES: list[Declared] = [
    *tables.bodies("chat"),
    *tables.turns("chat"),
    *tables.answers("chat"),
    *tables.errors("chat"),
    *tables.refused("chat"),
    *chat_fields.CASES,
    *chat_parts.CASES,
    *chat_streams.CASES,
    *chat_streams_odd.CASES,
    *chat_whole.CASES,
    *chat_losses.CASES,
    *chat_written.CASES,
    *chat_requests.CASES,
    *mistyped.CHAT,
]

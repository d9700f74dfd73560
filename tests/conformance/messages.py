"""The cases of Messages: what this module declares, and what the tables of the suite give."""

from tests.conformance import (
    messages_fields,
    messages_losses,
    messages_parts,
    messages_requests,
    messages_streams,
    messages_streams_odd,
    messages_whole,
    messages_written,
    mistyped,
    tables,
)
from tests.conformance.declared import Declared

__all__ = ["CASES"]

CASES: list[Declared] = [
    *tables.bodies("messages"),
    *tables.turns("messages"),
    *tables.answers("messages"),
    *tables.errors("messages"),
    *tables.refused("messages"),
    *messages_fields.CASES,
    *messages_parts.CASES,
    *messages_requests.CASES,
    *messages_streams.CASES,
    *messages_streams_odd.CASES,
    *messages_whole.CASES,
    *messages_losses.CASES,
    *messages_written.CASES,
    *mistyped.MESSAGES,
]

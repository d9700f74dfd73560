"""The cases of Messages: what this module declares, and what the tables of the suite give."""

from tests.conformance import tables
from tests.conformance.declared import Declared

__all__ = ["CASES"]

CASES: list[Declared] = [
    *tables.bodies("messages"),
    *tables.turns("messages"),
    *tables.answers("messages"),
    *tables.errors("messages"),
    *tables.refused("messages"),
]

"""The cases of Responses: what the tests have anyway, and what only this wire has."""

from tests.conformance import tables
from tests.conformance.declared import Declared

__all__ = ["CASES"]

CASES: list[Declared] = [
    *tables.bodies("responses", tables=("CASES",)),
    *tables.turns("responses"),
    *tables.answers("responses"),
    *tables.errors("responses"),
    *tables.refused("responses"),
]

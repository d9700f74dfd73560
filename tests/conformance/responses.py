"""The cases of Responses: what the tests have anyway, and what only this wire has."""

from tests.conformance import mistyped, responses_answers, responses_requests, tables
from tests.conformance.declared import Declared

__all__ = ["CASES"]

CASES: list[Declared] = [
    *tables.bodies("responses", tables=("CASES",)),
    *tables.turns("responses"),
    *tables.answers("responses"),
    *tables.errors("responses"),
    *tables.refused("responses"),
    *responses_requests.CASES,
    *responses_answers.CASES,
    *mistyped.RESPONSES,
]

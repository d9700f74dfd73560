"""The cases of Responses: what this module declares, and what the tables of the suite give."""

from tests.conformance.declared import Declared

__all__ = ["CASES"]

CASES: list[Declared] = []

"""Whether what an answer says has a type that its place may have: what every wire's decoder shares.

Rules:
1. Null is absent, whatever the place.
2. What bears the answer's meaning is refused by its path when it has another type: it is never read as absent.
3. What only accompanies the answer is then told by a warning.
4. What repeats the request, and what is kept whole, may have any type.
"""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections._json import Json

__all__ = [
    "CALLED",
    "INTEGER",
    "LIST",
    "MISTYPED",
    "NUMBER",
    "OBJECT",
    "TEXT",
    "TEXTS",
    "Types",
    "mistyped",
]

Types = Mapping[str, frozenset[type]]
"""The types that each member of an object may have; what is not named may have any."""

_NULL = type(None)

TEXT: frozenset[type] = frozenset({str, _NULL})
INTEGER: frozenset[type] = frozenset({int, _NULL})
NUMBER: frozenset[type] = frozenset({int, float, _NULL})
OBJECT: frozenset[type] = frozenset({dict, _NULL})
LIST: frozenset[type] = frozenset({list, _NULL})
TEXTS: frozenset[type] = frozenset({str, list, _NULL})
"""One text, or a list of parts."""
CALLED: frozenset[type] = frozenset({str, dict, list, _NULL})
"""What a call was called with: text, or the value itself (some servers)."""

MISTYPED = ("mistyped-answer-field", "a field of the answer is of a type that nobody publishes")
"""The warning for what only accompanies an answer."""


def mistyped(node: Mapping[str, Json], types: Types) -> str | None:
    """The first member whose type is none of its own; a bool is no integer."""
    # an attribute is read in half the time of a call
    for key, value in node.items():
        if key in types and value.__class__ not in types[key]:
            return key
    return None

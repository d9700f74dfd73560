"""Faults of a turn by the places of the Responses body that it was read from.

A turn is checked once it is read, in the words of the neutral model; who sent a body knows that body alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from re import compile as pattern

from llm_projections._json import Json
from llm_projections.errors import RequestRefused
from llm_projections.model.turn import TurnRequest

__all__ = ["faults_by_place"]

_ITEM = pattern(r"items\[(\d+)\](.*)").fullmatch
# whether a result answers a custom call is said by its type
_KEYS = {".custom": ".type", ".content": ".output"}


def faults_by_place(
    node: Mapping[str, Json], turn: TurnRequest
) -> Callable[[RequestRefused], RequestRefused]:
    """What tells a fault of `turn` by its place in the body `node`."""
    given = node.get("input")
    positions = _positions(given, turn) if isinstance(given, list) else []
    standing = "instructions" if node.get("instructions") else "input"

    def place(path: str) -> str:
        found = _ITEM(path)
        if found is not None:
            at, key = int(found[1]), found[2]
            return (
                f"input[{positions[at]}]{_KEYS.get(key, key)}" if at < len(positions) else "input"
            )
        return {"items": "input", "instructions": standing}.get(path, path).removeprefix(
            "sampling."
        )

    return lambda fault: RequestRefused(
        fault.code, fault.message, place(fault.path), loss=fault.loss
    )


def _positions(given: list[Json], turn: TurnRequest) -> list[int]:
    """Where each item of the turn stands in the input: the first instructions are no items."""
    leading = len(given) - len(turn.items)
    positions: list[int] = []
    for position, each in enumerate(given):
        if leading and isinstance(each, dict) and each.get("role") in ("system", "developer"):
            leading -= 1
        else:
            positions.append(position)
    return positions

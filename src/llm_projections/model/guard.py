"""An error of Python's own, told as what is wrong with the turn that caused it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar, cast

from llm_projections.model.soundness import kind_faults
from llm_projections.model.turn import TurnRequest

__all__ = ["guarded"]

_SLIPS: Final = (AssertionError, AttributeError, LookupError, TypeError, ValueError)
_Job = TypeVar("_Job", bound=Callable[..., Any])


def guarded(job: _Job) -> _Job:
    """`job`, which reads a turn first of all: where it fails because something in the turn is of another type than its
    field, `RequestRefused` (INVALID_REQUEST) names every such place.

    Asked on failure alone: looking through a whole turn takes as long as writing it. Raises TypeError for a first
    argument that is no turn, and what `job` raises where the turn is not to blame.
    """

    @wraps(job)
    def run(*args: Any, **options: Any) -> Any:
        try:
            return job(*args, **options)
        except _SLIPS:
            turn = args[0] if args else options.get("request")
            if not isinstance(turn, TurnRequest):
                raise TypeError("a turn is a TurnRequest") from None
            faults = list(kind_faults(turn))
            if not faults:
                raise
        first, *others = faults
        first.others = tuple(others)
        raise first

    return cast(_Job, run)

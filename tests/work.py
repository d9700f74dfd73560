"""How much work a piece of code does, counted and not timed."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

# Linear work grows as its input does; what is done once makes it grow less. A square would give
# the factor again.
SLACK = 1.5


def work(run: Callable[[], object]) -> int:
    """The lines of Python that `run` executes: the same in every run, on every machine."""
    lines = 0

    def inside(_frame: FrameType, event: str, _given: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return inside

    before = sys.gettrace()
    sys.settrace(lambda _frame, _event, _given: inside)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines


def grows_linearly(small: Callable[[], object], large: Callable[[], object], factor: int) -> bool:
    """Whether `large`, which gets `factor` times the input of `small`, does no more than that work."""
    return work(large) <= SLACK * factor * work(small)

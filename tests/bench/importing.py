"""What importing the package costs, in processes that have imported nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import llm_projections

# what each process imports, in this order
STEPS = ("attrs, cattrs, orjson", "llm_projections")
_PROGRAM = """
import sys, time
for step in sys.argv[1:]:
    start = time.process_time()
    exec(f"import {step}")
    print(time.process_time() - start)
"""


@dataclass(frozen=True)
class Imported:
    """One step: its name, and seconds of processor time: the median."""

    name: str
    seconds: float


def every(rounds: int) -> Iterator[Imported]:
    """One row a step, of so many processes after one that compiles what was never compiled."""
    _fresh()
    times = zip(*(_fresh() for _ in range(rounds)), strict=True)
    for step, taken in zip(STEPS, times, strict=True):
        yield Imported(f"import {step}", median(taken))


def _fresh() -> list[float]:
    """The seconds of each step in a process of its own."""
    path = str(Path(llm_projections.__file__).parents[1])
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *STEPS],
        # empty is unset: what was compiled is kept for the processes after this one
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(line) for line in run.stdout.split()]


def table(imported: Sequence[Imported]) -> str:
    """The rows as a Markdown table."""
    lines = ["| step | ms |", "|---|---:|"]
    lines += [f"| `{each.name}` | {each.seconds * 1e3:.1f} |" for each in imported]
    return "\n".join(lines)

"""The most memory that one attack takes, each in a process of its own."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.proofs.hostile import HOSTILE, MIB, SPARE

__all__ = ["Held", "every", "measure", "table"]

_PROCESS = Path("/proc/self")


@dataclass(frozen=True)
class Held:
    """Bytes beyond what the process took before, CPU seconds, and how it was refused."""

    name: str
    limit: int
    grown: int
    seconds: float
    code: str

    @property
    def within(self) -> bool:
        """Whether it was refused, and took no more than its limit and what is spare."""
        return self.grown <= self.limit + SPARE


def measure(name: str) -> Held:
    """Runs an attack here. Linux says what the process held at most meanwhile."""
    hostile = HOSTILE[name]
    sent = hostile.make()
    gc.collect()
    # what was held at most before does not count (proc(5), clear_refs)
    _PROCESS.joinpath("clear_refs").write_text("5")
    before = _status("VmRSS")
    began = time.process_time()
    error = hostile.refuse(sent)
    seconds = time.process_time() - began
    return Held(name, hostile.limit, _status("VmHWM") - before, seconds, error.code.value)


def _status(key: str) -> int:
    found = re.search(rf"{key}:\s+(\d+) kB", _PROCESS.joinpath("status").read_text("ascii"))
    assert found is not None
    return int(found[1]) << 10


def every(names: Iterable[str]) -> Iterator[Held]:
    """Each attack in a fresh process."""
    for name in names:
        command = [sys.executable, "-m", "tests.proofs", "attack", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{name}: {done.stderr[-2000:]}")
        yield Held(**json.loads(done.stdout))


def table(held: Iterable[Held]) -> str:
    """The results as a Markdown table."""
    lines = [
        "| what comes in | limit, MiB | held, MiB | CPU, s | refused as |",
        "|---|---:|---:|---:|---|",
    ]
    lines += [
        f"| {each.name} | {each.limit // MIB} | {each.grown / MIB:.1f} | {each.seconds:.1f} | {each.code} |"
        for each in held
    ]
    return "\n".join(lines)

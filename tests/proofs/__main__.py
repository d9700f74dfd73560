"""`python -m tests.proofs memory [NAME]...`: what hostile input takes; `attack NAME` is one of them, run here.

`python -m tests.proofs growth`: how the work of each job grows with its input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict

from tests.proofs import growth, memory
from tests.proofs.hostile import HOSTILE


def main(job: str, *names: str) -> int:
    """Runs a proof; 1 where it does not hold."""
    if job == "attack":
        print(json.dumps(asdict(memory.measure(names[0]))))
        return 0
    if job == "growth":
        grown = list(growth.every())
        print(growth.table(grown))
        return _told(each.name for each in grown if not each.linear)
    chosen = [name for name in HOSTILE if not names or any(each in name for each in names)]
    held = list(memory.every(chosen))
    print(memory.table(held))
    return _told(each.name for each in held if not each.within) if held else 1


def _told(failed: Iterable[str]) -> int:
    """The exit code: 1 after naming what does not hold."""
    names = list(failed)
    for name in names:
        print(f"does not hold: {name}")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

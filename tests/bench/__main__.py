"""python -m tests.bench [--rounds N] [--markdown FILE --machine WORDS] [job ...]: a job is named by any beginning of
its name; jobs of their own kind are `growth`, `memory`, `import` and `peer`. With jobs and a page that exists, their
rows on it are renewed, and growth, memory, imports and everything else stays.
"""

import argparse
import os
import sys
from itertools import chain
from pathlib import Path

from llm_projections.errors import Refusal
from tests.bench import growth, importing, memory
from tests.bench.harness import Absent, Result, measure, table
from tests.bench.jobs import jobs
from tests.bench.peers import ROUNDS, peers, versions
from tests.bench.report import page, renewed


def main() -> int:
    """Measures the asked jobs; 1 if one of them failed or none was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each job (9)")
    parser.add_argument("--markdown", type=Path, help="write the page to this file")
    machine = f"{os.cpu_count()} cores"
    parser.add_argument("--machine", default=machine, help=f"the machine in words ({machine})")
    parser.add_argument("job", nargs="*", default=[""], help="beginnings of job names (all)")
    asked = parser.parse_args()
    wanted = tuple(asked.job)
    results: list[Result] = []
    absent: list[str] = []
    failed = 0
    for job in chain(jobs(wanted), peers(wanted)):
        if not job.name.startswith(wanted):
            continue
        if isinstance(job, Absent):
            failed += job.fault
            absent.append(job.name)
            print(f"skipped {job.name}: {job.reason}", file=sys.stderr)
            continue
        try:
            peer = job.name.startswith("peer.")
            results.append(measure(job, min(asked.rounds, ROUNDS) if peer else asked.rounds))
        except (Refusal, AssertionError) as fault:
            failed += 1
            print(f"failed {job.name}: {type(fault).__name__}: {fault}", file=sys.stderr)
    rows = [row for row in growth.growths() if row.name.startswith(wanted)]
    grown = [growth.measure(row, min(asked.rounds, 5)) for row in rows]
    held = list(memory.every()) if "memory".startswith(wanted) else []
    imported = list(importing.every(asked.rounds)) if "import".startswith(wanted) else []
    if asked.markdown is not None and wanted != ("",) and asked.markdown.exists():
        text = renewed(asked.markdown.read_text(encoding="utf-8"), results)
        asked.markdown.write_text(text, encoding="utf-8")
    elif asked.markdown is not None:
        text = page(asked.machine, asked.rounds, results, grown, held, imported, versions(), absent)
        asked.markdown.write_text(text, encoding="utf-8")
    else:
        tables = table(results), growth.table(grown), memory.table(held), importing.table(imported)
        print(*tables, sep="\n\n")
    return 1 if failed or not (results or grown or held or imported) else 0


if __name__ == "__main__":
    sys.exit(main())

"""python -m tests.bench [--rounds N] [job ...]: a job is named by any beginning of its name."""

import argparse
import sys

from llm_projections.errors import Refusal
from tests.bench.harness import Absent, Result, measure, table
from tests.bench.jobs import jobs


def main() -> int:
    """Measures the asked jobs; 1 if one of them failed or none was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each job (9)")
    parser.add_argument("job", nargs="*", default=[""], help="beginnings of job names (all)")
    asked = parser.parse_args()
    results: list[Result] = []
    failed = 0
    for job in jobs():
        if not job.name.startswith(tuple(asked.job)):
            continue
        if isinstance(job, Absent):
            failed += job.fault
            print(f"skipped {job.name}: {job.reason}", file=sys.stderr)
            continue
        try:
            results.append(measure(job, asked.rounds))
        except (Refusal, AssertionError) as fault:
            failed += 1
            print(f"failed {job.name}: {type(fault).__name__}: {fault}", file=sys.stderr)
    print(table(results))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())

"""Write the files of the conformance suite that do not exist yet, and which rows each file shows.

    python tools/spec_cases.py [WIRE ...]

Inputs are declared in tests/conformance/. A file is written once, with the facts that the library gives; read it before
it is committed. A file that exists is the truth: nothing of it is changed but `rows`, which follow from its bytes and
the tables. To write one anew, delete it first. Prints what it wrote, the files that no input declares, and the rows and
losses that no case shows.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests import spec_tools  # noqa: E402  the checkout comes before anything installed
from tests.conformance import suite  # noqa: E402  the same
from tests.conformance.documents import CASES  # noqa: E402  the same


def main(names: Sequence[str]) -> None:
    """Write what these modules declare, or all."""
    for name in names or spec_tools.WIRES:
        written = suite.write_missing(suite.declared(name))
        for path in written:
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    known = {suite.path_of(case) for name in spec_tools.WIRES for case in suite.declared(name)}
    for wire in spec_tools.WIRES:
        paths = sorted((CASES / wire).glob("*.json"))
        for path in paths:
            suite.refresh_rows(path)
            if path not in known:
                sys.stdout.write(f"nothing declares {path.relative_to(ROOT)}\n")
        jobs = Counter(suite.read(path)["job"] for path in paths)
        sys.stdout.write(f"{wire}: {len(paths)} cases, {dict(sorted(jobs.items()))}\n")
        for row in suite.rows_without_case(wire):
            sys.stdout.write(f"  no case shows {row}\n")
    for loss in suite.losses_without_case():
        sys.stdout.write(f"no case loses {loss}\n")


if __name__ == "__main__":
    main(sys.argv[1:])

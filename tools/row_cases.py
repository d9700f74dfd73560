"""Write into spec/WIRE.toml which cases show each row, for every wire.

    python tools/row_cases.py [WIRE ...]

Up to four a row: one of the bytes that the library writes, one of a table of turns and bodies, one of what was
recorded, one of the conformance suite spec/cases. They follow from the cases alone (tests/row_cases.py says how), so
that the same tree gives the same tables. Nothing but the `cases` of a row is changed. Prints the rows of requests that
no case shows.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests import row_cases, spec_tools  # noqa: E402  the checkout comes before anything installed
from tools.rows import literal  # noqa: E402  the same

_ID = re.compile(r'^id = "([^"]+)"$')
_CASES = "cases = ["


def filled(text: str, cited: Mapping[str, Sequence[str]]) -> str:
    """A table with the cases of its rows; everything else stays as it is."""
    lines = text.splitlines()
    row = ""
    for number, line in enumerate(lines):
        found = _ID.match(line)
        if found:
            row = found[1]
        elif line.startswith(_CASES):
            lines[number] = f"cases = {literal(list(cited.get(row, ())))}"
    return "\n".join(lines) + "\n"


def main(wires: Sequence[str]) -> None:
    """Write the tables of these wires, or of all."""
    for wire in wires or spec_tools.WIRES:
        file = spec_tools.SPEC / f"{wire}.toml"
        cited = row_cases.cited(wire)
        file.write_text(filled(file.read_text(encoding="utf-8"), cited), encoding="utf-8")
        shown = sum(map(bool, cited.values()))
        sys.stdout.write(f"{file.name}: cases show {shown} of {len(cited)} rows\n")
        for name in row_cases.request_side(wire):
            if not cited[name]:
                sys.stdout.write(f"  {name} has none\n")


if __name__ == "__main__":
    main(sys.argv[1:])

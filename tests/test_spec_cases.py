"""Every case of spec/cases, run from its file alone: nothing else of the suite is read."""

import pytest

from tests.conformance.running import canonical, case_at, expected, files, run
from tests.spec_tools import WIRES

PATHS = [path for wire in WIRES for path in files(wire)]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path):
    """What comes of it is what the case expects, byte for byte where bytes come of it."""
    case = case_at(path)
    assert canonical(expected(case)) == canonical(run(case))

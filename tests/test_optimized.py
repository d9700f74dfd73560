"""The library works where Python drops assertions and docstrings, and no behaviour of it is an assertion."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import llm_projections
from tests.structure.source import ROOT, SRC


@pytest.mark.parametrize("how", ["-O", "-OO"])
def test_it_works_optimized(how: str) -> None:
    """The golden bytes of all quadrants, the relay and every value: by comparisons that nothing drops."""
    package = Path(llm_projections.__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-B", how, "-m", "tests.optimized"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "" == run.stderr
    assert 0 == run.returncode
    done = re.search(rf"^(\d+) comparisons, optimized {len(how) - 1}, ", run.stdout, re.MULTILINE)
    assert done is not None
    assert int(done[1]) >= 3000


def test_assertions_only_tell_types() -> None:
    """Each says to a type checker what the lines before made sure of."""
    found = [
        f"{path.name}:{node.lineno}"
        for path in SRC.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Assert) and not _narrows(node.test)
    ]
    assert [] == found


def _narrows(test: ast.expr) -> bool:
    match test:
        case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.Call(func=ast.Name(id="isinstance")):
            return True
    return False

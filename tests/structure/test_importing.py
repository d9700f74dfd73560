"""What importing the package does not do: it is paid by every program, however little it needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import llm_projections

FIRST = "import sys, attrs, cattrs, orjson; before = set(sys.modules); import llm_projections"
# mail brings sockets and random numbers, digests a cryptography library
DEAR = ("email", "hashlib", "_hashlib", "random", "socket", "ssl")
KEPT = """
import gc
from llm_projections._values import _Demanded
from llm_projections.wires._rows import Table
tables = [held for held in gc.get_objects() if type(held) is Table]
values = [held for held in gc.get_objects() if isinstance(held, type) and "__attrs_attrs__" in vars(held)]
ours = [held for held in values if held.__module__.startswith("llm_projections.")]
"""


def said_by_a_fresh_process(program: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(Path(llm_projections.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return run.stdout.strip()


@pytest.mark.parametrize("module", DEAR)
def test_what_hardly_any_program_needs_is_not_loaded(module: str):
    """Each of them takes milliseconds, beside the three packages that this one needs."""
    assert "False" == said_by_a_fresh_process(
        f"{FIRST}; print({module!r} in set(sys.modules) - before)"
    )


def test_no_row_is_parsed():
    """Each wire has its table, and places its rows when it is first asked."""
    told = said_by_a_fresh_process(
        f"{FIRST}\n{KEPT}\nprint(len(tables) >= 3, {{held._root for held in tables}})"
    )
    assert "True {None}" == told


def test_attrs_is_not_asked_about_any_value():
    """It takes a quarter of a millisecond a class."""
    told = said_by_a_fresh_process(
        f"{FIRST}\n{KEPT}\n"
        "print(len(ours) > 80, {type(vars(held)['__attrs_attrs__']) is _Demanded for held in ours})"
    )
    assert "True {True}" == told

"""The newcomer's walk runs what the README says, and notices where it does not hold.

The gate walks in a fresh environment that the README's own command made (.ci/steps/50-newcomer.sh).
"""

import os
import sys
from pathlib import Path

import pytest

import llm_projections
from tests import newcomer
from tests.structure.source import ROOT

README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk's interpreter has the package under test."""
    folder = str(Path(llm_projections.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder]))


def test_the_examples_print_what_the_readme_says(tmp_path: Path) -> None:
    """In a folder of their own."""
    assert len(newcomer.examples(README)) >= 5
    assert [] == newcomer.walk(README, sys.executable, tmp_path)


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("```python\nprint(1)\n```\n```text\n2\n```\n", "prints '1"),
        ("```python\nprint(1)\n```\n", "prints '1"),
        ("```python\nraise SystemExit(3)\n```\n", "ended with 3"),
        ("```python\nimport tests\n```\n", "No module named 'tests'"),
        ("```python\nimport warnings; warnings.warn('old')\n```\n", "old"),
        ("```python\nx = 1\n", "not closed"),
    ],
)
def test_what_does_not_hold_is_noticed(page: str, fault: str, tmp_path: Path) -> None:
    """Another output, one that nobody told, a failure, a thing that no newcomer has, a warning, half a block."""
    (found,) = newcomer.walk(page, sys.executable, tmp_path)
    assert fault in found


def test_one_example_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    """They are one file."""
    page = "```python\nx = 1\n```\nThen:\n```python\nprint(x)\n```\n```text\n1\n```\n"
    assert [] == newcomer.walk(page, sys.executable, tmp_path)

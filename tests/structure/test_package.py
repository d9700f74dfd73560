"""The package that is under test is the one of this checkout, and needs what it says it needs."""

import tomllib
from pathlib import Path

import llm_projections
from tests.structure.source import ROOT, SRC


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes, without what Python compiled."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def project() -> dict[str, object]:
    """The declared metadata."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_package_under_test_is_this_checkout():
    """An installed package has the files of the checkout, every one, byte by byte."""
    assert files(SRC) == files(Path(next(iter(llm_projections.__path__))))


def test_three_packages_are_needed_at_run_time():
    """attrs, cattrs and orjson, each with a lower bound, and nothing else."""
    needed = project()["dependencies"]
    assert isinstance(needed, list)
    assert ["attrs", "cattrs", "orjson"] == [need.split(">=")[0] for need in needed]

"""The version of the distribution is told once."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import llm_projections
from llm_projections import _version


def test_the_package_tells_its_version() -> None:
    """In the form that package indexes order."""
    assert _version.__version__ == llm_projections.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", llm_projections.__version__)


def test_the_distribution_has_the_same() -> None:
    """Built from it, not written twice."""
    project = tomllib.loads(
        (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    assert "version" in project.get("dynamic", []) or (
        llm_projections.__version__ == project["version"]
    )
    try:
        installed = version("llm-projections")
    except PackageNotFoundError:
        installed = llm_projections.__version__
    assert llm_projections.__version__ == installed

"""docs/interop.md is what the runs are held against."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def script(name: str) -> Any:
    """One of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_written_from_the_table() -> None:
    """Whoever changes an expectation writes the page again."""
    tool = script("interop_table")
    assert tool.page() == tool.PAGE.read_text("utf-8")

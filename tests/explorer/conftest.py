"""Collects this folder only where a browser can be driven; gives one browser to all its tests."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

collect_ignore_glob = [] if find_spec("selenium") else ["test_*.py"]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless browser with a profile of its own."""
    from tests.explorer.browser import Browser

    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.quit()

"""The list of what a wheel and an sdist hold notices each file too many, too few or changed.

The gate holds the built files against the same list (`python -m tests.distribution`).
"""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.distribution import PACKAGE, ROOT, Wrong, check_sdist, check_wheel, sources

PROJECT = """
[project]
name = "llm_projections"
version = "1.2.3"
description = "One line."
license = "Apache-2.0"
requires-python = ">=3.11"
classifiers = ["Typing :: Typed"]
dependencies = ["attrs>=24"]
"""
METADATA = """\
Metadata-Version: 2.4
Name: llm_projections
Version: 1.2.3
Summary: One line.
License-Expression: Apache-2.0
Requires-Python: >=3.11
Description-Content-Type: text/markdown
Classifier: Typing :: Typed
Requires-Dist: attrs>=24
Requires-Dist: pytest; extra == 'test'

# A page
"""
INFO = f"{PACKAGE}-1.2.3.dist-info"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small one."""
    root = tmp_path / "checkout"
    for name, text in {
        "pyproject.toml": PROJECT,
        "README.md": "# A page",
        f"src/{PACKAGE}/__init__.py": "",
        f"src/{PACKAGE}/py.typed": "",
        f"src/{PACKAGE}/__pycache__/old.pyc": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def wheel(checkout: Path, **changes: str | None) -> Path:
    files: dict[str, str | None] = {
        f"{PACKAGE}/__init__.py": "",
        f"{PACKAGE}/py.typed": "",
        f"{INFO}/METADATA": METADATA,
        f"{INFO}/RECORD": "",
        f"{INFO}/WHEEL": "",
        f"{INFO}/licenses/LICENSE": "",
    }
    built = checkout.parent / f"{PACKAGE}-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(built, "w") as archive:
        for name, text in (files | changes).items():
            if text is not None:
                archive.writestr(name, text)
    return built


def sdist(checkout: Path, **changes: str | None) -> Path:
    files: dict[str, str | None] = {
        name: (checkout / name).read_text("utf-8") for name in sources(checkout)
    }
    built = checkout.parent / f"{PACKAGE}-1.2.3.tar.gz"
    with tarfile.open(built, "w:gz") as archive:
        for name, text in (files | {"PKG-INFO": METADATA} | changes).items():
            if text is not None:
                member = tarfile.TarInfo(f"{PACKAGE}-1.2.3/{name}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
    return built


def test_what_is_whole_is_counted(checkout: Path) -> None:
    """What tools left behind is not looked for."""
    assert 6 == check_wheel(wheel(checkout), checkout)
    assert 5 == check_sdist(sdist(checkout), checkout)


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        (f"{PACKAGE}/py.typed", None, "lacks"),
        (f"{PACKAGE}/more.py", "", "more.py"),
        ("tests/test_x.py", "", "tests/test_x.py"),
        (f"{PACKAGE}/__init__.py", "x = 1", "another than in the checkout"),
        (f"{INFO}/licenses/LICENSE", None, "LICENSE"),
        (f"{INFO}/METADATA", METADATA.replace("1.2.3", "1.2.4"), "1.2.4"),
        (f"{INFO}/METADATA", METADATA.replace("attrs>=24", "attrs"), "Requires-Dist"),
        (f"{INFO}/METADATA", METADATA.replace("Typed", "Stubs"), "Classifier"),
    ],
)
def test_a_wrong_wheel_is_noticed(checkout: Path, name: str, text: str | None, word: str) -> None:
    """By the name of what is wrong."""
    with pytest.raises(Wrong, match=word):
        check_wheel(wheel(checkout, **{name: text}), checkout)


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("README.md", None, "README.md"),
        ("notes.txt", "", "notes.txt"),
        ("PKG-INFO", METADATA.replace(">=3.11", ">=3.12"), "3.12"),
    ],
)
def test_a_wrong_sdist_is_noticed(checkout: Path, name: str, text: str | None, word: str) -> None:
    """By the name of what is wrong."""
    with pytest.raises(Wrong, match=word):
        check_sdist(sdist(checkout, **{name: text}), checkout)


def test_the_sdist_is_told_to_take_every_folder_of_the_checkout() -> None:
    """A new folder at the top is listed in pyproject.toml, or an unpacked sdist cannot test itself."""
    listed = (
        (ROOT / "pyproject.toml")
        .read_text("utf-8")
        .partition("[tool.hatch.build.targets.sdist]")[2]
    )
    tops = {name.partition("/")[0] for name in sources(ROOT)}
    always = {"LICENSE", "README.md", "pyproject.toml", ".gitignore", "PKG-INFO"}
    assert [] == sorted(top for top in tops - always if f'"/{top}"' not in listed)

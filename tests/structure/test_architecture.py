"""docs/architecture.md names every file of the package, and none that is not there."""

import re

import pytest

from tests.structure.source import ROOT, modules

PAGE = (ROOT / "docs/architecture.md").read_text("utf-8")
# A section of the page, and the folder whose files it tells.
FOLDERS = {"On top": "", "`_json`": "_json", "`model`": "model", "`wires/_*`": "wires"}
SOURCE = re.compile(r"`((?:\w+/)*\w+\.py)`")


def section(title: str) -> str:
    """What stands under a heading of the page."""
    told = PAGE.split(f"\n### {title}\n")[1]
    return re.split(r"^##+ ", told, maxsplit=1, flags=re.MULTILINE)[0]


def first_cells(text: str) -> list[str]:
    """The names in the first column of a section's table."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for cell in rows for name in re.findall(r"`([\w*/]+)`", cell)]


def first_paths(text: str) -> list[str]:
    """The files in the first column of a section's table."""
    return [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]


def files_in(folder: str) -> set[str]:
    """The files and folders right in `folder`; of the wires only what they share."""
    parts = [name.split(".") for name in modules() if name]
    depth = len(folder.split("/")) if folder else 0
    inside = {
        each[depth] for each in parts if len(each) > depth and each[:depth] == [folder][:depth]
    }
    if folder == "wires":
        return {name for name in inside if name.startswith("_")}
    return inside - {"_json", "model", "wires"}


@pytest.mark.parametrize("title", FOLDERS)
def test_every_file_has_its_line(title: str) -> None:
    """Once, with its job."""
    assert sorted(files_in(FOLDERS[title])) == sorted(first_cells(section(title)))


def test_every_part_of_a_wire_has_its_line() -> None:
    """A name with a star stands for all that begin so; `plain` is a file of the jobs."""
    told = first_cells(section("One wire"))
    stems = {
        name.split(".")[2]
        for name in modules()
        if re.match(r"wires\.(chat|messages|responses)\.", name)
    }
    patterns = [re.compile(name.strip("/").replace("*", r"\w*")) for name in told]
    assert set() == {stem for stem in stems if not any(each.fullmatch(stem) for each in patterns)}
    assert ["plain"] == [
        name
        for name, pattern in zip(told, patterns, strict=True)
        if not any(pattern.fullmatch(stem) for stem in stems)
    ]


def test_every_lane_has_its_line() -> None:
    """With the tests that hold it to the general way."""
    lanes = {"/".join(name.split(".")[1:]) + ".py" for name in modules() if name.endswith(".plain")}
    assert lanes == set(first_paths(section("Lanes")))


def test_every_file_that_is_named_is_there() -> None:
    """Of the package by its place below it, or of the repository."""
    package = ROOT / "src/llm_projections"
    named = SOURCE.findall(PAGE)
    assert len(named) > 20
    places = (ROOT, package, package / "wires")
    assert [] == [name for name in named if not any((at / name).is_file() for at in places)]

"""What every file of the package owes its reader: a test, a docstring, a bounded length."""

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.structure.source import ROOT, SRC, modules, tree

# The tests of one module stand in one file that bears its name, so that theirs may be longer.
LONGEST = {"src": 420, "mutants": 420, "tests": 600}
TESTS = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}


def homes_of_tests(name: str) -> set[str]:
    """The test files of which one must exist for a module.

    A job is tested over all wires at once (`test_decode`), for what is odd about one wire
    (`test_chat`), or both (`test_chat_decode`); a private module drops its underscore; a folder's
    test speaks for the files in it; what a wire declares is tested against `spec/`.
    """
    parts = [part.lstrip("_") for part in name.split(".")]
    folders = {"model", "wires"} if len(parts) > 1 else set()
    names = {f"test_{part}" for part in parts if part not in folders}
    names |= {f"test_{a}_{b}" for a, b in pairwise(parts) if a not in folders}
    return names | ({"test_spec"} if parts[-1] == "subset" else set())


def undocumented(node: ast.AST, prefix: str = "") -> Iterator[str]:
    """The public classes, functions and methods without a docstring, by their dotted names."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        inherits = {ast.unparse(mark).split(".")[-1] for mark in child.decorator_list}
        if child.name.startswith("_") or inherits & {"overload", "override", "setter"}:
            continue
        if ast.get_docstring(child) is None:
            yield prefix + child.name
        if isinstance(child, ast.ClassDef):
            yield from undocumented(child, f"{prefix}{child.name}.")


def relative(path: Path) -> str:
    """A file as the repository names it."""
    return path.relative_to(ROOT).as_posix()


def test_every_module_has_a_test():
    """Each module that defines something has a test file that bears its name."""
    untested = {
        name
        for name, path in modules().items()
        if path.name != "__init__.py"
        and any(
            isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            for node in tree(path).body
        )
        and not homes_of_tests(name) & TESTS
    }
    assert set() == untested


def test_everything_public_says_what_it_is():
    """Each module, public class, function and method has a docstring."""
    silent = {
        f"{relative(path)}: {name}"
        for path in modules().values()
        for name in ["the module"] * (ast.get_docstring(tree(path)) is None)
        + list(undocumented(tree(path)))
    }
    assert set() == silent


@pytest.mark.parametrize("folder", sorted(LONGEST))
def test_no_file_is_too_long_to_have_one_job(folder: str):
    """A file that outgrows the bound becomes a folder of the same name."""
    lengths = {
        relative(path): path.read_bytes().count(b"\n") for path in (ROOT / folder).rglob("*.py")
    }
    assert lengths
    assert {} == {path: length for path, length in lengths.items() if length > LONGEST[folder]}


def test_the_package_is_marked_as_typed():
    """Type checkers read the annotations of the installed package."""
    assert b"" == (SRC / "py.typed").read_bytes()


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("_json", "test_json"),
        ("model.losses.tier", "test_losses"),
        ("wires._streams", "test_streams"),
        ("wires.chat.decode", "test_decode"),
        ("wires.chat.decode", "test_chat_decode"),
        ("wires.chat.subset", "test_spec"),
    ],
)
def test_where_the_test_of_a_module_is_looked_for(name: str, test: str):
    """The rule itself, on the names that the layout uses."""
    assert test in homes_of_tests(name)


@pytest.mark.parametrize(
    ("code", "silent"),
    [
        ("class A: 'A'", []),
        ("class A:\n    def f(self): ...", ["A", "A.f"]),
        ("def _f(): ...", []),
    ],
)
def test_what_needs_a_docstring(code: str, silent: list[str]):
    """The rule itself, on code that does and does not keep it."""
    assert silent == list(undocumented(ast.parse(code)))

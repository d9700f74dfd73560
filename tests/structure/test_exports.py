"""What users can import: exactly what is listed by hand, and everything that was promised."""

import ast
import importlib
import inspect

import pytest

from tests.structure.public_names import EVERY_WIRE, MEMBERS, OF_ONE_WIRE, TOP_LEVEL
from tests.structure.source import PACKAGE, SRC, modules, tree

LISTED = sorted(
    name
    for name, path in modules().items()
    if any(
        isinstance(target, ast.Name) and target.id == "__all__"
        for node in tree(path).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )
)
WIRES = sorted(name for name in OF_ONE_WIRE if name in modules())
# The package's own list is complete once the uppermost module is there.
UPPERMOST = [""] if (SRC / "relay.py").exists() else []


def load(name: str):
    """A module of the package by its name below it."""
    return importlib.import_module(f"{PACKAGE}.{name}".rstrip("."))


@pytest.mark.parametrize("name", LISTED)
def test_every_listed_name_is_there(name: str):
    """`__all__` has no name twice and none that the module lacks."""
    module = load(name)
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    assert [] == [export for export in module.__all__ if not hasattr(module, export)]


@pytest.mark.parametrize("name", LISTED)
def test_every_public_definition_is_listed(name: str):
    """A module that lists its names lists each public class and function that it defines."""
    defined = {
        node.name
        for node in tree(modules()[name]).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    }
    assert set() == defined - set(load(name).__all__)


@pytest.mark.parametrize("name", [*WIRES, *UPPERMOST])
def test_public_modules_only_re_export(name: str):
    """The modules that users import define nothing: they name what others define."""
    defining = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.For | ast.While | ast.If
    assert [] == [ast.unparse(n) for n in tree(modules()[name]).body if isinstance(n, defining)]
    assert name in LISTED


@pytest.mark.parametrize("name", UPPERMOST)
def test_the_package_exports_what_it_promises(name: str):
    """Every name of the contract is importable from the package itself."""
    assert set() == TOP_LEVEL - set(load(name).__all__)


@pytest.mark.parametrize("wire", WIRES)
def test_a_wire_exports_what_it_promises(wire: str):
    """Every name of the contract is importable from the wire's module."""
    assert set() == (EVERY_WIRE.keys() | OF_ONE_WIRE[wire].keys()) - set(load(wire).__all__)


@pytest.mark.parametrize("wire", WIRES)
def test_a_wire_takes_the_arguments_it_promises(wire: str):
    """Callers can pass every promised argument by its name."""
    missing = {
        name: lacking
        for name, promised in (EVERY_WIRE | OF_ONE_WIRE[wire]).items()
        if promised
        and (
            lacking := [
                p
                for p in promised
                if p not in inspect.signature(getattr(load(wire), name)).parameters
            ]
        )
    }
    assert {} == missing


@pytest.mark.parametrize("wire", WIRES)
def test_the_objects_have_the_members_they_promise(wire: str):
    """The incremental forms have their methods and properties."""
    missing = {
        name: lacking
        for name, promised in MEMBERS.items()
        if (
            lacking := [
                m
                for m in promised
                if not hasattr(getattr(load(wire), name), m)
                and not any(
                    m in getattr(each, "__annotations__", {})
                    for each in getattr(load(wire), name).__mro__
                )
            ]
        )
    }
    assert {} == missing


def test_the_three_wires_export_the_same():
    """Apart from what belongs to one wire alone, code over all wires is a loop."""
    shared = {wire: set(load(wire).__all__) - OF_ONE_WIRE[wire].keys() for wire in WIRES}
    assert all(names == next(iter(shared.values())) for names in shared.values()), shared

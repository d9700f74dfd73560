"""The project's own files as data, for the tests of structure."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
# When an import takes effect: as the module loads, as a function is called, for annotations alone.
When = Literal["load", "call", "types"]

PACKAGE = "llm_projections"
SRC = ROOT / "src" / PACKAGE


def module_name(path: Path) -> str:
    """The dotted name of a source file below the package; empty for the package itself."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its name below the package."""
    return {module_name(path): path for path in sorted(SRC.rglob("*.py"))}


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of one file."""
    return ast.parse(path.read_bytes(), str(path))


def _type_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
    }


def _statements(node: ast.AST, when: When) -> Iterator[tuple[ast.stmt, When]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, when
        elif when == "load" and _type_only(child):
            yield from _statements(child, "types")
        elif when == "load" and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _statements(child, "call")
        else:
            yield from _statements(child, when)


def imports(name: str, path: Path) -> Iterator[tuple[str, str, When]]:
    """Each import of a module as (module, imported name or "", when it takes effect).

    Relative imports are made absolute. `from package import module` names the module itself when
    there is such a file, because that is what the statement loads.
    """
    package = [PACKAGE, *(name.split(".") if name else [])]
    if path.name != "__init__.py":
        package.pop()
    for node, when in _statements(tree(path), "load"):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, "", when
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}".removeprefix(f"{PACKAGE}.")
                if source.split(".")[0] == PACKAGE and inner in modules():
                    yield f"{source}.{alias.name}", "", when
                else:
                    yield source, alias.name, when


def inner_imports(name: str, path: Path) -> Iterator[tuple[str, When]]:
    """The modules of the package that one of them imports, by their name below the package."""
    for source, _, when in imports(name, path):
        if source == PACKAGE or source.startswith(f"{PACKAGE}."):
            yield source[len(PACKAGE) + 1 :], when


def has_test(node_id: str) -> bool:
    """Whether the repository has the test that `tests/file.py::Class::name` names."""
    file, *names = node_id.split("::")
    path = ROOT / file
    if not names or not path.is_file():
        return False
    body: list[ast.stmt] = tree(path).body
    for name in names:
        found = [
            node
            for node in body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and node.name == name
        ]
        if not found:
            return False
        body = found[0].body
    return names[-1].startswith("test_")


def repository_files() -> Iterator[Path]:
    """Every file that belongs to the project: no caches, no environments, no build results."""
    built = {"__pycache__", "build", "dist", ".git", ".hypothesis"}
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        made = any(p in built or p.endswith(("_cache", ".egg-info")) for p in parts)
        if path.is_file() and not made and not parts[0].startswith(".venv"):
            yield path

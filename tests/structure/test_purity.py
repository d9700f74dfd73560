"""The package does no I/O, tells no time, draws no random numbers, logs nothing (law "pure")."""

import ast
from collections.abc import Iterator

import pytest

from tests.structure.source import PACKAGE, imports, modules, tree

# What may be imported, whole. A list of what is allowed outlives every list of what is not.
PURE = {
    "__future__",
    "abc",
    "attrs",
    "base64",
    "binascii",
    "bisect",
    "codecs",
    "collections",
    "collections.abc",
    "contextlib",
    "copy",
    "decimal",
    "enum",
    "functools",
    "hashlib",
    "itertools",
    "math",
    "operator",
    "re",
    "string",
    "types",
    "typing",
    "unicodedata",
    "urllib.parse",
}

# What may be imported by name from modules that also hold a clock.
PURE_NAMES = {
    "datetime": {"UTC", "date", "datetime", "timedelta", "timezone"},
    "email.utils": {"parsedate_to_datetime"},
}

# What only one module may import, and why it is that one.
ONLY_IN = {
    "orjson": "_json",  # what orjson alone gets wrong is dealt with there
    "cattrs": "model.document",  # one private converter, for persisted documents
}

FORBIDDEN_CALLS = {
    "__import__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "input",
    "open",
    "print",
}
# It makes constructors from the names of fields, as attrs does.
MAKES_CODE = "_values"

FORBIDDEN_ATTRIBUTES = {"environ", "fromtimestamp", "now", "today", "utcnow"}


def impure_import(module: str, source: str, name: str) -> bool:
    """Whether a module of the package may not import this."""
    top = source.split(".")[0]
    if top == PACKAGE or source in PURE:
        return False
    if top in ONLY_IN:
        return not (module == ONLY_IN[top] or module.startswith(f"{ONLY_IN[top]}."))
    return name not in PURE_NAMES.get(source, ())


def impure_uses(node: ast.AST) -> Iterator[str]:
    """The calls and attributes in a tree that reach outside, with their lines.

    `hash` differs between processes, so that only a `__hash__` may call it.
    """
    hashes = {
        id(inner)
        for method in ast.walk(node)
        if isinstance(method, ast.FunctionDef) and method.name == "__hash__"
        for inner in ast.walk(method)
    }
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr in FORBIDDEN_ATTRIBUTES:
            yield f".{part.attr} in line {part.lineno}"
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            name = part.func.id
            if name in FORBIDDEN_CALLS or (name == "hash" and id(part) not in hashes):
                yield f"{name}() in line {part.lineno}"


def test_only_pure_modules_are_imported():
    """Every import of the package is on the list of what is pure."""
    impure = {
        f"{module or PACKAGE} imports {source} {name}".rstrip()
        for module, path in modules().items()
        for source, name, _ in imports(module, path)
        if impure_import(module, source, name)
    }
    assert set() == impure


def test_nothing_reaches_outside():
    """No call and no attribute opens, prints, evaluates or asks the clock or environment."""
    impure = {
        f"{module or PACKAGE}: {use}"
        for module, path in modules().items()
        for use in impure_uses(tree(path))
        if not (module == MAKES_CODE and use.startswith("exec() "))
    }
    assert set() == impure


@pytest.mark.parametrize(
    ("module", "source", "name", "impure"),
    [
        ("sse", "typing", "Final", False),
        ("sse", "json", "", True),
        ("sse", "os.path", "", True),
        ("sse", "datetime", "", True),
        ("sse", "email.utils", "parsedate_to_datetime", False),
        ("sse", "email.utils", "formatdate", True),
        ("sse", "orjson", "", True),
        ("_json", "orjson", "", False),
    ],
)
def test_the_rule_of_imports(module: str, source: str, name: str, impure: bool):
    """The rule itself, on imports that do and do not keep it."""
    assert impure == impure_import(module, source, name)


@pytest.mark.parametrize(
    ("code", "impure"),
    [
        ("datetime.now()", True),
        ("open('x')", True),
        ("hash('x')", True),
        ("class A:\n    def __hash__(self): return hash(self.x)", False),
        ("self.open(1)", False),
    ],
)
def test_the_rule_of_uses(code: str, impure: bool):
    """The rule itself, on code that does and does not keep it."""
    assert impure == bool(list(impure_uses(ast.parse(code))))

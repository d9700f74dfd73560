"""Imports go down only.

The order is the one of docs/architecture.md, written as a table. A module that stands in no row of
the table is a failure: it must be given a place before it is given code.
"""

from collections.abc import Iterator

import pytest

from tests.structure.source import When, inner_imports, modules

WIRES = ("chat", "messages", "responses")
WORDS = ("_row", "subset", "vocab")
JOBS = ("project", "decode", "ingest", "answer", "errors", "http")

# From the bottom up. Within a layer only the modules of one body may import each other: those of
# the model, for example, or the files of one job; `place` says which body a module belongs to.
LAYERS = (
    "errors, _values, _version",
    "_json",
    "model",
    "sse",
    "fold",
    "wires/_*",
    "wires/X/words",
    "wires/X/jobs",
    "wires/X",
    "wires",
    "wrapping, naming, sealing",
    "relay, exchange, dispatch",
    "chat, messages, responses",
    "the package",
)

# An error carries a partial outcome, which the model defines; the annotation needs its name.
TYPE_ONLY = {("errors, _values, _version", "model")}


def place(name: str) -> tuple[str, str]:
    """The layer of a module, and the body within it whose modules may import each other."""
    match name.split(".") if name else []:
        case []:
            return "the package", ""
        case ["errors" | "_values" | "_version" as first]:
            return "errors, _values, _version", first
        case ["_json" | "sse" | "fold" | "model" as first, *_]:
            return first, first
        case ["wrapping" | "naming" | "sealing" as first, *_]:
            return "wrapping, naming, sealing", first
        case ["relay" | "exchange" | "dispatch" as first, *_]:
            return "relay, exchange, dispatch", first
        case ["chat" | "messages" | "responses" as first]:
            return "chat, messages, responses", first
        case ["wires"]:
            return "wires", "wires"
        case ["wires", shared, *_] if shared.startswith("_"):
            return "wires/_*", "wires/_*"
        case ["wires", wire] | ["wires", wire, "counting"] if wire in WIRES:
            return "wires/X", wire
        case ["wires", wire, words, *_] if wire in WIRES and words.startswith(WORDS):
            return "wires/X/words", wire
        case ["wires", wire, job, *_] if wire in WIRES and job in JOBS:
            return "wires/X/jobs", f"{wire}.{job}"
        case _:
            pytest.fail(f"{name} has no place in the layers")


def wire_of(name: str) -> str | None:
    """The wire that a module belongs to, if it belongs to one."""
    match name.split("."):
        case ["wires", wire, *_] | [wire] if wire in WIRES:
            return wire
        case _:
            return None


def edges() -> Iterator[tuple[str, str, When]]:
    """Who imports whom within the package."""
    for name, path in modules().items():
        for target, when in inner_imports(name, path):
            yield name, target, when


def goes_up(name: str, target: str) -> bool:
    """Whether an import breaks the order."""
    (layer, body), (below, other) = place(name), place(target)
    if layer == below:
        return body != other
    return LAYERS.index(layer) < LAYERS.index(below)


def test_imports_go_down():
    """No module imports from its own layer or from above, except within one body."""
    up = {
        f"{name} imports {target}"
        for name, target, when in edges()
        if goes_up(name, target)
        and not (when == "types" and (place(name)[0], place(target)[0]) in TYPE_ONLY)
    }
    assert set() == up


def test_no_wire_knows_another():
    """A module of one wire imports nothing of the other two."""
    crossing = {
        f"{name} imports {target}"
        for name, target, _ in edges()
        if wire_of(name) and wire_of(target) and wire_of(name) != wire_of(target)
    }
    assert set() == crossing


def test_the_package_is_imported_by_no_module():
    """The public names are for users; inside, a module imports the one that defines a name."""
    assert set() == {name for name, target, _ in edges() if target == ""}


def test_loading_has_no_cycle():
    """Also within one body the modules load in an order, whichever comes first.

    A method may import what is built on its own class, as it is called: it keeps the order of the
    layers, and loading does not meet it.
    """
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for name, target, when in edges():
        if when == "load" and target in graph:
            graph[name].add(target)
    while leaves := {name for name, targets in graph.items() if not targets}:
        graph = {name: targets - leaves for name, targets in graph.items() if name not in leaves}
    assert {} == graph


@pytest.mark.parametrize(
    ("name", "target", "broken"),
    [
        ("sse", "errors", False),
        ("errors", "sse", True),
        ("model.turn", "model.items", False),
        ("wires._streams", "wires.chat.vocab", True),
        ("wires.chat.decode", "wires.chat.vocab", False),
        ("wires.chat.decode", "wires.chat.ingest", True),
        ("wires.chat.decode.stream", "wires.chat.decode.calls", False),
        ("wires.chat.vocab", "wires.messages.vocab", True),
        ("relay", "wrapping", False),
        ("relay", "exchange", True),
    ],
)
def test_the_rule_tells_down_from_up(name: str, target: str, broken: bool):
    """The rule itself, on imports that do and do not keep it."""
    assert broken == goes_up(name, target)

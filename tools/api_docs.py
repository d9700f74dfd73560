"""Write docs/api/ from the docstrings of the package, or check that it is current.

    python -m tools.api_docs [--check]

Needs griffe (the extra `docs`), which reads the sources without importing them. `PAGES` says which modules stand on
which page; a name that users can import from `llm_projections` or a wire's module and that stands on no page is an
error.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import griffe

from tools.api_things import resolved, thing_lines, told

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs/api"
PACKAGE = "llm_projections"
WIRES = ("chat", "messages", "responses")

# A page: its file, its title, what it is about, and the modules whose listed names it tells.
PAGES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "functions",
        "Functions over all wires",
        "The jobs whose wire a binding names, and the wires as records.",
        ("dispatch", "wires", "wires._fragments"),
    ),
    ("chat", "Chat Completions", "`from llm_projections import chat`.", ("chat",)),
    ("messages", "Messages", "`from llm_projections import messages`.", ("messages",)),
    ("responses", "Responses", "`from llm_projections import responses`.", ("responses",)),
    (
        "turns",
        "Turns",
        "What one call asks: the turn, its items and parts, its tools.",
        ("model.turn", "model.items", "model.tools"),
    ),
    (
        "answers",
        "Events and outcomes",
        "What one call answered: events as they come, the outcome at the end, and the fold between them.",
        ("model.events", "model.outcome", "fold"),
    ),
    (
        "bindings",
        "Bindings, limits and losses",
        "Where a turn goes, what its target takes, how much is read, and what may be left behind.",
        ("model.binding", "model.dialect", "model.dialects", "model.limits", "model.losses"),
    ),
    (
        "results",
        "What the jobs give back",
        "Bodies, requests, answers and their shapes.",
        ("model.results",),
    ),
    (
        "gateway",
        "Gateways",
        "One wire in front of another, tools that a target lacks, sealed state, recorded exchanges.",
        ("relay", "wrapping", "sealing", "naming", "exchange"),
    ),
    (
        "errors",
        "Errors",
        "The two refusals. [Errors](../errors.md) says how to use them.",
        ("errors",),
    ),
    ("documents", "Documents and JSON", "Values as versioned JSON.", ("model.document", "_json")),
    ("framing", "Framing", "Server-sent events, for who needs them alone.", ("sse",)),
)
# Names that a module lists for the package's own use.
INTERNAL = {
    "dispatch": set(),
    "fold": {"Building", "Ledger", "gathered"},
    "model.dialect": {"All"},
    "model.items": {"bind_item"},
    "model.losses": {"Tier", "accepted"},
    "model.tools": {"ToolChoiceMode"},
    "model.events": {"Warning"},  # told with the outcome
    "relay": {"AnswerBody", "AnswerHead"},  # told with the results
    "wires": {"WIRES"},
    "wires._fragments": {"Beginning", "Frame", "NOTHING_BEGUN", "settings_of"},
    "sealing": {"Sealing"},
    "naming": set(),
}
ONLY = {"_json": {"Json", "RawJson"}}


def load() -> Any:
    """The package, read from its sources."""
    return griffe.load(PACKAGE, search_paths=[str(ROOT / "src")], resolve_aliases=True)


def find(package: Any, name: str) -> Any:
    """A module of the package by its name below it."""
    return package[name] if name else package


def listed(package: Any, name: str) -> list[str]:
    """What a module's page tells: its `__all__`, without what is there for the package's own use."""
    module = find(package, name)
    names = [str(each).strip("'\"") for each in module.exports or ()]
    if name in ONLY:
        return [each for each in names if each in ONLY[name]]
    return [each for each in names if each not in INTERNAL.get(name, set())]


def source_of(thing: Any) -> str:
    """Where a thing is written, as a link from a page."""
    place = Path(str(thing.filepath)).relative_to(ROOT).as_posix()
    return f"[{place.removeprefix(f'src/{PACKAGE}/')}](../../{place})"


def page(package: Any, title: str, about: str, modules: tuple[str, ...]) -> str:
    lines = [f"# {title}", "", about, ""]
    top = {str(each).strip("'\"") for each in package.exports or ()}
    for name in modules:
        module = find(package, name)
        if name not in WIRES:
            public = f"{PACKAGE}.{name}" if not name.rpartition(".")[2].startswith("_") else PACKAGE
            lines += [
                f"## {public}",
                "",
                f"{told(module)}",
                "",
                f"Source: {source_of(module)}.",
                "",
            ]
        for each in listed(package, name):
            thing = resolved(module[each])
            part = thing_lines(each, thing, 2 if name in WIRES else 3)
            if name in WIRES:
                part[-1:-1] = ["", f"Source: {source_of(thing)}."]
            elif each not in top:
                part[1:1] = ["", f"`from {PACKAGE}.{name} import {each}`"]
            lines += part
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def anchor(thing: Any, name: str) -> str:
    return f"class-{name.lower()}" if thing.is_class else name.lower()


def places(package: Any) -> dict[str, str]:
    """Every told name to the link of its heading; names of all three wires lead to no one page."""
    found: dict[str, str] = {}
    for file, _, _, modules in PAGES:
        for name in modules:
            if name not in WIRES:
                for each in listed(package, name):
                    thing = resolved(find(package, name)[each])
                    found[each] = f"{file}.md#{anchor(thing, each)}"
    for wire in WIRES:
        others = [set(listed(package, other)) for other in WIRES if other != wire]
        for each in listed(package, wire):
            if each not in found and not any(each in names for names in others):
                found[each] = f"{wire}.md#{each.lower()}"
    return found


def linked(text: str, links: dict[str, str], file: str) -> str:
    """`text` with each known name in backticks as a link; headings and code stay as they are."""

    def link(match: re.Match[str]) -> str:
        target = links.get(match[1])
        if target is None:
            return match[0]
        return f"[`{match[1]}`]({target.removeprefix(f'{file}.md')})"

    lines: list[str] = []
    code = False
    for line in text.split("\n"):
        code ^= line.startswith("```")
        plain = not code and not line.startswith(("#", "```", "`from "))
        lines.append(re.sub(r"(?<!\[)`([A-Za-z_]+)`", link, line) if plain else line)
    return "\n".join(lines)


def index(package: Any, links: dict[str, str]) -> str:
    lines = [
        "# API reference",
        "",
        "Written by `python -m tools.api_docs` from the docstrings. What `llm_projections` and the modules of the",
        "three wires export is public, as [versioning](../versioning.md) says; a name that is told with a line",
        "`from llm_projections.<module> import ...` is for who reads or changes the library, and may change.",
        "",
        "Sizes are bytes of UTF-8 unless a name says otherwise, counters are tokens, times are milliseconds (`_ms`) or",
        "Unix seconds (`created`), and an `index` counts output items from 0. A function that reads or writes bytes",
        "raises `RequestRefused` or `ResponseRefused` and nothing else for what those bytes hold; a mistake of the",
        "program itself (an unknown loss name, a decoder fed after its end) is a `ValueError`, `TypeError` or",
        "`RuntimeError`. A wire fact in a docstring names its source: the vendor's type, its version, the date.",
        "",
        "| page | what |",
        "|---|---|",
    ]
    lines += [
        f"| [{title}]({file}.md) | {about.split('. ')[0].rstrip('.')} |"
        for file, title, about, _ in PAGES
    ]
    lines += ["", "## Every name", ""]
    lines += [
        f"* [`{name}`]({links[name]})" for name in sorted(links, key=lambda n: (n.lower(), n))
    ]
    shared = [name for name in listed(package, "chat") if name not in links]
    for name in sorted(shared):
        thing = resolved(package["chat"][name])
        each = ", ".join(f"[{wire}]({wire}.md#{anchor(thing, name)})" for wire in WIRES)
        lines.append(f"* `{name}` of {each}")
    return "\n".join(lines) + "\n"


def untold(package: Any, links: dict[str, str]) -> list[str]:
    """What users can import and no page tells."""
    names = {str(each).strip("'\"") for each in package.exports or ()}
    for wire in WIRES:
        names |= set(listed(package, wire)) - set(listed(package, "chat"))
    return sorted(names - links.keys() - set(WIRES) - {"__version__"})


def pages() -> dict[str, str]:
    """Every file of docs/api by its name. Raises SystemExit for a public name that no page tells."""
    package = load()
    links = places(package)
    if missing := untold(package, links):
        raise SystemExit(f"on no page: {', '.join(missing)}")
    told_pages = {
        f"{file}.md": linked(page(package, title, about, modules), links, file)
        for file, title, about, modules in PAGES
    }
    return {"index.md": index(package, links), **told_pages}


def main(arguments: list[str]) -> int:
    wanted = pages()
    there = {path.name: path.read_text("utf-8") for path in sorted(TARGET.glob("*.md"))}
    if arguments == ["--check"]:
        stale = sorted(name for name in wanted | there if wanted.get(name) != there.get(name))
        if stale:
            print(f"not current, run `python -m tools.api_docs`: {', '.join(stale)}")
        return int(bool(stale))
    TARGET.mkdir(exist_ok=True)
    for name in there.keys() - wanted.keys():
        (TARGET / name).unlink()
    for name, text in wanted.items():
        (TARGET / name).write_text(text, "utf-8")
    print(f"docs/api: {len(wanted)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

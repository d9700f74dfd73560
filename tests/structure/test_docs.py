"""The pages are whole: their links lead somewhere, their commands are marked, they stand alone."""

import re
import tomllib

import pytest

from tests.structure.source import ROOT, has_test, repository_files

PAGES = [path for path in repository_files() if path.suffix == ".md" and "golden" not in path.parts]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"^<!-- ([a-z-]+) -->\n```sh\n(.+?)\n```$", re.MULTILINE | re.DOTALL)

# A checkout works wherever it lies, so nothing in it names a place on one machine, and where
# packages come from is the installer's business. One letter of each is bracketed, so that this
# file does not find itself.
OUTSIDE = re.compile(
    rb"(?<![\w./-])/(?:[w]ork|[r]oot|[h]ome/\w+|[t]mp/v)/|[p]ypi\.org|[p]ythonhosted|[n]pmjs"
)

# In the order and the names of the contract.
LAWS = [
    "cuts",
    "only-ours",
    "ingest-of-project",
    "project-of-ingest",
    "fold",
    "relay",
    "dispatch",
    "absent",
    "named",
    "linear",
    "pure",
    "deterministic",
    "no-silent-loss",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    """Every relative link of a page names a file or folder of the repository."""
    targets = [
        target.partition("#")[0]
        for target in LINK.findall(page.read_text("utf-8"))
        if not target.startswith(("https://", "#"))
    ]
    assert [] == [target for target in targets if not (page.parent / target).exists()]


def test_the_readme_marks_two_commands():
    """The main job and all tests: one line each, which the gate takes from the page and runs."""
    commands = COMMAND.findall((ROOT / "README.md").read_text("utf-8"))
    assert ["main-job", "tests"] == [name for name, _ in commands]
    assert [1, 1] == [len(command.splitlines()) for _, command in commands]


def test_the_changelog_has_the_version():
    """The version of the package has a heading of its own."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.search(
        rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )


def test_the_repository_speaks_of_nothing_outside():
    """No file but the recorded ones names a place on some machine or a package host."""
    found = {
        path.relative_to(ROOT).as_posix(): match[0]
        for path in repository_files()
        if path.relative_to(ROOT).parts[:2] != ("golden", "recorded")
        and (match := OUTSIDE.search(path.read_bytes()))
    }
    assert {} == found


def test_every_law_is_listed():
    """The table of laws has each law once, in order, with one sentence."""
    laws = tomllib.loads((ROOT / "spec/laws.toml").read_text("utf-8"))["law"]
    assert LAWS == [law["id"] for law in laws]
    assert [] == [law["id"] for law in laws if not re.fullmatch(r"[A-Z][^.]+\.", law["says"])]


def test_the_tests_of_a_law_exist():
    """Each test that the table of laws names is there."""
    laws = tomllib.loads((ROOT / "spec/laws.toml").read_text("utf-8"))["law"]
    named = [test for law in laws for test in law["tests"]]
    assert named
    assert [] == [test for test in named if not has_test(test)]


def test_every_law_is_held_by_a_test():
    """No law is only words, once the uppermost module is there."""
    laws = tomllib.loads((ROOT / "spec/laws.toml").read_text("utf-8"))["law"]
    whole = (ROOT / "src/llm_projections/relay.py").exists()
    assert [] == [law["id"] for law in laws if whole and not law["tests"]]

"""The pages that tools write are current, as far as nothing but the package is needed to tell, and the menu whole.

`python -m tools.api_docs --check` tells it of docs/api word for word, but needs griffe: .ci/steps/60-docs.sh runs it.
"""

import re

import pytest

import llm_projections
from llm_projections import DIALECTS, chat, messages, responses
from tests.pages import ROOT
from tools import spec_docs, wires_docs

API = ROOT / "docs/api"
HEADING = re.compile(r"^#{2,4} (?:class )?([\w.]+?)(?:\(\))?$", re.MULTILINE)


def headings(page):
    return HEADING.findall((API / page).read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(wires_docs.PAGES))
def test_a_page_of_all_wires_is_current(name):
    """What the tool writes is what is there."""
    assert wires_docs.PAGES[name]() == (ROOT / "docs" / name).read_text("utf-8")


@pytest.mark.parametrize("wire", spec_docs.WIRES)
def test_every_row_of_a_wire_is_on_its_page(wire):
    """With its place, its treatment and its loss."""
    page = (ROOT / "docs" / f"{wire}.md").read_text("utf-8")
    rows = wires_docs.read(wire)["row"]
    told = {line.split(" | ")[-1].removesuffix(" |"): line for line in page.splitlines()}
    assert [] == [
        row["id"]
        for row in rows
        if row["at"].replace("|", "\\|") not in told.get(row["id"], "")
        or f"| {row['treat']} |" not in told[row["id"]]
        or row.get("loss", "") not in told[row["id"]]
    ]


def test_every_loss_is_on_the_page_of_losses():
    """Once, with its reason."""
    page = (ROOT / "docs/losses.md").read_text("utf-8").splitlines()
    told = [line.split("`")[1] for line in page if line.startswith("| `")]
    assert sorted(each["name"] for each in wires_docs.read("losses")["loss"]) == sorted(told)


def test_every_public_name_has_a_heading():
    """Whatever can be imported from the package stands somewhere in the reference."""
    told = {name for page in API.glob("*.md") for name in headings(page.name)}
    modules = {"chat", "messages", "responses", "__version__"}
    assert set() == set(llm_projections.__all__) - told - modules


@pytest.mark.parametrize("wire", [chat, messages, responses], ids=["chat", "messages", "responses"])
def test_every_name_of_a_wire_has_a_heading(wire):
    """On the page of that wire."""
    told = set(headings(f"{wire.__name__.rpartition('.')[2]}.md"))
    assert set() == set(wire.__all__) - told


def test_every_preset_is_justified():
    """Each of `DIALECTS` has its section in docs/dialects.md."""
    told = re.findall(r"^## (.+)$", (ROOT / "docs/dialects.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(DIALECTS) == sorted(told)


def test_the_menu_shows_every_page():
    """Each page of docs/ stands in mkdocs.yml; the strict build holds the other direction."""
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [] == [page for page in pages if f": {page}\n" not in menu]

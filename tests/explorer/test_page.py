"""The page as a reader meets it: every case opens, wide and narrow, and nothing is asked of anybody."""

import tomllib
from collections.abc import Iterable
from typing import Any

import pytest
from selenium.webdriver.common.by import By

from tests.explorer.browser import Browser
from tests.golden_tools import GOLDEN, PROTOCOLS, index
from tools.explorer import cases

CASES = {name: says for name, says, _ in cases()}
SIZES = {"desktop": (1280, 900), "narrow": (360, 640)}
# So many cases in one call that a busy machine still answers in time.
BATCH = 30

# Opens each case by its address, and tells what `look` sees there; on a narrow screen each wire in its turn.
WALK = """
const [names, wires] = arguments;
const told = {};
for (const name of names) {
  location.hash = name;
  await new Promise((done) => addEventListener("hashchange", done, { once: true }));
  told[name] = look(name, wires);
}
return told;
"""

HEADING_AND_WIDTH = """
const look = (name, wires) => {
  const narrow = matchMedia("(max-width: 900px)").matches;
  const wide = (narrow ? wires : wires.slice(0, 1)).map((wire) => {
    document.querySelector(`.wires [data-wire=${wire}]`)?.click();
    return document.documentElement.scrollWidth - innerWidth;
  });
  return [document.querySelector("h1").textContent, Math.max(...wide)];
};
"""

LOSSES = """
const look = (name, wires) => {
  const all = (wire, where) => [...document.querySelectorAll(`${where}[data-wire=${wire}] [data-loss]`)]
    .map((each) => each.textContent.replace("left behind ", "").replace(/\\s+/g, " "));
  return wires.map((wire) => [all(wire, "td"), all(wire, "section")]);
};
"""

REFUSALS = """
const look = () => {
  const its = document.querySelector("[data-code]");
  const place = its.querySelector(".place") ?? its.parentElement.querySelector("dd");
  return [its.dataset.code, place?.textContent ?? ""];
};
"""


def walk(browser: Browser, look: str, names: Iterable[str]) -> dict[str, Any]:
    """What is seen at each case."""
    left, told = list(names), {}
    while left:
        found = browser.later(look + WALK, left[:BATCH], [*PROTOCOLS])
        assert "error" not in found, found
        told |= found
        del left[:BATCH]
    return told


@pytest.mark.parametrize("size", SIZES)
def test_every_case_opens(browser: Browser, size: str) -> None:
    """Under its own heading, without a complaint, never wider than the screen."""
    width, height = SIZES[size]
    browser.open(width=width, height=height)
    browser.complaints()
    assert 0 >= browser.run("return document.documentElement.scrollWidth - innerWidth")
    told = walk(browser, HEADING_AND_WIDTH, CASES)
    assert CASES == {name: says for name, (says, _) in told.items()}
    assert [] == [name for name, (_, wide) in told.items() if wide > 0]
    assert [] == browser.complaints()


def test_nothing_is_asked_of_anybody(browser: Browser) -> None:
    """No request leaves the page, whatever is opened."""
    browser.requests()
    for case in ("", "turn/calls", "answer/sealed_messages", "recorded/responses/codex-patch"):
        browser.open(case)
    assert [] == browser.requests()
    assert [] == browser.run(
        "return performance.getEntriesByType('resource').map((each) => each.name)"
    )
    assert [] == browser.complaints()


def lines(entry: dict[str, Any], key: str = "losses") -> list[str]:
    return entry.get(key, entry.get("losses", []))


@pytest.mark.parametrize("kind", ["turn", "answer"])
def test_losses_are_shown_where_the_index_names_them(browser: Browser, kind: str) -> None:
    """By name and place, on the wire that they belong to: of a stream, and of a body."""
    browser.open()
    names = {case: f"{kind}/{case}" for case in index()[kind]}
    found = walk(browser, LOSSES, names.values())
    expected = {}
    for case, entry in index()[kind].items():
        expected[names[case]] = []
        for wire in PROTOCOLS:
            stream = lines(entry[wire]) if kind == "answer" else []
            body = [] if case.startswith("failed_") else lines(entry[wire], "whole")
            expected[names[case]].append([stream, body])
    assert sum(len(its) for told in expected.values() for both in told for its in both) > 30
    assert expected == found


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_refusals_are_shown(browser: Browser, wire: str) -> None:
    """Each input that must be refused says with which code, and where."""
    browser.open()
    found = walk(browser, REFUSALS, [f"invalid/{wire}/{case}" for case in index()["invalid"][wire]])
    expected = {}
    for case, entry in index()["invalid"][wire].items():
        said = tomllib.loads((GOLDEN / "invalid" / wire / f"{case}.toml").read_text("utf-8"))
        whole = "the whole" if entry["file"].endswith(".sse") else ""
        expected[f"invalid/{wire}/{case}"] = [said["code"], said["path"] or whole]
    assert expected == found


def test_what_a_foreign_wire_refuses_is_marked(browser: Browser) -> None:
    """A program's request that another wire cannot say shows why, on that wire and at its place in the turn."""
    browser.open("recorded/responses/codex-patch")
    assert "UNSUPPORTED" in browser.find("section.chat .refusals").text
    assert "responses.tools.web_search" in browser.find("section.chat .refusals").text
    assert "Chat: UNSUPPORTED" in browser.find("section.neutral").text


def test_a_thing_is_found_on_every_wire(browser: Browser) -> None:
    """What is chosen in the neutral turn is lit where it went, and told below."""
    browser.open("turn/calls", "items[7].failed")
    lit = browser.run(
        "return [...document.querySelectorAll('.pane')].map((pane) => [...pane.querySelectorAll('.line.on')]"
        ".map((line) => line.textContent))"
    )
    assert [
        ["failed true"],
        ['content "{\\"error\\":\\"no such city\\",\\"ok\\":false}"'],
        ["is_error true"],
        ['output "{\\"ok\\":false,\\"output\\":\\"no such city\\"}"'],
    ] == lit
    assert "messages[2].content[2].is_error" in browser.find("#inspector").text


def test_a_frame_says_which_events_it_makes(browser: Browser) -> None:
    """Read back by the decoder: by the number of the event, also where a wire holds a piece back."""
    browser.open("answer/calls_interleaved")
    read = browser.run(
        "return [...document.querySelectorAll('tbody td[data-wire=messages]')].map((cell) =>"
        "[...cell.querySelectorAll('[data-reads]')].map((each) => Number(each.dataset.reads)))"
    )
    names = [each.text for each in browser.driver.find_elements(By.CSS_SELECTOR, "tbody th b")]
    # the second call began in step 5, and waits until the first is closed
    assert names[4].endswith("ToolCallStarted")
    (begun,) = (row for row, its in enumerate(read) if 4 in its)
    (closed,) = (row for row, its in enumerate(read) if 8 in its)
    assert begun >= closed > 4


def test_what_is_chosen_is_in_sight(browser: Browser) -> None:
    """Also far down, in every pane, and not behind the line that tells where it goes."""
    browser.open("turn/calls", "items[7].failed")
    places = browser.run(
        "const floor = document.querySelector('#inspector').getBoundingClientRect().top;"
        "return [...document.querySelectorAll('.line.on')].map((line) => {"
        " const box = line.parentElement.getBoundingClientRect(), its = line.getBoundingClientRect();"
        " return its.top >= box.top && its.bottom <= Math.min(box.bottom, floor); })"
    )
    assert [True] * 4 == places

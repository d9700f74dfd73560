"""The page for everybody: by keyboard, by name, and in light and dark with enough contrast."""

import pytest
from selenium.webdriver.common.keys import Keys

from tests.explorer.browser import Browser
from tests.golden_tools import GOLDEN

SHOWN = [
    ("", ""),
    ("turn/hosted_messages", "items[1].payload.id"),
    ("turn/sealed_chat", ""),
    ("answer/hosted_responses", ""),
    ("error/rate_limited", "upstream.message"),
    ("recorded/responses/codex-patch", "items[2].name"),
    ("invalid/chat/unknown-fields", ""),
    ("invalid/chat/error-in-stream", ""),
]

# The contrast of every piece of text with what lies behind it, by the formula of WCAG 2.2; those below 4.5.
CONTRAST = """
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const channels = (color) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const over = ([r, g, b, a], [x, y, z]) => [r, g, b].map((part, at) => (part * a + [x, y, z][at] * (255 - a)) / 255);
const behind = (element) => {
  const found = [];
  for (let at = element; at; at = at.parentElement) found.push(channels(getComputedStyle(at).backgroundColor));
  return found.reverse().reduce((below, color) => over(color, below), [255, 255, 255]);
};
const light = (color) => {
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = color.map((part) => linear(part / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const poor = {};
let seen = 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const said = texts.currentNode.data.trim();
  const element = texts.currentNode.parentElement;
  if (!said || !element.checkVisibility() || element.closest("script, style, .unseen, .skip")) continue;
  const paper = behind(element);
  const ink = over(channels(getComputedStyle(element).color), paper);
  const [more, less] = [light(ink), light(paper)].sort((one, other) => other - one);
  const contrast = (more + 0.05) / (less + 0.05);
  seen += 1;
  if (contrast < 4.5) poor[`${element.tagName} ${element.className} ${said.slice(0, 30)}`] = contrast.toFixed(2);
}
return [seen, poor, getComputedStyle(document.documentElement).backgroundColor];
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out(browser: Browser, dark: bool) -> None:
    """Every text has a contrast of 4.5 to 1 or more, chosen lines, losses and refusals included."""
    papers = set()
    for case, place in SHOWN:
        browser.open(case, place, dark=dark)
        seen, poor, paper = browser.run(CONTRAST)
        assert seen > 10
        assert {} == poor, case
        papers.add(paper)
    assert 1 == len(papers)


def test_the_schemes_differ(browser: Browser) -> None:
    """Dark is dark: the page follows the system."""
    papers = []
    for dark in (False, True):
        browser.open(dark=dark)
        papers.append(browser.run(CONTRAST)[2])
    assert papers[0] != papers[1]


@pytest.mark.parametrize(("case", "place"), SHOWN)
def test_whatever_takes_the_focus_has_a_name(browser: Browser, case: str, place: str) -> None:
    """Links, buttons, lists of lines, the search field: a reader who hears the page knows what each is."""
    browser.open(case, place)
    tree = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})
    nameless, seen = [], 0
    for node in tree["nodes"]:
        properties = {
            each["name"]: each["value"].get("value") for each in node.get("properties", [])
        }
        if node.get("ignored") or not properties.get("focusable"):
            continue
        role = node["role"]["value"]
        if role in ("RootWebArea", "main", "gridcell", "cell", "rowheader"):
            continue
        seen += 1
        if not node.get("name", {}).get("value"):
            nameless.append(role)
    assert seen > 3
    assert [] == nameless


def test_a_case_is_found_and_read_by_keyboard(browser: Browser) -> None:
    """Find, choose, read, follow a line to the next wire, come back: without a pointer."""
    browser.open()
    browser.press(Keys.TAB)
    assert "Skip to the content" == browser.focused().text
    for _ in range(9):
        browser.press(Keys.TAB)
        if browser.focused().get_attribute("id") == "filter":
            break
    browser.press("failed did not")
    assert "1 case of 265" == browser.find(".found").text
    browser.press(Keys.ARROW_DOWN, Keys.ENTER)
    assert "H1" == browser.focused().tag_name.upper()
    assert browser.driver.current_url.endswith("#turn/calls")

    for _ in range(9):
        browser.press(Keys.TAB)
        if browser.focused().get_attribute("role") == "listbox":
            break
    assert "Neutral turn" == browser.focused().accessible_name
    browser.press(*[Keys.ARROW_DOWN] * 6)
    chosen = browser.focused().get_attribute("aria-activedescendant")
    assert "text" in browser.find(f"#{chosen}").text
    browser.press(Keys.ARROW_RIGHT)
    assert "Chat Completions request" == browser.focused().accessible_name
    line = browser.find(f"#{browser.focused().get_attribute('aria-activedescendant')}")
    assert 'content "Compare Paris, Rome and Atlantis."' == line.text
    assert "true" == line.get_attribute("aria-selected")
    assert "%5B0%5D.text" in browser.driver.current_url

    browser.press(Keys.ESCAPE)
    assert not browser.find("#inspector").is_displayed()
    browser.press(Keys.ESCAPE)
    assert "What is said, and how each wire says it" == browser.find("h1").text
    assert "failed did not" == browser.find("#filter").get_attribute("value")


def test_a_stream_is_read_by_keyboard(browser: Browser) -> None:
    """One stop in the table, then arrows: down the events, right along the wires."""
    browser.open("answer/call")
    for _ in range(12):
        browser.press(Keys.TAB)
        if browser.focused().get_attribute("data-row") is not None:
            break
    assert "ResponseStarted" in browser.focused().text
    browser.press(Keys.ARROW_DOWN)
    assert "ToolCallStarted" in browser.focused().text
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert "messages" == browser.focused().get_attribute("data-wire")
    browser.press(Keys.END)
    assert "message_stop" in browser.focused().text


def seen(browser: Browser, selector: str, attribute: str) -> list[str]:
    """An attribute of every element of a selector that can be seen."""
    return browser.run(
        "return [...document.querySelectorAll(arguments[0])].filter((each) => each.offsetParent)"
        ".map((each) => each.getAttribute(arguments[1]))",
        selector,
        attribute,
    )


def test_a_phone_shows_one_wire_at_a_time(browser: Browser) -> None:
    """The others are a tab away, by touch and by arrow key."""
    browser.open("turn/calls", width=390, height=844)
    assert ["v0-neutral-title", "v0-chat-title"] == seen(browser, ".pane", "aria-labelledby")
    browser.find(".wires [data-wire=responses]").click()
    assert ["v0-neutral-title", "v0-responses-title"] == seen(browser, ".pane", "aria-labelledby")
    browser.press(Keys.ARROW_LEFT)
    assert ["v0-neutral-title", "v0-messages-title"] == seen(browser, ".pane", "aria-labelledby")
    browser.open("answer/call", width=390, height=844)
    assert {"chat"} == {*seen(browser, "td", "data-wire")}


def test_bytes_are_shown_as_they_are(browser: Browser) -> None:
    """One switch shows the very bytes, of bodies and of frames."""
    browser.open("turn/call_arguments")
    browser.find(".switch").click()
    written = GOLDEN / "wire" / "messages" / "call_arguments" / "request.json"
    raw = "return document.querySelector('section.messages pre.raw').textContent"
    assert written.read_text("utf-8") == browser.run(raw)
    assert "18446744073709551616" in browser.find("section.messages pre.raw").text
    browser.open("answer/call")
    assert not browser.find(".same.run").is_displayed()
    browser.find(".switch").click()
    assert browser.find(".same.run").is_displayed()

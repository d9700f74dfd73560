"""docs/explorer.html is what tools/explorer.py makes of golden/, no older and no other.

When this fails because a case of golden/ or what the library writes has changed: `python tools/explorer.py`.
"""

import re

import pytest

from tests.golden_tools import index
from tools import explorer
from tools.explorer_pool import Pool
from tools.explorer_trace import spelled, trace, turned

PAGE = explorer.PAGE.read_text(encoding="utf-8")
LINES = explorer.lines_of(PAGE)
CASES = list(explorer.cases())
GROUPS = ("turn", "answer", "error", "recorded", "invalid")


def test_every_case_of_the_index_is_on_the_page() -> None:
    """None is left out, and none comes twice."""
    told = index()
    expected = [f"{kind}/{case}" for kind in GROUPS[:3] for case in told[kind]]
    for kind in GROUPS[3:]:
        expected += [f"{kind}/{wire}/{case}" for wire in told[kind] for case in told[kind][wire]]
    assert sorted(expected) == sorted(name for name, _, _ in CASES)
    assert len(CASES) == len(LINES)


@pytest.mark.parametrize("group", GROUPS)
def test_the_cases_are_current(group: str) -> None:
    """The data of each case is what golden/ and the library say now."""
    old = [
        case[0]
        for case, line in zip(CASES, LINES, strict=True)
        if case[0].startswith(f"{group}/") and explorer.line(*case) != line
    ]
    assert [] == old


def test_what_surrounds_the_cases_is_current() -> None:
    """The script, the style and the policy are those of tools/explorer_page/."""
    assert explorer.page(LINES) == PAGE


def test_the_page_is_small_and_needs_nothing() -> None:
    """It fits into a mail, and names no address that a browser would ask."""
    assert len(PAGE.encode()) < 1_500_000
    shell = explorer.page([])
    assert [] == re.findall(r"""(?:src|srcset|data|action)=["'][^"']*|@import|url\(""", shell)
    assert {"#", "#contents", "data:,"} == set(re.findall(r'href="([^"]*)"', shell))


def test_a_pool_gives_back_what_was_put_into_it() -> None:
    """Repeated text is named by where it stands, and an equal text by its number."""
    texts = [
        "a piece of text that comes again, and more",
        "x a piece of text that comes again, y",
        "",
    ]
    pool = Pool()
    assert [0, 1, 2, 0] == [pool.number(text) for text in [*texts, texts[0]]]
    said = ""
    for text, pieces in zip(texts, pool.packed, strict=True):
        found, left = "", list(pieces)
        while left:
            piece = left.pop(0)
            found += (
                piece if isinstance(piece, str) else (said + found)[piece : piece + left.pop(0)]
            )
        assert text == found
        said += found
    assert ["x ", 0, 34, "y"] == pool.packed[1]


def test_a_trace_finds_what_makes_what() -> None:
    """By changing one thing at a time: a place moved, a place joined of two, and a place that only its kind makes."""
    document = {"items": [{"kind": "A", "text": "one", "n": 1}], "left": "out", "high": True}

    def write(said: dict) -> dict:
        (item,) = said["items"]
        return {
            "list": [{"type": "a", "both": f"{item['text']} {item['n']}"}],
            "low": not said["high"],
            "own": 1,
        }

    made = trace(document, write)
    assert {
        "list[0].both": ["items[0].text", "items[0].n"],
        "list[0].type": ["items[0]"],
        "low": ["high"],
    } == {spelled(place): [*map(spelled, sources)] for place, sources in made.items()}
    assert {"items[0].text": ["list[0].both"], "high": ["low"]}.items() <= {
        spelled(place): [*map(spelled, sources)]
        for place, sources in turned(made, document).items()
    }.items()

"""docs/guarantees.md promises nothing without a test, and names no test that is not there."""

import re
import tomllib

import pytest

from tests.structure.source import ROOT, has_test

PAGE = (ROOT / "docs/guarantees.md").read_text("utf-8")
PROMISES, FRANKNESS = PAGE.split("## What is not promised")
TEST = re.compile(r"`(tests/[\w/]+\.py::\w+)`")
# Held by a step of the gate, since a test has one interpreter only.
BY_THE_GATE = re.compile(r"`(\.ci/steps/[\w-]+\.sh)`")


def promises() -> list[str]:
    """Each promise with the tests below it."""
    return re.findall(r"^\* (?:.|\n(?!\* |\n|##))+", PROMISES, re.MULTILINE)


def test_there_are_promises() -> None:
    """As many as ever."""
    assert len(promises()) >= 25
    assert len(set(TEST.findall(PAGE))) >= 60


@pytest.mark.parametrize(
    "promise", promises(), ids=lambda promise: promise[2:42].replace("\n", " ")
)
def test_every_promise_is_held(promise: str) -> None:
    """By a test that exists, or a step of the gate."""
    tests, steps = TEST.findall(promise), BY_THE_GATE.findall(promise)
    assert tests or steps
    assert [] == [test for test in tests if not has_test(test)]
    assert [] == [step for step in steps if not (ROOT / step).is_file()]


def test_every_law_is_promised() -> None:
    """By one of its tests at least."""
    laws = tomllib.loads((ROOT / "spec/laws.toml").read_text("utf-8"))["law"]
    named = set(TEST.findall(PROMISES))
    assert [] == [law["id"] for law in laws if not named & set(law["tests"])]


def test_what_is_not_promised_is_said() -> None:
    """Point by point."""
    assert len(re.findall(r"^\* \*\*", FRANKNESS, re.MULTILINE)) >= 8


def test_the_formats_that_are_public_are_those_that_are_written() -> None:
    """docs/versioning.md names the formats of documents as the code does."""
    page = (ROOT / "docs/versioning.md").read_text("utf-8")
    code = (ROOT / "src/llm_projections/model/document.py").read_text("utf-8")
    formats = set(re.findall(r'"(llm\.\w+/\d+)"', code))
    assert formats
    assert formats == set(re.findall(r"`(llm\.\w+/\d+)`", page))

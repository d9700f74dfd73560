"""Every code block of every page that a person writes is run, parsed, or marked with why not."""

import re

import pytest

from tests import pages

PAGES = pages.pages()
PROGRAMS = [page for page in PAGES if any(b.language == "python" for b in pages.blocks(page))]
SHELL = [
    pytest.param(block, id=f"{page.stem}:{block.line}")
    for page in PAGES
    for block in pages.blocks(page)
    if block.mark == "run"
]
# What the programs share is run with them.
SHARED = {"declared.py", "relay_demo_data.py"}
EXAMPLE_PROGRAMS = [p for p in sorted(pages.EXAMPLES.glob("*.py")) if p.name not in SHARED]
FILE = re.compile(r"(?:docs|tests|tools|golden|mutants)/[\w./-]+\w")


def name(page):
    return page.relative_to(pages.ROOT).as_posix()


@pytest.mark.parametrize("page", PROGRAMS, ids=name)
def test_the_programs_of_a_page_run_and_print_what_it_says(page):
    """In order, in one namespace, each followed by its output where the page shows one."""
    for block, out, told in pages.printed(page):
        assert (block.line, told) == (block.line, out if told is not None else None)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_block_goes_unchecked(page):
    """Each is a program, its output, data that parses, or marked shell."""
    found = pages.blocks(page)
    faults = {
        block.line: why
        for block, previous in zip(found, [None, *found], strict=False)
        if (why := pages.fault(block, previous)) is not None
    }
    assert {} == faults


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_fence_is_overlooked(page):
    """Every fence of a page opens or closes a block that was found."""
    text = page.read_text("utf-8")
    assert 2 * len(pages.blocks(page)) == len(re.findall(r"^ *```", text, re.MULTILINE))


@pytest.mark.parametrize("block", SHELL)
def test_the_marked_commands_run(block):
    """A command that a page marks as run ends well."""
    ended = pages.run_shell(block)
    assert 0 == ended.returncode, ended.stdout[-2_000:] + ended.stderr[-2_000:]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_files_that_commands_name_are_there(page):
    """Also in commands that are run by hand."""
    named = [
        file
        for block in pages.blocks(page)
        if block.language in ("sh", "console")
        for file in FILE.findall(block.text)
    ]
    assert [] == [file for file in named if not (pages.ROOT / file).exists()]


def test_the_pages_have_programs():
    """The count falls only if somebody takes examples away."""
    counted = sum(b.language == "python" for page in PAGES for b in pages.blocks(page))
    assert counted >= 65


@pytest.mark.parametrize("example", EXAMPLE_PROGRAMS, ids=lambda path: path.stem)
def test_every_example_is_listed_and_run_by_a_test(example):
    """Its page names it, and so does a file of tests, which drives it over loopback."""
    assert f"]({example.name})" in (pages.EXAMPLES / "README.md").read_text("utf-8")
    assert any(
        re.search(rf'\b{example.stem}(\.py)?"', test.read_text("utf-8"))
        for test in (pages.ROOT / "tests").rglob("test_*.py")
    )

"""The code blocks of the pages: what they are, and how they are run.

A page's `python` blocks run in order, in one namespace, in the root of the checkout and with docs/examples importable.
A `text` block right after one is what it prints, but for newlines at the end. `json` and `toml` blocks must parse. A
block of shell is either marked `<!-- run -->` and run, or marked `<!-- by hand: why -->`. A block without a language is
marked as a drawing. Any other block is an error, so that none goes unchecked by its language.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs/examples"

# Written by tools from tables or docstrings: their blocks are signatures, not programs.
GENERATED = {
    "chat.md",
    "messages.md",
    "responses.md",
    "wires.md",
    "losses.md",
    "performance.md",
    "interop.md",
}

_FENCE = re.compile(
    r"(?:^<!-- (?P<mark>run|drawing|by hand: [^>]+|main-job|tests) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A fenced block of a page; `before` is what stands between it and the block above."""

    language: str
    text: str
    mark: str
    line: int
    before: str


def generated(page: Path) -> bool:
    """Whether a tool writes the page."""
    return page.name in GENERATED or page.parent.name == "api"


def pages() -> list[Path]:
    """Every page under docs/ that a person writes, and the README."""
    written = [page for page in sorted((ROOT / "docs").rglob("*.md")) if not generated(page)]
    return [ROOT / "README.md", *written]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    found, end = [], 0
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start("language")) + 1
        code = match["text"]
        if match["indent"]:
            code = re.sub(f"^{match['indent']}", "", code, flags=re.MULTILINE)
        found.append(
            Block(match["language"], code, match["mark"] or "", line, text[end : match.start()])
        )
        end = match.end()
    return found


def printed(page: Path) -> Iterator[tuple[Block, str, str | None]]:
    """Run the python blocks of a page: each with what it printed and what the page says that it prints."""
    space: dict[str, Any] = {"__name__": f"page {page.name}"}
    every = blocks(page)
    # a page may start this interpreter in another folder, where a relative path leads nowhere
    paths = [
        str(Path(each).resolve())
        for each in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if each
    ]
    there = mock.patch.dict(os.environ, {"PYTHONPATH": os.pathsep.join(paths)})
    sys.path.insert(0, str(EXAMPLES))
    try:
        with contextlib.chdir(ROOT), there:
            for block, after in zip(every, [*every[1:], None], strict=False):
                if block.language != "python":
                    continue
                # the blank lines make a traceback name the line of the page
                code = compile("\n" * block.line + block.text, str(page), "exec")
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(code, space)
                told = after is not None and after.language == "text" and not after.before.strip()
                said = after.text.rstrip("\n") if after is not None and told else None
                yield block, out.getvalue().rstrip("\n"), said
    finally:
        sys.path.remove(str(EXAMPLES))


def run_shell(block: Block) -> subprocess.CompletedProcess[str]:
    """Run a marked block of shell in the checkout, with this interpreter as `python`."""
    command = re.sub(r"(?m)^python ", lambda _: f"'{sys.executable}' ", block.text)
    return subprocess.run(
        ["bash", "-euc", command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def fault(block: Block, previous: Block | None) -> str | None:
    """What is wrong with a block that is no program, or None."""
    language, mark = block.language, block.mark
    if mark == "drawing":
        return None if not language else "a drawing has no language"
    if mark == "drawing":
        return "a drawing has no language" if language else None
    if language == "json":
        json.loads(block.text)
    elif language == "toml":
        tomllib.loads(block.text)
    elif language == "text":
        if previous is None or previous.language != "python" or block.before.strip():
            return "a text block stands right after the python block that prints it"
    elif language in ("sh", "console"):
        if not mark:
            return "a block of shell is marked as run or by hand"
    elif language != "python":
        return f"a block of no known kind: {language!r}"
    return None

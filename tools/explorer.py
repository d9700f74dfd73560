"""Write docs/explorer.html: every case of golden/ on one page that needs nothing else.

    python tools/explorer.py

The page is put together from tools/explorer_page/ and one line of data a case. Everything in it follows from golden/,
tests/golden_answers.py and the library, so that the same tree gives the same page.
"""

import base64
import hashlib
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from llm_projections import __version__  # noqa: E402  the checkout comes before anything installed
from tests.golden_tools import GOLDEN, PROTOCOLS, index  # noqa: E402  the same
from tools import explorer_bodies as bodies  # noqa: E402  the same
from tools import explorer_streams as streams  # noqa: E402  the same
from tools.explorer_pool import Pool  # noqa: E402  the same
from tools.explorer_values import compact  # noqa: E402  the same

PAGE = ROOT / "docs" / "explorer.html"
PARTS = Path(__file__).parent / "explorer_page"
SCRIPTS = ("text.js", "bodies.js", "streams.js", "contents.js", "page.js")
_OPENS, _CLOSES = '<script type="application/json" id="cases">\n[\n', "\n]\n</script>"

# What views hold under these keys is long and much the same on every wire; so are the fields of events.
_POOLED = frozenset({"neutral", "text"})

Views = list[dict[str, Any] | None]
Made = Callable[[], Views]


def cases() -> Iterator[tuple[str, str, Made]]:
    """Every case of the page: its name, what it shows, and what makes its views."""
    told = index()
    for kind, made in (("turn", _turn), ("answer", _answer), ("error", _error)):
        for case, entry in told[kind].items():
            yield f"{kind}/{case}", entry["shows"], partial(made, case)
    for wire in PROTOCOLS:
        for case, entry in told["recorded"][wire].items():
            yield f"recorded/{wire}/{case}", entry["shows"], _recorded(wire, case, entry["file"])
    for wire in PROTOCOLS:
        for case, entry in told["invalid"][wire].items():
            why = tomllib.loads((GOLDEN / "invalid" / wire / f"{case}.toml").read_text("utf-8"))
            yield f"invalid/{wire}/{case}", why["why"], _refused(wire, entry["file"], why["why"])


def _turn(case: str) -> Views:
    return [bodies.turn_view(case)]


def _answer(case: str) -> Views:
    return [streams.answer_view(case), bodies.whole_view(case)]


def _error(case: str) -> Views:
    return [bodies.error_view(case)]


def _recorded(wire: str, case: str, file: str) -> Made:
    if file == "answer.sse":
        return lambda: [streams.recorded_stream_view(wire, case)]
    return lambda: [bodies.recorded_view(wire, case, file)]


def _refused(wire: str, file: str, why: str) -> Made:
    if file.endswith(".sse"):
        return lambda: [streams.refused_stream_view(wire, file, why)]
    return lambda: [bodies.refused_view(wire, file, why)]


def line(name: str, says: str, made: Made) -> str:
    """The data of one case, safe inside a script element."""
    views = [view for view in made() if view is not None]
    told: dict[str, Any] = {"id": name, "says": says, "views": views}
    if name.startswith("recorded/"):
        told["from"] = _origin(name)
    # `<` would end the element, and the other two are kept away from tools that take them for line ends.
    pool = Pool()
    said = compact({**_pooled(told, pool), "texts": pool.packed}).replace("<", "\\u003c")
    return said.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def _pooled(value: Any, pool: Pool) -> Any:
    """The same with its long texts in the pool."""
    if isinstance(value, dict):
        return {
            key: pool.number(inner)
            if key in _POOLED and isinstance(inner, str)
            else _pooled(inner, pool)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_pooled(inner, pool) for inner in value]
    if isinstance(value, tuple):
        name, fields = value
        return [name, pool.number(fields)]
    return value


def _origin(name: str) -> dict[str, Any]:
    its = bodies.origin(GOLDEN / name)
    return {key: its[key] for key in ("program", "version", "situation", "date", "edits")}


def page(lines: list[str]) -> str:
    """The page around the data of its cases. Its policy names the one script and the one style that may run."""
    script = "\n".join((PARTS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = (PARTS / "page.css").read_text(encoding="utf-8")
    said = (PARTS / "page.html").read_text(encoding="utf-8")
    for mark, text in (
        ("{{script-hash}}", _digest(script)),
        ("{{style-hash}}", _digest(style)),
        ("{{version}}", __version__),
        ("{{style}}", style),
        ("{{script}}", script),
        ("{{cases}}", _OPENS + ",\n".join(lines) + _CLOSES),
    ):
        said = said.replace(mark, text, 1)
    return said


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def lines_of(said: str) -> list[str]:
    """The data of the cases of a written page."""
    return said.partition(_OPENS)[2].partition(_CLOSES)[0].split(",\n")


def main() -> None:
    """Write the page."""
    said = page([line(*case) for case in cases()])
    PAGE.write_text(said, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{PAGE.name}: {len(said.encode())} bytes\n")


if __name__ == "__main__":
    main()

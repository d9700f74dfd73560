"""Counts what the tests of law 13 try, for docs/evidence.md: `python -m tools.silence [--write]`."""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.golden_tools import GOLDEN, PROTOCOLS  # noqa: E402  (the path is set first)
from tests.mistyped import PARTS, answers, mistyped  # noqa: E402  (the same)
from tests.silence import (  # noqa: E402  (the same)
    Found,
    silent_in_request,
    silent_in_stream,
    tellings,
)
from tests.silence_across import Across  # noqa: E402  (the same)
from tests.test_no_silent_loss_across import SOURCES, files, origin, tried  # noqa: E402  (the same)

PAGE = ROOT / "docs/evidence.md"
SAME = "| what | wire | files | tried | noticed | rows | repeated | reasons | lost |"
ACROSS = "| of | onto | files | tried | written | reported | answer | rows | reasons | lost |"

MISTYPED = "| of | part | answers | places | tried | told | reasons | lost |"


def _line(*cells: str | int) -> str:
    return (
        "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"
    )


def _counts(subject: str, wire: str, count: int, found: list[Found]) -> str:
    lost, total = sum(len(each.lost) for each in found), sum(each.tried for each in found)
    declared, allowed = sum(each.declared for each in found), sum(each.allowed for each in found)
    repeated = sum(each.repeated for each in found)
    noticed = total - declared - allowed - repeated - lost
    return _line(subject, wire, count, total, noticed, declared, repeated, allowed, lost)


def same_wire() -> Iterator[str]:
    """Requests onto their own wire, and streams."""
    for wire in PROTOCOLS:
        paths = files(wire)
        read = [
            silent_in_request(
                wire,
                path.read_bytes(),
                [(name, value) for name, value in origin(path).get("headers", [])],
            )
            for path in paths
        ]
        yield _counts("request fields", wire, len(paths), read)
    for wire in PROTOCOLS:
        streams = sorted(GOLDEN.glob(f"*/{wire}/*/answer.sse"))
        told = [each for path in streams for each in tellings(wire, path.read_bytes()).values()]
        seen = [found for each in told if (found := silent_in_stream(wire, each)) is not None]
        yield _counts("stream fields", wire, len(streams), seen)


def across() -> Iterator[str]:
    """Requests and turns onto every wire."""
    for source in SOURCES:
        sums = {target: Across() for target in PROTOCOLS}
        wholes = dict.fromkeys(PROTOCOLS, 0)
        for path in files(source):
            for target, found in tried(source, path).items():
                sums[target].add(found)
                wholes[target] += 1
        title = f"{source} requests" if source != "turn" else "neutral turns"
        for target, found in sums.items():
            told = (found.tried, found.written, found.reported, found.shaped)
            told += (found.declared, found.alike, len(found.lost))
            yield _line(title, target, wholes[target], *told)


def of_wrong_types() -> Iterator[str]:
    """Values of wrong types, in answers."""
    for wire in PROTOCOLS:
        for part in PARTS:
            found = mistyped(wire, part)
            read = sum(each.part == part for each in answers(wire))
            told = (len(found.places), found.tried, found.told, found.allowed.total())
            yield _line(wire, part, read, *told, len(found.lost))


def _replaced(page: str, head: str, lines: list[str]) -> str:
    """A page with other rows below the head of a table."""
    before, found, after = page.partition(head + "\n")
    if not found:
        raise SystemExit(f"the page has no table {head}")
    rule, *rest = after.split("\n")
    kept = next(at for at, line in enumerate(rest) if not line.startswith("|"))
    return "\n".join([before + head, rule, *lines, *rest[kept:]])


def main() -> None:
    tables = {
        SAME: list(same_wire()),
        ACROSS: list(across()),
        MISTYPED: list(of_wrong_types()),
    }
    for head, lines in tables.items():
        print(head, *lines, sep="\n")
    if "--write" in sys.argv[1:]:
        page = PAGE.read_text(encoding="utf-8")
        for head, lines in tables.items():
            page = _replaced(page, head, lines)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

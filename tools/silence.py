"""Counts what tests/test_no_silent_loss.py tries, for docs/evidence.md: `python -m tools.silence`."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.golden_tools import GOLDEN, PROTOCOLS  # noqa: E402  (the path is set first)
from tests.silence import (  # noqa: E402  (the same)
    Found,
    silent_in_request,
    silent_in_stream,
    tellings,
)


def _headers(path: Path) -> list[tuple[str, str]]:
    origin = path.with_name("ORIGIN.toml")
    if not origin.exists():
        return []
    told = tomllib.loads(origin.read_text(encoding="utf-8"))
    return [(name, value) for name, value in told["headers"]]


def _counts(subject: str, wire: str, files: int, found: list[Found]) -> str:
    tried, lost = sum(each.tried for each in found), sum(len(each.lost) for each in found)
    declared, allowed = sum(each.declared for each in found), sum(each.allowed for each in found)
    repeated = sum(each.repeated for each in found)
    noticed = tried - declared - allowed - repeated - lost
    cells = (subject, wire, files, tried, noticed, declared, repeated, allowed, lost)
    return (
        "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"
    )


def main() -> None:
    print("| what | wire | files | tried | noticed | rows | repeated | reasons | lost |")
    print("|---|---|---|---|---|---|---|---|---|")
    for wire in PROTOCOLS:
        bodies = [
            path
            for path in sorted(GOLDEN.glob(f"*/{wire}/*/request.json"))
            if "count-tokens" not in path.parent.name
        ]
        read = [silent_in_request(wire, path.read_bytes(), _headers(path)) for path in bodies]
        print(_counts("request fields", wire, len(bodies), read))
    for wire in PROTOCOLS:
        streams = sorted(GOLDEN.glob(f"*/{wire}/*/answer.sse"))
        told = [each for path in streams for each in tellings(wire, path.read_bytes()).values()]
        seen = [found for each in told if (found := silent_in_stream(wire, each)) is not None]
        print(_counts("stream fields", wire, len(streams), seen))


if __name__ == "__main__":
    main()

"""Write docs/WIRE.md from spec/WIRE.toml, for every wire that has a table.

python tools/spec_docs.py [WIRE ...]
"""

import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WIRES = ("chat", "messages", "responses")
NAMES = {"chat": "Chat Completions", "messages": "Messages", "responses": "Responses"}

# A place belongs to the first section whose beginning it has.
_SECTIONS = (
    ("Tools", ("request.tools",)),
    ("Tool choice", ("request.tool_choice",)),
    ("Messages and items", ("request.messages", "request.input", "request.system")),
    ("Request", ("request",)),
    ("Token counting", ("count_tokens", "count_tokens_response")),
    ("Answer", ("response",)),
    ("Chunks", ("chunk",)),
    ("Stream events", ("event",)),
    ("Usage", ("usage",)),
    ("Stops and statuses", ("stop", "status", "incomplete")),
    ("Errors", ("error", "error_code")),
    ("Headers", ("header",)),
)
_ORDER = (
    "Request",
    "Messages and items",
    "Content parts",
    "Tools",
    "Tool choice",
    "Token counting",
    "Answer",
    "Chunks",
    "Stream events",
    "Usage",
    "Stops and statuses",
    "Errors",
    "Headers",
)
_PARTS = (".content[]", ".output[]", ".summary[]", "request.system[]")
_WORDS = (
    ("map", "has a neutral meaning and crosses to every wire that can say it"),
    ("carry", "travels whole and goes out again on its own wire only"),
    ("spell", "another spelling of something that is mapped, or a constant of the wire"),
    ("default", "accepted at the values shown, where it changes nothing"),
    ("refuse", "refused by name"),
)


def section(at: str) -> str:
    """The section that a place is shown in. Raises ValueError for a place of no known kind."""
    for name, beginnings in _SECTIONS:
        for beginning in beginnings:
            rest = at.removeprefix(beginning)
            if at.startswith(beginning) and (not rest or rest[0] in ".[{<"):
                if name == "Messages and items" and any(part in at for part in _PARTS):
                    return "Content parts"
                return name
    raise ValueError(f"a place of no known section: {at}")


def meaning(row: Mapping[str, Any]) -> str:
    """What becomes of a row's place, in its own words."""
    words: list[str] = []
    if "neutral" in row:
        words.append(f"`{row['neutral']}`")
    if "default" in row:
        words.append("only " + " or ".join(f"`{_shown(value)}`" for value in row["default"]))
    words += [row[key] for key in ("reason", "note") if key in row]
    if "by" in row:
        words.append("published by " + ", ".join(row["by"]))
    return "; ".join(words)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def document(wire: str, table: Mapping[str, Any]) -> str:
    """The whole page of one wire."""
    rows: Sequence[Mapping[str, Any]] = table["row"]
    by_section: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_section.setdefault(section(row["at"]), []).append(row)
    lines = [
        f"# {NAMES[wire]}: what is carried",
        "",
        f"Written by `tools/spec_docs.py` from `spec/{wire}.toml`, which also has the source of",
        f"each of these {len(rows)} rows. Of two rows for a place the more specific one counts;",
        "`.**` stands for a place and everything below it.",
        "",
        "| treatment | meaning | rows |",
        "|---|---|---|",
    ]
    for treat, words in _WORDS:
        lines.append(f"| {treat} | {words} | {sum(row['treat'] == treat for row in rows)} |")
    if table.get("pinned"):
        lines += ["", "Always written: " + ", ".join(f"`{name}`" for name in table["pinned"]) + "."]
    for name in _ORDER:
        if name in by_section:
            lines += ["", f"## {name}", ""]
            lines += [
                "| place | treatment | meaning | loss elsewhere | row |",
                "|---|---|---|---|---|",
            ]
            for row in by_section[name]:
                loss = f"`{row['loss']}`" if "loss" in row else ""
                place = f"`{row['at']}`"
                cells = (place, row["treat"], meaning(row), loss, row["id"])
                lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main(wires: Sequence[str]) -> None:
    """Write the pages of these wires, or of all that have a table."""
    for wire in wires or WIRES:
        source = ROOT / "spec" / f"{wire}.toml"
        if wires or source.exists():
            table = tomllib.loads(source.read_text(encoding="utf-8"))
            target = ROOT / "docs" / f"{wire}.md"
            target.write_text(document(wire, table), encoding="utf-8")
            sys.stdout.write(f"{target.name}: {len(table['row'])} rows\n")


if __name__ == "__main__":
    main(sys.argv[1:])

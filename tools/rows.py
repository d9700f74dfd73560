"""Help for who writes a wire's rows.

    python tools/rows.py WIRE          paths without a row, rows without a path, and other faults
    python tools/rows.py WIRE --sync   the same, after writing spec/WIRE.toml from the code's rows

The code's `subset.py` is written first. `--sync` takes from it what both say (id, at, treat,
neutral, loss, default, by), in its order, and keeps what is written by hand in the table: comments
at the top, `pinned`, and each row's reason, source, cases and note. A row without a source gets the
type that publishes its place. Rows that the code no longer has are dropped, and named.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from llm_projections.wires._rows import Row, Table  # noqa: E402  the checkout comes before anything installed
from tests import spec_tools  # noqa: E402  the same

BY_HAND = ("reason", "source", "cases", "note")


def source(wire: str, generation: str, path: str) -> str:
    """Which type of which package publishes a path, and when that was read."""
    part = spec_tools.published(wire)[generation]
    section, _, rest = path.partition(".")
    owner = {
        "header": "request headers",
        "event": "stream events",
        "error": "error types",
        "count_tokens_response": "token counts",
    }.get(section, part.roots.get(section) or part.roots["response"])
    name = f"{owner} {rest}" if rest else owner
    if len(name) > 160:
        name = f"{name[:157]}..."
    return f"{part.package}, {name}, {part.read}"


def merged(
    row: Row, kept: Mapping[str, Any], wire: str, busy: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    """A row of the table: the code's words, then what was written by hand."""
    told = spec_tools.as_table(row)
    by_hand = {key: kept[key] for key in BY_HAND if key in kept}
    if not by_hand.get("source") and row.id in busy and not row.by:
        by_hand["source"] = source(wire, *busy[row.id])
    by_hand.setdefault("cases", [])
    told.update({key: by_hand[key] for key in BY_HAND if key in by_hand})
    return told


def literal(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, list):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {literal(item)}" for key, item in value.items())
        return f"{{{inner}}}"
    # A JSON text, number or truth value is one of TOML too.
    return json.dumps(value, ensure_ascii=False)


def written(head: str, pinned: list[str] | None, rows: list[dict[str, Any]]) -> str:
    """The whole table."""
    parts = [head.rstrip("\n")]
    if pinned is not None:
        parts.append(f"pinned = {literal(pinned)}")
    parts += (
        "\n".join(["[[row]]", *(f"{key} = {literal(row[key])}" for key in row)]) for row in rows
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def sync(wire: str, table: Table) -> None:
    """Write the wire's table anew."""
    file = spec_tools.SPEC / f"{wire}.toml"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    old = spec_tools.table_of(wire) if text else {}
    head: list[str] = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            break
        head.append(line)
    if not head:
        head = ["# What is carried of this wire. The words are fixed in README.md."]
    kept = {row["id"]: row for row in old.get("row", [])}
    busy = spec_tools.met(table, wire)
    rows = [merged(row, kept.get(row.id, {}), wire, busy) for row in table.rows]
    file.write_text(written("\n".join(head), old.get("pinned"), rows), encoding="utf-8")
    for name in sorted(kept.keys() - {row.id for row in table.rows}):
        sys.stdout.write(f"dropped {name}\n")
    sys.stdout.write(f"{file.name}: {len(rows)} rows\n")


def main() -> int:
    """Print every finding; the exit status says whether there was one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("wire", choices=spec_tools.WIRES)
    parser.add_argument("--sync", action="store_true", help="write spec/WIRE.toml anew")
    arguments = parser.parse_args()
    wire: str = arguments.wire
    rows = spec_tools.rows_of(wire)
    table = Table(rows)
    if arguments.sync:
        sync(wire, table)
    from llm_projections.model.losses import NAMES

    findings = [
        *spec_tools.faults_of_rows(rows),
        *spec_tools.unmet(table, wire),
        *spec_tools.idle(table, wire),
        *spec_tools.unknown_losses(rows, NAMES),
    ]
    if spec_tools.is_declared(wire):
        document = spec_tools.table_of(wire)
        findings += spec_tools.faults_of_form(document)
        findings += spec_tools.differences(rows, document)
    for finding in findings:
        sys.stdout.write(f"{finding}\n")
    sys.stdout.write(f"{len(findings)} findings\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

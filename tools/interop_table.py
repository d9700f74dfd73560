"""Write docs/interop.md: what comes out when each official client talks to each server through the gateway.

    python tools/interop_table.py

The table is what tests/interop/test_gateway_pairs.py demands of every run (tests/interop/table.py),
and the reason of each loss is its row in spec/losses.toml.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.interop.table import (  # noqa: E402  the checkout comes before anything installed
    CLIENTS,
    PAIRS,
    REFUSED,
    SAYS,
    SERVERS,
    Cell,
    cell,
    differs,
    run_by,
)

PAGE = ROOT / "docs" / "interop.md"
NAMES = {"chat": "Chat Completions", "messages": "Messages", "responses": "Responses"}
HEAD = """\
# Official clients through the gateway

Written by `tools/interop_table.py` from `tests/interop/table.py`, which is what
`tests/interop/test_gateway_pairs.py` demands: the official Python clients (`openai` and `anthropic`, the newest
generation and the one before) talk to [the Starlette gateway](examples/starlette_gateway.py), and that to a scripted
server on loopback, whose answers are written by hand in the vendor's form and arrive in pieces of 1 to 190 bytes.
No live provider is part of it.

A pass: the client tells what it would tell of its vendor's own server. The letters name what was left out on the way,
each by a name that the gateway had accepted in advance (`AGENT_CLIENTS`) and reported; "refused" is a 400 on the
client's own wire that names the field, before anything was sent.
"""


def letters() -> dict[str, str]:
    """A letter for each loss that occurs, in the order of their names."""
    names = sorted(
        {
            name
            for scenario in SAYS
            for pair in PAIRS
            for newest in (True, False)
            for name in cell(scenario, pair, newest=newest)
            if cell(scenario, pair, newest=newest)[:1] != (REFUSED,)
        }
    )
    return {name: chr(ord("a") + number) for number, name in enumerate(names)}


def shown(found: Cell, notes: dict[str, str]) -> str:
    """One cell of the table."""
    if found[:1] == (REFUSED,):
        return f"refused: `{found[1]}`"
    return f"pass ({', '.join(notes[name] for name in found)})" if found else "pass"


def rows(client: str, notes: dict[str, str]) -> list[str]:
    """The table of one client's wire."""
    lines = []
    for scenario in SAYS:
        if client not in run_by(scenario):
            continue
        generations = [(True, ", newest"), (False, ", previous")]
        for newest, name in generations if differs(scenario) else [(True, "")]:
            cells = [
                shown(cell(scenario, (client, server), newest=newest), notes) for server in SERVERS
            ]
            lines.append(f"| {scenario}{name} | {' | '.join(cells)} |")
    return lines


def page() -> str:
    """The whole page."""
    notes = letters()
    losses = tomllib.loads((ROOT / "spec" / "losses.toml").read_text("utf-8"))["loss"]
    reasons = {loss["name"]: loss["reason"] for loss in losses}
    lines = [HEAD]
    for client in CLIENTS:
        lines += [f"## A client of {NAMES[client]}", ""]
        lines.append(f"| scenario | {' | '.join(f'{NAMES[s]} server' for s in SERVERS)} |")
        lines += ["|---|---|---|---|", *rows(client, notes), ""]
    lines += ["## What was left out", ""]
    lines += [f"* **{letter}** `{name}`: {reasons[name]}" for name, letter in notes.items()]
    lines += ["", "## What each scenario shows", ""]
    lines += [f"* **{scenario}**: {says}" for scenario, says in SAYS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(SAYS)} scenarios, {len(PAIRS)} pairs")

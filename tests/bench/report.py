"""The measurements as a page: docs/performance.md is written by this."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from tests.bench import growth, harness, importing, memory
from tests.bench.peers import ROUNDS

__all__ = ["page", "renewed"]

_HEAD = """# How fast it is

Written by `python -m tests.bench --markdown docs/performance.md` on {machine}; {python}, orjson {orjson}.

Times are processor time, medians of {rounds} rounds or more in each of which a candidate and its floor run one after
the other, and the run counts that follows a first one and a full collection of garbage, as if a program had done
something else in between; *at once* is the ratio of the runs right after these, with nothing in between. A ratio is
taken within a round. The floor is the least that any program must do with the same bytes, without rules, types or
checks: for a stream, to find each blank line and decode the data before it with `orjson`; for a relayed stream, to
write it again too; for a body, `orjson.loads`, `orjson.dumps`, or both. Streams are of 2,000 deltas, cut into 16 KiB
(`16k`), one event (`event`) or one byte a chunk (`byte`); bodies of 20 messages and of 400 messages in about 1 MB.

A ratio below 1 is no mistake: deltas that differ in their texts alone are read a row at a time, by the bytes that they
share, and the floor decodes each.
"""

_GROW = """The rows `grow` are four requests in a row, each one step of an agent longer, with a `FragmentCache` that
knows the conversation from the requests before; what it joins on the way is counted.
"""

_GLANCE = """## At a glance

The lowest and the highest ratio of the rows below, over all wires, or pairs of wires, and kinds of stream.
"""

_ROWS = "## Against the floor\n"
_CELLS = 7
_GROUPS: Final = (
    ("decode a stream, 16 KiB a chunk", r"decode\..*\.16k"),
    ("decode a stream, one event a chunk", r"decode\..*\.event"),
    ("relay a stream, 16 KiB a chunk", r"relay\..*\.16k"),
    ("relay a stream, one event a chunk", r"relay\..*\.event"),
    ("read a request of 400 messages, as SDKs write it", r"ingest\..*\.400\.body"),
    ("read it with spaces and escapes", r"ingest\..*\.400\.spaced"),
    ("write a request of 400 messages", r"encode\..*\.400"),
    ("write the next request of 400 messages, with a cache", r"grow\..*\.400"),
    ("relay a request of 400 messages", r"relay_body\..*"),
)

_PEERS = """The rows `peer.*` are what users have today, over the same streams in 16 KiB chunks, {rounds} rounds:
{peers}. The SDKs run their own stream helpers to the final message behind an HTTP client that answers
from memory; litellm adds its chunks up (of Responses it gives the events); llm-rosetta gives its neutral
events without adding them up, or relays Messages; msgspec decodes the deltas alone, into types, without
rules of the stream.
"""

_GROWTH = """## What grows

Microseconds a unit, of a stream that has one to sixteen times as many: events of a text, fragments of five calls, and
KiB of one event that comes in 1 KiB chunks (256 KiB to 4 MiB).
"""

_MEMORY = """## What a decoder holds

64 MiB of deltas, one event a chunk. The text is what the outcome will hold. The last column is what a consumer pays who
keeps every event of 4,000 deltas.
"""

_IMPORT = """## What importing costs

Processor time of a fresh process, medians of {rounds}: first the three packages that this one needs, then this one,
with all three wires and the relay. What waits for its first use is not in it: the first body of each wire places
its rows (3 ms), the first revision of a binding loads a digest (5 ms), the first document asks for all fields (9 ms).
"""


def renewed(text: str, results: Sequence[harness.Result]) -> str:
    """A page with the rows of these jobs as they are now; every row is of one run, in which its floor was measured too.

    Raises ValueError for a job that the page does not have.
    """
    before, _, rest = text.partition(_GLANCE)
    lines = rest.partition(_ROWS)[2].splitlines()
    for row in harness.table(results).splitlines()[2:]:
        name = row.partition(" | ")[0] + " | "
        lines[[line.startswith(name) for line in lines].index(True)] = row
    rows = "\n".join(lines) + "\n"
    return f"{before}{_GLANCE}\n{glanced(rows)}\n{_ROWS}{rows}"


def glanced(text: str) -> str:
    """The lowest and the highest ratio of each group of rows in a page."""
    cells = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    ratios = {
        row[0][2:]: float(row[4]) for row in cells if len(row) == _CELLS and row[4] != "ratio"
    }
    lines = ["| job | lowest | highest |", "|---|---:|---:|"]
    for told, names in _GROUPS:
        found = [ratio for name, ratio in ratios.items() if re.fullmatch(names, name)]
        if found:
            lines.append(f"| {told} | {min(found):.2f} | {max(found):.2f} |")
    return "\n".join(lines) + "\n"


def page(
    machine: str,
    rounds: int,
    results: Sequence[harness.Result],
    grown: Sequence[growth.Grown],
    held: Sequence[memory.Held],
    imported: Sequence[importing.Imported],
    peers: Sequence[str],
    absent: Sequence[str],
) -> str:
    """The whole page. What was not measured is named."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    head = _HEAD.format(machine=machine, python=python, orjson=version("orjson"), rounds=rounds)
    rows = harness.table(results) + "\n"
    parts = [head, _GLANCE, glanced(rows), _ROWS, rows, _GROW]
    if peers:
        parts.append(_PEERS.format(peers=", ".join(peers), rounds=ROUNDS))
    parts += [_GROWTH, growth.table(grown) + "\n", _MEMORY, memory.table(held) + "\n"]
    parts += [_IMPORT.format(rounds=rounds), importing.table(imported) + "\n"]
    if absent:
        parts.append("Not measured, because it is not installed: " + ", ".join(absent) + ".\n")
    return "\n".join(parts)

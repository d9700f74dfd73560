"""The tables of spec/, the code's rows and the vendors' published paths agree, both ways."""

import importlib.util
import tomllib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from llm_projections.model import losses
from llm_projections.wires._rows import Row, Table, Treat, split
from tests import spec_tools

DECLARED = [wire for wire in spec_tools.WIRES if spec_tools.is_declared(wire)]
CODED = [wire for wire in spec_tools.WIRES if spec_tools.has_rows(wire)]
# Once the three wires are in one table, nothing of their declaration may be missing.
REGISTERED = hasattr(importlib.import_module("llm_projections.wires"), "Wire")

# How many the vendors' types have, counted in the SDKs apart from the published files: newest, its
# beta types, previous, its beta types. Arguments that the SDK sends as headers are not body fields,
# and a type with several tags counts once for each.
COUNTS: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "chat": {
        r"request\.\w+": (37, 37),
        r"request\.messages\[\]<\w+>": (6, 6),
        r"request\.messages\[\]<user>\.content\[\]<\w+>": (4, 4),
        r"request\.tools\[\]<\w+>": (2, 2),
        r"response\.\w+": (10, 9),
        r"chunk\.\w+": (10, 9),
        r"usage\..+": (15, 12),
        r"stop\.\w+": (5, 5),
    },
    "messages": {
        r"request\.\w+": (17, 24, 18, 25),
        r"count_tokens\.\w+": (9, 13, 8, 12),
        r"request\.messages\[\]<\w+>": (3, 3, 3, 3),
        r"request\.messages\[\]<user>\.content\[\]<\w+>": (16, 24, 17, 24),
        r"request\.tools\[\]<\w+>": (23, 30, 21, 28),
        r"request\.tool_choice<\w+>": (4, 4, 4, 4),
        r"response\.\w+": (11, 13, 10, 12),
        r"response\.content\[\]<\w+>": (12, 18, 12, 17),
        r"event\.\w+": (8, 8, 8, 8),
        r"event\.content_block_delta\.delta<\w+>": (5, 6, 5, 6),
        r"usage\..+": (15, 64, 14, 64),
        r"stop\.\w+": (7, 8, 7, 8),
        r"error\.\w+_error": (12, 12, 9, 9),
    },
    "responses": {
        r"request\.\w+": (34, 35, 31, 32),
        r"request\.input\[\]<\w+>": (34, 37, 33, 36),
        r"request\.tools\[\]<\w+>": (18, 18, 18, 18),
        r"request\.tool_choice<\w+>": (15, 15, 15, 15),
        r"response\.\w+": (39, 39, 34, 34),
        r"response\.output\[\]<\w+>": (28, 31, 28, 31),
        r"event\..+\.sequence_number": (59, 59, 53, 53),
        r"usage\..+": (11, 11, 8, 8),
        r"status\.\w+": (6, 6, 6, 6),
        r"incomplete\.\w+": (4, 4, 2, 2),
        r"error_code\.\w+": (21, 21, 20, 20),
    },
}
TOTALS = {
    "chat": (457, 432),
    "messages": (2616, 7595, 2875, 3830),
    "responses": (5328, 5921, 4900, 5469),
}


def script(name: str) -> ModuleType:
    """A script of tools/, as a module."""
    found = importlib.util.spec_from_file_location(name, spec_tools.ROOT / "tools" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("wire", spec_tools.WIRES)
def test_the_published_files_are_complete(wire: str) -> None:
    """Both generations have as many fields, variants, events and words as the SDKs."""
    counted = {
        pattern: tuple(spec_tools.count(wire, part, pattern) for part in spec_tools.published(wire))
        for pattern in COUNTS[wire]
    }
    assert counted == COUNTS[wire]
    sizes = tuple(len(part.paths) for part in spec_tools.published(wire).values())
    assert sizes == TOTALS[wire]


@pytest.mark.parametrize("wire", spec_tools.WIRES)
def test_the_published_files_hold_sorted_spec_paths(wire: str) -> None:
    """Each line is one path, told once, in order, and each file says what it was read from."""
    for part in spec_tools.published(wire).values():
        assert part.package.split()[0] in {"openai", "anthropic"}
        assert part.read.startswith("read 20")
        assert {"request", "response", "usage"} <= part.roots.keys()
        assert list(part.paths) == sorted(set(part.paths))
        for path in part.paths:
            split(path)


def test_every_wire_with_a_table_has_rows_and_the_reverse() -> None:
    """Neither half of a wire's declaration stands alone, and the registered wires have both."""
    tables = [wire for wire in spec_tools.WIRES if (spec_tools.SPEC / f"{wire}.toml").exists()]
    assert tables == CODED
    if REGISTERED:
        assert list(spec_tools.WIRES) == DECLARED


@pytest.mark.parametrize("wire", CODED)
def test_rows_are_well_formed(wire: str) -> None:
    """Ids and places are used once, and accepted values stand where they mean something."""
    assert list(spec_tools.faults_of_rows(spec_tools.rows_of(wire))) == []


@pytest.mark.parametrize("wire", CODED)
def test_every_published_path_meets_one_row(wire: str) -> None:
    """Nothing that the vendor publishes, in either generation, is missing or told twice."""
    assert list(spec_tools.unmet(Table(spec_tools.rows_of(wire)), wire)) == []


@pytest.mark.parametrize("wire", CODED)
def test_every_row_meets_a_published_path(wire: str) -> None:
    """A row that no vendor publishes names the dialects that do."""
    assert list(spec_tools.idle(Table(spec_tools.rows_of(wire)), wire)) == []


@pytest.mark.parametrize("wire", CODED)
def test_losses_of_rows_can_be_reported(wire: str) -> None:
    """A row names only losses that a caller can accept."""
    assert list(spec_tools.unknown_losses(spec_tools.rows_of(wire), losses.NAMES)) == []


@pytest.mark.parametrize("wire", DECLARED)
def test_the_table_is_well_formed(wire: str) -> None:
    """Every row of a table has what its treatment needs, and a dated source."""
    assert list(spec_tools.faults_of_form(spec_tools.table_of(wire))) == []


@pytest.mark.parametrize("wire", DECLARED)
def test_the_table_and_the_code_agree(wire: str) -> None:
    """The same rows, with the same words, on both sides."""
    found = spec_tools.differences(spec_tools.rows_of(wire), spec_tools.table_of(wire))
    assert list(found) == []


@pytest.mark.parametrize("wire", DECLARED)
def test_the_page_is_what_the_table_says(wire: str) -> None:
    """docs/ shows the table as it is now."""
    page = (spec_tools.ROOT / "docs" / f"{wire}.md").read_text(encoding="utf-8")
    assert page == script("spec_docs").document(wire, spec_tools.table_of(wire))


def test_losses_and_their_table_agree() -> None:
    """spec/losses.toml lists the names and the sets that the code has, each with a reason."""
    if not REGISTERED and not (spec_tools.SPEC / "losses.toml").exists():
        return
    told = spec_tools.table_of("losses")["loss"]
    assert {row["name"]: row["set"] for row in told} == {
        name: tier.value for name, tier in losses.NAMES.items()
    }
    assert len(told) == len(losses.NAMES)
    assert [row["name"] for row in told if not row["reason"]] == []


def row(**changed: Any) -> dict[str, Any]:
    """A row of a table without a fault, apart from what is changed."""
    told = {"id": "x", "at": "request.a", "treat": "map", "neutral": "a", "cases": []}
    return {**told, "source": "openai 1.0, Type a, 2026-11", **changed}


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"row": [row()], "other": 1}, "unknown top-level key other"),
        ({"row": [row()], "pinned": [1]}, "pinned is a list of body keys"),
        ({"row": [row(), row()]}, "x: the id is used twice"),
        ({"row": [row(extra=1)]}, "x: unknown key extra"),
        ({"row": [row(loss=1)]}, "x: loss is not a str"),
        ({"row": [row(note="")]}, "x: note is empty"),
        ({"row": [row(note="a" * 241)]}, "x: note is longer than 240 characters"),
        (
            {"row": [row(source="somewhere")]},
            "x: source is not `package version, type or page, date`",
        ),
        (
            {"row": [row(treat="drop")]},
            "x: treat drop is none of map, carry, spell, default, refuse",
        ),
        ({"row": [row(treat="refuse")]}, "x: refuse needs reason"),
        ({"row": [row(treat="default")]}, "x: default needs default"),
        ({"row": [row(default=[1])]}, "x: only default rows hold a default"),
        ({"row": [row(treat="carry")]}, "x: what a request carries needs a loss"),
    ],
)
def test_faults_of_a_table_are_told(document: Mapping[str, Any], fault: str) -> None:
    """Each check of a table's form can fail."""
    assert list(spec_tools.faults_of_form({"row": [row()], "pinned": ["model"]})) == []
    assert fault in list(spec_tools.faults_of_form(document))


def test_differences_between_table_and_code_are_told() -> None:
    """Each check of agreement can fail, and `True` differs from `1`."""
    coded = [
        Row("same", "request.a", Treat.MAP, "a", by=frozenset({"b", "a"})),
        Row("typed", "request.n", Treat.DEFAULT, default=(1,)),
        Row("code", "request.c", Treat.SPELL),
    ]
    told = [
        row(id="same", by=["b", "a"]),
        row(id="typed", at="request.n", treat="default", neutral="n", default=[True]),
        row(id="table"),
    ]
    assert list(spec_tools.differences(coded, {"row": told})) == [
        "code: not in the table",
        "table: not in the code",
        "typed: neutral is None in the code and 'n' in the table",
        "typed: default is [1] in the code and [True] in the table",
    ]


def test_gaps_and_contradictions_of_rows_are_told() -> None:
    """A published path without a row, one with two, a row without a path, and a false loss show."""
    rows = [
        Row("all", "request.**", Treat.REFUSE),
        Row("one", "request.tools[]<function|other>", Treat.MAP, loss="turn.nothing"),
        Row("two", "request.tools[]<function|custom>", Treat.MAP),
        Row("none", "request.made_up", Treat.MAP),
        Row("foreign", "request.top_k", Treat.MAP, by=frozenset({"vllm"})),
    ]
    table = Table(rows)
    gaps = list(spec_tools.unmet(table, "chat"))
    assert "2026-11: usage.total_tokens has no row" in gaps
    assert (
        "2026-11: request.tools[]<function> has one, two, none more specific than the other" in gaps
    )
    assert not [gap for gap in gaps if "request.model" in gap or "request.tools[]<custom>" in gap]
    assert list(spec_tools.idle(table, "chat")) == ["none: request.made_up is published by nobody"]
    assert list(spec_tools.unknown_losses(rows, losses.NAMES)) == ["one: turn.nothing is no loss"]


def test_a_synced_table_reads_back_and_keeps_what_was_written_by_hand() -> None:
    """`tools/rows.py --sync` writes what the code says, and loses no sentence of a person."""
    rows = script("rows")
    coded = Row("n", "request.n", Treat.DEFAULT, default=(1, 'a"b\n', True, []), by=frozenset())
    kept = {"id": "n", "note": "Only one \\ answer.", "cases": ["c"], "loss": "stale"}
    told = rows.merged(coded, kept, "chat", {"n": ("2026-11", "request.n")})
    assert told == {
        "id": "n",
        "at": "request.n",
        "treat": "default",
        "default": [1, 'a"b\n', True, []],
        "source": "openai 3.57.0, CompletionCreateParamsNonStreaming n, read 2026-11-30",
        "cases": ["c"],
        "note": "Only one \\ answer.",
    }
    text = rows.written("# Head.", ["model"], [told])
    assert text.startswith('# Head.\n\npinned = ["model"]\n\n[[row]]\nid = "n"\n')
    again = tomllib.loads(text)
    assert again == {"pinned": ["model"], "row": [told]}
    assert list(spec_tools.faults_of_form(again)) == []


def test_the_page_shows_each_row_in_its_section() -> None:
    """A page has a table for each kind of place, with bars kept inside their cells."""
    docs = script("spec_docs")
    table = {
        "pinned": ["model"],
        "row": [
            row(id="t", at="request.tools[]<a|b>.**", treat="carry", loss="chat.tools.a"),
            row(id="p", at="request.messages[]<user>.content[]<text>.text", neutral="Text"),
            row(id="d", at="request.n", treat="default", default=[1, True, "x"]),
        ],
    }
    page = docs.document("chat", table)
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == ["## Request", "## Content parts", "## Tools"]
    assert "| `request.tools[]<a\\|b>.**` | carry | `a` | `chat.tools.a` | t |" in page
    assert '| `request.n` | default | `a`; only `1` or `true` or `"x"` |  | d |' in page
    assert "Always written: `model`." in page
    with pytest.raises(ValueError, match="no known section"):
        docs.section("elsewhere.a")


@pytest.mark.parametrize("wire", spec_tools.WIRES)
def test_every_published_path_has_a_section_of_the_page(wire: str) -> None:
    """No published place is without a heading."""
    section = script("spec_docs").section
    named = {section(path) for part in spec_tools.published(wire).values() for path in part.paths}
    assert {"Request", "Content parts", "Tools", "Usage", "Errors", "Headers"} <= named

"""The cases that spec/ cites exist and show their rows, and every row of a request has one."""

import importlib.util
from collections.abc import Mapping
from types import ModuleType

import pytest

from tests import row_cases, spec_tools

every_wire = pytest.mark.parametrize("wire", spec_tools.WIRES)

# Rows of requests without a case, and why. Everything else that a vendor publishes for a request has one.
WITHOUT: Mapping[str, str] = {}
# What there is now: rows with a case. Fewer would be a loss, and more is told here.
SHOWN = {"chat": 526, "messages": 389, "responses": 390}


def told(wire: str) -> dict[str, list[str]]:
    """The cases that a table cites, by row."""
    return {row["id"]: row["cases"] for row in spec_tools.table_of(wire)["row"]}


def script() -> ModuleType:
    """The script that writes them, as a module."""
    at = spec_tools.ROOT / "tools" / "row_cases.py"
    found = importlib.util.spec_from_file_location("row_cases_script", at)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@every_wire
def test_every_cited_case_exists_and_shows_its_row(wire: str) -> None:
    """No name is left over from a case that went or was renamed, and none shows something else."""
    known = row_cases.cases_of(wire)
    wrong = [
        f"{row}: {name}"
        for row, names in told(wire).items()
        for name in names
        if name not in known or row not in known[name].rows
    ]
    assert [] == wrong, "tools/row_cases.py writes them anew"


@every_wire
def test_a_row_cites_few_cases_and_each_once(wire: str) -> None:
    """One of each kind is enough to read."""
    for row, names in told(wire).items():
        assert len(set(names)) == len(names) <= 4, row


@every_wire
def test_every_row_of_a_request_has_a_case(wire: str) -> None:
    """What is mapped, carried, defaulted or refused is shown, but for the rows that say why not."""
    cases = told(wire)
    without = {row for row in row_cases.request_side(wire) if not cases[row]}
    assert {row for row in WITHOUT if row in cases} == without, "tools/row_cases.py fills them"


@every_wire
def test_many_rows_have_a_case(wire: str) -> None:
    """The tables cannot be emptied, nor the answers' rows lose theirs."""
    assert SHOWN[wire] <= sum(map(bool, told(wire).values()))


def test_words_of_answers_have_rows_of_their_own() -> None:
    """Stops, statuses, reasons, counters and faults are found where each wire puts them."""
    bodies = {
        "chat": {"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 1}},
        "messages": {"delta": {"stop_reason": "end_turn"}, "error": {"type": "api_error"}},
        "responses": {
            "object": "response",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [{"status": "completed"}],
            "error": {"code": "server_error"},
        },
    }
    assert {
        "chat": ["stop.stop", "usage"],
        "messages": ["stop.end_turn", "error", "error.api_error"],
        "responses": [
            "status.incomplete",
            "incomplete.max_output_tokens",
            "error",
            "error_code.server_error",
        ],
    } == {wire: [at for at, _ in row_cases.words(wire, body)] for wire, body in bodies.items()}


def test_only_cases_are_written() -> None:
    """What a person wrote in a table stays, byte by byte; cases that no longer show a row go."""
    table = '# head\n\n[[row]]\nid = "a"\ncases = ["old"]\nnote = "cases = []"\n\n[[row]]\nid = "b"\ncases = ["x"]\n'
    expected = table.replace('["old"]', '["p", "q"]').replace('["x"]', "[]")
    assert expected == script().filled(table, {"a": ["p", "q"]})

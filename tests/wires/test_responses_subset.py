"""What the rows of a Responses request promise, held against the code that reads and writes it."""

import json
from typing import Any

import pytest

from llm_projections.errors import RequestRefused
from llm_projections.model.items import Extension, WireItem
from llm_projections.model.losses import NAMES
from llm_projections.model.tools import HostedTool
from llm_projections.wires._carried import carried_path
from llm_projections.wires._reading import extension_path
from llm_projections.wires._rows import Row, Treat
from llm_projections.wires.responses import ingest_request
from llm_projections.wires.responses.subset import ROWS, TABLE
from llm_projections.wires.responses.vocab import WIRE_ITEMS
from tests.cases.responses_words import CALL_BODY, PATCH, USER, WEATHER, R
from tests.spec_tools import published, table_of

REQUEST = [row for row in ROWS if row.at.startswith("request.")]
CARRIED = [row for row in REQUEST if row.treat is Treat.CARRY]


def read(body: dict[str, Any]) -> Any:
    """The turn of a body."""
    return ingest_request(json.dumps({"model": "m", **body}).encode()).request


@pytest.mark.parametrize(
    "row",
    [row for row in CARRIED if row.at.removesuffix(".**").count(".") == 1 and "<" not in row.at],
    ids=lambda row: row.id,
)
def test_a_carried_setting_is_carried_under_its_loss(row: Row) -> None:
    """Each top-level field that is carried becomes an extension whose path is its loss."""
    name = row.at.removesuffix(".**").removeprefix("request.")
    value: Any = [{"a": 1}] if name == "context_management" else {"a": 1}
    assert Extension(R, name, value) in read({"input": "Hi", name: value}).extensions
    assert row.loss == f"responses.{name}"


@pytest.mark.parametrize("kind", sorted(WIRE_ITEMS))
def test_a_wire_item_is_carried_whole_under_its_loss(kind: str) -> None:
    """Each item without a neutral meaning is carried, and lost elsewhere by the name of its type."""
    node = {"type": kind, "id": "x", "anything": {"a": [None]}}
    found = read({"input": [USER, node]}).items[-1]
    assert isinstance(found, WireItem)
    assert node == found.payload
    row = TABLE.variant("request.input[]", kind)
    assert row is not None
    assert row.loss == f"responses.{carried_path(R, 'item', node)}" == f"responses.input.{kind}"


def hosted() -> list[str]:
    """The published types of tools that are carried."""
    paths = published("responses")["2026-11"].paths
    kinds = {
        path[len("request.tools[]<") : -1]
        for path in paths
        if path.startswith("request.tools[]<") and path.endswith(">") and path.count("<") == 1
    }
    return sorted(kinds - {"function", "custom"})


@pytest.mark.parametrize("kind", hosted())
def test_a_hosted_tool_is_carried_whole_under_its_family(kind: str) -> None:
    """Each published tool that the provider runs is carried; its loss names the family without a date."""
    node = {"type": kind, "anything": {"a": [None]}}
    assert (HostedTool(R, node),) == read({"input": "Hi", "tools": [node]}).tools
    row = TABLE.variant("request.tools[]", kind)
    assert row is not None
    assert row.loss == f"responses.{carried_path(R, 'tool', node)}"


def test_there_are_hosted_tools() -> None:
    """The list above is not empty by mistake."""
    assert len(hosted()) >= 15


def test_extensions_of_items_and_tools_are_named_by_their_rows() -> None:
    """What an item, a part or a tool carries has the path that its row's loss names."""
    call = {
        **CALL_BODY,
        "id": "fc",
        "status": "incomplete",
        "async": True,
        "namespace": "n",
        "caller": {},
        "agent": {},
    }
    reply = {
        "type": "function_call_output",
        "call_id": "c1",
        "output": "",
        "name": "w",
        "namespace": "n",
    }
    tool = {
        **WEATHER,
        "async": True,
        "allowed_callers": [],
        "defer_loading": True,
        "output_schema": {},
    }
    custom = {**PATCH, "async": True}
    turn = read({"input": [{**USER, "phase": "commentary"}, call, reply], "tools": [tool, custom]})
    said = [
        [extension.path for extension in held.extensions] for held in (*turn.items, *turn.tools)
    ]
    assert [
        ["input.phase"],
        [
            "input.id",
            "input.status",
            "input.async",
            "input.namespace",
            "input.caller",
            "input.agent",
        ],
        ["input.name", "input.namespace"],
        ["tools.async", "tools.allowed_callers", "tools.defer_loading", "tools.output_schema"],
        ["tools.async"],
    ] == said
    known = {extension_path(row) for row in ROWS if row.treat is Treat.CARRY}
    assert {path for paths in said for path in paths} <= known


def test_each_loss_of_a_row_can_be_accepted() -> None:
    """A row names only losses that exist."""
    assert [] == [row.id for row in ROWS if row.loss is not None and row.loss not in NAMES]


def test_defaults_and_refusals_hold_in_code() -> None:
    """A row with a default is accepted at that value and refused at another."""
    (row,) = (row for row in REQUEST if row.treat is Treat.DEFAULT)
    assert ("response.create",) == row.default
    assert read({"input": "Hi", "type": "response.create"})
    with pytest.raises(RequestRefused) as caught:
        read({"input": "Hi", "type": "response.append"})
    assert "type" == caught.value.path


def test_what_is_always_written_is_pinned() -> None:
    """The table lists every key that goes out without being asked for."""
    pinned = table_of("responses")["pinned"]
    assert ["model", "stream", "store", "include", "strict", "detail", "summary"] == pinned

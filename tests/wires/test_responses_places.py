"""Faults of a Responses conversation are told by the places of the body that was sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import RequestRefused
from llm_projections.model.limits import Limits
from llm_projections.wires.responses.ingest import ingest_request

USER = {"role": "user", "content": "Hi"}
RULE = {"role": "developer", "content": "Be kind."}
CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "ok"}
SEARCH = {"type": "web_search_call", "id": "ws", "status": "completed"}
CUSTOM_OUTPUT = {**OUTPUT, "type": "custom_tool_call_output"}


def _paths(body: dict[str, Any], **settings: Any) -> list[str]:
    with pytest.raises(RequestRefused) as caught:
        ingest_request(json.dumps({"model": "m", **body}).encode(), **settings)
    return [caught.value.path, *(each.path for each in caught.value.others)]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ([OUTPUT], "input[0].call_id"),
        ([RULE, USER, OUTPUT], "input[2].call_id"),
        ([RULE, SEARCH, RULE, USER, OUTPUT], "input[4].call_id"),
        ([USER, CALL, RULE, OUTPUT, RULE, OUTPUT], "input[5].call_id"),
        ([USER, CALL], "input[1]"),
        ([USER, CALL, CUSTOM_OUTPUT], "input[2].type"),
        ([USER, CALL, CALL, OUTPUT, OUTPUT], "input[2].call_id"),
    ],
)
def test_an_item_is_told_by_its_place_in_the_input(given: list[Any], path: str) -> None:
    assert _paths({"input": given})[0] == path


@pytest.mark.parametrize(
    ("body", "limits", "path"),
    [
        ({"input": [USER, USER]}, Limits(items=1), "input"),
        ({"input": "Hi", "instructions": "Be kind."}, Limits(instructions_bytes=2), "instructions"),
        ({"input": [RULE, USER]}, Limits(instructions_bytes=2), "input"),
        ({"input": "Hi", "temperature": 3}, Limits(), "temperature"),
        ({"input": "Hi", "max_output_tokens": 0}, Limits(), "max_output_tokens"),
    ],
)
def test_a_setting_is_told_by_its_own_name(body: dict[str, Any], limits: Limits, path: str) -> None:
    assert _paths(body, limits=limits)[0] == path


@pytest.mark.parametrize(("key", "value"), [("background", 0), ("generate", 1)])
def test_a_number_is_no_truth_value(key: str, value: int) -> None:
    """A default is a default by its type too; what only resembles it is carried as it came."""
    body = json.dumps({"model": "m", "input": "Hi", key: value}).encode()
    assert [each.path for each in ingest_request(body).request.extensions] == [key]

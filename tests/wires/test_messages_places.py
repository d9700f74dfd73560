"""Where a Messages body is told that its conversation does not hold together."""

from __future__ import annotations

from typing import Any

import pytest

from llm_projections import _json
from llm_projections.errors import RequestRefused
from llm_projections.messages import ingest_request
from llm_projections.model.limits import Limits

ASKED = {"role": "user", "content": "hi"}
WORDS = {"type": "text", "text": "x"}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    """What an assistant said."""
    return {"role": "assistant", "content": list(blocks)}


def told(*blocks: dict[str, Any]) -> dict[str, Any]:
    """What a user said."""
    return {"role": "user", "content": list(blocks)}


def call(call_id: str) -> dict[str, Any]:
    """A call."""
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {}}


def result(call_id: str) -> dict[str, Any]:
    """Its result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": "12345"}


def refused(
    *messages: dict[str, Any], limits: Limits = Limits(), **fields: Any
) -> list[tuple[str, str]]:
    """The code and the path of every refusal."""
    body = {"model": "m", "max_tokens": 9, "messages": list(messages), **fields}
    with pytest.raises(RequestRefused) as caught:
        ingest_request(_json.dumps(body), limits=limits)
    return [(each.code.value, each.path) for each in (caught.value, *caught.value.others)]


@pytest.mark.parametrize(
    ("messages", "path"),
    [
        ([said(WORDS, call("a"), call("a")), told(result("a"))], "messages[1].content[2].id"),
        ([told(WORDS, result("a"))], "messages[1].content[1].tool_use_id"),
        (
            [said(call("a")), told(result("a")), told(result("a"))],
            "messages[3].content[0].tool_use_id",
        ),
        ([said(call("a")), ASKED, said(WORDS), ASKED], "messages[2]"),
        ([said(WORDS, call("a"))], "messages[1].content[1]"),
        ([said(call("a")), ASKED], "messages[2]"),
    ],
)
def test_calls_and_results_that_do_not_match_are_told_by_their_block(
    messages: list[dict[str, Any]], path: str
) -> None:
    """Or by the message where an answer was due."""
    assert [("INVALID_REQUEST", path)] == refused(ASKED, *messages)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"max_tokens": 0}, "max_tokens"),
        ({"temperature": 3}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"tools": [{"name": "a", "input_schema": {}}] * 2}, "tools[1].name"),
        ({"tool_choice": {"type": "tool", "name": "x"}}, "tool_choice"),
    ],
)
def test_settings_are_told_by_the_names_of_the_wire(fields: dict[str, Any], path: str) -> None:
    """A client knows no others."""
    assert [("INVALID_REQUEST", path)] == refused(ASKED, **fields)


@pytest.mark.parametrize(
    ("limits", "path"),
    [
        (Limits(result_bytes=2), "messages[2].content[0]"),
        (Limits(instructions_bytes=2), "system"),
        (Limits(items=1), "messages"),
    ],
)
def test_limits_are_told_by_the_names_of_the_wire(limits: Limits, path: str) -> None:
    """Each by the place that is too large."""
    messages = (ASKED, said(call("a")), told(result("a")))
    assert [("TOO_LARGE", path)] == refused(*messages, limits=limits, system="Hello")

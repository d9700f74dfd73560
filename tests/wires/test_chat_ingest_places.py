"""What contradicts itself in a Chat body is refused by its place in that body."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from llm_projections.errors import RequestRefused
from llm_projections.model.limits import Limits
from llm_projections.wires.chat import ingest_request

ASK = {"role": "user", "content": "q"}


def call(call_id: str, arguments: str = "{}") -> dict[str, Any]:
    """A call of a function."""
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}


def calling(*calls: Any) -> dict[str, Any]:
    """A message with text and calls, which are two items and more."""
    return {"role": "assistant", "content": "I look.", "tool_calls": list(calls)}


def answer(call_id: str, content: str = "r") -> dict[str, Any]:
    """What a tool said."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def places(body: dict[str, Any], limits: Limits, accept: tuple[str, ...] = ()) -> list[str]:
    """Every refused place of a body."""
    with pytest.raises(RequestRefused) as caught:
        ingest_request(orjson.dumps({"model": "m", **body}), limits=limits, accept=accept)
    return [fault.path for fault in (caught.value, *caught.value.others)]


TALKS: list[tuple[list[Any], list[str]]] = [
    ([ASK, calling(call("a"), call("a")), answer("a")], ["messages[1].tool_calls[1].id"]),
    ([{"role": "system", "content": "s"}, ASK, answer("z")], ["messages[2].tool_call_id"]),
    (
        [ASK, calling(call("a"), call("b")), answer("a"), {"role": "assistant", "content": "z"}],
        ["messages[3]"],
    ),
    ([ASK, calling(call("a"))], ["messages[1].tool_calls[0]"]),
]


@pytest.mark.parametrize(("messages", "expected"), TALKS)
def test_calls_and_results_that_do_not_fit(messages: list[Any], expected: list[str]) -> None:
    """Instructions are no items, and one message may be several."""
    assert expected == places({"messages": messages}, Limits())


SETTINGS: list[tuple[dict[str, Any], list[str]]] = [
    ({"temperature": 9, "top_p": 0}, ["temperature", "top_p"]),
    ({"max_tokens": 0}, ["max_tokens"]),
    ({"max_completion_tokens": 0}, ["max_completion_tokens"]),
    ({"max_completion_tokens": 0, "max_tokens": 0}, ["max_completion_tokens"]),
    (
        {"tool_choice": {"type": "function", "function": {"name": "g"}}},
        ["tool_choice"],
    ),
    (
        {
            "tools": [
                {"type": "function", "function": {"name": "f"}},
                {"type": "custom", "custom": {"name": "f"}},
                {"function": {"name": ""}},
            ]
        },
        ["tools[1].custom.name", "tools[2].function.name"],
    ),
]


@pytest.mark.parametrize(("fields", "expected"), SETTINGS)
def test_settings_that_contradict_themselves(fields: dict[str, Any], expected: list[str]) -> None:
    """By the name that the body has for them."""
    assert expected == places({"messages": [ASK], **fields}, Limits())


def test_what_is_past_a_limit() -> None:
    """A call by its place among the calls of its message, a result by its message."""
    tight = Limits(arguments_bytes=10, result_bytes=10)
    long = calling(call("a"), call("b", '{"x":"yyyyyyyyyy"}'))
    messages = [ASK, long, answer("a"), answer("b", "z" * 11)]
    assert ["messages[1].tool_calls[1]", "messages[3]"] == places({"messages": messages}, tight)
    assert ["messages"] == places({"messages": [ASK] * 4}, Limits(items=3))
    instruction = {"role": "system", "content": "long"}
    assert ["messages"] == places({"messages": [instruction, ASK]}, Limits(instructions_bytes=1))


def test_what_was_moved_is_told_by_where_it_came_in() -> None:
    """A message between a call and its result waits for the result."""
    messages = [ASK, calling(call("a")), ASK, answer("a"), answer("z")]
    assert ["messages[4].tool_call_id"] == places(
        {"messages": messages}, Limits(), ("chat.text_before_result",)
    )

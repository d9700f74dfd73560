"""Messages bodies made to be slow: time grows with their bytes, not with the square of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from llm_projections import _json
from llm_projections.errors import RequestRefused
from llm_projections.messages import encode_request, ingest_request
from llm_projections.model.items import Text, ToolCall, ToolResult, UserMessage
from llm_projections.model.turn import TurnRequest
from tests.wires.messages_wire import BINDING
from tests.work import grows_linearly

USER: dict[str, Any] = {"role": "user", "content": "hi"}


def ingested(messages: list[dict[str, Any]]) -> Callable[[], None]:
    """Reading a body of these messages, refused or not."""
    data = _json.dumps({"model": "m", "max_tokens": 9, "messages": messages})

    def run() -> None:
        with suppress(RequestRefused):
            ingest_request(data)

    return run


def projected(ids: list[str]) -> Callable[[], None]:
    """Writing a turn with calls of these ids."""
    turn = TurnRequest(
        "m",
        (
            UserMessage((Text("hi"),)),
            *(ToolCall(each, "f", "{}") for each in ids),
            *(ToolResult(each, ()) for each in ids),
        ),
    )

    def run() -> None:
        encode_request(turn, BINDING, accept={"turn.call_id"})

    return run


BODIES: dict[str, Callable[[int], Callable[[], None]]] = {
    "results without an id": lambda n: ingested(
        [{"role": "user", "content": [{"type": "tool_result"}] * n}]
    ),
    "assistant messages in a row": lambda n: ingested(
        [USER, *[{"role": "assistant", "content": "a"}] * n]
    ),
    "ids that are alike in this alphabet": lambda n: projected(
        [chr(0x4E00 + number) for number in range(n)]
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_eight_times_the_body_is_eight_times_the_work(name: str) -> None:
    """The square would be 64 times as much."""
    make = BODIES[name]
    assert grows_linearly(make(250), make(2_000), 8)


def test_ids_that_are_alike_stay_apart() -> None:
    """Each goes out under a name of its own, which no other id of the turn has."""
    ids = ["a:b", "a.b", "a_b", "a_b_2", "a/b"]
    turn = TurnRequest(
        "m",
        (
            UserMessage((Text("hi"),)),
            *(ToolCall(each, "f", "{}") for each in ids),
            *(ToolResult(each, ()) for each in ids),
        ),
    )
    body: Any = _json.loads(encode_request(turn, BINDING, accept={"turn.call_id"}))
    called = [block["id"] for block in body["messages"][1]["content"]]
    answered = [block["tool_use_id"] for block in body["messages"][2]["content"]]
    assert called == answered
    assert ["a_b_3", "a_b_4", "a_b", "a_b_2", "a_b_5"] == called

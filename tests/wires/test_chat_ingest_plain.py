"""The fast lane of a Chat body, which stands for the check of the items too."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import RequestRefused
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Instruction,
    Item,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import NAMES
from llm_projections.wires.chat import ingest_request
from llm_projections.wires.chat.ingest.plain import Lane

SMALL = Limits(arguments_bytes=40, result_bytes=40, instructions_bytes=40, items=8)

WORDS = st.sampled_from(
    (
        *("said", "a", "é") * 4,
        *("", "{", '{"error":"x","ok":false}', '{"error":', "x" * 50, None, 5),
    )
)
IDS = st.sampled_from((*("1", "2", "3") * 3, "", None))
PARTS = st.lists(
    st.sampled_from(({"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}, "a")),
    max_size=2,
)
CONTENTS = st.one_of(WORDS, WORDS, WORDS, PARTS)
MORE = st.sampled_from((*[{}] * 12, {"name": "n"}, {"refusal": None}, {"index": 0}, {"x": 1}))


def objects(**keys: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with these keys, and what may stand beside them."""
    return st.builds(lambda node, more: {**node, **more}, st.fixed_dictionaries(keys), MORE)


FUNCTIONS = objects(name=st.sampled_from(("f", "f", "f", None)), arguments=WORDS)
CALLS = st.one_of(
    *[objects(id=IDS, type=st.just("function"), function=FUNCTIONS)] * 6,
    st.fixed_dictionaries({"id": IDS, "function": FUNCTIONS}),
    st.fixed_dictionaries(
        {
            "id": IDS,
            "type": st.just("custom"),
            "custom": st.fixed_dictionaries({"name": st.just("p"), "input": WORDS}),
        }
    ),
    st.just("call"),
)
SAID = st.one_of(
    objects(role=st.just("user"), content=CONTENTS),
    objects(role=st.just("assistant"), content=CONTENTS),
    objects(role=st.sampled_from(("system", "developer", "function", "wombat")), content=CONTENTS),
)
ODD = st.one_of(
    objects(role=st.just("tool"), tool_call_id=IDS, content=CONTENTS),
    objects(role=st.just("assistant"), content=CONTENTS, tool_calls=st.lists(CALLS, max_size=2)),
    st.just({"role": "assistant", "tool_calls": None}),
    st.just({"role": "assistant", "content": "a", "reasoning_content": "why"}),
    st.just({"role": 5}),
    st.just("message"),
)


def answered(calls: list[Any], said: Any, between: list[Any], outputs: list[Any]) -> list[Any]:
    """An assistant's calls and their results; what is random alone is hardly ever in order."""
    ids = [call.get("id") for call in calls if isinstance(call, dict)]
    results = [
        {"role": "tool", "tool_call_id": call_id, "content": output}
        for call_id, output in zip(ids, outputs, strict=False)
    ]
    return [{"role": "assistant", "content": said, "tool_calls": calls}, *between, *results]


STEPS = st.builds(
    answered,
    st.lists(CALLS, min_size=1, max_size=2),
    CONTENTS,
    st.lists(SAID, max_size=1) | st.just([]) | st.just([]),
    st.lists(WORDS, min_size=2, max_size=2),
)
INPUTS = st.lists(
    st.one_of(SAID.map(lambda node: [node]), ODD.map(lambda node: [node]), STEPS, STEPS, STEPS),
    min_size=1,
    max_size=4,
).map(lambda steps: [node for step in steps for node in step])


def told(given: list[Any], accept: frozenset[str], *, envelopes: bool, limits: Limits) -> object:
    """What is read, or what a client is told of every refusal."""
    body = orjson.dumps({"model": "m", "messages": given})
    try:
        return ingest_request(body, accept=accept, envelopes=envelopes, limits=limits)
    except RequestRefused as error:
        faults = (error, *error.others)
        return [(each.code, each.message, each.path, each.loss) for each in faults]


@given(
    INPUTS,
    st.sampled_from((frozenset[str](), frozenset(NAMES))),
    st.booleans(),
    st.sampled_from((Limits(), Limits(), SMALL)),
)
def test_both_ways_read_the_same(
    given: list[Any], accept: frozenset[str], envelopes: bool, limits: Limits
) -> None:
    """The items, and what is refused in its order: without the lane nothing is known to be in order either."""
    found = told(given, accept, envelopes=envelopes, limits=limits)

    def none(_lane: Lane, _messages: list[Any], position: int, **_: object) -> int:
        return position

    with patch.object(Lane, "read", none), patch.object(Lane, "in_order", False):
        assert told(given, accept, envelopes=envelopes, limits=limits) == found


FUNCTION = {"name": "f", "arguments": "{}"}
CALL = {"id": "1", "type": "function", "function": FUNCTION}
CALLING = {"role": "assistant", "content": "so", "tool_calls": [CALL]}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "1", "content": "done"}
ASK, SO = {"role": "user", "content": "go"}, {"role": "assistant", "content": "so"}


def read(*given: Any) -> tuple[list[Item], int, bool]:
    """What the lane reads, how many messages that are, and whether it is in order."""
    items: list[Item] = []
    lane = Lane(items, set(), set())
    reached = lane.read(list(given), 0, after_assistant=False)
    return items, reached, lane.in_order


def test_the_lane_reads_what_agents_say() -> None:
    """Else the law above would say nothing."""
    said = AssistantMessage((Text("so"),))
    call, result = ToolCall("1", "f", "{}"), ToolResult("1", (Text("done"),))
    items = [UserMessage((Text("go"),)), said, call, result, said]
    assert (items, 4, True) == read(ASK, CALLING, RESULT, SO)


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        pytest.param((ASK, CALLING), 2, id="no result"),
        pytest.param((ASK, CALLING, RESULT, CALLING, RESULT), 5, id="one id twice"),
        pytest.param(
            (ASK, {**CALLING, "tool_calls": [CALL, CALL]}, RESULT), 3, id="one id twice at once"
        ),
        pytest.param((CALLING, ASK, RESULT), 1, id="a person between"),
        pytest.param((CALLING, SO, RESULT), 1, id="the model goes on"),
    ],
)
def test_the_lane_knows_what_takes_more_than_a_look(given: tuple[Any, ...], reached: int) -> None:
    """One of each kind; the check of the turn decides."""
    assert (reached, False) == read(*given)[1:]


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        ((ASK, RESULT), 1),
        ((ASK, CALLING, RESULT, RESULT), 3),
        ((SO, SO), 1),
        (({**ASK, "name": "n"},), 0),
        (({**SO, "name": "n"},), 0),
        (({**CALLING, "name": "n"},), 0),
        ((CALLING, {**RESULT, "x": 1}), 1),
        ((CALLING, {**RESULT, "content": '{"error":"no","ok":false}'}), 1),
        (({**CALLING, "tool_calls": [{**CALL, "index": 0}]},), 0),
        (({**CALLING, "tool_calls": [{**CALL, "function": {**FUNCTION, "x": 1}}]},), 0),
    ],
)
def test_the_lane_leaves_what_is_not_plain(given: tuple[Any, ...], reached: int) -> None:
    """One of each kind."""
    assert reached == read(*given)[1]


def test_what_is_read_elsewhere_is_followed() -> None:
    """A call of the general way has its result in the lane; what a look does not tell is not said to be in order."""
    waiting, custom = {"1"}, set[str]()
    lane = Lane([], waiting, custom)
    lane.follow([ToolCall("1", "f", "{}")])
    assert 1 == lane.read([RESULT], 0, after_assistant=False)
    assert lane.in_order
    for odd in (
        [ToolCall("1", "f", "{}")],
        [CustomToolCall("2", "p", "x"), CustomToolCall("2", "p", "x")],
        [ToolResult("1", (Text("done"),))],
        [Instruction((Text("be kind"),))],
    ):
        lane = Lane([], set(), custom)
        lane.follow([ToolCall("1", "f", "{}")] if type(odd[0]) is ToolCall else [])
        lane.follow(odd)
        assert not lane.in_order
    lane = Lane([], waiting, custom)
    waiting.add("3")
    lane.leave()
    waiting.clear()
    assert not lane.in_order

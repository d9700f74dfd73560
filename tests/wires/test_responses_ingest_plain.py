"""The fast lane of a Responses body, which stands for the check of the items too."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import RequestRefused
from llm_projections.model.items import AssistantMessage, Item, Protocol, Text, UnattributedOpaque
from llm_projections.model.limits import Limits
from llm_projections.wires.responses import ingest_request
from llm_projections.wires.responses.ingest.plain import Lane

SMALL = Limits(arguments_bytes=40, result_bytes=40, instructions_bytes=40, items=8)

WORDS = st.sampled_from(
    (*("said", "a", "é") * 4, *("", "{", '{"ok":true,"output":"x"}', '{"ok":', "x" * 50, None, 5))
)
IDS = st.sampled_from(("1", "2", "3"))
PARTS = st.one_of(
    *[
        st.fixed_dictionaries({"type": st.just(word), "text": WORDS})
        for word in ("input_text", "output_text")
    ]
    * 4,
    st.fixed_dictionaries(
        {"type": st.just("output_text"), "text": WORDS, "annotations": st.just([])}
    ),
    st.fixed_dictionaries({"type": st.just("refusal"), "refusal": WORDS}),
    st.just({"type": "input_image", "image_url": "https://example.com/a.png"}),
    st.just({"text": "a", "x": 1}),
    st.just("text"),
)
CONTENTS = st.one_of(st.lists(PARTS, min_size=1, max_size=1), st.lists(PARTS, max_size=2), WORDS)
SUMMARIES = st.sampled_from(
    (
        [],
        None,
        [{"type": "summary_text", "text": "why"}],
        [{"type": "summary_text", "text": ""}],
        [{"type": "summary_text", "text": "why"}, {"type": "summary_text", "text": "so"}],
        [{"type": "summary_text"}],
        ["why"],
        "why",
    )
)
MORE = st.sampled_from(
    (*[{}] * 12, {"id": "i_1"}, {"id": None}, {"status": "completed"}, {"phase": "x"}, {"x": 1})
)


def nodes(kind: str, **keys: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Items of one type, each with what may stand beside its own keys."""
    own = st.fixed_dictionaries({"type": st.just(kind), **keys})
    return st.builds(lambda node, more: {**node, **more}, own, MORE)


ROLES = st.sampled_from((*("user", "assistant") * 4, "developer", "system", "tool"))
CALLS = nodes("function_call", call_id=IDS, name=st.just("f"), arguments=WORDS)
CUSTOM = nodes("custom_tool_call", call_id=IDS, name=st.just("p"), input=WORDS)
SAID = st.one_of(
    nodes("message", role=ROLES, content=CONTENTS),
    nodes("reasoning", encrypted_content=WORDS, summary=SUMMARIES),
)
ODD = st.one_of(
    CALLS,
    CUSTOM,
    nodes("function_call_output", call_id=IDS, output=WORDS),
    nodes("custom_tool_call_output", call_id=IDS, output=CONTENTS),
    st.fixed_dictionaries({"role": ROLES, "content": CONTENTS}),
    st.fixed_dictionaries({"type": st.just("function_call_output"), "output": WORDS}),
    st.just({"type": "web_search_call", "id": "ws_1", "status": "completed"}),
    st.just({"type": "function_call"}),
    st.just({"type": "wombat"}),
    st.just({"type": 5}),
    st.just("item"),
)
# Each call answered: what is random alone is hardly ever in order.
STEPS = st.builds(
    lambda call, said, kind, output: [
        call,
        *said,
        {"type": f"{kind}_output", "call_id": call["call_id"], "output": output},
    ],
    st.one_of(CALLS, CALLS, CUSTOM),
    st.lists(SAID, max_size=1),
    st.sampled_from(("function_call", "function_call", "function_call", "custom_tool_call")),
    WORDS,
)
INPUTS = st.lists(
    st.one_of(SAID.map(lambda node: [node]), ODD.map(lambda node: [node]), STEPS, STEPS, STEPS),
    max_size=5,
).map(lambda steps: [node for step in steps for node in step])


def told(given: list[Any], *, envelopes: bool, limits: Limits) -> object:
    """What is read, or what a client is told of every refusal."""
    body = orjson.dumps({"model": "m", "input": given})
    try:
        return ingest_request(body, envelopes=envelopes, limits=limits)
    except RequestRefused as error:
        faults = (error, *error.others)
        return [(each.code, each.message, each.path, each.loss) for each in faults]


@given(INPUTS, st.booleans(), st.sampled_from((Limits(), Limits(), SMALL)))
def test_both_ways_read_the_same(given: list[Any], envelopes: bool, limits: Limits) -> None:
    """The items, and what is refused in its order: without the lane nothing is known to be in order either."""
    found = told(given, envelopes=envelopes, limits=limits)
    with (
        patch.object(Lane, "read", lambda _self, _nodes, position: position),
        patch.object(Lane, "in_order", False),
    ):
        assert told(given, envelopes=envelopes, limits=limits) == found


CALL = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
RESULT = {"type": "function_call_output", "call_id": "1", "output": "done"}
ASK = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
SO = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]}
SEAL: dict[str, Any] = {
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "why"}],
    "encrypted_content": "s",
}


def read(*given: Any) -> tuple[list[Item], bool]:
    """What the lane reads, as far as it goes, and whether that is in order."""
    items: list[Item] = []
    lane = Lane(items)
    reached = lane.read(list(given), 0)
    assert len(items) == reached
    return items, lane.in_order


def test_the_lane_reads_what_agents_say() -> None:
    """Else the law above would say nothing."""
    items, in_order = read(ASK, SEAL, SO, CALL, RESULT)
    assert (5, True) == (len(items), in_order)
    assert UnattributedOpaque(Protocol.RESPONSES, SEAL, "why") == items[1]
    assert AssistantMessage((Text("so"),)) == items[2]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param((ASK, CALL), id="no result"),
        pytest.param((ASK, RESULT), id="no call"),
        pytest.param((ASK, CALL, RESULT, RESULT), id="answered twice"),
        pytest.param((ASK, CALL, RESULT, CALL, RESULT), id="one id twice"),
        pytest.param((CALL, ASK, SO, RESULT), id="the model goes on"),
        pytest.param((CALL, ASK, SEAL, RESULT), id="the model thinks on"),
        pytest.param((CALL, ASK, {**CALL, "call_id": "2"}, RESULT), id="the model calls on"),
    ],
)
def test_the_lane_knows_what_takes_more_than_a_look(given: tuple[Any, ...]) -> None:
    """One of each kind; the check of the turn decides."""
    items, in_order = read(*given)
    assert (len(given), False) == (len(items), in_order)


def test_what_is_read_elsewhere_is_followed() -> None:
    """A call in the lane may have its result in the general way, and the other way round."""
    custom = {"type": "custom_tool_call", "call_id": "2", "name": "p", "input": "x"}
    answer = {"type": "custom_tool_call_output", "call_id": "2", "output": "done"}
    named = {**RESULT, "id": "fo_1"}
    given = [CALL, custom, {**SO, "id": "m_1"}, answer, named, {**SEAL, "id": None}]
    turn = ingest_request(orjson.dumps({"model": "m", "input": given})).request
    lane = Lane([])
    for item in turn.items:
        lane.follow(item)
    assert lane.in_order
    lane.follow(turn.items[-2])
    assert not lane.in_order


@pytest.mark.parametrize("node", [CALL, RESULT, ASK, SO], ids=["call", "result", "user", "model"])
def test_a_field_beside_what_is_read_is_seen(node: dict[str, Any]) -> None:
    """In the item and in its part."""
    inner = [{**part, "x": 1} for part in node.get("content", ())]
    for wrong, path in (({**node, "x": 1}, ".x"), ({**node, "content": inner}, ".content[0].x")):
        if path == ".x" or inner:
            with pytest.raises(RequestRefused) as caught:
                ingest_request(orjson.dumps({"model": "m", "input": [wrong]}))
            assert f"input[0]{path}" == caught.value.path

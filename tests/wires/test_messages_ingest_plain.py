"""The fast lane of a Messages body: what it reads is what the general way reads, and what it took is in order."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_projections import _json
from llm_projections.errors import RequestRefused
from llm_projections.messages import ingest_request
from llm_projections.model.items import Protocol, ToolCall
from llm_projections.model.limits import Limits
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import turn_faults
from llm_projections.wires.messages.ingest.conversation import read_messages
from llm_projections.wires.messages.ingest.plain import Lane
from llm_projections.wires.messages.ingest.reader import MessagesReader

LIMITS = Limits(arguments_bytes=120, result_bytes=120)
MARK = {"cache_control": {"type": "ephemeral"}}


def mostly(plain: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What is odd once in ten times: bodies that are odd in every place say nothing of the lane."""
    return st.integers(0, 9).flatmap(lambda draw: plain if draw else odd)


@st.composite
def blocks(draw: st.DrawFn, /, **members: st.SearchStrategy[Any]) -> dict[str, Any]:
    """A block of these members, and now and then one more; a member that is drawn as `...` is left out."""
    block = {key: draw(member) for key, member in members.items()}
    more = draw(mostly(st.just({}), st.sampled_from((MARK, {"cache_control": None}, {"odd": 1}))))
    return {key: value for key, value in (block | more).items() if value is not ...}


IDS = st.sampled_from(("1", "2", "3"))
WORDS = mostly(st.sampled_from(("said", "é")), st.sampled_from(("", "x" * 31)))
TEXTS = blocks(type=st.just("text"), text=WORDS)
INPUTS = mostly(st.sampled_from(({}, {"a": 1}, {"a": [1.5, None, "é"]})), st.just({"a": "x" * 31}))
CALLS = blocks(type=st.just("tool_use"), id=IDS, name=st.just("f"), input=INPUTS)
SIGNED = mostly(st.just("s"), st.sampled_from(("", None)))
THOUGHTS = blocks(type=st.just("thinking"), thinking=WORDS, signature=SIGNED)
CONTENT = mostly(
    st.one_of(WORDS, TEXTS.map(lambda text: [text])),
    st.one_of(st.lists(TEXTS, max_size=2), st.sampled_from((..., None, 1, [1]))),
)
FAILED = mostly(st.sampled_from((..., True, False)), st.sampled_from((None, 0)))


def results(call_id: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """The result of a call, spelled in any way."""
    kind = st.just("tool_result")
    return blocks(type=kind, tool_use_id=call_id, content=CONTENT, is_error=FAILED)


ODD = st.sampled_from(
    (
        1,
        {},
        {"type": "tool_use"},
        {"type": "tool_use", "id": 1, "name": "f", "input": {}},
        {"type": "tool_use", "id": "1", "name": "f", "input": "in"},
        {"type": "text"},
        {"type": "text", "words": "w"},
        {"type": "redacted_thinking", "data": "d"},
        {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}},
        {"type": "unknown"},
    )
)


def messages_of(role: str, *blocks: Any) -> Any:
    """Messages of one role, spelled in any way."""
    content = st.one_of(st.lists(st.one_of(*blocks), max_size=3), WORDS, st.none())
    return st.builds(
        lambda content, more: {"role": role, "content": content, **more},
        content,
        st.sampled_from(({}, {}, {}, {"odd": 1})),
    )


MESSAGES = st.lists(
    st.one_of(
        messages_of("assistant", *[TEXTS, CALLS, THOUGHTS] * 3, ODD),
        messages_of("user", *[TEXTS, results(IDS)] * 3, ODD),
        messages_of("system", TEXTS),
        st.sampled_from((1, {"role": "user"}, {"role": 1, "content": "said"})),
    ),
    max_size=5,
)


@st.composite
def answered(draw: st.DrawFn) -> list[Any]:
    """A conversation in which each call of the model is answered in the next message."""
    told: list[Any] = [{"role": "user", "content": "go"}]
    for number in range(draw(st.integers(0, 3))):
        said = draw(st.lists(st.one_of(TEXTS, CALLS, THOUGHTS), min_size=1, max_size=3))
        heard: list[Any] = []
        for place, block in enumerate(said):
            if block["type"] == "tool_use":
                block["id"] = draw(mostly(st.just(f"{number}.{place}"), IDS))
                heard.append(draw(results(st.just(block["id"]))))
        heard += draw(st.lists(TEXTS, max_size=1))
        told.append({"role": "assistant", "content": said})
        told.append({"role": "user", "content": heard or "go on"})
    return told


CONVERSATIONS = st.one_of(MESSAGES, answered(), st.builds(list.__add__, answered(), MESSAGES))
SPELLINGS = st.sampled_from((None, orjson.OPT_INDENT_2))


def body_of(messages: list[Any], spelling: int | None = None) -> bytes:
    """A request of these messages, and no more."""
    return orjson.dumps({"model": "m", "max_tokens": 9, "messages": messages}, option=spelling)


def read(body: bytes) -> object:
    """Everything that a caller is told of a body: the turn and its losses, or every refusal."""
    try:
        found = ingest_request(body, limits=LIMITS)
    except RequestRefused as error:
        return [(each.code, each.path, each.message, each.loss) for each in (error, *error.others)]
    return found


def reader_of(body: bytes) -> MessagesReader:
    """A reader of this body."""
    return MessagesReader(Protocol.MESSAGES, (), LIMITS, _json.read(body))


def _nothing(_lane: Lane, _messages: list[Any], position: int) -> int:
    return position


@settings(max_examples=200)
@given(CONVERSATIONS, SPELLINGS)
def test_the_lane_reads_what_the_general_way_reads(
    messages: list[Any], spelling: int | None
) -> None:
    """Turns, losses and refusals, their order too."""
    body = body_of(messages, spelling)
    found = read(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lane, "read", _nothing)
        assert read(body) == found


@given(CONVERSATIONS)
def test_what_the_lane_says_is_in_order(messages: list[Any]) -> None:
    """The check of all items finds what the check of those after it finds."""
    body = body_of(messages)
    reader = reader_of(body)
    turn = TurnRequest("m", tuple(read_messages(reader, orjson.loads(body), [])))
    if not reader.refusals:
        later = turn_faults(turn, LIMITS, reader.in_order, reader.ids)
        assert list(map(str, turn_faults(turn, LIMITS))) == list(map(str, later))


CALL = {"type": "tool_use", "id": "1", "name": "f", "input": {"a": "é"}}
RESULT = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "r"}]}
SEAL = {"type": "thinking", "thinking": "why", "signature": "s"}
SAYS = {"type": "text", "text": "so"}
ASK = {"role": "user", "content": "go"}
TOLD = [
    ASK,
    {"role": "assistant", "content": [SEAL, SAYS, CALL]},
    {"role": "user", "content": [{**RESULT, "is_error": True}, SAYS]},
    {"role": "assistant", "content": "so"},
]


def laned(*messages: Any) -> tuple[int, Lane]:
    """Where the lane ends, and the lane."""
    lane = Lane(reader_of(b"{}"))
    reached = lane.read(list(messages), 0)
    lane.leave()
    return reached, lane


def test_the_lane_takes_what_agents_send() -> None:
    """Else the laws above would say nothing."""
    reached, lane = laned(*TOLD)
    assert (4, 7, 7, ["1"]) == (reached, len(lane.items), lane.in_order, [*lane.ids])


def test_a_message_that_is_not_plain_ends_what_is_known_to_be_in_order() -> None:
    """Where a call before it waits for its result, already before that call."""
    marked = {"role": "user", "content": [{**RESULT, **MARK}]}
    reached, lane = laned(ASK, TOLD[1], marked)
    assert (2, 1, []) == (reached, lane.in_order, [*lane.ids])
    half = {"role": "user", "content": [RESULT, {**SAYS, **MARK}]}
    reached, lane = laned(ASK, TOLD[1], half)
    assert (2, 1, []) == (reached, lane.in_order, [*lane.ids])
    reached, lane = laned(*TOLD, {"role": "user", "content": [{**SAYS, **MARK}]})
    assert (4, 7, ["1"]) == (reached, lane.in_order, [*lane.ids])


def another(given: Any = (), said: str = "r", call_id: str = "2") -> list[Any]:
    """One more call and its result."""
    call = {**CALL, "id": call_id, "input": dict(given)}
    result = {**RESULT, "tool_use_id": call_id, "content": said}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([{"role": "user", "content": [RESULT]}], id="answered twice"),
        pytest.param([ASK, *another(call_id="1")], id="one id twice"),
        pytest.param([ASK, *another()[:1]], id="no result"),
        pytest.param([ASK, *another()[:1], *another(call_id="3")], id="no result in time"),
        pytest.param([ASK, *another({"a": "x" * 31})], id="long arguments"),
        pytest.param([ASK, *another(said="x" * 31)], id="a long result"),
    ],
)
def test_what_is_out_of_order_is_read_and_left_to_the_check(later: list[Any]) -> None:
    """The lane reads it, and says nothing of it."""
    reached, lane = laned(*TOLD, *later)
    assert len(TOLD) + len(later) == reached
    assert lane.in_order < len(lane.items)


def test_arguments_are_told_to_be_what_orjson_wrote() -> None:
    """Who writes them again reads them no more; those with a number in another spelling are as they came."""
    for spelling, kind in ((None, _json.ObjectText), (orjson.OPT_INDENT_2, _json.ObjectText)):
        found = ingest_request(body_of(TOLD[:3], spelling)).request.items[3]
        assert isinstance(found, ToolCall)
        assert ('{"a":"é"}', kind) == (found.arguments, type(found.arguments))
    odd = body_of(TOLD[:3]).replace('{"a":"é"}'.encode(), b'{"a":1.0,"a":2}')
    found = ingest_request(odd).request.items[3]
    assert isinstance(found, ToolCall)
    assert ('{"a":1.0,"a":2}', str) == (found.arguments, type(found.arguments))

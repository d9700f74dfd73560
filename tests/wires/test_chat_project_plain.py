"""The fast lane of Chat messages, which stands for the check of the items too."""

from __future__ import annotations

from collections import Counter

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.model.items import (
    AssistantMessage,
    CacheMark,
    Extension,
    Image,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UrlSource,
    UserMessage,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import AGENT_CLIENTS, Loss
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import turn_faults
from llm_projections.wires._writing import Writer
from llm_projections.wires.chat import encode_request
from llm_projections.wires.chat.project.messages import Messages
from llm_projections.wires.chat.project.plain import Lane
from tests.wires.chat_projecting import WIDE
from tests.wires.told import told

LIMITS = Limits(arguments_bytes=40, result_bytes=40)
IDS = st.sampled_from(("1", "2", "3"))
WORDS = st.sampled_from(("", "said", "{", "11 letters.", "é" * 10, "x" * 50))
TEXTS = st.builds(Text, WORDS)
LOOSE = UnattributedOpaque(Protocol.MESSAGES, {"type": "thinking"}, "why")
FOREIGN = Opaque(evolve(WIDE.provenance, account="another"), {"reasoning_details": []})
SEALED = Extension(Protocol.CHAT, "messages.name", "n")

ITEMS: st.SearchStrategy[Item] = st.one_of(
    st.builds(lambda part: UserMessage((part,)), TEXTS),
    st.builds(lambda part: AssistantMessage((part,)), TEXTS),
    st.builds(ToolCall, IDS, st.just("f"), WORDS),
    st.builds(lambda call_id, part: ToolResult(call_id, (part,)), IDS, TEXTS),
    st.builds(lambda call_id: ToolResult(call_id, (Text("said"),), custom=True), IDS),
    st.just(Reasoning("why")),
    st.sampled_from((LOOSE, FOREIGN, evolve(FOREIGN, extensions=(SEALED,)))),
    st.just(UserMessage((Image(UrlSource("https://example.com/a.png")),))),
)
# Each call answered: what is random alone is hardly ever in order.
STEPS: st.SearchStrategy[list[Item]] = st.builds(
    lambda ids, sealed: [
        *sealed,
        *(ToolCall(call_id, "f", "{}") for call_id in ids),
        *(ToolResult(call_id, (Text("said"),)) for call_id in ids),
    ],
    st.lists(IDS, max_size=2, unique=True),
    st.lists(st.sampled_from((LOOSE, FOREIGN)), max_size=1),
)


def begun(items: tuple[Item, ...], accept: frozenset[str] = frozenset()) -> tuple[int, set[str]]:
    """How many items the lane takes that are in order, and the ids of their calls."""
    count, calls = Messages(Writer(WIDE, accept, LIMITS)).begin(items)
    return count, set(calls)


TURNS = st.lists(st.one_of(ITEMS.map(lambda item: [item]), STEPS, STEPS), max_size=6).map(
    lambda steps: TurnRequest(WIDE.model, tuple(item for step in steps for item in step))
)
ACCEPTED = st.sampled_from((frozenset[str](), AGENT_CLIENTS))


@given(TURNS, ACCEPTED)
def test_what_the_lane_began_with_is_in_order(turn: TurnRequest, accept: frozenset[str]) -> None:
    """The check of all items finds what the check of those after the lane finds."""
    count, calls = begun(turn.items, accept)
    later = turn_faults(turn, LIMITS, count, calls)
    assert [str(fault) for fault in turn_faults(turn, LIMITS)] == [str(fault) for fault in later]


@given(TURNS, ACCEPTED)
def test_the_lane_writes_what_the_general_way_writes(
    turn: TurnRequest, accept: frozenset[str]
) -> None:
    """Bytes, bodies, losses and refusals, their order too."""
    found = told(turn, WIDE, accept, LIMITS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lane, "write", lambda _, _items, position: position)
        assert told(turn, WIDE, accept, LIMITS) == found


def test_the_lane_takes_what_agents_say() -> None:
    """Else the law above would say nothing."""
    calls = [ToolCall("1", "f", "{}"), ToolCall("2", "f", "")]
    results = [ToolResult(call_id, (Text("done"),)) for call_id in ("2", "1")]
    items = (UserMessage((Text("go"),)), AssistantMessage((Text("so"),)), *calls, *results)
    assert (6, {"1", "2"}) == begun(items)


def test_the_sealed_state_of_others_is_left_out_on_the_way() -> None:
    """Where its loss was accepted, and something else of the same turn stays."""
    ask, said = UserMessage((Text("go"),)), AssistantMessage((Text("so"),))
    turn = TurnRequest(WIDE.model, (ask, LOOSE, FOREIGN, said, ask, LOOSE, ask))
    messages = Messages(writer := Writer(WIDE, AGENT_CLIENTS, LIMITS))
    assert (5, set()) == messages.begin(turn.items)
    assert ["user", "assistant", "user", "assistant", "user"] == [
        message["role"] for message in messages.write(turn)
    ]
    assert ["items[1]", "items[2]", "items[5]"] == [loss.path for loss in writer.losses]
    assert (1, set()) == begun(turn.items)


def test_what_was_left_out_of_a_turn_that_is_not_plain_is_not_told_twice() -> None:
    """The general way tells it of the whole turn."""
    ask, said = UserMessage((Text("go"),)), AssistantMessage((Text("so"),))
    turn = TurnRequest(WIDE.model, (ask, LOOSE, said, LOOSE, said, ask))
    losses: list[Loss] = []
    encode_request(turn, WIDE, accept=AGENT_CLIENTS, losses=losses)
    assert ["items[1]", "items[3]", "items[4]"] == [loss.path for loss in losses]


def test_a_lane_that_was_left_among_results_says_nothing_of_the_last_calls() -> None:
    """Those who check the rest have to know which calls wait."""
    first, second = ToolCall("1", "f", "{}"), ToolCall("2", "f", "{}")
    third = ToolCall("3", "f", "{}")
    done = tuple(ToolResult(call_id, (Text("done"),)) for call_id in ("1", "2"))
    marked = ToolResult("3", (Text("done"),), cache=CacheMark())
    assert (2, {"1"}) == begun((first, done[0], second, third, done[1], marked))
    assert (3, {"1"}) == begun((first, done[0], AssistantMessage((Text("so"),)), second, marked))


def test_the_lane_leaves_what_is_out_of_order() -> None:
    """One fault of each kind, in the place where it is found last."""
    call, result = ToolCall("1", "f", "{}"), ToolResult("1", (Text("done"),))
    ask = UserMessage((Text("go"),))
    wrong: dict[str, tuple[Item, ...]] = {
        "no result": (ask, call),
        "no call": (ask, result),
        "answered twice": (ask, call, result, result),
        "one id twice": (ask, call, result, call, result),
        "one id twice at once": (ask, call, call, result),
        "the other kind": (ask, call, ToolResult("1", (Text("done"),), custom=True)),
        "a person between": (ask, call, ask, result),
        "the model goes on": (ask, call, AssistantMessage((Text("so"),)), result),
        "long arguments": (ask, ToolCall("1", "f", "x" * 41), result),
        "a long result": (ask, call, ToolResult("1", (Text("x" * 41),))),
    }
    assert Counter() == Counter(
        name for name, items in wrong.items() if begun(items)[0] == len(items)
    )

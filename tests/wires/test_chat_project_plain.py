"""The fast lane of Chat messages, which stands for the check of the items too."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from llm_projections.model.items import (
    AssistantMessage,
    Image,
    Item,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    UrlSource,
    UserMessage,
)
from llm_projections.model.limits import Limits
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import turn_faults
from llm_projections.wires._writing import Writer
from llm_projections.wires.chat.project.messages import Messages
from tests.wires.chat_projecting import WIDE

LIMITS = Limits(arguments_bytes=40, result_bytes=40)
IDS = st.sampled_from(("1", "2", "3"))
WORDS = st.sampled_from(("", "said", "{", "11 letters.", "é" * 10, "x" * 50))
TEXTS = st.builds(Text, WORDS)

ITEMS: st.SearchStrategy[Item] = st.one_of(
    st.builds(lambda part: UserMessage((part,)), TEXTS),
    st.builds(lambda part: AssistantMessage((part,)), TEXTS),
    st.builds(ToolCall, IDS, st.just("f"), WORDS),
    st.builds(lambda call_id, part: ToolResult(call_id, (part,)), IDS, TEXTS),
    st.builds(lambda call_id: ToolResult(call_id, (Text("said"),), custom=True), IDS),
    st.just(Reasoning("why")),
    st.just(UserMessage((Image(UrlSource("https://example.com/a.png")),))),
)
# Each call answered: what is random alone is hardly ever in order.
STEPS: st.SearchStrategy[list[Item]] = st.builds(
    lambda ids: [
        *(ToolCall(call_id, "f", "{}") for call_id in ids),
        *(ToolResult(call_id, (Text("said"),)) for call_id in ids),
    ],
    st.lists(IDS, max_size=2, unique=True),
)


def begun(items: tuple[Item, ...]) -> bool:
    """Whether the lane takes all of them."""
    return Messages(Writer(WIDE, (), LIMITS)).begin(items)


@given(st.lists(st.one_of(ITEMS.map(lambda item: [item]), STEPS), max_size=5))
def test_what_the_lane_takes_to_its_end_is_in_order(steps: list[list[Item]]) -> None:
    """Whatever the check of the items refuses, the lane leaves to it."""
    items = tuple(item for step in steps for item in step)
    if begun(items):
        assert [] == list(turn_faults(TurnRequest("m", items), LIMITS))


def test_the_lane_takes_what_agents_say() -> None:
    """Else the law above would say nothing."""
    calls = [ToolCall("1", "f", "{}"), ToolCall("2", "f", "")]
    results = [ToolResult(call_id, (Text("done"),)) for call_id in ("2", "1")]
    assert begun((UserMessage((Text("go"),)), AssistantMessage((Text("so"),)), *calls, *results))


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
    assert Counter() == Counter(name for name, items in wrong.items() if begun(items))

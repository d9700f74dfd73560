"""The fast lane of Messages: what it writes is what the general way writes, and what it took is in order."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RequestRefused
from llm_projections.messages import encode_request, project_request
from llm_projections.model.items import (
    AssistantMessage,
    CacheMark,
    CustomToolCall,
    Extension,
    Image,
    Instruction,
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
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import AGENT_CLIENTS
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import turn_faults
from llm_projections.wires.messages.project.plain import Lane
from llm_projections.wires.messages.project.writer import MessagesWriter
from tests.cases.messages import BINDING
from tests.wires.told import told

LIMITS = Limits(arguments_bytes=120, result_bytes=120)
HOME = BINDING.provenance
THOUGHT: dict[str, Json] = {"type": "thinking", "thinking": "why", "signature": "s"}
MARK = CacheMark()
OWN = Extension(Protocol.MESSAGES, "messages.content.citations", {"a": 1})
PICTURE = Image(UrlSource("https://example.com/a.png"))


def mostly(plain: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What is odd once in ten times: turns that are odd in every place say nothing of the lane."""
    return st.integers(0, 9).flatmap(lambda draw: plain if draw else odd)


IDS = st.sampled_from(("toolu_0", "toolu_1", "call.4", ""))
WORDS = mostly(st.sampled_from(("said", "é")), st.sampled_from(("", "x" * 31, "\ud800")))
ARGUMENTS = mostly(
    st.sampled_from(
        ('{"a":1}', '{"b":"é"}', _json.object_text({"c": [1, None]}), _json.object_text({}))
    ),
    st.sampled_from(('{"a": 1.0}', '{"a":1,"a":2}', "", "[]", "no", f'{{"a":"{"x" * 31}"}}')),
)
TEXTS = mostly(
    st.builds(Text, WORDS),
    st.one_of(
        st.builds(lambda words: Text(words, cache=MARK), WORDS),
        st.builds(lambda words: Text(words, annotations=(OWN,)), WORDS),
        st.builds(lambda words: Text(words, extensions=(OWN,)), WORDS),
    ),
)
CONTENT = mostly(
    TEXTS.map(lambda text: (text,)), st.lists(TEXTS, min_size=2, max_size=2).map(tuple)
)
SEALS = mostly(
    st.sampled_from((THOUGHT, {"type": "redacted_thinking", "data": "d"})),
    st.sampled_from(({**THOUGHT, "odd": float("nan")}, {"type": "text", "text": "sealed"})),
)
ODD: st.SearchStrategy[Item] = st.sampled_from(
    (
        AssistantMessage(()),
        UserMessage(()),
        UserMessage((PICTURE,)),
        UserMessage((Text("said"),), (Extension(Protocol.CHAT, "messages.name", "n"),)),
        Instruction((Text("rule"),)),
        Reasoning("why"),
        CustomToolCall("toolu_9", "f", "in"),
        UnattributedOpaque(Protocol.MESSAGES, THOUGHT, None, (OWN,)),
        WireItem(Protocol.MESSAGES, {"type": "server_tool_use", "id": "srv", "name": "f"}),
        ToolCall("toolu_1", "f", "{}", cache=MARK),
        ToolResult("toolu_1", (Text("said"),), cache=MARK),
        ToolResult("toolu_1", (Text("said"),), custom=True),
        ToolResult("toolu_1", ()),
        ToolResult("toolu_1", (Text("a"), Text("b"))),
        ToolResult("toolu_1", (PICTURE,)),
        Opaque(HOME, THOUGHT, None, (OWN,)),
    )
)
FOREIGN: st.SearchStrategy[Item] = st.sampled_from(
    (
        Opaque(evolve(HOME, account="another"), THOUGHT),
        Opaque(evolve(HOME, account="another"), THOUGHT, "why", (OWN,)),
        UnattributedOpaque(Protocol.MESSAGES, THOUGHT, "why"),
        UnattributedOpaque(Protocol.RESPONSES, {"type": "reasoning"}),
    )
)
FAILED = st.sampled_from((None, True, False))


@st.composite
def turns(draw: st.DrawFn) -> TurnRequest:
    """What a model said, an answer to each of its calls, and a word of the user, some times over."""
    items: list[Item] = [UserMessage((Text("go"),))]
    numbers = count()
    for _ in range(draw(st.integers(0, 3))):
        said: list[Item] = []
        for kind in draw(
            st.lists(
                st.sampled_from((AssistantMessage, Opaque, UnattributedOpaque, ToolCall)),
                max_size=3,
            )
        ):
            if kind is AssistantMessage:
                said.append(AssistantMessage(draw(CONTENT)))
            elif kind is UnattributedOpaque:
                said.append(draw(FOREIGN))
            elif kind is Opaque:
                said.append(Opaque(HOME, dict(draw(SEALS))))
            else:
                call_id = draw(mostly(st.just(f"toolu_{next(numbers)}"), IDS))
                said.append(ToolCall(call_id, "f", draw(ARGUMENTS)))
        calls = draw(st.permutations([item for item in said if type(item) is ToolCall]))
        items += said
        items += [ToolResult(call.call_id, draw(CONTENT), draw(FAILED)) for call in calls]
        items += [UserMessage(draw(CONTENT)) for _ in range(draw(st.integers(0, 2)))]
    for odd in draw(mostly(st.just([]), st.lists(ODD, max_size=2))):
        items.insert(draw(st.integers(0, len(items))), odd)
    return TurnRequest(BINDING.model, tuple(items))


def lane(*items: Item, splice: bool = True) -> Lane:
    """A lane that has begun with these items."""
    begun = Lane(MessagesWriter(BINDING, (), LIMITS, splice=splice), items)
    begun.begin()
    return begun


@settings(max_examples=200)
@given(turns(), st.sampled_from((frozenset(), AGENT_CLIENTS)), st.sampled_from(("auto", "given")))
def test_the_lane_writes_what_the_general_way_writes(
    turn: TurnRequest, accept: frozenset[str], marks: Any
) -> None:
    """Bytes, bodies, losses and refusals, their order too."""
    turn = TurnRequest(turn.model, turn.items, cache_marks=marks)
    found = told(turn, BINDING, accept, LIMITS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lane, "write", lambda _, position: position)
        assert told(turn, BINDING, accept, LIMITS) == found


@given(turns())
def test_what_the_lane_began_with_is_in_order(turn: TurnRequest) -> None:
    """The check of all items finds what the check of those after the lane finds."""
    begun = lane(*turn.items)
    later = turn_faults(turn, LIMITS, begun.reached, set(begun.ids))
    assert [str(fault) for fault in turn_faults(turn, LIMITS)] == [str(fault) for fault in later]


ASK = UserMessage((Text("go"),))
SAYS = AssistantMessage((Text("so"),))
CALL, RESULT = ToolCall("toolu_1", "f", "{}"), ToolResult("toolu_1", (Text("done"),))
NEXT = (ToolCall("toolu_2", "f", '{"a":1}'), ToolResult("toolu_2", (Text("done"),), True))


def test_the_lane_takes_what_agents_say() -> None:
    """Else the laws above would say nothing."""
    seal = Opaque(HOME, THOUGHT)
    items = (ASK, seal, SAYS, CALL, NEXT[0], NEXT[1], RESULT, ASK, ASK, seal, SAYS)
    begun = lane(*items)
    assert (11, ["toolu_1", "toolu_2"], 5) == (begun.reached, begun.ids, len(begun.out))


def test_state_of_an_equal_provenance_is_of_this_binding() -> None:
    """A conversation that was persisted has its own."""
    read_again = evolve(HOME)
    assert read_again is not HOME
    assert 2 == lane(ASK, Opaque(read_again, THOUGHT)).reached


def test_the_sealed_state_of_others_is_left_out_on_the_way() -> None:
    """Where its loss was accepted; a turn that is nothing else becomes no message."""
    foreign = Opaque(evolve(HOME, account="another"), THOUGHT)
    loose = UnattributedOpaque(Protocol.RESPONSES, {"type": "reasoning"})
    items = (ASK, loose, foreign, CALL, RESULT, loose, ASK)
    begun = Lane(MessagesWriter(BINDING, AGENT_CLIENTS, LIMITS), items)
    assert 7 == begun.begin()
    assert ["items[1]", "items[2]", "items[5]"] == [loss.path for loss in begun.lost]
    assert ["user", "assistant", "user", "user"] == [message["role"] for message in begun.out]
    assert 1 == lane(*items).reached


def test_what_was_left_out_of_a_turn_that_is_not_plain_is_not_told_twice() -> None:
    """The general way tells it of the whole turn."""
    loose = UnattributedOpaque(Protocol.RESPONSES, {"type": "reasoning"})
    begun = Lane(MessagesWriter(BINDING, AGENT_CLIENTS, LIMITS), (ASK, loose, SAYS, Reasoning("y")))
    assert (1, []) == (begun.begin(), begun.lost)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param((CALL,), id="no result"),
        pytest.param((SAYS, RESULT), id="no call"),
        pytest.param((CALL, RESULT, RESULT), id="answered twice"),
        pytest.param((CALL, ToolResult("toolu_1", (Text("r"),), custom=True)), id="other kind"),
        pytest.param((CALL, ASK, RESULT), id="a person between"),
        pytest.param((CALL, SAYS, Reasoning("why"), RESULT), id="the run goes on elsewhere"),
        pytest.param((CALL, RESULT, Instruction((Text("r"),))), id="the user's run goes on"),
        pytest.param((ToolCall("toolu_1", "f", "x" * 31), RESULT), id="long arguments"),
        pytest.param((CALL, ToolResult("toolu_1", (Text("x" * 31),))), id="a long result"),
        pytest.param((Opaque(BINDING.provenance, THOUGHT, None, (OWN,)),), id="more than a seal"),
        pytest.param((SAYS, UserMessage((Text("go", cache=MARK),))), id="a mark"),
    ],
)
def test_the_lane_ends_before_a_turn_that_is_not_plain(items: tuple[Item, ...]) -> None:
    """What stood before it stays, and its own calls are forgotten."""
    begun = lane(ASK, *NEXT, *items)
    assert (3, ["toolu_2"], 3) == (begun.reached, begun.ids, len(begun.out))
    assert ['{"a":1}'] == begun.unread


def test_a_call_that_has_the_id_of_another_is_not_for_the_lane() -> None:
    """One result answers both of them to who asks the ids alone."""
    assert 0 == lane(CALL, CALL, RESULT).reached


@pytest.mark.parametrize("call_id", ["toolu.1", "", "toolu_2"])
def test_ids_that_need_a_look_are_not_for_the_lane(call_id: str) -> None:
    """Those of another alphabet get other names; one that came before is a fault."""
    again = ToolCall(call_id, "f", "{}"), ToolResult(call_id, (Text("done"),))
    begun = lane(ASK, *NEXT, *again)
    assert (0, [], [], []) == (begun.reached, begun.ids, begun.out, begun.unread)


def test_the_lane_goes_on_after_what_is_not_plain() -> None:
    """A picture at the beginning makes nothing slow that comes after it."""
    turn = TurnRequest(BINDING.model, (UserMessage((PICTURE,)), CALL, RESULT, *NEXT))
    reached: list[int] = []
    write = Lane.write

    def noted(self: Lane, position: int) -> int:
        reached.append(write(self, position))
        return reached[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lane, "write", noted)
        project_request(turn, BINDING)
    assert [0, 5] == reached


def test_arguments_that_orjson_wrote_are_not_read_again() -> None:
    """They are put into the body as they are, and only there: a body to look at has the value."""
    call = ToolCall("toolu_1", "f", _json.object_text({"a": "é"}))
    assert [] == lane(call, RESULT).unread
    assert [call.arguments] == lane(call, RESULT, splice=False).unread
    turn = TurnRequest(BINDING.model, (ASK, call, RESULT))
    assert {"a": "é"} == project_request(turn, BINDING).body["messages"][1]["content"][0]["input"]
    assert '"input":{"a":"é"}'.encode() in encode_request(turn, BINDING)


def test_a_number_in_a_seal_that_json_does_not_have_is_refused() -> None:
    """It would be written as null."""
    seal = Opaque(HOME, {**THOUGHT, "odd": float("inf")})
    with pytest.raises(RequestRefused) as caught:
        encode_request(TurnRequest(BINDING.model, (ASK, seal, ASK)), BINDING)
    assert "messages[1].content[0].odd" == caught.value.path

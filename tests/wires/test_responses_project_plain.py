"""Responses items that are written as the bytes are: the same bytes, losses and refusals as the general way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Set
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model import validation
from llm_projections.model.binding import Binding
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
    RefusalText,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UrlSource,
    UserMessage,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import AGENT_CLIENTS, NAMES, Loss
from llm_projections.model.tools import FunctionTool
from llm_projections.model.turn import Sampling, TurnRequest
from llm_projections.wires.responses import encode_request, project, project_request
from llm_projections.wires.responses.project.items import WRITERS
from llm_projections.wires.responses.project.plain import LeftOut, lane, without_foreign
from llm_projections.wires.responses.project.writer import ResponsesWriter
from tests.everything import binding_of

R = Protocol.RESPONSES
WIDE = binding_of(R)
BARE = binding_of(R, request_fields=frozenset())
NARROW = evolve(
    BARE,
    capabilities=evolve(
        BARE.capabilities,
        instructions_in_place=False,
        cache_marks=False,
        images=False,
        temperature=False,
        extensions=frozenset[str](),
    ),
)
FOREIGN = evolve(WIDE.provenance, account="another")
SMALL = Limits(arguments_bytes=40, result_bytes=40, instructions_bytes=40, items=12)
NAN = float("nan")
# where the writer of the bytes finds what is no JSON; refusals of a turn name it by its items
_BODY = ("input[", "tools[0].parameters")

IDS = st.sampled_from(("1", "2", "3"))
WORDS = st.sampled_from(
    (
        *("said", "a", "b") * 5,
        *("", "{", '{"ok":true,"output":"x"}', '{"ok":', "é" * 10, "x" * 50, "null", "\ud800"),
    )
)
CARRIED = st.sampled_from(
    (
        *[()] * 8,
        *[(Extension(R, "input.id", "i_1"),)] * 4,
        (Extension(R, "input.id", ""),),
        (Extension(R, "input.id", NAN),),
        (Extension(R, "input.phase", "final_answer"),),
        (Extension(R, "input.id", "i_2"), Extension(R, "input.phase", "commentary")),
        (Extension(Protocol.CHAT, "messages.name", "n"),),
    )
)
MARKS = st.sampled_from((*[None] * 6, CacheMark()))
TEXTS = st.one_of(
    st.builds(Text, WORDS),
    st.builds(Text, WORDS),
    st.builds(Text, WORDS, st.just(()), MARKS),
    st.builds(Text, WORDS, st.just((Extension(R, "input.content.annotations", {"x": 1}),))),
)
ONE = TEXTS.map(lambda text: (text,))
PAYLOADS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    (
        {"type": "reasoning", "summary": [], "encrypted_content": "s"},
        {"type": "reasoning", "encrypted_content": "s", "content": None},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "null"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "s", "x": {"y": [NAN]}},
        {"type": "reasoning", "summary": [{"type": "summary_text", "x": NAN}]},
        {"type": "reasoning", "summary": [NAN]},
        {"type": "reasoning", "summary": {"x": (1, None)}, "y": 2**70},
        {"type": "compaction", "encrypted_content": "s"},
    )
)
FAILED = st.sampled_from((None, None, True, False))
SAYINGS: st.SearchStrategy[Item] = st.one_of(
    st.builds(UserMessage, ONE, CARRIED),
    st.builds(AssistantMessage, ONE, CARRIED),
    st.builds(
        Opaque, st.sampled_from((*[WIDE.provenance] * 4, FOREIGN)), PAYLOADS, st.none(), CARRIED
    ),
    st.builds(UnattributedOpaque, st.sampled_from(Protocol), PAYLOADS, st.none(), CARRIED),
)
CALLS: st.SearchStrategy[Item] = st.one_of(
    st.builds(ToolCall, IDS, st.just("f"), WORDS, MARKS, CARRIED),
    st.builds(CustomToolCall, IDS, st.just("f"), WORDS, MARKS, CARRIED),
    st.builds(ToolResult, IDS, ONE, FAILED, st.booleans(), MARKS, CARRIED),
)
PICTURE = Image(UrlSource("https://example.com/a.png"))
ODD: tuple[Item, ...] = (
    Reasoning("why"),
    Reasoning("why", extensions=(Extension(R, "input.id", "rs_1"),)),
    UnattributedOpaque(R, {"type": "reasoning", "encrypted_content": "s"}),
    Instruction((Text("be kind " * 3),)),
    UserMessage((PICTURE,)),
    UserMessage(()),
    AssistantMessage((Text("a"), RefusalText("no"))),
    ToolResult("1", (PICTURE,)),
    ToolResult("1", (Text("a"), PICTURE)),
    ToolResult("1", ()),
    WireItem(R, {"type": "web_search_call", "id": "ws_1"}),
    WireItem(R, {"type": "item_reference", "id": "x"}),
    WireItem(R, {"type": "web_search_call"}, extensions=(Extension(R, "answer.kept_event", True),)),
    WireItem(R, {"type": "message"}, extensions=(Extension(R, "input.place", 0),)),
)
# Each call answered: what is random alone is hardly ever in order.
STEPS: st.SearchStrategy[list[Item]] = st.builds(
    lambda call, result, said: [call, *said, evolve(result, call_id=call.call_id)],
    st.builds(ToolCall, st.integers(4, 99).map(str), st.just("f"), WORDS, MARKS, CARRIED),
    st.builds(ToolResult, IDS, ONE, FAILED, st.just(False), MARKS, CARRIED),
    st.lists(SAYINGS, max_size=1),
)
ALONE = st.one_of(SAYINGS, SAYINGS, st.sampled_from(ODD), CALLS).map(lambda item: [item])
CONVERSATIONS = st.lists(st.one_of(ALONE, STEPS, STEPS), max_size=6).map(
    lambda steps: tuple(item for step in steps for item in step)
)
TURNS = st.builds(
    TurnRequest,
    st.just(WIDE.model),
    CONVERSATIONS,
    instructions=st.lists(st.builds(Instruction, ONE), max_size=1).map(tuple),
    tools=st.sampled_from(
        (
            (),
            (),
            (FunctionTool("f", input_schema={"type": "object"}),),
            (FunctionTool("f", input_schema={"type": "object"}),),
            (FunctionTool("f", input_schema={"minimum": NAN}),),
            (FunctionTool("f", cache=CacheMark()),),
        )
    ),
    sampling=st.sampled_from(
        (*[Sampling(), Sampling(temperature=0.5)] * 4, Sampling(temperature=9))
    ),
    verbosity=st.sampled_from((None, "low")),
)


def apart(
    turn: TurnRequest, binding: Binding, accept: Collection[str], limits: Limits
) -> tuple[bytes, tuple[Loss, ...]]:
    """The body made whole and then written, and the losses."""
    projection = project_request(turn, binding, accept=accept, limits=limits)
    return _json.dumps(projection.body), projection.losses


def encoded(
    turn: TurnRequest, binding: Binding, accept: Collection[str], limits: Limits
) -> tuple[bytes, tuple[Loss, ...]]:
    """What a client sends, and the losses."""
    losses: list[Loss] = []
    data = encode_request(turn, binding, accept=accept, limits=limits, losses=losses)
    return data, tuple(losses)


def told(write: Callable[[], tuple[bytes, tuple[Loss, ...]]]) -> object:
    """What is written, or what a caller is told of every refusal."""
    try:
        return write()
    except _json.JsonError as error:
        return [(error.reason, error.path)]
    except RequestRefused as error:
        faults = (error, *error.others)
        if error.code is RefusalCode.INVALID_REQUEST and error.path.startswith(_BODY):
            return [(error.message, error.path)]
        return [(each.code, each.message, each.path, each.loss) for each in faults]


@given(
    TURNS,
    st.sampled_from((WIDE, NARROW)),
    st.sampled_from((frozenset[str](), AGENT_CLIENTS, frozenset(NAMES))),
    st.sampled_from((Limits(), Limits(), SMALL)),
)
def test_both_ways_say_the_same(
    turn: TurnRequest, binding: Binding, accept: frozenset[str], limits: Limits
) -> None:
    """The bytes, the losses in their order, and the refusals in theirs."""
    assert told(lambda: apart(turn, binding, accept, limits)) == told(
        lambda: encoded(turn, binding, accept, limits)
    )


def at_once(*items: Item, binding: Binding = WIDE) -> list[Any]:
    """What the lane makes of items in their order."""
    write, is_whole, in_order = lane(
        ResponsesWriter(binding, (), Limits()), items, range(len(items))
    )
    written = [write(item) for item in items]
    assert is_whole()
    assert in_order()
    return written


def test_the_lane_writes_what_agents_say() -> None:
    """Else the law above would say nothing: a general writer in its place would pass."""
    seal: dict[str, Json] = {"type": "reasoning", "summary": [], "encrypted_content": "s"}
    named = (Extension(R, "input.id", "fc_1"),)
    assert [
        {"type": "message", "role": "user", "content": "go"},
        seal,
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "so"}],
        },
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}", "id": "fc_1"},
        {"type": "custom_tool_call", "call_id": "2", "name": "p", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "2", "output": "done"},
        {"type": "function_call_output", "call_id": "1", "output": "done"},
    ] == at_once(
        UserMessage((Text("go"),)),
        Opaque(WIDE.provenance, seal),
        AssistantMessage((Text("so"),)),
        ToolCall("1", "f", "{}", None, named),
        CustomToolCall("2", "p", "x"),
        ToolResult("2", (Text("done"),), custom=True),
        ToolResult("1", (Text("done"),)),
    )


CALL, RESULT = ToolCall("1", "f", "{}"), ToolResult("1", (Text("done"),))
ASK, SAID = UserMessage((Text("go"),)), AssistantMessage((Text("so"),))


@pytest.mark.parametrize(
    "items",
    [
        pytest.param((ASK, CALL), id="no result"),
        pytest.param((ASK, RESULT), id="no call"),
        pytest.param((ASK, CALL, RESULT, RESULT), id="answered twice"),
        pytest.param((ASK, CALL, RESULT, CALL, RESULT), id="one id twice"),
        pytest.param((CALL, evolve(RESULT, custom=True)), id="the other kind"),
        pytest.param((CALL, ASK, SAID, RESULT), id="the model goes on"),
        pytest.param((CALL, ASK, ToolCall("2", "f", "{}"), RESULT), id="the model calls on"),
        pytest.param((CALL, ToolResult("1", (Text("a"), Text("b")))), id="two texts"),
        pytest.param((ASK, Instruction((Text("be kind"),))), id="a later instruction"),
    ],
)
def test_the_lane_knows_what_takes_more_than_a_look(items: tuple[Item, ...]) -> None:
    """One of each kind, faults and what may be too long; the check of the items decides."""
    write, _, in_order = lane(ResponsesWriter(WIDE, (), Limits()), items, range(len(items)))
    for item in items:
        write(item)
    assert not in_order()


@pytest.mark.parametrize(
    ("item", "binding"),
    [
        (Reasoning("why"), NARROW),
        (Opaque(FOREIGN, {"type": "reasoning"}), WIDE),
        (Instruction((Text("be kind"),)), NARROW),
    ],
)
def test_the_lane_gives_up_where_nothing_stands(item: Any, binding: Binding) -> None:
    """What is left out, or stands elsewhere, has no value here."""
    write, _, _ = lane(ResponsesWriter(binding, (), Limits()), (item,), (0,))
    with pytest.raises(LeftOut):
        write(item)


def test_a_program_that_is_stopped_stops() -> None:
    """What interrupts a program while items are written is no fault of a value."""

    def interrupted(_: object) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _json.written([object()], interrupted)
    assert _json.written([object()], _json.splice) is None


MARKED = Text("said", (), CacheMark())
CITED = Text("said", (Extension(R, "input.content.annotations", {"type": "file_citation"}),))


@pytest.mark.parametrize(
    "item",
    [
        evolve(RESULT, failed=True),
        evolve(RESULT, failed=False),
        evolve(RESULT, cache=CacheMark()),
        evolve(RESULT, extensions=(Extension(R, "input.phase", "x"),)),
        ToolResult("1", (Text(""),)),
        ToolResult("1", (MARKED,)),
        ToolResult("1", (Text('{"ok":true,"output":"x"}'),)),
        UserMessage((Text(""),)),
        UserMessage((MARKED,)),
        UserMessage((PICTURE,)),
        AssistantMessage((Text(""),)),
        AssistantMessage((CITED,)),
        AssistantMessage((RefusalText("no"),)),
        Opaque(WIDE.provenance, {"type": "reasoning", "summary": None, "encrypted_content": "s"}),
        Opaque(evolve(WIDE.provenance), {"type": "reasoning", "summary": []}),
    ],
)
def test_what_is_not_plain_goes_the_general_way(item: Item) -> None:
    """One of each kind: an almost plain item is written as everywhere."""
    lanes, general = (ResponsesWriter(WIDE, NAMES, Limits()) for _ in range(2))
    items = (CALL, item) if type(item) is ToolResult else (item,)
    write, _, _ = lane(lanes, items, range(len(items)))
    expected = [WRITERS[type(each)](general, each, ("items", at)) for at, each in enumerate(items)]
    assert expected == [write(each) for each in items]
    assert general.losses == lanes.losses


def test_the_sealed_state_of_others_is_taken_out_before_and_its_place_is_told() -> None:
    """What stands after it keeps its place in the turn, so that each loss is where the turn has it."""
    sealed = UnattributedOpaque(R, {"type": "reasoning"})
    foreign = Opaque(FOREIGN, {"type": "reasoning"})
    marked = evolve(CALL, cache=CacheMark())
    turn = TurnRequest(WIDE.model, (ASK, sealed, marked, RESULT, foreign, SAID))
    writer = ResponsesWriter(WIDE, NAMES, Limits())
    kept, places, lost = without_foreign(writer, turn.items)
    assert ((ASK, marked, RESULT, SAID), [0, 2, 3, 5]) == (kept, places)
    assert ["items[1]", "items[4]"] == [loss.path for loss in lost]
    losses: list[Loss] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "lane", lambda *given: asked.append(given) or lane(*given))
        asked: list[Any] = []
        encode_request(turn, WIDE, accept=NAMES, losses=losses)
    assert [places] == [given[2] for given in asked]
    assert [
        Loss("turn.opaque.unattributed", "items[1]"),
        Loss("turn.cache", "items[2].cache"),
        Loss("turn.opaque", "items[4]"),
    ] == losses


def test_sealed_state_that_is_left_out_is_a_turn_of_the_model_all_the_same() -> None:
    """A call that nobody answered before it is refused, and so is what has no right type."""
    sealed = UnattributedOpaque(R, {"type": "reasoning"})
    wrong: Any = []
    for items in (
        (ASK, CALL, ASK, sealed, RESULT),
        (ASK, evolve(sealed, extensions=wrong)),
    ):
        turn = TurnRequest(WIDE.model, items)
        with pytest.raises(RequestRefused) as made:
            project_request(turn, WIDE, accept=NAMES)
        with pytest.raises(RequestRefused) as written:
            encode_request(turn, WIDE, accept=NAMES)
        assert str(made.value) == str(written.value)


def test_sealed_state_that_is_refused_is_left_in_its_place() -> None:
    """Nobody accepted its loss, or it is of this binding: the first stops the lane, the second is written."""
    items = (Opaque(WIDE.provenance, {"type": "reasoning", "summary": []}), ASK)
    assert (items, range(2), []) == without_foreign(ResponsesWriter(WIDE, NAMES, Limits()), items)
    others = (UnattributedOpaque(R, {"type": "reasoning"}), ASK)
    assert (others, range(2), []) == without_foreign(ResponsesWriter(WIDE, (), Limits()), others)


def test_what_is_plainly_in_order_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the items begins behind all of them."""
    asked: list[int] = []
    check = validation.item_faults

    def noted(turn: TurnRequest, limits: Limits, since: int, seen: Set[str]) -> Any:
        asked.append(since)
        return check(turn, limits, since, seen)

    monkeypatch.setattr(validation, "item_faults", noted)
    monkeypatch.setattr(project, "item_faults", noted)
    items = (ASK, CALL, RESULT, SAID)
    encode_request(TurnRequest(WIDE.model, items), WIDE)
    assert [len(items)] == asked


INSIDE: Any = {"type": "computer_call", "a": ASK}


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ({"extensions": (Extension(R, "truncation", [INSIDE]),)}, "truncation[0].a"),
        ({"tools": (FunctionTool("f", None, INSIDE),)}, "tools[0].parameters.a"),
        ({"items": (ASK, WireItem(R, INSIDE))}, "input[1].a"),
    ],
)
def test_an_item_inside_of_a_value_is_no_json(place: dict[str, Any], path: str) -> None:
    """It is refused where it stands, and never written there as an item."""
    turn = TurnRequest(WIDE.model, (ASK,))
    with pytest.raises(RequestRefused) as refused:
        encode_request(evolve(turn, **place), WIDE)
    assert (path, "not a JSON value") == (refused.value.path, refused.value.message)


def test_an_item_inside_of_a_value_stands_for_no_other() -> None:
    """Not for something among the items that JSON has a spelling of, either."""
    said: Any = "said"
    turn = TurnRequest(WIDE.model, (ASK, said), tools=(FunctionTool("f", None, INSIDE),))
    with pytest.raises(RequestRefused) as refused:
        encode_request(turn, WIDE)
    assert "items[1]" == refused.value.path


def test_losses_stand_in_the_order_of_the_body() -> None:
    """Those of the items before those of the tools, though they are met later."""
    tool = FunctionTool("f", cache=CacheMark())
    turn = TurnRequest(WIDE.model, (ASK, evolve(CALL, cache=CacheMark()), RESULT), tools=(tool,))
    _, losses = encoded(turn, WIDE, {"turn.cache"}, Limits())
    assert ["items[1].cache", "tools[0].cache"] == [loss.path for loss in losses]

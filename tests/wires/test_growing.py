"""Law of kept fragments: a request made with a cache is the request made without one, byte for byte.

Conversations grow, are edited, cut back and sent elsewhere; after each change one cache serves all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Binding, Capabilities
from llm_projections.model.items import (
    AssistantMessage,
    CacheMark,
    CustomToolCall,
    DataSource,
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
    UserMessage,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import AGENT_CLIENTS, NAMES, Loss
from llm_projections.model.tools import FunctionTool, Named
from llm_projections.model.turn import Sampling, Thinking, TurnRequest
from llm_projections.wires import WIRES, _fragments
from llm_projections.wires._fragments import FragmentCache, settings_of
from tests.everything import HABITS, MODEL, binding_of

WIRE = pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)
ACCEPTS = (
    AGENT_CLIENTS | {"turn.images", "turn.instruction.position"},
    AGENT_CLIENTS,
    frozenset[str](),
)
TOOLS = (FunctionTool("f", "does", {"type": "object"}),)


def says(text: str) -> AssistantMessage:
    return AssistantMessage((Text(text),))


def asks(text: str) -> UserMessage:
    return UserMessage((Text(text),))


def called(call_id: str, arguments: str = "{}") -> tuple[Item, ...]:
    return ToolCall(call_id, "f", arguments), ToolResult(call_id, (Text(f"of {call_id}"),))


def _steps(binding: Binding) -> dict[str, Callable[[int], tuple[Item, ...]]]:
    """What one step of a conversation may be, each with ids of its own."""
    home, own = binding.provenance, binding.protocol
    sealed: dict[Protocol, dict[str, Any]] = {
        Protocol.CHAT: {"reasoning_details": [{"type": "reasoning.text", "text": "t"}]},
        Protocol.MESSAGES: {"type": "thinking", "thinking": "t", "signature": "s"},
        Protocol.RESPONSES: {"type": "reasoning", "summary": [], "encrypted_content": "s"},
    }
    return {
        "call": lambda n: called(f"c{n}", '{"a":1}'),
        "said and called": lambda n: (says(f"s{n}"), *called(f"c{n}")),
        "two calls": lambda n: (
            ToolCall(f"c{n}", "f", '{"a": 1.10}'),
            ToolCall(f"d{n}", "f", ""),
            ToolResult(f"d{n}", (Text("second"),), True),
            ToolResult(f"c{n}", (), False),
        ),
        "sealed": lambda n: (Opaque(home, sealed[own], "t"), *called(f"c{n}")),
        "sealed alone": lambda n: (asks(f"u{n}"), Opaque(home, sealed[own], "t")),
        "read": lambda n: (Reasoning(f"r{n}"), says("so")),
        "asked": lambda n: (asks(f"u{n}"),),
        "asked and said": lambda n: (asks(f"u{n}"), says(f"s{n}")),
        "marked": lambda n: (UserMessage((Text(f"u{n}", cache=CacheMark()),)), says("yes")),
        "shown": lambda n: (
            UserMessage((Image(DataSource("QUJD", "image/png")),)),
            says(f"s{n}"),
        ),
        "told": lambda n: (asks(f"u{n}"), Instruction((Text("be brief"),)), says("yes")),
        "odd id": lambda n: called(f"c {n}"),
        "between": lambda n: (ToolCall(f"c{n}", "f", "{}"), asks("wait"), ToolResult(f"c{n}", ())),
        "by hand": lambda n: (
            CustomToolCall(f"c{n}", "g", "x"),
            ToolResult(f"c{n}", (Text("y"),), custom=True),
        ),
        "hosted": lambda n: (WireItem(own, {"type": "web_search_call", "id": f"w{n}"}), says("ok")),
        "carried": lambda n: (
            UserMessage((Text("hi"),), (Extension(own, "messages.name", f"n{n}"),)),
            says("yes"),
        ),
        "an id of before": lambda _: called("c1"),
        "unanswered": lambda n: (ToolCall(f"c{n}", "f", "{}"), asks("never mind")),
        "no JSON": lambda n: (asks("\ud83d"), says(f"s{n}")),
        "no number": lambda n: (
            Opaque(home, {**sealed[own], "reasoning_details": [float("nan")]}),
            *called(f"c{n}"),
        ),
    }


def _settings(protocol: Protocol) -> tuple[dict[str, Any], ...]:
    """What a program may change beside the conversation; some of it is left out by an accepted loss."""
    mark = CacheMark()
    return (
        {"sampling": Sampling(temperature=0.5)},
        {"instructions": (Instruction((Text("be brief", cache=mark),)),)},
        {"instructions": (Instruction((Text("be brief"),)), Instruction((Text("be kind"),)))},
        {"tools": (*TOOLS, FunctionTool("g", "does more", {"type": "object"}, cache=mark))},
        {"verbosity": "low", "prompt_cache_key": "k", "thinking": Thinking(budget_tokens=2000)},
        {"extensions": (Extension(protocol, "unheard_of", [1]),), "cache_marks": "auto"},
    )


STEPS = tuple(_steps(binding_of(Protocol.CHAT, **HABITS[Protocol.CHAT])))
CHANGES = st.lists(
    st.tuples(st.just("grow"), st.sampled_from(STEPS), st.just(0))
    | st.tuples(st.just("grow"), st.sampled_from(STEPS[:4]), st.just(0))
    | st.tuples(st.sampled_from(("edit", "equal", "cut")), st.just(""), st.integers(0, 60))
    | st.tuples(st.just("accept"), st.just(""), st.integers(0, len(ACCEPTS) - 1))
    | st.tuples(st.sampled_from(("rebind", "limit", "marks")), st.just(""), st.just(0))
    | st.tuples(st.just("set"), st.just(""), st.integers(0, 5)),
    min_size=4,
    max_size=40,
)


def outcome(
    turn: TurnRequest,
    binding: Binding,
    accept: Collection[str],
    limits: Limits,
    fragments: FragmentCache | None,
) -> tuple[bytes | list[tuple[str, str, str | None]], list[Loss]]:
    """The bytes or every refusal, and the losses."""
    losses: list[Loss] = []
    encode = WIRES[binding.protocol].encode_request
    try:
        data = encode(
            turn, binding, accept=accept, fragments=fragments, limits=limits, losses=losses
        )
    except RequestRefused as refused:
        return [(str(one), one.path, one.loss) for one in (refused, *refused.others)], losses
    return data, losses


def changed(items: tuple[Item, ...], kind: str, where: int) -> tuple[Item, ...]:
    """The conversation after a change at a place of it."""
    if not items:
        return items
    where %= len(items)
    item = items[where]
    if kind == "cut":
        return items[:where]
    if kind == "equal":
        # the same by value, and no other object
        return (*items[:where], evolve(item), *items[where + 1 :])
    if isinstance(item, UserMessage):
        item = asks("edited")
    elif isinstance(item, ToolResult):
        item = evolve(item, content=(Text("edited"),))
    return (*items[:where], item, *items[where + 1 :])


@WIRE
@settings(deadline=None)
@given(CHANGES)
def test_law_fragments(protocol: Protocol, changes: list[tuple[str, str, int]]) -> None:
    """Bytes, losses and refusals are the same with a cache and without one, whatever happened to it before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_fragments, "_STEP", 1)
        patch.setattr(_fragments, "_LATE", 1)
        binding = binding_of(protocol, **HABITS[protocol])
        other = evolve(binding, account="another")
        turn = TurnRequest(MODEL, (asks("go"),), tools=TOOLS, cache_marks="given")
        fragments, accept, limits = FragmentCache(), ACCEPTS[0], Limits()
        for number, (kind, step, where) in enumerate(changes):
            if kind == "grow":
                turn = evolve(turn, items=(*turn.items, *_steps(binding)[step](number)))
            elif kind == "accept":
                accept = ACCEPTS[where]
            elif kind == "rebind":
                binding, other = other, binding
            elif kind == "limit":
                limits = Limits(result_bytes=4) if limits == Limits() else Limits()
            elif kind == "set":
                turn = evolve(turn, **_settings(protocol)[where])
            elif kind == "marks":
                turn = evolve(turn, cache_marks="auto")
            else:
                turn = evolve(turn, items=changed(turn.items, kind, where))
            expected = outcome(turn, binding, accept, limits, None)
            assert expected == outcome(turn, binding, accept, limits, fragments)
            # what went before decides what is kept; what is kept decides nothing
            assert expected == outcome(evolve(turn), binding, accept, limits, fragments)


def conversation(binding: Binding, count: int) -> tuple[Item, ...]:
    """Plain steps of an agent: what it thought, said and called, and what came of it."""
    steps = _steps(binding)
    items: list[Item] = [asks("go")]
    for number in range(count):
        items += steps[("said and called", "sealed", "two calls")[number % 3]](number)
    return (*items, says("done"))


@WIRE
def test_a_long_conversation_is_read_from_where_it_stood(protocol: Protocol) -> None:
    """Its beginning is joined at some time, and what is written stays what it was."""
    binding = binding_of(protocol, **HABITS[protocol])
    fragments = FragmentCache()
    items = conversation(binding, 90)
    reached = set[int]()
    for end in range(1, len(items)):
        turn = TurnRequest(MODEL, items[:end], tools=TOOLS)
        expected = outcome(turn, binding, ACCEPTS[0], Limits(), None)
        assert expected == outcome(turn, binding, ACCEPTS[0], Limits(), fragments)
        reached.add(len(fragments.beginning(items).items))
    assert len(reached) >= 4
    assert max(reached) > len(items) - 120
    again = tuple(map(evolve, items))
    assert () == fragments.beginning(again).items


@WIRE
def test_what_goes_on_from_a_beginning_holds_no_number_that_is_none(protocol: Protocol) -> None:
    """It is looked for in what a caller made alone, and found at its place."""
    binding = binding_of(protocol, **HABITS[protocol])
    begun, fragments, accept = conversation(binding, 20), FragmentCache(), ACCEPTS[0]
    turn = TurnRequest(MODEL, (*begun, asks("more")), tools=TOOLS, cache_marks="given")
    for _ in range(3):
        outcome(turn, binding, accept, Limits(), fragments)
    none = float("nan")
    odd: tuple[Item, ...] = (
        WireItem(protocol, {"type": "web_search_call", "id": "w", "x": none}),
        Opaque(binding.provenance, {"type": "thinking", "reasoning_details": [{"x": none}]}),
        UserMessage((Text("hi"),), (Extension(protocol, "messages.name", none),)),
    )
    told: list[str] = []
    for item in odd:
        added = evolve(turn, items=(*turn.items, says("so"), item, asks("and")))
        expected = outcome(added, binding, accept, Limits(), None)
        assert expected == outcome(added, binding, accept, Limits(), fragments)
        told += [said[0] for said in expected[0] if isinstance(said, tuple)]
    assert any("not a JSON number" in said for said in told)


@WIRE
def test_what_holds_itself_is_too_deep_and_is_not_looked_through_forever(
    protocol: Protocol,
) -> None:
    """A schema, and what a caller made that comes after a beginning."""
    binding = binding_of(protocol, **HABITS[protocol])
    odd: dict[str, Any] = {"type": "web_search_call", "id": "w"}
    odd["reasoning_details"] = [odd]
    turn = TurnRequest(MODEL, (*conversation(binding, 20), asks("more")), tools=TOOLS)
    fragments = FragmentCache()
    for _ in range(3):
        outcome(turn, binding, ACCEPTS[0], Limits(), fragments)
    sealed = (says("so"), Opaque(binding.provenance, odd), *called("c99"))
    for changed_turn in (
        evolve(turn, tools=(FunctionTool("f", None, odd),)),
        evolve(turn, items=(*turn.items, *sealed)),
    ):
        told = outcome(changed_turn, binding, ACCEPTS[0], Limits(), None)
        assert told == outcome(changed_turn, binding, ACCEPTS[0], Limits(), fragments)
        assert "nested too deep" in str(told[0])
        with pytest.raises(RequestRefused) as caught:
            WIRES[protocol].project_request(changed_turn, binding, accept=ACCEPTS[0])
        assert (RefusalCode.TOO_LARGE, "nested too deep") == (
            caught.value.code,
            caught.value.message,
        )


@WIRE
def test_what_stands_around_a_conversation_is_written_once(protocol: Protocol) -> None:
    """As long as every setting is the object that it was; the losses of it are told each time."""
    able = evolve(Capabilities.all(1000, 100), verbosity=False, stop=False)
    binding = binding_of(protocol, capabilities=able)
    accept = ACCEPTS[0] | {"turn.verbosity", "turn.stop"}
    settings: dict[str, Any] = {"tools": TOOLS, "verbosity": "low", "stop": ("x",)}
    told = (Instruction((Text("be brief"),)),)
    items = (*conversation(binding, 20), asks("more"))
    turn = TurnRequest(MODEL, items, told, cache_marks="given", **settings)
    fragments = FragmentCache()
    expected = outcome(turn, binding, accept, Limits(), None)
    assert ["turn.stop", "turn.verbosity"] == [loss.name for loss in expected[1]][:2]
    framed = list[bool]()
    for _ in range(3):
        assert expected == outcome(turn, binding, accept, Limits(), fragments)
        framed.append(fragments.frame((*settings_of(turn), True, None)) is not None)
    assert [False, True, True] == framed
    other = evolve(turn, max_output_tokens=99)
    assert fragments.frame((*settings_of(other), True, None)) is None
    expected = outcome(other, binding, accept, Limits(), None)
    for _ in range(3):
        assert expected == outcome(other, binding, accept, Limits(), fragments)
    assert fragments.frame((*settings_of(other), True, None)) is not None


def publishing(protocol: Protocol, kind: str) -> WireItem:
    tool: dict[str, Any] = {"type": kind, "name": "late"}
    return WireItem(protocol, {"type": "additional_tools", "role": "developer", "tools": [tool]})


@WIRE
def test_a_choice_of_what_an_item_publishes_is_asked_for_in_every_request(
    protocol: Protocol,
) -> None:
    """The tool may be of another kind next time, or not be there."""
    binding = binding_of(protocol, **HABITS[protocol])
    begun = (*conversation(binding, 20), asks("more"))
    turn = TurnRequest(MODEL, begun, cache_marks="given", tool_choice=Named("late"))
    fragments, told = FragmentCache(), list[Any]()
    for late in (*(publishing(protocol, "function"),) * 3, publishing(protocol, "custom"), None):
        after = () if late is None else (late, asks("and more"))
        request = evolve(turn, items=(*begun, *after))
        expected = outcome(request, binding, ACCEPTS[0], Limits(), None)
        assert expected == outcome(request, binding, ACCEPTS[0], Limits(), fragments)
        told.append(expected[0])
    assert type(told[2]) is bytes
    assert [("INVALID_REQUEST at tool_choice: chooses a tool that is not published")] == [
        said for said, _, _ in told[4]
    ]


def test_what_stood_among_the_instructions_is_kept_in_no_frame() -> None:
    """It is an item of one conversation, and the settings are those of another one too."""
    binding = binding_of(Protocol.RESPONSES)
    told = (Instruction((Text("be brief"),)),)
    begun = TurnRequest(MODEL, (*conversation(binding, 20), asks("more")), told)
    place = (Extension(Protocol.RESPONSES, "input.place", 0),)
    payload: dict[str, Any] = {"type": "web_search_call", "id": "w"}
    first = WireItem(Protocol.RESPONSES, payload, extensions=place)
    other = evolve(begun, items=(first, asks("go")))
    fragments = FragmentCache()
    for turn in (
        begun,
        begun,
        other,
        other,
        evolve(begun, items=(*begun.items, says("so"), asks("go"))),
    ):
        expected = outcome(turn, binding, (), Limits(), None)
        assert type(expected[0]) is bytes
        assert expected == outcome(turn, binding, (), Limits(), fragments)


@WIRE
def test_the_rules_of_a_conversation_reach_back_into_its_beginning(protocol: Protocol) -> None:
    """A call's id that was used there is still used, and a result for nothing still answers nothing."""
    binding = binding_of(protocol, **HABITS[protocol])
    fragments = FragmentCache()
    items = conversation(binding, 90)
    for _ in range(2):
        outcome(TurnRequest(MODEL, items), binding, ACCEPTS[0], Limits(), fragments)
    assert fragments.beginning(items).items
    for wrong in (called("c1"), (ToolResult("c1", ()),), (ToolCall("new", "f", "{}"),)):
        turn = TurnRequest(MODEL, (*items, asks("more"), *wrong))
        expected = outcome(turn, binding, ACCEPTS[0], Limits(), None)
        assert isinstance(expected[0], list)
        assert expected == outcome(turn, binding, ACCEPTS[0], Limits(), fragments)


@WIRE
def test_what_was_kept_is_held_to_other_limits(protocol: Protocol) -> None:
    """A history that passed once passes no stricter bound."""
    binding = binding_of(protocol, **HABITS[protocol])
    turn = TurnRequest(MODEL, conversation(binding, 90))
    fragments = FragmentCache()
    for limits in (Limits(), Limits(result_bytes=4), Limits()):
        expected = outcome(turn, binding, ACCEPTS[0], limits, None)
        assert (limits == Limits()) is isinstance(expected[0], bytes)
        assert expected == outcome(turn, binding, ACCEPTS[0], limits, fragments)


@WIRE
def test_a_loss_is_reported_in_every_request(protocol: Protocol) -> None:
    """What is left out of a message is told as long as the message is sent."""
    able = evolve(Capabilities.all(1000, 100), cache_marks=False)
    binding = binding_of(protocol, capabilities=able)
    marked = UserMessage((Text("hello", cache=CacheMark()),))
    turn = TurnRequest(MODEL, (marked, says("yes"), asks("more")), cache_marks="given")
    fragments = FragmentCache()
    for _ in range(2):
        _, losses = outcome(turn, binding, ACCEPTS[0], Limits(), fragments)
        assert [Loss("turn.cache", "items[0].content[0].cache")] == losses


@WIRE
def test_what_is_lost_of_a_beginning_is_told_in_every_request(protocol: Protocol) -> None:
    """A conversation with another model behind it, whose thoughts are left out: its beginning grows all the same."""
    binding = binding_of(protocol, **HABITS[protocol])
    foreign = Opaque(evolve(binding.provenance, account="another"), {"type": "thinking"})
    items: tuple[Item, ...] = (asks("go"),)
    fragments = FragmentCache()
    for number in range(30):
        items = (*items, foreign, *called(f"c{number}"))
        turn = TurnRequest(MODEL, items, tools=TOOLS, cache_marks="given")
        expected = outcome(turn, binding, ACCEPTS[0], Limits(), None)
        assert number + 1 == len(expected[1])
        assert expected == outcome(turn, binding, ACCEPTS[0], Limits(), fragments)
    begun = fragments.beginning(items)
    assert begun.count > len(items) - 12
    assert begun.count // 3 == len(begun.losses)
    # told in their place too where the whole body has to be written
    other = evolve(turn, max_output_tokens=99)
    expected = outcome(other, binding, ACCEPTS[0], Limits(), None)
    assert expected == outcome(other, binding, ACCEPTS[0], Limits(), fragments)


@WIRE
def test_what_cannot_be_joined_ends_a_beginning(protocol: Protocol) -> None:
    """A mark, of which a body has only so many, and an id that was changed: what follows is found again one by one."""
    binding = binding_of(protocol, **HABITS[protocol])
    marked = UserMessage((Text("here", cache=CacheMark()),))
    for stop in ((marked, says("yes"), asks("on")), called("c 1")):
        items = (*conversation(binding, 20), asks("more"))
        fragments = FragmentCache()
        turn = TurnRequest(MODEL, items, tools=TOOLS, cache_marks="given")
        for _ in range(3):
            outcome(turn, binding, ACCEPTS[0], Limits(), fragments)
        before = fragments.beginning(items).count
        assert before
        items = (*items, *stop)
        for number in range(60):
            items = (*items, *called(f"later{number}"))
            turn = evolve(turn, items=items)
            expected = outcome(turn, binding, ACCEPTS[0], Limits(), None)
            assert expected == outcome(turn, binding, ACCEPTS[0], Limits(), fragments)
        begun = fragments.beginning(items)
        if protocol is Protocol.MESSAGES:
            assert before <= begun.count < before + 80
            assert fragments.is_stuck(begun)
            # an id that was changed depends on all others, so that nothing after it is kept
            assert (stop[0] is marked) == (fragments.get(items[-40:-39]) is not None)
        else:
            assert begun.count > len(items) - 12


PADDING: tuple[Item, ...] = (says("so"), asks("on")) * 8


def _unlike(protocol: Protocol) -> dict[str, tuple[TurnRequest, TurnRequest]]:
    """A request that is sent some times, and one that what was kept of it must not speak for."""
    begun = TurnRequest(MODEL, (asks("go"), *PADDING), tools=TOOLS, cache_marks="given")
    orphan = (asks("go"), ToolResult("of before", (Text("r"),)), *PADDING)
    continued = (Extension(protocol, "previous_response_id", "x"),)
    by_hand = (CustomToolCall("c_1", "g", "x"), ToolResult("c_1", (Text("y"),), custom=True))
    deep: Any = 1
    for _ in range(1022):
        deep = [deep]
    late = publishing(protocol, "custom")
    chosen = evolve(begun, tools=(FunctionTool("late"),), tool_choice=Named("late"))
    lost = Opaque(
        evolve(binding_of(protocol, **HABITS[protocol]).provenance, account="another"), {}
    )
    thoughts = evolve(begun, items=(asks("go"), *(lost, says("so"), asks("on")) * 6))
    key = "input" if protocol is Protocol.RESPONSES else "messages"
    binding = binding_of(protocol, **HABITS[protocol])
    same = WIRES[protocol].project_request(begun, binding).body[key]
    twice = evolve(begun, extensions=(Extension(protocol, key, same),))
    return {
        "a result of before": (
            evolve(begun, items=orphan, extensions=continued),
            evolve(begun, items=orphan),
        ),
        "an id that another call's looks like": (
            evolve(begun, items=(asks("go"), *by_hand, *PADDING)),
            evolve(begun, items=(asks("go"), *by_hand, *PADDING, *called("c 1"))),
        ),
        "a tool of its own": (chosen, evolve(chosen, items=(asks("go"), late, *PADDING))),
        "the last word of a model": (
            thoughts,
            evolve(thoughts, items=(*thoughts.items, says("and"))),
        ),
        "the conversation itself": (
            twice,
            evolve(twice, items=(*begun.items, says("so"), asks("on"))),
        ),
        "a deep item": (
            begun,
            evolve(
                begun,
                items=(*begun.items, says("so"), WireItem(protocol, {"v": deep}), asks("on")),
            ),
        ),
    }


@WIRE
@pytest.mark.parametrize("prefill", [True, False])
@pytest.mark.parametrize("name", list(_unlike(Protocol.CHAT)))
def test_what_was_kept_speaks_for_itself_alone(
    protocol: Protocol, name: str, prefill: bool
) -> None:
    """Settings, later items and other ids may have a say in what a conversation is written as."""
    binding = binding_of(protocol, **{**HABITS[protocol], "prefill": prefill})
    before, after = _unlike(protocol)[name]
    fragments = FragmentCache()
    for turn in (before, before, before, after, after, before):
        expected = outcome(turn, binding, ACCEPTS[0] | NAMES.keys(), Limits(), None)
        assert expected == outcome(turn, binding, ACCEPTS[0] | NAMES.keys(), Limits(), fragments)


def test_what_was_kept_of_one_wire_is_not_for_another() -> None:
    """Whoever gives the wrong binding gets what that wire says to it."""
    binding = binding_of(Protocol.MESSAGES, **HABITS[Protocol.MESSAGES])
    turn = TurnRequest(MODEL, (asks("go"), *PADDING), cache_marks="given")
    fragments = FragmentCache()
    for wire in (Protocol.MESSAGES, Protocol.RESPONSES):
        encode = WIRES[wire].encode_request
        for _ in range(3):
            assert encode(turn, binding) == encode(turn, binding, fragments=fragments)


@WIRE
def test_what_a_client_must_answer_is_in_no_beginning(protocol: Protocol) -> None:
    """Its result may come at any time, and answers it once."""
    binding = binding_of(protocol, **HABITS[protocol])
    asked = WireItem(protocol, {"type": "shell_call", "call_id": "w1"}, "w1", "call")
    answered = ToolResult("w1", (Text("done"),))
    items = (asks("list"), asked, *conversation(binding, 90)[1:])
    fragments = FragmentCache()
    outcome(TurnRequest(MODEL, items), binding, ACCEPTS[0], Limits(), fragments)
    assert () == fragments.beginning(items).items
    for more in ((answered,), (answered, answered)):
        turn = TurnRequest(MODEL, (*items, asks("more"), *more))
        expected = outcome(turn, binding, ACCEPTS[0], Limits(), None)
        assert expected == outcome(turn, binding, ACCEPTS[0], Limits(), fragments)


@WIRE
def test_an_automatic_mark_finds_its_place_in_the_beginning(protocol: Protocol) -> None:
    """Where nothing after it can hold one, as a thought cannot."""
    binding = binding_of(protocol, **HABITS[protocol])
    fragments = FragmentCache()
    items = conversation(binding, 90)
    outcome(TurnRequest(MODEL, items), binding, ACCEPTS[0], Limits(), fragments)
    begun = fragments.beginning(items).items
    assert begun
    thought = _steps(binding)["sealed alone"](0)[1]
    turn = TurnRequest(MODEL, (*begun, thought), cache_marks="auto")
    assert begun == fragments.beginning(turn.items).items
    expected = outcome(turn, binding, ACCEPTS[0], Limits(), None)
    assert expected == outcome(turn, binding, ACCEPTS[0], Limits(), fragments)


@WIRE
def test_memory_stays_within_what_was_given(protocol: Protocol) -> None:
    """The beginning takes at most half, and pieces make room for it."""
    binding = binding_of(protocol, **HABITS[protocol])
    items = conversation(binding, 120)
    for most in (0, 1000, 10_000, 30_000, 1_000_000):
        fragments = FragmentCache(most)
        for end in range(1, len(items), 5):
            turn = TurnRequest(MODEL, items[:end])
            expected = outcome(turn, binding, ACCEPTS[0], Limits(), None)
            assert expected == outcome(turn, binding, ACCEPTS[0], Limits(), fragments)
            assert fragments.size <= most
            assert len(fragments.beginning(items).data) <= most // 2

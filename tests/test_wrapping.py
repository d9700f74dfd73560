"""Tools that a target lacks, made functions there and back."""

import json
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.fold import Fold
from llm_projections.model.dialect import ALL
from llm_projections.model.events import (
    ItemCompleted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
)
from llm_projections.model.items import (
    CacheMark,
    CustomToolCall,
    Extension,
    Protocol,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    WireItem,
)
from llm_projections.model.outcome import OpenItem, PartialOutcome, ToolCalls, TurnOutcome
from llm_projections.model.tools import (
    AUTO,
    Allowed,
    CustomTool,
    FunctionTool,
    Grammar,
    HostedTool,
    Named,
)
from llm_projections.model.turn import TurnRequest
from llm_projections.wrapping import ToolWrapping, Unwrapping
from tests.values import names, texts

EVERYTHING = ToolWrapping(ALL, True, True)
CUSTOM = ToolWrapping(ALL)
FLAT = ToolWrapping(flatten_namespaces=True)
HOIST = ToolWrapping(hoist_additional_tools=True)

INPUT = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}


def turn(*items: Any, tools: tuple[Any, ...] = (), **settings: Any) -> TurnRequest:
    return TurnRequest("m", items, tools=tools, **settings)


def in_space(name: str) -> tuple[Extension, ...]:
    return (Extension(Protocol.RESPONSES, "input.namespace", name),)


def space(name: str, *tools: Any, **more: Any) -> HostedTool:
    return HostedTool(
        Protocol.RESPONSES, {"type": "namespace", "name": name, "tools": list(tools), **more}
    )


def names_of(request: TurnRequest) -> list[str]:
    return [tool.name for tool in request.tools if not isinstance(tool, HostedTool)]


def function(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "function", "name": name, "parameters": {"type": "object"}, **more}


def refused(wrapping: ToolWrapping, request: TurnRequest) -> RequestRefused:
    with pytest.raises(RequestRefused) as caught:
        wrapping.wrap(request)
    assert (RefusalCode.INVALID_REQUEST, "tools") == (caught.value.code, caught.value.path)
    return caught.value


def test_a_wrapping_that_asks_for_nothing_changes_nothing():
    """It is the caller's explicit choice."""
    request = turn(
        CustomToolCall("1", "c", "x", extensions=in_space("n")),
        ToolResult("1", (), custom=True),
        WireItem(Protocol.RESPONSES, {"type": "additional_tools", "tools": []}),
        tools=(CustomTool("c"), space("n", function("f"))),
    )
    assert request == ToolWrapping().wrap(request)


@pytest.mark.parametrize(
    ("tool", "description"),
    [
        (CustomTool("c"), None),
        (CustomTool("c", "says"), "says"),
        (
            CustomTool("c", "says", Grammar("lark", "start: X")),
            "says\n\nThe input must match this lark grammar:\nstart: X",
        ),
        (
            CustomTool("c", None, Grammar("regex", "a+")),
            "The input must match this regex grammar:\na+",
        ),
    ],
)
def test_a_custom_tool_becomes_a_function_of_its_input(tool, description):
    """Its grammar goes where the model can read it; mark and extensions stay."""
    carried = (Extension(Protocol.RESPONSES, "tools.defer_loading", True),)
    tool = evolve(tool, cache=CacheMark("1h"), extensions=carried)
    wrapped = FunctionTool("c", description, INPUT, None, CacheMark("1h"), carried)
    assert (wrapped,) == CUSTOM.wrap(turn(tools=(tool,))).tools


@pytest.mark.parametrize("custom", ["apply_patch", b"x", None, 3, [1], frozenset({None})])
def test_names_that_are_no_collection_of_names_are_a_mistake_of_the_caller(custom):
    """Every part of one string would be a name."""
    with pytest.raises(TypeError, match="custom must be a set of names"):
        ToolWrapping(custom)


def test_only_the_named_custom_tools_are_wrapped():
    """By their own name; results follow their calls."""
    items = (
        CustomToolCall("1", "a", "x"),
        CustomToolCall("2", "b", "y"),
        ToolResult("1", (), custom=True),
        ToolResult("2", (), custom=True),
    )
    wrapped = ToolWrapping(frozenset({"a"})).wrap(
        turn(*items, tools=(CustomTool("a"), CustomTool("b")))
    )
    assert (FunctionTool("a", None, INPUT), CustomTool("b")) == wrapped.tools
    assert (
        ToolCall("1", "a", '{"input":"x"}'),
        CustomToolCall("2", "b", "y"),
        ToolResult("1", ()),
        ToolResult("2", (), custom=True),
    ) == wrapped.items


def test_history_keeps_everything_but_the_name_of_its_kind():
    """An id says what kind of item it was; other extensions, marks and content stay."""
    ids = Extension(Protocol.RESPONSES, "input.id", "ctc_1")
    status = Extension(Protocol.RESPONSES, "input.status", "incomplete")
    call = CustomToolCall("1", "c", 'a"\u2028', CacheMark(), (ids, status))
    result = ToolResult("1", (Text("r"),), True, True, CacheMark(), (status,))
    plain = ToolCall("2", "f", '{ "a": 1.0}', extensions=(ids,))
    answer = ToolResult("2", ())
    wrapped = CUSTOM.wrap(turn(call, result, plain, answer))
    assert (
        ToolCall("1", "c", '{"input":"a\\"\u2028"}', CacheMark(), (status,)),
        evolve(result, custom=False),
        plain,
        answer,
    ) == wrapped.items


def test_a_namespace_becomes_names():
    """Where it stood; what it says of itself goes before what its tools say."""
    request = turn(
        tools=(
            FunctionTool("first"),
            space(
                "n",
                function("f", description="does", strict=True, defer_loading=True),
                {"type": "custom", "name": "c", "format": {"type": "text"}},
                description="all of these",
            ),
            HostedTool(Protocol.RESPONSES, {"type": "web_search"}),
            FunctionTool("last"),
        )
    )
    lazy = (Extension(Protocol.RESPONSES, "tools.defer_loading", True),)
    flat = (
        FunctionTool("first"),
        FunctionTool("n__f", "all of these\n\ndoes", {"type": "object"}, True, None, lazy),
        CustomTool("n__c", "all of these"),
        HostedTool(Protocol.RESPONSES, {"type": "web_search"}),
        FunctionTool("last"),
    )
    assert flat == FLAT.wrap(request).tools
    assert evolve(request, tools=flat) == FLAT.wrap(request)
    custom = FunctionTool("n__c", "all of these", INPUT)
    assert custom == ToolWrapping(frozenset({"c"}), True).wrap(request).tools[2]
    assert custom == ToolWrapping(frozenset({"n__c"}), True).wrap(request).tools[2]


@pytest.mark.parametrize("strict", [False, None])
def test_a_function_that_is_not_strict_says_nothing_of_it(strict: bool | None):
    """In a namespace and among late tools as in `tools`: other wires need no capability for it."""
    plain = FunctionTool("n__f", None, {"type": "object"})
    request = turn(tools=(space("n", function("f", strict=strict)),))
    assert (plain,) == FLAT.wrap(request).tools
    late = WireItem(
        Protocol.RESPONSES,
        {"type": "additional_tools", "tools": [function("n__f", strict=strict)]},
    )
    assert (plain,) == HOIST.wrap(turn(late)).tools


def test_history_is_flattened_like_the_tools():
    """The result of a call may name the namespace too."""
    request = turn(
        ToolCall("1", "f", "{}", extensions=in_space("n")),
        ToolCall("2", "f", "{}"),
        ToolResult("1", (), extensions=in_space("n")),
        ToolResult("2", ()),
    )
    assert (
        ToolCall("1", "n__f", "{}"),
        ToolCall("2", "f", "{}"),
        ToolResult("1", ()),
        ToolResult("2", ()),
    ) == FLAT.wrap(request).items
    assert request == CUSTOM.wrap(request)


LATE = WireItem(
    Protocol.RESPONSES,
    {
        "type": "additional_tools",
        "tools": [
            function("f"),
            {
                "type": "custom",
                "name": "c",
                "format": {"type": "grammar", "syntax": "lark", "definition": "x"},
            },
            {"type": "web_search"},
            {"type": "namespace", "name": "n", "tools": [function("g")]},
            function("odd", unheard_of=1),
        ],
    },
)


def test_late_tools_become_published_tools():
    """After those that were; one with a field of its wire alone is carried whole."""
    user = UserMessage((Text("u"),))
    wrapped = HOIST.wrap(turn(LATE, user, LATE, tools=(FunctionTool("own"),)))
    late = (
        FunctionTool("f", None, {"type": "object"}),
        CustomTool("c", None, Grammar("lark", "x")),
        HostedTool(Protocol.RESPONSES, {"type": "web_search"}),
        space("n", function("g")),
        HostedTool(Protocol.RESPONSES, function("odd", unheard_of=1)),
    )
    hosted = tuple(tool for tool in late if isinstance(tool, HostedTool))
    assert (FunctionTool("own"), *late, *hosted) == wrapped.tools
    assert (user,) == wrapped.items


def test_late_tools_are_wrapped_like_the_others():
    """All three choices together, as agents with all three need it."""
    late = WireItem(
        Protocol.RESPONSES,
        {
            "type": "additional_tools",
            "tools": [
                {
                    "type": "namespace",
                    "name": "n",
                    "tools": [function("f"), {"type": "custom", "name": "c"}],
                }
            ],
        },
    )
    call = CustomToolCall("1", "c", "x", extensions=in_space("n"))
    wrapped = EVERYTHING.wrap(turn(late, call, ToolResult("1", (), custom=True)))
    assert ["n__f", "n__c"] == names_of(wrapped)
    assert FunctionTool("n__c", None, INPUT) == wrapped.tools[1]
    assert (ToolCall("1", "n__c", '{"input":"x"}'), ToolResult("1", ())) == wrapped.items


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (AUTO, AUTO),
        (Named("own"), Named("own")),
        (Named("f"), Named("n__f")),
        (Named("n__f"), Named("n__f")),
        (Named("gone"), Named("gone")),
        (Allowed("auto", ("f", "own")), Allowed("auto", ("n__f", "own"))),
    ],
)
def test_a_choice_names_what_is_published(choice, expected):
    """A tool's own name stands for the one on the wire."""
    request = turn(tools=(FunctionTool("own"), space("n", function("f"))), tool_choice=choice)
    assert expected == FLAT.wrap(request).tool_choice
    assert expected == FLAT.resolve(request).wrap(request).tool_choice


LONG = "x" * 61

COLLISIONS = {
    "a namespaced tool and a plain one": (
        FLAT,
        turn(tools=(FunctionTool("n__f"), space("n", function("f")))),
    ),
    "two namespaces": (
        FLAT,
        turn(tools=(space("a", function("b__c")), space("a__b", function("c")))),
    ),
    "a wrapped custom tool and a function": (
        ToolWrapping(frozenset({"c"})),
        turn(tools=(FunctionTool("c", None, INPUT), CustomTool("c"))),
    ),
    "two tools that differ": (HOIST, turn(LATE, tools=(FunctionTool("f"),))),
    "history and a plain tool": (
        FLAT.resolve(turn()),
        turn(ToolCall("1", "f", "{}", extensions=in_space("n")), tools=(FunctionTool("n__f"),)),
    ),
    "a long name": (FLAT, turn(tools=(space("ab", function(LONG)),))),
    "a long custom name": (CUSTOM, turn(tools=(CustomTool("x" * 65),))),
    "a long name in history": (
        FLAT,
        turn(ToolCall("1", LONG, "{}", extensions=in_space("ab"))),
    ),
    "a choice among several": (
        FLAT,
        turn(tools=(space("a", function("f")), space("b", function("f"))), tool_choice=Named("f")),
    ),
    "a namespace without a name": (
        FLAT,
        turn(tools=(HostedTool(Protocol.RESPONSES, {"type": "namespace"}),)),
    ),
    "a namespace with a field more": (FLAT, turn(tools=(space("n", function("f"), unheard_of=1),))),
    "a namespace of hosted tools": (FLAT, turn(tools=(space("n", {"type": "web_search"}),))),
    "a tool that is no object": (FLAT, turn(tools=(space("n", 7),))),
    "tools that are no list": (
        HOIST,
        turn(WireItem(Protocol.RESPONSES, {"type": "additional_tools", "tools": {}})),
    ),
    "an input that no JSON can say": (CUSTOM, turn(CustomToolCall("1", "c", "\ud800"))),
}


@pytest.mark.parametrize(("wrapping", "request_"), COLLISIONS.values(), ids=COLLISIONS)
def test_what_cannot_be_wrapped_is_refused(wrapping, request_):
    """Nothing is renamed, merged or dropped to make it fit; no value is quoted."""
    assert LONG not in str(refused(wrapping, request_))


def test_a_plain_name_may_be_long():
    """Wrapping did not make it, and says nothing of it."""
    request = turn(tools=(FunctionTool("x" * 100),))
    assert request == CUSTOM.wrap(request)
    assert ["x" * 64] == names_of(CUSTOM.wrap(turn(tools=(CustomTool("x" * 64),))))


UNTOLD = {
    "a function of one input": (CUSTOM, FunctionTool("f", None, INPUT)),
    "a function of an optional input": (
        CUSTOM,
        FunctionTool("f", None, {"type": "object", "properties": {"input": {}, "b": {}}}),
    ),
    "a plain name with two underscores": (FLAT, FunctionTool("mcp__fetch")),
    "an own name with two underscores": (FLAT, space("n", function("a__b"))),
    "an own name that begins with one": (FLAT, space("n", function("_f"))),
    "a function with a chosen own name": (
        ToolWrapping(frozenset({"c"}), True),
        space("n", function("c")),
    ),
}


@pytest.mark.parametrize(("wrapping", "tool"), UNTOLD.values(), ids=UNTOLD)
def test_what_a_call_alone_does_not_tell_is_refused_unless_resolved(wrapping, tool):
    """Resolved, the request's own tools tell it, and the call comes back exactly."""
    request = turn(tools=(tool,))
    assert "resolved" in refused(wrapping, request).message
    resolved = wrapping.resolve(request)
    (flat,) = names_of(resolved.wrap(request))
    call = ToolCall("1", flat, '{"input":"x"}')
    own = (
        ToolCall("1", tool.name, call.arguments)
        if isinstance(tool, FunctionTool)
        else ToolCall("1", tool.payload["tools"][0]["name"], call.arguments, None, in_space("n"))
    )
    assert own == resolved.unwrap(call)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"input": {"type": "array"}}},
        {"type": "object", "properties": {"input": {}, "b": {}}, "required": ["input", "b"]},
    ],
)
def test_a_function_that_never_takes_exactly_an_input_is_told(schema):
    """By its schema."""
    request = turn(tools=(FunctionTool("f", None, schema),))
    assert request == CUSTOM.wrap(request)


# the way back

TOOLS = turn(
    tools=(
        FunctionTool("f", None, INPUT),
        CustomTool("c"),
        space("n", function("f"), {"type": "custom", "name": "c"}),
    )
)


@pytest.mark.parametrize(
    ("call", "own"),
    [
        (ToolCall("1", "f", '{"input":"x"}'), ToolCall("1", "f", '{"input":"x"}')),
        (ToolCall("1", "c", '{"input":"x"}'), CustomToolCall("1", "c", "x")),
        (ToolCall("1", "c", ' { "input" : "\\u0078" } '), CustomToolCall("1", "c", "x")),
        (ToolCall("1", "n__f", "{}"), ToolCall("1", "f", "{}", None, in_space("n"))),
        (
            ToolCall("1", "n__c", '{"input":""}'),
            CustomToolCall("1", "c", "", None, in_space("n")),
        ),
        (ToolCall("1", "gone", '{"input":"x"}'), ToolCall("1", "gone", '{"input":"x"}')),
        (ToolCall("1", "a__b", "{}"), ToolCall("1", "a__b", "{}")),
    ],
)
def test_a_call_comes_back_as_the_client_published_it(call, own):
    """As an item, in its event, and in the outcome; its start likewise."""
    wrapping = EVERYTHING.resolve(TOOLS)
    assert own == wrapping.unwrap(call)
    assert ItemCompleted(own, 3) == wrapping.unwrap(ItemCompleted(call, 3))
    outcome = TurnOutcome(ToolCalls(), (call,))
    assert evolve(outcome, items=(own,)) == wrapping.unwrap(outcome)
    assert TurnCompleted(evolve(outcome, items=(own,))) == wrapping.unwrap(TurnCompleted(outcome))
    started = ToolCallStarted("1", own.name, 3, isinstance(own, CustomToolCall))
    assert started == wrapping.unwrap(ToolCallStarted("1", call.name, 3))


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "{}",
        '{"input":1}',
        '{"input":"x","more":1}',
        '{"input":"x"',
        '"x"',
        '{"input":"x","input":"y"}',
        '{"input":"\\ud800"}',
    ],
)
def test_a_call_that_does_not_unwrap_exactly_is_refused(arguments):
    """Never repaired; what the model wrote is not quoted."""
    with pytest.raises(ResponseRefused) as caught:
        EVERYTHING.resolve(TOOLS).unwrap(ToolCall("1", "c", arguments))
    error = caught.value
    assert (RefusalCode.PROTOCOL, Dispatch.ACCEPTED, False) == (
        error.code,
        error.dispatch,
        error.retriable,
    )


def test_unresolved_a_call_is_told_by_itself():
    """The last two underscores end the namespace; exactly an input is a custom call."""
    assert CustomToolCall("1", "c", "x") == CUSTOM.unwrap(ToolCall("1", "c", '{"input":"x"}'))
    assert ToolCall("1", "f", "{}") == CUSTOM.unwrap(ToolCall("1", "f", "{}"))
    assert ToolCall("1", "c", "{}", None, in_space("a__b")) == FLAT.unwrap(
        ToolCall("1", "a__b__c", "{}")
    )
    for plain in ("__f", "f__", "f"):
        assert ToolCall("1", plain, "{}") == FLAT.unwrap(ToolCall("1", plain, "{}"))
    named = ToolWrapping(frozenset({"c"}))
    assert ToolCallStarted("1", "c", 0, True) == named.unwrap(ToolCallStarted("1", "c", 0))


def test_a_failure_shows_what_stood_as_far_as_it_unwraps():
    """A broken answer hides nothing."""
    good, bad = ToolCall("1", "c", '{"input":"x"}'), ToolCall("2", "c", "{}")
    partial = PartialOutcome((good, bad), (OpenItem(2, "call", "{", "3", "c"),))
    error = ResponseRefused(RefusalCode.PROTOCOL, "x", partial=partial)
    (failed,) = Unwrapping(EVERYTHING.resolve(TOOLS)).take(TurnFailed(error))
    assert isinstance(failed, TurnFailed)
    assert isinstance(failed.error, ResponseRefused)
    assert evolve(partial, items=(CustomToolCall("1", "c", "x"), bad)) == failed.error.partial
    bare = TurnFailed(RequestRefused(RefusalCode.TOO_LARGE, "x"))
    assert bare == EVERYTHING.unwrap(bare)


def streamed(call: ToolCall, index: int) -> list[Any]:
    """A call as a decoder says it, its arguments one character a delta."""
    deltas = [ToolArgumentsDelta(call.call_id, letter, index) for letter in call.arguments]
    return [ToolCallStarted(call.call_id, call.name, index), *deltas, ItemCompleted(call, index)]


@pytest.mark.parametrize(
    "wrapping", [EVERYTHING, EVERYTHING.resolve(TOOLS)], ids=["all", "resolved"]
)
def test_a_stream_says_the_same_as_its_outcome(wrapping):
    """Interleaved; a wrapped input comes whole, once, before its item."""
    one, two = ToolCall("1", "n__c", '{"input":"x\\ny"}'), ToolCall("2", "n__f", '{"a":1}')
    empty = ToolCall("3", "n__c", '{"input":""}')
    first, second = streamed(one, 0), streamed(two, 1)
    events = [TextDelta("t", 3)]
    for pair in zip(first, second, strict=False):
        events += pair
    events += first[len(second) :] + streamed(empty, 2)
    unwrapping, folding, seen = Unwrapping(wrapping), Fold(), []
    for event in events:
        for shown in unwrapping.take(event):
            seen.append(shown)
            folding.add(shown)
    own = (
        CustomToolCall("1", "c", "x\ny", None, in_space("n")),
        ToolCall("2", "f", '{"a":1}', None, in_space("n")),
        CustomToolCall("3", "c", "", None, in_space("n")),
    )
    assert own == folding.items()[:3]
    starts = {e.call_id: (e.name, e.custom) for e in seen if isinstance(e, ToolCallStarted)}
    assert {"1": ("c", True), "2": ("f", False), "3": ("c", True)} == starts
    said = dict.fromkeys("123", "")
    for event in seen:
        if isinstance(event, ToolArgumentsDelta):
            assert event.call_id in starts
            said[event.call_id] += event.delta
    assert {"1": "x\ny", "2": '{"a":1}', "3": ""} == said
    assert 1 == sum(isinstance(e, ToolArgumentsDelta) and e.call_id == "1" for e in seen)


def test_a_plain_call_streams_on_where_that_can_be_told():
    """Only wrapped calls wait."""
    unwrapping = Unwrapping(EVERYTHING.resolve(TOOLS))
    assert (ToolCallStarted("1", "f", 0),) == unwrapping.take(ToolCallStarted("1", "f", 0))
    delta = ToolArgumentsDelta("1", "{", 0)
    assert (delta,) == unwrapping.take(delta)


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "n", "a_b"]), names(), st.booleans(), texts()),
        # one name on the wire is one tool; anything else is a collision, which is refused
        unique_by=lambda call: "__".join(filter(None, call[:2])),
        max_size=5,
    )
)
def test_wrapping_and_unwrapping_are_inverse(calls):
    """Whatever was called comes back, as the model would have called it again."""
    items = []
    for position, (name, own, custom, text) in enumerate(calls):
        extensions = in_space(name) if name else ()
        kind = (
            CustomToolCall(str(position), own, text, None, extensions)
            if custom
            else ToolCall(str(position), own, json.dumps({"input": text}), None, extensions)
        )
        items.append(kind)
    request = turn(*items)
    wrapping = EVERYTHING.resolve(request)
    assert request.items == tuple(map(wrapping.unwrap, wrapping.wrap(request).items))

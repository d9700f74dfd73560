"""What makes a turn consistent, in itself and for one binding."""

from math import inf, nan
from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Capabilities
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    DataSource,
    Document,
    Extension,
    Image,
    Instruction,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.model.tools import (
    AUTO,
    Allowed,
    CustomTool,
    FunctionTool,
    HostedTool,
    Named,
)
from llm_projections.model.turn import Sampling, TurnRequest
from llm_projections.model.validation import published_names, raise_all, turn_faults
from tests.everything import MODEL, binding_of

USER = UserMessage((Text("u"),))
SAID = AssistantMessage((Text("a"),))
HERE = binding_of(Protocol.MESSAGES).provenance


def call(name: str) -> ToolCall:
    return ToolCall(name, "f", "{}")


def custom(name: str) -> CustomToolCall:
    return CustomToolCall(name, "c", "x")


def result(name: str, *, of_custom: bool = False) -> ToolResult:
    return ToolResult(name, (Text("r"),), custom=of_custom)


def faults(turn: TurnRequest, limits: Limits | None = None) -> list[tuple[str, str]]:
    """Every fault as (code, path)."""
    found = turn_faults(turn, Limits() if limits is None else limits)
    return [(fault.code.value, fault.path) for fault in found]


def conversation(*items: Item, **settings: Any) -> TurnRequest:
    return TurnRequest(MODEL, items, **settings)


CONSISTENT: dict[str, tuple[Item, ...]] = {
    "nothing is said": (),
    "a call and its result": (USER, call("1"), result("1")),
    "parallel calls, answered in another order": (call("1"), call("2"), result("2"), result("1")),
    "calls one after the other": (call("1"), result("1"), call("2"), result("2"), SAID),
    "text after a call is of the same model turn": (call("1"), SAID, result("1")),
    "reasoning between calls": (call("1"), Reasoning("r"), call("2"), result("1"), result("2")),
    "the user speaks before the result": (call("1"), USER, result("1")),
    "an instruction stands between": (call("1"), Instruction(()), result("1"), SAID),
    "a custom call and its result": (custom("1"), result("1", of_custom=True)),
    "the history may call what is not published": (ToolCall("1", "gone", "{}"), result("1")),
    "a wire call and its result": (
        WireItem(Protocol.CHAT, {}, "1", "call"),
        result("1"),
    ),
}


@pytest.mark.parametrize("items", CONSISTENT.values(), ids=CONSISTENT)
def test_a_conversation_that_is_consistent(items):
    """No fault is found in it."""
    assert [] == faults(conversation(*items))


CONTRADICTIONS: dict[str, tuple[tuple[Item, ...], str]] = {
    "a result without a call": ((USER, result("1")), "items[1].call_id"),
    "a result before its call": ((result("1"), call("1"), result("1")), "items[0].call_id"),
    "a second result": ((call("1"), result("1"), result("1")), "items[2].call_id"),
    "no answer before the model speaks, after the result of a wire call": (
        (call("1"), WireItem(Protocol.CHAT, {}, "2", "call"), result("2"), SAID, USER),
        "items[3]",
    ),
    "an id used twice at once": ((call("1"), call("1"), result("1")), "items[1].call_id"),
    "an id used again later": (
        (call("1"), result("1"), call("1"), result("1")),
        "items[2].call_id",
    ),
    "an id shared by both kinds": (
        (call("1"), custom("1"), result("1", of_custom=True)),
        "items[1].call_id",
    ),
    "no answer at the end": ((USER, call("1")), "items[1]"),
    "one of two answered at the end": ((call("1"), call("2"), result("1")), "items[2]"),
    "no answer before the model speaks again": ((call("1"), USER, SAID), "items[2]"),
    "no answer before the model speaks, and more": ((call("1"), USER, SAID, USER), "items[2]"),
    "no answer before it reasons, and more": (
        (call("1"), USER, Reasoning("r"), USER),
        "items[2]",
    ),
    "no answer before a seal, and more": ((call("1"), USER, Opaque(HERE, {}), USER), "items[2]"),
    "no answer before the model speaks, and the user after it": (
        (call("1"), USER, SAID, USER),
        "items[2]",
    ),
    "no answer before the model reasons again": ((call("1"), USER, Reasoning("r")), "items[2]"),
    "no answer before the model calls again": (
        (call("1"), call("2"), result("1"), call("3"), result("3")),
        "items[3]",
    ),
    "no answer before sealed state": ((call("1"), USER, Opaque(HERE, {})), "items[2]"),
    "a function result for a custom call": ((custom("1"), result("1")), "items[1].custom"),
    "a custom result for a function call": (
        (call("1"), result("1", of_custom=True)),
        "items[1].custom",
    ),
    "a second result of a wire call": (
        (WireItem(Protocol.CHAT, {}, "1", "call"), result("1"), result("1")),
        "items[2].call_id",
    ),
    "a result of what a provider ran": (
        (WireItem(Protocol.CHAT, {}, "1", "other"), result("1")),
        "items[1].call_id",
    ),
}


@pytest.mark.parametrize(("items", "path"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_conversation_that_contradicts_itself(items, path):
    """One fault, at the item that makes it."""
    assert [("INVALID_REQUEST", path)] == faults(conversation(*items))


def test_an_id_of_a_call_that_came_too_early_is_used_all_the_same():
    """A call before the answer of another is a fault, and its id may not come again."""
    items = (call("1"), USER, call("2"), result("2"), call("2"), result("2"))
    assert [("INVALID_REQUEST", "items[2]"), ("INVALID_REQUEST", "items[4].call_id")] == faults(
        conversation(*items)
    )


@pytest.mark.parametrize("path", ["previous_response_id", "conversation", "thread"])
def test_with_a_continuation_the_call_may_be_held_elsewhere(path):
    """The provider has the items before these."""
    carried = (Extension(Protocol.RESPONSES, path, "resp_0"),)
    assert [] == faults(conversation(result("1"), extensions=carried))
    unrelated = (Extension(Protocol.RESPONSES, "truncation", "auto"),)
    assert [("INVALID_REQUEST", "items[0].call_id")] == faults(
        conversation(result("1"), extensions=unrelated)
    )


def test_with_an_item_reference_the_call_may_be_held_elsewhere():
    """The reference may be to the call."""
    held = WireItem(Protocol.RESPONSES, {"type": "item_reference", "id": "fc_1"})
    assert [] == faults(conversation(held, result("1")))


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"sampling": Sampling(temperature=2.1)}, "sampling.temperature"),
        ({"sampling": Sampling(temperature=-0.1)}, "sampling.temperature"),
        ({"sampling": Sampling(temperature=nan)}, "sampling.temperature"),
        ({"sampling": Sampling(temperature=inf)}, "sampling.temperature"),
        ({"sampling": Sampling(top_p=0)}, "sampling.top_p"),
        ({"sampling": Sampling(top_p=1.01)}, "sampling.top_p"),
        ({"sampling": Sampling(top_p=nan)}, "sampling.top_p"),
        ({"sampling": Sampling(temperature=10**400)}, "sampling.temperature"),
        ({"sampling": Sampling(top_p=10**400)}, "sampling.top_p"),
        ({"sampling": Sampling(presence_penalty=inf)}, "sampling.presence_penalty"),
        ({"sampling": Sampling(frequency_penalty=nan)}, "sampling.frequency_penalty"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"max_output_tokens": -1}, "max_output_tokens"),
        ({"tools": (FunctionTool(""),)}, "tools[0].name"),
        ({"tools": (FunctionTool("f"), FunctionTool("f"))}, "tools[1].name"),
        ({"tools": (FunctionTool("f"), CustomTool("f"))}, "tools[1].name"),
        (
            {"tools": (HostedTool(Protocol.CHAT, {}), FunctionTool("f"), FunctionTool("f"))},
            "tools[2].name",
        ),
        ({"tool_choice": Named("f")}, "tool_choice"),
        (
            {"tool_choice": Allowed("auto", ("f", "g")), "tools": (FunctionTool("f"),)},
            "tool_choice",
        ),
    ],
)
def test_a_setting_out_of_its_range(settings, path):
    """One fault, at the setting."""
    assert [("INVALID_REQUEST", path)] == faults(conversation(USER, **settings))


@pytest.mark.parametrize(
    "settings",
    [
        {"sampling": Sampling(0, 1, 0, 0, -2, 2)},
        {"sampling": Sampling(2, 0.001)},
        {"sampling": Sampling(presence_penalty=10**400, frequency_penalty=-(10**400))},
        {"max_output_tokens": 1},
        {"tools": (FunctionTool("f"), FunctionTool("g")), "tool_choice": Named("g")},
        {"tools": (CustomTool("c"),), "tool_choice": Allowed("required", ("c",))},
        {"tools": (HostedTool(Protocol.CHAT, {"name": "h"}),), "tool_choice": Named("h")},
        {"tools": (HostedTool(Protocol.CHAT, {}), HostedTool(Protocol.CHAT, {}))},
        {"tool_choice": AUTO},
    ],
)
def test_a_setting_within_its_range(settings):
    """The edges count."""
    assert [] == faults(conversation(USER, **settings))


def test_tools_are_published_in_namespaces_and_among_the_items_too():
    """A choice may name any of them."""
    space = {
        "type": "namespace",
        "name": "n",
        "tools": [{"name": "inner"}, {"name": "m", "tools": [{"name": "deep"}]}, 7, {"name": 7}],
    }
    late = WireItem(Protocol.RESPONSES, {"type": "additional_tools", "tools": [{"name": "late"}]})
    turn = conversation(
        late,
        USER,
        tools=(FunctionTool("f"), CustomTool("c"), HostedTool(Protocol.RESPONSES, space)),
    )
    assert {"f", "c", "n", "inner", "m", "deep", "late"} == published_names(turn)


# a limit, a turn that it just allows, and one that is past it
AT_LIMIT: dict[str, tuple[int, TurnRequest, TurnRequest, str]] = {
    "items": (2, conversation(USER, SAID), conversation(USER, SAID, USER), "items"),
    "tools": (
        1,
        conversation(tools=(FunctionTool("f"),)),
        conversation(tools=(FunctionTool("f"), FunctionTool("g"))),
        "tools",
    ),
    "arguments_bytes": (
        4,
        conversation(ToolCall("1", "f", "éé"), result("1")),
        conversation(ToolCall("1", "f", "éé "), result("1")),
        "items[0]",
    ),
    "instructions_bytes": (
        4,
        conversation(instructions=(Instruction((Text("é"),)), Instruction((Text("é"),)))),
        conversation(Instruction((Text("é"),)), instructions=(Instruction((Text("é!"),)),)),
        "instructions",
    ),
    "result_bytes": (
        6,
        conversation(
            call("1"),
            ToolResult("1", (Text("é"), Image(DataSource("QQ")), Document(TextSource("ab")))),
        ),
        conversation(
            call("1"),
            ToolResult("1", (Text("é"), Image(DataSource("QQ=")), Document(TextSource("ab")))),
        ),
        "items[1]",
    ),
}


@pytest.mark.parametrize("name", AT_LIMIT)
def test_a_size_past_its_limit(name):
    """Measured in bytes where the limit is; the limit itself is allowed."""
    most, allowed, past, path = AT_LIMIT[name]
    limits = evolve(Limits(), **{name: most})
    assert [] == faults(allowed, limits)
    assert [("TOO_LARGE", path)] == faults(past, limits)


def test_a_custom_input_counts_as_arguments():
    """Free text is bounded alike."""
    turn = conversation(CustomToolCall("1", "c", "12345"), result("1", of_custom=True))
    assert [("TOO_LARGE", "items[0]")] == faults(turn, Limits(arguments_bytes=4))


def test_every_fault_is_raised_at_once():
    """The first, with the others in their order."""
    turn = conversation(result("1"), call("2"), sampling=Sampling(9.0), max_output_tokens=0)
    with pytest.raises(RequestRefused) as refused:
        turn.validate()
    error = refused.value
    paths = ["sampling.temperature", "max_output_tokens", "items[0].call_id", "items[1]"]
    assert paths == [error.path, *(other.path for other in error.others)]
    raise_all([])


def for_binding(turn: TurnRequest, **changes: Any) -> list[tuple[str, str, str | None]]:
    able = evolve(Capabilities.all(1000, 1000), **changes)
    with pytest.raises(RequestRefused) as refused:
        turn.validate_for(binding_of(Protocol.MESSAGES, capabilities=able))
    error = refused.value
    return [(each.code.value, each.path, each.loss) for each in (error, *error.others)]


def test_for_a_binding_the_model_must_be_its_own():
    """An alias is resolved by the caller, not guessed."""
    assert [("INVALID_REQUEST", "model", None)] == for_binding(TurnRequest.text("other", "u"))


def test_for_a_binding_every_setting_must_be_declared():
    """A lack is a refusal that names its loss."""
    turn = TurnRequest.text(MODEL, "u", stop=("x",), verbosity="low")
    assert [
        ("UNSUPPORTED", "stop", "turn.stop"),
        ("UNSUPPORTED", "verbosity", "turn.verbosity"),
    ] == for_binding(turn, stop=False, verbosity=False)


SEAL = Extension(Protocol.CHAT, "messages.tool_calls.extra_content", {})


@pytest.mark.parametrize(
    "coordinate", ["provider", "account", "endpoint", "model", "binding_revision"]
)
def test_state_of_another_binding_is_foreign(coordinate):
    """All six coordinates must match."""
    able = Capabilities.all(1000, 1000)
    home = binding_of(Protocol.MESSAGES, capabilities=able).provenance
    conversation(Opaque(home, {})).validate_for(binding_of(Protocol.MESSAGES, capabilities=able))
    foreign = Opaque(evolve(home, **{coordinate: "other"}), {})
    assert [("INVALID_REQUEST", "items[1]", "turn.opaque")] == for_binding(
        conversation(USER, foreign)
    )


def test_state_that_nobody_attributed_is_not_sendable():
    """It has a loss of its own, since binding it is the other way out."""
    loose = UnattributedOpaque(Protocol.MESSAGES, {})
    assert [("INVALID_REQUEST", "items[0]", "turn.opaque.unattributed")] == for_binding(
        conversation(loose)
    )


@pytest.mark.parametrize("provenance", [None, HERE])
def test_a_seal_beside_a_call_is_checked_too(provenance):
    """Unbound, or bound elsewhere."""
    sealed = evolve(call("1"), extensions=(evolve(SEAL, provenance=provenance),))
    assert [("INVALID_REQUEST", "items[0].extensions", "turn.opaque")] == for_binding(
        conversation(sealed, result("1"))
    )


def test_what_is_carried_beside_an_item_is_no_seal():
    """A field of the wire that seals nothing belongs to nobody."""
    named = UserMessage((Text("u"),), (Extension(Protocol.MESSAGES, "messages.name", "n"),))
    able = Capabilities.all(1000, 1000)
    conversation(named).validate_for(binding_of(Protocol.MESSAGES, capabilities=able))


def test_codes_tell_contradiction_from_lack():
    """A contradiction has no loss: nothing could be left out."""
    fault = next(iter(turn_faults(conversation(result("1")), Limits())))
    assert (RefusalCode.INVALID_REQUEST, None) == (fault.code, fault.loss)

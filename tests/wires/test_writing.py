"""Writing request bodies: what a binding takes goes out, the rest is named."""

from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import RequestRefused
from llm_projections.model.binding import ApiKey, Capabilities
from llm_projections.model.items import (
    CacheMark,
    Extension,
    Opaque,
    Protocol,
    UnattributedOpaque,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.turn import Sampling, TurnRequest
from llm_projections.wires._writing import Writer, header_extensions, nest
from tests.everything import MODEL, binding_of

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES


def writer(accept: Any = (), able: Capabilities | None = None, **habits: Any) -> Writer:
    return Writer(binding_of(CHAT, capabilities=able, **habits), accept, Limits())


def told(writing: Writer) -> list[tuple[str, str, str | None]]:
    return [(each.code.value, each.path, each.loss) for each in writing.refusals]


def test_a_turn_that_the_binding_declares_passes_whole():
    """The same value comes back."""
    turn = TurnRequest.text(MODEL, "u", sampling=Sampling(1.0), stop=("x",))
    writing = writer()
    assert turn is writing.fit(turn)
    assert () == writing.finish()


def test_what_the_binding_lacks_is_refused_or_left_out():
    """By the same name; either way it is taken out of what is written."""
    turn = TurnRequest.text(MODEL, "u", stop=("x",), verbosity="low")
    able = evolve(Capabilities.all(), stop=False, verbosity=False)
    writing = writer(["turn.verbosity"], able)
    assert TurnRequest.text(MODEL, "u") == writing.fit(turn)
    assert [("UNSUPPORTED", "stop", "turn.stop")] == told(writing)
    assert [Loss("turn.verbosity", "verbosity")] == writing.losses
    with pytest.raises(RequestRefused):
        writing.finish()


def test_faults_of_the_turn_itself_are_told_with_the_rest():
    """One list for the caller."""
    turn = TurnRequest.text("another", "u", max_output_tokens=0, stop=("x",))
    writing = writer((), evolve(Capabilities.all(), stop=False))
    writing.fit(turn)
    assert ["max_output_tokens", "model", "stop"] == [path for _, path, _ in told(writing)]


NO_FIELDS: dict[str, Any] = {"request_fields": frozenset()}


@pytest.mark.parametrize(
    ("protocol", "path", "extensions", "fields", "takes"),
    [
        (CHAT, "logit_bias", frozenset(), frozenset(), False),
        (CHAT, "logit_bias", frozenset({"chat.logit_bias"}), frozenset(), True),
        (CHAT, "logit_bias", frozenset(), frozenset({"logit_bias"}), True),
        (CHAT, "provider.order", frozenset(), frozenset({"provider"}), True),
        (CHAT, "provider", frozenset(), frozenset({"provider.order"}), False),
        (MESSAGES, "logit_bias", frozenset({"messages.logit_bias"}), frozenset(), False),
        (MESSAGES, "logit_bias", frozenset(), frozenset({"logit_bias"}), False),
    ],
)
def test_a_carried_thing_goes_out_where_it_is_listed(protocol, path, extensions, fields, takes):
    """On its own wire only, by the binding or by the dialect."""
    writing = writer((), Capabilities(extensions=extensions), request_fields=fields)
    assert takes == writing.takes(protocol, path)


def carried(*extensions: Extension, accept: Any = (), prefix: str = "messages.", **habits: Any):
    able = Capabilities() if habits else None
    writing, into = writer(accept, able, **habits), {"role": "user"}
    writing.carry(extensions, prefix, into, ("items", 4))
    return writing, into


def test_a_carried_field_stands_where_it_came_from():
    """Without its owner's prefix; nested keys along the dots."""
    _, into = carried(
        Extension(CHAT, "messages.name", "n"),
        Extension(CHAT, "messages.a.b", 1),
        Extension(CHAT, "messages.a.c", None),
    )
    assert {"role": "user", "name": "n", "a": {"b": 1, "c": None}} == into


def test_a_carried_field_of_another_wire_is_a_loss_of_its_own_name():
    """At the place of its owner."""
    foreign = Extension(MESSAGES, "messages.output_config", {})
    writing, into = carried(foreign, accept=[])
    assert {"role": "user"} == into
    assert [("UNSUPPORTED", "items[4].output_config", "messages.messages.output_config")] == told(
        writing
    )


def test_a_carried_field_that_the_binding_does_not_list_is_a_loss():
    """On its own wire too."""
    writing, into = carried(Extension(CHAT, "messages.name", "n"), **NO_FIELDS)
    assert {"role": "user"} == into
    assert [("UNSUPPORTED", "items[4].name", "chat.messages.name")] == told(writing)


def test_a_field_of_the_request_itself_is_named_by_its_body_path():
    """There is no owner to begin with."""
    writing = writer()
    writing.carry((Extension(MESSAGES, "context_management.edits", []),), "", {}, ())
    assert ["context_management.edits"] == [path for _, path, _ in told(writing)]


def test_what_an_answer_said_has_no_place_in_a_request():
    """It is a hint that is left out by name."""
    writing, into = carried(Extension(CHAT, "answer.logprobs", {}), accept=["turn.answer_fields"])
    assert {"role": "user"} == into
    assert [Loss("turn.answer_fields", "items[4]")] == writing.losses


def test_names_that_a_wire_gives_its_items_mean_nothing_elsewhere():
    """They are left out there without a loss, and sent again at home."""
    writing, into = carried(Extension(RESPONSES, "input.id", "msg_1"))
    assert ({"role": "user"}, [], []) == (into, writing.losses, writing.refusals)
    home = Writer(binding_of(RESPONSES), (), Limits())
    home.carry((Extension(RESPONSES, "input.id", "msg_1"),), "input.", into, ())
    assert {"role": "user", "id": "msg_1"} == into


def test_carried_headers_are_no_part_of_a_body():
    """They go out as headers, on their own wire."""
    both = (
        Extension(CHAT, "header.x-a", "1"),
        Extension(MESSAGES, "header.x-b", "2"),
        Extension(CHAT, "logit_bias", "4"),
    )
    _, into = carried(both[0], prefix="")
    assert {"role": "user"} == into
    assert {"x-a": "1"} == header_extensions(both, binding_of(CHAT))


@pytest.mark.parametrize(
    ("name", "value"), [("authorization", "x"), ("X-Mine", "x"), ("host", "x"), ("x-a", 3)]
)
def test_a_carried_header_never_authenticates(name: str, value: Any):
    """Nor says what the wire itself says; the body is refused as the headers are."""
    binding = evolve(binding_of(CHAT), auth=ApiKey("x-mine"))
    extension = Extension(CHAT, f"header.{name}", value)
    with pytest.raises(RequestRefused) as refused:
        header_extensions((extension,), binding)
    writing = Writer(binding, (), Limits())
    writing.carry((extension,), "", {}, ())
    assert [refused.value] == writing.refusals
    assert f"header.{name}" == refused.value.path


SEALED = "messages.tool_calls.extra_content"


@pytest.mark.parametrize("theirs", [True, False])
def test_a_seal_beside_a_call_goes_back_only_where_it_came_from(theirs):
    """Like any opaque state."""
    home = writer().binding.provenance
    seal = Extension(CHAT, SEALED, {"s": 1}, evolve(home, account="b") if theirs else home)
    writing, into = carried(seal, prefix="messages.tool_calls.")
    assert ({} if theirs else {"extra_content": {"s": 1}}) == {
        k: v for k, v in into.items() if k != "role"
    }
    assert (["turn.opaque"] if theirs else []) == [loss for _, _, loss in told(writing)]


def test_opaque_state_goes_back_only_where_it_came_from():
    """Foreign and unattributed state have a loss each."""
    writing = writer()
    home = writing.binding.provenance
    assert {"a": 1} == writing.opaque(Opaque(home, {"a": 1}), ("items", 0))
    assert None is writing.opaque(Opaque(evolve(home, account="b"), {}), ("items", 1))
    assert None is writing.opaque(UnattributedOpaque(CHAT, {}), ("items", 2))
    assert [
        ("UNSUPPORTED", "items[1]", "turn.opaque"),
        ("UNSUPPORTED", "items[2]", "turn.opaque.unattributed"),
    ] == told(writing)


@pytest.mark.parametrize(
    ("mark", "able", "expected"),
    [
        (None, False, None),
        (CacheMark("1h"), True, CacheMark("1h")),
        (CacheMark("1h"), False, None),
    ],
)
def test_a_cache_mark_needs_a_capability(mark, able, expected):
    """It is a hint that is left out by name."""
    writing = writer(["turn.cache"], Capabilities(cache_marks=able))
    assert expected == writing.mark(mark, ("items", 0))
    lost = mark is not None and not able
    assert ([Loss("turn.cache", "items[0].cache")] if lost else []) == writing.losses


@pytest.mark.parametrize("able", [True, False])
def test_content_that_is_not_declared_is_named(able):
    """Images, documents, audio."""
    writing = writer()
    assert able is writing.declared(able, "turn.images", ("items", 0, "content", 1))
    path = [] if able else [("UNSUPPORTED", "items[0].content[1]", "turn.images")]
    assert path == told(writing)


def test_nesting_makes_the_objects_on_the_way():
    """And replaces a value where it may, never what is on the way."""
    into: dict[str, Any] = {"a": {"x": 1}, "b": 2, "e": 1}
    nest(into, "a.y.z", 3)
    assert not nest(into, "b.c", 4, over=True)
    nest(into, "d", 5)
    assert not nest(into, "d", 6)
    assert nest(into, "e", 6, over=True)
    assert {"a": {"x": 1, "y": {"z": 3}}, "b": 2, "d": 5, "e": 6} == into

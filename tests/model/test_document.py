"""Documents: what was stored comes back, and nothing else is taken for it."""

import json
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given

from llm_projections._json import RawJson
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import ApiKey, Binding, Capabilities
from llm_projections.model.document import from_document, to_document
from llm_projections.model.items import (
    AssistantMessage,
    Protocol,
    Text,
    ToolCall,
    UserMessage,
    WireItem,
)
from llm_projections.model.outcome import EndTurn, TurnOutcome, Warning
from llm_projections.model.tools import FunctionTool, HostedTool, Named
from llm_projections.model.turn import Sampling, TurnRequest
from tests.everything import binding_of
from tests.values import anything


def refused(document: bytes) -> RequestRefused:
    with pytest.raises(RequestRefused) as caught:
        from_document(document)
    assert RefusalCode.INVALID_REQUEST is caught.value.code
    return caught.value


@given(anything(TurnRequest))
def test_every_turn_comes_back(turn):
    """Whatever its types allow."""
    assert turn == from_document(to_document(turn))


@given(anything(TurnOutcome))
def test_every_outcome_comes_back(outcome):
    """Its warnings too, which equality does not look at."""
    again = from_document(to_document(outcome))
    assert outcome == again
    assert isinstance(again, TurnOutcome)
    assert outcome.warnings == again.warnings


@given(anything(Binding))
def test_every_binding_comes_back(binding):
    """With the same revision, so that opaque state stored beside it stays sendable."""
    again = from_document(to_document(binding))
    assert binding == again
    assert isinstance(again, Binding)
    assert binding.revision == again.revision


@given(anything(TurnRequest))
def test_one_value_has_one_document(turn):
    """Writing what was read changes no byte."""
    document = to_document(turn)
    assert document == to_document(from_document(document))


def test_types_are_kept_where_equality_does_not_see_them():
    """`1`, `1.0` and `True` are three things to JSON."""
    payload: dict[str, Any] = {"a": [1, 1.0, True, "1", None, 2**64, -0.0]}
    turn = TurnRequest("m", (WireItem(Protocol.CHAT, payload),), sampling=Sampling(1, 1.0))
    again = from_document(to_document(turn))
    assert isinstance(again, TurnRequest)
    assert repr(turn) == repr(again)


def test_what_equals_its_default_is_left_out():
    """A document says what was set."""
    turn = TurnRequest("m", (UserMessage((Text("u"),)),))
    assert {
        "format": "llm.turn/1",
        "model": "m",
        "items": [{"kind": "UserMessage", "content": [{"kind": "Text", "text": "u"}]}],
    } == json.loads(to_document(turn))
    outcome = TurnOutcome(EndTurn(), (AssistantMessage((Text("a"),)),))
    assert ["format", "stop", "items"] == list(json.loads(to_document(outcome)))


def test_a_binding_holds_no_credential():
    """Only how one is sent."""
    document = to_document(binding_of(Protocol.CHAT, auth=ApiKey("x-goog-api-key")))
    assert {"kind": "ApiKey", "header": "x-goog-api-key"} == json.loads(document)["auth"]


TURN: dict[str, Any] = {
    "format": "llm.turn/1",
    "model": "m",
    "items": [
        {"kind": "UserMessage", "content": [{"kind": "Text", "text": "u"}]},
        {"kind": "ToolCall", "call_id": "1", "name": "f", "arguments": "{}"},
    ],
    "tools": [{"kind": "FunctionTool", "name": "f"}],
    "sampling": {"temperature": 1},
    "tool_choice": {"kind": "Named", "name": "f"},
}


def test_the_document_that_the_faults_start_from_is_sound():
    """Each of them is the only one."""
    assert TurnRequest(
        "m",
        (UserMessage((Text("u"),)), ToolCall("1", "f", "{}")),
        tools=(FunctionTool("f"),),
        sampling=Sampling(1),
        tool_choice=Named("f"),
    ) == from_document(json.dumps(TURN).encode())


@pytest.mark.parametrize(
    ("place", "value", "path"),
    [
        (("extra",), 1, "extra"),
        (("not plain!",), 1, ""),
        (("items", 0, "extra"), 1, "items[0].extra"),
        (("items", 0, "content", 0, "extra"), 1, "items[0].content[0].extra"),
        (("sampling", "extra"), 1, "sampling.extra"),
        (("format",), "llm.turn/2", "format"),
        (("format",), "llm.other/1", "format"),
        (("format",), None, "format"),
        (("model",), 5, "model"),
        (("model",), None, "model"),
        (("items",), {}, "items"),
        (("items",), "text", "items"),
        (("items", 0), "text", "items[0]"),
        (("items", 0, "kind"), "Nothing", "items[0]"),
        (("items", 0, "kind"), "TurnRequest", "items[0]"),
        (("items", 0, "kind"), None, "items[0]"),
        (("items", 0, "content", 0, "text"), 1, "items[0].content[0].text"),
        (("items", 1, "arguments"), {}, "items[1].arguments"),
        (("sampling", "temperature"), "1", "sampling.temperature"),
        (("sampling", "temperature"), True, "sampling.temperature"),
        (("sampling", "seed"), 1.0, "sampling.seed"),
        (("max_output_tokens",), 1.5, "max_output_tokens"),
        (("parallel_tool_calls",), 1, "parallel_tool_calls"),
        (("cache_marks",), "some", "cache_marks"),
        (("tool_choice",), "sometimes", "tool_choice"),
        (("stop",), "x", "stop"),
        (("metadata",), {"a": 1}, "metadata.a"),
        (("metadata",), {"not plain! @ $": 1}, "metadata"),
        (("sampling", "x @ $.y"), 1, "sampling"),
        (("tools", 0, "input_schema"), [], "tools[0].input_schema"),
        (("tools", 0, "input_schema"), "text", "tools[0].input_schema"),
        (("tools", 0, "input_schema"), {"$raw": "{}"}, "tools[0].input_schema"),
        (("tools", 0, "input_schema"), {"$raw": []}, "tools[0].input_schema"),
        (("tools", 0, "input_schema"), {"a": {"$raw": "{"}}, "tools[0].input_schema"),
    ],
)
def test_anything_else_is_refused_by_its_place(place, value, path):
    """Unknown fields, unknown words and values of another type; a value is never quoted."""
    changed = json.loads(json.dumps(TURN))
    node = changed
    for step in place[:-1]:
        node = node[step]
    node[place[-1]] = value
    error = refused(json.dumps(changed).encode())
    assert path == error.path
    assert "sometimes" not in str(error)


@pytest.mark.parametrize(
    ("place", "path"),
    [(("model",), "model"), (("items",), "items"), (("items", 1, "name"), "items[1].name")],
)
def test_a_missing_field_is_refused_by_its_place(place, path):
    """What has no default is required."""
    changed = json.loads(json.dumps(TURN))
    node = changed
    for step in place[:-1]:
        node = node[step]
    del node[place[-1]]
    error = refused(json.dumps(changed).encode())
    assert (path, "is required") == (error.path, error.message)


def test_counters_as_a_server_reported_them_are_an_object():
    """A text or a list there would be met only when the outcome is written."""
    seen = {"provenance": None, "usage": {"reported": "1"}}
    outcome = {"format": "llm.outcome/1", "stop": {"kind": "EndTurn"}, "items": []}
    error = refused(json.dumps({**outcome, "observation": seen}).encode())
    assert "observation.usage.reported" == error.path


@pytest.mark.parametrize(
    "document",
    [b"", b"[]", b"null", b'"llm.turn/1"', b"{", b'{"format":"llm.turn/1"', b"\xff", b"{}"],
)
def test_what_is_no_document_is_refused(document):
    """Before anything is looked into."""
    assert refused(document).path in ("", "format")


def test_a_duplicate_key_is_refused():
    """Which of the two was meant cannot be known."""
    document = b'{"format":"llm.turn/1","model":"m","items":[],"model":"n"}'
    assert "model" == refused(document).path


def test_a_lone_surrogate_cannot_be_stored():
    """JSON text is Unicode."""
    turn = evolve(TurnRequest.text("m", "u"), model="\ud800")
    with pytest.raises(RequestRefused) as caught:
        to_document(turn)
    assert "model" == caught.value.path


@pytest.mark.parametrize(
    "schema",
    [{"$raw": {"a": 1}}, {"a": [{"$raw": "{}"}]}, {"a": RawJson('{"b": 1.0}')}, {"$raw": {}}],
)
def test_what_looks_like_our_mark_comes_back(schema):
    """The mark of exact texts is no key that a schema could not have."""
    turn = TurnRequest("m", (), tools=(FunctionTool("f", None, schema),))
    assert turn == from_document(to_document(turn))


def test_each_kind_of_document_names_its_own_format():
    """So that a stored file tells what it is."""
    values = [
        TurnRequest("m", ()),
        TurnOutcome(EndTurn(), (), warnings=(Warning("a", "b"),)),
        binding_of(Protocol.CHAT, capabilities=Capabilities()),
        TurnRequest("m", (), tools=(HostedTool(Protocol.CHAT, {"$raw": "x"}),)),
    ]
    formats = [json.loads(to_document(value))["format"] for value in values]
    assert ["llm.turn/1", "llm.outcome/1", "llm.binding/1", "llm.turn/1"] == formats

"""The laws of request bodies, over the tables of cases and over drawn turns. Sentences: spec/laws.toml."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_projections import _json
from llm_projections.errors import RequestRefused
from llm_projections.model.items import Protocol
from llm_projections.model.losses import NAMES
from llm_projections.model.results import Ingested
from llm_projections.model.tools import AUTO
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES
from llm_projections.wires._rows import Table, Treat
from llm_projections.wires.chat import subset as chat_subset
from llm_projections.wires.messages import subset as messages_subset
from llm_projections.wires.responses import subset as responses_subset
from tests.acceptance.spellings import same
from tests.cases import chat, messages, responses
from tests.changing import changed, grown, objects, path_of, places, removed
from tests.everything import BINDINGS, everything
from tests.strategies import turns

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
every_wire = pytest.mark.parametrize("wire", list(Protocol), ids=lambda wire: wire.short)
few = settings(max_examples=max(1, settings().max_examples * 2 // 5))


def _whole(wire: Protocol, body: dict[str, Any]) -> dict[str, Any]:
    """A case's body with what is always written, as plain JSON."""
    always: dict[str, Any] = {"model": "m"}
    if wire is MESSAGES:
        always |= {"max_tokens": 9, "stream": True}
    plain: dict[str, Any] = json.loads(_json.dumps(always | body))
    return plain


TABLES: dict[Protocol, list[Any]] = {
    CHAT: [*chat.CASES, *chat.MEANS],
    MESSAGES: [*messages.CASES, *messages.MEANS],
    RESPONSES: [*responses.CASES],
}
BODIES = {
    wire: {f"{at} {case.name}": _whole(wire, case.body) for at, case in enumerate(table)}
    for wire, table in TABLES.items()
}
every_body = pytest.mark.parametrize(
    ("wire", "body"),
    [(wire, body) for wire, table in BODIES.items() for body in table.values()],
    ids=[f"{wire.short} {name}" for wire, table in BODIES.items() for name in table],
)


def read(wire: Protocol, body: Any) -> Ingested:
    data = body if isinstance(body, bytes) else _json.dumps(body)
    found: Ingested = WIRES[wire].ingest_request(data)
    return found


def write(wire: Protocol, found: Ingested) -> bytes:
    """What the operator of the wire's own binding sends for what was read."""
    binding = BINDINGS[wire]
    turn = evolve(found.request.bind_unattributed(binding.provenance), model=binding.model)
    stream = found.answer.stream if wire is CHAT else True
    return WIRES[wire].encode_request(turn, binding, stream=stream)


def test_the_tables_are_there() -> None:
    """Every wire has many bodies; an empty table would hold every law."""
    assert all(len(table) >= 40 for table in BODIES.values())


# 4

# Where what is written differs from what was read, and means the same: declared spellings and
# pinned additions, as (wire, difference) beside the row or habit that says so.
SPELLED = {
    (CHAT, "new    response_format.json_schema.schema"),  # no schema is the empty one
    (CHAT, "value  messages[].role"),  # which of the two roles is the dialect's habit
    (CHAT, "length messages[].content[]"),  # a refusal part is the message's refusal
    (CHAT, "new    messages[].refusal"),
    (CHAT, "new    safety_identifier"),  # `user` is its older name
    (CHAT, "gone   user"),
    (CHAT, "value  tool_choice"),  # "any" is "required"
    (CHAT, "gone   messages[].tool_calls[].function.parsed_arguments"),  # said by the arguments
    (MESSAGES, "gone   tool_choice"),  # none of no tools
    (MESSAGES, "length messages[]"),  # leading system messages are instructions
    (MESSAGES, "length system[]"),
    (MESSAGES, "new    messages[].content[].signature"),  # unsigned is signed by nothing
}


@every_body
def test_law_project_of_ingest(wire: Protocol, body: dict[str, Any]) -> None:
    """An accepted body is written as it came, up to spelling; the second round changes nothing."""
    found = read(wire, body)
    assert () == found.losses
    first = write(wire, found)
    differing = {(wire, row) for row in same(wire.short, _json.dumps(body), first)}
    assert set() == differing - SPELLED
    assert first == write(wire, read(wire, first))


def test_every_declared_spelling_is_seen() -> None:
    """None of them is kept for nothing."""
    seen = {
        (wire, row)
        for wire, table in BODIES.items()
        for body in table.values()
        for row in same(wire.short, _json.dumps(body), write(wire, read(wire, body)))
    }
    assert SPELLED == seen


@every_wire
@few
@given(data=st.data())
def test_law_project_of_ingest_of_our_own(wire: Protocol, data: st.DataObject) -> None:
    """What the library writes, it writes again byte by byte."""
    binding = BINDINGS[wire]
    turn = data.draw(turns(wire, binding.provenance))
    body = WIRES[wire].encode_request(turn, binding)
    assert body == write(wire, read(wire, body))


def _parts(kind: str) -> Callable[[dict[str, Any]], None]:
    def respell(message: dict[str, Any]) -> None:
        if isinstance(message.get("content"), str) and message["content"]:
            message["content"] = [{"type": kind, "text": message["content"]}]

    return respell


def _respelled(wire: Protocol, body: dict[str, Any], chosen: set[str]) -> None:
    """The same body in other words, each where it applies."""
    listed = body["input" if wire is RESPONSES else "messages"]
    if "nulls" in chosen:
        idle = {"top_p": None, "metadata": None, "tools": None, "service_tier": None}
        body |= {key: value for key, value in idle.items() if key not in body}
    if "defaults" in chosen:
        idle = _DEFAULTS[wire]
        body |= {key: value for key, value in idle.items() if key not in body}
    if "parts" in chosen:
        for message in listed:
            if message.get("role") == "user":
                _parts("input_text" if wire is RESPONSES else "text")(message)
    if "order" in chosen:
        for key in ("model", "stream"):
            body[key] = body.pop(key)
    if wire is RESPONSES and "typeless" in chosen:
        for item in listed:
            if item["type"] == "message":
                del item["type"]
    if wire is RESPONSES and "status" in chosen:
        for item in listed:
            if item.get("type") == "function_call":
                item["status"] = "completed"
    if wire is CHAT and "stop" in chosen and len(body.get("stop", ())) == 1:
        body["stop"] = body["stop"][0]
    if wire is CHAT and "empty" in chosen:
        for message in listed:
            if message["role"] == "assistant":
                message |= {"annotations": [], "refusal": message.get("refusal")}


_DEFAULTS: dict[Protocol, dict[str, Any]] = {
    CHAT: {"n": 1, "store": False, "tool_choice": "auto", "modalities": ["text"]},
    MESSAGES: {"stop_sequences": []},
    RESPONSES: {"background": False, "tool_choice": "auto", "truncation": "disabled"},
}
_WAYS = ["nulls", "defaults", "parts", "order", "typeless", "status", "stop", "empty"]


@every_wire
@few
@given(data=st.data(), chosen=st.sets(st.sampled_from(_WAYS)))
def test_law_project_of_ingest_of_other_spellings(
    wire: Protocol, data: st.DataObject, chosen: set[str]
) -> None:
    """Spelling is not meaning: another one is read as the same turn."""
    binding = BINDINGS[wire]
    turn = data.draw(turns(wire, binding.provenance))
    body = WIRES[wire].encode_request(turn, binding)
    other: Any = _json.loads_exact(body)
    plain = read(wire, other)
    _respelled(wire, other, chosen)
    assert plain.request == read(wire, other).request


# 8

# Which key of the body says which field of the turn, beside what is always written.
_SAMPLING = ("temperature", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty")
_OPENAI = {
    **{f"sampling.{name}": name for name in _SAMPLING},
    **{name: name for name in ("tools", "tool_choice", "parallel_tool_calls", "stop")},
    **{name: name for name in ("prompt_cache_key", "metadata", "service_tier")},
    "end_user_id": "safety_identifier",
}
KEYS: dict[Protocol, dict[str, str]] = {
    CHAT: {
        **_OPENAI,
        "instructions": "messages",
        "items": "messages",
        "max_output_tokens": "max_completion_tokens",
        "thinking.effort": "reasoning_effort",
        "output_format": "response_format",
        "verbosity": "verbosity",
    },
    MESSAGES: {
        **{f"sampling.{name}": name for name in ("temperature", "top_p", "top_k")},
        "instructions": "system",
        "items": "messages",
        "tools": "tools",
        "tool_choice": "tool_choice",
        "parallel_tool_calls": "tool_choice",
        "thinking.effort": "output_config",
        "thinking.mode": "thinking",
        "thinking.budget_tokens": "thinking",
        "thinking.display": "thinking",
        "output_format": "output_config",
        "stop": "stop_sequences",
        "end_user_id": "metadata",
        "service_tier": "service_tier",
        "max_output_tokens": "max_tokens",
    },
    RESPONSES: {
        **_OPENAI,
        "instructions": "input",
        "items": "input",
        "max_output_tokens": "max_output_tokens",
        "thinking.effort": "reasoning",
        "thinking.display": "reasoning",
        "output_format": "text",
        "verbosity": "text",
    },
}
ALWAYS = {
    CHAT: {"model", "stream", "stream_options"},
    MESSAGES: {"model", "max_tokens", "stream"},
    RESPONSES: {"model", "store", "stream", "include"},
}
# A null that stands for something: an answer of calls alone, a function without a schema.
NULLS = {"messages[].content", "tools[].parameters"}


_OPTIONAL = (
    "parallel_tool_calls",
    "output_format",
    "verbosity",
    "end_user_id",
    "prompt_cache_key",
    "metadata",
    "service_tier",
    "max_output_tokens",
)


def used(turn: TurnRequest) -> set[str]:
    """The fields of a turn that say something."""
    fields = {name for name in _OPTIONAL if getattr(turn, name) is not None}
    fields |= {name for name in ("items", "instructions", "tools", "stop") if getattr(turn, name)}
    fields |= {"tool_choice"} if turn.tool_choice is not AUTO else set()
    for group in ("sampling", "thinking"):
        values = getattr(turn, group)
        names = [name for name in type(values).__slots__ if not name.startswith("_")]
        fields |= {f"{group}.{name}" for name in names if getattr(values, name) is not None}
    return fields


def plain_path(path: str) -> str:
    return re.sub(r"\[\d+\]", "[]", path)


@every_wire
@few
@given(data=st.data())
def test_law_absent(wire: Protocol, data: st.DataObject) -> None:
    """A key for each thing that the turn says, and no other but the pinned ones."""
    binding = BINDINGS[wire]
    turn = data.draw(turns(wire, binding.provenance))
    body = WIRES[wire].project_request(turn, binding).body
    said = {KEYS[wire][field] for field in used(turn)}
    if wire is MESSAGES and turn.parallel_tool_calls is True and turn.tool_choice is AUTO:
        # calls may be parallel unless said otherwise: the choice says it all the same
        said.add("tool_choice")
    carried = {extension.path.partition(".")[0] for extension in turn.extensions}
    assert set(body) == ALWAYS[wire] | said | carried
    plain = _json.loads(_json.dumps(body))
    nulls = [place for place in places(plain) if json_at(plain, place) is None]
    assert (
        set()
        == {plain_path(path_of(place)) for place in nulls if not is_free(wire, plain, place)}
        - NULLS
    )


def json_at(body: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        body = body[step]
    return body


@every_wire
def test_law_absent_of_the_least_turn(wire: Protocol) -> None:
    """A text alone is a text and what is always written."""
    turn = TurnRequest.text(BINDINGS[wire].model, "u", cache_marks="given")
    body = WIRES[wire].project_request(turn, BINDINGS[wire]).body
    assert ALWAYS[wire] | {KEYS[wire]["items"]} == set(body)


# 9 and 13: where a body is free

# Values whose inside is their sender's own, or sealed: the rows speak of the value alone.
OWN: dict[Protocol, list[str]] = {
    CHAT: [
        r"messages\[\]<assistant>\.(annotations|reasoning_details)\[\]",
        r"response_format<json_schema>\.json_schema\.schema",
        # entries are free objects to the vendor too
        r"tool_choice<allowed_tools>\.allowed_tools\.tools\[\]",
        r"tools\[\](<function>)?\.function\.parameters",
    ],
    MESSAGES: [
        r"(messages|system)\[\].*\.citations\[\]",
        r"messages\[\]<assistant>\.content\[\]<(thinking|redacted_thinking|compaction)>",
        r"messages\[\]<assistant>\.content\[\]<tool_use>\.input",
        r"messages\[\]<user>.*content\[\]<document of blocks>",
        r"output_(config\.)?format<json_schema>\.schema",
        r"tools\[\](<custom>)?\.input_(schema|examples\[\])",
    ],
    RESPONSES: [
        r"(chat_template_kwargs|client_metadata|metadata)",
        r"input\[\]<(reasoning|compaction)>",
        r"input\[\]<assistant>\.content\[\]<output_text>\.annotations\[\]",
        r"tool_choice<allowed_tools>\.tools\[\]",
        r"text\.format<json_schema>\.schema",
        r"tools\[\]<function>\.(parameters|output_schema)",
    ],
}
ROWS: dict[Protocol, Table] = {
    CHAT: chat_subset.TABLE,
    MESSAGES: messages_subset.TABLE,
    RESPONSES: responses_subset.TABLE,
}


def what_is(node: dict[str, Any]) -> str:
    """What an object says it is: its type, or the role of a message."""
    word, role, source = node.get("type"), node.get("role"), node.get("source")
    if word == "document" and isinstance(source, dict) and source.get("type") == "content":
        return "document of blocks"
    said = role if word in (None, "message") else word
    return said if isinstance(said, str) else ""


def named_path(body: Any, place: tuple[Any, ...]) -> str:
    """A place with what each object on the way says it is: `messages[]<user>.content[]<text>`."""
    text = ""
    for depth, step in enumerate(place):
        text += "[]" if isinstance(step, int) else f".{step}" if text else step
        node = json_at(body, place[: depth + 1])
        text += f"<{what_is(node)}>" if isinstance(node, dict) and what_is(node) else ""
    return text


def spec_paths(body: Any, place: tuple[Any, ...]) -> list[str]:
    """A place as spec paths: each object on the way with and without the words that tell what it is."""
    paths, node = ["request"], body
    for step in place:
        node = node[step]
        paths = [path + ("[]" if isinstance(step, int) else f".{step}") for path in paths]
        if isinstance(node, dict):
            words = [node[key] for key in ("type", "role") if isinstance(node.get(key), str)]
            paths += [f"{path}<{word}>" for path in paths for word in words]
    return paths


def is_free(wire: Protocol, body: Any, place: tuple[Any, ...]) -> bool:
    """Whether a place lies in a subtree that its sender owns, or that a row carries whole."""
    named = named_path(body, place)
    if any(re.match(rf"{own}(?![A-Za-z_])", named) for own in OWN[wire]):
        return True
    rows = (ROWS[wire].match(f"{path}.zz_stranger") for path in spec_paths(body, place))
    return any(row is not None and row.whole and row.treat is Treat.CARRY for row in rows)


def outcome_of(wire: Protocol, body: Any) -> tuple[bytes, list[RequestRefused]]:
    """What a body is written as, or every refusal of it."""
    try:
        return write(wire, read(wire, body)), []
    except RequestRefused as error:
        return b"", [error, *error.others]


STRANGERS = ["zz_stranger", "not plain!"]


@pytest.mark.parametrize("stranger", STRANGERS)
@every_body
def test_law_named(wire: Protocol, body: dict[str, Any], stranger: str) -> None:
    """An unknown field is refused by its name, or its parent's; in a free subtree it is carried."""
    for place in objects(body):
        path = path_of((*place, stranger)) if stranger.isidentifier() else path_of(place)
        written, refused = outcome_of(wire, grown(body, place, stranger))
        if refused:
            assert path in [each.path for each in refused]
            assert stranger.isidentifier() or stranger not in str(refused[0])
            continue
        if plain_path(path_of(place)) not in UNREAD[wire]:
            assert is_free(wire, body, place), named_path(body, place)
            assert _json.dumps(stranger) in written


@every_wire
@few
@given(data=st.data())
def test_law_named_in_drawn_bodies(wire: Protocol, data: st.DataObject) -> None:
    """The same for bodies that nobody wrote by hand."""
    binding = BINDINGS[wire]
    turn = data.draw(turns(wire, binding.provenance))
    body: Any = _json.loads_exact(WIRES[wire].encode_request(turn, binding))
    place = data.draw(st.sampled_from(list(objects(body))))
    written, refused = outcome_of(wire, grown(body, place, "zz_stranger"))
    if refused:
        assert path_of((*place, "zz_stranger")) in [each.path for each in refused]
        return
    assert is_free(wire, body, place), named_path(body, place)
    assert b"zz_stranger" in written


# 13

# Members whose absence means the same, at these values; a null is always one of them.
IDLE: set[tuple[Protocol, str, str]] = {
    (CHAT, "logprobs", "false"),
    (CHAT, "max_completion_tokens", "9"),  # said twice, once by its older name
    (CHAT, "max_tokens", "9"),
    (CHAT, "messages[].annotations", "[]"),
    (CHAT, "messages[].content", '""'),
    (CHAT, "messages[].content", "[]"),
    (CHAT, "messages[].prefix", "false"),
    (CHAT, "messages[].reasoning_details", "[]"),
    (CHAT, "messages[].tool_calls[].type", '"function"'),
    (CHAT, "modalities", '["text"]'),
    (CHAT, "n", "1"),
    (CHAT, "response_format", '{"type":"text"}'),
    (CHAT, "stop", "[]"),
    (CHAT, "store", "false"),
    (CHAT, "tool_choice", '"auto"'),
    (CHAT, "tools", "[]"),
    (CHAT, "tools[].custom.format", '{"type":"text"}'),
    (CHAT, "tools[].type", '"function"'),
    (MESSAGES, "messages[].content[].citations", "[]"),
    (MESSAGES, "messages[].content[].content", '""'),
    (MESSAGES, "messages[].content[].content", "[]"),
    (MESSAGES, "messages[].content[].signature", '""'),
    (MESSAGES, "metadata", "{}"),
    (MESSAGES, "stop_sequences", "[]"),
    (MESSAGES, "system", '""'),
    (MESSAGES, "system", "[]"),
    (MESSAGES, "tool_choice", '{"type":"auto"}'),
    (MESSAGES, "tool_choice", '{"type":"none"}'),  # where there are no tools
    (MESSAGES, "tools[].type", '"custom"'),
    (RESPONSES, "input[].content[].detail", '"auto"'),
    (RESPONSES, "input[].output[].detail", '"auto"'),
    (RESPONSES, "input[].summary", "[]"),
    (RESPONSES, "input[].type", '"message"'),
}
# Members that say nothing of their own, whatever they hold: a place in a stream and a second form of
# the arguments, both kept by programs that send back what they had received.
UNREAD: dict[Protocol, set[str]] = {
    CHAT: {"messages[].tool_calls[].index", "messages[].tool_calls[].function.parsed_arguments"},
    MESSAGES: set(),
    RESPONSES: set(),
}


def projection(wire: Protocol, body: Any) -> Any:
    """Everything that a body becomes; None where it is refused."""
    try:
        found = read(wire, body)
        return write(wire, found), found.request.model, found.answer, found.losses
    except RequestRefused:
        return None


@every_body
def test_law_no_silent_loss(wire: Protocol, body: dict[str, Any]) -> None:
    """A member less or another value changes what is written, is refused, or is declared idle."""
    whole = projection(wire, body)
    assert whole is not None
    for place in places(body):
        path, value = plain_path(path_of(place)), json_at(body, place)
        if path.startswith(tuple(UNREAD[wire])):
            continue
        idle = value is None or (wire, path, _json.dumps(value).decode()) in IDLE
        assert idle or projection(wire, removed(body, place)) != whole, f"without {path}"
        other = changed(body, place)
        if other is not None:
            assert projection(wire, other) != whole, f"another {path}"


def test_every_idle_member_is_seen() -> None:
    """None of them is declared for nothing."""
    seen = {
        (wire, plain_path(path_of(place)), _json.dumps(json_at(body, place)).decode())
        for wire, table in BODIES.items()
        for body in table.values()
        for place in places(body)
    }
    assert set() == IDLE - seen


# What of a turn that says everything each wire cannot say; the rest crosses whole.
LEFT_OUT: dict[Protocol, set[str]] = {
    CHAT: {
        "chat.text_before_result",
        "messages.content.search_result",
        "messages.context_management",
        "responses.input.web_search_call",
        "responses.tools.web_search",
        "responses.truncation",
        "turn.cache",
        "turn.cache.ttl",
        "turn.documents",
        "turn.image.file",
        "turn.opaque.unattributed",
        "turn.reasoning",
        "turn.thinking.budget_tokens",
        "turn.thinking.display",
        "turn.thinking.mode",
    },
    MESSAGES: {
        "chat.logit_bias",
        "chat.messages.name",
        "chat.messages.tool_calls.extra_content",
        "responses.input.web_search_call",
        "responses.tools.web_search",
        "responses.truncation",
        "turn.audio",
        "turn.frequency_penalty",
        "turn.image.detail",
        "turn.instruction.role",
        "turn.metadata",
        "turn.opaque.unattributed",
        "turn.output_format.description",
        "turn.output_format.name",
        "turn.presence_penalty",
        "turn.prompt_cache_key",
        "turn.reasoning",
        "turn.refusal",
        "turn.seed",
        "turn.service_tier",
        "turn.tool_choice.allowed",
        "turn.tools.custom",
        "turn.verbosity",
    },
    RESPONSES: {
        "chat.logit_bias",
        "chat.messages.name",
        "chat.messages.tool_calls.extra_content",
        "messages.content.search_result",
        "messages.context_management",
        "turn.cache",
        "turn.cache.ttl",
        "turn.opaque.unattributed",
        "turn.thinking.budget_tokens",
        "turn.thinking.mode",
    },
}


@every_wire
def test_law_no_silent_loss_of_everything(wire: Protocol) -> None:
    """What a turn that says everything loses on a wire is declared, and nothing else."""
    binding = BINDINGS[wire]
    lost = WIRES[wire].project_request(everything(binding), binding, accept=NAMES.keys()).losses
    assert LEFT_OUT[wire] == {loss.name for loss in lost}
    with pytest.raises(RequestRefused) as refused:
        WIRES[wire].project_request(everything(binding), binding)
    named = [each.loss for each in (refused.value, *refused.value.others)]
    assert LEFT_OUT[wire] == set(named)

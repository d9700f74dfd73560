"""The law of silent losses for answers: nothing of an event or an outcome goes unnoticed. Sentence: spec/laws.toml."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import evolve, fields, has

from llm_projections.errors import ResponseRefused
from llm_projections.model.events import Event, ItemCompleted, ResponseStarted, TurnCompleted
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.losses import NAMES, Loss
from llm_projections.model.outcome import Observation, ToolCalls, TurnOutcome, Usage
from llm_projections.wires import WIRES
from tests.answers import decoded, said
from tests.changing import at, changed, places, removed
from tests.everything import BINDINGS, IDENTITY, SEALED, SHAPE
from tests.helpers import by_event

CHAT, MESSAGES, RESPONSES = Protocol.CHAT, Protocol.MESSAGES, Protocol.RESPONSES
every_wire = pytest.mark.parametrize("wire", list(Protocol), ids=lambda wire: wire.short)

REPORTED: dict[Protocol, dict[str, Any]] = {
    CHAT: {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "total_tokens": 18,
        "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 4},
    },
    MESSAGES: {
        "input_tokens": 6,
        "cache_creation_input_tokens": 2,
        "cache_read_input_tokens": 3,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 4},
    },
    RESPONSES: {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 18,
    },
}
CITED = {
    CHAT: "messages.annotations",
    MESSAGES: "messages.content.citations",
    RESPONSES: "input.content.annotations",
}


def outcome_of(wire: Protocol) -> TurnOutcome:
    """What a server can say at most, as far as its wire has a word for it."""
    home = BINDINGS[wire].provenance
    cited = Text("words", (Extension(wire, CITED[wire], {"type": "t", "title": "T"}),))
    items: list[Item] = [
        Opaque(home, SEALED[wire], None if wire is CHAT else "read"),
        AssistantMessage((cited,)),
        ToolCall("call_1", "look", '{"n":1}'),
    ]
    if wire is not CHAT:
        items.insert(1, Reasoning("thought"))
    if wire is not MESSAGES:
        items.insert(2, AssistantMessage((RefusalText("no"),)))
    if wire is RESPONSES:
        items.append(CustomToolCall("call_2", "patch", "x"))
        items.append(WireItem(RESPONSES, {"type": "web_search_call", "id": "ws_1", "action": {}}))
    if wire is MESSAGES:
        payload = {"type": "server_tool_use", "id": "s_1", "name": "search", "input": {"q": "x"}}
        items.append(WireItem(MESSAGES, payload))
    usage = Usage(11, 7, 3, 2, 4, REPORTED[wire])
    tier = Extension(wire, "answer.service_tier", "flex")
    seen = Observation(home, "upstream-model", "resp_up", usage, True)
    return TurnOutcome(ToolCalls(), tuple(items), seen, extensions=(tier,))


def events_of(outcome: TurnOutcome) -> list[Event]:
    """Each item at once: what a delta says, its item says too."""
    items = [ItemCompleted(item, index) for index, item in enumerate(outcome.items)]
    return [ResponseStarted("resp_up", "upstream-model"), *items, TurnCompleted(outcome)]


def stream_of(wire: Protocol) -> bytes:
    """Its bytes, nothing left out."""
    return said(BINDINGS[wire], events_of(outcome_of(wire)))


def _said_in(stream: bytes) -> list[Any]:
    """The bodies of a stream's events, by their place among them."""
    found = []
    for event in by_event(stream):
        data = event.partition(b"data: ")[2]
        found.append(None if data.startswith(b"[DONE]") else json.loads(data))
    return found


# Names of members that tell how a stream is put together, or repeat what the request said: they are
# left out by real servers, and nothing is correlated by them that another member does not tell.
STRUCTURE: dict[Protocol, set[str]] = {
    CHAT: {"created", "index", "object", "role", "type"},
    MESSAGES: {"index", "role", "type"},
    RESPONSES: {
        "annotation_index",
        "background",
        "content_index",
        "created_at",
        "item_id",
        "object",
        "output_index",
        "parallel_tool_calls",
        "role",
        "sequence_number",
        "status",
        "tool_choice",
        "type",
    },
}


def _values(wire: Protocol, stream: bytes) -> list[Any]:
    """What the stream says: each scalar under a name that says something; null and nothing say nothing."""
    found: dict[str, Any] = {}
    for body in _said_in(stream):
        for place in places(body):
            value, name = at(body, place), place[-1]
            if isinstance(name, str) and name not in STRUCTURE[wire]:
                if not isinstance(value, dict | list) and value not in (None, ""):
                    found[repr(value)] = value
    return list(found.values())


def _without(
    wire: Protocol, stream: bytes, value: Any, how: Callable[[Any, tuple[Any, ...]], Any]
) -> bytes:
    """The stream with every member that says `value` removed or changed, however often it is repeated."""
    events = []
    for event, body in zip(by_event(stream), _said_in(stream), strict=True):
        for place in list(places(body)):
            said_here = at(body, place)
            if type(said_here) is type(value) and said_here == value:
                if place[-1] not in STRUCTURE[wire]:
                    body = how(body, place)
        head, found, _ = event.partition(b"data: ")
        data = b"[DONE]" if body is None else json.dumps(body).encode()
        events.append(head + found + data + b"\n\n")
    return b"".join(events)


@pytest.mark.parametrize("how", [removed, changed])
@every_wire
def test_law_no_silent_loss_of_streams(
    wire: Protocol, how: Callable[[Any, tuple[Any, ...]], Any]
) -> None:
    """Whatever a stream says, another word for it or none gives other events."""
    stream = stream_of(wire)
    events = decoded(BINDINGS[wire], [stream])
    assert isinstance(events[-1], TurnCompleted)
    values = _values(wire, stream)
    assert len(values) >= 14
    for value in values:
        other = decoded(BINDINGS[wire], [_without(wire, stream, value, how)])
        assert events != other, value


def variants(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that differs in one place, and the place."""
    if isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int):
        yield path, value + 1
    elif isinstance(value, str) and not isinstance(value, Protocol):
        yield path, value + "x"
    elif isinstance(value, tuple):
        for position, element in enumerate(value):
            yield f"{path}[{position}]", (*value[:position], *value[position + 1 :])
            for inner, other in variants(element, f"{path}[{position}]"):
                yield inner, (*value[:position], other, *value[position + 1 :])
    elif isinstance(value, dict):
        for key, element in value.items():
            yield f"{path}.{key}", {name: each for name, each in value.items() if name != key}
            for inner, other in variants(element, f"{path}.{key}"):
                yield inner, {**value, key: other}
    elif has(type(value)):
        for field in fields(type(value)):
            name = field.name
            place = f"{path}.{name}" if path else name
            for inner, other in variants(getattr(value, name), place):
                yield inner, evolve(value, **{name: other})


# What of an outcome an answer does not say: who answers is the caller's to say (`Identity`); where it came
# from is not the client's business; what may be read of sealed state stands in its payload, and where an
# annotation stands is told by its wire.
UNSAID = (
    r"observation\.(response_id|upstream_model|final_usage|provenance\..*)",
    r"items\[\d+\]\.(provenance\..*|text|role)",
    r"items\[\d+\]\.content\[\d+\]\.annotations\[\d+\]\.path",
)


def is_unsaid(wire: Protocol, source: Protocol, path: str) -> bool:
    """Whether a place of an outcome is another's to tell on this wire."""
    # one place for reasoning does not tell which of the two families it holds
    family = () if wire is RESPONSES else (r"items\[\d+\]\.summary",)
    # the counters are told once: as its own server reported them on Messages, else as they are normalized
    reported = r"observation\.usage\.reported\..*"
    counters = r"observation\.usage\.(?!reported)\w+"
    twice = counters if wire is source is MESSAGES else reported
    return any(re.fullmatch(each, path) for each in (*UNSAID, *family, twice))


def shown(
    wire: Protocol, outcome: TurnOutcome, *, streamed: bool
) -> tuple[bytes, list[Loss]] | None:
    """What a client of a wire sees of an outcome, and what was left out; None where it is refused."""
    losses: list[Loss] = []
    jobs = WIRES[wire]
    if not streamed:
        try:
            accept = NAMES.keys()
            body = jobs.encode_ingress_answer(
                outcome, IDENTITY, SHAPE, accept=accept, losses=losses
            )
        except ResponseRefused:
            return None
        return body, losses
    stream = jobs.encode_ingress_stream(
        events_of(outcome), IDENTITY, SHAPE, accept=NAMES.keys(), losses=losses
    )
    return b"".join(stream), losses


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("source", list(Protocol), ids=lambda wire: f"from-{wire.short}")
@every_wire
def test_law_no_silent_loss_of_answers(wire: Protocol, source: Protocol, streamed: bool) -> None:
    """Another outcome is another answer, or a loss tells what of it a client of this wire does not see."""
    outcome = outcome_of(source)
    whole = shown(wire, outcome, streamed=streamed)
    assert whole is not None
    silent = []
    for path, other in variants(outcome):
        if shown(wire, other, streamed=streamed) == whole:
            places_lost = [
                "extensions" if loss.name == "answer.extensions" else loss.path for loss in whole[1]
            ]
            if not path.startswith(tuple(places_lost)) and not is_unsaid(wire, source, path):
                silent.append(path)
    assert [] == silent

"""What real programs and servers sent is read as a person read it: the facts stand beside each recording."""

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields

from llm_projections import messages
from llm_projections.errors import ResponseRefused
from llm_projections.model.events import Event, TurnCompleted, TurnFailed
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Instruction,
    Item,
    Opaque,
    Reasoning,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.results import Ingested
from llm_projections.model.tools import HostedTool, Tool, ToolChoiceMode
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES
from tests.golden_tools import GOLDEN, PROTOCOLS, binding
from tests.helpers import reads

RECORDED = GOLDEN / "recorded"
CASES = sorted(path for wire in PROTOCOLS for path in (RECORDED / wire).iterdir())
_KINDS = {"program": str, "version": str, "situation": str, "date": str, "edits": list}
_SERVER = {"chat": "chat-server", "messages": "messages", "responses": "responses"}


def having(*names: str) -> Any:
    """Every case with one of these files."""
    found = [case for case in CASES if any((case / name).exists() for name in names)]
    assert found, f"no recording has {names}"
    return pytest.mark.parametrize(
        "case", found, ids=lambda case: f"{case.parent.name}-{case.name}"
    )


def told(case: Path, name: str) -> dict[str, Any]:
    return tomllib.loads((case / f"{name}.toml").read_text(encoding="utf-8"))


def headers(case: Path) -> list[tuple[str, str]]:
    return [(name, value) for name, value in told(case, "ORIGIN")["headers"]]


def ingested(case: Path) -> Ingested:
    """The request of a case, as what its endpoint asks for."""
    read: Callable[..., Ingested] = WIRES[PROTOCOLS[case.parent.name]].ingest_request
    if told(case, "ORIGIN").get("operation") == "count_tokens":
        read = messages.ingest_count_tokens
    return read((case / "request.json").read_bytes(), headers=headers(case))


def _parts(content: Iterable[object]) -> str:
    return "+".join(type(part).__name__ for part in content)


def _item(item: Item) -> str:
    """An item in one line: what it is, and what is short of it."""
    match item:
        case UserMessage(content) | AssistantMessage(content) | Instruction(content):
            words = [_parts(content)]
        case ToolResult(call_id, content, failed):
            words = [
                call_id,
                _parts(content),
                {None: "", True: "failed", False: "succeeded"}[failed],
            ]
        case ToolCall(call_id, name, arguments):
            words = [call_id, name, arguments]
        case CustomToolCall(call_id, name):
            words = [call_id, name]
        case Reasoning(text):
            words = [text]
        case UnattributedOpaque(_, payload) | Opaque(_, payload) | WireItem(_, payload):
            words = [str(payload.get("type", ""))]
    return " ".join([type(item).__name__, *filter(None, words)])


def _tool(tool: Tool) -> str:
    name = tool.payload["type"] if isinstance(tool, HostedTool) else tool.name
    return f"{type(tool).__name__} {name}"


def _settings(turn: TurnRequest) -> dict[str, Any]:
    """What the request sets, by the names of the neutral model."""
    choice = turn.tool_choice
    said: dict[str, Any] = {
        "tool_choice": choice.value
        if isinstance(choice, ToolChoiceMode)
        else type(choice).__name__,
        "output_format": None if turn.output_format is None else type(turn.output_format).__name__,
        "stop": list(turn.stop) or None,
        "metadata": None if turn.metadata is None else list(turn.metadata),
    }
    if said["tool_choice"] == "auto":
        del said["tool_choice"]
    for name in (
        "parallel_tool_calls",
        "max_output_tokens",
        "verbosity",
        "end_user_id",
        "prompt_cache_key",
        "service_tier",
    ):
        said[name] = getattr(turn, name)
    for name in ("sampling", "thinking"):
        group = getattr(turn, name)
        said |= {f"{name}.{each.name}": getattr(group, each.name) for each in fields(type(group))}
    return {name: value for name, value in said.items() if value is not None}


@having("request.json")
def test_a_request_is_read(case: Path) -> None:
    """The items and settings that the program sent, none more and none less."""
    read = ingested(case)
    turn = read.request
    assert told(case, "expected") == {
        "model": turn.model,
        "stream": read.answer.stream,
        "instructions": [
            " ".join(filter(None, [each.role, _parts(each.content)])) for each in turn.instructions
        ],
        "items": [_item(item) for item in turn.items],
        "tools": [_tool(tool) for tool in turn.tools],
        "carried": [each.path for each in turn.extensions],
        "settings": _settings(turn),
    }
    assert () == read.losses


@having("request.json")
def test_a_request_is_said_again(case: Path) -> None:
    """Written on its own wire without a loss, it reads the same."""
    wire = case.parent.name
    target = binding(_SERVER[wire])
    first = ingested(case)
    turn = evolve(first.request.bind_unattributed(target.provenance), model=target.model)
    # an output limit past the one that the binding declares is its own matter
    if turn.max_output_tokens is not None and turn.max_output_tokens > 64_000:
        turn = evolve(turn, max_output_tokens=64_000)
    jobs = WIRES[PROTOCOLS[wire]]
    body = jobs.encode_request(turn, target)
    again = jobs.ingest_request(body, headers=headers(case)).request
    bound = evolve(again.bind_unattributed(target.provenance), model=target.model)
    if turn.max_output_tokens is None:
        bound = evolve(bound, max_output_tokens=None)
    assert turn == bound


def _outcome(outcome: TurnOutcome) -> dict[str, Any]:
    usage = outcome.observation.usage
    counters = (
        "input_tokens",
        "output_tokens",
        "cached_input_tokens",
        "cache_creation_input_tokens",
        "reasoning_output_tokens",
    )
    said = {
        "stop": type(outcome.stop).__name__,
        "model": outcome.observation.upstream_model,
        "items": [_said(item) for item in outcome.items],
        "warnings": [each.code for each in outcome.warnings],
        "carried": [each.path for each in outcome.extensions],
        "usage": None
        if usage is None
        else {name: value for name in counters if (value := getattr(usage, name)) is not None},
    }
    return {name: value for name, value in said.items() if value is not None}


def _said(item: Item) -> list[str | None]:
    """What an item says, whole."""
    kind = type(item).__name__
    match item:
        case AssistantMessage(content):
            return [kind, "".join(getattr(part, "text", "") for part in content)]
        case ToolCall(call_id, name, arguments):
            return [kind, call_id, name, arguments]
        case Reasoning(text) | Opaque(text=text):
            return [kind, text]
        case _:
            return [kind]


def _refused(error: ResponseRefused) -> dict[str, Any]:
    return {
        "code": error.code.value,
        "path": error.path,
        "dispatch": error.dispatch.value,
        "retriable": error.retriable,
    }


@having("answer.sse")
def test_a_stream_is_read(case: Path) -> None:
    """However it is cut: its outcome, or why there is none."""
    wire = case.parent.name

    def decode(chunks: Iterable[bytes]) -> list[Event]:
        return list(WIRES[PROTOCOLS[wire]].decode_stream(chunks, binding(wire)))

    last = reads(decode, (case / "answer.sse").read_bytes())[-1]
    assert isinstance(last, TurnCompleted | TurnFailed)
    if isinstance(last, TurnFailed):
        assert isinstance(last.error, ResponseRefused)
        assert told(case, "expected") == _refused(last.error)
    else:
        assert told(case, "expected") == _outcome(last.outcome)


@having("answer.json")
def test_a_whole_answer_is_read(case: Path) -> None:
    """Its outcome."""
    wire = case.parent.name
    body = (case / "answer.json").read_bytes()
    assert told(case, "expected") == _outcome(
        WIRES[PROTOCOLS[wire]].decode_response(body, binding(wire))
    )


@having("error.json", "error.sse")
def test_an_error_is_read(case: Path) -> None:
    """What kind it is, whether to try again, and what the provider wrote."""
    wire = case.parent.name
    (file,) = case.glob("error.*")
    status = told(case, "ORIGIN")["status"]
    error = WIRES[PROTOCOLS[wire]].decode_error(
        status, headers(case), file.read_bytes(), binding(wire)
    )
    words = {f"upstream_{name}": getattr(error.upstream, name) for name in _WORDS}
    found = _refused(error) | {name: word for name, word in words.items() if word is not None}
    assert told(case, "expected") == {name: found[name] for name in found if name != "path"}
    assert "" == error.path


_WORDS = ("type", "code", "message", "param")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_each_says_where_it_comes_from(case: Path) -> None:
    """The program, its version, the situation, and what was changed since."""
    origin = told(case, "ORIGIN")
    assert _KINDS == {name: type(origin[name]) for name in _KINDS}
    assert all(origin[name] for name in ("program", "version", "situation", "date"))


def test_nothing_of_a_machine_is_kept() -> None:
    """No folder, address or local name of where they were recorded."""
    folders = [f"/{name}/".encode() for name in ("home", "root", "tmp", "work")]
    strange = [*folders, b"127.0.0.1", b"localhost"]
    for case in CASES:
        for file in case.iterdir():
            assert [] == [word for word in strange if word in file.read_bytes()], file

"""Bodies of Responses: fields without a neutral meaning, and what is left out of other wires, by name."""

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from llm_projections import Protocol, RequestRefused
from llm_projections.chat import project_request as project_chat
from llm_projections.messages import project_request as project_messages
from llm_projections.model.items import Text, UserMessage, WireItem, WirePart
from llm_projections.model.losses import NAMES
from llm_projections.model.tools import HostedTool, WireChoice
from llm_projections.model.turn import TurnRequest
from llm_projections.responses import ingest_request
from tests.cases.responses import CASES as TABLE
from tests.conformance.declared import (
    NEEDED,
    Declared,
    answer_kind,
    headers,
    ingest,
    project,
    url,
)
from tests.conformance.documents import binding_of
from tests.conformance.forms import bytes_of
from tests.conformance.tables import slug

__all__ = ["CASES", "ask", "asked"]

_LOOK: dict[str, Any] = {"type": "function", "name": "look", "parameters": {"type": "object"}}


def asked(*items: Any, **fields: Any) -> dict[str, Any]:
    """The body that says hello, or these items, with these fields."""
    given: Any = list(items) or "Hello"
    return {"model": "caller-model", "input": given, **fields}


def ask(value: Any, **more: Any) -> TurnRequest:
    """The turn of a body."""
    return ingest_request(bytes_of({"json": value}), **more).request


_FAMILIES: dict[str, dict[str, Any]] = {
    "vllm": {
        "cache_salt": "salt",
        "chat_template_kwargs": {"enable_thinking": False},
        "enable_response_messages": True,
        "ignore_eos": False,
        "include_stop_str_in_output": True,
        "kv_transfer_params": {"do_remote_decode": True},
        "logit_bias": {"50256": -100},
        "media_io_kwargs": {"video": {"num_frames": 8}},
        "mm_processor_kwargs": {"num_crops": 4},
        "previous_input_messages": [{"role": "user", "content": "before"}],
        "priority": 1,
        "repetition_penalty": 1.1,
        "request_id": "r1",
        "skip_special_tokens": False,
        "structured_outputs": {"choice": ["yes", "no"]},
        "vllm_xargs": {"a": 1},
    },
    "held": {
        "store": True,
        "background": True,
        "background_options": {"ttl": 60},
        "previous_response_id": "resp_0",
        "prompt": {"id": "pmpt_1", "version": "2"},
    },
    "conversation": {"store": True, "conversation": {"id": "conv_1"}},
    "context": {
        "prompt_cache_options": {"mode": "implicit", "ttl": "30m"},
        "prompt_cache_retention": "24h",
        "context_management": [{"type": "compaction", "compact_threshold": 1000}],
        "max_tool_calls": 3,
        "top_logprobs": 2,
        "stream_options": {"include_obfuscation": False},
        "client_metadata": {"a": "b"},
        "user": "u2",
        "safety_identifier": "u1",
    },
    "guards": {
        "access_programs": ["p1"],
        "moderation": {"policy": "m"},
        "image": {"quality": "high"},
        "multi_agent": {"enabled": True},
    },
    "reasoning": {
        "reasoning": {
            "effort": "low",
            "summary": "detailed",
            "generate_summary": "concise",
            "context": "all_turns",
            "mode": "pro",
        }
    },
    "codex": {"type": "response.create", "generate": False},
}


def _families() -> Iterator[Declared]:
    for at, (family, fields) in enumerate(_FAMILIES.items()):
        value = asked(**fields)
        named = f"Fields without a neutral meaning ({family})"
        yield ingest("responses", f"fields-{family}", f"{named} are carried.", value, accept=NEEDED)
        turn = ask(value, accept=NAMES)
        about = f"{named} go out again on their wire, to a binding that takes them."
        yield project("responses", f"fields-{family}", about, turn, accept=NEEDED)
        about = f"{named} are left out of another wire, each by its name."
        to = ("chat", "messages")[at % 2]
        yield project(to, f"from-responses-fields-{family}", about, turn, accept=NEEDED)


_PROJECT = {"chat": project_chat, "messages": project_messages}


def _lost(turn: TurnRequest, to: str) -> set[str]:
    """The losses of this wire that a turn is left with elsewhere, none where it cannot go there at all."""
    bound = binding_of(to)
    try:
        left = _PROJECT[to](_for(turn, bound.model), bound, accept=NAMES).losses
    except RequestRefused:
        return set()
    return {loss.name for loss in left if loss.name.startswith(f"{Protocol.RESPONSES.short}.")}


def _for(turn: TurnRequest, model: str) -> TurnRequest:
    return evolve(turn, model=model)


def _table() -> Iterator[Declared]:
    """Of the turns of the tables those that leave behind what none before them left."""
    seen: set[str] = set()
    for at, case in enumerate(TABLE):
        for to in (("chat", "messages"), ("messages", "chat"))[at % 2]:
            new = _lost(case.turn, to) - seen
            if new:
                seen |= new
                about = f"Left out of another wire: {case.name}."
                name = f"from-responses-{slug(case.name)}"
                yield project(to, name, about, case.turn, accept=NEEDED)
                break


_TOOLS: dict[str, list[Any]] = {
    "hosted": [
        {"type": "apply_patch"},
        {"type": "code_interpreter", "container": {"type": "auto"}},
        {"type": "image_generation"},
        {"type": "mcp", "server_label": "m", "server_url": "https://m.example"},
        {"type": "programmatic_tool_calling"},
        {"type": "shell", "environment": {"type": "local"}},
        {"type": "tool_search"},
        {"type": "web_search"},
    ],
    "computers": [
        {"type": "computer"},
        {"type": "local_shell"},
        {"type": "file_search", "vector_store_ids": ["vs_1"]},
        {"type": "namespace", "name": "n", "description": "", "tools": [_LOOK]},
        {
            "type": "computer_use_preview",
            "display_width": 800,
            "display_height": 600,
            "environment": "linux",
        },
    ],
    "of-functions": [
        {
            **_LOOK,
            "allowed_callers": ["direct"],
            "async": True,
            "defer_loading": True,
            "output_schema": {"type": "object"},
        }
    ],
}


def _tools() -> Iterator[Declared]:
    for family, tools in _TOOLS.items():
        turn = ask(asked(tools=tools))
        about = f"Tools that only this wire has ({family}) are left out, each by its name."
        yield project("chat", f"from-responses-tools-{family}", about, turn, accept=NEEDED)
        about = f"Without leave each of them is refused ({family})."
        yield project("messages", f"from-responses-tools-{family}-refused", about, turn)


_CHOICES = (
    {"type": "apply_patch"},
    {"type": "code_interpreter"},
    {"type": "computer"},
    {"type": "computer_use"},
    {"type": "computer_use_preview"},
    {"type": "file_search"},
    {"type": "image_generation"},
    {"type": "mcp", "server_label": "m"},
    {"type": "programmatic_tool_calling"},
    {"type": "shell"},
    {"type": "web_search_preview"},
    {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "image_generation"}]},
)


def _choices() -> Iterator[Declared]:
    for at, choice in enumerate(_CHOICES):
        turn = ask(asked(tools=[_LOOK], tool_choice=choice))
        about = f"A choice that only this wire has ({choice['type']}) is left out by its name."
        to = ("chat", "messages")[at % 2]
        name = f"from-responses-choice-{slug(choice['type'])}"
        yield project(to, name, about, turn, accept=NEEDED)


_BETA = [["OpenAI-Beta", "responses=v1"], ["Authorization", "Bearer secret"]]
_BETA_TURN = ask(asked(), headers=[(name, value) for name, value in _BETA])

_OTHERS = [
    ingest(
        "responses",
        "headers",
        "Names of betas are part of a request; no other header is.",
        asked(),
        headers=_BETA,
    ),
    headers("responses", "carried", "Carried headers go out again.", turn=_BETA_TURN),
    project(
        "chat",
        "from-responses-headers",
        "Carried headers are left out of another wire, each by its name.",
        _BETA_TURN,
        accept=NEEDED,
    ),
    headers("responses", "plain", "The headers of a request without a conversation."),
    answer_kind("responses", "stream", "An answer that is streamed as asked.", 200),
    answer_kind("responses", "error", "An answer with an error status is an error.", 429),
    url("responses", "path", "Where a request goes.", "responses"),
    ingest(
        "responses",
        "text-as-input",
        "A string is what the user said.",
        asked(instructions="Be brief."),
    ),
    ingest(
        "responses",
        "another-frame",
        "A frame of another kind is refused.",
        asked(type="response.cancel"),
    ),
    ingest(
        "responses",
        "unknown-field",
        "A field that nobody publishes is refused by its path.",
        asked(colour="red"),
    ),
    ingest(
        "responses",
        "too-many-items",
        "More items than the limits allow.",
        asked(*({"role": "user", "content": "Hello"} for _ in range(3))),
        limits={"items": 2},
    ),
    ingest(
        "responses",
        "too-large",
        "More bytes than the limits allow.",
        asked(),
        limits={"request_bytes": 40},
    ),
    ingest(
        "responses",
        "as-many-bytes-as-allowed",
        "Exactly as many bytes as the limits allow.",
        asked(),
        limits={"request_bytes": len(bytes_of({"json": asked()}))},
    ),
]

_UNLISTED = {
    "base": "responses",
    "capabilities": {"extensions": []},
    "dialect": {"request_fields": []},
}
_THOUGHT = {"type": "reasoning_text", "text": "think"}
_SEALED = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "plan"}],
    "content": [_THOUGHT],
}
_ITEMS = ask(
    asked(
        {"role": "user", "content": "Hello"},
        {**_SEALED, "encrypted_content": "c2VhbA=="},
        {**_SEALED, "id": "rs_2", "content": [_THOUGHT, _THOUGHT]},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
        },
        {"type": "function_call_output", "call_id": "call_0", "output": "done"},
        {"role": "user", "content": "Go on."},
        previous_response_id="resp_0",
    ),
    accept=NAMES,
)
_R = Protocol.RESPONSES
_UNKNOWN = TurnRequest(
    "caller-model",
    (
        UserMessage((Text("Hello"), WirePart(_R, {"type": "wombat", "x": 1}))),
        WireItem(_R, {"type": "wombat", "x": 1}),
        WireItem(_R, {"type": "function_call_output", "call_id": "call_0", "output": "done"}),
    ),
    tools=(HostedTool(_R, {"type": "wombat"}),),
    tool_choice=WireChoice(_R, {"type": "wombat"}),
)


def _unlisted() -> Iterator[Declared]:
    about = "Of its own items, a binding that lists nothing gets what is neutral."
    yield project("responses", "unlisted-items", about, _ITEMS, binding=_UNLISTED, accept=NEEDED)
    yield project(
        "responses",
        "unlisted-items-refused",
        "Without leave all of it is refused.",
        _ITEMS,
        binding=_UNLISTED,
    )
    for to in ("chat", "messages"):
        about = "What no row knows is left out by the name of its place."
        yield project(to, "from-responses-unknown", about, _UNKNOWN, accept=NEEDED)
    for kind in ("function", "custom"):
        turn = TurnRequest(
            "caller-model",
            (UserMessage((Text("Hello"),)),),
            tool_choice=WireChoice(_R, {"type": kind, "name": "look", "namespace": "n"}),
        )
        about = f"A choice of a {kind} tool that only this wire can read is left out by its name."
        yield project("chat", f"from-responses-choice-{kind}", about, turn, accept=NEEDED)


CASES: list[Declared] = [*_families(), *_table(), *_tools(), *_choices(), *_unlisted(), *_OTHERS]

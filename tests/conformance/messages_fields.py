"""Fields of a Messages body without a neutral meaning: read, written to a server, left out elsewhere."""

from collections.abc import Iterator
from typing import Any

from llm_projections.messages import ingest_request
from llm_projections.model.turn import TurnRequest
from tests.conformance.declared import NEEDED, Declared, headers, ingest, project
from tests.conformance.forms import bytes_of

__all__ = ["CASES", "LOOK", "ask", "asked", "body"]

LOOK: dict[str, Any] = {"name": "look", "input_schema": {"type": "object"}}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """A body of these messages."""
    return {"model": "caller-model", "max_tokens": 1024, "messages": list(messages), **fields}


def asked(**fields: Any) -> dict[str, Any]:
    """The body that says hello, with these fields."""
    return body({"role": "user", "content": "Hello"}, **fields)


def ask(value: Any, **more: Any) -> TurnRequest:
    """The turn of a body."""
    return ingest_request(bytes_of({"json": value}), **more).request


_FAMILIES: dict[str, dict[str, Any]] = {
    "context": {
        "cache_control": {"type": "ephemeral", "ttl": "1h"},
        "compaction": {"type": "auto", "trigger": {"type": "input_tokens", "value": 150000}},
        "container": {"id": "container_1", "skills": []},
        "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]},
        "thread": {"type": "create"},
    },
    "routes": {
        "billing_policy": {"type": "default"},
        "fallback_credit_token": "token",
        "fallbacks": [{"model": "other-model", "max_tokens": 512}],
        "inference_geo": "eu",
        "speed": "fast",
        "diagnostics": {"previous_message_id": "msg_0"},
    },
    "guards": {
        "safeguards": [{"type": "dangerous_tool_use", "context": {"v": 1, "n": None}}],
        "mcp_servers": [{"type": "url", "name": "m", "url": "https://m.example/sse"}],
    },
    "objects": {
        "thinking": {
            "type": "adaptive",
            "block_binding": {"prefix_mismatch_behavior": "error"},
        },
        "output_config": {"task_budget": {"type": "tokens", "total": 100000}},
    },
    "vllm": {
        "chat_template_kwargs": {"enable_thinking": False},
        "kv_transfer_params": {"do_remote_decode": True},
    },
    "openrouter": {
        "models": ["a/b", "c/d"],
        "plugins": [{"id": "web"}],
        "provider": {"order": ["a"], "allow_fallbacks": False},
        "route": "fallback",
        "session_id": "s1",
        "trace": {"trace_id": "t1"},
        "user": "u1",
    },
    "bedrock": {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["beta-1"]},
}


def _family(family: str) -> dict[str, Any]:
    value = asked(**_FAMILIES[family])
    if "anthropic_version" in value:
        # the model stands in the URL there
        del value["model"]
    return value


def _families() -> Iterator[Declared]:
    for at, family in enumerate(_FAMILIES):
        value = _family(family)
        named = f"Fields without a neutral meaning ({family})"
        yield ingest("messages", f"fields-{family}", f"{named} are carried.", value)
        turn = ask(value)
        about = f"{named} go out again on their wire, to a binding that takes them."
        yield project("messages", f"fields-{family}", about, turn)
        about = f"{named} are left out of another wire, each by its name."
        slug = f"from-messages-fields-{family}"
        yield project(("chat", "responses")[at % 2], slug, about, turn, accept=NEEDED)


_LISTED = {
    "base": "messages",
    "capabilities": {"extensions": ["messages.speed"]},
    "dialect": {"request_fields": ["chat_template_kwargs"]},
}
_NAMED = [
    ["Anthropic-Version", "2023-06-01"],
    ["anthropic-beta", "beta-1,beta-2"],
    ["Anthropic-User-Profile-Id", "profile_1"],
    ["anthropic-workspace-id", "workspace_1"],
    ["X-Api-Key", "secret"],
    ["Authorization", "Bearer secret"],
    ["Accept", "text/event-stream"],
    ["Content-Type", "application/json"],
    ["X-Other", "1"],
]
_HEADED = ask(asked(), headers=[(name, value) for name, value in _NAMED])

_OTHERS = [
    project(
        "messages",
        "fields-unlisted",
        "What neither the binding nor its dialect lists is refused, all of it at once.",
        ask(_family("routes")),
        binding=_LISTED,
    ),
    project(
        "messages",
        "fields-listed",
        "What the binding or its dialect lists goes out, and the rest is left out with leave.",
        ask(asked(speed="fast", inference_geo="eu", chat_template_kwargs={"a": 1}, user="u1")),
        binding=_LISTED,
        accept=NEEDED,
    ),
    project(
        "chat",
        "from-messages-fields-refused",
        "What another wire cannot say is refused by the names that would leave it out.",
        ask(_family("context")),
    ),
    project(
        "messages",
        "block-binding-alone",
        "A part of an object that is not there is left out.",
        {
            "model": "caller-model",
            "items": [{"kind": "UserMessage", "content": [{"kind": "Text", "text": "Hello"}]}],
            "cache_marks": "given",
            "extensions": [
                {
                    "protocol": "messages",
                    "path": "thinking.block_binding",
                    "value": {"prefix_mismatch_behavior": "error"},
                }
            ],
        },
        accept=NEEDED,
    ),
    ingest(
        "messages",
        "headers",
        "Beta names, user profile and workspace are part of a request; no other header is.",
        asked(),
        headers=_NAMED,
    ),
    ingest(
        "messages",
        "headers-twice",
        "Beta names in several headers are one list.",
        asked(),
        headers=[["anthropic-beta", "beta-1"], ["Anthropic-Beta", "beta-2"]],
    ),
    ingest(
        "messages",
        "headers-newer-version",
        "The newer version.",
        asked(),
        headers=[["anthropic-version", "2026-10-21"]],
    ),
    ingest(
        "messages",
        "headers-newer-version-sampling",
        "It has no sampling.",
        asked(temperature=0.5, top_p=0.9, top_k=5),
        headers=[["anthropic-version", "2026-10-21"]],
    ),
    ingest(
        "messages",
        "headers-unknown-version",
        "A version that nobody published.",
        asked(),
        headers=[["anthropic-version", "2019-01-01"]],
    ),
    headers("messages", "carried", "Carried headers go out again.", turn=_HEADED),
    headers(
        "messages",
        "unlisted",
        "Only those that the binding takes: writing the body refuses the others, or leaves them out.",
        turn=_HEADED,
        binding={
            "base": "messages",
            "capabilities": {"extensions": ["messages.header.anthropic-beta"]},
            "dialect": {"request_fields": []},
        },
    ),
    project(
        "chat",
        "from-messages-headers",
        "Carried headers are left out of another wire, each by its name.",
        _HEADED,
        accept=NEEDED,
    ),
    project(
        "messages",
        "headers-unlisted",
        "Nor do they go to a binding that does not list them.",
        _HEADED,
        binding={
            "base": "messages",
            "capabilities": {"extensions": []},
            "dialect": {"request_fields": []},
        },
        accept=NEEDED,
    ),
]

CASES: list[Declared] = [*_families(), *_OTHERS]

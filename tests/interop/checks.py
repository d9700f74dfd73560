"""What is held for every wire: the client's final object says what the neutral answer says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from llm_projections import AGENT_CLIENTS, Loss, wire
from llm_projections.model.items import Protocol

from . import sdk
from .answers import IDENTITY, SHAPE, Answer

WIRES = {p.short: wire(p) for p in Protocol}


def written(name: str, answer: Answer, losses: list[Loss] | None = None) -> bytes:
    """The bytes of a streamed answer."""
    encode = WIRES[name].encode_ingress_stream
    return b"".join(encode(answer.events, IDENTITY, SHAPE, accept=AGENT_CLIENTS, losses=losses))


def whole(name: str, answer: Answer) -> bytes:
    """The bytes of an answer without streaming."""
    encode = WIRES[name].encode_ingress_answer
    body: bytes = encode(answer.outcome, IDENTITY, SHAPE, accept=AGENT_CLIENTS)
    return body


ACCEPTED: tuple[None, list[str], list[str]] = (None, [], [])


def faults(
    seen: sdk.Seen, unknown: Mapping[str, str]
) -> tuple[sdk.SdkError | None, list[str], list[str]]:
    """What the client raised, what its types reject, and what they do not know and we do not declare."""
    return seen.error, seen.strict, [line for line in seen.unknown if line not in unknown]


def chat_says(final: dict[str, Any]) -> dict[str, Any]:
    """What a chat completion says."""
    (choice,) = final["choices"]
    message = choice["message"]
    calls = message.get("tool_calls") or []
    return {
        "text": message.get("content") or "",
        "refusal": message.get("refusal") or "",
        "reasoning": message.get("reasoning_content") or "",
        "calls": [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls],
        "stop": choice["finish_reason"],
    }


def message_says(final: dict[str, Any]) -> dict[str, Any]:
    """What a Messages message says."""
    blocks = final["content"]
    return {
        "text": "".join(b["text"] for b in blocks if b["type"] == "text"),
        "reasoning": "".join(b["thinking"] for b in blocks if b["type"] == "thinking"),
        "calls": [(b["id"], b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"],
        "stop": final["stop_reason"],
    }


def response_says(final: dict[str, Any]) -> dict[str, Any]:
    """What a Responses response says."""
    items = final["output"]
    parts = [part for item in items if item["type"] == "message" for part in item["content"]]
    thoughts = [item for item in items if item["type"] == "reasoning"]
    calls = [i for i in items if i["type"] in ("function_call", "custom_tool_call")]
    return {
        "text": "".join(p["text"] for p in parts if p["type"] == "output_text"),
        "refusal": "".join(p["refusal"] for p in parts if p["type"] == "refusal"),
        "reasoning": "".join(
            part["text"]
            for item in thoughts
            for part in (*item.get("summary", ()), *(item.get("content") or ()))
        ),
        "calls": [(c["call_id"], c["name"], c.get("arguments", c.get("input"))) for c in calls],
        "stop": (final["status"], (final.get("incomplete_details") or {}).get("reason")),
    }


def calls_as_values(answer: Answer) -> list[tuple[str, str, Any]]:
    """The calls with their arguments as the JSON values that they are."""
    return [(call_id, name, json.loads(text or "{}")) for call_id, name, text in answer.calls]


def calls_as_text(answer: Answer) -> list[tuple[str, str, str]]:
    """The calls with their arguments as text."""
    return [(call_id, name, text) for call_id, name, text in answer.calls]

"""Good streams and answers of the three wires, written by hand from the published types."""

from __future__ import annotations

import json
from typing import Any

CHUNK = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1_760_000_000,
    "model": "m",
}
COUNTS = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}


def chunk(delta: dict[str, Any] | None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chat chunk; without a delta it has no choices."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return CHUNK | {"choices": choices} | more


def unnamed(*payloads: Any) -> bytes:
    """A chat stream."""
    return (
        b"".join(b"data: " + json.dumps(p).encode() + b"\n\n" for p in payloads)
        + b"data: [DONE]\n\n"
    )


def named(*payloads: Any) -> bytes:
    """A stream whose frames carry the payload's type as event name."""
    return b"".join(f"event: {p['type']}\ndata: {json.dumps(p)}\n\n".encode() for p in payloads)


def call(
    index: int, call_id: str | None = None, name: str | None = None, arguments: str = ""
) -> dict[str, Any]:
    """One fragment of a chat tool call."""
    head = {} if call_id is None else {"id": call_id, "type": "function"}
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": index, **head, "function": function}]}


def chat_text(
    *, finish: str = "stop", pieces: tuple[str, ...] = ("Hel", "lo")
) -> list[dict[str, Any]]:
    """The payloads of a chat answer in text."""
    said = [chunk({"content": piece}) for piece in pieces]
    return [
        chunk({"role": "assistant", "content": ""}),
        *said,
        chunk({}, finish),
        chunk(None, usage=COUNTS),
    ]


def message_start(**usage: Any) -> dict[str, Any]:
    """The opening of a Messages stream."""
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    counters = {"input_tokens": 9, "output_tokens": 1} | usage
    return {
        "type": "message_start",
        "message": head | {"stop_reason": None, "stop_sequence": None, "usage": counters},
    }


def block(index: int, opened: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """The payloads of one Messages block."""
    start = {"type": "content_block_start", "index": index, "content_block": opened}
    middle = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [start, *middle, {"type": "content_block_stop", "index": index}]


def message_end(reason: str = "end_turn") -> list[dict[str, Any]]:
    """The end of a Messages stream."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]


def messages_text() -> list[dict[str, Any]]:
    """The payloads of a Messages answer in text."""
    deltas = ({"type": "text_delta", "text": "Hel"}, {"type": "text_delta", "text": "lo"})
    return [message_start(), *block(0, {"type": "text", "text": ""}, *deltas), *message_end()]


def response(status: str, *output: dict[str, Any]) -> dict[str, Any]:
    """A Responses answer object."""
    head = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_760_000_000,
        "model": "m",
        "status": status,
    }
    return head | {
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def spoken(text: str, status: str = "completed") -> dict[str, Any]:
    """A Responses message item."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "id": "item_0",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [part] if text else [],
    }


def numbered(*payloads: dict[str, Any]) -> bytes:
    """A Responses stream."""
    return named(*({"sequence_number": i} | payload for i, payload in enumerate(payloads)))


def responses_text() -> list[dict[str, Any]]:
    """The payloads of a Responses answer in text."""
    at = {"item_id": "item_0", "output_index": 0, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    return [
        {"type": "response.created", "response": response("in_progress")},
        {"type": "response.in_progress", "response": response("in_progress")},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": spoken("", "in_progress"),
        },
        {"type": "response.content_part.added", **at, "part": empty},
        {"type": "response.output_text.delta", **at, "delta": "Hel", "logprobs": []},
        {"type": "response.output_text.delta", **at, "delta": "lo", "logprobs": []},
        {"type": "response.output_text.done", **at, "text": "Hello", "logprobs": []},
        {"type": "response.content_part.done", **at, "part": empty | {"text": "Hello"}},
        {"type": "response.output_item.done", "output_index": 0, "item": spoken("Hello")},
        {"type": "response.completed", "response": response("completed", spoken("Hello"))},
    ]

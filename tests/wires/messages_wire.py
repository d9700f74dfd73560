"""Messages streams and bodies, written by hand from the published types."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from llm_projections.messages import decode_stream
from llm_projections.model.binding import ApiKey, Binding, Capabilities
from llm_projections.model.events import Event, TurnCompleted, TurnFailed
from llm_projections.model.items import Protocol
from llm_projections.model.outcome import TurnOutcome
from tests.helpers import reads

Payload = dict[str, Any]

BINDING = Binding(
    Protocol.MESSAGES,
    provider="vendor",
    account="a",
    endpoint="e",
    model="m",
    upstream_name="upstream",
    base_url="http://localhost/v1/",
    auth=ApiKey(),
    capabilities=Capabilities.all(200_000, 8_000),
)


def named(*payloads: Payload) -> bytes:
    """A stream whose frames carry the payload's type as event name."""
    return b"".join(f"event: {p['type']}\ndata: {json.dumps(p)}\n\n".encode() for p in payloads)


def unnamed(*payloads: Payload) -> bytes:
    """A stream without event names."""
    return b"".join(f"data: {json.dumps(p)}\n\n".encode() for p in payloads)


def opening(usage: Payload | None = None, **message: Any) -> Payload:
    """`message_start`."""
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x"}
    rest: Payload = {"content": [], "stop_reason": None, "stop_sequence": None}
    counted = {"input_tokens": 9, "output_tokens": 1} if usage is None else usage
    return {"type": "message_start", "message": {**head, **rest, "usage": counted, **message}}


def starts(index: int, block: Payload) -> Payload:
    """`content_block_start`."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def goes_on(index: int, delta: Payload) -> Payload:
    """`content_block_delta`."""
    return {"type": "content_block_delta", "index": index, "delta": delta}


def stops(index: int) -> Payload:
    """`content_block_stop`."""
    return {"type": "content_block_stop", "index": index}


def ending(reason: str | None = "end_turn", usage: Payload | None = None, **delta: Any) -> Payload:
    """`message_delta`."""
    counted = {"output_tokens": 4} if usage is None else usage
    told = {"stop_reason": reason, "stop_sequence": None, **delta}
    return {"type": "message_delta", "delta": told, "usage": counted}


STOP: Payload = {"type": "message_stop"}
PING: Payload = {"type": "ping"}


def says(text: str) -> Payload:
    """`text_delta`."""
    return {"type": "text_delta", "text": text}


def thinks(text: str) -> Payload:
    """`thinking_delta`."""
    return {"type": "thinking_delta", "thinking": text}


def signs(signature: str) -> Payload:
    """`signature_delta`."""
    return {"type": "signature_delta", "signature": signature}


def argues(text: str) -> Payload:
    """`input_json_delta`."""
    return {"type": "input_json_delta", "partial_json": text}


def whole_block(index: int, block: Payload, *deltas: Payload) -> list[Payload]:
    """A block from its start to its end."""
    return [starts(index, block), *(goes_on(index, delta) for delta in deltas), stops(index)]


def text(index: int, *pieces: str) -> list[Payload]:
    """A text block."""
    return whole_block(index, {"type": "text", "text": ""}, *map(says, pieces))


def thinking(index: int, thought: str, signature: str = "") -> list[Payload]:
    """A thinking block."""
    deltas = [thinks(thought)] if thought else []
    deltas += [signs(signature)] if signature else []
    return whole_block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas)


def call(index: int, call_id: str, name: str, *pieces: str, **more: Any) -> list[Payload]:
    """A tool_use block."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": {}, **more}
    return whole_block(index, block, *map(argues, pieces))


def read(*payloads: Payload, **settings: Any) -> list[Event]:
    """The events of a stream of payloads, however it is cut."""
    return reads(lambda chunks: _decode(chunks, **settings), named(*payloads))


def _decode(chunks: Iterable[bytes], **settings: Any) -> list[Event]:
    return list(decode_stream(chunks, BINDING, **settings))


def answer(*blocks: Payload, reason: str = "end_turn", **settings: Any) -> TurnOutcome:
    """The outcome of a stream of these block events."""
    last = read(opening(), *blocks, ending(reason), STOP, **settings)[-1]
    assert isinstance(last, TurnCompleted), last
    return last.outcome


def failure(*payloads: Payload, **settings: Any) -> Any:
    """The error that a stream ends with."""
    last = read(*payloads, **settings)[-1]
    assert isinstance(last, TurnFailed), last
    return last.error

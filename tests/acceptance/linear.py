"""Law 10: time grows with the bytes, whatever the pieces, for one giant call as for many small."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from .report import Report
from .streams import decode

SMALL, LARGE = 100_000, 800_000
# Eight times the bytes: linear takes 8, quadratic 64; noise of a shared machine stays far below 24.
BOUND = 24.0
PIECES = {"whole": LARGE * 4, "4096": 4096, "64": 64, "1": 1}


def check_linear(wire: str) -> Report:
    """Time of a long answer against that of a short one, for several sizes of piece."""
    report = Report()
    for shape, build in _SHAPES[wire].items():
        small, large = build(SMALL), build(LARGE)
        for name, size in PIECES.items():
            ratio = _time(wire, large, size) / max(_time(wire, small, size), 1e-4)
            row = f"{shape}, pieces {name}"
            report.count(
                f"{wire} growth of time for 8 times the bytes", f"{row}: {ratio:.1f}", wire
            )
            if ratio > BOUND:
                report.fail("linear", f"{wire} {row}", f"{ratio:.1f} times")
    return report.plain()


def _time(wire: str, data: bytes, size: int) -> float:
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        events = decode(wire, pieces)
        best = min(best, time.perf_counter() - start)
        if type(events[-1]).__name__ != "TurnCompleted":
            raise AssertionError(f"{wire}: {events[-1]!r:.300}")
    return best


def _frames(payloads: list[dict[str, Any]], *, named: bool) -> bytes:
    heads = [f"event: {p['type']}\n" if named else "" for p in payloads]
    frames = [f"{h}data: {json.dumps(p)}\n\n" for h, p in zip(heads, payloads, strict=True)]
    return "".join(frames).encode() + (b"" if named else b"data: [DONE]\n\n")


def _chat(deltas: list[dict[str, Any]], finish: str) -> bytes:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    return _frames([head | {"choices": [choice]} for choice in choices], named=False)


def _chat_text(size: int) -> bytes:
    return _chat([{"content": "twelve chars"} for _ in range(size // 130)], "stop")


def _chat_call(size: int) -> bytes:
    opened = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"a":"'},
    }
    more = [{"index": 0, "function": {"arguments": "twelve chars"}} for _ in range(size // 160)]
    closed = {"index": 0, "function": {"arguments": '"}'}}
    return _chat([{"tool_calls": [call]} for call in [opened, *more, closed]], "tool_calls")


def _chat_calls(size: int) -> bytes:
    calls = [
        {
            "index": i,
            "id": f"call_{i}",
            "type": "function",
            "function": {"name": "f", "arguments": "{}"},
        }
        for i in range(size // 200)
    ]
    return _chat([{"tool_calls": [call]} for call in calls], "tool_calls")


def _messages(blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]], stop: str) -> bytes:
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": 1, "output_tokens": 1}
    payloads: list[dict[str, Any]] = [{"type": "message_start", "message": head | {"usage": usage}}]
    for index, (opened, deltas) in enumerate(blocks):
        payloads.append({"type": "content_block_start", "index": index, "content_block": opened})
        payloads += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        payloads.append({"type": "content_block_stop", "index": index})
    payloads.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage})
    return _frames([*payloads, {"type": "message_stop"}], named=True)


def _messages_text(size: int) -> bytes:
    deltas = [{"type": "text_delta", "text": "twelve chars"} for _ in range(size // 140)]
    return _messages([({"type": "text", "text": ""}, deltas)], "end_turn")


def _tool_use(index: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{index}", "name": "f", "input": {}}


def _messages_call(size: int) -> bytes:
    texts = ['{"a":"', *["twelve chars"] * (size // 150), '"}']
    deltas = [{"type": "input_json_delta", "partial_json": text} for text in texts]
    return _messages([(_tool_use(0), deltas)], "tool_use")


def _messages_calls(size: int) -> bytes:
    return _messages([(_tool_use(i), []) for i in range(size // 230)], "tool_use")


def _responses(items: list[tuple[dict[str, Any], list[dict[str, Any]]]]) -> bytes:
    head = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": []}
    payloads: list[dict[str, Any]] = [{"type": "response.created", "response": head}]
    for index, (item, between) in enumerate(items):
        payloads.append({"type": "response.output_item.added", "output_index": index, "item": item})
        payloads += [p | {"output_index": index, "item_id": item["id"]} for p in between]
    done = [item for item, _ in items]
    completed = head | {"status": "completed", "output": done}
    return _frames([*payloads, {"type": "response.completed", "response": completed}], named=True)


def _responses_call(size: int) -> bytes:
    texts = ['{"a":"', *["twelve chars"] * (size // 150), '"}']
    deltas = [{"type": "response.function_call_arguments.delta", "delta": text} for text in texts]
    item = {"id": "fc_0", "type": "function_call", "call_id": "call_0", "name": "f"}
    return _responses([(item | {"arguments": "".join(texts)}, deltas)])


def _responses_calls(size: int) -> bytes:
    item = {"type": "function_call", "name": "f", "arguments": "{}"}
    return _responses(
        [(item | {"id": f"fc_{i}", "call_id": f"call_{i}"}, []) for i in range(size // 300)]
    )


_SHAPES: dict[str, dict[str, Callable[[int], bytes]]] = {
    "chat": {"text": _chat_text, "one call": _chat_call, "many calls": _chat_calls},
    "messages": {"text": _messages_text, "one call": _messages_call, "many calls": _messages_calls},
    "responses": {"one call": _responses_call, "many calls": _responses_calls},
}

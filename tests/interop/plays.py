"""What a model server answers, written by hand in the form of each wire's own vendor.

An answer is a list of parts, the same for every wire; each wire has its own words for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .streams import block, call, chunk, named, numbered, response, unnamed
from .upstream import JSON, Played

SIGNATURE = "c2lnbmVkIGJ5IHRoZSBzZXJ2ZXI="
CIPHERTEXT = "Z0FBQUFBc2VhbGVkIHN0YXRl"
# On one scale: 12 tokens in, 4 of them from a cache, 7 out, 2 of them reasoning.
CHAT_USAGE = {
    "prompt_tokens": 12,
    "completion_tokens": 7,
    "total_tokens": 19,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 2},
}
MESSAGES_USAGE = {
    "input_tokens": 8,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 4,
    "output_tokens": 7,
}
RESPONSES_USAGE = {
    "input_tokens": 12,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 19,
}


@dataclass(frozen=True)
class Words:
    """Text."""

    said: str


@dataclass(frozen=True)
class Thought:
    """Reasoning, sealed where the wire seals it."""

    said: str


@dataclass(frozen=True)
class Declined:
    """The model's words of refusal."""

    said: str


@dataclass(frozen=True)
class Called:
    """A call of a function."""

    call_id: str
    name: str
    arguments: str


Part = Words | Thought | Declined | Called
Payloads = list[dict[str, Any]]


def halves(said: str) -> list[str]:
    """A text in two deltas."""
    return [said[: len(said) // 2], said[len(said) // 2 :]]


def chat(*parts: Part, limit: bool = False) -> Payloads:
    """A Chat stream as vLLM and the vendor write it: reasoning beside the content, calls by index."""
    payloads = [chunk({"role": "assistant", "content": ""})]
    fields = {Thought: "reasoning_content", Words: "content", Declined: "refusal"}
    calls = 0
    for part in parts:
        if isinstance(part, Called):
            payloads.append(chunk(call(calls, part.call_id, part.name)))
            payloads += [chunk(call(calls, arguments=piece)) for piece in halves(part.arguments)]
            calls += 1
        else:
            payloads += [chunk({fields[type(part)]: piece}) for piece in halves(part.said)]
    finish = "length" if limit else "tool_calls" if calls else "stop"
    return [*payloads, chunk({}, finish), chunk(None, usage=CHAT_USAGE)]


def messages(*parts: Part, limit: bool = False) -> Payloads:
    """A Messages stream: one block a part, thinking signed, counters disjoint."""
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = MESSAGES_USAGE | {"output_tokens": 1}
    head |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    payloads: Payloads = [{"type": "message_start", "message": head}, {"type": "ping"}]
    reason = "end_turn"
    for index, part in enumerate(parts):
        opened: dict[str, Any]
        if isinstance(part, Called):
            opened = {"type": "tool_use", "id": part.call_id, "name": part.name, "input": {}}
            deltas = [
                {"type": "input_json_delta", "partial_json": piece}
                for piece in halves(part.arguments)
            ]
            reason = "tool_use"
        elif isinstance(part, Thought):
            opened = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in halves(part.said)]
            deltas.append({"type": "signature_delta", "signature": SIGNATURE})
        else:
            opened = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in halves(part.said)]
            reason = "refusal" if isinstance(part, Declined) else reason
        payloads += block(index, opened, *deltas)
    delta = {"stop_reason": "max_tokens" if limit else reason, "stop_sequence": None}
    payloads.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}})
    return [*payloads, {"type": "message_stop"}]


def responses(*parts: Part, limit: bool = False) -> Payloads:
    """A Responses stream: one item a part, reasoning with summary and ciphertext."""
    opening = response("in_progress")
    payloads: Payloads = [
        {"type": "response.created", "response": opening},
        {"type": "response.in_progress", "response": opening},
    ]
    output = [_item(index, part) for index, part in enumerate(parts)]
    for index, (part, item) in enumerate(zip(parts, output, strict=True)):
        payloads += _item_events(index, part, item)
    status = "incomplete" if limit else "completed"
    whole = response(status, *output) | {"usage": RESPONSES_USAGE}
    if limit:
        whole |= {"incomplete_details": {"reason": "max_output_tokens"}}
    return [*payloads, {"type": f"response.{status}", "response": whole}]


def _item(index: int, part: Part) -> dict[str, Any]:
    if isinstance(part, Called):
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": part.call_id}
        return item | {"name": part.name, "arguments": part.arguments, "status": "completed"}
    if isinstance(part, Thought):
        summary = [{"type": "summary_text", "text": part.said}]
        item = {"type": "reasoning", "id": f"rs_{index}", "summary": summary}
        return item | {"encrypted_content": CIPHERTEXT}
    item = {"type": "message", "id": f"msg_{index}", "role": "assistant", "status": "completed"}
    return item | {"content": [_content(part)]}


def _content(part: Words | Declined) -> dict[str, Any]:
    if isinstance(part, Declined):
        return {"type": "refusal", "refusal": part.said}
    return {"type": "output_text", "text": part.said, "annotations": [], "logprobs": []}


def _item_events(index: int, part: Part, item: dict[str, Any]) -> Payloads:
    place = {"output_index": index, "item_id": item["id"]}
    if isinstance(part, Called):
        opened = item | {"arguments": "", "status": "in_progress"}
        kind = "response.function_call_arguments"
        middle = [{"type": f"{kind}.delta", **place, "delta": p} for p in halves(part.arguments)]
        done = {"arguments": part.arguments, "name": part.name}
        middle.append({"type": f"{kind}.done", **place, **done})
    elif isinstance(part, Thought):
        opened = item | {"summary": []}
        at = place | {"summary_index": 0}
        empty = {"type": "summary_text", "text": ""}
        kind = "response.reasoning_summary"
        middle = [
            {"type": f"{kind}_part.added", **at, "part": empty},
            *({"type": f"{kind}_text.delta", **at, "delta": p} for p in halves(part.said)),
            {"type": f"{kind}_text.done", **at, "text": part.said},
            {"type": f"{kind}_part.done", **at, "part": empty | {"text": part.said}},
        ]
    else:
        opened = item | {"content": [], "status": "in_progress"}
        at = place | {"content_index": 0}
        word = "refusal" if isinstance(part, Declined) else "text"
        kind = "response.refusal" if isinstance(part, Declined) else "response.output_text"
        more = {} if isinstance(part, Declined) else {"logprobs": []}
        middle = [
            {
                "type": "response.content_part.added",
                **at,
                "part": _content(type(part)("")),
            },
            *({"type": f"{kind}.delta", **at, "delta": p, **more} for p in halves(part.said)),
            {"type": f"{kind}.done", **at, word: part.said, **more},
            {"type": "response.content_part.done", **at, "part": _content(part)},
        ]
    return [
        {"type": "response.output_item.added", "output_index": index, "item": opened},
        *middle,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


PAYLOADS: dict[str, Callable[..., Payloads]] = {
    "chat": chat,
    "messages": messages,
    "responses": responses,
}
FRAMED: dict[str, Callable[..., bytes]] = {
    "chat": unnamed,
    "messages": named,
    "responses": numbered,
}


def stream(wire: str, *parts: Part, limit: bool = False) -> Played:
    """The whole stream."""
    return Played(FRAMED[wire](*PAYLOADS[wire](*parts, limit=limit)))


def cut(wire: str, *, shown: bool, broken: bool) -> Played:
    """A stream that stops in the middle of an event, after some text or before any."""
    payloads = PAYLOADS[wire](Words("Hello there"))
    kept = opening(payloads, shown=shown)
    frames = FRAMED[wire](*kept).removesuffix(b"data: [DONE]\n\n")
    following = FRAMED[wire](payloads[len(kept)])
    return Played(frames + following[: len(following) // 3], broken=broken)


def opening(payloads: Payloads, *, shown: bool) -> Payloads:
    """What comes before the fault: the opening event alone, or all up to the first piece of text."""
    said = next(i for i, payload in enumerate(payloads) if "Hello" in json.dumps(payload))
    return payloads[: said + 1] if shown else payloads[:1]


def failing(wire: str, *, shown: bool) -> Played:
    """A stream in which the server says that it failed, after some text or at once."""
    payloads = PAYLOADS[wire](Words("Hello there"))
    before = opening(payloads, shown=shown)
    fault: dict[str, Any]
    if wire == "chat":
        detail = {"message": "the engine died", "type": "server_error", "code": "server_error"}
        fault = {"error": detail}
    elif wire == "messages":
        detail = {"type": "api_error", "message": "the engine died"}
        fault = {"type": "error", "error": detail}
    else:
        detail = {"code": "server_error", "message": "the engine died"}
        fault = {"type": "response.failed", "response": response("failed") | {"error": detail}}
    return Played(FRAMED[wire](*before, fault).removesuffix(b"data: [DONE]\n\n"))


def whole_body(wire: str, said: str) -> Played:
    """A JSON body where a stream was asked for."""
    body: dict[str, Any]
    if wire == "chat":
        message = {"role": "assistant", "content": said, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"}
        body = head | {"choices": [choice], "usage": CHAT_USAGE}
    elif wire == "messages":
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m"}
        stop = {"stop_reason": "end_turn", "stop_sequence": None, "usage": MESSAGES_USAGE}
        body = head | {"content": [{"type": "text", "text": said}]} | stop
    else:
        item = _item(0, Words(said))
        body = response("completed", item) | {"usage": RESPONSES_USAGE}
    return Played(json.dumps(body).encode(), headers=JSON)


def error(
    wire: str,
    status: int,
    kind: str,
    message: str,
    *,
    code: str | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> Played:
    """An answer with an error status, in the vendor's shape."""
    body: dict[str, Any]
    if wire == "messages":
        body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    else:
        body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return Played(json.dumps(body).encode(), status, (*JSON, *headers))

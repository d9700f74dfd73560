"""Answers of the three wires as their vendors stream them, frame by frame.

Three kinds each: text, five parallel tool calls, reasoning followed by a short text.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import orjson

from llm_projections.sse import DONE, frame
from tests.bench.words import TOOLS, arguments, pieces, sealed, tag

KINDS = ("text", "tools", "reasoning")
CALLS = 5
AFTER = 20  # pieces of text after the reasoning

Body = dict[str, Any]


def chat(kind: str, events: int) -> list[bytes]:
    """Chat Completions chunks: no event names, a usage chunk, the sentinel."""
    random = Random(f"chat {kind}")
    common = {
        "id": tag(random, "chatcmpl-", 29),
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": "gpt-5.2-2026-01-15",
        "service_tier": "default",
        "system_fingerprint": "fp_5c1a9d04e7",
    }

    def chunk(delta: Body, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        padding = sealed(random, 9)[: random.randint(2, 12)]
        return _frame({**common, "choices": [choice], "usage": None, "obfuscation": padding})

    made = [chunk({"role": "assistant", "content": None if kind == "tools" else ""})]
    if kind == "tools":
        for index in range(CALLS):
            function = {"name": TOOLS[index], "arguments": ""}
            call = {"index": index, "id": tag(random, "call_"), "type": "function"}
            made.append(chunk({"tool_calls": [{**call, "function": function}]}))
            for part in arguments(random, events // CALLS):
                call = {"index": index, "function": {"arguments": part}}
                made.append(chunk({"tool_calls": [call]}))
    elif kind == "reasoning":
        made += [chunk({"reasoning_content": piece}) for piece in pieces(random, events)]
        made += [chunk({"content": piece}) for piece in pieces(random, AFTER)]
    else:
        made += [chunk({"content": piece}) for piece in pieces(random, events)]
    made.append(chunk({}, "tool_calls" if kind == "tools" else "stop"))
    usage = {
        "prompt_tokens": 4210,
        "completion_tokens": events,
        "total_tokens": 4210 + events,
        "prompt_tokens_details": {"cached_tokens": 3072, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
    made.append(_frame({**common, "choices": [], "usage": usage}))
    return [*made, DONE]


def messages(kind: str, events: int) -> list[bytes]:
    """Messages events: named, blocks opened and closed one after the other."""
    random = Random(f"messages {kind}")
    counted = {
        "input_tokens": 420,
        "cache_creation_input_tokens": 512,
        "cache_read_input_tokens": 20480,
    }
    opening: Body = {
        "model": "claude-opus-4-6",
        "id": tag(random, "msg_01", 22),
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**counted, "output_tokens": 1, "service_tier": "standard"},
    }
    made = [_named({"type": "message_start", "message": opening})]

    def block(index: int, start: Body, deltas: list[Body]) -> None:
        at = {"index": index}
        made.append(_named({"type": "content_block_start", **at, "content_block": start}))
        if index == 0:
            made.append(_named({"type": "ping"}))
        kind = {"type": "content_block_delta"}
        made.extend(_named({**kind, **at, "delta": delta}) for delta in deltas)
        made.append(_named({"type": "content_block_stop", **at}))

    def text(index: int, count: int) -> None:
        deltas: list[Body] = [{"type": "text_delta", "text": t} for t in pieces(random, count)]
        block(index, {"type": "text", "text": ""}, deltas)

    if kind == "tools":
        for index in range(CALLS):
            call = {"type": "tool_use", "id": tag(random, "toolu_01", 22), "name": TOOLS[index]}
            parts = arguments(random, events // CALLS)
            deltas: list[Body] = [{"type": "input_json_delta", "partial_json": p} for p in parts]
            block(index, {**call, "input": {}}, deltas)
    elif kind == "reasoning":
        thoughts: list[Body] = [
            {"type": "thinking_delta", "thinking": t} for t in pieces(random, events)
        ]
        thoughts.append({"type": "signature_delta", "signature": sealed(random, 1200)})
        block(0, {"type": "thinking", "thinking": "", "signature": ""}, thoughts)
        text(1, AFTER)
    else:
        text(0, events)
    stop = "tool_use" if kind == "tools" else "end_turn"
    ending = {"stop_reason": stop, "stop_sequence": None}
    usage = {**counted, "output_tokens": events}
    made.append(_named({"type": "message_delta", "delta": ending, "usage": usage}))
    return [*made, _named({"type": "message_stop"})]


class _Responses:
    """Writes one Responses stream: counts its events and keeps the items it has finished."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.made: list[bytes] = []
        self.items: list[Body] = []

    def event(self, kind: str, **rest: Any) -> None:
        self.made.append(_named({"type": kind, "sequence_number": len(self.made), **rest}))

    def padding(self) -> str:
        return sealed(self.random, 12)[: self.random.randint(2, 16)]

    def opened(self, item: Body) -> int:
        index = len(self.items)
        self.event("response.output_item.added", output_index=index, item=item)
        return index

    def finished(self, item: Body) -> None:
        self.event("response.output_item.done", output_index=len(self.items), item=item)
        self.items.append(item)

    def message(self, count: int) -> None:
        item = {"id": tag(self.random, "msg_", 48), "type": "message", "role": "assistant"}
        index = self.opened({**item, "status": "in_progress", "content": []})
        at = {"item_id": item["id"], "output_index": index, "content_index": 0}
        part: Body = {"type": "output_text", "annotations": [], "logprobs": []}
        self.event("response.content_part.added", **at, part={**part, "text": ""})
        said = pieces(self.random, count)
        for piece in said:
            rest = {"delta": piece, "logprobs": [], "obfuscation": self.padding()}
            self.event("response.output_text.delta", **at, **rest)
        part["text"] = "".join(said)
        self.event("response.output_text.done", **at, text=part["text"], logprobs=[])
        self.event("response.content_part.done", **at, part=part)
        self.finished({**item, "status": "completed", "content": [part]})

    def call(self, name: str, count: int) -> None:
        item = {
            "id": tag(self.random, "fc_", 48),
            "type": "function_call",
            "call_id": tag(self.random, "call_"),
            "name": name,
        }
        index = self.opened({**item, "status": "in_progress", "arguments": ""})
        at = {"item_id": item["id"], "output_index": index}
        parts = arguments(self.random, count)
        for part in parts:
            rest = {"delta": part, "obfuscation": self.padding()}
            self.event("response.function_call_arguments.delta", **at, **rest)
        text = "".join(parts)
        self.event("response.function_call_arguments.done", **at, name=name, arguments=text)
        self.finished({**item, "status": "completed", "arguments": text})

    def reasoning(self, count: int) -> None:
        item = {"id": tag(self.random, "rs_", 48), "type": "reasoning"}
        early = sealed(self.random, 300)
        index = self.opened({**item, "encrypted_content": early, "summary": []})
        at = {"item_id": item["id"], "output_index": index, "summary_index": 0}
        empty = {"type": "summary_text", "text": ""}
        self.event("response.reasoning_summary_part.added", **at, part=empty)
        thought = pieces(self.random, count)
        for piece in thought:
            rest = {"delta": piece, "obfuscation": self.padding()}
            self.event("response.reasoning_summary_text.delta", **at, **rest)
        whole = {"type": "summary_text", "text": "".join(thought)}
        self.event("response.reasoning_summary_text.done", **at, text=whole["text"])
        self.event("response.reasoning_summary_part.done", **at, part=whole)
        final = sealed(self.random, 4500)
        self.finished({**item, "encrypted_content": final, "summary": [whole]})


def responses(kind: str, events: int) -> list[bytes]:
    """Responses events: named, numbered, the whole response in the first two and the last."""
    random = Random(f"responses {kind}")
    tools = [
        {
            "type": "function",
            "name": name,
            "description": " ".join(pieces(random, 60)),
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
            "strict": False,
        }
        for name in TOOLS
    ]
    response: Body = {
        "id": tag(random, "resp_", 48),
        "object": "response",
        "created_at": 1_790_000_000,
        "status": "in_progress",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": " ".join(pieces(random, 150)),
        "max_output_tokens": None,
        "model": "gpt-5.2-2026-01-15",
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": "medium", "summary": "auto"},
        "service_tier": "default",
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": tools,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
        "metadata": {},
    }
    stream = _Responses(random)
    stream.event("response.created", response=response)
    stream.event("response.in_progress", response=response)
    if kind == "tools":
        for name in TOOLS[:CALLS]:
            stream.call(name, events // CALLS)
    elif kind == "reasoning":
        stream.reasoning(events)
        stream.message(AFTER)
    else:
        stream.message(events)
    usage = {
        "input_tokens": 4210,
        "input_tokens_details": {"cached_tokens": 3072},
        "output_tokens": events,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 4210 + events,
    }
    final = {**response, "status": "completed", "output": stream.items, "usage": usage}
    stream.event("response.completed", response=final)
    return stream.made


def _frame(body: Body) -> bytes:
    return frame(orjson.dumps(body))


def _named(body: Body) -> bytes:
    return frame(orjson.dumps(body), body["type"])


STREAMS: dict[str, Callable[[str, int], list[bytes]]] = {
    "chat": chat,
    "messages": messages,
    "responses": responses,
}

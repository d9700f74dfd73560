"""Responses answers as servers write them, put together by hand, and what is asked of every decoder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from llm_projections.errors import ResponseRefused
from llm_projections.model.binding import Anonymous, Binding, Capabilities, Identity
from llm_projections.model.dialect import Dialect
from llm_projections.model.events import Event, TurnCompleted, TurnFailed
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.outcome import TurnOutcome, Warning
from llm_projections.model.results import AnswerShape
from llm_projections.wires.responses.decode import decode_stream
from tests.helpers import reads

T = TypeVar("T")

BINDING = Binding(
    Protocol.RESPONSES,
    "p",
    "a",
    "e",
    "m",
    "m-1",
    "https://host.example/v1/",
    Anonymous(),
    Capabilities.all(),
    Dialect(),
)
IDENTITY = Identity("resp_1", 1_760_000_000, "client-model")
SHAPE = AnswerShape(stream=True)
USAGE: dict[str, Any] = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 18,
}


def event(kind: str, /, **fields: Any) -> bytes:
    """One named event."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


def response(status: str = "completed", /, **fields: Any) -> dict[str, Any]:
    """The response object."""
    return {"id": "resp_u", "object": "response", "created_at": 1, "model": "m-1"} | {
        "status": status,
        "output": [],
        **fields,
    }


HEAD = event("response.created", response=response("in_progress"))


def ended(*output: Any, status: str = "completed", **fields: Any) -> bytes:
    """The terminal event."""
    body = response(status, output=list(output), usage=USAGE, **fields)
    return event(f"response.{status}", response=body)


def message(text: str, item_id: str = "msg_u", **fields: Any) -> dict[str, Any]:
    """A finished message of one text."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "message", "id": item_id, "status": "completed", "role": "assistant"} | {
        "content": [part],
        **fields,
    }


def call(call_id: str, name: str, arguments: str, item_id: str = "fc_u", **fields: Any) -> Any:
    """A finished call of a function."""
    return {"type": "function_call", "id": item_id, "call_id": call_id, "name": name} | {
        "arguments": arguments,
        "status": "completed",
        **fields,
    }


def added(item: dict[str, Any], index: int = 0) -> bytes:
    """An item as it is announced: what it says is still empty."""
    empty = {"content": [], "arguments": "", "input": "", "summary": []}
    begun = {k: empty.get(k, v) for k, v in item.items()} | {"status": "in_progress"}
    return event("response.output_item.added", output_index=index, item=begun)


def done(item: dict[str, Any], index: int = 0) -> bytes:
    """An item as it ends."""
    return event("response.output_item.done", output_index=index, item=item)


def text_delta(text: str, item_id: str = "msg_u", index: int = 0, part: int = 0) -> bytes:
    """A piece of a text."""
    return event(
        "response.output_text.delta",
        item_id=item_id,
        output_index=index,
        content_index=part,
        delta=text,
        logprobs=[],
    )


def arguments_delta(text: str, item_id: str = "fc_u", index: int = 0) -> bytes:
    """A piece of a call's arguments."""
    kind = "response.function_call_arguments.delta"
    return event(kind, item_id=item_id, output_index=index, delta=text)


def said(item: dict[str, Any], *deltas: bytes, index: int = 0) -> bytes:
    """One item: announced, said, done."""
    return added(item, index) + b"".join(deltas) + done(item, index)


def events(data: bytes, binding: Binding = BINDING, **settings: Any) -> list[Event]:
    """Every event, after checking that cuts never show and that the last one alone is terminal."""

    def decode(chunks: Iterable[bytes]) -> list[Event]:
        return list(decode_stream(chunks, binding, **settings))

    found = reads(decode, data)
    assert [found[-1]] == [each for each in found if isinstance(each, TurnCompleted | TurnFailed)]
    return found


def outcome(data: bytes, binding: Binding = BINDING, **settings: Any) -> TurnOutcome:
    """The outcome of a stream that is whole."""
    last = events(data, binding, **settings)[-1]
    assert isinstance(last, TurnCompleted)
    return last.outcome


def refused(data: bytes, binding: Binding = BINDING, **settings: Any) -> ResponseRefused:
    """The refusal of a stream that is not."""
    last = events(data, binding, **settings)[-1]
    assert isinstance(last, TurnFailed)
    assert isinstance(last.error, ResponseRefused)
    return last.error


def first(kind: type[T], data: bytes, **settings: Any) -> T:
    """The first item of a stream that is whole, which is of this kind."""
    item = outcome(data, **settings).items[0]
    assert isinstance(item, kind)
    return item


def warned(data: bytes, **settings: Any) -> list[str]:
    """The codes of what was odd."""
    return [each.code for each in events(data, **settings) if isinstance(each, Warning)]


def own(path: str, value: Any) -> Extension:
    """An extension of this wire."""
    return Extension(Protocol.RESPONSES, path, value)


def frames(data: bytes) -> list[dict[str, Any]]:
    """The payloads of what was written, each checked to be named as its type."""
    found: list[dict[str, Any]] = []
    for block in data.split(b"\n\n")[:-1]:
        name, _, line = block.partition(b"\n")
        payload = json.loads(line.removeprefix(b"data: "))
        assert name == b"event: " + payload["type"].encode()
        found.append(payload)
    return found


HELLO = message("Hello")
SEALED = {
    "type": "reasoning",
    "id": "rs_u",
    "summary": [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "B"}],
    "encrypted_content": "c2VhbGVk",
}


def summary_delta(text: str, position: int = 0, index: int = 0) -> bytes:
    """A piece of a summary."""
    kind = "response.reasoning_summary_text.delta"
    return event(kind, item_id="rs_u", output_index=index, summary_index=position, delta=text)


def raw_delta(text: str, kind: str = "response.reasoning_text.delta") -> bytes:
    """A piece of raw reasoning."""
    return event(kind, item_id="rs_u", output_index=0, content_index=0, delta=text)


EVERYTHING = (
    HEAD
    + said(SEALED, summary_delta("A"), summary_delta("B", 1), index=0)
    + said(HELLO, text_delta("Hel", index=1), text_delta("lo", index=1), index=1)
    + said(call("c1", "f", '{"a":1}'), arguments_delta('{"a"', index=2), index=2)
    + ended(SEALED, HELLO, call("c1", "f", '{"a":1}'))
)

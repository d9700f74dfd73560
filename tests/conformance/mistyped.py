"""Answers in which something has a type that its place never has: refused, or told by a warning."""

from typing import Any

from tests.conformance.chat_streams import CALLED, DONE, END, FIRST, HI, call, chunk, counted
from tests.conformance.declared import Declared, decode, decode_body
from tests.conformance.forms import sse
from tests.conformance.messages_streams import END as ENDED
from tests.conformance.messages_streams import (
    HELLO,
    LOOK,
    OPEN,
    OPEN_TEXT,
    STOP,
    block,
    delta,
    ended,
    shut,
    started,
    text,
)

__all__ = ["CHAT", "MESSAGES", "RESPONSES"]

_NAMED = {"id": "call_1", "type": "function"}
_BODY: dict[str, Any] = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": 3}, "finish_reason": "stop"}
    ],
}


def _chat(slug: str, about: str, *payloads: Any) -> Declared:
    return decode("chat", f"mistyped-{slug}", about, sse(*payloads))


CHAT: list[Declared] = [
    _chat("content", "Content is text or a list.", FIRST, chunk({"content": 3}), END, DONE),
    _chat("content-false", "No is no text either.", FIRST, chunk({"content": False}), END, DONE),
    _chat("refusal", "Words of refusal are text.", FIRST, chunk({"refusal": [3]}), END, DONE),
    _chat("calls", "Calls are a list.", FIRST, chunk({"tool_calls": {}}), CALLED, DONE),
    _chat(
        "call-name",
        "A call's name is text.",
        FIRST,
        chunk(call(**_NAMED, function={"name": 3, "arguments": "{}"})),
        CALLED,
        DONE,
    ),
    _chat(
        "annotations", "Citations are a list.", FIRST, chunk({"annotations": "x"}), HI, END, DONE
    ),
    _chat(
        "finish-reason",
        "A reason to stop is text.",
        FIRST,
        HI,
        chunk({}, choice={"finish_reason": 3}),
        DONE,
    ),
    _chat(
        "around",
        "What only accompanies the answer is told.",
        {**FIRST, "id": 3, "created": "x"},
        HI,
        END,
        counted(3),
        DONE,
    ),
    decode_body("chat", "mistyped-content", "The same in a whole answer.", _BODY),
]

_MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Hi"}],
    "stop_reason": "stop_sequence",
    "stop_sequence": 3,
    "usage": {"input_tokens": 12, "output_tokens": 4},
}


def _messages(slug: str, about: str, *payloads: Any) -> Declared:
    return decode("messages", f"mistyped-{slug}", about, sse(*payloads, named=True))


MESSAGES: list[Declared] = [
    _messages(
        "index", "A word is no index.", OPEN, OPEN_TEXT, {**text("Hi"), "index": "0"}, *ENDED
    ),
    _messages("index-of-a-start", "Nor in a start.", OPEN, {**OPEN_TEXT, "index": [0]}, *ENDED),
    _messages(
        "text", "A start says text.", OPEN, block(0, "text", text=3), text("Hi"), shut(), *ENDED
    ),
    _messages(
        "input",
        "What deltas take the place of is an object, or empty.",
        OPEN,
        {**LOOK, "content_block": {**LOOK["content_block"], "input": 3}},
        delta(0, "input_json_delta", partial_json="{}"),
        shut(),
        ended("tool_use"),
        STOP,
    ),
    _messages(
        "delta", "The end is told by an object.", OPEN, *HELLO, {**ended(), "delta": 3}, STOP
    ),
    _messages(
        "stop-sequence",
        "A stop sequence is text.",
        OPEN,
        *HELLO,
        ended("stop_sequence", delta={"stop_sequence": ["x"]}),
        STOP,
    ),
    _messages(
        "around",
        "What only accompanies the answer is told.",
        started(id=3, model=["m"]),
        *HELLO,
        *ENDED,
    ),
    decode_body("messages", "mistyped-stop-sequence", "The same in a whole message.", _MESSAGE),
]

_TEXT = {"type": "output_text", "text": "Hi", "annotations": []}
_OWN = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
_DELTA = {"type": "response.output_text.delta", **_OWN, "delta": "Hi"}


def _item(**more: Any) -> dict[str, Any]:
    head = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant"}
    return {**head, "content": [_TEXT], **more}


def _response(**more: Any) -> dict[str, Any]:
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m"}
    usage = {"input_tokens": 12, "output_tokens": 4, "total_tokens": 16}
    return {**head, "status": "completed", "output": [], "usage": usage, **more}


_CREATED = {"type": "response.created", "response": _response(status="in_progress", usage=None)}
_ADDED = {"type": "response.output_item.added", "output_index": 0, "item": _item(content=[])}


def _responses(slug: str, about: str, *events: Any, **response: Any) -> Declared:
    end = {"type": "response.completed", "response": _response(**response)}
    return decode("responses", f"mistyped-{slug}", about, sse(_CREATED, *events, end, named=True))


def _done(**more: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": 0, "item": _item(**more)}


def _called(**more: Any) -> dict[str, Any]:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look"}
    return {"type": "response.output_item.done", "output_index": 0, "item": {**call, **more}}


RESPONSES: list[Declared] = [
    _responses(
        "content",
        "A finished message holds a list; it is refused when its counters are known.",
        _ADDED,
        _DELTA,
        _done(content=3),
    ),
    _responses("part", "Each part of it is an object.", _ADDED, _DELTA, _done(content=[_TEXT, 3])),
    _responses("listed", "So is each item at the end.", _ADDED, _DELTA, _done(), output=[3]),
    _responses(
        "output", "The items at the end are a list.", _ADDED, _DELTA, _done(), output={"a": 1}
    ),
    _responses("item-id", "An event belongs to an item by text.", _ADDED, {**_DELTA, "item_id": 3}),
    _responses("index", "And by a number.", _ADDED, {**_DELTA, "output_index": "0"}),
    _responses(
        "text",
        "A finished text is text.",
        _ADDED,
        _DELTA,
        {"type": "response.output_text.done", **_OWN, "text": 3},
        _done(),
    ),
    _responses(
        "arguments", "What a call was called with is text or a value.", _called(arguments=3)
    ),
    _responses(
        "arguments-differ",
        "A value at the end that is not what the finished call says contradicts it.",
        _called(arguments='{"n": 1}'),
        output=[_called(arguments={"n": 2})["item"]],
    ),
    _responses(
        "reason",
        "Why it ended early is text.",
        _ADDED,
        _DELTA,
        _done(),
        status="incomplete",
        incomplete_details={"reason": 3},
    ),
    _responses(
        "seal",
        "Sealed state is text.",
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": False},
        },
    ),
    _responses(
        "around",
        "What only accompanies the answer is told.",
        {**_ADDED, "sequence_number": "x"},
        _DELTA,
        _done(),
        created_at="x",
        usage=3,
    ),
    decode_body(
        "responses",
        "mistyped-content",
        "The same in a whole response.",
        _response(output=[_item(content=3)]),
    ),
]

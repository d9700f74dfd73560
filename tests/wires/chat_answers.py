"""Chat answers as the tests of this wire write them: chunks, streams, bodies and a binding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
from attrs import evolve

from llm_projections.errors import ResponseRefused
from llm_projections.model.binding import Anonymous, Binding, Capabilities, Identity
from llm_projections.model.dialect import Dialect
from llm_projections.model.events import Event, TurnCompleted, TurnFailed
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.outcome import TurnOutcome
from llm_projections.model.results import AnswerShape
from llm_projections.wires.chat.decode import decode_stream

DONE = b"data: [DONE]\n\n"
IDENTITY = Identity("resp_1", 1_760_000_000, "client-model")
SHAPE = AnswerShape(stream=True, include_usage=True)
BINDING = Binding(
    Protocol.CHAT,
    "provider",
    "account",
    "endpoint",
    "model",
    "upstream",
    "http://upstream.invalid/v1/",
    Anonymous(),
    Capabilities.all(),
)
USAGE: dict[str, Any] = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


def speaking(dialect: Dialect) -> Binding:
    """The binding to a server with habits of its own."""
    return evolve(BINDING, dialect=dialect)


def payload(value: Any) -> bytes:
    """Any value as one event."""
    return b"data: " + orjson.dumps(value) + b"\n\n"


def chunk(delta: Any = None, finish: str | None = None, /, **top: Any) -> bytes:
    """A chunk with one choice; `top` stands beside the choices."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return payload({**HEAD, "choices": [choice], **top})


HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1"}


def said(*deltas: Any, finish: str = "stop", usage: Any = None) -> bytes:
    """A whole stream of these deltas."""
    counted = b"" if usage is None else payload({**HEAD, "choices": [], "usage": usage})
    return b"".join(chunk(delta) for delta in deltas) + chunk(None, finish) + counted + DONE


def fragment(index: int | None, call_id: str | None, name: str | None, arguments: Any) -> Any:
    """A delta with one piece of a call; what is None is left out."""
    function = {"name": name, "arguments": arguments}
    call = {
        "index": index,
        "id": call_id,
        "type": None if call_id is None else "function",
        "function": {key: value for key, value in function.items() if value is not None},
    }
    return {"tool_calls": [{key: value for key, value in call.items() if value is not None}]}


def body(message: Any, finish: str | None = "stop", **top: Any) -> bytes:
    """A whole answer."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    head = {**HEAD, "object": "chat.completion"}
    return orjson.dumps({**head, "choices": [choice], "usage": USAGE, **top})


def events(chunks: Iterable[bytes], binding: Binding = BINDING, **settings: Any) -> list[Event]:
    """Every event of a stream."""
    return list(decode_stream(chunks, binding, **settings))


def outcome(data: bytes, binding: Binding = BINDING, **settings: Any) -> TurnOutcome:
    """The outcome of a stream that is complete."""
    last = events([data], binding, **settings)[-1]
    assert isinstance(last, TurnCompleted), last
    return last.outcome


def refused(data: bytes, binding: Binding = BINDING, **settings: Any) -> ResponseRefused:
    """The refusal of a stream that is not."""
    last = events([data], binding, **settings)[-1]
    assert isinstance(last, TurnFailed), last
    assert isinstance(last.error, ResponseRefused)
    return last.error


def carried(path: str, value: Any) -> Extension:
    """A field of this wire that an answer carries."""
    return Extension(Protocol.CHAT, path, value)

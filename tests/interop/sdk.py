"""Drives the real `openai` and `anthropic` clients over bytes in memory, and tells what they saw.

Nothing leaves the process: each client gets a transport that answers every request with the bytes
of the test. `read_stream` uses the typed helper (`.stream()`), `iterate_stream` the plain iterator
(`create(stream=True)`), `read_whole` a call without streaming, `read_error` an answer with an error
status; `sent` returns what a client sends. What a client raises is part of what is told
(`Seen.error`), so that a test can demand it or its absence.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from . import published

openai: Any = import_module("openai")
anthropic: Any = import_module("anthropic")

JSON_HEADERS = (("content-type", "application/json"),)
SSE_HEADERS = (("content-type", "text/event-stream"),)

USER = [{"role": "user", "content": "hi"}]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "chat": {"model": "m", "messages": USER},
    "messages": {"model": "m", "max_tokens": 64, "messages": USER},
    "responses": {"model": "m", "input": "hi"},
}


@dataclass(frozen=True)
class SdkError:
    """An exception as the caller of an SDK sees it."""

    name: str
    status: int | None = None
    code: str | None = None
    type: str | None = None
    text: str = field(default="", compare=False)


@dataclass
class Seen:
    """What a client made of an answer: final object, helper events, what its types reject."""

    final: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[str] = field(default_factory=list[str])
    strict: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    error: SdkError | None = None


@dataclass(frozen=True)
class Sent:
    """One request as a client puts it on the wire."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


def read_stream(
    wire: str, data: bytes, *, beta: bool = False, chunk: int | None = None, **arguments: Any
) -> Seen:
    """Read a stream through the typed helper, and hold each event against the SDK's own type."""
    seen = _held_against_types(frames(data), stream_type(wire, beta=beta))
    with _client(wire, SSE_HEADERS, data, chunk) as client, _caught(seen):
        open_helper, finish = _HELPERS[wire]
        with open_helper(client, beta, ARGUMENTS[wire] | arguments) as stream:
            lifecycle: list[Any] = []
            for event in stream:
                seen.events.append(event.type)
                lifecycle += (
                    [event.response] if getattr(event, "response", None) is not None else []
                )
            seen.final = dump(finish(stream, lifecycle))
    return seen


def iterate_stream(wire: str, data: bytes, *, beta: bool = False, chunk: int | None = None) -> Seen:
    """Read a stream as `create(stream=True)` yields it."""
    seen = Seen()
    with _client(wire, SSE_HEADERS, data, chunk) as client, _caught(seen):
        for event in _endpoint(client, wire, beta).create(**ARGUMENTS[wire], stream=True):
            seen.events.append(getattr(event, "type", None) or event.object)
            seen.final = dump(event)
    return seen


def read_whole(wire: str, body: bytes, *, beta: bool = False) -> Seen:
    """Read a whole answer."""
    found = published.check_answer(body_type(wire, beta=beta), body)
    seen = Seen(strict=found.strict, unknown=found.unknown)
    with _client(wire, JSON_HEADERS, body) as client, _caught(seen):
        seen.final = dump(_endpoint(client, wire, beta).create(**ARGUMENTS[wire]))
    return seen


def read_error(
    wire: str, status: int, headers: tuple[tuple[str, str], ...], body: bytes
) -> SdkError | None:
    """The exception that an answer with an error status becomes."""
    seen = Seen()
    with _client(wire, headers, body, status=status) as client, _caught(seen):
        _endpoint(client, wire, beta=False).create(**ARGUMENTS[wire])
    return seen.error


def sent(wire: str, *, beta: bool = False, **arguments: Any) -> Sent:
    """What the client sends for `create(**arguments)`, whatever becomes of the answer."""
    requests: list[Sent] = []
    with (
        _client(wire, JSON_HEADERS, b"{}", status=418, requests=requests) as client,
        _caught(Seen()),
    ):
        _endpoint(client, wire, beta).create(**arguments)
    (request,) = requests
    return request


def check_params(wire: str, body: bytes, *, beta: bool = False) -> published.Difference:
    """Hold a request body against the type of the SDK's call parameters."""
    return published.check_request(params_type(wire, beta=beta), body)


def frames(data: bytes) -> list[str]:
    """The JSON payloads of a stream in the plain form: LF, one `data:` line a frame."""
    lines = [line for frame in data.decode().split("\n\n") for line in frame.split("\n")]
    payloads = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    return [payload for payload in payloads if payload != "[DONE]"]


def stream_type(wire: str, *, beta: bool = False) -> Any:
    """The published type of one stream event."""
    if wire == "chat":
        return import_module("openai.types.chat").ChatCompletionChunk
    if wire == "responses":
        return import_module("openai.types.responses").ResponseStreamEvent
    if beta:
        return import_module("anthropic.types.beta").BetaRawMessageStreamEvent
    return import_module("anthropic.types").RawMessageStreamEvent


def body_type(wire: str, *, beta: bool = False) -> Any:
    """The published type of a whole answer."""
    if wire == "chat":
        return import_module("openai.types.chat").ChatCompletion
    if wire == "responses":
        return import_module("openai.types.responses").Response
    if beta:
        return import_module("anthropic.types.beta").BetaMessage
    return import_module("anthropic.types").Message


def params_type(wire: str, *, beta: bool = False) -> Any:
    """The published type of a call's parameters, streaming or not."""
    if wire == "chat":
        return import_module("openai.types.chat.completion_create_params").CompletionCreateParams
    if wire == "responses":
        return import_module("openai.types.responses.response_create_params").ResponseCreateParams
    if beta:
        return import_module("anthropic.types.beta.message_create_params").MessageCreateParams
    return import_module("anthropic.types.message_create_params").MessageCreateParams


def dump(value: Any) -> dict[str, Any]:
    """An SDK object as plain JSON values, without what the wire did not say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the objects may hold what their own types do not allow
        plain: dict[str, Any] = value.to_dict(mode="json")
    return plain


def _held_against_types(payloads: list[str], declared: Any) -> Seen:
    seen = Seen()
    for payload in payloads:
        # The two kinds that the clients take off the stream before any type is asked.
        if json.loads(payload).get("type") in ("ping", "error") or "error" in json.loads(payload):
            continue
        found = published.check_answer(declared, payload)
        kind = json.loads(payload).get("type", "chunk")
        seen.strict += [f"{kind} {line}" for line in found.strict]
        seen.unknown += [f"{kind} {line}" for line in found.unknown]
    return seen


def _endpoint(client: Any, wire: str, beta: bool) -> Any:
    if wire == "chat":
        return client.chat.completions
    if wire == "responses":
        return client.responses
    return client.beta.messages if beta else client.messages


def _open(wire: str) -> Callable[[Any, bool, dict[str, Any]], Any]:
    return lambda client, beta, arguments: _endpoint(client, wire, beta).stream(**arguments)


def _finish_chat(stream: Any, _: list[Any]) -> Any:
    # The helper raises for these two finish reasons however well-formed the stream was.
    try:
        return stream.get_final_completion()
    except (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError):
        return stream.current_completion_snapshot


def _finish_messages(stream: Any, _: list[Any]) -> Any:
    return stream.get_final_message()


def _finish_responses(stream: Any, lifecycle: list[Any]) -> Any:
    # The helper knows no final object but that of `response.completed`.
    last = lifecycle[-1] if lifecycle else None
    return last if last is not None and last.status != "completed" else stream.get_final_response()


_HELPERS: dict[
    str, tuple[Callable[[Any, bool, dict[str, Any]], Any], Callable[[Any, list[Any]], Any]]
] = {
    "chat": (_open("chat"), _finish_chat),
    "messages": (_open("messages"), _finish_messages),
    "responses": (_open("responses"), _finish_responses),
}


@contextmanager
def _client(
    wire: str,
    headers: tuple[tuple[str, str], ...],
    data: bytes,
    chunk: int | None = None,
    *,
    status: int = 200,
    requests: list[Sent] | None = None,
) -> Iterator[Any]:
    sdk, make = (anthropic, anthropic.Anthropic) if wire == "messages" else (openai, openai.OpenAI)
    # openai 3 and anthropic 2 moved to httpx2; a client takes only its own kind of transport.
    http = getattr(sdk._base_client, "httpx2", None) or sdk._base_client.httpx
    size = chunk or max(len(data), 1)

    def answer(request: Any) -> Any:
        if requests is not None:
            pairs = tuple((name.lower(), value) for name, value in request.headers.items())
            requests.append(
                Sent(request.method, request.url.raw_path.decode(), pairs, request.read())
            )
        pieces = (data[i : i + size] for i in range(0, len(data), size))
        return http.Response(status, headers=list(headers), content=pieces)

    with http.Client(transport=http.MockTransport(answer)) as client:
        base = "http://sdk.invalid" if wire == "messages" else "http://sdk.invalid/v1"
        yield make(api_key="k", base_url=base, http_client=client, max_retries=0)


@contextmanager
def _caught(seen: Seen) -> Iterator[None]:
    """Whatever a client raises, its own errors and its accidents alike, is what its user sees."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  (accidents inside a client count as its answer)
        seen.error = SdkError(
            name=type(error).__name__,
            status=getattr(error, "status_code", None),
            code=getattr(error, "code", None),
            type=getattr(error, "type", None),
            text=str(error),
        )

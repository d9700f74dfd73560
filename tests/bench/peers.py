"""What users have today, over the same streams: measured where it is installed (extra `bench`)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from tests.bench import corpus, floors
from tests.bench.harness import Absent, Job

Runs = Iterator[tuple[str, str, Callable[[], object]]]


def peers() -> Iterator[Job | Absent]:
    """Every peer on every kind of stream it reads, in 16 KiB chunks."""
    for name, maker in {"openai": _openai, "anthropic": _anthropic, "msgspec": _msgspec}.items():
        for kind in corpus.KINDS:
            try:
                for what, wire, run in maker(kind):
                    chunks = corpus.chunks(wire, kind, "16k")
                    units = len(corpus.events(wire, kind))
                    floor = _floor(chunks)
                    yield Job(f"peer.{name}.{what}.{kind}", floor, run, units, "event")
            except ImportError as missing:
                yield Absent(f"peer.{name}.{kind}", f"missing: {missing}")


def _floor(chunks: tuple[bytes, ...]) -> Callable[[], object]:
    return lambda: floors.frame_and_loads(chunks)


def _openai(kind: str) -> Runs:
    openai: Any = importlib.import_module("openai")

    def client(wire: str) -> Any:
        return openai.OpenAI(api_key="k", http_client=_served(openai, wire, kind), max_retries=0)

    chat, responses = client("chat"), client("responses")
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "?"}]}

    def completions() -> object:
        with chat.chat.completions.stream(**asked) as stream:
            return stream.get_final_completion()

    def answers() -> object:
        with responses.responses.stream(model="m", input="?") as stream:
            return stream.get_final_response()

    yield "chat.completions.stream", "chat", completions
    yield "responses.stream", "responses", answers


def _anthropic(kind: str) -> Runs:
    anthropic: Any = importlib.import_module("anthropic")
    client = anthropic.Anthropic(
        api_key="k", http_client=_served(anthropic, "messages", kind), max_retries=0
    )
    asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}

    def messages() -> object:
        with client.messages.stream(**asked) as stream:
            return stream.get_final_message()

    yield "messages.stream", "messages", messages


def _served(sdk: Any, wire: str, kind: str) -> Any:
    """An HTTP client of the package that the SDK uses (httpx or httpx2), answered from memory."""
    bases = {base.__name__: base.__module__ for base in sdk.DefaultHttpxClient.__mro__}
    httpx: Any = importlib.import_module(bases["Client"].partition(".")[0])
    chunks = corpus.chunks(wire, kind, "16k")
    headers = {"content-type": "text/event-stream"}

    class Body(httpx.SyncByteStream):  # type: ignore[misc]  # a class that is known at run time only
        def __iter__(self) -> Iterator[bytes]:
            return iter(chunks)

    def answer(_request: object) -> Any:
        return httpx.Response(200, headers=headers, stream=Body())

    return httpx.Client(transport=httpx.MockTransport(answer))


def _msgspec(kind: str) -> Runs:
    """Typed decoding of the deltas alone: no rules of the stream, no accumulation."""
    msgspec: Any = importlib.import_module("msgspec")
    delta = msgspec.defstruct("Delta", [("text", str, ""), ("partial_json", str, "")])
    event = msgspec.defstruct("Event", [("type", str), ("delta", delta | None, None)])
    decode = msgspec.json.Decoder(event).decode
    chunks = corpus.chunks("messages", kind, "16k")

    def run() -> int:
        held, count = b"", 0
        for chunk in chunks:
            *whole, held = (held + chunk).split(b"\n\n")
            for each in whole:
                decode(each[each.index(b"data: ") + 6 :])
                count += 1
        return count

    yield "typed", "messages", run

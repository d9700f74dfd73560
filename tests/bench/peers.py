"""What users have today, over the same streams: measured where it is installed (extra `bench`)."""

from __future__ import annotations

import importlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tests.bench import corpus, floors
from tests.bench.harness import Absent, Job, may_be

Runs = Iterator[tuple[str, str, Callable[[], object]]]

# Some take a thousand times as long as the floor: few rounds tell as much.
ROUNDS = 3


def peers(wanted: Sequence[str] = ("",)) -> Iterator[Job | Absent]:
    """Every peer on every kind of stream it reads, in 16 KiB chunks. Where it relays, the floor is a relay's."""
    for name, maker in PEERS.items():
        if not may_be(f"peer.{name}.", wanted):
            continue
        for kind in corpus.KINDS:
            try:
                for what, wire, run in maker(kind):
                    chunks = corpus.chunks(wire, kind, "16k")
                    units = len(corpus.events(wire, kind))
                    relays = what.startswith("relay")
                    floor = floors.frame_loads_dumps if relays else floors.frame_and_loads
                    yield Job(
                        f"peer.{name}.{what}.{kind}", partial(floor, chunks), run, units, "event"
                    )
            except ImportError as missing:
                yield Absent(f"peer.{name}.{kind}", f"missing: {missing}")


def versions() -> list[str]:
    """The peers that are installed, with their versions."""
    found: list[str] = []
    for name in PEERS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found


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
    return _answering(importlib.import_module(bases["Client"].partition(".")[0]), wire, kind)


def _answering(httpx: Any, wire: str, kind: str) -> Any:
    """An HTTP client of that package, answered from memory."""
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


def _litellm(kind: str) -> Runs:
    """Its own chunks of each wire, added up where it adds them up; of Responses it gives the events."""
    # its table of prices is read from the package, not fetched
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = importlib.import_module("litellm")
    openai: Any = importlib.import_module("openai")
    handlers: Any = importlib.import_module("litellm.llms.custom_httpx.http_handler")
    litellm.suppress_debug_info = True
    asked: Any = {"messages": [{"role": "user", "content": "?"}], "stream": True, "api_key": "k"}
    asked["stream_options"] = {"include_usage": True}

    def handler(wire: str) -> Any:
        httpx: Any = importlib.import_module("httpx")
        return handlers.HTTPHandler(client=_answering(httpx, wire, kind))

    client = openai.OpenAI(api_key="k", http_client=_served(openai, "chat", kind), max_retries=0)
    messages, responses = handler("messages"), handler("responses")

    def completion(model: str, client: Any) -> object:
        chunks = list(litellm.completion(model=model, client=client, **asked))
        return litellm.stream_chunk_builder(chunks)

    def answers() -> object:
        model = "openai/gpt-5.2"
        return list(
            litellm.responses(model=model, input="?", stream=True, api_key="k", client=responses)
        )

    yield "completion.chat", "chat", partial(completion, "openai/gpt-5.2", client)
    yield "completion.messages", "messages", partial(completion, "anthropic/claude", messages)
    yield "responses", "responses", answers


def _rosetta(kind: str) -> Runs:
    """Its neutral events, which it does not add up, and its relay of Messages, with its own reader of lines."""
    rosetta: Any = importlib.import_module("llm_rosetta")
    reader: Any = importlib.import_module("llm_rosetta._vendor.sse")
    written: Any = importlib.import_module("llm_rosetta.gateway.transport.sse_format")
    logging.getLogger("llm_rosetta").setLevel(logging.CRITICAL)
    converters = {
        "chat": rosetta.OpenAIChatConverter,
        "messages": rosetta.AnthropicConverter,
        "responses": rosetta.OpenAIResponsesConverter,
    }
    clients: dict[str, tuple[str, Any, dict[str, Any]]] = {
        "chat": ("openai_chat", written._format_sse_openai_chat, {"messages": [_ASK]}),
        "responses": ("openai_responses", written._format_sse_openai_responses, {"input": "?"}),
    }

    def payloads(wire: str) -> Iterator[Any]:
        parser, held = reader._SSEParser(), b""
        for chunk in corpus.chunks(wire, kind, "16k"):
            *lines, held = (held + chunk).split(b"\n")
            for line in lines:
                event = parser.feed_line(line.decode())
                if event is not None and event.data != "[DONE]":
                    yield json.loads(event.data)

    def decode(wire: str) -> int:
        converter = converters[wire]()
        context = converter.create_stream_context()
        read = converter.stream_response_from_provider
        return sum(len(read(payload, context=context)) for payload in payloads(wire))

    def relay(client: str) -> list[bytes]:
        name, write, body = clients[client]
        pipeline = rosetta.ConversionPipeline(name, "anthropic")
        pipeline.convert_request({"model": "m", "stream": True, **body})
        process = pipeline.create_stream_processor().process_chunk
        return [write(made).encode() for each in payloads("messages") for made in process(each)]

    for wire in corpus.WIRES:
        yield f"decode.{wire}", wire, partial(decode, wire)
    for client in clients:
        yield f"relay.{client}.messages", "messages", partial(relay, client)


_ASK = {"role": "user", "content": "?"}

PEERS: dict[str, Callable[[str], Runs]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "litellm": _litellm,
    "llm-rosetta": _rosetta,
    "msgspec": _msgspec,
}

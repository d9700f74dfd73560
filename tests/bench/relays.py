"""Answers through the whole `Relay`, as a gateway drives it: what a server streams in, what the client gets out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import orjson

import llm_projections
from tests.bench import corpus, floors
from tests.bench.bindings import PROTOCOLS, binding_for, identity
from tests.bench.harness import Job
from tests.bench.words import TOOLS

_CUTS = ("16k", "event")
_HEADERS = [("content-type", "text/event-stream")]


def relays(wire: str) -> Iterator[Job]:
    """A client of this wire before a server of each, every kind of answer, against loads and dumps of each payload."""
    for upstream in corpus.WIRES:
        for kind in corpus.KINDS:
            for cut in _CUTS:
                yield _job(wire, upstream, kind, cut)


def _job(client: str, upstream: str, kind: str, cut: str) -> Job:
    chunks = corpus.chunks(upstream, kind, cut)
    ready: list[Any] = []

    def prepare() -> None:
        ready[:] = [asked(client, upstream)]

    return Job(
        f"relay.{client}.{upstream}.{kind}.{cut}",
        lambda: floors.frame_loads_dumps(chunks),
        lambda: through(ready.pop(), chunks),
        len(corpus.events(upstream, kind)),
        "event",
        prepare,
    )


def asked(client: str, upstream: str) -> Any:
    """A relay that has sent the client's request."""
    package: Any = llm_projections
    wire = package.wire(getattr(package.Protocol, PROTOCOLS[client]))
    relay = package.Relay(
        wire, _bound(upstream), identity(), accept=package.AGENT_CLIENTS, credential="k"
    )
    sent = relay.request([], _request(client))
    if not isinstance(sent, package.HttpRequest):
        raise AssertionError(f"the {client} request was not sent: {relay.error!r}")
    return relay


def through(relay: Any, chunks: Sequence[bytes]) -> list[Any]:
    """Everything that the client gets."""
    feed = relay.feed
    out = relay.response(200, _HEADERS)
    for chunk in chunks:
        out += feed(chunk)
    out += relay.close()
    if relay.outcome is None:
        raise AssertionError(f"the answer was not relayed to its end: {relay.error!r}")
    return out


@cache
def _bound(wire: str) -> Any:
    return binding_for(wire)


@cache
def _request(wire: str) -> bytes:
    """A question with the tools that the answers call."""
    schema = {"type": "object", "properties": {}}
    function = {"name": "", "description": "What it does.", "parameters": schema}
    ask = [{"role": "user", "content": "?"}]
    body: dict[str, Any]
    if wire == "messages":
        tools = [{"name": name, "input_schema": schema} for name in TOOLS]
        body = {"max_tokens": 9000, "messages": ask, "tools": tools}
    elif wire == "chat":
        functions = [{**function, "name": name} for name in TOOLS]
        body = {"messages": ask, "tools": [{"type": "function", "function": f} for f in functions]}
        body["stream_options"] = {"include_usage": True}
    else:
        body = {"input": ask, "store": False, "include": ["reasoning.encrypted_content"]}
        body["tools"] = [{"type": "function", **function, "name": name} for name in TOOLS]
    return orjson.dumps({"model": "m", "stream": True, **body})

"""The gateway of docs/examples in a thread of its own, before a scripted model server."""

from __future__ import annotations

import base64
import binascii
import hmac
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from llm_projections import (
    AGENT_CLIENTS,
    Bearer,
    Binding,
    Capabilities,
    Dialect,
    Loss,
    Protocol,
    Relay,
)

from .upstream import Script

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
CREDENTIAL = "upstream-key"


def example(name: str) -> Any:
    """One module of docs/examples; they find each other as scripts do, in their own folder."""
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    return import_module(name)


WIRES = ("chat", "messages", "responses")
CAPABLE = Capabilities.all(200_000, 32_000)
# A route's name is one of these and a wire: what the server behind it takes, and how it answers.
ROUTES: dict[str, tuple[Capabilities, Dialect]] = {
    "via": (CAPABLE, Dialect()),
    "whole": (CAPABLE, Dialect(answers_whole=True)),
    "plain": (Capabilities.text(200_000, 32_000), Dialect()),
}


def binding(route: str, wire: str, base_url: str) -> Binding:
    """How the gateway reaches a server of one wire by one of its routes."""
    capabilities, dialect = ROUTES[route]
    return Binding(
        Protocol.__members__[wire.upper()],
        provider="scripted",
        account="a",
        endpoint=base_url,
        model=f"{route}-{wire}",
        upstream_name="upstream-model",
        base_url=base_url,
        auth=Bearer(),
        capabilities=capabilities,
        dialect=dialect,
    )


def sealer() -> tuple[Callable[[bytes], str], Callable[[str], bytes | None]]:
    """A seal that holds its own check, as a gateway would make one; None for what it did not make."""
    key = b"a key of this run"

    def check(plain: bytes) -> bytes:
        return hmac.digest(key, plain, "sha256")

    def seal(plain: bytes) -> str:
        return base64.b64encode(check(plain) + plain).decode()

    def unseal(text: str) -> bytes | None:
        try:
            opened = base64.b64decode(text, validate=True)
        except binascii.Error:
            return None
        return opened[32:] if hmac.compare_digest(check(opened[32:]), opened[:32]) else None

    return seal, unseal


@dataclass
class Gateway:
    """A running gateway; `relays` gets each exchange when it is over."""

    url: str
    relays: queue.Queue[Relay] = field(default_factory=queue.Queue[Relay])

    def over(self, count: int) -> list[Relay]:
        """The relays of the last `count` exchanges."""
        return [self.relays.get(timeout=10) for _ in range(count)]

    def forget(self) -> None:
        """Drop what nobody asked for."""
        while not self.relays.empty():
            self.relays.get_nowait()


@contextmanager
def gateway(script: Script, **options: Any) -> Iterator[Gateway]:
    """The Starlette example under uvicorn, with the routes to each wire of the scripted server."""
    uvicorn: Any = import_module("uvicorn")
    httpx: Any = import_module("httpx")
    running = Gateway("")
    routes = {
        f"{route}-{wire}": (binding(route, wire, script.base_url), CREDENTIAL)
        for route in ROUTES
        for wire in WIRES
    }
    app = example("starlette_gateway").gateway(
        routes,
        httpx.AsyncClient(timeout=20),
        accept=AGENT_CLIENTS,
        unattributed="bind",
        finished=running.relays.put,
        **options,
    )
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        running.url = f"http://127.0.0.1:{_port(server, thread)}"
        yield running
    finally:
        server.should_exit = True
        thread.join()


def _port(server: Any, thread: threading.Thread) -> int:
    """The port that the server took, as soon as it listens."""
    pause = threading.Event()
    while not server.started and thread.is_alive():
        pause.wait(0.01)
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port


def losses(relays: list[Relay]) -> tuple[str, ...]:
    """The names of all that was left out on the way, both halves, each once."""
    found: list[Loss] = [loss for relay in relays for loss in relay.losses]
    return tuple(sorted({loss.name for loss in found}))

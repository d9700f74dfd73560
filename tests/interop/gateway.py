"""The gateway of docs/examples in a thread of its own, before a scripted model server."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator
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


def binding(wire: str, base_url: str) -> Binding:
    """A server of one wire that takes all that the wire can say."""
    return Binding(
        Protocol.__members__[wire.upper()],
        provider="scripted",
        account="a",
        endpoint=base_url,
        model=f"via-{wire}",
        upstream_name="upstream-model",
        base_url=base_url,
        auth=Bearer(),
        capabilities=Capabilities.all(200_000, 32_000),
    )


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
    """The Starlette example under uvicorn, with one route to each wire of the scripted server."""
    uvicorn: Any = import_module("uvicorn")
    httpx: Any = import_module("httpx")
    running = Gateway("")
    routes = {
        f"via-{wire}": (binding(wire, script.base_url), CREDENTIAL)
        for wire in ("chat", "messages", "responses")
    }
    app = example("starlette_gateway").gateway(
        routes,
        httpx.AsyncClient(timeout=20),
        **{"accept": AGENT_CLIENTS, "finished": running.relays.put} | options,
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

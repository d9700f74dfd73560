"""The gateway examples of docs/examples: WSGI for all nine pairs, and what Starlette does while nothing comes."""

from __future__ import annotations

import ast
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from queue import Queue
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

import llm_projections
from llm_projections import AGENT_CLIENTS, Relay, TurnCompleted, wire_for_path

from . import plays
from .clients import CLIENTS
from .gateway import CREDENTIAL, EXAMPLES, WIRES, binding, example, gateway
from .plays import Called, Thought, Words
from .scenarios import HELLO, SAID, bad_gateway, in_stream, rate_limit
from .scenarios import limited as rate_limited
from .table import PAIRS
from .test_gateway_pairs import told_otherwise
from .upstream import Script, model_server

httpx: Any = import_module("httpx")

PATHS = {"chat": "chat/completions", "messages": "messages", "responses": "responses"}
HEADERS = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
EXAMPLE_FILES = sorted(p for p in EXAMPLES.glob("*.py") if not p.name.startswith("relay_demo"))


@pytest.fixture(scope="module")
def script() -> Iterator[Script]:
    """The scripted model server."""
    with model_server() as running:
        yield running


class Quiet(WSGIRequestHandler):
    """A handler that logs nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


@contextmanager
def wsgi(script: Script, server: str) -> Iterator[tuple[str, Queue[Relay]]]:
    """The WSGI example before one wire of the scripted server: its address, and its relays when they are over."""
    module = example("wsgi_gateway")
    relays: Queue[Relay] = Queue()
    app = module.Gateway(
        binding("via", server, script.base_url),
        CREDENTIAL,
        accept=AGENT_CLIENTS,
        finished=relays.put,
    )
    served = make_server("127.0.0.1", 0, app, server_class=module.Server, handler_class=Quiet)
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{served.server_port}", relays
    finally:
        served.shutdown()
        thread.join()
        served.server_close()


@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_wsgi_serves_the_official_client(script: Script, client: str, server: str) -> None:
    """An answer, a rate limit, an error in mid-stream, and a connection that breaks before any output."""
    with wsgi(script, server) as (url, relays):
        official = CLIENTS[client](url)
        cases = [
            (plays.stream(server, HELLO), SAID),
            (rate_limited(server), rate_limit(client, server)),
            (
                plays.failing(server, shown=True),
                in_stream(client, server, "the engine died", ours=False),
            ),
            (
                plays.cut(server, shown=False, broken=True),
                bad_gateway(client, "the connection broke"),
            ),
        ]
        for played, truth in cases:
            script.load(played)
            assert {} == told_otherwise(truth, official.stream(f"via-{server}"))
            relay = relays.get(timeout=10)
            assert (truth.get("error", "") == "") == (relay.error is None)
        official.client.close()


def test_wsgi_reports_what_was_never_sent() -> None:
    """Where nobody listens, the failure says so, and a retry is safe."""
    with wsgi(Script(base_url="http://127.0.0.1:9/v1/"), "chat") as (url, relays):
        official = CLIENTS["chat"](url)
        told = official.stream("via-chat")
        official.client.close()
        error = relays.get(timeout=10).error
    assert error is not None
    assert (502, "NOT_SENT", True) == (told.status, error.dispatch.value, error.may_retry)


def test_wsgi_knows_three_paths(script: Script) -> None:
    """Any other is 404."""
    with wsgi(script, "chat") as (url, _):
        assert 404 == httpx.post(f"{url}/v1/embeddings", json={}).status_code


def asked(client: str, model: str) -> dict[str, Any]:
    """A plain streamed request of one wire."""
    user = [{"role": "user", "content": "hi"}]
    body = {"model": model, "stream": True}
    if client == "messages":
        return body | {"max_tokens": 100, "messages": user}
    return body | {"input" if client == "responses" else "messages": user}


@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_the_first_words_do_not_wait_for_the_last(script: Script, client: str, server: str) -> None:
    """The client reads what the server said before it fell silent, and keep-alives while it is."""
    whole = plays.stream(server, HELLO)
    held = whole.body.index(b" there") - 2
    script.load(plays.Played(whole.body, hold=held))
    beat = b"event: ping" if client == "messages" else b"\n: "
    with gateway(script, idle=0.1) as running:
        url = f"{running.url}/v1/{PATHS[client]}"
        body = asked(client, f"via-{server}")
        seen = b""
        with httpx.stream("POST", url, headers=HEADERS, json=body, timeout=20) as answer:
            for chunk in answer.iter_bytes():
                seen += chunk
                if not script.go.is_set() and b"Hello" in seen and beat in seen:
                    assert b" there" not in seen
                    script.go.set()
    assert script.go.is_set()
    wire = wire_for_path(PATHS[client])
    events = list(wire.decode_stream([seen], binding("via", client, "http://x/")))
    assert isinstance(events[-1], TurnCompleted)


@pytest.mark.parametrize("server", WIRES)
def test_a_client_that_leaves_ends_the_exchange(script: Script, server: str) -> None:
    """The server is let go at once, and the books hold the exchange as one that did not end."""
    whole = plays.stream(server, HELLO)
    held = whole.body.index(b" there") - 2
    script.load(plays.Played(whole.body, hold=held))
    with gateway(script) as running:
        url = f"{running.url}/v1/responses"
        body = asked("responses", f"via-{server}")
        with httpx.stream("POST", url, headers=HEADERS, json=body, timeout=20) as answer:
            next(answer.iter_bytes())
        assert script.gone.wait(5)
        (relay,) = running.over(1)
    assert (False, None) == (relay.done, relay.outcome)


def test_starlette_reports_what_was_never_sent() -> None:
    """Where nobody listens, the failure says so, and a retry is safe."""
    with gateway(Script(base_url="http://127.0.0.1:9/v1/")) as running:
        official = CLIENTS["messages"](running.url)
        told = official.stream("via-chat")
        official.client.close()
        (relay,) = running.over(1)
    assert relay.error is not None
    assert (502, True) == (told.status, relay.error.may_retry)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.mark.parametrize("name", ["starlette_gateway", "wsgi_gateway"])
def test_the_gateways_run_as_they_say(
    script: Script, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a program: a port and a server in, the credential from the variable that was named."""
    monkeypatch.setenv("EXAMPLE_KEY", CREDENTIAL)
    script.load(plays.stream("messages", Thought("Hm."), Words("Hello."), Called("c", "f", "{}")))
    port = free_port()
    target = f"messages={script.base_url}=big-model=EXAMPLE_KEY"
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), str(port), target]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        try:
            answer = when_it_listens(port, asked("chat", "big-model") | {"stream": False})
        finally:
            running.terminate()
    message = answer.json()["choices"][0]["message"]
    assert ("Hello.", "Hm.") == (message["content"], message["reasoning_content"])
    assert f"Bearer {CREDENTIAL}" == script.asked[0].headers["authorization"]


def when_it_listens(port: int, body: dict[str, Any]) -> Any:
    """The answer to `body`, as soon as somebody takes it."""
    until = time.monotonic() + 30
    while True:
        try:
            return httpx.post(f"http://127.0.0.1:{port}/v1/chat/completions", json=body, timeout=20)
        except httpx.ConnectError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@pytest.mark.parametrize("path", EXAMPLE_FILES, ids=lambda path: path.stem)
def test_an_example_is_short_and_uses_what_is_public(path: Any) -> None:
    """At most 120 lines, and every name from the package is one that it exports."""
    source = path.read_text("utf-8")
    taken = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("llm_projections")
        for alias in node.names
    ]
    assert taken
    assert {"llm_projections"} == {module for module, _ in taken}
    assert set() == {name for _, name in taken} - set(llm_projections.__all__)
    assert source.count("\n") <= 120

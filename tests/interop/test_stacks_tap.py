"""The tap of docs/examples in a small intercepting proxy between the official clients and a scripted server."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from . import plays
from .clients import CLIENTS
from .gateway import WIRES, example
from .plays import Thought, Words
from .scenarios import FIRST, HELLO, SAID
from .scenarios import limited as rate_limited
from .test_gateway_pairs import told_otherwise
from .upstream import Script, model_server


class Headers(dict[str, str]):
    """Header fields as a proxy gives them: names in any case, pairs in order."""

    def __setitem__(self, name: str, value: str) -> None:
        super().__setitem__(name.lower(), value)


@contextmanager
def proxy(script: Script, addon: Any) -> Iterator[str]:
    """A reverse proxy that calls an addon's hooks as an intercepting proxy does, and streams what comes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            headers = Headers()
            for name, value in self.headers.items():
                headers[name] = value
            body = self.rfile.read(int(headers["content-length"]))
            request = SimpleNamespace(path=self.path, content=body, headers=headers)
            flow = SimpleNamespace(request=request, response=None, metadata={})
            addon.request(flow)
            upstream = http.client.HTTPConnection(urlsplit(script.base_url).netloc, timeout=20)
            headers["host"] = urlsplit(script.base_url).netloc
            upstream.request("POST", self.path, body, headers)
            answer = upstream.getresponse()
            said = Headers(answer.getheaders())
            flow.response = SimpleNamespace(
                status_code=answer.status, headers=said, stream=lambda chunk: chunk
            )
            addon.responseheaders(flow)
            self.send_response(answer.status)
            self.send_header("content-type", said["content-type"])
            self.end_headers()
            try:
                while chunk := answer.read1(37):
                    self.wfile.write(flow.response.stream(chunk))
                addon.response(flow)
            except http.client.HTTPException:
                addon.error(flow)
            upstream.close()

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Tapped:
    """The tap behind the proxy, and the lines that it wrote."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.lines: list[str] = []
        self.written = threading.Semaphore(0)
        ticks = iter(range(1_000))
        self.tap = example("tap").Tap(self.write, clock=lambda: next(ticks) / 10)

    def write(self, line: str) -> None:
        self.lines.append(line)
        self.written.release()

    def line(self) -> dict[str, Any]:
        """The next line."""
        assert self.written.acquire(timeout=10)
        found: dict[str, Any] = json.loads(self.lines[-1])
        return found


@pytest.fixture
def tapped() -> Iterator[tuple[Tapped, str]]:
    """A tap of its own for each test."""
    with model_server() as script:
        found = Tapped(script)
        with proxy(script, found.tap) as url:
            yield found, url


@pytest.mark.parametrize("wire", WIRES)
def test_the_client_sees_what_the_server_said(tapped: tuple[Tapped, str], wire: str) -> None:
    """The answer goes through untouched, and the line holds its calls and counters on one scale."""
    tap, url = tapped
    tap.script.load(plays.stream(wire, Thought("Hm."), Words("Hello there"), *FIRST))
    client = CLIENTS[wire](url)
    told = client.stream("m")
    client.client.close()
    assert {} == told_otherwise(SAID | {"stop": "tools", "model": "m"}, told)
    assert "identity" == tap.script.asked[0].headers["accept-encoding"]
    line = tap.line()
    assert line.pop("first_byte_s") > 0
    assert line.pop("whole_s") > 0
    assert {
        "wire": {"chat": "chat-completions"}.get(wire, wire),
        "model": "m",
        "request_error": None,
        "stop": "ToolCalls",
        "error": None,
        "calls": ["read", "read"],
        "input_tokens": 12,
        "cached_input_tokens": 4,
        "output_tokens": 7,
        "left_out": [],
        "raw_bytes": 0,
    } == line


@pytest.mark.parametrize("wire", WIRES)
def test_a_body_without_streaming_is_read(tapped: tuple[Tapped, str], wire: str) -> None:
    """The same line for a whole answer."""
    tap, url = tapped
    tap.script.load(plays.whole_body(wire, HELLO.said))
    client = CLIENTS[wire](url)
    told = client.whole("m")
    client.client.close()
    assert {} == told_otherwise(SAID, told)
    assert ("EndTurn", 12) == tuple(map(tap.line().get, ("stop", "input_tokens")))


@pytest.mark.parametrize("wire", WIRES)
def test_what_went_wrong_is_in_the_line(tapped: tuple[Tapped, str], wire: str) -> None:
    """An error status, a stream that ends early, a connection that breaks: each with what stands."""
    tap, url = tapped
    client = CLIENTS[wire](url)
    found = []
    for played in (
        rate_limited(wire),
        plays.cut(wire, shown=True, broken=False),
        plays.cut(wire, shown=True, broken=True),
    ):
        tap.script.load(played)
        client.stream("m")
        line = tap.line()
        assert line["raw_bytes"] > 0
        found.append((line["stop"], line["error"].partition(":")[0]))
    client.client.close()
    assert [(None, "RATE_LIMITED"), (None, "PROTOCOL"), (None, "PROTOCOL")] == found


def test_other_paths_are_nobody_s_business(tapped: tuple[Tapped, str]) -> None:
    """What is no model API is neither kept nor told."""
    tap, url = tapped
    tap.script.load(plays.Played(b"{}", headers=plays.JSON))
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    connection.request("POST", "/v1/embeddings", b"{}", {"accept-encoding": "gzip"})
    assert b"{}" == connection.getresponse().read()
    connection.close()
    assert ("gzip", []) == (tap.script.asked[0].headers["accept-encoding"], tap.lines)

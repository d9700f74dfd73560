"""docs/examples/agent_gateway.py as it is started: recorded requests of agents, over loopback, before each wire."""

import http.client
import os
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from llm_projections import (
    Anonymous,
    Binding,
    Capabilities,
    Protocol,
    ToolCall,
    ToolCalls,
    TurnCompleted,
    decode_stream,
    wire,
    wire_for_path,
)
from tests.pages import EXAMPLES, ROOT

RECORDED = ROOT / "golden/recorded"
PROGRAMS = (
    "messages/claude-code-tool",
    "messages/claude-code-redacted-tool",
    "responses/codex-patch",
    "responses/codex-reason-tool",
    "responses/codex-gpt62-reason-tool",
    "responses/codex-toolsearch",
)
PATHS = {"messages": "/v1/messages?beta=true", "responses": "/v1/responses"}
PIECE = 37


def answers() -> dict[Protocol, bytes]:
    """One scripted stream of each wire: reasoning, a sentence and two calls."""
    space: dict[str, Any] = {"__name__": "relay_demo_data"}
    exec((EXAMPLES / "relay_demo_data.py").read_text("utf-8"), space)
    return space["ANSWERS"]


class Model(BaseHTTPRequestHandler):
    """A scripted model server of all three wires."""

    seen: list[bytes]
    says: dict[Protocol, bytes]

    def do_POST(self) -> None:
        self.seen.append(self.rfile.read(int(self.headers["content-length"])))
        said = self.says[wire_for_path(self.path).protocol]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for at in range(0, len(said), PIECE):
            self.wfile.write(said[at : at + PIECE])
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


@pytest.fixture(scope="module")
def model() -> Iterator[tuple[str, list[bytes]]]:
    """The scripted server's base URL, and the bodies that it got."""
    seen: list[bytes] = []
    handler = type("Playing", (Model,), {"seen": seen, "says": answers()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/", seen
    server.shutdown()
    thread.join()
    server.server_close()


# The program takes a port and has no way to say which one it got, so it is started in a line of its own.
START = """
import sys, wsgiref.simple_server as simple
made = simple.make_server
def announced(host, port, *given, **named):
    server = made(host, port, *given, **named)
    print(server.server_port, flush=True)
    return server
simple.make_server = announced
import runpy
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@contextmanager
def started(protocol: str, base_url: str) -> Iterator[tuple[int, Any]]:
    """The program before one wire of the scripted server: its port, and its process."""
    dialect = ["vllm"] if protocol == "chat-completions" else []
    command = [sys.executable, "-u", "-c", START, str(EXAMPLES / "agent_gateway.py"), "0"]
    process = subprocess.Popen(
        [*command, f"{protocol}={base_url}=local", *dialect],
        cwd=EXAMPLES,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(EXAMPLES), *filter(None, sys.path)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline()), process
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.fixture(scope="module", params=[protocol.value for protocol in Protocol])
def running(request: Any, model: tuple[str, list[bytes]]) -> Iterator[tuple[int, Any, list[bytes]]]:
    """The program before each wire in turn."""
    with started(request.param, model[0]) as (port, process):
        yield port, process, model[1]


def ask(port: int, case: str) -> tuple[int, bytes]:
    """Send a recorded request; the status and the answer."""
    folder = RECORDED / case
    told = tomllib.loads((folder / "ORIGIN.toml").read_text("utf-8"))["headers"]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"content-type": "application/json", **dict(told)}
    path = PATHS[Path(case).parent.name]
    connection.request("POST", path, (folder / "request.json").read_bytes(), headers)
    answer = connection.getresponse()
    read = answer.read()
    connection.close()
    return answer.status, read


@pytest.mark.parametrize("case", PROGRAMS)
def test_a_recorded_agent_gets_its_calls(running: tuple[int, Any, list[bytes]], case: str) -> None:
    """The program's own wire says what the server said, and the line says what was left out."""
    port, process, seen = running
    status, read = ask(port, case)
    line = process.stdout.readline()
    assert 200 == status, (read, line)
    client = wire(wire_for_path(PATHS[Path(case).parent.name]).protocol)
    reader = Binding(client.protocol, "", "", "", "m", "m", "/", Anonymous(), Capabilities.all())
    *_, last = decode_stream([read], reader)
    assert isinstance(last, TurnCompleted)
    assert ToolCalls() == last.outcome.stop
    assert 2 == sum(isinstance(item, ToolCall) for item in last.outcome.items)
    assert b'"model":"local"' in seen[-1]
    assert line.startswith("ToolCalls; left out: ")
    assert "turn.cache" in line or "responses.client_metadata" in line


def test_a_document_that_the_server_cannot_read_is_refused(
    running: tuple[int, Any, list[bytes]],
) -> None:
    """Claude Code's PDF goes nowhere unless somebody decides so: a 400 by path, and nothing is sent."""
    port, process, seen = running
    sent = len(seen)
    status, read = ask(port, "messages/claude-code-viewpdf")
    assert (400, sent) == (status, len(seen))
    assert b"Extra inputs are not permitted" in read
    assert process.stdout.readline().startswith("UNSUPPORTED at ")

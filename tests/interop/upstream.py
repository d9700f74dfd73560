"""A model server on loopback that plays prepared answers, cut into odd pieces, and keeps what it was asked."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from typing import Any, ClassVar

STREAM = (("content-type", "text/event-stream"),)
JSON = (("content-type", "application/json"),)
# Cuts through lines, through CRLF, through characters; never the same twice in a row.
SIZES = (1, 7, 2, 41, 3, 190, 5, 1, 1, 64)


@dataclass(frozen=True)
class Played:
    """One answer as it goes out.

    `broken` cuts the connection where the body should end; after `hold` bytes the server falls silent
    until the test says `Script.go`.
    """

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = STREAM
    broken: bool = False
    hold: int | None = None


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Script:
    """What will be played, in order, and what was asked.

    `by_wire` answers by the path instead, for those who ask at once. `gone` is set when who asked left
    while the server was silent.
    """

    answers: list[Played] = field(default_factory=list[Played])
    asked: list[Asked] = field(default_factory=list[Asked])
    sizes: tuple[int, ...] = SIZES
    base_url: str = ""
    by_wire: dict[str, Played] = field(default_factory=dict[str, Played])
    go: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)

    def load(self, *answers: Played) -> None:
        """Play these from now on; forget what was asked before."""
        self.answers = list(answers)
        self.asked = []
        self.go.clear()
        self.gone.clear()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    script: ClassVar[Script]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.script.asked.append(Asked(self.path, headers, json.loads(body)))
        # an answer that nobody prepared is a fault of the test, and shows as one
        unprepared = Played(b"nothing is prepared", 599, (("content-type", "text/plain"),))
        played = self.script.answers.pop(0) if self.script.answers else unprepared
        for wire, answer in self.script.by_wire.items():
            if wire in self.path:
                played = answer
        self.send_response(played.status)
        for name, value in played.headers:
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        before = len(played.body) if played.hold is None else played.hold
        self.write(played.body[:before])
        if played.hold is not None:
            if not self.may_go_on():
                return
            self.write(played.body[before:])
        if played.broken:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def write(self, data: bytes) -> None:
        """Part of the body, in odd pieces."""
        for piece in pieces(data, self.script.sizes):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def may_go_on(self) -> bool:
        """Silent until the test says go; False where who asked left first."""
        while not self.script.go.wait(0.02):
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self.script.gone.set()
                self.close_connection = True
                return False
        return True

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves early is no fault of this server."""


def pieces(data: bytes, sizes: tuple[int, ...] = SIZES) -> Iterator[bytes]:
    """`data`, cut into pieces of these sizes over and over."""
    start = 0
    for size in cycle(sizes):
        if start >= len(data):
            return
        yield data[start : start + size]
        start += size


@contextmanager
def model_server() -> Iterator[Script]:
    """A running server and its script."""
    script = Script()
    handler = type("Handler", (_Handler,), {"script": script})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    script.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1/"
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""A small gateway: three agent-shaped clients, each against a model server of each wire.

Needs nothing but the package and the standard library. On loopback it starts a scripted model
server, which plays recorded answer bytes in odd pieces, and a gateway built on
`llm_projections.Relay`. It sends realistic agent requests through and prints what went upstream,
what the client saw live, and the accounting line.

    python relay_demo.py                                    # every client against every server
    python relay_demo.py --client claude-code --server chat-completions
    python relay_demo.py --upstream https://api.example/v1/ --model NAME --key-env VAR \
        --server chat-completions                           # a real endpoint instead of the script
"""

import argparse
import http.client
import json
import os
import queue
import sys
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from llm_projections import (
    AGENT_CLIENTS,
    ALL,
    Anonymous,
    AnswerHead,
    Bearer,
    Binding,
    Capabilities,
    HttpAnswer,
    Identity,
    Protocol,
    Relay,
    ToolWrapping,
    wire_for_path,
)

sys.path.insert(0, str(Path(__file__).parent))
from relay_demo_data import ANSWERS, CLIENTS

# What this deployment gives up beside the published set: see docs/decisions.md.
ACCEPTED = AGENT_CLIENTS | {"max_output_tokens.lowered"}
PIECE = 41


class ScriptedServer(BaseHTTPRequestHandler):
    """Plays a recorded answer of whichever wire is asked, in pieces that cut events anywhere."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[dict[Protocol, bytes]] = {}

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        wire = wire_for_path(self.path)
        type(self).seen[wire.protocol] = body
        answer = ANSWERS[wire.protocol]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for start in range(0, len(answer), PIECE):
            write_chunk(self.wfile, answer[start : start + PIECE])
        write_chunk(self.wfile, b"")

    def log_message(self, *_):
        """Stay quiet."""


def write_chunk(out, data):
    """One piece of a chunked body; an empty one ends it."""
    out.write(b"%x\r\n%s\r\n" % (len(data), data))


class Gateway(BaseHTTPRequestHandler):
    """The whole gateway: `Relay` says what to send where, this moves the bytes."""

    protocol_version = "HTTP/1.1"
    binding: Binding
    credential: str | None = None
    finished: ClassVar["queue.Queue[Relay]"] = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        relay = Relay(
            client=wire_for_path(self.path),
            binding=self.binding,
            identity=Identity(response_id=uuid.uuid4().hex[:16], created=int(time.time())),
            accept=ACCEPTED,
            credential=self.credential,
            wrapping=ToolWrapping(ALL, flatten_namespaces=True, hoist_additional_tools=True),
        )
        asked = relay.request(self.headers.items(), body)
        if isinstance(asked, HttpAnswer):
            self.answer(asked.status, asked.headers)
            write_chunk(self.wfile, asked.body)
        else:
            self.forward(relay, asked)
        write_chunk(self.wfile, b"")
        self.finished.put(relay)

    def forward(self, relay, asked):
        url = urllib.parse.urlsplit(asked.url)
        secure = url.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connect(url.hostname, url.port, timeout=120)
        sent = False
        try:
            path = f"{url.path}?{url.query}" if url.query else url.path
            connection.request(asked.method, path, asked.body, dict(asked.headers))
            sent = True
            upstream = connection.getresponse()
            self.show(relay.response(upstream.status, upstream.getheaders()))
            while chunk := upstream.read1(16_384):
                self.show(relay.feed(chunk))
            self.show(relay.close())
        except (OSError, http.client.HTTPException):
            self.show(relay.transport_failed(sent))
        finally:
            connection.close()

    def show(self, pieces):
        for piece in pieces:
            if isinstance(piece, AnswerHead):
                self.answer(piece.status, piece.headers)
            else:
                write_chunk(self.wfile, piece.data)

    def answer(self, status, headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def log_message(self, *_):
        """Stay quiet."""


def serve(handler):
    """A server on a free port of loopback, running until the program ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def declare(protocol, base_url, model, anonymous):
    """The binding: where the model is, how to reach it, and what it can do."""
    return Binding(
        protocol=protocol,
        provider="demo",
        account="demo",
        endpoint=base_url,
        model=model,
        upstream_name=model,
        base_url=base_url,
        auth=Anonymous() if anonymous else Bearer(),
        capabilities=Capabilities.all(context_window=200_000, max_output_tokens=32_000),
    )


def run(client, port, upstream):
    """Send one client's request through the gateway; returns whether a whole answer came back."""
    path, headers, body = CLIENTS[client]
    print(f"\n=== {client} on {path} -> {Gateway.binding.protocol.value}")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("POST", path, json.dumps(body).encode(), dict(headers))
    response = connection.getresponse()
    stream = b""
    while chunk := response.read1(65_536):
        stream += chunk
    connection.close()
    sent = upstream.seen.get(Gateway.binding.protocol)
    if sent is not None:
        print("--- sent upstream")
        print(shorten(sent.decode(), 700))
    print(f"--- the client's answer, HTTP {response.status}")
    for line in stream.decode().splitlines():
        if line:
            print(shorten(line, 150))
    relay = Gateway.finished.get(timeout=10)
    print("--- accounting")
    print(accounting(relay))
    return relay.outcome is not None and response.status == 200


def shorten(text, width):
    """`text`, cut in its middle."""
    if len(text) <= width:
        return text
    return f"{text[: width - 40]} ... ({len(text) - width} more) ... {text[-30:]}"


def accounting(relay):
    """One line for the books."""
    if relay.outcome is None:
        return f"failed: {relay.error} (retry is safe: {relay.error.may_retry})"
    usage = relay.outcome.observation.usage
    kinds = ", ".join(type(item).__name__ for item in relay.outcome.items)
    losses = ", ".join(sorted({loss.name for loss in relay.losses})) or "none"
    return (
        f"stop={type(relay.outcome.stop).__name__} items=[{kinds}]"
        f" input={usage and usage.input_tokens} output={usage and usage.output_tokens}"
        f" left out: {losses}"
    )


def main():
    protocols = [protocol.value for protocol in Protocol]
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--client", choices=sorted(CLIENTS), action="append")
    options.add_argument("--server", choices=protocols, action="append")
    options.add_argument("--upstream", help="base URL of a real endpoint, ending in a slash")
    options.add_argument("--model", default="demo-model", help="the model's name there")
    options.add_argument("--key-env", help="the environment variable that holds the credential")
    chosen = options.parse_args()
    Gateway.credential = os.environ[chosen.key_env] if chosen.key_env else None
    base_url = chosen.upstream or f"http://127.0.0.1:{serve(ScriptedServer)}/v1/"
    port = serve(Gateway)
    good = 0
    pairs = [
        (client, Protocol(server))
        for client in chosen.client or CLIENTS
        for server in chosen.server or protocols
    ]
    for client, protocol in pairs:
        Gateway.binding = declare(protocol, base_url, chosen.model, Gateway.credential is None)
        good += run(client, port, ScriptedServer)
    print(f"\n{good} of {len(pairs)} exchanges gave a whole answer")
    return 0 if good == len(pairs) else 1


if __name__ == "__main__":
    sys.exit(main())

"""A gateway as a WSGI app, with nothing but the standard library around it.

The app yields what the client gets while the upstream still speaks; any WSGI server that writes
each piece as it comes keeps the stream live.

    python wsgi_gateway.py 8080 responses=https://api.example/v1/=MODEL=KEY_VARIABLE
"""

import http.client
import sys
import time
import urllib.parse
import uuid
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from declared import target

from llm_projections import (
    AGENT_CLIENTS,
    AnswerHead,
    HttpAnswer,
    Identity,
    Refusal,
    Relay,
    wire_for_path,
)


class Gateway:
    """The app: all that it is asked goes to one binding. `finished` gets each relay, for the books."""

    def __init__(self, binding, credential=None, *, finished=lambda _: None, **options):
        self.binding = binding
        self.credential = credential
        self.finished = finished
        self.options = options

    def __call__(self, environ, start_response):
        try:
            client_wire = wire_for_path(environ["SCRIPT_NAME"] + environ["PATH_INFO"])
        except Refusal:
            start_response("404 Not Found", [("content-length", "0")])
            return
        relay = Relay(
            client_wire,
            self.binding,
            Identity(response_id=uuid.uuid4().hex, created=int(time.time())),
            credential=self.credential,
            **self.options,
        )
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"] or 0))
        asked = relay.request(headers_of(environ), body)
        try:
            if isinstance(asked, HttpAnswer):
                start(start_response, asked)
                yield asked.body
                return
            for piece in self.forward(relay, asked):
                if isinstance(piece, AnswerHead):
                    start(start_response, piece)
                else:
                    yield piece.data
        finally:
            self.finished(relay)

    def forward(self, relay, asked):
        """What the client gets, as the upstream says it."""
        url = urllib.parse.urlsplit(asked.url)
        secure = url.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connect(url.hostname, url.port, timeout=600)
        # None once the request is on its way: it may have arrived, and nobody can tell
        sent = False
        try:
            connection.connect()
            sent = None
            target = f"{url.path}?{url.query}" if url.query else url.path
            connection.request(asked.method, target, asked.body, dict(asked.headers))
            upstream = connection.getresponse()
            yield from relay.response(upstream.status, upstream.getheaders())
            while not relay.done and (chunk := upstream.read1(16_384)):
                yield from relay.feed(chunk)
            yield from relay.close()
        except (OSError, http.client.HTTPException):
            yield from relay.transport_failed(sent)
        finally:
            connection.close()


def headers_of(environ):
    """The request's headers as a list of pairs."""
    given = [
        (name.removeprefix("HTTP_").replace("_", "-").lower(), value)
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
    return [*given, ("content-type", environ.get("CONTENT_TYPE", ""))]


def start(start_response, answer):
    reason = http.client.responses.get(answer.status, "Unknown")
    start_response(f"{answer.status} {reason}", list(answer.headers))


class Server(ThreadingMixIn, WSGIServer):
    """One thread an exchange, so that a long answer holds up nobody."""

    daemon_threads = True


if __name__ == "__main__":
    app = Gateway(*target(sys.argv[2]), accept=AGENT_CLIENTS)
    make_server("", int(sys.argv[1]), app, server_class=Server).serve_forever()

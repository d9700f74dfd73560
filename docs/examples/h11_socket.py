"""A turn over a plain socket: h11 speaks HTTP, the codec speaks the wire, and nothing else is there.

Two sans-IO machines side by side. What the socket gives goes into h11, the data that comes out goes
into the decoder, however it was cut.

    python h11_socket.py chat-completions=http://127.0.0.1:8000/v1/=MODEL "Why is the sky blue?"
"""

import argparse
import socket
import ssl
import urllib.parse

import h11
from declared import target

from llm_projections import (
    Refusal,
    TextDelta,
    TurnCompleted,
    TurnFailed,
    TurnRequest,
    wire,
)


def connect(url):
    """A socket to the host of `url`."""
    secure = url.scheme == "https"
    plain = socket.create_connection((url.hostname, url.port or (443 if secure else 80)), 60)
    if not secure:
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=url.hostname)


def messages(sock, peer, read_size):
    """What h11 makes of the bytes of the answer."""
    while True:
        try:
            event = peer.next_event()
        except h11.RemoteProtocolError:
            return  # a body that broke off: the decoder says what that means
        if event is h11.NEED_DATA:
            peer.receive_data(sock.recv(read_size))
        else:
            yield event
            if isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
                return


def ask(turn, binding, credential=None, read_size=16_384):
    """The events of one turn; the last is terminal."""
    server = wire(binding.protocol)
    url = urllib.parse.urlsplit(server.request_url(binding))
    body = server.encode_request(turn, binding)
    headers = [
        ("host", url.netloc),
        *server.request_headers(binding, request=turn, credential=credential),
        ("content-length", str(len(body))),
        ("connection", "close"),
    ]
    place = f"{url.path}?{url.query}" if url.query else url.path
    peer = h11.Connection(our_role=h11.CLIENT)
    decoder = server.StreamDecoder(binding, request=turn)
    status, said, failure = 0, [], None
    with connect(url) as sock:
        sock.sendall(peer.send(h11.Request(method="POST", target=place, headers=headers)))
        sock.sendall(peer.send(h11.Data(data=body)) + peer.send(h11.EndOfMessage()))
        for message in messages(sock, peer, read_size):
            if isinstance(message, h11.Response):
                status = message.status_code
                said = [(name.decode(), value.decode("latin-1")) for name, value in message.headers]
                if server.answer_kind(status, said, binding) == "error":
                    failure = bytearray()
            elif isinstance(message, h11.Data) and failure is not None:
                failure += message.data
            elif isinstance(message, h11.Data):
                yield from decoder.feed(message.data)
    if failure is not None:
        yield TurnFailed(server.decode_error(status, said, bytes(failure), binding))
    else:
        yield from decoder.close()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("target", type=target, help="see declared.py")
    options.add_argument("question")
    asked = options.parse_args()
    where, key = asked.target
    try:
        for event in ask(TurnRequest.text(where.model, asked.question), where, key):
            if isinstance(event, TextDelta):
                print(event.text, end="", flush=True)
            elif isinstance(event, TurnFailed):
                raise event.error
            elif isinstance(event, TurnCompleted):
                print(f"\n{event.outcome.observation.usage}")
    except Refusal as refusal:
        raise SystemExit(str(refusal)) from None

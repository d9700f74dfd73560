"""The three wires, each as one record, so that code over all of them is a loop and not a switch."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from llm_projections._values import frozen
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import Protocol
from llm_projections.wires import chat, messages, responses

__all__ = ["WIRES", "Wire", "wire", "wire_for_path"]


@frozen
class Wire:
    """The jobs of one wire. Each field is the function or class of that name in its package."""

    protocol: Protocol
    path: str
    project_request: Callable[..., Any]
    encode_request: Callable[..., bytes]
    request_headers: Callable[..., tuple[tuple[str, str], ...]]
    request_url: Callable[..., str]
    answer_kind: Callable[..., Any]
    StreamDecoder: Callable[..., Any]
    decode_stream: Callable[..., Any]
    adecode_stream: Callable[..., Any]
    decode_response: Callable[..., Any]
    decode_error: Callable[..., Any]
    ingest_request: Callable[..., Any]
    IngressStream: Callable[..., Any]
    encode_ingress_stream: Callable[..., Any]
    aencode_ingress_stream: Callable[..., Any]
    encode_ingress_answer: Callable[..., bytes]
    encode_ingress_error: Callable[..., Any]


def _record(protocol: Protocol, package: ModuleType) -> Wire:
    jobs = {
        name: getattr(package, name)
        for name in Wire.__annotations__
        if name not in ("protocol", "path")
    }
    return Wire(protocol=protocol, path=package.PATH, **jobs)


WIRES: dict[Protocol, Wire] = {
    Protocol.CHAT: _record(Protocol.CHAT, chat),
    Protocol.MESSAGES: _record(Protocol.MESSAGES, messages),
    Protocol.RESPONSES: _record(Protocol.RESPONSES, responses),
}


def wire(protocol: Protocol) -> Wire:
    """The record of one protocol."""
    return WIRES[protocol]


def wire_for_path(path: str) -> Wire:
    """The wire that a request path names, by its last segments; query and host do not count.

    Raises `RequestRefused` (NOT_FOUND) for every other path.
    """
    place = path.partition("?")[0].partition("#")[0].rstrip("/")
    for record in WIRES.values():
        if place == record.path or place.endswith(f"/{record.path}"):
            return record
    raise RequestRefused(RefusalCode.NOT_FOUND, "not the path of a known wire", "path")

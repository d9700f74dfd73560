"""A neutral turn to the exact body of a Chat request. Inverse of `ingest`.

Rules:
1. What this wire or this binding cannot carry is refused by turn path, all of it at once, or left out and reported
   where its loss was accepted.
2. Keys stand in one declared order; a key is written only for what the turn says, apart from the pinned additions
   (`model`, `stream`, `stream_options`, the name of a schema that has none).
3. One assistant turn is one message: reasoning, texts, then calls.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from attrs import evolve

from llm_projections import _json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.guard import guarded
from llm_projections.model.items import Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import Projection
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._depth import body_apart, json_refused
from llm_projections.wires._fragments import FragmentCache, Frame
from llm_projections.wires._growing import go_on, keep_frame
from llm_projections.wires._writing import SPLICE, Writer
from llm_projections.wires.chat.project.messages import Messages
from llm_projections.wires.chat.project.settings import write_settings
from llm_projections.wires.chat.project.tools import write_tools

__all__ = ["encode_request", "project_request"]


@guarded
def project_request(
    request: TurnRequest,
    binding: Binding,
    *,
    stream: bool = True,
    accept: Collection[str] = (),
    conversation: Conversation | None = None,
    limits: Limits = Limits(),
) -> Projection:
    """The body of the request, and what was left out of the turn.

    Raises `RequestRefused` with every fault (`.others`), and `ValueError` for a name in `accept` that is no loss.
    """
    writer = Writer(binding, accept, limits)
    body = _project(writer, request, stream, conversation)
    return Projection(body_apart(body), writer.finish())


@guarded
def encode_request(
    request: TurnRequest,
    binding: Binding,
    *,
    stream: bool = True,
    accept: Collection[str] = (),
    conversation: Conversation | None = None,
    fragments: FragmentCache | None = None,
    limits: Limits = Limits(),
    losses: list[Loss] | None = None,
) -> bytes:
    """Exactly the bytes that a client sends: compact JSON of what `project_request` gives.

    `fragments` keeps encoded messages between the requests of one conversation; it never changes a byte. Accepted
    losses are appended to `losses`. Raises as `project_request`, and `RequestRefused` (INVALID_REQUEST, by body path)
    for a lone surrogate or a number that JSON does not have.
    """
    if fragments is not None:
        make = partial(Writer, binding, accept, limits)
        known = go_on(fragments, make, request, _write_later, losses, stream, conversation)
        if known is not None:
            return known
    writer = Writer(binding, accept, limits)
    writer.remember(fragments, request)
    body = _project(writer, request, stream, conversation)
    left = writer.finish()
    writer.keep_beginning(request)
    try:
        data = _json.dumps(body) if writer.carried else _dumps(body)
    except _json.JsonError as error:
        if writer.begun.count:
            # its place counts from the beginning, which is one piece here
            return encode_request(
                request,
                binding,
                stream=stream,
                accept=accept,
                conversation=conversation,
                limits=limits,
            )
        raise json_refused(error) from None
    if len(data) > limits.request_bytes:
        raise RequestRefused(
            RefusalCode.TOO_LARGE, f"a request of more than {limits.request_bytes} bytes"
        )
    if losses is not None:
        losses.extend(left)
    return data


def _project(
    writer: Writer,
    request: TurnRequest,
    stream: bool,
    conversation: Conversation | None,
) -> dict[str, Any]:
    binding, limits = writer.binding, writer.limits
    if binding.protocol is not Protocol.CHAT:
        writer.refuse(("protocol",), "a binding of another wire")
        writer.finish()
    if conversation is not None:
        writer.refuse(
            ("conversation",), "this wire knows no conversations", RefusalCode.UNSUPPORTED
        )
    messages = Messages(writer)
    few = len(request.items) <= limits.items
    in_order, calls = messages.begin(request.items) if few else (0, frozenset[str]())
    turn = writer.fit(request, in_order=in_order, calls=calls)
    body: dict[str, Any] = {"model": binding.upstream_name}
    turn = evolve(turn, instructions=messages.hoist(turn)) if messages.must_hoist(turn) else turn
    body["messages"] = messages.write(turn)
    write_tools(writer, turn, body)
    write_settings(writer, turn, body, stream=stream)
    place = ("messages", len(turn.instructions))
    keep_frame(writer, request, body, place, 0, stream, conversation)
    return body


def _write_later(writer: Writer, turn: TurnRequest, _: Frame | None) -> list[Any]:
    """The messages after the beginning; none where the last one is told before all others."""
    messages = Messages(writer)
    return [] if messages.may_be_prefilled(turn) else messages.write_later(turn)


def _dumps(body: dict[str, Any]) -> bytes:
    """A body with nothing carried in it: only the schemas can hold a number that JSON does not have."""
    try:
        schemas: dict[str, Any] = {
            key: SPLICE(_json.dumps(body[key]))
            for key in ("tools", "response_format")
            # a list: not what was encoded before
            if isinstance(body.get(key), list | dict)
        }
    except _json.JsonError:
        return _json.dumps(body)  # raises it with its place
    return _json.dumps({**body, **schemas}, finite=True)

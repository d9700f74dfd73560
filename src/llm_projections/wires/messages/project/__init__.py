"""A neutral turn as the body of a Messages request.

Rules:
1. What the wire or the binding lacks is refused by turn path, or left out and reported where its loss was accepted.
2. Keys stand in one declared order; the carried ones follow.
3. A request is always streamed, and always says how many tokens it wants at most: the wire requires that.
4. Bedrock and Vertex, told by a carried `anthropic_version`, take no model in the body: their URL names it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from llm_projections import _json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.guard import guarded
from llm_projections.model.items import Extension, Instruction
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import Projection
from llm_projections.model.turn import TurnRequest
from llm_projections.wires._depth import body_apart, json_refused
from llm_projections.wires._fragments import FragmentCache, Frame
from llm_projections.wires._growing import go_on, keep_frame
from llm_projections.wires._http import refuse_foreign
from llm_projections.wires.messages.project.conversation import write_messages
from llm_projections.wires.messages.project.instructions import write_system
from llm_projections.wires.messages.project.marks import mark_end, mark_system
from llm_projections.wires.messages.project.plain import Lane
from llm_projections.wires.messages.project.settings import (
    refuse_unsaid,
    write_choice,
    write_output,
    write_sampling,
    write_thinking,
    write_tier,
)
from llm_projections.wires.messages.project.tools import write_tools
from llm_projections.wires.messages.project.writer import MessagesWriter
from llm_projections.wires.messages.vocab import MAX_MARKS

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
    """The body that asks `binding` for `request`.

    Raises `RequestRefused` with every refusal (`.others`): UNSUPPORTED for what the wire or the binding lacks (`.loss`
    names what to accept), INVALID_REQUEST for a turn that contradicts itself or the wire's rules, TOO_LARGE past
    `limits`. Raises `ValueError` for an unknown name in `accept`.
    """
    refuse_foreign(stream, conversation)
    writer = MessagesWriter(binding, accept, limits)
    body = _write(writer, request)
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
    """The bytes of `project_request(...).body`: compact JSON, in the declared key order.

    Accepted losses are appended to `losses`. Raises as `project_request`, and `RequestRefused` (INVALID_REQUEST) by
    body path for a lone surrogate and for anything else that is not JSON.
    """
    refuse_foreign(stream, conversation)
    make = partial(MessagesWriter, binding, accept, limits, splice=True)
    if fragments is not None:
        known = go_on(fragments, make, request, _write_later, losses, stream, conversation)
        if known is not None:
            return known
    writer = make()
    writer.remember(fragments, request)
    body = _write(writer, request)
    found = writer.finish()
    writer.keep_beginning(request)
    try:
        data = _json.dumps(body, finite=True)
        if not writer.finite:
            data = _json.dumps(body)  # raises it with its place
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
        losses.extend(found)
    return data


def _write(writer: MessagesWriter, request: TurnRequest) -> dict[str, Any]:
    laned = writer.fragments is None and len(request.items) <= writer.limits.items
    lane = Lane(writer, request.items if laned else ())
    in_order = lane.begin()
    turn = writer.fit(request, in_order=in_order, calls=frozenset(lane.ids))
    body: dict[str, Any] = {
        "model": writer.binding.upstream_name,
        "max_tokens": _limit(writer, turn),
        "stream": True,
    }
    moved: list[tuple[int, Instruction]] = []
    before = len(writer.losses)
    writer.losses += writer.begun.losses
    messages = write_messages(writer, turn.items, moved, lane)
    writer.around = before, len(writer.losses)
    marked = writer.marks
    system = write_system(writer, turn.instructions, moved)
    if system:
        body["system"] = system
    body["messages"] = messages.bodies
    if turn.items and not messages.bodies:
        writer.refuse(("items",), "a request needs at least one message")
    tools = writer.kept(turn.tools, -1, lambda: write_tools(writer, turn.tools) or None)
    if tools is not None:
        body["tools"] = tools
        writer.unread.append(tools)
    write_choice(writer, turn, body)
    write_thinking(writer, turn.thinking, body)
    write_output(writer, turn, body)
    write_sampling(writer, turn.sampling, body)
    if turn.stop:
        body["stop_sequences"] = list(turn.stop)
    write_tier(writer, turn.service_tier, body)
    if turn.end_user_id is not None:
        body["metadata"] = {"user_id": turn.end_user_id}
    refuse_unsaid(writer, turn)
    _carry(writer, turn.extensions, body)
    if turn.cache_marks == "auto":
        mark_system(writer, body)
    marked = writer.marks - marked
    if turn.cache_marks == "auto":
        mark_end(writer, messages)
    messages.fold()
    if turn.cache_marks == "given" or writer.marks < MAX_MARKS:
        keep_frame(writer, request, body, ("messages", 0), marked, True, None)
    return body


def _write_later(writer: MessagesWriter, turn: TurnRequest, frame: Frame | None) -> list[Any]:
    """The messages after the beginning; none where what stands before them would have to change."""
    writer.marks = 0 if frame is None else frame.marks
    lane = Lane(writer, turn.items, writer.begun.count)
    lane.begin()
    messages = write_messages(writer, turn.items, [], lane)
    if (
        frame is not None
        and turn.cache_marks == "auto"
        and (
            # another mark before them, or one in the beginning, may be what the rules for all of them give
            writer.marks >= MAX_MARKS or not mark_end(writer, messages, unfold=False)
        )
    ):
        return []
    return messages.bodies[messages.folded :]


def _limit(writer: MessagesWriter, turn: TurnRequest) -> int:
    limit = turn.max_output_tokens
    if limit is None:
        limit = writer.able.max_output_tokens
    if limit is None:
        writer.refuse(
            ("max_output_tokens",), "this wire requires a limit, and the binding has none"
        )
        return 0
    return limit


def _carry(writer: MessagesWriter, extensions: tuple[Extension, ...], body: dict[str, Any]) -> None:
    placed: list[Extension] = []
    for extension in extensions:
        if extension.protocol is writer.protocol and (
            extension.path.startswith("thinking.") and "thinking" not in body
        ):
            # the object that it is a part of is not there
            writer.lose(f"messages.{extension.path}", tuple(extension.path.split(".")))
        else:
            placed.append(extension)
    writer.carry(tuple(placed), "", body, ())
    if "cache_control" in body:
        writer.count_mark(("cache_control",))
    if "anthropic_version" in body:
        del body["model"]

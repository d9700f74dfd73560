"""A neutral turn to the exact bytes of a request.

Rules:
1. Always `stream: true`, `store: false` and `include: ["reasoning.encrypted_content"]`; `strict` and an image's
   `detail` are always written. Nothing else that the turn did not set.
2. Keys go out in the order of `_body`; carried ones after them, in the order of the turn.
3. Leading instructions are leading `developer` messages; a wire item that stood among them keeps its place.
4. An item is one wire item, so that what was encoded before can be kept item by item (`FragmentCache`).
5. What is in order and refused nowhere is written at once (`_at_once`); whatever else there is, is written as if that
   had not been tried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from itertools import takewhile
from typing import Any

from llm_projections import _json
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.binding import Binding, Conversation
from llm_projections.model.guard import guarded
from llm_projections.model.items import Instruction, Item, WireItem
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.model.results import Projection
from llm_projections.model.turn import TurnRequest
from llm_projections.model.validation import item_faults
from llm_projections.wires._depth import body_apart, json_refused
from llm_projections.wires._fragments import FragmentCache, Frame
from llm_projections.wires._growing import go_on, keep_frame
from llm_projections.wires._writing import SPLICE
from llm_projections.wires.responses.project.items import WRITERS, write_instruction
from llm_projections.wires.responses.project.plain import lane, without_foreign
from llm_projections.wires.responses.project.settings import write_settings
from llm_projections.wires.responses.project.tools import write_choice, write_tools
from llm_projections.wires.responses.project.writer import ResponsesWriter
from llm_projections.wires.responses.vocab import ENCRYPTED, PLACE, PROTOCOL

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
    """The body that asks `binding` for this turn, and what was left out of it by accepted names.

    Raises `RequestRefused` with every refusal (`.others`): INVALID_REQUEST for a turn that contradicts itself,
    UNSUPPORTED for what this wire or this binding does not take (`.loss` names what to accept instead) and for
    `stream=False`, TOO_LARGE past `limits`; `ValueError` for an unknown name in `accept`.

    Source: openai 3.57.0, `ResponseCreateParamsStreaming`, read 2026-11-30.
    """
    writer = ResponsesWriter(binding, accept, limits)
    body = _body(writer, request, stream, conversation)
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
    """Compact JSON of `project_request(...).body`; accepted losses are appended to `losses`.

    `fragments` keeps the encoded items of a growing conversation and never changes a byte.

    Raises as `project_request`, and `RequestRefused` (INVALID_REQUEST) by path for text with a lone surrogate.
    """
    make = partial(ResponsesWriter, binding, accept, limits)
    if fragments is None:
        known = _at_once(make(), request, stream, conversation, losses)
    else:
        known = go_on(fragments, make, request, _write_later, losses, stream, conversation)
    if known is not None:
        return known
    writer = make()
    writer.remember(fragments, request)
    body = _body(writer, request, stream, conversation)
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


def _at_once(
    writer: ResponsesWriter,
    request: TurnRequest,
    stream: bool,
    conversation: Conversation | None,
    losses: list[Loss] | None,
) -> bytes | None:
    """The body whose items are made as its bytes are; None where all have to be made first.

    That is where anything is refused, so that each refusal has its place, and where an item is left out or moved.
    Losses are appended to `losses`.
    """
    limits = writer.limits
    items, places, left_out = without_foreign(writer, request.items)
    if items and type(items[0]) is WireItem:
        return None  # it may have stood among the instructions
    body = _body(writer, request, stream, conversation, items)
    if writer.refusals:
        return None
    beside = len(writer.losses)
    write, is_whole, in_order = lane(writer, items, places)
    data = _json.written(body, write)
    if (
        data is None
        or not is_whole()
        or len(data) > limits.request_bytes
        or writer.refusals
        or not writer.finite
    ):
        return None
    # no text is longer than the body that it is in
    short = len(data) <= min(limits.arguments_bytes, limits.result_bytes)
    # what was left out is a turn of the model too
    if (left_out or not (short and in_order())) and any(
        item_faults(request, limits, 0, frozenset())
    ):
        return None
    if losses is not None:
        found, (before, _) = writer.losses, writer.around
        of_items = (
            sorted((*left_out, *found[beside:]), key=_position) if left_out else found[beside:]
        )
        losses += (*found[:before], *of_items, *found[before:beside])
    return data


def _position(loss: Loss) -> int:
    """Which item a loss is of."""
    return int(loss.path[len("items[") : loss.path.index("]")])


def _body(
    writer: ResponsesWriter,
    request: TurnRequest,
    stream: bool,
    conversation: Conversation | None,
    unwritten: tuple[Item, ...] | None = None,
) -> dict[str, Any]:
    """The body, with the items as they are where they are given `unwritten`: who writes them checks their order."""
    if not stream:
        writer.refuse(("stream",), "this wire is always streamed", RefusalCode.UNSUPPORTED)
    turn = writer.fit(request, in_order=0 if unwritten is None else len(request.items))
    body: dict[str, Any] = {"model": writer.binding.upstream_name}
    items = _input(writer, turn, unwritten)
    if items:
        body["input"] = items
    tools = writer.kept(turn.tools, -1, lambda: write_tools(writer, turn.tools) or None)
    if tools is not None:
        body["tools"] = tools
        writer.unread.append(tools)
    write_choice(writer, turn, body)
    write_settings(writer, turn, conversation, body)
    body["store"] = False
    body["stream"] = True
    body["include"] = [ENCRYPTED]
    others = [e for e in turn.extensions if e.protocol is PROTOCOL and e.path == "include"]
    for extension in others:
        if not writer.takes(PROTOCOL, "include"):
            writer.lose("responses.include", ("include",), "the binding does not declare it")
        elif isinstance(extension.value, list):
            body["include"] += [name for name in extension.value if name != ENCRYPTED]
    writer.carry(tuple(e for e in turn.extensions if e not in others), "", body, ())
    if not _places(request.items):
        place = ("input", len(turn.instructions))
        keep_frame(writer, request, body, place, 0, stream, conversation)
    return body


def _write_later(writer: ResponsesWriter, turn: TurnRequest, _: Frame | None) -> list[Any]:
    """The items after the beginning; none where one of them stands before it."""
    since = writer.begun.count
    if not since and _places(turn.items):
        return []
    later = enumerate(turn.items[since:], since)
    written = [_kept(writer, item, index, index) for index, item in later]
    return [node for node in written if node is not None]


def _input(
    writer: ResponsesWriter, turn: TurnRequest, unwritten: tuple[Item, ...] | None
) -> list[Any]:
    leading = [
        write_instruction(writer, instruction, ("instructions", index))
        for index, instruction in enumerate(turn.instructions)
    ]
    before = len(writer.losses)
    if unwritten is not None:
        writer.around = before, before
        return [*leading, *unwritten]
    begun, first = writer.begun, writer.begun.count
    later = turn.items[first:] if first else turn.items
    items: Iterable[tuple[int, Item]] = enumerate(later, first)
    if not writer.able.instructions_in_place:
        for index, item in enumerate(later, first):
            if isinstance(item, Instruction):
                path = ("items", index)
                writer.lose("turn.instruction.position", path, "the binding takes it only first")
                leading.append(write_instruction(writer, item, path))
        items = [pair for pair in items if not isinstance(pair[1], Instruction)]
    places = _places(turn.items)
    writer.losses += begun.losses
    if writer.fragments is None:
        written = [WRITERS[type(item)](writer, item, ("items", index)) for index, item in items]
    else:
        # what stood among the instructions goes out there, so that nothing can be joined to it
        written = [_kept(writer, item, index, -1 if places else index) for index, item in items]
    for index, place in reversed(places):
        node, written[index] = written[index], None
        if node is not None:
            leading.insert(place, node)
    nodes = [node for node in (*leading, *written) if node is not None]
    if first:
        nodes.insert(len(leading), SPLICE(begun.data))
    writer.around = before, len(writer.losses)
    return nodes


def _places(items: tuple[Item, ...]) -> list[tuple[int, int]]:
    """Which of the first items stood among the instructions, and where."""
    first = takewhile(lambda item: type(item) is WireItem, items)
    return [
        (index, extension.value)
        for index, item in enumerate(first)
        for extension in item.extensions
        if extension.path == PLACE and type(extension.value) is int
    ]


def _kept(writer: ResponsesWriter, item: Item, index: int, start: int) -> Any:
    return writer.kept((item,), start, lambda: WRITERS[type(item)](writer, item, ("items", index)))

"""Responses items, each written when the bytes of the body come to it.

A body of 400 messages is a thousand objects, made to be read once. Made one at a time, each in the memory that the one
before has left, they take a quarter less of the whole encoding than made all at first.

What has nothing beside its text but its own id, as nearly all have, is written here, exactly as the general way
(`items`) writes it: no such item holds a thing that a binding may lack, and none can be refused. Everything else goes
that way. An item that is left out, or goes elsewhere, ends the attempt: a value was asked for. Only the sealed state of
others, where its loss was accepted, is taken out before.

On the way the items are found to be in order: each result answers an earlier call of its kind, each call is answered
before the model's next turn, and no id comes twice. What is not plainly so is left to the check of the items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from types import NoneType
from typing import Any

from llm_projections import _json
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Instruction,
    Item,
    Opaque,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
)
from llm_projections.model.losses import Loss
from llm_projections.model.soundness import is_sound_item
from llm_projections.wires.responses.project.items import WRITERS
from llm_projections.wires.responses.project.writer import ResponsesWriter
from llm_projections.wires.responses.vocab import ENVELOPE, PROTOCOL

__all__ = ["LeftOut", "lane", "without_foreign"]


# what a type checker makes of `type` is not known of a caller's own values
_kind: Callable[[object], Any] = type
_READABLE = frozenset({str, NoneType})


class LeftOut(Exception):
    """An item that is not written at its place, one that is none, or a number that JSON does not have."""


def without_foreign(
    writer: ResponsesWriter, items: tuple[Item, ...]
) -> tuple[tuple[Item, ...], Sequence[int], list[Loss]]:
    """The items without the sealed state of others where it is left out, where each of them stood, and what was lost.

    All of them where nothing is.
    """
    kinds = set(map(type, items))
    if UnattributedOpaque in kinds or (Opaque in kinds and _is_foreign(writer, items)):
        losses: list[Loss] = []
        places: list[int] = []
        for position, item in enumerate(items):
            if type(item) is UnattributedOpaque or type(item) is Opaque:
                loss = writer.left_out(item, position)
                if loss is not None:
                    losses.append(loss)
                    continue
            places.append(position)
        if losses:
            return tuple([items[position] for position in places]), places, losses
    return items, range(len(items)), []


def _is_foreign(writer: ResponsesWriter, items: tuple[Item, ...]) -> bool:
    """Whether the first sealed state is another binding's: then they all are, or it is worth to look."""
    first = next(item for item in items if type(item) is Opaque)
    return first.provenance != writer.binding.provenance


def lane(
    writer: ResponsesWriter, items: tuple[Item, ...], places: Sequence[int]
) -> tuple[Callable[[Any], Any], Callable[[], bool], Callable[[], bool]]:
    """What writes each of `items` once, in their order; and what says afterwards whether it wrote them, and no other
    item that stood where JSON belongs; and whether they are in order. `places` is where each stands in the turn.

    The first gives the value for any other thing in a body too (`_json.splice`), and raises `LeftOut`.
    The last says nothing of lengths, and False where it takes more than a look.
    """
    provenance, unread = writer.binding.provenance, writer.unread.append
    moves = not writer.able.instructions_in_place
    in_order = True
    # how many items were written: one that is JSON already is not asked for
    written = 0
    seen: set[str] = set()
    # the calls without a result, and whether each is a custom one
    waiting: dict[str, bool] = {}
    # those of them, once somebody has answered, that the model must not go on from
    blocking: Collection[str] = ()

    # One function for all kinds, without a call that is not needed: a call for each kind and one for each text took a
    # third of its time.
    def write(item: Any) -> Any:
        nonlocal in_order, written, blocking
        kind = _kind(item)
        written += 1
        if kind is ToolResult:
            call_id, content = item.call_id, item.content
            blocking = waiting
            if waiting.get(call_id) is not item.custom:
                in_order = False
                return general(item)
            del waiting[call_id]
            if len(content) != 1 or _kind(text := content[0]) is not Text:
                in_order = False  # what is left out of it has a length too
                return general(item)
            said = text.text
            if (
                _kind(said) is not str
                or text.cache is not None
                or text.annotations
                or text.extensions
            ):
                return general(item)
            if (
                item.failed is not None
                or item.custom
                or item.cache is not None
                or _kind(content) is not tuple
            ):
                return general(item)
            if not said or (said[0] == "{" and said.startswith(ENVELOPE)):
                return general(item)
            node = {"type": "function_call_output", "call_id": call_id, "output": said}
            return named(node, item) if item.extensions else node
        if kind is UserMessage:
            blocking = waiting
        else:
            if blocking:
                in_order = False
            blocking = ()
        if kind is UserMessage or kind is AssistantMessage:
            content = item.content
            if len(content) != 1 or _kind(text := content[0]) is not Text:
                return general(item)
            said = text.text
            if (
                _kind(said) is not str
                or text.cache is not None
                or text.annotations
                or text.extensions
            ):
                return general(item)
            if not said or _kind(content) is not tuple:
                return general(item)
            if kind is UserMessage:
                node = {"type": "message", "role": "user", "content": said}
            else:
                spoken = [{"type": "output_text", "text": said}]
                node = {"type": "message", "role": "assistant", "content": spoken}
            return named(node, item) if item.extensions else node
        if kind is ToolCall:
            call_id, name, arguments = item.call_id, item.name, item.arguments
            if call_id in seen:
                in_order = False
            seen.add(call_id)
            waiting[call_id] = False
            if _kind(call_id) is not str or _kind(name) is not str:
                return general(item)
            if _kind(arguments) is not str and _kind(arguments) is not _json.ObjectText:
                return general(item)
            if item.cache is not None:
                return general(item)
            node = {
                "type": "function_call",
                "call_id": call_id,
                "name": name,
                "arguments": arguments,
            }
            return named(node, item) if item.extensions else node
        if kind is Opaque:
            node = item.payload
            if item.extensions or item.provenance is not provenance or _kind(node) is not dict:
                return general(item)
            if node.get("summary") is None or _kind(item.text) not in _READABLE:
                return general(item)
            for value in node.values():
                # a seal and a summary are texts
                if _kind(value) is not str and value:
                    for part in value if _kind(value) is list else (value,):
                        for inner in part.values() if _kind(part) is dict else (part,):
                            if _kind(inner) is not str:
                                unread(inner)
            return node
        if kind is CustomToolCall:
            if item.call_id in seen:
                in_order = False
            seen.add(item.call_id)
            waiting[item.call_id] = True
        elif kind is Instruction:
            in_order = False  # all of them together have a length
            if moves:
                raise LeftOut
        elif kind not in WRITERS:
            written -= 1
            return _json.splice(item)
        return general(item)

    def named(node: dict[str, Any], item: Any) -> Any:
        extensions = item.extensions
        only = extensions[0]
        name = only.value
        if (
            len(extensions) != 1
            or _kind(extensions) is not tuple
            or only.path != "input.id"
            or only.protocol is not PROTOCOL
            or only.provenance is not None
            or _kind(name) is not str
        ):
            return general(item)
        node["id"] = name
        return node

    def general(item: Any) -> Any:
        if not is_sound_item(item):
            raise LeftOut
        node = WRITERS[type(item)](writer, item, ("items", places[written - 1]))
        if node is None:
            raise LeftOut
        return node

    def is_whole() -> bool:
        return written == len(items) and set(map(_kind, items)) <= WRITERS.keys()

    return write, is_whole, lambda: in_order and not waiting

"""Neutral items to output items of the wire.

Rules:
1. What came from this wire goes back as it came; what only another wire can read is refused, or left out as the loss
   that it is.
2. An item keeps its own id where it has one that nobody else here has; otherwise the caller's identity names it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.binding import Identity
from llm_projections.model.items import (
    SEALED_EXTENSIONS,
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    Text,
    ToolCall,
    UnattributedOpaque,
    WireItem,
    WirePart,
)
from llm_projections.wires._answers import AnswerLosses, unsayable
from llm_projections.wires._writing import nest
from llm_projections.wires.responses.vocab_answer import ANNOTATIONS, KEPT_EVENT, SUMMARY

__all__ = [
    "PREFIXES",
    "Ids",
    "Written",
    "is_kept_event",
    "kind_of",
    "objects",
    "too_many_items",
    "write_item",
]

_RESPONSES = Protocol.RESPONSES
_SPECIAL = frozenset({"input.id", "input.status", SUMMARY, ANNOTATIONS, "answer.logprobs"})

PREFIXES = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "compaction": "cmp",
}
"""How the vendor's item ids begin, by type."""


class Ids:
    """The ids of one answer's items: each is given once."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._given: set[str] = set()

    def name(self, kind: str, index: int, own: Json = None) -> str:
        """The item's own id, or the one that the caller's identity gives it."""
        if not isinstance(own, str) or not own or own in self._given:
            own = self._identity.name_item(PREFIXES.get(kind, "item"), index)
        self._given.add(own)
        return own


class Written(NamedTuple):
    """An output item, and the id that it came with."""

    body: dict[str, Any]
    own_id: Json

    def named(self, name: str) -> dict[str, Any]:
        """The item under the id that it is given here; one that came whole keeps the order of its keys."""
        return {**self.body, "id": name} if "id" in self.body else {"id": name, **self.body}


def too_many_items() -> ResponseRefused:
    """The refusal of an answer of more items than the limits allow."""
    return ResponseRefused(
        RefusalCode.TOO_LARGE, "past the limit items", "items", dispatch=Dispatch.ACCEPTED
    )


def is_kept_event(item: Item) -> bool:
    """Whether this is a kept event, which is no output item."""
    return isinstance(item, WireItem) and any(
        extension.path == KEPT_EVENT for extension in item.extensions
    )


def kind_of(body: dict[str, Any]) -> str:
    """The `type` of an output item."""
    kind = body.get("type")
    return kind if isinstance(kind, str) else ""


def objects(node: Json) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [each for each in node if isinstance(each, dict)] if isinstance(node, list) else []


def write_item(item: Item, path: str, losses: AnswerLosses) -> Written | None:
    """The output item, which the caller names (`Written.named`); None where it is left out.

    Raises `ResponseRefused` (UNSUPPORTED) for what this wire cannot hold and whose loss was not accepted.
    """
    match item:
        case AssistantMessage():
            body: dict[str, Any] = {
                "type": "message",
                "status": _status(item.extensions),
                "role": "assistant",
                "content": _content(item, path, losses),
            }
        case Reasoning():
            body = _reasoning(item)
        case ToolCall():
            body = {
                "type": "function_call",
                "status": _status(item.extensions),
                "call_id": item.call_id,
                "name": item.name,
                "arguments": item.arguments,
            }
        case CustomToolCall():
            body = {
                "type": "custom_tool_call",
                "status": _status(item.extensions),
                "call_id": item.call_id,
                "name": item.name,
                "input": item.input,
            }
        case Opaque() | UnattributedOpaque():
            return _sealed(item, path, losses)
        case WireItem():
            if item.protocol is not _RESPONSES:
                losses.lose("answer.wire_item", path)
                return None
            return Written(dict(item.payload), item.payload.get("id"))
        case _:
            raise unsayable("an item that only a caller may write", path)
    _extend(body, item.extensions, path, losses)
    return Written(body, _own(item.extensions, "input.id"))


def _sealed(item: Opaque | UnattributedOpaque, path: str, losses: AnswerLosses) -> Written | None:
    if item.protocol is _RESPONSES:
        body: dict[str, Any] = dict(item.payload)
        if body.get("type") == "reasoning":
            body.setdefault("summary", [])
        return Written(body, body.get("id"))
    losses.lose("answer.opaque", path, "sealed state of another wire")
    return Written(_reasoning(Reasoning(item.text)), None) if item.text else None


def _reasoning(item: Reasoning) -> dict[str, Any]:
    body: dict[str, Any] = {"type": "reasoning", "summary": []}
    if item.summary:
        if item.text:
            body["summary"] = [{"type": "summary_text", "text": item.text}]
    else:
        body["summary"] = _own(item.extensions, SUMMARY) or []
        body["content"] = [{"type": "reasoning_text", "text": item.text}]
    status = _own(item.extensions, "input.status")
    if status is not None:
        body["status"] = status
    return body


def _content(item: AssistantMessage, path: str, losses: AnswerLosses) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for position, part in enumerate(item.content):
        at = f"{path}.content[{position}]"
        if isinstance(part, WirePart):
            if part.protocol is _RESPONSES:
                content.append(dict(part.payload))
            else:
                losses.lose("answer.wire_part", at)
            continue
        body: dict[str, Any] = {"type": "refusal", "refusal": part.text}
        if isinstance(part, Text):
            body = {
                "type": "output_text",
                "text": part.text,
                "annotations": list(_annotations(part.annotations, at, losses)),
                "logprobs": _own(part.extensions, "answer.logprobs") or [],
            }
        _extend(body, part.extensions, at, losses)
        content.append(body)
    return content


def _annotations(
    annotations: Iterable[Extension], path: str, losses: AnswerLosses
) -> Iterable[Json]:
    for annotation in annotations:
        if annotation.protocol is _RESPONSES:
            yield annotation.value
        else:
            losses.lose("answer.annotations", path, "citations of another wire")


def _own(extensions: Iterable[Extension], path: str) -> Any:
    """The value of this wire's extension, if it is there."""
    for extension in extensions:
        if extension.path == path and extension.protocol is _RESPONSES:
            return extension.value
    return None


def _status(extensions: Iterable[Extension]) -> Any:
    return _own(extensions, "input.status") or "completed"


def _extend(
    body: dict[str, Any], extensions: Iterable[Extension], path: str, losses: AnswerLosses
) -> None:
    for extension in extensions:
        carried = extension.path
        if extension.protocol is not _RESPONSES:
            if carried in SEALED_EXTENSIONS:
                losses.lose("answer.opaque", path)
            else:
                losses.leave(extension, path)
        elif carried.startswith("answer."):
            if carried not in _SPECIAL:
                # a server's own key may hold dots
                body[carried.removeprefix("answer.")] = extension.value
        elif carried not in _SPECIAL:
            at = carried.removeprefix("input.").removeprefix("content.")
            if not nest(body, at, extension.value):
                losses.leave(extension, path)

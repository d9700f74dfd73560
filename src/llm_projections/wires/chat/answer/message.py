"""An answer's items as the parts of one message, for the stream and for the whole body alike.

Rules:
1. One message holds one text, one run of reasoning and its calls. Texts of several items are one text, by its loss;
   text or reasoning that came after what it cannot follow here loses its place, by another.
2. What only another wire can read is lost by name; nothing is left out in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from llm_projections._json import Json
from llm_projections.model.items import (
    SEALED_EXTENSIONS,
    AssistantMessage,
    CustomToolCall,
    Extension,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    UnattributedOpaque,
    WireItem,
    WirePart,
)
from llm_projections.wires._answers import AnswerLosses, unsayable

__all__ = ["Said", "Sayer", "Shown", "said_by"]

Kind = Literal["text", "refusal", "reasoning", "call", "custom", "legacy", "nothing"]

_REASONING, _SAID, _CALLED = range(3)
_STAGES: dict[Kind, int] = {
    "reasoning": _REASONING,
    "text": _SAID,
    "refusal": _SAID,
    "call": _CALLED,
}

# names of things for a later request: another wire's own ids mean nothing here, and audio is written whole
_IDENTITIES = frozenset({"input.id", "messages.audio"})


class Said:
    """What one item says on this wire."""

    __slots__ = ("annotations", "call_id", "extras", "kind", "name", "parts", "refusal", "text")

    def __init__(self, kind: Kind, text: str = "") -> None:
        self.kind: Kind = kind
        self.text: str = text
        self.refusal: str = ""
        self.call_id: str | None = None
        self.name: str | None = None
        self.annotations: list[Json] = []
        self.extras: dict[str, Json] = {}
        self.parts: list[Json] = []


class Shown:
    """What was sent of one item."""

    __slots__ = ("call", "dropped", "item", "kind", "lead", "pieces", "refusals", "summary")

    def __init__(self, kind: str) -> None:
        self.kind: str = kind
        self.pieces: list[str] = []
        self.refusals: list[str] = []
        self.call: int = -1
        self.lead: bytes = b""  # of a call: what stands before its next arguments
        self.item: Item | None = None
        self.dropped: bool = False
        self.summary: bool | None = None


class Sayer:
    """Keeps to the order that one message has."""

    def __init__(self, losing: AnswerLosses) -> None:
        self._losing = losing
        self._latest: dict[Kind, int] = {}
        self._begun: set[tuple[Kind, int]] = set()
        self._stage = _REASONING

    def say(self, kind: Kind, index: int) -> None:
        """Something of item `index` is about to be written; refused where its loss was not accepted."""
        latest = self._latest.get(kind)
        if latest != index and kind != "call":
            path = f"items[{index}]"
            if (kind, index) in self._begun or (latest is not None and index < latest):
                self._losing.lose("answer.order", path, "items that are not said in their order")
            elif latest is not None and kind != "reasoning":
                self._losing.lose("answer.text.merged", path, f"one message holds one {kind}")
            if kind == "reasoning":
                if self._stage != _REASONING:
                    self._losing.lose("answer.order", path, "reasoning after its answer")
            elif self._stage == _CALLED:
                self._losing.lose("answer.order", path, f"{kind} after a call")
            self._latest[kind] = index
            self._begun.add((kind, index))
        self._stage = max(self._stage, _STAGES[kind])


def said_by(losing: AnswerLosses, item: Item, path: str, *, streamed: bool) -> Said:
    """What an item says here. Raises `ResponseRefused` for what this wire cannot hold and nobody accepted to lose."""
    match item:
        case AssistantMessage():
            return _message(losing, item, path)
        case Reasoning():
            said = Said("reasoning", item.text)
        case Opaque() | UnattributedOpaque():
            said = Said("reasoning", item.text or "")
            if item.protocol is Protocol.CHAT:
                said.extras.update(item.payload)
            else:
                losing.lose("answer.opaque", path)
        case ToolCall():
            said = Said("call", item.arguments)
            said.call_id, said.name = item.call_id, item.name
        case CustomToolCall():
            if streamed:
                losing.lose(
                    "answer.custom_tool_call", path, "a chunk has no place for a custom tool's call"
                )
                return Said("nothing")
            said = Said("custom", item.input)
            said.call_id, said.name = item.call_id, item.name
        case WireItem():
            return _wire_item(losing, item, path)
        case _:
            raise unsayable("an item that only a caller may write", path)
    _carried(losing, said, item.extensions, path)
    return said


def _message(losing: AnswerLosses, item: AssistantMessage, path: str) -> Said:
    said = Said("text")
    texts: list[str] = []
    refusals: list[str] = []
    for at, part in enumerate(item.content):
        place = f"{path}.content[{at}]"
        match part:
            case Text():
                texts.append(part.text)
                for annotation in part.annotations:
                    if annotation.protocol is Protocol.CHAT:
                        said.annotations.append(annotation.value)
                    else:
                        losing.lose("answer.annotations", place)
            case RefusalText():
                refusals.append(part.text)
            case WirePart(Protocol.CHAT):
                said.parts.append(part.payload)
            case _:
                losing.lose("answer.wire_part", place)
        _carried(losing, said, part.extensions, place)
    for kind, several in (("text", texts), ("refusal", refusals)):
        if len(several) > 1:
            losing.lose("answer.text.merged", path, f"one message holds one {kind}")
    said.text, said.refusal = "".join(texts), "".join(refusals)
    _carried(losing, said, item.extensions, path)
    return said


def _wire_item(losing: AnswerLosses, item: WireItem, path: str) -> Said:
    called = item.payload.get("function_call")
    if item.protocol is Protocol.CHAT and isinstance(called, dict):
        said = Said("legacy")
        said.extras["function_call"] = called
        return said
    kept = any(extension.path == "answer.kept_event" for extension in item.extensions)
    losing.lose("answer.kept_event" if kept else "answer.wire_item", path)
    return Said("nothing")


def _carried(losing: AnswerLosses, said: Said, extensions: Iterable[Extension], path: str) -> None:
    for extension in extensions:
        carried = extension.path
        if carried in _IDENTITIES:
            continue
        if extension.protocol is not Protocol.CHAT:
            losing.lose("answer.extensions", path)
        elif carried in SEALED_EXTENSIONS or carried.startswith("answer.tool_calls."):
            said.extras[carried.rpartition(".")[2]] = extension.value
        elif carried.startswith("answer."):
            said.extras[carried.removeprefix("answer.")] = extension.value

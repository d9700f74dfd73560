"""Items to content blocks: the same for streams and for bodies.

Rules:
1. What this wire sealed or kept goes out as it came; what another wire did is left out by name.
2. No block is empty, and no signature is made up: unsigned thinking has the empty one.
3. A call's arguments are written as they were spelled; they are an object.
"""

from __future__ import annotations

from typing import assert_never

from llm_projections import _json
from llm_projections._json import Json
from llm_projections._values import define, field
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.items import (
    AssistantMessage,
    CustomToolCall,
    Extension,
    Instruction,
    Item,
    Opaque,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
    WirePart,
)
from llm_projections.wires._answers import AnswerLosses, unsayable
from llm_projections.wires._depth import TOO_DEEP, WRITTEN_DEPTH
from llm_projections.wires.messages.vocab_answer import CITATIONS, KEPT_EVENT

__all__ = [
    "Block",
    "citations",
    "item_blocks",
    "late_keys",
    "marks",
    "object_arguments",
    "too_many_items",
]

_CARRIED = "messages.content."
_ANSWER = "answer."
_DELTA = "answer.delta"
# names that another wire gives its own items: nothing is lost without them (docs/decisions.md)
_IDENTITIES = frozenset({"input.id"})


@define
class Block:
    """A content block. `payload` is whole but for a call's input, whose JSON text is `arguments`.

    `beside` is what a stream says at its end of a block whose payload is not ours to add to.
    """

    payload: dict[str, Json]
    arguments: str | None = None
    deltas: list[Json] = field(factory=list[Json])
    beside: dict[str, Json] = field(factory=dict[str, Json])

    def whole(self) -> dict[str, Json]:
        """The block as it stands in a body."""
        if self.arguments is None:
            return self.payload
        return {**self.payload, "input": _json.RawJson(self.arguments or "{}")}


def item_blocks(item: Item, path: str, losses: AnswerLosses, display: str | None) -> list[Block]:
    """The blocks that say an item.

    `display` is how much thinking the client wants. Raises `ResponseRefused` for what this wire cannot hold and the
    caller did not accept the loss of.
    """
    match item:
        case AssistantMessage():
            return _message(item, path, losses)
        case Reasoning():
            return _reasoning(item, path, losses, display)
        case Opaque() | UnattributedOpaque():
            return _opaque(item, path, losses, display)
        case ToolCall():
            return [_call(item, path, losses)]
        case CustomToolCall():
            losses.lose("answer.custom_tool_call", path)
            return []
        case WireItem():
            return _wire_item(item, path, losses)
        case UserMessage() | Instruction() | ToolResult():
            raise unsayable("an item that only a caller may write", path)
        case _:
            assert_never(item)


def marks(
    extensions: tuple[Extension, ...], path: str, losses: AnswerLosses
) -> tuple[dict[str, Json], list[Json]]:
    """The fields that a block's extensions add to it, and the deltas kept among them."""
    fields: dict[str, Json] = {}
    deltas: list[Json] = []
    for extension in extensions:
        name = extension.path
        if extension.protocol is not Protocol.MESSAGES:
            if name == "input.summary":
                losses.lose("answer.reasoning.summary", path)
            elif name not in _IDENTITIES:
                losses.leave(extension, path)
        elif name == _DELTA:
            deltas.append(extension.value)
        elif name.startswith(_ANSWER):
            fields[name.removeprefix(_ANSWER)] = extension.value
        elif name.startswith(_CARRIED):
            fields[name.removeprefix(_CARRIED)] = extension.value
        else:
            losses.lose("answer.extensions", path)
    return fields, deltas


def citations(text: Text, path: str, losses: AnswerLosses) -> list[Json]:
    """The citation objects of a text that this wire made itself."""
    found: list[Json] = []
    for annotation in text.annotations:
        if annotation.protocol is Protocol.MESSAGES and annotation.path == CITATIONS:
            found.append(annotation.value)
        else:
            losses.lose("answer.annotations", path)
    return found


def object_arguments(arguments: str, path: str) -> str:
    """The arguments of a call, empty where they say nothing.

    Raises `ResponseRefused` for anything that is not a JSON object: the official clients parse it.
    """
    if not arguments or arguments.isspace():
        return ""
    if not _json.is_object(arguments):
        if _json.nests_past(arguments, WRITTEN_DEPTH):
            raise unsayable(TOO_DEEP, f"{path}.arguments", RefusalCode.TOO_LARGE)
        raise unsayable("the arguments of a call are not a JSON object", f"{path}.arguments")
    return arguments


def too_many_items() -> ResponseRefused:
    """The refusal of an answer past `Limits.items`."""
    return ResponseRefused(
        RefusalCode.TOO_LARGE, "past the limit items", "items", dispatch=Dispatch.ACCEPTED
    )


def late_keys(payload: dict[str, Json], known: frozenset[str]) -> dict[str, Json]:
    """What of a block its start, already written, did not hold."""
    return {key: value for key, value in payload.items() if key not in known}


def _message(item: AssistantMessage, path: str, losses: AnswerLosses) -> list[Block]:
    blocks: list[Block] = []
    for position, part in enumerate(item.content):
        place = f"{path}.content[{position}]"
        match part:
            case Text() | RefusalText():
                cited = citations(part, place, losses) if isinstance(part, Text) else []
                fields, deltas = marks(part.extensions, place, losses)
                if not (part.text or cited or fields or deltas):
                    continue
                payload: dict[str, Json] = {"type": "text", "text": part.text}
                if cited:
                    payload["citations"] = cited
                blocks.append(Block({**payload, **fields}, None, deltas))
            case WirePart():
                if part.protocol is Protocol.MESSAGES:
                    blocks.append(Block(part.payload))
                else:
                    losses.lose("answer.wire_part", place)
            case _:
                assert_never(part)
    fields, deltas = marks(item.extensions, path, losses)
    if (fields or deltas) and blocks:
        blocks[-1].payload.update(fields)
        blocks[-1].deltas += deltas
    return blocks


def _reasoning(
    item: Reasoning, path: str, losses: AnswerLosses, display: str | None
) -> list[Block]:
    if display == "omitted":
        losses.lose("answer.reasoning", path, "the client asked for no unsigned thinking")
        return []
    fields, deltas = marks(item.extensions, path, losses)
    if not (item.text or fields or deltas):
        return []
    payload: dict[str, Json] = {"type": "thinking", "thinking": item.text, "signature": ""}
    return [Block({**payload, **fields}, None, deltas)]


def _opaque(
    item: Opaque | UnattributedOpaque, path: str, losses: AnswerLosses, display: str | None
) -> list[Block]:
    if item.protocol is not Protocol.MESSAGES:
        losses.lose("answer.opaque", path, "sealed state of another wire")
        text = Reasoning(item.text or "", True)
        return _reasoning(text, path, losses, display) if item.text else []
    fields, deltas = marks(item.extensions, path, losses)
    payload = item.payload
    if display == "omitted" and payload.get("thinking"):
        payload = {**payload, "thinking": ""}
    return [Block(payload, None, deltas, fields)]


def _call(item: ToolCall, path: str, losses: AnswerLosses) -> Block:
    fields, deltas = marks(item.extensions, path, losses)
    payload: dict[str, Json] = {
        "type": "tool_use",
        "id": item.call_id,
        "name": item.name,
        "input": {},
        **fields,
    }
    return Block(payload, object_arguments(item.arguments, path), deltas)


def _wire_item(item: WireItem, path: str, losses: AnswerLosses) -> list[Block]:
    kept = any(extension.path == KEPT_EVENT for extension in item.extensions)
    if item.protocol is not Protocol.MESSAGES:
        losses.lose("answer.kept_event" if kept else "answer.wire_item", path)
        return []
    if kept:
        return []
    fields, deltas = marks(item.extensions, path, losses)
    return [Block(item.payload, None, deltas, fields)]

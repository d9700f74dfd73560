"""What the model did in one turn as one `assistant` message.

A message holds reasoning, then what was said, then calls. Where the items stand in another order, or something of
theirs has to be joined, that is a loss of its own name.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
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
from llm_projections.wires._envelope import is_plain
from llm_projections.wires._reading import Path
from llm_projections.wires._writing import Writer, nest
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat.project.parts import write_content

__all__ = ["Assistant", "legacy_call"]

_SAID, _CALLED = 1, 2
_PREFIX = "messages."
_CALL_PREFIX = "messages.tool_calls."
_FUNCTION_CALL = "function_call"


class Assistant:
    """One message, written from the items of one turn of the model."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._stage = 0
        self._parts: list[Text | RefusalText | WirePart] = []
        self._heard = False
        self._place: Path = ()
        self._reasoning: dict[str, str] = {}
        self._details: list[Any] = []
        self._annotations: list[Any] = []
        self._calls: list[dict[str, Any]] = []
        self._carried: dict[str, Any] = {}

    def write(self, group: tuple[Item, ...], start: int) -> dict[str, Any]:
        """The message; `start` is the place of the first item in the turn."""
        for position, item in enumerate(group, start):
            path = ("items", position)
            if isinstance(item, ToolCall):
                self._call(item, path)
            elif isinstance(item, AssistantMessage):
                self._message(item, path)
            elif isinstance(item, CustomToolCall):
                self._custom(item, path)
            elif isinstance(item, Reasoning):
                self._reason(item, path)
            elif isinstance(item, Opaque | UnattributedOpaque):
                self._opaque(item, path)
            elif isinstance(item, WireItem):
                self._legacy(item, path)
        return self._assembled()

    def _assembled(self) -> dict[str, Any]:
        parts = self._parts
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if parts:
            last = parts[-1]
            if (
                type(last) is RefusalText
                and not last.extensions
                and not any(type(part) is RefusalText for part in parts[:-1])
            ):
                parts = parts[:-1]
                message["refusal"] = last.text
        content = write_content(self._writer, parts, self._place)
        if content or not (self._calls or self._carried or "refusal" in message):
            message["content"] = content
        if self._annotations:
            message["annotations"] = self._annotations
        message.update(self._reasoning)
        if self._details:
            message[vocab.DETAILS] = self._details
        if self._calls:
            message["tool_calls"] = self._calls
        message.update(self._carried)
        return message

    def _in_order(self, stage: int, path: Path) -> None:
        if stage < self._stage:
            self._writer.lose(
                "chat.assistant.reordered",
                path,
                "a message of this wire holds reasoning, then text, then calls",
            )
        else:
            self._stage = stage

    # items

    def _message(self, item: AssistantMessage, path: Path) -> None:
        writer = self._writer
        self._in_order(_SAID, path)
        content = item.content
        if self._heard and self._parts and content:
            writer.lose("chat.assistant.merged", path, "one message holds all that was said")
            content = self._joined(content)
        else:
            self._place = path
        self._heard = True
        for place, part in enumerate(content):
            if type(part) is Text and part.annotations:
                self._annotate(part.annotations, (*path, "content", place, "annotations"))
                part = evolve(part, annotations=())
            self._parts.append(part)
        if item.extensions:
            self._extend(item.extensions, path)

    def _joined(
        self, content: tuple[Text | RefusalText | WirePart, ...]
    ) -> tuple[Text | RefusalText | WirePart, ...]:
        """What is still to be added of `content` after a newline: two plain texts become one."""
        last, first = self._parts[-1], content[0]
        if isinstance(last, Text) and isinstance(first, Text) and is_plain((last, first)):
            self._parts[-1] = Text(f"{last.text}\n{first.text}")
            return content[1:]
        return (Text("\n"), *content)

    def _annotate(self, annotations: tuple[Extension, ...], path: Path) -> None:
        writer = self._writer
        if all(writer.takes(found.protocol, found.path) for found in annotations):
            writer.carried = True
            self._annotations += [found.value for found in annotations]
        else:
            writer.lose("turn.annotations", path)

    def _extend(self, extensions: tuple[Extension, ...], path: Path) -> None:
        """Extensions of the whole message, whichever item holds them."""
        own: list[Extension] = []
        for found in extensions:
            if found.path == vocab.ANNOTATIONS:
                self._annotate((found,), (*path, "annotations"))
            elif found.path != vocab.APART:
                own.append(found)
        if own:
            self._writer.carry(tuple(own), _PREFIX, self._carried, path)

    def _reason(self, item: Reasoning, path: Path) -> None:
        writer = self._writer
        self._in_order(0, path)
        fields: list[str] = []
        others: list[Extension] = []
        for found in item.extensions:
            field = vocab.REASONING_FIELDS.get(found.path)
            if field is None or found.protocol is not Protocol.CHAT:
                others.append(found)
            elif writer.takes(found.protocol, found.path):
                fields.append(field)
        if not fields and writer.dialect.reasoning_field is not None:
            fields.append(writer.dialect.reasoning_field)
        # another vendor's summary would pass for the reasoning itself here
        if not fields or item.summary:
            writer.lose("turn.reasoning", path)
            return
        if others:
            self._extend(tuple(others), path)
        for field in fields:
            before = self._reasoning.get(field)
            if before is None:
                self._reasoning[field] = item.text
            else:
                writer.lose("chat.reasoning.merged", path, "a message has one field for it")
                self._reasoning[field] = f"{before}\n\n{item.text}"

    def _opaque(self, item: Opaque | UnattributedOpaque, path: Path) -> None:
        # a field of the message, which has no order to what it says: a server may send it last
        writer = self._writer
        payload = writer.opaque(item, path)
        if payload is None:
            return
        details = payload.get(vocab.DETAILS)
        if not writer.dialect.reasoning_details or not isinstance(details, list):
            writer.lose("turn.opaque", path, "this server has no place for sealed reasoning")
            return
        self._details += details
        self._extend(item.extensions, path)

    def _call(self, item: ToolCall, path: Path) -> None:
        self._stage = _CALLED
        call: dict[str, Any] = {
            "id": item.call_id,
            "type": "function",
            "function": {"name": item.name, "arguments": item.arguments or "{}"},
        }
        if item.extensions:
            self._extend_call(item.extensions, call, path)
        if item.cache is not None:
            self._writer.lose("turn.cache", (*path, "cache"))
        self._calls.append(call)

    def _custom(self, item: CustomToolCall, path: Path) -> None:
        writer = self._writer
        self._stage = _CALLED
        if not writer.able.custom_tools:
            # left out, its result would answer nothing
            writer.refuse(
                path, "the binding does not declare custom tools", RefusalCode.UNSUPPORTED
            )
        call: dict[str, Any] = {
            "id": item.call_id,
            "type": "custom",
            "custom": {"name": item.name, "input": item.input},
        }
        if item.extensions:
            self._extend_call(item.extensions, call, path)
        if item.cache is not None:
            writer.lose("turn.cache", (*path, "cache"))
        self._calls.append(call)

    def _legacy(self, item: WireItem, path: Path) -> None:
        called = Extension(Protocol.CHAT, f"{_PREFIX}{_FUNCTION_CALL}", legacy_call(item))
        self._stage = _CALLED
        self._extend((called, *item.extensions), path)

    def _extend_call(
        self, extensions: tuple[Extension, ...], call: dict[str, Any], path: Path
    ) -> None:
        writer = self._writer
        own: list[Extension] = []
        for found in extensions:
            if found.path in SEALED_EXTENSIONS and self._has_place(found):
                if found.provenance == writer.binding.provenance:
                    writer.carried = True
                    if not nest(call, found.path.removeprefix(_CALL_PREFIX), found.value):
                        writer.refuse((*path, "extensions"), "two values of one place")
                elif found.provenance is None:
                    writer.lose("turn.opaque.unattributed", path, "nobody has attributed it")
                else:
                    writer.lose("turn.opaque", path, "opaque state of another binding")
            elif found.path != vocab.APART:
                own.append(found)
        if own:
            writer.carry(tuple(own), _CALL_PREFIX, call, path)

    def _has_place(self, found: Extension) -> bool:
        return found.protocol is Protocol.CHAT and (
            self._writer.dialect.extra_content or self._writer.takes(found.protocol, found.path)
        )


def legacy_call(item: WireItem) -> Json:
    """The `function_call` of old that an answer gave as an item of its own; None where it is something else."""
    return item.payload.get(_FUNCTION_CALL) if item.protocol is Protocol.CHAT else None

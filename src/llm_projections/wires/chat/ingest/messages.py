"""The messages of a Chat body: instructions and items.

An assistant message gives, in this order: what it reasoned, what it said (if anything), its calls. One that directly
follows another assistant message is marked by the extension `messages.apart`, so that the two stay two here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from attrs import evolve

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Instruction,
    Item,
    Protocol,
    Reasoning,
    RefusalText,
    Text,
    ToolResult,
    UnattributedOpaque,
    UserMessage,
    WireItem,
)
from llm_projections.wires import _envelope
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat.ingest.calls import read_calls
from llm_projections.wires.chat.ingest.parts import read_parts
from llm_projections.wires.chat.ingest.plain import Lane
from llm_projections.wires.chat.subset import HARMLESS, TABLE

__all__ = ["Messages"]

_PLAIN = frozenset({"role", "content"})
_CALLING = frozenset({"role", "content", "tool_calls"})
_ASSISTANT = _CALLING | {
    "refusal",
    "annotations",
    "reasoning_content",
    "reasoning",
    vocab.DETAILS,
}
_TOOL = frozenset({"role", "content", "tool_call_id"})
_APART = Extension(Protocol.CHAT, vocab.APART, True)
_NONE: tuple[Extension, ...] = ()
_MISSING: list[Json] = []

_Message = dict[str, Json]


class Messages:
    """The messages of one body, read in order."""

    def __init__(self, reader: Reader, *, envelopes: bool) -> None:
        self.items: list[Item] = []
        self.instructions: list[Instruction] = []
        self._reader = reader
        self._envelopes = envelopes
        self._leading = True
        self._roles: set[str] = set()
        self._after_assistant = False
        self._custom: set[str] = set()
        self._waiting: set[str] = set()
        self._held: list[Item] = []
        self._lane = Lane(self.items, self._waiting, self._custom)
        self.in_order: bool = False
        """Whether the items are plainly in order, once they are read; lengths are not looked at."""
        self._readers: dict[str, Callable[[_Message, int], None]] = {
            "system": self._instruction,
            "developer": self._instruction,
            "user": self._user,
            "assistant": self._assistant,
            "tool": self._tool,
            "function": self._function,
        }

    def read(self, messages: list[Json] | None) -> None:
        """Read every message."""
        messages = self._reader.required(messages, ("messages",), _MISSING)
        if messages is _MISSING:
            return
        if not messages:
            self._reader.refuse(("messages",), "needs at least one message")
        lane, items = self._lane, self.items
        position, end = 0, len(messages)
        while position < end:
            if not self._held:
                reached = lane.read(messages, position, after_assistant=self._after_assistant)
                if reached > position:
                    self._leading = False
                    self._after_assistant = type(items[-1]) not in (UserMessage, ToolResult)
                    position = reached
                    if position == end:
                        break
            lane.leave()
            before = len(items)
            self._read(messages[position], position)
            lane.follow(items[before:])
            position += 1
        self.in_order = lane.in_order
        self._release()
        if len(self._roles) < 2:
            self._forget_role()

    def _read(self, message: Json, position: int) -> None:
        if not isinstance(message, dict):
            self._reader.refuse(("messages", position), "must be an object")
            return
        role = message.get("role")
        read = self._readers.get(role) if isinstance(role, str) else None
        if read is None:
            self._no_role(role, position)
        else:
            read(message, position)
            self._after_assistant = role == "assistant"

    def sources(self, messages: Iterable[Json]) -> list[int]:
        """Which message each item comes in. For a body that was read before and found sound."""
        found: list[int] = []
        for position, message in enumerate(messages):
            if isinstance(message, dict):
                self._readers[str(message["role"])](message, position)
                found += [position] * (len(self.items) - len(found))
        held = len(self._held)
        return found + [found[-1] if found else 0] * held

    def _no_role(self, role: Json, position: int) -> None:
        path = ("messages", position, "role")
        if role is None:
            self._reader.refuse(path, "is required")
        elif isinstance(role, str):
            self._reader.refuse(path, "not a published role", RefusalCode.UNSUPPORTED)
        else:
            self._reader.refuse(path, "must be a string")

    def _forget_role(self) -> None:
        """One role in a whole body says nothing: which of the two is written is the target's habit."""
        self.instructions = [evolve(found, role=None) for found in self.instructions]
        for position, item in enumerate(self.items):
            if type(item) is Instruction:
                self.items[position] = evolve(item, role=None)

    # one message each

    def _instruction(self, message: _Message, position: int) -> None:
        role: Literal["system", "developer"] = (
            "developer" if message["role"] == "developer" else "system"
        )
        self._roles.add(role)
        extensions = (
            () if message.keys() <= _PLAIN else self._extras(message, position, role, _PLAIN)
        )
        found = Instruction(self._content(message, position, role), role, extensions)
        if self._leading:
            self.instructions.append(found)
        else:
            self._append_between(found, position)

    def _user(self, message: _Message, position: int) -> None:
        self._leading = False
        extensions = (
            () if message.keys() <= _PLAIN else self._extras(message, position, "user", _PLAIN)
        )
        found = UserMessage(self._content(message, position, "user"), extensions)
        self._append_between(found, position)

    def _append_between(self, found: Item, position: int) -> None:
        if not self._waiting:
            self.items.append(found)
            return
        # the vendor's own server turns this down (400: tool_call_ids did not have response messages)
        self._reader.lose(
            "chat.text_before_result",
            ("messages", position),
            "stands between a call and its result",
        )
        self._held.append(found)

    def _release(self) -> None:
        self._waiting.clear()
        if self._held:
            self.items += self._held
            self._held.clear()

    def _assistant(self, message: _Message, position: int) -> None:
        self._leading = False
        self._release()
        items = self.items
        first = len(items)
        extensions = _NONE
        annotations: tuple[Extension, ...] = ()
        refusal = None
        if not message.keys() <= _CALLING:
            extensions = self._extras(message, position, "assistant", _ASSISTANT)
            self._reasoning(message, position)
            annotations = self._annotations(message, position)
            refusal = self._reader.string(message, "refusal", ("messages", position))
        content = message.get("content")
        parts: tuple[Text | RefusalText, ...] = ()
        if type(content) is str:
            parts = (Text(content),) if content else ()
        elif content is not None:
            parts = self._content(message, position, "assistant")
        if refusal is not None:
            parts = (*parts, RefusalText(refusal))
        if annotations:
            parts, extensions = _annotate(parts, annotations, extensions)
        calls = message.get("tool_calls")
        if parts or extensions or (not calls and len(items) == first):
            items.append(AssistantMessage(parts, extensions))
        if calls is not None:
            read_calls(self._reader, calls, position, items, self._custom, self._waiting)
        if self._after_assistant and len(items) > first:
            items[first] = evolve(items[first], extensions=(_APART, *items[first].extensions))

    def _reasoning(self, message: _Message, position: int) -> None:
        path = ("messages", position)
        content = self._reader.string(message, "reasoning_content", path)
        plain = self._reader.string(message, "reasoning", path)
        if content is not None:
            memory = tuple(
                Extension(Protocol.CHAT, name, True)
                for name, field in vocab.REASONING_FIELDS.items()
                if field == "reasoning_content" or plain == content
            )
            self.items.append(Reasoning(content, False, memory))
        if plain is not None and plain != content:
            memory = (Extension(Protocol.CHAT, "messages.reasoning", True),)
            self.items.append(Reasoning(plain, False, memory))
        details = self._reader.array(message, vocab.DETAILS, path)
        if details:
            readable = _readable(details)
            self.items.append(UnattributedOpaque(Protocol.CHAT, {vocab.DETAILS: details}, readable))

    def _annotations(self, message: _Message, position: int) -> tuple[Extension, ...]:
        found = self._reader.array(message, "annotations", ("messages", position))
        if not found:
            return ()
        return tuple(Extension(Protocol.CHAT, vocab.ANNOTATIONS, value) for value in found)

    def _tool(self, message: _Message, position: int) -> None:
        self._leading = False
        reader = self._reader
        path: Path = ("messages", position)
        extensions = (
            () if message.keys() <= _TOOL else self._extras(message, position, "tool", _TOOL)
        )
        call_id = message.get("tool_call_id")
        if type(call_id) is not str:
            found = reader.string(message, "tool_call_id", path)
            call_id = reader.required(found, (*path, "tool_call_id"), "")
        content = message.get("content")
        parts: tuple[Any, ...]
        if type(content) is str:
            parts = (Text(content),) if content else ()
        else:
            parts = self._content(message, position, "tool")
        failed = None
        if parts and type(parts[0]) is Text and parts[0].text[:1] == "{" and self._envelopes:
            parts, failed = _opened(parts)
        self.items.append(
            ToolResult(call_id, parts, failed, call_id in self._custom, None, extensions)
        )
        self._waiting.discard(call_id)
        if self._held and not self._waiting:
            self._release()

    def _function(self, message: _Message, position: int) -> None:
        # an instruction after it stays there: these are carried where they stand, and nothing passes them
        self._leading = False
        self._append_between(WireItem(Protocol.CHAT, message, None, "result"), position)

    # what messages share

    def _extras(
        self, message: _Message, position: int, role: str, known: frozenset[str]
    ) -> tuple[Extension, ...]:
        fields = TABLE.fields(f"request.messages[]<{role}>")
        found = self._reader.extras(message, ("messages", position), fields, known)
        return tuple(
            extension
            for extension in found
            if extension.path not in HARMLESS or extension.value != HARMLESS[extension.path]
        )

    def _content(self, message: _Message, position: int, role: str) -> tuple[Any, ...]:
        """Content that is a string or a list of parts; only an assistant may leave it out."""
        content = message.get("content")
        if type(content) is str:
            return (Text(content),) if content else ()
        path = ("messages", position, "content")
        if type(content) is list:
            at = f"request.messages[]<{role}>.content"
            return read_parts(self._reader, content, path, at)
        if content is None:
            self._reader.refuse(path, "is required")
        else:
            self._reader.refuse(path, "must be a string or a list of parts")
        return ()


def _annotate(
    parts: tuple[Text | RefusalText, ...],
    annotations: tuple[Extension, ...],
    extensions: tuple[Extension, ...],
) -> tuple[tuple[Text | RefusalText, ...], tuple[Extension, ...]]:
    """Annotations belong to the last text; to the message where it has none."""
    for position in range(len(parts) - 1, -1, -1):
        part = parts[position]
        if type(part) is Text:
            marked = evolve(part, annotations=annotations)
            return (*parts[:position], marked, *parts[position + 1 :]), extensions
    return parts, (*extensions, *annotations)


def _opened(parts: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool | None]:
    """A result out of our own failure envelope, and whether there was one."""
    first = parts[0]
    if len(parts) == 1:
        if _envelope.is_plain(parts):
            said = _envelope.read_error(first.text)
            if said is not None:
                return said, True
    elif _envelope.is_plain((first,)) and _envelope.read_head(first.text) is False:
        return parts[1:], True
    return parts, None


def _readable(details: list[Json]) -> str | None:
    """What a person may read of reasoning details (OpenRouter: `text` of a text, `summary` of a summary)."""
    texts: list[str] = []
    for entry in details:
        if isinstance(entry, dict):
            for key in ("text", "summary"):
                text = entry.get(key)
                if isinstance(text, str) and text:
                    texts.append(text)
    return "".join(texts) if texts else None

"""Whole content blocks to items: the same for streams and for bodies.

Rules:
1. A block is an item of its own; one that says nothing is none.
2. Sealed blocks and blocks without a neutral meaning are kept whole, key order included.
3. A field of a block that nobody publishes is kept as an extension, with one warning a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.model.items import (
    AssistantMessage,
    Extension,
    Item,
    Opaque,
    Protocol,
    Provenance,
    Reasoning,
    Text,
    ToolCall,
    WireItem,
)
from llm_projections.model.limits import Limits
from llm_projections.wires._types import LIST, TEXT, Types, mistyped
from llm_projections.wires.messages.vocab import is_sealed, sealed_text
from llm_projections.wires.messages.vocab_answer import (
    BLOCK_KEYS,
    CARRIED_BLOCK_KEYS,
    CITATIONS,
    DIRECT,
    WIRE_BLOCKS,
)

__all__ = ["Block", "BlockReader", "Warn", "broken", "check", "too_large", "word"]

Block = dict[str, Json]
Warn = Callable[[str, str], None]
"""Says that something was odd: a code and a fixed text."""

_NONE: frozenset[str] = frozenset()
_TYPES: Mapping[str, Types] = {
    "text": {"text": TEXT, "citations": LIST},
    "thinking": {"thinking": TEXT, "signature": TEXT},
}


def broken(message: str, path: str = "") -> ResponseRefused:
    """The refusal of an answer that is not this wire's."""
    return ResponseRefused(RefusalCode.PROTOCOL, message, path, dispatch=Dispatch.ACCEPTED)


def check(node: Mapping[str, Json], types: Types, path: str = "") -> None:
    """Refuse what has another type than its place may have."""
    key = mistyped(node, types)
    if key is not None:
        path = f"{path}.{key}" if path else key
        raise broken("a value of a type that nobody publishes", path)


def too_large(limit: str) -> ResponseRefused:
    """The refusal of an answer past one of `Limits`."""
    return ResponseRefused(
        RefusalCode.TOO_LARGE, f"past the limit {limit}", dispatch=Dispatch.ACCEPTED
    )


def word(value: Json) -> str | None:
    """A string that says something."""
    return value if isinstance(value, str) and value else None


class BlockReader:
    """Reads blocks for one binding."""

    def __init__(
        self, provenance: Provenance, limits: Limits, warn: Warn, *, keeps_arguments: bool
    ) -> None:
        self._provenance = provenance
        self._limits = limits
        self._warn = warn
        self._keeps_arguments = keeps_arguments

    def item(
        self, block: Block, arguments: str, path: str, deltas: tuple[Extension, ...] = ()
    ) -> Item | None:
        """The item that a block is; `None` where it says nothing.

        `arguments` are a call's, `deltas` what was kept of unknown deltas. Raises `ResponseRefused` (PROTOCOL) for a
        call without id or name and a text that is no string.
        """
        self.check(block, path)
        match block.get("type"):
            case "text":
                return self._text(block, deltas)
            case "thinking":
                return self._thinking(block, deltas)
            case "redacted_thinking":
                return Opaque(self._provenance, block, None, deltas)
            case "compaction" if is_sealed(block):
                return Opaque(self._provenance, block, sealed_text(block), deltas)
            case "tool_use":
                return self._call(block, arguments, path, deltas)
            case kind:
                if not isinstance(kind, str) or kind not in WIRE_BLOCKS:
                    self._warn("unknown-output-item", "a block of an unpublished type was kept")
                return WireItem(Protocol.MESSAGES, block, extensions=deltas)

    def check(self, block: Block, path: str) -> None:
        """Raise `ResponseRefused` (PROTOCOL) for what a block says in another type than this wire's."""
        types = _TYPES.get(str(block.get("type")))
        if types is not None:
            check(block, types, path)

    def extras(self, block: Block) -> tuple[Extension, ...]:
        """The fields of a block that are neither its meaning nor null."""
        kind = str(block.get("type"))
        known = BLOCK_KEYS.get(kind, _NONE)
        if block.keys() <= known:
            return ()
        carried = CARRIED_BLOCK_KEYS.get(kind, _NONE)
        found: list[Extension] = []
        for key, value in block.items():
            if key in known or value is None or (key == "caller" and value == DIRECT):
                continue
            if key in carried:
                found.append(Extension(Protocol.MESSAGES, f"messages.content.{key}", value))
            else:
                self._warn("unknown-answer-field", "an unpublished field of the answer was kept")
                found.append(Extension(Protocol.MESSAGES, f"answer.{key}", value))
        return tuple(found)

    def call_words(self, block: Block, path: str) -> tuple[str, str]:
        """The id and the name of a call."""
        call_id, name = word(block.get("id")), word(block.get("name"))
        if call_id is None:
            raise broken("a call without an id", f"{path}.id")
        if name is None:
            raise broken("a call without a name", f"{path}.name")
        return call_id, name

    def arguments(self, text: str, path: str, *, unfinished: bool = False) -> str:
        """The arguments of a call; blank ones are the empty object.

        Those of a call that a limit cut off (`unfinished`) need not be whole.
        """
        if not text or text.isspace():
            return "{}"
        if len(text.encode()) > self._limits.arguments_bytes:
            raise too_large("arguments_bytes")
        if _json.nests_past(text, self._limits.json_depth):
            raise too_large("json_depth")
        if not _json.is_object(text):
            if unfinished:
                self._warn("unfinished-call", "the answer ended inside a call's arguments")
            elif self._keeps_arguments:
                self._warn("invalid-arguments", "the arguments of a call are not a JSON object")
            else:
                raise broken("the arguments of a call are not a JSON object", f"{path}.input")
        return text

    def _text(self, block: Block, deltas: tuple[Extension, ...]) -> Item | None:
        text = word(block.get("text")) or ""
        citations = block.get("citations")
        annotations: tuple[Extension, ...] = ()
        if isinstance(citations, list):
            annotations = tuple(Extension(Protocol.MESSAGES, CITATIONS, each) for each in citations)
        marks = self.extras(block) + deltas
        if not (text or annotations or marks):
            return None
        return AssistantMessage((Text(text, annotations, None, marks),))

    def _thinking(self, block: Block, deltas: tuple[Extension, ...]) -> Item | None:
        text = word(block.get("thinking")) or ""
        if block.get("signature"):
            return Opaque(self._provenance, block, text or None, deltas)
        marks = self.extras(block) + deltas
        return Reasoning(text, False, marks) if text or marks else None

    def _call(self, block: Block, arguments: str, path: str, deltas: tuple[Extension, ...]) -> Item:
        call_id, name = self.call_words(block, path)
        marks = self.extras(block) + deltas
        return ToolCall(call_id, name, arguments, None, marks)

"""What a conversation is made of: parts inside items, on no wire in particular.

Rules:
1. Every value is frozen, compares by value and has a hash. Carried JSON counts in comparing and not in the hash, since
   an object has none: values that differ in it alone have one hash.
2. Tool arguments and custom inputs are text, exactly as the model wrote them.
3. Sealed state (`Opaque`) knows where it came from; unsealed wire content without a neutral meaning (`WireItem`,
   `WirePart`, `Extension`) knows its wire. Neither is ever understood here, only carried.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from attrs import evolve

from llm_projections._json import Json
from llm_projections._values import field, frozen
from llm_projections.errors import RefusalCode, RequestRefused

__all__ = [
    "SEALED_EXTENSIONS",
    "AssistantMessage",
    "Audio",
    "CacheMark",
    "CustomToolCall",
    "DataSource",
    "Document",
    "Extension",
    "FileSource",
    "Image",
    "Instruction",
    "Item",
    "Opaque",
    "Part",
    "Protocol",
    "Provenance",
    "Reasoning",
    "RefusalText",
    "Text",
    "TextSource",
    "ToolCall",
    "ToolResult",
    "UnattributedOpaque",
    "UrlSource",
    "UserMessage",
    "WireItem",
    "WirePart",
    "bind_item",
]


SEALED_EXTENSIONS = frozenset({"messages.tool_calls.extra_content"})
"""Extension paths that hold sealed state on an item (a signature beside a call): bound and checked like `Opaque`."""


class Protocol(StrEnum):
    """One of the three wires."""

    CHAT = "chat-completions"
    """`{base}chat/completions`."""
    MESSAGES = "messages"
    """`{base}messages`."""
    RESPONSES = "responses"
    """`{base}responses`."""

    @property
    def short(self) -> str:
        """The name that begins a loss: `chat`, `messages` or `responses`."""
        return "chat" if self is Protocol.CHAT else self.value


@frozen
class Provenance:
    """The six coordinates that opaque state belongs to."""

    protocol: Protocol
    provider: str
    account: str
    endpoint: str
    model: str
    binding_revision: str


@frozen
class CacheMark:
    """A place up to which the prompt may be cached.

    `cache_control` on Messages (`ttl` "5m" or "1h"), `prompt_cache_breakpoint` on the OpenAI wires ("30m" or "12h").
    """

    ttl: str | None = None


@frozen
class Extension:
    """A known wire field with no neutral meaning, carried for its own wire.

    `path` is the spec path without indexes and variants (docs/architecture.md), such as `context_management`,
    `messages.name` or `header.anthropic-beta`.
    """

    protocol: Protocol
    path: str
    value: Json = field(hash=False)
    provenance: Provenance | None = None


@frozen
class UrlSource:
    """Content that the server fetches from a URL (a `data:` URL that is not base64 included)."""

    url: str


@frozen
class DataSource:
    """Content given inline as base64 text, exactly as spelled; `media_type` as the wire named it, if it did."""

    data: str = field(repr=False)
    media_type: str | None = None


@frozen
class TextSource:
    """A document given as plain text."""

    text: str = field(repr=False)
    media_type: str = "text/plain"


@frozen
class FileSource:
    """A file that the provider of this wire holds; its id means nothing anywhere else."""

    protocol: Protocol
    file_id: str


@frozen
class Text:
    """A piece of text.

    `annotations` are the wire's own citation objects, unread, each an `Extension`.
    """

    text: str
    annotations: tuple[Extension, ...] = ()
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class RefusalText:
    """The model's own words of refusal, where the wire keeps them apart from its text."""

    text: str
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class Image:
    """An image; `detail` is the asked resolution (`low`, `high`, `auto`, `original`) where it was given."""

    source: UrlSource | DataSource | FileSource
    detail: str | None = None
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class Document:
    """A document; `title` is what the wire calls it (`title` on Messages, `filename` on the OpenAI wires)."""

    source: UrlSource | DataSource | TextSource | FileSource
    title: str | None = None
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class Audio:
    """Audio input: base64 `data` in the named `format` (`wav`, `mp3`)."""

    data: str = field(repr=False)
    format: str
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class WirePart:
    """A content part that only its own wire can read, carried whole (its cache mark stays inside `payload`)."""

    protocol: Protocol
    payload: dict[str, Json] = field(hash=False)
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


Part = Text | RefusalText | Image | Document | Audio | WirePart
"""What stands inside an item."""


@frozen
class UserMessage:
    """What the user said."""

    content: tuple[Text | Image | Document | Audio | WirePart, ...]
    extensions: tuple[Extension, ...] = ()


@frozen
class AssistantMessage:
    """What the model said."""

    content: tuple[Text | RefusalText | WirePart, ...]
    extensions: tuple[Extension, ...] = ()


@frozen
class Instruction:
    """A system or developer message; `role` only where one body uses both."""

    content: tuple[Text | WirePart, ...]
    role: Literal["system", "developer"] | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class Reasoning:
    """Readable reasoning without continuation state: it cannot be continued from, only read.

    `summary` tells a summary from the raw text.
    """

    text: str
    summary: bool = False
    extensions: tuple[Extension, ...] = ()


@frozen
class ToolCall:
    """A call of a function tool. `arguments` is JSON text exactly as the model wrote it; `""` reads as `{}`."""

    call_id: str
    name: str
    arguments: str
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class CustomToolCall:
    """A call of a custom (free-form) tool; `input` is free text."""

    call_id: str
    name: str
    input: str
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class ToolResult:
    """What a tool answered.

    `failed` is three-valued: `True` and `False` were said by someone, `None` means that the wire had no word.
    `custom` says that it answers a custom tool call.
    """

    call_id: str
    content: tuple[Text | Image | Document | WirePart, ...]
    failed: bool | None = None
    custom: bool = False
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


@frozen
class Opaque:
    """Sealed state of one binding, carried whole; `text` is what a person may read of it."""

    provenance: Provenance
    payload: dict[str, Json] = field(repr=False, hash=False)
    text: str | None = None
    extensions: tuple[Extension, ...] = ()

    @property
    def protocol(self) -> Protocol:
        """The wire whose state it is."""
        return self.provenance.protocol


@frozen
class UnattributedOpaque:
    """Sealed state that arrived on ingress: nobody has said yet which binding it belongs to. Not sendable."""

    protocol: Protocol
    payload: dict[str, Json] = field(repr=False, hash=False)
    text: str | None = None
    extensions: tuple[Extension, ...] = ()

    def bind_unattributed(self, provenance: Provenance) -> Opaque:
        """The same state, attributed to `provenance`: the caller's explicit decision.

        Raises `RequestRefused` (INVALID_REQUEST) when `provenance` is of another protocol.
        """
        if provenance.protocol is not self.protocol:
            raise RequestRefused(
                RefusalCode.INVALID_REQUEST,
                "opaque state of one protocol cannot be bound to a binding of another",
            )
        return Opaque(provenance, self.payload, self.text, self.extensions)


@frozen
class WireItem:
    """An unsealed item that only its own wire can read: a hosted tool's call or result, an item reference, ...

    `role` is `call` only where the client must answer it, `result` for that answer, and `other` for everything that
    the provider runs itself; `call_id` ties the two.
    """

    protocol: Protocol
    payload: dict[str, Json] = field(hash=False)
    call_id: str | None = None
    role: Literal["call", "result", "other"] = "other"
    cache: CacheMark | None = None
    extensions: tuple[Extension, ...] = ()


Item = (
    UserMessage
    | AssistantMessage
    | Instruction
    | Reasoning
    | ToolCall
    | CustomToolCall
    | ToolResult
    | Opaque
    | UnattributedOpaque
    | WireItem
)
"""What a conversation is made of."""


def bind_item(item: Item, provenance: Provenance) -> Item:
    """`item` with its unattributed state bound to `provenance`, if it is of that protocol; otherwise unchanged."""
    if type(item) is UnattributedOpaque:
        return item.bind_unattributed(provenance) if item.protocol is provenance.protocol else item
    unbound = [
        extension
        for extension in item.extensions
        if extension.provenance is None and extension.path in SEALED_EXTENSIONS
    ]
    if not unbound or unbound[0].protocol is not provenance.protocol:
        return item
    return evolve(
        item,
        extensions=tuple(
            evolve(extension, provenance=provenance) if extension in unbound else extension
            for extension in item.extensions
        ),
    )

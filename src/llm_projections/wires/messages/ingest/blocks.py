"""The content blocks of a Messages body, one by one."""

from __future__ import annotations

from collections.abc import Callable

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import (
    DataSource,
    Document,
    Extension,
    FileSource,
    Image,
    Item,
    Protocol,
    Reasoning,
    Text,
    TextSource,
    ToolCall,
    ToolResult,
    UnattributedOpaque,
    UrlSource,
    WireItem,
    WirePart,
)
from llm_projections.wires._reading import Path
from llm_projections.wires._rows import Treat
from llm_projections.wires.messages.ingest.reader import MessagesReader
from llm_projections.wires.messages.subset import TABLE
from llm_projections.wires.messages.vocab import (
    DOCUMENT_TYPES,
    IMAGE_TYPES,
    TEXT_TYPES,
    UNSIGNED_MEMORY,
    is_sealed,
    sealed_text,
)

__all__ = ["read_said", "read_text", "read_tool_result", "read_user_part"]

_WIRE = Protocol.MESSAGES
_USER = "request.messages[]<user>.content[]"
_ASSISTANT = "request.messages[]<assistant>.content[]"
_RESULT = f"{_USER}<tool_result>"

_TEXT = frozenset({"type", "text", "citations", "cache_control"})
_CALL = frozenset({"type", "id", "name", "input", "cache_control"})
_RESULT_KEYS = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})
_THINKING = frozenset({"type", "thinking", "signature"})
_IMAGE = frozenset({"type", "source", "cache_control"})
_DOCUMENT = _IMAGE | {"title"}


def read_text(reader: MessagesReader, block: dict[str, Json], path: Path, at: str) -> Text:
    """A text block with its citations, each kept whole, and its mark; `at` is its place in the subset."""
    citations = reader.array(block, "citations", path) or ()
    annotations = tuple(
        Extension(_WIRE, "messages.content.citations", citation)
        for _, citation in reader.objects(citations, (*path, "citations"))
    )
    cache, scope = reader.mark(block, path)
    carried = reader.extras(block, path, TABLE.fields(at), _TEXT)
    text = reader.string(block, "text", path)
    if text is None:
        text = reader.required(text, (*path, "text"), "")
    return Text(text, annotations, cache, (*carried, *scope))


# what a user says


def read_user_part(
    reader: MessagesReader, block: dict[str, Json], path: Path
) -> Text | Image | Document | WirePart | None:
    """A block of a user message that is no tool result."""
    return _read_part(reader, block, path, _USER)


def read_tool_result(
    reader: MessagesReader, block: dict[str, Json], position: int, index: int
) -> ToolResult:
    """A tool result. Absent, null, empty text and an empty list are the same empty content."""
    call_id, content, failed = (
        block.get("tool_use_id"),
        block.get("content"),
        block.get("is_error"),
    )
    # what was found and the type are all that there is
    if type(call_id) is str and len(block) == (3 if failed is None else 4):
        said = _plain_text(content)
        if said is not None and (failed is None or type(failed) is bool):
            return ToolResult(call_id, said, failed)
    path: Path = ("messages", position, "content", index)
    cache, scope = reader.mark(block, path)
    return ToolResult(
        reader.required(reader.string(block, "tool_use_id", path), (*path, "tool_use_id"), ""),
        _result_content(reader, content, path),
        reader.boolean(block, "is_error", path),
        False,
        cache,
        (*reader.extras(block, path, TABLE.fields(_RESULT), _RESULT_KEYS), *scope),
    )


def _plain_text(content: Json) -> tuple[Text] | None:
    """A content that is one text with nothing beside it, which nearly every result is."""
    if type(content) is str:
        return (Text(content),) if content else None
    if type(content) is list and len(content) == 1:
        block = content[0]
        if (
            type(block) is dict
            and len(block) == 2
            and block.get("type") == "text"
            and type(text := block.get("text")) is str
        ):
            return (Text(text),)
    return None


def _result_content(
    reader: MessagesReader, content: Json, path: Path
) -> tuple[Text | Image | Document | WirePart, ...]:
    if not content and (content is None or content == ""):
        return ()
    if type(content) is str:
        return (Text(content),)
    at = (*path, "content")
    if type(content) is not list:
        reader.refuse(at, "must be a string or a list")
        return ()
    parts: list[Text | Image | Document | WirePart] = []
    for position, block in enumerate(content):
        if type(block) is not dict:
            reader.refuse((*at, position), "must be an object")
        else:
            part = _read_part(reader, block, (*at, position), f"{_RESULT}.content[]")
            if part is not None:
                parts.append(part)
    return tuple(parts)


def _read_part(
    reader: MessagesReader, block: dict[str, Json], path: Path, place: str
) -> Text | Image | Document | WirePart | None:
    kind = block.get("type")
    if kind == "text":
        return read_text(reader, block, path, f"{place}<text>")
    if kind == "image":
        return _read_image(reader, block, path, f"{place}<image>")
    if kind == "document":
        return _read_document(reader, block, path, f"{place}<document>")
    if kind == "compaction":
        reader.refuse(path, "only an assistant says it", RefusalCode.UNSUPPORTED)
        return None
    if _is_carried(reader, kind, path, place):
        return WirePart(_WIRE, reader.whole(block, path))
    return None


def _is_carried(reader: MessagesReader, kind: Json, path: Path, place: str) -> bool:
    """Whether a block of this type is carried whole; any other is refused."""
    if not isinstance(kind, str):
        reader.refuse((*path, "type"), "is required" if kind is None else "must be a string")
        return False
    row = TABLE.variant(place, kind)
    if row is not None and row.treat is Treat.CARRY:
        return True
    why = "not a published block" if row is None else row.neutral
    reader.refuse((*path, "type"), why, RefusalCode.UNSUPPORTED)
    return False


# images and documents


def _read_image(
    reader: MessagesReader, block: dict[str, Json], path: Path, at: str
) -> Image | None:
    source = _read_source(reader, block, path, at, IMAGE_TYPES)
    cache, scope = reader.mark(block, path)
    carried = (*reader.extras(block, path, TABLE.fields(at), _IMAGE), *scope)
    if source is None or isinstance(source, TextSource):
        return None
    return Image(source, None, cache, carried)


def _read_document(
    reader: MessagesReader, block: dict[str, Json], path: Path, at: str
) -> Document | WirePart | None:
    source = block.get("source")
    if isinstance(source, dict) and source.get("type") == "content":
        # made of blocks of its own: no neutral document is
        return WirePart(_WIRE, reader.whole(block, path))
    found = _read_source(reader, block, path, at, DOCUMENT_TYPES)
    cache, scope = reader.mark(block, path)
    carried = (*reader.extras(block, path, TABLE.fields(at), _DOCUMENT), *scope)
    title = reader.string(block, "title", path)
    return None if found is None else Document(found, title, cache, carried)


_NOTHING: dict[str, Json] = {}
Source = UrlSource | DataSource | TextSource | FileSource
_SOURCE_KEYS = {
    "base64": frozenset({"type", "data", "media_type"}),
    "text": frozenset({"type", "data", "media_type"}),
    "url": frozenset({"type", "url"}),
    "file": frozenset({"type", "file_id"}),
}


def _read_source(
    reader: MessagesReader, block: dict[str, Json], path: Path, at: str, types: frozenset[str]
) -> Source | None:
    node = reader.object(block, "source", path)
    inner = (*path, "source")
    if node is None:
        reader.required(node, inner, _NOTHING)
        return None
    kind = node.get("type")
    if not isinstance(kind, str) or TABLE.variant(f"{at}.source", kind) is None:
        reader.refuse((*inner, "type"), "not a published source", RefusalCode.UNSUPPORTED)
        return None
    keys = _SOURCE_KEYS[kind]
    reader.extras(node, inner, TABLE.fields(f"{at}.source<{kind}>"), keys)

    def member(key: str) -> str:
        return reader.required(reader.string(node, key, inner), (*inner, key), "")

    if kind == "url":
        return UrlSource(member("url"))
    if kind == "file":
        return FileSource(_WIRE, member("file_id"))
    allowed = TEXT_TYPES if kind == "text" else types
    media = reader.choice(node, "media_type", inner, allowed)
    if media is None and node.get("media_type") is None:
        reader.required(media, (*inner, "media_type"), "")
    if kind == "text":
        return TextSource(member("data"), media or "text/plain")
    return DataSource(member("data"), media)


# what an assistant says


def read_said(
    reader: MessagesReader, block: dict[str, Json], position: int, index: int
) -> Item | None:
    """A block of an assistant message that is no text."""
    kind = block.get("type")
    read = _SAID.get(kind) if type(kind) is str else None
    if read is not None:
        return read(reader, block, position, index)
    path: Path = ("messages", position, "content", index)
    if _is_carried(reader, kind, path, _ASSISTANT):
        return WireItem(_WIRE, reader.whole(block, path))
    return None


def _read_call(
    reader: MessagesReader, block: dict[str, Json], position: int, index: int
) -> ToolCall | None:
    path: Path = ("messages", position, "content", index)
    cache, scope = reader.mark(block, path)
    carried = reader.extras(block, path, TABLE.fields(f"{_ASSISTANT}<tool_use>"), _CALL)
    call_id, name, given = (
        reader.string(block, "id", path),
        reader.string(block, "name", path),
        reader.object(block, "input", path),
    )
    if call_id is not None and name is not None and given is not None:
        return ToolCall(call_id, name, reader.arguments(given), cache, (*carried, *scope))
    reader.required(call_id, (*path, "id"), "")
    reader.required(name, (*path, "name"), "")
    reader.required(given, (*path, "input"), _NOTHING)
    return None


def _read_thinking(
    reader: MessagesReader, block: dict[str, Json], position: int, index: int
) -> Item | None:
    path: Path = ("messages", position, "content", index)
    if block.get("cache_control") is not None:
        reader.refuse((*path, "cache_control"), "thinking holds no cache mark")
    text = reader.string(block, "thinking", path)
    if text is None:
        reader.required(text, (*path, "thinking"), "")
        return None
    if is_sealed(block):
        reader.string(block, "signature", path)
        return UnattributedOpaque(_WIRE, block, sealed_text(block))
    reader.string(block, "signature", path)
    reader.extras(block, path, TABLE.fields(f"{_ASSISTANT}<thinking>"), _THINKING)
    return Reasoning(text, False, (UNSIGNED_MEMORY,))


def _read_redacted(
    reader: MessagesReader, block: dict[str, Json], position: int, index: int
) -> Item | None:
    path: Path = ("messages", position, "content", index)
    if block.get("cache_control") is not None:
        reader.refuse((*path, "cache_control"), "thinking holds no cache mark")
    if reader.string(block, "data", path) is None:
        reader.required(reader.string(block, "data", path), (*path, "data"), "")
    return UnattributedOpaque(_WIRE, block, None)


def _read_compaction(
    reader: MessagesReader, block: dict[str, Json], position: int, index: int
) -> Item | None:
    whole = reader.whole(block, ("messages", position, "content", index))
    if is_sealed(whole):
        return UnattributedOpaque(_WIRE, whole, sealed_text(whole))
    return WireItem(_WIRE, whole)


_SAID: dict[str, Callable[[MessagesReader, dict[str, Json], int, int], Item | None]] = {
    "tool_use": _read_call,
    "thinking": _read_thinking,
    "redacted_thinking": _read_redacted,
    "compaction": _read_compaction,
}

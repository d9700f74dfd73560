"""The parts of items as content blocks, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from llm_projections.model.items import (
    Audio,
    DataSource,
    Document,
    Extension,
    FileSource,
    Image,
    Part,
    RefusalText,
    Text,
    TextSource,
    UrlSource,
    WirePart,
)
from llm_projections.wires._reading import Path
from llm_projections.wires.messages.project.writer import MessagesWriter
from llm_projections.wires.messages.vocab import DOCUMENT_TYPES, IMAGE_TYPES, TEXT_TYPES

__all__ = ["content_of", "is_plain", "write_parts", "write_text"]

Block = dict[str, Any]


def content_of(blocks: list[Block]) -> str | list[Block]:
    """The canonical spelling of content: a string for one plain text that is not empty, "" for none, else a list."""
    if not blocks:
        return ""
    if len(blocks) == 1:
        block = blocks[0]
        if block.get("type") == "text" and block.keys() == {"type", "text"} and block["text"]:
            text: str = block["text"]
            return text
    return blocks


def is_plain(part: Text) -> bool:
    """Whether a text is nothing but its text."""
    return part.cache is None and not (part.annotations or part.extensions)


def write_parts(
    writer: MessagesWriter, parts: Iterable[Part], path: Path, into: list[Block]
) -> None:
    """Write the parts of one owner, those left out that this wire cannot say."""
    for index, part in enumerate(parts):
        if type(part) is Text:
            if is_plain(part):
                into.append({"type": "text", "text": part.text})
            else:
                into.append(write_text(writer, part, (*path, "content", index)))
            continue
        block = _WRITE[type(part)](writer, part, (*path, "content", index))
        if block is not None:
            into.append(block)


def write_text(writer: MessagesWriter, part: Text, path: Path) -> Block:
    """A text block."""
    block: Block = {"type": "text", "text": part.text}
    citations = [_value(writer, annotation, path) for annotation in part.annotations]
    known = [citation for citation in citations if citation is not None]
    if known:
        block["citations"] = known
    return writer.close(block, part.cache, part.extensions, path)


def _value(writer: MessagesWriter, annotation: Extension, path: Path) -> Any:
    if annotation.protocol is writer.protocol:
        writer.watch(annotation.value)
        return annotation.value
    writer.lose("turn.annotations", (*path, "annotations"), "annotations of another wire")
    return None


def _write_refusal(writer: MessagesWriter, part: RefusalText, path: Path) -> Block | None:
    # what is lost is that it was a refusal; its words are said
    writer.lose("turn.refusal", path, "this wire has no refusals apart from texts")
    return writer.close({"type": "text", "text": part.text}, part.cache, part.extensions, path)


def _write_image(writer: MessagesWriter, part: Image, path: Path) -> Block | None:
    if not writer.declared(writer.able.images, "turn.images", path):
        return None
    source = _write_source(writer, part.source, IMAGE_TYPES, "image", path)
    if source is None:
        return None
    if part.detail is not None:
        writer.lose("turn.image.detail", (*path, "detail"))
    return writer.close({"type": "image", "source": source}, part.cache, part.extensions, path)


def _write_document(writer: MessagesWriter, part: Document, path: Path) -> Block | None:
    if not writer.declared(writer.able.documents, "turn.documents", path):
        return None
    source = _write_source(writer, part.source, DOCUMENT_TYPES, "document", path)
    if source is None:
        return None
    block: Block = {"type": "document", "source": source}
    if part.title is not None:
        block["title"] = part.title
    return writer.close(block, part.cache, part.extensions, path)


def _write_source(
    writer: MessagesWriter,
    source: UrlSource | DataSource | TextSource | FileSource,
    types: frozenset[str],
    kind: str,
    path: Path,
) -> Block | None:
    at, loss = (*path, "source"), f"turn.{kind}s"
    if isinstance(source, FileSource):
        if source.protocol is writer.protocol:
            return {"type": "file", "file_id": source.file_id}
        writer.lose(f"turn.{kind}.file", at, "a file of another provider")
        return None
    if isinstance(source, UrlSource):
        if not source.url.startswith("data:"):
            return {"type": "url", "url": source.url}
        writer.lose(loss, at, "data that is not base64")
        return None
    if isinstance(source, TextSource):
        if source.media_type in TEXT_TYPES:
            return {"type": "text", "media_type": source.media_type, "data": source.text}
    elif source.media_type in types:
        return {"type": "base64", "media_type": source.media_type, "data": source.data}
    writer.lose(loss, (*at, "media_type"), f"a media type that this wire does not take in {kind}s")
    return None


def _write_audio(writer: MessagesWriter, part: Audio, path: Path) -> Block | None:
    del part
    writer.lose("turn.audio", path)
    return None


def _write_carried(writer: MessagesWriter, part: WirePart, path: Path) -> Block | None:
    return writer.whole(part, "part", path)


_WRITE: dict[type, Callable[[MessagesWriter, Any, Path], Block | None]] = {
    RefusalText: _write_refusal,
    Image: _write_image,
    Document: _write_document,
    Audio: _write_audio,
    WirePart: _write_carried,
}

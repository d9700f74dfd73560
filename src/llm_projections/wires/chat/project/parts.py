"""Content parts of a turn as parts of Chat messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llm_projections.model.items import (
    Audio,
    CacheMark,
    DataSource,
    Document,
    FileSource,
    Image,
    Part,
    Protocol,
    RefusalText,
    Text,
    UrlSource,
    WirePart,
)
from llm_projections.wires._carried import carried_path
from llm_projections.wires._reading import Path
from llm_projections.wires._writing import Writer
from llm_projections.wires.chat import vocab

__all__ = ["write_content", "write_parts"]

_PREFIX = "messages.content."
_TEXT = {"type", "text"}
# A file by URL is OpenRouter's (openrouter.ai/docs, "PDF Inputs", read 2026-11): `file_data` holds the URL there.
_FILE_URL = "messages.content.file.file_url"


def write_content(writer: Writer, parts: Sequence[Part], path: Path) -> str | list[dict[str, Any]]:
    """One plain text as a string, nothing as the empty string, anything else as a list of parts.

    What counts is what is left of the parts.
    """
    if len(parts) == 1:
        part = parts[0]
        if (
            type(part) is Text
            and part.text
            and part.cache is None
            and not part.annotations
            and not part.extensions
        ):
            return part.text
    written = write_parts(writer, parts, path)
    if len(written) == 1 and written[0].keys() == _TEXT and written[0]["text"]:
        alone: str = written[0]["text"]
        return alone
    return written or ""


def write_parts(writer: Writer, parts: Sequence[Part], path: Path) -> list[dict[str, Any]]:
    """Every part that this wire and this binding can carry."""
    written: list[dict[str, Any]] = []
    for position, part in enumerate(parts):
        if (
            type(part) is Text
            and part.cache is None
            and not part.annotations
            and not part.extensions
        ):
            written.append({"type": "text", "text": part.text})
            continue
        place = (*path, "content", position)
        found = _WRITERS[type(part)](writer, part, place)
        if found is not None:
            if type(part) is not WirePart:
                _marked(writer, part.cache, found, place)
                if part.extensions:
                    writer.carry(part.extensions, _PREFIX, found, place)
            written.append(found)
    return written


def _marked(writer: Writer, cache: CacheMark | None, part: dict[str, Any], path: Path) -> None:
    cache = writer.mark(cache, path)
    if cache is None:
        return
    mark = {"mode": "explicit"}
    if cache.ttl in vocab.MARK_TTLS:
        mark["ttl"] = cache.ttl
    elif cache.ttl is not None:
        writer.lose("turn.cache.ttl", (*path, "cache", "ttl"), "not a lifetime of this wire")
    part["prompt_cache_breakpoint"] = mark


def _text(writer: Writer, part: Text, path: Path) -> dict[str, Any]:
    # annotations of an assistant's text are written on its message, and are gone from the part by now
    if part.annotations:
        writer.lose("turn.annotations", (*path, "annotations"))
    return {"type": "text", "text": part.text}


def _refusal(_writer: Writer, part: RefusalText, _path: Path) -> dict[str, Any]:
    return {"type": "refusal", "refusal": part.text}


def _image(writer: Writer, part: Image, path: Path) -> dict[str, Any] | None:
    if not writer.declared(writer.able.images, "turn.images", path):
        return None
    source = part.source
    if isinstance(source, FileSource):
        writer.lose("turn.image.file", (*path, "source"))
        return None
    if isinstance(source, DataSource):
        if source.media_type is None:
            writer.refuse((*path, "source", "media_type"), "is required on this wire")
        url = vocab.data_url(source)
    else:
        url = source.url
    image: dict[str, Any] = {"url": url}
    if part.detail is not None:
        image["detail"] = part.detail
    return {"type": "image_url", "image_url": image}


def _document(writer: Writer, part: Document, path: Path) -> dict[str, Any] | None:
    if not writer.declared(writer.able.documents, "turn.documents", path):
        return None
    source = part.source
    file: dict[str, Any]
    if isinstance(source, DataSource):
        file = {"file_data": source.data if source.media_type is None else vocab.data_url(source)}
    elif isinstance(source, FileSource) and source.protocol is Protocol.CHAT:
        file = {"file_id": source.file_id}
    elif isinstance(source, FileSource):
        writer.lose("turn.document.file", (*path, "source"), "a file that another provider holds")
        return None
    elif isinstance(source, UrlSource) and writer.takes(Protocol.CHAT, _FILE_URL):
        file = {"file_data": source.url}
    else:
        writer.lose("turn.documents", (*path, "source"), "this wire takes documents as base64 data")
        return None
    if part.title is not None:
        file["filename"] = part.title
    return {"type": "file", "file": file}


def _audio(writer: Writer, part: Audio, path: Path) -> dict[str, Any] | None:
    if not writer.declared(writer.able.audio, "turn.audio", path):
        return None
    return {"type": "input_audio", "input_audio": {"data": part.data, "format": part.format}}


def _wire_part(writer: Writer, part: WirePart, path: Path) -> dict[str, Any] | None:
    carried = carried_path(part.protocol, "part", part.payload)
    if writer.takes(part.protocol, carried):
        writer.carried = True
        return part.payload
    writer.lose(f"{part.protocol.short}.{carried}", path, "a part of another server")
    return None


_WRITERS: dict[type, Callable[[Writer, Any, Path], dict[str, Any] | None]] = {
    Text: _text,
    RefusalText: _refusal,
    Image: _image,
    Document: _document,
    Audio: _audio,
    WirePart: _wire_part,
}

"""Content to a string or to typed parts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from llm_projections.model.items import (
    Audio,
    CacheMark,
    DataSource,
    Document,
    FileSource,
    Image,
    Part,
    RefusalText,
    Text,
    TextSource,
    UrlSource,
    WirePart,
)
from llm_projections.wires._carried import carried_path
from llm_projections.wires._reading import Path
from llm_projections.wires.responses.project.writer import ResponsesWriter
from llm_projections.wires.responses.vocab import PROTOCOL, TTLS, data_url

__all__ = ["plain_text", "write_content", "write_parts", "write_said"]

_TEXT = {"type", "text"}


def plain_text(content: tuple[Part, ...]) -> str | None:
    """The content as the string that says all of it: nothing, or one text without anything beside."""
    if len(content) != 1:
        return None if content else ""
    part = content[0]
    if (
        type(part) is not Text
        or part.annotations
        or part.extensions
        or part.cache is not None
        or not part.text
    ):
        return None
    return part.text


def write_content(
    writer: ResponsesWriter, content: tuple[Part, ...], path: Path
) -> str | list[dict[str, Any]]:
    """Input parts; as a string where no more than one plain text is left of them."""
    written = write_parts(writer, content, path)
    if len(written) == 1 and written[0].keys() == _TEXT and written[0]["text"]:
        alone: str = written[0]["text"]
        return alone
    return written or ""


def write_parts(
    writer: ResponsesWriter, content: Iterable[Part], path: Path
) -> list[dict[str, Any]]:
    """Input parts: of a user's message, an instruction or a tool's output."""
    written: list[dict[str, Any]] = []
    for index, part in enumerate(content):
        at = (*path, "content", index)
        if isinstance(part, Text):
            node: dict[str, Any] | None = _text(writer, part, at)
        elif isinstance(part, Image):
            node = _image(writer, part, at)
        elif isinstance(part, Document):
            node = _file(writer, part, at)
        elif isinstance(part, Audio):
            node = _audio(writer, part, at)
        elif isinstance(part, WirePart):
            node = _carried(writer, part, at)
        else:
            writer.lose("turn.refusal", at, "only the assistant refuses on this wire")
            node = None
        if node is not None:
            written.append(node)
    return written


def write_said(
    writer: ResponsesWriter, content: tuple[Text | RefusalText | WirePart, ...], path: Path
) -> list[dict[str, Any]]:
    """Output parts: of an assistant's message."""
    written: list[dict[str, Any]] = []
    for index, part in enumerate(content):
        if type(part) is Text:
            node: dict[str, Any] = {"type": "output_text", "text": part.text}
            if part.annotations or part.cache is not None or part.extensions:
                _beside(writer, part, node, (*path, "content", index))
            written.append(node)
        elif isinstance(part, RefusalText):
            at = (*path, "content", index)
            node = {"type": "refusal", "refusal": part.text}
            _unmarkable(writer, part.cache, at)
            writer.carry(part.extensions, "input.content.", node, at)
            written.append(node)
        elif isinstance(part, WirePart):
            carried = _carried(writer, part, (*path, "content", index))
            if carried is not None:
                written.append(carried)
    return written


def _beside(writer: ResponsesWriter, part: Text, node: dict[str, Any], path: Path) -> None:
    kept = [note.value for note in part.annotations if note.protocol is PROTOCOL]
    if kept:
        writer.unread.extend(kept)
        node["annotations"] = kept
    if len(kept) < len(part.annotations):
        writer.lose("turn.annotations", path, "annotations of another wire")
    _unmarkable(writer, part.cache, path)
    writer.carry(part.extensions, "input.content.", node, path)


def _unmarkable(writer: ResponsesWriter, cache: CacheMark | None, path: Path) -> None:
    if cache is not None:
        writer.lose("turn.cache", (*path, "cache"), "only input parts are marked on this wire")


def _mark(
    writer: ResponsesWriter, cache: CacheMark | None, node: dict[str, Any], path: Path
) -> None:
    mark = writer.mark(cache, path)
    if mark is None:
        return
    node["prompt_cache_breakpoint"] = written = {"mode": "explicit"}
    if mark.ttl is None:
        return
    if mark.ttl in TTLS:
        written["ttl"] = mark.ttl
    else:
        writer.lose("turn.cache.ttl", (*path, "cache", "ttl"), "not a lifetime of this wire")


def _text(writer: ResponsesWriter, part: Text, path: Path) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "input_text", "text": part.text}
    if part.annotations:
        writer.lose("turn.annotations", path, "only the assistant's text has annotations")
    _mark(writer, part.cache, node, path)
    writer.carry(part.extensions, "input.content.", node, path)
    return node


def _image(writer: ResponsesWriter, part: Image, path: Path) -> dict[str, Any] | None:
    if not writer.declared(writer.able.images, "turn.images", path):
        return None
    node: dict[str, Any] = {"type": "input_image"}
    source = part.source
    if isinstance(source, FileSource):
        if source.protocol is not PROTOCOL:
            writer.lose("turn.image.file", path, "a file that another provider holds")
            return None
        node["file_id"] = source.file_id
    else:
        node["image_url"] = source.url if isinstance(source, UrlSource) else data_url(source)
    node["detail"] = part.detail or "auto"
    _mark(writer, part.cache, node, path)
    writer.carry(part.extensions, "input.content.", node, path)
    return node


def _file(writer: ResponsesWriter, part: Document, path: Path) -> dict[str, Any] | None:
    if not writer.declared(writer.able.documents, "turn.documents", path):
        return None
    node: dict[str, Any] = {"type": "input_file"}
    source = part.source
    if part.title is not None:
        node["filename"] = part.title
    if isinstance(source, FileSource):
        if source.protocol is not PROTOCOL:
            writer.lose("turn.document.file", path, "a file that another provider holds")
            return None
        node["file_id"] = source.file_id
    elif isinstance(source, UrlSource):
        # a `data:` URL that is not base64 is content, not a place to fetch from
        node["file_data" if source.url.startswith("data:") else "file_url"] = source.url
    elif isinstance(source, TextSource):
        text = b64encode(source.text.encode("utf-8", "surrogatepass")).decode()
        node["file_data"] = f"data:{source.media_type};base64,{text}"
    else:
        node["file_data"] = _file_data(source)
    _mark(writer, part.cache, node, path)
    writer.carry(part.extensions, "input.content.", node, path)
    return node


def _file_data(source: DataSource) -> str:
    return source.data if source.media_type is None else data_url(source)


def _audio(writer: ResponsesWriter, part: Audio, path: Path) -> dict[str, Any] | None:
    if not writer.declared(writer.able.audio, "turn.audio", path):
        return None
    node: dict[str, Any] = {
        "type": "input_audio",
        "input_audio": {"data": part.data, "format": part.format},
    }
    _unmarkable(writer, part.cache, path)
    writer.carry(part.extensions, "input.content.", node, path)
    return node


def _carried(writer: ResponsesWriter, part: WirePart, path: Path) -> dict[str, Any] | None:
    carried = carried_path(part.protocol, "part", part.payload)
    if writer.takes(part.protocol, carried):
        writer.unread.append(part.payload)
        return part.payload
    writer.lose(f"{part.protocol.short}.{carried}", path)
    return None

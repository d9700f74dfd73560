"""Content parts of Chat messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llm_projections._json import Json
from llm_projections.errors import RefusalCode
from llm_projections.model.items import (
    Audio,
    CacheMark,
    DataSource,
    Document,
    Extension,
    FileSource,
    Image,
    Protocol,
    RefusalText,
    Text,
    UrlSource,
    WirePart,
)
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires._rows import Treat
from llm_projections.wires.chat import vocab
from llm_projections.wires.chat.subset import TABLE

__all__ = ["read_parts"]

_UNSUPPORTED = RefusalCode.UNSUPPORTED
_MARK = "prompt_cache_breakpoint"
_TEXT = frozenset({"type", "text", _MARK})
_REFUSAL = frozenset({"type", "refusal"})
_IMAGE = frozenset({"type", "image_url", _MARK})
_IMAGE_URL = frozenset({"url", "detail"})
_FILE = frozenset({"type", "file", _MARK})
_FILE_KEYS = frozenset({"file_data", "file_id", "filename"})
_AUDIO = frozenset({"type", "input_audio", _MARK})
_AUDIO_KEYS = frozenset({"data", "format"})
_MARK_KEYS = frozenset({"mode", "ttl"})
_NO_FILE: dict[str, Json] = {"file_id": ""}

_Part = Mapping[str, Json]


def read_parts(reader: Reader, content: list[Json], path: Path, at: str) -> tuple[Any, ...]:
    """The parts of one message; `at` is the spec path of its content, which decides what may stand there."""
    parts: list[Any] = []
    for position, part in enumerate(content):
        if type(part) is not dict:
            reader.refuse((*path, position), "must be an object")
            continue
        kind = part.get("type")
        if kind == "text" and len(part) == 2:
            text = part.get("text")
            if type(text) is str:
                parts.append(Text(text))
                continue
        found = _read(reader, part, kind, (*path, position), at)
        if found is not None:
            parts.append(found)
    return tuple(parts)


def _read(reader: Reader, part: dict[str, Json], kind: Json, path: Path, at: str) -> Any:
    if not isinstance(kind, str):
        reader.refuse((*path, "type"), "must be a string" if kind is not None else "is required")
        return None
    row = TABLE.variant(f"{at}[]", kind)
    if row is None or "<" in kind:
        reader.refuse((*path, "type"), "not a published part here", _UNSUPPORTED)
        return None
    if row.treat is Treat.CARRY:
        return WirePart(Protocol.CHAT, part)
    return _READERS[kind](reader, part, path, f"{at}[]<{kind}>")


def _extras(
    reader: Reader, node: _Part, path: Path, at: str, known: frozenset[str]
) -> tuple[Extension, ...]:
    return () if node.keys() <= known else reader.extras(node, path, TABLE.fields(at), known)


def _mark(reader: Reader, part: _Part, path: Path) -> CacheMark | None:
    mark = reader.object(part, _MARK, path)
    if mark is None:
        return None
    path = (*path, _MARK)
    if not mark.keys() <= _MARK_KEYS:
        reader.extras(mark, path, {}, _MARK_KEYS)
    mode = reader.choice(mark, "mode", path, ("explicit",))
    reader.required(mode, (*path, "mode"), "")
    return CacheMark(reader.choice(mark, "ttl", path, vocab.MARK_TTLS))


def _text(reader: Reader, part: _Part, path: Path, at: str) -> Text:
    text = reader.required(reader.string(part, "text", path), (*path, "text"), "")
    extensions = _extras(reader, part, path, at, _TEXT)
    return Text(text, (), _mark(reader, part, path), extensions)


def _refusal(reader: Reader, part: _Part, path: Path, at: str) -> RefusalText:
    text = reader.required(reader.string(part, "refusal", path), (*path, "refusal"), "")
    return RefusalText(text, None, _extras(reader, part, path, at, _REFUSAL))


def _image(reader: Reader, part: _Part, path: Path, at: str) -> Image:
    extensions = _extras(reader, part, path, at, _IMAGE)
    inner = (*path, "image_url")
    given = part.get("image_url")
    image: dict[str, Json] = {"url": ""}
    # Mistral's own types have the URL alone here (ImageURLChunk, docs.mistral.ai, read 2026-11)
    if isinstance(given, str):
        image = {"url": given}
    elif isinstance(given, dict):
        image = given
    else:
        reader.refuse(inner, "is required" if given is None else "must be an object")
    extensions += _extras(reader, image, inner, f"{at}.image_url", _IMAGE_URL)
    url = reader.required(reader.string(image, "url", inner), (*inner, "url"), "")
    detail = reader.string(image, "detail", inner)
    return Image(vocab.source_of(url), detail, _mark(reader, part, path), extensions)


def _file(reader: Reader, part: _Part, path: Path, at: str) -> Document:
    extensions = _extras(reader, part, path, at, _FILE)
    inner = (*path, "file")
    file = reader.required(reader.object(part, "file", path), inner, _NO_FILE)
    extensions += _extras(reader, file, inner, f"{at}.file", _FILE_KEYS)
    data = reader.string(file, "file_data", inner)
    file_id = reader.string(file, "file_id", inner)
    source: FileSource | DataSource | UrlSource
    if (data is None) is (file_id is None):
        reader.refuse(inner, "needs either file_data or file_id")
        source = UrlSource("")
    elif file_id is not None:
        source = FileSource(Protocol.CHAT, file_id)
    else:
        source = _file_source(data or "")
    title = reader.string(file, "filename", inner)
    return Document(source, title, _mark(reader, part, path), extensions)


def _file_source(data: str) -> DataSource | UrlSource:
    if data.startswith(("http://", "https://", "data:")):
        return vocab.source_of(data)
    return DataSource(data)


def _audio(reader: Reader, part: _Part, path: Path, at: str) -> Audio:
    extensions = _extras(reader, part, path, at, _AUDIO)
    inner = (*path, "input_audio")
    audio = reader.required(reader.object(part, "input_audio", path), inner, {})
    extensions += _extras(reader, audio, inner, f"{at}.input_audio", _AUDIO_KEYS)
    data = reader.required(reader.string(audio, "data", inner), (*inner, "data"), "")
    form = reader.required(reader.string(audio, "format", inner), (*inner, "format"), "")
    return Audio(data, form, _mark(reader, part, path), extensions)


_READERS: dict[str, Callable[[Reader, _Part, Path, str], Any]] = {
    "text": _text,
    "refusal": _refusal,
    "image_url": _image,
    "file": _file,
    "input_audio": _audio,
}

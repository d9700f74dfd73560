"""Content: a string, or a list of typed parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

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
    RefusalText,
    Text,
    UrlSource,
    WirePart,
)
from llm_projections.wires._reading import Path, Reader
from llm_projections.wires.responses.subset import TABLE
from llm_projections.wires.responses.vocab import PROTOCOL, TTLS, read_url

__all__ = ["read_assistant", "read_instruction", "read_result", "read_user"]

_Node = dict[str, Json]
_Part = Text | RefusalText | Image | Document | Audio | WirePart
_P = TypeVar("_P", bound=_Part)
_Source = UrlSource | DataSource | FileSource


def _content(
    reader: Reader,
    content: Json,
    path: Path,
    key: str,
    readers: Mapping[str, Callable[[Reader, _Node, Path], _P | None]],
) -> tuple[Text | _P, ...]:
    if type(content) is str:
        return (Text(content),) if content else ()
    path = (*path, key)
    if type(content) is not list:
        reader.refuse(path, "is required" if content is None else "must be a string or a list")
        return ()
    parts: list[Text | _P] = []
    for position, part in enumerate(content):
        if type(part) is not dict:
            reader.refuse((*path, position), "must be an object")
            continue
        kind = part.get("type")
        read = readers.get(kind) if type(kind) is str else None
        if read is None:
            reader.refuse(
                (*path, position, "type"), "not a published part", RefusalCode.UNSUPPORTED
            )
            continue
        found = read(reader, part, (*path, position))
        if found is not None:
            parts.append(found)
    return tuple(parts)


# parts


def _text(reader: Reader, part: _Node, path: Path) -> Text:
    text = part.get("text")
    if type(text) is str and len(part) == 2:
        return Text(text)
    mark = _mark(reader, part, path)
    _refuse_others(reader, part, path, _TEXT)
    return Text(reader.required(reader.string(part, "text", path), (*path, "text"), ""), cache=mark)


_TEXT = frozenset({"type", "text", "prompt_cache_breakpoint"})


def _mark(reader: Reader, part: _Node, path: Path) -> CacheMark | None:
    said = reader.object(part, "prompt_cache_breakpoint", path)
    if said is None:
        return None
    path = (*path, "prompt_cache_breakpoint")
    _refuse_others(reader, said, path, frozenset({"mode", "ttl"}))
    if said.get("mode") != "explicit":
        reader.refuse((*path, "mode"), "not one of the published values", RefusalCode.UNSUPPORTED)
    return CacheMark(reader.choice(said, "ttl", path, TTLS))


def _refuse_others(reader: Reader, node: _Node, path: Path, known: frozenset[str]) -> None:
    for key in node:
        if key not in known:
            reader.refuse((*path, key), "not a published field", RefusalCode.UNSUPPORTED)


_OUTPUT_TEXT = frozenset({"type", "text", "annotations", "logprobs"})
_OUTPUT = "request.input[]<assistant>.content[]<output_text>"


def _output_text(reader: Reader, part: _Node, path: Path) -> Text:
    text = part.get("text")
    if type(text) is str and len(part) == 2:
        return Text(text)
    if (
        type(text) is str
        and part.keys() <= _OUTPUT_TEXT
        and not part.get("annotations")
        and not part.get("logprobs")
    ):
        return Text(text)
    annotations = reader.array(part, "annotations", path) or ()
    # `logprobs: []` says what its absence says
    mapped = _OUTPUT_TEXT if part.get("logprobs") == [] else _OUTPUT_TEXT - {"logprobs"}
    return Text(
        reader.required(reader.string(part, "text", path), (*path, "text"), ""),
        tuple(
            Extension(PROTOCOL, "input.content.annotations", annotation)
            for annotation in annotations
        ),
        None,
        reader.extras(part, path, TABLE.fields(_OUTPUT), mapped),
    )


def _refusal(reader: Reader, part: _Node, path: Path) -> RefusalText:
    _refuse_others(reader, part, path, frozenset({"type", "refusal"}))
    return RefusalText(
        reader.required(reader.string(part, "refusal", path), (*path, "refusal"), "")
    )


_IMAGE = frozenset({"type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"})
_DETAILS = frozenset({"low", "high", "original", "auto"})


def _image(reader: Reader, part: _Node, path: Path) -> Image | None:
    _refuse_others(reader, part, path, _IMAGE)
    url = reader.string(part, "image_url", path)
    file_id = reader.string(part, "file_id", path)
    detail = reader.choice(part, "detail", path, _DETAILS)
    mark = _mark(reader, part, path)
    source: _Source
    if (url is None) is (file_id is None):
        reader.refuse(path, "needs image_url or file_id, and not both")
        return None
    source = read_url(url) if url is not None else FileSource(PROTOCOL, cast(str, file_id))
    return Image(source, None if detail == "auto" else detail, mark)


_FILE = frozenset(
    {
        "type",
        "file_data",
        "file_id",
        "file_url",
        "filename",
        "prompt_cache_breakpoint",
    }
)


def _file(reader: Reader, part: _Node, path: Path) -> Document | None:
    data = reader.string(part, "file_data", path)
    file_id = reader.string(part, "file_id", path)
    url = reader.string(part, "file_url", path)
    title = reader.string(part, "filename", path)
    mark = _mark(reader, part, path)
    known = TABLE.fields("request.input[]<user>.content[]<input_file>")
    extensions = reader.extras(part, path, known, _FILE)
    sources: list[_Source] = []
    if data is not None:
        sources.append(_inline(data))
    if file_id is not None:
        sources.append(FileSource(PROTOCOL, file_id))
    if url is not None:
        sources.append(read_url(url))
    if len(sources) != 1:
        reader.refuse(path, "needs one of file_data, file_id and file_url")
        return None
    return Document(sources[0], title, mark, extensions)


def _inline(data: str) -> UrlSource | DataSource:
    """Base64 text, bare or in a `data:` URL; any other `data:` URL, one without a type too, stays whole."""
    if not data.startswith("data:"):
        return DataSource(data)
    source = read_url(data)
    bare = isinstance(source, DataSource) and source.media_type is None
    return UrlSource(data) if bare else source


def _audio(reader: Reader, part: _Node, path: Path) -> Audio | None:
    _refuse_others(reader, part, path, frozenset({"type", "input_audio"}))
    said = reader.object(part, "input_audio", path)
    path = (*path, "input_audio")
    if said is None:
        if part.get("input_audio") is None:
            reader.refuse(path, "is required")
        return None
    _refuse_others(reader, said, path, frozenset({"data", "format"}))
    return Audio(
        reader.required(reader.string(said, "data", path), (*path, "data"), ""),
        reader.required(reader.string(said, "format", path), (*path, "format"), ""),
    )


def _carried(_reader: Reader, part: _Node, _path: Path) -> WirePart:
    return WirePart(PROTOCOL, part)


# who may say which


_INSTRUCTION: Mapping[str, Callable[[Reader, _Node, Path], Text | WirePart | None]] = {
    "input_text": _text,
    "input_image": _carried,
    "input_file": _carried,
}
_ASSISTANT: Mapping[str, Callable[[Reader, _Node, Path], Text | RefusalText | WirePart | None]] = {
    **_INSTRUCTION,
    "output_text": _output_text,
    "refusal": _refusal,
}
_RESULT: Mapping[str, Callable[[Reader, _Node, Path], Text | Image | Document | None]] = {
    "input_text": _text,
    "input_image": _image,
    "input_file": _file,
}
_USER: Mapping[str, Callable[[Reader, _Node, Path], Text | Image | Document | Audio | None]] = {
    **_RESULT,
    "input_audio": _audio,
}


def read_user(
    reader: Reader, content: Json, path: Path
) -> tuple[Text | Image | Document | Audio, ...]:
    """Content of the user's message at `path`."""
    return _content(reader, content, path, "content", _USER)


def read_assistant(
    reader: Reader, content: Json, path: Path
) -> tuple[Text | RefusalText | WirePart, ...]:
    """Content of the assistant's message at `path`; input parts in it are a spelling, as in easy messages."""
    return _content(reader, content, path, "content", _ASSISTANT)


def read_instruction(reader: Reader, content: Json, path: Path) -> tuple[Text | WirePart, ...]:
    """Content of the system or developer message at `path`."""
    return _content(reader, content, path, "content", _INSTRUCTION)


def read_result(reader: Reader, content: Json, path: Path) -> tuple[Text | Image | Document, ...]:
    """Output of the tool result at `path`."""
    return _content(reader, content, path, "output", _RESULT)

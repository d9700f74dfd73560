"""How a tool result says whether the tool failed, on wires that have no field for it.

Chat:       `{"error":<output>,"ok":false}` as the text of the result; a success has no envelope.
Responses:  `{"ok":<bool>,"output":<value>}` as the text of the result, successes included.
Both:       where the result has parts that are no plain text, `{"ok":<bool>}` as the first text, then the parts.

`<output>` is "" for no text, a string for one text and a list of strings otherwise. Exactly what is written here
is read back, token for token; any other text is a tool's own words. Only compact JSON in this key order counts, so
that a tool which happens to print a similar object is hardly ever taken for it (and such a result is refused as
`turn.tool_result.ambiguous` before it is sent).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.model.items import Text

__all__ = [
    "head",
    "is_plain",
    "read_error",
    "read_head",
    "read_result",
    "texts_of",
    "write_error",
    "write_result",
]

_TEXT = {"type", "text"}
_HEADS = {'{"ok":false}': False, '{"ok":true}': True}
_ERROR = '{"error":', ',"ok":false}'
_RESULTS = {'{"ok":false,"output":': False, '{"ok":true,"output":': True}


def is_plain(parts: Iterable[object]) -> bool:
    """Whether parts are texts and nothing more: no mark, annotation or extension."""
    return all(
        type(part) is Text and part.cache is None and not part.annotations and not part.extensions
        for part in parts
    )


def texts_of(nodes: Iterable[dict[str, Any]], kind: str) -> list[str] | None:
    """The texts of written parts, all of which must be of type `kind` and nothing more; else None."""
    texts: list[str] = []
    for node in nodes:
        if node.keys() != _TEXT or node["type"] != kind:
            return None
        texts.append(node["text"])
    return texts


def write_error(texts: list[str]) -> str:
    """The text of a failed Chat result. Raises `JsonError` for a lone surrogate."""
    return f"{_ERROR[0]}{_output(texts)}{_ERROR[1]}"


def read_error(text: str) -> tuple[Text, ...] | None:
    """What a failed Chat result says, or None where this is no envelope."""
    start, end = _ERROR
    if not (text.startswith(start) and text.endswith(end)):
        return None
    texts = _texts(text[len(start) : -len(end)])
    return _parts(texts) if texts is not None and write_error(texts) == text else None


def write_result(ok: bool, texts: list[str]) -> str:
    """The text of a Responses result. Raises `JsonError` for a lone surrogate."""
    return f'{{"ok":{"true" if ok else "false"},"output":{_output(texts)}}}'


def read_result(text: str) -> tuple[bool, tuple[Text, ...]] | None:
    """Whether a Responses result succeeded and what it says, or None where this is no envelope."""
    for start, ok in _RESULTS.items():
        if text.startswith(start) and text.endswith("}"):
            texts = _texts(text[len(start) : -1])
            if texts is not None and write_result(ok, texts) == text:
                return ok, _parts(texts)
    return None


def head(ok: bool) -> str:
    """The first text of a result that has parts."""
    return '{"ok":true}' if ok else '{"ok":false}'


def read_head(text: str) -> bool | None:
    """What a first text says of the parts after it, or None where it is no envelope."""
    return _HEADS.get(text)


def _output(texts: list[str]) -> str:
    value: object = (texts[0] if texts else "") if len(texts) < 2 and texts != [""] else texts
    return _json.dumps(value).decode()


def _texts(output: str) -> list[str] | None:
    try:
        value: Json = _json.loads(output)
    except _json.JsonError:
        return None
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list):
        said = [word for word in value if isinstance(word, str)]
        return said if len(said) == len(value) else None
    return None


def _parts(texts: list[str]) -> tuple[Text, ...]:
    return tuple(map(Text, texts))

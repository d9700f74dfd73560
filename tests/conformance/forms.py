"""Bytes as a case says them, and the text of a case file.

Three forms, the first that says exactly the same bytes: `json` (compact JSON), `sse` (a stream of compact payloads),
`text`; `base64` where the bytes are no UTF-8.
"""

import base64
import json
import re
from textwrap import wrap
from typing import Any

from llm_projections import _json

__all__ = ["bytes_of", "form_of", "pretty", "sse"]

_WIDTH = 110
_WIDE = 400
# Lists of words share lines; a longer text has its own.
_WORD = 80
_DONE = "[DONE]"
# What an editor would hide or take for the end of a line.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


def sse(*payloads: Any, named: bool = False) -> bytes:
    """A stream: one event a payload, a string as it is; `named` gives each an `event` line with its type."""
    lines: list[bytes] = []
    for payload in payloads:
        if named and isinstance(payload, dict):
            lines.append(f"event: {payload['type']}\n".encode())
        data = payload.encode() if isinstance(payload, str) else _json.dumps(payload)
        lines.append(b"data: " + data + b"\n\n")
    return b"".join(lines)


def bytes_of(form: dict[str, Any]) -> bytes:
    """The bytes that a form says."""
    if "json" in form:
        return _json.dumps(form["json"])
    if "sse" in form:
        return sse(*form["sse"], named=form.get("named", False))
    if "text" in form:
        text = form["text"]
        return (text if isinstance(text, str) else "".join(text)).encode()
    return base64.b64decode(form["base64"], validate=True)


def form_of(data: bytes) -> dict[str, Any]:
    """The most readable form that says exactly these bytes."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    for form in (_as_json(text), _as_stream(text)):
        if form is not None and _same(form, data):
            return form
    pieces = [piece for piece in re.split(r"(?<=\n\n)", text) if piece]
    return {"text": pieces if len(pieces) > 1 else text}


def _same(form: dict[str, Any], data: bytes) -> bool:
    try:
        return data == bytes_of(json.loads(pretty(form)))
    except (_json.JsonError, UnicodeEncodeError, KeyError, TypeError):
        return False


def _as_json(text: str) -> dict[str, Any] | None:
    try:
        return {"json": json.loads(text)}
    except ValueError:
        return None


def _as_stream(text: str) -> dict[str, Any] | None:
    payloads: list[Any] = []
    for event in text.split("\n\n")[:-1]:
        data = event.rpartition("data: ")[2]
        try:
            payload: Any = json.loads(data)
        except ValueError:
            payload = data
        # a string is what it says itself
        payloads.append(data if isinstance(payload, str) else payload)
    if not payloads:
        return None
    return {"sse": payloads} | ({"named": True} if text.startswith("event: ") else {})


def pretty(value: Any) -> str:
    """The text of a case file: what fits stands on one line, members in their order."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", _pretty(value, 0)) + "\n"


def _pretty(value: Any, depth: int, width: int = _WIDTH) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + 2 * depth <= width or not isinstance(value, dict | list) or not value:
        return line
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        lines = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: "
            # a payload of a stream, or an event, is read best as one line
            + _pretty(each, depth + 1, _WIDE if key in ("sse", "events") else _WIDTH)
            for key, each in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n" + inner[2:] + "}"
    if all(isinstance(each, str) and len(each) < _WORD for each in value):
        words = ", ".join(json.dumps(each, ensure_ascii=False) for each in value)
        lines = wrap(words, _WIDTH - len(inner), break_long_words=False, break_on_hyphens=False)
        return "[\n" + "\n".join(inner + each for each in lines) + "\n" + inner[2:] + "]"
    lines = [inner + _pretty(each, depth + 1, width) for each in value]
    return "[\n" + ",\n".join(lines) + "\n" + inner[2:] + "]"

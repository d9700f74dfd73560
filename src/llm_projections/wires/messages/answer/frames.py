"""The bytes of Messages stream events."""

from __future__ import annotations

from typing import Final

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import ResponseRefused
from llm_projections.model.items import WireItem
from llm_projections.sse import frame
from llm_projections.wires._answers import unsayable, unwritable

__all__ = [
    "PING",
    "STOPPED",
    "delta_frame",
    "dump",
    "error_frame",
    "event_frame",
    "head_frame",
    "kept_frame",
    "piece_of",
    "quoted",
    "text_lead",
    "text_of",
    "texts_of",
]

PING: Final = b'event: ping\ndata: {"type":"ping"}\n\n'
_END: Final = b"}}\n\n"
STOPPED: Final = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'


def dump(value: object, path: str = "") -> bytes:
    """JSON without raw line separators. Raises `ResponseRefused` for what no JSON can hold."""
    try:
        return _json.escape_separators(_json.dumps(value))
    except _json.JsonError as error:
        raise unwritable(error, path, "not JSON: ") from None


def quoted(text: str, path: str) -> bytes:
    """A JSON string. Raises `ResponseRefused` for a lone surrogate."""
    try:
        return _json.quote(text)
    except _json.JsonError as error:
        raise unsayable(f"not JSON: {error.reason}", path) from None


def piece_of(lead: bytes, text: str, index: int) -> bytes:
    """A delta of an item, whose path is written only where it is needed."""
    try:
        return _json.quoted(lead, text, _END)
    except _json.JsonError as error:
        raise unsayable(f"not JSON: {error.reason}", f"items[{index}]") from None


def event_frame(kind: str, **fields: object) -> bytes:
    """An event of that type."""
    return frame(dump({"type": kind, **fields}), kind)


def head_frame(response_id: str, model: str, usage: dict[str, Json]) -> bytes:
    """`message_start`."""
    message: dict[str, Json] = {
        "id": response_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return event_frame("message_start", message=message)


def error_frame(kind: str, told: str, ours: str) -> bytes:
    """`error` with what is told, or with our own words where that is no text that can be written."""
    try:
        return event_frame("error", error={"type": kind, "message": told})
    except ResponseRefused:
        return event_frame("error", error={"type": kind, "message": ours})


def text_lead(index: int, kind: str, key: str) -> bytes:
    """What stands before the text of a delta; `text_of` ends it."""
    return (
        f'event: content_block_delta\ndata: {{"type":"content_block_delta","index":{index},'
        f'"delta":{{"type":"{kind}","{key}":'
    ).encode()


def text_of(lead: bytes, text: bytes) -> bytes:
    """A delta: its lead and its text as a JSON string."""
    return lead + text + _END


def texts_of(lead: bytes, quoted: list[bytes]) -> bytes:
    """`text_of` for each text, of which the JSON between its quotation marks is given."""
    tail = b'"' + _END
    lead += b'"'
    return lead + (tail + lead).join(quoted) + tail


def delta_frame(index: int, delta: object) -> bytes:
    """Any delta of a block."""
    return event_frame("content_block_delta", index=index, delta=delta)


def kept_frame(item: WireItem, path: str) -> bytes:
    """An event of this wire that was kept, under the name that its payload bears, if that is one line."""
    kind = item.payload.get("type")
    data = dump(item.payload, path)
    if isinstance(kind, str) and kind.isprintable() and kind:
        return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"
    return b"data: " + data + b"\n\n"

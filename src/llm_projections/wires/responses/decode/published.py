"""Which types the places of an answer may have, and what becomes of a value of another.

Rules:
1. Where an event belongs, what it says, and what a response or an item means is refused by its path.
2. What only accompanies the answer is told by a warning; what repeats the request is not looked at.

Sources: openai 3.57.0 and 2.54.0, `openai.types.responses`, read 2026-11-30. What a call was called with may also be
the value itself, and content one text.
"""

from __future__ import annotations

from collections.abc import Mapping

from llm_projections import _json
from llm_projections._json import Json
from llm_projections.errors import Dispatch, RefusalCode, ResponseRefused
from llm_projections.wires._types import (
    CALLED,
    INTEGER,
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    Types,
    mistyped,
)

__all__ = [
    "AROUND",
    "BESIDE",
    "EVENT",
    "EVERY",
    "PART",
    "fault_of",
    "fault_of_item",
    "fault_of_response",
    "text_called",
]

EVENT: Types = {
    "item_id": TEXT,
    "output_index": INTEGER,
    "content_index": INTEGER,
    "summary_index": INTEGER,
    "text": TEXT,
    "refusal": TEXT,
    "arguments": CALLED,
    "input": TEXT,
    "call_id": TEXT,
    "name": TEXT,
    "annotation": OBJECT,
    "part": OBJECT,
    "response": OBJECT,
}
"""Where an event belongs, and what it says; an item of another type is kept as an event that nobody publishes."""
BESIDE: Types = {"sequence_number": INTEGER, "annotation_index": INTEGER, "logprobs": LIST}
"""What an event has beside that."""
EVERY: Types = {**EVENT, **BESIDE}
"""Both."""
PART: Types = {
    "type": TEXT,
    "text": TEXT,
    "refusal": TEXT,
    "annotations": LIST,
}
"""A part of a message or of reasoning."""
AROUND: Types = {
    "id": TEXT,
    "object": TEXT,
    "created_at": NUMBER,
    "model": TEXT,
    "output_text": TEXT,
    "usage": OBJECT,
}
"""What accompanies a response."""

_RESPONSE: Types = {
    "status": TEXT,
    "output": LIST,
    "incomplete_details": OBJECT,
    "error": frozenset({str, dict, type(None)}),
}
_DETAILS: Types = {"reason": TEXT}
# an item that only this wire knows is kept whole
_WIRE_ITEM: Types = {"type": TEXT, "id": TEXT, "call_id": TEXT}
_ITEM: Types = {**_WIRE_ITEM, "status": TEXT}
# the types of an item's members, and which of them hold parts
_OTHER: tuple[Types, tuple[str, ...]] = _WIRE_ITEM, ()
_ITEMS: Mapping[str, tuple[Types, tuple[str, ...]]] = {
    "message": ({**_ITEM, "role": TEXT, "content": TEXTS}, ("content",)),
    "reasoning": (
        {**_ITEM, "summary": TEXTS, "content": TEXTS, "encrypted_content": TEXT},
        ("summary", "content"),
    ),
    "function_call": ({**_ITEM, "name": TEXT, "arguments": CALLED}, ()),
    "custom_tool_call": ({**_ITEM, "name": TEXT, "input": TEXT}, ()),
}


def fault_of(node: Mapping[str, Json], types: Types, path: str = "") -> ResponseRefused | None:
    """The refusal (PROTOCOL) of the first member that has another type than it may have."""
    return _fault(mistyped(node, types), path)


def fault_of_item(item: Mapping[str, Json], path: str) -> ResponseRefused | None:
    """The refusal of what an output item means in another type, its parts included."""
    return _fault(_wrong_in_item(item), path)


def fault_of_response(response: Mapping[str, Json], path: str = "") -> ResponseRefused | None:
    """The refusal of what a response object and its items mean in another type."""
    return _fault(_wrong_in_response(response), path)


def _wrong_in_item(item: Mapping[str, Json]) -> str | None:
    kind = item.get("type")
    types, parted = _ITEMS.get(kind, _OTHER) if isinstance(kind, str) else _OTHER
    key = mistyped(item, types)
    if key is not None:
        return key
    for name in parted:
        parts = item.get(name)
        for at, part in enumerate(parts if isinstance(parts, list) else ()):
            if isinstance(part, dict):
                key = mistyped(part, PART)
                if key is not None:
                    return f"{name}[{at}].{key}"
            elif part is not None and not isinstance(part, str):
                return f"{name}[{at}]"
    return None


def _wrong_in_response(response: Mapping[str, Json]) -> str | None:
    key = mistyped(response, _RESPONSE)
    if key is not None:
        return key
    details, output = response.get("incomplete_details"), response.get("output")
    if isinstance(details, dict):
        key = mistyped(details, _DETAILS)
        if key is not None:
            return f"incomplete_details.{key}"
    for at, item in enumerate(output if isinstance(output, list) else ()):
        if isinstance(item, dict):
            key = _wrong_in_item(item)
            if key is not None:
                return f"output[{at}].{key}"
        elif item is not None:
            return f"output[{at}]"
    return None


def text_called(called: Json) -> str | None:
    """What a call was called with, as text; None where it does not say."""
    if isinstance(called, dict | list):
        return _json.dumps(called).decode()
    return called if isinstance(called, str) else None


def _fault(wrong: str | None, path: str) -> ResponseRefused | None:
    if wrong is None:
        return None
    return ResponseRefused(
        RefusalCode.PROTOCOL,
        "a value of a type that nobody publishes",
        f"{path}.{wrong}" if path else wrong,
        dispatch=Dispatch.ACCEPTED,
    )

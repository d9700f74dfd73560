"""The events of an answer, in the order in which they become known.

Rules:
1. A stream gives exactly one terminal event, last: `TurnCompleted` or `TurnFailed`.
2. `index` names the output item, so items may interleave.
3. An empty delta is not an event.
4. No event holds a snapshot: what was said before is the consumer's, or `Fold`'s, to keep.

The delta classes are plain slotted ones: each is fresh and held by nobody else, and a frozen `__init__` costs about
100 ns more an event, which is a tenth of what decoding one takes.
"""

from __future__ import annotations

from llm_projections._values import define, frozen
from llm_projections.errors import Refusal
from llm_projections.model.items import Item
from llm_projections.model.outcome import TurnOutcome, Usage, Warning

__all__ = [
    "Event",
    "ItemCompleted",
    "ReasoningDelta",
    "RefusalDelta",
    "ResponseStarted",
    "TextDelta",
    "ToolArgumentsDelta",
    "ToolCallStarted",
    "TurnCompleted",
    "TurnFailed",
    "UsageReported",
    "Warning",
]


@frozen
class ResponseStarted:
    """The answer began; the id and the model as the wire reported them."""

    response_id: str | None = None
    upstream_model: str | None = None


@define(unsafe_hash=True)
class TextDelta:
    """Part of a text."""

    text: str
    index: int


@define(unsafe_hash=True)
class ReasoningDelta:
    """Part of the reasoning, or of its summary."""

    text: str
    index: int
    summary: bool = False


@define(unsafe_hash=True)
class RefusalDelta:
    """Part of the model's words of refusal."""

    text: str
    index: int


@frozen
class ToolCallStarted:
    """A call whose id and name are known; said once, before any of its arguments."""

    call_id: str
    name: str
    index: int
    custom: bool = False


@define(unsafe_hash=True)
class ToolArgumentsDelta:
    """Part of a call's arguments (JSON text), or of a custom call's input (free text)."""

    call_id: str
    delta: str
    index: int


@frozen
class ItemCompleted:
    """An item is whole: how signed thinking, citations and wire items reach a live consumer."""

    item: Item
    index: int


@frozen
class UsageReported:
    """Counters so far, merged with what was reported before; the terminal outcome has the last word."""

    usage: Usage


@frozen
class TurnCompleted:
    """The answer is whole. Terminal."""

    outcome: TurnOutcome


@frozen
class TurnFailed:
    """The answer failed or cannot be read; the error carries what was decoded before. Terminal."""

    error: Refusal


Event = (
    ResponseStarted
    | TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ToolCallStarted
    | ToolArgumentsDelta
    | ItemCompleted
    | UsageReported
    | Warning
    | TurnCompleted
    | TurnFailed
)
"""What `feed`, `close` and `decode_stream` give. The union is closed."""

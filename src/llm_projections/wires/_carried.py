"""The names of losses of things carried whole: items, parts, tools and choices of one wire on another."""

from __future__ import annotations

from collections.abc import Mapping
from re import compile as pattern
from typing import Literal

from llm_projections._json import Json
from llm_projections.model.items import Protocol
from llm_projections.model.losses import NAMES
from llm_projections.model.tools import WireChoice

__all__ = ["carried_path", "choice_loss", "choice_path", "family"]

Place = Literal["item", "part", "tool"]

_DATE = pattern(r"_20\d\d_?\d\d_?\d\d$")
_PLACES: Mapping[tuple[Protocol, Place], str] = {
    (Protocol.CHAT, "item"): "messages",
    (Protocol.CHAT, "part"): "messages.content",
    (Protocol.CHAT, "tool"): "tools",
    (Protocol.MESSAGES, "item"): "content",
    (Protocol.MESSAGES, "part"): "content",
    (Protocol.MESSAGES, "tool"): "tools",
    (Protocol.RESPONSES, "item"): "input",
    (Protocol.RESPONSES, "part"): "input.content",
    (Protocol.RESPONSES, "tool"): "tools",
}


def family(kind: str) -> str:
    """A type without date and member: `web_search_20250305` is a `web_search`, `openrouter:x` an `openrouter`."""
    return _DATE.sub("", kind.partition(":")[0])


def carried_path(protocol: Protocol, place: Place, payload: Mapping[str, Json]) -> str:
    """What a whole thing of `protocol` is carried under; its loss is `<wire>.` and this.

    By its `type`, or its `role` where it has none; the `function_call` of old, which is the whole of its message, by
    that. One that no row knows is `unknown` in its place.
    """
    old = protocol is Protocol.CHAT and "function_call" in payload
    kind = "function_call" if old else payload.get("type") or payload.get("role")
    path = f"{_PLACES[protocol, place]}.{family(kind) if isinstance(kind, str) else 'unknown'}"
    return path if f"{protocol.short}.{path}" in NAMES else f"{_PLACES[protocol, place]}.unknown"


def choice_path(choice: WireChoice) -> str:
    """What a choice that only its own wire can read is carried under, by its `type`."""
    kind = choice.payload.get("type")
    return f"tool_choice.{family(kind) if isinstance(kind, str) else 'unknown'}"


def choice_loss(choice: WireChoice) -> str:
    """The loss of such a choice: that of its row, and `turn.tool_choice` where no row knows it."""
    name = f"{choice.protocol.short}.{choice_path(choice)}"
    return name if name in NAMES else "turn.tool_choice"

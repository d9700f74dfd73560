"""How the rows of this wire are written down: an id made from the place, a loss made from the path."""

from __future__ import annotations

from collections.abc import Iterable
from re import compile as pattern

from llm_projections.wires._rows import Row, Treat

__all__ = ["carry", "default", "mapped", "refuse", "spell"]

_ROOT = "request."
_VARIANT = pattern(r"<[^>]*>|\[\]|\{\}")
_NOT_PLAIN = pattern(r"[^A-Za-z0-9_]+")


def mapped(at: str, neutral: str, loss: str | None = None, *, by: Iterable[str] = ()) -> Row:
    """A place with a neutral meaning."""
    return Row(_id(at), _ROOT + at, Treat.MAP, neutral, loss, by=frozenset(by))


def spell(at: str, *, by: Iterable[str] = ()) -> Row:
    """A constant of the wire, or another spelling of what a second row maps."""
    return Row(_id(at), _ROOT + at, Treat.SPELL, by=frozenset(by))


def default(at: str, *values: object, by: Iterable[str] = ()) -> Row:
    """A place that says nothing at these values, and is refused at any other."""
    return Row(_id(at), _ROOT + at, Treat.DEFAULT, default=values, by=frozenset(by))


def refuse(at: str, *, by: Iterable[str] = ()) -> Row:
    """A place that is refused by name."""
    return Row(_id(at), _ROOT + at, Treat.REFUSE, by=frozenset(by))


def carry(at: str, *, path: str | None = None, by: Iterable[str] = ()) -> Row:
    """A place that travels whole, with everything below it; `path` where it is not the place itself."""
    carried = _VARIANT.sub("", at) if path is None else path
    return Row(_id(at), f"{_ROOT}{at}.**", Treat.CARRY, loss=f"chat.{carried}", by=frozenset(by))


def _id(at: str) -> str:
    return "chat-req-" + _NOT_PLAIN.sub("-", at).strip("-")

"""Copies of JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, cast

from llm_projections._json.parser import TOO_DEEP, JsonError

__all__ = ["copied", "copied_within"]

_T = TypeVar("_T")


def copied(value: _T) -> _T:
    """An equal JSON value that shares no list and no object with `value`, of any depth."""
    top: list[_T] = [value]
    todo: list[Any] = [top]
    for node in todo:  # grows while it is walked
        # the same calls serve both kinds: only where the keys come from differs
        place = cast("dict[Any, Any]", node)
        for key in cast("Iterable[Any]", node if type(node) is dict else range(len(node))):
            inner = place[key]
            if type(inner) is dict or type(inner) is list:
                place[key] = copy = cast("list[Any]", inner).copy()
                todo.append(copy)
    return top[0]


def copied_within(value: _T, levels: int) -> _T:
    """`copied`, for a value that may hold itself.

    Raises:
        JsonError: more than `levels` levels. The path is not told.
    """
    top: list[_T] = [value]
    # the last comes first, so that what holds itself is deep before it is wide
    todo: list[tuple[Any, int]] = [(top, 0)]
    while todo:
        node, level = todo.pop()
        if level > levels:
            raise JsonError("", TOO_DEEP)
        place = cast("dict[Any, Any]", node)
        for key in cast("Iterable[Any]", node if type(node) is dict else range(len(node))):
            inner = place[key]
            if type(inner) is dict or type(inner) is list:
                place[key] = copy = cast("list[Any]", inner).copy()
                todo.append((copy, level + 1))
    return top[0]

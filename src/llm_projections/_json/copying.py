"""Copies of JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, cast

__all__ = ["copied"]

_T = TypeVar("_T")


def copied(value: _T) -> _T:
    """An equal JSON value that shares no list and no object with `value`, of any depth."""
    top: list[_T] = [value]
    todo: list[Any] = [top]
    for node in todo:  # grows while it is walked
        members: Iterable[tuple[Any, Any]] = (
            cast("dict[str, Any]", node).items() if type(node) is dict else enumerate(node)
        )
        for key, inner in members:
            if type(inner) is dict or type(inner) is list:
                node[key] = copy = cast("dict[str, Any] | list[Any]", inner).copy()
                todo.append(copy)
    return top[0]

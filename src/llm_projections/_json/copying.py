"""Copies of JSON values."""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["copied"]

_T = TypeVar("_T")


def copied(value: _T) -> _T:
    """An equal JSON value that shares no list and no object with `value`, of any depth."""
    top: list[Any] = [value]
    todo: list[Any] = [top]
    for node in todo:  # grows while it is walked
        for key, inner in node.items() if type(node) is dict else enumerate(node):
            if type(inner) is dict or type(inner) is list:
                node[key] = inner.copy()
                todo.append(node[key])
    return top[0]  # type: ignore[no-any-return]  # what came in

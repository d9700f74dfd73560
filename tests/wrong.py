"""Values of other types than their field's, put into every place of a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import NOTHING, evolve, fields, has

from llm_projections import AUTO, JsonObject, Protocol
from llm_projections.model.items import Extension, Text, UserMessage

__all__ = ["OTHERS", "emptied", "places", "put"]

Place = tuple[str | int, ...]

OTHERS: tuple[Any, ...] = (
    *("x", "", b"x", b"", 5, 0, 1.5, True, False, None, object()),
    *([], ["x"], {}, {"a": 1}, (), ("x",), (5,), {"x"}, frozenset[str]()),
    *([Text("x")], Text("x"), UserMessage((Text("u"),)), Extension(Protocol.CHAT, "x", 1)),
    *(Protocol.CHAT, AUTO, JsonObject(), {"type": "json_object"}, len),
)


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Every field and element of a value, whole before its parts."""
    if has(type(value)):
        inner: Iterator[tuple[str | int, Any]] = (
            (field.name, getattr(value, field.name)) for field in fields(type(value))
        )
    elif isinstance(value, tuple):
        inner = iter(enumerate(value))
    else:
        return
    for step, held in inner:
        yield (*at, step)
        yield from places(held, (*at, step))


def put(value: Any, place: Place, other: Any) -> Any:
    """The value with another thing at one place."""
    if not place:
        return other
    step, *rest = place
    if isinstance(step, int):
        return (*value[:step], put(value[step], tuple(rest), other), *value[step + 1 :])
    return evolve(value, **{step: put(getattr(value, step), tuple(rest), other)})


def emptied(value: Any, place: Place) -> Any:
    """The value with the default at one place; None where it has none."""
    *above, step = place
    owner = value
    for each in above:
        owner = owner[each] if isinstance(each, int) else getattr(owner, each)
    if isinstance(step, int):
        return None
    default = next(field.default for field in fields(type(owner)) if field.name == step)
    return None if default is NOTHING else put(value, place, default)

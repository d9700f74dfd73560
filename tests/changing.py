"""Bodies and streams with something changed: a field less, a field more, or any damage."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from tests.helpers import by_event
from tests.values import json_values

__all__ = [
    "Place",
    "at",
    "changed",
    "damaged",
    "damaged_body",
    "grown",
    "objects",
    "path_of",
    "places",
    "removed",
]

Place = tuple[str | int, ...]


def path_of(place: Place) -> str:
    """A place as a body path."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def at(body: Any, place: Place) -> Any:
    """The value at a place."""
    for step in place:
        body = body[step]
    return body


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of every member, those inside others included."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*place, key)
            yield from places(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*place, index))


def objects(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of every object."""
    if isinstance(value, dict):
        yield place
        for key, inner in value.items():
            yield from objects(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, (*place, index))


def removed(body: Any, place: Place) -> Any:
    """The body without one member."""
    copied = copy.deepcopy(body)
    del at(copied, place[:-1])[place[-1]]
    return copied


def grown(body: Any, place: Place, key: str, value: Any = 1) -> Any:
    """The body with one member more."""
    copied = copy.deepcopy(body)
    at(copied, place)[key] = value
    return copied


def changed(body: Any, place: Place) -> Any:
    """The body with another scalar of the same type; None where there is none to change."""
    value = at(body, place)
    other: Any
    if isinstance(value, bool):
        other = not value
    elif isinstance(value, int):
        other = value + 1
    elif isinstance(value, float):
        other = value / 2 + 0.01
    elif isinstance(value, str):
        other = value + "x"
    else:
        return None
    copied = copy.deepcopy(body)
    at(copied, place[:-1])[place[-1]] = other
    return copied


def _any_place(draw: Callable[..., Any], body: Any) -> Place | None:
    every = list(places(body))
    return draw(st.sampled_from(every)) if every else None


@st.composite
def damaged_body(draw: Callable[..., Any], body: Any) -> bytes:
    """A body in which members are missing, of another type, or doubled, or bytes are."""
    body = copy.deepcopy(body)
    for _ in range(draw(st.integers(1, 3))):
        place = _any_place(draw, body)
        if place is None:
            break
        owner = at(body, place[:-1])
        if draw(st.booleans()):
            owner[place[-1]] = draw(json_values() | st.just(copy.deepcopy(body)))
        else:
            del owner[place[-1]]
    return draw(_torn(json.dumps(body).encode()))


@st.composite
def _torn(draw: Callable[..., Any], data: bytes) -> bytes:
    """Bytes, most often whole; else cut short, or with a byte changed."""
    how = draw(st.integers(0, 7))
    if how == 0:
        return data[: draw(st.integers(0, len(data)))]
    if how == 1 and data:
        position = draw(st.integers(0, len(data) - 1))
        return data[:position] + bytes([draw(st.integers(0, 255))]) + data[position + 1 :]
    return data


@st.composite
def damaged(draw: Callable[..., Any], stream: bytes) -> bytes:
    """A stream whose events are missing, doubled, moved, changed inside, or cut short."""
    events = by_event(stream)
    for _ in range(draw(st.integers(1, 3))):
        if not events:
            break
        position = draw(st.integers(0, len(events) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                del events[position]
            case 1:
                events.insert(draw(st.integers(0, len(events))), events[position])
            case 2:
                events.append(events.pop(position))
            case _:
                events[position] = draw(_changed_event(events[position]))
    return draw(_torn(b"".join(events)))


@st.composite
def _changed_event(draw: Callable[..., Any], event: bytes) -> bytes:
    head, found, data = event.partition(b"data: ")
    try:
        body = json.loads(data)
    except ValueError:
        return event
    return head + found + draw(damaged_body(body)) + b"\n\n"

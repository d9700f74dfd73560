"""Which place of a document makes which place of what is written from it: found by changing one thing at a time.

Nothing here knows a wire. A leaf of the document is replaced by another value that its writer still takes; whatever
then differs in the output was made by that leaf. What no leaf makes, but stands in an object that leaves of one owner
fill, was made by the owner's kind; the rest is the writer's own.
"""

import copy
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ["Place", "Trace", "leaves", "spelled", "trace", "turned"]

Place = tuple[str | int, ...]
Write = Callable[[Any], Any]
"""Writes a document, or returns None where it is refused."""

Trace = dict[Place, list[Place]]
"""By place of the output: the places of the document that make it."""

# How a document is read is no value that goes anywhere; a kind shows as the shape of its owner; the model is the
# binding's to say.
_UNTOLD = frozenset({"format", "kind", "model", "cache_marks", "protocol", "path"})
# Below these the words above are values like any other, and the kind of a stop is all that it says.
_OPEN = frozenset({"payload", "value", "stop"})
# Values that must stay the same at every place where they stand.
_IDS = frozenset({"call_id", "tool_use_id", "id"})
# Carried as they are: to change one thing in them shows where all of it goes.
_WHOLE = frozenset({"input_schema", "parameters", "schema"})
# What may be any text; the rest is tried word by word.
_FREE = _WHOLE | _IDS | {"text", "description", "arguments", "input", "name", "content", "output"}
_MARK = re.compile(r"Zq\d+qZ")
_OWNERS = frozenset({"items", "tools", "instructions", "open_items"})
# Words of the neutral model and of the wires, of which one may stand where another did.
_WORDS = (
    *("low", "high", "medium", "auto", "none", "required", "user", "system", "developer", "text"),
    *("image/gif", "audio/wav", "wav", "mp3", "adaptive", "enabled", "disabled", "summarized"),
    *("omitted", "5m", "1h", "24h", "flex", "priority", "default", "all", "REFUSED", "ACCEPTED"),
    "MaxOutputTokens",
)
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def spelled(place: Place) -> str:
    """A place as the page and its reader write it: `items[0].content[0].text`."""
    said = ""
    for step in place:
        if isinstance(step, int):
            said += f"[{step}]"
        elif step and set(step) <= _PLAIN:
            said += f".{step}" if said else step
        else:
            said += f"[{json.dumps(step, ensure_ascii=False)}]"
    return said


def leaves(
    value: Any, place: Place = (), whole: frozenset[str] = frozenset()
) -> Iterator[tuple[Place, Any]]:
    """Every place that holds no other place, with what it holds; what stands under a key of `whole` is not opened."""
    if isinstance(value, dict) and value and not (place and place[-1] in whole):
        for key, inner in value.items():
            yield from leaves(inner, (*place, key), whole)
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from leaves(inner, (*place, number), whole)
    else:
        yield place, value


def trace(document: Any, write: Write, tags: frozenset[str] = frozenset()) -> Trace:
    """What makes each place of `write(document)`, which must not be None; `tags` are keys that only say a kind."""
    written = write(document)
    before = dict(leaves(written))
    known = {place[:length] for place in before for length in range(len(place) + 1)}
    made: Trace = defaultdict(list)
    groups = _groups(document, _UNTOLD | tags)
    for place, group in _marked(document, groups, write):
        made[_known(place, known)] += group
    found = {place for sources in made.values() for place in sources}
    for group in groups:
        if group[0] in found:
            continue
        changed = {_known(place, known) for place in _changed(document, group, write, before)}
        for place in sorted(changed - {()}, key=str):
            made[place] += group
    _settle_ids(made, written)
    _shapes(made, before)
    return dict(made)


def turned(made: Trace, document: Any) -> Trace:
    """The same trace seen from the document: what each of its places becomes."""
    found: Trace = defaultdict(list)
    for place, sources in made.items():
        for source in sources:
            found[source].append(place)
    _shapes(found, dict(leaves(document)))
    return dict(found)


def _groups(document: Any, untold: frozenset[str]) -> list[list[Place]]:
    """The leaves to change, those together that must stay the same."""
    together: dict[Any, list[Place]] = {}
    for place, value in leaves(document, whole=_WHOLE):
        last = place[-1]
        if last in untold and not _OPEN.intersection(place):
            continue
        key: Any = place
        if last in _IDS and isinstance(value, str):
            key = ("id", value)
        elif place[0] in ("tools", "tool_choice") and (last == "name" or "names" in place):
            key = ("name", value)
        together.setdefault(key, []).append(place)
    return list(together.values())


def _marked(
    document: Any, groups: Sequence[list[Place]], write: Write
) -> Iterator[tuple[Place, list[Place]]]:
    """Where each free text went: all are marked at once, each with its own mark. Nothing where that is refused.

    A text without its mark anywhere is no part of the output as such; `_changed` has the last word on it.
    """
    other = document
    marks: dict[str, list[Place]] = {}
    for number, group in enumerate(groups):
        if group[0][-1] in _FREE:
            value, mark = _at(document, group[0]), f"Zq{number}qZ"
            if isinstance(value, dict):
                value = {**value, mark: 0}
            elif isinstance(value, str):
                value = _with_member(value, mark) if _is_object(value) else value + mark
            else:
                continue
            other, marks[mark] = _replaced(other, group, value), group
    written = write(other) if marks else None
    for place, value in leaves(written) if written is not None else ():
        for mark in _MARK.findall(f"{spelled(place)} {value}"):
            if mark in marks:
                yield place, marks[mark]


def _is_object(value: str) -> bool:
    return value[:1] == "{" and value.rstrip()[-1:] == "}"


def _with_member(value: str, name: str) -> str:
    inner = value.rstrip()[:-1]
    return f'{inner}{"," if inner.strip() != "{" else ""}"{name}":0}}'


def _changed(
    document: Any, group: Sequence[Place], write: Write, before: dict[Place, Any]
) -> set[Place]:
    """Where the output differs once the leaves of a group hold something else."""
    for other in _others(_at(document, group[0])):
        after = write(_replaced(document, group, other))
        if after is None:
            continue
        flat = dict(leaves(after))
        new = flat.keys() - before.keys()
        return new | {
            place for place, held in before.items() if not _same(flat.get(place, _ABSENT), held)
        }
    return set()


def _known(place: Place, known: set[Place]) -> Place:
    """A place that was there before, or the innermost one around it that was."""
    while place not in known:
        place = place[:-1]
    return place


def _others(value: Any) -> Iterator[Any]:
    """Other values of the same sort, the likeliest to be taken first; the last one is its absence."""
    match value:
        case bool():
            yield not value
        case int() | float():
            yield from (value + 1, value - 1, value / 2)
        case str():
            if _is_object(value):
                yield _with_member(value, "~")
            yield value + "~"
            yield ("B" if value[:1] == "A" else "A") + value[1:]
            yield from (word for word in _WORDS if word != value)
        case None:
            yield from ("~", 0)
        case dict() if value:
            yield {**value, "~": 0}
        case dict():
            yield from ({"ttl": "1h"}, {"~": 0})
        case list():
            yield from (["~"], [{"kind": "Text", "text": "~"}])
    yield _ABSENT


_ABSENT = object()


def _replaced(document: Any, group: Sequence[Place], value: Any) -> Any:
    """The document with another value at these places; what holds them is copied."""
    other = copy.copy(document)
    for place in group:
        at = other
        for step in place[:-1]:
            at[step] = copy.copy(at[step])
            at = at[step]
        if value is _ABSENT:
            del at[place[-1]]
        else:
            at[place[-1]] = value
    return other


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _settle_ids(made: Trace, written: Any) -> None:
    """Of several places that hold one id, the one whose owner fills the object that the id stands in."""
    owners = {place: {_owner(source) for source in found} for place, found in made.items()}
    for place, found in made.items():
        if len(owners[place]) > 1 and isinstance(_at(written, place), str):
            near: set[Place] = set()
            for other, its in owners.items():
                if other[: len(place) - 1] == place[:-1] and len(its) == 1:
                    near |= its
            made[place] = [source for source in found if _owner(source) in near] or found


def _owner(place: Place) -> Place:
    """The item, tool or instruction that a place belongs to; any other belongs to its outermost field."""
    return place[:2] if place[0] in _OWNERS else place[:1]


def _part(place: Place) -> Place:
    """The part of an item that a place belongs to, or the item."""
    return place[:4] if len(place) > 4 and place[2] == "content" else _owner(place)


def _shapes(made: Trace, before: dict[Place, Any]) -> None:
    """What stands in an object that an owner fills, and that no leaf makes, is the owner's kind.

    In the outermost such object it is the kind of the item; further in, where the object around is the same item's,
    it is the kind of the part.
    """
    filled: dict[Place, set[Place]] = defaultdict(set)
    for place, sources in made.items():
        for length in range(1, len(place) + 1):
            filled[place[:length]].update(sources)
    for place in before:
        if any(place[:length] in made for length in range(1, len(place) + 1)):
            continue
        objects = [place[:n] for n in range(1, len(place)) if isinstance(place[n], str)]
        around = [filled[at] for at in objects if filled.get(at)]
        if around:
            inner, outer = around[-1], around[-2] if len(around) > 1 else set()
            inside = {_owner(source) for source in outer} == {_owner(source) for source in inner}
            kind = _part if inside and len({_owner(source) for source in inner}) == 1 else _owner
            made[place] = sorted({kind(source) for source in inner}, key=str)

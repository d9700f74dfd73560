"""Changes of JSON inside an input, beside the fuzzer's changes of bytes.

Bytes alone seldom stay JSON, and what lies behind the parser would hardly be met.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

from .inputs import HEAD, SPLIT

__all__ = ["mutate"]

_ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    1.5,
    -0.0,
    1e300,
    2**53 + 1,
    2**64,
    10**40,
    "",
    " ",
    "\x00",
    "\u2028",
    "\U0001f600",
    "\ud800",
    "{}",
    "[]",
    '{"a":1,"a":2}',
    "null",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"type": "text", "text": "x"},
    {"type": "ephemeral"},
    {"": ""},
]


def mutate(
    data: bytes, max_size: int, seed: int, words: list[Any], bytewise: Callable[[bytes, int], bytes]
) -> bytes:
    """`data` changed in one of the two ways; `bytewise` is the fuzzer's own."""
    chance = random.Random(seed)
    if chance.random() < 0.35:
        return bytewise(data, max_size)
    head, body = bytearray(data[:HEAD].ljust(HEAD, b"\x00")), data[HEAD:]
    if chance.random() < 0.2:
        head[chance.randrange(HEAD)] = chance.randrange(256)
    sides = body.split(SPLIT, 1)
    side = chance.randrange(len(sides))
    sides[side] = _changed(sides[side], chance, words)
    changed = bytes(head) + SPLIT.join(sides)
    return changed if len(changed) <= max_size else bytewise(data, max_size)


def _changed(body: bytes, chance: random.Random, words: list[Any]) -> bytes:
    """One JSON body, or the events of a stream."""
    if b"data:" not in body:
        return _json_changed(body, chance, words)
    events = body.split(b"\n\n")
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(events))
        how = chance.randrange(12)
        if how == 0 and len(events) > 1:
            del events[at]
        elif how == 1:
            events.insert(chance.randrange(len(events) + 1), events[at])
        elif how == 2:
            events.append(events.pop(at))
        else:
            lead, found, payload = events[at].partition(b"data: ")
            events[at] = lead + found + _json_changed(payload, chance, words)
    return b"\n\n".join(events)


def _json_changed(body: bytes, chance: random.Random, words: list[Any]) -> bytes:
    """`body` as it is where it is no JSON, or more deeply nested than Python goes down."""
    try:
        value = json.loads(body)
        for _ in range(chance.choice((1, 1, 2, 3))):
            value = _value_changed(value, chance, words)
        compact = (",", ":") if chance.random() < 0.8 else (", ", ": ")
        text = json.dumps(value, ensure_ascii=chance.random() < 0.2, separators=compact)
    except (ValueError, RecursionError):
        return body
    return text.encode("utf-8", "surrogatepass")


def _value_changed(value: Any, chance: random.Random, words: list[Any]) -> Any:
    owners = list(_owners(value))
    if not owners:
        return _any(chance, words)
    owner = chance.choice(owners)
    keys: list[Any] = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
    how = chance.randrange(8)
    if keys and how == 0:
        del owner[chance.choice(keys)]
    elif how == 1:
        _put(owner, chance, words, _any(chance, words))
    elif how == 2:
        _put(owner, chance, words, copy.deepcopy(chance.choice(owners)))
    elif keys and how == 3 and isinstance(owner, dict):
        old = chance.choice(keys)
        owner[str(_word(chance, words))] = owner.pop(old)
    elif keys:
        key = chance.choice(keys)
        owner[key] = _near(owner[key], chance) if how < 6 else _any(chance, words)
    return value


def _put(owner: Any, chance: random.Random, words: list[Any], new: Any) -> None:
    if isinstance(owner, dict):
        owner[str(_word(chance, words))] = new
    else:
        owner.insert(chance.randrange(len(owner) + 1), new)


def _near(value: Any, chance: random.Random) -> Any:
    """Another value of the same type, or the value inside or outside a list or a text."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + chance.choice((-1, 1, 1000))
    if isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        return chance.choice((value[:at], value + value, value[at:], [value], {"text": value}))
    if isinstance(value, list):
        first = value[0] if value else None
        return chance.choice((value + copy.deepcopy(value), value[:1], value[::-1], first))
    return [value]


def _word(chance: random.Random, words: list[Any]) -> Any:
    return chance.choice(words) if words and chance.random() < 0.9 else chance.choice(_ODD)


def _any(chance: random.Random, words: list[Any]) -> Any:
    return copy.deepcopy(chance.choice(_ODD)) if chance.random() < 0.6 else _word(chance, words)


def _owners(value: Any) -> Any:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _owners(inner)
    elif isinstance(value, list):
        yield value
        for inner in value:
            yield from _owners(inner)

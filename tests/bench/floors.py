"""The least that any program must do with the same bytes: no rules, no types, no checks."""

from collections.abc import Iterable, Sequence

from orjson import dumps, loads


def frame_and_loads(chunks: Iterable[bytes]) -> int:
    """Finds blank lines and data, and decodes each payload. Knows LF only and one line of data."""
    held = b""
    count = 0
    for chunk in chunks:
        held += chunk
        start = 0
        while (end := held.find(b"\n\n", start)) >= 0:
            data = held[held.find(b"data: ", start, end) + 6 : end]
            if data != b"[DONE]":
                loads(data)
            count += 1
            start = end + 2
        held = held[start:]
    return count


def frame_loads_dumps(chunks: Iterable[bytes]) -> list[bytes]:
    """The same, and each payload is written again as a frame: what no gateway can do without."""
    held = b""
    made: list[bytes] = []
    for chunk in chunks:
        held += chunk
        start = 0
        while (end := held.find(b"\n\n", start)) >= 0:
            data = held[held.find(b"data: ", start, end) + 6 : end]
            if data != b"[DONE]":
                made.append(b"data: " + dumps(loads(data)) + b"\n\n")
            start = end + 2
        held = held[start:]
    return made


def loads_body(body: bytes) -> object:
    """A body's JSON, decoded."""
    return loads(body)


def dumps_body(value: object) -> bytes:
    """A ready value, written."""
    return dumps(value)


def loads_dumps_body(body: bytes) -> bytes:
    """A body, decoded and written again."""
    return dumps(loads(body))


def dumps_bodies(values: Sequence[object]) -> list[bytes]:
    """Ready values, each written."""
    return [dumps(value) for value in values]

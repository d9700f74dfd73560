"""The one place that cuts streams: every test of something that reads chunks uses these."""

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

# Primes, so that cuts wander through the frames; past 64 KiB a chunk holds most test streams whole.
ODD_SIZES = (2, 3, 5, 7, 13, 61, 251, 1021, 4093, 65521)

_EVENT = re.compile(rb".*?(?:\n\n|\r\n\r\n|\r\r)|.+\Z", re.DOTALL)


def whole(data: bytes) -> list[bytes]:
    """All of it at once."""
    return [data]


def singles(data: bytes) -> list[bytes]:
    """One byte a chunk."""
    return chunked(data, 1)


def chunked(data: bytes, n: int) -> list[bytes]:
    """Chunks of n bytes; the last may be shorter."""
    return [data[at : at + n] for at in range(0, len(data), n)]


def cut(data: bytes, at: list[int]) -> list[bytes]:
    """Cut before each given position; one given twice makes an empty chunk."""
    edges = [0, *sorted(at), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def by_event(data: bytes) -> list[bytes]:
    """One event a chunk, which is what a network delivers: each ends with its blank line."""
    return _EVENT.findall(data)


def cuts(data: bytes) -> st.SearchStrategy[list[bytes]]:
    """Every way to cut the data, empty chunks included."""
    return st.lists(st.integers(0, len(data)), max_size=20).map(lambda at: cut(data, at))


def reads(decode: Callable[[Iterable[bytes]], list[T]], data: bytes) -> list[T]:
    """What decode makes of the data, after checking that neither cuts nor line ends show in it."""
    expected = decode(whole(data))
    assert expected == decode(singles(data)), "cut into single bytes"
    assert expected == decode(by_event(data)), "cut into events"
    for size in ODD_SIZES:
        assert expected == decode(chunked(data, size)), f"cut into {size} bytes"
    # A stream that already has carriage returns says something with them.
    if b"\r" not in data:
        for name, end in (("CRLF", b"\r\n"), ("CR", b"\r")):
            other = data.replace(b"\n", end)
            assert expected == decode(whole(other)), f"with {name}"
            assert expected == decode(singles(other)), f"with {name}, cut into single bytes"
            assert expected == decode(chunked(other, 7)), f"with {name}, cut into 7 bytes"
    return expected

"""How many values a JSON text holds, told without reading any of them: each takes memory, whatever its bytes."""

import re
from typing import Final

__all__ = ["crowded"]

# An empty object is three bytes of text, and 72 of memory; one with a member is 8, and 192.
_SHARE: Final = 128
_ALWAYS: Final = 1 << 16
# Memory that a byte of text can take at most: 37, in nests of objects with one member each.
_WIDEST: Final = 40
# A string, or what is left of the text where one never ends: each byte is looked at once.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BEFORE_A_VALUE: Final = (b",", b"[", b"{")


def crowded(text: bytes, limit: int) -> bool:
    """Whether the values of ``text`` may take more memory than the ``limit`` of its bytes: one for every 128 of them.

    65,536 values are never too many, nor are those of a text of a fortieth of the limit. What is no JSON is counted
    all the same.
    """
    most = max(limit // _SHARE, _ALWAYS)
    # no text of this length can take that much: 0.1 of reading a body of 1 MB is saved
    if len(text) * _WIDEST <= limit:
        return False
    # each value follows one of three bytes, and has one of its own
    if len(text) <= 2 * most or sum(map(text.count, _BEFORE_A_VALUE)) < most:
        return False
    found, start = 0, 0
    for string in _STRING.finditer(text):
        end = string.start()
        found += sum(text.count(byte, start, end) for byte in _BEFORE_A_VALUE)
        if found >= most:
            return True
        start = string.end()
    return found + sum(text.count(byte, start) for byte in _BEFORE_A_VALUE) >= most

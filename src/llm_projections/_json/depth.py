"""How deep a JSON text nests, told from broken JSON."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from llm_projections._json.parser import JsonError, Parser
from llm_projections._json.reading import is_complete, unescaped

__all__ = ["nests_past"]

_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_BESIDE: Final = bytes(byte for byte in range(256) if byte not in _STEPS)


def nests_past(text: str, most: int) -> bool:
    """Whether the first fault of a JSON text is that it nests deeper than `most` levels.

    A text without so many brackets, as nearly every one, is only counted through. What is broken before it gets so
    deep is broken and not deep.
    """
    if text.count("[") + text.count("{") <= most:
        return False
    if is_complete(text):
        between = b"".join(unescaped(text.encode()).split(b'"')[::2])
        steps = between.translate(None, _BESIDE)
        return any(level > most for level in accumulate(map(_STEPS.__getitem__, steps)))
    try:
        Parser(text, most, loose=True).parse()
    except JsonError as error:
        return error.too_deep
    return False

"""Many objects and their texts, read or written by one call."""

from collections.abc import Sequence
from typing import Final

import orjson

from llm_projections._json.reading import Json
from llm_projections._json.text import ObjectText
from llm_projections._json.writing import dumps

__all__ = ["object_text", "objects"]

# Nobody's text: where it stands in one, nothing is proved.
_MARK: Final = "llm_projections: between two objects"
_BETWEEN: Final = f',"{_MARK}",'


def objects(texts: Sequence[str]) -> list[dict[str, Json]] | None:
    """The values of texts that are one object each and are spelled as orjson spells them; None if one is not.

    Why it is exact: writing the values again gives the same bytes, so that nothing was lost. There are as many marks as
    gaps between texts, and as many stand between the values: so each gap is at one, and none is inside of an object.
    One text by itself takes 1.3 µs, 3 in a program that does other things too; each of many a third of that.
    """
    joined = f"[{_BETWEEN.join(texts)}]"
    gaps = len(texts) - 1
    try:
        values: list[Json] = orjson.loads(joined)
        same = orjson.dumps(values) == joined.encode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError, UnicodeEncodeError):
        return None
    found = [value for value in values[::2] if type(value) is dict]
    exact = (
        same
        and len(found) == len(texts)
        and joined.count(_MARK) == gaps == values[1::2].count(_MARK)
        and len(values) == len(texts) + gaps
    )
    return found if exact else None


def object_text(value: dict[str, Json]) -> str:
    """The text of an object that was read; an `ObjectText`, but of what nests deeper than orjson writes."""
    try:
        return ObjectText(orjson.dumps(value), "utf-8")
    except orjson.JSONEncodeError:
        return dumps(value, finite=True).decode()

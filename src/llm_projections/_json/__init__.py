"""JSON as the wires need it: exact where orjson alone is not. The only orjson import.

orjson 3.13 turns integers from 2**64 into floats, keeps the last of duplicate keys, forgets how a
number was spelled, writes null for NaN, and refuses integers beyond 64 bit and nests past 254 when
writing. Rules of this package:

1. Reading gives the exact value or ``JsonError``; any bytes may come.
2. orjson does the work wherever it can be *proved* that it lost nothing. Only the rest meets the
   parser and the writer written here.
3. No error holds input text: a fixed reason, and a path whose keys are quoted only if they are
   bounded plain names.
4. Nothing recurses, and time is linear in the bytes.
"""

from llm_projections._json.copying import copied, copied_within
from llm_projections._json.density import crowded
from llm_projections._json.depth import nests_past
from llm_projections._json.objects import object_text, objects
from llm_projections._json.parser import JsonError
from llm_projections._json.reading import (
    Envelope,
    Json,
    RawJson,
    exactly,
    is_complete,
    is_object,
    loads,
    loads_exact,
    read,
    swift,
)
from llm_projections._json.shapes import Shape, shape_of
from llm_projections._json.text import ObjectText, compact, object_bytes, same_tokens
from llm_projections._json.writing import (
    Fragment,
    all_finite,
    canonical,
    dumps,
    escape_separators,
    quote,
    quoted,
    quoted_row,
    shallow,
    splice,
    written,
)

__all__ = [
    "Envelope",
    "Fragment",
    "Json",
    "JsonError",
    "ObjectText",
    "RawJson",
    "Shape",
    "all_finite",
    "canonical",
    "compact",
    "copied",
    "copied_within",
    "crowded",
    "dumps",
    "escape_separators",
    "exactly",
    "is_complete",
    "is_object",
    "loads",
    "loads_exact",
    "nests_past",
    "object_bytes",
    "object_text",
    "objects",
    "quote",
    "quoted",
    "quoted_row",
    "read",
    "same_tokens",
    "shallow",
    "shape_of",
    "splice",
    "swift",
    "written",
]

"""Hypothesis strategies: plain values, and every value that the model's types allow."""

import json
from base64 import b64encode
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from attrs import fields, has
from hypothesis import strategies as st

from llm_projections._json import RawJson
from llm_projections.model.dialect import ALL, All

__all__ = [
    "BASE64",
    "SCHEMAS",
    "URLS",
    "anything",
    "arguments",
    "json_objects",
    "json_values",
    "maybe",
    "names",
    "texts",
]

# What has tripped parsers, framers and escapers; a lone surrogate is no text (tests of refusal have it).
_ODD = [
    "",
    " ",
    "\n",
    "\u2028\u2029\x85",
    "\x00\x1f\x7f",
    "é\ud7ff\U0001f600",
    '"\\/',
    "data: [DONE]",
]


def texts(min_size: int = 0) -> st.SearchStrategy[str]:
    """Texts, the troublesome ones often; Hypothesis leaves lone surrogates out."""
    odd = st.sampled_from([text for text in _ODD if len(text) >= min_size])
    return odd | st.text(min_size=min_size, max_size=12)


def names() -> st.SearchStrategy[str]:
    """Names that every wire takes: `[A-Za-z0-9_-]`, at most 64."""
    return st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,9}", fullmatch=True)


# Floats are finite: JSON has no other. Integers reach past 64 bit, where orjson alone is not exact.
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from([2**53 + 1, 2**63, 2**64, -(2**64), 10**40])
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts()
)


def json_values() -> st.SearchStrategy[Any]:
    """Any JSON value."""
    return st.recursive(
        _SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3),
        max_leaves=6,
    )


def json_objects() -> st.SearchStrategy[dict[str, Any]]:
    """Any JSON object; its keys keep their order."""
    return st.dictionaries(texts(), json_values(), max_size=4)


# Spellings that a parser would not keep: spaces, number forms, duplicate keys, escapes.
_SPELLED = [
    '{"a": 1.10 }',
    '{"a":1,"a":2}',
    '{"n":123456789012345678901234567890}',
    "{ }",
    '{"e":"\\u00e9"}',
]


def arguments() -> st.SearchStrategy[str]:
    """Arguments of a call: one JSON object, as text that only an exact codec keeps."""
    return st.sampled_from(_SPELLED) | json_objects().map(
        lambda value: json.dumps(value, ensure_ascii=False)
    )


class _Json:
    """Stands for `Json` while types are resolved."""


def anything(kind: type) -> st.SearchStrategy[Any]:
    """Every value of a class of the model that its annotations allow, wherever that makes sense or not."""
    return _of(kind)


@cache
def _of(kind: Any) -> st.SearchStrategy[Any]:
    if kind in _LEAVES:
        return _LEAVES[kind]
    if isinstance(kind, type) and has(kind):
        hints = get_type_hints(kind, localns={"Json": _Json})
        own = [each for each in fields(kind) if each.init]
        return st.deferred(
            lambda: st.builds(kind, **{each.alias: _of(hints[each.name]) for each in own})
        )
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.one_of([_of(each) for each in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(_of(args[0]), max_size=2).map(tuple)
    if origin is frozenset:
        return st.frozensets(_of(args[0]), max_size=3)
    if origin in (dict, Mapping):
        return st.dictionaries(texts(), _of(args[1]), max_size=3)
    raise TypeError(f"no strategy for {kind}")


_LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    str: texts(),
    bool: st.booleans(),
    int: st.integers(-9, 9) | st.sampled_from([2**64, 10**30]),
    float: st.floats(allow_nan=False, allow_infinity=False),
    NoneType: st.none(),
    All: st.just(ALL),
    _Json: json_values()
    | st.sampled_from([RawJson('{"a": 1.0,"a":2}'), {"$raw": "x"}, [{"$raw": {"$raw": 1}}]]),
}


SCHEMAS = st.sampled_from(
    [
        {"type": "object", "properties": {"z": {"type": "number", "maximum": 2**64}, "a": {}}},
        {"type": "object", "required": ["b", "a"], "x-odd": [1.5, None, {"é": ""}]},
    ]
)
BASE64 = st.binary(max_size=6).map(lambda data: b64encode(data).decode())
URLS = st.sampled_from(["https://x.example/a?b=c&d=%20", "http://x.example/é"])


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy

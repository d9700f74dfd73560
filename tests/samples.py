"""A few values of every public class, made from its annotations: each type that a field may hold is held by one.

Drawing such values costs minutes for the classes that hold many others; these are some hundred, and always the same.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

import llm_projections
import llm_projections.model
from llm_projections import Wire
from llm_projections._json import RawJson
from llm_projections.errors import (
    Dispatch,
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
)
from llm_projections.model.outcome import PartialOutcome, UpstreamError
from llm_projections.wires import WIRES

__all__ = ["PLAIN", "errors", "kinds", "samples"]

PLAIN = {"AnswerBody", "ReasoningDelta", "RefusalDelta", "TextDelta", "ToolArgumentsDelta"}
"""One is made for every delta: fresh, held by nobody else, and so not guarded against being changed."""

# How a capability is looked for is no value that anybody is given.
_INNER = {"Lack"}
_MODULES = [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(llm_projections.model.__path__, "llm_projections.model.")
]


class _Json:
    """Stands for `Json` while types are resolved."""


def kinds() -> list[type]:
    """Every attrs class that the package or a module of the model exports."""
    found = {
        value
        for module in (llm_projections, *_MODULES)
        for name in getattr(module, "__all__", ())
        if name not in _INNER
        and isinstance(value := getattr(module, name), type)
        and attrs.has(value)
    }
    return sorted(found, key=lambda kind: kind.__name__)


def samples(kind: type) -> list[Any]:
    """Values of a class: the least one, and for each field one of each thing that it may hold."""
    if kind in _GIVEN:
        return list(_GIVEN[kind])
    least = _least(kind)
    found = [least]
    for own, hint in _fields(kind):
        found += [attrs.evolve(least, **{own.alias: value}) for value in _brief(hint)]
    return found


def errors() -> list[Refusal]:
    """Errors of both kinds: the least, one that says everything, and one for each thing that they may say."""
    plain = RequestRefused(RefusalCode.UNSUPPORTED, "no place for it")
    partials: list[PartialOutcome] = samples(PartialOutcome)
    words: list[UpstreamError] = samples(UpstreamError)

    def failed(**more: Any) -> ResponseRefused:
        return ResponseRefused(RefusalCode.UNAVAILABLE, "the server failed", **more)

    return [
        plain,
        RequestRefused(RefusalCode.UNSUPPORTED, "no place for it", "items[0]"),
        RequestRefused(RefusalCode.UNSUPPORTED, "no place for it", loss="turn.cache"),
        RequestRefused(RefusalCode.UNSUPPORTED, "no place for it", others=[plain, plain]),
        *(RequestRefused(code, "said") for code in RefusalCode),
        *(failed(dispatch=dispatch) for dispatch in Dispatch if dispatch != Dispatch.NOT_SENT),
        failed(retriable=True),
        failed(retry_after_ms=0),
        *(failed(partial=partial) for partial in partials),
        *(failed(upstream=upstream) for upstream in words),
        failed(
            path="choices[0]",
            dispatch=Dispatch.ACCEPTED,
            retriable=True,
            retry_after_ms=1500,
            partial=partials[-1],
            upstream=words[-1],
        ),
    ]


def named_item(kind: str, index: int) -> str:
    """Ids of a caller's own: a function that pickles."""
    return f"{kind}-{index}"


def _fields(kind: type) -> list[tuple[Any, Any]]:
    hints = get_type_hints(kind, localns={"Json": _Json})
    return [(own, hints[own.name]) for own in attrs.fields(kind) if own.init]


@cache
def _least(kind: type) -> Any:
    """With what has to be given alone, the first of each."""
    given = {
        own.alias: _brief(hint)[0] for own, hint in _fields(kind) if own.default is attrs.NOTHING
    }
    return kind(**given)


@cache
def _most(kind: type) -> Any:
    """With everything given, the last of each."""
    return kind(**{own.alias: _brief(hint)[-1] for own, hint in _fields(kind)})


def _brief(hint: Any) -> list[Any]:
    """A few values of a type, one at least of each that it is made of."""
    if hint in _LEAVES:
        return _LEAVES[hint]
    if isinstance(hint, type) and hint in _GIVEN:
        return list(_GIVEN[hint])
    if isinstance(hint, type) and attrs.has(hint):
        return [_least(hint), _most(hint)]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return list(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return [value for arg in args for value in _brief(arg)]
    if origin is Literal:
        return list(args)
    if origin is tuple:
        inner = _brief(args[0])
        return [(), *((value,) for value in inner), (inner[0], inner[-1])]
    if origin is frozenset:
        return [frozenset(), frozenset(_brief(args[0]))]
    if origin in (dict, Mapping):
        return [{}, {"b": _brief(args[1])[-1], "a": _brief(args[1])[0]}]
    raise TypeError(f"no sample of {hint}")


_JSON: list[Any] = [
    None,
    True,
    10**40,
    1.5,
    "\u2028 \U0001f600",
    RawJson('{"a": 1.0,"a":2}'),
    {"z": [{"a": [1, {}]}], "a": None},
]
_LEAVES: dict[Any, list[Any]] = {
    str: ["", "said"],
    bool: [False, True],
    int: [0, 2**64],
    float: [0.0, 1.5],
    bytes: [b"", b"\x00\xff"],
    NoneType: [None],
    Any: _JSON,
    _Json: _JSON,
    Refusal: [
        RequestRefused(RefusalCode.UNSUPPORTED, "no place for it", "items[0]", loss="turn.cache"),
        ResponseRefused(RefusalCode.PROTOCOL, "ended", partial=PartialOutcome()),
    ],
    RequestRefused: [RequestRefused(RefusalCode.UNSUPPORTED, "no place for it")],
    ResponseRefused: [ResponseRefused(RefusalCode.PROTOCOL, "ended")],
    Callable[[str, int], str]: [named_item],
}
_GIVEN: dict[type, list[Any]] = {
    RawJson: [RawJson("{}"), RawJson('{"a": 1.0,"a":2}')],
    Wire: list(WIRES.values()),
}

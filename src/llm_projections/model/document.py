"""Turns, outcomes and bindings as versioned JSON documents.

Rules:
1. A document names its format and version; an unknown one is refused by name.
2. Every field of a known format is known: another one is refused by its path.
3. Values are never converted: a number where text belongs is refused.
4. What equals its default is left out. A value whose class its place does not tell carries a `kind`.

One private strict converter does it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache, partial
from re import compile as pattern
from types import GenericAlias, NoneType, UnionType
from typing import Any, Literal, TypeGuard, Union, cast, get_args, get_origin

from attrs import has, resolve_types
from cattrs import Converter, transform_error
from cattrs.errors import ForbiddenExtraKeysError

from llm_projections import _json
from llm_projections._json import Json, RawJson
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model import binding, dialect, items, outcome, tools, turn

__all__ = ["from_document", "to_document"]

Storable = turn.TurnRequest | outcome.TurnOutcome | binding.Binding

_FORMATS: dict[str, type[Storable]] = {
    "llm.turn/1": turn.TurnRequest,
    "llm.outcome/1": outcome.TurnOutcome,
    "llm.binding/1": binding.Binding,
}
_NAMES: dict[type, str] = {kind: name for name, kind in _FORMATS.items()}
_RAW = "$raw"
# what is carried stands deeper in a document than in the body, of 512 levels at most, that it came in
_DEPTH = 1024
_UNKNOWN = "not a known field"
_PLAIN = pattern(r"[A-Za-z0-9_.-]{1,64}").fullmatch
_KEYED = pattern(r"(?s)(.*?)\[(['\"])(.*)\2\]").fullmatch


def to_document(value: Storable) -> bytes:
    """`value` as a JSON document: `{"format": "llm.turn/1", ...}`, `llm.outcome/1` or `llm.binding/1`.

    A binding's document holds no credential. Raises `RequestRefused` (INVALID_REQUEST) for what no JSON can say, such
    as a lone surrogate, and TOO_LARGE for what nests deeper than 1,024 levels.
    """
    body = _converter().unstructure(value, type(value))
    try:
        return _json.dumps({"format": _NAMES[type(value)], **body})
    except _json.JsonError as error:
        raise _unreadable(error) from None


def from_document(document: bytes) -> Storable:
    """The value that `to_document` wrote.

    Raises `RequestRefused` by path: TOO_LARGE for what nests deeper than 1,024 levels, INVALID_REQUEST for anything
    else: an unknown format or version, an unknown or missing field, a value of another type.
    """
    try:
        body = _json.read(document, _DEPTH).value
    except _json.JsonError as error:
        raise _unreadable(error) from None
    if not isinstance(body, dict):
        raise RequestRefused(RefusalCode.INVALID_REQUEST, "a document is a JSON object")
    name = body.pop("format", None)
    kind = _FORMATS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise RequestRefused(RefusalCode.INVALID_REQUEST, "not a known document format", "format")
    try:
        return _converter().structure(body, kind)
    except Exception as error:  # noqa: BLE001  # cattrs raises groups of anything; none may leave
        raise _refusal(error) from None


def _unreadable(error: _json.JsonError) -> RequestRefused:
    code = RefusalCode.TOO_LARGE if error.too_deep else RefusalCode.INVALID_REQUEST
    return RequestRefused(code, error.reason, error.path)


def _refusal(error: BaseException) -> RequestRefused:
    """The first fault that the converter found, by path."""
    told = transform_error(error, "$", _reason)[0]
    # a name that nobody knows stands in the reason, the key of a mapping in the path: either may hold the separator
    unknown = told.startswith(_UNKNOWN)
    reason, _, path = told.rpartition(" @ $") if unknown else told.partition(" @ $")
    path, name = path.lstrip("."), ""
    if unknown:
        reason, name = reason[: len(_UNKNOWN)], reason[len(_UNKNOWN) :]
    elif keyed := _KEYED(path):
        path, name = keyed[1], keyed[3]
    if _PLAIN(name) is not None:
        path = f"{path}.{name}" if path else name
    return RequestRefused(RefusalCode.INVALID_REQUEST, reason, path)


def _reason(error: BaseException, _kind: object) -> str:
    if isinstance(error, KeyError):
        return "is required"
    if isinstance(error, ForbiddenExtraKeysError):
        return _UNKNOWN + min(error.extra_fields)
    return "is not what belongs here"


class _FreeJson:
    """Stands for `Json` while the model's types are resolved: free values, never converted."""


_MODULES = (items, tools, turn, outcome, dialect, binding)


@cache
def _converter() -> Converter:
    for module in _MODULES:
        for name in module.__all__:
            kind = getattr(module, name)
            if isinstance(kind, type) and has(kind):
                resolve_types(kind, localns={"Json": _FreeJson})
    converter = Converter(forbid_extra_keys=True, omit_if_default=True)
    for exact in (str, int, bool):
        converter.register_structure_hook(exact, _exactly)
    converter.register_structure_hook(float, _number)
    # said for themselves: a hook for `str` takes its subclasses too
    for words in (items.Protocol, tools.ToolChoiceMode):
        converter.register_structure_hook(words, _word)
    converter.register_structure_hook_func(_is_free, _restored)
    converter.register_unstructure_hook_func(_is_free, _stored)
    converter.register_structure_hook_func(_is_literal, _one_of)
    converter.register_structure_hook_func(_is_names, _names)
    converter.register_structure_hook_func(_is_tuple, partial(_sequence, converter))
    converter.register_unstructure_hook_func(_is_names, sorted)
    converter.register_structure_hook_func(_is_union, partial(_structured, converter))
    converter.register_unstructure_hook_factory(_is_union, partial(_tagging, converter))
    return converter


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_names(kind: Any) -> bool:
    return get_origin(kind) is frozenset


def _is_free(kind: Any) -> bool:
    return kind is _FreeJson or (get_origin(kind) is dict and get_args(kind)[1] is _FreeJson)


def _exactly(value: object, kind: type) -> object:
    if type(value) is not kind:
        raise ValueError
    return value


def _number(value: object, _kind: type) -> object:
    if type(value) not in (int, float):
        raise ValueError
    return value


def _text(value: object) -> str:
    return cast(str, _exactly(value, str))


def _listed(value: object) -> list[object]:
    return cast("list[object]", _exactly(value, list))


def _sequence(converter: Converter, value: object, kind: Any) -> tuple[Any, ...]:
    # as a list, which notes the position of a faulty element; anything iterable would do for a tuple
    elements: Any = GenericAlias(list, (get_args(kind)[0],))
    return tuple(converter.structure(_listed(value), elements))


def _names(value: object, _kind: object) -> frozenset[str]:
    return frozenset(_text(element) for element in _listed(value))


def _word(value: object, kind: type[Enum]) -> Enum:
    return kind(_text(value))


def _one_of(value: object, kind: Any) -> object:
    if value not in get_args(kind):
        raise ValueError
    return value


def _structured(converter: Converter, value: Any, union: Any) -> object:
    """A value of one of several types: told by `kind`, or by what JSON it is."""
    kinds = get_args(union)
    if value is None and NoneType in kinds:
        return None
    classes = {kind.__name__: kind for kind in kinds if _is_model(kind)}
    others = [kind for kind in kinds if kind is not NoneType and kind not in classes.values()]
    if classes and not _told_apart(kinds):
        return converter.structure(value, next(iter(classes.values())))
    if classes and isinstance(value, dict):
        body = dict(cast("dict[str, Json]", value))
        return converter.structure(body, classes[_text(body.pop("kind", None))])
    if value == "*" and dialect.All in others:
        return dialect.ALL
    for kind in others:
        if kind is not dialect.All:
            return converter.structure(value, kind)
    raise ValueError


def _is_model(kind: Any) -> TypeGuard[type[Any]]:
    return isinstance(kind, type) and has(kind) and kind is not _FreeJson


def _told_apart(kinds: tuple[Any, ...]) -> bool:
    """Whether a value of these types carries its `kind`."""
    return sum(kind is not NoneType for kind in kinds) > 1


def _tagging(converter: Converter, union: Any) -> Callable[[Any], object]:
    return partial(_tagged, converter, _told_apart(get_args(union)))


def _tagged(converter: Converter, told_apart: bool, value: Any) -> object:
    if value is dialect.ALL:
        return "*"
    if isinstance(value, frozenset):
        return sorted(cast("frozenset[str]", value))
    if not _is_model(type(value)):
        return value.value if isinstance(value, Enum) else _stored(value)
    body = converter.unstructure(value)
    return {"kind": type(value).__name__, **body} if told_apart else body


def _stored(value: Any) -> Any:
    """Free JSON for a document: exact texts are told apart from objects."""
    return _rebuilt(value, _told)


def _restored(value: Any, kind: object = None) -> Any:
    restored = _free(value)
    return _exactly(restored, dict) if get_origin(kind) is dict else restored


def _free(value: Any) -> Any:
    return _rebuilt(value, _untold)


def _told(node: Any) -> tuple[Any, Any]:
    if isinstance(node, RawJson):
        return {_RAW: node.text}, None
    if isinstance(node, dict):
        plain = cast("dict[str, Json]", node).copy()
        return {_RAW: plain} if _RAW in plain else plain, plain
    return _beside(node)


def _untold(node: Any) -> tuple[Any, Any]:
    if isinstance(node, dict):
        members = cast("dict[str, Json]", node)
        if members.keys() == {_RAW}:
            raw = members[_RAW]
            if isinstance(raw, str):
                return RawJson(raw), None
            members = cast("dict[str, Json]", _exactly(raw, dict))
        plain = members.copy()
        return plain, plain
    return _beside(node)


def _beside(node: Any) -> tuple[Any, Any]:
    if isinstance(node, list):
        plain = cast("list[Json]", node).copy()
        return plain, plain
    return node, None


def _rebuilt(value: Any, one: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Free JSON, each node made anew by `one`: it gives what stands for the node, and what of that holds further ones.

    It does not recurse: a body may nest as deep as half of what the interpreter allows.
    """
    top: list[Any] = [value]
    todo: list[Any] = [top]
    for node in todo:  # grows while it is walked
        keys = cast("dict[str, Json]", node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            node[key], further = one(node[key])
            if further:
                todo.append(further)
    return top[0]

"""Holds JSON values against the types that a vendor's SDK publishes, and names what differs.

`TypeAdapter.validate_json(strict=True)` judges answers. Its errors over unions name every
variant that did not fit, so `compare` walks value and type side by side to name the place.
For request parameters the walk alone decides: pydantic leaves `Iterable[...]` unvalidated, and most
of their lists are declared so.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, Union, get_args, get_origin

pydantic: Any = import_module("pydantic")
extensions: Any = import_module("typing_extensions")

SCALARS: Mapping[Any, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    float: (int, float),
    bool: (bool,),
}


@dataclass
class Difference:
    """What a value gets wrong (`strict`), and what its type does not declare (`unknown`)."""

    strict: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])

    def add(self, other: Difference) -> None:
        """Take over what another comparison found."""
        self.strict += other.strict
        self.unknown += other.unknown


@dataclass(frozen=True)
class Member:
    """One declared key of an object type."""

    annotation: Any
    required: bool


def check_answer(declared: Any, raw: str | bytes) -> Difference:
    """Compare a JSON text of an answer with its type; nothing that pydantic rejects passes."""
    found = compare(declared, json.loads(raw), "")
    if not found.strict:
        try:
            adapter(declared).validate_json(raw, strict=True)
        except pydantic.ValidationError as error:
            found.strict += [f"{_dotted(e['loc'])}: {e['type']}" for e in error.errors()]
    return found


def check_request(declared: Any, body: bytes) -> Difference:
    """Compare the JSON text of a request with the SDK's parameter type."""
    return compare(declared, json.loads(body), "")


@cache
def adapter(declared: Any) -> Any:
    """The pydantic validator of a published type."""
    return pydantic.TypeAdapter(declared)


def compare(declared: Any, value: Any, at: str) -> Difference:
    """Walk a JSON value along a type."""
    kind = _bare(declared)
    origin = get_origin(kind)
    if kind in (Any, object) or isinstance(kind, typing.TypeVar):
        return Difference()
    if kind in (None, type(None)):
        return _demand(value is None, at, "null")
    if origin is Literal:
        return _demand(
            any(value == v and type(value) is type(v) for v in get_args(kind)), at, "literal"
        )
    if kind in SCALARS:
        return _demand(type(value) in SCALARS[kind], at, kind.__name__)
    if _is_union(origin):
        return _compare_union(get_args(kind), value, at)
    if _is_object_type(kind):
        return _compare_object(kind, value, at)
    if origin is not None and issubclass(origin, Mapping):
        return (
            _compare_each(get_args(kind)[1], value.items(), at)
            if isinstance(value, dict)
            else _demand(False, at, "object")
        )
    if _is_sequence(origin):
        return (
            _compare_each(get_args(kind)[0], enumerate(value), at)
            if isinstance(value, list)
            else _demand(False, at, "array")
        )
    # Files, dates and the like have no JSON type of their own: strings stand for them on the wire.
    return _demand(isinstance(value, str), at, str(kind))


def _compare_each(declared: Any, entries: Iterable[tuple[Any, Any]], at: str) -> Difference:
    found = Difference()
    for key, entry in entries:
        found.add(
            compare(declared, entry, f"{at}[{key}]" if isinstance(key, int) else _join(at, key))
        )
    return found


def _compare_object(kind: Any, value: Any, at: str) -> Difference:
    if not isinstance(value, dict):
        return _demand(False, at, "object")
    found = Difference()
    members = _members(kind)
    for key, member in members.items():
        if key in value:
            found.add(compare(member.annotation, value[key], _join(at, key)))
        elif member.required:
            found.strict.append(f"{_join(at, key)}: missing")
    found.unknown += [_join(at, key) for key in value if key not in members]
    return found


def _compare_union(variants: tuple[Any, ...], value: Any, at: str) -> Difference:
    flat = list(_flatten(variants))
    if isinstance(value, dict):
        fitting = [v for v in flat if _carries_its_tags(v, value)]
        if not fitting:
            return _demand(False, at, f"variant {value.get('type', value.get('role'))!r}")
    elif isinstance(value, list):
        fitting = [v for v in flat if _is_sequence(get_origin(v))] or flat
    else:
        fitting = flat
    tried = [compare(variant, value, at) for variant in fitting]
    return min(tried, key=lambda found: (len(found.strict), len(found.unknown)))


def _carries_its_tags(variant: Any, value: dict[str, Any]) -> bool:
    """Whether the value agrees with every literal that the variant fixes (`type`, `role`)."""
    kind = _bare(variant)
    if not _is_object_type(kind):
        return get_origin(kind) is not None or kind in (Any, object)
    for key, member in _members(kind).items():
        annotation = _bare(member.annotation)
        if key in value and get_origin(annotation) is Literal and len(get_args(annotation)) == 1:
            if value[key] not in get_args(annotation):
                return False
    return True


@cache
def _members(kind: Any) -> dict[str, Member]:
    if extensions.is_typeddict(kind):
        hints = extensions.get_type_hints(kind, include_extras=True)
        return dict(_typed_dict_member(kind, key, hint) for key, hint in hints.items())
    return {
        f.alias or name: Member(f.annotation, f.is_required())
        for name, f in kind.model_fields.items()
    }


def _typed_dict_member(kind: Any, key: str, hint: Any) -> tuple[str, Member]:
    # Under postponed annotations `__required_keys__` knows only `total`; the rest is in the hint.
    origin = get_origin(hint)
    required = origin is extensions.Required or (
        key in kind.__required_keys__ and origin is not extensions.NotRequired
    )
    inner = get_args(hint)[0] if origin in (extensions.Required, extensions.NotRequired) else hint
    aliases = [m.alias for m in getattr(inner, "__metadata__", ()) if getattr(m, "alias", None)]
    return (aliases[0] if aliases else key), Member(inner, required)


def _flatten(variants: Iterable[Any]) -> Iterator[Any]:
    for variant in variants:
        kind = _bare(variant)
        if _is_union(get_origin(kind)):
            yield from _flatten(get_args(kind))
        else:
            yield kind


def _bare(declared: Any) -> Any:
    while get_origin(declared) in (typing.Annotated, extensions.Required, extensions.NotRequired):
        declared = get_args(declared)[0]
    if isinstance(declared, extensions.TypeAliasType):
        return _bare(declared.__value__)
    return declared


def _is_union(origin: Any) -> bool:
    return origin is Union or getattr(origin, "__name__", "") == "UnionType"


def _is_object_type(kind: Any) -> bool:
    return extensions.is_typeddict(kind) or (
        isinstance(kind, type) and hasattr(kind, "model_fields")
    )


def _is_sequence(origin: Any) -> bool:
    return origin is not None and (
        getattr(origin, "__name__", "") == "SequenceNotStr" or issubclass(origin, Iterable)
    )


def _demand(holds: bool, at: str, what: str) -> Difference:
    return Difference() if holds else Difference(strict=[f"{at or '$'}: not {what}"])


def _join(at: str, key: object) -> str:
    return f"{at}.{key}" if at else str(key)


def _dotted(loc: Iterable[object]) -> str:
    return ".".join(str(part) for part in loc) or "$"

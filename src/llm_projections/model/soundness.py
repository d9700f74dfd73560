"""Whether a value is made of what its types say: asked where a quick look does not tell.

Rules:
1. The annotations of a class are the only source: what a type checker would turn down is turned down here.
2. A subclass of `str`, `int` or `float` is one; `True` is no number, and a list is no tuple.
3. Of carried JSON only its outermost value is looked at: what writes it tells the rest by its place.
4. No value is ever quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from attrs import fields, has

from llm_projections._json import RawJson
from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import Item
from llm_projections.model.turn import TurnRequest

__all__ = [
    "is_sound",
    "is_sound_field",
    "is_sound_item",
    "kind_faults",
    "require_sound",
    "unsound",
]

_Test = Callable[[Any], bool]


class _FreeJson:
    """Stands for `Json` while annotations are resolved."""


# grows by what is asked for: some fifty kinds
_TESTS: dict[Any, _Test] = {
    _FreeJson: lambda value: (
        value is None or isinstance(value, bool | int | float | str | list | dict | RawJson)
    ),
    NoneType: lambda value: value is None,
    bool: lambda value: value is True or value is False,
    int: lambda value: isinstance(value, int) and not isinstance(value, bool),
    float: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    str: lambda value: isinstance(value, str),
    bytes: lambda value: isinstance(value, bytes),
}
_FIELDS: dict[Any, dict[str, _Test]] = {}
_ITEMS = frozenset(get_args(Item))
_WORDS: dict[Any, str] = {
    bool: "must be true or false",
    int: "must be an integer",
    float: "must be a number",
    str: "must be text",
    tuple: "must be a tuple",
    dict: "must be an object",
    Mapping: "must be an object",
    Enum: "is not one of its values",
}


def is_sound(value: object, kind: Any) -> bool:
    """Whether `value` is one of the class `kind`, and all in it is what its annotations say."""
    return _test(kind)(value)


def is_sound_item(item: Item) -> bool:
    """`is_sound` of an item, whatever its class."""
    kind = type(item)
    return kind in _ITEMS and _test(kind)(item)


def is_sound_field(owner: type, name: str, value: object) -> bool:
    """Whether a value may stand in that field of a class."""
    return _tests_of(owner)[name](value)


def unsound(value: object, kind: Any, path: str) -> Iterator[tuple[str, str]]:
    """Where a value is not what its type says, and what belongs there; nothing of one that is sound."""
    if _test(kind)(value):
        return
    for each in _kinds(kind):
        if _is_model(each) and type(value) is each:
            for name, member in _members(each).items():
                yield from unsound(getattr(value, name), member, f"{path}.{name}" if path else name)
            return
        if get_origin(each) is tuple and isinstance(value, tuple):
            element = get_args(each)[0]
            for position, held in enumerate(cast("tuple[object, ...]", value)):
                yield from unsound(held, element, f"{path}[{position}]")
            return
    yield path, _wanted(kind)


def kind_faults(turn: TurnRequest) -> Iterator[RequestRefused]:
    """Every place of `turn` that does not hold what its type says."""
    for path, message in unsound(turn, TurnRequest, ""):
        yield RequestRefused(RefusalCode.INVALID_REQUEST, message, path)


def require_sound(value: object) -> None:
    """Raise TypeError where a field of `value` does not hold what its annotation says; it names the field alone."""
    if not _test(type(value))(value):
        told = [f"{path} {message}" for path, message in unsound(value, type(value), "")]
        raise TypeError(f"{type(value).__name__}: {', '.join(told)}")


def _wanted(kind: Any) -> str:
    """What belongs in a place, where one word tells it."""
    kinds = [each for each in _kinds(kind) if each is not NoneType]
    if all(map(_is_model, kinds)):
        return "is not what belongs here"
    (first, *others) = {get_origin(each) or _plain(each): None for each in kinds}
    return "is not what belongs here" if others else _WORDS.get(first, "is not what belongs here")


def _plain(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Enum
    return cast(Any, kind)


def _kinds(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and has(kind)


def _members(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind, localns={"Json": _FreeJson})
    return {field.name: hints[field.name] for field in fields(kind)}


def _test(kind: Any) -> _Test:
    found = _TESTS.get(kind)
    if found is None:
        found = _TESTS[kind] = _made(kind)
    return found


def _made(kind: Any) -> _Test:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _any_of(inner)
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in inner
    if origin is tuple:
        return _each_of(tuple, _test(inner[0]))
    if origin is frozenset:
        return _each_of(frozenset, _test(inner[0]))
    if origin is dict:
        return lambda value: isinstance(value, dict)
    if origin is not None and issubclass(origin, Mapping):
        return _mapped(*map(_test, inner))
    if origin is not None:
        return callable
    return _of_model(kind) if _is_model(kind) else lambda value: isinstance(value, kind)


def _any_of(kinds: tuple[Any, ...]) -> _Test:
    """One look at its class tells a value of a union of classes; of others, one test after the other."""
    others = tuple(_test(kind) for kind in kinds if not _is_model(kind))
    models = {kind: _test(kind) for kind in kinds if _is_model(kind)}
    optional = NoneType in kinds

    def test(value: Any) -> bool:
        if value is None:
            return optional
        found = models.get(type(value))
        return found(value) if found is not None else any(other(value) for other in others)

    return test


def _each_of(holder: type, test: _Test) -> _Test:
    def each(value: Any) -> bool:
        return isinstance(value, holder) and (
            not value or all(map(test, cast("tuple[object, ...]", value)))
        )

    return each


def _mapped(key: _Test, member: _Test) -> _Test:
    def test(value: Any) -> bool:
        if not isinstance(value, Mapping):
            return False
        held = cast("Mapping[object, object]", value)
        return all(map(key, held)) and all(map(member, held.values()))

    return test


def _tests_of(kind: Any) -> dict[str, _Test]:
    """The test of each field of a class: made on first use, since a class may stand in its own annotations."""
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = {name: _test(held) for name, held in _members(kind).items()}
    return found


def _of_model(kind: type) -> _Test:
    # on first use: a class may stand in its own annotations
    plan: list[tuple[Callable[[Any], Any], list[frozenset[type]], list[_Test]]] = []

    def test(value: Any) -> bool:
        if type(value) is not kind:
            return False
        if not plan:
            # one plan, whoever else makes it meanwhile
            plan[:] = [_plan(kind)]
        ((held_of, classes, tests),) = plan
        for held, certain, is_right in zip(held_of(value), classes, tests, strict=True):
            if type(held) not in certain and not is_right(held):
                return False
        return True

    return test


def _plan(kind: type) -> tuple[Callable[[Any], Any], list[frozenset[type]], list[_Test]]:
    """How the fields of a class are read at once, whose class alone tells that they are sound, and the test of each."""
    members = _members(kind)
    names = tuple(members)

    def few(value: Any) -> tuple[Any, ...]:
        return tuple(getattr(value, name) for name in names)

    # of one name it gives no tuple, of none nothing at all
    held_of = attrgetter(*names) if len(names) > 1 else few
    return held_of, list(map(_certain, members.values())), list(_tests_of(kind).values())


def _certain(kind: Any) -> frozenset[type]:
    """The classes whose every value is one of that kind."""
    if get_origin(kind) in (Union, UnionType):
        return frozenset[type]().union(*map(_certain, get_args(kind)))
    if kind is _FreeJson:
        return frozenset({NoneType, bool, int, float, str, list, dict})
    if kind is float:
        return frozenset({int, float})
    if get_origin(kind) is dict:
        return frozenset({dict})
    bare = kind in (str, bool, int, NoneType) or _plain(kind) is Enum
    return frozenset({kind}) if bare else frozenset()

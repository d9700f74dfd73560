"""Frozen values at the price of plain ones: attrs classes with another constructor.

Rules:
1. To everybody else they are attrs classes: `fields`, `evolve`, `asdict`, matching and structuring work.
2. Nothing can be set or deleted. Two are equal where their class and their compared fields are.
3. They copy and pickle through their constructor, so no value exists that was not made by it.

A constructor of `attrs.frozen` goes around its own guard for each field: 0.8 µs for four fields in a program that does
other things too, and a body of 400 messages becomes some 1,200 values. Here the fields of an unguarded twin of the
same layout are set, and its class is changed last: 0.3 µs. What compares, hashes and shows values is not generated for
each class either, which keeps importing this package cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["frozen"]

if TYPE_CHECKING:
    # a type checker knows these very classes, and nothing of how they are made
    from attrs import frozen
else:
    from operator import attrgetter

    import attrs

    def frozen(cls=None, /, *, eq=True, repr=True):
        """Make an attrs class of the annotated `cls`, as `attrs.frozen` does.

        `eq=False` compares by identity, `repr=False` shows no fields. Of `attrs.field` it knows `default`, `factory`,
        `eq`, `hash`, `repr` and `alias`; `__attrs_post_init__` is called last. No class can be derived from one made
        so.
        """
        if cls is None:
            return lambda named: frozen(named, eq=eq, repr=repr)
        made = attrs.define(
            cls, init=False, eq=False, repr=False, getstate_setstate=False, weakref_slot=False
        )
        fields = attrs.fields(made)
        made.__new__ = _constructor(made, fields)
        made.__setattr__ = made.__delattr__ = _refuse
        made.__reduce__ = _reduction(fields)
        if eq:
            made.__eq__, made.__hash__ = _comparison([own for own in fields if own.eq])
        if repr:
            made.__repr__ = _representation([own.name for own in fields if own.repr])
        return made

    def _constructor(made, fields):
        known = {"_new": object.__new__, "_twin": _twin(made)}
        parameters, lines = [], []
        for own in fields:
            value = own.alias
            if own.default is attrs.NOTHING:
                parameters.append(own.alias)
            elif isinstance(own.default, attrs.Factory):
                known[f"_make_{own.alias}"] = own.default.factory
                parameters.append(f"{own.alias}=_nothing")
                value = f"_make_{own.alias}() if {own.alias} is _nothing else {own.alias}"
            else:
                known[f"_default_{own.alias}"] = own.default
                parameters.append(f"{own.alias}=_default_{own.alias}")
            lines.append(f"    self.{own.name} = {value}")
        known["_nothing"] = attrs.NOTHING
        lines.append("    self.__class__ = cls")
        if hasattr(made, "__attrs_post_init__"):
            lines.append("    self.__attrs_post_init__()")
        head = f"def __new__({', '.join(['cls', *parameters])}):\n    self = _new(_twin)\n"
        exec("\n".join([head, *lines, "    return self"]), known)
        new = known["__new__"]
        new.__qualname__, new.__module__ = f"{made.__qualname__}.__new__", made.__module__
        new.__annotations__ = {own.alias: own.type for own in fields}
        return new

    def _twin(made):
        """A class of the same layout, whose values can be set."""
        return type("Unfrozen", (), {"__slots__": made.__slots__})

    def _getter(names):
        """All of these fields at once, as one value."""
        return attrgetter(*names) if names else lambda _: ()

    def _refuse(*_):
        raise attrs.exceptions.FrozenInstanceError

    def _reduction(fields):
        names = [own.name for own in fields]

        def reduce_of(self):
            return self.__class__, tuple(getattr(self, name) for name in names)

        return reduce_of

    def _comparison(compared):
        get = _getter([own.name for own in compared])
        # a field that has no hash is compared all the same: equal values have one hash in any case
        known = _getter([own.name for own in compared if own.hash is not False])

        def eq_of(self, other):
            return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):  # noqa: N807
            return hash((self.__class__, known(self)))

        return eq_of, __hash__

    def _representation(names):
        def repr_of(self):
            shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            return f"{self.__class__.__qualname__}({shown})"

        return repr_of

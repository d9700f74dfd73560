"""Values at the price of plain classes: attrs classes that attrs is asked about only when somebody asks.

Rules:
1. To everybody else they are attrs classes: `fields`, `evolve`, `asdict`, matching and structuring work.
2. Nothing of a `frozen` one can be set or deleted. Two are equal where their class and their compared fields are.
3. They copy and pickle through their constructor, so no value exists that was not made by it.

A constructor of `attrs.frozen` goes around its own guard for each field: 0.8 µs for four fields in a program that does
other things too, and a body of 400 messages becomes some 1,200 values. Here the fields of an unguarded twin of the
same layout are set, and its class is changed last: 0.3 µs.

attrs also writes and compiles the methods of every class while it is imported: 0.25 ms each, of which this package has
some ninety. Here constructors of one shape are compiled once and share their code under other names, what compares,
hashes and shows values is not written for each class, and what attrs knows of the fields is made on first demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["define", "field", "frozen"]

if TYPE_CHECKING:
    # a type checker knows these very classes, and nothing of how they are made
    from attrs import define, field, frozen
else:
    from functools import cache, cached_property
    from operator import attrgetter
    from types import FunctionType

    import attrs

    _NOTHING = attrs.NOTHING

    def frozen(cls=None, /, *, eq=True, repr=True):
        """Make an attrs class of the annotated `cls`, as `attrs.frozen` does.

        `eq=False` compares by identity, `repr=False` shows no fields; `__attrs_post_init__` is called last. It derives
        from no class, and none can be derived from it. Raises TypeError where `cls` has a base, and where a field
        without a default follows one that has one.
        """
        if cls is None:
            return lambda named: frozen(named, eq=eq, repr=repr)
        fields = _fields(cls)
        body = _body(cls, fields)
        twin = type("Unfrozen", (), {"__slots__": body["__slots__"]})
        known = {"_twin": twin}
        body["__new__"] = _constructor(cls, "__new__", fields, known)
        body["__setattr__"] = body["__delattr__"] = _refuse
        if eq:
            body["__eq__"], body["__hash__"] = _comparison(fields)
        if repr:
            body["__repr__"] = _representation(fields)
        return type(cls.__name__, (), body)

    def define(cls=None, /, *, unsafe_hash=False):
        """Make an attrs class whose fields can be set, as `attrs.define` does; the rest is as `frozen` says."""
        if cls is None:
            return lambda named: define(named, unsafe_hash=unsafe_hash)
        fields = _fields(cls)
        body = _body(cls, fields)
        body["__init__"] = _constructor(cls, "__init__", fields, {})
        body["__eq__"], by_value = _comparison(fields)
        body["__hash__"] = by_value if unsafe_hash else None
        body["__repr__"] = _representation(fields)
        return type(cls.__name__, (), body)

    class field:  # noqa: N801  attrs calls it so
        """What is said of a field: as much of `attrs.field` as these classes know."""

        __slots__ = ("alias", "default", "eq", "factory", "hash", "name", "repr")

        def __init__(
            self, *, default=_NOTHING, factory=None, eq=True, hash=None, repr=True, alias=None
        ):
            self.default, self.factory, self.alias = default, factory, alias
            self.eq, self.hash, self.repr = eq, hash, repr

        def needed(self):
            return self.default is _NOTHING and self.factory is None

        def asked(self):
            """The same in the words of attrs."""
            made = {"default": self.default} if self.factory is None else {"factory": self.factory}
            return attrs.field(**made, eq=self.eq, hash=self.hash, repr=self.repr, alias=self.alias)

    def _fields(cls):
        if cls.__bases__ != (object,):
            raise TypeError(f"{cls.__name__} has a base")
        given, fields = vars(cls), []
        for name in cls.__annotations__:
            said = given.get(name, _NOTHING)
            own = said if said.__class__ is field else field(default=said)
            own.name, own.alias = name, own.alias or name.lstrip("_")
            if fields and own.needed() and not fields[-1].needed():
                raise TypeError(f"{name} has no default and follows a field that has one")
            fields.append(own)
        return fields

    def _body(cls, fields):
        """What the class holds but for its constructor, and for what depends on its being frozen."""
        names = tuple(own.name for own in fields)
        left_out = {*names, "__dict__", "__weakref__"}
        body = {name: held for name, held in vars(cls).items() if name not in left_out}
        cached = {name: held for name, held in body.items() if isinstance(held, cached_property)}
        if cached:
            body = {name: held for name, held in body.items() if name not in cached}
            body["__getattr__"] = _on_first_use({name: own.func for name, own in cached.items()})
        body["__qualname__"] = cls.__qualname__
        body["__slots__"] = (*names, *cached)
        body["__match_args__"] = names
        body["__attrs_attrs__"] = _Demanded(fields)
        body["__replace__"] = attrs.evolve
        body["__reduce__"] = _reduction(names)
        return body

    class _Demanded:
        """Stands for the fields of a class as attrs notes them, until somebody asks; most classes are never asked."""

        __slots__ = ("_fields", "_known")

        def __init__(self, fields):
            self._fields, self._known = fields, {}

        def __get__(self, _, cls):
            body = {own.name: own.asked() for own in self._fields}
            body["__annotations__"] = cls.__annotations__
            body["__module__"] = cls.__module__
            asked = attrs.define(
                type(cls.__name__, (), body), init=False, eq=False, repr=False, slots=False
            )
            # two threads that ask at once get one answer: whoever resolves the types of fields changes them in place
            cls.__attrs_attrs__ = self._known.setdefault("", attrs.fields(asked))
            return cls.__attrs_attrs__

    @cache
    def _shape(method, count, made, checks):
        """The code of a constructor of so many fields; those at `made` are made where they are not given."""
        creates = method == "__new__"
        given = ["cls" if creates else "self", *(f"a{at}" for at in range(count))]
        values = [
            f"_make_{at}() if a{at} is _nothing else a{at}" if at in made else f"a{at}"
            for at in range(count)
        ]
        lines = [
            f"def {method}({', '.join(given)}):",
            "self = _twin()" * creates,
            *(f"self.f{at} = {value}" for at, value in enumerate(values)),
            "self.__class__ = cls" * creates,
            "self.__attrs_post_init__()" * checks,
            "return self" if creates else "return",
        ]
        known = {}
        exec("\n ".join(lines), known)
        return known[method].__code__

    def _constructor(cls, method, fields, known):
        made = {at: own.factory for at, own in enumerate(fields) if own.factory is not None}
        known |= {f"_make_{at}": factory for at, factory in made.items()}
        known |= {"_nothing": _NOTHING, "__name__": cls.__module__}
        names = {f"f{at}": own.name for at, own in enumerate(fields)}
        names |= {f"a{at}": own.alias for at, own in enumerate(fields)}
        shape = _shape(method, len(fields), frozenset(made), hasattr(cls, "__attrs_post_init__"))
        code = shape.replace(
            co_names=tuple(names.get(name, name) for name in shape.co_names),
            co_varnames=tuple(names.get(name, name) for name in shape.co_varnames),
            co_qualname=f"{cls.__qualname__}.{method}",
        )
        defaults = tuple(own.default for own in fields if not own.needed())
        new = FunctionType(code, known, method, defaults)
        kinds = cls.__annotations__
        new.__annotations__ = {own.alias: kinds[own.name] for own in fields}
        return new

    def _on_first_use(cached):
        def getattr_of(self, name):
            if name not in cached:
                # which tells the fault in the usual words
                return object.__getattribute__(self, name)
            value = cached[name](self)
            object.__setattr__(self, name, value)
            return value

        return getattr_of

    def _getter(names):
        """All of these fields at once, as one value."""
        return attrgetter(*names) if names else lambda _: ()

    def _refuse(*_):
        raise attrs.exceptions.FrozenInstanceError

    def _reduction(names):
        def reduce_of(self):
            return self.__class__, tuple(getattr(self, name) for name in names)

        return reduce_of

    def _comparison(fields):
        get = _getter([own.name for own in fields if own.eq])
        # a field that has no hash is compared all the same: equal values have one hash in any case
        known = _getter([own.name for own in fields if own.eq and own.hash is not False])

        def eq_of(self, other):
            return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):  # noqa: N807  its name is told when it fails
            return hash((self.__class__, known(self)))

        return eq_of, __hash__

    def _representation(fields):
        names = [own.name for own in fields if own.repr]

        def repr_of(self):
            shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            return f"{self.__class__.__qualname__}({shown})"

        return repr_of

"""Frozen values: attrs classes that are built at the price of plain ones."""

import copy
import functools
import inspect
import pickle

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError

from llm_projections._values import define, field, frozen


@frozen
class Point:
    """Every kind of field."""

    x: int
    _hidden: int = field(default=1, alias="hidden")
    names: list[str] = field(factory=list[str], repr=False)
    note: str = field(default="", eq=False)


@frozen
class Carrying:
    """A field without a hash."""

    name: str
    value: object = field(hash=False)


@frozen
class Nothing:
    """No field."""


@frozen(eq=False, repr=False)
class Token:
    """Compared by identity."""

    text: str


@frozen
class Even:
    """Checks itself."""

    number: int

    def __attrs_post_init__(self) -> None:
        if self.number % 2:
            raise ValueError("odd")


def test_it_is_an_attrs_class():
    assert ["x", "_hidden", "names", "note"] == [own.name for own in attrs.fields(Point)]
    assert Point(2, 1, ["a"]) == attrs.evolve(Point(1, 1, ["a"]), x=2)
    assert {"x": 1, "_hidden": 1, "names": [], "note": ""} == attrs.asdict(Point(1))
    assert attrs.has(Point)


def test_its_signature_is_that_of_its_fields():
    assert ["x", "hidden", "names", "note"] == list(inspect.signature(Point).parameters)
    assert 1 == inspect.signature(Point).parameters["hidden"].default


def test_it_is_of_its_class_and_of_no_other():
    assert type(Point(1)) is Point


def test_a_default_that_is_made_is_made_for_each():
    assert Point(1).names is not Point(1).names


def test_no_field_can_be_set_or_deleted():
    point = Point(1)
    for name in ("x", "_hidden", "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(point, name, 2)
        with pytest.raises(FrozenInstanceError):
            delattr(point, name)
    assert 1 == point.x


def test_values_are_equal_by_their_compared_fields():
    assert Point(1, note="a") == Point(1, note="b")
    assert Point(1) != Point(2)
    assert Point(1) != (1, 1, [])
    assert Nothing() == Nothing()
    assert Token("a") != Token("a")


def test_equal_values_have_one_hash():
    assert hash(Even(2)) == hash(Even(2))
    assert {Nothing()} == {Nothing()}
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_a_field_without_a_hash_is_compared_and_not_hashed():
    assert hash(Carrying("a", {})) == hash(Carrying("a", {"b": []}))
    assert hash(Carrying("a", {})) != hash(Carrying("b", {}))
    assert Carrying("a", {}) != Carrying("a", {"b": []})
    assert 2 == len({Carrying("a", {}), Carrying("a", {"b": []})})


def test_it_shows_its_fields():
    assert "Point(x=1, _hidden=2, note='n')" == repr(Point(1, 2, ["a"], "n"))
    assert "Nothing()" == repr(Nothing())
    assert "text" not in repr(Token("a"))


def test_what_checks_itself_refuses():
    assert 2 == Even(2).number
    with pytest.raises(ValueError, match="odd"):
        Even(1)


def test_a_missing_or_unknown_field_is_a_fault_that_names_it():
    with pytest.raises(TypeError, match="x"):
        Point()  # type: ignore[call-arg]  # the misuse under test
    with pytest.raises(TypeError, match="y"):
        Point(1, y=2)  # type: ignore[call-arg]  # the misuse under test


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_pickles_by_every_protocol(protocol: int):
    point = Point(1, 2, ["a"], "n")
    again = pickle.loads(pickle.dumps(point, protocol))
    assert point == again
    assert "n" == again.note


def test_a_deep_copy_shares_nothing_and_a_shallow_one_everything():
    point = Point(1, 2, ["a"])
    assert copy.copy(point).names is point.names
    assert copy.deepcopy(point) == point
    assert copy.deepcopy(point).names is not point.names


def test_it_matches_by_position():
    match Even(4):
        case Even(number):
            assert 4 == number


@define
class Growing:
    """Its fields can be set."""

    text: str
    parts: list[str] = field(factory=list[str])


@define(unsafe_hash=True)
class Delta:
    """Held by nobody else."""

    text: str
    index: int


@frozen
class Circle:
    """Knows what costs something."""

    radius: int
    asked: list[int] = field(factory=list[int], eq=False)

    @functools.cached_property
    def area(self) -> int:
        self.asked.append(self.radius)
        return 3 * self.radius**2


def test_a_plain_one_can_be_set_and_compares_by_value():
    growing = Growing("a")
    growing.text = "b"
    growing.parts.append("c")
    assert Growing("b", ["c"]) == growing
    assert Growing("b") != growing
    assert "Growing(text='b', parts=['c'])" == repr(growing)
    assert Growing("d", ["c"]) == attrs.evolve(growing, text="d")
    assert growing == pickle.loads(pickle.dumps(growing)) == copy.deepcopy(growing)
    with pytest.raises(AttributeError):
        growing.other = 1  # type: ignore[attr-defined]  # the misuse under test


def test_a_plain_one_has_a_hash_only_where_it_is_said():
    assert hash(Delta("a", 1)) == hash(Delta("a", 1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Growing("a"))


def test_classes_of_one_shape_keep_their_own_names():
    """Constructors share their code, and nothing that shows."""

    @frozen
    class One:
        x: int
        y: int = 1

    @frozen
    class Other:
        name: str
        value: str

    assert (1, 1) == (One(x=1).x, One(1).y)
    assert ("a", "b") == (Other(value="b", name="a").name, Other("a", "b").value)
    with pytest.raises(TypeError, match=r"Other\.__new__\(\) missing .* 'value'"):
        Other("a")  # type: ignore[call-arg]  # the misuse under test
    with pytest.raises(TypeError, match="'x'"):
        Other(x=1)  # type: ignore[call-arg]  # the misuse under test


def test_attrs_knows_of_a_field_what_was_said_of_it():
    hidden, names = attrs.fields(Point)[1:3]
    assert (1, "hidden", True) == (hidden.default, hidden.alias, hidden.repr)
    assert (attrs.Factory(list[str]), False) == (names.default, names.repr)
    assert not attrs.fields(Point).note.eq
    assert attrs.fields(Carrying).value.hash is False


def test_attrs_has_one_answer_about_a_class():
    """Who resolves the types of the fields changes them in place."""
    assert attrs.fields(Circle) is attrs.fields(Circle)
    attrs.resolve_types(Carrying)
    assert str is attrs.fields(Carrying).name.type


def test_what_is_computed_on_first_use_is_computed_once():
    circle = Circle(2)
    assert 12 == circle.area == circle.area
    assert [2] == circle.asked
    assert Circle(2) == circle
    with pytest.raises(AttributeError, match="'Circle' object has no attribute 'other'"):
        circle.other  # type: ignore[attr-defined]  # noqa: B018  the misuse under test


def test_a_class_with_a_base_is_refused():
    with pytest.raises(TypeError, match="has a base"):

        @frozen
        class Derived(dict[str, int]):
            x: int


def test_a_field_without_a_default_after_one_with_a_default_is_refused():
    with pytest.raises(TypeError, match="x has no default"):

        @frozen
        class Disordered:
            names: list[str] = field(factory=list[str])
            x: int  # pyright: ignore[reportGeneralTypeIssues]  # that is the fault


def test_what_a_field_cannot_do_is_refused():
    """A check of a field would never be run."""
    with pytest.raises(TypeError, match="validator"):
        field(validator=print)  # type: ignore[call-overload]  # the misuse under test

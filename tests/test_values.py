"""Frozen values: attrs classes that are built at the price of plain ones."""

import copy
import inspect
import pickle

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError

from llm_projections._values import frozen


@frozen
class Point:
    """Every kind of field."""

    x: int
    _hidden: int = attrs.field(default=1, alias="hidden")
    names: list[str] = attrs.field(factory=list[str], repr=False)
    note: str = attrs.field(default="", eq=False)


@frozen
class Carrying:
    """A field without a hash."""

    name: str
    value: object = attrs.field(hash=False)


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
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="y"):
        Point(1, y=2)  # type: ignore[call-arg]


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

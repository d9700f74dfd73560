"""Every public value and every error pickles, copies, hashes and compares.

What is a value is found in the package, so that a new class is tested from its first day.
"""

import copy
import pickle
from collections.abc import Callable
from itertools import combinations
from typing import Any

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError

from llm_projections import Extension, Protocol
from tests.samples import PLAIN, errors, kinds, samples

every_kind = pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)


def told(value: Any) -> list[Any]:
    """All that a value says, also what is not compared."""
    return [getattr(value, own.name) for own in attrs.fields(type(value))]


def pickled(protocol: int) -> Callable[[Any], Any]:
    return lambda value: pickle.loads(pickle.dumps(value, protocol))


AGAIN: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *map(pickled, range(pickle.HIGHEST_PROTOCOL + 1)),
]


def test_there_are_as_many_values_as_ever() -> None:
    """Fewer found would be fewer tested."""
    assert len(kinds()) >= 70
    assert sum(len(samples(kind)) for kind in kinds()) >= 700


@every_kind
def test_every_value_pickles_and_copies(kind: type) -> None:
    """By every protocol, whole, what is not compared included."""
    for value in samples(kind):
        for again in AGAIN:
            other = again(value)
            assert type(value) is type(other)
            assert value == other
            assert told(value) == told(other)
            assert repr(value) == repr(other)
            assert hash(value) == hash(other)


@every_kind
def test_every_value_compares_by_what_it_says(kind: type) -> None:
    """Two are equal where their compared fields are, and equal ones have one hash."""
    compared = [own.name for own in attrs.fields(kind) if own.eq]
    for one, other in combinations(samples(kind), 2):
        alike = all(getattr(one, name) == getattr(other, name) for name in compared)
        assert alike is (one == other)
        assert alike is not (one != other)
        assert (1 if alike else 2) == len({one, other})
        assert one != told(one)


@every_kind
def test_no_value_changes(kind: type) -> None:
    """No field can be set or deleted, apart from those of the deltas, and no field added to any."""
    value = samples(kind)[0]
    for own in attrs.fields(kind):
        if kind.__name__ not in PLAIN:
            with pytest.raises(FrozenInstanceError):
                setattr(value, own.name, None)
            with pytest.raises(FrozenInstanceError):
                delattr(value, own.name)
    with pytest.raises(AttributeError):
        value.another = 1


@pytest.mark.parametrize("error", errors(), ids=lambda error: type(error).__name__)
def test_every_error_pickles_and_copies(error: Any) -> None:
    """By every protocol, with its partial outcome and what the provider wrote."""
    for again in AGAIN:
        other = again(error)
        assert type(error) is type(other)
        assert error == other
        assert vars(error) == vars(other)
        assert error.args == other.args
        assert (str(error), repr(error)) == (str(other), repr(other))
        assert hash(error) == hash(other)


def test_errors_compare_by_what_they_say() -> None:
    """All of it: equal ones say the same, and have one hash."""
    for one, other in combinations(errors(), 2):
        alike = type(one) is type(other) and vars(one) == vars(other)
        assert alike is (one == other)
        assert (1 if alike else 2) == len({one, other})


def test_what_is_carried_counts_in_equality_and_not_in_the_hash() -> None:
    """JSON has no hash of its own; values that hold it are found by the rest, and told apart by all."""
    one = Extension(Protocol.CHAT, "logit_bias", {"50256": -100})
    other = Extension(Protocol.CHAT, "logit_bias", {"50256": 100})
    assert hash(one) == hash(other)
    assert 2 == len({one, other})

"""Texts of objects: many read by one call, exactly or not at all, and those that nobody has to read again."""

import pickle
from copy import copy, deepcopy
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections._json.objects import object_text, objects
from llm_projections._json.text import ObjectText

MARK = "llm_projections: between two objects"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=3)


@given(st.lists(OBJECTS, min_size=1, max_size=5))
def test_objects_spelled_as_orjson_does_are_read(values: list[dict[str, object]]) -> None:
    assert values == objects([orjson.dumps(value).decode() for value in values])


@given(st.lists(st.text(alphabet='{}[]",:1a \\', max_size=8), min_size=1, max_size=4))
def test_any_texts_are_read_each_by_itself_or_not_at_all(texts: list[str]) -> None:
    found = objects(texts)
    if found is not None:
        assert found == [orjson.loads(text) for text in texts]
        assert texts == [orjson.dumps(value).decode() for value in found]


@pytest.mark.parametrize(
    "texts",
    [
        ["{}", "[]"],
        ["{}", ""],
        ['{"a": 1}'],
        ['{"a":1.0e2}'],
        ['{"a":1,"a":2}'],
        ['{"a":18446744073709551616}'],
        ['{"a":"\ud800"}'],
        # an object that goes on in the next text, and two in the first one for it
        ['{"x":1},{"y":2}', '{"z":[{}', "{}]}"],
        [f'{{"x":1}},"{MARK}",{{"y":2}}', '{"z":[{}', "{}]}"],
        ['{"x":1},2,{"y":2}', '{"z":[{}', "{}]}"],
        [f'{{"a":"{MARK}"}}', "{}"],
    ],
)
def test_what_is_not_one_object_each_spelled_so_is_not_read(texts: list[str]) -> None:
    assert objects(texts) is None


DEEP: dict[str, object] = {}
for _ in range(300):
    DEEP = {"a": DEEP}


@given(OBJECTS)
def test_the_text_of_an_object_is_a_string_like_any_other(value: dict[str, object]) -> None:
    """It is equal to its characters, has their hash, and what is made of it is plain."""
    text, plain = object_text(cast(Any, value)), orjson.dumps(value).decode()
    assert type(text) is ObjectText
    assert (plain, hash(plain), repr(plain)) == (text, hash(text), repr(text))
    assert orjson.dumps(plain) == orjson.dumps(text)
    assert plain.encode() == text.data == text.data
    for made in (text[:], text + "", copy(text), deepcopy(text), pickle.loads(pickle.dumps(text))):
        assert (plain, str) == (made, type(made))


def test_the_text_of_an_object_cannot_be_changed() -> None:
    """Its bytes are those that are put into other texts unread."""
    text: Any = object_text({"a": 1})
    with pytest.raises(AttributeError):
        text._data = b"{"
    assert b'{"a":1}' == text.data
    with pytest.raises(AttributeError):
        del text._data


def test_an_object_that_nests_too_deep_for_orjson_has_a_plain_text() -> None:
    """Nobody has shown that it can be put anywhere."""
    text = object_text(cast(Any, DEEP))
    assert ('{"a":' * 300 + "{}" + "}" * 300, str) == (text, type(text))

"""How many values a text holds, told before it is read."""

import json
from typing import Any

import pytest
from hypothesis import given

from llm_projections._json.density import crowded
from tests.values import json_values
from tests.work import work

# so much text may hold 65,536 values, and no limit below it fewer
ALWAYS = 1 << 16


@pytest.mark.parametrize(
    ("value", "count"), [("1", 1), ('"a,[{"', 1), ("[1]", 2), ('{"a":1}', 2), ('{"a":1,"b":""}', 3)]
)
def test_one_value_too_many_is_told(value: str, count: int):
    """Elements, members and what holds them each count once; a string is one value, whatever it says."""
    few = (ALWAYS - 1) // count
    assert not crowded(("[" + ",".join([value] * few) + "]").encode(), 0)
    assert crowded(("[" + ",".join([value] * (few + 1)) + "]").encode(), 0)


def test_the_limit_of_the_bytes_is_that_of_the_values():
    """One for every 128."""
    text = ("[" + ",".join(["1000"] * 3 * ALWAYS) + "]").encode()
    assert crowded(text, 3 * ALWAYS * 128)
    assert not crowded(text, (3 * ALWAYS + 1) * 128)


def test_a_short_text_is_never_crowded():
    """No byte takes more than forty of memory."""
    text = ("[" + ",".join(["1"] * 3 * ALWAYS) + "]").encode()
    assert not crowded(text, 40 * len(text))
    assert crowded(text, 40 * len(text) - 1)


def test_what_strings_say_is_not_counted():
    """Prose has commas, code has braces, and quotes are escaped."""
    said = json.dumps(',[{\\"' * ALWAYS)
    assert not crowded(said.encode(), 0)
    assert not crowded(f'{{"a":{said},"b":[{said}]}}'.encode(), 0)
    assert crowded(f"[{said},{','.join('1' * ALWAYS)}]".encode(), 0)


@pytest.mark.parametrize("tail", [b'"', b"\\", b'\\"', b'","', b""])
def test_a_string_that_never_ends_is_looked_at_once(tail: bytes):
    """It is counted as one; every quote in it would be another beginning."""
    text = b'["' + b'\\",' * 3 * ALWAYS + tail
    assert not crowded(text, 0)
    assert work(lambda: crowded(text, 0)) < 100


@given(json_values())
def test_no_value_is_left_out(value: Any):
    """There are never more than are counted."""
    inner = json.dumps(value)
    text = "[" + ",".join([inner] * (ALWAYS // values(value) + 1)) + "]"
    assert crowded(text.encode(), 0)


def values(value: Any) -> int:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + sum(map(values, inner))
    return 1

"""Objects that differ in a few strings and numbers are read by the bytes that they share, exactly."""

import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections._json import Shape, shape_of

AROUND = (b"event: say\ndata: ", b"\n\n")
PLAIN = b'{"type":"say","in":{"n":1,"text":"Hi"}}'
HOLES = b'{"number":41,"in":{"text": "a \\"b\\" c"},"nothing":null,"padding":"xyz"}'

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)


def learned(data: bytes, around: tuple[bytes, bytes] = AROUND) -> Shape | None:
    """The shape of an object, whose text is `in.text`."""
    body = orjson.loads(data)
    return shape_of(data, body, body["in"], "text", ("number", "padding"), around)


def shape(data: bytes, around: tuple[bytes, bytes] = AROUND) -> Shape:
    """The shape of an object that has one."""
    found = learned(data, around)
    assert found is not None
    return found


def framed(data: bytes, around: tuple[bytes, bytes] = AROUND) -> bytes:
    """The object as it comes."""
    return around[0] + data + around[1]


def plain(text: str) -> bytes:
    """Another object of the one shape."""
    return framed(PLAIN.replace(b'"Hi"', orjson.dumps(text)))


def holed(text: str, number: int = 7, padding: str = "=") -> bytes:
    """Another object of the other shape."""
    data = HOLES.replace(b'"a \\"b\\" c"', orjson.dumps(text)).replace(b"41", b"%d" % number)
    return framed(data.replace(b'"xyz"', orjson.dumps(padding)))


@given(TEXTS)
def test_one_object_says_its_text(text):
    """Whatever the text is."""
    assert text == shape(PLAIN).text(plain(text))
    assert text == shape(HOLES).text(holed(text))


@given(st.lists(st.tuples(TEXTS, st.integers(1, 10**15), TEXTS), min_size=1))
def test_a_row_of_objects_says_its_texts(said):
    """Whatever stands in the other holes."""
    texts = [text for text, _, _ in said]
    assert texts == shape(PLAIN).texts(b"".join(map(plain, texts)))
    assert texts == shape(HOLES).texts(b"".join(holed(*each) for each in said))


def test_an_object_without_a_line_before_it_is_read():
    """The nameless spelling."""
    around = (b"data: ", b"\n\n")
    row = b"".join(framed(PLAIN.replace(b"Hi", text), around) for text in (b"a", b"b\\n", b"c"))
    assert ["a", "b\n", "c"] == shape(PLAIN, around).texts(row)


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        (b'"a"b"', b'"ab"'),
        (b'"a","text":"b"', b'"ab"'),
        (b'"a\\"', b'"ab"'),
        (b'"a\xff"', b'"ab"'),
        (b'"\\ud800"', b'"ab"'),
        (b'"a\nb"', b'"ab"'),
        (b"1", b'"ab"'),
        (b'""', b'"ab"'),
        (b"null", b'"ab"'),
        (b'"ab"}', b'"ab"'),
    ],
)
def test_what_is_no_text_is_no_object_of_the_shape(broken: bytes, whole: bytes) -> None:
    """Neither alone nor in a row. An empty text is none."""
    for data in (PLAIN, HOLES):
        found = shape(data)
        text = re.search(rb'"text": ?(".*?[^\\]")', data)
        assert text is not None
        good, bad = (framed(data.replace(text[1], each)) for each in (whole, broken))
        assert "ab" == found.text(good)
        assert not found.text(bad)
        assert ["ab", "ab"] == found.texts(good + good)
        assert None is found.texts(good + bad)
        assert None is found.texts(bad + good)
        assert None is found.texts(bad + bad)


@pytest.mark.parametrize("number", [b"007", b"-1", b"1.5", b"1e3", b"", b'"1"', b"null", b"1,2"])
def test_only_a_natural_number_stands_where_one_stood(number: bytes) -> None:
    """As JSON writes it."""
    found, good = shape(HOLES), holed("a")
    bad = good.replace(b":7,", b":" + number + b",")
    assert None is found.text(bad)
    assert None is found.texts(good + bad + good)


def test_texts_that_change_places_with_what_is_around_them_are_no_row():
    """Separators are counted, and each must stand in its turn."""
    found, good = shape(HOLES), holed("a")
    middle = b'},"nothing":null,"padding":"'
    twice = good.replace(middle, middle + b"=" + b'"' + middle)
    none = good.replace(middle, b"")
    assert None is found.texts(twice + none)
    assert None is found.texts(none + twice)


@given(st.data())
def test_a_changed_byte_never_gives_another_text_than_the_reader_does(data):
    """Whatever is read is what a frame's JSON says."""
    row = holed("one \\ two") + holed('thr"ee', 19, "a+b") + holed("vier")
    at = data.draw(st.integers(0, len(row) - 1))
    byte = data.draw(st.sampled_from(sorted(set(row) | set(b'\n\\" {}[]:,09a\xff'))))
    changed = row[:at] + bytes([byte]) + row[at + 1 :]
    texts = shape(HOLES).texts(changed)
    if texts is not None:
        bodies = re.findall(rb"event: say\ndata: ([^\n]+)\n\n", changed)
        assert [orjson.loads(each)["in"]["text"] for each in bodies] == texts
        assert b"".join(map(framed, bodies)) == changed


@pytest.mark.parametrize(
    "data",
    [
        b'{"in":{"text":"a","text":"b"},"number":1}',
        b'{"text":"other","in":{"text":"b"}}',
        b'{"in":{"text":"a"},"number":1,"number":2}',
        b'{"in":{"te\\u0078t":"a"}}',
        b'{"in":{"text" :"a"}}',
        b'{"in":{"text":\t"a"}}',
        b'{"in":{"text":"a"},"number":12 }',
    ],
)
def test_a_spelling_whose_holes_cannot_be_proved_has_no_shape(data: bytes) -> None:
    """Repeated keys, keys that stand elsewhere before, other spellings of a key or of the space behind it."""
    assert None is learned(data)


@pytest.mark.parametrize("rest", [b"", b": hi\n\n", framed(b"{}"), framed(PLAIN)[:-1], b"x"])
def test_a_row_reaches_as_far_as_its_objects(rest: bytes) -> None:
    """What follows is somebody else's."""
    row = holed("a") + holed("b\\", 8, "a b")
    assert len(row) == shape(HOLES).reach(row + rest)
    assert 0 == shape(HOLES).reach(rest + row) or not rest


def test_what_is_too_deep_to_compare_has_no_shape():
    """Reading goes to 1024 levels."""
    assert None is learned(b'{"in":{"text":"a"},"number":' + b"[" * 1020 + b"]" * 1020 + b"}")


def test_what_cannot_vary_stays_as_it_was():
    """A null, a zero or a fraction is no hole."""
    found = shape(b'{"in":{"text":"a"},"number":0,"padding":null}')
    assert "b" == found.text(framed(b'{"in":{"text":"b"},"number":0,"padding":null}'))
    assert None is found.text(framed(b'{"in":{"text":"b"},"number":1,"padding":null}'))

"""Objects that differ in a few strings and numbers are read by the bytes that they share, exactly."""

import re
import sys

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


def test_fields_that_change_places_are_no_row():
    """They are the same object to a reader, with the text somewhere else."""
    own = b'{"number":"x","text":"y","padding":"z"}'
    body = orjson.loads(own)
    found = shape_of(own, body, body, "text", ("number", "padding"), AROUND)
    assert found is not None
    assert ["y"] == found.texts(framed(own))
    other = b'{"number":"x","padding":"z","text":"y"}'
    assert orjson.loads(own) == orjson.loads(other)
    for row in (framed(other), framed(own) + framed(other), framed(other) + framed(own)):
        assert None is found.texts(row)


COUNTED = b'{"number":41,"in":{"text":"a"},"nothing":null,"padding":"xyz"}'


def counted(text: bytes, number: int, padding: bytes = b"=") -> bytes:
    """Another object of a shape that begins with a number; the text and the padding as their JSON says them."""
    data = COUNTED.replace(b"41", b"%d" % number).replace(b"xyz", padding)
    return framed(data.replace(b'"a"', b'"%b"' % text))


@pytest.mark.parametrize("first", [1, 8, 9, 95, 100, 99_990])
def test_numbers_that_count_get_longer_in_a_row(first: int) -> None:
    """By one digit, somewhere, or by two."""
    texts = [str(number) for number in range(first, first + 100)]
    row = b"".join(counted(text.encode(), int(text)) for text in texts)
    assert texts == shape(COUNTED).texts(row)
    back = b"".join(counted(text.encode(), int(text)) for text in reversed(texts))
    assert texts[::-1] == shape(COUNTED).texts(back)


MIDDLE = b'"},"nothing":null,"padding":"'
ODD_ROWS: list[list[tuple[bytes, bytes]]] = [
    [(b'a",["b', b"="), (b"c", b"="), (b'd"],"e', b"=")],
    [(b'a",0,"b', b"="), (b"c", b"=")],
    [(b"a", b"=" + MIDDLE + b"="), (b"b", b"=")],
    [(b"a", b'p","b'), (MIDDLE[3:], b"=")],
    [(b"a\\", b"="), (b'b","c', b"=")],
    [(b"a", b"=\\"), (b'",0,"', b"=")],
    [(b"a", b""), (b"", b"=")],
]


@pytest.mark.parametrize("said", ODD_ROWS)
def test_quotation_marks_that_make_up_for_each_other_are_no_texts(
    said: list[tuple[bytes, bytes]],
) -> None:
    """As many strings may come out as there should be, and yet an object of them is no JSON."""
    for change in (False, True):
        pairs = [each[::-1] if change else each for each in said]
        row = b"".join(counted(text, 3 + at, padding) for at, (text, padding) in enumerate(pairs))
        assert shape(COUNTED).texts(row) in (None, _says(row))
        row = b"".join(framed(PLAIN.replace(b"Hi", text)) for text, _ in pairs)
        assert shape(PLAIN).texts(row) in (None, _says(row))


def _says(row: bytes) -> list[str] | str:
    """What reading each object says."""
    bodies = re.findall(rb"event: say\ndata: ([^\n]+)\n\n", row)
    try:
        return [orjson.loads(each)["in"]["text"] for each in bodies]
    except orjson.JSONDecodeError:
        return "no JSON"


def test_backslashes_at_the_end_of_texts_are_told_apart() -> None:
    """Two are one character; of three, the last would take the quotation mark behind it."""
    for found, made in ((shape(PLAIN), plain), (shape(COUNTED), None)):
        row = [b"a", b"b" + b"\\" * 2, b"c" + b"\\" * 4, b"d"]
        make = [
            framed(PLAIN.replace(b"Hi", each)) if made else counted(each, 5 + at)
            for at, each in enumerate(row)
        ]
        assert ["a", "b\\", "c\\\\", "d"] == found.texts(b"".join(make))


@given(st.data())
def test_a_changed_byte_never_gives_another_text_than_the_reader_does(data):
    """Whatever is read is what a frame's JSON says."""
    row = holed("one \\ two") + holed('thr"ee', 19, "a+b") + holed("vier")
    if data.draw(st.booleans()):
        row = counted(b"one \\\\", 9) + counted(b'thr\\"ee', 10, b"a+b") + counted(b"vier", 11)
    at = data.draw(st.integers(0, len(row) - 1))
    byte = data.draw(st.sampled_from(sorted(set(row) | set(b'\n\\" {}[]:,09a\xff'))))
    changed = row[:at] + bytes([byte]) + row[at + 1 :]
    texts = (shape(HOLES) if b'"in":{"text": ' in row else shape(COUNTED)).texts(changed)
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


def test_what_may_be_too_deep_to_compare_is_read_or_has_no_shape():
    """Reading goes to 1024 levels. Comparing goes less deep in CPython 3.11, and as deep since."""
    deep = b"[" * 1020 + b"]" * 1020
    found = learned(b'{"in":{"text":"a"},"number":' + deep + b"}")
    told = found and found.text(framed(b'{"in":{"text":"b"},"number":' + deep + b"}"))
    assert told == (None if sys.version_info < (3, 12) else "b")


def test_what_cannot_vary_stays_as_it_was():
    """A null, a zero or a fraction is no hole."""
    found = shape(b'{"in":{"text":"a"},"number":0,"padding":null}')
    assert "b" == found.text(framed(b'{"in":{"text":"b"},"number":0,"padding":null}'))
    assert None is found.text(framed(b'{"in":{"text":"b"},"number":1,"padding":null}'))

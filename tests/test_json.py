"""JSON text and values: nothing is lost, nothing but ``JsonError`` escapes."""

import json
import pickle
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llm_projections import _json
from llm_projections._json import JsonError, RawJson
from llm_projections._json.parser import Parser

# Lone surrogates are refused, so no text of a value has one.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=25,
)
SPACES = st.text(" \t\r\n", max_size=2)
NUMBERS = st.sampled_from(
    [
        "0",
        "-0",
        "1.10",
        "1e2",
        "1E+2",
        "-0.0",
        "1.0",
        "0.5",
        "12",
        "123456789012345678901",
        "18446744073709551616",
        "1e-400",
        "-9223372036854775808",
        "-9223372036854775809",
        "100000000000000000000.5",
    ]
)
KEYS = st.sampled_from(
    [
        '"a"',
        '"\\u0061"',
        '"b"',
        '"\\""',
        '"\\u0022"',
        '"\\\\"',
        '"\\\\u0022"',
        '"é"',
        '"\\u00e9"',
        '"x y"',
        '":"',
    ]
)


@st.composite
def spelled(draw, depth=3):
    """A JSON text in any spelling: spaces, escapes, odd numbers, duplicate keys."""

    def spaced(text):
        return draw(SPACES) + text + draw(SPACES)

    kind = draw(st.integers(0, 5 if depth else 3))
    if kind == 4:
        return spaced("[" + ",".join(draw(st.lists(spelled(depth - 1), max_size=3))) + "]")
    if kind == 5:
        members = draw(st.lists(st.tuples(KEYS, spelled(depth - 1)), max_size=3))
        return spaced("{" + ",".join(f"{spaced(key)}:{value}" for key, value in members) + "}")
    return spaced(draw([st.sampled_from(["true", "null"]), NUMBERS, KEYS, NUMBERS][kind]))


class Spelled(str):
    """A number by its spelling, which a string of the same characters is not equal to."""

    __slots__ = ()

    def __eq__(self, other):
        return type(other) is Spelled and str.__eq__(self, other)

    __hash__ = str.__hash__


def tokens(text):
    """A text as the standard library reads it, each number as spelled and each member kept."""
    return json.loads(
        text,
        parse_int=Spelled,
        parse_float=Spelled,
        object_pairs_hook=lambda pairs: ("object", pairs),
    )


def held(read) -> Any:
    """The value of an envelope, for tests that know its shape."""
    return read.value


def nodes(value):
    yield value
    for child in value.values() if type(value) is dict else value if type(value) is list else ():
        yield from nodes(child)


def has_duplicates(text):
    found = []
    json.loads(text, object_pairs_hook=lambda pairs: found.append(len(dict(pairs)) < len(pairs)))
    return any(found)


def nest(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


def fault(call, *args, **options):
    with pytest.raises(JsonError) as caught:
        call(*args, **options)
    return caught.value.path, caught.value.reason


def typed(value):
    """A value that does not take 1 for 1.0 or True."""
    return json.dumps(value, sort_keys=True)


class TestReading:
    @given(VALUES, st.booleans(), st.sampled_from([None, 1]))
    def test_what_json_wrote_is_read_as_json_reads_it(self, value, ascii_only, indent):
        """Equal values of equal types, for canonical and other texts alike."""
        body = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
        assert typed(value) == typed(_json.read(body).value)
        assert typed(value) == typed(_json.loads_exact(body))

    @given(spelled())
    @example('{"a":1,"\\u0061":2}')
    @example('{"\\\\":1,"\\\\":2}')
    @example('{":":1}')
    def test_duplicate_keys_are_refused_wherever_they_are(self, text):
        """The standard library's pairs are the oracle, also for keys spelled in two ways."""
        if has_duplicates(text):
            assert fault(_json.read, text.encode())[1] == "duplicate key"
        else:
            assert typed(json.loads(text)) == typed(_json.read(text.encode()).value)

    @given(spelled())
    @example('{"a": "\\u0022\\u0022", "a": 1}')
    @example('{"a": "\\"", "b": "\\u0022", "b": 2}')
    def test_the_value_alone_is_as_strictly_read(self, text):
        """Whoever needs no texts gets the same values and refusals, numbers in any spelling."""
        data = text.encode()
        try:
            value = _json.read(data).value
        except JsonError:
            assert fault(_json.read, data) == fault(_json.read, data, texts=False)
        else:
            assert typed(value) == typed(_json.read(data, texts=False).value)

    @given(spelled())
    @example('{"a":-0}')
    @example(" [ 1.10 , 1.0 ] ")
    def test_text_of_the_whole_keeps_every_token(self, text):
        """Spelling, order and duplicates stay, whichever way the body was read."""
        read = _json.read(f'{{"free":[{text}]}}'.encode(), free=lambda path: path == ("free",))
        assert tokens(f"[{text}]") == tokens(read.text_of(held(read)["free"]))

    @given(spelled())
    def test_text_of_a_node_is_the_text_of_that_node(self, text):
        """Every container and float in a body, whatever its neighbours are."""
        read = _json.read(f'{{"free":[{text}]}}'.encode(), free=lambda path: path == ("free",))
        for node in nodes(read.value):
            assert typed(node) == typed(json.loads(read.text_of(node)))

    @given(VALUES)
    def test_text_of_a_canonical_body_is_the_body(self, value):
        body = _json.dumps(value)
        read = _json.read(body)
        assert body.decode() == read.text_of(read.value)

    def test_numbers_keep_their_spelling(self):
        read = _json.read(b'{"t": 1.10, "u": [1e2, -0], "v": 1.0}')
        assert read.text_of(held(read)["t"]) == "1.10"
        assert read.text_of(held(read)["u"]) == "[1e2, -0]"
        assert read.text_of(held(read)["v"]) == "1.0"

    def test_equal_numbers_spelled_differently_are_told_apart(self):
        read = _json.read(b"[1.0,1.00,1e0]")
        assert [read.text_of(node) for node in held(read)] == ["1.0", "1.00", "1e0"]

    def test_a_node_of_elsewhere_is_written_anew(self):
        """Only identity leads to the source, so an equal value does not borrow its spelling."""
        assert _json.read(b"[1.00]").text_of(float("1.0")) == "1.0"

    def test_big_integers_are_exact(self):
        body = b"[18446744073709551615,18446744073709551616,-9223372036854775809]"
        assert [2**64 - 1, 2**64, -(2**63) - 1] == _json.read(body).value
        assert [2**64 - 1, 2**64, -(2**63) - 1] == _json.loads_exact(body)
        # equal to the float that orjson reads, and not it
        for exact in (2**64, -(2**63) - 1):
            assert type(_json.loads_exact(str(exact))) is int

    def test_long_digit_runs_in_strings_are_no_integers(self):
        assert ["1" * 30] == _json.loads_exact(b'["' + b"1" * 30 + b'"]')

    def test_big_integers_are_exact_in_a_large_body(self):
        """Past the sizes that are proved by counting brackets."""
        value = [[i] for i in range(600)] + [[2**70]]
        assert value == _json.loads_exact(json.dumps(value))

    def test_frames_may_hold_floats_for_big_integers(self):
        assert type(_json.loads(b"18446744073709551616")) is float

    def test_duplicates_are_tolerated_where_not_refused(self):
        assert {"a": 2} == _json.loads(b'{"a":1,"a":2}') == _json.loads_exact(b'{"a":1,"a":2}')

    @pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
    def test_every_buffer_is_read(self, kind):
        body = b'{"a": [1.10]}'
        assert {"a": [1.1]} == _json.read(kind(body)).value
        assert {"a": [1.1]} == _json.loads(kind(body)) == _json.loads_exact(kind(body))


class TestFreedom:
    def free(self, path):
        return path[-1] == "input"

    def test_duplicates_below_a_free_member_stay_in_its_text(self):
        read = _json.read(b'{"c":[{"input":{"x":1,"x":2}}]}', free=self.free)
        assert {"c": [{"input": {"x": 2}}]} == read.value
        assert read.text_of(held(read)["c"][0]["input"]) == '{"x":1,"x":2}'

    def test_freedom_ends_with_its_member(self):
        body = b'{"input":{"x":{"y":1,"y":2}},"after":{"z":1,"z":2}}'
        assert ("after.z", "duplicate key") == fault(_json.read, body, free=self.free)

    def test_a_member_twice_is_no_freedom(self):
        body = b'{"input":{},"input":{}}'
        assert ("input", "duplicate key") == fault(_json.read, body, free=self.free)

    def test_free_is_asked_by_path(self):
        asked = []
        _json.read(b'{"a":[{"b":{}}],"n":1.10}', free=lambda path: asked.append(path) or False)
        assert [("a",), ("a", 0, "b")] == asked

    def test_a_number_beyond_python_stays_text_there(self):
        read = _json.read(b'{"input":[1e400]}', free=self.free)
        assert [RawJson("1e400")] == held(read)["input"]
        assert read.text_of(held(read)["input"]) == "[1e400]"
        assert read.text_of(held(read)["input"][0]) == "1e400"

    def test_a_lone_surrogate_is_refused_there_too(self):
        body = b'{"input":{"x":"\\udc00"}}'
        assert ("input.x", "lone surrogate") == fault(_json.read, body, free=self.free)


class TestRefusing:
    @pytest.mark.parametrize(
        ("body", "path", "reason"),
        [
            (b"", "", "invalid JSON"),
            (b" ", "", "invalid JSON"),
            (b"{} x", "", "invalid JSON"),
            (b"[1]]", "", "invalid JSON"),
            (b"[1,]", "[1]", "invalid JSON"),
            (b"[1}", "[0]", "invalid JSON"),
            (b"{]", "", "invalid JSON"),
            (b'{"a":1,}', "", "invalid JSON"),
            (b'{"a" 1}', "", "invalid JSON"),
            (b'{"a":1]', "a", "invalid JSON"),
            (b'{"a":01}', "a", "invalid JSON"),
            (b'{"a":"\n"}', "a", "invalid JSON"),
            (b'{"a":"\\x41"}', "a", "invalid JSON"),
            (b'{"a":[1,2', "a[1]", "invalid JSON"),
            (b"\x0b1", "", "invalid JSON"),
            (b"\xef\xbb\xbf{}", "", "byte order mark"),
            (b'{"a":{"b":1,"b":2}}', "a.b", "duplicate key"),
            (b'{"a b":{"c":1,"c":2}}', "", "duplicate key"),
            (b'{"m":[{"n":NaN}]}', "m[0].n", "not a JSON number"),
            (b'{"m":[0,-Infinity]}', "m[1]", "not a JSON number"),
            (b'{"m":1e400}', "m", "number out of range"),
            (b'{"m":["\\ud800"]}', "m[0]", "lone surrogate"),
            (b'{"m":{"\\udc00x":1}}', "m", "lone surrogate"),
            (b'{"m":{"k":"\xff"}}', "m.k", "invalid UTF-8"),
            (b'["\xed\xa0\x80"]', "[0]", "invalid UTF-8"),
            (b'["\xc3\xa9","\xc3"]', "[1]", "invalid UTF-8"),
        ],
    )
    def test_a_faulty_body_is_refused_at_its_place(self, body, path, reason):
        assert (path, reason) == fault(_json.read, body)

    @given(st.binary(max_size=60) | st.text('[]{}",:\\u0d8e1-. tn', max_size=30).map(str.encode))
    def test_any_bytes_give_a_value_or_a_json_error(self, data):
        """What is read can be written again, and is the same value then."""
        for reader in (_json.loads, _json.loads_exact, lambda data: _json.read(data).value):
            try:
                value = reader(data)
            except JsonError:
                continue
            assert typed(value) == typed(_json.loads_exact(_json.dumps(value)))

    @given(st.text(st.characters(), max_size=20))
    def test_any_text_gives_a_value_or_a_json_error(self, text):
        """Texts may hold lone surrogates, which bytes cannot."""
        try:
            value = _json.loads_exact(text)
        except JsonError:
            assert not _json.is_complete(text)
        else:
            assert typed(value) == typed(json.loads(text))

    @given(st.binary(max_size=40))
    def test_the_parser_agrees_with_orjson(self, data):
        """Byte soup is accepted by both or by neither."""
        assert _json.is_complete(data) == _accepts(data)

    def test_a_lone_surrogate_in_a_text_is_refused(self):
        assert ("[1]", "lone surrogate") == fault(_json.loads, '["é","\ud800"]')

    def test_an_integer_too_long_to_convert_is_refused(self):
        """Converting takes quadratic time, so that a body of digits would be an attack."""
        assert 10**4299 == _json.read(b"1" + b"0" * 4299).value
        assert ("", "number out of range") == fault(_json.read, b"1" * 4301)

    def test_errors_hold_no_input(self):
        with pytest.raises(JsonError) as caught:
            _json.read(b'{"secret word":"\\ud800 secret"}')
        error = caught.value
        assert "secret" not in f"{error!s} {error!r} {error.args!r}"

    def test_an_error_reads_as_place_and_reason(self):
        assert ("a[0]: lone surrogate", "invalid JSON") == (
            str(_json.JsonError("a[0]", "lone surrogate")),
            str(_json.JsonError("", "invalid JSON")),
        )

    def test_errors_pickle(self):
        error = JsonError("a[0]", "invalid JSON")
        again = pickle.loads(pickle.dumps(error))
        assert ("a[0]", "invalid JSON", "a[0]: invalid JSON") == (
            again.path,
            again.reason,
            str(again),
        )

    def test_a_key_is_quoted_up_to_64_characters(self):
        assert fault(_json.read, b'{"%s":NaN}' % (b"k" * 64))[0] == "k" * 64
        assert fault(_json.read, b'{"a":{"%s":NaN}}' % (b"k" * 65))[0] == "a"


class TestDepth:
    @pytest.mark.parametrize("wide", [False, True])
    @pytest.mark.parametrize("depth", [1, 3, 253, 254, 255, 511, 512])
    def test_the_bound_is_exact(self, depth, wide):
        """Also in bodies with more brackets than levels, where counting proves nothing."""
        body = b"[" * depth + b"[]," * (600 * wide if depth < 512 else 0) + b"]" * depth
        body = body.replace(b",]", b"]")
        deep = depth + (wide and depth < 512)
        for reader in (_json.read, _json.loads_exact):
            reader(body, deep)
            assert fault(reader, body, deep - 1)[1] == "nested too deep"

    @pytest.mark.parametrize("depth", [3, 253, 511, 512])
    def test_the_bound_holds_for_objects_too(self, depth):
        body = b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)
        for reader in (_json.read, _json.loads_exact):
            reader(body, depth)
            assert fault(reader, body, depth - 1)[1] == "nested too deep"

    @pytest.mark.parametrize(
        "body", [b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000]
    )
    def test_a_hundred_thousand_levels_are_refused_at_the_bound(self, body):
        for reader in (_json.read, _json.loads, _json.loads_exact):
            path, reason = fault(reader, body)
            assert reason == "nested too deep"
            assert len(path) < 64 * 4
        assert not _json.is_complete(body)

    @pytest.mark.parametrize("depth", [254, 255, 1024])
    def test_up_to_1024_levels_are_written(self, depth):
        assert (
            b"[" * depth + b"]" * depth == _json.dumps(nest(depth)) == _json.canonical(nest(depth))
        )

    def test_more_are_refused(self):
        assert fault(_json.dumps, nest(1025))[1] == "nested too deep"

    def test_a_value_within_itself_is_refused(self):
        loop: list[object] = []
        loop.append(loop)
        assert fault(_json.dumps, loop)[1] == "nested too deep"


class TestParserWork:
    def test_work_grows_linearly(self):
        """Counted in token matches: twice the text, twice the work."""
        piece = '{"a":[1.10,"x\\n",{"b":{}}],"n":123456789012345678901}'
        works = [_calls(f"[{','.join([piece] * count)}]") for count in (50, 100, 200)]
        first, second = (after - before for before, after in pairwise(works))
        assert second == 2 * first


class TestWriting:
    @given(VALUES)
    def test_what_is_written_is_compact_json_in_utf8(self, value):
        assert typed(value) == typed(json.loads(_json.dumps(value)))
        assert _json.dumps(value) == _json.compact(_json.dumps(value).decode()).encode()

    @given(VALUES)
    @example([True, False, None, 0, 1.5, "a", {"b": []}])
    def test_the_own_writer_agrees_with_orjson(self, value):
        """A big integer beside a value sends it through the writer of this package."""
        assert b"[%d,%s]" % (2**70, _json.dumps(value)) == _json.dumps([2**70, value])

    @given(VALUES)
    def test_canonical_does_not_depend_on_key_order(self, value):
        text = json.dumps(value)
        backwards = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
        assert _json.canonical(value) == _json.canonical(backwards)
        assert typed(value) == typed(json.loads(_json.canonical(value)))

    def test_canonical_sorts_keys_at_every_level(self):
        assert b'{"a":{"c":1,"d":2},"b":3}' == _json.canonical({"b": 3, "a": {"d": 2, "c": 1}})
        assert b'{"a":18446744073709551616,"b":{"c":1,"d":2}}' == _json.canonical(
            {"b": {"d": 2, "c": 1}, "a": 2**64}
        )

    def test_key_order_is_kept(self):
        assert b'{"b":1,"a":2}' == _json.dumps({"b": 1, "a": 2})

    def test_raw_json_goes_out_unchanged(self):
        raw = RawJson('{"a": 1.10, "a":2}')
        assert b'{"r":{"a": 1.10, "a":2}}' == _json.dumps({"r": raw})
        assert b'[{"a": 1.10, "a":2},18446744073709551616]' == _json.dumps([raw, 2**64])

    def test_fragments_are_spliced(self):
        assert b"[1.10,18446744073709551616]" == _json.dumps([_json.Fragment(b"1.10"), 2**64])

    @pytest.mark.parametrize(
        ("value", "path", "reason"),
        [
            ({"a": [1, float("nan")]}, "a[1]", "not a JSON number"),
            ({"a": [None, float("inf")]}, "a[1]", "not a JSON number"),
            ((float("-inf"),), "[0]", "not a JSON number"),
            ([2**64, float("nan")], "[1]", "not a JSON number"),
            ({"b": {"a": "\ud800"}}, "b.a", "lone surrogate"),
            ({"b": {"\ud800": 1}}, "b", "lone surrogate"),
            ({"a": {1: 2}}, "a", "key is not a string"),
            ({"x": {1, 2}}, "x", "not a JSON value"),
            ({"x": b""}, "x", "not a JSON value"),
            ([10**4300], "[0]", "number out of range"),
        ],
    )
    def test_what_json_cannot_say_is_refused_at_its_place(self, value, path, reason):
        assert (path, reason) == fault(_json.dumps, value)
        assert (path, reason) == fault(_json.canonical, value)

    def test_finite_is_the_callers_word(self):
        assert b"[1.5,null]" == _json.dumps([1.5, None], finite=True)


class TestRawJson:
    def test_it_is_equal_and_hashed_by_its_text(self):
        assert RawJson("1.0") == RawJson("1.0") != RawJson("1.00")
        assert len({RawJson("1.0"), RawJson("1.0"), RawJson("1.00")}) == 2

    def test_its_value_is_exact(self):
        assert RawJson('{"n":18446744073709551616}').value == {"n": 2**64}

    def test_text_that_is_not_json_is_refused(self):
        assert ("", "invalid JSON") == fault(RawJson, "{")

    def test_a_value_that_python_cannot_hold_is_refused_when_asked_for(self):
        assert ("", "number out of range") == fault(lambda: RawJson("1e400").value)


class TestText:
    @pytest.mark.parametrize(
        ("text", "complete", "is_object"),
        [
            ("{}", True, True),
            (' {"a":1,"a":2}\n', True, True),
            ('{"a":1e400}', True, True),
            ('{"a":' + "9" * 5000 + "}", True, True),
            ("[{}]", True, False),
            ("1e400", True, False),
            ('{"a":"\\ud800"}', False, False),
            ('{"a":"\ud800"}', False, False),
            ('{"a":NaN}', False, False),
            ("{}{}", False, False),
            ('{"a":', False, False),
            ("", False, False),
        ],
    )
    def test_complete_values_and_objects_are_told(self, text, complete, is_object):
        assert (complete, is_object) == (_json.is_complete(text), _json.is_object(text))

    @given(spelled())
    def test_compact_removes_spaces_and_nothing_else(self, text):
        assert tokens(text) == tokens(_json.compact(text))
        assert "".join(_json.compact(text).split()) == "".join(text.split())
        assert set("\t\r\n").isdisjoint(_json.compact(text))
        assert _json.same_tokens(text, _json.compact(text))

    def test_compact_keeps_spaces_and_escapes_in_strings(self):
        text = ' { "a b" : [ 1 , 2.0 , "\\" \\\\" , "\\u0041 " ] } '
        assert '{"a b":[1,2.0,"\\" \\\\","\\u0041 "]}' == _json.compact(text)

    @given(spelled(), spelled())
    @example("[1.0]", "[1.00]")
    @example('["1"]', "[1]")
    @example('{"\\u0061":1}', '{"a": 1}')
    @example('{"a":1}', '{"b":1}')
    @example('["a"]', '["b"]')
    def test_same_tokens_is_equality_of_tokens(self, a, b):
        assert (tokens(a) == tokens(b)) is _json.same_tokens(a, b)

    @pytest.mark.parametrize(("a", "b"), [("1 2", "12"), ("x", " x"), ('"a', '"\\u0061')])
    def test_texts_that_are_not_json_are_the_same_only_if_equal(self, a, b):
        assert not _json.same_tokens(a, b)
        assert _json.same_tokens(a, a)


class TestSeparators:
    @given(st.text(st.sampled_from('ab"\\é漢🙂\u2028\u2029\x85¨©Å…'), max_size=20))
    def test_a_quoted_text_is_the_text_without_line_separators(self, text):
        quoted = _json.quote(text)
        assert text == json.loads(quoted)
        assert set("\u2028\u2029\x85\n").isdisjoint(quoted.decode())

    @given(VALUES)
    def test_escaping_changes_no_value(self, value):
        data = _json.dumps(value)
        assert typed(value) == typed(json.loads(_json.escape_separators(data)))

    def test_each_separator_has_its_escape(self):
        assert b'"\\u2028\\u2029\\u0085"' == _json.escape_separators('"\u2028\u2029\x85"'.encode())

    def test_text_without_separators_is_returned_as_it_is(self):
        data = '"é漢¨©"'.encode()
        assert _json.escape_separators(data) is data

    def test_a_lone_surrogate_cannot_be_quoted(self):
        assert ("", "lone surrogate") == fault(_json.quote, "a\ud800")


def _accepts(data):
    """What the standard library takes, without its own additions to JSON."""

    def refuse(name):
        raise ValueError(name)

    try:
        value = json.loads(data.decode(), parse_constant=refuse)
    except ValueError:
        return False
    return "\\ud" not in json.dumps(value) or _encodes(json.dumps(value, ensure_ascii=False))


def _encodes(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _calls(text):
    """How often the parser moved on in a text."""

    class Counted(Parser):
        moves = 0

        def __setattr__(self, name, value):
            if name == "_at":
                Counted.moves += 1
            super().__setattr__(name, value)

    Counted(text, 512, keep=True).parse()
    return Counted.moves

"""How a result says that its tool failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections import _json
from llm_projections.model.items import CacheMark, Image, Text, UrlSource
from llm_projections.wires import _envelope

TEXTS = st.lists(st.text(), max_size=3)


@pytest.mark.parametrize(
    ("texts", "output"),
    [
        ([], '""'),
        (["a"], '"a"'),
        ([""], '[""]'),
        (["a", "b"], '["a","b"]'),
        (['"\n\u2028é'], '"\\"\\n\u2028é"'),
    ],
)
def test_texts_have_one_spelling(texts: list[str], output: str) -> None:
    """None, one and several are told apart."""
    assert f'{{"error":{output},"ok":false}}' == _envelope.write_error(texts)
    assert f'{{"ok":true,"output":{output}}}' == _envelope.write_result(True, texts)
    assert f'{{"ok":false,"output":{output}}}' == _envelope.write_result(False, texts)


@given(TEXTS, st.booleans())
def test_what_is_written_is_read(texts: list[str], ok: bool) -> None:
    """Whatever the tool said comes back as it was."""
    parts = tuple(map(Text, texts))
    assert parts == _envelope.read_error(_envelope.write_error(texts))
    assert (ok, parts) == _envelope.read_result(_envelope.write_result(ok, texts))


def test_a_failure_is_read_as_one():
    """And a success as one, with what it says."""
    said = (Text("x"),)
    assert (False, said) == _envelope.read_result('{"ok":false,"output":"x"}')
    assert (True, said) == _envelope.read_result('{"ok":true,"output":"x"}')
    assert said == _envelope.read_error('{"error":"x","ok":false}')


@given(st.text() | st.from_regex(r'\{"error":.*,"ok":false\}', fullmatch=True))
def test_only_what_would_be_written_is_read(text: str) -> None:
    """Any other text is a tool's own words."""
    found = _envelope.read_error(text)
    assert found is None or text == _envelope.write_error([part.text for part in found])
    result = _envelope.read_result(text)
    assert result is None or text == _envelope.write_result(
        result[0], [part.text for part in result[1]]
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"error":"a","ok":true}',
        '{"error": "a","ok":false}',
        '{"error":null,"ok":false}',
        '{"error":1,"ok":false}',
        '{"error":["a",1],"ok":false}',
        '{"error":"a","b":1,"ok":false}',
        '{"error":"\\u0061","ok":false}',
        '{"ok":true,"output":{}}',
        '{"ok":true,"output":"a","b":1}',
        '{"ok":1,"output":"a"}',
        '{"ok":true,"output":"a"} ',
    ],
)
def test_similar_objects_are_no_envelopes(text: str) -> None:
    """Another spelling, another value, another key."""
    assert (None, None) == (_envelope.read_error(text), _envelope.read_result(text))


def test_parts_begin_with_a_verdict() -> None:
    """Where the result is more than text, its first text is the verdict alone."""
    assert (True, False) == (
        _envelope.read_head('{"ok":true}'),
        _envelope.read_head('{"ok":false}'),
    )
    assert None is _envelope.read_head('{"ok": true}')
    assert ['{"ok":true}', '{"ok":false}'] == [_envelope.head(True), _envelope.head(False)]


def test_a_plain_text_has_nothing_beside_it() -> None:
    """A mark or another part would be lost in an envelope."""
    assert _envelope.is_plain(())
    assert _envelope.is_plain((Text("a"), Text("b")))
    assert not _envelope.is_plain((Text("a", cache=CacheMark()),))
    assert not _envelope.is_plain((Image(UrlSource("https://e.x")),))


def test_half_a_character_is_never_wrapped() -> None:
    """It has no JSON text."""
    with pytest.raises(_json.JsonError):
        _envelope.write_error(["\ud83d"])

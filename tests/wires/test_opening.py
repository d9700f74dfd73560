"""The first bytes of an answer say what it is."""

import pytest

from llm_projections.wires._opening import Opening
from tests.helpers import chunked


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("blank", [b"", b" \r\n\t", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize("stream", [b"data: {}\n\n", b": hello\n\n", b"x"])
def test_a_stream_is_given_on_whole(stream: bytes, blank: bytes, size: int) -> None:
    """With the white space before it, which the framer reads by its own rules."""
    opening = Opening()
    given = [opening.take(chunk) for chunk in chunked(blank + stream, size)]
    assert blank + stream == b"".join(filter(None, given))
    assert opening.over
    assert None is opening.body


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("blank", [b"", b" \r\n\t", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize("body", [b'{"a": 1}\n', b"[]"])
def test_a_body_is_held(body: bytes, blank: bytes, size: int) -> None:
    """From its first character on."""
    opening = Opening()
    assert {None} == {opening.take(chunk) for chunk in chunked(blank + body, size)}
    assert body == opening.body
    assert not opening.over


def test_white_space_alone_is_held_as_long_as_a_body_may_follow():
    """A server that keeps the connection alive by spaces answers with a stream, not with a body."""
    opening = Opening()
    assert None is opening.take(b" " * 65_536)
    assert b" " * 65_537 == opening.take(b" ")
    assert opening.over


def test_a_body_may_follow_the_longest_white_space():
    """And may come whole, however long it is."""
    opening = Opening()
    assert None is opening.take(b" " * 65_536)
    assert None is opening.take(b"{}")
    assert b"{}" == opening.body
    opening = Opening()
    body = b"[" + b"1," * 50_000 + b"1]"
    assert None is opening.take(b"\n" + body)
    assert body == opening.body

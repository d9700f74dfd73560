"""How long a server asks to wait."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.wires._waiting import header, pairs, retry_after_ms

NOW = ("date", "Mon, 30 Nov 2026 20:00:00 GMT")
WEEK = 7 * 24 * 3_600_000


def test_a_header_is_found_in_any_case():
    """The first of several counts."""
    headers = (("Retry-After", "1"), ("retry-after", "2"))
    assert "1" == header(headers, "RETRY-AFTER")
    assert None is header(headers, "date")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], None),
        ([("retry-after", "2")], 2000),
        ([("Retry-After", " 2 ")], 2000),
        ([("retry-after", "0")], 0),
        ([("retry-after", "1.5")], 1500),
        ([("retry-after", "-1")], None),
        ([("retry-after", "nan")], None),
        ([("retry-after", "inf")], None),
        ([("retry-after", "soon")], None),
        ([("retry-after", "")], None),
        ([("retry-after", "604800")], WEEK),
        ([("retry-after", "604801")], None),
        ([("retry-after", "1" * 400)], None),
        ([("retry-after-ms", "250")], 250),
        ([("retry-after-ms", "250.4")], 250),
        ([("retry-after-ms", "x"), ("retry-after", "2")], 2000),
        ([("retry-after-ms", "250"), ("retry-after", "2")], 250),
    ],
)
def test_seconds_and_milliseconds(headers, expected):
    """The exacter header wins; what is unreadable or longer than a week is unknown."""
    assert expected == retry_after_ms(headers)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([NOW, ("retry-after", "Mon, 30 Nov 2026 20:00:30 GMT")], 30_000),
        ([NOW, ("retry-after", "Mon, 30 Nov 2026 21:00:30 +0100")], 30_000),
        ([NOW, ("retry-after", "Mon, 30 Nov 2026 19:59:30 GMT")], 0),
        ([("retry-after", "Mon, 30 Nov 2026 20:00:30 GMT")], None),
        # no zone said, or said to be unknown: the one of HTTP
        (
            [
                ("date", "Mon, 30 Nov 2026 20:00:00 -0000"),
                ("retry-after", "Mon, 30 Nov 2026 20:00:30 GMT"),
            ],
            30_000,
        ),
        ([NOW, ("retry-after", "Mon, 30 Nov 2026 20:00:30 -0000")], 30_000),
        ([("date", "today"), ("retry-after", "Mon, 30 Nov 2026 20:00:30 GMT")], None),
        ([NOW, ("retry-after", "Mon, 99 Nov 2026 20:00:30 GMT")], None),
        ([NOW, ("retry-after", "Mon, 30 Nov 2027 20:00:30 GMT")], None),
    ],
)
def test_a_date_is_read_against_the_answers_own(headers, expected):
    """The library has no clock."""
    assert expected == retry_after_ms(headers)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("x-ratelimit-reset-requests", "1s")], 1000),
        ([("x-ratelimit-reset-requests", "6m0s")], 360_000),
        ([("x-ratelimit-reset-requests", "1h2m3.5s")], 3_723_500),
        ([("x-ratelimit-reset-requests", "120ms")], 120),
        ([("x-ratelimit-reset-requests", "2.5")], 2500),
        ([("x-ratelimit-reset-requests", "")], None),
        ([("x-ratelimit-reset-requests", "  ")], None),
        ([("x-ratelimit-reset-requests", "later")], None),
        ([("x-ratelimit-reset-requests", "1s"), ("x-ratelimit-reset-tokens", "6s")], 6000),
        (
            [
                ("x-ratelimit-reset-requests", "1s"),
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-tokens", "6s"),
                ("x-ratelimit-remaining-tokens", "100"),
            ],
            1000,
        ),
        ([("x-ratelimit-reset-tokens", "6s"), ("x-ratelimit-remaining-tokens", "9")], None),
        ([("x-ratelimit-reset-tokens", "6s"), ("x-ratelimit-remaining-tokens", " 0.0")], 6000),
        ([NOW, ("anthropic-ratelimit-tokens-reset", "2026-11-30T20:00:05Z")], 5000),
        ([("anthropic-ratelimit-tokens-reset", "2026-11-30T20:00:05Z")], None),
        (
            [
                NOW,
                ("anthropic-ratelimit-requests-reset", "2026-11-30T20:00:09Z"),
                ("anthropic-ratelimit-requests-remaining", "7"),
                ("anthropic-ratelimit-tokens-reset", "2026-11-30T20:00:05Z"),
                ("anthropic-ratelimit-tokens-remaining", "0"),
            ],
            5000,
        ),
        ([("retry-after", "9"), ("x-ratelimit-reset-requests", "1s")], 9000),
    ],
)
def test_the_reset_of_an_exhausted_limit(headers, expected):
    """The longest one; a limit with something remaining is not what was hit."""
    assert expected == retry_after_ms(headers)


NAMES = ["date", "retry-after", "retry-after-ms", "x-ratelimit-reset-requests"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(NAMES),
            st.text() | st.from_regex(r"[0-9A-Za-z:+., -]{0,30}") | st.datetimes().map(str),
        )
    )
)
def test_any_headers_give_a_wait_or_none(headers):
    """Whatever a server writes there, nothing else comes out."""
    wait = retry_after_ms(headers)
    assert wait is None or 0 <= wait <= WEEK


def test_headers_are_pairs_of_text_or_of_bytes():
    """As httpx, ASGI and h11 give them: bytes are Latin-1, lists are pairs too."""
    told = (("Retry-After", "7"), ("x", "caf\u00e9"))
    sent: Any = [(name.encode(), value.encode("latin-1")) for name, value in told]
    listed: Any = map(list, sent)
    assert told == pairs(told) == pairs(iter(told)) == pairs(sent) == pairs(listed)
    assert 7000 == retry_after_ms(pairs(sent))


@pytest.mark.parametrize(
    "headers",
    [
        {"ab": "x"},
        ["ab"],
        "ab",
        [("a",)],
        [("a", b"b")],
        [("a", 5)],
        [(b"a", "b")],
        [("a", "b", "c")],
    ],
)
def test_what_is_no_pair_is_a_type_error(headers):
    """A name of two letters is none either."""
    with pytest.raises(TypeError, match="pairs of text, or of bytes"):
        pairs(headers)

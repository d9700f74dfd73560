"""Words and small shapes of Chat requests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_projections.model.items import DataSource, UrlSource
from llm_projections.model.tools import REQUIRED, ToolChoiceMode
from llm_projections.wires.chat import vocab


def test_choices_have_one_word_each_on_the_way_out() -> None:
    """Whatever word a choice was read from, it is read back from the one that is written."""
    assert set(ToolChoiceMode) == set(vocab.CHOICES_OUT)
    assert all(vocab.CHOICES[word] is choice for choice, word in vocab.CHOICES_OUT.items())
    assert REQUIRED is vocab.CHOICES["any"]


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("data:image/png;base64,aGk=", DataSource("aGk=", "image/png")),
        ("data:image/png;base64,", DataSource("", "image/png")),
        (
            "data:text/plain;charset=utf-8;base64,aGk=",
            DataSource("aGk=", "text/plain;charset=utf-8"),
        ),
        ("data:;base64,aGk=", UrlSource("data:;base64,aGk=")),
        ("data:text/plain,a;base64,b", UrlSource("data:text/plain,a;base64,b")),
        ("data:image/svg+xml,%3C", UrlSource("data:image/svg+xml,%3C")),
        ("DATA:image/png;base64,aGk=", UrlSource("DATA:image/png;base64,aGk=")),
        ("https://e.x/a.png", UrlSource("https://e.x/a.png")),
    ],
)
def test_a_url_is_read_so_that_it_can_be_written_again(
    url: str, source: DataSource | UrlSource
) -> None:
    """Inline data is data only where its URL comes back to the byte."""
    assert source == vocab.source_of(url)
    if isinstance(source, DataSource):
        assert url == vocab.data_url(source)


@given(st.text(max_size=20) | st.text(max_size=20).map("data:a/b;base64,".__add__))
def test_any_url_comes_back(url: str) -> None:
    """Read as data or kept as it is: nothing of its spelling is lost."""
    source = vocab.source_of(url)
    assert url == (vocab.data_url(source) if isinstance(source, DataSource) else source.url)

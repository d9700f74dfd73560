"""Words of the Responses wire: what has an inverse is its inverse."""

from hypothesis import given
from hypothesis import strategies as st

from llm_projections.model.items import DataSource, UrlSource
from llm_projections.model.tools import AUTO, NONE, REQUIRED, Allowed, CustomTool, HostedTool, Named
from llm_projections.wires.responses.vocab import (
    CHOICES,
    choice_body,
    custom_names,
    data_url,
    read_url,
    readable,
    wire_item,
)
from tests.cases.responses_words import R


@given(st.text(st.characters(blacklist_characters=","), max_size=9), st.text(max_size=9))
def test_inline_data_and_its_url_are_inverse(kind: str, data: str) -> None:
    """Data in a URL is found in it again, whatever type it names."""
    url = f"data:{kind};base64,{data}"
    source = read_url(url)
    assert isinstance(source, DataSource)
    assert url == data_url(source)


def test_a_place_to_fetch_from_is_no_data() -> None:
    """A plain URL, and a data URL that is not base64, stay URLs."""
    for url in ("https://e.x/a;base64,b", "data:text/plain,hi", "data:a,b;base64,c", ""):
        assert UrlSource(url) == read_url(url)


def test_choices_by_word_are_inverse() -> None:
    """Each word of a choice is written as it was read."""
    assert {"auto": AUTO, "none": NONE, "required": REQUIRED} == dict(CHOICES)
    assert list(CHOICES) == [choice_body(choice, frozenset()) for choice in CHOICES.values()]


def test_a_choice_says_which_kind_of_tool_it_names() -> None:
    """A custom tool is chosen as one, also inside a namespace or among late tools."""
    space = HostedTool(R, {"type": "namespace", "tools": [{"type": "custom", "name": "b"}, 1]})
    late = wire_item(
        {
            "type": "additional_tools",
            "tools": [{"type": "namespace", "tools": [{"type": "custom", "name": "c"}]}],
        },
        "additional_tools",
    )
    custom = custom_names((CustomTool("a"), space), (late,))
    assert frozenset("abc") == custom
    assert {"type": "custom", "name": "b"} == choice_body(Named("b"), custom)
    assert {"type": "function", "name": "f"} == choice_body(Named("f"), custom)
    assert {
        "type": "allowed_tools",
        "mode": "auto",
        "tools": [{"type": "custom", "name": "c"}, {"type": "function", "name": "f"}],
    } == choice_body(Allowed("auto", ("c", "f")), custom)


def test_what_a_person_may_read_of_reasoning() -> None:
    """Texts of the summary and of the raw content, whatever else stands there."""
    item = {"summary": [{"text": "a"}, {"text": ""}, 1, {"text": 2}], "content": [{"text": "b"}]}
    assert (["a"], ["b"]) == readable(item)
    assert ([], []) == readable({"summary": None, "content": "x"})


def test_an_unknown_item_is_nobodys_call() -> None:
    """An item that nobody publishes is carried, and answered by nobody."""
    item = wire_item({"type": "wombat", "call_id": 7}, "wombat")
    assert ("other", None) == (item.role, item.call_id)

"""The table of rows finds the one row that speaks for a place."""

import pytest

from llm_projections.wires._rows import Row, Table, Treat, split


def rows(*places: str) -> list[Row]:
    return [Row(str(number), at, Treat.MAP) for number, at in enumerate(places)]


def winner(path: str, *places: str) -> str | None:
    """The place of the row that wins, whatever the order of the rows."""
    found = Table(rows(*places)).match(path)
    turned = Table(rows(*reversed(places))).match(path)
    assert (None if found is None else found.at) == (None if turned is None else turned.at)
    return None if found is None else found.at


@pytest.mark.parametrize(
    ("path", "tokens"),
    [
        ("request.model", ("request", "model")),
        (
            "request.messages[]<user>.content[]<text>.text",
            ("request", "messages", "[]", "<user>", "content", "[]", "<text>", "text"),
        ),
        ("request.logit_bias{}", ("request", "logit_bias", "{}")),
        ("response.grid[][]", ("response", "grid", "[]", "[]")),
        ("header.anthropic-beta", ("header", "anthropic-beta")),
    ],
)
def test_a_path_is_cut_into_names_indexes_keys_and_variants(
    path: str, tokens: tuple[str, ...]
) -> None:
    """Every mark of a spec path is a token of its own."""
    assert split(path) == tokens


@pytest.mark.parametrize(
    "path", ["", ".", ".a", "a.", "a..b", "a[0]", "a[", "a<>", "a<b", "a[]b", "a<b>c", "a.[]"]
)
def test_what_is_no_path_is_refused(path: str) -> None:
    """A place that was written wrongly never matches by luck."""
    with pytest.raises(ValueError, match="spec path"):
        split(path)


@pytest.mark.parametrize(
    ("path", "places", "expected"),
    [
        ("request.a", ("request.a", "request.b"), "request.a"),
        ("request.c", ("request.a", "request.b"), None),
        ("request.a.b", ("request.a",), None),
        ("request.a", ("request.a.b",), None),
        (
            "request.tools[]<x_1>",
            ("request.tools[]<x_1>", "request.tools[]<x_1|x_2>"),
            "request.tools[]<x_1>",
        ),
        (
            "request.tools[]<x_1>",
            ("request.tools[]<x_*>", "request.tools[]<x_1|x_2>"),
            "request.tools[]<x_1|x_2>",
        ),
        (
            "request.tools[]<x_1>",
            ("request.tools[]<x_*>", "request.tools[]<*>"),
            "request.tools[]<x_*>",
        ),
        (
            "request.tools[]<y>",
            ("request.tools[]<x_*>", "request.tools[]<*>"),
            "request.tools[]<*>",
        ),
        ("request.tools[]<y>", ("request.tools[]<x_*>",), None),
        ("request.a", ("request.a", "request.a.**"), "request.a"),
        ("request.a.b", ("request.a", "request.a.**"), "request.a.**"),
        ("request.a.b", ("request.**", "request.a.**"), "request.a.**"),
        ("request.a.b", ("request.a.b.**", "request.*.b"), "request.*.b"),
        ("request.a[]<t>.b.c", ("request.a[]<t>.**", "request.a[]<*>.b.**"), "request.a[]<*>.b.**"),
        (
            "request.m[]<u>.c[]<t>.k",
            ("request.m[]<u>.c[]<*>.k", "request.m[]<*>.c[]<t>.k"),
            "request.m[]<u>.c[]<*>.k",
        ),
        ("request.a[]", ("request.a",), "request.a"),
        ("request.a{}[]", ("request.a", "request.**"), "request.a"),
        ("request.a[]", ("request.a", "request.a[].**"), "request.a[].**"),
        ("request.a[].b", ("request.a",), None),
        ("request.a[]<t>", ("request.a",), None),
        ("request.a[]", ("request.a.*",), None),
        ("request.a<t>", ("request.a.*",), None),
        ("stop.end_turn", ("stop.end_turn|tool_use", "stop.*"), "stop.end_turn|tool_use"),
        ("stop.other", ("stop.end_turn|tool_use", "stop.*"), "stop.*"),
        ("request.a.b", ("request.a.b*c",), None),
        ("request.a.bxc", ("request.a.b*c",), "request.a.b*c"),
    ],
)
def test_the_most_specific_row_wins(
    path: str, places: tuple[str, ...], expected: str | None
) -> None:
    """Deeper, then exact, then literal from the left; the order of rows never decides."""
    assert winner(path, *places) == expected


def test_rows_that_are_equally_specific_are_all_told() -> None:
    """A contradiction between rows can be seen."""
    table = Table(rows("request.tools[]<a|b>", "request.tools[]<b|c>", "request.**"))
    assert [row.at for row in table.best("request.tools[]<b>")] == [
        "request.tools[]<a|b>",
        "request.tools[]<b|c>",
    ]
    assert [row.at for row in table.best("request.tools[]<c>")] == ["request.tools[]<b|c>"]
    assert table.best("response.id") == ()


def test_fields_are_the_keys_directly_at_a_place() -> None:
    """Neither deeper keys, nor variants, nor elements are keys of an object."""
    table = Table(
        rows(
            "request.m",
            "request.m[]<user>.content",
            "request.m[]<*>.role",
            "request.m[]<user|tool>.name|id",
            "request.m[]<user>.meta.**",
            "request.m[]<user>.content[]",
            "request.m[]<user>.content.deep",
            "request.m[]<tool>.call",
            "request.m[]<user>.*",
        )
    )
    known = table.fields("request.m[]<user>")
    assert {name: row.at for name, row in known.items()} == {
        "content": "request.m[]<user>.content",
        "role": "request.m[]<*>.role",
        "name": "request.m[]<user|tool>.name|id",
        "id": "request.m[]<user|tool>.name|id",
        "meta": "request.m[]<user>.meta.**",
    }
    assert table.fields("request.m[]<user>") is known
    assert set(table.fields("request")) == {"m"}
    assert dict(table.fields("request.m[]<user>.content[]")) == {}


def test_fields_gives_the_most_specific_row_of_a_key() -> None:
    """A key that several rows name is told once, with the row that wins."""
    for places in (
        ["a[]<*>.k", "a[]<t>.k", "a[]<t>.k.**"],
        ["a[]<t>.k.**", "a[]<t>.k", "a[]<*>.k"],
    ):
        assert Table(rows(*places)).fields("a[]<t>")["k"].at == "a[]<t>.k"


def test_a_variant_has_the_row_that_names_it() -> None:
    """A row of the place as a whole does not name its variants."""
    table = Table(
        rows(
            "request.tools", "request.**", "request.tools[]<web_*>.**", "request.tools[]<function>"
        )
    )
    found = {tag: table.variant("request.tools[]", tag) for tag in ("web_1", "function", "other")}
    assert {tag: row and (row.at, row.whole) for tag, row in found.items()} == {
        "web_1": ("request.tools[]<web_*>.**", True),
        "function": ("request.tools[]<function>", False),
        "other": None,
    }
    assert table.variant("request.tools[]", "other") is None


@pytest.mark.parametrize("tag", ["", ">", "<", "a>.b", "\n", "*", "web_\n"])
def test_any_text_can_be_a_tag(tag: str) -> None:
    """A tag that a peer made up is looked up as it is, and is no pattern."""
    assert Table(rows("request.tools[]<function>")).variant("request.tools[]", tag) is None
    anything = Table(rows("request.tools[]<*>.**")).variant("request.tools[]", tag)
    assert anything is not None
    assert anything.at == "request.tools[]<*>.**"


def test_made_up_tags_do_not_grow_the_table_without_end() -> None:
    """What peers send is forgotten past a bound."""
    table = Table(rows("request.tools[]<known>"))
    for number in range(9000):
        assert table.variant("request.tools[]", str(number)) is None
    assert len(table._variants) == 8192
    known = table.variant("request.tools[]", "known")
    assert known is not None
    assert known.id == "0"


def test_a_row_written_wrongly_is_found_at_first_use() -> None:
    """A place that cannot be parsed is a ValueError, not a row that never matches."""
    with pytest.raises(ValueError, match="spec path"):
        Table(rows("request..a")).match("request.a")
    with pytest.raises(ValueError, match="alternative"):
        Table(rows("request[]<a|>")).match("request.a")


@pytest.mark.parametrize(
    ("value", "accepted"),
    [(1, True), (True, False), (1.0, False), ("auto", True), ([], True), (None, False)],
)
def test_a_default_is_compared_by_type_too(value: object, accepted: bool) -> None:
    """`true` is not the declared 1."""
    assert Row("x", "request.n", Treat.DEFAULT, default=(1, "auto", [])).accepts(value) is accepted

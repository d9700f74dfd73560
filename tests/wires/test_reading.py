"""Strict reading of request bodies: every key known, every refusal collected."""

import json
from typing import Any

import pytest

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.model.items import Extension, Protocol
from llm_projections.model.limits import Limits
from llm_projections.model.losses import Loss
from llm_projections.wires._reading import Reader, extension_path, path_text, read_body
from llm_projections.wires._rows import Row, Treat

WIRE = Protocol.CHAT


def reader(accept: Any = (), body: Any = None) -> Reader:
    return Reader(WIRE, accept, Limits(), read_body(json.dumps(body or {}).encode(), Limits()))


def refusals(reading: Reader) -> list[tuple[str, str, str]]:
    return [(each.code.value, each.path, each.message) for each in reading.refusals]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ""),
        (("a",), "a"),
        (("a", 0, "b", "c"), "a[0].b.c"),
        ((0, "a"), "[0].a"),
        (("a", "not plain", "b"), "a"),
        (("a", 0, "x" * 65), "a[0]"),
        (("a", "x" * 64), "a." + "x" * 64),
        (("a", ""), "a"),
        (("a.b-c_D9",), "a.b-c_D9"),
    ],
)
def test_a_path_ends_before_the_first_key_that_is_not_plain(path, expected):
    """A name is quoted only if it is bounded and plain."""
    assert expected == path_text(path)


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        (b"", "INVALID_REQUEST", ""),
        (b"[]", "INVALID_REQUEST", ""),
        (b"null", "INVALID_REQUEST", ""),
        (b'{"a":1,}', "INVALID_REQUEST", ""),
        (b'{"a":1,"a":2}', "INVALID_REQUEST", "a"),
        (b'{"a":{"b":NaN}}', "INVALID_REQUEST", "a.b"),
        (b'{"a":["\\ud800"]}', "INVALID_REQUEST", "a[0]"),
        (b'{"a":"\xff"}', "INVALID_REQUEST", "a"),
        (b'{"a":' + b"[" * 600 + b"]" * 600 + b"}", "TOO_LARGE", None),
        (b'{"a":"' + b"x" * 100 + b'"}', "TOO_LARGE", ""),
    ],
)
def test_a_body_that_is_no_exact_object(body, code, path):
    """Refused by its place before anything is read."""
    with pytest.raises(RequestRefused) as refused:
        read_body(body, Limits(request_bytes=2000 if b"[[" in body else 100))
    assert code == refused.value.code.value
    assert path is None or path == refused.value.path


def test_a_body_may_be_as_large_as_its_limit():
    """And not a byte more."""
    body = b'{"a":"' + b"x" * 92 + b'"}'
    assert 100 == len(body)
    assert {"a": "x" * 92} == read_body(body, Limits(request_bytes=100)).value
    with pytest.raises(RequestRefused) as refused:
        read_body(body, Limits(request_bytes=99))
    assert RefusalCode.TOO_LARGE is refused.value.code


def test_a_free_subtree_may_repeat_keys():
    """Tool arguments and schemas are the model's and the caller's own."""
    body = b'{"s":{"a":1,"a":2},"n":123456789012345678901234567890}'
    envelope = read_body(body, Limits(), lambda path: path == ("s",))
    assert isinstance(envelope.value, dict)
    assert 123456789012345678901234567890 == envelope.value["n"]
    assert '{"a":1,"a":2}' == envelope.text_of(envelope.value["s"])


ROWS = {
    "carried": Row("1", "request.carried", Treat.CARRY, loss="chat.carried"),
    "nested": Row("2", "request.messages[]<user>.nested", Treat.CARRY, loss="chat.messages.nested"),
    "usual": Row("3", "request.usual", Treat.DEFAULT, default=(1, "x")),
    "bad": Row("4", "request.bad", Treat.REFUSE, neutral="no place"),
    "ours": Row("5", "request.ours", Treat.REFUSE, loss="turn.cache"),
    "spelled": Row("6", "request.spelled", Treat.SPELL),
}


def test_what_becomes_of_each_kind_of_key():
    """Carried, harmless, refused with its reason, refused by its loss, or unknown."""
    body = {
        "mine": 0,
        "nested": {"a": 1},
        "carried": [1],
        "usual": 1,
        "bad": 2,
        "ours": 3,
        "spelled": 4,
        "stranger": 5,
        "not plain!": 6,
    }
    reading = reader()
    found = reading.extras(body, ("m", 0), ROWS, {"mine"})
    assert (
        Extension(WIRE, "messages.nested", {"a": 1}),
        Extension(WIRE, "carried", [1]),
    ) == found
    assert [
        ("UNSUPPORTED", "m[0].bad", "no place"),
        ("UNSUPPORTED", "m[0].ours", "not carried"),
        ("UNSUPPORTED", "m[0].stranger", "not a published field"),
        ("UNSUPPORTED", "m[0]", "not a published field"),
    ] == refusals(reading)
    assert ["turn.cache"] == [each.loss for each in reading.refusals if each.loss]


@pytest.mark.parametrize("value", [True, 1.0, "1", 2])
def test_a_default_is_told_by_type_too(value):
    """`True` is not `1`."""
    reading = reader()
    assert () == reading.extras({"usual": value}, (), ROWS, ())
    assert ["usual"] == [each.path for each in reading.refusals]


def test_null_reads_as_absent_for_a_known_key_only():
    """An unknown key is refused whatever it holds."""
    reading = reader()
    assert () == reading.extras(dict.fromkeys(ROWS) | {"stranger": None}, (), ROWS, ())
    assert ["stranger"] == [each.path for each in reading.refusals]


def test_an_accepted_loss_is_reported_in_place_of_a_refusal():
    """With its place."""
    reading = reader(["turn.cache"])
    reading.extras({"ours": 1}, ("m",), ROWS, ())
    reading.finish()
    assert [Loss("turn.cache", "m.ours")] == reading.losses


def test_one_accepted_loss_accepts_no_other():
    """Each name is a decision of its own."""
    reading = reader(["turn.metadata"])
    reading.extras({"ours": 1}, ("m",), ROWS, ())
    with pytest.raises(RequestRefused) as refused:
        reading.finish()
    assert ("m.ours", "turn.cache") == (refused.value.path, refused.value.loss)
    assert [] == reading.losses


def test_every_refusal_is_raised_at_once():
    """In the order of the body."""
    reading = reader()
    reading.refuse(("a",), "first")
    reading.lose("turn.cache", ("b", 1), "second")
    with pytest.raises(RequestRefused) as refused:
        reading.finish()
    error = refused.value
    assert ["a", "b[1]"] == [error.path, *(other.path for other in error.others)]
    assert [None, "turn.cache"] == [error.loss, error.others[0].loss]


READS = ["string", "boolean", "integer", "array", "object", "number"]
VALUES = {
    "string": ["", "a"],
    "boolean": [True, False],
    "integer": [0, -1, 2**70],
    "array": [[], [1]],
    "object": [{}, {"a": 1}],
    "number": [0, 1.5, -2, 2**70],
}


@pytest.mark.parametrize("kind", READS)
def test_a_typed_value_is_what_it_is_and_nothing_else(kind):
    """No number for a text, no `True` for one, no text for a number."""
    right = VALUES[kind]
    for value in right:
        reading = reader()
        read = getattr(reading, kind)({"k": value}, "k", ("p",))
        assert (value, type(value)) == (read, type(read))
        assert [] == reading.refusals
    wrong = [
        value
        for values in VALUES.values()
        for value in values
        if type(value) not in map(type, right)
    ]
    for value in wrong:
        reading = reader()
        assert None is getattr(reading, kind)({"k": value}, "k", ("p",))
        assert [("INVALID_REQUEST", "p.k")] == [each[:2] for each in refusals(reading)]


@pytest.mark.parametrize("kind", READS)
@pytest.mark.parametrize("node", [{}, {"k": None}])
def test_absent_and_null_read_alike(kind, node):
    """As nothing, without a refusal."""
    reading = reader()
    assert None is getattr(reading, kind)(node, "k", ())
    assert [] == reading.refusals


def test_a_choice_is_one_of_the_published_words():
    """Another word is unsupported, another type invalid; neither is quoted."""
    reading = reader()
    assert "a" == reading.choice({"k": "a"}, "k", (), ("a", "b"))
    assert None is reading.choice({"k": "secret"}, "k", (), ("a", "b"))
    assert None is reading.choice({"k": 1}, "k", (), ("a", "b"))
    assert [
        ("UNSUPPORTED", "k", "not one of the published values"),
        ("INVALID_REQUEST", "k", "must be a string"),
    ] == refusals(reading)


def test_a_required_value_is_refused_once():
    """Absence is told, but not beside a wrong type at the same place."""
    reading = reader()
    node: dict[str, Any] = {"typed": 1}
    assert "" == reading.required(reading.string(node, "absent", ()), ("absent",), "")
    assert "" == reading.required(reading.string(node, "typed", ()), ("typed",), "")
    assert "x" == reading.required("x", ("there",), "")
    assert [
        ("INVALID_REQUEST", "absent", "is required"),
        ("INVALID_REQUEST", "typed", "must be a string"),
    ] == refusals(reading)


def test_elements_that_are_no_objects_are_refused_by_position():
    """The others are read on."""
    reading = reader()
    assert [(0, {}), (2, {"a": 1})] == list(reading.objects([{}, 7, {"a": 1}, None], ("m",)))
    assert ["m[1]", "m[3]"] == [each.path for each in reading.refusals]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Row("1", "request.a.b", Treat.CARRY), "a.b"),
        (Row("1", "request.messages[]<user>.content[]<text>.x", Treat.CARRY), "messages.content.x"),
        (Row("1", "request.tools[]<a|b>.x.**", Treat.CARRY), "tools.x"),
        (Row("1", "request.metadata{}", Treat.CARRY), "metadata"),
        (Row("1", "request.anything", Treat.CARRY, loss="chat.a.b"), "a.b"),
    ],
)
def test_an_extension_is_named_by_its_place_without_variants(row, expected):
    """Or by its loss, without the wire."""
    assert expected == extension_path(row)


def test_a_mistyped_loss_is_told_before_anything_is_read():
    """It would accept nothing."""
    with pytest.raises(ValueError, match="not the name of a loss"):
        reader(["turn.cash"])
    assert RefusalCode.UNSUPPORTED is reader_refusing().code


def reader_refusing() -> RequestRefused:
    reading = reader()
    reading.lose("turn.cache", (), "x")
    return reading.refusals[0]

"""What servers say went wrong: shapes, codes, and objects that are no event at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_projections.errors import RefusalCode, ResponseRefused
from llm_projections.model.events import TurnFailed
from llm_projections.model.items import Protocol
from llm_projections.wires import WIRES
from llm_projections.wires._upstream import classify_code, is_bare_error, read_upstream_error
from tests.everything import binding_of

WIRE = pytest.mark.parametrize("protocol", list(Protocol), ids=lambda protocol: protocol.short)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"error": {"type": "t", "code": "c", "message": "m", "param": "p"}},
            ("t", "c", "m", "p"),
        ),
        ({"type": "error", "error": {"type": "t", "message": "m"}}, ("t", None, "m", None)),
        ({"error": {"code": 400, "message": "m", "type": "t"}}, ("t", "400", "m", None)),
        ({"error": "m"}, (None, None, "m", None)),
        ({"error": "m", "code": 3}, (None, "3", "m", None)),
        ({"detail": "m"}, (None, None, "m", None)),
        ({"code": 500, "message": "m", "type": "t"}, ("t", "500", "m", None)),
        ({"error": {"message": {"not": "text"}}}, (None, None, None, None)),
        ({"error": None, "message": "m"}, (None, None, "m", None)),
        ("m", (None, None, "m", None)),
        ([1], (None, None, None, None)),
        ([{"error": {"code": 400, "message": "m", "status": "t"}}], (None, "400", "m", None)),
        ({"detail": {"error": {"type": "t", "message": "m"}}}, ("t", None, "m", None)),
        ({"detail": {"message": "m"}}, (None, None, "m", None)),
        ({"detail": [{"loc": ["body"], "msg": "m", "type": "t"}]}, ("t", None, "m", None)),
        (
            {"detail": [{"msg": "m"}, {"msg": "n"}, {"loc": []}, 1, "o"]},
            (None, None, "m; n; o", None),
        ),
        ({"success": False, "errors": [{"code": 7, "message": "m"}]}, (None, "7", "m", None)),
        ({"message": "m", "errors": [{"field": "f"}]}, (None, None, "m", None)),
        ({"type": "error", "code": "c", "message": "m"}, (None, "c", "m", None)),
        ({"object": "error", "message": "m", "type": "t", "code": 400}, ("t", "400", "m", None)),
        ([[[[[[{"message": "m"}]]]]]], (None, None, None, None)),
        (None, (None, None, None, None)),
        ({"error": {"type": 1.5, "code": True}}, (None, None, None, None)),
    ],
)
def test_every_shape_of_error_body(body, expected):
    """What servers write; the whole of it is kept beside."""
    error = read_upstream_error(body)
    assert expected == (error.type, error.code, error.message, error.param)
    assert body == error.raw


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((), None),
        ((None, None), None),
        (("unheard_of", "rate_limit_error"), "RATE_LIMITED"),
        (("RATE_LIMIT_EXCEEDED",), "RATE_LIMITED"),
        (("insufficient_quota", "rate_limit_error"), "BILLING"),
        ((404,), "NOT_FOUND"),
        ((200,), None),
        ((True,), None),
    ],
)
def test_the_first_known_code_counts(codes, expected):
    """In any case; a number is a status."""
    assert expected == classify_code(*codes)


BARE: list[tuple[dict[str, Any], RefusalCode]] = [
    (
        {"object": "error", "message": "m", "type": "BadRequestError", "code": 400},
        RefusalCode.REFUSED,
    ),
    ({"message": "m", "code": "rate_limit_exceeded"}, RefusalCode.RATE_LIMITED),
    ({"message": "m", "type": "overloaded_error"}, RefusalCode.UNAVAILABLE),
    ({"message": "m", "type": "InternalServerError", "code": 500}, RefusalCode.UNAVAILABLE),
    ({"detail": "m"}, RefusalCode.REFUSED),
]


@WIRE
@pytest.mark.parametrize(("body", "code"), BARE)
def test_an_error_without_its_wrapping_is_one_on_every_wire(
    protocol: Protocol, body: dict[str, Any], code: RefusalCode
) -> None:
    """In a stream, and as a whole body under a success."""
    wire, binding = WIRES[protocol], binding_of(protocol)
    data = json.dumps(body).encode()
    for given in (b"data: " + data + b"\n\n", data):
        last = list(wire.decode_stream([given], binding))[-1]
        assert isinstance(last, TurnFailed)
        assert isinstance(last.error, ResponseRefused)
        assert last.error.upstream is not None
        assert (code, "m") == (last.error.code, last.error.upstream.message)
    with pytest.raises(ResponseRefused) as caught:
        wire.decode_response(data, binding)
    assert code is caught.value.code


@pytest.mark.parametrize(
    ("payload", "typed", "untyped"),
    [
        ({"type": "progress", "message": "m"}, False, True),
        ({"type": "progress", "message": "m", "code": 1}, False, True),
        ({"type": "progress", "detail": "d"}, False, True),
        ({"type": 1, "message": "m"}, False, True),
        ({"type": "some_error", "message": {}}, False, False),
        ({"message": "m"}, False, False),
        ({"code": 500}, False, False),
    ],
)
def test_an_event_that_nobody_publishes_is_no_error_by_chance(
    payload: dict[str, Any], typed: bool, untyped: bool
) -> None:
    """Where events have types, theirs says what they are."""
    assert (typed, untyped) == (is_bare_error(payload), is_bare_error(payload, typed=False))

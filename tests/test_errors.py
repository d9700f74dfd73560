"""The two kinds of error: what their class decides, and what they never show."""

import copy
import pickle

import pytest

from llm_projections.errors import (
    Dispatch,
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
)
from llm_projections.model.items import AssistantMessage, Text
from llm_projections.model.outcome import OpenItem, PartialOutcome, UpstreamError, Warning

SECRET = "the provider's own words"
PARTIAL = PartialOutcome(
    (AssistantMessage((Text(SECRET),)),),
    (OpenItem(1, "call", SECRET, "call_1", "f"),),
    warnings=(Warning("odd", "fixed"),),
    raw=(SECRET.encode(),),
)

EVERY = [
    RequestRefused(RefusalCode.UNSUPPORTED, "no place for it", "items[0].cache", loss="turn.cache"),
    RequestRefused(
        RefusalCode.INVALID_REQUEST,
        "must be a string",
        others=[RequestRefused(RefusalCode.TOO_LARGE, "too many", "tools")],
    ),
    ResponseRefused(
        RefusalCode.UNAVAILABLE,
        "the server answered with status 503",
        dispatch=Dispatch.REJECTED,
        retriable=True,
        retry_after_ms=1500,
        partial=PARTIAL,
        upstream=UpstreamError("overloaded", "503", SECRET, SECRET, {"message": SECRET}),
    ),
    ResponseRefused(RefusalCode.PROTOCOL, "ended", "choices[0]", dispatch=Dispatch.ACCEPTED),
]


def test_the_base_is_never_raised_itself():
    """Only the two kinds leave the library."""
    with pytest.raises(TypeError, match="RequestRefused or ResponseRefused"):
        Refusal(RefusalCode.REFUSED, "x", "", Dispatch.UNKNOWN)


def test_a_request_that_is_refused_was_not_sent():
    """The class says it; there is no argument for it."""
    assert EVERY[0].dispatch is Dispatch.NOT_SENT
    with pytest.raises(TypeError):
        RequestRefused(RefusalCode.REFUSED, "x", dispatch=Dispatch.UNKNOWN)  # type: ignore[call-arg]  # the misuse under test


@pytest.mark.parametrize("said", [Dispatch.NOT_SENT, "NOT_SENT"])
def test_an_answer_is_never_refused_as_not_sent(said):
    """The constructor refuses it, spelled as a word too."""
    with pytest.raises(ValueError, match="never refused before"):
        ResponseRefused(RefusalCode.PROTOCOL, "x", dispatch=said)


@pytest.mark.parametrize("error", EVERY)
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, *(lambda e, p=p: pickle.loads(pickle.dumps(e, p)) for p in (0, 5))],
)
def test_errors_pickle_and_copy(error, again):
    """Everything that they say comes back, the partial outcome and the upstream's words too."""
    other = again(error)
    assert error is not other
    assert error == other
    assert vars(error) == vars(other)
    assert type(error) is type(other)
    assert hash(error) == hash(other)
    assert (str(error), repr(error)) == (str(other), repr(other))


def test_errors_differ_in_each_thing_that_they_say():
    """Errors compare by value, and by their class."""
    said = {
        "code": RefusalCode.REFUSED,
        "message": "m",
        "path": "p",
        "dispatch": Dispatch.ACCEPTED,
        "retriable": False,
        "retry_after_ms": None,
        "partial": None,
        "upstream": None,
    }
    other = {
        "code": RefusalCode.PROTOCOL,
        "message": "n",
        "path": "q",
        "dispatch": Dispatch.UNKNOWN,
        "retriable": True,
        "retry_after_ms": 1,
        "partial": PartialOutcome(),
        "upstream": UpstreamError(),
    }
    base = ResponseRefused(**said)
    assert base == ResponseRefused(**said)
    for name, value in other.items():
        assert base != ResponseRefused(**{**said, name: value}), name
    assert RequestRefused(RefusalCode.REFUSED, "m") != RequestRefused(
        RefusalCode.REFUSED, "m", loss="turn.cache"
    )
    assert base != RequestRefused(RefusalCode.REFUSED, "m", "p")
    assert base != "REFUSED at p: m"


@pytest.mark.parametrize("error", EVERY)
def test_upstream_prose_never_shows(error):
    """Neither `str` nor `repr` nor the arguments hold what a provider wrote."""
    assert SECRET not in str(error) + repr(error) + repr(error.args)


def test_an_error_reads_as_code_place_and_message():
    """The path is left out where the whole is meant."""
    assert "UNSUPPORTED at items[0].cache: no place for it" == str(EVERY[0])
    assert "INVALID_REQUEST: must be a string" == str(EVERY[1])
    assert (
        "RequestRefused(code=INVALID_REQUEST, path='', message='must be a string', loss=None,"
        " others=1)"
    ) == repr(EVERY[1])
    assert (
        "ResponseRefused(code=UNAVAILABLE, path='', message='the server answered with status 503',"
        " dispatch=REJECTED, retriable=True, retry_after_ms=1500)"
    ) == repr(EVERY[2])


@pytest.mark.parametrize("code", RefusalCode)
def test_a_retry_may_help_for_four_codes_only(code):
    """And only where the error says that it is retriable."""
    passing = {"TRANSPORT", "RATE_LIMITED", "UNAVAILABLE", "PROTOCOL"}
    assert (code.value in passing) == ResponseRefused(code, "x", retriable=True).may_retry
    assert not ResponseRefused(code, "x", retriable=False).may_retry
    # a connection that broke before anything was sent is the one refused request to try again
    assert (code is RefusalCode.TRANSPORT) == RequestRefused(code, "x").may_retry


def test_a_refusal_takes_what_was_decoded_before_it():
    """`carrying` changes nothing else."""
    error = ResponseRefused(
        RefusalCode.UNAVAILABLE,
        "x",
        "p",
        dispatch=Dispatch.ACCEPTED,
        retriable=True,
        retry_after_ms=2,
        upstream=UpstreamError("t"),
    )
    carried = error.carrying(PARTIAL)
    assert vars(error) | {"partial": PARTIAL} == vars(carried)
    assert error.partial is None


def test_a_refusal_may_be_shown_without_what_the_provider_wrote():
    """`without_upstream` changes nothing else."""
    error = ResponseRefused(
        RefusalCode.UNAVAILABLE,
        "x",
        "p",
        dispatch=Dispatch.ACCEPTED,
        retriable=True,
        retry_after_ms=2,
        partial=PARTIAL,
        upstream=UpstreamError("t"),
    )
    assert vars(error) | {"upstream": None} == vars(error.without_upstream())
    request = RequestRefused(RefusalCode.REFUSED, "x")
    assert request is request.without_upstream()

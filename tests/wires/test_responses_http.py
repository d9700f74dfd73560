"""HTTP around a Responses request: its URL and headers, and how its answer is to be read."""

import pytest
from attrs import evolve

from llm_projections.errors import RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import (
    Anonymous,
    ApiKey,
    Bearer,
    Binding,
    Capabilities,
    Conversation,
)
from llm_projections.model.dialect import ALL, Dialect
from llm_projections.wires.responses import (
    PATH,
    answer_kind,
    project_request,
    request_headers,
    request_url,
)
from tests.cases.responses_words import R, carried, turn

BINDING = Binding(R, "p", "a", "e", "m", "u", "https://e.x/v1/", Bearer(), Capabilities.all())
ALWAYS = [("content-type", "application/json"), ("accept", "text/event-stream")]


def test_the_url_is_the_base_the_path_and_the_query() -> None:
    """The path is joined to a base that ends in a slash."""
    assert "responses" == PATH
    assert "https://e.x/v1/responses" == request_url(BINDING)
    azure = evolve(BINDING, dialect=Dialect(query="api-version=preview"))
    assert "https://e.x/v1/responses?api-version=preview" == request_url(azure)
    with pytest.raises(RequestRefused):
        request_url(evolve(BINDING, base_url="https://e.x/v1"))


def test_the_binding_decides_authentication() -> None:
    """Each way to authenticate sends its own header, and none where none is declared."""
    assert (*ALWAYS, ("authorization", "Bearer s")) == request_headers(BINDING, credential="s")
    key = evolve(BINDING, auth=ApiKey("api-key"))
    assert (*ALWAYS, ("api-key", "s")) == request_headers(key, credential="s")
    assert tuple(ALWAYS) == request_headers(evolve(BINDING, auth=Anonymous()))
    with pytest.raises(RequestRefused) as caught:
        request_headers(BINDING)
    assert RefusalCode.UNAUTHORIZED is caught.value.code


def test_a_conversation_is_named_in_the_headers() -> None:
    """Its id, the number of the request in it, and who began it where that is named."""
    headers = request_headers(
        BINDING, credential="s", conversation=Conversation("c", "cli"), request_number=3
    )
    assert (
        ("session-id", "c"),
        ("x-client-request-id", "c-3"),
        ("originator", "cli"),
    ) == headers[3:]
    assert (("session-id", "c"), ("x-client-request-id", "c-0")) == request_headers(
        BINDING, credential="s", conversation=Conversation("c")
    )[3:]


@pytest.mark.parametrize("talk", [Conversation("c\r\nx: y"), Conversation("c", "a\nb")])
def test_a_header_that_would_end_its_line_is_refused(talk: Conversation) -> None:
    """No value of the caller's makes a header of its own."""
    with pytest.raises(RequestRefused) as caught:
        request_headers(BINDING, credential="s", conversation=talk)
    assert "conversation" == caught.value.path


def test_a_carried_header_goes_out_where_the_binding_takes_it() -> None:
    """The beta of a client is sent on to its own wire only by declaration."""
    request = turn(extensions=(carried("header.openai-beta", "responses=v1"),))
    assert ("openai-beta", "responses=v1") in request_headers(
        BINDING, request=request, credential="s"
    )
    plain = evolve(BINDING, capabilities=Capabilities.text())
    assert 3 == len(request_headers(plain, request=request, credential="s"))
    for fields in (ALL, frozenset({"header.openai-beta"})):
        listed = evolve(plain, dialect=Dialect(request_fields=fields))
        assert 4 == len(request_headers(listed, request=request, credential="s"))
        assert () == project_request(request, listed).losses


def test_a_request_that_is_not_streamed_is_refused() -> None:
    """This wire is always streamed."""
    with pytest.raises(RequestRefused) as caught:
        request_headers(BINDING, credential="s", stream=False)
    assert "stream" == caught.value.path


def test_how_an_answer_is_to_be_read() -> None:
    """A success without content-type is the event stream that was asked for; one of another type is refused."""
    assert "stream" == answer_kind(200, [], BINDING)
    assert "stream" == answer_kind(200, [("Content-Type", "text/event-stream")], BINDING)
    assert "error" == answer_kind(503, [("content-type", "application/json")], BINDING)
    with pytest.raises(ResponseRefused):
        answer_kind(200, [("content-type", "application/json")], BINDING)
    whole = evolve(BINDING, dialect=Dialect(answers_whole=True))
    assert "whole" == answer_kind(200, [("content-type", "application/json")], whole)

"""What stands around a Chat body."""

from __future__ import annotations

import pytest
from attrs import evolve

from llm_projections.errors import Dispatch, RefusalCode, RequestRefused, ResponseRefused
from llm_projections.model.binding import ApiKey, Bearer, Conversation
from llm_projections.model.items import Extension, Protocol
from llm_projections.wires.chat import PATH, answer_kind, request_headers, request_url
from tests.cases.chat import BINDING, turn
from tests.everything import binding_of

CHAT = Protocol.CHAT


def test_the_url_is_base_path_and_query() -> None:
    """Azure's version stands in the query of the dialect."""
    assert "chat/completions" == PATH
    assert "https://upstream.example/v1/chat/completions" == request_url(BINDING)
    azure = binding_of(CHAT, query="api-version=2025-01-01")
    assert "https://upstream.example/v1/chat/completions?api-version=2025-01-01" == (
        request_url(azure)
    )


def test_a_base_url_ends_in_a_slash() -> None:
    """Guessing where the path goes is nobody's to do."""
    with pytest.raises(RequestRefused) as caught:
        request_url(evolve(BINDING, base_url="https://upstream.example/v1"))
    assert "base_url" == caught.value.path


def test_headers_come_in_order() -> None:
    """What it is, what is wanted, who asks."""
    bearer = binding_of(CHAT, auth=Bearer())
    assert (
        ("content-type", "application/json"),
        ("accept", "text/event-stream"),
        ("authorization", "Bearer k"),
    ) == request_headers(bearer, credential="k")
    assert (
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("api-key", "k"),
    ) == request_headers(binding_of(CHAT, auth=ApiKey("api-key")), credential="k", stream=False)


def test_the_binding_decides_authentication() -> None:
    """A credential too few or too many is refused, and shows nowhere."""
    for binding, credential in ((binding_of(CHAT, auth=Bearer()), None), (BINDING, "k-secret")):
        with pytest.raises(RequestRefused) as caught:
            request_headers(binding, credential=credential)
        assert RefusalCode.UNAUTHORIZED is caught.value.code
        assert "secret" not in repr(caught.value)


def test_headers_of_other_wires_stay_there() -> None:
    """Beta names are another vendor's."""
    beta = Extension(Protocol.MESSAGES, "header.anthropic-beta", "x")
    own = Extension(CHAT, "header.x-own", "y")
    headers = request_headers(BINDING, request=turn(extensions=(beta, own)))
    assert (("x-own", "y"),) == headers[2:]


@pytest.mark.parametrize("value", ["a\rb", "a\nb", "a\0b"])
def test_a_header_value_never_ends_its_line(value: str) -> None:
    """Neither a credential nor a carried header."""
    with pytest.raises(RequestRefused):
        request_headers(binding_of(CHAT, auth=Bearer()), credential=value)
    carried = Extension(CHAT, "header.x-own", value)
    with pytest.raises(RequestRefused) as caught:
        request_headers(BINDING, request=turn(extensions=(carried,)))
    assert "header.x-own" == caught.value.path


def test_this_wire_knows_no_conversations() -> None:
    """Identity that would have nowhere to go is refused by name."""
    with pytest.raises(RequestRefused) as caught:
        request_headers(BINDING, conversation=Conversation("c"))
    assert ("conversation", RefusalCode.UNSUPPORTED) == (caught.value.path, caught.value.code)


def test_an_answer_is_what_was_asked_for() -> None:
    """By status and content type; another type than asked is refused after the fact."""
    stream = (("Content-Type", "text/event-stream; charset=utf-8"),)
    whole = (("content-type", "application/json"),)
    assert "stream" == answer_kind(200, stream, BINDING)
    assert "stream" == answer_kind(200, (), BINDING)
    assert "whole" == answer_kind(200, whole, BINDING, stream=False)
    assert "whole" == answer_kind(200, (), BINDING, stream=False)
    assert "error" == answer_kind(429, whole, BINDING)
    with pytest.raises(ResponseRefused) as caught:
        answer_kind(200, whole, BINDING)
    assert (RefusalCode.PROTOCOL, Dispatch.ACCEPTED) == (caught.value.code, caught.value.dispatch)
    assert "whole" == answer_kind(200, whole, binding_of(CHAT, answers_whole=True))

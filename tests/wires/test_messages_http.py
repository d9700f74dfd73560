"""HTTP around Messages requests."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from llm_projections.errors import RefusalCode, RequestRefused
from llm_projections.messages import PATH, answer_kind, request_headers, request_url
from llm_projections.model.binding import Anonymous, ApiKey, Bearer, Conversation
from llm_projections.model.items import Extension, Protocol
from tests.cases.messages import BINDING, WIRE, own, turn
from tests.everything import binding_of

PLAIN = (
    ("content-type", "application/json"),
    ("accept", "text/event-stream"),
    ("anthropic-version", "2023-06-01"),
)


def test_the_url_is_the_base_the_path_and_the_query() -> None:
    """A base that does not end in a slash is a mistake that would change the path."""
    assert "messages" == PATH
    assert "https://upstream.example/v1/messages" == request_url(BINDING)
    queried = binding_of(WIRE, query="beta=true")
    assert "https://upstream.example/v1/messages?beta=true" == request_url(queried)
    with pytest.raises(RequestRefused) as caught:
        request_url(evolve(BINDING, base_url="https://upstream.example/v1"))
    assert "base_url" == caught.value.path


@pytest.mark.parametrize(
    ("auth", "credential", "header"),
    [
        (Anonymous(), None, ()),
        (ApiKey(), "k", (("x-api-key", "k"),)),
        (ApiKey("api-key"), "k", (("api-key", "k"),)),
        (Bearer(), "k", (("authorization", "Bearer k"),)),
    ],
    ids=str,
)
def test_the_binding_decides_authentication(auth: Any, credential: str | None, header: Any) -> None:
    """The wire decides none of it."""
    binding = binding_of(WIRE, auth=auth)
    assert (*PLAIN, *header) == request_headers(binding, credential=credential)


@pytest.mark.parametrize(
    ("auth", "credential"), [(Anonymous(), "k"), (ApiKey(), None), (Bearer(), "")], ids=str
)
def test_a_missing_or_unwanted_credential_is_refused(auth: Any, credential: str | None) -> None:
    """No request goes out half authenticated."""
    with pytest.raises(RequestRefused) as caught:
        request_headers(binding_of(WIRE, auth=auth), credential=credential)
    assert RefusalCode.UNAUTHORIZED is caught.value.code


def test_the_dialect_names_the_version() -> None:
    """It is pinned to the older one elsewhere."""
    newer = request_headers(binding_of(WIRE, version="2026-10-21"))
    assert ("anthropic-version", "2026-10-21") == newer[2]


def test_carried_headers_go_out_where_the_binding_takes_them() -> None:
    """Beta names of this wire; those of another wire never do."""
    request = turn(
        extensions=(
            own("speed", "fast"),
            own("header.anthropic-beta", "a-1,b-2"),
            Extension(Protocol.RESPONSES, "header.openai-beta", "x"),
        )
    )
    assert (*PLAIN, ("anthropic-beta", "a-1,b-2")) == request_headers(BINDING, request=request)
    bare = evolve(BINDING.capabilities, extensions=frozenset())
    unlisted = binding_of(WIRE, capabilities=bare, request_fields=frozenset())
    assert PLAIN == request_headers(unlisted, request=request)


@pytest.mark.parametrize("value", ["a\r\nx: y", "a\nb", "a\0b"])
def test_a_header_that_would_end_its_line_is_refused(value: str) -> None:
    """Neither a carried value nor a credential can add a header."""
    request = turn(extensions=(own("header.anthropic-beta", value),))
    with pytest.raises(RequestRefused) as caught:
        request_headers(BINDING, request=request)
    assert "header.anthropic-beta" == caught.value.path
    with pytest.raises(RequestRefused) as caught:
        request_headers(binding_of(WIRE, auth=Bearer()), credential=value)
    assert value not in f"{caught.value!r}{caught.value}"


def test_conversations_and_plain_requests_are_refused_by_name() -> None:
    """This wire has neither."""
    for options in ({"conversation": Conversation("c")}, {"stream": False}):
        with pytest.raises(RequestRefused) as caught:
            request_headers(BINDING, **options)  # type: ignore[arg-type]  # one option of two, each of its own type
        assert next(iter(options)) == caught.value.path


def test_an_answer_is_read_as_its_content_type_says() -> None:
    """The rules are those of all wires."""
    assert "stream" == answer_kind(200, [], BINDING)
    assert "stream" == answer_kind(200, [("content-type", "text/event-stream")], BINDING)
    assert "error" == answer_kind(529, [("content-type", "application/json")], BINDING)

"""The table of the three wires, and how a path names one."""

import importlib

import pytest

from llm_projections import Protocol, RefusalCode, RequestRefused, wire, wire_for_path
from llm_projections.wires import WIRES, Wire


@pytest.mark.parametrize("protocol", list(Protocol))
def test_each_record_holds_its_wires_own_jobs(protocol: Protocol) -> None:
    """The same callables that the public package of the wire exports."""
    record = wire(protocol)
    assert (protocol, record) == (record.protocol, WIRES[protocol])
    package = importlib.import_module(f"llm_projections.{protocol.short}")
    assert package.PATH == record.path
    for name in Wire.__annotations__.keys() - {"protocol", "path"}:
        assert getattr(package, name) is getattr(record, name), name


def test_there_are_three() -> None:
    """And no way to add one by accident."""
    assert list(Protocol) == list(WIRES)
    with pytest.raises(AttributeError):
        setattr(wire(Protocol.CHAT), "path", "other")  # noqa: B010  the type checker knows it too


@pytest.mark.parametrize(
    ("path", "protocol"),
    [
        ("/v1/chat/completions", Protocol.CHAT),
        ("chat/completions", Protocol.CHAT),
        ("/openai/deployments/m/chat/completions?api-version=2026-10-01", Protocol.CHAT),
        ("/v1/messages", Protocol.MESSAGES),
        ("/v1/messages?beta=true", Protocol.MESSAGES),
        ("/v1/messages/", Protocol.MESSAGES),
        ("https://api.example:8080/anthropic/v1/messages#x", Protocol.MESSAGES),
        ("/v1/responses", Protocol.RESPONSES),
        ("/backend-api/codex/responses", Protocol.RESPONSES),
        ("/v1/responses?next=/v1/messages", Protocol.RESPONSES),
    ],
)
def test_the_last_segments_of_a_path_name_the_wire(path: str, protocol: Protocol) -> None:
    """Whatever the host, the prefix or the query."""
    assert wire(protocol) is wire_for_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/v1/completions",
        "/v1/chat/completions/abc",
        "/v1/responses/resp_1",
        "/v1/messages/count_tokens",
        "/v1/mymessages",
        "/v1/models?path=/v1/messages",
        "/v1/Messages",
        "messages.example",
    ],
)
def test_every_other_path_is_refused(path: str) -> None:
    """Never guessed, and never quoted."""
    with pytest.raises(RequestRefused) as caught:
        wire_for_path(path)
    assert (RefusalCode.NOT_FOUND, "path") == (caught.value.code, caught.value.path)

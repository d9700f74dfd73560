"""The examples of README.md are run as they stand, one after the other, in one namespace."""

import re
from pathlib import Path
from typing import Any

import pytest

from llm_projections import AnswerHead, HttpRequest, TurnFailed

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def space() -> dict[str, Any]:
    """What the examples leave behind."""
    names: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, str(README), "exec"), names)
    return names


def test_there_is_an_example_of_each_quadrant():
    """Client out and in, server in and out, the gateway, and the binding they need."""
    assert len(BLOCKS) == 6


def test_the_request_goes_out_under_the_upstream_name(space: dict[str, Any]):
    """The body has the upstream name and the tool; the credential is in its header alone."""
    assert space["body"].startswith(b'{"model":"some-model-2026","max_tokens":32000')
    assert ("authorization", "Bearer secret") in space["headers"]
    assert b"secret" not in space["body"]
    assert "https://api.example.com/v1/messages" == space["url"]


def test_a_stream_that_was_cut_ends_in_a_failure(space: dict[str, Any]):
    """The example's stream has only its beginning, and says so."""
    assert isinstance(space["event"], TurnFailed)


def test_the_unknown_field_is_named(space: dict[str, Any], capsys: pytest.CaptureFixture[str]):
    """The refusal of the server example has the field's path."""
    exec(BLOCKS[3], dict(space))
    assert "wombat\n" == capsys.readouterr().out


def test_the_answer_is_a_whole_chat_stream(space: dict[str, Any]):
    """One chunk of text, one with the reason, the sentinel."""
    assert space["stream"].count(b"data: ") == 4
    assert b'"content":"Hello."' in space["stream"]
    assert space["stream"].endswith(b"data: [DONE]\n\n")


def test_the_gateway_turns_a_cut_answer_into_a_status(space: dict[str, Any]):
    """The request goes upstream; the truncated answer becomes 502, not a success."""
    assert isinstance(space["upstream"], HttpRequest)
    assert [502] == [each.status for each in space["pieces"] if isinstance(each, AnswerHead)]

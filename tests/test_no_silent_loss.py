"""Law 13 over golden bodies and streams: no field goes or changes unnoticed, free-form subtrees included."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.golden_tools import GOLDEN
from tests.silence import (
    ALLOWED,
    contradictions,
    silent_in_request,
    silent_in_stream,
    tellings,
)

REQUESTS = sorted(GOLDEN.glob("*/*/*/request.json"))
STREAMS = sorted(GOLDEN.glob("*/*/*/answer.sse"))


def each(files: list[Path]) -> Any:
    assert len(files) >= 100
    return pytest.mark.parametrize("path", files, ids=lambda path: "-".join(path.parts[-4:-1]))


def wire_of(path: Path) -> str:
    return path.parent.parent.name


def origin(path: Path) -> dict[str, Any]:
    file = path.with_name("ORIGIN.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


@each([path for path in REQUESTS if "operation" not in origin(path)])
def test_no_field_of_a_request_goes_silently(path: Path) -> None:
    """The body that is sent on differs, or the request is refused, or a row declares a spelling or a default."""
    headers = [(name, value) for name, value in origin(path).get("headers", [])]
    found = silent_in_request(wire_of(path), path.read_bytes(), headers)
    assert [] == found.lost
    assert found.tried > 0


@each(STREAMS)
def test_no_field_of_a_stream_goes_silently(path: Path) -> None:
    """The events differ, or a warning tells, or a table says why not."""
    told = tellings(wire_of(path), path.read_bytes())
    found = {name: silent_in_stream(wire_of(path), stream) for name, stream in told.items()}
    assert {} == {name: one.lost for name, one in found.items() if one is not None and one.lost}


@pytest.mark.parametrize(
    "path",
    [path for path in STREAMS if wire_of(path) == "responses"],
    ids=lambda path: "-".join(path.parts[-4:-1]),
)
def test_no_text_of_a_responses_answer_contradicts_another_silently(path: Path) -> None:
    """Finished texts are said up to four times; where they differ, a warning or a refusal tells."""
    assert [] == contradictions(path.read_bytes()).lost


def test_what_may_go_unnoticed_has_its_reason() -> None:
    """And each place is named once."""
    for entries in ALLOWED.values():
        assert all(reason for _, _, reason in entries)
        assert len({(kind, place) for kind, place, _ in entries}) == len(entries)

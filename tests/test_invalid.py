"""What must be refused is refused, with the expected code, at the expected place, and with what stood before it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from llm_projections.errors import RequestRefused, ResponseRefused
from llm_projections.model.events import TurnFailed
from llm_projections.wires import WIRES
from tests.golden_tools import GOLDEN, PROTOCOLS, binding

INVALID = GOLDEN / "invalid"


def cases(ending: str) -> Any:
    """Every input of this kind."""
    found = [path for wire in PROTOCOLS for path in sorted((INVALID / wire).glob(f"*.{ending}"))]
    assert len(found) >= 30
    return pytest.mark.parametrize(
        "path", found, ids=lambda path: f"{path.parent.name}-{path.stem}"
    )


def told(path: Path) -> dict[str, Any]:
    """What its file says is wrong, without the sentence for readers."""
    said = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))
    assert said.pop("why")
    return said


@cases("json")
def test_a_request_is_refused(path: Path) -> None:
    """Every fault of it, the first one whole."""
    with pytest.raises(RequestRefused) as refused:
        WIRES[PROTOCOLS[path.parent.name]].ingest_request(path.read_bytes())
    error = refused.value
    found: dict[str, Any] = {"code": error.code.value, "path": error.path}
    if error.loss is not None:
        found["loss"] = error.loss
    if error.others:
        found["others"] = [f"{other.code.value} {other.path}" for other in error.others]
    assert told(path) == found


@cases("sse")
def test_a_stream_is_refused(path: Path) -> None:
    """With the items that were whole, and what was said of those that were not."""
    wire = path.parent.name
    jobs = WIRES[PROTOCOLS[wire]]
    last = list(jobs.decode_stream([path.read_bytes()], binding(wire)))[-1]
    assert isinstance(last, TurnFailed)
    error = last.error
    assert isinstance(error, ResponseRefused)
    partial = error.partial
    assert partial is not None
    assert told(path) == {
        "code": error.code.value,
        "path": error.path,
        "dispatch": error.dispatch.value,
        "retriable": error.retriable,
        "items": [type(item).__name__ for item in partial.items],
        "open": [f"{item.kind} {item.text}" for item in partial.open_items],
    }


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_each_input_has_its_expectation(wire: str) -> None:
    """A pair of files each, and enough of them."""
    stems = [path.stem for path in (INVALID / wire).iterdir()]
    assert 30 <= len(stems)
    assert [] == [stem for stem in stems if stems.count(stem) != 2]

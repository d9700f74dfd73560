"""Rows of Messages requests that no body in both directions shows: token counts, headers, blocks in the wrong mouth."""

from typing import Any

import pytest
from attrs import evolve

from llm_projections import _json
from llm_projections.errors import RequestRefused
from llm_projections.wires._rows import Row, Treat
from llm_projections.wires.messages import ingest_count_tokens, ingest_request
from llm_projections.wires.messages.subset import ROWS
from tests.cases.messages import COUNTS, REFUSED, Case, Refused, body, own
from tests.everything import MODEL

CARRIED = [row for row in ROWS if row.at.startswith("header.") and row.treat is Treat.CARRY]


def path(place: tuple[str | int, ...]) -> str:
    """A place as an error says it."""
    return "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in place).lstrip(".")


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: case.name)
def test_a_body_to_count_is_read_as_its_turn(case: Case) -> None:
    """All that may be counted has the meaning it has in a request."""
    data = _json.dumps({"model": MODEL, **case.body})
    assert evolve(case.turn, model=MODEL) == ingest_count_tokens(data).request


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_its_rows_refuse_is_refused_at_its_places(case: Refused) -> None:
    """Each place is told, in order, and nothing else."""
    always: dict[str, Any] = {"model": MODEL, "max_tokens": 9}
    with pytest.raises(RequestRefused) as caught:
        ingest_request(_json.dumps(always | case.body))
    error = caught.value
    assert [path(place) for place in case.places] == [e.path for e in (error, *error.others)]


@pytest.mark.parametrize("row", CARRIED, ids=lambda row: row.id)
def test_a_carried_header_is_read_as_its_row_says(row: Row) -> None:
    """It is an extension of the request, under the place and the loss of its row."""
    data = _json.dumps({"model": MODEL, "max_tokens": 9, **body()})
    found = ingest_request(data, headers=[(row.at.removeprefix("header."), "v")])
    assert (own(row.at, "v"),) == found.request.extensions
    assert f"messages.{row.at}" == row.loss


def test_there_are_carried_headers() -> None:
    """The list above is not empty by mistake."""
    assert 3 <= len(CARRIED)

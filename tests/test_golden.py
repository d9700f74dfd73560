"""What is written stays what it is, byte for byte: every turn, answer and error of golden/ on every wire.

A person reads each difference; how to add a case says golden/README.md.
"""

from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from llm_projections.errors import RequestRefused
from llm_projections.model.document import from_document, to_document
from llm_projections.model.events import Event, TurnCompleted
from llm_projections.model.losses import Loss
from llm_projections.wires import WIRES
from tests.golden_answers import ANSWERS, ERRORS, IDENTITY, SHAPE
from tests.golden_tools import GOLDEN, PROTOCOLS, binding, file_at, index, turn

Same = Callable[[str, str, str, bytes], bool]


@pytest.fixture
def same(snapshot: SnapshotAssertion) -> Same:
    """Whether bytes are those of a file of golden/wire."""

    def compare(wire: str, case: str, name: str, data: bytes) -> bool:
        path = GOLDEN / "wire" / wire / case / name
        return bool(snapshot.use_extension(file_at(path)) == data)

    return compare


def cases(kind: str) -> Any:
    """Every case of a kind on every wire that the index names for it."""
    told = index()[kind]
    pairs = [(case, wire) for case, entry in told.items() for wire in entry if wire in PROTOCOLS]
    return pytest.mark.parametrize(("case", "wire"), pairs, ids=lambda word: word)


def lines(losses: list[Loss] | tuple[Loss, ...]) -> list[str]:
    return [f"{loss.name} {loss.path}" for loss in losses]


def names(losses: list[str]) -> set[str]:
    return {line.split()[0] for line in losses}


@cases("turn")
def test_request(case: str, wire: str, same: Same) -> None:
    """The body of a turn, and what it had to leave behind."""
    entry = index()["turn"][case][wire]
    target = binding(entry.get("binding", wire))
    request = turn(case).bind_unattributed(target.provenance)
    jobs, losses = WIRES[PROTOCOLS[wire]], entry.get("losses", [])
    told: list[Loss] = []
    body = jobs.encode_request(request, target, accept=names(losses), losses=told)
    assert losses == lines(told)
    assert same(wire, case, "request.json", body)


@cases("turn")
def test_request_without_leave(case: str, wire: str) -> None:
    """Nothing is left behind that nobody accepted: the same names refuse the turn."""
    entry = index()["turn"][case][wire]
    target = binding(entry.get("binding", wire))
    request = turn(case).bind_unattributed(target.provenance)
    try:
        WIRES[PROTOCOLS[wire]].encode_request(request, target)
    except RequestRefused as error:
        refused = {each.loss for each in (error, *error.others)}
    else:
        refused = set()
    assert names(entry.get("losses", [])) == refused


@cases("answer")
def test_answer_stream(case: str, wire: str, same: Same) -> None:
    """The stream of an answer."""
    entry = index()["answer"][case][wire]
    losses = entry.get("losses", [])
    told: list[Loss] = []
    stream = WIRES[PROTOCOLS[wire]].encode_ingress_stream(
        ANSWERS[case], IDENTITY, SHAPE, accept=names(losses), losses=told
    )
    data = b"".join(stream)
    assert losses == lines(told)
    assert same(wire, case, "answer.sse", data)


@cases("answer")
def test_answer_whole(case: str, wire: str, same: Same) -> None:
    """The body of an answer that is not streamed; a failure has none."""
    last: Event = ANSWERS[case][-1]
    path = GOLDEN / "wire" / wire / case / "answer.json"
    if not isinstance(last, TurnCompleted):
        assert not path.exists()
        return
    entry = index()["answer"][case][wire]
    losses = entry.get("whole", entry.get("losses", []))
    told: list[Loss] = []
    body = WIRES[PROTOCOLS[wire]].encode_ingress_answer(
        last.outcome, IDENTITY, SHAPE, accept=names(losses), losses=told
    )
    assert losses == lines(told)
    assert same(wire, case, "answer.json", body)


@cases("error")
def test_error(case: str, wire: str, same: Same) -> None:
    """The answer that tells of a refusal."""
    entry = index()["error"][case][wire]
    made = WIRES[PROTOCOLS[wire]].encode_ingress_error(ERRORS[case], request_id="req_1")
    assert (entry["status"], entry["headers"]) == (
        made.status,
        [f"{name}: {value}" for name, value in made.headers],
    )
    assert same(wire, case, "error.json", made.body)


@pytest.mark.parametrize("case", index()["turn"])
def test_turns_are_documents(case: str) -> None:
    """A turn written by hand says what its document says, and no more."""
    assert turn(case) == from_document(to_document(turn(case)))


def test_the_tables_are_the_indexed_ones() -> None:
    """An answer or error without an entry would never be written."""
    assert list(ANSWERS) == list(index()["answer"])
    assert list(ERRORS) == list(index()["error"])


def test_every_case_is_told_on_every_wire() -> None:
    """What a wire cannot carry is a loss of the entry, never a missing entry."""
    for kind in ("turn", "answer", "error"):
        for case, entry in index()[kind].items():
            assert set(PROTOCOLS) == entry.keys() - {"shows"}, f"{kind} {case}"

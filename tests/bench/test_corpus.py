"""The corpus is the same in every run, and its streams are whole."""

import hashlib

import orjson
import pytest

from llm_projections.sse import frames
from tests.bench import corpus
from tests.bench.bodies import BODIES, history
from tests.bench.floors import frame_and_loads
from tests.bench.harness import Job, measure, table
from tests.bench.streams import STREAMS


@pytest.mark.parametrize("kind", corpus.KINDS)
@pytest.mark.parametrize("wire", corpus.WIRES)
def test_streams_are_the_same_twice_and_frame_completely(wire: str, kind: str) -> None:
    """Each frame is one event whose data is JSON or the sentinel, and the floor finds as many."""
    made = STREAMS[wire](kind, 100)
    assert made == STREAMS[wire](kind, 100)
    found = frames(b"".join(made))
    assert len(made) == len(found) == frame_and_loads(made)
    assert 100 < len(found) < 200
    for name, data in found:
        if data != b"[DONE]":
            assert name.decode() == orjson.loads(data).get("type", "")


@pytest.mark.parametrize("wire", corpus.WIRES)
def test_bodies_are_the_same_twice_in_both_spellings(wire: str) -> None:
    body = corpus.body(wire, 20)
    assert body == orjson.dumps(BODIES[wire](history(20, corpus.SIZES[20])))
    assert body != corpus.spaced(wire, 20)
    assert orjson.loads(body) == orjson.loads(corpus.spaced(wire, 20))


def test_bodies_are_as_large_as_they_claim() -> None:
    for count, size in corpus.SIZES.items():
        for wire in corpus.WIRES:
            assert 0.8 * size < len(corpus.body(wire, count)) < 1.2 * size


def test_what_is_measured_never_changes_unseen() -> None:
    """A changed corpus makes figures incomparable: whoever changes it changes this digest too."""
    digest = hashlib.sha256()
    for wire in corpus.WIRES:
        for kind in corpus.KINDS:
            digest.update(b"".join(corpus.events(wire, kind, 100)))
        digest.update(corpus.body(wire, 20))
    assert "cb2cc0550893e4ec" == digest.hexdigest()[:16]


def test_the_harness_measures_both_sides_of_every_round() -> None:
    """A job and its floor run once to warm up and three times a round, and the table has one row each."""
    ran: list[str] = []
    job = Job("one", lambda: ran.append("floor"), lambda: ran.append("run"), 10, "event")
    result = measure(job, 3)
    once, again = ["floor"] * 3 + ["run"] * 3, ["run"] * 3 + ["floor"] * 3
    assert ["floor", "run", *once, *again, *once] == ran
    assert 3 == len(result.floor) == len(result.run) == len(result.at_once)
    assert result.ratio > 0
    assert table([result]).splitlines()[2].startswith("| one | event | ")

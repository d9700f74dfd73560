"""Nothing that can change is shared: between a decoder and its events, a body and its turn, a turn and its body.

Values are frozen, but the JSON in them is made of plain lists and objects. Here these are emptied as soon as they are
given out, or after they were taken in, and nothing else may notice.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from llm_projections.errors import Refusal
from llm_projections.model.events import Event
from llm_projections.wires import WIRES
from tests.golden_tools import GOLDEN, PROTOCOLS, binding, turn
from tests.helpers import by_event
from tests.samples import kinds

STREAMS = sorted(GOLDEN.glob("*/*/*/answer.sse"))
REQUESTS = sorted(
    path for path in GOLDEN.glob("*/*/*/request.json") if "count-tokens" not in path.parent.name
)
_VALUES = tuple(kinds())


def wire_of(path: Path) -> str:
    return path.parent.parent.name


def each(paths: list[Path]) -> Any:
    assert len(paths) >= 100
    return pytest.mark.parametrize("path", paths, ids=lambda path: "-".join(path.parts[-4:-1]))


def containers(value: Any) -> Iterator[Any]:
    """Every list, object and other thing that can change, wherever it stands in a value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from containers(inner)
        yield value
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from containers(inner)
        if isinstance(value, list):
            yield value
    elif isinstance(value, Refusal):
        yield from containers(tuple(vars(value).values()))
    elif isinstance(value, _VALUES):
        yield from containers(tuple(getattr(value, own.name) for own in attrs.fields(type(value))))


def spoil(value: Any) -> int:
    """Empty them all; how many there were."""
    found = list(containers(value))
    for container in found:
        container.clear()
        if isinstance(container, dict):
            container["spoiled"] = True
        else:
            container.append("spoiled")
    return len(found)


def decoded(wire: str, chunks: list[bytes], *, spoiling: bool = False) -> list[list[Event]]:
    """Copies of the events of each chunk; what was given out is spoiled at once, as are snapshots."""
    decoder = WIRES[PROTOCOLS[wire]].StreamDecoder(binding(wire))
    told: list[list[Event]] = []
    for chunk in [*chunks, None]:
        events = decoder.close() if chunk is None else decoder.feed(chunk)
        told.append(copy.deepcopy(events))
        if spoiling:
            spoil(decoder.snapshot())
            spoil(events)
    return told


@each(STREAMS)
def test_what_is_done_to_events_changes_no_later_one(path: Path) -> None:
    """Nor does what is done to a snapshot, or to the list that `feed` returned."""
    chunks = by_event(path.read_bytes())
    assert decoded(wire_of(path), chunks) == decoded(wire_of(path), chunks, spoiling=True)


@each(STREAMS)
def test_events_stay_as_they_were(path: Path) -> None:
    """Whatever is fed later."""
    decoder = WIRES[PROTOCOLS[wire_of(path)]].StreamDecoder(binding(wire_of(path)))
    given: list[Any] = []
    for chunk in by_event(path.read_bytes()):
        given += [decoder.feed(chunk), decoder.snapshot()]
    given.append(decoder.close())
    assert decoded(wire_of(path), by_event(path.read_bytes())) == given[0:-1:2] + given[-1:]
    kept = copy.deepcopy(given)
    spoil(decoder.snapshot())
    assert kept == given


@each(STREAMS)
def test_a_buffer_that_was_fed_is_the_callers_again(path: Path) -> None:
    """It may be filled anew while the decoder waits for more, as receiving into one buffer does."""
    data, wire = path.read_bytes(), wire_of(path)
    decoder = WIRES[PROTOCOLS[wire]].StreamDecoder(binding(wire))
    buffer = bytearray(97)
    events: list[Event] = []
    for start in range(0, len(data), len(buffer)):
        piece = data[start : start + len(buffer)]
        buffer[: len(piece)] = piece
        events += decoder.feed(memoryview(buffer)[: len(piece)])
    events += decoder.close()
    assert [event for told in decoded(wire, [data]) for event in told] == events


@each(REQUESTS)
def test_a_turn_is_apart_from_its_request(path: Path) -> None:
    """Headers may be changed after they were read, and one reading after another."""
    jobs = WIRES[PROTOCOLS[wire_of(path)]]
    body, headers = path.read_bytes(), [("anthropic-beta", "x-2026-01-01")]
    read = jobs.ingest_request(body, headers=headers)
    kept = copy.deepcopy(read)
    spoil(headers)
    assert kept == read
    spoil(read)
    assert kept == jobs.ingest_request(body, headers=[("anthropic-beta", "x-2026-01-01")])


@pytest.mark.parametrize("wire", PROTOCOLS)
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("turns/*.json")), ids=lambda path: path.stem)
def test_a_projected_body_is_apart_from_its_turn(path: Path, wire: str) -> None:
    """A program may change the body before it sends it; the turn that it keeps stays as it was."""
    request = turn(path.stem).bind_unattributed(binding(wire).provenance)
    kept = copy.deepcopy(request)
    jobs, target = WIRES[PROTOCOLS[wire]], binding(wire)
    try:
        projection = jobs.project_request(request, target)
    except Refusal:
        projection = None
    assert spoil(projection) > 0 or projection is None
    assert kept == request


@each([path for path in REQUESTS if path.parent.parent.parent.name == "wire"])
def test_two_readings_share_nothing(path: Path) -> None:
    """No value is kept between calls."""
    jobs = WIRES[PROTOCOLS[wire_of(path)]]
    one, other = (jobs.ingest_request(path.read_bytes()).request for _ in range(2))
    assert {id(each) for each in containers(one)}.isdisjoint(id(each) for each in containers(other))


def test_these_tests_change_something() -> None:
    """The streams and bodies hold enough that could be shared."""
    held = [decoded(wire_of(path), [path.read_bytes()]) for path in STREAMS]
    assert len([each for told in held for each in containers(told)]) > 1000
    read = [json.loads(path.read_bytes()) for path in REQUESTS]
    assert len(list(containers(read))) > 1000

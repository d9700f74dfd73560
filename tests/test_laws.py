"""The laws of the codec over every wire, each for any input. Their sentences stand in spec/laws.toml.

Laws of request bodies against tables of cases are in test_laws_of_bodies.py.
"""

import copy
import hashlib
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import llm_projections
from llm_projections import _json
from llm_projections.errors import (
    Dispatch,
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
)
from llm_projections.fold import fold
from llm_projections.model.events import (
    Event,
    ItemCompleted,
    ResponseStarted,
    TextDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    TurnCompleted,
    TurnFailed,
    UsageReported,
)
from llm_projections.model.items import (
    Item,
    Protocol,
    ToolCall,
)
from llm_projections.model.limits import Limits
from llm_projections.model.losses import AGENT_CLIENTS, NAMES, Loss
from llm_projections.model.outcome import (
    Observation,
    ToolCalls,
    TurnOutcome,
    Usage,
)
from llm_projections.model.results import AnswerShape
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES
from tests.answers import answers, decoded, exploded, outcomes, said, written
from tests.changing import damaged, damaged_body
from tests.everything import BINDINGS, IDENTITY
from tests.helpers import chunked, cuts, reads
from tests.relaying import DECIDED, TAKES, normalized, view
from tests.strategies import turns
from tests.values import anything, json_values
from tests.work import grows_linearly

every_wire = pytest.mark.parametrize("wire", list(Protocol), ids=lambda wire: wire.short)
# Each law meets every wire, some of them every pair: fewer examples each make as many together.
few = settings(max_examples=max(1, settings().max_examples * 2 // 5))


def is_terminal(event: Event) -> bool:
    return isinstance(event, TurnCompleted | TurnFailed)


# 1


@every_wire
@few
@given(data=st.data())
def test_law_cuts(wire: Protocol, data: st.DataObject) -> None:
    """Two ways of cutting the same bytes give the same events, of a broken answer too."""
    binding = BINDINGS[wire]
    stream = data.draw(answers(binding))
    if data.draw(st.booleans()):
        stream = data.draw(damaged(stream))
    assert decoded(binding, [stream]) == decoded(binding, data.draw(cuts(stream)))


@every_wire
@few
@given(data=st.data())
def test_law_cuts_for_every_size_and_line_end(wire: Protocol, data: st.DataObject) -> None:
    """Single bytes, single events, odd sizes, CR and CRLF."""
    binding = BINDINGS[wire]
    # a changed line end would change the text of a body that is no stream
    stream = data.draw(answers(binding))
    reads(lambda chunks: decoded(binding, chunks), stream)


# 2


@every_wire
@few
@given(data=st.data())
def test_law_only_ours_of_streams(wire: Protocol, data: st.DataObject) -> None:
    """Any bytes are events, the last of them and no other terminal."""
    binding = BINDINGS[wire]
    options: dict[str, Any] = {
        "invalid_arguments": data.draw(st.sampled_from(["refuse", "keep"])),
        "keep_raw": data.draw(st.booleans()),
    }
    if data.draw(st.booleans()):
        options["request"] = data.draw(turns(wire, binding.provenance))
    stream = data.draw(st.binary() | answers(binding).flatmap(damaged))
    events = decoded(binding, [stream], **options)
    assert [len(events) - 1] == [at for at, event in enumerate(events) if is_terminal(event)]


@every_wire
@few
@given(data=st.data())
def test_law_only_ours_of_bodies(wire: Protocol, data: st.DataObject) -> None:
    """Any request body is a turn or a refusal, and so is any whole answer."""
    jobs, binding = WIRES[wire], BINDINGS[wire]
    body = _json.loads(jobs.encode_request(data.draw(turns(wire, binding.provenance)), binding))
    with suppress(RequestRefused):
        jobs.ingest_request(data.draw(st.binary() | damaged_body(body)))
    outcome = data.draw(outcomes(binding))
    whole = _json.loads(jobs.encode_ingress_answer(outcome, IDENTITY, accept=NAMES.keys()))
    for given_ in (data.draw(damaged_body(whole)), data.draw(st.binary())):
        with suppress(ResponseRefused):
            jobs.decode_response(given_, binding)


@every_wire
@few
@given(
    status=st.integers(0, 999),
    headers=st.lists(st.tuples(st.text(), st.text()), max_size=2),
    body=st.binary() | json_values().map(_json.dumps),
)
def test_law_only_ours_of_errors(
    wire: Protocol, status: int, headers: list[tuple[str, str]], body: bytes
) -> None:
    """Any error answer is a refusal, and can be shown to a client of every wire."""
    error = WIRES[wire].decode_error(status, headers, body, BINDINGS[wire])
    assert isinstance(error, ResponseRefused)
    for jobs in WIRES.values():
        shown = jobs.encode_ingress_error(error, request_id="req_1")
        assert 400 <= shown.status <= 599
        _json.loads(shown.body)


@every_wire
@few
@given(data=st.data())
def test_law_only_ours_of_turns(wire: Protocol, data: st.DataObject) -> None:
    """Any turn that its types allow is a body or a refusal."""
    jobs, binding = WIRES[wire], BINDINGS[wire]
    turn = evolve(data.draw(anything(TurnRequest)), model=binding.model)
    accept = data.draw(st.sampled_from([(), AGENT_CLIENTS, NAMES.keys()]))
    try:
        body = jobs.encode_request(turn, binding, accept=accept)
    except RequestRefused:
        return
    _json.loads(body)


FAILURES: list[Refusal] = [
    RequestRefused(RefusalCode.TOO_LARGE, "x"),
    ResponseRefused(RefusalCode.RATE_LIMITED, "x", retriable=True),
]
EVENTS = [
    ResponseStarted,
    TextDelta,
    ToolCallStarted,
    ToolArgumentsDelta,
    ItemCompleted,
    UsageReported,
    TurnCompleted,
]


@every_wire
@few
@given(data=st.data())
def test_law_only_ours_of_events(wire: Protocol, data: st.DataObject) -> None:
    """Any events are bytes that end; what cannot be said closes the stream in the wire's own words."""
    event = st.one_of([anything(kind) for kind in EVENTS])
    failed = st.sampled_from(FAILURES).map(TurnFailed)
    events = [*data.draw(st.lists(event, max_size=4)), data.draw(failed)]
    accept = data.draw(st.sampled_from([(), AGENT_CLIENTS, NAMES.keys()]))
    stream = written(wire, events, accept)
    again = decoded(BINDINGS[wire], [stream])
    assert is_terminal(again[-1])
    outcome = data.draw(anything(TurnOutcome))
    with suppress(ResponseRefused):
        _json.loads(WIRES[wire].encode_ingress_answer(outcome, IDENTITY, accept=accept))


def endless(wire: Protocol) -> Iterator[bytes]:
    """An answer that never ends: its beginning, then comments and one word for ever."""
    stream = WIRES[wire].IngressStream(IDENTITY)
    yield stream.encode(ResponseStarted("id", "m")) + stream.encode(TextDelta("word", 0))
    while True:
        yield b": x\n\n" * 100 + stream.encode(TextDelta("word", 0))


@every_wire
@pytest.mark.parametrize("name", ["stream_bytes", "frame_bytes"])
def test_law_only_ours_within_limits(wire: Protocol, name: str) -> None:
    """An endless answer, or an endless event, ends at its limit and holds no more than that."""
    most = 1 << 20
    chunks = (
        endless(wire) if name == "stream_bytes" else iter(lambda: b"data: " + b"x" * 4096, None)
    )
    tracemalloc.start()
    try:
        events = decoded(BINDINGS[wire], chunks, limits=Limits(**{name: most}))
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(events[-1], TurnFailed)
    assert RefusalCode.TOO_LARGE is events[-1].error.code
    assert held < 8 * most


# 3


def same_arguments(one: Item, other: Item) -> bool:
    return (
        isinstance(one, ToolCall)
        and isinstance(other, ToolCall)
        and _json.same_tokens(one.arguments, other.arguments)
    )


@every_wire
@few
@given(data=st.data())
def test_law_ingest_of_project(wire: Protocol, data: st.DataObject) -> None:
    """A turn that a wire carries comes back equal from its bytes."""
    jobs, binding = WIRES[wire], BINDINGS[wire]
    turn = data.draw(turns(wire, binding.provenance))
    losses: list[Loss] = []
    body = jobs.encode_request(turn, binding, losses=losses)
    assert [] == losses
    found = jobs.ingest_request(body)
    assert () == found.losses
    again = evolve(found.request, model=turn.model).bind_unattributed(binding.provenance)
    if wire is Protocol.MESSAGES:
        # arguments are JSON here, equal by their tokens; the binding's maximum is a pinned addition
        pairs = zip(turn.items, again.items, strict=True)
        items = tuple(one if same_arguments(one, other) else other for one, other in pairs)
        again = evolve(again, items=items)
        if turn.max_output_tokens is None:
            assert binding.capabilities.max_output_tokens == again.max_output_tokens
            again = evolve(again, max_output_tokens=None)
    assert turn == again


# 5


@every_wire
@few
@given(data=st.data())
def test_law_fold(wire: Protocol, data: st.DataObject) -> None:
    """The events before the terminal one add up to its outcome; broken off, to its partial one."""
    binding = BINDINGS[wire]
    stream = data.draw(answers(binding))
    if data.draw(st.booleans()):
        stream = data.draw(damaged(stream))
    events = decoded(binding, [stream])
    told, last = fold(events), events[-1]
    if isinstance(last, TurnCompleted):
        stands: Any = last.outcome
        assert () == told.open_items
    else:
        assert isinstance(last, TurnFailed)
        assert isinstance(last.error, ResponseRefused)
        stands = last.error.partial
    assert stands.items == told.items
    seen, before = stands.observation, told.observation
    assert (seen.usage, seen.response_id, seen.upstream_model) == (
        before.usage,
        before.response_id,
        before.upstream_model,
    )
    assert stands.warnings == told.warnings


@every_wire
@few
@given(data=st.data())
def test_law_fold_completes_each_item_once(wire: Protocol, data: st.DataObject) -> None:
    """And announces each call once, before its arguments."""
    events = decoded(BINDINGS[wire], [data.draw(answers(BINDINGS[wire]))])
    completed = [event.index for event in events if isinstance(event, ItemCompleted)]
    assert len(set(completed)) == len(completed)
    announced: set[str] = set()
    for event in events:
        if isinstance(event, ToolCallStarted):
            assert event.call_id not in announced
            announced.add(event.call_id)
        elif isinstance(event, ToolArgumentsDelta):
            assert event.call_id in announced


# 6


@pytest.mark.parametrize("target", list(Protocol), ids=lambda wire: f"to-{wire.short}")
@every_wire
@few
@given(data=st.data())
def test_law_relay(wire: Protocol, target: Protocol, data: st.DataObject) -> None:
    """Written on any wire and read again, an answer says the same, up to what is reported."""
    events = decoded(BINDINGS[wire], [data.draw(answers(BINDINGS[wire]))])
    assert isinstance(events[-1], TurnCompleted)
    losses: list[Loss] = []
    stream = written(target, events, DECIDED, losses)
    again = decoded(BINDINGS[target], [stream])[-1]
    assert isinstance(again, TurnCompleted), stream
    lost = {loss.name for loss in losses}
    if wire is target:
        assert set() == lost
    before = normalized(view(events[-1].outcome), target, lost)
    after = normalized(view(again.outcome), target, lost)
    taken = set[str]().union(*(TAKES[name] for name in lost))
    differing = {name for name in before if before[name] != after[name]}
    assert set() == differing - taken, (stream, lost)


@every_wire
@pytest.mark.parametrize("error", FAILURES)
@few
@given(data=st.data())
def test_law_relay_of_failures(wire: Protocol, error: Refusal, data: st.DataObject) -> None:
    """A failure stays a failure, wherever the answer breaks off."""
    binding = BINDINGS[wire]
    events = data.draw(exploded(data.draw(outcomes(binding))))
    broken = [*events[: data.draw(st.integers(0, len(events) - 1))], TurnFailed(error)]
    last = decoded(binding, [written(wire, broken, DECIDED)])[-1]
    assert isinstance(last, TurnFailed)
    assert last.error.code in (error.code, RefusalCode.REFUSED, RefusalCode.UNAVAILABLE)


# 7


@every_wire
@few
@given(data=st.data())
def test_law_dispatch(wire: Protocol, data: st.DataObject) -> None:
    """A refusal of an answer never claims that nothing was sent; after output it is final."""
    binding = BINDINGS[wire]
    stream = data.draw(answers(binding).flatmap(damaged))
    events = decoded(binding, [stream])
    last = events[-1]
    if not isinstance(last, TurnFailed):
        return
    error = last.error
    assert isinstance(error, ResponseRefused)
    assert error.dispatch is not Dispatch.NOT_SENT
    quiet = (ResponseStarted, UsageReported, llm_projections.Warning, TurnFailed)
    if any(not isinstance(event, quiet) for event in events):
        assert (Dispatch.ACCEPTED, False) == (error.dispatch, error.retriable)


# 10


def long_answer(wire: Protocol, size: int, calls: int) -> bytes:
    """An answer of about `size` bytes: one call, or many small ones."""
    each = size // (160 * calls)
    items = [
        ToolCall(f"call_{n}", "f", '{"a":"' + "twelve chars" * each + '"}') for n in range(calls)
    ]
    outcome = TurnOutcome(ToolCalls(), tuple(items), Observation(usage=Usage(1, 1)))
    events: list[Event] = [ResponseStarted("id", "m")]
    for index, item in enumerate(items):
        events.append(ToolCallStarted(item.call_id, "f", index))
        events += [
            ToolArgumentsDelta(item.call_id, piece, index)
            for piece in ('{"a":"', *["twelve chars"] * each, '"}')
        ]
        events.append(ItemCompleted(item, index))
    return written(wire, [*events, TurnCompleted(outcome)], NAMES.keys())


GROWN = 8


@every_wire
@pytest.mark.parametrize("calls", [1, 40])
@pytest.mark.parametrize("size", [1, 4096])
def test_law_linear(wire: Protocol, calls: int, size: int) -> None:
    """Eight times the bytes are eight times the work, whatever the pieces."""
    small, large = (long_answer(wire, 10_000 * n, calls * n) for n in (1, GROWN))
    binding = BINDINGS[wire]

    def read(stream: bytes) -> Callable[[], list[Event]]:
        pieces = chunked(stream, size)
        return lambda: decoded(binding, pieces)

    assert isinstance(read(large)()[-1], TurnCompleted)
    assert grows_linearly(read(small), read(large), GROWN)


@every_wire
def test_law_linear_of_one_giant_call(wire: Protocol) -> None:
    """Reading and writing: a call whose arguments alone grow."""
    small, large = (long_answer(wire, 10_000 * n, 1) for n in (1, GROWN))
    assert len(large) > (GROWN - 2) * len(small)
    assert grows_linearly(
        lambda: long_answer(wire, 10_000, 1), lambda: long_answer(wire, 10_000 * GROWN, 1), GROWN
    )


@every_wire
def test_law_linear_in_memory(wire: Protocol) -> None:
    """What is held grows with the answer, not with its square."""
    peaks: list[int] = []
    for factor in (1, GROWN):
        pieces = chunked(long_answer(wire, 10_000 * factor, factor), 64)
        tracemalloc.start()
        for _ in WIRES[wire].decode_stream(pieces, BINDINGS[wire]):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] / peaks[0] < 2 * GROWN


# 11


@every_wire
@few
@given(data=st.data())
def test_law_pure(wire: Protocol, data: st.DataObject) -> None:
    """Whatever is done twice gives equal results, and changes nothing that it was given."""
    jobs, binding = WIRES[wire], BINDINGS[wire]
    turn = data.draw(turns(wire, binding.provenance))
    kept = copy.deepcopy(turn)
    body = jobs.encode_request(turn, binding)
    assert body == jobs.encode_request(turn, binding)
    assert _json.loads_exact(body) == _json.loads_exact(
        _json.dumps(jobs.project_request(turn, binding).body)
    )
    assert turn == kept
    assert jobs.ingest_request(body) == jobs.ingest_request(body)
    outcome = data.draw(outcomes(binding))
    events = data.draw(exploded(outcome))
    before = copy.deepcopy(events)
    stream = said(binding, events)
    assert stream == said(binding, events)
    assert events == before
    assert decoded(binding, [stream]) == decoded(binding, [stream])


# 12

_PRINTED = """
from tests.test_laws import digests
print(*digests())
"""


def digests() -> list[str]:
    """Digests of what is written, for values that have sets and mappings inside."""
    from tests.everything import everything

    found: list[str] = []
    for wire, jobs in WIRES.items():
        binding = BINDINGS[wire]
        body = jobs.encode_request(everything(binding), binding, accept=NAMES.keys())
        answer = long_answer(wire, 2000, 2)
        error = jobs.encode_ingress_error(FAILURES[1])
        found += [hashlib.sha256(data).hexdigest() for data in (body, answer, error.body)]
    return found


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_law_deterministic(seed: str) -> None:
    """The same values give the same bytes in another process."""
    here = Path(__file__).parents[1]
    source = Path(next(iter(llm_projections.__path__))).parent
    run = subprocess.run(
        [sys.executable, "-c", _PRINTED],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{source}{os.pathsep}{here}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert digests() == run.stdout.split()


def test_law_deterministic_of_shapes() -> None:
    """How a client wants its answer is a value too."""
    assert AnswerShape(stream=True) == AnswerShape(stream=True)

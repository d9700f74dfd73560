"""One object a stream is safe from any thread as long as calls do not overlap; functions are safe from all at once."""

import copy
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from llm_projections import (
    AGENT_CLIENTS,
    Fold,
    FragmentCache,
    Identity,
    Protocol,
    Relay,
    chat,
    messages,
    responses,
)
from llm_projections.model import soundness
from llm_projections.model.document import from_document, to_document
from llm_projections.model.items import Reasoning
from llm_projections.model.turn import Sampling, Thinking
from llm_projections.wires import WIRES
from tests.everything import BINDINGS, IDENTITY
from tests.golden_answers import ANSWERS
from tests.golden_tools import GOLDEN, PROTOCOLS, binding, turn
from tests.helpers import chunked

THREADS = 4
every_wire = pytest.mark.parametrize("wire", list(Protocol), ids=lambda wire: wire.short)


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def handed_on(steps: list[Callable[[], Any]]) -> list[Any]:
    """What each step gives, each done by another thread than the one before."""
    given: list[Any] = []
    seen: set[int] = set()

    def take(step: Callable[[], Any]) -> None:
        seen.add(threading.get_ident())
        given.append(step())

    pools = [ThreadPoolExecutor(1) for _ in range(THREADS)]
    try:
        for number, step in enumerate(steps):
            pools[number % THREADS].submit(take, step).result()
    finally:
        for pool in pools:
            pool.shutdown()
    assert len(seen) == min(THREADS, len(steps))
    return given


def at_once(job: Callable[[], Any], times: int = 8) -> list[Any]:
    """What a job gives in several threads that begin together."""
    gate = threading.Barrier(THREADS)

    def run() -> list[Any]:
        gate.wait()
        return [job() for _ in range(times)]

    with ThreadPoolExecutor(THREADS) as pool:
        runs = [pool.submit(run) for _ in range(THREADS)]
        return [result for each in runs for result in each.result()]


def streams(wire: str) -> list[bytes]:
    paths = sorted(GOLDEN.glob(f"*/{wire}/*/answer.sse"))
    assert len(paths) >= 30
    return [path.read_bytes() for path in paths]


@every_wire
def test_a_decoder_is_handed_from_thread_to_thread(wire: Protocol) -> None:
    """The events are those of one thread."""
    jobs, target = WIRES[wire], binding(wire.short)
    for stream in streams(wire.short)[::3]:
        chunks = chunked(stream, 211)
        alone = jobs.StreamDecoder(target)
        expected = [*map(alone.feed, chunks), alone.close(), alone.snapshot()]
        decoder = jobs.StreamDecoder(target)
        steps = [partial(decoder.feed, chunk) for chunk in chunks]
        assert expected == handed_on([*steps, decoder.close, decoder.snapshot])


@every_wire
def test_an_answer_is_written_by_one_thread_after_another(wire: Protocol) -> None:
    """The bytes are those of one thread, as is what a fold of its events says."""
    for events in list(ANSWERS.values())[::3]:
        alone = WIRES[wire].IngressStream(IDENTITY, accept=AGENT_CLIENTS | {"answer.stop_reason"})
        expected = [_encoded(alone, event) for event in events]
        handed = WIRES[wire].IngressStream(IDENTITY, accept=AGENT_CLIENTS | {"answer.stop_reason"})
        assert expected == handed_on([partial(_encoded, handed, event) for event in events])
        one, other = Fold(), Fold()
        for event in events:
            one.add(event)
        handed_on([partial(other.add, event) for event in events])
        assert (one.terminal, one.partial()) == (other.terminal, other.partial())


def _encoded(stream: Any, event: Any) -> Any:
    try:
        return stream.encode(event)
    except Exception as error:  # noqa: BLE001  (refused alike, whatever it is)
        return error


def test_a_relay_is_handed_from_thread_to_thread() -> None:
    """Its request by one, its answer by others."""
    answer = (GOLDEN / "wire/messages/call/answer.sse").read_bytes()
    body = (GOLDEN / "wire/chat/tools/request.json").read_bytes()
    identity = Identity("resp_1", 1_790_000_000)

    def steps() -> list[Callable[[], Any]]:
        relay = Relay(
            WIRES[Protocol.CHAT],
            binding("messages"),
            identity,
            accept=AGENT_CLIENTS,
            credential="x",
        )
        head = [("content-type", "text/event-stream")]
        feeds = [partial(relay.feed, chunk) for chunk in chunked(answer, 97)]
        return [
            lambda: relay.request([], body),
            lambda: relay.response(200, head),
            *feeds,
            relay.close,
            lambda: (relay.outcome, relay.losses, relay.error, relay.done),
        ]

    expected = [step() for step in steps()]
    assert expected[-1][3]
    assert expected == handed_on(steps())


@every_wire
def test_many_streams_are_decoded_at_once(wire: Protocol) -> None:
    """Each by its own decoder: none knows of another, and a binding that nobody used yet serves them all."""
    jobs = WIRES[wire]
    some = streams(wire.short)[::6]

    def events(target: Any) -> list[Any]:
        return [list(jobs.decode_stream(chunked(each, 509), target)) for each in some]

    expected = events(binding(wire.short))
    fresh = copy.deepcopy(binding(wire.short))
    assert all(expected == told for told in at_once(lambda: events(fresh), 2))


@every_wire
def test_many_requests_are_written_and_read_at_once(wire: Protocol) -> None:
    """Functions keep nothing between calls."""
    target, jobs = binding(wire.short), WIRES[wire]
    turns = [turn(name) for name in ("calls", "tools", "text", "unicode", "settings")]

    def there_and_back() -> list[Any]:
        told = []
        for each in turns:
            data = jobs.encode_request(each, target, accept=AGENT_CLIENTS)
            told += [data, jobs.ingest_request(data), from_document(to_document(each))]
        return told

    expected = there_and_back()
    assert all(expected == each for each in at_once(there_and_back))


def test_a_class_is_first_asked_about_by_many_threads_at_once() -> None:
    """What all of them learn of its fields is learned once."""
    for _ in range(20):
        kinds = [soundness._of_model(kind) for kind in (Sampling, Thinking, Reasoning)]  # pyright: ignore[reportPrivateUsage]  a public test would be asked about already
        values = (Sampling(1, 1, 5), Thinking("low"), Reasoning("so"))

        pairs = list(zip(kinds, values, strict=True))

        def ask(pairs: list[Any] = pairs) -> list[bool]:
            return [test(value) for test, value in pairs]

        assert all(told == [True, True, True] for told in at_once(ask))


def test_what_any_thread_may_call_says_so() -> None:
    """In its own words, where a reader looks."""
    objects = [
        *(wire.StreamDecoder for wire in (chat, messages, responses)),
        *(wire.IngressStream for wire in (chat, messages, responses)),
        Relay,
        Fold,
        FragmentCache,
    ]
    assert [] == [each for each in objects if "Any thread may" not in (each.__doc__ or "")]
    assert set(PROTOCOLS) == {protocol.short for protocol in BINDINGS}

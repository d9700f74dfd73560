"""What can be measured. A maker that finds its function missing gives an Absent instead of a Job.

To add a measurement, write a maker for one wire and put it into MAKERS.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs
from orjson import loads

import llm_projections
from llm_projections.errors import Refusal
from llm_projections.sse import SENTINEL, Framer
from tests.bench import corpus, floors
from tests.bench.bindings import binding_for, identity
from tests.bench.harness import Absent, Job, may_be
from tests.bench.relays import relays

Found = Iterator[Job | Absent]


def framing(wire: str) -> Found:
    """Framing and decoding of every payload, against doing so by two searches."""
    for kind in corpus.KINDS:
        for cut in corpus.CUTS:
            yield _streaming("framing", wire, kind, cut, _frame, floors.frame_and_loads)
    name = f"framing.{wire}.text.crlf"
    chunks = corpus.chunks(wire, "text", "16k")
    crlf = [chunk.replace(b"\n", b"\r\n") for chunk in chunks]
    units = len(corpus.events(wire, "text"))
    yield Job(name, lambda: floors.frame_and_loads(chunks), lambda: _frame(crlf), units, "event")


def _frame(chunks: Sequence[bytes]) -> int:
    feed = Framer(16 << 20, 512 << 20).feed
    count = 0
    for chunk in chunks:
        for _, data in feed(chunk):
            if data != SENTINEL:
                loads(data)
            count += 1
    return count


def decode(wire: str) -> Found:
    """A whole decode to events and outcome, against framing and decoding of every payload."""
    module, binding = _wire(wire), binding_for(wire)
    make = module.StreamDecoder

    def run(chunks: Sequence[bytes]) -> None:
        decoder = make(binding)
        feed = decoder.feed
        last: Any = ()
        for chunk in chunks:
            last = feed(chunk) or last
        last = decoder.close() or last
        if type(last[-1]).__name__ != "TurnCompleted":
            raise AssertionError(f"the {wire} stream was not read to its end: {last[-1]!r}")

    for kind in corpus.KINDS:
        for cut in corpus.CUTS:
            yield _streaming("decode", wire, kind, cut, run, floors.frame_and_loads)


def ingest(wire: str) -> Found:
    """A request body to a neutral turn, against decoding its JSON."""
    read = _wire(wire).ingest_request
    accept = _package().AGENT_CLIENTS
    for count in corpus.SIZES:
        for spelling in (corpus.body, corpus.spaced):
            name = f"ingest.{wire}.{count}.{spelling.__name__}"
            yield _bodily(name, spelling(wire, count), lambda b: read(b, accept=accept))


def encode(wire: str) -> Found:
    """A neutral turn to a request body, against writing a ready value."""
    module, binding = _wire(wire), binding_for(wire)
    write = module.encode_request
    for count in corpus.SIZES:
        turn = _turn(wire, corpus.body(wire, count), binding)
        ready = loads(write(turn, binding))
        yield Job(
            f"encode.{wire}.{count}",
            partial(floors.dumps_body, ready),
            partial(write, turn, binding),
            1,
            "body",
        )


def grow(wire: str) -> Found:
    """The next requests of a conversation whose history a cache holds, against writing the ready values.

    Each brings one more step, as an agent's does, so that what a cache does once in a few requests is counted too. To
    make the turns, and the requests before, is not.
    """
    binding, write = binding_for(wire), _wire(wire).encode_request
    for count in corpus.GROWTH:
        turn = _turn(wire, corpus.grown(wire, count), binding)
        turns = [
            attrs.evolve(turn, items=turn.items[:end]) for end in _ends(turn)[-_BEFORE - _NEXT :]
        ]
        before, following = turns[:-_NEXT], turns[-_NEXT:]
        ready = [loads(write(each, binding)) for each in following]
        fragments: list[Any] = []

        def prepare(before: Any = before, fragments: list[Any] = fragments) -> None:
            fragments[:] = [_package().FragmentCache()]
            for each in before:
                write(each, binding, fragments=fragments[0])

        def run(following: Any = following, fragments: list[Any] = fragments) -> list[bytes]:
            return [write(each, binding, fragments=fragments[0]) for each in following]

        floor = partial(floors.dumps_bodies, ready)
        yield Job(f"grow.{wire}.{count}", floor, run, len(following), "request", prepare=prepare)


# The requests that are measured, and those from which a cache knows a conversation.
_NEXT = 4
_BEFORE = 4


def _ends(turn: Any) -> list[int]:
    """Where the items of a turn end that a request may end with: nobody waits for a result."""
    waiting: set[str] = set()
    ends: list[int] = []
    for position, item in enumerate(turn.items, 1):
        kind = type(item).__name__
        if kind == "ToolCall":
            waiting.add(item.call_id)
        elif kind == "ToolResult":
            waiting.discard(item.call_id)
        if not waiting and kind in ("ToolResult", "UserMessage"):
            ends.append(position)
    return ends


def relay_body(wire: str) -> Found:
    """A body in and a body of each wire out, against decoding and writing its JSON."""
    read, accept = _wire(wire).ingest_request, _package().AGENT_CLIENTS
    for target in corpus.WIRES:
        write, binding = _wire(target).encode_request, binding_for(target)

        def run(body: bytes, write: Any = write, binding: Any = binding) -> object:
            turn = attrs.evolve(read(body, accept=accept).request, model=binding.model)
            turn = turn.bind_unattributed(binding.provenance)
            return write(turn, binding, accept=accept)

        name = f"relay_body.{wire}.{target}.400"
        yield _bodily(name, corpus.body(wire, 400), run, floors.loads_dumps_body)


def relay_stream(wire: str) -> Found:
    """A stream in and a stream of each wire out, against decoding and writing each payload."""
    make, binding = _wire(wire).StreamDecoder, binding_for(wire)
    accept = _package().AGENT_CLIENTS
    for target in corpus.WIRES:
        answer = _wire(target).IngressStream

        def run(chunks: Sequence[bytes], answer: Any = answer) -> list[bytes]:
            decoder, stream = make(binding), answer(identity(), accept=accept)
            made = [stream.encode(event) for chunk in chunks for event in decoder.feed(chunk)]
            return made + [stream.encode(event) for event in decoder.close()]

        for kind in corpus.KINDS:
            for cut in ("16k", "event"):
                name = f"relay_stream.{wire}.{target}"
                yield _streaming(name, wire, kind, cut, run, floors.frame_loads_dumps)


def _streaming(
    job: str,
    wire: str,
    kind: str,
    cut: str,
    run: Callable[[Sequence[bytes]], object],
    floor: Callable[[Sequence[bytes]], object],
) -> Job:
    chunks = corpus.chunks(wire, kind, cut)
    name = f"{job}.{kind}.{cut}" if "." in job else f"{job}.{wire}.{kind}.{cut}"
    units = len(chunks) if cut == "byte" else len(corpus.events(wire, kind))
    unit = "byte" if cut == "byte" else "event"
    return Job(name, lambda: floor(chunks), lambda: run(chunks), units, unit)


def _bodily(
    name: str,
    body: bytes,
    run: Callable[[bytes], object],
    floor: Callable[[bytes], object] = floors.loads_body,
) -> Job:
    return Job(name, lambda: floor(body), lambda: run(body), 1, "body")


def _turn(wire: str, body: bytes, binding: Any) -> Any:
    accept = _package().AGENT_CLIENTS
    turn = _wire(wire).ingest_request(body, accept=accept).request
    return attrs.evolve(turn, model=binding.model).bind_unattributed(binding.provenance)


def _wire(wire: str) -> Any:
    return importlib.import_module(f"llm_projections.{wire}")


def _package() -> Any:
    return llm_projections


MAKERS: dict[str, Callable[[str], Found]] = {
    "framing": framing,
    "decode": decode,
    "ingest": ingest,
    "encode": encode,
    "grow": grow,
    "relay_body": relay_body,
    "relay_stream": relay_stream,
    "relay": relays,
}


def jobs(wanted: Sequence[str] = ("",)) -> Found:
    """Every job whose name may begin as one of `wanted`.

    What the package does not have, or refuses to prepare, is Absent.
    """
    for job, maker in MAKERS.items():
        if not may_be(f"{job}.", wanted):
            continue
        for wire in corpus.WIRES:
            try:
                yield from maker(wire)
            except (ImportError, AttributeError) as missing:
                yield Absent(f"{job}.{wire}", f"missing: {missing}")
            except Refusal as refused:
                yield Absent(f"{job}.{wire}", f"refused: {refused}", fault=True)

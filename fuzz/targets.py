"""What is fuzzed, and what must hold of it: one function a target, each takes one input of the fuzzer.

Whatever the bytes, the library answers with values or with one of its own refusals; anything else that comes out of a
target is a finding, an assertion that does not hold included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from attrs import evolve

from llm_projections import (
    ALL,
    AnswerBody,
    AnswerHead,
    AnswerShape,
    Binding,
    Dispatch,
    HttpAnswer,
    Limits,
    Protocol,
    Refusal,
    Relay,
    RequestRefused,
    ResponseRefused,
    ToolWrapping,
    TurnCompleted,
    TurnFailed,
    TurnOutcome,
    TurnRequest,
    fold,
    from_document,
    read_exchange,
    to_document,
    wire,
)
from llm_projections import messages as messages_wire
from llm_projections.model.losses import NAMES
from llm_projections.sse import Framer, FrameTooLarge

from .inputs import IDENTITY, PROTOCOLS, Input, binding_of

__all__ = ["TARGETS"]

_SHAPE = AnswerShape(stream=True, include_usage=True, encrypted_reasoning=True)
_HEADERS: list[tuple[tuple[str, str], ...]] = [
    (),
    (("anthropic-version", "2023-06-01"), ("anthropic-beta", "a-2026-01-01,b-2026-02-02")),
    (("Anthropic-Version", "2026-10-21"), ("originator", "codex_cli_rs")),
    (("content-type", "text/plain"), ("anthropic-beta", "\u2028,\x00, ,")),
]
_STATUSES = [200, 200, 200, 200, 204, 302, 400, 401, 404, 413, 429, 500, 503, 529]
_KINDS = ["text/event-stream", "application/json", "text/html; charset=x", None]


def _same(expected: object, found: object, what: str) -> None:
    """Not a bare assertion: it holds in every mode of the interpreter."""
    if expected != found:
        raise AssertionError(f"{what}: {expected!r:.600} != {found!r:.600}")


# framing


def _framed(chunks: Iterable[bytes], limits: Limits) -> tuple[list[Any], str | bool]:
    framer = Framer(limits.frame_bytes, limits.stream_bytes)
    found: list[Any] = []
    try:
        for chunk in chunks:
            found += framer.feed(chunk)
    except FrameTooLarge as error:
        return found + error.frames, error.what
    last, inside = framer.close()
    return found + last, inside


def framing(data: bytes) -> None:
    """Server-sent events: cuts never show. One run in four reads payloads that came framed otherwise."""
    given = Input(data)
    if given.pick(4) == 3:
        _payloads(given)
        return
    limits = given.limits()
    cut = given.chunks(given.data)
    _same(_framed([given.data], limits), _framed(cut, limits), "cuts of frames")


def _payloads(given: Input) -> None:
    """Payloads one a line, as a WebSocket would bring them."""
    protocol = given.protocol()
    binding, limits = given.binding(protocol), given.limits()
    decoder = wire(protocol).StreamDecoder(binding, limits=limits)
    events: list[Any] = []
    for payload in given.data.split(b"\n"):
        events += decoder.feed_payload(payload.removeprefix(b"data: "))
    events += decoder.close()
    _folds(events, _terminal(events))


# answers


def _events(binding: Binding, chunks: Iterable[bytes], **options: Any) -> list[Any]:
    decoder = wire(binding.protocol).StreamDecoder(binding, **options)
    events: list[Any] = []
    for chunk in chunks:
        events += decoder.feed(chunk)
        if decoder.done:
            break
    else:
        decoder.snapshot()
    events += decoder.close()
    decoder.snapshot()
    return events


def _terminal(events: list[Any]) -> TurnCompleted | TurnFailed:
    """The last event, after checking that it alone is terminal."""
    ends = [at for at, each in enumerate(events) if isinstance(each, TurnCompleted | TurnFailed)]
    _same([len(events) - 1], ends, "terminal events")
    last: TurnCompleted | TurnFailed = events[-1]
    if isinstance(last, TurnFailed):
        _same(True, isinstance(last.error, ResponseRefused), "the refusal of an answer")
        _same(False, last.error.dispatch is Dispatch.NOT_SENT, "never sent")
    return last


def _folds(events: list[Any], last: TurnCompleted | TurnFailed) -> None:
    """What was told before the end adds up to what the end says."""
    told = fold(events)
    stands: Any
    if isinstance(last, TurnCompleted):
        stands = last.outcome
    else:
        assert isinstance(last.error, ResponseRefused)
        stands = last.error.partial
    _same(stands.items, told.items, "folded items")
    _same(stands.observation.usage, told.observation.usage, "folded counters")
    _same(stands.warnings, told.warnings, "folded warnings")


def _writes(outcome: TurnOutcome, accept: frozenset[str]) -> None:
    """Written whole on every wire, and kept as a document."""
    for protocol in PROTOCOLS:
        with suppress(ResponseRefused):
            wire(protocol).encode_ingress_answer(outcome, IDENTITY, _SHAPE, accept=accept)
    document = to_document(outcome)
    # opaque texts that are no JSON object stay texts; a document keeps each of them
    _same(document, to_document(from_document(document)), "the document of an outcome")


def stream(protocol: Protocol, data: bytes) -> None:
    """A streamed answer: one end, whatever the cuts, and it can be told on every wire."""
    given = Input(data)
    options: dict[str, Any] = {
        "limits": given.limits(),
        "invalid_arguments": "keep" if given.chance() else "refuse",
        "keep_raw": given.chance(),
    }
    accept, target = given.accept(), given.protocol()
    binding = given.binding(protocol)
    events = _events(binding, [given.data], **options)
    _same(events, _events(binding, given.chunks(given.data), **options), "cuts of a stream")
    if not options["keep_raw"]:
        kept = _events(binding, [given.data], **{**options, "keep_raw": True})
        _same(events[:-1], kept[:-1], "frames kept")
    last = _terminal(events)
    _folds(events, last)
    encoder = wire(target).encode_ingress_stream(events, IDENTITY, _SHAPE, accept=accept)
    again = _events(binding_of(target), [b"".join(encoder)])
    _same(
        isinstance(last, TurnFailed) or isinstance(_terminal(again), TurnFailed),
        isinstance(_terminal(again), TurnFailed),
        "a failure told as success",
    )
    if isinstance(last, TurnCompleted):
        _writes(last.outcome, accept)


def bodies(data: bytes) -> None:
    """A body that is no stream: a whole answer, or the answer of an error with its headers."""
    given = Input(data)
    protocol = given.protocol()
    reader = _error if given.chance() else _whole
    reader(protocol, given)


def _whole(protocol: Protocol, given: Input) -> None:
    """A whole answer: an outcome or a refusal."""
    binding, limits, accept = given.binding(protocol), given.limits(), given.accept()
    try:
        outcome = wire(protocol).decode_response(given.parts()[1], binding, limits=limits)
    except ResponseRefused:
        return
    _writes(outcome, accept)


def _error(protocol: Protocol, given: Input) -> None:
    """The answer of an error: a refusal, which can be shown to the clients of every wire."""
    binding = given.binding(protocol)
    status, exposed = given.pick(1000), given.chance()
    lines, body = given.parts()
    pairs = (line.partition(b":") for line in lines.split(b"\n"))
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, _, value in pairs]
    error = wire(protocol).decode_error(status, headers, body, binding)
    _same(True, isinstance(error, ResponseRefused), "the refusal of an error answer")
    for each in PROTOCOLS:
        shown = wire(each).encode_ingress_error(error, request_id="r", expose_upstream=exposed)
        _same(True, 400 <= shown.status <= 599, "the status of an error answer")


# requests


def _sends(source: Protocol, turn: TurnRequest, accept: frozenset[str], given: Input) -> None:
    """Written on every wire, and read again where it came from."""
    for protocol in PROTOCOLS:
        binding = given.binding(protocol)
        asked = evolve(turn, model=binding.model).bind_unattributed(binding.provenance)
        try:
            body = wire(protocol).encode_request(asked, binding, accept=accept)
            wire(protocol).request_headers(binding, request=asked)
        except RequestRefused:
            continue
        try:
            wire(protocol).ingest_request(body, accept=NAMES.keys())
        except RequestRefused as error:
            # a word that one wire leaves open may be none of another's
            _same(True, source is not protocol, f"our own body {error}")


def _twice(protocol: Protocol, turn: TurnRequest) -> None:
    """Sent where it came from and read again, a request is the same the second time."""
    binding, jobs = binding_of(protocol), wire(protocol)

    def sent(asked: TurnRequest) -> bytes:
        own = evolve(asked, model=binding.model).bind_unattributed(binding.provenance)
        body: bytes = jobs.encode_request(own, binding, accept=NAMES.keys())
        return body

    try:
        first = sent(turn)
    except RequestRefused:
        return
    _same(first, sent(jobs.ingest_request(first, accept=NAMES.keys()).request), "the second round")


def ingest(protocol: Protocol, data: bytes) -> None:
    """A request: read, kept as a document, and written on every wire."""
    given = Input(data)
    headers = _HEADERS[given.pick(len(_HEADERS))]
    accept, limits, envelopes = given.accept(), given.limits(), given.chance()
    jobs = wire(protocol)
    counts = protocol is Protocol.MESSAGES and given.pick(8) == 7
    reader = messages_wire.ingest_count_tokens if counts else jobs.ingest_request
    try:
        found = reader(
            given.data, headers=headers, accept=accept, envelopes=envelopes, limits=limits
        )
    except RequestRefused as error:
        for each in (error, *error.others):
            jobs.encode_ingress_error(each)
        return
    turn: TurnRequest = found.request
    _same(to_document(turn), to_document(from_document(to_document(turn))), "the document")
    turn.validate(limits)
    _sends(protocol, turn, accept, given)
    if not counts:
        _twice(protocol, turn)


# documents


def documents(data: bytes) -> None:
    """A turn, an outcome or a binding: read, written again, and used."""
    given = Input(data)
    accept = given.accept()
    try:
        value = from_document(given.data)
    except RequestRefused:
        return
    _same(value, from_document(to_document(value)), "the document again")
    if isinstance(value, TurnRequest):
        with suppress(RequestRefused):
            value.validate()
        _uses_turn(value, accept, given)
    elif isinstance(value, TurnOutcome):
        for protocol in PROTOCOLS:
            with suppress(ResponseRefused):
                wire(protocol).encode_ingress_answer(value, IDENTITY, _SHAPE, accept=accept)
    else:
        _uses_binding(value)


def _uses_turn(turn: TurnRequest, accept: frozenset[str], given: Input) -> None:
    for protocol in PROTOCOLS:
        binding = given.binding(protocol)
        asked = evolve(turn, model=binding.model)
        with suppress(RequestRefused):
            asked = asked.bind_unattributed(binding.provenance)
        with suppress(RequestRefused):
            wire(protocol).encode_request(asked, binding, accept=accept)
        with suppress(RequestRefused):
            wire(protocol).request_headers(binding, request=asked)


def _uses_binding(binding: Binding) -> None:
    jobs = wire(binding.protocol)
    _same(64, len(binding.revision), "the revision of a binding")
    with suppress(RequestRefused):
        jobs.request_headers(binding, credential="secret")
    with suppress(RequestRefused):
        jobs.request_url(binding)
    with suppress(RequestRefused):
        jobs.encode_request(TurnRequest.text(binding.model, "Hi"), binding)
    _terminal(_events(binding, [b'data: {"type":"error"}\n\n']))


# exchanges


def _seal(data: bytes) -> str:
    return data.hex()


def _unseal(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _played(
    relay: Relay, headers: Any, request: bytes, answer: tuple[int, Any, list[bytes]]
) -> Any:
    asked = relay.request(headers, request)
    if isinstance(asked, HttpAnswer):
        _same(True, relay.done and 400 <= asked.status <= 599, "an answer at once")
        return relay.outcome, _told(relay.error)
    status, answer_headers, chunks = answer
    out = relay.response(status, answer_headers)
    for chunk in chunks:
        out += relay.feed(chunk)
    out += relay.close()
    heads = [at for at, each in enumerate(out) if isinstance(each, AnswerHead)]
    _same([0], heads, "one head, first")
    _same(True, relay.done, "an end")
    _same(True, (relay.outcome is None) != (relay.error is None), "an outcome or an error")
    body = b"".join(each.data for each in out if isinstance(each, AnswerBody))
    _same(True, body != b"", "a body")
    return relay.outcome, _told(relay.error)


def _told(error: Refusal | None) -> object:
    """A refusal without what had been decoded: a decoder may be ahead of what its relay could show."""
    return error and (type(error), error.code, error.path, error.message, error.dispatch)


def exchange(data: bytes) -> None:
    """A request and its answer: through a relay, and read as a recording."""
    given = Input(data)
    client, server = given.protocol(), given.protocol()
    binding = given.binding(server)
    headers = _HEADERS[given.pick(len(_HEADERS))]
    status = _STATUSES[given.pick(len(_STATUSES))]
    kind = _KINDS[given.pick(len(_KINDS))]
    answer_headers = () if kind is None else (("content-type", kind),)
    accept, limits = given.accept(), given.limits()
    wraps, seals = given.chance(), given.chance()
    options: dict[str, Any] = {
        "accept": accept,
        "limits": limits,
        "unattributed": "bind" if given.chance() else "refuse",
        "wrapping": ToolWrapping(ALL, True, True) if wraps else None,
        "seal": _seal if seals else None,
        "unseal": _unseal if seals else None,
        "keep_raw": given.chance(),
    }
    request, answer = given.parts()
    shown = []
    for chunks in ([answer], given.chunks(answer)):
        relay = Relay(wire(client), binding, IDENTITY, **options)
        shown.append(_played(relay, headers, request, (status, answer_headers, chunks)))
    _same(shown[0], shown[1], "cuts through a relay")
    path = f"/v1/{wire(client).path}"
    read = read_exchange(
        path,
        request,
        status,
        answer_headers,
        given.chunks(answer),
        request_headers=headers,
        accept=accept,
        limits=limits,
    )
    _same(True, (read.outcome is None) != (read.error is None), "an outcome or an error")
    _same(True, (read.request is None) != (read.request_error is None), "a request or its error")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "framing": framing,
    **{f"stream_{each.short}": partial(stream, each) for each in PROTOCOLS},
    "bodies": bodies,
    **{f"ingest_{each.short}": partial(ingest, each) for each in PROTOCOLS},
    "documents": documents,
    "exchange": exchange,
}

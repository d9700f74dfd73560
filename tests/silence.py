"""Bodies and streams with one field less or changed, and what then goes unnoticed (law 13).

A field may go unnoticed only where a row declares it a spelling or a default, where the same is said at another
place, or where the tables below say why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any

from attrs import define, evolve, field

from llm_projections.errors import RequestRefused
from llm_projections.model.binding import Binding
from llm_projections.model.events import Event, TurnCompleted
from llm_projections.wires import WIRES
from llm_projections.wires._rows import Treat
from tests.acceptance.spellings import same
from tests.changing import Place, at, places
from tests.golden_tools import PROTOCOLS, binding, rows_at
from tests.helpers import by_event

__all__ = [
    "ALLOWED",
    "ALLOWED_OF_REQUESTS",
    "Found",
    "altered",
    "changes",
    "contradictions",
    "is_declared",
    "place_path",
    "server",
    "silent_in_request",
    "silent_in_stream",
    "tellings",
]

_DECLARED = frozenset({Treat.SPELL, Treat.DEFAULT})
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_SERVERS = {"chat": "chat-server", "messages": "messages", "responses": "responses"}

# Of requests: a place, and why its field may go or change unnoticed.
ALLOWED_OF_REQUESTS: dict[str, list[tuple[str, str]]] = {
    "chat": [],
    "messages": [
        ("messages[].content[].signature", "an empty signature is none: the thinking is unsigned")
    ],
    "responses": [],
}
# Of streams: an event's type and a place in it, and why its field may go or change unnoticed.
ALLOWED: dict[str, list[tuple[str, str, str]]] = {
    "chat": [
        ("*", "choices[].delta.tool_calls[].index", "a call is found by its id or by order"),
        ("*", "choices[].delta.reasoning_content", "the sealed details say the same text"),
    ],
    "messages": [
        ("content_block_*", "index", "the open block is the one that is meant"),
        ("content_block_stop", "type", "the event's name says it"),
        ("message_stop", "type", "the event's name says it"),
        ("message_delta", "usage.*", "the opening event said it"),
        ("message_start", "message.usage.*", "the closing event says it"),
        ("content_block_start", "content_block.signature", "the delta takes its place"),
    ],
    "responses": [
        ("*", "sequence_number", "events come in order"),
        ("*", "item_id", "an item is found by id, by index or by order"),
        ("*", "*output_index", "an item is found by id, by index or by order"),
        ("*", "*content_index", "a part is found by index or by order"),
        ("*", "summary_index", "a part is found by index or by order"),
        ("*", "annotation_index", "annotations come in order"),
        ("*", "type", "the event's name says it"),
        ("*", "response.status", "the event's name decides"),
        ("response.created", "response.service_tier", "the closing event says it"),
        ("*", "response.store", "the request's own value, said again"),
        ("*", "response.*_penalty", "the request's own value, said again"),
        ("response.output_item.added", "item.status", "an item is open until it is done"),
        ("*", "*.status", "a completed item is one without a word"),
        ("*", "*.content[].type", "reasoning holds one type of part"),
        ("*", "*.summary[].type", "a summary holds one type of part"),
        ("response.output_item.added", "item.name", "the finished call says it"),
        ("response.output_item.added", "item.arguments", "the finished call says it"),
        ("response.function_call_arguments.done", "name", "the opened call said it"),
    ],
}


@define
class Found:
    """What was tried, what of it went unnoticed and why it may, and what may not."""

    tried: int = 0
    declared: int = 0
    repeated: int = 0
    allowed: int = 0
    lost: list[str] = field(factory=list[str])


def place_path(place: Place) -> str:
    text = ""
    for step in place:
        text += "[]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _other(value: Any) -> Any:
    """Another scalar of the same type; None where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2 + 0.01
    return value + "x" if isinstance(value, str) else None


@contextmanager
def altered(bodies: Iterable[Any], place: Place, what: str) -> Iterator[None]:
    """The bodies without a field, or with another scalar there; afterwards as they were, in their order."""
    owners = [at(body, place[:-1]) for body in bodies]
    kept = [list(owner.items()) for owner in owners]
    for owner in owners:
        if what == "removed":
            del owner[place[-1]]
        else:
            owner[place[-1]] = _other(owner[place[-1]])
    yield
    for owner, members in zip(owners, kept, strict=True):
        owner.clear()
        owner.update(members)


def changes(body: Any) -> Iterator[tuple[Place, str]]:
    for place in list(places(body)):
        yield place, "removed"
        if _other(at(body, place)) is not None:
            yield place, "changed"


def is_declared(wire: str, section: str, body: Any, place: Place) -> bool:
    return any(row.treat in _DECLARED for row in rows_at(wire, section, body, place))


# requests


def silent_in_request(wire: str, data: bytes, headers: Iterable[tuple[str, str]] = ()) -> Found:
    """Each field of a request removed and changed in turn; what is read and written again must differ.

    A refusal is no silence. The body must be one that is accepted.
    """
    target = server(wire)
    headers = tuple(headers)

    def projected(body: bytes) -> object:
        jobs = WIRES[PROTOCOLS[wire]]
        try:
            read = jobs.ingest_request(body, headers=headers)
            turn = evolve(read.request.bind_unattributed(target.provenance), model=target.model)
            stream = read.answer.stream if wire == "chat" else True
            return jobs.encode_request(turn, target, stream=stream), read.request.model, read.answer
        except RequestRefused:
            return None

    body = json.loads(data)
    plain = json.dumps(body).encode()
    whole = projected(plain)
    assert whole is not None, "the body is refused as it is"
    found = Found()
    for place, what in changes(body):
        found.tried += 1
        with altered([body], place, what):
            data = json.dumps(body).encode()
        if projected(data) != whole:
            continue
        if is_declared(wire, "request", body, place):
            found.declared += 1
        elif _is_empty(wire, body, place) or not same(wire, plain, data, pinned=False):
            found.allowed += 1
        else:
            found.lost.append(f"{what} {place_path(place)}")
    return found


def _is_empty(wire: str, body: Any, place: Place) -> bool:
    return at(body, place) == "" and place_path(place) in dict(ALLOWED_OF_REQUESTS[wire])


def server(wire: str) -> Binding:
    """A server that takes what the wire can say, for answers of any length that a client may ask for."""
    target = binding(_SERVERS[wire])
    return evolve(target, capabilities=evolve(target.capabilities, max_output_tokens=10**9))


# streams

_Framed = list[tuple[bytes, Any]]


def _framed(stream: bytes) -> _Framed:
    """Each event's bytes before its payload, and the payload; the sentinel stays bytes."""
    framed: _Framed = []
    for event in by_event(stream.replace(b"\r\n", b"\n")):
        head, found, payload = event.partition(b"data:")
        if found:
            text = payload.strip()
            framed.append((head, text if text == b"[DONE]" else json.loads(text)))
    return framed


def _unframed(framed: _Framed) -> bytes:
    return b"".join(
        head
        + b"data: "
        + (body if isinstance(body, bytes) else json.dumps(body).encode())
        + b"\n\n"
        for head, body in framed
    )


def _kind(body: Any) -> str:
    return str(body.get("type", "")) if isinstance(body, dict) else ""


def tellings(wire: str, stream: bytes) -> dict[str, bytes]:
    """A stream, and on Responses, which says everything four times, streams that say it once."""
    if wire != "responses":
        return {"whole": stream}
    ends = ("response.completed", "response.incomplete")

    def telling(keep: Callable[[str], bool], *, output: bool = False) -> bytes:
        framed = [
            (head, body)
            for head, body in _framed(stream)
            if _kind(body) in (*ends, "response.created") or keep(_kind(body))
        ]
        for _, body in framed:
            if _kind(body) in ends and not output:
                body["response"]["output"] = []
        return _unframed(framed)

    opens = "response.output_item.added"
    return {
        "by its end": telling(lambda _: False, output=True),
        "by its items": telling(lambda kind: kind == "response.output_item.done"),
        "by finished texts": telling(
            lambda kind: (
                kind == opens or kind.endswith((".done", ".annotation.added"))
                if not kind.endswith(("item.done", "part.done"))
                else False
            )
        ),
        "by deltas": telling(lambda kind: kind.endswith((".delta", ".added"))),
    }


def _decoded(wire: str, stream: bytes) -> tuple[list[Event], object]:
    events = list(WIRES[PROTOCOLS[wire]].decode_stream([stream], binding(wire)))
    last = events[-1]
    return events, last.outcome.warnings if isinstance(last, TurnCompleted) else None


def silent_in_stream(wire: str, stream: bytes) -> Found | None:
    """Each field of each event removed and changed in turn; the events or the warnings must differ.

    Nothing says nothing: an empty or null field may go. What is said again elsewhere is changed everywhere at once.
    None for a stream that is no success: what a refused answer would have said is not told.
    """
    framed = _framed(stream)
    whole = _decoded(wire, _unframed(framed))
    if whole[1] is None:
        return None
    found = Found()
    bodies = [body for _, body in framed if not isinstance(body, bytes)]

    def unnoticed(them: list[Any], place: Place, what: str) -> bool:
        with altered(them, place, what):
            changed = _unframed(framed)
        return _decoded(wire, changed) == whole

    for body in bodies:
        section = "chunk" if wire == "chat" else f"event.{_kind(body)}"
        for place, what in changes(body):
            value = at(body, place)
            if what == "removed" and value in _EMPTY and not isinstance(value, int | float):
                continue
            found.tried += 1
            if not unnoticed([body], place, what):
                continue
            if is_declared(wire, section, body, place):
                found.declared += 1
            elif _is_allowed(wire, body, place):
                found.allowed += 1
            elif what == "removed" and _says_nothing(wire, section, body, place, bodies):
                found.declared += 1
            elif (them := _alike(bodies, place, value)) != [body] and not unnoticed(
                them, place, what
            ):
                found.repeated += 1
            else:
                found.lost.append(f"{what} {place_path(place)} of {_kind(body) or 'a chunk'}")
    return found


def _is_allowed(wire: str, body: Any, place: Place) -> bool:
    path = place_path(place)
    return any(
        fnmatchcase(_kind(body), kind) and fnmatchcase(path, pattern.replace("[]", "[[][]]"))
        for kind, pattern, _ in ALLOWED[wire]
    )


def _alike(bodies: list[Any], place: Place, value: Any) -> list[Any]:
    """The events that say the same at the same place."""
    found: list[Any] = []
    for body in bodies:
        try:
            if at(body, place) == value:
                found.append(body)
        except (KeyError, IndexError, TypeError):
            continue
    return found


def _says_nothing(wire: str, section: str, body: Any, place: Place, bodies: list[Any]) -> bool:
    """Whether a container holds only what may go unnoticed by itself, or is said at the same place of another event."""
    value = at(body, place)
    if not isinstance(value, dict | list):
        return False
    for below in places(value):
        inner = (*place, *below)
        said = at(body, inner)
        if (
            said not in _EMPTY
            and not isinstance(said, dict | list)
            and not is_declared(wire, section, body, inner)
            and not _is_allowed(wire, body, inner)
            and len(_alike(bodies, inner, said)) == 1
        ):
            return False
    return True


def contradictions(stream: bytes) -> Found:
    """Each finished text of a Responses stream, changed at one of the places that say it: something must tell."""
    framed = _framed(stream)
    whole = _decoded("responses", _unframed(framed))
    found = Found()
    for body in (body for _, body in framed if not isinstance(body, bytes)):
        if not _kind(body).endswith((".done", ".completed", ".incomplete")):
            continue
        for place, what in changes(body):
            if what == "changed" and place[-1] in _TEXTS and at(body, place):
                found.tried += 1
                with altered([body], place, what):
                    changed = _unframed(framed)
                if _decoded("responses", changed) == whole:
                    found.lost.append(f"changed {place_path(place)} of {_kind(body)}")
    return found


_TEXTS = ("text", "refusal", "arguments", "input")

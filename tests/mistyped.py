"""Answers in which one value has a type that its place never has, and what then goes unnoticed.

The types of a place are those that the answers of golden/ and spec/cases have there, by the variant that an object's
`type` names. An answer with a wrong type must not be read as the answer without that place is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from attrs import define, field, frozen

from llm_projections import _json
from llm_projections.errors import RefusalCode, ResponseRefused
from llm_projections.model.binding import Binding
from llm_projections.model.events import TurnCompleted, TurnFailed
from llm_projections.wires import WIRES
from llm_projections.wires.responses.vocab_answer import ECHOES, REPEATED_EVENTS
from tests.changing import Place, at, places
from tests.conformance.documents import binding_of
from tests.conformance.forms import bytes_of
from tests.conformance.running import case_at, files
from tests.golden_tools import GOLDEN, PROTOCOLS, binding
from tests.helpers import by_event

__all__ = ["ALLOWED", "PARTS", "WRONG", "Answer", "Found", "answers", "mistyped"]

PARTS = ("streams", "bodies", "errors")
_JOBS = dict(zip(("decode", "decode_body", "decode_error"), PARTS, strict=True))
WRONG: tuple[Any, ...] = (3, 0, 1.5, True, False, "x", [], {}, [3], {"a": 1})
# How often one place is tried: it stands in many answers, and beside other things in each.
_OFTEN = 2

# A section, a place in it, wrong values as JSON (none: any), and why such a value may be read as if it were not there.
ALLOWED: dict[str, list[tuple[str, str, tuple[str, ...], str]]] = {
    "chat": [
        ("*", "created", ("1.5",), "a time may have a fraction"),
        ("*", "choices[].error", ("0", "false", "[]"), "an error that is empty is none"),
        ("chunk", "obfuscation", (), "padding, whatever it is"),
        ("chunk", "*.tool_calls[].index", ("false",), "equal to the index of the first call"),
    ],
    "messages": [
        ("content_block_delta", "index", ("false",), "equal to the index of the first block"),
        ("content_block_start", "content_block<*>.input", ("[]",), "an empty list holds nothing"),
        ("message_start", "message<*>.input_transformations[]*", (), "what is said last stands"),
    ],
    "responses": [
        ("response.failed", "*", (), "a failure stays one, whatever is said with it"),
        ("response.cancelled", "*", (), "a failure stays one, whatever is said with it"),
        ("*.delta", "output_index", (), "a delta of an open part is found by its item id"),
        ("*.delta", "sequence_number", (), "deltas come in order"),
        ("*.delta", "content_index", ("false",), "equal to the index of the first part"),
        ("*.delta", "logprobs", ("0", "false", "{}"), "empty probabilities are none"),
        ("*", "*created_at", ("1.5",), "a time may have a fraction"),
        (
            "*",
            "*<message>.content",
            ('"x"',),
            "content may be one text, which is shown when it is whole",
        ),
        (
            "*",
            "*<reasoning>.content",
            ('"x"',),
            "content may be one text, which is shown when it is whole",
        ),
        (
            "*",
            "*<reasoning>.summary",
            ('"x"',),
            "a summary may be one text, which is shown when it is whole",
        ),
        ("*", "*arguments", ("[3]", "[]", '{"a": 1}', "{}"), "arguments may be the value itself"),
        ("*", "*<output_text>.logprobs", ("0", "false", "{}"), "empty probabilities are none"),
        (
            "*",
            "*<message>.annotations",
            ("0", "false", "{}"),
            "what is empty adds nothing at the end",
        ),
        ("*", "*annotation.*", (), "an annotation is kept whole, as the finished part says it"),
        ("*", "*annotation<*", (), "an annotation is kept whole, as the finished part says it"),
        ("*", "*.annotations[]*", (), "an annotation is kept whole, as the finished part says it"),
        ("*", "*<web_search_call>*", (), "an item of this wire is kept whole, as it is when done"),
        ("response.created", "response.service_tier", (), "the closing event says it again"),
        ("response.in_progress", "response.service_tier", (), "the closing event says it again"),
    ],
}
# Of Responses: by the tables of the wire, the finished item says it again, and the request's own values come back.
_AGAIN = [
    *((kind, "*") for kind in sorted(REPEATED_EVENTS)),
    *(
        (section, f"{lead}{echo}{below}")
        for section, lead in (("response.*", "response."), ("bodies", ""))
        for echo in sorted(ECHOES)
        for below in ("", ".*", "<*", "[]*")
    ),
]


@frozen
class Answer:
    """One answer: its payloads with what stands before each, and what reads it."""

    name: str
    part: str
    payloads: list[tuple[bytes, Any]]
    read: Callable[[bytes], object]
    texts: list[bytes]

    def bodies(self) -> Iterator[Any]:
        """The payloads that are JSON objects."""
        return (body for _, body in self.payloads if isinstance(body, dict))

    def result(self, changed: Any = None) -> object:
        """What comes of it, with one body as it is now; None where it cannot be read."""
        if self.part != "streams":
            return self.read(_json.dumps(self.payloads[0][1]))
        told = zip(self.payloads, self.texts, strict=True)
        return self.read(
            b"".join(
                b"%b%b\n\n" % (head, _json.dumps(body) if body is changed else text)
                for (head, body), text in told
            )
        )


def _text(body: Any) -> bytes:
    return body if isinstance(body, bytes) else _json.dumps(body)


@define
class Found:
    """How many places and values were tried, and which of them were read as if they were not there."""

    places: set[tuple[str, str]] = field(factory=set[tuple[str, str]])
    tried: int = 0
    told: int = 0
    allowed: Counter[tuple[str, str]] = field(factory=Counter[tuple[str, str]])
    lost: list[str] = field(factory=list[str])

    def add(self, other: Found) -> None:
        """Count what another count found too."""
        self.places |= other.places
        self.tried += other.tried
        self.told += other.told
        self.allowed += other.allowed
        self.lost += other.lost


# reading


def _refusal(error: ResponseRefused) -> object:
    """What a failure says; None for an answer that is refused."""
    if error.upstream is None and error.code is RefusalCode.PROTOCOL:
        return None
    return (
        error.code,
        error.path,
        error.dispatch,
        error.retriable,
        error.retry_after_ms,
        error.upstream,
    )


def _stream_reader(wire: str, target: Binding) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        *before, last = WIRES[PROTOCOLS[wire]].decode_stream([data], target)
        if isinstance(last, TurnCompleted):
            return before, last.outcome, last.outcome.warnings
        assert isinstance(last, TurnFailed)
        assert isinstance(last.error, ResponseRefused)
        told = _refusal(last.error)
        return None if told is None else (before, told)

    return read


def _body_reader(wire: str, target: Binding) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        try:
            outcome = WIRES[PROTOCOLS[wire]].decode_response(data, target)
        except ResponseRefused as error:
            return _refusal(error)
        return outcome, outcome.warnings

    return read


def _error_reader(wire: str, target: Binding, status: int) -> Callable[[bytes], object]:
    return lambda data: _refusal(WIRES[PROTOCOLS[wire]].decode_error(status, (), data, target))


# answers


def _framed(stream: bytes) -> list[tuple[bytes, Any]]:
    framed: list[tuple[bytes, Any]] = []
    for event in by_event(stream.replace(b"\r\n", b"\n")):
        head, found, payload = event.partition(b"data:")
        if found:
            try:
                body = json.loads(payload)
            except ValueError:
                body = payload.strip()
            framed.append((head + b"data: ", body))
    return framed


def _answer(name: str, part: str, data: bytes, read: Callable[[bytes], object]) -> Answer | None:
    """An answer, if it can be read as it is."""
    try:
        payloads = _framed(data) if part == "streams" else [(b"", json.loads(data))]
    except ValueError:
        return None
    found = Answer(name, part, payloads, read, [_text(body) for _, body in payloads])
    return None if found.result() is None or not any(found.bodies()) else found


def _reader(wire: str, part: str, target: Binding, status: int = 400) -> Callable[[bytes], object]:
    if part == "errors":
        return _error_reader(wire, target, status)
    return _stream_reader(wire, target) if part == "streams" else _body_reader(wire, target)


@cache
def answers(wire: str) -> list[Answer]:
    """The answers of golden/ and of spec/cases that can be read."""
    found: list[Answer | None] = []
    for part, name in zip(PARTS, ("answer.sse", "answer.json", "error.json"), strict=True):
        read = _reader(wire, part, binding(wire))
        found += [
            _answer("/".join(path.parts[-4:-1:2]), part, path.read_bytes(), read)
            for path in sorted(GOLDEN.glob(f"*/{wire}/*/{name}"))
        ]
    for path in files(wire):
        case = case_at(path)
        given, part = case["given"], _JOBS.get(case["job"])
        if part is not None:
            data = bytes_of(given["stream" if part == "streams" else "body"])
            read = _reader(wire, part, binding_of(given["binding"]), given.get("status", 400))
            found.append(_answer(path.stem, part, data, read))
    return [each for each in found if each is not None]


def _kind(body: Any) -> str:
    return str(body.get("type", "")) if isinstance(body, dict) else ""


def _label(body: Any, place: Place) -> str:
    """A place by the variants of the objects on its way."""
    text, value = "", body
    for step in place:
        if (
            text
            and isinstance(value, dict)
            and isinstance(value.get("type"), str)
            and step != "type"
        ):
            text += f"<{value['type']}>"
        text += "[]" if isinstance(step, int) else f".{step}" if text else step
        value = value[step]
    return text


def _section(wire: str, answer: Answer, body: Any) -> str:
    if answer.part != "streams":
        return answer.part
    return "chunk" if wire == "chat" else _kind(body) or "event"


def _type(value: Any) -> str:
    return type(value).__name__


@cache
def _types(wire: str) -> dict[tuple[str, str], set[str]]:
    """The types that each place has."""
    found: dict[tuple[str, str], set[str]] = {}
    for answer in answers(wire):
        for body in answer.bodies():
            for place in places(body):
                key = _section(wire, answer, body), _label(body, place)
                found.setdefault(key, set()).add(_type(at(body, place)))
    return found


# trying


@cache
def mistyped(wire: str, part: str) -> Found:
    """Each place of each answer with values of each wrong type, against the answer without it.

    A place is tried in the first event of its type and in the next one, which another lane may read.
    """
    found = Found()
    types = _types(wire)
    times: Counter[tuple[str, str, bool]] = Counter()
    for answer in answers(wire):
        if answer.part != part:
            continue
        seen: set[tuple[str, str]] = set()
        here: set[tuple[str, str, bool]] = set()
        for body in answer.bodies():
            mine = {(_section(wire, answer, body), _label(body, place)) for place in places(body)}
            for place in list(places(body)):
                key = _section(wire, answer, body), _label(body, place)
                again = (*key, key in seen)
                most = 1 if wire == "responses" and _is_said_again(key) else _OFTEN
                if again in here or times[again] >= most or types[key] == {"NoneType"}:
                    continue
                here.add(again)
                times[again] += 1
                found.places.add(key)
                _try(wire, answer, body, place, types[key], found)
            seen |= mine
    return found


def _try(wire: str, answer: Answer, body: Any, place: Place, right: set[str], found: Found) -> None:
    owner, step = at(body, place[:-1]), place[-1]
    kept = owner[step]
    before = list(owner.items()) if isinstance(owner, dict) else list(owner)
    del owner[step]
    without = answer.result(body)
    owner.clear()
    (owner.update if isinstance(owner, dict) else owner.extend)(before)
    key = _section(wire, answer, body), _label(body, place)
    for wrong in WRONG:
        if _type(wrong) in right or ("float" in right and _type(wrong) == "int"):
            continue
        found.tried += 1
        owner[step] = wrong
        told = answer.result(body)
        owner[step] = kept
        if told is None or told != without:
            found.told += 1
        elif (reason := _reason(wire, key, wrong)) is not None:
            found.allowed[reason] += 1
        else:
            found.lost.append(f"{key[0]}: {key[1]} = {json.dumps(wrong)}   [{answer.name}]")


def _reason(wire: str, key: tuple[str, str], wrong: Any) -> tuple[str, str] | None:
    """The entry of the tables that lets a wrong value go unnoticed."""
    for section, pattern, values, _ in ALLOWED[wire]:
        if _meets(key, section, pattern) and (not values or json.dumps(wrong) in values):
            return section, pattern
    return ("*", "*") if wire == "responses" and _is_said_again(key) else None


@cache
def _is_said_again(key: tuple[str, str]) -> bool:
    return any(_meets(key, section, pattern) for section, pattern in _AGAIN)


def _meets(key: tuple[str, str], section: str, pattern: str) -> bool:
    pattern = pattern.replace("[]", "[[][]]")
    return fnmatchcase(key[0], section) and fnmatchcase(key[1], pattern)

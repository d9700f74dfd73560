"""Requests and neutral turns with one field less or changed, written onto every wire (law 13).

What is written must differ, or the losses that are reported, or it is refused. Where neither differs, a row declares
the field a spelling or a default, or the field stands in something of which a loss told that it was left out whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any

from attrs import define, evolve, field, frozen

from llm_projections.errors import RequestRefused
from llm_projections.model.binding import Anonymous, Binding
from llm_projections.model.document import from_document
from llm_projections.model.losses import NAMES
from llm_projections.model.turn import TurnRequest
from llm_projections.wires import WIRES
from tests.acceptance.spellings import same
from tests.changing import Place, path_of
from tests.golden_tools import PROTOCOLS
from tests.silence import altered, changes, is_declared, place_path, server

__all__ = [
    "SHAPES_THE_ANSWER",
    "SPELLED_ALIKE",
    "TOLD_BY",
    "USED",
    "Across",
    "of_request",
    "of_turn",
]

SHAPES_THE_ANSWER: dict[str, set[str]] = {
    "chat": {"model", "stream", "stream_options", "stream_options.include_usage"},
    "messages": {"model", "stream"},
    "responses": {"model", "stream", "store", "include", "include[]"},
}
"""What a request says of its answer, or of whom it asks: it is in what `ingest_request` returns beside the turn."""

TOLD_BY: dict[str, list[tuple[str, str]]] = {
    "chat": [
        ("messages[].audio.id", "chat.messages.audio"),
        ("messages[].content", "turn.tools.custom"),
        ("messages[].tool_calls[].custom.*", "turn.tools.custom"),
    ],
    "messages": [
        ("messages[].content[].content*", "messages.content.search_result"),
        ("messages[].content[].source", "messages.content.search_result"),
        ("messages[].content[].title", "messages.content.search_result"),
        ("messages[].content[].signature", "turn.opaque.unattributed"),
    ],
    "responses": [
        ("prompt.*", "responses.prompt"),
        ("input[].input", "turn.tools.custom"),
        ("input[].name", "turn.tools.custom"),
        ("input[].output*", "turn.tools.custom"),
        ("input[].status", "turn.tools.custom"),
    ],
}
"""Places of a request whose owner cannot go alone, so that its loss must be named here: it has to be reported."""

_STRICT = "false is what this wire writes where nothing was asked (a pinned addition)"
_SCHEMA = "no parameters are a schema of no properties, since Messages requires one"
_LABEL = "a label that Messages has no place for (decision 094)"
_ALWAYS = "what Messages holds an answer to is always strict"
_NAMES_OF_ITEMS = "a name that a wire gave its own item means nothing elsewhere (decision 003)"

SPELLED_ALIKE: dict[str, list[tuple[str, str, str, str]]] = {
    "chat": [
        ("changed", "response_format.json_schema.name", "messages", _LABEL),
        ("removed", "response_format.json_schema.strict", "messages", _ALWAYS),
        ("removed", "tools[].function.parameters", "messages", _SCHEMA),
        ("removed", "tools[].function.strict", "responses", _STRICT),
    ],
    "messages": [
        ("removed", "messages[].content[].signature", "*", "an empty signature is none"),
        ("removed", "tools[].strict", "responses", _STRICT),
    ],
    "responses": [
        ("*", "input[].id", "chat", _NAMES_OF_ITEMS),
        ("*", "input[].id", "messages", _NAMES_OF_ITEMS),
        ("changed", "text.format.name", "messages", _LABEL),
        ("removed", "text.format.strict", "messages", _ALWAYS),
        ("removed", "tools[].parameters", "messages", _SCHEMA),
        ("removed", "tools[].strict", "*", _STRICT),
    ],
    "turn": [
        ("changed", "items[].content[].annotations[].path", "*", "its value is what is written"),
        ("*", "items[].extensions*", "chat", _NAMES_OF_ITEMS),
        ("*", "items[].extensions*", "messages", _NAMES_OF_ITEMS),
        ("*", "items[].text", "*", "what a person may read of a seal: the payload is written"),
        ("removed", "items[].failed", "chat", "success and no word are one on this wire"),
        ("removed", "items[].role", "chat", "the role that is written where none is named"),
        ("removed", "instructions[].role", "chat", "the role that is written where none is named"),
        ("removed", "instructions[].role", "responses", "it is always developer at the beginning"),
        ("removed", "cache_marks", "*", "only Messages has automatic marks, where none is given"),
        ("removed", "thinking.mode", "messages", "a budget says that thinking is enabled"),
        ("changed", "output_format.name", "messages", _LABEL),
        ("removed", "output_format.strict", "messages", _ALWAYS),
        ("removed", "tools[].input_schema", "messages", _SCHEMA),
        ("removed", "tools[].strict", "responses", _STRICT),
    ],
}
"""What is done to which place of a request or of a turn's document, onto which wire, and why nothing shows it."""

USED: set[tuple[str, ...]] = set()
"""The entries of `TOLD_BY` and `SPELLED_ALIKE` that this process met."""

_EVERY_LOSS = frozenset(NAMES)


@define
class Across:
    """What was tried on one target, and how it was told."""

    tried: int = 0
    written: int = 0
    """The bytes differ, or it is refused."""
    reported: int = 0
    """The losses differ, or one tells that what holds the field was left out."""
    shaped: int = 0
    declared: int = 0
    alike: int = 0
    lost: list[str] = field(factory=list[str])

    def add(self, other: Across) -> None:
        """Count another one too."""
        for name in ("tried", "written", "reported", "shaped", "declared", "alike"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.lost += other.lost


# What is written onto each wire, headers included, and what is reported as lost there; None where it is refused.
Told = dict[str, tuple[object, tuple[str, ...]] | None]


def _written(turn: TurnRequest, stream: bool) -> Told:
    told: Told = {}
    for target, protocol in PROTOCOLS.items():
        where = server(target)
        losses: list[Any] = []
        try:
            ours = evolve(turn.bind_unattributed(where.provenance), model=where.model)
            data = WIRES[protocol].encode_request(
                ours,
                where,
                stream=stream if target == "chat" else True,
                accept=_EVERY_LOSS,
                losses=losses,
            )
        except RequestRefused:
            told[target] = None
        else:
            headers = WIRES[protocol].request_headers(
                where, request=ours, credential=_credential(where)
            )
            told[target] = (data, headers), tuple(f"{loss.name} {loss.path}" for loss in losses)
    return told


def _credential(where: Binding) -> str | None:
    return None if isinstance(where.auth, Anonymous) else "secret"


def _refused() -> Told:
    return dict.fromkeys(PROTOCOLS)


@frozen
class _Tried:
    """One alteration that a target does not show: the place, what was done there, and what it gives."""

    place: Place
    path: str
    what: str
    target: str
    data: bytes
    shape: object


class _Trial:
    """One document, altered at each of its places in turn."""

    def __init__(self, body: Any, told: Callable[[bytes], tuple[Told, object]]) -> None:
        self.body, self._told = body, told
        self.plain = json.dumps(body).encode()
        self.whole, self.shape = told(self.plain)
        self._removed: dict[Place, Told] = {}

    def alter(self, place: Place, what: str) -> tuple[bytes, Told, object]:
        """The altered document, what it becomes, and what is read of it beside."""
        with altered([self.body], place, what):
            data = json.dumps(self.body).encode()
        told, shape = self._told(data)
        return data, told, shape

    def left_out(self, place: Place, target: str) -> bool:
        """Whether a loss tells that the field, or the least thing around it that can go alone, is not written."""
        whole = self.whole[target]
        for end in range(len(place), 0, -1):
            around = place[:end]
            if around not in self._removed:
                self._removed[around] = self._without(around)
            told = self._removed[around][target]
            if told is not None and told != whole:
                return whole is not None and told[0] == whole[0]
        return False

    def losses(self, target: str) -> list[tuple[str, str]]:
        """The name and the place of each loss of the whole document."""
        whole = self.whole[target]
        pairs = [line.partition(" ") for line in whole[1]] if whole is not None else []
        return [(name, path) for name, _, path in pairs]

    def _without(self, place: Place) -> Told:
        if isinstance(place[-1], str):
            return self.alter(place, "removed")[1]
        body = json.loads(self.plain)
        owner = body
        for step in place[:-1]:
            owner = owner[step]
        del owner[place[-1]]
        return self._told(json.dumps(body).encode())[0]


def of_request(
    wire: str, data: bytes, headers: Iterable[tuple[str, str]] = ()
) -> dict[str, Across]:
    """Each field of a request, onto each wire that takes the request whole at all."""
    headers = tuple(headers)

    def told(body: bytes) -> tuple[Told, object]:
        try:
            read = WIRES[PROTOCOLS[wire]].ingest_request(body, headers=headers, accept=_EVERY_LOSS)
        except RequestRefused:
            return _refused(), None
        return _written(read.request, read.answer.stream), (read.request.model, read.answer)

    def idle(trial: _Trial, tried: _Tried) -> str | None:
        if is_declared(wire, "request", trial.body, tried.place):
            return "declared"
        if tried.path in SHAPES_THE_ANSWER[wire] and tried.shape != trial.shape:
            return "shaped"
        if _alike(wire, tried) or not same(wire, trial.plain, tried.data, pinned=False):
            return "alike"
        names = {name for name, _ in trial.losses(tried.target)}
        for pattern, loss in TOLD_BY[wire]:
            if loss in names and _matches(tried.path, pattern):
                USED.add((wire, pattern, loss))
                return "reported"
        return None

    return _across(_Trial(json.loads(data), told), idle)


def of_turn(document: bytes) -> dict[str, Across]:
    """Each field of the document of a neutral turn, onto each wire that takes the turn whole at all."""

    def told(data: bytes) -> tuple[Told, object]:
        try:
            turn = from_document(data)
        except RequestRefused:
            return _refused(), None
        assert isinstance(turn, TurnRequest)
        return _written(turn, stream=True), turn.model

    def idle(trial: _Trial, tried: _Tried) -> str | None:
        if tried.path == "model":
            return "shaped" if tried.shape != trial.shape else None
        if from_document(tried.data) == from_document(trial.plain):
            return "declared"
        if _alike("turn", tried):
            return "alike"
        full = path_of(tried.place)
        told = [path for _, path in trial.losses(tried.target)]
        return "reported" if any(full.startswith((f"{at}.", f"{at}[")) for at in told) else None

    return _across(_Trial(json.loads(document), told), idle)


def _matches(path: str, pattern: str) -> bool:
    return fnmatchcase(path, pattern.replace("[]", "[[][]]"))


def _alike(source: str, tried: _Tried) -> bool:
    for entry in SPELLED_ALIKE[source]:
        done, place, target, _ = entry
        if (
            done in ("*", tried.what)
            and target in ("*", tried.target)
            and _matches(tried.path, place)
        ):
            USED.add((source, *entry[:3]))
            return True
    return False


def _across(trial: _Trial, idle: Callable[[_Trial, _Tried], str | None]) -> dict[str, Across]:
    found = {target: Across() for target, whole in trial.whole.items() if whole is not None}
    for place, what in changes(trial.body):
        data, told, shape = trial.alter(place, what)
        for target, across in found.items():
            whole, now = trial.whole[target], told[target]
            across.tried += 1
            if now is None or whole is None or now[0] != whole[0]:
                across.written += 1
                continue
            tried = _Tried(place, place_path(place), what, target, data, shape)
            how = "reported" if now[1] != whole[1] else idle(trial, tried)
            if how is None and trial.left_out(place, target):
                how = "reported"
            if how is None:
                across.lost.append(f"{what} {tried.path} onto {target}")
            else:
                setattr(across, how, getattr(across, how) + 1)
    return found

"""Streams as steps: which neutral events there are, which frames each wire writes for them, and how those read back."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from llm_projections import AGENT_CLIENTS, Loss, Refusal, ResponseRefused
from llm_projections.model.events import Event, ItemCompleted, UsageReported
from llm_projections.wires import WIRES
from tests.golden_answers import ANSWERS, IDENTITY, SHAPE
from tests.golden_tools import GOLDEN, PROTOCOLS, binding, index
from tools.explorer_trace import Place, spelled
from tools.explorer_values import compact, refusal_shown, shown, text_of

__all__ = ["answer_view", "recorded_stream_view", "refused_stream_view"]

_FRAME = re.compile(rb".*?(?:\n\n|\r\n\r\n|\r\r)|.+\Z", re.DOTALL)
_SAID = ("text", "delta", "call_id", "code")

Step = tuple[list[Event], Mapping[str, list[bytes]], Mapping[str, list[Loss]]]
"""Events that came together, and the frames and losses of each wire that belong to them."""


def answer_view(case: str) -> dict[str, Any]:
    """An answer of tests/golden_answers.py as the three streams of golden/wire."""
    events = ANSWERS[case]
    steps: list[Step] = [([event], {}, {}) for event in events]
    refused: dict[str, Refusal] = {}
    sources = {}
    for wire in PROTOCOLS:
        losses = index()["answer"][case][wire].get("losses", [])
        written, error = _written(wire, steps, {line.split()[0] for line in losses})
        if error is not None:
            raise AssertionError(f"{case} is not written on {wire}: {error}")
        name = f"wire/{wire}/{case}/answer.sse"
        frames = b"".join(frame for _, its, _ in written for frame in its[wire])
        if frames != (GOLDEN / name).read_bytes():
            raise AssertionError(f"golden/{name} is not what the library writes")
        steps = written
        sources[wire] = name
    return _view(steps, sources, refused)


def recorded_stream_view(wire: str, case: str) -> dict[str, Any]:
    """A stream that a server sent, its events, and the same said on the other wires."""
    name = f"recorded/{wire}/{case}/answer.sse"
    steps = _read(wire, (GOLDEN / name).read_bytes())
    refused: dict[str, Refusal] = {}
    for other in PROTOCOLS:
        if other != wire:
            steps, error = _written(other, steps, AGENT_CLIENTS)
            if error is not None:
                refused[other] = error
    return {**_view(steps, {wire: name}, refused, own=wire), "note": "agents"}


def refused_stream_view(wire: str, name: str, why: str) -> dict[str, Any]:
    """A stream that must be refused, up to the event that says why."""
    file = f"invalid/{wire}/{name}"
    steps = _read(wire, (GOLDEN / file).read_bytes())
    return {**_view(steps, {wire: file}, {}, own=wire), "note": why, "view": "refused-stream"}


def _read(wire: str, data: bytes) -> list[Step]:
    """A stream, frame by frame, with the events that each makes; what the end of input makes comes last."""
    decoder = WIRES[PROTOCOLS[wire]].StreamDecoder(binding(wire))
    steps: list[Step] = [
        (list(decoder.feed(frame)), {wire: [frame]}, {}) for frame in _FRAME.findall(data)
    ]
    last = list(decoder.close())
    return [*steps, (last, {wire: []}, {})] if last else steps


def _written(
    wire: str, steps: Sequence[Step], accept: Collection[str]
) -> tuple[list[Step], Refusal | None]:
    """The steps with what a wire writes for their events; and why it stopped, where it did."""
    stream = WIRES[PROTOCOLS[wire]].IngressStream(IDENTITY, SHAPE, accept=accept)
    told: list[Step] = []
    why: Refusal | None = None
    for events, frames, losses in steps:
        said, known = b"", len(stream.losses)
        for event in events:
            if stream.done:
                break
            try:
                said += stream.encode(event)
            except ResponseRefused as error:
                why = error
                said += stream.fail(error)
        lost = list(stream.losses)[known:]
        told.append(
            (events, {**frames, wire: _FRAME.findall(said)}, {**losses, wire: lost}),
        )
    return told, why


def _view(
    steps: Sequence[Step], sources: Mapping[str, str], refused: Mapping[str, Refusal], own: str = ""
) -> dict[str, Any]:
    flat = [event for events, _, _ in steps for event in events]
    sides = [wire for wire in PROTOCOLS if not steps or wire in steps[0][1]]
    numbers: dict[str, _Numbers] = {wire: _Numbers(flat) for wire in sides}
    decoders = {
        wire: WIRES[PROTOCOLS[wire]].StreamDecoder(binding(wire)) for wire in sides if wire != own
    }
    shown_steps = []
    for events, frames, losses in steps:
        step: dict[str, Any] = {"events": [_event(event) for event in events]}
        for wire in sides:
            its: list[dict[str, Any]] = [{"text": text_of(frame)} for frame in frames[wire]]
            if wire in decoders:
                for frame, told in zip(frames[wire], its, strict=True):
                    read = [] if decoders[wire].done else decoders[wire].feed(frame)
                    told["reads"] = [numbers[wire].told(event) for event in read]
            step[wire] = {"frames": its}
            if losses.get(wire):
                step[wire]["losses"] = [[loss.name, loss.path] for loss in losses[wire]]
        shown_steps.append(step)
    told = {
        "view": "stream",
        "own": own,
        "steps": shown_steps,
        "sources": dict(sources),
        "refused": {wire: refusal_shown(error) for wire, error in refused.items()},
    }
    return {name: value for name, value in told.items() if value}


class _Numbers:
    """Finds the event of the row that an event read back is again."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._left = list(enumerate(events))

    def told(self, event: Event) -> Any:
        """The number of the same event and where it differs; -1 and the event where none is left that it could be."""
        for at, (number, other) in enumerate(self._left):
            if _again(other, event):
                del self._left[at]
                return [number, *_differences(shown(other), shown(event))]
        return [-1, _event(event)]


def _differences(one: Any, other: Any, place: Place = ()) -> Iterator[str]:
    """The outermost places that only one of two values has, or that hold another thing in the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            if key not in one or key not in other:
                yield spelled((*place, key))
            else:
                yield from _differences(one[key], other[key], (*place, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (inner, its) in enumerate(zip(one, other, strict=True)):
            yield from _differences(inner, its, (*place, number))
    elif one != other:
        yield spelled(place)


def _again(one: Event, other: Event) -> bool:
    """Whether an event read back is the same moment of the answer as another, whatever else differs."""
    if type(one) is not type(other):
        return False
    match one, other:
        case UsageReported(usage), UsageReported(its):
            return usage.input_tokens == its.input_tokens
        case ItemCompleted(item), ItemCompleted(its):
            return type(item) is type(its)
        case _:
            return all(getattr(one, name, "") == getattr(other, name, "") for name in _SAID)


def _event(event: Event) -> tuple[str, str]:
    """An event as its name and its fields."""
    told = shown(event)
    return told.pop("kind"), compact(told)

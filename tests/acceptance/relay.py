"""Law 6 over recorded streams: written on any wire and read again, an answer is the same answer."""

from __future__ import annotations

import json
from typing import Any

from llm_projections import (
    AGENT_CLIENTS,
    AnswerShape,
    AssistantMessage,
    CustomToolCall,
    EndTurn,
    Identity,
    Incomplete,
    Loss,
    Opaque,
    Reasoning,
    RefusalText,
    StopReason,
    StopSequence,
    Text,
    ToolCall,
    ToolCalls,
    TurnCompleted,
    TurnOutcome,
    UnattributedOpaque,
    WireItem,
)

from .corpus import WIRES, Case
from .report import Report
from .streams import decode, describe
from .targets import package

SHAPE = AnswerShape(stream=True, include_usage=True, encrypted_reasoning=True)
IDENTITY = Identity(response_id="resp_acceptance", created=1_760_000_000, model="client-model")


def check_relay(case: Case) -> Report:
    """One recorded stream, relayed to a client of each wire."""
    report = Report()
    try:
        events = decode(case.wire, case.chunks())
    except Exception as error:  # noqa: BLE001  (told by the streams part too)
        report.fail("only ours", case.label, f"{type(error).__name__}: {error}")
        return report.plain()
    for wire in WIRES:
        try:
            _relay(report, case, events, wire)
        except Exception as error:  # noqa: BLE001  (this is what the run looks for)
            report.fail("only ours", f"{case.label} to {wire}", f"{type(error).__name__}: {error}")
    return report.plain()


def _relay(report: Report, case: Case, events: list[Any], wire: str) -> None:
    table = f"{case.wire} to {wire}"
    losses: list[Loss] = []
    accept = AGENT_CLIENTS
    encoder = package(wire).encode_ingress_stream
    data = b"".join(encoder(events, IDENTITY, SHAPE, accept=accept, losses=losses))
    again = decode(wire, [data])[-1]
    last = events[-1]
    if not isinstance(last, TurnCompleted):
        row = "a failure stays a failure"
        if isinstance(again, TurnCompleted):
            report.fail(f"relay {table}", case.label, "a failure became an answer")
            row = "a failure became an answer"
        report.count(table, row, case.label)
        return
    names = sorted({loss.name for loss in losses})
    for name in names:
        report.count(f"{table}: losses", name, case.label)
    if not isinstance(again, TurnCompleted):
        # What the writer itself refuses reaches the client as the message of an error.
        said = again.error.upstream.message if again.error.upstream is not None else None
        report.count(table, f"refused: {said or describe(again.error)}", case.label)
        if said is None:
            report.fail(f"relay {table}", case.label, describe(again.error))
        return
    differing = _differing(last.outcome, again.outcome, set(names))
    report.count(table, f"differs in {', '.join(differing)}" if differing else "same", case.label)
    if differing:
        told = [
            f"{n}: {_view(last.outcome)[n]!r:.90} != {_view(again.outcome)[n]!r:.90}"
            for n in differing
        ]
        report.fail(f"relay {table}", case.label, "; ".join(told))


def _differing(before: TurnOutcome, after: TurnOutcome, losses: set[str]) -> list[str]:
    one, other = _view(before), _view(after)
    # What a reported loss may take away is told by its name; what is said and called may never go.
    loose = {aspect for aspect, names in _MAY_GO.items() if names & losses}
    if _equivalent(before.stop, after.stop, losses):
        loose.add("stop")
    return [name for name in one if one[name] != other[name] and name not in loose]


def _equivalent(before: StopReason, after: StopReason, losses: set[str]) -> bool:
    """Whether one reason is the other's nearest word on a wire that lacks it."""
    match before, after:
        case StopSequence(), EndTurn():
            return "answer.stop_sequence" in losses
        case ToolCalls(), EndTurn():
            return "answer.wire_item" in losses  # the call that waited went with its item
        case Incomplete(reason=one), Incomplete(reason=other):
            return {one, other} == {"refusal", "content_filter"}
    return False


_MAY_GO = {
    "reasoning": {"answer.reasoning", "answer.reasoning.summary", "answer.opaque"},
    "wire items": {"answer.wire_item", "answer.wire_part", "answer.opaque", "answer.kept_event"},
    "usage": {"answer.usage", "answer.usage.unknown_as_zero"},
}


def _view(outcome: TurnOutcome) -> dict[str, Any]:
    """An outcome without ids, provenance and the cut of its texts."""
    view: dict[str, Any] = {"stop": outcome.stop, "text": "", "refusal": "", "reasoning": ""}
    view |= {"calls": [], "wire items": 0, "usage": None}
    for item in outcome.items:
        match item:
            case AssistantMessage():
                for part in item.content:
                    if isinstance(part, Text):
                        view["text"] += part.text
                    elif isinstance(part, RefusalText):
                        view["refusal"] += part.text
            case ToolCall():
                view["calls"].append((item.call_id, item.name, _arguments(item.arguments)))
            case CustomToolCall():
                view["calls"].append((item.call_id, item.name, item.input))
            case Reasoning(text=text) | Opaque(text=text) | UnattributedOpaque(text=text):
                view["reasoning"] += text or ""
            case WireItem():
                view["wire items"] += 1
            case _:
                view["wire items"] += 1
    usage = outcome.observation.usage
    if usage is not None:
        view["usage"] = (usage.input_tokens, usage.output_tokens)
    return view


def _arguments(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text  # cut off by a limit

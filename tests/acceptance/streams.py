"""Recorded streams and answers: decoded without accident, the same however they are cut."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import Any

from llm_projections import Refusal, TurnCompleted, TurnFailed, TurnRequest, Warning, fold

from .corpus import JSON_ANSWER, Case
from .report import Report
from .targets import package, permissive

SMALL = 20_000
RANDOM_CUTS = 24


def check_stream(case: Case) -> Report:
    """One stream: one terminal event, last, and the same events for any cut."""
    report = Report()
    data = case.read()
    chunks = case.chunks()
    try:
        events = decode(case.wire, chunks)
    except Exception as error:  # noqa: BLE001  (this is what the run looks for)
        report.fail("only ours", case.label, f"{type(error).__name__}: {error}")
        return report.plain()
    _check_terminal(report, case, events)
    _check_cuts(report, case, data, events)
    _check_fold(report, case, events)
    if events != decode(case.wire, chunks):
        report.fail("pure", case.label, "decoded twice, read twice")
    for event in events:
        if isinstance(event, Warning):
            report.count(f"{case.wire} {case.source} stream warnings", event.code, case.label)
    return report.plain()


def decode(wire: str, chunks: Iterable[bytes], request: TurnRequest | None = None) -> list[Any]:
    """The events of a stream of a wire, on a binding that declares everything."""
    return list(package(wire).decode_stream(chunks, permissive(wire), request=request))


def check_answer(case: Case) -> Report:
    """One whole answer, or one error: an outcome or a refusal, and nothing else."""
    report = Report()
    body = case.read()
    table = f"{case.wire} {case.source} answers"
    try:
        report.count(table, _read_answer(case, body), case.label)
    except Exception as error:  # noqa: BLE001  (this is what the run looks for)
        report.fail("only ours", case.label, f"{type(error).__name__}: {error}")
    return report.plain()


def describe(error: Refusal) -> str:
    """A refusal in one line."""
    return f"{error.code.value} {error.path or '-'}: {error.message}"


def _read_answer(case: Case, body: bytes) -> str:
    wire, binding = package(case.wire), permissive(case.wire)
    if case.status >= 300:
        error = wire.decode_error(case.status, case.headers or JSON_ANSWER, body, binding)
        return f"{case.status} {error.code.value} {error.dispatch.value}"
    if case.operation not in ("", "vertex", "bedrock-invoke"):
        return f"(not this wire's answer: {case.operation})"
    try:
        outcome = wire.decode_response(body, binding)
    except Refusal as error:
        return f"200 refused {describe(error)}"
    return f"200 {type(outcome.stop).__name__}"


def _check_terminal(report: Report, case: Case, events: list[Any]) -> None:
    terminal = [i for i, e in enumerate(events) if isinstance(e, TurnCompleted | TurnFailed)]
    if terminal != [len(events) - 1]:
        report.fail("one terminal event, last", case.label, f"at {terminal} of {len(events)}")
        return
    table = f"{case.wire} {case.source} streams"
    last = events[-1]
    if isinstance(last, TurnCompleted):
        report.count(table, f"completed {type(last.outcome.stop).__name__}", case.label)
        return
    error = last.error
    report.count(table, f"failed {describe(error)}", case.label)
    if error.dispatch.value == "NOT_SENT":
        report.fail("dispatch", case.label)
    if max(len(str(error)), len(repr(error))) > 1_000:
        report.fail("diagnostics hold no upstream prose", case.label, str(error)[:80])


def _check_fold(report: Report, case: Case, events: list[Any]) -> None:
    last = events[-1]
    if not isinstance(last, TurnCompleted):
        return
    folded, outcome = fold(events[:-1]), last.outcome
    before, after = folded.observation, outcome.observation
    for name, one, other in (
        ("items", folded.items, outcome.items),
        ("open items", folded.open_items, ()),
        ("usage", before.usage, after.usage),
        ("id", before.response_id, after.response_id),
        ("model", before.upstream_model, after.upstream_model),
    ):
        if one != other:
            report.fail("fold", case.label, f"{name}: {one!r:.150} != {other!r:.150}")


def _check_cuts(report: Report, case: Case, data: bytes, events: list[Any]) -> None:
    ways: list[tuple[str, list[bytes]]] = [("whole", [data])]
    if len(data) <= SMALL:
        ways.append(("single bytes", [data[i : i + 1] for i in range(len(data))]))
    else:
        ways.append(("pieces of 1000", [data[i : i + 997] for i in range(0, len(data), 997)]))
    chance = random.Random(case.label)
    for _ in range(RANDOM_CUTS if len(data) <= SMALL else 4):
        cut = chance.randrange(len(data) + 1)
        ways.append((f"cut at {cut}", [data[:cut], data[cut:]]))
    for name, pieces in ways:
        if decode(case.wire, pieces) != events:
            report.fail("cuts", case.label, name)
            return


def json_body(data: bytes) -> Any:
    """A request body as JSON, or `None` where it is none."""
    try:
        return json.loads(data)
    except ValueError:
        return None

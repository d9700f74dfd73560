"""Agent programs on a foreign upstream: what each of their requests takes to get there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llm_projections import (
    AGENT_CLIENTS,
    ALL,
    CROSS_VENDOR,
    Binding,
    Dialect,
    Loss,
    RequestRefused,
    ToolWrapping,
    TurnRequest,
)

from .corpus import WIRES, Case
from .report import Report
from .streams import json_body
from .targets import package, permissive
from .turns import bound, describe, ingest, refusals

MAXIMUM = 200_000
ROUNDS = 6
WRAPPING = ToolWrapping(custom=ALL, flatten_namespaces=True, hoist_additional_tools=True)
DEMANDED = {"claude-code": "messages", "codex": "responses"}


def check_cross(case: Case) -> Report:
    """One client body onto each other wire, the agent programs' losses accepted."""
    report = Report()
    if case.operation or json_body(case.read()) is None:
        return report.plain()
    for wire in WIRES:
        if wire != case.wire:
            try:
                _onto(report, case, wire)
            except Exception as error:  # noqa: BLE001  (this is what the run looks for)
                report.fail(
                    "only ours", f"{case.label} onto {wire}", f"{type(error).__name__}: {error}"
                )
    return report.plain()


def target(wire: str) -> Binding:
    """A foreign upstream that takes all its wire has, with no habits of its own."""
    return permissive(wire, Dialect(), maximum=MAXIMUM)


def _onto(report: Report, case: Case, wire: str) -> None:
    table = f"{case.wire} onto {wire}"
    binding = target(wire)
    accept, decided = frozenset(AGENT_CLIENTS), set[str]()
    for _ in range(ROUNDS):
        try:
            losses = _project(case, binding, accept)
        except RequestRefused as error:
            refused = refusals(error)
            names = {e.loss for e in refused if e.loss is not None} - accept
            if not names:
                _stuck(report, case, table, refused)
                return
            decided |= names
            accept |= names
            continue
        break
    else:
        report.count(table, "no end of decisions", case.label)
        return
    need = "with decisions" if decided else "with AGENT_CLIENTS alone"
    if not decided and {loss.name for loss in losses} <= CROSS_VENDOR:
        need = "with CROSS_VENDOR alone"
    report.count(table, need, case.label)
    report.count(f"{table}: client programs", f"{case.client}: {need}", case.label)
    for name in sorted(decided):
        report.count(f"{table}: decisions", name, case.label)
    for name in sorted({loss.name for loss in losses}):
        report.count(f"{table}: losses", name, case.label)


def _stuck(report: Report, case: Case, table: str, refused: list[RequestRefused]) -> None:
    report.count(table, "refused", case.label)
    for row in sorted({describe(error) for error in refused}):
        report.count(f"{table}: refusals", row, case.label)
    if DEMANDED.get(case.client) == case.wire:
        rows = "; ".join(sorted({describe(error) for error in refused}))
        report.fail(f"{case.client} reaches {table.rsplit(' ', 1)[1]}", case.label, rows)


def _project(case: Case, binding: Binding, accept: frozenset[str]) -> tuple[Loss, ...]:
    ingested = ingest(case, case.read(), accept=accept, envelopes=False)
    request = _wrapped(case)(bound(ingested.request, binding))
    projection: Any = package(_wire_of(binding)).project_request(request, binding, accept=accept)
    return (*ingested.losses, *projection.losses)


def _wrapped(case: Case) -> Callable[[TurnRequest], TurnRequest]:
    return WRAPPING.wrap if case.wire == "responses" else lambda request: request


def _wire_of(binding: Binding) -> str:
    return binding.protocol.short

"""Recorded requests: read, written again, and read again.

What is refused is listed by path for a person to judge; what is accepted must come out the same.
"""

from __future__ import annotations

from typing import Any

import attrs

from llm_projections import Binding, Ingested, Refusal, RequestRefused, TurnRequest

from .corpus import Case
from .report import Report, strip_indexes
from .spellings import same
from .streams import json_body
from .targets import package, permissive, shown_dialect


def check_request(case: Case) -> Report:
    """One request body through ingest, project, ingest."""
    report = Report()
    body = case.read()
    if (
        case.operation not in ("", "count_tokens", "vertex", "bedrock-invoke")
        or json_body(body) is None
    ):
        report.count(
            f"{case.wire} {case.source} requests", f"(other: {case.operation})", case.label
        )
        return report.plain()
    try:
        _check(report, case, body)
    except Exception as error:  # noqa: BLE001  (this is what the run looks for)
        report.fail("only ours", case.label, f"{type(error).__name__}: {error}")
    return report.plain()


def ingest(case: Case, body: bytes, **options: Any) -> Ingested:
    """Read a body of the case, as what its endpoint asks for."""
    wire = package(case.wire)
    read = wire.ingest_count_tokens if case.operation == "count_tokens" else wire.ingest_request
    ingested: Ingested = read(body, headers=request_headers(case), **options)
    return ingested


def request_headers(case: Case) -> tuple[tuple[str, str], ...]:
    """The headers of the request itself; a server's recording keeps those of its answer."""
    return case.headers if case.source == "clients" else ()


def bound(request: TurnRequest, binding: Binding) -> TurnRequest:
    """The turn as the operator of this binding would send it."""
    return attrs.evolve(request.bind_unattributed(binding.provenance), model=binding.model)


def binding_for(case: Case, body: bytes) -> Binding:
    """A binding that declares everything, of the server that the body was written for."""
    dialect = shown_dialect(case.wire, json_body(body), request_headers(case))
    return permissive(case.wire, dialect, maximum=1_000_000_000)


def encode(case: Case, ingested: Ingested, binding: Binding) -> bytes:
    """Write the turn again on its own wire."""
    stream = ingested.answer.stream if case.wire == "chat" else True
    request = bound(ingested.request, binding)
    written: bytes = package(case.wire).encode_request(request, binding, stream=stream)
    return written


def refusals(error: RequestRefused) -> list[RequestRefused]:
    """Every refusal that one request raised."""
    return [error, *error.others]


def describe(error: Refusal) -> str:
    """A refusal in one line, without indexes, so that equal ones count together."""
    loss = f" ({error.loss})" if isinstance(error, RequestRefused) and error.loss else ""
    return f"{error.code.value} {strip_indexes(error.path) or '-'}{loss}: {error.message}"


def _check(report: Report, case: Case, body: bytes) -> None:
    table = f"{case.wire} {case.source} requests"
    known_bad = " (the server said no)" if case.source == "servers" and case.status >= 300 else ""
    try:
        ingested = ingest(case, body)
    except RequestRefused as error:
        report.count(table, f"refused{known_bad}", case.label)
        for row in sorted({describe(e) for e in refusals(error)}):
            report.count(f"{table}: ingest refuses{known_bad}", row, case.label)
        return
    report.count(table, f"accepted{known_bad}", case.label)
    if ingested.losses:
        report.fail("losses only for accepted names", case.label)
    if case.operation == "count_tokens":
        return
    _check_round(report, case, body, ingested)


def _check_round(report: Report, case: Case, body: bytes, ingested: Ingested) -> None:
    binding = binding_for(case, body)
    try:
        first = encode(case, ingested, binding)
    except RequestRefused as error:
        for row in sorted({describe(e) for e in refusals(error)}):
            report.fail(f"{case.wire} an accepted body is written", case.label, row)
        return
    try:
        again = ingest(case, first)
    except RequestRefused as error:
        rows = "; ".join(sorted({describe(e) for e in refusals(error)}))
        report.fail(f"{case.wire} what is written is read", case.label, rows)
        return
    before, after = bound(ingested.request, binding), bound(again.request, binding)
    if before != after:
        report.fail(f"{case.wire} ingest of project", case.label, _unequal(before, after))
    if first != encode(case, again, binding):
        report.fail(f"{case.wire} the second round changes nothing", case.label)
    for row in sorted(set(same(case.wire, body, first))):
        report.fail(f"{case.wire} project of ingest, at {row}", case.label)


def _unequal(before: TurnRequest, after: TurnRequest) -> str:
    """The fields in which two turns differ, and the first item that does."""
    names = [a.name for a in attrs.fields(TurnRequest)]
    differing = [n for n in names if getattr(before, n) != getattr(after, n)]
    if "items" not in differing:
        return ", ".join(differing)
    pairs = zip(before.items, after.items, strict=False)
    unequal = [i for i, (b, a) in enumerate(pairs) if b != a]
    at = unequal[0] if unequal else min(len(before.items), len(after.items))
    kinds = {type(x).__name__ for turn in (before, after) for x in turn.items[at : at + 1]}
    lengths = f"{len(before.items)}/{len(after.items)} items"
    return f"{', '.join(differing)}: first at {at} ({'/'.join(sorted(kinds))}), {lengths}"

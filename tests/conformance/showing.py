"""What a case shows: the rows whose places stand in its bytes, and the losses that it reports.

An accepted request and an answer show every row of theirs but those that refuse; a refused request shows the rows of
the places that are refused; an answer that cannot be read shows only rows that refuse or that are such an end, unless
it is a failure that the provider told of.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from llm_projections.wires._rows import Treat
from tests.conformance.documents import Doc
from tests.conformance.forms import bytes_of
from tests.golden_tools import rows_at, rows_below
from tests.row_cases import answered, present
from tests.spec_tools import rows_of

__all__ = ["losses_shown", "rows_shown"]

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
_REQUESTS = {"project": "request", "ingest": "request", "ingest_count": "count_tokens"}


@cache
def _treated(wire: str) -> dict[str, Treat]:
    return {row.id: row.treat for row in rows_of(wire)}


@cache
def _failed(wire: str) -> frozenset[str]:
    return frozenset(row.id for row in rows_of(wire) if row.neutral == "TurnFailed")


def losses_shown(case: Doc) -> set[str]:
    """The names of what was left behind with leave."""
    return {loss["name"] for loss in case["expect"].get("losses", ())}


def rows_shown(case: Doc) -> list[str]:
    """The ids of the rows that a case shows, in the order of the table."""
    treated = _treated(case["wire"])
    refusal = case["expect"].get("refusal")
    found = set(_found(case))
    if refusal is None or "upstream" in refusal:
        found = {row for row in found if treated[row] is not Treat.REFUSE or "stop" in row}
    elif case["job"] in _REQUESTS:
        found = {row for row in _refused(case) if treated[row] in (Treat.REFUSE, Treat.DEFAULT)}
    else:
        # an end that is a failure is shown by one
        failed = _failed(case["wire"])
        found = {row for row in found if treated[row] is Treat.REFUSE or row in failed}
    return [row for row in treated if row in found]


def _found(case: Doc) -> Iterator[str]:
    wire, job, given, expect = case["wire"], case["job"], case["given"], case["expect"]
    if job in ("ingest", "ingest_count"):
        yield from _said(wire, _REQUESTS[job], given["body"])
        names = {name.lower(): value for name, value in given.get("headers", ())}
        yield from rows_below(wire, "header", names)
    elif job == "project" and "body" in expect:
        yield from _said(wire, "request", expect["body"])
    elif job == "headers" and "headers" in expect:
        yield from rows_below(
            wire, "header", {name.lower(): value for name, value in expect["headers"]}
        )
    elif job in ("decode", "write_stream"):
        stream = given["stream"] if job == "decode" else expect["stream"]
        for payload in _payloads(bytes_of(stream)):
            yield from answered(wire, "chunk" if wire == "chat" else "event", payload)
    elif job == "write_count":
        yield from rows_below(wire, "count_tokens_response", _json(expect["body"]))
    elif job in ("decode_body", "decode_error", "write_body", "write_error"):
        body = (given if job.startswith("decode") else expect).get("body")
        section = "error" if job.endswith("error") else "response"
        if body is not None:
            yield from answered(wire, section, _json(body))


def _refused(case: Doc) -> Iterator[str]:
    """The rows of the places that a request is refused for."""
    if "body" not in case["given"]:
        return
    body, refusal = _json(case["given"]["body"]), case["expect"]["refusal"]
    for told in (refusal, *refusal.get("others", ())):
        place = tuple(int(at) if at else name for name, at in _STEP.findall(told["path"]))
        if place and _stands(body, place):
            section = _REQUESTS[case["job"]]
            yield from (row.id for row in rows_at(case["wire"], section, body, place))


def _stands(value: Any, place: tuple[str | int, ...]) -> bool:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _said(wire: str, section: str, form: Doc) -> Iterator[str]:
    yield from rows_below(wire, section, present(_json(form)))


def _json(form: Doc) -> Any:
    """What a body says; nothing where it is no JSON."""
    try:
        return json.loads(bytes_of(form))
    except ValueError:
        return None


def _payloads(stream: bytes) -> Iterator[Any]:
    for line in re.split(rb"\r\n|\n|\r", stream):
        if line.startswith(b"data:"):
            try:
                yield json.loads(line[5:])
            except ValueError:
                continue

"""The gateway object between a client and a recorded upstream, and the recorder beside the wire."""

from __future__ import annotations

import json
from typing import Any

from llm_projections import (
    AGENT_CLIENTS,
    AnswerBody,
    AnswerHead,
    HttpRequest,
    Identity,
    Relay,
    read_exchange,
    wire,
)

from .corpus import ENDPOINTS, WIRES, Case
from .report import Report
from .streams import decode
from .targets import PROTOCOLS, package, permissive

IDENTITY = Identity(response_id="resp_acceptance", created=1_760_000_000)
SSE = (("content-type", "text/event-stream"),)
ASKS: dict[str, dict[str, Any]] = {
    "chat": {"model": "alias", "messages": [{"role": "user", "content": "go"}]},
    "messages": {
        "model": "alias",
        "max_tokens": 64,
        "messages": [{"role": "user", "content": "go"}],
    },
    "responses": {"model": "alias", "input": "go", "store": False},
}


def check_gateway(case: Case) -> Report:
    """One recorded answer, shown to a client of each wire, streamed and whole; and recorded."""
    report = Report()
    for client in WIRES:
        for stream in (True, False):
            way = f"{case.wire} upstream, {client} client, {'streamed' if stream else 'whole'}"
            try:
                _relay(report, case, client, way, stream=stream)
            except Exception as error:  # noqa: BLE001  (this is what the run looks for)
                report.fail("only ours", f"{case.label}: {way}", f"{type(error).__name__}: {error}")
    try:
        _record(report, case)
    except Exception as error:  # noqa: BLE001  (this is what the run looks for)
        report.fail("only ours", f"{case.label}: recorder", f"{type(error).__name__}: {error}")
    return report.plain()


def _relay(report: Report, case: Case, client: str, way: str, *, stream: bool) -> None:
    relay = Relay(
        client=wire(PROTOCOLS[client]),
        binding=permissive(case.wire, maximum=100_000),
        identity=IDENTITY,
        accept=AGENT_CLIENTS,
    )
    asked = json.dumps(ASKS[client] | {"stream": stream}).encode()
    sent = relay.request((("content-type", "application/json"),), asked)
    if not isinstance(sent, HttpRequest):
        report.fail("a plain question is relayed", f"{case.label}: {way}", sent.body.decode())
        return
    out: list[Any] = list(relay.response(200, SSE))
    for chunk in case.chunks():
        out += relay.feed(chunk)
    out += relay.close()
    kinds = [type(part) for part in out]
    if kinds[:1] != [AnswerHead] or kinds.count(AnswerHead) != 1 or not relay.done:
        report.fail("one head, first", f"{case.label}: {way}", str([k.__name__ for k in kinds[:3]]))
        return
    head, body = out[0], b"".join(p.data for p in out if isinstance(p, AnswerBody))
    table = f"gateway: {way}"
    if relay.outcome is None:
        report.count(table, f"{head.status} for a failure", case.label)
        if head.status == 200 and _reads_as_success(client, body, stream=stream):
            report.fail("a failure never looks like success", f"{case.label}: {way}")
        return
    read = _reads_as_success(client, body, stream=stream)
    report.count(table, f"{head.status} {'read again' if read else 'not read'}", case.label)
    if head.status != 200 or not read:
        report.fail("a relayed answer is read by its client", f"{case.label}: {way}", _end(body))


def _reads_as_success(client: str, body: bytes, *, stream: bool) -> bool:
    if stream:
        return type(decode(client, [body])[-1]).__name__ == "TurnCompleted"
    try:
        package(client).decode_response(body, permissive(client))
    except Exception:  # noqa: BLE001  (whatever it is, it is not read as an answer)
        return False
    return True


def _record(report: Report, case: Case) -> None:
    path = f"/v1/{ENDPOINTS[case.wire]}"
    exchange = read_exchange(path, b"not JSON", 200, SSE, case.chunks())
    if exchange.request_error is None:
        report.fail("the recorder tells a bad request", case.label)
    last = decode(case.wire, case.chunks())[-1]
    finished = type(last).__name__ == "TurnCompleted"
    if finished is not (exchange.outcome is not None):
        report.fail("the recorder reads what the decoder reads", case.label)
    if not finished and not exchange.raw:
        report.fail("the recorder keeps what did not succeed", case.label)
    report.count("recorder", "an outcome" if finished else "a failure, kept raw", case.label)


def _end(body: bytes) -> str:
    return body[-200:].decode(errors="replace")

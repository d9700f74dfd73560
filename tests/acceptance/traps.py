"""The known pitfalls, one by one: what the library does now beside what is right."""

from __future__ import annotations

import json
from typing import Any

from llm_projections import (
    AGENT_CLIENTS,
    AnswerShape,
    AssistantMessage,
    EndTurn,
    Identity,
    Observation,
    Refusal,
    RequestRefused,
    Text,
    ToolCall,
    TurnCompleted,
    TurnFailed,
    TurnOutcome,
    Warning,
)

from .cross import target
from .report import Report
from .streams import decode, describe
from .targets import package, permissive, shown_dialect
from .turns import bound, refusals

SHAPE = AnswerShape(stream=True, include_usage=True)
IDENTITY = Identity(response_id="resp_acceptance", created=1_760_000_000, model="client-model")
BREAKS = "\u2028\u2029\u0085"


def look_at(entry: dict[str, Any]) -> tuple[list[str], Report]:
    """What happens with one pitfall, in lines for a reader, and what must not happen."""
    report = Report()
    lines = [f"\n{entry['id']}  {entry['direction']}  {', '.join(entry['wires'])}"]
    lines += [f"  about     {entry['description']}", f"  expected  {entry['expected']}"]
    try:
        lines += [f"  now       {line}" for line in _KINDS[entry["input_kind"]](entry, report)]
    except Exception as error:  # noqa: BLE001  (this is what the run looks for)
        report.fail("only ours", entry["id"], f"{type(error).__name__}: {error}")
        lines.append(f"  now       {type(error).__name__}: {error}")
    return lines, report


def _stream(entry: dict[str, Any], report: Report) -> list[str]:
    data = entry["input"].encode()
    wire = _wire_of_stream(entry["input"])
    events = decode(wire, [data])
    if decode(wire, [data[i : i + 1] for i in range(len(data))]) != events:
        report.fail("cuts", entry["id"])
    terminal = [e for e in events if isinstance(e, TurnCompleted | TurnFailed)]
    if terminal != events[-1:]:
        report.fail("one terminal event, last", entry["id"])
    lines = [f"{wire}: {_told(events)}"]
    if entry["direction"] == "ingress-encode" or len(entry["wires"]) > 1:
        lines += [_written(events, other) for other in entry["wires"] if other != wire]
        if entry["direction"] == "ingress-encode" and entry["wires"] == [wire]:
            lines.append(_written(events, wire))
    return lines


def _written(events: list[Any], wire: str) -> str:
    pieces = package(wire).encode_ingress_stream(events, IDENTITY, SHAPE, accept=AGENT_CLIENTS)
    data = b"".join(pieces).decode()
    return f"written on {wire}: " + data.replace("\n\n", " | ").replace("\n", " ")


def _request(entry: dict[str, Any], report: Report) -> list[str]:
    body = entry["input"].get("raw_json") if "raw_json" in entry["input"] else None
    text = json.dumps(entry["input"]) if body is None else body
    wire = _wire_of_request(text)
    lines: list[str] = []
    try:
        ingested = package(wire).ingest_request(text.encode(), accept=AGENT_CLIENTS)
    except RequestRefused as error:
        return [f"{wire} ingest refuses: {describe(e)}" for e in refusals(error)]
    request = ingested.request
    lines.append(f"{wire} ingest: items {[_brief(item) for item in request.items]}")
    for other in sorted({*entry["wires"], wire}):
        lines += _onto(request, wire, other, text)
    return lines


def _onto(request: Any, wire: str, other: str, text: str) -> list[str]:
    own = permissive(wire, shown_dialect(wire, json.loads(text), ()), maximum=1_000_000)
    binding = own if other == wire else target(other)
    try:
        written = package(other).encode_request(
            bound(request, binding), binding, accept=AGENT_CLIENTS
        )
    except RequestRefused as error:
        return [f"onto {other} refused: {describe(e)}" for e in refusals(error)]
    return [f"onto {other}: {written.decode()}"]


def _raw(entry: dict[str, Any], report: Report) -> list[str]:
    try:
        return _request(entry, report)
    except Refusal as error:
        return [f"refused: {describe(error)}"]


def _neutral(entry: dict[str, Any], report: Report) -> list[str]:
    text = entry["input"].get("neutral_text")
    if text is None:
        return [f"(by hand) {json.dumps(entry['input'])}"]
    outcome = TurnOutcome(
        EndTurn(), (AssistantMessage((Text(text),)),), Observation(response_id="r")
    )
    lines: list[str] = []
    for wire in entry["wires"]:
        data = b"".join(
            package(wire).encode_ingress_stream(
                [TurnCompleted(outcome)], IDENTITY, SHAPE, accept=AGENT_CLIENTS
            )
        )
        if any(mark in data.decode() for mark in BREAKS):
            report.fail("line separators go out as escapes", f"{entry['id']} {wire}")
        said = decode(wire, [data])[-1].outcome.items
        if [part.text for item in said for part in item.content] != [text]:
            report.fail("what is written is read", f"{entry['id']} {wire}")
        lines.append(f"{wire}: {data.count(b'u2028')} escaped")
    return lines


_KINDS = {"sse": _stream, "request": _request, "raw-json": _raw, "neutral": _neutral}


def _told(events: list[Any]) -> str:
    last = events[-1]
    kinds = " ".join(type(event).__name__ for event in events[:-1])
    warned = [event.code for event in events if isinstance(event, Warning)]
    if isinstance(last, TurnFailed):
        return f"{kinds} -> FAILED {describe(last.error)} retriable={last.error.may_retry} {warned}"
    outcome = last.outcome
    usage = outcome.observation.usage
    items = [_brief(item) for item in outcome.items]
    return f"{kinds} -> {outcome.stop} {items} usage={usage} {warned}"


def _brief(item: Any) -> str:
    if isinstance(item, ToolCall):
        return f"ToolCall({item.call_id}, {item.name}, {item.arguments!r})"
    return f"{item!r:.200}"


def _wire_of_stream(text: str) -> str:
    if "message_start" in text or "content_block" in text:
        return "messages"
    return "responses" if '"type":"response.' in text.replace(" ", "") else "chat"


def _wire_of_request(text: str) -> str:
    body = json.loads(text)
    if "input" in body:
        return "responses"
    blocks = [
        part.get("type")
        for message in body.get("messages", ())
        if isinstance(message.get("content"), list)
        for part in message["content"]
    ]
    signs = {"tool_use", "tool_result", "thinking", "document", "redacted_thinking"}
    openai = any("tool_calls" in message for message in body["messages"]) or any(
        "function" in tool for tool in body.get("tools", ())
    )
    messages = bool(signs & set(blocks)) or "system" in body or "anthropic_version" in body
    return "messages" if messages or ("max_tokens" in body and not openai) else "chat"


def cases_of_wire(entries: list[dict[str, Any]], wire: str | None) -> list[dict[str, Any]]:
    """The pitfalls that concern a wire."""
    return [entry for entry in entries if wire is None or wire in entry["wires"]]

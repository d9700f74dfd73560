"""Finds the recordings of a corpus folder. Contents are read by the worker that looks at them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIRES = ("chat", "messages", "responses")
ENDPOINTS = {"chat": "chat/completions", "messages": "messages", "responses": "responses"}
JSON_ANSWER = (("content-type", "application/json"),)


@dataclass(frozen=True)
class Case:
    """One recording: what it is, where it lies, and what is known about it."""

    wire: str
    source: str
    kind: str
    name: str
    path: Path
    status: int = 200
    operation: str = ""
    authenticity: str = "recorded"
    client: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    chunk_sizes: tuple[int, ...] = field(default=(), repr=False)

    @property
    def label(self) -> str:
        """How reports name it."""
        return f"{self.source}/{self.wire}/{self.name}"

    def read(self) -> bytes:
        """Its bytes."""
        return self.path.read_bytes()

    def chunks(self) -> list[bytes]:
        """Its bytes as they came off the connection, or in one piece where that is not known."""
        data = self.read()
        if sum(self.chunk_sizes) != len(data):
            return [data]
        ends = [sum(self.chunk_sizes[: i + 1]) for i in range(len(self.chunk_sizes))]
        return [data[end - size : end] for size, end in zip(self.chunk_sizes, ends, strict=True)]


def traffic(root: Path, wire: str, kind: str) -> Iterator[Case]:
    """Recordings of public test suites; `kind` is `streams`, `bodies` or `requests`."""
    for row in _manifest(root):
        if not row["file"].startswith(f"{wire}/{kind}/"):
            continue
        shows = [part for part in row["shows"].split(",") if part.startswith("status=")]
        status = shows[0].removeprefix("status=")[:3] if shows else "200"
        yield Case(
            wire=wire,
            source="traffic",
            kind=kind,
            name=row["file"].split("/", 2)[2],
            path=root / "traffic" / row["file"],
            status=int(status) if status.isdigit() else 500,
            operation=row["note"].partition("op=")[2],
            authenticity=row["authenticity"],
        )


def clients(root: Path, wire: str) -> Iterator[Case]:
    """Requests of client programs, with the headers that they sent."""
    for path in sorted((root / "clients" / wire).glob("*.meta.json")):
        meta = json.loads(path.read_bytes())
        operation = "" if meta["endpoint"] == wire else meta["endpoint"].split("/")[-1]
        yield Case(
            wire=wire,
            source="clients",
            kind="requests",
            name=path.name.removesuffix(".meta.json"),
            path=path.with_name(path.name.replace(".meta.json", ".json")),
            operation="websocket" if meta["method"] == "WS" else operation,
            client=meta["client"],
            headers=tuple((str(name), str(value)) for name, value in meta["headers"]),
        )


def servers(root: Path, wire: str, kind: str) -> Iterator[Case]:
    """Recordings of model servers; `kind` is `streams`, `bodies` or `requests`."""
    for path in sorted((root / "servers" / wire).glob("*.meta.json")):
        meta = json.loads(path.read_bytes())
        stem = path.name.removesuffix(".meta.json")
        recorded = [path.with_name(f"{stem}.{ending}") for ending in _ENDINGS[kind]]
        found = next((candidate for candidate in recorded if candidate.exists()), None)
        if found is None or not meta["path"].startswith(f"/v1/{ENDPOINTS[wire]}"):
            continue
        if kind == "requests" and meta["method"] != "POST":
            continue
        yield Case(
            wire=wire,
            source="servers",
            kind=kind,
            name=stem,
            path=found,
            status=meta["status"],
            operation=_operation(wire, meta),
            client=meta["server"],
            headers=(("content-type", meta["content_type"]),) if meta["content_type"] else (),
            chunk_sizes=tuple(meta["chunk_sizes"]),
        )


def pitfalls(root: Path) -> list[dict[str, Any]]:
    """Situations that broke other systems, each with a minimal input."""
    return [json.loads(line) for line in (root / "pitfalls.jsonl").read_text().splitlines()]


_ENDINGS = {
    "streams": ("response.sse",),
    "bodies": ("response.json", "response.txt"),
    "requests": ("request.json",),
}


def _operation(wire: str, meta: dict[str, Any]) -> str:
    rest: str = meta["path"].removeprefix(f"/v1/{ENDPOINTS[wire]}").strip("/")
    return rest.split("/")[-1] or ("" if meta["method"] == "POST" else meta["method"])


def _manifest(root: Path) -> list[dict[str, str]]:
    head, *rows = (root / "traffic" / "MANIFEST.tsv").read_text().splitlines()
    names = head.split("\t")
    return [dict(zip(names, row.split("\t"), strict=True)) for row in rows]

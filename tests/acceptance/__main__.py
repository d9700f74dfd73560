"""`python -m tests.acceptance FOLDER [--wire W] [--part P] [--jobs N] [--sample N] [--verbose]`.

Exits with 1 when something that must hold does not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from . import corpus, cross, fields, gateway, linear, relay, streams, traps, turns
from .report import Report

Jobs = Iterator[tuple[Callable[[Any], Report], Iterable[Any]]]


def main() -> int:
    """Run the parts that were asked for, and print what they found."""
    options = _options()
    wires: list[str] = [options.wire] if options.wire else list(corpus.WIRES)
    failed = False
    for part in [options.part] if options.part else list(_PARTS):
        report = Report()
        print(f"\n=== {part}", flush=True)
        with ProcessPoolExecutor(options.jobs) as pool:
            for check, cases in _PARTS[part](options, wires):
                for found in pool.map(check, cases, chunksize=4):
                    report.add(found)
        print("\n".join(report.lines(rows=options.rows, verbose=options.verbose)))
        failed = failed or bool(report.failures)
    return int(failed)


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wire", choices=corpus.WIRES)
    parser.add_argument("--part", choices=sorted(_PARTS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=25, help="fields a body; 0 for every one")
    parser.add_argument("--rows", type=int, default=25, help="rows a table")
    parser.add_argument("--match", default="", help="only cases whose label holds this")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def _streams(options: Any, wires: list[str]) -> Jobs:
    for wire in wires:
        yield (
            streams.check_stream,
            _picked(options, corpus.traffic(options.folder, wire, "streams")),
        )


def _bodies(options: Any, wires: list[str]) -> Jobs:
    for wire in wires:
        yield streams.check_answer, _picked(options, corpus.traffic(options.folder, wire, "bodies"))


def _requests(options: Any, wires: list[str]) -> Jobs:
    for wire in wires:
        cases = corpus.traffic(options.folder, wire, "requests")
        yield turns.check_request, _picked(options, cases)


def _clients(options: Any, wires: list[str]) -> Jobs:
    for wire in wires:
        yield turns.check_request, _picked(options, corpus.clients(options.folder, wire))


def _cross(options: Any, wires: list[str]) -> Jobs:
    for wire in wires:
        if wire != "chat":
            yield cross.check_cross, _picked(options, corpus.clients(options.folder, wire))


def _servers(options: Any, wires: list[str]) -> Jobs:
    for wire in wires:
        for kind, check in _SERVER_KINDS.items():
            yield check, _picked(options, corpus.servers(options.folder, wire, kind))


def _pitfalls(options: Any, wires: list[str]) -> Jobs:
    entries = corpus.pitfalls(options.folder)
    chosen = traps.cases_of_wire(entries, options.wire)
    yield _print_pitfall, [e for e in chosen if options.match in e["id"]]


def _relay(options: Any, wires: list[str]) -> Jobs:
    yield from _over_streams(options, wires, relay.check_relay)


def _gateway(options: Any, wires: list[str]) -> Jobs:
    yield from _over_streams(options, wires, gateway.check_gateway)


def _removal(options: Any, wires: list[str]) -> Jobs:
    yield from _over_bodies(options, wires, partial(fields.check_removal, sample=options.sample))


def _growth(options: Any, wires: list[str]) -> Jobs:
    yield from _over_bodies(options, wires, partial(fields.check_growth, sample=options.sample))


def _linear(options: Any, wires: list[str]) -> Jobs:
    yield linear.check_linear, wires


def _over_streams(options: Any, wires: list[str], check: Callable[[Any], Report]) -> Jobs:
    for wire in wires:
        yield check, _picked(options, corpus.traffic(options.folder, wire, "streams"))
        yield check, _picked(options, corpus.servers(options.folder, wire, "streams"))


def _over_bodies(options: Any, wires: list[str], check: Callable[[Any], Report]) -> Jobs:
    for wire in wires:
        yield check, _picked(options, corpus.traffic(options.folder, wire, "requests"))
        yield check, _picked(options, corpus.clients(options.folder, wire))


def _picked(options: Any, cases: Iterable[corpus.Case]) -> list[corpus.Case]:
    return [case for case in cases if options.match in case.label]


def _print_pitfall(entry: dict[str, Any]) -> Report:
    lines, report = traps.look_at(entry)
    print("\n".join(lines), flush=True)
    return report.plain()


_SERVER_KINDS = {
    "streams": streams.check_stream,
    "bodies": streams.check_answer,
    "requests": turns.check_request,
}
_PARTS: dict[str, Callable[[Any, list[str]], Jobs]] = {
    "streams": _streams,
    "bodies": _bodies,
    "requests": _requests,
    "clients": _clients,
    "cross": _cross,
    "servers": _servers,
    "pitfalls": _pitfalls,
    "relay": _relay,
    "gateway": _gateway,
    "removal": _removal,
    "growth": _growth,
    "linear": _linear,
}

if __name__ == "__main__":
    sys.exit(main())

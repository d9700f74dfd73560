"""All four quadrants of each wire and the relay, without assertions: `python -OO -m tests.optimized`.

Python drops `assert` and docstrings when it is told to optimize, and with them every test of this suite. This program
holds the same golden bytes by comparisons of its own, and needs nothing but the package. It prints what it compared.
"""

import copy
import json
import pickle
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Never

from llm_projections import (
    AGENT_CLIENTS,
    Anonymous,
    Binding,
    Identity,
    Protocol,
    Refusal,
    Relay,
    TurnCompleted,
    TurnFailed,
    from_document,
    to_document,
    wire,
)
from tests.golden_answers import ANSWERS, ERRORS, IDENTITY, SHAPE
from tests.samples import errors, kinds, samples

GOLDEN = Path(__file__).parent.parent / "golden"
WIRES = {protocol.short: wire(protocol) for protocol in Protocol}
COUNTS: Counter[str] = Counter()


class Different(Exception):
    """Something is not what it must be."""


def same(what: str, expected: object, found: object) -> None:
    """Count a comparison, or end the program."""
    COUNTS[what] += 1
    if expected != found:
        raise Different(
            f"{what} {COUNTS[what]}: {str(expected)[:500]!r} is not {str(found)[:500]!r}"
        )


@cache
def index() -> dict[str, Any]:
    return tomllib.loads((GOLDEN / "INDEX.toml").read_text(encoding="utf-8"))


@cache
def binding(name: str) -> Binding:
    found = from_document((GOLDEN / f"bindings/{name}.json").read_bytes())
    if not isinstance(found, Binding):
        raise Different(name)
    return found


def cases(kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every case of a kind on every wire: its name, the wire, its entry."""
    for case, entry in index()[kind].items():
        for name in WIRES:
            yield case, name, entry[name]


def lines(losses: Any) -> list[str]:
    return [f"{loss.name} {loss.path}" for loss in losses]


def names(losses: list[str]) -> set[str]:
    return {line.split()[0] for line in losses}


def refusal(job: Callable[[], object]) -> Any:
    """The error of a job that must fail with one of ours."""
    try:
        job()
    except Refusal as error:
        return error
    return None


# the four quadrants


def client_out() -> None:
    for case, name, entry in cases("turn"):
        target = binding(entry.get("binding", name))
        turn: Any = from_document((GOLDEN / f"turns/{case}.json").read_bytes())
        same("documents", turn, from_document(to_document(turn)))
        turn = turn.bind_unattributed(target.provenance)
        told: list[Any] = []
        expected = entry.get("losses", [])
        body = WIRES[name].encode_request(turn, target, accept=names(expected), losses=told)
        same("requests out", (GOLDEN / f"wire/{name}/{case}/request.json").read_bytes(), body)
        same("losses of requests", expected, lines(told))
        error = refusal(lambda n=name, t=turn, b=target: WIRES[n].encode_request(t, b))
        found = {each.loss for each in (error, *error.others)} if error is not None else set()
        same("refusals of requests", names(expected), found)


def server_in() -> None:
    for path in sorted(GOLDEN.glob("wire/*/*/request.json")):
        name = path.parent.parent.name
        read = WIRES[name].ingest_request(path.read_bytes())
        same("requests in", read.request, from_document(to_document(read.request)))
        same("requests in, read twice", read, WIRES[name].ingest_request(path.read_bytes()))
    for path in sorted(GOLDEN.glob("invalid/*/*.json")):
        told = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))
        read_it = WIRES[path.parent.name].ingest_request
        error = refusal(lambda read=read_it, data=path.read_bytes(): read(data))
        same("invalid requests", (told["code"], told["path"]), (error.code.value, error.path))


def client_in() -> None:
    for path in sorted(GOLDEN.glob("*/*/*/answer.sse")):
        name, data = path.parent.parent.name, path.read_bytes()
        jobs, target = WIRES[name], binding(name)
        events = list(jobs.decode_stream([data], target))
        sevens = [data[at : at + 7] for at in range(0, len(data), 7)]
        same("streams in, cut", events, list(jobs.decode_stream(sevens, target)))
        same("streams in, ended", True, isinstance(events[-1], TurnCompleted | TurnFailed))
    for path in sorted(GOLDEN.glob("invalid/*/*.sse")):
        told = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))
        name = path.parent.name
        last = list(WIRES[name].decode_stream([path.read_bytes()], binding(name)))[-1]
        error = getattr(last, "error", None)
        expected = (told["code"], told["path"], told["dispatch"], told["retriable"])
        found = error and (error.code.value, error.path, error.dispatch.value, error.retriable)
        same("invalid streams", expected, found)
    for path in sorted(GOLDEN.glob("wire/*/*/answer.json")):
        name = path.parent.parent.name
        whole = WIRES[name].decode_response(path.read_bytes(), binding(name))
        streamed = list(WIRES[name].decode_stream([path.read_bytes()], binding(name)))[-1]
        same("answers in", whole, streamed.outcome)


def server_out() -> None:
    for case, name, entry in cases("answer"):
        expected = entry.get("losses", [])
        told: list[Any] = []
        stream = WIRES[name].encode_ingress_stream(
            ANSWERS[case], IDENTITY, SHAPE, accept=names(expected), losses=told
        )
        data = b"".join(stream)
        same("streams out", (GOLDEN / f"wire/{name}/{case}/answer.sse").read_bytes(), data)
        same("losses of streams", expected, lines(told))
        last = ANSWERS[case][-1]
        if isinstance(last, TurnCompleted):
            body = WIRES[name].encode_ingress_answer(
                last.outcome, IDENTITY, SHAPE, accept=names(entry.get("whole", expected))
            )
            same("answers out", (GOLDEN / f"wire/{name}/{case}/answer.json").read_bytes(), body)
    for case, name, entry in cases("error"):
        made = WIRES[name].encode_ingress_error(ERRORS[case], request_id="req_1")
        same("errors out", (GOLDEN / f"wire/{name}/{case}/error.json").read_bytes(), made.body)
        same("statuses out", entry["status"], made.status)
        again = WIRES[name].decode_error(made.status, made.headers, made.body, binding(name))
        said = again.upstream.message if again.upstream is not None else None
        same("errors in, kept quiet", False, bool(said) and said in repr(again) + str(again))


# the gateway, and the values


def relays() -> None:
    identity = Identity("resp_1", 1_790_000_000)
    for client, served in ((one, other) for one in WIRES for other in WIRES):
        for case in ("call", "text"):
            target = binding(served)
            secret = None if isinstance(target.auth, Anonymous) else "secret"
            relay = Relay(WIRES[client], target, identity, accept=AGENT_CLIENTS, credential=secret)
            body = (GOLDEN / f"wire/{client}/tools/request.json").read_bytes()
            asked: Any = relay.request([], body)
            same("relays asked", "POST", getattr(asked, "method", asked))
            json.loads(asked.body)
            relay.response(200, [("content-type", "text/event-stream")])
            data = (GOLDEN / f"wire/{served}/{case}/answer.sse").read_bytes()
            out: list[Any] = []
            for at in range(0, len(data), 61):
                out += relay.feed(data[at : at + 61])
            out += relay.close()
            same("relays done", (True, None), (relay.done, relay.error))
            shown = b"".join(getattr(each, "data", b"") for each in out)
            if relay.outcome is None:
                raise Different("a relay without an outcome")
            last: Any = list(WIRES[client].decode_stream([shown], binding(client)))[-1]
            same("relays read again", relay.outcome.stop, last.outcome.stop)


def values() -> None:
    for value in [each for kind in kinds() for each in samples(kind)] + errors():
        again: Any = pickle.loads(pickle.dumps(value))
        same("values pickled", (value, hash(value), repr(value)), (again, hash(again), repr(again)))
        same("values copied", value, copy.deepcopy(value))


def main() -> Never:
    try:
        for part in (client_out, server_in, client_in, server_out, relays, values):
            part()
        try:
            same("a difference", 1, 2)
        except Different:
            COUNTS["a difference"] = 0
        else:
            raise Different("a difference went unnoticed")
    except Different as error:
        sys.exit(f"different: {error}")
    for what, count in (+COUNTS).items():
        print(f"{count:6} {what}")
    print(f"{COUNTS.total()} comparisons, optimized {sys.flags.optimize}, {sys.version.split()[0]}")
    sys.exit(0)


if __name__ == "__main__":
    main()

"""The client examples of docs/examples over loopback, each HTTP stack against each wire, in odd pieces."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from llm_projections import (
    Refusal,
    RefusalCode,
    RequestRefused,
    ResponseRefused,
    TextDelta,
    TurnCompleted,
    TurnFailed,
    TurnRequest,
)

from . import plays
from .gateway import EXAMPLES, WIRES, example
from .plays import Called, Thought, Words
from .scenarios import HELLO, limited, results
from .upstream import SIZES, Script, model_server

PROTOCOLS = {"chat": "chat-completions", "messages": "messages", "responses": "responses"}
FIRST = Called("call_1", "read_file", '{"path":"a.txt"}')
SECOND = Called("call_2", "read_file", '{"path":"../outside.txt"}')


@pytest.fixture(scope="module")
def script() -> Iterator[Script]:
    """The scripted model server."""
    with model_server() as running:
        yield running


def declared(wire: str, script: Script, model: str = "m") -> Any:
    """The binding that an example makes of its first argument."""
    return example("declared").target(f"{PROTOCOLS[wire]}={script.base_url}={model}")[0]


def said(wire: str) -> plays.Played:
    """A short answer in text."""
    return plays.stream(wire, HELLO)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("sizes", [(1,), SIZES, (1 << 20,)], ids=["bytes", "odd", "whole"])
def test_the_httpx_agent_runs_its_tools(
    script: Script, tmp_path: Path, wire: str, sizes: tuple[int, ...]
) -> None:
    """Two parallel calls, one of which fails, and the end; the server gets both results."""
    (tmp_path / "a.txt").write_text("the contents")
    module, httpx = example("httpx_agent"), import_module("httpx")
    script.sizes = sizes
    script.load(
        plays.stream(wire, Thought("Hm."), Words("I read."), FIRST, SECOND),
        plays.stream(wire, Words("Done.")),
    )
    shown: list[str] = []
    binding = declared(wire, script)
    turn = TurnRequest.text("m", "What is in a.txt?", tools=(module.READ,))
    with httpx.Client(timeout=20) as client:
        _, outcome = module.agent(client, turn, binding, tmp_path, show=shown.append)
    script.sizes = SIZES
    assert "Hm.I read.Done." == "".join(shown)
    assert "Done." == example("trio_ask").text_of(outcome)
    read, refused = (text for _, text in results(wire, script.asked[1].body))
    assert "the contents" in read
    assert "outside the folder" in refused


@pytest.mark.parametrize("wire", WIRES)
def test_the_httpx_agent_tells_why_it_stopped(script: Script, tmp_path: Path, wire: str) -> None:
    """An error status is raised as what it is, with the server's wait."""
    module, httpx = example("httpx_agent"), import_module("httpx")
    script.load(limited(wire))
    with httpx.Client(timeout=20) as client, pytest.raises(ResponseRefused) as raised:
        module.agent(client, TurnRequest.text("m", "hi"), declared(wire, script), tmp_path)
    assert (RefusalCode.RATE_LIMITED, 1_000) == (raised.value.code, raised.value.retry_after_ms)


def test_the_first_answer_wins_under_trio(script: Script) -> None:
    """Three servers are asked at once; one is broken, one silent, and the silent one is let go."""
    module, httpx, trio = example("trio_ask"), import_module("httpx"), import_module("trio")
    targets = [(declared(wire, script, wire), None) for wire in WIRES]
    shown: list[str] = []

    async def run() -> Any:
        async with httpx.AsyncClient(timeout=20) as client:
            return await module.race(client, targets, "hi", lambda _, text: shown.append(text))

    script.load()
    script.by_wire = {
        "chat": plays.cut("chat", shown=True, broken=False),
        "messages": plays.stream("messages", HELLO),
        "responses": plays.Played(said("responses").body, hold=0),
    }
    (winner, outcome), refusals = trio.run(run)
    script.by_wire = {}
    assert "messages" == winner.model
    assert "Hello there" == module.text_of(outcome)
    assert {"chat"} >= {binding.model for binding in refusals}
    # the winner may be done before the silent server was asked at all
    asked = any(each.path.endswith("responses") for each in script.asked)
    assert script.gone.wait(5) or not asked


def test_nobody_wins_where_every_server_fails(script: Script) -> None:
    """Each refusal is told with the binding that it came from."""
    module, httpx, trio = example("trio_ask"), import_module("httpx"), import_module("trio")
    binding = declared("messages", script)
    script.load(plays.cut("messages", shown=True, broken=True))

    async def run() -> Any:
        async with httpx.AsyncClient(timeout=20) as client:
            return await module.race(client, [(binding, None)], "hi")

    winner, refusals = trio.run(run)
    assert (None, ["RemoteProtocolError"]) == (
        winner,
        [type(error).__name__ for error in refusals.values()],
    )


def retried(script: Script, wire: str) -> tuple[Any, list[str], list[float]]:
    """What the aiohttp example makes of the script: outcome or refusal, text shown, waits."""
    module, aiohttp = example("aiohttp_retry"), import_module("aiohttp")
    shown: list[str] = []
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def run() -> Any:
        binding = declared(wire, script)
        async with aiohttp.ClientSession() as session:
            return await module.ask(
                session, TurnRequest.text("m", "hi"), binding, None, shown.append, sleep=sleep
            )

    try:
        return asyncio.run(run()), shown, waits
    except Refusal as refusal:
        return refusal, shown, waits


@pytest.mark.parametrize("wire", WIRES)
def test_aiohttp_waits_as_long_as_the_server_asked(script: Script, wire: str) -> None:
    """A rate limit, an overload under HTTP 200, a cut before any output, and then the answer."""
    script.load(
        limited(wire),
        plays.failing(wire, shown=False),
        plays.cut(wire, shown=False, broken=True),
        said(wire),
    )
    outcome, shown, waits = retried(script, wire)
    assert "Hello there" == "".join(shown) == example("trio_ask").text_of(outcome)
    assert [1.0, 2, 4] == waits


@pytest.mark.parametrize("broken", [True, False])
@pytest.mark.parametrize("wire", WIRES)
def test_aiohttp_never_retries_what_was_shown(script: Script, wire: str, broken: bool) -> None:
    """A second answer would be another one than the one that began."""
    script.load(plays.cut(wire, shown=True, broken=broken), said(wire))
    refusal, shown, waits = retried(script, wire)
    assert ("Hello", [], False) == ("".join(shown), waits, refusal.may_retry)
    assert 1 == len(script.asked)


def test_aiohttp_gives_up_at_last() -> None:
    """Where nobody listens, nothing was sent, and every attempt is safe."""
    refusal, _, waits = retried(Script(base_url="http://127.0.0.1:9/v1/"), "chat")
    assert isinstance(refusal, RequestRefused)
    assert (RefusalCode.TRANSPORT, [1, 2, 4]) == (refusal.code, waits)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("size", [1, 7, 16_384])
def test_h11_over_a_socket(script: Script, wire: str, size: int) -> None:
    """However few bytes a read of the socket gives, the events are the same."""
    script.load(plays.stream(wire, Thought("Hm."), HELLO))
    turn = TurnRequest.text("m", "hi")
    *events, last = example("h11_socket").ask(turn, declared(wire, script), read_size=size)
    assert isinstance(last, TurnCompleted)
    assert "Hello there" == "".join(e.text for e in events if isinstance(e, TextDelta))


@pytest.mark.parametrize("wire", WIRES)
def test_h11_tells_a_cut_from_an_end(script: Script, wire: str) -> None:
    """An error status, a stream that ends early and a connection that breaks are failures."""
    codes = []
    for played in (
        limited(wire),
        plays.cut(wire, shown=True, broken=False),
        plays.cut(wire, shown=True, broken=True),
    ):
        script.load(played)
        *_, last = example("h11_socket").ask(TurnRequest.text("m", "hi"), declared(wire, script))
        assert isinstance(last, TurnFailed)
        codes.append(last.error.code)
    assert [RefusalCode.RATE_LIMITED, RefusalCode.PROTOCOL, RefusalCode.PROTOCOL] == codes


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("httpx_agent", "messages"),
        ("aiohttp_retry", "responses"),
        ("h11_socket", "chat"),
        ("trio_ask", "messages"),
    ],
)
def test_the_examples_run_as_they_say(script: Script, name: str, wire: str) -> None:
    """Each is a program: the server and the question in, the answer out."""
    script.load(said(wire))
    given = [f"{PROTOCOLS[wire]}={script.base_url}=m", "Why is the sky blue?"]
    if name == "trio_ask":
        given.reverse()
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *given],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert "Hello there" in done.stdout

"""The official clients against the gateway of docs/examples: every pair of wires, every scenario."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from llm_projections import Relay, RequestRefused

from . import clients
from .gateway import CREDENTIAL, Gateway, gateway, losses, sealer
from .scenarios import SCENARIOS
from .table import PAIRS, REFUSED, SAYS, SERVERS, cell, run_by
from .upstream import Script, model_server

NEWEST = int(clients.openai.__version__.split(".")[0]) >= 3
RUNS = [
    (scenario, client, server)
    for scenario in SCENARIOS
    for client, server in PAIRS
    if client in run_by(scenario)
]


class Bench:
    """The scripted server, a gateway that seals and one that does not, and the clients of each."""

    def __init__(self, script: Script, gateways: dict[bool, Gateway]) -> None:
        self.script = script
        self.gateways = gateways
        self.clients = {
            (sealed, name): make(running.url)
            for sealed, running in gateways.items()
            for name, make in clients.CLIENTS.items()
        }


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """One for all scenarios: they run one after the other."""
    seal, unseal = sealer()
    with (
        model_server() as script,
        gateway(script) as plain,
        gateway(script, seal=seal, unseal=unseal) as sealing,
    ):
        made = Bench(script, {False: plain, True: sealing})
        yield made
        for client in made.clients.values():
            client.client.close()


def told_otherwise(truth: dict[str, Any], told: clients.Told) -> dict[str, tuple[Any, Any]]:
    """Where a client tells something else than it should, as (expected, told); of a message, a part is enough."""
    return {
        name: (value, getattr(told, name))
        for name, value in truth.items()
        if (value not in told.message if name == "message" else value != getattr(told, name))
    }


def came_out(relays: list[Relay]) -> tuple[str, ...]:
    """The cell of the table: what was left out, or what was refused before anything was sent."""
    refused = [r.error.path for r in relays if isinstance(r.error, RequestRefused)]
    return (REFUSED, *refused) if refused else losses(relays)


@pytest.mark.parametrize(("scenario", "client", "server"), RUNS)
def test_a_client_through_the_gateway(
    bench: Bench, scenario: str, client: str, server: str
) -> None:
    """The client sees what its vendor's own server would show it, but for what the table names."""
    made = SCENARIOS[scenario]
    script, running = bench.script, bench.gateways[made.sealed]
    played = made.play(server)
    script.load(*played)
    running.forget()

    told = made.drive(bench.clients[made.sealed, client], f"{made.route}-{server}")

    expected = cell(scenario, (client, server), newest=NEWEST)
    refused = expected[:1] == (REFUSED,)
    asked = script.asked
    assert (0 if refused else len(played)) == len(asked)
    assert expected == came_out(running.over(max(len(asked), 1)))
    if refused:
        assert ("BadRequestError", True) == (told.error, expected[1] in told.message)
        return
    assert {} == told_otherwise(made.truth(client, server), told)
    assert made.expected == made.asked(server, asked)
    assert told.error or f"{made.route}-{server}" == told.model


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("client", sorted(clients.CLIENTS))
def test_the_server_sees_its_own_model_and_credential(
    bench: Bench, client: str, server: str
) -> None:
    """The alias and the client's key stay in front of the gateway; the answer names the alias."""
    bench.script.load(*SCENARIOS["text"].play(server))
    told = bench.clients[False, client].stream(f"via-{server}")
    (asked,) = bench.script.asked
    assert f"via-{server}" == told.model
    assert "upstream-model" == asked.body["model"]
    assert f"Bearer {CREDENTIAL}" == asked.headers["authorization"]
    assert [] == [name for name, value in asked.headers.items() if "client-key" in value]


@pytest.mark.parametrize("client", sorted(clients.CLIENTS))
def test_an_unknown_model_is_the_client_s_own_error(bench: Bench, client: str) -> None:
    """No route has that name: the error of the client's own wire, and nothing is sent."""
    bench.script.load()
    told = bench.clients[False, client].stream("no-such-model")
    assert ("NotFoundError", 404, []) == (told.error, told.status, bench.script.asked)


def test_the_table_names_every_scenario() -> None:
    """What is run and what is told are the same."""
    assert list(SAYS) == list(SCENARIOS)

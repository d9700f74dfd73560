"""The gateway demo runs as its page says: every client against every server."""

import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "docs/examples/relay_demo.py"
CLIENTS = ("chat-agent", "claude-code", "codex")
SERVERS = ("chat-completions", "messages", "responses")


@pytest.fixture(scope="module")
def told() -> str:
    """What a run of the demo prints."""
    run = subprocess.run(
        [sys.executable, str(DEMO)], capture_output=True, text=True, timeout=120, check=False
    )
    assert 0 == run.returncode, run.stdout[-2_000:] + run.stderr[-2_000:]
    return run.stdout


def section(told: str, client: str, server: str) -> str:
    """What it prints of one exchange."""
    for part in told.split("\n=== ")[1:]:
        head = part.partition("\n")[0]
        if head.startswith(f"{client} on ") and head.endswith(f" -> {server}"):
            return part
    raise AssertionError(f"{client} was not tried against {server}")


def test_all_nine_pairs_give_a_whole_answer(told: str) -> None:
    """Over real sockets, the upstream cut into odd pieces."""
    assert told.rstrip().endswith("9 of 9 exchanges gave a whole answer")


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_each_exchange_shows_its_three_parts(told: str, client: str, server: str) -> None:
    """What went upstream, what the client saw live, and the line for the books."""
    part = section(told, client, server)
    sent, _, rest = part.partition("--- the client's answer, HTTP 200")
    assert '"model":"demo-model"' in sent.replace(": ", ":")
    shown, _, books = rest.partition("--- accounting")
    assert "data: " in shown
    assert "stop=ToolCalls" in books
    assert "input=None" not in books
    assert "left out: " in books


def test_one_pair_can_be_chosen() -> None:
    """By the names that it prints."""
    command = [sys.executable, str(DEMO), "--client", "codex", "--server", "messages"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (0, 1) == (run.returncode, run.stdout.count("\n=== "))
    assert "1 of 1 exchanges gave a whole answer" in run.stdout

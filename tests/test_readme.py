"""What README.md says: its examples show what it claims, and each of its figures is held by the page it is from.

The examples themselves run in test_pages.py, with everything that they print.
"""

import re
import tomllib

import pytest

from tests import pages

README = (pages.ROOT / "README.md").read_text("utf-8")
WIRES = ("chat", "messages", "responses")
TOKEN = re.compile(r"\w+")


def page(name):
    return (pages.ROOT / "docs" / name).read_text("utf-8")


def table_rows(text, columns):
    """The cells of every table row of a page that has so many of them."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows if len(row) == columns]


def rows_of(wire):
    return tomllib.loads((pages.ROOT / f"spec/{wire}.toml").read_text("utf-8"))["row"]


def claims(pattern):
    """The one number that README states in these words."""
    (found,) = re.findall(pattern, README.replace("\n", " "))
    return float(found.replace(",", ""))


@pytest.fixture(scope="module")
def printed():
    """What each example printed, by the line of its first import."""
    return [out for _, out, _ in pages.printed(pages.ROOT / "README.md")]


def test_there_is_an_example_of_each_quadrant():
    """The binding they need, client out and in, server in and out, and the gateway, in that order."""
    titles = re.findall(r"^\*\*([A-Z][a-z ]+)\*\*(?::| is)", README, re.MULTILINE)
    assert ["Client out", "Client in", "Server in", "Server out", "A gateway"] == titles
    programs = [b for b in pages.blocks(pages.ROOT / "README.md") if b.language == "python"]
    assert 6 == len(programs)
    assert [] == [b.line for b in programs if len(b.text.splitlines()) > 18]


def test_the_request_goes_out_under_the_upstream_name(printed):
    """The credential is in its header alone, and what is too much is refused under a name."""
    url, headers, body, refusal = printed[1].splitlines()
    assert "https://api.example.com/v1/chat/completions" == url
    assert "('authorization', 'Bearer secret')" in headers
    assert '"model":"some-model-2026"' in body
    assert "secret" not in body
    assert refusal.endswith("accept: max_output_tokens.lowered")


def test_the_stream_is_decoded(printed):
    """Each text as it comes, and the end."""
    assert ["'Ele'", "'ven.'", "EndTurn() None"] == printed[2].splitlines()


def test_the_answer_is_a_whole_messages_stream(printed):
    """From its start to its stop."""
    assert printed[4].startswith("['message_start', 'content_block_start', 'content_block_delta'")
    assert printed[4].endswith("'message_stop']")


def test_the_gateway_answers(printed):
    """One request upstream, one good answer, and the books."""
    sent, answered, books = printed[5].splitlines()
    assert sent.startswith("POST https://api.example.com/v1/chat/completions ")
    assert "[200] EndTurn()" == answered
    assert books.endswith("] None")


def test_the_dependencies_are_those_that_it_names():
    """Three, and no other."""
    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (told,) = re.findall(r"depends on `(\w+)`, `(\w+)` and `(\w+)`", README)
    assert sorted(told) == sorted(re.findall(TOKEN, each)[0] for each in project["dependencies"])


def test_the_speed_is_what_the_benchmark_measured():
    """The worst of ours and the best of the official clients', an event a chunk, both against the floor."""
    ratios = {cells[0]: float(cells[4]) for cells in table_rows(page("performance.md"), 7)[2:]}
    ours = [ratio for job, ratio in ratios.items() if re.match(r"decode\..*\.event$", job)]
    theirs = [ratio for job, ratio in ratios.items() if re.match(r"peer\.(openai|anthropic)", job)]
    assert len(ours) == 9
    assert len(theirs) == 9
    assert max(ours) < claims(r"with this library it takes less than ([\d.]+) times")
    assert min(theirs) > claims(r"takes more than ([\d.]+) times the least work")


def test_every_published_place_is_counted():
    """Rows of the three wires, and names of losses."""
    losses = tomllib.loads((pages.ROOT / "spec/losses.toml").read_text("utf-8"))["loss"]
    assert sum(len(rows_of(wire)) for wire in WIRES) > claims(
        r"more than ([\d,]+) published places"
    )
    assert len(losses) > claims(r"more than ([\d,]+) losses have a name")


def test_the_proof_against_silent_loss_is_what_was_run():
    """The tries of all wires, and what went unnoticed."""
    rows = [cells for cells in table_rows(page("evidence.md"), 9) if cells[0].endswith("fields")]
    assert len(rows) == 6
    tried = sum(int(cells[3].replace(",", "")) for cells in rows)
    assert tried > claims(r"more than ([\d,]+) tries")
    assert sum(int(cells[8]) for cells in rows) == claims(r"tries, and (\d+) go unnoticed")


def test_the_official_clients_ran_in_as_many_combinations():
    """Every cell of the page is a pass or a refusal by name."""
    cells = [
        cell
        for row in table_rows(page("interop.md"), 4)
        for cell in row[1:]
        if not cell.endswith("server") and not set(cell) <= {"-"}
    ]
    assert len(cells) > claims(r"in more than (\d+) combinations")
    assert [] == [cell for cell in cells if not cell.startswith(("pass", "refused: `"))]


def test_every_name_of_the_features_is_a_published_one():
    """A name in a wire's column stands in the place of one of its rows."""
    features = README.partition("## The wires by feature")[2].partition("## Read on")[0]
    known = {wire: {t for row in rows_of(wire) for t in TOKEN.findall(row["at"])} for wire in WIRES}
    strange = [
        (wire, name)
        for row in table_rows(features, 4)
        for wire, cell in zip(WIRES, row[1:], strict=True)
        for name in re.findall(r"`(\w+)`", cell)
        if name not in known[wire]
    ]
    assert [] == strange
    assert len(table_rows(features, 4)) > 15

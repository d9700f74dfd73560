"""What the benchmark says of growth and memory, and how it says it."""

import pytest

from tests.bench import corpus, growth, importing, memory
from tests.bench.harness import Job, Result, measure, table
from tests.bench.report import page, renewed


@pytest.mark.parametrize("wire", corpus.WIRES)
def test_a_decoder_holds_what_it_will_give_and_little_beside(wire: str) -> None:
    """The pieces of a text are not kept apart: they would take ten times its bytes."""
    held = memory.measure(wire, 4 << 20)
    assert held.text > 200_000
    assert held.beside < 600_000
    assert held.kept < 600


def test_every_wire_grows_in_text_in_calls_and_in_one_event() -> None:
    """Each row can be run at its smallest size."""
    rows = list(growth.growths())
    assert 12 == len({row.name for row in rows})
    for row in rows:
        run, units = row.runs[0]
        run()
        assert units > 0
        assert [times * units for times in growth.TIMES] == [each[1] for each in row.runs]


def test_the_page_holds_every_measurement() -> None:
    """Names, figures, and what was not measured."""
    job = Job("a.job", lambda: None, lambda: sum(range(99)), 1, "event")
    row = growth.Growth("a.row", "event", ((lambda: None, 1),) * len(growth.TIMES))
    text = page(
        "a machine in words",
        3,
        [measure(job, 3)],
        [growth.measure(row, 1)],
        [memory.Held("a.stream", 3 << 20, 1 << 19, 240.4)],
        [importing.Imported("import a", 0.0123)],
        ["a program 1.2"],
        ["a.peer"],
    )
    for told in (
        "a machine in words",
        "| a.job | event |",
        "| a.row | event |",
        "a.peer",
        "a program 1.2",
    ):
        assert told in text
    assert "| a.stream | 3.00 | 0.50 | 240 |" in text
    assert "| `import a` | 12.3 |" in text


def test_an_import_is_measured_in_a_process_that_imported_nothing() -> None:
    """In one that has it already an import takes microseconds."""
    first, ours = importing.every(1)
    assert ("import attrs, cattrs, orjson", "import llm_projections") == (first.name, ours.name)
    assert first.seconds > 0.001
    assert 0.001 < ours.seconds


def test_a_page_takes_the_rows_of_jobs_that_were_measured_again() -> None:
    """And keeps every other line; a job that it does not have is a mistake."""
    first, second, other = (
        measure(Job(name, lambda: None, lambda: None, 1, "event"), 3) for name in ("a", "ab", "c")
    )
    text = page("a machine", 3, [first, second], [], [], [], [], [])
    again = measure(first.job, 5)
    assert renewed(text, []) == text
    lines = renewed(text, [again]).splitlines()
    assert [line for line in text.splitlines() if not line.startswith("| a |")] == [
        line for line in lines if not line.startswith("| a |")
    ]
    assert table([again]).splitlines()[2] in lines
    with pytest.raises(ValueError, match="True"):
        renewed(text, [other])


def test_a_page_says_the_extremes_of_each_kind_of_row_first() -> None:
    """Also of rows that were measured again."""
    jobs = [Job(f"decode.{wire}.text.16k", list, list, 1, "event") for wire in ("chat", "messages")]
    slow, fast = (
        Result(job, (1.0,), (ratio,), (ratio,)) for job, ratio in zip(jobs, (3, 1.5), strict=True)
    )
    text = page("a machine", 3, [slow, fast], [], [], [], [], [])
    assert "| decode a stream, 16 KiB a chunk | 1.50 | 3.00 |" in text
    assert text.index("1.50 | 3.00") < text.index("| decode.chat.text.16k |")
    again = Result(slow.job, (1.0,), (2.0,), (2.0,))
    assert "| decode a stream, 16 KiB a chunk | 1.50 | 2.00 |" in renewed(text, [again])

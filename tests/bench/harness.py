"""Measures candidates beside their floor, and says how many times longer each takes.

In every round each candidate runs twice, in rotated order; the second run is timed, after a full
collection. What disturbs the machine disturbs all of them. A ratio is taken within a round; the
median over rounds is given.
"""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time


@dataclass(frozen=True)
class Job:
    """One measurement: what is timed, against what, and how many units one run handles.

    `prepare` makes ready what one run uses up; it is called before each, and not timed.
    """

    name: str
    floor: Callable[[], object]
    run: Callable[[], object]
    units: int
    unit: str
    prepare: Callable[[], object] | None = None


@dataclass(frozen=True)
class Absent:
    """A measurement that cannot be taken, and why; whether that is a fault, not only a gap."""

    name: str
    reason: str
    fault: bool = False


@dataclass(frozen=True)
class Result:
    """Seconds of every round."""

    job: Job
    floor: tuple[float, ...]
    run: tuple[float, ...]
    at_once: tuple[float, ...]
    """The ratios of the calls that came right after these, with nothing in between."""

    @property
    def ratio(self) -> float:
        """The median of the rounds' own ratios."""
        return median(run / floor for run, floor in zip(self.run, self.floor, strict=True))

    @property
    def best(self) -> float:
        """The ratio of the two fastest rounds."""
        return min(self.run) / min(self.floor)


def _nothing() -> None:
    """What most jobs have to prepare."""


def sample(call: Callable[[], object], prepare: Callable[[], object] = _nothing) -> float:
    """Seconds of processor time that one call takes: what else the machine does is not counted.

    The call before it is of the same candidate: what the processor holds after another one would depend on the order.
    """
    prepare()
    call()
    prepare()
    gc.collect()
    return _timed(call)


def _timed(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


def measure(job: Job, rounds: int) -> Result:
    """Times a job and its floor in so many rounds, after one that warms up."""
    candidates = (job.floor, job.run)
    times: tuple[list[float], list[float]] = ([], [])
    following: tuple[list[float], list[float]] = ([], [])
    prepare = job.prepare or _nothing
    prepare()
    for call in candidates:
        call()
    for number in range(rounds):
        for place in range(len(candidates)):
            which = (number + place) % len(candidates)
            times[which].append(sample(candidates[which], prepare))
            prepare()
            following[which].append(_timed(candidates[which]))
    at_once = tuple(run / floor for floor, run in zip(*following, strict=True))
    return Result(job, tuple(times[0]), tuple(times[1]), at_once)


def may_be(beginning: str, wanted: Sequence[str]) -> bool:
    """Whether a name that begins so can be one of those that are asked for by any beginning of theirs."""
    return any(beginning.startswith(each) or each.startswith(beginning) for each in wanted)


def table(results: Sequence[Result]) -> str:
    """The results as a Markdown table; times are medians in microseconds a unit."""
    lines = [
        "| job | unit | floor µs | ours µs | ratio | best/best | at once |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        job = result.job
        floor, run = (median(times) / job.units * 1e6 for times in (result.floor, result.run))
        ratios = (result.ratio, result.best, median(result.at_once))
        cells = (f"{each:.2f}" for each in (floor, run, *ratios))
        lines.append(f"| {job.name} | {job.unit} | {' | '.join(cells)} |")
    return "\n".join(lines)

"""Applies each deliberate fault to a copy of the project and sees a test fail.

    python mutants/run.py [--jobs 2] [--limit 120] [--only 017 ...]

A mutant is a file `NNN-slug.patch`: header lines, a blank line, a unified diff.

    Why: what goes wrong in the world when the code is like this.
    Row: the row of spec/ (or the law) that the fault breaks
    Killed-by: the test that must fail; the line may be repeated

First the named tests must pass without any fault. Then each mutant gets a verdict:

    killed    a named test failed in an assertion or by what the faulty code raised
    survived  every named test passed: the tests do not hold what they claim
    stale     the patch no longer applies
    broken    anything else: no valid patch, code that does not load, a broken fixture, no time left

Only "killed" passes. The canary (000) empties every frame and always runs: if it survives, the copy
is not what the tests import, and no other verdict means anything.

Each job has one copy for all its mutants, which keeps its compiled code: half of a mutant's time.

Exit codes: 0 every mutant killed, 1 some are not, 2 the named tests fail without a fault, 3 misuse.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(r"(\d{3})-[a-z0-9-]+\.patch")
TARGET = re.compile(r"^\+\+\+ b/(\S+)$", re.MULTILINE)
CANARY = "000"
NOT_COPIED = (
    ".git",
    ".venv*",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "*.egg-info",
    "build",
    "dist",
)

# What a typing error in a patch raises. A test that fails by one of these has shown nothing.
SLIPS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError")


@dataclass(frozen=True)
class Mutant:
    """One patch with its header."""

    path: Path
    why: str
    row: str
    killers: tuple[str, ...]

    @property
    def number(self) -> str:
        """The three digits that `--only` takes."""
        return self.path.name[:3]

    @property
    def files(self) -> list[str]:
        """What the patch changes."""
        return TARGET.findall(self.path.read_text("utf-8"))


def read(path: Path) -> Mutant:
    """The mutant in a file. Raises ValueError, saying what its name or header lacks."""
    if not NAME.fullmatch(path.name):
        raise ValueError(f"{path.name}: not of the form NNN-slug.patch")
    head, blank, diff = path.read_text("utf-8").partition("\n\n")
    pairs = [line.partition(": ")[::2] for line in head.splitlines()]
    fields = {key: [value for name, value in pairs if name == key] for key, _ in pairs}
    if not blank or "--- a/src/" not in diff:
        raise ValueError(f"{path.name}: a diff of src/ must follow the header and a blank line")
    if set(fields) != {"Why", "Row", "Killed-by"} or len(fields["Why"] + fields["Row"]) != 2:
        raise ValueError(f"{path.name}: needs one Why, one Row and at least one Killed-by")
    if not all(value.strip() for _, value in pairs):
        raise ValueError(f"{path.name}: a header line is empty")
    return Mutant(path, fields["Why"][0], fields["Row"][0], tuple(fields["Killed-by"]))


def read_all() -> list[Mutant]:
    """Every mutant by number. Raises ValueError for a wrong header and for a number used twice."""
    mutants = [read(path) for path in sorted(Path(__file__).parent.glob("*.patch"))]
    twice = [n for n, count in Counter(m.number for m in mutants).items() if count > 1]
    if twice:
        raise ValueError(f"used twice: {', '.join(twice)}")
    return mutants


def copy(to: Path) -> Path:
    """A copy of the project, without what was built from it."""
    shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    return to


def apply(mutant: Mutant, tree: Path) -> bool:
    """Applies a patch to a copy; False when it does not fit."""
    # Without the ceiling, git would take a repository above the copy for the patch's own and then
    # skip every file of the patch, with success.
    env = os.environ | {"GIT_CEILING_DIRECTORIES": str(tree.parent)}
    command = ["git", "apply", "--whitespace=nowarn", str(mutant.path)]
    if subprocess.run(command, cwd=tree, env=env, capture_output=True).returncode != 0:
        return False
    second = int(mutant.number) + 1
    for file in mutant.files:
        # Compiled code is told by size and second: two faults of one second must not share it.
        os.utime(tree / file, (second, second))
    return True


def restore(mutant: Mutant, tree: Path, sound: Path) -> None:
    """Takes the fault out of a copy again."""
    for file in mutant.files:
        shutil.copy2(sound / file, tree / file)


def run_tests(tree: Path, tests: Sequence[str], limit: float) -> tuple[int | None, Path, str]:
    """Runs tests on a copy: pytest's exit code (None: no time left), its report, its output."""
    report = tree.parent / f"{tree.name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["--tb=line", f"--junitxml={report}", *tests]
    unwanted = ("LLM_PROJECTIONS_INSTALLED", "PYTHONDONTWRITEBYTECODE")
    env = {k: v for k, v in os.environ.items() if k not in unwanted} | {
        "PYTHONPATH": str(tree / "src"),
        # The same examples on every run, so that a verdict does not depend on luck.
        "LLM_PROJECTIONS_PROFILE": "mutants",
    }
    with subprocess.Popen(
        command,
        cwd=tree,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as child:
        try:
            output, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            # The whole session: a test may have started a process of its own.
            os.killpg(child.pid, signal.SIGKILL)
            output, _ = child.communicate()
            return None, report, output
    return child.returncode, report, output


def judge(code: int | None, report: Path, limit: float) -> tuple[str, str]:
    """The verdict on a finished run, and what to say beside it."""
    if code is None:
        return "broken", f"no end after {limit:.0f} s"
    if code == 0:
        return "survived", "every named test passed"
    if code != 1:
        return "broken", f"pytest ended with {code}"
    cases = ET.parse(report).getroot()
    if (error := cases.find(".//error")) is not None:
        return "broken", f"no test failed, but: {error.get('message')}"
    failures = [(f.get("message") or "") for f in cases.iter("failure")]
    if not failures or failures[0].startswith(SLIPS):
        return "broken", f"the code does not run: {''.join(failures[:1])}"
    return "killed", failures[0].splitlines()[0] if failures[0] else ""


def try_one(
    mutant: Mutant, trees: SimpleQueue[Path], sound: Path, limit: float
) -> tuple[Mutant, str, str, float]:
    """The verdict on one mutant, in a copy that no other job uses meanwhile."""
    tree = trees.get()
    began = time.monotonic()
    if apply(mutant, tree):
        code, report, _ = run_tests(tree, mutant.killers, limit)
        verdict, note = judge(code, report, limit)
        restore(mutant, tree, sound)
    else:
        verdict, note = "stale", "the patch does not apply"
    trees.put(tree)
    return mutant, verdict, note, time.monotonic() - began


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="Sees that each deliberate fault fails a test.")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one mutant")
    parser.add_argument("--only", action="append", metavar="NNN", help="only this one")
    options = parser.parse_args()
    try:
        mutants = read_all()
    except ValueError as wrong:
        print(wrong)
        return 3
    unknown = set(options.only or ()) - {mutant.number for mutant in mutants}
    if unknown or CANARY not in {mutant.number for mutant in mutants}:
        print(f"no such mutant: {', '.join(sorted(unknown)) or CANARY}")
        return 3
    if options.only:
        mutants = [mutant for mutant in mutants if mutant.number in {CANARY, *options.only}]

    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        killers = sorted({test for mutant in mutants for test in mutant.killers})
        sound = copy(folder / "sound")
        code, _, output = run_tests(sound, killers, 4 * options.limit)
        if code != 0:
            print(output)
            print("the named tests do not pass without a fault")
            return 2
        trees: SimpleQueue[Path] = SimpleQueue()
        for job in range(options.jobs):
            # with the code that was just compiled
            trees.put(shutil.copytree(sound, folder / f"job-{job}", symlinks=True))
        with ThreadPoolExecutor(options.jobs) as pool:
            runs = [pool.submit(try_one, mutant, trees, sound, options.limit) for mutant in mutants]
            verdicts: Counter[str] = Counter()
            for run in runs:
                mutant, verdict, note, seconds = run.result()
                verdicts[verdict] += 1
                print(f"{verdict:8} {mutant.path.stem} ({seconds:.1f} s) {note[:120]}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    return 0 if set(verdicts) == {"killed"} else 1


if __name__ == "__main__":
    sys.exit(main())

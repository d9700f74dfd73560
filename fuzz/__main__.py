"""`python -m fuzz TARGET CORPUS [--seeds FOLDER]... [--findings FOLDER] [libFuzzer options]`."""

from __future__ import annotations

import argparse
import hashlib
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["llm_projections"]):
    from llm_projections import Refusal

from .mutation import mutate
from .seeds import GOLDEN, words, write
from .targets import TARGETS


def _said(error: Exception) -> str:
    """What tells findings of one place apart."""
    if isinstance(error, Refusal):
        return error.message
    return str(error).partition(":")[0] if isinstance(error, AssertionError) else ""


def _keeping(run: Callable[[bytes], None], findings: Path) -> Callable[[bytes], None]:
    """`run`, with each new kind of finding written down and the run going on."""
    findings.mkdir(parents=True, exist_ok=True)
    seen = {path.stem for path in findings.glob("*.txt")}

    def kept(data: bytes) -> None:
        try:
            run(data)
        except Exception as error:  # noqa: BLE001  # anything that comes out is what is looked for
            frames = traceback.extract_tb(error.__traceback__)
            place = [f"{frame.filename}:{frame.name}:{frame.lineno}" for frame in frames[-3:]]
            mark = repr((type(error).__name__, place, _said(error)))
            name = hashlib.sha256(mark.encode()).hexdigest()[:16]
            if name not in seen:
                seen.add(name)
                (findings / f"{name}.bin").write_bytes(data)
                (findings / f"{name}.txt").write_text(traceback.format_exc())

    return kept


def main() -> None:
    """Runs one target until libFuzzer's options end it."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("target", choices=[*TARGETS])
    parser.add_argument(
        "corpus", type=Path, help="a folder for the inputs that found something new"
    )
    parser.add_argument("--seeds", type=Path, action="append", default=[], help="recorded traffic")
    parser.add_argument("--findings", type=Path, help="write findings there and go on")
    given, options = parser.parse_known_args()
    count = write(given.target, [GOLDEN, *given.seeds], given.corpus)
    if not count:
        parser.error("no seeds")
    sys.stderr.write(f"{given.target}: {count} seeds\n")
    run = TARGETS[given.target]
    vocabulary = words()

    def mutated(data: bytes, max_size: int, seed: int) -> bytes:
        return mutate(data, max_size, seed, vocabulary, atheris.Mutate)

    atheris.Setup(
        [sys.argv[0], *options, str(given.corpus)],
        run if given.findings is None else _keeping(run, given.findings),
        custom_mutator=mutated,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()

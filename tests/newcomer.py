"""A newcomer's first minutes: the examples of README.md, copied into one file and run with an installed package.

    python tests/newcomer.py <README.md> <python> <empty folder>

Each example must print what stands below it, in a fresh interpreter, in a folder that holds nothing else, with warnings
as errors. It needs nothing but the standard library, as a newcomer has nothing else.
"""

import re
import subprocess
import sys
from pathlib import Path

# A block, and the block of what it prints where that follows at once.
_EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:```text\n(?P<said>.*?)^```$)?", re.MULTILINE | re.DOTALL
)
_BETWEEN = "-- the next example --"


def examples(page: str) -> list[tuple[str, str]]:
    """Each example of a page in order: its code, and what it prints."""
    return [(found["code"], found["said"] or "") for found in _EXAMPLE.finditer(page)]


def walk(page: str, python: str, folder: Path) -> list[str]:
    """Run the examples of a page one after the other in one file; what went otherwise than it says."""
    every = examples(page)
    if len(every) != page.count("```python\n"):
        return ["an example is not closed"]
    script = folder / "first_steps.py"
    script.write_text(f"print({_BETWEEN!r})\n".join(code for code, _ in every), encoding="utf-8")
    run = subprocess.run(
        [python, "-W", "error", "-X", "utf8", script.name],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    if run.returncode != 0 or run.stderr:
        return [f"the examples ended with {run.returncode}: {run.stderr.strip()}"]
    told = run.stdout.split(f"{_BETWEEN}\n")
    return [
        f"example {number} prints {found!r}, and not {said!r}"
        for number, ((_, said), found) in enumerate(zip(every, told, strict=True), 1)
        if said.rstrip("\n") != found.rstrip("\n")
    ]


def main() -> None:
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    if not examples(page):
        sys.exit("the page has no example")
    faults = walk(page, sys.argv[2], Path(sys.argv[3]))
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(examples(page))} examples print what the page says")


if __name__ == "__main__":
    main()

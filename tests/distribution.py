"""What a built wheel and sdist hold, name by name: `python -m tests.distribution <folder>`.

The wheel is the package and nothing else; the sdist is every file of the checkout that the repository keeps.
"""

import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "llm_projections"
# What a build writes beside the sources.
MADE = {"PKG-INFO"}
# What a checkout has and a release has not, and what tools leave behind.
UNSHIPPED = {".git"}
LEFT_BEHIND = {"__pycache__", "build", "dist", "node_modules"}
LEFT_BEHIND |= {".hypothesis", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".venv"}


class Wrong(Exception):
    """A distribution is not what it must be."""


def sources(folder: Path) -> set[str]:
    """Every file below a folder, without what tools leave behind."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
        and not LEFT_BEHIND & set(path.relative_to(folder).parts)
        and not UNSHIPPED & set(path.relative_to(folder).parts)
    }


def check_wheel(wheel: Path, root: Path = ROOT) -> int:
    """Its files are the package's and the five that say what it is; returns how many."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    info = f"{PACKAGE}-{project['version']}.dist-info"
    expected = {f"{PACKAGE}/{name}" for name in sources(root / "src" / PACKAGE)}
    expected |= {f"{info}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "licenses/LICENSE")}
    with zipfile.ZipFile(wheel) as archive:
        found = set(archive.namelist())
        _same(wheel.name, expected, found)
        if not {f"{PACKAGE}/py.typed", f"{PACKAGE}/__init__.py"} <= found:
            raise Wrong(f"{wheel.name}: the package is not typed or not there")
        for name in found & {f"{PACKAGE}/{each}" for each in sources(root / "src" / PACKAGE)}:
            if archive.read(name) != (root / "src" / name).read_bytes():
                raise Wrong(f"{wheel.name}: {name} is another than in the checkout")
        _check_metadata(archive.read(f"{info}/METADATA").decode(), project, wheel.name)
    return len(found)


def check_sdist(sdist: Path, root: Path = ROOT) -> int:
    """Its files are the checkout's, below one folder; returns how many."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    base = f"{PACKAGE}-{project['version']}/"
    with tarfile.open(sdist) as archive:
        members = [member.name for member in archive.getmembers() if member.isfile()]
        _same(sdist.name, {base}, {name[: len(base)] for name in members})
        found = {name.removeprefix(base) for name in members}
        _same(sdist.name, sources(root) | MADE, found)
        told = archive.extractfile(base + "PKG-INFO")
        if told is None:
            raise Wrong(f"{sdist.name}: PKG-INFO is no file")
        _check_metadata(told.read().decode(), project, sdist.name)
    return len(found)


def _check_metadata(text: str, project: dict[str, object], where: str) -> None:
    """What package indexes show, word by word as pyproject.toml says it."""
    told = message_from_string(text)
    needed = [line for line in told.get_all("Requires-Dist") or [] if "extra ==" not in line]
    expected = {
        "Name": project["name"],
        "Version": project["version"],
        "Summary": project["description"],
        "License-Expression": project["license"],
        "Requires-Python": project["requires-python"],
        "Description-Content-Type": "text/markdown",
    }
    _same(where, set(expected.items()), {(key, told[key]) for key in expected})
    for header, key in (("Classifier", "classifiers"), ("Requires-Dist", "dependencies")):
        listed = project[key]
        found = needed if header == "Requires-Dist" else told.get_all(header) or []
        if not isinstance(listed, list) or sorted(found) != sorted(listed):
            raise Wrong(f"{where}: {header} is {found}")


def _same(where: str, expected: set[object] | set[str], found: set[object] | set[str]) -> None:
    missing, strange = sorted(map(str, expected - found)), sorted(map(str, found - expected))
    if missing or strange:
        raise Wrong(f"{where}: lacks {missing}, and has {strange}")


def main() -> None:
    folder = Path(sys.argv[1])
    for ending, check in (("*.whl", check_wheel), ("*.tar.gz", check_sdist)):
        (built,) = folder.glob(ending)
        print(f"{built.name}: {check(built)} files")


if __name__ == "__main__":
    main()

"""The mutants fit the code they are to break. Whether tests kill them, mutants/run.py says."""

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from llm_projections.sse import frames
from tests.structure.source import ROOT, has_test, modules, tree

PATCHES = sorted((ROOT / "mutants").glob("*.patch"))


def load_runner() -> ModuleType:
    """mutants/run.py, which is a command and in no package."""
    spec = importlib.util.spec_from_file_location("mutants_run", ROOT / "mutants/run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses looks its module up while the class is made.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


run = load_runner()


@cache
def spec_ids() -> set[str]:
    """Every id that a table of spec/ gives to a row, a loss or a law."""
    return {
        row["id"]
        for table in (ROOT / "spec").glob("*.toml")
        for rows in tomllib.loads(table.read_text("utf-8")).values()
        if isinstance(rows, list)
        for row in rows
        if isinstance(row, dict) and "id" in row
    }


def test_a_frame_is_read():
    """What the canary breaks: the plainest frame there is comes out of the framer."""
    assert [(b"", b"{}")] == frames(b"data: {}\n\n")


def test_the_canary_is_there():
    """Without it, no verdict of the runner means anything."""
    assert "000-canary.patch" in {path.name for path in PATCHES}


@pytest.mark.parametrize("patch", PATCHES, ids=lambda path: path.stem)
def test_a_mutant_applies(patch: Path):
    """The patch fits the code as it stands."""
    env = os.environ | {"GIT_CEILING_DIRECTORIES": str(ROOT.parent)}
    command = ["git", "apply", "--check", "--verbose", str(patch)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (0, False) == (done.returncode, "Skipped" in done.stderr), done.stderr


@pytest.mark.parametrize("patch", PATCHES, ids=lambda path: path.stem)
def test_a_mutant_says_why_and_names_what_kills_it(patch: Path):
    """The header is whole, the tests that it names exist, and so does the row or law."""
    mutant = run.read(patch)
    assert [] == [test for test in mutant.killers if not has_test(test.partition("[")[0])]
    assert mutant.row in spec_ids()


def test_no_number_is_used_twice():
    """`--only` names one mutant."""
    assert len(PATCHES) == len(run.read_all())


def laws() -> dict[str, set[str]]:
    """Each law with the tests that hold it."""
    table = tomllib.loads((ROOT / "spec/laws.toml").read_text("utf-8"))
    return {law["id"]: set(law["tests"]) for law in table["law"]}


@pytest.mark.parametrize("law", laws())
def test_every_law_is_broken_by_a_fault(law: str):
    """One of the tests that hold the law sees it, and no other test is asked."""
    breaking = [mutant.killers for mutant in run.read_all() if mutant.row == law]
    assert any(set(killers) <= laws()[law] for killers in breaking)


def test_the_faults_are_many():
    """And none is the same as another."""
    changes = {run.read(path).path.read_text("utf-8").partition("\n\n")[2] for path in PATCHES}
    assert len(changes) == len(PATCHES) >= 400


def says_something(module: ast.Module) -> bool:
    """Whether a module has more than its docstring, imports and names for what it is itself."""
    return any(
        not isinstance(node, ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("__"))
        for node in module.body
    )


def test_every_module_has_a_fault():
    """Those that only hand on what others say have nothing that could be wrong."""
    changed = {file for mutant in run.read_all() for file in mutant.files}
    speaking = {
        path.relative_to(ROOT).as_posix()
        for path in modules().values()
        if says_something(tree(path))
    }
    assert set() == speaking - changed


HEAD = "Why: w\nRow: cuts\nKilled-by: tests/test_a.py::test_b"
DIFF = "--- a/src/x.py\n+++ b/src/x.py\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("1-short.patch", f"{HEAD}\n\n{DIFF}"),
        ("001-no-diff.patch", HEAD),
        ("001-no-killer.patch", f"Why: w\nRow: cuts\n\n{DIFF}"),
        ("001-two-reasons.patch", f"Why: v\n{HEAD}\n\n{DIFF}"),
        ("001-empty.patch", f"{HEAD.replace('cuts', ' ')}\n\n{DIFF}"),
        ("001-of-tests.patch", f"{HEAD}\n\n--- a/tests/x.py\n"),
    ],
)
def test_a_wrong_header_is_refused(tmp_path: Path, name: str, text: str):
    """The runner stops before it runs what it does not understand."""
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(ValueError, match=name.partition(".")[0]):
        run.read(tmp_path / name)


def failed(kind: str, message: str) -> str:
    """A pytest report with one test that did not pass."""
    case = f'<testcase><{kind} message="{message}"/></testcase>'
    return f"<testsuites><testsuite>{case}</testsuite></testsuites>"


@pytest.mark.parametrize(
    ("code", "report", "verdict"),
    [
        (0, "", "survived"),
        (1, failed("failure", "AssertionError: assert 1 == 2"), "killed"),
        (1, failed("failure", "KeyError: 'x'"), "killed"),
        (1, failed("failure", "NameError: name 'x' is not defined"), "broken"),
        (1, failed("error", "failed on setup"), "broken"),
        (2, failed("error", "collection failure"), "broken"),
        (4, "", "broken"),
        (None, "", "broken"),
    ],
)
def test_only_a_failing_test_kills(tmp_path: Path, code: int | None, report: str, verdict: str):
    """A fault that keeps the code from loading, or never ends, shows nothing about the tests."""
    (tmp_path / "report.xml").write_text(report, "utf-8")
    assert verdict == run.judge(code, tmp_path / "report.xml", 1.0)[0]


CHANGE = "--- a/src/x.py\n+++ b/src/x.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


def test_a_fault_goes_into_a_copy_and_out_again(tmp_path: Path):
    """One copy serves many mutants, and no compiled code of one is taken for another's."""
    sound, tree = tmp_path / "sound", tmp_path / "job-0"
    (sound / "src").mkdir(parents=True)
    (sound / "src/x.py").write_text("x = 1\n", "utf-8")
    shutil.copytree(sound, tree)
    (tmp_path / "017-two.patch").write_text(f"{HEAD}\n\n{CHANGE}", "utf-8")
    mutant = run.read(tmp_path / "017-two.patch")
    assert run.apply(mutant, tree)
    faulty = tree / "src/x.py"
    assert ("x = 2\n", 18.0) == (faulty.read_text("utf-8"), faulty.stat().st_mtime)
    assert not run.apply(mutant, tree)
    run.restore(mutant, tree, sound)
    assert "x = 1\n" == faulty.read_text("utf-8")
    assert (sound / "src/x.py").stat().st_mtime == faulty.stat().st_mtime

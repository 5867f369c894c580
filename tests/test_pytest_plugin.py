"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PROJECT = Path(__file__).resolve().parent.parent

RUN = """
import pytest

ITEM = "false-friends-nouns-1"

def run(mtassay, text):
    return mtassay.suite("en-pt", {"nmt": [text]}, item=ITEM, save=True)
"""


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\naddopts = --strict-markers\n")
    return pytester


def call(inner: pytest.Pytester, test: str, *words: str) -> pytest.RunResult:
    inner.makepyfile(RUN + test)
    is_installed = "mtassay" in entry_points(group="pytest11").names  # then pytest finds it by itself
    plugin = () if is_installed else ("-p", "mtassay.app.pytest_plugin")
    return inner.runpytest_subprocess(*plugin, "-p", "no:xdist", *words)


def test_an_assertion_on_a_gate_shows_the_failing_sentences(inner: pytest.Pytester) -> None:
    done = call(
        inner,
        """
def test_it(mtassay):
    assert mtassay.gate(run(mtassay, "Os parentes."), "accuracy/micro >= 90 %")
""",
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["*mtassay gate*", "FAILED  accuracy/micro >= 90 %*", "*source*parents*", "*output*Os parentes.*"]
    )


def test_a_gate_that_is_kept_passes(inner: pytest.Pytester) -> None:
    done = call(
        inner,
        """
def test_it(mtassay):
    assert mtassay.gate(run(mtassay, "Os pais."), "accuracy/micro >= 90 %", "undecided <= 0")
""",
    )
    done.assert_outcomes(passed=1)
    assert "mtassay gate" not in done.stdout.str()


def test_the_marker_says_what_to_compare_with_and_the_workspace_is_the_tests_own(
    inner: pytest.Pytester,
) -> None:
    done = call(
        inner,
        """
def test_before(mtassay, pytestconfig):
    from pathlib import Path
    from mtassay.methods.paired_scores import Snapshot, write_baseline
    kept = run(mtassay, "Os pais.").record
    assert mtassay.load("last").id == kept.id
    write_baseline(pytestconfig.rootpath / "kept.json", [Snapshot.of(kept, "nmt")])

@pytest.mark.mtassay(baseline="kept.json")
def test_after(mtassay):
    report = mtassay.gate(run(mtassay, "Os parentes."), "no new suite findings")
    assert report.passed

@pytest.mark.mtassay(basline="kept.json")
def test_misspelt(mtassay):
    pass
""",
    )
    done.assert_outcomes(passed=1, failed=1, errors=1)
    done.stdout.fnmatch_lines(["*has no 'basline'. Available: workspace, baseline, alpha.*"])
    done.stdout.fnmatch_lines(["FAILED  no new suite findings*", "*1 new, 0 gone*"])


def test_a_report_of_the_library_is_shown_from_a_variable(inner: pytest.Pytester) -> None:
    done = call(
        inner,
        """
def test_it(mtassay):
    import mtassay as mt
    report = mt.gate(run(mtassay, "Os parentes."), "accuracy/micro >= 90 %")
    assert report
""",
    )
    done.stdout.fnmatch_lines(["*output*Os parentes.*"])


def test_the_settings_name_a_workspace_that_stays(inner: pytest.Pytester) -> None:
    test = """
def test_it(mtassay):
    run(mtassay, "Os pais.")
"""
    call(inner, test, "--mtassay-workspace", "kept.db").assert_outcomes(passed=1)
    assert (inner.path / "kept.db").exists()


def test_who_does_not_use_it_loads_nothing() -> None:
    code = "import mtassay.app.pytest_plugin, sys\nprint(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "typer", "lxml", "sacrebleu", "httpx", "yaml"}


def test_pytest_finds_it_by_its_entry_point(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = inner.mkdir("site") / "elsewhere-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    lines = [f"{name} = {module}" for name, module in project["entry-points"]["pytest11"].items()]
    (about / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(about.parent), str(PROJECT / "src")]))
    shown = inner.runpytest_subprocess("--markers")
    shown.stdout.fnmatch_lines(["@pytest.mark.mtassay(workspace=*"])

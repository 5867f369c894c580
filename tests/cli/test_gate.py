"""`mtassay gate` as a CI job runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_history import SUITE, outputs


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Path:
    """A baseline in a file, and a newer run that broke n2 and fixed f1."""
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for name, right in (("old", "n1 n2"), ("new", "n1 f1")):
        (tmp_path / f"{name}.tsv").write_text(outputs(right), encoding="utf-8")
        run("suite", "run", "suite.yaml", "-t", f"nmt={name}.tsv")
        if name == "old":
            done = run("gate", "--write-baseline", "base.json")
            assert (done.returncode, done.stdout) == (0, "")
            assert done.stderr.startswith("mtassay: kept 1 system of run ")
    return tmp_path


def test_a_rule_that_is_not_kept_is_exit_code_1_with_the_sentence(run: Run, saved: Path) -> None:
    done = run(
        "gate", "last", "--baseline", "base.json", "--rule", "no new findings", "--rule", "undecided <= 0"
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("Gate failed, 1 of 2 checks.\n")
    assert "FAILED  no new findings  (suite · nmt)\n        1 new, 1 gone\n\n" in done.stdout
    assert "n2 · Negation › Negation\n" in done.stdout
    assert "  new      Eu sempre como.\n" in done.stdout
    assert "passed  undecided <= 0  (suite · nmt)\n        0 of 3\n" in done.stdout


def test_what_passes_is_exit_code_0(run: Run, saved: Path) -> None:
    words = ("--baseline", "base.json", "--rule", "no phenomenon significantly worse", "-f", "json")
    done = run("gate", "last", *words)
    assert done.returncode == 0
    assert json.loads(done.stdout)["passed"] is True


def test_files_for_a_ci_server_and_a_pull_request_are_written(run: Run, saved: Path) -> None:
    (saved / "rules.txt").write_text("# What a release must keep\n- 'no new findings'\n\nundecided <= 5 %\n")
    words = (
        "--rules",
        "rules.txt",
        "--baseline",
        "base.json",
        "--markdown",
        "gate.md",
    )
    assert run("gate", *words).returncode == 1
    assert "| no new findings | **FAILED** |" in (saved / "gate.md").read_text("utf-8")


def test_a_failing_run_does_not_become_the_baseline(run: Run, saved: Path) -> None:
    before = (saved / "base.json").read_text()
    words = ("--baseline", "base.json", "--rule", "no new findings", "--write-baseline", "base.json")
    assert run("gate", *words).returncode == 1
    assert (saved / "base.json").read_text() == before


@pytest.mark.parametrize("form", ["md", "tsv", "latex"])
def test_every_format_names_the_rule(run: Run, saved: Path, form: str) -> None:
    done = run("gate", "--baseline", "base.json", "--rule", "no new findings", "-f", form)
    assert done.returncode == 1
    assert "no new findings" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "There is no rule: add --rule"),
        (("--rule", "better please"), "This is no rule: 'better please'."),
        (("--rules", "bad.txt"), "bad.txt line 2: This is no rule: 'bleu up'."),
        (("--rule", "no new findings"), "needs a baseline: add --baseline"),
        (("--rule", "no new findings", "--baseline", "nobody"), "There is no run, system or file 'nobody'."),
        (("--rule", "no new findings", "--baseline", "suite.yaml"), "suite.yaml: this is no baseline"),
        (("--rule", "accuracy >= 1", "--system", "b"), "has no system 'b'. Available: nmt."),
        (("--rule", "accuracy >= 1", "--markdown", "no/x.md"), "There is no folder no"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_exit_code_2(
    run: Run, saved: Path, words: tuple[str, ...], says: str
) -> None:
    (saved / "bad.txt").write_text("undecided <= 5 %\nbleu up\n")
    done = run("gate", "last", *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert says in done.stderr


def test_an_earlier_run_of_a_system_is_a_baseline_by_name(run: Run, saved: Path) -> None:
    run("suite", "run", "suite.yaml", "-t", "next=new.tsv")
    done = run("gate", "last", "--baseline", "nmt", "--rule", "no new findings")
    assert done.returncode == 0  # the newest run of nmt has the same outputs

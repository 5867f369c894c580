"""`mtassay suite diff` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_suite_years import SUITE, outputs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "old.tsv").write_text(outputs("n1 n2"), encoding="utf-8")
    (tmp_path / "new.tsv").write_text(outputs("n1 f1"), encoding="utf-8")
    (tmp_path / "less.tsv").write_text("id\toutput\nn1\tNinguém veio.\nf1\tOutra coisa.\n", encoding="utf-8")
    return tmp_path


LINE = ("suite", "diff", "suite.yaml", "-t", "old=old.tsv", "-t", "new=new.tsv")


def test_every_broken_item_is_listed_with_both_outputs(run: Run, folder: Path) -> None:
    done = run(*LINE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(
        "Broken (correct before, incorrect now): 1 item\n\n"
        "n2 · Negation › Negation\n"
        "  source  I never eat.\n"
        "  old     Eu [[nunca]] como.\n"
        "  new     Eu [[sempre]] como.\n"
        "  why     matches negative regex sempre\n"
    )
    assert "Fixed" not in done.stdout
    assert "Fixed (incorrect before, correct now): 1 item\n\nf1 ·" in run(*LINE, "--all").stdout


def test_json_has_every_item_that_changed(run: Run, folder: Path) -> None:
    result = json.loads(run(*LINE, "-f", "json", "--gate", "any").stdout)
    assert result["kinds"] == {"still right": 1, "broken": 1, "fixed": 1}
    assert {(item["id"], item["kind"]) for item in result["items"]} == {("n2", "broken"), ("f1", "fixed")}
    assert result["gate"] == {"passed": False, "why": "1 broken"}
    (micro,) = [change for change in result["changes"] if change["group"] == "micro"]
    assert (micro["n"], micro["delta"], micro["p"]) == (3, 0, 1)


@pytest.mark.parametrize("form", ["text", "md", "latex", "tsv"])
def test_every_format_shows_the_broken_item(run: Run, folder: Path, form: str) -> None:
    done = run(*LINE, "-f", form, "--all")
    assert done.returncode == 0, done.stderr
    assert "n2" in done.stdout
    assert "sempre" in done.stdout


@pytest.mark.parametrize(
    ("new", "gate", "code", "says"),
    [
        ("new.tsv", "any", 1, "gate 'any': failed: 1 broken"),
        ("new.tsv", "significant", 0, "gate 'significant': passed"),
        ("old.tsv", "any", 0, "gate 'any': passed"),
        ("less.tsv", "any", 1, "failed: 0 broken, 1 correct before without an output"),
    ],
)
def test_the_gate_decides_the_exit_code(
    run: Run, folder: Path, new: str, gate: str, code: int, says: str
) -> None:
    done = run("suite", "diff", "suite.yaml", "-t", "old=old.tsv", "-t", f"new={new}", "--gate", gate)
    assert done.returncode == code
    assert says in done.stderr


def test_what_is_open_now_is_said(run: Run, folder: Path) -> None:
    (folder / "odd.tsv").write_text(outputs("n1 n2").replace("nunca", "jamais"), encoding="utf-8")
    done = run("suite", "diff", "suite.yaml", "-t", "old=old.tsv", "-t", "new=odd.tsv", "--gate", "any")
    assert done.returncode == 0
    assert "no rule settles the new output: 1 (see --all)" in done.stderr
    assert "No item broke." in done.stdout


def test_versions_may_be_systems_of_saved_runs(run: Run, folder: Path) -> None:
    both = run("suite", "run", "suite.yaml", "-t", "old.tsv", "-t", "new.tsv", "--save")
    assert both.returncode == 0, both.stderr
    done = run("suite", "diff", "suite.yaml", "-t", "last:old", "-t", "last:new")
    assert done.returncode == 0, done.stderr
    assert "From last to last" not in done.stdout
    assert "From old to new" in done.stdout


def test_an_output_that_a_saved_run_skipped_is_no_error(run: Run, folder: Path) -> None:
    run("suite", "run", "suite.yaml", "-t", "old.tsv", "-t", "less.tsv", "--save")
    done = run("suite", "diff", "suite.yaml", "-t", "last:old", "-t", "last:less", "-f", "json")
    assert {"old": "correct", "new": "skipped", "n": 1} in json.loads(done.stdout)["statuses"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-t", "old.tsv"], "Give two versions, the old one first"),
        (["-t", "a=old.tsv", "-t", "a=new.tsv"], "Both versions are called 'a'"),
        (["-t", "old.tsv", "-t", "none.tsv"], "There is no file or folder none.tsv"),
        (["-t", "old.tsv", "-t", "here=."], ". is a folder: give one file of outputs"),
    ],
)
def test_a_mistake_is_one_line(run: Run, folder: Path, words: list[str], message: str) -> None:
    done = run("suite", "diff", "suite.yaml", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1

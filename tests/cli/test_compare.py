"""`mtassay compare` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_history import SUITE, outputs


@pytest.fixture
def runs(run: Run, tmp_path: Path) -> list[str]:
    """Three saved runs of one system, oldest first: two of three right, other two, all."""
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for number, right in enumerate(("n1 n2", "n1 f1", "n1 n2 f1")):
        (tmp_path / f"v{number}.tsv").write_text(outputs(right), encoding="utf-8")
        done = run("suite", "run", "suite.yaml", "-t", f"nmt=v{number}.tsv")
        assert done.returncode == 0, done.stderr
    listed = json.loads(run("runs", "list", "-f", "json").stdout)
    return [entry["id"] for entry in listed][::-1]


def test_scores_and_broken_cases_are_shown_in_80_columns(run: Run, runs: list[str]) -> None:
    done = run("compare", runs[0], runs[1])
    assert (done.returncode, done.stderr) == (0, "")
    assert f"suite · nmt · {runs[0]} → {runs[1]}" in done.stdout
    row, kinds = (line.split() for line in done.stdout.splitlines() if line.startswith("Negation "))
    assert kinds == ["Negation", "0", "1", "1"]  # fixed, broken, still right
    assert row[:8] == ["Negation", "2", "100.0", "50.0", "−50.0", "1", "0", "1"]
    assert "Broken (correct before, incorrect now): 1 case\n\nn2 · Negation › Negation\n" in done.stdout
    assert "  old      Eu [[nunca]] como.\n  new      Eu [[sempre]] como.\n" in done.stdout
    assert "Fixed" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_the_newest_run_is_the_default_and_all_lists_what_was_fixed(run: Run, runs: list[str]) -> None:
    done = run("compare", runs[1], "--all")
    assert "No case broke." in done.stdout
    assert "Fixed (incorrect before, correct now): 1 case\n\nn2 · Negation › Negation\n" in done.stdout


def test_detail_shows_the_finest_groups(run: Run, runs: list[str]) -> None:
    assert "Phenomena that changed significantly, of 2: none." in run("compare", runs[0], runs[1]).stdout
    assert "accuracy by phenomenon" in run("compare", runs[0], runs[1], "--detail").stdout


@pytest.mark.parametrize("form", ["md", "latex"])
def test_other_formats_show_the_broken_case(run: Run, runs: list[str], form: str) -> None:
    done = run("compare", runs[0], runs[1], "-f", form)
    assert done.returncode == 0, done.stderr
    assert "sempre" in done.stdout


def test_programs_get_every_score_and_every_changed_case(run: Run, runs: list[str], tmp_path: Path) -> None:
    record = json.loads(run("compare", runs[0], runs[1], "-f", "json", "--findings", "cases.jsonl").stdout)
    assert record["kinds"] == {"still right": 1, "broken": 1, "fixed": 1}
    assert {case["case_id"]: case["new_output"] for case in record["cases"]} == {
        "n2": "Eu sempre como.",
        "f1": "Uma biblioteca.",
    }
    lines = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text("utf-8").splitlines()]
    assert lines == record["cases"]
    header, *rows = run("compare", runs[0], runs[1], "-f", "tsv").stdout.splitlines()
    assert header.startswith("name\tgroup\tn\tbefore\tafter\tdelta")
    assert len(rows) == len(record["scores"])


def test_metrics_show_the_segments_that_fell_and_rose_most(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("One cat sat.\nTwo dogs ran.\nThree birds flew.\n")
    for name, text in (
        ("old", "One cat sat.\nDogs.\nThree birds flew.\n"),
        ("new", "Cat.\nTwo dogs ran.\nThree birds flew.\n"),
    ):
        (tmp_path / f"{name}.txt").write_text(text)
        run("score", "-r", "ref.txt", "-t", f"nmt={name}.txt", "-m", "chrf")
    earlier = json.loads(run("runs", "list", "-f", "json").stdout)[1]["id"]
    done = run("compare", earlier, "--examples", "1")
    assert "Worse by chrF2: 1; the first 1\n\n1 · chrF2 100.0 →" in done.stdout
    assert "Better by chrF2: 1; the first 1\n\n2 · chrF2" in done.stdout
    assert "  reference  Two dogs ran.\n" in done.stdout


def test_what_is_not_there_is_one_line(run: Run, runs: list[str]) -> None:
    done = run("compare", "nothing")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "There is no run, system or file 'nothing'." in done.stderr


def test_systems_of_one_run_are_compared_with_what_became_of_every_status(run: Run, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "old.tsv").write_text(outputs("n1 n2"), encoding="utf-8")
    (tmp_path / "less.tsv").write_text("id\toutput\nn1\tAlguém, Ninguém.\nf1\tOutra.\n", encoding="utf-8")
    assert run("suite", "run", "suite.yaml", "-t", "old.tsv", "-t", "less.tsv").returncode == 0
    done = run("compare", "last:old", "last:less", "--all")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No case broke." in done.stdout
    assert "n1 · Negation › Negation · correct → conflict\n  source   [[Nobody]] came.\n" in done.stdout
    assert "n2 · Negation › Negation · correct → skipped" in done.stdout
    assert "f1 · False friends › Nouns · incorrect → undecided" in done.stdout
    record = json.loads(run("compare", "last:old", "last:less", "-f", "json").stdout)
    statuses = {case["case_id"]: (case["old_status"], case["new_status"]) for case in record["cases"]}
    assert statuses == {
        "n1": ("correct", "conflict"),
        "n2": ("correct", "skipped"),
        "f1": ("incorrect", "undecided"),
    }


@pytest.mark.parametrize(
    ("new", "rule", "code", "says"),
    [
        ("n1 f1", "no broken cases", 1, "1 broken"),
        ("n1 f1", "no category significantly worse", 0, "0 of 2 categories"),
        ("n1 n2", "no broken cases", 0, "0 broken"),
        ("", "no item broke", 1, "1 broken, 1 without an output now"),
        ("n1 f1", "False friends: no broken cases", 0, "0 broken"),
    ],
)
def test_a_gate_stops_a_version_that_breaks_something(
    run: Run, tmp_path: Path, new: str, rule: str, code: int, says: str
) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "old.tsv").write_text(outputs("n1 n2"), encoding="utf-8")
    text = outputs(new) if new else "id\toutput\nn1\tAlguém veio.\nf1\tOutra coisa.\n"
    (tmp_path / "new.tsv").write_text(text, encoding="utf-8")
    run("suite", "run", "suite.yaml", "-t", "old.tsv", "-t", "new.tsv")
    done = run("gate", "last", "--baseline", "old", "--rule", rule)
    assert done.returncode == code, done.stderr
    assert says in " ".join(done.stdout.split())

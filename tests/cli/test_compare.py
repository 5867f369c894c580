"""`mtassay compare` and `mtassay history` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_suite_years import SUITE, outputs


@pytest.fixture
def runs(run: Run, tmp_path: Path) -> list[str]:
    """Three saved runs of one system, oldest first: two of three right, other two, all."""
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for number, right in enumerate(("n1 n2", "n1 f1", "n1 n2 f1")):
        (tmp_path / f"v{number}.tsv").write_text(outputs(right), encoding="utf-8")
        done = run("suite", "run", "suite.yaml", "-t", f"nmt=v{number}.tsv", "--save")
        assert done.returncode == 0, done.stderr
    listed = json.loads(run("runs", "list", "-f", "json").stdout)
    return [entry["id"] for entry in listed][::-1]


def test_scores_and_broken_cases_are_shown_in_80_columns(run: Run, runs: list[str]) -> None:
    done = run("compare", runs[0], runs[1])
    assert (done.returncode, done.stderr) == (0, "")
    assert f"suite · nmt · {runs[0]} → {runs[1]}" in done.stdout
    (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith("Negation ")]
    assert row[:8] == ["Negation", "2", "100.0", "50.0", "−50.0", "1", "0", "1"]
    assert "Broken (correct before, incorrect now): 1 case\n\nn2 · Negation\n" in done.stdout
    assert "  old      Eu [[nunca]] como.\n  new      Eu [[sempre]] como.\n" in done.stdout
    assert "Fixed" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_the_newest_run_is_the_default_and_all_lists_what_was_fixed(run: Run, runs: list[str]) -> None:
    done = run("compare", runs[1], "--all")
    assert "No case broke." in done.stdout
    assert "Fixed (incorrect before, correct now): 1 case\n\nn2 · Negation\n" in done.stdout


def test_detail_shows_the_finest_groups(run: Run, runs: list[str]) -> None:
    assert "Phenomena that moved significantly, of 2: none." in run("compare", runs[0], runs[1]).stdout
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
        run("score", "-r", "ref.txt", "-t", f"nmt={name}.txt", "-m", "chrf", "--save")
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


def test_the_history_of_a_system_has_every_run_and_what_changed(run: Run, runs: list[str]) -> None:
    done = run("history", "nmt")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(tuple(runs))]
    micro = rows[:3]
    assert [row[0] for row in micro] == runs
    assert [row[2] for row in micro] == ["66.7", "66.7", "100.0"]
    assert [row[4:5] for row in micro] == [[], ["0.0"], ["+33.3"]]
    assert "suite · Small · accuracy, micro" in done.stdout
    assert "corrected for all changes" in " ".join(done.stdout.split())


def test_history_chooses_scores_and_groups_and_draws(run: Run, runs: list[str], tmp_path: Path) -> None:
    done = run(
        "history", "nm*", "--score", "accuracy", "--group", "False friends", "--plot", "h.svg", "-f", "json"
    )
    (course,) = json.loads(done.stdout)["courses"]
    assert [point["score"]["value"] for point in course["points"]] == [0.0, 100.0, 100.0]
    assert course["points"][1]["change"]["fixed"] == 1
    assert "<svg" in (tmp_path / "h.svg").read_text("utf-8")
    assert len(run("history", "nmt", "-f", "tsv").stdout.splitlines()) == 1 + 2 * 3


def test_runs_on_other_texts_are_another_line(run: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} cat.\n")
        run("score", "-r", f"{name}.txt", "-t", f"nmt={name}.txt", "-m", "bleu", "--save")
    courses = json.loads(run("history", "nmt", "-f", "json").stdout)["courses"]
    assert [len(course["points"]) for course in courses] == [1, 1]
    assert "nothing to draw" in run("history", "nmt", "--plot", "h.svg").stderr


def test_an_unknown_system_or_score_is_one_line(run: Run, runs: list[str]) -> None:
    assert "No saved system has the name 'mnt'. Near: nmt." in run("history", "mnt").stderr
    done = run("history", "nmt", "--score", "bleu")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)

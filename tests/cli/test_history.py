"""`mtassay history` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SUITE = """\
suite: Small
langpair: en-pt
items:
- {id: n1, category: Negation, phenomenon: Negation, source: Nobody came., focus: [Nobody],
   positive_regex: Ninguém, negative_regex: Alguém}
- {id: n2, category: Negation, phenomenon: Negation, source: I never eat., positive_regex: nunca,
   negative_regex: sempre}
- {id: f1, category: False friends, phenomenon: Nouns, source: A library., positive_regex: biblioteca,
   negative_regex: livraria}
"""
RIGHT = {"n1": "Ninguém veio.", "n2": "Eu nunca como.", "f1": "Uma biblioteca."}
WRONG = {"n1": "Alguém veio.", "n2": "Eu sempre como.", "f1": "Uma livraria."}
# System: what it gets right; the rest is wrong.
YEARS = {
    "y21": {"Online-A": "n1", "Other": "n1 n2"},
    "y22": {"ONLINE_A": "n1 n2"},
    "y23": {"Online-A": "n1 n2 f1", "Newname": "n1"},
}


def outputs(right: str) -> str:
    """A file in which these items are right, and the others wrong."""
    rows = [f"{key}\t{RIGHT[key] if key in right.split() else WRONG[key]}" for key in RIGHT]
    return "\n".join(["id\toutput", *rows]) + "\n"


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


@pytest.fixture
def years(run: Run, tmp_path: Path) -> list[str]:
    """A saved run for each year, as NAME=RUN."""
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for year, systems in YEARS.items():
        (tmp_path / year).mkdir()
        for name, right in systems.items():
            (tmp_path / year / f"{name}.tsv").write_text(outputs(right), encoding="utf-8")
        assert run("suite", "run", "suite.yaml", "-t", year).returncode == 0
    listed = json.loads(run("runs", "list", "-f", "json").stdout)
    return [f"{year}={entry['id']}" for year, entry in zip(YEARS, listed[::-1], strict=True)]


def test_the_best_of_each_year_and_systems_that_stayed(run: Run, years: list[str]) -> None:
    done = run("history", *years)
    assert (done.returncode, done.stderr) == (0, "")
    assert "y21          2     Other" in done.stdout
    assert "From y21 (Other) to y23 (Online-A)" in done.stdout
    # Online-A: 1 of 2 and 0 of 1, all of Negation, everything.
    (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith("Online-A ")]
    assert row[1:5] == ["25.0", "50.0", "100.0", "+75.0"]
    assert "Treated as one system: Online-A = ONLINE_A." in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_json_has_groups_scores_changes_and_systems(run: Run, years: list[str]) -> None:
    result = json.loads(run("history", *years, "-f", "json").stdout)
    assert [(group["group"], group["best"]) for group in result["groups"]] == [
        ("y21", "Other"),
        ("y22", "ONLINE_A"),
        ("y23", "Online-A"),
    ]
    macro = {s["system"]: s["value"] for s in result["scores"] if s["group"] == "macro"}
    assert macro == {"y21": 50, "y22": 50, "y23": 100}
    assert result["groups"][0]["counts"]["correct"] == 2
    (moved,) = [change for change in result["changes"] if change["group"] == "False friends"]
    assert (moved["fixed"], moved["broken"], moved["p"]) == (1, 0, 1)
    (trend,) = result["systems"]
    assert [point["value"] for point in trend["points"]] == [25, 50, 100]
    assert result["same_system"] == {"Online-A": ["Online-A", "ONLINE_A"]}


@pytest.mark.parametrize("form", ["text", "md", "latex", "tsv"])
def test_every_format_names_every_year(run: Run, years: list[str], form: str) -> None:
    done = run("history", *years, "-f", form)
    assert done.returncode == 0, done.stderr
    assert all(year in done.stdout for year in YEARS)


def test_aliases_join_names(run: Run, years: list[str]) -> None:
    done = run("history", *years, "-f", "json", "--alias", "other=Newname")
    assert {system["system"] for system in json.loads(done.stdout)["systems"]} == {"Online-A", "Newname"}


def test_a_plot_of_years_is_written(run: Run, years: list[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run("history", *years, "--plot", "a.svg").returncode == 0
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ">Online-A<" in drawn
    assert ">False friends<" in drawn


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["y21=last"], "Development needs two groups at least"),
        (["y21=last", "y22=none"], "There is no run, system or file 'none'"),
        (["y21=last", "y21=last"], "Two groups have one name"),
        (["y21=last", "=last"], "'=last' must be NAME=VALUE"),
        (["y21=last", "nmt"], "'nmt' must be NAME=VALUE"),
        (["a=last", "b=last", "--alias", "Nobody=Other"], "no system is called 'Nobody'"),
        (["a=last", "b=last", "--alias", "Nobody"], "'Nobody' must be NAME=VALUE"),
        (["a=last", "b=last", "--system", "Nobody"], "No system 'Nobody'. Available: "),
        (["a=last", "b=last", "--score", "bleu"], "has no score 'bleu'. Available: accuracy"),
        (["a=last", "b=last", "--plot", "a.pdf"], "plots are written as .svg or .png"),
        (["Online-A", "--alias", "a=b"], "are for groups"),
        (["a=last", "b=last", "--group", "Negation"], "--group and --method are for the runs of one system"),
    ],
)
def test_a_mistake_is_one_line(run: Run, years: list[str], words: list[str], message: str) -> None:
    done = run("history", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


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
    (trend,) = json.loads(done.stdout)["trends"]
    assert [point["score"]["value"] for point in trend["points"]] == [0.0, 100.0, 100.0]
    assert trend["points"][1]["change"]["fixed"] == 1
    assert "<svg" in (tmp_path / "h.svg").read_text("utf-8")
    assert run("history", "nmt", "-f", "tsv").stdout.count("nmt") == 0


def test_runs_on_other_texts_are_another_line(run: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} cat.\n")
        run("score", "-r", f"{name}.txt", "-t", f"nmt={name}.txt", "-m", "bleu")
    trends = json.loads(run("history", "nmt", "-f", "json").stdout)["trends"]
    assert [len(trend["points"]) for trend in trends] == [1, 1]
    assert "nothing to draw" in run("history", "nmt", "--plot", "h.svg").stderr


def test_an_unknown_system_or_score_is_one_line(run: Run, runs: list[str]) -> None:
    assert "No saved system has the name 'mnt'. Near: nmt." in run("history", "mnt").stderr
    done = run("history", "nmt", "--score", "bleu")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)

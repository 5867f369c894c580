"""A challenge set from a suite, and `mtassay meta challenge` as a person runs it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mtassay.app import curation
from mtassay.app.curation import Challenge
from mtassay.data.errors import UsageError
from mtassay.data.formats.evaluation_files import write_challenge, write_challenge_lines
from mtassay.data.nouns import Review
from mtassay.data.subjects import Subject
from mtassay.methods.suite.material import harvest_record, harvest_rows
from mtassay.methods.suite.suite_method import QUESTION
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run

SUITE = """\
suite: Small
langpair: pt-en
items:
  - {id: n1, category: Negation, phenomenon: Concord, source: Ninguém disse nada.,
     positive_tokens: [Nobody said anything., No one said a word.], negative_tokens: [Nobody said nothing.]}
  - {id: n2, category: Negation, phenomenon: Concord, source: Não vi ninguém.,
     positive_regex: [anyone|anybody], negative_regex: [no one|nobody], references: [I did not see anyone.]}
  - {id: f1, category: False friends, phenomenon: Nouns, source: Li na livraria.,
     positive_regex: [bookshop|bookstore], negative_regex: [library]}
  - {id: f2, category: False friends, phenomenon: Nouns, source: Uma pasta., positive_tokens: [A folder.]}
"""
OUTPUTS = {
    "good": ["Nobody said anything.", "I saw nobody.", "I read in the bookshop.", "A folder."],
    "bad": ["Nobody spoke.", "I didn't see anyone there.", "I read in the library.", "A thing."],
}
IDS = ["n1", "n2", "f1", "f2"]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "s.yaml").write_text(SUITE, encoding="utf-8")
    for name, texts in OUTPUTS.items():
        rows = [f"{key}\t{text}\n" for key, text in zip(IDS, texts, strict=True)]
        (tmp_path / f"{name}.tsv").write_text("id\toutput\n" + "".join(rows), encoding="utf-8")
    return tmp_path


def make(folder: Path, name: str = "c.jsonl", systems: Sequence[str] = (), **options: Any) -> Challenge:
    """Write a challenge set from the suite, from outputs of these systems."""
    outputs = [f"{system}={folder / system}.tsv" for system in systems]
    workspace = folder / ".mtassay" / "workspace.db"
    options |= {"workspace": workspace} if workspace.exists() else {}
    found = curation.challenge(folder / "s.yaml", outputs, **{"quiet": True, **options})
    write_challenge(folder / name, found.pairs)
    return found


def records(path: Path) -> dict[str, dict[str, object]]:
    return {r["id"]: r for r in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def test_tokens_and_settled_outputs_become_pairs(suite: Path) -> None:
    made = make(suite, systems=["good", "bad"])
    found = records(suite / "c.jsonl")
    assert list(found) == ["n1:1", "n2:1", "f1:1"]
    assert found["n2:1"] == {
        "id": "n2:1",
        "item": "n2",
        "category": "Negation",
        "phenomenon": "Concord",
        "source": "Não vi ninguém.",
        "reference": "I did not see anyone.",
        "correct": "I didn't see anyone there.",
        "incorrect": "I saw nobody.",
        "langpair": "pt-en",
        "origin": {"reference": ["reference"], "correct": ["output:bad"], "incorrect": ["output:good"]},
    }
    assert found["f1:1"]["reference"] is None
    assert harvest_record(made.harvests) == {
        "items": 4,
        "items_with_pairs": 3,
        "pairs": 3,
        "pairs_with_reference": 2,
        "items_without_pairs": {"no incorrect output": 1},
    }
    assert ("Negation", [True], "") in harvest_rows(made.harvests)


def test_a_saved_run_and_reviews_are_known_too(run: Run, suite: Path) -> None:
    assert run("suite", "run", "s.yaml", "-t", "good.tsv", "-t", "bad.tsv").returncode == 0
    subject = Subject("f2", ("Uma pasta.",), ("A thing.",))
    workspace = Workspace(suite / ".mtassay" / "workspace.db")
    review = Review(subject.id, QUESTION, "incorrect", "ana", at="2024-05-01T10:00:00+00:00")
    workspace.add_reviews([review], [subject])
    workspace.close()
    make(suite, runs=["last"])
    found = records(suite / "c.jsonl")
    assert found["f2:1"]["origin"] == {
        "correct": ["token", "output:good"],
        "incorrect": ["review", "output:bad"],
    }
    unreviewed = make(suite, "d.jsonl", runs=["last"], reviews=False)
    assert "f2:1" not in records(suite / "d.jsonl")
    assert harvest_record(unreviewed.harvests)["items_without_pairs"] == {"no incorrect output": 1}


def test_outputs_of_a_run_whose_source_has_changed_are_left_out(run: Run, suite: Path) -> None:
    run("suite", "run", "s.yaml", "-t", "good.tsv", "-t", "bad.tsv")
    (suite / "s.yaml").write_text(SUITE.replace("Não vi ninguém.", "Nunca vi ninguém."), encoding="utf-8")
    notes: list[str] = []
    make(suite, runs=["last"], listen=notes.append, quiet=False)
    assert any("1 item left out: another source today" in note for note in notes)
    assert list(records(suite / "c.jsonl")) == ["n1:1", "f1:1"]


def test_the_same_seed_gives_the_same_file(suite: Path) -> None:
    for name in ("a", "b"):
        make(suite, f"{name}.jsonl", seed=7, per_item=9)
    assert (suite / "a.jsonl").read_bytes() == (suite / "b.jsonl").read_bytes()


def test_items_that_give_no_pair_are_said(suite: Path) -> None:
    with pytest.raises(UsageError, match=r"No item gives a pair: 1 have no incorrect output\."):
        make(suite, item="f2")


def test_metrics_are_judged_in_two_blocks_and_estimation_in_a_third(run: Run, suite: Path) -> None:
    write_challenge_lines(suite / "lines", make(suite, systems=["good", "bad"]).pairs)
    lines = (suite / "lines" / "output.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6
    (suite / "qe.txt").write_text("3\n1\n2\n2\n1\n2\n", encoding="utf-8")  # right, tie, wrong
    (suite / "ref.tsv").write_text(
        "id\tside\tscore\nn1:1\tcorrect\t1\nn1:1\tincorrect\t2\n", encoding="utf-8"
    )
    external = ["--qe-scores", "qe=qe.txt", "--scores", "errors=ref.tsv", "--lower-is-better", "errors"]
    done = run("meta", "challenge", "c.jsonl", "-m", "chrf", *external, "--plot", "a.svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("pt-en · 3 items · 3 pairs · 2 with a reference\n")
    first, second, third = (
        done.stdout.index(title)
        for title in ("read the reference", "read the source alone", "Quality estimation")
    )
    assert first < second < third
    assert "errors: 1 pairs without a score are left out." in done.stdout
    assert "on the items that both have" in " ".join(done.stdout.split())
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    drawn = (suite / "a.svg").read_text(encoding="utf-8")
    assert all(
        text in drawn for text in ("chrF2 (with reference)", "qe (without reference)", "macro-average")
    )
    done = run("meta", "challenge", "c.jsonl", *external, "-f", "json")
    result = json.loads(done.stdout)
    values = {(s["name"], s["system"], s["group"]): s["value"] for s in result["scores"]}
    assert values["accuracy:reference-free", "qe", "micro"] == pytest.approx(100 / 3)
    assert values["ties", "qe", "micro"] == pytest.approx(100 / 3)
    assert values["kendall", "qe", "micro"] == pytest.approx(0)
    assert values["accuracy:reference-based", "errors", "micro"] == 100
    assert values["auc", "qe", "Negation"] == 0.875  # 3 and 2 against 1 and 2: of four, a tie
    assert result["counts"]["errors"] == {"pairs": 3, "missing": 2}
    assert {m["name"]: m["kind"] for m in result["metrics"]} == {
        "errors": "reference-based",
        "qe": "reference-free",
    }


def test_only_referenced_pairs_can_be_judged_with_scores_of_all(run: Run, suite: Path) -> None:
    make(suite, systems=["good", "bad"])
    (suite / "qe.txt").write_text("3\n1\n2\n2\n1\n2\n", encoding="utf-8")
    done = run("meta", "challenge", "c.jsonl", "--qe-scores", "qe=qe.txt", "--referenced", "-f", "tsv")
    header, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert header[:5] == ["name", "system", "group", "value", "n"]
    assert ["accuracy:reference-free", "qe", "micro", "50.0", "2"] in [row[:5] for row in rows]


@pytest.mark.parametrize("form", ["md", "latex"])
def test_tables_come_in_every_format(run: Run, suite: Path, form: str) -> None:
    make(suite, systems=["good", "bad"])
    done = run("meta", "challenge", "c.jsonl", "-f", form)
    assert done.returncode == 0, done.stderr
    assert {"md": "| Category |", "latex": "\\begin{tabular}"}[form] in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["c.jsonl", "-m", "blue"], "No metric 'blue'"),
        (["c.jsonl", "--scores", "x"], "'x' must be NAME=FILE."),
        (["c.jsonl", "--scores", "x=short.txt"], "short.txt: 1 lines, but 1 pairs need 2"),
        (["c.jsonl", "--lower-is-better", "x"], "no file of scores is called 'x'"),
        (["c.jsonl", "--scores", "x=two.txt", "--qe-scores", "x=two.txt"], "Two metrics are called 'x'."),
        (["c.jsonl", "--plot", "a.gif"], "plots are written as .svg or .png"),
        (["s.yaml"], "s.yaml line 1: this is no JSON object"),
        (["missing.jsonl"], "missing.jsonl: cannot read"),
    ],
)
def test_a_mistake_in_judging_is_one_line(run: Run, suite: Path, arguments: list[str], message: str) -> None:
    make(suite)
    (suite / "short.txt").write_text("1\n", encoding="utf-8")
    (suite / "two.txt").write_text("1\n2\n", encoding="utf-8")
    done = run("meta", "challenge", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1

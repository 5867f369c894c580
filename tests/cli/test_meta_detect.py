"""`mtassay meta judges` on saved runs, on lists, and on input that cannot work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.data.nouns import Finding, Output, Result, Review, Segment
from mtassay.data.nouns import Run as SavedRun
from mtassay.data.subjects import Subject, review_now
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run

LABELS = "id\tlabel\n1\tERR\n2\tNOT\n3\tERR\n4\tNOT\n"
FLAGGED = "id\tscore\n1\t0.9\n2\t0.4\n9\t0.1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "labels.tsv").write_text(LABELS, encoding="utf-8")
    (tmp_path / "length.tsv").write_text(FLAGGED, encoding="utf-8")
    return tmp_path


def test_a_list_is_held_against_labels(run: Run, folder: Path) -> None:
    done = run("meta", "judges", "--flagged", "length.tsv", "--labels", "labels.tsv", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "50.0 [9–91] (1/2)" in done.stdout  # of the two flagged and labelled
    assert "Labelled outputs: 4, of which 2 are wrong (50.0 %)" in done.stdout
    assert (
        "1 of 3 flagged pairs have no label. Their labels would make the precision 33.3 to 66.7"
        in done.stdout
    )


def test_json_has_every_number(run: Run, folder: Path) -> None:
    words = ("--flagged", "l=length.tsv", "--threshold", "l=0.5", "--labels", "labels.tsv", "-f", "json")
    done = run("meta", "judges", *words)
    found = json.loads(done.stdout)
    scores = {score["name"]: score for score in found["scores"]}
    assert (scores["precision"]["value"], scores["recall"]["value"]) == (100.0, 50.0)
    assert found["counts"]["l"] == {"flagged": 1, "unlabelled": 0, "labelled": 4, "errors": 2}


def save(folder: Path) -> Workspace:
    store = Workspace(folder / ".mtassay" / "workspace.db")
    segments = [Segment(name, f"source {name}") for name in "123"]
    outputs = {"nmt": [Output(segment.id, f"output {segment.id}") for segment in segments]}
    findings = [
        Finding("1", "nmt", "suite", "fail", evidence={"status": "incorrect"}),
        Finding("2", "nmt", "suite", "pass", evidence={"status": "correct"}),
        Finding("3", "nmt", "suite", "undecided", evidence={"status": "undecided"}),
    ]
    store.save_run(SavedRun("r1", "suite", {}, ["nmt"], "2026", {}, Result(), findings, segments, outputs))
    subjects = [Subject(name, (f"source {name}",), (f"output {name}",)) for name in "123"]
    answers = ["incorrect", "correct", "incorrect"]
    store.add_reviews(
        [review_now(s.id, "suite", answer, "anna") for s, answer in zip(subjects, answers, strict=True)],
        subjects,
    )
    return store


def test_a_run_is_held_against_the_reviews_of_its_workspace(run: Run, tmp_path: Path) -> None:
    save(tmp_path)
    done = run("meta", "judges", "last", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "100.0 [21–100] (1/1)" in done.stdout
    assert "50.0 [9–91] (1/2)" in done.stdout
    assert "suite: 1 undecided count as not flagged." in done.stdout


def test_a_run_and_a_list_stand_side_by_side(run: Run, folder: Path) -> None:
    save(folder)
    done = run("meta", "judges", "r1", "--flagged", "length.tsv", "--labels", "labels.tsv", "-f", "tsv")
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t")[:2] for line in done.stdout.splitlines()]
    assert ["precision", "suite"] in rows
    assert ["precision", "length"] in rows


def test_labels_must_be_about_the_pairs_of_the_run(run: Run, folder: Path) -> None:
    save(folder)
    (folder / "labels.tsv").write_text("x\tERR\ny\tNOT\n", encoding="utf-8")
    done = run("meta", "judges", "last", "--labels", "labels.tsv")
    assert done.returncode == 2
    assert "None of the 2 labels of labels.tsv is about these pairs" in done.stderr


def test_labels_of_another_system_are_named(run: Run, folder: Path) -> None:
    save(folder)
    (folder / "labels.tsv").write_text("id\tsystem\tlabel\n1\tother\tERR\n", encoding="utf-8")
    for words in ((), ("-t", "nmt")):
        done = run("meta", "judges", "last", "--labels", "labels.tsv", *words)
        assert done.returncode == 2
        assert "Not even the one label of labels.tsv is about nmt: the labels are about other." in done.stderr


def test_one_wrong_pair_is_told_in_the_singular(run: Run, folder: Path) -> None:
    (folder / "labels.tsv").write_text("1\tERR\n2\tNOT\n", encoding="utf-8")
    done = run("meta", "judges", "--flagged", "length.tsv", "--labels", "labels.tsv", COLUMNS="200")
    assert "Labelled outputs: 2, of which 1 is wrong (50.0 %)." in done.stdout


def test_a_behavioural_run_says_how_to_label_it(run: Run, tmp_path: Path) -> None:
    store = Workspace(tmp_path / ".mtassay" / "workspace.db")
    findings = [Finding("1", "nmt", "behavior", "fail", 0.4)]
    segments, outputs = [Segment("1", "source")], {"nmt": [Output("1", "output")]}
    store.save_run(SavedRun("r1", "behavior", {}, ["nmt"], "2026", {}, Result(), findings, segments, outputs))
    done = run("meta", "judges", "last")
    assert done.returncode == 2
    assert "There are no settled labels" in done.stderr
    assert "Review the run (mtassay review next), or add --labels FILE" in done.stderr
    subject = Subject("1", ("source",), ("output",))
    store.add_reviews([Review(subject.id, "suite", "correct", "anna")], [subject])
    done = run("meta", "judges", "last")
    assert "no answers to the question 'behavior'" in done.stderr
    assert "There are some to suite: choose with --question." in done.stderr
    done = run("meta", "judges", "last", "--question", "ta")
    assert done.returncode == 2
    assert "The reviews of 'ta' are about generated pairs, not about outputs of systems" in done.stderr


def test_a_list_that_names_no_labelled_pair_has_no_precision(run: Run, folder: Path) -> None:
    (folder / "other.tsv").write_text("id\nx\n", encoding="utf-8")
    done = run("meta", "judges", "--flagged", "other.tsv", "--labels", "labels.tsv", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "– (0/0)" in done.stdout
    assert "1 of 1 flagged pairs have no label" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "There is no judge: give saved runs, -m NAMES, or --flagged NAME=FILE."),
        (("--flagged", "none.tsv", "--labels", "labels.tsv"), "none.tsv: cannot read"),
        (("--flagged", "length.tsv"), "There is no workspace"),
        (
            ("--flagged", "length.tsv", "--labels", "labels.tsv", "--threshold", "other=1"),
            "No --flagged list is called 'other'. Available: length.",
        ),
        (
            ("--flagged", "length.tsv", "--labels", "labels.tsv", "--threshold", "length=high"),
            "--threshold 'length=high': write NAME=SCORE",
        ),
    ],
)
def test_a_mistake_is_one_line(run: Run, folder: Path, words: tuple[str, ...], message: str) -> None:
    done = run("meta", "judges", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1

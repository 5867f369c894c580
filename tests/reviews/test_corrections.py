"""From reviews to confirmed errors with their corrections."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from mtassay.data.formats.annotation_files import correction_records
from mtassay.data.formats.review_files import review_record, write_records
from mtassay.data.nouns import Review
from mtassay.data.subjects import Subject, decide, fix_in
from tests.cli.conftest import Run, run  # noqa: F401

VASE = Subject("7/1-blue", ("She bought a blue vase.",), ("Ela comprou um vaso.",))
GOAT = Subject("8", ("The goat ate my hat.",), ("O bode comeu meu mapa.",))
SOUP = Subject("9", ("The soup is cold.",), ("A sopa está fria.",))
DAWN = Subject("10", ("They left at dawn.",), ("Eles saíram às gemas.",))
SUBJECTS = {subject.id: subject for subject in (VASE, GOAT, SOUP, DAWN)}
FIXED = {
    "id": "7/1-blue",
    "source": "She bought a blue vase.",
    "output": "Ela comprou um vaso.",
    "correction": "Ela comprou um vaso azul.",
    "by": "anna",
    "error": "under",
}


def review(subject: Subject, answer: str, who: str, note: str = "", *, day: int = 1) -> Review:
    return Review(subject.id, "invariance", answer, who, note, f"2026-01-{day:02}T12:00:00+00:00")


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        (["under"], 1),
        (["correct"], 0),
        (["unsure"], 0),
        (["under", "correct"], 0),
        (["under", "under", "correct"], 1),
        (["under", "unsure"], 1),
    ],
)
def test_an_output_is_wrong_where_reviews_come_to_an_error(answers: Sequence[str], wrong: int) -> None:
    told = [review(VASE, answer, f"r{i}") for i, answer in enumerate(answers)]
    assert len(correction_records(decide(told), SUBJECTS)) == wrong


def test_the_newest_fix_of_those_who_found_an_error_counts() -> None:
    told = [
        review(VASE, "under", "ben", "fix: Ela comprou um jarro azul.", day=1),
        review(VASE, "under", "anna", "blue is lost\nfix: Ela comprou um vaso azul.", day=2),
        review(VASE, "correct", "carla", "fix: nothing to do", day=3),
    ]
    assert correction_records(decide(told), SUBJECTS) == [FIXED]


def test_what_nobody_corrected_is_there_without_a_correction() -> None:
    [found] = correction_records(decide([review(GOAT, "mistranslation", "anna")]), SUBJECTS)
    assert (found["correction"], found["by"], found["error"]) == ("", "", "mistranslation")


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("", None),
        ("blue is lost", None),
        ("fix:", None),
        ("fix:   ", None),
        ("one should fix: this", None),
        ("FIX : Um vaso azul. ", "Um vaso azul."),
        ("blue is lost\nfix: Um vaso azul.\nsee above", "Um vaso azul."),
        ("fix: first\nfix: second", "second"),
    ],
)
def test_a_fix_is_a_line_of_its_own_in_a_note(note: str, expected: str | None) -> None:
    assert fix_in(note) == expected


def test_corrections_are_written_to_train_on(run: Run, tmp_path: Path) -> None:  # noqa: F811
    texts = "They left.\n"
    for name in ("s.txt", "o.txt"):
        (tmp_path / name).write_text(texts, encoding="utf-8")
    assert run("check", "-s", "s.txt", "-t", "a=o.txt", "-l", "en-pt").returncode in (0, 1)
    export = ("review", "export", "--as", "corrections", "--question", "invariance")
    assert run(*export).stdout == ""
    told = [
        review(VASE, "under", "anna", "blue is lost\nfix: Ela comprou um vaso azul."),
        review(GOAT, "mistranslation", "anna"),
        review(SOUP, "correct", "anna"),
        review(DAWN, "mistranslation", "anna"),
        review(DAWN, "correct", "ben"),
    ]
    write_records(tmp_path / "reviews.jsonl", [review_record(r, SUBJECTS[r.subject]) for r in told])
    assert run("review", "import", "reviews.jsonl").returncode == 0
    assert run(*export, "-o", "fixes.jsonl").returncode == 0
    first, second = map(json.loads, (tmp_path / "fixes.jsonl").read_text(encoding="utf-8").splitlines())
    assert first == FIXED
    assert second["id"] == "8"
    assert run(*export, "-o", "fixes.tsv").returncode == 0
    with (tmp_path / "fixes.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["correction"] for row in rows] == [FIXED["correction"], ""]
    wrong = run("review", "export", "--as", "corrections", "--question", "ta")
    assert "cannot write answers to 'ta'" in wrong.stderr

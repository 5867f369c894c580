"""From reviews to confirmed errors, and from those to corrections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.formats.review_files import review_record, write_records
from mtassay.data.nouns import Review
from mtassay.data.subjects import Subject
from mtassay.meta.corrections import (
    Correction,
    WrongOutput,
    by_engine,
    confirm,
    correct,
    fix_in,
    gather,
)

VASE = Subject("7/1-blue", ("She bought a blue vase.",), ("Ela comprou um vaso.",))
GOAT = Subject("8", ("The goat ate my hat.",), ("O bode comeu meu chapéu.",))
SUBJECTS = {subject.id: subject for subject in (VASE, GOAT)}
WRONG = WrongOutput("7/1-blue", "She bought a blue vase.", "Ela comprou um vaso.", "under")


def review(subject: Subject, answer: str, who: str, note: str = "", *, day: int = 1) -> Review:
    return Review(subject.id, "invariance", answer, who, note, f"2026-01-{day:02}T12:00:00+00:00")


@pytest.mark.parametrize(
    ("answers", "wrong", "right", "unsettled"),
    [
        (["under"], 1, 0, 0),
        (["correct"], 0, 1, 0),
        (["unsure"], 0, 0, 1),
        (["under", "correct"], 0, 0, 1),
        (["under", "under", "correct"], 1, 0, 0),
        (["under", "unsure"], 1, 0, 0),
    ],
)
def test_an_output_is_wrong_where_reviews_come_to_an_error(
    answers: Sequence[str], wrong: int, right: int, unsettled: int
) -> None:
    found = confirm(
        [review(VASE, answer, f"r{i}") for i, answer in enumerate(answers)], SUBJECTS, question="invariance"
    )
    assert (len(found.wrong), found.right, found.unsettled) == (wrong, right, unsettled)


def test_a_confirmed_error_has_the_texts_that_were_looked_at_and_the_kind_of_error() -> None:
    found = confirm(
        [review(VASE, "under", "anna"), review(GOAT, "correct", "anna")], SUBJECTS, question="invariance"
    )
    assert found.wrong == [WRONG]
    assert found.fixes == []


def test_reviews_of_another_question_are_not_looked_at() -> None:
    other = Review(VASE.id, "suite", "incorrect", "anna")
    assert confirm([other], SUBJECTS, question="invariance").wrong == []
    assert confirm([other], SUBJECTS, question="suite").wrong == [WRONG._replace(error="incorrect")]


def test_the_newest_fix_of_those_who_found_an_error_counts() -> None:
    found = confirm(
        [
            review(VASE, "under", "anna", "fix: Ela comprou um vaso azul.", day=1),
            review(VASE, "under", "ben", "fix: Ela comprou um jarro azul.", day=2),
            review(VASE, "correct", "carla", "fix: nothing to do", day=3),
        ],
        SUBJECTS,
        question="invariance",
    )
    assert found.fixes == [Correction(*WRONG[:3], "Ela comprou um jarro azul.", "ben", "under")]


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


def test_the_first_proposal_that_changes_something_is_taken() -> None:
    mine = Correction(*WRONG[:3], "Ela comprou um vaso azul.", "anna")
    same = Correction(*WRONG[:3], "Ela  comprou um vaso. ", "engine a")
    engine = Correction(*WRONG[:3], "Comprou um vaso azul.", "engine b")
    assert correct([WRONG], [mine], [engine]).corrections[0].by == "anna"
    assert correct([WRONG], [same], [engine]).corrections[0].by == "engine b"


def test_what_has_no_correction_is_given_back() -> None:
    other = WrongOutput("9", "Good morning.", "Boa noite.", "mistranslation")
    same = Correction(*WRONG[:3], WRONG.output, "engine a")
    found = correct([WRONG, other], [same])
    assert (found.corrections, found.same, found.without) == ([], [WRONG], [other])


def test_a_correction_of_an_equal_text_holds_whatever_its_id() -> None:
    elsewhere = Correction("other id", WRONG.source, WRONG.output, "Ela comprou um vaso azul.", "anna")
    assert correct([WRONG], [elsewhere]).corrections[0].id == WRONG.id


def test_a_translation_of_an_engine_is_marked_as_such() -> None:
    (found,) = by_engine([WRONG], {WRONG.id: "Ela comprou um vaso azul."}, "nmt")
    assert (found.by, found.error) == ("engine nmt", "under")


@pytest.mark.parametrize("text", [None, "", "  "])
def test_an_engine_without_an_answer_corrects_nothing(text: str | None) -> None:
    assert by_engine([WRONG], {WRONG.id: text}, "nmt") == []


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from(["x", "y", None]))))
def test_every_wrong_output_is_corrected_or_given_back_once(rows: list[tuple[str, str, str | None]]) -> None:
    wrong = [WrongOutput(str(i), source, output) for i, (source, output, _) in enumerate(rows)]
    proposed = [
        Correction(*each[:3], text, "anna")
        for each, (*_, text) in zip(wrong, rows, strict=True)
        if text is not None
    ]
    found = correct(wrong, proposed)
    ids = [each.id for part in (found.corrections, found.without, found.same) for each in part]
    assert sorted(ids) == sorted(each.id for each in wrong)
    assert all(each.correction != each.output for each in found.corrections)


def test_corrections_are_gathered_from_a_file_of_reviews_and_a_stronger_engine(tmp_path: Path) -> None:
    told = Review(VASE.id, "invariance", "under", "anna", at="2026-01-31T12:00:00+00:00")
    write_records(tmp_path / "reviews.jsonl", [review_record(told, VASE)])
    (tmp_path / "strong.txt").write_text("Ela comprou um vaso azul.\n", encoding="utf-8")
    stronger = f"nmt={tmp_path / 'strong.txt'}"
    found = gather(tmp_path / "reviews.jsonl", question="invariance", stronger=stronger)
    assert [(c.correction, c.by) for c in found.corrections] == [("Ela comprou um vaso azul.", "engine nmt")]
    assert found.is_whole
    assert not found.left


def test_a_question_that_does_not_know_what_is_correct_has_nothing_to_repair() -> None:
    with pytest.raises(UsageError, match="does not say which outputs are correct"):
        gather(None, question="ta")

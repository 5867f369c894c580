"""What people marked and rated, as other programs and our own commands read it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from mtassay.data.formats.annotation_files import (
    mqm_rows,
    rating_rows,
    read_entities,
    seg_ratings,
    write_answers,
)
from mtassay.data.formats.score_files import read_score_file
from mtassay.data.formats.tables import write_tsv
from mtassay.data.formats.test_sets import read_ratings
from mtassay.data.nouns import Output, Result, Review, Run, Segment
from mtassay.data.questions import COMMON_QUESTIONS, AnswerSpan, SpanAnswer
from mtassay.data.subjects import Decision, Subject, decide

RUN = Run(
    "r1",
    "score",
    {},
    ["x", "y"],
    "2026-01-01",
    {},
    Result(),
    segments=[
        Segment("a", "Maria left.", ("Maria partiu.", "A Maria saiu."), document="d"),
        Segment("b", "Ben ate.", ("Ben comeu.",)),
    ],
    outputs={
        "x": [Output("a", "Mary partiu."), Output("b", "Ben comeu.")],
        "y": [Output("a", "Mary partiu."), Output("b", "Bem comeu,")],
    },
)
OUTPUT_A = Subject("a", ("Maria left.",), ("Mary partiu.",))
OUTPUT_YB = Subject("b", ("Ben ate.",), ("Bem comeu,",))
SECOND = Subject("a", ("Maria left.",), ("A Maria saiu.",))
MISTRANSLATION = AnswerSpan(0, 4, "accuracy/mistranslation", "major")
OMISSION = AnswerSpan(0, 3, "accuracy/omission", "major", "source")
COMMA = AnswerSpan(9, 10, "fluency/punctuation", "minor")


def decisions(*answers: tuple[Subject, str, str, object]) -> dict[tuple[str, str], Decision]:
    return decide(
        Review(subject.id, question, str(answer), reviewer, at=f"2026-01-01T00:00:{number:02}+00:00")
        for number, (subject, question, reviewer, answer) in enumerate(answers)
    )


MQM = decisions(
    (OUTPUT_A, "mqm", "anna", SpanAnswer((MISTRANSLATION,))),
    (OUTPUT_A, "mqm", "ben", SpanAnswer()),
    (OUTPUT_YB, "mqm", "anna", SpanAnswer((COMMA, OMISSION))),
)


def test_entities_go_round_to_the_segments_that_nee_counts(tmp_path: Path) -> None:
    held = decisions((SECOND, "entities", "anna", SpanAnswer((AnswerSpan(2, 7, "PER"),))))
    assert write_answers("entities", tmp_path / "e.jsonl", RUN, held, "entities") == 1
    first, second = read_entities(tmp_path / "e.jsonl", RUN.segments)
    assert first.tags["entities_reference"] == 1
    assert [(e.text, e.type) for e in first.tags["entities"]] == [("Maria", "PER")]
    assert "entities" not in second.tags


def test_errors_are_a_row_each_with_their_place_marked_as_in_the_files_of_wmt() -> None:
    rows = list(mqm_rows(RUN, MQM))
    assert [(r["system"], r["seg_id"], r["rater"], r["target"], r["category"]) for r in rows] == [
        ("x", 1, "anna", "<v>Mary</v> partiu.", "accuracy/mistranslation"),
        ("x", 1, "ben", "Mary partiu.", "no-error"),
        ("y", 1, "anna", "<v>Mary</v> partiu.", "accuracy/mistranslation"),
        ("y", 1, "ben", "Mary partiu.", "no-error"),
        ("y", 2, "anna", "Bem comeu<v>,</v>", "fluency/punctuation"),
        ("y", 2, "anna", "Bem comeu,", "accuracy/omission"),
    ]
    assert rows[-1]["source"] == "<v>Ben</v> ate."
    written = io.StringIO()
    assert write_answers("mqm", written, RUN, MQM, "mqm") == 6
    assert written.getvalue().startswith("system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\t")


def test_raters_keep_their_rows_after_an_adjudication_which_is_marked() -> None:
    answers = [("ben", SpanAnswer(), False), ("anna", SpanAnswer((MISTRANSLATION,)), False)]
    answers += [("dora", SpanAnswer((MISTRANSLATION,)), True)]
    held = decide(
        Review(OUTPUT_A.id, "mqm", str(answer), who, "", f"2026-01-0{day}T00:00:00+00:00", final)
        for day, (who, answer, final) in enumerate(answers, 1)
    )
    rows = [(row["rater"], row["category"]) for row in mqm_rows(RUN, held) if row["system"] == "x"]
    assert rows == [
        ("anna", "accuracy/mistranslation"),
        ("ben", "no-error"),
        ("adjudicator:dora", "accuracy/mistranslation"),
    ]
    # What people come to is another matter: there the adjudication is alone.
    assert [row["rater"] for row in rating_rows(RUN, held, [COMMON_QUESTIONS["mqm"]])] == ["dora", "dora"]


def test_ratings_of_segments_are_read_back_with_what_holds_and_none_for_unrated(tmp_path: Path) -> None:
    lines = list(seg_ratings(RUN, MQM))
    assert lines[1] == "x\tNone"
    # Of two raters one marked it, which is no majority: what holds is free of errors.
    assert lines[0] == 'x\t{"errors": []}'
    write_answers("mtme", tmp_path / "en-pt.mqm.seg.rating", RUN, MQM, "mqm")
    found = read_ratings(tmp_path / "en-pt.mqm.seg.rating", units=2)
    assert found["x"] == [[], None]
    assert found["y"][1] is not None
    assert [(e.category, e.score, e.is_source_error) for e in found["y"][1]] == [
        ("fluency/punctuation", 0.1, False),
        ("accuracy/omission", 5.0, True),
    ]


def test_ratings_reach_correlation_as_the_mean_over_raters(tmp_path: Path) -> None:
    held = MQM | decisions(
        (OUTPUT_A, "da", "anna", 40), (OUTPUT_A, "da", "ben", 70), (OUTPUT_YB, "da", "anna", "unsure")
    )
    rows = rating_rows(RUN, held, COMMON_QUESTIONS.values())
    assert rows[0] == {
        **{"system": "x", "id": "a", "rater": "anna", "mqm": -5.0, "esa": None, "adequacy": None},
        **{"fluency": None, "informativeness": None, "da": 40.0},
    }
    questions = [COMMON_QUESTIONS[name] for name in ("mqm", "da")]
    rows = rating_rows(RUN, held, questions)
    assert len(rows) == 5
    write_tsv(tmp_path / "r.tsv", rows)
    columns = {c.name: c for c in read_score_file(str(tmp_path / "r.tsv"), ids=["a", "b"])}
    assert columns["da"].by_segment == {"x": {"a": 55.0}, "y": {"a": 55.0, "b": None}}
    # By hand: 5 and 0 of two raters; 0.1 for the comma and 5 for the omission.
    assert columns["mqm"].by_segment["y"] == pytest.approx({"a": -2.5, "b": -5.1})

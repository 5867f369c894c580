"""A hundred annotations of each kind go through every export and import, and a hundred come back."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from mtassay.app import exchange, reviewing
from mtassay.data.formats.review_files import write_records
from mtassay.data.formats.test_sets import read_ratings
from mtassay.data.nouns import UNSURE, Output, Result, Review, Run, Segment
from mtassay.data.questions import AnswerSpan, SpanAnswer, find_question, span_answer
from mtassay.data.subjects import Subject, decide
from mtassay.runtime.workspace import Workspace

N = 100
SOURCE = 'Maria <b>said</b> "nothing"\tto 3 of 4 people; 😀 she left.'
OUTPUT = "Maria não disse nada\nа 3 de 4 pessoas 😀 e saiu = =1+1."
QUESTIONS = ("suite", "invariance", "entities", "mqm", "esa", "adequacy", "da")


def answer_of(question: str, draw: random.Random) -> str:
    """Any answer that a person can give, every fifth one empty and every tenth `unsure`."""
    asked = find_question(question)
    if draw.random() < 0.1:
        return UNSURE
    if asked.kind == "choice":
        return draw.choice(list(asked.keys.values()))
    if asked.kind == "number":
        return str(draw.randint(1, 5) if question == "adequacy" else draw.randint(0, 100))
    spans = set()
    for _ in range(draw.choice([0, 1, 2, 3])):
        side = "source" if question in ("mqm", "esa") and draw.random() < 0.3 else "target"
        label = draw.choice(list(asked.labels.values()))  # type: ignore[attr-defined]
        # Pearmut has no place for categories of ESA, and knows only whole sources as missing.
        label = {"esa": "omission" if side == "source" else "error"}.get(question, label)
        severities = list(asked.severities.values())  # type: ignore[attr-defined]
        start = draw.randrange(0, 20)
        end = start + draw.randint(1, 15)
        spans.add(AnswerSpan(start, end, label, draw.choice(severities) if severities else "", side))  # type: ignore[arg-type]
    return str(SpanAnswer(tuple(spans), float(draw.randint(0, 100)) if question == "esa" else None))


def place_with(path: Path, question: str) -> Workspace:
    """A run of one system with a hundred outputs, each with an answer: of two raters, or an adjudicator."""
    draw = random.Random(question)
    store = Workspace(path)
    segments = [Segment(str(n), f"{SOURCE} {n}", (f"{OUTPUT} {n}",)) for n in range(N)]
    outputs = {"x": [Output(s.id, f"{OUTPUT} {s.id}") for s in segments]}
    store.save_run(Run("r", "score", {}, ["x"], "2026-01-01", {}, Result(), (), segments, outputs))
    subjects = [Subject(s.id, (s.source,), (f"{OUTPUT} {s.id}",)) for s in segments]
    reviews = [
        Review(
            subject.id,
            question,
            answer_of(question, draw),
            ("anna", "ben", "dora")[n % 3],
            "a note: ünd “so”" if n % 4 == 0 else "",
            f"2026-01-02T00:{n // 60:02}:{n % 60:02}+00:00",
            n % 3 == 2,
        )
        for n, subject in enumerate(subjects)
    ]
    assert store.add_reviews(reviews, subjects) == N
    return store


def kept(store: Workspace) -> set[Review]:
    return set(store.reviews())


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("ending", ["jsonl", "tsv", "csv"])
def test_files_of_reviews_keep_every_answer(question: str, ending: str, tmp_path: Path) -> None:
    store = place_with(tmp_path / "w.db", question)
    file = tmp_path / f"reviews.{ending}"
    records = reviewing.reviews(workspace=store.path)
    write_records(file, records)
    done = reviewing.import_reviews(file, reviewer="nobody", workspace=tmp_path / "other.db")
    assert (done.added, done.unsigned) == (N, 0)
    assert kept(Workspace(tmp_path / "other.db")) == kept(store)


@pytest.mark.parametrize("question", QUESTIONS)
def test_label_studio_keeps_every_answer(question: str, tmp_path: Path) -> None:
    store = place_with(tmp_path / "w.db", question)
    assert exchange.export_as(
        "labelstudio", tmp_path / "t.json", run="r", question=question, workspace=store.path
    ) == (N, 0)
    done = reviewing.import_reviews(tmp_path / "t.json", reviewer="nobody", workspace=tmp_path / "other.db")
    assert (done.added, done.unsigned) == (N, 0)
    assert kept(Workspace(tmp_path / "other.db")) == kept(store)


def test_label_studio_gives_raters_back_unless_somebody_changed_an_annotation(tmp_path: Path) -> None:
    """As Label Studio 1.23 exports what it imported: users and times are its own, ids are `import_id`."""
    store, file = place_with(tmp_path / "w.db", "esa"), tmp_path / "t.json"
    exchange.export_as("labelstudio", file, run="r", question="esa", workspace=store.path)
    tasks = json.loads(file.read_text(encoding="utf-8"))
    for number, task in enumerate(tasks):
        for entry in task["annotations"]:
            del entry["reviewer"]
            entry |= {"import_id": entry["id"], "id": 900 + number, "completed_by": 1, "updated_by": None}
            entry |= {"created_at": "2026-03-01T00:00:00Z", "updated_at": "2026-03-01T00:00:01Z"}
    tasks[0]["annotations"][0]["updated_by"] = 1
    file.write_text(json.dumps(tasks), encoding="utf-8")
    reviewing.import_reviews(file, reviewer="nobody", workspace=tmp_path / "other.db")
    back = Workspace(tmp_path / "other.db").reviews()
    assert len(back) == N
    (changed,) = set(back) - kept(store)
    assert (changed.reviewer, changed.at[:10]) == ("labelstudio-1", "2026-03-01")


@pytest.mark.parametrize("question", ["mqm", "esa", "adequacy", "da"])
def test_pearmut_keeps_every_answer_but_unsure_which_it_does_not_know(question: str, tmp_path: Path) -> None:
    store = place_with(tmp_path / "w.db", question)
    wrote = exchange.export_as(
        "pearmut", tmp_path / "p.json", run="r", question=question, workspace=store.path
    )
    done = reviewing.import_reviews(tmp_path / "p.json", reviewer="nobody", workspace=tmp_path / "other.db")
    expected = {review for review in store.reviews() if review.answer != UNSURE}
    assert wrote == (len(expected), N - len(expected))
    assert done.added == len(expected) > 80
    assert kept(Workspace(tmp_path / "other.db")) == expected


def test_error_span_annotation_of_wmt_keeps_every_answer_but_unsure(tmp_path: Path) -> None:
    store = place_with(tmp_path / "w.db", "esa")
    exchange.export_as("esa", tmp_path / "e.jsonl", run="r", workspace=store.path)
    done = reviewing.import_reviews(tmp_path / "e.jsonl", reviewer="nobody", workspace=tmp_path / "other.db")
    expected = {review for review in store.reviews() if review.answer != UNSURE}
    assert done.added == len(expected) > 80
    assert kept(Workspace(tmp_path / "other.db")) == expected


@pytest.mark.parametrize("question", ["mqm", "esa"])
def test_mqm_files_of_wmt_keep_every_answer_but_unsure(question: str, tmp_path: Path) -> None:
    store, file = place_with(tmp_path / "w.db", question), tmp_path / "m.tsv"
    exchange.export_as("mqm", file, run="r", question=question, workspace=store.path)
    done = reviewing.import_reviews(file, reviewer="nobody", workspace=tmp_path / "other.db")
    expected = {review for review in store.reviews() if review.answer != UNSURE}
    assert done.added == len(expected) > 80
    assert kept(Workspace(tmp_path / "other.db")) == expected
    assert reviewing.import_reviews(file, workspace=tmp_path / "other.db").added == 0


def test_mqm_files_of_others_are_read_by_their_marks(tmp_path: Path) -> None:
    file = tmp_path / "m.tsv"
    header = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
    rows = [
        ["x", "d", "d.1", "1", "rater1", "Good.", "Bom<v>.</v>", "Fluency/Punctuation", "Minor"],
        ["x", "d", "d.1", "1", "rater1", "<v>Good</v>.", "Bom.", "Accuracy/Omission", "Major"],
        ["x", "d", "d.1", "1", "rater2", "Good.", "Bom.", "No-error", "no-error"],
        ["y", "d", "d.1", "1", "rater1", "Good.", "<v>Bom</v>.", "Non-translation!", "Major"],
    ]
    file.write_text("\n".join("\t".join(row) for row in [header, *rows]) + "\n", encoding="utf-8")
    assert reviewing.import_reviews(file, workspace=tmp_path / "w.db").added == 2
    answers = {
        review.reviewer: span_answer(review.answer).spans for review in Workspace(tmp_path / "w.db").reviews()
    }
    assert {(s.start, s.end, s.label, s.side) for s in answers["rater1"]} == {
        (3, 4, "fluency/punctuation", "target"),
        (0, 4, "accuracy/omission", "source"),
    }
    assert answers["rater2"] == ()


def test_mt_metrics_eval_keeps_every_error_and_none_for_who_was_unsure(tmp_path: Path) -> None:
    store = place_with(tmp_path / "w.db", "mqm")
    exchange.export_as("mtme", tmp_path / "x.seg.rating", run="r", workspace=store.path)
    (found,) = read_ratings(tmp_path / "x.seg.rating", units=N).values()
    decisions = decide(store.reviews("mqm"))
    for number, errors in enumerate(found):
        subject = Subject(str(number), (f"{SOURCE} {number}",), (f"{OUTPUT} {number}",))
        held = decisions[subject.id, "mqm"].answer
        spans = None if held is None else span_answer(held).spans
        places = None if errors is None else {(e.start, e.end, e.category, e.severity) for e in errors}
        assert places == (None if spans is None else {(s.start, s.end, s.label, s.severity) for s in spans})
    assert sum(errors is None for errors in found) == sum(d.answer is None for d in decisions.values())


@pytest.mark.parametrize("question", ["mqm", "esa", "adequacy", "da"])
def test_ratings_and_mqm_files_have_a_row_for_every_rater(question: str, tmp_path: Path) -> None:
    store = place_with(tmp_path / "w.db", question)
    answered = [review for review in store.reviews() if review.answer != UNSURE]
    exchange.export_as("ratings", tmp_path / "r.tsv", run="r", question=question, workspace=store.path)
    rows = (tmp_path / "r.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(rows) == len(answered)
    if question in ("mqm", "esa"):
        exchange.export_as("mqm", tmp_path / "m.tsv", run="r", question=question, workspace=store.path)
        count = sum(max(len(json.loads(review.answer)["spans"]), 1) for review in answered)
        text = (tmp_path / "m.tsv").read_text(encoding="utf-8")
        assert len([line for line in text.split("\n") if line.startswith("x\t")]) == count

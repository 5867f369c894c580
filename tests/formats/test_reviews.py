"""Files of reviews: they come back as they went, changed texts are noticed, bad rows are named."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.review_files import (
    asked_record,
    pending_record,
    read_reviews,
    review_record,
    write_records,
)
from mtassay.data.formats.tables import join_cell, split_cell
from mtassay.data.nouns import Review, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import Pending, Subject

SUBJECT = Subject("007", ('Say "yes"\tor no.',), ('=Diga\n"sim" \\ não',))
AT = "2026-01-31T12:00:00+00:00"
REVIEW = Review(SUBJECT.id, "suite", "correct", "anna", "=a\tnote", AT)
PENDING = Pending(
    SUBJECT,
    find_question("suite"),
    "r1",
    ("x", "y"),
    "undecided",
    Segment("007", SUBJECT.sources[0], ("Diga.", None), tags={"category": "C", "phenomenon": "P"}),
)


def a_sheet(path: Path, **cells: str) -> Path:
    """A sheet of one row, filled in."""
    write_records(path, [{**pending_record(PENDING), **cells}])
    return path


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_a_cell_gives_back_its_texts(texts: list[str | None]) -> None:
    cell = join_cell(texts)
    assert split_cell(cell) == tuple(texts)
    assert not set(cell) & set("\t\n\r\0")
    assert not cell.startswith(("=", "+", "-", "@", '"', "'"))
    # What a spreadsheet makes of a cell with quotation marks in it.
    assert split_cell('"' + cell.replace('"', '""') + '"') == tuple(texts)


@pytest.mark.parametrize("text", ["00001001", "1.5", "3/4", "1e5", "12:30", "2026-01-31"])
def test_a_spreadsheet_finds_no_number_to_change(text: str) -> None:
    assert join_cell([text]) == f"\\{text}"


@pytest.mark.parametrize("name", ["reviews.jsonl", "reviews.tsv", "reviews.tsv.gz", "reviews.csv"])
def test_reviews_come_back_as_they_went(tmp_path: Path, name: str) -> None:
    write_records(tmp_path / name, [review_record(REVIEW, SUBJECT)])
    (row,) = read_reviews(tmp_path / name).rows
    assert (row.review, row.subject, row.is_dated) == (REVIEW, SUBJECT, True)


@pytest.mark.parametrize("name", ["sheet.jsonl", "sheet.tsv", "sheet.csv"])
def test_a_sheet_is_read_once_it_is_filled_in(tmp_path: Path, name: str) -> None:
    empty = read_reviews(a_sheet(tmp_path / name))
    assert (empty.rows, empty.empty) == ([], 1)
    filled = a_sheet(tmp_path / name, answer=" Incorrect", note="wrong")
    when = datetime(2026, 1, 31, 12, tzinfo=UTC)
    (row,) = read_reviews(filled, reviewer="ben", at=when).rows
    assert row.review == Review(SUBJECT.id, "suite", "incorrect", "ben", "wrong", AT)
    assert not row.is_dated


def test_a_sheet_does_not_say_whose_output_it_is_unless_asked(tmp_path: Path) -> None:
    record = pending_record(PENDING)
    assert (record["n_systems"], "systems" in record) == (2, False)
    assert pending_record(PENDING, show_systems=True)["systems"] == ["x", "y"]


@pytest.mark.parametrize("name", ["sheet.jsonl", "sheet.tsv"])
def test_a_sheet_to_rate_pairs_has_the_question_and_the_scale_and_nothing_idle(
    tmp_path: Path, name: str
) -> None:
    pair = Subject("9", ("The cat.",), ("O gato.",))
    pending = Pending(pair, find_question("ssf"), "", (), "unrated", Segment("9", "The cat."))
    record = asked_record(pending.subject, pending.question, reviewer="anna")
    assert all(value or key in ("answer", "note") for key, value in record.items())
    assert record["scale"] == "1 unsatisfied, 2 fair, 3 satisfied, u unsure"
    assert record["asked"].startswith("How good is the source as a text?")
    write_records(tmp_path / name, [{**record, "answer": "2"}])
    (row,) = read_reviews(tmp_path / name).rows
    assert (row.review.answer, row.review.question, row.subject) == ("fair", "ssf", pair)
    if name.endswith(".tsv"):
        assert "\t9\t" in (tmp_path / name).read_text(encoding="utf-8")  # a plain number is left alone
    write_records(tmp_path / name, [{**record, "answer": "9"}])
    known = r"'9' is no answer. Available: unsatisfied \(1\), fair \(2\), satisfied \(3\), unsure \(u\)"
    with pytest.raises(InputError, match=known):
        read_reviews(tmp_path / name)


def test_a_sheet_survives_a_spreadsheet_that_quotes_cells_and_drops_empty_ones(tmp_path: Path) -> None:
    path = a_sheet(tmp_path / "sheet.tsv", answer="c")
    header, row = path.read_text(encoding="utf-8").splitlines()
    cells = ['"' + cell.replace('"', '""') + '"' if '"' in cell else cell for cell in row.split("\t")]
    path.write_text(f"{header}\tremarks\r\n" + "\t".join(cells) + "\r\n", encoding="utf-8")
    (found,) = read_reviews(path, reviewer="ben").rows
    assert (found.review.answer, found.subject) == ("correct", SUBJECT)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"answer": "good"}, "'good' is no answer. Available: correct (c), incorrect (i), unsure (u)."),
        ({"answer": "correct", "question": "taste"}, "no question 'taste'. Available: suite"),
        ({"answer": "correct", "case_id": "7"}, f"its texts are not those of subject '{SUBJECT.id}'"),
        ({"answer": "correct", "reviewer": " "}, "it does not say who answered"),
        ({"answer": "correct", "at": "yesterday"}, "'yesterday' is no date"),
    ],
)
@pytest.mark.parametrize("name", ["sheet.jsonl", "sheet.tsv"])
def test_a_bad_row_is_named_with_its_line(
    tmp_path: Path, name: str, cells: dict[str, str], message: str
) -> None:
    path = tmp_path / name
    good = {**pending_record(PENDING, reviewer="anna"), "at": ""}
    write_records(path, [good, {**good, **cells}])
    with pytest.raises(InputError) as raised:
        read_reviews(path)
    line = 3 if name.endswith("tsv") else 2
    assert str(raised.value).startswith(f"{path} line {line}: {message}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "answer\tcase_id\nc\t1\n", "line 1: there is no column 'source'"),
        ("a.tsv", "answer\tcase_id\tsource\toutput\nc\t1\ta\tb\tc\n", "line 2: 5 columns, expected 4"),
        ("a.tsv", "answer\tcase_id\tsource\toutput\nc\t1\ta\t\\N\n", "line 2: the output is missing"),
        (
            "a.tsv",
            "answer\tcase_id\tsource\toutput\tAnswer\nc\t1\ta\tb\ti\n",
            "line 1: the column 'answer' occurs twice: 1 and 5; keep one",
        ),
        ("a.jsonl", "{}\n", "line 1: 'sources' must be a list of texts"),
        ("a.jsonl", "[1]\n", "line 1: not a JSON object"),
        ("a.jsonl", "x\n", "line 1: this is not JSON"),
        ("a.jsonl", json.dumps({"answer": 1, "sources": ["a"], "outputs": ["b"]}), "'answer' must be a text"),
    ],
)
def test_a_file_of_something_else_is_refused_in_a_line(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_reviews(tmp_path / name, reviewer="anna")
    assert message in str(raised.value)


def test_the_ending_must_say_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.ods").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match=r"ends in \.jsonl, \.tsv, \.csv, or, from other programs, \.json"):
        read_reviews(tmp_path / "a.ods")


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_spreadsheet_gives_back_every_text(tmp_path: Path, text: str) -> None:
    subject = Subject("1", ("_x0041_ source",), (text,))
    write_records(tmp_path / "sheet.csv", [review_record(replace(REVIEW, subject=subject.id), subject)])
    (row,) = read_reviews(tmp_path / "sheet.csv").rows
    assert row.subject == subject


@pytest.mark.parametrize("between", [";", "\t"])
def test_csv_of_another_country_is_read(tmp_path: Path, between: str) -> None:
    write_records(tmp_path / "a.csv", [review_record(REVIEW, SUBJECT)])
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.reader(handle))
    with (tmp_path / "b.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, delimiter=between).writerows(rows)
    (row,) = read_reviews(tmp_path / "b.csv").rows
    assert (row.review, row.subject) == (REVIEW, SUBJECT)


def test_a_broken_sheet_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"PK nonsense\n")
    with pytest.raises(InputError, match="there is no column"):
        read_reviews(tmp_path / "a.csv")


def test_one_sheet_cannot_say_two_things(tmp_path: Path) -> None:
    row = pending_record(PENDING, reviewer="anna")
    write_records(tmp_path / "a.tsv", [{**row, "answer": "c"}, {**row, "answer": "i"}])
    with pytest.raises(InputError, match="line 3: answered otherwise on line 2"):
        read_reviews(tmp_path / "a.tsv")


def test_other_time_zones_are_the_same_moment(tmp_path: Path) -> None:
    record = {**review_record(REVIEW, SUBJECT), "at": "2026-01-31T13:00:00+01:00"}
    write_records(tmp_path / "a.jsonl", [record, {**record, "at": "2026-01-31T12:00:00"}])
    assert [row.review.at for row in read_reviews(tmp_path / "a.jsonl").rows] == [AT, AT]


@pytest.mark.parametrize("name", ["r.jsonl", "r.tsv", "r.csv"])
def test_spans_ratings_and_adjudications_come_back_as_they_went(tmp_path: Path, name: str) -> None:
    spans = '{"spans": [{"start": 1, "end": 5, "label": "PER"}]}'
    answers = [("entities", spans, "anna"), ("da", "87", "=ben"), ("mqm", '{"spans": []}', "carla")]
    reviews = [Review(SUBJECT.id, question, answer, who, "", AT) for question, answer, who in answers]
    reviews.append(replace(REVIEW, reviewer="dora", is_adjudication=True))
    write_records(tmp_path / name, [review_record(review, SUBJECT) for review in reviews])
    assert [row.review for row in read_reviews(tmp_path / name).rows] == reviews


def test_a_span_that_ends_after_its_text_is_refused_with_its_line(tmp_path: Path) -> None:
    spans = '{"spans": [{"start": 1, "end": 99, "label": "PER"}]}'
    record = review_record(Review(SUBJECT.id, "entities", spans, "anna", "", AT), SUBJECT)
    write_records(tmp_path / "r.jsonl", [record])
    with pytest.raises(InputError, match="line 1: span 1–99 ends after the target"):
        read_reviews(tmp_path / "r.jsonl")
    write_records(tmp_path / "r.jsonl", [{**record, "answer": "none", "standing": "boss"}])
    with pytest.raises(InputError, match="Leave it empty, or write adjudication"):
        read_reviews(tmp_path / "r.jsonl")

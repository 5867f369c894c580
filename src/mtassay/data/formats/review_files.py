"""Files of reviews, JSONL, TSV or CSV by their ending: people's answers, and sheets to fill in.

Each row contains its texts, so a file can be read on another machine, and a changed text is noticed: the
subject is the hash of the case and its texts.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, TextIO

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.annotation_files import MQM_COLUMNS, esa_answer, mqm_answers
from mtassay.data.formats.annotation_platforms import (
    LEFT_OUT,
    REASONS,
    annotation_records,
    is_labelstudio,
    is_pearmut,
    task_records,
)
from mtassay.data.formats.jsonl import json_objects, write_jsonl
from mtassay.data.formats.tables import join_cell, split_cell
from mtassay.data.formats.textfiles import (
    FilePath,
    check_characters,
    check_columns,
    decode,
    load_json,
    not_csv,
    open_for_writing,
    read_bytes,
    shown,
    split_lines,
)
from mtassay.data.nouns import Question, Review
from mtassay.data.questions import all_questions, find_question
from mtassay.data.subjects import Pending, Subject, answer_about

ADJUDICATION = "adjudication"
"""Value of the column `standing`: this answer decides a dispute."""
EMPTY = "left empty"
"""The reason for a row without an answer, if no other is known."""
ENDINGS = (".jsonl", ".tsv", ".csv")
Record = dict[str, Any]
_LISTS = {"sources": "source", "outputs": "output", "references": "references", "systems": "systems"}
"""Fields with several texts, and their columns in a TSV file."""


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One answer in a file.

    Without its own date (`is_dated`) or reviewer (`is_signed`) it has the one passed to the reader.
    """

    review: Review
    subject: Subject
    is_dated: bool
    is_signed: bool
    line: int


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """The answers of a file in order, and the number of rows without one, by reason."""

    rows: list[ReviewRow]
    left: Mapping[str, int]

    @property
    def empty(self) -> int:
        """The number of rows without an answer."""
        return sum(self.left.values())


def review_record(review: Review, subject: Subject) -> Record:
    """A review with the texts it is about."""
    return {
        "answer": review.answer,
        "note": review.note,
        "reviewer": review.reviewer,
        "at": review.at,
        "standing": ADJUDICATION if review.is_adjudication else "",
        "case_id": subject.case_id,
        "sources": list(subject.sources),
        "outputs": list(subject.outputs),
        "question": review.question,
        "subject": review.subject,
    }


def pending_record(pending: Pending, *, reviewer: str = "", show_systems: bool = False) -> Record:
    """A row to fill in: no answer yet, with all that a person needs to give one.

    Reviewers should not know whose output they judge, so it has only the number of its systems.
    """
    tags = pending.segment.tags
    record: Record = {
        "answer": "",
        "note": "",
        "reviewer": reviewer,
        "status": pending.status,
        "category": str(tags.get("category", "")),
        "phenomenon": str(tags.get("phenomenon", "")),
        "context": str(tags.get("context", "")),
        "sources": list(pending.subject.sources),
        "outputs": list(pending.subject.outputs),
        "references": [text for text in pending.segment.references if text],
        "item_note": str(tags.get("note", "")),
        "n_systems": len(pending.systems),
        "systems": list(pending.systems),
        "case_id": pending.subject.case_id,
        "question": pending.question.name,
        "subject": pending.subject.id,
    }
    if not show_systems:
        del record["systems"]
    return record


def asked_record(subject: Subject, question: Question, *, reviewer: str = "") -> Record:
    """A row to fill in, with the question and the possible answers."""
    return {
        "answer": "",
        "note": "",
        "asked": question.text,
        "scale": ", ".join(f"{key} {answer}" for key, answer in question.answers_by_key.items()),
        "sources": list(subject.sources),
        "outputs": list(subject.outputs),
        "reviewer": reviewer,
        "case_id": subject.case_id,
        "question": question.name,
        "subject": subject.id,
    }


def write_records(where: FilePath | TextIO, records: Iterable[Record]) -> None:
    """Write records of reviews in the format of the name's ending: `.tsv`, `.csv`, otherwise JSONL.

    Tables put a backslash before a text that a spreadsheet would change. CSV starts with the mark that makes
    Excel read it as UTF-8.
    """
    ending = _ending(str(where))
    if ending == ".csv":
        with open_for_writing(where) as handle:
            handle.write("\ufeff")
            csv.writer(handle, lineterminator="\r\n").writerows(_rows(records))
    elif ending == ".tsv":
        with open_for_writing(where) as handle:
            handle.writelines("\t".join(cells) + "\n" for cells in _rows(records))
    else:
        write_jsonl(where, records)


def _ending(name: str) -> str:
    return next((ending for ending in ENDINGS if name.removesuffix(".gz").lower().endswith(ending)), "")


def _rows(records: Iterable[Record]) -> Iterator[list[str]]:
    """The header, then a row of cells for each record."""
    for number, record in enumerate(records):
        if number == 0:
            yield [_LISTS.get(key, key) for key in record]
        yield [_cell(value) for value in record.values()]


def read_reviews(path: FilePath, *, reviewer: str = "", at: datetime | None = None) -> ReviewFile:
    """Read the reviews in a file that `write_records` wrote and people filled in.

    `reviewer` and `at` (default: now) are for rows without their own. Rows without an answer are counted by
    reason and left out. The first bad row is an `InputError`, so a file is read whole or not at all.
    """
    name = shown(path)
    default_at = (at or datetime.now(UTC)).astimezone(UTC).isoformat()
    rows: list[ReviewRow] = []
    left: Counter[str] = Counter()
    undated: dict[tuple[str, str, str], ReviewRow] = {}
    for line, record in _records(read_bytes(path), name):
        try:
            row = _row(record, line, reviewer, default_at)
            if row is None:
                reason = record.get(LEFT_OUT)
                left[reason if reason in REASONS else EMPTY] += 1
                continue
            if not row.is_dated:
                key = (row.review.subject, row.review.question, row.review.reviewer)
                earlier = undated.setdefault(key, row)
                if earlier.review.answer != row.review.answer:
                    raise ValueError(f"answered otherwise on line {earlier.line}. Keep one of the two rows")
        except ValueError as error:
            raise InputError(str(error), path=name, line=line) from None
        rows.append(row)
    return ReviewFile(rows, left)


def _cell(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    return join_cell(value if isinstance(value, list) else [value])


def _row(record: Mapping[str, Any], line: int, reviewer: str, default_at: str) -> ReviewRow | None:
    answer = _text(record, "answer")
    if not answer.strip():
        return None
    try:
        question = find_question(_text(record, "question") or "suite")
    except UsageError:
        available = ", ".join(all_questions())
        raise ValueError(f"no question {record['question'][:40]!r}. Available: {available}") from None
    subject = Subject(_text(record, "case_id"), tuple(record["sources"]), tuple(record["outputs"]))
    claimed = _text(record, "subject").strip()
    if claimed and claimed != subject.id:
        what = "case_id, source or output was changed. Export it again"
        raise ValueError(f"its texts are not those of subject {claimed[:40]!r}: {what}")
    own = _text(record, "reviewer").strip()
    who = own or reviewer
    if not who:
        raise ValueError(
            "it does not say who answered. Fill in the column 'reviewer', or add `reviewer='NAME'`"
        )
    when = _text(record, "at").strip()
    review = Review(
        subject.id,
        question.name,
        answer_about(question, answer, subject),
        who,
        _text(record, "note"),
        _date(when) if when else default_at,
        _is_adjudication(record),
    )
    return ReviewRow(review, subject, bool(when), bool(own), line)


def _is_adjudication(record: Mapping[str, Any]) -> bool:
    standing = _text(record, "standing").strip().lower()
    if standing not in ("", ADJUDICATION):
        raise ValueError(f"'standing' is {standing[:40]!r}. Leave it empty, or write {ADJUDICATION}")
    return standing == ADJUDICATION


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"'{key}' must be a text")
    return value


def _date(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no date. Write it as 2026-01-31T12:00:00+00:00") from None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except OverflowError:  # in UTC it is before year 1 or after year 9999
        raise ValueError(f"{text[:40]!r} is no date that can be: fix it") from None


def _records(data: bytes, path: str) -> Iterator[tuple[int, Record]]:
    """The records of a file with their line numbers, each with lists of sources and outputs."""
    ending = _ending(path)
    if ending == ".tsv":
        rows: Iterable[Sequence[str]] = (line.split("\t") for line in split_lines(data, path))
        return _table_records(enumerate(rows, start=1), path)
    if ending == ".csv":
        return _table_records(_csv_rows(data, path), path)
    if path.removesuffix(".gz").lower().endswith(".json"):
        return _platform_records(data, path)
    if ending == ".jsonl" or path.removesuffix(".gz").endswith(".ndjson"):
        return _json_records(data, path)
    raise UsageError(
        f"{path}: a file of reviews ends in {', '.join(ENDINGS)}, or, from other programs, .json."
    )


def _platform_records(data: bytes, path: str) -> Iterator[tuple[int, Record]]:
    """Records from a file of Label Studio or Pearmut, numbered, since these files have no lines."""
    try:
        content = load_json(decode(data, path))
        check_characters(content)
    except ValueError as error:
        raise InputError(f"not JSON ({str(error)[:80]})", path=path) from None
    if is_labelstudio(content):
        records = task_records(content)
    elif is_pearmut(content):
        records = annotation_records(content)
    else:
        raise InputError("these are neither tasks of Label Studio nor annotations of Pearmut", path=path)
    number = 0
    try:
        for number, record in enumerate(records, start=1):
            _check_texts(record)
            yield number, record
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        OSError,
        UsageError,
    ) as error:
        raise InputError(f"annotation {number + 1}: {error}", path=path) from None


def _csv_rows(data: bytes, path: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Read rows of cells between commas, semicolons or tabs: spreadsheets vary by country."""
    text = "\n".join(split_lines(data, path))
    header = text.partition("\n")[0]
    between = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text), delimiter=between, strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(not_csv(error), path=path, line=reader.line_num) from None


def _table_records(rows: Iterable[tuple[int, Sequence[str]]], path: str) -> Iterator[tuple[int, Record]]:
    keys = {column: key for key, column in _LISTS.items()}
    numbered = iter(rows)
    _, header = next(numbered, (1, ()))
    columns = [column.strip().strip('"').lower() for column in header]
    check_columns([column for column in columns if column], path)
    if {*MQM_COLUMNS} <= {*columns}:
        marked = ((n, dict(zip_longest(columns, row, fillvalue=""))) for n, row in numbered if any(row))
        for number, answer in mqm_answers(marked):
            _check_texts(answer)
            yield number, answer
        return
    if missing := [name for name in ("answer", "case_id", "source", "output") if name not in columns]:
        what = f"there is no column '{missing[0]}'. Needed: answer, case_id, source, output"
        raise InputError(what, path=path, line=1)
    for number, row in numbered:
        cells = list(row)
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(columns):
            raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
        cells += [""] * (len(columns) - len(cells))  # spreadsheets drop empty cells at the end
        record: Record = {}
        for column, cell in zip(columns, cells, strict=True):
            texts = split_cell(cell)
            record[keys.get(column, column)] = texts if column in keys else texts[0]
        if None in record["outputs"]:
            raise InputError("the output is missing", path=path, line=number)
        yield number, record


def _json_records(data: bytes, path: str) -> Iterator[tuple[int, Record]]:
    for number, record in json_objects(split_lines(data, path), path):
        try:
            if "errors" in record and "answer" not in record:
                record = esa_answer(record)
            _check_texts(record)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(str(error), path=path, line=number) from None
        yield number, record


def _check_texts(record: Mapping[str, Any]) -> None:
    """Refuse a record without the texts it is about."""
    for key in ("sources", "outputs"):
        texts = record.get(key)
        allowed = (str, type(None)) if key == "sources" else (str,)
        if not isinstance(texts, list) or not all(isinstance(text, allowed) for text in texts):
            raise ValueError(f"'{key}' must be a list of texts")

"""What people marked and rated in a run, in the formats of the field: entities, MQM as WMT has it, ratings.

Entities are written as `mtassay.data.formats` reads them. Errors go into the table of WMT's MQM data
(github.com/google/wmt-mqm-human-evaluation): a row for each error and rater, marked `<v>…</v>`; or into the
`.seg.rating` of mt-metrics-eval. Ratings are a row for each output and rater; `meta correlate` averages them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.formats.score_files import mqm_score, weight
from mtassay.data.formats.tables import write_tsv
from mtassay.data.formats.test_sets import ErrorSpan
from mtassay.data.formats.textfiles import FilePath, write_lines
from mtassay.data.nouns import UNSURE, Question, Review, Run
from mtassay.data.questions import AnswerSpan, NumberQuestion, SpanQuestion, span_answer
from mtassay.data.subjects import Decision, Subject, subjects_in

__all__ = [
    "entity_records",
    "error_span",
    "gives_number",
    "mqm_rows",
    "rating_rows",
    "seg_ratings",
    "write_entities",
    "write_mqm",
    "write_ratings",
    "write_seg_ratings",
]

Decisions = Mapping[tuple[str, str], Decision]
MQM_COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
NO_ERROR = "no-error"
ADJUDICATOR = "adjudicator:"


def entity_records(run: Run, decisions: Decisions, question: str = "entities") -> list[dict[str, Any]]:
    """The entities that hold in each reference, a record for each that somebody marked, in order.

    A reference with no entity has an empty list, and one that nobody looked at is not there.
    """
    records = []
    for segment in run.segments:
        for place, text in enumerate(segment.references):
            if text is None or text in segment.references[:place]:
                continue
            subject = Subject(segment.id, (segment.source,), (text,))
            decision = decisions.get((subject.id, question))
            if decision is None or decision.answer is None:
                continue
            spans = span_answer(decision.answer).spans
            entities = [
                {"start": s.start, "end": s.end, "type": s.label, "text": text[s.start : s.end]}
                for s in spans
            ]
            records.append({"id": segment.id, "reference": place, "text": text, "entities": entities})
    return records


def write_entities(
    where: FilePath | TextIO, run: Run, decisions: Decisions, question: str = "entities"
) -> int:
    """Write what `entity_records` gives as JSONL, for the metric nee; gives how many references."""
    records = entity_records(run, decisions, question)
    write_jsonl(where, records)
    return len(records)


def error_span(span: AnswerSpan) -> ErrorSpan:
    """An error that somebody marked, as the files of WMT have it, with its weight."""
    plain = ErrorSpan(span.start, span.end, span.label, span.severity, is_source_error=span.side == "source")
    return plain._replace(score=weight(plain))


def mqm_rows(run: Run, decisions: Decisions, question: str = "mqm") -> Iterator[dict[str, Any]]:
    """A row for each error that a rater marked in an output, by system, segment and rater.

    Who found none has one row `no-error`. The raters' own answers are written, not what holds after all of
    them; an adjudicator's are there too, with a rater `adjudicator:NAME`. What stands on the source is marked
    there.
    """
    for system, number, segment, review in _answers(run, decisions, question, with_raters=True):
        text = run.text(segment.id, system) or ""
        source = segment.source or ""
        place = {
            "system": system,
            "doc": segment.document or "",
            "doc_id": segment.document or "",
            "seg_id": number,
            "rater": f"{ADJUDICATOR * review.is_adjudication}{review.reviewer}",
        }
        spans = span_answer(review.answer).spans
        for span in spans:
            is_source = span.side == "source"
            yield {
                **place,
                "source": _marked(source, span) if is_source else source,
                "target": text if is_source else _marked(text, span),
                "category": span.label,
                "severity": span.severity,
            }
        if not spans:
            yield {**place, "source": source, "target": text, "category": NO_ERROR, "severity": NO_ERROR}


def write_mqm(where: FilePath | TextIO, run: Run, decisions: Decisions, question: str = "mqm") -> int:
    """Write what `mqm_rows` gives as a TSV file; gives how many rows."""
    rows = list(mqm_rows(run, decisions, question))
    write_tsv(where, rows, columns=MQM_COLUMNS)
    return len(rows)


def _marked(text: str, span: AnswerSpan) -> str:
    return f"{text[: span.start]}<v>{text[span.start : span.end]}</v>{text[span.end :]}"


def seg_ratings(run: Run, decisions: Decisions, question: str = "mqm") -> Iterator[str]:
    """Lines of an mt-metrics-eval `.seg.rating` file: system, then the errors that hold, or None.

    Each system has a line for each segment of the run, in its order.
    """
    subjects = subjects_in(run)
    for system in run.systems:
        for segment in run.segments:
            subject = subjects.get((segment.id, system))
            decision = decisions.get((subject.id, question)) if subject else None
            if decision is None or decision.answer is None:
                yield f"{system}\tNone"
                continue
            errors = [error_span(span)._asdict() for span in span_answer(decision.answer).spans]
            yield f"{system}\t{json.dumps({'errors': errors}, ensure_ascii=False)}"


def write_seg_ratings(where: FilePath | TextIO, run: Run, decisions: Decisions, question: str = "mqm") -> int:
    """Write what `seg_ratings` gives; gives how many lines."""
    lines = list(seg_ratings(run, decisions, question))
    write_lines(where, lines)
    return len(lines)


def rating_rows(run: Run, decisions: Decisions, questions: Iterable[Question]) -> list[dict[str, Any]]:
    """A row for each output and rater with a column for each question; `None` where one was not answered.

    Of errors it is their weight below zero (MQM), of spans with a score the score (ESA). Of what was
    adjudicated there are the adjudicator's rows alone, since they hold.
    """
    asked = [question for question in questions if gives_number(question)]
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for question in asked:
        for system, _, segment, review in _answers(run, decisions, question.name):
            row = rows.setdefault(
                (system, segment.id, review.reviewer),
                {
                    "system": system,
                    "id": segment.id,
                    "rater": review.reviewer,
                    **{other.name: None for other in asked},
                },
            )
            row[question.name] = number_of(question, review.answer)
    order = {system: place for place, system in enumerate(run.systems)}
    places = {segment.id: place for place, segment in enumerate(run.segments)}
    return [rows[key] for key in sorted(rows, key=lambda key: (order[key[0]], places[key[1]], key[2]))]


def write_ratings(
    where: FilePath | TextIO, run: Run, decisions: Decisions, questions: Iterable[Question]
) -> int:
    """Write what `rating_rows` gives as a TSV file, as `meta correlate` reads it; gives how many rows."""
    rows = rating_rows(run, decisions, questions)
    write_tsv(where, rows)
    return len(rows)


def gives_number(question: Question) -> bool:
    """Whether an answer comes to a number."""
    if isinstance(question, NumberQuestion):
        return True
    return isinstance(question, SpanQuestion) and (question.scored or bool(question.severities))


def number_of(question: Question, answer: str) -> float:
    """The number that an answer comes to: a rating, the score of spans, or minus the weight of errors."""
    if isinstance(question, NumberQuestion):
        return float(answer)
    read = span_answer(answer)
    return read.score if read.score is not None else mqm_score(map(error_span, read.spans))


def _answers(
    run: Run, decisions: Decisions, question: str, *, with_raters: bool = False
) -> Iterator[tuple[str, int, Any, Review]]:
    """What each rater said last of each output: system, place and segment, review; `unsure` is nothing.

    Where somebody adjudicated, that is what is left, unless raters are wanted too.
    """
    subjects = subjects_in(run)
    for system in run.systems:
        for number, segment in enumerate(run.segments, start=1):
            subject = subjects.get((segment.id, system))
            decision = decisions.get((subject.id, question)) if subject else None
            if decision is None:
                continue
            counted: list[tuple[str, Review]] = []
            if with_raters or not decision.is_adjudicated:
                counted += sorted(decision.latest.items())
            if decision.is_adjudicated:
                counted += sorted(decision.adjudications.items())
            for _, review in counted:
                if review.answer != UNSURE:
                    yield system, number, segment, review

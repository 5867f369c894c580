"""People's annotations of a run in the field's formats: entities, WMT's MQM, ratings.

Entities are written as `mtassay.data.formats` reads them. Errors are written as the table of WMT's MQM data
(github.com/google/wmt-mqm-human-evaluation), a row for each error and rater, marked `<v>…</v>`, or as the
`.seg.rating` of mt-metrics-eval. Ratings are a row for each output and rater; `meta correlate` averages them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import PurePath
from typing import Any, TextIO, cast

from mtassay.data.errors import InputError
from mtassay.data.formats.entity_markup import (
    Entity,
    MarkedSentence,
    MarkedSpan,
    carry_over,
    has_tags,
    is_json,
    locate,
    looks_like_iob,
    parse_inline,
    parse_iob,
    parse_json,
    parse_jsonl,
    without_space,
)
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.formats.score_files import mqm_score, weight
from mtassay.data.formats.tables import write_tsv
from mtassay.data.formats.test_sets import ErrorSpan
from mtassay.data.formats.textfiles import FilePath, load_json, read_lines, shown, write_lines
from mtassay.data.nouns import UNSURE, Question, Review, Run, Segment
from mtassay.data.questions import AnswerSpan, NumberQuestion, Side, SpanAnswer, SpanQuestion, span_answer
from mtassay.data.subjects import CORRECT, Decision, Subject, fix_in, subjects_in

# Reading: attaches annotation to the segments whose reference it annotates.


Parser = Callable[[Sequence[str], str], list[MarkedSentence]]

_IOB_NAMES = frozenset({".iob", ".iob2", ".bio", ".bioes", ".conll"})


def read_entities(
    path: str | PathLike[str], segments: Sequence[Segment], *, make_references: bool = False
) -> list[Segment]:
    """The segments, in order, with the entities of an annotation file attached.

    `tags["entities"]` is a tuple of `Entity`, by position; `tags["entities_reference"]` is the number of
    their reference, from 0. A segment without annotation stays unchanged, unlike one annotated with no
    entity.

    The annotated text must equal one of the segment's references up to white space. With
    `make_references`, a segment that has none gets the annotated text as its reference.
    """
    lines, name = read_lines(path), shown(path)
    parser = _parser(name, lines)
    annotations = parser(lines, name)
    attached = list(segments)
    for index, annotation in _assign(
        annotations, segments, name, gaps=parser is parse_iob and not make_references
    ):
        attached[index] = _attach(annotation, segments[index], name, make_references=make_references)
    return attached


def _parser(path: str, lines: Sequence[str]) -> Parser:
    suffix = PurePath(path.removesuffix(".gz")).suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return parse_jsonl
    if suffix == ".json":
        return parse_json
    if suffix in _IOB_NAMES:
        return parse_iob
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{") and is_json(first):
        return parse_jsonl
    if first.lstrip().startswith("[") and is_json("\n".join(lines)):
        return parse_json
    if not any(map(has_tags, lines)) and looks_like_iob(lines):
        return parse_iob
    return lambda lines, _: parse_inline(lines)


def _assign(
    annotations: Sequence[MarkedSentence], segments: Sequence[Segment], path: str, *, gaps: bool
) -> list[tuple[int, MarkedSentence]]:
    """Assign annotations to segments: by id if the file has ids, else by order.

    A format without empty sentences has `gaps`: it skips segments whose references are all empty.
    """
    if any(annotation.id is not None for annotation in annotations):
        return _assign_by_id(annotations, segments, path)
    indices = [
        index
        for index, segment in enumerate(segments)
        if not gaps or any(text and text.strip() for text in segment.references)
    ]
    if len(annotations) != len(indices):
        raise InputError(
            f"{len(annotations)} annotated sentences for {len(indices)} segments;"
            " sentence 1 belongs to segment 1, and so on",
            path=path,
        )
    return list(zip(indices, annotations, strict=True))


def _assign_by_id(
    annotations: Sequence[MarkedSentence], segments: Sequence[Segment], path: str
) -> list[tuple[int, MarkedSentence]]:
    places = {segment.id: index for index, segment in enumerate(segments)}
    assigned: dict[int, MarkedSentence] = {}
    for annotation in annotations:
        if annotation.id is None:
            raise InputError(
                "this record has no id, but other records have one", path=path, line=annotation.line
            )
        if annotation.id not in places:
            raise InputError(f"no segment has the id {annotation.id!r}", path=path, line=annotation.line)
        if places[annotation.id] in assigned:
            raise InputError(f"segment {annotation.id!r} is annotated twice", path=path, line=annotation.line)
        assigned[places[annotation.id]] = annotation
    return sorted(assigned.items(), key=lambda item: item[0])


def _attach(annotation: MarkedSentence, segment: Segment, path: str, *, make_references: bool) -> Segment:
    text = annotation.readings[0].text
    if all(reference is None for reference in segment.references):
        if make_references and text is not None:
            segment = segment._replace(references=(text,))
        elif not text and not annotation.readings[0].spans:
            return segment
        else:
            raise InputError(
                f"segment {segment.id!r} has no reference to annotate", path=path, line=annotation.line
            )
    index, spans = _find_reference(annotation, segment, path)
    reference = segment.references[index]
    assert reference is not None
    entities: set[Entity] = set()
    for span in spans:
        if span.start is None or span.end is None or not reference[span.start : span.end].strip():
            raise InputError(f"an empty {span.type} entity", path=path, line=annotation.line)
        entities.add(Entity(reference[span.start : span.end], span.type, span.start, span.end))
    ordered = tuple(sorted(entities, key=lambda entity: (entity.start, -entity.end, entity.type)))
    tags = {"entities": ordered, "entities_reference": index, "entities_origin": "gold"}
    return segment._replace(tags={**segment.tags, **tags})


def _find_reference(
    annotation: MarkedSentence, segment: Segment, path: str
) -> tuple[int, Sequence[MarkedSpan]]:
    """Find the annotated reference, and the spans in it."""
    if annotation.readings[0].text is None:
        return annotation.reference, _spans_of_reference(annotation, segment, path)
    for reading in annotation.readings:
        assert reading.text is not None
        for index, reference in enumerate(segment.references):
            if reference is not None and without_space(reference) == without_space(reading.text):
                return index, carry_over(reading.spans, reading.text, reference)
    what = f"the annotated text is no reference of segment {segment.id!r}"
    note = f" ({annotation.note})" if annotation.note else ""
    raise InputError(what + note, path=path, line=annotation.line)


def _spans_of_reference(annotation: MarkedSentence, segment: Segment, path: str) -> Sequence[MarkedSpan]:
    """Accept offsets without a text if they are inside the reference."""
    index = annotation.reference
    reference = segment.references[index] if index < len(segment.references) else None
    if reference is None:
        raise InputError(
            f"segment {segment.id!r} has no reference {index}, counted from 0",
            path=path,
            line=annotation.line,
        )
    for span in annotation.readings[0].spans:
        if span.end is not None and span.end > len(reference):
            what = f"entity {span.start}–{span.end} ends after the reference of segment {segment.id!r}"
            raise InputError(
                f"{what}, which has {len(reference)} characters", path=path, line=annotation.line
            )
    try:
        return list(locate(annotation.readings[0].spans, reference))
    except ValueError as error:
        raise InputError(f"segment {segment.id!r}: {error}", path=path, line=annotation.line) from None


# What people marked and rated in a run, in the formats of the field: entities, MQM as WMT has it,
# ratings.


Decisions = Mapping[tuple[str, str], Decision]
MQM_COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
METADATA = "metadata"
"""The last column of newer MQM files, JSON; ours says which answer a row belongs to."""
NO_ERROR = "no-error"
ADJUDICATOR = "adjudicator:"


def entity_records(run: Run, decisions: Decisions, question: str = "entities") -> list[dict[str, Any]]:
    """The decided entities, one record for each reference that somebody marked, in order.

    A reference without entities has an empty list; one that nobody annotated has no record.
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


def error_span(span: AnswerSpan) -> ErrorSpan:
    """A marked error in WMT's form, with its weight."""
    plain = ErrorSpan(span.start, span.end, span.label, span.severity, is_source_error=span.side == "source")
    return plain._replace(score=weight(plain))


def mqm_rows(run: Run, decisions: Decisions, question: str = "mqm") -> Iterator[dict[str, Any]]:
    """One row for each error that a rater marked in an output, by system, segment and rater.

    A rater without errors has one row `no-error`. The rows are the raters' own answers, not the decisions; an
    adjudicator's answers are included, with a rater `adjudicator:NAME`. Spans of the source are marked in the
    source.
    """
    for system, number, segment, review in _answers(run, decisions, question, with_raters=True):
        text = run.text(segment.id, system) or ""
        source = segment.source or ""
        told = {"question": question, "case_id": segment.id, "sources": [segment.source], "outputs": [text]}
        told |= {"note": review.note, "at": review.at, "score": span_answer(review.answer).score}
        place = {
            "system": system,
            "doc": segment.document or "",
            "doc_id": segment.document or "",
            "seg_id": number,
            "rater": f"{ADJUDICATOR * review.is_adjudication}{review.reviewer}",
            METADATA: json.dumps(told),
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


def mqm_answers(rows: Iterable[tuple[int, Mapping[str, str]]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Convert the rows of an MQM file to reviews, each with its first line.

    Without our metadata, errors are where the marks `<v>…</v>` are, a segment's number is its id, and of
    equal outputs the first system's errors count.
    """
    answers: dict[tuple[str, ...], tuple[int, str, dict[str, Any], list[AnswerSpan]]] = {}
    for line, row in rows:
        rater, told = row["rater"], {}
        with suppress(ValueError):
            told = load_json(row.get(METADATA) or "{}")
        plain = [re.sub(r"</?v>", "", row[side]) for side in ("source", "target")]
        if not (isinstance(told, dict) and "case_id" in told):
            told = {"question": "mqm", "case_id": row["seg_id"], "sources": plain[:1], "outputs": plain[1:]}
        told |= {"reviewer": rater.removeprefix(ADJUDICATOR)}
        told |= {"standing": "adjudication"} if rater.startswith(ADJUDICATOR) else {}
        key = (rater, row["seg_id"], *plain)
        _, system, _, spans = answers.setdefault(key, (line, row["system"], told, []))
        severity, category = (row[name].strip().lower().rstrip("!") for name in ("severity", "category"))
        if system != row["system"] or severity == NO_ERROR:
            continue
        for side, text in (("source", row["source"]), ("target", row["target"])):
            if found := re.search("<v>((?:(?!</?v>).)*)</v>", text):
                spans.append(
                    AnswerSpan(found.start(), found.end() - 7, category, severity, cast("Side", side))
                )
    for line, _, told, spans in answers.values():
        yield line, {**told, "answer": str(SpanAnswer(tuple(dict.fromkeys(spans)), told.get("score")))}


def _marked(text: str, span: AnswerSpan) -> str:
    return f"{text[: span.start]}<v>{text[span.start : span.end]}</v>{text[span.end :]}"


def seg_ratings(run: Run, decisions: Decisions, question: str = "mqm") -> Iterator[str]:
    """Lines of an mt-metrics-eval `.seg.rating` file: system, then the decided errors, or None.

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


def esa_records(run: Run, decisions: Decisions, question: str = "esa") -> Iterator[dict[str, Any]]:
    """One record for each output and rater, in the form of WMT's error span annotation (Kocmi et al. 2024).

    `end` is the last character. An omission is `missing`, with the place in the source in `source_span`.
    """
    for system, _, segment, review in _answers(run, decisions, question, with_raters=True):
        read = span_answer(review.answer)
        errors: list[dict[str, Any]] = []
        for span in read.spans:
            if span.side == "source":
                missing = {"start": "missing", "end": "missing", "severity": span.severity}
                errors.append({**missing, "source_span": [span.start, span.end]})
            else:
                errors.append({"start": span.start, "end": span.end - 1, "severity": span.severity})
        yield {
            "doc": segment.document or "",
            "seg": segment.id,
            "system": system,
            "source": segment.source,
            "output": run.text(segment.id, system) or "",
            "reference": next((text for text in segment.references if text), ""),
            "errors": errors,
            "rater": f"{ADJUDICATOR * review.is_adjudication}{review.reviewer}",
            "score": read.score,
            "note": review.note,
            "at": review.at,
        }


def esa_answer(record: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a record of WMT's error span annotation to a review; a `ValueError` says what is wrong."""
    source, output, score = record.get("source"), record.get("output"), record.get("score")
    if not isinstance(source, str) or not isinstance(output, str) or not isinstance(record["errors"], list):
        raise ValueError("an annotation needs 'source', 'output' and a list of 'errors'")
    spans: dict[AnswerSpan, None] = {}
    for error in record["errors"]:
        start, end, severity = error.get("start"), error.get("end"), str(error.get("severity", ""))
        if start == "missing":
            begin, behind = error.get("source_span") or (0, len(source))
            spans[AnswerSpan(begin, behind, "omission", severity, "source")] = None
        elif isinstance(start, int) and isinstance(end, int):
            spans[AnswerSpan(start, end + 1, "error", severity)] = None
        else:
            raise ValueError(f"an error needs whole numbers 'start' and 'end': {str(error)[:80]}")
    rater = str(record.get("rater") or "")
    answer = SpanAnswer(tuple(spans), None if score is None else float(score))
    return {
        "question": "esa",
        "case_id": str(record.get("seg", "")),
        "sources": [source],
        "outputs": [output],
        "answer": "" if score is None else str(answer),
        "reviewer": rater.removeprefix(ADJUDICATOR),
        "standing": "adjudication" if rater.startswith(ADJUDICATOR) else "",
        "note": str(record.get("note") or ""),
        "at": str(record.get("at") or ""),
    }


def correction_records(decisions: Decisions, subjects: Mapping[str, Subject]) -> list[dict[str, str]]:
    """One record for each output that reviews call wrong, in the order of first reviews.

    `correction` is the newest line `fix: …` in a note of somebody who found an error, and `by` its author;
    both are empty if there is none. `error` is the kind of error.
    """
    records = []
    for (subject_id, _), decision in decisions.items():
        if decision.answer in (None, CORRECT):
            continue
        subject = subjects[subject_id]
        found = [r for r in decision.latest.values() if r.answer not in (CORRECT, UNSURE)]
        fixes = [(fix, r.reviewer) for r in found if (fix := fix_in(r.note))]
        correction, by = fixes[-1] if fixes else ("", "")
        texts = {"id": subject.case_id, "source": subject.sources[0] or "", "output": subject.outputs[0]}
        records.append({**texts, "correction": correction, "by": by, "error": decision.answer or ""})
    return records


def rating_rows(run: Run, decisions: Decisions, questions: Iterable[Question]) -> list[dict[str, Any]]:
    """One row for each output and rater, with a column for each question; `None` means unanswered.

    The value is minus the weight of the errors (MQM), or the score (ESA). An adjudicated
    output has only the adjudicator's rows, since these decide.
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


_FORMS: Mapping[str, tuple[Callable[[Run, Decisions, str], Iterable[Any]], Callable[..., None]]] = {
    "entities": (entity_records, write_jsonl),
    "mqm": (mqm_rows, partial(write_tsv, columns=(*MQM_COLUMNS, METADATA))),
    "mtme": (seg_ratings, write_lines),
    "esa": (esa_records, write_jsonl),
}


def write_answers(form: str, where: FilePath | TextIO, run: Run, decisions: Decisions, question: str) -> int:
    """Write people's answers to a question in one of these forms; return the number of records."""
    records_of, write = _FORMS[form]
    records = list(records_of(run, decisions, question))
    write(where, records)
    return len(records)


def gives_number(question: Question) -> bool:
    """Whether answers to this question give a number."""
    if isinstance(question, NumberQuestion):
        return True
    return isinstance(question, SpanQuestion) and (question.scored or bool(question.severities))


def number_of(question: Question, answer: str) -> float:
    """The number of an answer: a rating, the score of spans, or minus the weight of errors."""
    if isinstance(question, NumberQuestion):
        return float(answer)
    read = span_answer(answer)
    return read.score if read.score is not None else mqm_score(map(error_span, read.spans))


def _answers(
    run: Run, decisions: Decisions, question: str, *, with_raters: bool = False
) -> Iterator[tuple[str, int, Any, Review]]:
    """Each rater's newest answer on each output, without `unsure`: system, place, segment, review.

    An adjudication replaces the raters' answers, unless `with_raters`.
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

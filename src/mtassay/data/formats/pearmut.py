"""Campaigns and annotations of Pearmut, a platform for human evaluation of translation.

Zouhar and Kocmi (2026, arXiv:2601.02933); the JSON is that of https://github.com/zouharvi/pearmut. It asks
for ratings (DA, or sliders), ESA and MQM. Offsets there count as browsers do, in 16-bit units, and their end
is inclusive; what is left out is marked behind the end of the output, at a token `[missing]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.formats.labelstudio import LEFT_OUT, RESET, TUTORIAL, UNSCORED, in_characters
from mtassay.data.nouns import UNSURE, Question, Review
from mtassay.data.questions import (
    AnswerSpan,
    NumberQuestion,
    SpanAnswer,
    SpanQuestion,
    find_question,
    span_answer,
)
from mtassay.data.subjects import Subject

__all__ = ["annotation_records", "is_pearmut", "pearmut_annotations", "pearmut_campaign", "pearmut_item"]

Record = dict[str, Any]
OWN = "mtassay"
"""The key of an item that says what it is about; Pearmut keeps it in its logs."""
_RESET = "__RESET__"
_LEAD = " "


def pearmut_campaign(
    name: str, question: Question, items: Sequence[Record], *, reviewers: Sequence[str] = ()
) -> Record:
    """A campaign whose annotators draw from one pool, each item a document of its own."""
    info: Record = {"assignment": "single-stream", "users": list(reviewers) or 1}
    if isinstance(question, NumberQuestion):
        info["protocol"] = "DA"
        if (question.low, question.high) != (0, 100):
            slider = {"name": question.name, "min": question.low, "max": question.high, "step": 1}
            info["sliders"] = [slider]
    elif isinstance(question, SpanQuestion) and question.marks == "output" and question.severities:
        info["protocol"] = "ESA" if question.scored else "MQM"
        info["mqm_severities"] = [severity.capitalize() for severity in question.severities.values()]
        if not question.scored:
            categories: dict[str, list[str]] = {}
            for label in question.labels.values():
                main, _, fine = label.partition("/")
                categories.setdefault(main, []).extend([fine] if fine else [])
            info["mqm_categories"] = categories
    else:
        raise UsageError(f"Pearmut does not ask '{question.name}': it asks ratings, mqm and esa.")
    info["instructions"] = question.text
    return {"campaign_id": name, "info": info, "data": [[item] for item in items]}


def pearmut_item(subject: Subject, question: Question, system: str) -> Record:
    """One output to rate, under the name of a system that gave it, which annotators do not see."""
    # A name of digits alone, and a text that begins with a tag, mean something else there.
    model = f"system {system}" if system.isdigit() else system or "output"
    item: Record = {
        "tgt": {model: _guarded(subject.outputs[-1])},
        "item_id": subject.case_id,
        OWN: {
            "question": question.name,
            "case_id": subject.case_id,
            "sources": list(subject.sources),
            "outputs": list(subject.outputs),
            "subject": subject.id,
        },
    }
    source = subject.sources[-1] if subject.sources else None
    return {"src": _guarded(source), **item} if source is not None else item


def _guarded(text: str) -> str:
    return _LEAD + text if text.startswith("<") else text


def pearmut_annotations(
    name: str, question: Question, answered: Iterable[tuple[Review, Subject, str]]
) -> Record:
    """What people answered as Pearmut's download has it; `unsure`, which it does not know, is left out."""
    entries: list[Record] = []
    for review, subject, system in answered:
        if review.answer == UNSURE:
            continue
        item = pearmut_item(subject, question, system)
        (model,) = item["tgt"]
        entry: Record = {
            "annotation": [{model: _annotation(review.answer, question, subject)}],
            "item": [item],
            "actions": [{"time": datetime.fromisoformat(review.at).timestamp(), "action": "submit"}],
            "user_id": review.reviewer,
            "item_i": len(entries),
        }
        entries.append({**entry, "comment": review.note} if review.note else entry)
    return {name: entries}


def _annotation(answer: str, question: Question, subject: Subject) -> Record:
    if isinstance(question, NumberQuestion):
        if (question.low, question.high) == (0, 100):
            return {"score": float(answer), "error_spans": []}
        return {"score": None, "sliders": {question.name: float(answer)}, "error_spans": []}
    read = span_answer(answer)
    target = subject.outputs[-1]
    spans = []
    for span in read.spans:
        category = None if isinstance(question, SpanQuestion) and question.scored else span.label
        record: Record = {"severity": span.severity, "category": category}
        if span.side == "source":
            end = _units(_guarded(target), len(_guarded(target)))
            record |= {"start_i": end, "end_i": end, "source": [span.start, span.end]}
        else:
            shift = len(_guarded(target)) - len(target)
            start, end = (_units(_guarded(target), at + shift) for at in (span.start, span.end))
            record |= {"start_i": start, "end_i": end - 1}
        spans.append(record)
    return {"score": read.score, "error_spans": spans}


def _units(text: str, place: int) -> int:
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def is_pearmut(content: object) -> bool:
    """Whether this is a download of annotations: lists of entries by the name of a campaign."""
    return (
        isinstance(content, dict)
        and bool(content)
        and all(
            isinstance(entries, list) and all(isinstance(e, dict) and "annotation" in e for e in entries)
            for entries in content.values()
        )
    )


def annotation_records(content: Mapping[str, Sequence[Record]]) -> Iterator[Record]:
    """The annotations of a download as records of reviews, one for each output that somebody rated.

    Of an item that was reset, what came before does not count; nor do tutorials, forms, and what has no
    score where one is asked for: `LEFT_OUT` says so. What is wrong is a `ValueError`.
    """
    for entries in content.values():
        last_reset = {
            (entry.get("user_id"), entry.get("item_i")): place
            for place, entry in enumerate(entries)
            if entry.get("annotation") == _RESET
        }
        for place, entry in enumerate(entries):
            key = (entry.get("user_id"), entry.get("item_i"))
            if entry["annotation"] == _RESET:
                continue
            items, found = entry.get("item"), entry["annotation"]
            if place < last_reset.get(key, -1) or isinstance(entry.get("item_i"), str):
                reason = RESET if place < last_reset.get(key, -1) else TUTORIAL
                outputs = [len(by_model or ()) for by_model in found] if isinstance(found, list) else [1]
                yield from ({"sources": [], "outputs": [], LEFT_OUT: reason} for _ in range(sum(outputs)))
                continue
            if not isinstance(items, list) or not isinstance(found, list) or len(items) != len(found):
                raise ValueError("an entry needs as many annotations as items")
            for item, by_model in zip(items, found, strict=True):
                for model, annotation in (by_model or {}).items():
                    yield _record(entry, item, str(model), annotation)


def _record(entry: Record, item: Record, model: str, annotation: Any) -> Record:
    about = item.get(OWN) or {
        "question": "esa" if "error_spans" in annotation and annotation.get("score") is not None else "da",
        "case_id": str(item.get("item_id", "")),
        "sources": [item.get("src")],
        "outputs": [item.get("tgt", {}).get(model, "")],
        "subject": "",
    }
    if not isinstance(annotation, dict) or not isinstance(about, dict):
        raise ValueError(f"the annotation of {model!r} is no object")
    question = find_question(str(about.get("question")))
    times = [action.get("time") for action in entry.get("actions", []) if isinstance(action, dict)]
    moments = [time for time in times if isinstance(time, int | float)]
    answer = _answer(question, annotation, about)
    unscored = not answer and isinstance(question, SpanQuestion)
    return {
        **about,
        "answer": answer,
        "note": str(entry.get("comment") or annotation.get("textfield") or ""),
        "reviewer": str(entry.get("user_id") or ""),
        "at": datetime.fromtimestamp(max(moments), UTC).isoformat() if moments else "",
        LEFT_OUT: UNSCORED if unscored else "",
    }


def _answer(question: Question, annotation: Record, about: Record) -> str:
    score = annotation.get("score")
    if isinstance(question, NumberQuestion):
        number = (annotation.get("sliders") or {}).get(question.name, score)
        return "" if number is None else f"{float(number):g}"
    if not isinstance(question, SpanQuestion):
        raise ValueError(f"Pearmut does not ask '{question.name}'")
    if question.scored and score is None:
        return ""
    target, source = str(about["outputs"][-1]), str(about["sources"][-1] or "")
    spans = tuple(_span(record, question, source, target) for record in annotation.get("error_spans") or ())
    return str(SpanAnswer(spans, float(score) if question.scored and score is not None else None))


def _span(record: Record, question: SpanQuestion, source: str, target: str) -> AnswerSpan:
    start, end = record.get("start_i"), record.get("end_i")
    if not isinstance(start, int) or not isinstance(end, int):
        raise ValueError(f"an error span needs 'start_i' and 'end_i': {str(record)[:80]}")
    severity = str(record.get("severity") or "").lower()
    known = {label.lower(): label for label in question.labels.values()}
    written = str(record.get("category") or "").lower()
    label = known.get(written, known.get(written.rstrip("/"), written))
    omission = next((name for name in question.labels.values() if name.endswith("omission")), label)
    guarded = _guarded(target)
    if start >= _units(guarded, len(guarded)):  # at [missing]: something of the source is not there
        place = record.get("source") or [0, len(source)]
        return AnswerSpan(int(place[0]), int(place[1]), label or omission, severity, "source")
    shift = len(guarded) - len(target)
    first, after = (in_characters(guarded, at) - shift for at in (start, end + 1))
    return AnswerSpan(max(first, 0), min(after, len(target)), label, severity)

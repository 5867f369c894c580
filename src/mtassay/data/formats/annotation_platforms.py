"""Exchanges tasks and answers with other annotation tools: Label Studio and Pearmut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from xml.sax.saxutils import quoteattr

from mtassay.data.errors import UsageError
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

Record = dict[str, Any]
LEFT_OUT = "left out"
"""The key, in a record without an answer, of the reason for that: one of `REASONS`."""
SKIPPED, DRAFT, PREDICTED, UNSCORED = "skipped", "left as a draft", "made by a model", "left without a score"
RESET, TUTORIAL = "reset later", "of a tutorial or a form"
REASONS = (SKIPPED, DRAFT, PREDICTED, UNSCORED, RESET, TUTORIAL)
"""Reasons why an entry in a file of another program is not an answer."""


def task_of(
    subject: Subject,
    question: Question,
    reviews: Iterable[Review] = (),
    *,
    more: Mapping[str, Any] | None = None,
) -> Record:
    """A task with its answers so far; `more` are helpful texts, such as a context."""
    data = {
        "source": "\n".join(text or "" for text in subject.sources),
        "target": subject.outputs[-1] if subject.outputs else "",
        **(more or {}),
        "question": question.name,
        "case_id": subject.case_id,
        "sources": list(subject.sources),
        "outputs": list(subject.outputs),
        "subject": subject.id,
    }
    task: Record = {"data": data}
    given = list(reviews)
    if given:
        # Label Studio loses author and time of annotations, but keeps ids and the data of a task.
        data["given"] = [[review.reviewer, review.at] for review in given]
        task["annotations"] = [_annotation(n, r, question, subject) for n, r in enumerate(given)]
    return task


def _annotation(number: int, review: Review, question: Question, subject: Subject) -> Record:
    result = list(_results(review, question, subject))
    record: Record = {
        "id": number + 1,
        "result": result,
        "was_cancelled": False,
        "ground_truth": review.is_adjudication,
        "created_at": review.at,
        "reviewer": review.reviewer,
    }
    # Label Studio refuses a task with an unknown user, but accepts one without any.
    return {**record, "completed_by": {"email": review.reviewer}} if "@" in review.reviewer else record


def _results(review: Review, question: Question, subject: Subject) -> Iterator[Record]:
    def result(name: str, kind: str, value: Record, *, to: str = "target", region: str = "") -> Record:
        return {"id": region or name, "from_name": name, "to_name": to, "type": kind, "value": value}

    if review.answer == UNSURE:
        yield result("unsure", "choices", {"choices": [UNSURE]})
    elif isinstance(question, SpanQuestion):
        read = span_answer(review.answer)
        for number, span in enumerate(read.spans):
            text = subject.outputs[-1] if span.side == "target" else subject.sources[-1] or ""
            place = {"start": span.start, "end": span.end, "text": text[span.start : span.end]}
            region = f"span{number}"
            labels = "labels" if span.side == "target" else "source_labels"
            yield result(labels, "labels", {**place, "labels": [span.label]}, to=span.side, region=region)
            if span.severity:
                name = "severity" if span.side == "target" else "source_severity"
                value = {**place, "choices": [span.severity]}
                yield result(name, "choices", value, to=span.side, region=region)
        if read.score is not None:
            yield result("score", "number", {"number": read.score})
    elif isinstance(question, NumberQuestion):
        yield result("score", "number", {"number": float(review.answer)})
    elif question.kind == "choice":
        yield result("answer", "choices", {"choices": [review.answer]})
    else:
        yield result("answer", "textarea", {"text": [review.answer]})
    if review.note:
        yield result("note", "textarea", {"text": [review.note]})


def labeling_config(question: Question) -> str:
    """The labeling configuration of a question, to paste into a project's settings."""

    def choices(name: str, values: Iterable[str], *, to: str = "target", more: str = "") -> str:
        inner = "".join(f"<Choice value={quoteattr(value)}/>" for value in values)
        return f'<Choices name="{name}" toName="{to}" choice="single"{more}>{inner}</Choices>'

    lines = [
        "<View>",
        "  <Style>.htx-text{ white-space: pre-wrap; }</Style>",
        f"  <Header value={quoteattr(question.text)}/>",
        '  <Text name="source" value="$source"/>',
        '  <Text name="target" value="$target"/>',
    ]
    if isinstance(question, SpanQuestion):
        sides = (("labels", "severity", "target"), ("source_labels", "source_severity", "source"))
        for labels, severity, side in sides[: 2 if question.has_source else 1]:
            inner = "".join(f"<Label value={quoteattr(label)}/>" for label in question.labels.values())
            lines.append(f'  <Labels name="{labels}" toName="{side}">{inner}</Labels>')
            if question.severities:
                per_region = ' perRegion="true" required="true"'
                lines.append(f"  {choices(severity, question.severities.values(), to=side, more=per_region)}")
        if question.scored:
            lines.append('  <Number name="score" toName="target" min="0" max="100" required="true"/>')
    elif isinstance(question, NumberQuestion):
        bounds = f'min="{question.low:g}" max="{question.high:g}"'
        lines.append(f'  <Number name="score" toName="target" {bounds}/>')
    elif question.kind == "choice":
        lines.append(f"  {choices('answer', question.keys.values())}")
    else:
        lines.append('  <TextArea name="answer" toName="target"/>')
    lines.append(f"  {choices('unsure', [UNSURE])}")
    lines.append('  <TextArea name="note" toName="target" placeholder="note"/>')
    return "\n".join([*lines, "</View>", ""])


def is_labelstudio(content: object) -> bool:
    """Whether this is a list of tasks."""
    return isinstance(content, list) and all(
        isinstance(task, dict) and isinstance(task.get("data"), dict) for task in content
    )


def task_records(tasks: Sequence[Record]) -> Iterator[Record]:
    """The annotations of tasks, one review record each; a task without any gives one without an answer.

    An annotation without a result means that somebody found nothing to mark. Skipped tasks, drafts and
    predictions are not answers: `LEFT_OUT` has the reason. Invalid content is a `ValueError`.
    """
    for task in tasks:
        data = task["data"]
        about = {key: data.get(key) for key in ("case_id", "question", "sources", "outputs", "subject")}
        lists = [task.get(key) or [] for key in ("annotations", "drafts", "predictions")]
        for name, entries in zip(("annotations", "drafts", "predictions"), lists, strict=True):
            if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
                raise ValueError(f"{name!r} must be a list of objects")
        annotations, drafts, predictions = lists
        for entry in sorted(annotations, key=_when):
            answer, note, reason = "", "", SKIPPED
            if not entry.get("was_cancelled"):
                answer, note, reason = _answer(entry.get("result"), data)
            who, at = _given(entry, data)
            yield {
                **about,
                "answer": answer,
                "note": note,
                "reviewer": who,
                "at": at,
                "standing": "adjudication" if entry.get("ground_truth") else "",
                LEFT_OUT: reason,
            }
        yield from ({**about, LEFT_OUT: DRAFT} for _ in drafts)
        yield from ({**about, LEFT_OUT: PREDICTED} for _ in predictions)
        if not annotations and not drafts:
            yield about


def _given(entry: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[str, str]:
    """The author and time of an annotation; kept as they were for an unchanged one of ours."""
    given, number = data.get("given"), entry.get("import_id")
    if isinstance(given, list) and isinstance(number, int) and entry.get("updated_by") is None:
        match given[max(number - 1, 0) : number]:
            case [[str(who), str(at)]]:
                return who, _when({"created_at": at})
    return _who(entry), _when(entry)


def _who(entry: Mapping[str, Any]) -> str:
    who = entry.get("reviewer") or entry.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("username") or who.get("id")
    return f"labelstudio-{who}" if isinstance(who, int) else str(who or "")


def _when(entry: Mapping[str, Any]) -> str:
    text = str(entry.get("updated_at") or entry.get("created_at") or "")
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).isoformat() if text else ""
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no date") from None


def _answer(results: Any, data: Mapping[str, Any]) -> tuple[str, str, str]:
    """The answer and the note in the results of one annotation, and the reason if there is no answer."""
    if not isinstance(results, list):
        return "", "", ""
    question = find_question(str(data.get("question") or "suite"))
    values: dict[str, Any] = {}
    regions: dict[str, dict[str, Any]] = {}
    for result in results:
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
            raise ValueError("a result of an annotation is an object with a 'value'")
        name, value = str(result.get("from_name", "")), result["value"]
        if name in ("labels", "source_labels"):
            regions.setdefault(str(result.get("id")), {}).update(value, side=result.get("to_name", "target"))
        elif name in ("severity", "source_severity"):
            regions.setdefault(str(result.get("id")), {})["severity"] = _only(value.get("choices"))
        else:
            values[name] = value
    note = _only(values["note"].get("text")) if "note" in values else ""
    if "unsure" in values:
        return UNSURE, note, ""
    if isinstance(question, SpanQuestion):
        if question.scored and "score" not in values:
            return "", "", UNSCORED
        spans = tuple(_span(region, data) for region in regions.values())
        score = values["score"].get("number") if "score" in values else None
        return str(SpanAnswer(spans, None if score is None else float(score))), note, ""
    if isinstance(question, NumberQuestion):
        number = values["score"].get("number") if "score" in values else None
        return ("" if number is None else f"{float(number):g}"), note, ""
    answer = values.get("answer", {})
    return _only(answer.get("choices") or answer.get("text")), note, ""


def _only(texts: Any) -> str:
    """The only text of a list."""
    if isinstance(texts, str):
        return texts
    return str(texts[0]) if isinstance(texts, list) and texts else ""


def _span(region: Mapping[str, Any], data: Mapping[str, Any]) -> AnswerSpan:
    side = "source" if region.get("side") == "source" else "target"
    text = str(data.get(side) or "")
    start, end, words = region.get("start"), region.get("end"), region.get("text")
    if not isinstance(start, int) or not isinstance(end, int):
        raise ValueError(f"a region has no 'start' and 'end': {json.dumps(dict(region))[:80]}")
    if isinstance(words, str) and text[start:end] != words:
        # A browser counts characters beyond the basic plane twice.
        start, end = in_characters(text, start), in_characters(text, end)
        if text[start:end] != words:
            raise ValueError(f"characters {start}–{end} of the {side} are not {words[:40]!r}")
    return AnswerSpan(
        start,
        end,
        _only(region.get("labels")),
        str(region.get("severity", "")),
        side,  # type: ignore[arg-type]
    )


def in_characters(text: str, units: int) -> int:
    """Convert an offset in 16-bit units, as browsers count, to characters.

    >>> in_characters("a😀b", 3)
    2
    """
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


# Campaigns and annotations of Pearmut, a platform for human evaluation of translation.


OWN = "mtassay"
"""The key of an item that holds its subject; Pearmut copies it to its logs."""
_RESET = "__RESET__"
_LEAD = " "


def pearmut_campaign(
    name: str, question: Question, items: Sequence[Record], *, reviewers: Sequence[str] = ()
) -> Record:
    """A campaign in which annotators share one pool; each item is a document of its own."""
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
    """One output to rate, under the name of one of its systems, which annotators do not see."""
    # Names of digits only, and texts that begin with a tag, have another meaning in Pearmut.
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
    """Answers in the form of Pearmut's download, without `unsure`, which Pearmut does not know."""
    entries: list[Record] = []
    for review, subject, system in answered:
        if review.answer == UNSURE:
            continue
        item = pearmut_item(subject, question, system)
        if review.is_adjudication:
            item[OWN]["standing"] = "adjudication"
        (model,) = item["tgt"]
        entry: Record = {
            "annotation": [{model: _pearmut_annotation(review.answer, question, subject)}],
            "item": [item],
            "actions": [{"time": datetime.fromisoformat(review.at).timestamp(), "action": "submit"}],
            "user_id": review.reviewer,
            "item_i": len(entries),
        }
        entries.append({**entry, "comment": review.note} if review.note else entry)
    return {name: entries}


def _pearmut_annotation(answer: str, question: Question, subject: Subject) -> Record:
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
    """The annotations of a download as review records, one for each rated output.

    Entries before the reset of an item do not count; nor do tutorials, forms, and entries that lack a
    required score: `LEFT_OUT` has the reason. Invalid content is a `ValueError`.
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
    answer = _pearmut_answer(question, annotation, about)
    unscored = not answer and isinstance(question, SpanQuestion)
    return {
        **about,
        "answer": answer,
        "note": str(entry.get("comment") or annotation.get("textfield") or ""),
        "reviewer": str(entry.get("user_id") or ""),
        "at": datetime.fromtimestamp(max(moments), UTC).isoformat() if moments else "",
        LEFT_OUT: UNSCORED if unscored else "",
    }


def _pearmut_answer(question: Question, annotation: Record, about: Record) -> str:
    score = annotation.get("score")
    if isinstance(question, NumberQuestion):
        number = (annotation.get("sliders") or {}).get(question.name, score)
        return "" if number is None else f"{float(number):g}"
    if not isinstance(question, SpanQuestion):
        raise ValueError(f"Pearmut does not ask '{question.name}'")
    if question.scored and score is None:
        return ""
    target, source = str(about["outputs"][-1]), str(about["sources"][-1] or "")
    spans = tuple(_pearmut_span(r, question, source, target) for r in annotation.get("error_spans") or ())
    return str(SpanAnswer(spans, float(score) if question.scored and score is not None else None))


def _pearmut_span(record: Record, question: SpanQuestion, source: str, target: str) -> AnswerSpan:
    start, end = record.get("start_i"), record.get("end_i")
    if not isinstance(start, int) or not isinstance(end, int):
        raise ValueError(f"an error span needs 'start_i' and 'end_i': {str(record)[:80]}")
    severity = str(record.get("severity") or "").lower()
    known = {label.lower(): label for label in question.labels.values()}
    written = str(record.get("category") or "").lower()
    label = known.get(written, known.get(written.rstrip("/"), written))
    omission = next((name for name in question.labels.values() if name.endswith("omission")), label)
    guarded = _guarded(target)
    if start >= _units(guarded, len(guarded)):  # at [missing]: an omission
        place = record.get("source") or [0, len(source)]
        return AnswerSpan(int(place[0]), int(place[1]), label or omission, severity, "source")
    shift = len(guarded) - len(target)
    first, after = (in_characters(guarded, at) - shift for at in (start, end + 1))
    return AnswerSpan(max(first, 0), min(after, len(target)), label, severity)

"""People's marks, ratings and corrections for other programs: MQM, ratings, Label Studio and others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TextIO, get_args

from mtassay.app.reviewing import Place
from mtassay.app.runs import open_workspace
from mtassay.data.errors import UsageError
from mtassay.data.formats.annotation_files import (
    correction_records,
    gives_number,
    rating_rows,
    write_answers,
)
from mtassay.data.formats.annotation_platforms import (
    labeling_config,
    pearmut_annotations,
    pearmut_campaign,
    pearmut_item,
    task_of,
)
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.formats.tables import write_tsv
from mtassay.data.formats.textfiles import FilePath, open_for_writing
from mtassay.data.grouping import gathered
from mtassay.data.nouns import UNSURE, Question, Run
from mtassay.data.questions import COMMON_QUESTIONS, SpanQuestion, all_questions, find_question
from mtassay.data.subjects import CORRECT, Pending, decide, subjects_in
from mtassay.review.pending import question_of
from mtassay.runtime.workspace import Workspace

ExchangeForm = Literal["entities", "mqm", "mtme", "esa", "ratings", "corrections", "labelstudio", "pearmut"]
FORMS: tuple[ExchangeForm, ...] = get_args(ExchangeForm)
_USUAL = {"entities": "entities", "mqm": "mqm", "mtme": "mqm", "esa": "esa"}


class Exported(NamedTuple):
    """The number of records written, and of `unsure` answers left out, as the form has none."""

    records: int
    unsure: int


def export_as(
    form: ExchangeForm,
    where: FilePath | TextIO,
    *,
    run: str = "last",
    question: str | None = None,
    workspace: Place | None = None,
) -> Exported:
    """Write people's answers about the outputs of a run in another program's format.

    `entities`: the entities in references, for the metric nee (JSONL). `mqm`: each rater's errors as WMT's
    MQM files (TSV). `mtme`: the valid errors, as a `.seg.rating` of mt-metrics-eval. `esa`: each rater's
    errors and scores as WMT's error span annotation (JSONL). `ratings`: each rater's numbers, for `meta
    correlate` (TSV). `corrections`: outputs that reviews call wrong, with the corrections in their notes, to
    train on (JSONL, or TSV by its ending). `labelstudio`, `pearmut`: the answers to one question as
    annotations (JSON), with their tasks or items.
    """
    store = open_workspace(workspace)
    chosen = store.run(run)
    if form in ("labelstudio", "pearmut"):
        return _write_answers(form, where, store, chosen, _asked(chosen, question))
    name = question or _USUAL.get(form) or (_asked(chosen, None).name if form == "corrections" else None)
    questions = [find_question(name)] if name else list(COMMON_QUESTIONS.values())
    if name and not _can_write(form, questions[0]):
        choices = ", ".join(q.name for q in all_questions().values() if _can_write(form, q))
        raise UsageError(f"`form='{form}'` cannot write answers to '{name}'. Available: {choices}.")
    decisions = decide(review for q in questions for review in store.reviews(q.name))
    if form == "corrections":
        records = correction_records(decisions, store.subjects({subject for subject, _ in decisions}))
        is_table = str(where).removesuffix(".gz").endswith(".tsv")
        (write_tsv if is_table else write_jsonl)(where, records)
        return Exported(len(records), 0)
    if form == "ratings":
        answered = {name for _, name in decisions}
        questions = [question for question in questions if question.name in answered]
        rows = rating_rows(chosen, decisions, questions)
        write_tsv(where, rows)
        count = len(rows)
    else:
        count = write_answers(form, where, chosen, decisions, questions[0].name)
    return Exported(count, sum(r.answer == UNSURE for d in decisions.values() for r in d.latest.values()))


def _can_write(form: ExchangeForm, question: Question) -> bool:
    if form == "ratings":
        return gives_number(question)
    if form == "corrections":
        return CORRECT in question.keys.values()
    if form == "esa":
        return getattr(question, "scored", False)
    marks = question.marks if isinstance(question, SpanQuestion) else None
    return marks == "reference" if form == "entities" else marks == "output" and gives_number(question)


def _asked(run: Run, name: str | None) -> Question:
    question = find_question(name) if name is not None else question_of(run)
    if question is None:
        raise UsageError(f"Run {run.id} asks nothing by itself: add `question='NAME'`.")
    return question


def _write_answers(
    form: str, where: FilePath | TextIO, store: Workspace, run: Run, question: Question
) -> Exported:
    reviews = store.reviews(question.name)
    subjects = store.subjects({review.subject for review in reviews})
    systems = {subject.id: system for (_, system), subject in reversed(subjects_in(run).items())}
    if form == "labelstudio":
        given = gathered((review.subject, review) for review in reviews)
        tasks = [task_of(subject, question, given.get(key, [])) for key, subject in subjects.items()]
        _write_json(where, tasks)
        _write_config(where, question)
    else:
        answered = [(r, subjects[r.subject], systems.get(r.subject, "output")) for r in reviews]
        pearmut_campaign(run.id, question, [])  # refuses questions that cannot be asked there
        _write_json(where, pearmut_annotations(run.id, question, answered))
    unsure = sum(review.answer == UNSURE for review in reviews) * (form == "pearmut")
    return Exported(len(reviews) - unsure, unsure)


def export_tasks(
    form: Literal["labelstudio", "pearmut"],
    where: FilePath | TextIO,
    entries: Sequence[Pending],
    *,
    name: str = "mtassay",
    reviewers: Sequence[str] = (),
) -> int:
    """Write open outputs (see `people.pending`) as tasks of Label Studio, or as a campaign of Pearmut.

    Beside a file for Label Studio its labeling configuration is written, with the ending `.xml`.
    """
    if not entries:
        raise UsageError("Nothing is open.")
    question = entries[0].question
    if form == "labelstudio":
        tasks = [
            task_of(
                entry.subject,
                question,
                more={
                    key: str(entry.segment.tags[key])
                    for key in ("category", "phenomenon", "context")
                    if entry.segment.tags.get(key)
                },
            )
            for entry in entries
        ]
        _write_json(where, tasks)
        _write_config(where, question)
    else:
        items = [
            pearmut_item(entry.subject, question, entry.systems[0] if entry.systems else "")
            for entry in entries
        ]
        _write_json(where, pearmut_campaign(name, question, items, reviewers=reviewers))
    return len(entries)


def _write_json(where: FilePath | TextIO, content: object) -> None:
    with open_for_writing(where) as handle:
        json.dump(content, handle, ensure_ascii=False, indent=1)
        handle.write("\n")


def _write_config(where: FilePath | TextIO, question: Question) -> None:
    if isinstance(where, str | Path):
        Path(where).with_suffix(".xml").write_text(labeling_config(question), encoding="utf-8")

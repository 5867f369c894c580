"""`mtassay review decide`: one answer from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api import open_workspace
from mtassay.cli.common import WorkspaceOption, echo
from mtassay.cli.review.inputs import ReviewerOption, asked_in, who
from mtassay.errors import UsageError
from mtassay.method import method_of
from mtassay.report.progress import Progress
from mtassay.reviews import Question, Subject, decide, find_question, question_of, review_now
from mtassay.reviews.pending import subjects_in
from mtassay.reviews.subjects import SHORT
from mtassay.store import Workspace
from mtassay.story import refuse_case
from mtassay.texts.marks import printable


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("decide")(decide_one)


def decide_one(
    words: Annotated[
        list[str],
        typer.Argument(metavar="SUBJECT ANSWER", help="Or: RUN CASE SYSTEM ANSWER.", show_default=False),
    ],
    reviewer: ReviewerOption = None,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="A remark on the answer.")] = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Decide on one output.

    A later answer of the same reviewer replaces the earlier one, which stays in the history. SUBJECT is
    the id that 'review next' and 'explain' show, or its beginning. CASE of a behaviour run means the output
    to its edited source. Answers about a suite: correct, incorrect, unsure; about invariance: correct, under,
    over, modification, mistranslation, logic, several, unsure; about behaviour: correct, wrong, unsure.

    \b
    Examples:
    mtassay review decide 3f2a9c correct
    mtassay review decide last negation-001 nmt incorrect --note "lost the negation"
    """
    store = open_workspace(workspace)
    name = who(reviewer)
    if len(words) == 2:
        subject, question = _by_id(store, words[0])
    elif len(words) == 4:
        subject, question = _by_place(store, *words[:3])
    else:
        raise UsageError("Write: mtassay review decide SUBJECT ANSWER, or: RUN CASE SYSTEM ANSWER.")
    try:
        answer = question.read_answer(words[-1])
    except ValueError as error:
        raise UsageError(str(error)) from None
    store.add_reviews([review_now(subject.id, question.name, answer, name, note=note)], [subject])
    decision = decide(store.reviews(question.name))[subject.id, question.name]
    holds = "disputed" if decision.is_disputed else decision.answer or "still open"
    echo(
        f"{name}: {answer}. Subject {subject.id[:SHORT]} (case {printable(subject.case_id)}) is now {holds}."
    )


def _by_id(store: Workspace, beginning: str) -> tuple[Subject, Question]:
    """The subject whose id begins so, among all outputs of all runs and all that was reviewed."""
    found: dict[str, tuple[Subject, Question]] = {}
    runs = [(run, question) for run in store.runs() if (question := question_of(run))]
    with Progress() as progress:
        for number, (run, question) in enumerate(runs):
            progress.report("looking for the subject", number, len(runs))
            subjects = set(subjects_in(store.run(run.id)).values())
            found |= {s.id: (s, question) for s in subjects if s.id.startswith(beginning)}
    asked = {review.subject: review.question for review in store.reviews()}
    for key, subject in store.subjects().items():
        if not key.startswith(beginning) or key in found or key not in asked:
            continue
        known = find_question(asked[key])
        # A pair that is rated on its own has several questions, and its id does not say which is meant.
        if known.is_of_runs:
            found[key] = (subject, known)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise UsageError(f"{len(found)} subjects begin with '{beginning}'. Write more of the id.")
    raise UsageError(f"No subject begins with '{beginning}'. See: mtassay review next --list")


def _by_place(store: Workspace, run: str, case_id: str, system: str) -> tuple[Subject, Question]:
    chosen = store.run(run, case=case_id)
    question = asked_in(chosen)
    if system not in chosen.systems:
        raise UsageError(f"No system '{system}' in run {chosen.id}. It has: {', '.join(chosen.systems)}.")
    if not chosen.segments:
        refuse_case(store, [chosen], case_id)
    subject = subjects_in(chosen).get((method_of(chosen).reviewed(chosen, case_id), system))
    if subject is None:
        raise UsageError(f"{system} has no output for case '{case_id}' in run {chosen.id}.")
    return subject, question

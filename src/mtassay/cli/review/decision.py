"""`mtassay review decide`: one answer about one output."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api import open_workspace
from mtassay.api.campaigns import adjudicate, answer
from mtassay.api.people import decide, reviewer_name
from mtassay.cli.common import ReviewerOption, WorkspaceOption, echo
from mtassay.cli.review import campaigns
from mtassay.cli.review.options import AdjudicateOption, CampaignOption, QuestionOption
from mtassay.errors import UsageError
from mtassay.reviews import Decision, Question, Subject, told_answer
from mtassay.reviews.subjects import SHORT
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
    campaign: CampaignOption = None,
    adjudicates: AdjudicateOption = False,
    question: QuestionOption = None,
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
    mtassay review decide last 17 nmt 85 --question da
    mtassay review decide 3f2a9c "PER: Maria Silva; LOC: Lisboa" --question entities
    mtassay review decide 3f2a9c correct --campaign spring --reviewer anna
    """
    if campaign is not None:
        if len(words) != 2:
            raise UsageError("Write: mtassay review decide SUBJECT ANSWER --campaign NAME")
        act = adjudicate if adjudicates else answer
        subject, text = words
        kept = act(campaign, subject, text, reviewer_name(reviewer), note=note, workspace=workspace)
        said = told_answer(kept.question, kept.review.answer, kept.subject)
        holds = "waits for others"
        if kept.decision is not None:
            holds = f"is now {_held(kept.question, kept.decision, kept.subject)}"
        echo(f"{kept.review.reviewer}: {said}. Subject {kept.subject.id[:SHORT]} {holds}.")
        for line in campaigns.told(kept):
            echo(line)
        return
    if adjudicates:
        raise UsageError("--adjudicate goes with --campaign NAME.")
    if len(words) == 2:
        place = {"subject": words[0]}
    elif len(words) == 4:
        place = dict(zip(("run", "case", "system"), words, strict=False))
    else:
        open_workspace(workspace)
        raise UsageError("Write: mtassay review decide SUBJECT ANSWER, or: RUN CASE SYSTEM ANSWER.")
    done = decide(words[-1], **place, question=question, reviewer=reviewer, note=note, workspace=workspace)
    about = f"Subject {done.subject.id[:SHORT]} (case {printable(done.subject.case_id)})"
    said = told_answer(done.question, done.answer, done.subject)
    echo(f"{done.reviewer}: {said}. {about} is now {_held(done.question, done.decision, done.subject)}.")


def _held(question: Question, decision: Decision, subject: Subject) -> str:
    if decision.answer is None:
        return "disputed" if decision.is_disputed else "still open"
    return told_answer(question, decision.answer, subject)

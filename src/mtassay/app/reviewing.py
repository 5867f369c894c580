"""Questions to people about outputs, and their answers: open outputs, decisions, files, agreement.

Every function takes `workspace`, the file of the reviews (default: as in `mtassay.app.library`).
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay.app.runs import open_workspace, workspace_path
from mtassay.data.display import Table
from mtassay.data.errors import UsageError
from mtassay.data.formats.review_files import ReviewRow, pending_record, read_reviews, review_record
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import Suite
from mtassay.data.grouping import gathered
from mtassay.data.marks import printable
from mtassay.data.method import view_of
from mtassay.data.nouns import UNSURE, Question, Run
from mtassay.data.questions import COMMON_QUESTIONS, find_question
from mtassay.data.subjects import (
    SHORT,
    Decision,
    Pending,
    Subject,
    caution_of_models,
    is_model,
    subjects_in,
)
from mtassay.data.subjects import decide as decide_reviews
from mtassay.report.run_text import Progress
from mtassay.review.campaign_store import KeptAnswer, counted_reviews, frozen_reviews, keep_answer, sealed
from mtassay.review.campaigns import working_times
from mtassay.review.case_history import refuse_case
from mtassay.review.pending import (
    Order,
    PendingChoice,
    asks,
    chosen,
    merge_pending,
    own_question,
    pending_in,
    question_of,
    sampled,
    waiting_for,
)
from mtassay.runtime.workspace import Workspace
from mtassay.stats.resampling import chosen_seed, fixed_seed

if TYPE_CHECKING:
    from mtassay.review.reviewer_agreement import AgreementCoefficient


Decisions = Mapping[tuple[str, str], Decision]
Place = str | PathLike[str]

USUAL = "suite"
"""The question to use if several were answered and none is named."""


def reviewer_name(chosen: str | None = None) -> str:
    """The name of a reviewer: as given, from the environment (`MTASSAY_REVIEWER`), or the login name.

    >>> reviewer_name(" anna ")
    'anna'
    """
    name = (os.environ.get("MTASSAY_REVIEWER") or _login() if chosen is None else chosen).strip()
    if not name or not name.isprintable():
        raise UsageError("Say who reviews: `reviewer='NAME'`, or set MTASSAY_REVIEWER.")
    return name


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


# What is open --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Queue:
    """The outputs that wait for a reviewer, in the chosen order; `total` counts outputs open for anybody.

    `run` is their run, empty for all runs or if nothing was open.
    """

    reviewer: str
    waiting: list[Pending]
    total: int
    run: str = ""

    def records(self, *, show_systems: bool = False, with_case: bool = True) -> list[dict[str, Any]]:
        """Return the visible fields as rows to fill in: `formats.reviews.write_records` writes them."""
        return [
            shown_record(entry, reviewer=self.reviewer, show_systems=show_systems, with_case=with_case)
            for entry in self.waiting
        ]


def pending(
    run: str = "last",
    *,
    reviewer: str = "",
    every_run: bool = False,
    double: bool = False,
    suite: Place | Suite | None = None,
    question: str | None = None,
    category: Sequence[str] = (),
    phenomenon: Sequence[str] = (),
    item: Sequence[str] = (),
    system: Sequence[str] = (),
    sample: int | None = None,
    seed: int | None = None,
    order: Order = "fair",
    workspace: Place | None = None,
) -> Queue:
    """List open outputs in one run or in `every_run` that this reviewer has not answered.

    `last` is the newest run whose outputs can be reviewed; with a suite, the newest that asked for its items.
    `question` is one of the run, or one that can be asked about any run, such as `da` or `entities`: then all
    outputs, or all references, are open. `double` includes outputs that others settled, to measure agreement.
    `category`, `phenomenon`, `item` and `system` choose by name, `sample` draws this many by the seed, and
    `order` sorts them (see `PendingChoice`). Outputs with sealed answers of a campaign are open, whatever the
    answers.
    """
    store = open_workspace(workspace)
    decisions = decide_reviews(counted_reviews(store, store.reviews(), reviewer))
    content = suite if isinstance(suite, Suite) or suite is None else read_suite(suite)
    choice = PendingChoice(category, phenomenon, item, system, order)
    open_outputs = load_pending(
        store, decisions, run=run, every_run=every_run, suite=content, question=_named(question)
    )
    waiting = chosen(waiting_for(reviewer, open_outputs, decisions, double=double), choice)
    waiting = sampled(waiting, sample, seed=fixed_seed(seed))
    return Queue(
        reviewer, waiting, len(open_outputs), open_outputs[0].run if open_outputs and not every_run else ""
    )


def load_pending(
    store: Workspace,
    decisions: Decisions,
    *,
    run: str = "last",
    every_run: bool = False,
    suite: Suite | None = None,
    question: Question | None = None,
) -> list[Pending]:
    """List all open outputs of one run or of all runs, no matter who answered them.

    `question` is a question of the run or one for any run; by default the usual question of each run.
    """
    runs = _all_runs(store, question) if every_run else [_one_run(store, run, suite, question)]
    subjects = store.subjects() if any(decision.is_disputed for decision in decisions.values()) else {}
    disputed = {subjects[subject] for (subject, _), decision in decisions.items() if decision.is_disputed}
    parts = []
    with Progress() as progress:
        for number, name in enumerate(runs):
            progress.report("reading runs", number, len(runs))
            parts.append(pending_in(store.run(name), disputed=disputed, question=question))
    return merge_pending(parts)


def _named(name: str | None) -> Question | None:
    return None if name is None else find_question(name)


def shown_record(
    pending: Pending, *, reviewer: str = "", show_systems: bool = False, with_case: bool = True
) -> dict[str, Any]:
    """Return an open output as a reviewer may see it.

    For a blind question it has neither the status nor the reference. Without `with_case`, it also lacks the
    case, whose id can reveal a variant. A sheet needs the case to be read later.
    """
    record = pending_record(pending, reviewer=reviewer, show_systems=show_systems)
    if pending.question.is_blind:
        record |= {"status": "", "references": []}
        if not with_case:
            record["case_id"] = ""
    return record


def _asked_in(run: Run, question: Question | None = None) -> Question:
    """Return a run's question to people; a `UsageError` if it has none, or does not ask this one."""
    if question is not None:
        return question if asks(run, question) else own_question(run, question.name)
    if (question := question_of(run)) is None:
        raise UsageError(f"Run {run.id} is of the method {run.method}, which asks people nothing.")
    return question


def _all_runs(store: Workspace, question: Question | None) -> list[str]:
    runs = [run.id for run in store.runs() if asks(run, question)]
    if not runs and question is not None:
        raise UsageError(f"No run in {store.path} asks '{question.name}'.")
    if not runs:
        raise UsageError(
            f"No run in {store.path} has outputs to review: run 'mtassay score', 'suite run', "
            "'invariance run' or 'behavior run' first."
        )
    return runs


def _one_run(store: Workspace, name: str, suite: Suite | None, question: Question | None) -> str:
    asking = (run.id for run in store.runs() if asks(run, question))
    if name == "last" and suite:
        # Another suite may have an item with the same id.
        asked = {(item.id, item.source) for item in suite.items}
        newest = next((r for r in asking if asked & {(s.id, s.source) for s in store.segments(r)}), None)
        if newest is None:
            raise UsageError(f"There is no saved run of {suite.path} yet. Make one: mtassay suite run")
        return newest
    if name == "last" and (newest := next(asking, None)):
        return newest
    chosen = store.run(name)
    _asked_in(chosen, question)
    return chosen.id


# Deciding ------------------------------------------------------------------------------------------------


def decide(
    answer: str,
    subject: str | None = None,
    *,
    run: str = "last",
    case: str = "",
    system: str = "",
    question: str | None = None,
    reviewer: str | None = None,
    note: str = "",
    workspace: Place | None = None,
) -> KeptAnswer:
    """Answer the question about one output: that of a system to a case of a run, or a `subject` by its id.

    `question` is one of the run, or one that can be asked about any run, such as `da`; by default the usual
    one of the run. The beginning of the id will do. A later answer of the same reviewer replaces the earlier
    one, which stays in the history.
    """
    store = open_workspace(workspace)
    name = reviewer_name(reviewer)
    wanted = _named(question)
    if subject is not None:
        chosen_subject, asked = _by_id(store, subject, wanted)
    else:
        chosen_subject, asked = _by_place(store, run, case, system, wanted)
    return keep_answer(store, chosen_subject, asked, answer, name, note=note)


def _by_id(store: Workspace, beginning: str, wanted: Question | None) -> tuple[Subject, Question]:
    """Return the subject whose id begins with this text, among all outputs of runs and reviewed ones."""
    matches: dict[str, tuple[Subject, Question]] = {}
    asking = (run for run in store.runs() if asks(run, wanted))
    runs = [(run, question) for run in asking if (question := wanted or question_of(run))]
    with Progress() as progress:
        for number, (run, question) in enumerate(runs):
            progress.report("looking for the subject", number, len(runs))
            whole = store.run(run.id)
            subjects = set(subjects_in(whole).values())
            if not question.is_of_runs:
                subjects = {entry.subject for entry in pending_in(whole, question=question)}
            matches |= {s.id: (s, question) for s in subjects if s.id.startswith(beginning)}
            if matches and len(beginning) >= SHORT:
                break  # so many characters of a digest belong to one subject alone
    asked = {review.subject: review.question for review in store.reviews(wanted.name if wanted else None)}
    for key, subject in store.subjects().items():
        if not key.startswith(beginning) or key in matches or key not in asked:
            continue
        if wanted is not None:
            matches[key] = (subject, wanted)
            continue
        asked_question = find_question(asked[key])
        # A pair that is rated on its own has several questions, and its id does not name one.
        if asked_question.is_of_runs:
            matches[key] = (subject, asked_question)
    if len(matches) == 1:
        return next(iter(matches.values()))
    if matches:
        raise UsageError(f"{len(matches)} subjects begin with '{beginning}'. Write more of the id.")
    raise UsageError(f"No subject begins with '{beginning}'. See: mtassay review next --list")


def _by_place(
    store: Workspace, run: str, case_id: str, system: str, wanted: Question | None
) -> tuple[Subject, Question]:
    chosen = store.run(run, case=case_id)
    question = _asked_in(chosen, wanted)
    if getattr(question, "marks", "output") == "reference":
        references = [
            e.subject for e in pending_in(chosen, question=question) if e.subject.case_id == case_id
        ]
        if not references:
            raise UsageError(f"Case '{case_id}' has no reference in run {chosen.id}.")
        return references[0], question
    if system not in chosen.systems:
        raise UsageError(f"No system '{system}' in run {chosen.id}. It has: {', '.join(chosen.systems)}.")
    if not chosen.segments:
        refuse_case(store, [chosen], case_id)
    subject = subjects_in(chosen).get((view_of(chosen).reviewed(case_id), system))
    if subject is None:
        raise UsageError(f"{system} has no output for case '{case_id}' in run {chosen.id}.")
    return subject, question


# Files ---------------------------------------------------------------------------------------------------


def reviews(*, workspace: Place | None = None) -> list[dict[str, Any]]:
    """All reviews as records with the texts they are about: `formats.reviews.write_records` writes them.

    `campaign` is `open` where a campaign still waits for other answers about the same output. `seconds` is
    the time since the person's previous answer, empty after a pause.
    """
    store = open_workspace(workspace)
    subjects, seals, given = store.subjects(), sealed(store), store.reviews()
    times = gathered((review.reviewer, (number, review.at)) for number, review in enumerate(given))
    seconds = {number: gap for own in times.values() for number, gap in working_times(own).items()}
    return [
        {
            **review_record(r, subjects[r.subject]),
            "campaign": "open" * ((r.subject, r.question) in seals),
            "seconds": f"{seconds[number]:.1f}" if number in seconds else "",
        }
        for number, r in enumerate(given)
    ]


@dataclass(frozen=True, slots=True)
class Imported:
    """Counts of a file's rows: answers that were added, known answers, and rows without an answer.

    `left` counts rows without an answer by the reason. `unsigned` counts rows without a reviewer, which were
    read as rows of `reviewer`.
    """

    added: int
    known: int
    left: Mapping[str, int]
    unsigned: int
    reviewer: str

    @property
    def empty(self) -> int:
        """Count the rows without an answer."""
        return sum(self.left.values())

    def __str__(self) -> str:
        """The same in a sentence.

        >>> str(Imported(22, 0, {"skipped": 2, "left as a draft": 1}, 0, "anna"))
        '22 added, 0 already there, 2 skipped, 1 left as a draft.'
        """
        left = ", ".join(f"{count:,} {reason}" for reason, count in self.left.items()) or "0 left empty"
        return f"{self.added:,} added, {self.known:,} already there, {left}."


def import_reviews(file: Place, *, reviewer: str | None = None, workspace: Place | None = None) -> Imported:
    """Store the reviews of a file or the answers in a filled-in sheet: all of them, or none after an error.

    `reviewer` is for rows without a reviewer. Answers without a date get the date of the file. Known answers
    are not added again.
    """
    name = _default_reviewer(reviewer)
    sheet = read_reviews(file, reviewer=name, at=_changed(Path(file)))
    store = Workspace(workspace_path(workspace))
    decisions = decide_reviews(store.reviews())
    new = [row for row in sheet.rows if not _is_repeat(row, decisions)]
    added = store.add_reviews([row.review for row in new], [row.subject for row in new])
    unsigned = sum(not row.is_signed for row in sheet.rows)
    return Imported(added, len(sheet.rows) - added, sheet.left, unsigned, name)


def _default_reviewer(chosen: str | None) -> str:
    """Return the reviewer of the rows that name none; empty if unknown, as the file may name them."""
    try:
        return reviewer_name(chosen)
    except UsageError:
        if chosen is not None:
            raise
        return ""


def _changed(path: Path) -> datetime:
    """Return when the file was last written, but never a time in the future."""
    now = datetime.now(UTC)
    return min(datetime.fromtimestamp(path.stat().st_mtime, UTC), now) if path.is_file() else now


def _is_repeat(row: ReviewRow, decisions: Decisions) -> bool:
    """Whether an answer without a date is this reviewer's newest one."""
    decision = decisions.get((row.review.subject, row.review.question))
    latest = decision.latest.get(row.review.reviewer) if decision else None
    same = latest is not None and (latest.answer, latest.note) == (row.review.answer, row.review.note)
    return same and not row.is_dated


# Agreement -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """The agreement of reviewers on a question, and the outputs without a majority."""

    question: str
    found: Sequence[AgreementCoefficient]
    unsure: int
    disputed: Sequence[tuple[Subject, Decision]]
    scale: str = ""
    """The meaning of agreement if the question is no choice."""
    changed: int = 0
    """The number of answers changed after others' could be seen; the earlier ones count."""

    @property
    def reviewers(self) -> set[str]:
        """Return all compared reviewers; a language model's name begins with `model:`."""
        return {name for entry in self.found for name in entry.reviewers}

    def record(self, *, with_disputed: bool = False) -> dict[str, Any]:
        """Return all of it for a program."""
        record: dict[str, Any] = {"question": self.question, "n_disputed": len(self.disputed)}
        record["changed_after_reveal"] = self.changed
        record["models"] = sorted(filter(is_model, self.reviewers))
        record["agreement"] = [asdict(entry) for entry in self.found]
        if with_disputed:
            record["disputed"] = [
                {**asdict(subject), "subject": subject.id, "answers": decision.ratings}
                for subject, decision in self.disputed
            ]
        return record

    def tables(self, *, with_disputed: bool = False) -> list[Table]:
        """Return a line for each pair of reviewers, and for all; then the disputed outputs."""
        from mtassay.review.reviewer_agreement import agreement_table

        strangers = sum(entry.n == 0 and entry.measure == "cohen" for entry in self.found)
        see = "; see --disputed" if self.disputed and not with_disputed else ""
        first = [
            f"Question: {self.question}." if self.question != USUAL else "",
            caution_of_models(self.reviewers, "Answers"),
            self.scale,
        ]
        last = [
            f"Answers 'unsure', which are no ratings: {self.unsure:,}." if self.unsure else "",
            f"Pairs of reviewers with no output in common, not shown: {strangers:,}." if strangers else "",
            f"Disputed (no answer has a majority): {len(self.disputed):,}{see}.",
        ]
        tables = [agreement_table(self.found, first=first, changed=self.changed, last=last)]
        if with_disputed:
            contested = [
                [s.id, s.case_id, told(d), printable(" | ".join(s.outputs))] for s, d in self.disputed
            ]
            tables.append(Table(["subject", "case", "answers", "output"], contested, title="Disputed"))
        return tables


def agreement(
    question: str | None = None, *, seed: int | None = None, workspace: Place | None = None
) -> ReviewerAgreement:
    """Measure the agreement of reviewers on a question; by default `suite`, or the only one with answers.

    Each reviewer's last answer before others were visible counts, and `unsure` is no rating.
    """
    from mtassay.review.reviewer_agreement import agreements, scale_note

    chosen = find_question(question).name if question is not None else None
    store = open_workspace(workspace)
    answered = list(dict.fromkeys(review.question for review in store.reviews()))
    asked = chosen or (answered[0] if len(answered) == 1 else USUAL)
    decisions = decide_reviews(store.reviews(asked))
    if not decisions and answered:
        what = f"Nobody has answered the question '{asked}' yet."
        raise UsageError(f"{what} There are answers to: {', '.join(answered)}. Add `question='NAME'`")
    coefficients = []
    with Progress() as progress:
        drawn = chosen_seed(seed)
        texts = store.subjects({subject for subject, _ in decisions}) if asked in COMMON_QUESTIONS else {}
        frozen = frozen_reviews(store, asked)
        blind = decide_reviews(frozen.reviews)
        for number, entry in enumerate(agreements(blind, asked, seed=drawn, subjects=texts), start=1):
            coefficients.append(entry)
            progress.report(f"resampling, {number} done", 0, None)
    if not coefficients:
        names = sorted({name for decision in decisions.values() for name in decision.ratings})
        so_far = f"so far only {names[0]} has answered" if names else "nobody has answered yet"
        raise UsageError(f"Agreement needs two reviewers; {so_far}. See: mtassay review next --double")
    unsure = sum(review.answer == UNSURE for review in frozen.reviews)
    disputes = {subject: decision for (subject, _), decision in decisions.items() if decision.is_disputed}
    subjects = store.subjects() if disputes else {}
    contested = [(subjects[subject], decision) for subject, decision in disputes.items()]
    return ReviewerAgreement(asked, coefficients, unsure, contested, scale_note(asked), len(frozen.changed))


def told(decision: Decision) -> str:
    """Each reviewer's answer."""
    return printable(", ".join(f"{name}: {answer}" for name, answer in sorted(decision.ratings.items())))

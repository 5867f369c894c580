"""Campaigns of reviewers: assignments, answers that are blind to others, and results.

Every function takes `workspace`, the file of campaigns (default: as in `mtassay.app.library`), or the open
workspace itself, which a server has.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mtassay.app.review_cards import Card, Cards, DocumentLine, document_around, languages, reviews_shown
from mtassay.app.reviewing import Place, reviewer_name
from mtassay.app.runs import open_workspace
from mtassay.data.display import Line
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Question, Run, Segment
from mtassay.data.questions import COMMON_QUESTIONS, find_question
from mtassay.data.subjects import Subject, decide, told_answer
from mtassay.review.campaign_store import CampaignStore, sealed
from mtassay.review.campaigns import (
    Campaign,
    CampaignSubject,
    adjudicable,
    is_complete,
    planned,
    refuse_unfinishable,
)
from mtassay.review.pending import (
    PendingChoice,
    chosen,
    merge_pending,
    pending_in,
    question_of,
    sampled,
    settled_in,
)
from mtassay.review.quality_control import kind_of_check, with_checks
from mtassay.review.queue import QueueEntry
from mtassay.runtime.database import now_exactly
from mtassay.runtime.workspace import Workspace
from mtassay.stats.resampling import fixed_seed

USUAL_OVERLAP = 0.2
"""The default share of outputs that several of two or more reviewers answer."""
_SEE = " Who is: mtassay review campaign show"  # pages show reviewers no names

# Making and ending ---------------------------------------------------------------------------------------


def create(
    name: str,
    runs: str | Sequence[str] = "last",
    *,
    reviewers: str | Sequence[str],
    question: str | None = None,
    adjudicators: str | Sequence[str] = (),
    overlap: float | None = None,
    raters: int = 2,
    category: Sequence[str] = (),
    phenomenon: Sequence[str] = (),
    item: Sequence[str] = (),
    system: Sequence[str] = (),
    sample: int | None = None,
    settled: int = 0,
    attention: float = 0.0,
    calibration: int = 0,
    exclude_below: float = 0.0,
    exclude_faster: float = 0.0,
    side_by_side: bool = False,
    seed: int | None = None,
    workspace: Place | Workspace | None = None,
) -> Campaign:
    """Create a campaign about these runs' open outputs, or about all outputs with a question for any run.

    `category`, `phenomenon`, `item` and `system` choose outputs, of which `sample` are drawn. A share
    `overlap` (default 0.2; 0 with one reviewer) is answered by `raters` people each. `settled` adds this many
    outputs that the runs had already settled, which reviewers cannot notice. `attention` is the share of
    attention checks, `calibration` how many outputs everybody answers first; agreement excludes reviewers who
    pass less than `exclude_below` of the checks, or need less than `exclude_faster` seconds for an output
    (see `quality_control`). `side_by_side` shows other systems' outputs for the same sentence. An impossible
    campaign is a `UsageError`; other problems are in the `cautions` of `campaign_progress.report`.
    """
    store = open_workspace(workspace)
    names = [runs] if isinstance(runs, str) else list(runs)
    opened = [store.run(run) for run in names]
    asked = _question(opened, question)
    open_ones = merge_pending(pending_in(run, question=asked) for run in opened)
    fixed = fixed_seed(seed)
    choice = PendingChoice(category, phenomenon, item, system, "run")
    entries = sampled(chosen(open_ones, choice), sample, seed=fixed) if open_ones else []
    if settled:
        decided = chosen([entry for run in opened for entry in settled_in(run)], choice)
        entries = merge_pending([entries, sampled(decided, settled, seed=fixed)])
    if not entries:
        raise UsageError("Nothing is open in these runs: there is nothing to ask. See `settled`.")
    if overlap is None:
        overlap = USUAL_OVERLAP if len(_names(reviewers)) > 1 else 0.0
    campaign = Campaign(
        name.strip(),
        asked.name,
        tuple(run.id for run in opened),
        _names(reviewers),
        _names(adjudicators),
        overlap,
        raters,
        is_blind=asked.is_blind or bool(settled or attention),
        seed=fixed,
        created=now_exactly(),
        attention=attention,
        calibration=calibration,
        exclude_below=exclude_below,
        exclude_faster=exclude_faster,
        side_by_side=side_by_side,
    )
    entries = with_checks(entries, attention, seed=fixed, calibration=calibration)
    subjects = planned(campaign, entries)
    refuse_unfinishable(campaign, subjects)
    CampaignStore(store).save(campaign, subjects, [entry.subject for entry in entries])
    return campaign


def _question(runs: Sequence[Run], name: str | None) -> Question:
    """Return the question of this name, or the one that all these runs ask."""
    if name is not None and find_question(name).name in COMMON_QUESTIONS:
        return COMMON_QUESTIONS[name]
    questions = {question.name: question for run in runs if (question := question_of(run))}
    if name is not None and name in questions:
        questions = {name: questions[name]}
    if len(questions) == 1 and (name is None or name in questions):
        return next(iter(questions.values()))
    if not questions and name is None:
        raise UsageError(f"Run {runs[0].id} asks nothing by itself: add `question='da'`, or another.")
    what = f"These runs do not ask '{name}'" if name else "These runs ask several things"
    raise UsageError(f"{what}; they ask: {', '.join(questions) or 'nothing'}. Choose with `question`.")


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    parts = names.split(",") if isinstance(names, str) else names
    return tuple(part.strip() for part in parts if part.strip())


def campaigns(*, workspace: Place | Workspace | None = None) -> list[Campaign]:
    """All campaigns, newest first."""
    return CampaignStore(open_workspace(workspace)).campaigns()


def still_open(*, workspace: Place | Workspace | None = None) -> list[str]:
    """Return a line for each campaign that waits for answers, to show with an export."""
    campaign_store = CampaignStore(open_workspace(workspace))
    lines = []
    for campaign in campaign_store.campaigns():
        given, wanted, incomplete = campaign_store.counts(campaign)
        if incomplete and not campaign.closed:
            missing = f"{wanted - given:,} of {wanted:,} answers are still to come"
            lines.append(f"Campaign '{campaign.name}' is open: {missing}, about {incomplete:,} outputs.")
    return lines


def close(name: str, *, workspace: Place | Workspace | None = None) -> Campaign:
    """End a campaign: it asks nothing more, and all answers stay."""
    return CampaignStore(open_workspace(workspace)).close(name)


def change_people(
    name: str,
    reviewers: str | Sequence[str],
    adjudicators: str | Sequence[str] = (),
    *,
    workspace: Place | Workspace | None = None,
) -> Campaign:
    """Let these people answer and adjudicate from now on; earlier answers of others stay, and count.

    It is a `UsageError` if then outputs could never get all answers, or disputes could not be settled.
    """
    shelf = CampaignStore(open_workspace(workspace))
    return shelf.change_people(shelf.campaign(name), _names(reviewers), _names(adjudicators))


def delete(name: str, *, workspace: Place | Workspace | None = None) -> Campaign:
    """Forget a campaign; all answers stay."""
    return CampaignStore(open_workspace(workspace)).delete(name)


# Answering -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CampaignCards(Cards):
    """Return the cards of a campaign for one reviewer; with `adjudicates` its disputes for an adjudicator.

    `skip` are ids of subjects to leave for later.
    """

    campaign: Campaign
    skip: Collection[str] = ()

    @property
    def shelf(self) -> CampaignStore:
        """The campaigns of the workspace."""
        return CampaignStore(self.store)

    @property
    def question(self) -> Question:
        """Return the campaign's question; it may be blind even if the question itself is not."""
        return replace(find_question(self.campaign.question), is_blind=self.campaign.is_blind)

    @property
    def left(self) -> int:
        """Count the subjects, or disputes, that the person could get now."""
        return len(self.disputes) if self.adjudicates else self.shelf.left(self.campaign, self.who)

    def next(self) -> Card | None:
        """Return this reviewer's next output, which others then do not get for a while.

        An adjudicator gets the first open dispute: all have answered, and they differ or are all unsure.
        Disputes about subjects that this person reviewed are left out.
        """
        self._check()
        if self.adjudicates:
            return next((self._card(e) for e in self.disputes if e.subject not in self.skip), None)
        entry = self.shelf.hand_out(self.campaign, self.who, skip=self.skip)
        return None if entry is None else self._card(entry)

    def card(self, subject: str) -> Card:
        """Return one subject, with this person's answer and what they may see since."""
        self._check()
        return self._card(self._one(subject))

    def latest(self, before: str = "") -> str | None:
        """Return the subject that this person answered last, or last before another one."""
        return self.shelf.latest(self.campaign, self.who, before=before)

    def asked(self, subject: str) -> tuple[Subject, Question]:
        """Return a subject of the campaign, by its id or the beginning of it, and the question about it.

        An adjudicator is refused before all reviewers have answered, or if this person was a reviewer of it.
        """
        self._check()
        if self.campaign.closed:
            raise UsageError(
                f"The campaign '{self.campaign.name}' was closed on {self.campaign.closed[:10]}."
            )
        entry = self._one(subject)
        if self.adjudicates:
            self._check_dispute(entry)
        return self.store.subjects([entry.subject])[entry.subject], find_question(self.campaign.question)

    def _check(self) -> None:
        role, people = "reviewer", self.campaign.reviewers
        if self.adjudicates:
            role, people = "adjudicator", self.campaign.adjudicators
        if self.who not in people:
            raise UsageError(f"'{self.who}' is no {role} of '{self.campaign.name}'.{_SEE}")

    def _check_dispute(self, entry: CampaignSubject) -> None:
        name = self.campaign.question
        decision = decide(self.store.reviews(name, subject=entry.subject)).get((entry.subject, name))
        is_sealed = (entry.subject, name) in sealed(self.store, [entry.subject])
        if is_sealed or not is_complete(entry, decision, self.campaign.reviewers):
            raise UsageError(f"Not all reviewers have answered subject {entry.subject[:10]} yet.")
        if decision is not None and self.who in decision.latest:
            what = f"'{self.who}' answered {entry.subject[:10]} as a reviewer"
            raise UsageError(f"{what}: another must settle it.")

    def _one(self, subject: str) -> CampaignSubject:
        matches = self.shelf.named(self.campaign, subject) if subject else []
        if len(matches) != 1:
            what = f"{len(matches)} subjects" if matches else "No subject"
            name = self.campaign.name
            raise UsageError(f"{what} of '{name}' begin{'s' * (not matches)} with '{subject}'.")
        return matches[0]

    @cached_property
    def disputes(self) -> list[CampaignSubject]:
        """List the disputes for this adjudicator, without subjects that this person reviewed."""
        campaign, question = self.campaign, self.question
        decisions = decide(self.store.reviews(question.name), {question.name: question.combine})
        seals = sealed(self.store)
        return [
            entry
            for entry in self.shelf.subjects(campaign)
            if (about := (entry.subject, question.name)) not in seals
            and (decision := decisions.get(about)) is not None
            and self.who not in {**decision.latest, **decision.adjudications}
            and adjudicable(campaign, entry, decision, question)
        ]

    def _card(self, entry: CampaignSubject) -> Card:
        store, question, who = self.store, self.question, self.who
        subject = store.subjects([entry.subject])[entry.subject]
        is_there = bool(store.named(entry.run))
        segment = store.segment(entry.run, entry.case_id) if is_there else None
        segment = segment or Segment(entry.case_id, (subject.sources or (None,))[-1])
        lines = [Line(getattr(question, "marks", "output"), text) for text in subject.outputs]
        if not question.is_blind and is_there:
            run = store.run(entry.run, case=entry.case_id)
            shown = next((p for p in pending_in(run) if p.subject == subject), None)
            lines = list(shown.lines) if shown else lines
        head = next((run for run in store.runs() if run.id == entry.run), None)
        given = reviews_shown(store, entry.subject, question, who)
        place = QueueEntry(
            *(0, subject.id, entry.case_id, entry.category, entry.phenomenon, entry.systems, "", ""),
            source=(subject.sources or ("",))[-1] or "",
            output=(subject.outputs or ("",))[-1],
            mine=given.mine.answer if given.mine else "",
        )
        return Card(
            *(entry.run, question, place, subject, segment, lines, given),
            languages=languages(head) if head else ("", ""),
            document=document_around(store, entry.run, segment, subject, entry.systems, question, who),
            beside=self._beside(entry) if self.campaign.side_by_side and is_there else (),
            campaign=self.campaign,
        )

    def _beside(self, entry: CampaignSubject) -> list[DocumentLine]:
        """Return other systems' outputs for the sentence with own answers; the order hides systems."""
        shelf, question = self.shelf, self.question
        others = [e for e in shelf.beside(self.campaign, entry) if not kind_of_check(e.status)]
        subjects = self.store.subjects([each.subject for each in others])
        mine = {
            review.subject: review.answer
            for review in self.store.reviews_about(subjects.keys(), question.name)
            if review.reviewer == self.who
        }
        return [
            DocumentLine(
                "",
                subjects[key].outputs[-1],
                answer=told_answer(question, mine[key], subjects[key]) if key in mine else "",
            )
            for key in sorted(subjects)
        ]


def cards(
    name: str,
    reviewer: str | None = None,
    *,
    skip: Collection[str] = (),
    adjudicates: bool = False,
    workspace: Place | Workspace | None = None,
) -> CampaignCards:
    """Return a campaign's cards for a reviewer or adjudicator; `skip` are ids to leave for later."""
    store = open_workspace(workspace)
    who = reviewer_name(reviewer)
    campaign = CampaignStore(store).campaign(name)
    return CampaignCards(store=store, who=who, campaign=campaign, skip=skip, adjudicates=adjudicates)

"""Campaigns of reviewers: who is asked what, blind to each other, and what comes of it.

Every function takes `workspace`, the file of campaigns (default: as in `mtassay.app.library`), or
the open workspace itself, which a server has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mtassay.app.review_cards import Card, document_around, languages
from mtassay.app.reviewing import Decisions, Place, common_question, reviewer_name
from mtassay.app.runs import open_workspace
from mtassay.data.display import Line
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Question, Review, Run, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import Decision, Pending, told_answer
from mtassay.data.subjects import decide as decide_reviews
from mtassay.review.campaign_store import (
    CampaignStore,
    KeptAnswer,
    keep_answer,
    nameless,
    sealed,
    visible_reviews,
)
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
from mtassay.review.quality_control import with_checks
from mtassay.review.queue import AgendaEntry
from mtassay.runtime.workspace import Workspace
from mtassay.runtime.workspace_file import now_exactly
from mtassay.stats.resampling import fixed_seed

USUAL_OVERLAP = 0.2
"""The share of outputs that several of two or more reviewers answer where nobody says it."""
_SEE = " Who is: mtassay review campaign show"  # pages tell reviewers nobody's name

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
    seed: int | None = None,
    workspace: Place | Workspace | None = None,
) -> Campaign:
    """A new campaign about what is open in these runs, or about all outputs with a question for any run.

    `category`, `phenomenon`, `item` and `system` choose outputs, of which `sample` are drawn. A share
    `overlap` (0.2, of one reviewer none) is answered by `raters` people each. `settled` mixes in so many
    outputs that the runs settled by themselves, so that nobody knows which. `attention` is the share of
    attention checks, `calibration` how many outputs everybody answers first; who passes less than
    `exclude_below` of the checks, or takes less than `exclude_faster` seconds for an output, is in no
    agreement (see `quality_control`).

    What can never be done is a `UsageError`; what may keep it from being done is told in the `cautions` of
    `campaign_reports.report`.
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
    )
    entries = with_checks(entries, attention, seed=fixed, calibration=calibration)
    subjects = planned(campaign, entries)
    refuse_unfinishable(campaign, subjects)
    CampaignStore(store).save(campaign, subjects, [entry.subject for entry in entries])
    return campaign


def _question(runs: Sequence[Run], name: str | None) -> Question:
    """What is asked: the question of this name, or the one that all these runs ask."""
    common = common_question(name)
    if common is not None:
        return common
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
    """A line for each campaign that waits for answers, to be beside an export of what there is so far."""
    campaign_store = CampaignStore(open_workspace(workspace))
    lines = []
    for campaign in campaign_store.campaigns():
        given, wanted, incomplete = campaign_store.counts(campaign)
        if incomplete and not campaign.closed:
            missing = f"{wanted - given:,} of {wanted:,} answers are still to come"
            lines.append(f"Campaign '{campaign.name}' is open: {missing}, about {incomplete:,} outputs.")
    return lines


def close(name: str, *, workspace: Place | Workspace | None = None) -> Campaign:
    """End a campaign: nobody gets anything more of it, and all answers stay."""
    return CampaignStore(open_workspace(workspace)).close(name)


def delete(name: str, *, workspace: Place | Workspace | None = None) -> Campaign:
    """Forget a campaign; all answers stay."""
    return CampaignStore(open_workspace(workspace)).delete(name)


# Answering -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CampaignCard(Card):
    """A card of a campaign, before a reviewer or an adjudicator.

    `answers` are those of others, once they may be seen.
    """

    campaign: Campaign
    answers: Mapping[str, Review]

    @property
    def pending(self) -> Pending:
        """The same as an open output, which screens and sheets show."""
        lines = list(self.lines)
        for name, review in sorted(self.answers.items()):
            label = "answers" if len(lines) == len(self.lines) else ""
            said = told_answer(self.question, review.answer, self.subject)
            lines.append(Line(label, f"{name}: {said}{f' ({review.note})' if review.note else ''}"))
        systems = self.entry.systems
        return Pending(self.subject, self.question, self.run, systems, "", self.segment, lines=lines)


@dataclass(frozen=True, slots=True)
class CampaignAnswer(KeptAnswer):
    """An answer that was kept; `answers` are those of others that its giver may see now."""

    answers: Mapping[str, Review] = field(default_factory=dict)


def next_card(
    name: str,
    reviewer: str | None = None,
    *,
    skip: Collection[str] = (),
    workspace: Place | Workspace | None = None,
) -> CampaignCard | None:
    """What this reviewer should look at next, which others then do not get for a while; `None` for nothing.

    `skip` are ids of subjects to leave for later.
    """
    store = open_workspace(workspace)
    campaign_store, who = CampaignStore(store), reviewer_name(reviewer)
    campaign = campaign_store.campaign(name)
    _check_reviewer(campaign, who)
    entry = campaign_store.hand_out(campaign, who, skip=skip)
    return None if entry is None else _card(store, campaign, entry, {}, who)


def _card(
    store: Workspace, campaign: Campaign, entry: CampaignSubject, answers: Mapping[str, Review], who: str
) -> CampaignCard:
    subject = store.subjects([entry.subject])[entry.subject]
    is_there = bool(store.named(entry.run))
    segment = store.segment(entry.run, entry.case_id) if is_there else None
    segment = segment or Segment(entry.case_id, (subject.sources or (None,))[-1])
    question = replace(find_question(campaign.question), is_blind=campaign.is_blind)
    label = getattr(question, "marks", "output")
    lines = [Line(label, text) for text in subject.outputs]
    if not campaign.is_blind and is_there:
        run = store.run(entry.run, case=entry.case_id)
        shown = next((p for p in pending_in(run) if p.subject == subject), None)
        lines = list(shown.lines) if shown else lines
    head = next((run for run in store.runs() if run.id == entry.run), None)
    asked = AgendaEntry(
        *(0, subject.id, entry.case_id, entry.category, entry.phenomenon, entry.systems, "", ""),
        source=(subject.sources or ("",))[-1] or "",
        output=(subject.outputs or ("",))[-1],
    )
    return CampaignCard(
        *(entry.run, question, asked, subject, segment, lines),
        languages=languages(head) if head else ("", ""),
        document=document_around(store, entry.run, segment, subject, entry.systems, question, who),
        campaign=campaign,
        answers=answers,
    )


def load_card(
    name: str, subject: str, reviewer: str | None = None, *, workspace: Place | Workspace | None = None
) -> CampaignCard:
    """One subject of a campaign, with what a reviewer said of it and what they may see since."""
    store = open_workspace(workspace)
    campaign_store, who = CampaignStore(store), reviewer_name(reviewer)
    campaign = campaign_store.campaign(name)
    _check_reviewer(campaign, who)
    entry = _one(campaign_store, campaign, subject)
    question = find_question(campaign.question)
    decision = _decisions(store, question, subject=entry.subject).get((entry.subject, question.name))
    mine = decision.latest.get(who) if decision else None
    card = _card(store, campaign, entry, _answers_shown(store, decision, who) if mine else {}, who)
    asked = replace(card.entry, mine=mine.answer if mine else "")
    return replace(card, entry=asked, mine=mine)


def latest_subject(
    name: str,
    reviewer: str | None = None,
    *,
    before: str = "",
    workspace: Place | Workspace | None = None,
) -> str | None:
    """What this reviewer answered last in a campaign, or last before that subject; `None` for nothing."""
    store = open_workspace(workspace)
    campaign_store = CampaignStore(store)
    return campaign_store.latest(campaign_store.campaign(name), reviewer_name(reviewer), before=before)


def _check_reviewer(campaign: Campaign, who: str) -> None:
    if who not in campaign.reviewers:
        raise UsageError(f"'{who}' is no reviewer of '{campaign.name}'.{_SEE}")


def answer(
    name: str,
    subject: str,
    text: str,
    reviewer: str | None = None,
    *,
    note: str = "",
    receipt: str | None = None,
    workspace: Place | Workspace | None = None,
) -> CampaignAnswer:
    """Answer the question of a campaign about one of its subjects, by its id or the beginning of it.

    A later answer of the same person replaces the earlier one, which stays in the history. An answer with a
    `receipt`, an id that the sender made up, is kept once however often it is sent.
    """
    store = open_workspace(workspace)
    who = reviewer_name(reviewer)
    campaign, entry = _find(store, name, subject)
    _check_reviewer(campaign, who)
    return _keep(store, campaign, entry, text, who, note, receipt, final=False)


def _find(store: Workspace, name: str, subject: str) -> tuple[Campaign, CampaignSubject]:
    campaign_store = CampaignStore(store)
    campaign = campaign_store.campaign(name)
    if campaign.closed:
        raise UsageError(f"The campaign '{campaign.name}' was closed on {campaign.closed[:10]}.")
    return campaign, _one(campaign_store, campaign, subject)


def _one(campaign_store: CampaignStore, campaign: Campaign, subject: str) -> CampaignSubject:
    matches = campaign_store.named(campaign, subject) if subject else []
    if len(matches) != 1:
        what = f"{len(matches)} subjects" if matches else "No subject"
        raise UsageError(f"{what} of '{campaign.name}' begin{'s' * (not matches)} with '{subject}'.")
    return matches[0]


def _keep(
    store: Workspace,
    campaign: Campaign,
    entry: CampaignSubject,
    text: str,
    who: str,
    note: str,
    receipt: str | None,
    *,
    final: bool,
) -> CampaignAnswer:
    about = store.subjects([entry.subject])[entry.subject]
    question = find_question(campaign.question)
    kept = keep_answer(store, about, question, text, who, note=note, receipt=receipt, is_adjudication=final)
    decision = _decisions(store, question, subject=about.id).get((about.id, question.name))
    answers = _answers_shown(store, decision, who)
    return CampaignAnswer(about, question, kept.review, kept.decision, kept.is_new, answers)


def _answers_shown(store: Workspace, decision: Decision | None, who: str) -> dict[str, Review]:
    """The newest answers of others that somebody may see, without their names."""
    given = [] if decision is None else list(decision.latest.values())
    return {r.reviewer: r for r in nameless(visible_reviews(store, given, who), who) if r.reviewer != who}


def _decisions(store: Workspace, question: Question, *, subject: str | None = None) -> Decisions:
    return decide_reviews(store.reviews(question.name, subject=subject), {question.name: question.combine})


def next_dispute(
    name: str,
    adjudicator: str | None = None,
    *,
    skip: Collection[str] = (),
    workspace: Place | Workspace | None = None,
) -> CampaignCard | None:
    """What waits for an adjudicator, with who said what: all have answered, and differ, or none could tell.

    What this person has answered as a reviewer is not there: nobody settles a dispute of their own. It is the
    first that is not to be skipped; `None` for nothing.
    """
    found = _disputes(open_workspace(workspace), name, reviewer_name(adjudicator), skip)
    return next(found, None)


def _disputes(store: Workspace, name: str, who: str, skip: Collection[str] = ()) -> Iterator[CampaignCard]:
    campaign_store = CampaignStore(store)
    campaign = campaign_store.campaign(name)
    _check_adjudicator(campaign, who)
    question = find_question(campaign.question)
    decisions = _decisions(store, question)
    seals = sealed(store)
    for entry in campaign_store.subjects(campaign):
        decision = decisions.get((entry.subject, question.name))
        if entry.subject in skip or decision is None:
            continue
        if not adjudicable(campaign, entry, decision, question) or (entry.subject, question.name) in seals:
            continue
        if who not in {**decision.latest, **decision.adjudications}:
            yield _card(store, campaign, entry, _answers_shown(store, decision, who), who)


def _check_adjudicator(campaign: Campaign, who: str) -> None:
    if who not in campaign.adjudicators:
        raise UsageError(f"'{who}' is no adjudicator of '{campaign.name}'.{_SEE}")


def adjudicate(
    name: str,
    subject: str,
    text: str,
    adjudicator: str | None = None,
    *,
    note: str = "",
    receipt: str | None = None,
    workspace: Place | Workspace | None = None,
) -> CampaignAnswer:
    """Settle what reviewers see differently: this answer holds, whatever they said or will say.

    It is refused before all of them have answered, and of who was one of them.
    """
    store = open_workspace(workspace)
    who = reviewer_name(adjudicator)
    campaign, entry = _find(store, name, subject)
    _check_adjudicator(campaign, who)
    question = find_question(campaign.question)
    decision = _decisions(store, question, subject=entry.subject).get((entry.subject, question.name))
    is_sealed = (entry.subject, question.name) in sealed(store, [entry.subject])
    if is_sealed or not is_complete(entry, decision, campaign.reviewers):
        raise UsageError(f"Not all reviewers have answered subject {entry.subject[:10]} yet.")
    if decision is not None and who in decision.latest:
        raise UsageError(f"'{who}' answered {entry.subject[:10]} as a reviewer: another must settle it.")
    return _keep(store, campaign, entry, text, who, note, receipt, final=True)

"""The progress of a campaign of reviewers: pace, attention checks and agreement, as tables and records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mtassay.app.access import invitations
from mtassay.app.reviewing import Decisions, Place
from mtassay.app.runs import open_workspace
from mtassay.data.display import Cell, Table
from mtassay.data.grouping import gathered
from mtassay.data.marks import printable
from mtassay.data.nouns import UNSURE, Review
from mtassay.data.questions import find_question
from mtassay.data.subjects import Decision, caution_of_models, decide
from mtassay.report.run_text import Progress
from mtassay.review.campaign_store import CampaignStore, frozen_reviews, sealed
from mtassay.review.campaigns import (
    Campaign,
    CampaignSubject,
    Pace,
    adjudicable,
    cautions,
    is_complete,
    pace_of,
)
from mtassay.review.quality_control import CheckedReviewer, checked_reviewers, checks_table, is_counted
from mtassay.review.reviewer_agreement import (
    AgreementCoefficient,
    agreement_table,
    agreements,
    agreements_by,
    between,
    number,
    scale_note,
)
from mtassay.runtime.database import checksum
from mtassay.runtime.workspace import Workspace
from mtassay.stats.resampling import fixed_seed

ALL = "all"
MOST_IN_PAIRS = 6
"""Largest number of reviewers for which the agreement of each pair is shown."""


@dataclass(frozen=True, slots=True)
class ReviewerProgress:
    """The progress of a reviewer: answers given, how many of them unsure, subjects left, and the pace."""

    reviewer: str
    answered: int
    unsure: int
    left: int
    pace: Pace


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """The state of a campaign.

    All `subjects` need `wanted` answers in total, of which `given` exist; `complete` subjects have all
    answers. `to_adjudicate` wait for an adjudicator, `adjudicated` are settled by one. `groups` have the
    agreement by the name of a category or phenomenon. `scale` explains agreement of ratings and of spans.
    `changed` counts answers that were changed after others were visible; agreement uses the earlier ones.
    `cautions` are problems that may prevent completion. `checked` has each reviewer's results in attention
    checks and calibration.
    """

    campaign: Campaign
    subjects: int
    wanted: int
    given: int
    complete: int
    to_adjudicate: int
    adjudicated: int
    progress: Sequence[ReviewerProgress]
    agreement: Sequence[AgreementCoefficient]
    groups: Mapping[str, Mapping[str, Sequence[AgreementCoefficient]]]
    scale: str = ""
    changed: int = 0
    cautions: Sequence[str] = ()
    checked: Sequence[CheckedReviewer] = ()

    def of_reviewer(self, name: str) -> CampaignReport:
        """Return the report for a reviewer, without others' names; results of checks only after the end."""
        is_over = bool(self.campaign.closed) or self.given >= self.wanted
        return replace(
            self,
            progress=[entry for entry in self.progress if entry.reviewer == name],
            agreement=[e for e in self.agreement if e.measure in ("fleiss", "krippendorff")],
            cautions=(),
            checked=[entry for entry in self.checked if entry.reviewer == name] if is_over else (),
        )

    def record(self) -> dict[str, Any]:
        """Return all of it for a program."""
        record: dict[str, Any] = {
            "campaign": self.campaign.record(),
            "subjects": self.subjects,
            "answers_wanted": self.wanted,
            "answers_given": self.given,
            "complete": self.complete,
            "to_adjudicate": self.to_adjudicate,
            "adjudicated": self.adjudicated,
            "reviewers": [asdict(entry) for entry in self.progress],
            "changed_after_reveal": self.changed,
            "cautions": list(self.cautions),
            "agreement": [asdict(entry) for entry in self.agreement],
            "agreement_by": {
                part: {name: [asdict(entry) for entry in found] for name, found in by_name.items()}
                for part, by_name in self.groups.items()
            },
        }
        if self.checked:
            record["checks"] = [
                asdict(e) | {"share": e.share, "consistency": e.consistency} for e in self.checked
            ]
        return record

    def tables(self) -> list[Table]:
        """Progress, agreement, agreement by phenomenon; empty tables are left out."""
        tables = [self._progress()]
        if self.checked:
            campaign = self.campaign
            rules = [f"less than {100 * campaign.exclude_below:g} % of the checks passed"]
            rules = rules if campaign.exclude_below else []
            if campaign.exclude_faster:
                rules.append(f"less than {campaign.exclude_faster:g} s for an output (median)")
            tables.append(checks_table(self.checked, rules))
        if self.agreement:
            told: Any = {"title": "Agreement", "how": "rated blind", "changed": self.changed}
            tables.append(agreement_table(self.agreement, first=[self.scale], **told))
        tables += [self._by(part, by_name) for part, by_name in self.groups.items() if any(by_name.values())]
        return tables

    def _progress(self) -> Table:
        campaign = self.campaign
        rows: list[list[Cell | str]] = [
            [
                printable(entry.reviewer),
                f"{entry.answered:,}",
                f"{entry.left:,}",
                f"{entry.unsure:,}",
                "–" if entry.pace.seconds is None else _duration(entry.pace.seconds),
            ]
            for entry in self.progress
        ]
        state = f"closed on {campaign.closed[:10]}" if campaign.closed else "open"
        twice = f"{100 * campaign.overlap:g} % of them by {campaign.raters}"
        notes = [
            f"Question: {campaign.question}; {state}. {self.subjects:,} outputs, {twice} reviewers each.",
            f"Answers: {self.given:,} of {self.wanted:,}; outputs with all their answers: {self.complete:,}.",
            self._adjudication(),
            "To come: outputs that the reviewer can still get. Unsure: only of outputs with all their "
            "answers. Pace: the median time between two answers.",
            caution_of_models(campaign.reviewers, "Answers"),
            *map(printable, self.cautions),
        ]
        header = ["reviewer", "answered", "to come", "unsure", "pace"]
        return Table(header, rows, f"Campaign {printable(campaign.name)}", list(filter(None, notes)))

    def _adjudication(self) -> str:
        if not self.campaign.adjudicators and not self.adjudicated:
            disputed = f"Outputs on which reviewers disagree or are all unsure: {self.to_adjudicate:,}."
            return f"{disputed} There is no adjudicator."
        return f"To adjudicate: {self.to_adjudicate:,}; adjudicated: {self.adjudicated:,}."

    def _by(self, part: str, by_name: Mapping[str, Sequence[AgreementCoefficient]]) -> Table:
        rows: list[list[Cell | str]] = []
        for name, found in by_name.items():
            measured = {entry.measure: entry for entry in found}
            if measured:
                share, alpha = measured.get("agreement"), measured["krippendorff"]
                rows.append(
                    [
                        printable(name),
                        "–" if share is None else number(share, share.value),
                        number(alpha, alpha.value),
                        between(alpha),
                        f"{alpha.n:,}",
                    ]
                )
        notes = ["–: undefined, as all ratings are the same."] if any("–" in row[1:3] for row in rows) else []
        header = [part, "agreement", "alpha", "95 % interval", "n"]
        return Table(header, rows, f"Agreement by {part}", notes)


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def report(
    name: str = "last",
    *,
    seed: int | None = None,
    workspace: Place | Workspace | None = None,
) -> CampaignReport:
    """Progress, pace and agreement of a campaign, by the answers so far.

    Agreement is measured on answers given before others were visible. Since reviewers see agreement and the
    counts of `unsure`, these only use subjects that all have answered.
    """
    store = open_workspace(workspace)
    campaign_store = CampaignStore(store)
    campaign = campaign_store.campaign(name)
    question = find_question(campaign.question)
    subjects = campaign_store.subjects(campaign)
    inside = {entry.subject for entry in subjects}
    reviews = [review for review in store.reviews(question.name) if review.subject in inside]
    own = [r for r in reviews if r.reviewer in campaign.reviewers and not r.is_adjudication]
    finals = [r for r in reviews if r.is_adjudication]
    decisions = decide([*own, *finals], {question.name: question.combine})
    by_entry = {entry: decisions.get((entry.subject, question.name)) for entry in subjects}
    given = sum(min(entry.wanted, len(d.latest)) for entry, d in by_entry.items() if d is not None)
    frozen = frozen_reviews(store, question.name, inside)
    alone = [review for review in frozen.reviews if review.reviewer in campaign.reviewers]
    changed = [review for review in frozen.changed if review.reviewer in campaign.reviewers]
    by_themselves = decide([*alone, *finals], {question.name: question.combine})
    seals = sealed(store, inside)
    known = {about: decision for about, decision in by_themselves.items() if about not in seals}
    progress = _progress(campaign, by_entry, own, {subject for subject, _ in known})
    checked = checked_reviewers(
        question,
        campaign.reviewers,
        {entry.subject: entry.status for entry in subjects if not is_counted(entry.status)},
        by_themselves,
        {entry.reviewer: entry.pace.seconds for entry in progress},
        exclude_below=campaign.exclude_below,
        exclude_faster=campaign.exclude_faster,
    )
    excluded = {entry.reviewer for entry in checked if entry.why_excluded}
    regular = [entry for entry in subjects if is_counted(entry.status)]
    counted = {entry.subject for entry in regular}
    if excluded or len(regular) < len(subjects):
        left = [r for r in alone if r.reviewer not in excluded and r.subject in counted]
        by_themselves = decide([*left, *finals], {question.name: question.combine})
        known = {about: decision for about, decision in by_themselves.items() if about not in seals}
    groups = _agreement(store, campaign, regular, known, fixed_seed(seed))
    overall = groups.pop(ALL)[ALL]
    invited = [entry.person.name for entry in invitations(workspace=store)]
    return CampaignReport(
        campaign,
        len(subjects),
        sum(entry.wanted for entry in subjects),
        given,
        sum(is_complete(entry, d, campaign.reviewers) for entry, d in by_entry.items()),
        sum(
            adjudicable(campaign, entry, d, question)
            for entry, d in by_entry.items()
            if (entry.subject, question.name) not in seals  # of another campaign, too
        ),
        sum(d is not None and d.is_adjudicated for d in by_entry.values()),
        progress,
        overall,
        groups,
        scale_note(question.name),
        len(changed),
        () if campaign.closed else cautions(campaign, regular, invited),
        checked if campaign.attention or campaign.calibration or campaign.exclude_faster else (),
    )


def _progress(
    campaign: Campaign,
    by_entry: Mapping[CampaignSubject, Decision | None],
    reviews: Sequence[Review],
    known: Collection[str],
) -> list[ReviewerProgress]:
    answered, unsure, left = Counter[str](), Counter[str](), Counter[str]()
    for entry, decision in by_entry.items():
        latest = decision.latest if decision else {}
        answered.update(latest.keys())
        if entry.subject in known:
            unsure.update(name for name, review in latest.items() if review.answer == UNSURE)
        if len(latest) < entry.wanted and not campaign.closed:
            left.update(name for name in campaign.reviewers if name not in latest)
    times = gathered((review.reviewer, review.at) for review in reviews)
    return [
        ReviewerProgress(name, answered[name], unsure[name], left[name], pace_of(times.get(name, [])))
        for name in campaign.reviewers
    ]


def _agreement(
    store: Workspace,
    campaign: Campaign,
    subjects: Sequence[CampaignSubject],
    decisions: Decisions,
    seed: int,
) -> dict[str, dict[str, list[AgreementCoefficient]]]:
    """Return agreement by kind (all, category, phenomenon) and group; cached until the next review."""
    counted = f"{store.reviews_count}|{checksum(sorted(subject for subject, _ in decisions))}"
    key = f"agreement of campaign|{campaign.name}|{campaign.created}|{campaign.closed}|{counted}|{seed}"
    if (kept := store.recall(key)) is not None:
        return {
            part: {
                name: [AgreementCoefficient.of(entry) for entry in found] for name, found in groups.items()
            }
            for part, groups in json.loads(kept).items()
        }
    texts = store.subjects({subject for subject, _ in decisions})
    with Progress() as progress:
        progress.report("resampling", 0, None)
        few = len(campaign.reviewers) <= MOST_IN_PAIRS
        overall = list(agreements(decisions, campaign.question, seed=seed, subjects=texts, with_pairs=few))
        parts: dict[str, dict[str, list[AgreementCoefficient]]] = {ALL: {ALL: overall}}
        for part in ("category", "phenomenon"):
            members: dict[str, set[str]] = {}
            for entry in subjects:
                if group := getattr(entry, part):
                    members.setdefault(group, set()).add(entry.subject)
            parts[part] = agreements_by(decisions, campaign.question, members, seed=seed, subjects=texts)
    record = {p: {n: [asdict(e) for e in found] for n, found in g.items()} for p, g in parts.items()}
    store.remember([(key, json.dumps(record).encode())])
    return parts

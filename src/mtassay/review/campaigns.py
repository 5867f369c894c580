"""Campaigns: a question that several people answer about selected outputs, each in their own order."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Question, Review
from mtassay.data.questions import COMMON_QUESTIONS
from mtassay.data.subjects import Decision, Pending
from mtassay.review.quality_control import is_counted

PAUSE_S = 600
"""A longer gap between answers counts as a pause, not as time for one output."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """A question about the outputs of runs, and who answers it.

    A share `overlap` of the subjects gets `raters` answers each, all others one. Adjudicators settle
    disagreements. Reviewers in `left` get nothing more; their answers count. `is_blind` hides the findings,
    `side_by_side` shows other systems' outputs for the same sentence. `closed` is the time of its end, empty
    while it is open. Reviewers in `late` joined after the start. For the rest see `quality_control`:
    `attention` is the share of checks, `calibration` the number of outputs that everybody answers first.
    Agreement excludes reviewers who pass less than `exclude_below` of the checks, or take less than
    `exclude_faster` seconds.
    """

    name: str
    question: str
    runs: tuple[str, ...]
    reviewers: tuple[str, ...]
    adjudicators: tuple[str, ...] = ()
    overlap: float = 0.2
    raters: int = 2
    is_blind: bool = True
    seed: int = 12345
    created: str = ""
    closed: str = ""
    attention: float = 0.0
    calibration: int = 0
    exclude_below: float = 0.0
    exclude_faster: float = 0.0
    side_by_side: bool = False
    left: tuple[str, ...] = ()
    late: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable() or len(self.name) > 80:
            raise UsageError("A campaign needs a name of at most 80 printable characters.")
        if not self.reviewers:
            raise UsageError("A campaign needs reviewers: `reviewers='anna,ben'`")
        for name in (*self.reviewers, *self.adjudicators):
            if not name.strip() or not name.isprintable():
                raise UsageError(f"{name!r} is no name of a reviewer.")
        if len(set(self.reviewers)) < len(self.reviewers):
            raise UsageError("A reviewer is named twice. Name each once.")
        if not 0 <= self.overlap <= 1:
            raise UsageError(f"The overlap is {self.overlap:g}: give a share from 0 to 1, as 0.2.")
        if not (0 <= self.attention <= 0.5 and 0 <= self.exclude_below <= 1 and self.calibration >= 0):
            raise UsageError("Attention checks are a share from 0 to 0.5; the share to pass is from 0 to 1.")
        if self.exclude_below and not self.attention:
            raise UsageError("There are no attention checks to pass: add `attention`, such as 0.1.")
        if self.raters < 2:
            raise UsageError("An overlap needs two reviewers or more: `raters=2`")

    @property
    def active(self) -> list[str]:
        """The reviewers who still get outputs."""
        return [name for name in self.reviewers if name not in self.left]

    def record(self) -> dict[str, Any]:
        """The whole campaign as a record, for programs and the workspace."""
        return asdict(self)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Campaign:
        """The campaign in a record; fields of earlier versions are ignored."""
        values: dict[str, Any] = {}
        for key in record.keys() & cls.__dataclass_fields__.keys():
            values[key] = tuple(record[key]) if isinstance(record[key], list) else record[key]
        return cls(**values)


class CampaignSubject(NamedTuple):
    """One subject of a campaign, and the number of people who are to answer.

    Orders are computed from the lots, which are numbers. `status` is the hidden reason for its selection.
    """

    position: int
    subject: str
    wanted: int
    run: str
    case_id: str
    category: str
    phenomenon: str
    systems: tuple[str, ...]
    case_lot: int
    lot: int
    status: str


def planned(campaign: Campaign, entries: Sequence[Pending]) -> list[CampaignSubject]:
    """Return the subjects of a campaign in the order of entries, each with the number of answers wanted.

    Only the seed and the subjects decide which ones get several answers.
    """
    seed = campaign.seed
    counted = [entry for entry in entries if is_counted(entry.status)]
    lots = sorted(counted, key=lambda entry: _lot(seed, "overlap", entry.subject.id))
    twice = {entry.subject.id for entry in lots[: round(campaign.overlap * len(counted))]}

    def wanted(entry: Pending) -> int:
        if not is_counted(entry.status):
            return len(campaign.reviewers)
        return min(campaign.raters, len(campaign.reviewers)) if entry.subject.id in twice else 1

    def places(entry: Pending) -> tuple[int, int]:
        """Return lots that keep outputs of a case together, or documents in order, and checks separate."""
        document, first = entry.segment.document, (entry.systems or ("",))[0]
        if not is_counted(entry.status):
            return _lot(seed, "check", entry.subject.id), 0
        if document and campaign.question in COMMON_QUESTIONS and not campaign.side_by_side:
            return _lot(seed, "document", entry.run, document), _lot(seed, "system", document, first)
        return _lot(seed, "case", entry.run, entry.subject.case_id), _lot(seed, "subject", entry.subject.id)

    return [
        CampaignSubject(
            position,
            entry.subject.id,
            wanted(entry),
            entry.run,
            entry.subject.case_id,
            str(entry.segment.tags.get("category", "")),
            str(entry.segment.tags.get("phenomenon", "")),
            entry.systems,
            *places(entry),
            entry.status,
        )
        for position, entry in enumerate(entries)
    ]


def refuse_unfinishable(campaign: Campaign, subjects: Sequence[CampaignSubject]) -> None:
    """Raise a `UsageError` for a campaign that can never be finished."""
    there = len(campaign.active)
    if campaign.overlap and campaign.raters > there:
        who = "one reviewer" if there == 1 else f"{there} reviewers"
        raise UsageError(
            f"{campaign.raters} reviewers are to answer each output of the overlap, but the campaign has "
            f"{who}. Name more with `reviewers`, or ask for fewer with `raters` or `overlap=0`."
        )
    contested = [entry for entry in subjects if entry.wanted > 1] or subjects
    if campaign.adjudicators and all(
        _adjudicators_answer(campaign, entry) and entry.wanted == there for entry in contested
    ):
        names = ", ".join(campaign.adjudicators)
        raise UsageError(
            f"Nobody could settle disputes: {names} would answer every output as a reviewer. Name an "
            "adjudicator who is no reviewer, or leave `adjudicators` out."
        )


def refuse_deadlock(
    campaign: Campaign, subjects: Sequence[CampaignSubject], answered: Mapping[str, Collection[str]]
) -> None:
    """Raise a `UsageError` if outputs want more answers than the current reviewers can give.

    `answered` lists who answered each subject, by its id.
    """
    stuck = 0
    for entry in subjects:
        names = answered.get(entry.subject, ())
        to_come = sum(name not in names for name in campaign.active)
        stuck += entry.wanted > to_come + sum(name in names for name in campaign.reviewers)
    if stuck:
        raise UsageError(
            f"{stuck:,} outputs could never get all of their answers from {', '.join(campaign.active)}: "
            "name somebody else, too, or close the campaign."
        )


def cautions(
    campaign: Campaign, subjects: Sequence[CampaignSubject], invited: Collection[str] = ()
) -> list[str]:
    """Return reasons why a campaign may never be finished, with advice, one per line.

    `invited` are the people who may open the review page; empty if nobody needs an invitation.
    """
    lines = []
    people = dict.fromkeys((*campaign.active, *campaign.adjudicators))
    if invited and (strangers := [name for name in people if name not in invited]):
        what = f"Not invited to the review page: {', '.join(strangers)}."
        lines.append(f"{what} Invite them: mtassay review invite NAME")
    if blocked := sum(_adjudicators_answer(campaign, entry) for entry in subjects):
        lines.append(
            f"{blocked:,} of {len(subjects):,} outputs may be answered by every adjudicator as a reviewer: "
            "then nobody can settle them. Name an adjudicator who is no reviewer."
        )
    if (answers := sum(entry.wanted for entry in subjects)) < len(campaign.reviewers):
        lines.append(f"Only {answers:,} answers are wanted: some of the reviewers will get nothing.")
    return lines


def _adjudicators_answer(campaign: Campaign, entry: CampaignSubject) -> bool:
    """Whether all adjudicators may review the same subject, which nobody could then settle."""
    judges = set(campaign.adjudicators)
    return bool(judges) and judges <= set(campaign.reviewers) and len(judges) <= entry.wanted


_PRIME = 2**31 - 1


class OrderKey(NamedTuple):
    """The numbers that make one reviewer's order: lots times `factor` plus `shift`, modulo a prime."""

    factor: int
    shift: int
    prime: int = _PRIME


def order_key(campaign: Campaign, reviewer: str) -> OrderKey:
    """The order of one reviewer; it depends on the seed and the name alone."""
    return OrderKey(
        1 + _lot(campaign.seed, "factor", reviewer) % (_PRIME - 1), _lot(campaign.seed, "shift", reviewer)
    )


def _lot(seed: int, *words: str) -> int:
    """Return a number below the prime: unpredictable, but the same on every computer."""
    digest = hashlib.sha256("\t".join((str(seed), *words)).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") % _PRIME


# Finished subjects ----------------------------------------------------------------------------------------


def is_complete(entry: CampaignSubject, decision: Decision | None, reviewers: Collection[str]) -> bool:
    """Whether as many reviewers as wanted have answered; unsure is an answer, too."""
    return decision is not None and len(decision.latest.keys() & set(reviewers)) >= entry.wanted


def adjudicable(
    campaign: Campaign, entry: CampaignSubject, decision: Decision | None, question: Question
) -> bool:
    """Whether an adjudicator must settle this: all have answered, and they differ or are all unsure."""
    if decision is None or decision.is_adjudicated or not is_counted(entry.status):
        return False
    if not is_complete(entry, decision, campaign.reviewers):
        return False
    ratings = list(decision.ratings.values())
    return not ratings or question.differ(ratings)


class FrozenAnswers(NamedTuple):
    """Independent answers: the last one of each reviewer to each subject before the reveal.

    `changed` are different answers given after others' answers were visible, so they are no ratings.
    """

    reviews: list[Review]
    changed: list[Review]


def frozen_answers(
    reviews: Iterable[Review],
    seals: Mapping[str, Sequence[tuple[Campaign, CampaignSubject]]],
    admins: Mapping[str, str] | None = None,
) -> FrozenAnswers:
    """Return the independent answers to one question.

    A reviewer who has answered can see others' answers at once; in a campaign (`seals`, by subject) only when
    as many reviewers as wanted have answered, or the campaign is closed. An adjudicator then sees them
    without an answer. An admin sees them at any time, unless the admin was a reviewer of the campaign from
    the beginning.

    Args:
        reviews: all reviews of this question, in the order of the store.
        seals: for each subject, the campaigns with this question, and the answers that each wants.
        admins: people who can see all answers, and since when.
    """
    answered: dict[str, set[str]] = {}
    seen: set[tuple[str, str]] = set()
    frozen: dict[tuple[str, str], Review] = {}
    newest: dict[tuple[str, str], Review] = {}

    def reveal(subject: str, at: str) -> None:
        """Whether a person has answered or adjudicates, and the answers are not sealed then."""
        people, asking = answered.setdefault(subject, set()), seals.get(subject, ())
        watchers = {name for name, since in (admins or {}).items() if since <= at}
        is_sealed = False
        for campaign, entry in asking:
            goes_on = campaign.created <= at and not (campaign.closed and campaign.closed < at)
            if goes_on and len(people.intersection(campaign.reviewers)) < entry.wanted:
                is_sealed = True
                watchers -= {*campaign.reviewers} - {*campaign.late}
        if not is_sealed:
            watchers.update(people, (name for campaign, _ in asking for name in campaign.adjudicators))
        seen.update((subject, who) for who in watchers if people - {who})

    for review in reviews:
        if review.is_adjudication:
            continue
        key = (review.subject, review.reviewer)
        reveal(review.subject, review.at)
        if key not in seen:
            frozen[key] = review
        newest[key] = review
        answered[review.subject].add(review.reviewer)
        reveal(review.subject, review.at)
    changed = [newest[key] for key, review in frozen.items() if newest[key].answer != review.answer]
    return FrozenAnswers(list(frozen.values()), changed)


# Speed ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pace:
    """Pace: the median of `n` gaps between decisions, in seconds, without pauses of over ten minutes."""

    seconds: float | None
    n: int


def pace_of(times: Iterable[str]) -> Pace:
    """One reviewer's pace, from the time of each answer; invalid times are left out.

    >>> times = ("10:00:00", "10:00:04", "10:00:14", "12:00:00")
    >>> pace_of([*(f"2026-01-31T{time}+00:00" for time in times), "soon"])
    Pace(seconds=7.0, n=2)
    """
    working = list(working_times(enumerate(times)).values())
    return Pace(median(working) if working else None, len(working))


def working_times(times: Iterable[tuple[int, str]]) -> dict[int, float]:
    """Seconds for each answer of one reviewer: since the one before, except after a pause."""
    moments = sorted((moment, key) for key, at in times if (moment := _moment(at)) is not None)
    gaps = {key: (later - earlier).total_seconds() for (earlier, _), (later, key) in pairwise(moments)}
    return {key: gap for key, gap in gaps.items() if gap <= PAUSE_S}


def _moment(at: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None

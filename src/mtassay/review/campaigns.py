"""Campaigns: a question that several people answer about chosen outputs, each in an order of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.nouns import UNSURE, Question, Review
from mtassay.data.questions import COMMON_QUESTIONS
from mtassay.data.registry import named
from mtassay.data.subjects import Decision, Pending
from mtassay.review.quality_control import CALIBRATION, is_counted
from mtassay.stats.proportions import wilson

RIGHT = "correct"
PAUSE_S = 600
"""Who has not answered for so long was away, and was not thinking about one output."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which subjects of a campaign a reviewer gets: within a field any of the names, `*` for anything."""

    reviewer: str
    category: tuple[str, ...] = ()
    phenomenon: tuple[str, ...] = ()
    item: tuple[str, ...] = ()
    system: tuple[str, ...] = ()


_FIELDS = ("category", "phenomenon", "item", "system")


def read_assignment(text: str) -> Assignment:
    """An assignment as people write it.

    >>> read_assignment("anna:category=Negation,phenomenon=Modal*")
    Assignment(reviewer='anna', category=('Negation',), phenomenon=('Modal*',), item=(), system=())
    """
    reviewer, _, rest = text.partition(":")
    chosen: dict[str, tuple[str, ...]] = {}
    for part in rest.split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in _FIELDS or not equals or not value or not reviewer.strip():
            raise UsageError(
                f"'{text}' is no assignment. Write it as anna:category=Negation, with category, phenomenon, "
                "item or system."
            )
        chosen[key] = (*chosen.get(key, ()), value)
    return Assignment(reviewer.strip(), **chosen)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A question about the outputs of runs, and who answers it.

    A share `overlap` of the subjects gets `raters` answers each, all others one. Adjudicators settle what
    reviewers see differently. `judge` is whose verdicts are compared with people's answers, and shown to them
    after they have answered; of its scores, low ones mean an error with `low_is_error`. `is_blind` hides what
    the runs found. `closed` is when it ended, empty while it goes on. For the rest see `quality_control`:
    `attention` is the share of checks, `calibration` how many outputs all answer first; who passes less than
    `exclude_below` of the checks, or takes less than `exclude_faster` seconds, is in no agreement.
    """

    name: str
    question: str
    runs: tuple[str, ...]
    reviewers: tuple[str, ...]
    adjudicators: tuple[str, ...] = ()
    overlap: float = 0.2
    raters: int = 2
    assignments: tuple[Assignment, ...] = ()
    judge: str = ""
    low_is_error: bool = False
    is_blind: bool = True
    seed: int = 12345
    created: str = ""
    closed: str = ""
    attention: float = 0.0
    calibration: int = 0
    exclude_below: float = 0.0
    exclude_faster: float = 0.0

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
            raise UsageError("Nobody can pass checks that there are not: add `attention`, as 0.1.")
        if self.raters < 2:
            raise UsageError("An overlap is of two reviewers or more: `raters=2`")
        for entry in self.assignments:
            if entry.reviewer not in self.reviewers:
                known = ", ".join(self.reviewers)
                raise UsageError(f"'{entry.reviewer}' has an assignment, but the reviewers are: {known}.")

    def record(self) -> dict[str, Any]:
        """All of it for a program, and for the workspace."""
        return asdict(self)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Campaign:
        """The campaign in a record."""
        values = _with_tuples(record)
        values["assignments"] = tuple(Assignment(**_with_tuples(entry)) for entry in record["assignments"])
        return cls(**values)


def _with_tuples(record: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has none."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}


class CampaignSubject(NamedTuple):
    """One subject of a campaign: how many people are to answer, and what is known of it.

    `takers` are the reviewers who may get it, none for all of them; the lots are numbers that orders are made
    from. `status` is why it is here, `verdict` what the judge of the campaign said of it, empty for nothing,
    with its `score`, where there is one. Neither is shown to who has not answered.
    """

    position: int
    subject: str
    wanted: int
    run: str
    case_id: str
    category: str
    phenomenon: str
    systems: tuple[str, ...]
    takers: tuple[str, ...]
    case_lot: int
    lot: int
    status: str
    verdict: str = ""
    score: float | None = None


def planned(
    campaign: Campaign,
    entries: Sequence[Pending],
    verdicts: Mapping[str, tuple[str, float | None]] | None = None,
) -> list[CampaignSubject]:
    """The subjects of a campaign in the order of the entries, with how many people are to answer each.

    Which ones get several answers depends on the seed and on the subjects alone. `verdicts` are those of
    the judge, with scores, by subject.
    """
    seed = campaign.seed
    counted = [entry for entry in entries if is_counted(entry.status)]
    lots = sorted(counted, key=lambda entry: _lot(seed, "overlap", entry.subject.id))
    twice = {entry.subject.id for entry in lots[: round(campaign.overlap * len(counted))]}
    known = verdicts or {}

    def wanted(entry: Pending) -> int:
        if not is_counted(entry.status):
            return len(campaign.reviewers)
        return campaign.raters if entry.subject.id in twice else 1

    def places(entry: Pending) -> tuple[int, int]:
        """Lots for the order: outputs to one case together, or documents in their order; checks apart."""
        document, first = entry.segment.document, (entry.systems or ("",))[0]
        if not is_counted(entry.status):
            return _lot(seed, "check", entry.subject.id), 0
        if document and campaign.question in COMMON_QUESTIONS:
            return _lot(seed, "document", entry.run, document), _lot(seed, "system", document, first)
        return _lot(seed, "case", entry.run, entry.subject.case_id), _lot(seed, "subject", entry.subject.id)

    subjects = [
        CampaignSubject(
            position,
            entry.subject.id,
            wanted(entry),
            entry.run,
            entry.subject.case_id,
            str(entry.segment.tags.get("category", "")),
            str(entry.segment.tags.get("phenomenon", "")),
            entry.systems,
            (),
            *places(entry),
            entry.status,
            *known.get(entry.subject.id, ("", None)),
        )
        for position, entry in enumerate(entries)
    ]
    if not campaign.assignments:
        return [entry._replace(wanted=min(entry.wanted, len(campaign.reviewers))) for entry in subjects]
    takers: dict[str, list[str]] = {entry.subject: [] for entry in subjects}
    for reviewer in campaign.reviewers:
        for entry in _chosen_for(campaign, subjects, reviewer):
            takers[entry.subject].append(reviewer)
    if nobody := [entry for entry in subjects if not takers[entry.subject]]:
        raise UsageError(
            f"{len(nobody):,} of {len(subjects):,} outputs are assigned to nobody, as {nobody[0].case_id}. "
            "Give a reviewer no assignment, who then gets any, or choose fewer outputs."
        )
    return [
        entry._replace(
            takers=tuple(takers[entry.subject]), wanted=min(entry.wanted, len(takers[entry.subject]))
        )
        for entry in subjects
    ]


def _chosen_for(
    campaign: Campaign, subjects: Sequence[CampaignSubject], reviewer: str
) -> list[CampaignSubject]:
    """What the assignments of a reviewer fit: all, where there are none for this name."""
    mine = [entry for entry in campaign.assignments if entry.reviewer == reviewer]
    if not mine:
        return list(subjects)
    chosen: set[str] = set()
    for assignment in mine:
        some: Sequence[CampaignSubject] = subjects
        try:
            some = named(some, assignment.category, "category", lambda s: [s.category], has=_HAS)
            some = named(some, assignment.phenomenon, "phenomenon", lambda s: [s.phenomenon], has=_HAS)
            some = named(some, assignment.item, "id", lambda s: [s.case_id], has=_HAS)
            some = named(some, assignment.system, "system", lambda s: s.systems, has=_HAS)
        except UsageError as error:
            raise UsageError(f"The assignment gives {reviewer} nothing. {error}") from None
        chosen |= {entry.subject for entry in some}
    return [entry for entry in subjects if entry.subject in chosen]


_HAS = "output of the campaign has"


def refuse_unfinishable(campaign: Campaign, subjects: Sequence[CampaignSubject]) -> None:
    """A `UsageError` for a campaign that can never be done as it was asked for."""
    there = len(campaign.reviewers)
    if campaign.overlap and campaign.raters > there:
        who = "one reviewer" if there == 1 else f"{there} reviewers"
        raise UsageError(
            f"{campaign.raters} reviewers are to answer each output of the overlap, but the campaign has "
            f"{who}. Name more with `reviewers`, or ask for fewer with `raters` or `overlap=0`."
        )
    contested = [entry for entry in subjects if entry.wanted > 1] or subjects
    if campaign.adjudicators and all(
        _adjudicators_answer(campaign, entry) and entry.wanted == len(_takers(campaign, entry))
        for entry in contested
    ):
        names = ", ".join(campaign.adjudicators)
        raise UsageError(
            f"No dispute could be settled: {names} would answer every one as a reviewer. Name an adjudicator "
            "who is no reviewer, or leave `adjudicators` out."
        )


def cautions(
    campaign: Campaign, subjects: Sequence[CampaignSubject], invited: Collection[str] = ()
) -> list[str]:
    """What may keep a campaign from being done, and what to do, one per line.

    `invited` are those who may open the review page, none where nobody needs an invitation.
    """
    lines = []
    people = dict.fromkeys((*campaign.reviewers, *campaign.adjudicators))
    if invited and (strangers := [name for name in people if name not in invited]):
        what = f"Not invited to the review page: {', '.join(strangers)}."
        lines.append(f"{what} Invite them: mtassay review invite NAME")
    if blocked := sum(_adjudicators_answer(campaign, entry) for entry in subjects):
        lines.append(
            f"{blocked:,} of {len(subjects):,} outputs may be answered by every adjudicator as a reviewer: "
            "then nobody can settle them. Name an adjudicator who is no reviewer."
        )
    shared = round(campaign.overlap * len(subjects))
    complete = sum(entry.wanted >= campaign.raters for entry in subjects)
    if complete < shared:
        lines.append(
            f"{shared - complete:,} of {shared:,} outputs of the overlap are assigned to fewer than "
            f"{campaign.raters} reviewers, so that fewer answer them. Assign them to more."
        )
    if (answers := sum(entry.wanted for entry in subjects)) < len(campaign.reviewers):
        lines.append(f"Only {answers:,} answers are wanted: some of the reviewers will get nothing.")
    return lines


def _takers(campaign: Campaign, entry: CampaignSubject) -> tuple[str, ...]:
    """Who may get a subject."""
    return entry.takers or campaign.reviewers


def _adjudicators_answer(campaign: Campaign, entry: CampaignSubject) -> bool:
    """Whether all adjudicators may be among those who answer a subject, which they then may not settle."""
    judges = set(campaign.adjudicators)
    return bool(judges) and judges <= set(_takers(campaign, entry)) and len(judges) <= entry.wanted


def may_get(campaign: Campaign, entry: CampaignSubject, reviewer: str) -> bool:
    """Whether a subject is for this reviewer."""
    return reviewer in _takers(campaign, entry)


_PRIME = 2**31 - 1


class OrderKey(NamedTuple):
    """What the order of one reviewer is made with: lots times `factor` plus `shift`, modulo a prime."""

    factor: int
    shift: int
    prime: int = _PRIME

    def place(self, lot: int) -> int:
        """Where a lot comes; another key gives another order."""
        return (lot * self.factor + self.shift) % self.prime


def order_key(campaign: Campaign, reviewer: str) -> OrderKey:
    """The one of this reviewer; it depends on the seed and the name alone."""
    return OrderKey(
        1 + _lot(campaign.seed, "factor", reviewer) % (_PRIME - 1), _lot(campaign.seed, "shift", reviewer)
    )


def own_order(
    campaign: Campaign, subjects: Iterable[CampaignSubject], reviewer: str
) -> list[CampaignSubject]:
    """The subjects as this reviewer meets them: cases at random, the outputs to one case together.

    The order depends on the seed, the name and the subjects alone, so that it is the same tomorrow.
    """
    key = order_key(campaign, reviewer)
    mine = [entry for entry in subjects if may_get(campaign, entry, reviewer)]
    return sorted(
        mine,
        key=lambda e: (e.status != CALIBRATION, key.place(e.case_lot), key.place(e.lot), e.position),
    )


def _lot(seed: int, *words: str) -> int:
    """A number below the prime that nobody can guess and everybody computes alike."""
    digest = hashlib.sha256("\t".join((str(seed), *words)).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") % _PRIME


# What is done --------------------------------------------------------------------------------------------


def is_complete(entry: CampaignSubject, decision: Decision | None, reviewers: Collection[str]) -> bool:
    """Whether as many reviewers of the campaign as wanted have answered; unsure is an answer, too."""
    return decision is not None and len(decision.latest.keys() & set(reviewers)) >= entry.wanted


def adjudicable(
    campaign: Campaign, entry: CampaignSubject, decision: Decision | None, question: Question
) -> bool:
    """Whether an adjudicator is to settle this: all have answered, and they differ, or nobody could tell."""
    if decision is None or decision.is_adjudicated or not is_counted(entry.status):
        return False
    if not is_complete(entry, decision, campaign.reviewers):
        return False
    ratings = list(decision.ratings.values())
    return not ratings or question.differ(ratings)


class FrozenAnswers(NamedTuple):
    """What people answered by themselves: the last answer of each reviewer to each subject before the reveal.

    `changed` are the answers that hold now and read otherwise, given after others' or the judge's answer
    could be seen: each is a changed mind, and no rating.
    """

    reviews: list[Review]
    changed: list[Review]


def frozen_answers(
    reviews: Iterable[Review], seals: Mapping[str, Sequence[tuple[Campaign, CampaignSubject]]]
) -> FrozenAnswers:
    """The answers to one question that everything called blind rests on.

    Who has answered can see what others said at once; in a campaign (`seals`, by subject) only when as many
    reviewers as wanted have answered, or the campaign is closed. An adjudicator of it then sees it without an
    answer. The judge of a campaign speaks right after one's own answer.

    Args:
        reviews: all to this question, in the order of the store.
        seals: the campaigns that ask it about a subject, and what each wants.
    """
    answered: dict[str, set[str]] = {}
    seen: set[tuple[str, str]] = set()
    frozen: dict[tuple[str, str], Review] = {}
    newest: dict[tuple[str, str], Review] = {}

    def reveal(subject: str, at: str) -> None:
        """Who has answered, or adjudicates, can see what others said, unless it is sealed at this time."""
        people, asking = answered.setdefault(subject, set()), seals.get(subject, ())
        for campaign, entry in asking:
            goes_on = campaign.created <= at and not (campaign.closed and campaign.closed < at)
            if goes_on and len(people.intersection(campaign.reviewers)) < entry.wanted:
                return
        judges = {name for campaign, _ in asking for name in campaign.adjudicators}
        seen.update((subject, who) for who in people | judges if people - {who})

    for review in reviews:
        if review.is_adjudication:
            continue
        key = (review.subject, review.reviewer)
        reveal(review.subject, review.at)
        asking = seals.get(review.subject, ())
        if key in frozen and any(e.verdict and c.created <= review.at for c, e in asking):
            seen.add(key)
        if key not in seen:
            frozen[key] = review
        newest[key] = review
        answered[review.subject].add(review.reviewer)
        reveal(review.subject, review.at)
    changed = [newest[key] for key, review in frozen.items() if newest[key].answer != review.answer]
    return FrozenAnswers(list(frozen.values()), changed)


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What a machine says of a subject that a person has answered, and how often both agreed so far.

    Of the `n` answers of this person that the machine has a verdict on, it agrees with `agreed`; `low` and
    `high` are Wilson's 95 % interval of that share.
    """

    judge: str
    verdict: str
    agrees: bool
    agreed: int
    n: int
    low: float | None = None
    high: float | None = None
    score: float | None = None


def second_opinion(
    campaign: Campaign, judged: Iterable[tuple[str, str, str, float | None]], subject: str
) -> SecondOpinion | None:
    """What the judge says of a subject; `None` before this person has answered, or where it says nothing.

    `judged` are the subjects that this person has answered and the judge has a verdict on: subject, the
    person's answer, the verdict and its score.
    """
    agreed = n = 0
    here: tuple[str, str, float | None] | None = None
    for about, answer, verdict, score in judged:
        if about == subject:
            here = answer, verdict, score
        if answer != UNSURE:
            n += 1
            agreed += agree(verdict, answer)
    if here is None:
        return None
    answer, verdict, score = here
    low, high = wilson(agreed, n) if n else (None, None)
    return SecondOpinion(campaign.judge, verdict, agree(verdict, answer), agreed, n, low, high, score)


def agree(verdict: str, answer: str) -> bool:
    """Whether a verdict and a person's answer say the same: both right, or both wrong in whatever way.

    >>> agree("incorrect", "mistranslation"), agree("correct", "incorrect")
    (True, False)
    """
    return (verdict == RIGHT) == (answer == RIGHT)


@dataclass(frozen=True, slots=True)
class CampaignJudge:
    """How a judge did on the `n` subjects that it has a verdict on and people settled.

    Of these `wrong` are wrong, it called `flagged` wrong, and `hits` of those are; shares with Wilson's 95 %
    interval, `None` of nothing.
    """

    judge: str
    n: int
    wrong: int
    flagged: int
    hits: int

    @property
    def precision(self) -> tuple[float, float, float] | None:
        """How many of what it calls wrong are wrong: share, and the ends of its interval."""
        return _share(self.hits, self.flagged)

    @property
    def recall(self) -> tuple[float, float, float] | None:
        """How many of what is wrong it calls wrong: share, and the ends of its interval."""
        return _share(self.hits, self.wrong)


def _share(count: int, n: int) -> tuple[float, float, float] | None:
    return (count / n, *wilson(count, n)) if n else None


def judge_record(
    campaign: Campaign,
    subjects: Iterable[CampaignSubject],
    decisions: Mapping[tuple[str, str], Decision],
) -> CampaignJudge:
    """The verdicts of a campaign's judge compared with what people decided without seeing them."""
    n = wrong = flagged = hits = 0
    for entry in subjects:
        decision = decisions.get((entry.subject, campaign.question))
        if not entry.verdict or decision is None or decision.answer is None:
            continue
        is_flagged, is_wrong = entry.verdict != RIGHT, decision.answer != RIGHT
        n += 1
        wrong += is_wrong
        flagged += is_flagged
        hits += is_flagged and is_wrong
    return CampaignJudge(campaign.judge, n, wrong, flagged, hits)


# How fast ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pace:
    """How long somebody takes for a decision: the median of `n` gaps between two of them, in seconds.

    Gaps of more than ten minutes are pauses and do not count.
    """

    seconds: float | None
    n: int


def pace_of(times: Iterable[str]) -> Pace:
    """How long one reviewer takes, by when each answer was given; what is no time is left out.

    >>> times = ("10:00:00", "10:00:04", "10:00:14", "12:00:00")
    >>> pace_of([*(f"2026-01-31T{time}+00:00" for time in times), "soon"])
    Pace(seconds=7.0, n=2)
    """
    moments = sorted(moment for at in times if (moment := _moment(at)) is not None)
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
    working = [gap for gap in gaps if gap <= PAUSE_S]
    return Pace(median(working) if working else None, len(working))


def _moment(at: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None

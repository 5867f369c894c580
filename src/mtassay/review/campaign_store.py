"""Campaigns in the workspace: their subjects, assignments, and who may see which answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sqlite3 import Connection
from typing import Any, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Question, Review
from mtassay.data.subjects import Decision, Subject, answer_about, decide, is_model, review_now
from mtassay.review.campaigns import (
    Campaign,
    CampaignSubject,
    FrozenAnswers,
    frozen_answers,
    order_key,
    refuse_deadlock,
    refuse_unfinishable,
)
from mtassay.review.quality_control import is_counted, kind_of_check
from mtassay.runtime.database import checksum, now_exactly
from mtassay.runtime.workspace import Workspace

WITHDRAW, WITHDRAWN = "withdraw", "withdrawn"
"""The answer that takes an earlier one back, and the message after it."""
HANDOUT_S = 900.0
"""How long a subject is reserved for its reviewer; afterwards others may get it."""
_SPARE = 10  # subjects to try beyond those that others may have reserved


_FREE = """
    campaign = ?1 AND subject NOT IN (
        WITH answered AS (
            SELECT subject, MAX(reviewer = ?3) AS is_own, COUNT(DISTINCT reviewer) AS given FROM reviews
            WHERE question = ?2 AND reviewer IN (SELECT value FROM json_each(?5)) GROUP BY subject
        )
        SELECT a.subject FROM answered a CROSS JOIN campaign_subjects s ON s.subject = a.subject
        WHERE s.campaign = ?1 AND (a.is_own OR a.given >= s.wanted)
    )
"""
"""Subjects that a reviewer may get: not answered by them, and by fewer others than wanted.

Finished subjects are collected at once, since a query for each subject of a large campaign is slow.
"""
_NEXT = f"""
    WHERE {_FREE} AND subject NOT IN (SELECT value FROM json_each(?6))
    ORDER BY subject NOT IN (
        SELECT subject FROM handouts WHERE campaign = ?1 AND reviewer = ?3 AND until > ?4
    ), status <> 'calibration', (case_lot * ?7 + ?8) % ?9, (lot * ?7 + ?8) % ?9, position LIMIT ?10
"""
"""The first of these subjects: those that the reviewer has open, then in the reviewer's order."""


_FORGET_STANDINGS = "DELETE FROM standings_mark"
"""Recompute decisions, since the start and end of a campaign change which answers count (see `sealed`)."""


class AnswerCounts(NamedTuple):
    """The numbers of answers given, of answers wanted, and of subjects that still lack answers."""

    given: int
    wanted: int
    incomplete: int


class CampaignStore:
    """The campaigns of one workspace. Every method is one short transaction, or only reads."""

    def __init__(self, store: Workspace) -> None:
        self._store = store
        self._database = store.database

    def save(
        self, campaign: Campaign, entries: Sequence[CampaignSubject], subjects: Iterable[Subject]
    ) -> None:
        """Store a new campaign with its subjects. A name in use is a `UsageError`."""
        with self._database.transaction() as connection:
            if connection.execute("SELECT 1 FROM campaigns WHERE name = ?", (campaign.name,)).fetchone():
                raise UsageError(f"There is a campaign '{campaign.name}' already. Choose another name.")
            self._store.put_subjects(subjects)
            content = json.dumps(campaign.record(), ensure_ascii=False)
            self._database.insert("campaigns", [(campaign.name, content)])
            connection.execute(
                "UPDATE campaigns SET sequence = (SELECT MAX(sequence) + 1 FROM campaigns) WHERE name = ?",
                (campaign.name,),
            )
            connection.execute(_FORGET_STANDINGS)
            self._database.insert("campaign_subjects", (_row(campaign, entry) for entry in entries))

    def close(self, name: str) -> Campaign:
        """End a campaign: nothing is assigned any more. Answers stay; a closed campaign stays closed."""
        campaign = self.campaign(name)
        if campaign.closed:
            return campaign
        ended = replace(campaign, closed=now_exactly())
        with self._database.transaction() as connection:
            self._put(connection, ended)
        return ended

    def _put(self, connection: Connection, campaign: Campaign) -> None:
        content = json.dumps(campaign.record(), ensure_ascii=False)
        connection.execute(
            "UPDATE campaigns SET content = ?, checksum = ? WHERE name = ?",
            (content, checksum((campaign.name, content)), campaign.name),
        )
        connection.execute("DELETE FROM handouts WHERE campaign = ?", (campaign.name,))
        connection.execute(_FORGET_STANDINGS)

    def change_people(
        self, campaign: Campaign, reviewers: Sequence[str], adjudicators: Sequence[str]
    ) -> Campaign:
        """Change the reviewers. Those not named get nothing more; their answers count.

        It is a `UsageError` if outputs could then never get all of their answers.
        """
        everybody = tuple(dict.fromkeys((*campaign.reviewers, *reviewers)))
        gone = tuple(name for name in everybody if name not in reviewers)
        late = tuple(dict.fromkeys((*campaign.late, *everybody[len(campaign.reviewers) :])))
        people = {"reviewers": everybody, "adjudicators": tuple(adjudicators), "left": gone, "late": late}
        changed = replace(campaign, **people)  # type: ignore[arg-type]
        with self._database.transaction() as connection:
            answered: dict[str, set[str]] = {}
            for subject, name in connection.execute(
                "SELECT r.subject, r.reviewer FROM reviews r JOIN campaign_subjects s "
                "ON s.subject = r.subject WHERE s.campaign = ? AND r.question = ?",
                (campaign.name, campaign.question),
            ):
                answered.setdefault(subject, set()).add(name)
            entries = [
                entry
                if is_counted(entry.status)  # all reviewers get checks and calibration
                else entry._replace(wanted=len({*reviewers, *answered.get(entry.subject, ())} & {*everybody}))
                for entry in self.subjects(campaign)
            ]
            refuse_deadlock(changed, entries, answered)
            refuse_unfinishable(changed, entries)
            connection.execute("DELETE FROM campaign_subjects WHERE campaign = ?", (campaign.name,))
            self._database.insert("campaign_subjects", (_row(campaign, entry) for entry in entries))
            self._put(connection, changed)
        return changed

    def delete(self, name: str) -> Campaign:
        """Delete a campaign; its answers stay."""
        campaign = self.campaign(name)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM campaigns WHERE name = ?", (campaign.name,))
            connection.execute(_FORGET_STANDINGS)
        return campaign

    def campaigns(self) -> list[Campaign]:
        """All campaigns, newest first."""
        rows = self._database.read("campaigns", "ORDER BY sequence DESC")
        return [self._read(content) for _, content in rows]

    def campaign(self, name: str) -> Campaign:
        """The campaign of this name; `last` is the newest."""
        rows = self._database.read("campaigns", "WHERE name = ?", name)
        if rows:
            return self._read(rows[0][1])
        campaigns = self.campaigns()
        if name == "last" and campaigns:
            return campaigns[0]
        names = ", ".join(campaign.name for campaign in campaigns)
        hint = f"There are: {names}." if names else "Make one: mtassay review campaign create NAME"
        raise UsageError(f"No campaign '{name}' in {self._store.path}. {hint}")

    def _read(self, content: str) -> Campaign:
        with self._database.parsing("campaigns"):
            return Campaign.of(json.loads(content))

    def _entries(self, rows: Iterable[Sequence[Any]]) -> list[CampaignSubject]:
        with self._database.parsing("campaign_subjects"):
            return list(map(_entry, rows))

    def subjects(self, campaign: Campaign, chosen: Collection[str] | None = None) -> list[CampaignSubject]:
        """The subjects of a campaign, in order; with `chosen`, only these ids."""
        some = "" if chosen is None else "AND subject IN (SELECT value FROM json_each(?2)) "
        more = () if chosen is None else (json.dumps(list(chosen)),)
        where = f"WHERE campaign = ?1 {some}ORDER BY position"
        return self._entries(self._database.read("campaign_subjects", where, campaign.name, *more))

    def beside(self, campaign: Campaign, entry: CampaignSubject) -> list[CampaignSubject]:
        """Return the other subjects of the same case in the same run."""
        where = "WHERE campaign = ?1 AND run = ?2 AND case_id = ?3 AND subject <> ?4"
        values = (campaign.name, entry.run, entry.case_id, entry.subject)
        return self._entries(self._database.read("campaign_subjects", where, *values))

    def named(self, campaign: Campaign, beginning: str) -> list[CampaignSubject]:
        """Return the subject of a campaign with this id, or else the subject whose id begins with it."""
        rows = self._database.read(
            "campaign_subjects", "WHERE +campaign = ?1 AND subject = ?2", campaign.name, beginning
        )
        if not rows:
            rows = self._database.read(
                "campaign_subjects",
                "WHERE campaign = ?1 AND substr(subject, 1, ?2) = ?3 ORDER BY position",
                *(campaign.name, len(beginning), beginning),
            )
        return self._entries(rows)

    def latest(self, campaign: Campaign, reviewer: str, *, before: str = "") -> str | None:
        """The subject of a campaign that somebody answered last, or last before the given one."""
        rows = self._database.select(
            "SELECT r.subject FROM reviews r JOIN campaign_subjects s ON s.subject = r.subject "
            "WHERE s.campaign = ?1 AND r.question = ?2 AND r.reviewer = ?3 AND r.subject <> ?4 AND (?4 = '' "
            "OR r.rowid < (SELECT MAX(rowid) FROM reviews WHERE subject = ?4 AND question = ?2 "
            "AND reviewer = ?3)) ORDER BY r.rowid DESC LIMIT 1",
            *(campaign.name, campaign.question, reviewer, before),
        )
        return str(rows[0][0]) if rows else None

    def counts(self, campaign: Campaign) -> AnswerCounts:
        """Count the answers given, the answers wanted, and the subjects that wait for answers."""
        rows = self._database.select(
            "SELECT COALESCE(SUM(MIN(wanted, given)), 0), COALESCE(SUM(wanted), 0), "
            "COALESCE(SUM(given < wanted), 0) FROM (SELECT s.wanted AS wanted, "
            "(SELECT COUNT(DISTINCT reviewer) FROM reviews r WHERE r.subject = s.subject "
            "AND r.question = ?2 AND reviewer IN (SELECT value FROM json_each(?3))) AS given "
            "FROM campaign_subjects s WHERE s.campaign = ?1)",
            *(campaign.name, campaign.question, json.dumps(campaign.reviewers)),
        )
        return AnswerCounts(*map(int, rows[0]))

    def left(self, campaign: Campaign, reviewer: str) -> int:
        """Count the subjects that a reviewer could get now."""
        if campaign.closed or reviewer not in campaign.active:
            return 0
        rows = self._database.select(
            f"SELECT COUNT(*) FROM campaign_subjects WHERE {_FREE}",
            *(campaign.name, campaign.question, reviewer, time.time(), json.dumps(campaign.reviewers)),
        )
        return int(rows[0][0])

    def hand_out(
        self, campaign: Campaign, reviewer: str, *, skip: Iterable[str] = ()
    ) -> CampaignSubject | None:
        """The next subject for a reviewer, reserved for a while; `None` if there is nothing left.

        The reviewer's last open subject comes again, unless it is skipped. Otherwise it is the first in the
        reviewer's order that they have not answered, if too few others have answered or reserved it.
        """
        if campaign.closed or reviewer in campaign.left:
            return None
        key = order_key(campaign, reviewer)
        passed = list(skip)
        while True:
            rows = self._database.read(
                "campaign_subjects",
                _NEXT,
                *(campaign.name, campaign.question, reviewer, time.time(), json.dumps(campaign.reviewers)),
                *(json.dumps(passed), *key, len(campaign.reviewers) + _SPARE),
            )
            candidates = self._entries(rows)
            taken = self._take(campaign, reviewer, candidates)
            if taken is not None or not candidates:
                return taken
            passed += [entry.subject for entry in candidates]  # others were faster with all of these

    def _take(
        self, campaign: Campaign, reviewer: str, candidates: Sequence[CampaignSubject]
    ) -> CampaignSubject | None:
        """The first subject that is still free, inside a write transaction."""
        now = time.time()
        with self._database.transaction() as connection:
            for entry in candidates:
                busy = connection.execute(
                    "SELECT reviewer FROM reviews WHERE subject = ?1 AND question = ?2 UNION "
                    "SELECT reviewer FROM handouts WHERE campaign = ?3 AND subject = ?1 AND until > ?4",
                    (entry.subject, campaign.question, campaign.name, now),
                ).fetchall()
                others = {name for (name,) in busy if name in campaign.reviewers and name != reviewer}
                if len(others) >= entry.wanted:
                    continue
                connection.execute(
                    "DELETE FROM handouts WHERE campaign = ? AND reviewer = ?", (campaign.name, reviewer)
                )
                connection.execute(
                    "INSERT OR REPLACE INTO handouts VALUES (?, ?, ?, ?)",
                    (campaign.name, entry.subject, reviewer, now + HANDOUT_S),
                )
                return entry
        return None


# Visibility -----------------------------------------------------------------------------------------------


def sealed(store: Workspace, subjects: Collection[str] | None = None) -> dict[tuple[str, str], set[str]]:
    """Return the subjects whose answers nobody may see yet, since an open campaign waits for more.

    They map subject and question to the reviewers of these campaigns. `subjects` limits the search.
    """
    found: dict[tuple[str, str], set[str]] = {}
    some = "" if subjects is None else "AND s.subject IN (SELECT value FROM json_each(?4)) "
    more = () if subjects is None else (json.dumps(list(subjects)),)
    for campaign in CampaignStore(store).campaigns():
        if campaign.closed:
            continue
        for (subject,) in store.database.select(
            "SELECT s.subject FROM campaign_subjects s JOIN reviews r ON r.subject = s.subject "
            f"AND r.question = ?2 WHERE {'+' * bool(some)}s.campaign = ?1 {some}GROUP BY s.position "
            "HAVING COUNT(DISTINCT CASE WHEN r.reviewer IN (SELECT value FROM json_each(?3)) "
            "THEN r.reviewer END) < s.wanted",
            *(campaign.name, campaign.question, json.dumps(campaign.reviewers), *more),
        ):
            found.setdefault((subject, campaign.question), set()).update(campaign.reviewers)
    return found


def counted_reviews(store: Workspace, reviews: Iterable[Review], viewer: str = "") -> list[Review]:
    """Return the reviews that decisions use: those that are not sealed, and the viewer's own.

    Answers to attention checks, which no system produced, do not count.
    """
    given = list(reviews)
    about = {review.subject for review in given}
    seals = sealed(store, about)
    checks = {
        subject
        for subject, status in store.database.select(
            "SELECT subject, status FROM campaign_subjects WHERE instr(status, ':') "
            "AND subject IN (SELECT value FROM json_each(?))",
            json.dumps(list(about)),
        )
        if kind_of_check(status)
    }
    return [
        r
        for r in given
        if r.subject not in checks and (r.reviewer == viewer or (r.subject, r.question) not in seals)
    ]


def visible_reviews(
    store: Workspace, reviews: Iterable[Review], viewer: str, *, is_admin: bool = False
) -> list[Review]:
    """Select what a viewer may see of reviews: the one rule for pages, programs and commands.

    They always see their own. If a subject is sealed, only an admin who is not a reviewer of its campaign
    sees other people's answers. For any other subject, those who answered or adjudicate it see them, too.
    """
    given = list(reviews)
    about = {review.subject for review in given}
    seals = sealed(store, about)
    known = {(r.subject, r.question) for r in given if r.reviewer == viewer} | _adjudicated_by(
        store, viewer, about
    )

    def may_see(review: Review) -> bool:
        key = (review.subject, review.question)
        if review.reviewer == viewer:
            return True
        if key in seals:
            return is_admin and viewer not in seals[key]
        return is_admin or key in known

    return list(filter(may_see, given))


def nameless(reviews: Sequence[Review], viewer: str) -> list[Review]:
    """Replace all names but the viewer's by numbers, so that names do not influence judgements.

    A language model is still named as one.
    """
    others = [name for name in dict.fromkeys(review.reviewer for review in reviews) if name != viewer]
    names = {name: f"{'model:' * is_model(name)}reviewer {n}" for n, name in enumerate(others, start=1)}
    return [replace(review, reviewer=names.get(review.reviewer, viewer)) for review in reviews]


def frozen_reviews(store: Workspace, question: str, subjects: Collection[str] | None = None) -> FrozenAnswers:
    """Return answers given before others' were visible, and who changed theirs since."""
    reviews = store.reviews(question) if subjects is None else store.reviews_about(subjects, question)
    about = {review.subject for review in reviews}
    shelf = CampaignStore(store)
    # A former admin could see all answers, too, so use the journal.
    admins = dict(
        store.database.select(
            "SELECT name, MIN(since) FROM (SELECT name, since FROM invitations WHERE role = 'admin' "
            "UNION ALL SELECT person, at FROM journal WHERE deed = 'was invited as admin') GROUP BY name"
        )
    )
    seals: dict[str, list[tuple[Campaign, CampaignSubject]]] = {}
    for campaign in shelf.campaigns():
        if campaign.question == question:
            for entry in shelf.subjects(campaign, about):
                seals.setdefault(entry.subject, []).append((campaign, entry))
    return frozen_answers(reviews, seals, admins)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A reviewer's stored answer, and the decision that all answers lead to now.

    `decision` is `None` while a campaign waits for others, because it would reveal their answers. `is_new` is
    false for an answer that was sent before. `answers` are other answers that this reviewer may see now.
    """

    subject: Subject
    question: Question
    review: Review
    decision: Decision | None
    is_new: bool = True
    answers: Mapping[str, Review] = field(default_factory=dict)

    @property
    def holds(self) -> str:
        """The current decision, in a word or two."""
        if self.review.answer == WITHDRAWN:
            return WITHDRAWN
        if self.decision is None:
            return "waiting for others"
        return "disputed" if self.decision.is_disputed else self.decision.answer or "still open"


def keep_answer(
    store: Workspace,
    subject: Subject,
    question: Question,
    text: str,
    reviewer: str,
    *,
    note: str = "",
    receipt: str | None = None,
    is_adjudication: bool = False,
    along: Callable[[], object] | None = None,
) -> KeptAnswer:
    """Store an answer about a subject: the terminal, the page and campaigns all use this.

    An answer that the question does not allow is a `UsageError`. For `receipt` and `along` see
    `Workspace.add_reviews`.
    """
    about = (subject.id, question.name)
    if text.strip().lower() == WITHDRAW and question.kind != "text" and not is_adjudication:
        return _withdrawn(store, subject, question, reviewer)
    try:
        answer = answer_about(question, text, subject)
    except ValueError as error:
        raise UsageError(str(error)) from None
    review = review_now(
        subject.id, question.name, answer, reviewer, note=note, is_adjudication=is_adjudication
    )
    added = store.add_reviews([review], [subject], receipt=receipt, along=along)
    reviews = store.reviews(question.name, subject=subject.id)
    decision = None
    if about not in sealed(store, [subject.id]):
        decision = decide(reviews, {question.name: question.combine})[about]
    return KeptAnswer(subject, question, review, decision, bool(added))


def _withdrawn(store: Workspace, subject: Subject, question: Question, reviewer: str) -> KeptAnswer:
    """Take an answer back, unless its reviewer may have seen other answers: a new one would not be blind."""
    given = store.reviews(question.name, subject=subject.id)
    own = [r for r in given if r.reviewer == reviewer and not r.is_adjudication]
    if not own:
        raise UsageError("You have no answer that you could withdraw.")
    if any(r.reviewer != reviewer for r in visible_reviews(store, given, reviewer)):
        raise UsageError(
            "You have seen the answers of others, so you cannot withdraw yours. Answer again "
            "instead. Both answers are kept."
        )
    store.withdraw(subject.id, question.name, reviewer)
    return KeptAnswer(subject, question, replace(own[-1], answer=WITHDRAWN), None, False)


def _adjudicated_by(store: Workspace, viewer: str, subjects: Collection[str]) -> set[tuple[str, str]]:
    return {
        (subject, campaign.question)
        for campaign in CampaignStore(store).campaigns()
        if viewer in campaign.adjudicators
        for (subject,) in store.database.select(
            "SELECT subject FROM campaign_subjects WHERE campaign = ?1 "
            "AND subject IN (SELECT value FROM json_each(?2))",
            *(campaign.name, json.dumps(list(subjects))),
        )
    }


def _row(campaign: Campaign, entry: CampaignSubject) -> tuple[object, ...]:
    # Empty columns: who may get it, and a judge's verdict and score, which early campaigns had.
    systems = json.dumps(entry.systems, ensure_ascii=False)
    return (campaign.name, *entry[:7], systems, "[]", *entry[8:], "", None)


def _entry(row: Sequence[Any]) -> CampaignSubject:
    return CampaignSubject._make((*row[1:8], tuple(json.loads(row[8])), *row[10:13]))

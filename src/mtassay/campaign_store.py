"""Campaigns in the workspace: what they are, what belongs to them, and who has what before them now."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mtassay.database import checksum
from mtassay.errors import UsageError
from mtassay.reviews.campaigns import Campaign, CampaignSubject
from mtassay.reviews.subjects import Subject
from mtassay.store import Workspace, now_exactly

__all__ = ["HANDOUT_S", "CampaignStore"]

HANDOUT_S = 900.0
"""How long a subject is kept for the person who has it before them; afterwards others may get it."""
_AT_ONCE = 20  # subjects that are tried in one transaction


class CampaignStore:
    """The campaigns of one workspace. Every method is one short transaction, or reads only."""

    def __init__(self, store: Workspace) -> None:
        self._store = store
        self._database = store.database

    def save(
        self, campaign: Campaign, entries: Sequence[CampaignSubject], subjects: Iterable[Subject]
    ) -> None:
        """Keep a new campaign with what belongs to it. A name that is taken is a `UsageError`."""
        with self._database.transaction() as connection:
            if connection.execute("SELECT 1 FROM campaigns WHERE name = ?", (campaign.name,)).fetchone():
                raise UsageError(f"There is a campaign '{campaign.name}' already. Choose another name.")
            self._store.put_subjects(subjects)
            self._insert(campaign)
            rows = (
                (campaign.name, *entry[:7], json.dumps(entry.systems, ensure_ascii=False), *entry[8:])
                for entry in entries
            )
            self._database.insert("campaign_subjects", rows)

    def _insert(self, campaign: Campaign) -> None:
        content = json.dumps(campaign.record(), ensure_ascii=False)
        self._database.insert("campaigns", [(campaign.name, content)])

    def close(self, name: str) -> Campaign:
        """End a campaign: nothing is handed out any more. Answers stay; one that is closed stays so."""
        campaign = self.campaign(name)
        if campaign.closed:
            return campaign
        ended = replace(campaign, closed=now_exactly())
        content = json.dumps(ended.record(), ensure_ascii=False)
        row = (ended.name, content)
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE campaigns SET content = ?, checksum = ? WHERE name = ?",
                (content, checksum(row), ended.name),
            )
            connection.execute("DELETE FROM handouts WHERE campaign = ?", (ended.name,))
        return ended

    def delete(self, name: str) -> Campaign:
        """Forget a campaign; what people answered stays."""
        campaign = self.campaign(name)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM campaigns WHERE name = ?", (campaign.name,))
        return campaign

    def campaigns(self) -> list[Campaign]:
        """All of them, newest first."""
        rows = self._database.read("campaigns")
        campaigns = [Campaign.of(json.loads(content)) for _, content in rows]
        return sorted(campaigns, key=lambda campaign: campaign.created, reverse=True)

    def campaign(self, name: str) -> Campaign:
        """The campaign of this name; `last` is the newest."""
        rows = self._database.read("campaigns", "WHERE name = ?", name)
        if rows:
            return Campaign.of(json.loads(rows[0][1]))
        campaigns = self.campaigns()
        if name == "last" and campaigns:
            return campaigns[0]
        names = ", ".join(campaign.name for campaign in campaigns)
        hint = f"There are: {names}." if names else "Make one: mtassay review campaign create NAME"
        raise UsageError(f"No campaign '{name}' in {self._store.path}. {hint}")

    def subjects(self, campaign: Campaign) -> list[CampaignSubject]:
        """What belongs to a campaign, in order."""
        rows = self._database.read("campaign_subjects", "WHERE campaign = ? ORDER BY position", campaign.name)
        return [CampaignSubject._make((*row[1:8], tuple(json.loads(row[8])), *row[9:])) for row in rows]

    def answered(self, campaign: Campaign) -> dict[str, set[str]]:
        """Who has answered each subject, adjudicators left out; a subject without answers is not there."""
        answered: dict[str, set[str]] = {}
        for subject, reviewer in self._database.select(
            "SELECT DISTINCT r.subject, r.reviewer FROM campaign_subjects s JOIN reviews r "
            "ON r.subject = s.subject AND r.question = ?2 WHERE s.campaign = ?1 AND NOT EXISTS ("
            "SELECT 1 FROM adjudications a WHERE a.subject = r.subject AND a.question = r.question "
            "AND a.reviewer = r.reviewer AND a.at = r.at)",
            campaign.name,
            campaign.question,
        ):
            answered.setdefault(subject, set()).add(reviewer)
        return answered

    def handouts(self, campaign: Campaign) -> dict[str, set[str]]:
        """Who has which subject before them just now."""
        held: dict[str, set[str]] = {}
        for subject, reviewer in self._database.select(
            "SELECT subject, reviewer FROM handouts WHERE campaign = ? AND until > ?",
            campaign.name,
            time.time(),
        ):
            held.setdefault(subject, set()).add(reviewer)
        return held

    def hand_out(
        self, campaign: Campaign, reviewer: str, order: Sequence[CampaignSubject], *, skip: Iterable[str] = ()
    ) -> CampaignSubject | None:
        """The next subject for a reviewer, who then has it before them for a while; `None` for none.

        It is the first one in this order that the reviewer has not answered, and that fewer others have
        answered or before them than are wanted. What the reviewer had before comes again, unless it is to be
        skipped.
        """
        if campaign.closed:
            return None
        passed, everyone = set(skip), set(campaign.reviewers)
        answered, held = self.answered(campaign), self.handouts(campaign)

        def is_free(entry: CampaignSubject) -> bool:
            done, busy = answered.get(entry.subject, set()), held.get(entry.subject, set())
            others = ((done | busy) & everyone) - {reviewer}
            return reviewer not in done and entry.subject not in passed and len(others) < entry.wanted

        free = [entry for entry in order if is_free(entry)]
        mine = [entry for entry in free if reviewer in held.get(entry.subject, set())]
        candidates = [*mine, *(entry for entry in free if entry not in mine)] if mine else free
        for start in range(0, len(candidates), _AT_ONCE):
            taken = self._take(campaign, reviewer, candidates[start : start + _AT_ONCE])
            if taken is not None:
                return taken
        return None

    def _take(
        self, campaign: Campaign, reviewer: str, candidates: Sequence[CampaignSubject]
    ) -> CampaignSubject | None:
        """The first one that is still free, now that nobody else writes."""
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

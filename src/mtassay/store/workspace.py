"""The workspace as a whole: runs, answers and reviews, the cache, and what is deleted across all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

from mtassay.database import UnavailableError, is_intact
from mtassay.store.answers import KeptAnswers
from mtassay.store.reviews import KeptReviews
from mtassay.store.runs import KeptRuns
from mtassay.store.values import texts_in

__all__ = ["CACHE_BYTES", "Purged", "Workspace"]

CACHE_BYTES = 512 * 2**20
"""When the cache grows beyond this, what was stored longest ago goes."""


class Purged(NamedTuple):
    """What was deleted for good: runs, and how many answers and reviews; `others` hold the same texts."""

    runs: Sequence[str]
    answers: int
    reviews: int
    others: Sequence[str]


class Workspace(KeptRuns, KeptAnswers, KeptReviews):
    """An open workspace file. Every method is one transaction: a kill leaves all of it or nothing."""

    def recall(self, key: str) -> bytes | None:
        """A cached value, or `None`; what is damaged is not there."""
        rows = self._database.rows("cache", "WHERE key = ?", key)
        return rows[0][1] if rows and is_intact(rows[0]) else None

    def remember(self, values: Iterable[tuple[str, bytes]]) -> None:
        """Put values into the cache, and make room if it has grown too large.

        Where the file cannot be written just now they are not kept: they can be computed again.
        """
        if self.read_only:
            return
        now = datetime.now(UTC).isoformat()
        with suppress(UnavailableError), self._database.transaction() as connection:
            values = list(values)
            connection.executemany("DELETE FROM cache WHERE key = ?", ((key,) for key, _ in values))
            self._database.insert("cache", ((key, value, now) for key, value in values))
            connection.execute(
                "DELETE FROM cache WHERE key IN (SELECT key FROM (SELECT key, SUM(LENGTH(value)) OVER "
                "(ORDER BY stored DESC, key ROWS UNBOUNDED PRECEDING) AS total FROM cache) WHERE total > ?)",
                (CACHE_BYTES,),
            )

    def purge(self, names: Sequence[str]) -> Purged:
        """Delete runs with all answers, reviews and cached values that hold their texts, without a trace."""
        run_ids = [self._run_id(name) for name in names]
        texts = {text for run_id in run_ids for text in self._texts(run_id)}
        subjects = {
            str(row[0])
            for row in self._database.rows("subjects")
            if texts & set(texts_in(json.loads(row[1])))
        }
        others = [run_id for run_id in self._ids() if run_id not in run_ids and texts & self._texts(run_id)]
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM runs WHERE id = ?", [(run_id,) for run_id in run_ids])
            answers = [
                row_id
                for row_id, text, source in connection.execute("SELECT id, text, source FROM answers")
                if text in texts or source in texts
            ]
            connection.executemany("DELETE FROM answers WHERE id = ?", [(row_id,) for row_id in answers])
            reviews = sum(
                connection.execute("DELETE FROM reviews WHERE subject = ?", (subject,)).rowcount
                for subject in subjects
            )
            connection.executemany("DELETE FROM subjects WHERE id = ?", [(s,) for s in subjects])
            connection.execute("DELETE FROM standings")
            connection.execute("DELETE FROM standings_mark")
            connection.execute("DELETE FROM cache")  # which does not say whose texts it holds
        self._database.vacuum()
        return Purged(run_ids, len(answers), reviews, others)

    def _texts(self, run_id: str) -> set[str]:
        """Every text of a run that somebody wrote or an engine said; what is short is everybody's."""
        rows = self._database.rows("segments", "WHERE run = ?", run_id)
        texts = [text for row in rows for text in (row[3], *texts_in(json.loads(row[4])))]
        texts += [row[4] for row in self._database.rows("outputs", "WHERE run = ?", run_id)]
        return {text for text in texts if text}

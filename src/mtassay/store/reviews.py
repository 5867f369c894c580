"""What people answered, and what they looked at."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from sqlite3 import Connection

from mtassay.core import Review
from mtassay.errors import UsageError
from mtassay.reviews import Subject, subject_from
from mtassay.store.file import WorkspaceFile
from mtassay.store.values import AT_ONCE, among, as_json, as_text

__all__ = ["KeptReviews"]


class KeptReviews(WorkspaceFile):
    """Reviews, which are only ever added, and their subjects."""

    def add_reviews(
        self,
        reviews: Iterable[Review],
        subjects: Iterable[Subject],
        *,
        receipt: str | None = None,
        along: Callable[[], object] | None = None,
    ) -> int:
        """Keep what people answered, with what they looked at; gives how many were not there before.

        With a `receipt`, an id that whoever sends one review made up, the same review sent again is not kept
        twice. What is done `along` with it, in a file, is done while nobody else writes here: where either
        fails, neither is done.
        """
        reviews = list(reviews)
        final = [r for r in reviews if r.is_adjudication]
        with self._database.transaction() as connection:
            self.put_subjects(subjects)
            if receipt is not None and not self._is_new(connection, receipt, *reviews):
                return 0
            self._database.insert(
                "adjudications", ((r.subject, r.question, r.reviewer, r.at) for r in final), or_ignore=True
            )
            # Who has answered holds the subject back from nobody any more.
            connection.executemany(
                "DELETE FROM handouts WHERE subject = ? AND reviewer = ?",
                [(r.subject, r.reviewer) for r in reviews],
            )
            added = self._database.insert(
                "reviews",
                ((r.subject, r.question, r.answer, r.reviewer, as_text(r.note), r.at) for r in reviews),
                or_ignore=True,
            )
            if along is not None:
                along()
            return added

    def put_subjects(self, subjects: Iterable[Subject]) -> None:
        """Keep what people look at, inside a transaction."""
        self._database.insert("subjects", ((s.id, as_json(asdict(s))) for s in subjects), or_ignore=True)

    def _is_new(self, connection: Connection, receipt: str, review: Review) -> bool:
        """Whether nobody has sent this before; a receipt for another answer is a `UsageError`."""
        content = (review.subject, review.question, review.answer, review.reviewer)
        row = connection.execute(
            "SELECT subject, question, answer, reviewer FROM receipts WHERE id = ?", (receipt,)
        ).fetchone()
        if row is None:
            connection.execute("INSERT INTO receipts VALUES (?, ?, ?, ?, ?)", (receipt, *content))
        elif row != content:
            raise UsageError(f"The id '{receipt[:40]}' was used for another answer. Make a new one.")
        return row is None

    def reviews(self, question: str | None = None, *, subject: str | None = None) -> list[Review]:
        """All reviews in the order of their time, or those that answer one question, or about one subject."""
        return self._reviews({"question": question, "subject": subject})

    def reviews_about(self, subjects: Collection[str], question: str | None = None) -> list[Review]:
        """The reviews of these subjects in the order of their time, or those that answer one question."""
        ids = list(subjects)
        found = [
            review
            for start in range(0, len(ids), AT_ONCE)
            for review in self._reviews({"question": question}, ids[start : start + AT_ONCE])
        ]
        return sorted(found, key=lambda review: review.at)

    def _reviews(
        self, equal: Mapping[str, str | None], subjects: Sequence[str] | None = None
    ) -> list[Review]:
        """The reviews with these values in their columns, or about some of the subjects."""
        wanted = {column: value for column, value in equal.items() if value is not None}
        conditions = " AND ".join(["TRUE", *(f"{column} = ?" for column in wanted)])
        rest = f"WHERE {conditions} {among('subject', subjects)}"
        values = (*wanted.values(), *(subjects or ()))
        final = set(self._database.read("adjudications", rest, *values))
        rows = self._database.read("reviews", f"{rest} ORDER BY at, rowid", *values)
        return [
            Review(*row, is_adjudication=(row[0], row[1], row[3], row[5]) in final)  # type: ignore[misc]
            for row in rows
        ]

    def subjects_of(self, case_id: str) -> list[Subject]:
        """What reviews are about, of one case."""
        rows = self._database.read("subjects", "WHERE json_extract(content, '$.case_id') = ?", case_id)
        return [subject_from(json.loads(content)) for _, content in rows]

    @property
    def reviews_count(self) -> int:
        """How many reviews there are: what was computed from them holds as long as it stays the same."""
        return int(self._database.select("SELECT COUNT(*) FROM reviews")[0][0])

    def subjects(self, some: Collection[str] | None = None) -> dict[str, Subject]:
        """What reviews are about, or will be, by id; with `some` only these."""
        keys: Sequence[Sequence[str] | None] = [None]
        if some is not None:
            listed = list(some)
            keys = [listed[start : start + AT_ONCE] for start in range(0, len(listed), AT_ONCE)]
        return {
            subject: subject_from(json.loads(content))
            for part in keys
            for subject, content in self._database.read(
                "subjects", f"WHERE TRUE {among('id', part)}", *(part or ())
            )
        }

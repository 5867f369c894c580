"""The workspace: people's answers and their subjects, answers of live engines, a cache, and runs."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

from mtassay.data.errors import UsageError, WorkspaceError
from mtassay.data.nouns import Output, Request, Review
from mtassay.data.subjects import Subject, subject_from
from mtassay.runtime.database import (
    AT_ONCE,
    TABLES,
    DamagedError,
    UnavailableError,
    WorkspaceFile,
    among,
    as_json,
    as_text,
    is_intact,
    now_exactly,
    texts_in,
)
from mtassay.runtime.run_store import KeptRuns


class KeptReviews(WorkspaceFile):
    """Reviews, which are only ever added or withdrawn, and their subjects."""

    def add_reviews(
        self,
        reviews: Iterable[Review],
        subjects: Iterable[Subject],
        *,
        receipt: str | None = None,
        along: Callable[[], object] | None = None,
    ) -> int:
        """Store reviews with their subjects; return how many are new.

        A `receipt` is an id chosen by the sender: a review with a known receipt is not stored again. `along`
        is work on a file that is done while nobody else writes here. If either fails, neither is done.
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
            # After an answer, the subject is no longer reserved for its reviewer.
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

    def withdraw(self, subject: str, question: str, reviewer: str) -> None:
        """Withdraw a person's answer about a subject; the journal says that there was an answer."""
        where = "WHERE subject = ? AND question = ? AND reviewer = ?"
        with self._database.transaction() as connection:
            for table in ("reviews", "receipts"):
                connection.execute(f"DELETE FROM {table} {where}", (subject, question, reviewer))
            deed = f"withdrew the answer to {question} about {subject}"
            self._database.insert("journal", [(now_exactly(), reviewer, deed)])

    def put_subjects(self, subjects: Iterable[Subject]) -> None:
        """Store subjects, inside a transaction."""
        self._database.insert("subjects", ((s.id, as_json(asdict(s))) for s in subjects), or_ignore=True)

    def _is_new(self, connection: Connection, receipt: str, review: Review) -> bool:
        """Record a receipt; return whether it is new. A receipt for another answer is a `UsageError`."""
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
        """All reviews in the order in which they came, or those of one question, or about one subject."""
        return self._reviews({"question": question, "subject": subject})

    def reviews_about(self, subjects: Collection[str], question: str | None = None) -> list[Review]:
        """The reviews of these subjects in the order in which they came, or those of one question."""
        return self._reviews({"question": question}, subjects)

    def _reviews(
        self, equal: Mapping[str, str | None], subjects: Collection[str] | None = None
    ) -> list[Review]:
        """The reviews with these values in their columns, or about some of the subjects."""
        wanted = {column: value for column, value in equal.items() if value is not None}
        conditions = " AND ".join(["TRUE", *(f"{column} = ?" for column in wanted)])
        values = list(wanted.values())
        rest = f"WHERE {conditions}"
        if subjects is not None:
            rest += " AND subject IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(subjects)))
        final = set(self._database.read("adjudications", rest, *values))
        rows = self._database.read("reviews", f"{rest} ORDER BY rowid", *values)  # a clock may go back
        return [
            Review(*row, is_adjudication=(row[0], row[1], row[3], row[5]) in final)  # type: ignore[misc]
            for row in rows
        ]

    def subjects_of(self, case_id: str) -> list[Subject]:
        """The subjects of reviews of one case."""
        rows = self._database.read("subjects", "WHERE json_extract(content, '$.case_id') = ?", case_id)
        with self._database.parsing("subjects"):
            return [subject_from(json.loads(content)) for _, content in rows]

    @property
    def reviews_count(self) -> int:
        """The number of reviews; while it stays the same, results computed from them are valid."""
        return int(self._database.select("SELECT COUNT(*) FROM reviews")[0][0])

    def subjects(self, some: Collection[str] | None = None) -> dict[str, Subject]:
        """The subjects of reviews so far and to come, by id; with `some` only these."""
        keys: Sequence[Sequence[str] | None] = [None]
        if some is not None:
            listed = list(some)
            keys = [listed[start : start + AT_ONCE] for start in range(0, len(listed), AT_ONCE)]
        with self._database.parsing("subjects"):
            return {
                subject: subject_from(json.loads(content))
                for part in keys
                for subject, content in self._database.read(
                    "subjects", f"WHERE TRUE {among('id', part)}", *(part or ())
                )
            }


CLAIM_S = 600.0
"""Time for which a text is reserved for the process that asks for it, if that process still runs."""


class StoredAnswer(NamedTuple):
    """An answer of a live engine with its time, in UTC; the output has no id.

    `number` counts the answers of a workspace in the order in which they came. `program` is the fingerprint
    of the engine's program at that time, empty without one. `request` is the request; answers of early
    versions do not have it.
    """

    output: Output
    stored: str
    program: str = ""
    request: Request | None = None
    number: int = 0


class KeptAnswers(WorkspaceFile):
    """Answers of live engines, by request and engine."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._waiting = AnswersBeside(path)
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        if not self.read_only:
            self._take_in()

    @property
    def newest_answer(self) -> int:
        """The number of the newest answer; 0 without any."""
        return int(self._database.select("SELECT COALESCE(MAX(id), 0) FROM answers")[0][0])

    def find_answers(self, keys: Sequence[str], *, since: int = 0) -> dict[str, StoredAnswer]:
        """The newest answer of live engines by key, among those after the answer number `since`."""
        answers: dict[str, StoredAnswer] = {}
        for start in range(0, len(keys), AT_ONCE):
            part = keys[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            for *row, number in self._database.select(
                f"SELECT {', '.join(TABLES['answers'])}, checksum, id FROM answers "
                f"WHERE key IN ({marks}) AND id > ? ORDER BY id",
                *(*part, since),
            ):
                if is_intact(row):  # ask again for damaged answers
                    answers[row[0]] = _stored_answer(row)._replace(number=number)
        return answers

    def answers_of(self, signature: str) -> list[StoredAnswer]:
        """The newest answer of one engine to each text that it got, oldest first."""
        rows = self._database.rows(
            "answers",
            "WHERE id IN (SELECT MAX(id) FROM answers WHERE signature = ? AND source IS NOT NULL "
            "GROUP BY key) ORDER BY id",
            signature,
        )
        return [_stored_answer(row) for row in rows if is_intact(row)]

    def keep_answers(
        self,
        signature: str,
        answers: Mapping[str, Output],
        *,
        requests: Mapping[str, Request],
        program: str = "",
    ) -> None:
        """Store a live engine's answers to these requests, both by key, beside its earlier answers.

        Unlike the cache, answers are paid for and never dropped. If the workspace cannot be written, they
        wait in a file beside it, and the next process that opens the workspace moves them in.
        """
        now = now_exactly()
        rows = [
            (
                *(key, signature, as_text(output.text), as_json(output.meta), now, program),
                *(as_text(requests[key].text), as_text(requests[key].context)),
            )
            for key, output in answers.items()
        ]
        try:
            self._put(rows)
        except UnavailableError:
            self._waiting.add(rows)
        else:
            self._take_in()

    def _put(self, rows: Sequence[Sequence[Any]]) -> None:
        with self._database.transaction() as connection:
            self._database.insert("answers", rows)
            connection.executemany("DELETE FROM claims WHERE key = ?", [(row[0],) for row in rows])

    def _take_in(self) -> None:
        """Move answers that wait beside the file into it."""
        if rows := self._waiting.rows():
            with suppress(UnavailableError):
                self._put(rows)
                self._waiting.clear()

    @property
    def waiting(self) -> int:
        """Count the answers that wait beside the file, because it could not be written."""
        return len(self._waiting.rows())

    def claim(self, keys: Sequence[str]) -> set[str]:
        """Claim keys for a while; return those that nobody else is asking for.

        A claim ends with its answer, its release, the end of its process, or after its time.
        """
        now = time.time()
        theirs: set[str] = set()
        try:
            with self._database.transaction() as connection:
                for start in range(0, len(keys), AT_ONCE):
                    part = keys[start : start + AT_ONCE]
                    marks = ",".join("?" * len(part))
                    claims = connection.execute(
                        f"SELECT key, owner, until FROM claims WHERE key IN ({marks})", part
                    ).fetchall()
                    theirs |= {
                        k for k, who, until in claims if who != self._owner and until > now and _is_alive(who)
                    }
                connection.executemany(
                    "INSERT OR REPLACE INTO claims VALUES (?, ?, ?)",
                    [(key, self._owner, now + CLAIM_S) for key in keys if key not in theirs],
                )
        except UnavailableError:
            return set(keys)  # a process that cannot write cannot claim, and asks all the same
        return set(keys) - theirs

    def release(self, keys: Iterable[str]) -> None:
        """Release these keys for others, because they got no answer here."""
        with suppress(WorkspaceError), self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM claims WHERE key = ? AND owner = ?", [(key, self._owner) for key in keys]
            )


class AnswersBeside:
    """Answers in a file beside the workspace, while the workspace cannot be written; JSON lines."""

    def __init__(self, workspace: Path) -> None:
        self._path = workspace.with_name(f"{workspace.name}-answers.jsonl")
        self._kept: list[list[Any]] = []

    def add(self, rows: Iterable[Sequence[Any]]) -> None:
        """Keep rows in memory, and on the disk as far as there is room."""
        new = [list(row) for row in rows]
        self._kept += new
        with suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.writelines(f"{as_json(row)}\n" for row in new)
            file.flush()
            os.fsync(file.fileno())

    def rows(self) -> list[list[Any]]:
        """All waiting rows: of this process and of earlier ones. A line that was cut off is skipped."""
        rows = {json.dumps(row): row for row in self._kept}
        with suppress(OSError):
            for line in self._path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):
                    row = json.loads(line)
                    rows[json.dumps(row)] = row
        return list(rows.values())

    def clear(self) -> None:
        """Delete the waiting rows after they were moved."""
        self._kept = []
        self._path.unlink(missing_ok=True)


def _is_alive(owner: str) -> bool:
    """Whether the process of a claim may still run; on another machine, assume that it does."""
    host, process, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _stored_answer(row: Sequence[Any]) -> StoredAnswer:
    _, _, text, meta, stored, program, source, context, _ = row
    request = None if source is None else Request("", source, context)
    return StoredAnswer(Output("", text, None, json.loads(meta)), stored, program, request)


CACHE_BYTES = 512 * 2**20
"""Size above which the cache drops what was stored longest ago."""


TEMPORARY_RUNS = 200
"""Number of temporary runs that are kept, newest first."""


_IN_TRASH = 20  # runs


class Purged(NamedTuple):
    """Data deleted for good: runs, and numbers of answers and reviews; `others` have some of the texts."""

    runs: Sequence[str]
    answers: int
    reviews: int
    others: Sequence[str]


class Workspace(KeptRuns, KeptAnswers, KeptReviews):
    """An open workspace file. Every method is one transaction: a kill leaves all of it, or nothing."""

    def recall(self, key: str) -> bytes | None:
        """A cached value, or `None`; damaged values count as missing."""
        rows = self._database.rows("cache", "WHERE key = ?", key)
        return rows[0][1] if rows and is_intact(rows[0]) and isinstance(rows[0][1], bytes) else None

    def remember(self, values: Iterable[tuple[str, bytes]]) -> None:
        """Store values in the cache, and make room if it has grown too large.

        If the file cannot be written at the moment they are dropped: they can be computed again.
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

    @property
    def _trash(self) -> Path:
        """The file beside this one that keeps the newest deleted runs for a while."""
        return self.path.with_name(f"{self.path.name}.trash")

    def throw_away(self, name: str) -> str:
        """Delete a run; keep it, if readable, in the trash with some recent others; return its id."""
        with suppress(DamagedError):
            run = self.run(name)
            with closing(Workspace(self._trash)) as trash:
                if run.id not in trash.named(run.id):
                    trash.save_run(run, is_temporary=True)
                trash.tidy(keep=_IN_TRASH)
        return self.delete_run(name)

    def take_back(self, name: str) -> str:
        """Restore a run from the trash; return its id. A `UsageError` if it is not there."""
        if not self._trash.exists():
            raise UsageError(f"Nothing was deleted from {self.path} that could be brought back.")
        with closing(Workspace(self._trash)) as trash:
            run = trash.run(name)
            self.save_run(run)
            return trash.delete_run(run.id)

    def purge(self, names: Sequence[str], *, dry_run: bool = False) -> Purged:
        """Delete runs with all answers, reviews and cached values that hold their texts, without a trace.

        Texts that another run has whole, such as the source and the output of a review, stay until that run
        goes, too. With `dry_run`, only report what would go. The trash is emptied.
        """
        with self._database.transaction() as connection:
            run_ids = [self._run_id(name) for name in names]
            texts = {text for run_id in run_ids for text in self._texts(run_id)}
            answers = {
                row_id: {text, source} - {None}
                for row_id, text, source in self._database.select("SELECT id, text, source FROM answers")
                if text in texts or source in texts
            }
            subjects = {
                subject_id: its
                for subject_id, subject in self.subjects().items()
                if texts & (its := {text for text in (*subject.sources, *subject.outputs) if text})
            }
            others = []
            for run_id in self._ids():
                if run_id in run_ids or not texts & (kept := self._texts(run_id)):
                    continue
                others.append(run_id)
                answers = {row_id: its for row_id, its in answers.items() if not its <= kept}
                subjects = {subject_id: its for subject_id, its in subjects.items() if not its <= kept}
            gone = [(subject_id,) for subject_id in subjects]
            if dry_run:
                about = sum(len(self.reviews(subject=subject_id)) for subject_id in subjects)
                return Purged(run_ids, len(answers), about, others)
            connection.executemany("DELETE FROM runs WHERE id = ?", [(run_id,) for run_id in run_ids])
            connection.executemany("DELETE FROM answers WHERE id = ?", [(row_id,) for row_id in answers])
            reviews = connection.executemany("DELETE FROM reviews WHERE subject = ?", gone).rowcount
            connection.executemany("DELETE FROM handouts WHERE subject = ?", gone)
            connection.executemany("DELETE FROM subjects WHERE id = ?", gone)
            connection.execute("DELETE FROM standings")
            connection.execute("DELETE FROM standings_mark")
            connection.execute("DELETE FROM cache")  # which does not say whose texts it holds
        self._database.vacuum()
        for ending in ("", "-wal", "-shm"):
            self._trash.with_name(f"{self._trash.name}{ending}").unlink(missing_ok=True)
        return Purged(run_ids, len(answers), max(reviews, 0), others)

    def tidy(self, keep: int = TEMPORARY_RUNS) -> list[str]:
        """Delete temporary runs beyond the newest `keep`, unless reviewed or in a campaign; return ids."""
        rows = self._database.select(
            "SELECT r.id FROM runs r JOIN temporary_runs t ON t.run = r.id WHERE r.id NOT IN "
            "(SELECT run FROM campaign_subjects) ORDER BY r.rowid DESC LIMIT -1 OFFSET ?",
            keep,
        )
        if not rows:
            return []
        reviewed = [
            {text for text in (*subject.sources, *subject.outputs) if text}
            for subject in self.subjects({review.subject for review in self.reviews()}).values()
        ]
        old = []
        for (run_id,) in rows:
            texts = self._texts(run_id)
            if not any(its <= texts for its in reviewed):
                old.append(str(run_id))
        self._delete(old)
        return old

    def _texts(self, run_id: str) -> set[str]:
        """Return every text in a run, written by authors or engines."""
        rows = self._database.rows("segments", "WHERE run = ?", run_id)
        texts = [row[3] for row in rows]
        for row in rows:
            with suppress(ValueError):  # a damaged run must be deleted, too
                texts += texts_in(json.loads(row[4]))
        texts += [row[4] for row in self._database.rows("outputs", "WHERE run = ?", run_id)]
        return {text for text in texts if text}

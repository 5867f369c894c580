"""What people answered, and what they looked at."""

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
from mtassay.runtime.database import DamagedError, UnavailableError, is_intact
from mtassay.runtime.run_store import KeptRuns
from mtassay.runtime.workspace_file import (
    AT_ONCE,
    TABLES,
    WorkspaceFile,
    among,
    as_json,
    as_text,
    now_exactly,
    texts_in,
)


class KeptReviews(WorkspaceFile):
    """Reviews, which are only ever added except for those that are withdrawn, and their subjects."""

    def add_reviews(
        self,
        reviews: Iterable[Review],
        subjects: Iterable[Subject],
        *,
        receipt: str | None = None,
        along: Callable[[], object] | None = None,
    ) -> int:
        """Keep what people answered, with what they looked at; gives how many were not there before.

        With a `receipt`, an id that the sender of a review made up, the same review sent again is not kept
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

    def withdraw(self, subject: str, question: str, reviewer: str) -> None:
        """Take back what somebody answered about a subject; the journal says that there was an answer."""
        where = "WHERE subject = ? AND question = ? AND reviewer = ?"
        with self._database.transaction() as connection:
            for table in ("reviews", "receipts"):
                connection.execute(f"DELETE FROM {table} {where}", (subject, question, reviewer))
            deed = f"withdrew the answer to {question} about {subject}"
            self._database.insert("journal", [(now_exactly(), reviewer, deed)])

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
        """What reviews are about, of one case."""
        rows = self._database.read("subjects", "WHERE json_extract(content, '$.case_id') = ?", case_id)
        with self._database.parsing("subjects"):
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
        with self._database.parsing("subjects"):
            return {
                subject: subject_from(json.loads(content))
                for part in keys
                for subject, content in self._database.read(
                    "subjects", f"WHERE TRUE {among('id', part)}", *(part or ())
                )
            }


CLAIM_S = 600.0
"""How long others leave a text to the process that is asking for it, unless that has ended."""


class StoredAnswer(NamedTuple):
    """What a live engine answered, and when, in UTC; the output has no id.

    `number` counts the answers of a workspace in the order in which they came.
    `program` is the fingerprint of the engine's program at that time, empty where it has none. `request` is
    what was asked; answers of early versions do not say it.
    """

    output: Output
    stored: str
    program: str = ""
    request: Request | None = None
    number: int = 0


class KeptAnswers(WorkspaceFile):
    """Answers of live engines, by what was asked of whom."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._waiting = AnswersBeside(path)
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        if not self.read_only:
            self._take_in()

    @property
    def newest_answer(self) -> int:
        """The number of the newest answer; 0 where there is none."""
        return int(self._database.select("SELECT COALESCE(MAX(id), 0) FROM answers")[0][0])

    def find_answers(self, keys: Sequence[str], *, since: int = 0) -> dict[str, StoredAnswer]:
        """The newest answer of live engines by key, of those that came after the answer number `since`."""
        answers: dict[str, StoredAnswer] = {}
        for start in range(0, len(keys), AT_ONCE):
            part = keys[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            for *row, number in self._database.select(
                f"SELECT {', '.join(TABLES['answers'])}, checksum, id FROM answers "
                f"WHERE key IN ({marks}) AND id > ? ORDER BY id",
                *(*part, since),
            ):
                if is_intact(row):  # what is damaged is asked again
                    answers[row[0]] = _stored_answer(row)._replace(number=number)
        return answers

    def answers_of(self, signature: str) -> list[StoredAnswer]:
        """The newest answer of one engine to each text that it was asked for, oldest first."""
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
        """Keep what a live engine answered to these requests, both by key, beside what it said before.

        Unlike the cache, answers are paid for and never dropped: where the file cannot be written they wait
        in a file beside it, and anyone who opens the workspace next takes them in.
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
        """Put answers that wait beside the file into it."""
        if rows := self._waiting.rows():
            with suppress(UnavailableError):
                self._put(rows)
                self._waiting.clear()

    @property
    def waiting(self) -> int:
        """How many answers wait beside the file, because it could not be written."""
        return len(self._waiting.rows())

    def claim(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that nobody else is asking for; they are this one's to ask, for a while.

        A claim ends with its answer, when it is released, when its process is gone, or after its time.
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
            return set(keys)  # who cannot write cannot claim, and asks all the same
        return set(keys) - theirs

    def release(self, keys: Iterable[str]) -> None:
        """Let others ask for these keys: they got no answer here."""
        with suppress(WorkspaceError), self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM claims WHERE key = ? AND owner = ?", [(key, self._owner) for key in keys]
            )


class AnswersBeside:
    """Answers in a file beside the workspace, for as long as that cannot be written; JSON lines."""

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
        """All that wait: of this process and of earlier ones. A line that was cut off is none."""
        rows = {json.dumps(row): row for row in self._kept}
        with suppress(OSError):
            for line in self._path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):
                    row = json.loads(line)
                    rows[json.dumps(row)] = row
        return list(rows.values())

    def clear(self) -> None:
        """They are where they belong."""
        self._kept = []
        self._path.unlink(missing_ok=True)


def _is_alive(owner: str) -> bool:
    """Whether the process of a claim may still be there; of another machine nobody knows."""
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
"""When the cache grows beyond this, what was stored longest ago goes."""


TEMPORARY_RUNS = 200
"""So many runs that nobody asked to keep stay, the newest ones."""


_IN_TRASH = 20  # runs


class Purged(NamedTuple):
    """What was deleted for good: runs, and how many answers and reviews; `others` have some of the texts."""

    runs: Sequence[str]
    answers: int
    reviews: int
    others: Sequence[str]


class Workspace(KeptRuns, KeptAnswers, KeptReviews):
    """An open workspace file. Every method is one transaction: a kill leaves all of it or nothing."""

    def recall(self, key: str) -> bytes | None:
        """A cached value, or `None`; what is damaged is not there."""
        rows = self._database.rows("cache", "WHERE key = ?", key)
        return rows[0][1] if rows and is_intact(rows[0]) and isinstance(rows[0][1], bytes) else None

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

    @property
    def _trash(self) -> Path:
        """The file beside this one in which the newest deleted runs are kept for a while."""
        return self.path.with_name(f"{self.path.name}.trash")

    def throw_away(self, name: str) -> str:
        """Delete a run, and keep it in the trash with some other new ones there; gives its id.

        What cannot be read is not kept.
        """
        with suppress(DamagedError):
            run = self.run(name)
            with closing(Workspace(self._trash)) as trash:
                if run.id not in trash.named(run.id):
                    trash.save_run(run, is_temporary=True)
                trash.tidy(keep=_IN_TRASH)
        return self.delete_run(name)

    def take_back(self, name: str) -> str:
        """Bring a run back from the trash; gives its id. A `UsageError` where it is not there."""
        if not self._trash.exists():
            raise UsageError(f"Nothing was deleted from {self.path} that could be brought back.")
        with closing(Workspace(self._trash)) as trash:
            run = trash.run(name)
            self.save_run(run)
            return trash.delete_run(run.id)

    def purge(self, names: Sequence[str], *, dry_run: bool = False) -> Purged:
        """Delete runs with all answers, reviews and cached values that hold their texts, without a trace.

        What another run has whole, as the source and the output of a review, stays until that run goes, too.
        With `dry_run` it only tells what would go. The trash is emptied.
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
        """Delete the oldest temporary runs but the newest `keep`; gives the ids of those deleted.

        A run that people reviewed, or that a campaign asks about, stays.
        """
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
        """Every text of a run that somebody wrote or an engine said."""
        rows = self._database.rows("segments", "WHERE run = ?", run_id)
        texts = [row[3] for row in rows]
        for row in rows:
            with suppress(ValueError):  # a damaged run must go, too
                texts += texts_in(json.loads(row[4]))
        texts += [row[4] for row in self._database.rows("outputs", "WHERE run = ?", run_id)]
        return {text for text in texts if text}

"""The workspace: one SQLite file with runs, their outputs and findings, reviews, and the cache."""

from __future__ import annotations

import io
import json
import os
import secrets
import socket
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple
from zipfile import BadZipFile

from mtassay.core import (
    Cluster,
    Comparison,
    Finding,
    Output,
    Request,
    Result,
    Review,
    Run,
    Score,
    Segment,
    Statistics,
    original_of,
)
from mtassay.database import DamagedError, Database, UnavailableError, is_intact
from mtassay.errors import UsageError, WorkspaceError
from mtassay.reviews import Subject, subject_from

DEFAULT = Path(".mtassay/workspace.db")
CACHE_BYTES = 512 * 2**20
"""When the cache grows beyond this, what was stored longest ago goes."""

CLAIM_S = 600.0
"""How long others leave a text to the process that is asking for it, unless that has ended."""

_BY_ID = "INDEXED BY segments_by_id"
_AT_ONCE = 500  # keys in one query
_MOSTLY_EMPTY = 0.25  # the share of a file that is free, from which on it is made smaller
_UNREADABLE = (DamagedError, ValueError, KeyError, TypeError, AttributeError, IndexError, BadZipFile)
_MIGRATIONS = [
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, method TEXT NOT NULL, parameters TEXT NOT NULL, systems TEXT NOT NULL,
        started TEXT NOT NULL, versions TEXT NOT NULL, result TEXT NOT NULL
    );
    CREATE TABLE segments (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, position INTEGER NOT NULL,
        id TEXT NOT NULL, source TEXT, reference_texts TEXT NOT NULL, document TEXT,
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;
    CREATE TABLE outputs (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, system TEXT NOT NULL,
        position INTEGER NOT NULL, id TEXT NOT NULL, text TEXT, error TEXT,
        PRIMARY KEY (run, system, position)
    ) WITHOUT ROWID;
    CREATE TABLE findings (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, case_id TEXT NOT NULL,
        system TEXT NOT NULL, detector TEXT NOT NULL, verdict TEXT, value REAL, evidence TEXT NOT NULL
    );
    CREATE INDEX findings_by_run ON findings (run, system);
    CREATE TABLE cache (key TEXT PRIMARY KEY, value BLOB NOT NULL, stored TEXT NOT NULL) WITHOUT ROWID;
    """,
    """
    CREATE TABLE answers (
        key TEXT PRIMARY KEY, signature TEXT NOT NULL, text TEXT NOT NULL, meta TEXT NOT NULL,
        stored TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE segments ADD COLUMN tags TEXT NOT NULL DEFAULT '{}';
    CREATE INDEX findings_by_case ON findings (run, case_id);
    CREATE TABLE subjects (id TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE reviews (
        subject TEXT NOT NULL REFERENCES subjects (id), question TEXT NOT NULL, answer TEXT NOT NULL,
        reviewer TEXT NOT NULL, note TEXT NOT NULL, at TEXT NOT NULL,
        UNIQUE (subject, question, answer, reviewer, note, at)
    );
    """,
    """
    CREATE TABLE statistics (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, metric TEXT NOT NULL, system TEXT NOT NULL,
        signature TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (run, metric, system)
    );
    """,
    # An engine that is asked again keeps what it said before, and every answer says what was asked.
    """
    CREATE TABLE all_answers (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL, signature TEXT NOT NULL, text TEXT NOT NULL,
        meta TEXT NOT NULL, stored TEXT NOT NULL, program TEXT NOT NULL DEFAULT '', source TEXT, context TEXT
    );
    INSERT INTO all_answers (key, signature, text, meta, stored)
        SELECT key, signature, text, meta, stored FROM answers;
    DROP TABLE answers;
    ALTER TABLE all_answers RENAME TO answers;
    CREATE INDEX answers_by_key ON answers (key);
    CREATE INDEX answers_by_signature ON answers (signature);
    """,
    # Every row says whether it is what was stored; and who is asking for what, so that nobody asks twice.
    """
    ALTER TABLE runs ADD COLUMN checksum INTEGER;
    ALTER TABLE segments ADD COLUMN checksum INTEGER;
    ALTER TABLE outputs ADD COLUMN checksum INTEGER;
    ALTER TABLE findings ADD COLUMN checksum INTEGER;
    ALTER TABLE statistics ADD COLUMN checksum INTEGER;
    ALTER TABLE answers ADD COLUMN checksum INTEGER;
    ALTER TABLE subjects ADD COLUMN checksum INTEGER;
    ALTER TABLE reviews ADD COLUMN checksum INTEGER;
    ALTER TABLE cache ADD COLUMN checksum INTEGER;
    CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
    """,
    # Campaigns of reviewers: what they are asked, who has what before them, and which answers adjudicate.
    """
    CREATE TABLE adjudications (
        subject TEXT NOT NULL REFERENCES subjects (id) ON DELETE CASCADE, question TEXT NOT NULL,
        reviewer TEXT NOT NULL, at TEXT NOT NULL, checksum INTEGER,
        PRIMARY KEY (subject, question, reviewer, at)
    ) WITHOUT ROWID;
    CREATE TABLE campaigns (name TEXT PRIMARY KEY, content TEXT NOT NULL, checksum INTEGER) WITHOUT ROWID;
    CREATE TABLE campaign_subjects (
        campaign TEXT NOT NULL REFERENCES campaigns (name) ON DELETE CASCADE, position INTEGER NOT NULL,
        subject TEXT NOT NULL REFERENCES subjects (id) ON DELETE CASCADE, wanted INTEGER NOT NULL,
        run TEXT NOT NULL, case_id TEXT NOT NULL, category TEXT NOT NULL, phenomenon TEXT NOT NULL,
        systems TEXT NOT NULL, takers TEXT NOT NULL, case_lot INTEGER NOT NULL, lot INTEGER NOT NULL,
        status TEXT NOT NULL, verdict TEXT NOT NULL, score REAL, checksum INTEGER,
        PRIMARY KEY (campaign, position)
    ) WITHOUT ROWID;
    CREATE INDEX campaign_subjects_by_subject ON campaign_subjects (subject);
    CREATE TABLE handouts (
        campaign TEXT NOT NULL REFERENCES campaigns (name) ON DELETE CASCADE, subject TEXT NOT NULL,
        reviewer TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (campaign, subject, reviewer)
    ) WITHOUT ROWID;
    CREATE INDEX reviews_by_question ON reviews (question, subject);
    """,
    # What people can be asked about a run, to be counted, filtered and paged here; what holds of it; who may
    # answer from elsewhere; and which answers were taken, so that one that is sent twice is kept once.
    """
    CREATE TABLE agendas (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, question TEXT NOT NULL,
        doubted INTEGER NOT NULL, total INTEGER NOT NULL, offers TEXT NOT NULL, PRIMARY KEY (run, question)
    ) WITHOUT ROWID;
    CREATE TABLE agenda (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, question TEXT NOT NULL,
        position INTEGER NOT NULL, subject TEXT NOT NULL, segment TEXT NOT NULL, category TEXT NOT NULL,
        phenomenon TEXT NOT NULL, systems TEXT NOT NULL, status TEXT NOT NULL, found TEXT NOT NULL,
        source TEXT NOT NULL, output TEXT NOT NULL, checksum INTEGER, PRIMARY KEY (run, question, position)
    ) WITHOUT ROWID;
    CREATE INDEX agenda_by_subject ON agenda (subject, question, run);
    CREATE TABLE standings (
        subject TEXT NOT NULL, question TEXT NOT NULL, answer TEXT, disputed INTEGER NOT NULL,
        PRIMARY KEY (subject, question)
    ) WITHOUT ROWID;
    CREATE TABLE standings_mark (newest INTEGER NOT NULL, total INTEGER NOT NULL);
    CREATE TABLE receipts (
        id TEXT PRIMARY KEY, subject TEXT NOT NULL REFERENCES subjects (id) ON DELETE CASCADE,
        question TEXT NOT NULL, answer TEXT NOT NULL, reviewer TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE invitations (
        name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT NOT NULL, since TEXT NOT NULL, checksum INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX outputs_by_id ON outputs (run, id);
    CREATE INDEX segments_by_id ON segments (run, id);
    CREATE INDEX reviews_by_reviewer ON reviews (reviewer, question, at);
    """,
]
"""Each entry takes the schema one version further; entries are only ever added."""
_TABLES = {
    "runs": ("id", "method", "parameters", "systems", "started", "versions", "result"),
    "segments": ("run", "position", "id", "source", "reference_texts", "document", "tags"),
    "outputs": ("run", "system", "position", "id", "text", "error"),
    "findings": ("run", "case_id", "system", "detector", "verdict", "value", "evidence"),
    "statistics": ("run", "metric", "system", "signature", "content"),
    "answers": ("key", "signature", "text", "meta", "stored", "program", "source", "context"),
    "subjects": ("id", "content"),
    "reviews": ("subject", "question", "answer", "reviewer", "note", "at"),
    "adjudications": ("subject", "question", "reviewer", "at"),
    "campaigns": ("name", "content"),
    "campaign_subjects": (
        *("campaign", "position", "subject", "wanted", "run", "case_id", "category", "phenomenon"),
        *("systems", "takers", "case_lot", "lot", "status", "verdict", "score"),
    ),
    "cache": ("key", "value", "stored"),
    "agenda": (
        *("run", "question", "position", "subject", "segment", "category", "phenomenon"),
        *("systems", "status", "found", "source", "output"),
    ),
    "invitations": ("name", "role", "digest", "since"),
}


class Purged(NamedTuple):
    """What was deleted for good: runs, and how many answers and reviews; `others` hold the same texts."""

    runs: Sequence[str]
    answers: int
    reviews: int
    others: Sequence[str]


class StoredAnswer(NamedTuple):
    """What a live engine answered, and when, in UTC; the output has no id.

    `program` is the fingerprint of the engine's program at that time, empty where it has none. `request` is
    what was asked; answers of early versions do not say it.
    """

    output: Output
    stored: str
    program: str = ""
    request: Request | None = None


class Workspace:
    """An open workspace file. Every method is one transaction: a kill leaves all of it or nothing.

    `damaged` are the ids of runs that `runs` could not read, with the reason.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged: dict[str, str] = {}
        self._heads: dict[str, tuple[int | None, Run]] = {}
        try:
            _make_folder(path.parent)
        except OSError as error:
            raise WorkspaceError(f"{path}: cannot open the workspace ({error}).") from error
        self._database = Database(
            path, tables=_TABLES, migrations=_MIGRATIONS, marks=("runs", "segments", "outputs")
        )
        self._waiting = AnswersBeside(path)
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        if not self.read_only:
            self._take_in()

    @property
    def database(self) -> Database:
        """The file, for who asks it more than these methods do."""
        return self._database

    @property
    def read_only(self) -> bool:
        """Whether the file may be looked at only."""
        return self._database.read_only

    def close(self) -> None:
        """Close the file; the workspace cannot be used afterwards."""
        self._database.close()

    def save_run(self, run: Run) -> None:
        """Keep a run with what was asked, answered and found."""
        of_run = (
            *(run.id, run.method, _json(run.parameters), _json(run.systems), run.started),
            *(_json(run.versions), _json(run.result.as_dict())),
        )
        with self._database.transaction():
            self._database.insert("runs", [of_run])
            self._database.insert(
                "segments",
                (
                    (run.id, position, s.id, _text(s.source), _json(s.references), s.document, _json(s.tags))
                    for position, s in enumerate(run.segments)
                ),
            )
            self._database.insert(
                "outputs",
                (
                    (run.id, system, position, o.id, _text(o.text), o.error)
                    for system, answers in run.outputs.items()
                    for position, o in enumerate(answers)
                ),
            )
            self._database.insert(
                "findings",
                (
                    (run.id, f.case_id, f.system, f.detector, f.verdict, _real(f.value), _json(f.evidence))
                    for f in run.findings
                ),
            )
            self._database.insert(
                "statistics",
                ((run.id, s.metric, s.system, s.signature, pack_statistics(s)) for s in run.statistics),
            )

    def runs(self) -> list[Run]:
        """All runs that can be read, newest first, without findings, segments, outputs and statistics."""
        runs = []
        for run_id in self._ids():
            try:
                runs.append(self._head(run_id))
            except _UNREADABLE as error:
                self.damaged[run_id] = str(error)
        return runs

    def run(self, name: str, *, case: str | None = None) -> Run:
        """One run, whole. The name may be the beginning or the end of an id, or `last`.

        With `case` it has only what belongs to this segment: its original, all that was made from that, and
        what was answered and found about any of them.
        """
        run_id = self._run_id(name)
        with self._reading(run_id):
            head = self._head(run_id)
            segments, case_ids = self._segments(run_id, of=case), None
            if case is not None:
                case_ids = list(dict.fromkeys((case, *(segment.id for segment in segments))))
            rows = self._database.read(
                "findings",
                f"WHERE run = ? {_among('case_id', case_ids)} ORDER BY rowid",
                run_id,
                *(case_ids or ()),
            )
            return replace(
                head,
                findings=[Finding(c, s, d, v, x, json.loads(e)) for _, c, s, d, v, x, e in rows],
                segments=segments,
                outputs=self._outputs(run_id, some=case_ids),
                statistics=self._statistics(run_id, case_ids),
            )

    def _head(self, run_id: str) -> Run:
        """A run without findings, segments, outputs and statistics; what is stored never changes."""
        ((mark,),) = self._database.select("SELECT checksum FROM runs WHERE id = ?", run_id)
        known, head = self._heads.get(run_id, (None, None))
        if mark is None or known != mark or head is None:
            (row,) = self._database.read("runs", "WHERE id = ?", run_id)
            head = _run(row)
            self._heads[run_id] = (mark, head)
        return head

    @contextmanager
    def _reading(self, run_id: str) -> Iterator[None]:
        """What of a run cannot be read is one error that names it."""
        try:
            yield
        except _UNREADABLE as error:
            why = str(error).removeprefix(f"{self.path}: ").rstrip(".")
            raise DamagedError(
                f"{self.path}: run {run_id} cannot be read ({why}). Delete it: mtassay runs delete {run_id}"
            ) from error

    def _statistics(self, run_id: str, some: Collection[str] | None) -> list[Statistics]:
        """What was measured, in the order of measuring; with `some` only of these units."""
        measured = []
        for _, metric, system, signature, content in self._database.read(
            "statistics", "WHERE run = ? ORDER BY rowid", run_id
        ):
            entry = replace(unpack_statistics(content, metric, system), signature=signature)
            if some is not None:
                places = [place for place, unit in enumerate(entry.ids) if unit in some]
                ids = [entry.ids[place] for place in places]
                entry = replace(entry, ids=ids, values=entry.values[places])
            measured.append(entry)
        return measured

    def segments(self, name: str) -> list[Segment]:
        """The segments of a run, in order."""
        run_id = self._run_id(name)
        with self._reading(run_id):
            return self._segments(run_id)

    def segment(self, name: str, segment_id: str) -> Segment | None:
        """One segment of a run; `None` where it has none of this id."""
        run_id = self._run_id(name)
        with self._reading(run_id):
            rows = self._database.read("segments", f"{_BY_ID} WHERE run = ? AND id = ?", run_id, segment_id)
            return next(iter(_read_segments(rows)), None)

    def _segments(self, run_id: str, *, of: str | None = None) -> list[Segment]:
        """The segments in order; with `of` those that belong to this one: see `run`."""
        if of is None:
            return _read_segments(self._database.read("segments", "WHERE run = ? ORDER BY position", run_id))
        own = _read_segments(
            self._database.read("segments", f"{_BY_ID} WHERE run = ? AND id = ?", run_id, of)
        )
        roots = list({original_of(segment) or segment.id for segment in own})
        # A tag is looked for as it is written; what only contains such a text is sorted out by `_family`.
        named = " OR ".join(["id = ?", "instr(tags, ?)"] * len(roots))
        values = [value for root in roots for value in (root, _json(root))]
        if not roots:
            return []
        rows = self._database.read(
            "segments", f"WHERE run = ? AND ({named}) ORDER BY position", run_id, *values
        )
        return _family(_read_segments(rows), of)

    def outputs(self, name: str, *, some: Collection[str] | None = None) -> dict[str, list[Output]]:
        """The outputs of a run by system, in order of the cases; with `some` only those to these segments."""
        run_id = self._run_id(name)
        with self._reading(run_id):
            return self._outputs(run_id, some=some)

    def _outputs(self, run_id: str, *, some: Collection[str] | None) -> dict[str, list[Output]]:
        outputs: dict[str, list[Output]] = {system: [] for system in self._head(run_id).systems}
        # SQLite would rather read all outputs in their order than look for a few.
        few = "" if some is None else "INDEXED BY outputs_by_id"
        rest = f"{few} WHERE run = ? {_among('id', some)} ORDER BY system, position"
        for _, system, _, *values in self._database.read("outputs", rest, run_id, *(some or ())):
            outputs[system].append(Output(*values))
        return outputs

    def delete_run(self, name: str) -> str:
        """Delete a run and all that belongs to it, and give its space back; gives its id."""
        run_id = self._run_id(name)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM runs WHERE id = ?", (run_id,))
        if self._database.free_share > _MOSTLY_EMPTY:
            with suppress(UnavailableError):  # whoever else reads the file: next time
                self._database.vacuum()
        return run_id

    def purge(self, names: Sequence[str]) -> Purged:
        """Delete runs with all answers, reviews and cached values that hold their texts, without a trace."""
        run_ids = [self._run_id(name) for name in names]
        texts = {text for run_id in run_ids for text in self._texts(run_id)}
        subjects = {
            str(row[0])
            for row in self._database.rows("subjects")
            if texts & set(_strings(json.loads(row[1])))
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
        texts = [text for row in rows for text in (row[3], *_strings(json.loads(row[4])))]
        texts += [row[4] for row in self._database.rows("outputs", "WHERE run = ?", run_id)]
        return {text for text in texts if text}

    def vacuum(self) -> int:
        """Give back the space of what was deleted; gives how many bytes."""
        return self._database.vacuum()

    def backup(self, path: Path) -> None:
        """A copy of the whole workspace as it is now."""
        self._database.backup(path)

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

    def find_answers(self, keys: Sequence[str], *, since: str = "") -> dict[str, StoredAnswer]:
        """The newest answer of live engines by key, of those that are not older than `since`."""
        answers: dict[str, StoredAnswer] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            for row in self._database.rows(
                "answers", f"WHERE key IN ({marks}) AND stored >= ? ORDER BY id", *part, since
            ):
                if is_intact(row):  # what is damaged is asked again
                    answers[row[0]] = _stored_answer(row)
        return answers

    def answers_of(self, signature: str) -> list[StoredAnswer]:
        """The newest answer of one engine to each text that it was asked for, oldest first."""
        rows = self._database.rows(
            "answers",
            "WHERE id IN (SELECT MAX(id) FROM answers WHERE signature = ? AND source IS NOT NULL "
            "GROUP BY key) ORDER BY stored, id",
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
        in a file beside it, and whoever opens the workspace next takes them in.
        """
        now = now_exactly()
        rows = [
            (
                *(key, signature, _text(output.text), _json(output.meta), now, program),
                *(_text(requests[key].text), _text(requests[key].context)),
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
                for start in range(0, len(keys), _AT_ONCE):
                    part = keys[start : start + _AT_ONCE]
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

    def add_reviews(
        self, reviews: Iterable[Review], subjects: Iterable[Subject], *, receipt: str | None = None
    ) -> int:
        """Keep what people answered, with what they looked at; gives how many were not there before.

        With a `receipt`, an id that whoever sends one review made up, the same review sent again is not kept
        twice.
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
            return self._database.insert(
                "reviews",
                ((r.subject, r.question, r.answer, r.reviewer, _text(r.note), r.at) for r in reviews),
                or_ignore=True,
            )

    def put_subjects(self, subjects: Iterable[Subject]) -> None:
        """Keep what people look at, inside a transaction."""
        self._database.insert("subjects", ((s.id, _json(asdict(s))) for s in subjects), or_ignore=True)

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
            for start in range(0, len(ids), _AT_ONCE)
            for review in self._reviews({"question": question}, ids[start : start + _AT_ONCE])
        ]
        return sorted(found, key=lambda review: review.at)

    def _reviews(
        self, equal: Mapping[str, str | None], subjects: Sequence[str] | None = None
    ) -> list[Review]:
        """The reviews with these values in their columns, or about some of the subjects."""
        wanted = {column: value for column, value in equal.items() if value is not None}
        conditions = " AND ".join(["TRUE", *(f"{column} = ?" for column in wanted)])
        rest = f"WHERE {conditions} {_among('subject', subjects)}"
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

    def runs_with(self, segment_id: str, source: str | None) -> list[str]:
        """The ids of all runs that have a segment of this id and source, newest first."""
        rows = self._database.select(
            "SELECT r.id FROM runs r JOIN segments s ON s.run = r.id AND s.id = ? AND s.source IS ? "
            "ORDER BY r.started DESC, r.rowid DESC",
            *(segment_id, _text(source)),
        )
        return [str(name) for (name,) in rows]

    @property
    def reviews_count(self) -> int:
        """How many reviews there are: what was computed from them holds as long as it stays the same."""
        return int(self._database.select("SELECT COUNT(*) FROM reviews")[0][0])

    def subjects(self, some: Collection[str] | None = None) -> dict[str, Subject]:
        """What reviews are about, or will be, by id; with `some` only these."""
        keys: Sequence[Sequence[str] | None] = [None]
        if some is not None:
            listed = list(some)
            keys = [listed[start : start + _AT_ONCE] for start in range(0, len(listed), _AT_ONCE)]
        return {
            subject: subject_from(json.loads(content))
            for part in keys
            for subject, content in self._database.read(
                "subjects", f"WHERE TRUE {_among('id', part)}", *(part or ())
            )
        }

    def named(self, name: str) -> list[str]:
        """The ids of the runs that a name may mean: an id, its beginning or end, or `last` for the newest."""
        ids = self._ids()
        if name == "last":
            return ids[:1]
        if not name:
            return []
        return [i for i in ids if i == name] or [i for i in ids if i.startswith(name) or i.endswith(name)]

    def _ids(self) -> list[str]:
        rows = self._database.select("SELECT id FROM runs ORDER BY started DESC, rowid DESC")
        return [str(row[0]) for row in rows]

    def _run_id(self, name: str) -> str:
        matches = self.named(name)
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(f"'{name}' could be any of {len(matches)} runs: {', '.join(matches[:5])}.")
        ids = self._ids()
        hint = f"Newest: {', '.join(ids[:5])}." if ids else "There are none yet: add --save to a command."
        raise UsageError(f"No run '{name}' in {self.path}. {hint}")


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
            file.writelines(f"{_json(row)}\n" for row in new)
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


def _strings(value: Any) -> Iterator[str]:
    """All texts in what was JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def pack_statistics(measured: Statistics) -> bytes:
    """Ids, columns and values; whole numbers in as few bytes as they need."""
    import numpy as np  # large, and for runs that measure only

    values = measured.values
    if np.issubdtype(values.dtype, np.integer) and values.size and values.min() >= 0:
        values = values.astype(np.min_scalar_type(values.max()))
    buffer = io.BytesIO()
    ids, columns = (np.frombuffer(_joined(texts), np.uint8) for texts in (measured.ids, measured.columns))
    np.savez(buffer, values=values, ids=ids, columns=columns)
    return buffer.getvalue()


def unpack_statistics(data: bytes, metric: str, system: str) -> Statistics:
    """The statistics of a system under a metric, out of what `pack_statistics` gave."""
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        ids, columns = (_parted(arrays[name].tobytes()) for name in ("ids", "columns"))
        return Statistics(metric, system, ids, columns, arrays["values"])


def _joined(texts: Sequence[str]) -> bytes:
    return "\0".join(texts).encode("utf-8", "surrogatepass")


def _parted(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogatepass").split("\0")


def now_exactly() -> str:
    """This moment in UTC, to the microsecond, so that times compare as texts do."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _stored_answer(row: Sequence[Any]) -> StoredAnswer:
    _, _, text, meta, stored, program, source, context, _ = row
    request = None if source is None else Request("", source, context)
    return StoredAnswer(Output("", text, None, json.loads(meta)), stored, program, request)


def _make_folder(folder: Path) -> None:
    """Create the workspace's folder; our own default one tells git to leave it alone."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        if folder.name == DEFAULT.parent.name:
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _read_segments(rows: Iterable[Sequence[Any]]) -> list[Segment]:
    return [
        Segment(id_, source, tuple(json.loads(references)), document, json.loads(tags))
        for _, _, id_, source, references, document, tags in rows
    ]


def _family(segments: Sequence[Segment], case: str) -> list[Segment]:
    """The segment of this id with its original and all that was made from that, in their order."""
    roots = {original_of(segment) or segment.id for segment in segments if segment.id == case}
    return [segment for segment in segments if (original_of(segment) or segment.id) in roots]


def _among(column: str, values: Collection[str] | None) -> str:
    return "" if values is None else f"AND {column} IN ({','.join('?' * len(values))})"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain).encode("utf-8", "replace").decode()


def _plain(value: object) -> object:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)  # type: ignore[call-overload]


def _real(value: float | None) -> float | None:
    """As SQLite gives it back."""
    return None if value is None else float(value)


def _text(text: str | None) -> str | None:
    """SQLite cannot hold a lone surrogate, which a JSON file can."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def _run(row: Sequence[Any]) -> Run:
    run_id, method, parameters, systems, started, versions, result = row
    stored = json.loads(result)
    return Run(
        id=run_id,
        method=method,
        parameters=json.loads(parameters),
        systems=json.loads(systems),
        started=started,
        versions=json.loads(versions),
        result=Result(
            scores=[Score(**score) for score in stored["scores"]],
            comparisons=[Comparison(**comparison) for comparison in stored["comparisons"]],
            clusters=[Cluster(**{**c, "systems": tuple(c["systems"])}) for c in stored["clusters"]],
            counts=stored["counts"],
            notes=stored.get("notes", ()),
            basis=stored.get("basis", {}),
        ),
    )

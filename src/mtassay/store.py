"""The workspace: one SQLite file with runs, their outputs and findings, reviews, and the cache."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

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
from mtassay.errors import UsageError, WorkspaceError
from mtassay.reviews import Subject, subject_from

DEFAULT = Path(".mtassay/workspace.db")
CACHE_BYTES = 512 * 2**20
"""When the cache grows beyond this, what was stored longest ago goes."""

_AT_ONCE = 500  # keys in one query
_PATIENCE_S = 30  # how long another process may hold the file
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
]
"""Each entry takes the schema one version further; entries are only ever added."""


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
    """An open workspace file. Every method is one transaction: a kill leaves all of it or nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_only = False
        try:
            _make_folder(path.parent)
            if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
                self._open_to_read()
            else:
                self._open()
        except (OSError, sqlite3.Error) as error:
            raise WorkspaceError(f"{path}: cannot open the workspace ({error}).") from error

    def _open(self) -> None:
        self._database = sqlite3.connect(self.path, timeout=_PATIENCE_S, isolation_level=None)
        self._write_ahead()
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute("PRAGMA foreign_keys = ON")
        self._migrate()

    def _write_ahead(self) -> None:
        """Turn the write-ahead log on. While another process writes, SQLite refuses this without waiting."""
        last = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                    raise
                time.sleep(0.01)

    def _open_to_read(self) -> None:
        """What may not be written can still be shown. Without its log beside it, SQLite must be told so."""
        self.read_only = True
        address = self.path.resolve().as_uri()
        mode = "mode=ro" if self.path.with_name(f"{self.path.name}-wal").exists() else "immutable=1"
        self._database = sqlite3.connect(f"{address}?{mode}", uri=True, isolation_level=None)
        if (version := self._version()) != len(_MIGRATIONS):
            raise sqlite3.OperationalError(f"it has schema {version} and may not be written")

    def close(self) -> None:
        """Close the file; the workspace cannot be used afterwards."""
        self._database.close()

    def _migrate(self) -> None:
        version = self._version()
        if version > len(_MIGRATIONS):
            raise WorkspaceError(
                f"{self.path}: made by a newer mtassay (schema {version}, known here: {len(_MIGRATIONS)}). "
                "Upgrade mtassay, or choose another file with --workspace."
            )
        while self._version() < len(_MIGRATIONS):
            with self._transaction():
                # Another process may have migrated while this one waited for the lock.
                version = self._version()
                if version < len(_MIGRATIONS):
                    for statement in filter(str.strip, _MIGRATIONS[version].split(";")):
                        self._database.execute(statement)
                    self._database.execute(f"PRAGMA user_version = {version + 1}")

    def _version(self) -> int:
        return int(self._database.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise WorkspaceError(f"{self.path}: {error}.") from error
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")

    def save_run(self, run: Run) -> None:
        """Keep a run with what was asked, answered and found."""
        with self._transaction():
            self._database.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    run.id,
                    run.method,
                    _json(run.parameters),
                    _json(run.systems),
                    run.started,
                    _json(run.versions),
                    _json(run.result.as_dict()),
                ),
            )
            self._database.executemany(
                "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (run.id, position, s.id, _text(s.source), _json(s.references), s.document, _json(s.tags))
                    for position, s in enumerate(run.segments)
                ),
            )
            self._database.executemany(
                "INSERT INTO outputs VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (run.id, system, position, o.id, _text(o.text), o.error)
                    for system, answers in run.outputs.items()
                    for position, o in enumerate(answers)
                ),
            )
            self._database.executemany(
                "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (run.id, f.case_id, f.system, f.detector, f.verdict, f.value, _json(f.evidence))
                    for f in run.findings
                ),
            )
            self._database.executemany(
                "INSERT INTO statistics VALUES (?, ?, ?, ?, ?)",
                ((run.id, s.metric, s.system, s.signature, pack_statistics(s)) for s in run.statistics),
            )

    def runs(self) -> list[Run]:
        """All runs, newest first, without their findings, segments, outputs and statistics."""
        rows = self._select("SELECT * FROM runs ORDER BY started DESC, rowid DESC")
        return [_run(row) for row in rows]

    def run(self, name: str, *, case: str | None = None) -> Run:
        """One run, whole. The name may be the beginning or the end of an id, or `last`.

        With `case` it has only what belongs to this segment: its original, all that was made from that, and
        what was answered and found about any of them.
        """
        run_id = self._run_id(name)
        (row,) = self._select("SELECT * FROM runs WHERE id = ?", run_id)
        segments, case_ids = self.segments(run_id), None
        if case is not None:
            segments = _family(segments, case)
            case_ids = list(dict.fromkeys((case, *(segment.id for segment in segments))))
        rows = self._select(
            "SELECT case_id, system, detector, verdict, value, evidence FROM findings "
            f"WHERE run = ? {_among('case_id', case_ids)} ORDER BY rowid",
            run_id,
            *(case_ids or ()),
        )
        return replace(
            _run(row),
            findings=[Finding(c, s, d, v, x, json.loads(e)) for c, s, d, v, x, e in rows],
            segments=segments,
            outputs=self.outputs(run_id, some=case_ids),
            statistics=self._statistics(run_id, case_ids),
        )

    def _statistics(self, run_id: str, some: Collection[str] | None) -> list[Statistics]:
        """What was measured, in the order of measuring; with `some` only of these units."""
        measured = []
        for metric, system, signature, content in self._select(
            "SELECT metric, system, signature, content FROM statistics WHERE run = ? ORDER BY rowid", run_id
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
        rows = self._select(
            "SELECT id, source, reference_texts, document, tags FROM segments WHERE run = ? "
            "ORDER BY position",
            self._run_id(name),
        )
        return [
            Segment(id_, source, tuple(json.loads(references)), document, json.loads(tags))
            for id_, source, references, document, tags in rows
        ]

    def outputs(self, name: str, *, some: Collection[str] | None = None) -> dict[str, list[Output]]:
        """The outputs of a run by system, in order of the cases; with `some` only those to these segments."""
        run_id = self._run_id(name)
        ((systems,),) = self._select("SELECT systems FROM runs WHERE id = ?", run_id)
        outputs: dict[str, list[Output]] = {system: [] for system in json.loads(systems)}
        for system, *values in self._select(
            f"SELECT system, id, text, error FROM outputs WHERE run = ? {_among('id', some)} "
            "ORDER BY system, position",
            run_id,
            *(some or ()),
        ):
            outputs[system].append(Output(*values))
        return outputs

    def delete_run(self, name: str) -> str:
        """Delete a run and all that belongs to it; gives its id."""
        run_id = self._run_id(name)
        with self._transaction():
            self._database.execute("DELETE FROM runs WHERE id = ?", (run_id,))
        return run_id

    def recall(self, key: str) -> bytes | None:
        """A cached value, or `None`."""
        rows = self._select("SELECT value FROM cache WHERE key = ?", key)
        return rows[0][0] if rows else None

    def remember(self, values: Iterable[tuple[str, bytes]]) -> None:
        """Put values into the cache, and make room if it has grown too large."""
        if self.read_only:
            return
        now = datetime.now(UTC).isoformat()
        with self._transaction():
            self._database.executemany(
                "INSERT OR REPLACE INTO cache VALUES (?, ?, ?)", ((key, value, now) for key, value in values)
            )
            self._database.execute(
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
            for key, *values in self._select(
                "SELECT key, text, meta, stored, program, source, context FROM answers "
                f"WHERE key IN ({marks}) AND stored >= ? ORDER BY id",
                *part,
                since,
            ):
                answers[key] = _stored_answer(values)
        return answers

    def answers_of(self, signature: str) -> list[StoredAnswer]:
        """The newest answer of one engine to each text that it was asked for, oldest first."""
        rows = self._select(
            "SELECT text, meta, stored, program, source, context FROM answers WHERE id IN "
            "(SELECT MAX(id) FROM answers WHERE signature = ? AND source IS NOT NULL GROUP BY key) "
            "ORDER BY stored, id",
            signature,
        )
        return [_stored_answer(row) for row in rows]

    def keep_answers(
        self,
        signature: str,
        answers: Mapping[str, Output],
        *,
        requests: Mapping[str, Request],
        program: str = "",
    ) -> None:
        """Keep what a live engine answered to these requests, both by key, beside what it said before.

        Unlike the cache, answers are paid for and never dropped.
        """
        now = now_exactly()
        with self._transaction():
            self._database.executemany(
                "INSERT INTO answers (key, signature, text, meta, stored, program, source, context) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        key,
                        signature,
                        _text(output.text),
                        _json(output.meta),
                        now,
                        program,
                        _text(requests[key].text),
                        _text(requests[key].context),
                    )
                    for key, output in answers.items()
                ),
            )

    def add_reviews(self, reviews: Iterable[Review], subjects: Iterable[Subject]) -> int:
        """Keep what people answered, with what they looked at; gives how many were not there before."""
        with self._transaction():
            self._database.executemany(
                "INSERT OR IGNORE INTO subjects VALUES (?, ?)", ((s.id, _json(asdict(s))) for s in subjects)
            )
            before = self._database.total_changes
            self._database.executemany(
                "INSERT OR IGNORE INTO reviews VALUES (?, ?, ?, ?, ?, ?)",
                ((r.subject, r.question, r.answer, r.reviewer, _text(r.note), r.at) for r in reviews),
            )
            return self._database.total_changes - before

    def reviews(self, question: str | None = None) -> list[Review]:
        """All reviews in the order of their time, or those that answer one question."""
        rows = self._select(
            "SELECT subject, question, answer, reviewer, note, at FROM reviews "
            "WHERE question = ?1 OR ?1 IS NULL ORDER BY at, rowid",
            question,
        )
        return [Review(*row) for row in rows]

    def subjects(self) -> dict[str, Subject]:
        """What reviews are about, by id."""
        rows = self._select("SELECT id, content FROM subjects")
        return {subject: subject_from(json.loads(content)) for subject, content in rows}

    def named(self, name: str) -> list[str]:
        """The ids of the runs that a name may mean: an id, its beginning or end, or `last` for the newest."""
        ids = self._ids()
        if name == "last":
            return ids[:1]
        return [i for i in ids if i == name] or [i for i in ids if i.startswith(name) or i.endswith(name)]

    def _ids(self) -> list[str]:
        rows = self._select("SELECT id FROM runs ORDER BY started DESC, rowid DESC")
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

    def _select(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise WorkspaceError(f"{self.path}: {error}.") from error


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
    text, meta, stored, program, source, context = row
    request = None if source is None else Request("", source, context)
    return StoredAnswer(Output("", text, None, json.loads(meta)), stored, program, request)


def _make_folder(folder: Path) -> None:
    """Create the workspace's folder; our own default one tells git to leave it alone."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        if folder.name == DEFAULT.parent.name:
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")


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

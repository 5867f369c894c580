"""The file of a workspace: opened in its folder, closed, made smaller, copied."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mtassay.data.errors import WorkspaceError
from mtassay.data.nouns import Statistics
from mtassay.runtime.database import Database

MIGRATIONS = [
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
    # What came later holds, whatever the clock said. Rows are in the order of rowid, which SQLite counts
    # up and VACUUM keeps; campaigns have none. What was computed by the clock is computed again.
    """
    ALTER TABLE campaigns ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
    UPDATE campaigns SET sequence = (
        SELECT COUNT(*) FROM campaigns c WHERE (substr(c.content, instr(c.content, '"created":')), c.name)
        <= (substr(campaigns.content, instr(campaigns.content, '"created":')), campaigns.name)
    );
    DROP INDEX reviews_by_reviewer;
    CREATE INDEX reviews_by_reviewer ON reviews (reviewer, question);
    DELETE FROM standings;
    DELETE FROM standings_mark;
    DELETE FROM cache WHERE key LIKE 'agreement of campaign|%';
    """,
    # Runs that were kept without being asked for, which may go when many newer ones are there.
    """
    CREATE TABLE temporary_runs (run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE) WITHOUT ROWID;
    """,
    # Invitations that end by themselves, or let into one campaign; who came in, and what administrators did.
    """
    ALTER TABLE invitations ADD COLUMN until TEXT NOT NULL DEFAULT '';
    ALTER TABLE invitations ADD COLUMN campaign TEXT NOT NULL DEFAULT '';
    UPDATE invitations SET checksum = NULL;
    CREATE TABLE journal (at TEXT NOT NULL, person TEXT NOT NULL, deed TEXT NOT NULL, checksum INTEGER);
    """,
    # What live engines said besides their outputs: seconds, tokens, and further answers to the same text.
    """
    CREATE TABLE output_facts (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, system TEXT NOT NULL,
        position INTEGER NOT NULL, facts TEXT NOT NULL, checksum INTEGER, PRIMARY KEY (run, system, position)
    ) WITHOUT ROWID;
    """,
    # Items and rules that somebody proposes, until an editor settles them.
    """
    CREATE TABLE proposals (
        suite TEXT NOT NULL, content TEXT NOT NULL, person TEXT NOT NULL, at TEXT NOT NULL,
        settled TEXT NOT NULL DEFAULT '', checksum INTEGER
    );
    """,
]
"""Each entry takes the schema one version further; entries are only ever added."""
TABLES = {
    "runs": ("id", "method", "parameters", "systems", "started", "versions", "result"),
    "segments": ("run", "position", "id", "source", "reference_texts", "document", "tags"),
    "outputs": ("run", "system", "position", "id", "text", "error"),
    "output_facts": ("run", "system", "position", "facts"),
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
    "invitations": ("name", "role", "digest", "since", "until", "campaign"),
    "journal": ("at", "person", "deed"),
    "proposals": ("suite", "content", "person", "at"),
}
"""The columns of each table whose rows say by a checksum whether they are what was stored."""


DEFAULT = Path(".mtassay/workspace.db")
"""Where a new workspace is made, from the current folder."""


def nearest_workspace() -> Path:
    """The workspace of this folder or of the nearest one above it that has one, as git looks for its own.

    The search ends at the home directory. Where there is none, a new one belongs into this folder.
    """
    here, home = Path.cwd(), Path.home()
    for folder in (here, *here.parents):
        if (folder / DEFAULT.parent).is_dir():
            return DEFAULT if folder == here else folder / DEFAULT
        if folder == home:
            break
    return DEFAULT


class WorkspaceFile:
    """An open file; what is kept in it is the matter of those that are made from this."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            _make_folder(path.parent)
        except OSError as error:
            raise WorkspaceError(f"{path}: cannot open the workspace ({error}).") from error
        self._database = Database(
            path, tables=TABLES, migrations=MIGRATIONS, marks=("runs", "segments", "outputs")
        )

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

    def backup(self, path: Path) -> None:
        """A copy of the whole workspace as it is now."""
        self._database.backup(path)


def _make_folder(folder: Path) -> None:
    """Create the workspace's folder; our own default one tells git to leave it alone."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        if folder.name == DEFAULT.parent.name:
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")


AT_ONCE = 500
"""Keys in one query."""


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


def as_json(value: object) -> str:
    """A value as it is kept; what JSON cannot hold by its own description."""
    return json.dumps(value, ensure_ascii=False, default=_plain).encode("utf-8", "replace").decode()


def _plain(value: object) -> object:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)  # type: ignore[call-overload]


def as_real(value: float | None) -> float | None:
    """A number as SQLite gives it back."""
    return None if value is None else float(value)


def as_text(text: str | None) -> str | None:
    """A text without lone surrogates, which a JSON file can hold and SQLite cannot."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def among(column: str, values: Collection[str] | None) -> str:
    """The condition that a column has one of these values; none for `None`."""
    return "" if values is None else f"AND {column} IN ({','.join('?' * len(values))})"


def texts_in(value: Any) -> Iterator[str]:
    """All texts in what was JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)

"""An SQLite file of mtassay: writes are atomic, damage is detected, and other programs' files are refused."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import time
import warnings
import weakref
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mtassay.data.errors import PluginWarning, WorkspaceError
from mtassay.data.nouns import Statistics

APPLICATION = 0x6D746173  # "mtas", in the header of the file, marks a file as ours
PATIENCE_S = 30
"""Longest wait while another process holds the file."""
CHECKPOINT_S = 5
"""Largest age of answers that are only in the log beside the file."""

_CACHE_KIB = 65_536  # KiB of pages in memory: keys are digests, and fall on any page of their index
_STALE_S = 2  # a log without changes for so long was left behind
_FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""The exceptions of SQLite; if a message quotes damaged text, Python cannot read the message."""
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class DamagedError(WorkspaceError):
    """Stored data differs from what was written."""


class UnavailableError(WorkspaceError):
    """The file cannot be written at the moment: it is locked, or its disk is full or gone."""


class LockedError(UnavailableError):
    """Another process is writing."""


_KINDS: Mapping[int, tuple[type[WorkspaceError], str]] = {
    sqlite3.SQLITE_BUSY: (LockedError, "another program is writing to it ({}). Try again."),
    sqlite3.SQLITE_LOCKED: (LockedError, "another program is writing to it ({}). Try again."),
    sqlite3.SQLITE_FULL: (UnavailableError, "the disk is full ({}). Make room, then try again."),
    sqlite3.SQLITE_IOERR: (UnavailableError, "its disk fails ({}). Check the disk, its room and your quota."),
    sqlite3.SQLITE_READONLY: (WorkspaceError, "it may not be written ({}). Choose another: --workspace."),
}
"""The meaning of SQLite's codes, and what to do."""


class Database:
    """An open file with tables whose rows have checksums.

    `tables` are the columns of each table, without `checksum`. Each of `migrations` raises the schema by one
    version; `marks` are tables that mtassay's files have had since the first version.
    """

    def __init__(
        self,
        path: Path,
        *,
        tables: Mapping[str, Sequence[str]],
        migrations: Sequence[str],
        marks: Sequence[str],
    ) -> None:
        self.path = path
        self.read_only = False
        self._tables = tables
        self._migrations = migrations
        self._marks = set(marks)
        self._checkpointed = time.monotonic()
        self._is_mended = False
        try:
            is_closed = path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
            self._open_to_read() if is_closed else self._open()
        except (OSError, *_FAILURES) as error:
            raise self._error(error, "cannot open the workspace") from error

    def _open(self) -> None:
        was_left = _is_left(self.path.with_name(f"{self.path.name}-wal"))
        # A server passes a database from thread to thread; only one of them uses it at a time.
        self._connection = sqlite3.connect(
            self.path, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        self._finalizer = weakref.finalize(self, _close, self._connection)
        self._check_kind()
        self._write_ahead()
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if was_left:
            self._check_pages()
        self._migrate()

    def _open_to_read(self) -> None:
        """Open for reading only. If there is no log beside the file, SQLite needs an option for that."""
        self.read_only = True
        address = self.path.resolve().as_uri()
        mode = "mode=ro" if self.path.with_name(f"{self.path.name}-wal").exists() else "immutable=1"
        self._connection = sqlite3.connect(
            f"{address}?{mode}", uri=True, isolation_level=None, check_same_thread=False
        )
        self._finalizer = weakref.finalize(self, _close, self._connection)
        self._check_kind()
        if (version := self._version()) != len(self._migrations):
            raise sqlite3.OperationalError(f"it has schema {version} and may not be written")

    def _check_kind(self) -> None:
        """Refuse the file of another program."""
        application = self._pragma("application_id")
        names = {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master")}
        if application == APPLICATION or not (application or names):
            return
        if application or not names >= self._marks or not self._version():
            raise WorkspaceError(
                f"{self.path}: this is the database of another program, and was not changed. "
                "Choose another file with `workspace`."
            )

    def _write_ahead(self) -> None:
        """Turn the write-ahead log on. SQLite refuses this at once while another process writes."""
        last = time.monotonic() + PATIENCE_S
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                    raise
                time.sleep(0.01)

    def _check_pages(self) -> None:
        """Check the file after a kill, which may leave damage; SQLite's quick check reads every page once."""
        ((answer,),) = self._connection.execute("PRAGMA quick_check(1)")
        if answer != "ok":
            raise DamagedError(_damaged(self.path, " ".join(answer.split())))

    def _migrate(self) -> None:
        version = self._version()
        if version > len(self._migrations):
            raise WorkspaceError(
                f"{self.path}: made by a newer mtassay (schema {version}, known here: "
                f"{len(self._migrations)}). Upgrade mtassay, or choose another file with `workspace`."
            )
        filled = f"SELECT 1 FROM {max(self._marks)} LIMIT 1"
        if 0 < version < len(self._migrations) and self._connection.execute(filled).fetchone():
            copy = self.path.with_name(f"{self.path.name}.schema-{version}")
            self.backup(copy)
            warnings.warn(PluginWarning(f"{self.path} is upgraded; as it was: {copy}"), stacklevel=2)
        while self._version() < len(self._migrations) or self._pragma("application_id") != APPLICATION:
            with self.transaction():
                # Another process may have migrated the file during the wait for the lock.
                version = self._version()
                if version < len(self._migrations):
                    for statement in filter(str.strip, self._migrations[version].split(";")):
                        self._connection.execute(statement)
                    self._connection.execute(f"PRAGMA user_version = {version + 1}")
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")

    def _version(self) -> int:
        return self._pragma("user_version")

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def close(self) -> None:
        """Move all data from the log into the file and close it; the database cannot be used afterwards."""
        self._finalizer()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: either everything in it is written, or nothing."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
            self._checkpoint()
        except _FAILURES as error:
            self._roll_back()
            raise self._error(error) from error
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        with suppress(*_FAILURES):  # SQLite rolls back by itself where the disk is full
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _checkpoint(self) -> None:
        """From time to time, move the log into the file, which may then be moved or copied."""
        if time.monotonic() - self._checkpointed > CHECKPOINT_S:
            with suppress(*_FAILURES):
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._checkpointed = time.monotonic()

    def insert(self, table: str, rows: Iterable[Sequence[Any]], *, or_ignore: bool = False) -> int:
        """Add rows with their checksums, inside a transaction; return how many were added."""
        columns = self._tables[table]
        marks = ", ".join("?" * (len(columns) + 1))
        before = self._connection.total_changes
        self._connection.executemany(
            f"INSERT {'OR IGNORE ' if or_ignore else ''}INTO {table} ({', '.join(columns)}, checksum) "
            f"VALUES ({marks})",
            ((*row, checksum(row)) for row in rows),
        )
        return self._connection.total_changes - before

    def read(self, table: str, rest: str = "", *values: object) -> list[tuple[Any, ...]]:
        """Whole undamaged rows of a table; `rest` is what follows FROM."""
        return [self._intact(table, row) for row in self.rows(table, rest, *values)]

    def rows(self, table: str, rest: str = "", *values: object) -> list[tuple[Any, ...]]:
        """Return unchecked rows with their checksums as last values, for `is_intact`."""
        self._is_mended = False
        rows = self.select(f"SELECT {', '.join(self._tables[table])}, checksum FROM {table} {rest}", *values)
        if self._is_mended:  # a row of an early version has no checksum to tell the damage by
            return [(*r[:-1], -1) if r[-1] is None and "\ufffd" in str(r) else r for r in rows]
        return rows

    def _intact(self, table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        if not is_intact(row):
            raise DamagedError(_damaged(self.path, f"a row of '{table}' is not what was stored"))
        return row[:-1]

    @contextmanager
    def parsing(self, table: str) -> Iterator[None]:
        """Report an unreadable value in an intact row as damage that is older than the checksums."""
        try:
            yield
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedError(_damaged(self.path, f"a row of '{table}' cannot be read")) from error

    def select(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        try:
            return self._connection.execute(query, values).fetchall()
        except _FAILURES as error:
            if "decode" not in str(error):
                raise self._error(error) from error
        # One text is no longer Unicode: its checksum identifies the row, and the others are read.
        self._is_mended = True
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            return self._connection.execute(query, values).fetchall()
        except _FAILURES as error:
            raise self._error(error) from error
        finally:
            self._connection.text_factory = str

    def backup(self, path: Path) -> None:
        """Copy the whole database in its current state, even while others write."""
        beside = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            copy = sqlite3.connect(beside)
            try:
                self._connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
            finally:
                copy.close()
            beside.replace(path)
        except (OSError, *_FAILURES) as error:
            raise self._error(error, f"cannot copy it to {path}") from error
        finally:
            beside.unlink(missing_ok=True)

    def vacuum(self) -> int:
        """Free the space of deleted data and leave no trace of it; return the number of bytes."""
        before = self.path.stat().st_size
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except _FAILURES as error:
            raise self._error(error) from error
        return max(before - self.path.stat().st_size, 0)

    def hold_at_most(self, kib: int) -> None:
        """Keep fewer pages in memory, for many processes with the file open at once."""
        self._connection.execute(f"PRAGMA cache_size = -{kib}")

    @property
    def free_share(self) -> float:
        """The share of the file that is empty, 0 to 1."""
        return self._pragma("freelist_count") / max(self._pragma("page_count"), 1)

    def _error(self, error: Exception, what: str = "") -> WorkspaceError:
        """Turn an error of SQLite into ours, with what to do."""
        if isinstance(error, WorkspaceError):
            return error
        if isinstance(error, UnicodeDecodeError):
            return DamagedError(_damaged(self.path, "a text in it is no UTF-8"))
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        # A missing table or column: a file of ours has them all.
        if (code in _BROKEN and "not a database" not in str(error)) or str(error).startswith("no such"):
            return DamagedError(_damaged(self.path, str(error)))
        if code in _KINDS:
            kind, why = _KINDS[code]
            reason = f"{error}, {getattr(error, 'sqlite_errorname', '')}"
            return kind(f"{self.path}: {f'{what}: ' if what else ''}{why.format(reason)}")
        if code == sqlite3.SQLITE_CANTOPEN and not os.access(self.path.parent, os.W_OK):
            folder = self.path.parent
            return WorkspaceError(f"{self.path}: {folder} may not be written. Choose another: --workspace.")
        return WorkspaceError(f"{self.path}: {what} ({error})." if what else f"{self.path}: {error}.")


def checksum(row: Sequence[Any]) -> int:
    """The checksum of all values of a row, as SQLite returns them."""
    total = 0
    texts = []
    for value in row:
        if type(value) is str:
            texts.append(value)
        elif isinstance(value, bytes):
            total = zlib.crc32(value, total)
        else:
            texts.append("\0" if value is None else str(value))
    return zlib.crc32("\1".join(texts).encode("utf-8", "surrogatepass"), total)


def is_intact(row: Sequence[Any]) -> bool:
    """Whether a row with its checksum at the end is unchanged; rows of early versions have no checksum."""
    return row[-1] is None or row[-1] == checksum(row[:-1])


def _damaged(path: Path, why: str) -> str:
    return f"{path}: the file is damaged ({why}). Put a backup in its place, or take another `workspace`."


def _is_left(log: Path) -> bool:
    """Whether a write-ahead log has been unchanged for a long time, as after a crash."""
    try:
        found = log.stat()
    except FileNotFoundError:  # another process may take it away at any moment
        return False
    return found.st_size > 0 and time.time() - found.st_mtime > _STALE_S


def _close(connection: sqlite3.Connection) -> None:
    with suppress(*_FAILURES):
        connection.execute("PRAGMA busy_timeout = 0")  # other processes have the file open and will do it
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with suppress(*_FAILURES):
        connection.close()


# The file of a workspace ------------------------------------------------------------------------------------

_SCHEMA = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
MIGRATIONS = [
    re.sub(r"^--.*\n", "", part, flags=re.MULTILINE)  # a comment may contain the sign that ends statements
    for part in re.split(r"^-- version \d+ --\n", _SCHEMA, flags=re.MULTILINE)[1:]
]
"""Each entry raises the schema by one version."""
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
"""The columns of each table whose rows have a checksum that detects damage."""


DEFAULT = Path(".mtassay/workspace.db")
"""The path of a new workspace, from the current folder."""


def nearest_workspace() -> Path:
    """The workspace of this folder or of the nearest parent folder with one, like git.

    The search ends at the home directory. If nothing is found, a new one belongs into this folder.
    """
    here, home = Path.cwd(), Path.home()
    for folder in (here, *here.parents):
        if (folder / DEFAULT.parent).is_dir():
            return DEFAULT if folder == here else folder / DEFAULT
        if folder == home:
            break
    return DEFAULT


class WorkspaceFile:
    """An open file; subclasses define its contents."""

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
        """The file, for other queries than these methods have."""
        return self._database

    @property
    def read_only(self) -> bool:
        """Whether the file is open for reading only."""
        return self._database.read_only

    def close(self) -> None:
        """Close the file; the workspace cannot be used afterwards."""
        self._database.close()

    def backup(self, path: Path) -> None:
        """Copy the whole workspace in its current state."""
        self._database.backup(path)


def _make_folder(folder: Path) -> None:
    """Create the workspace's folder; in our own default one, git ignores everything."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        if folder.name == DEFAULT.parent.name:
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")


AT_ONCE = 500
"""Keys in one query."""


def pack_statistics(measured: Statistics) -> bytes:
    """Pack ids, columns and values; whole numbers in as few bytes as they need."""
    import numpy as np  # large, and needed only for runs that measure

    values = measured.values
    if np.issubdtype(values.dtype, np.integer) and values.size and values.min() >= 0:
        values = values.astype(np.min_scalar_type(values.max()))
    buffer = io.BytesIO()
    ids, columns = (np.frombuffer(_joined(texts), np.uint8) for texts in (measured.ids, measured.columns))
    np.savez(buffer, values=values, ids=ids, columns=columns)
    return buffer.getvalue()


def unpack_statistics(data: bytes, metric: str, system: str) -> Statistics:
    """The statistics of a system under a metric, from the output of `pack_statistics`."""
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        ids, columns = (_parted(arrays[name].tobytes()) for name in ("ids", "columns"))
        return Statistics(metric, system, ids, columns, arrays["values"])


def _joined(texts: Sequence[str]) -> bytes:
    return "\0".join(texts).encode("utf-8", "surrogatepass")


def _parted(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogatepass").split("\0")


def now_exactly() -> str:
    """The current time in UTC, to the microsecond, in a form whose texts sort by time."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _plain(value: object) -> object:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)  # type: ignore[call-overload]


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=_plain)


def as_json(value: object) -> str:
    """A stored value; objects that JSON cannot hold become their own description."""
    text = _ENCODER.encode(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def as_real(value: float | None) -> float | None:
    """A number as SQLite returns it."""
    return None if value is None else float(value)


def as_text(text: str | None) -> str | None:
    """A text without lone surrogates, which JSON files can hold but SQLite cannot."""
    return text if text is None or text.isascii() else text.encode("utf-8", "replace").decode()


def among(column: str, values: Collection[str] | None) -> str:
    """The condition that a column has one of these values; empty for `None`."""
    return "" if values is None else f"AND {column} IN ({','.join('?' * len(values))})"


def texts_in(value: Any) -> Iterator[str]:
    """All texts in parsed JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)

"""One SQLite file of ours: other programs' files are never touched, writes are atomic, damage is detected."""

from __future__ import annotations

import os
import sqlite3
import time
import warnings
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mtassay.data.errors import PluginWarning, WorkspaceError

APPLICATION = 0x6D746173  # "mtas", in the header of the file, marks a file as ours
PATIENCE_S = 30
"""Longest wait while another process holds the file."""
CHECKPOINT_S = 5
"""Largest age of answers that are only in the log beside the file."""

_CACHE_KIB = 65_536  # KiB of pages in memory: keys are digests, and fall on any page of their index
_STALE_S = 2  # a log without changes for so long was left behind
_FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""The exceptions of SQLite; if its message quotes damage, Python cannot even read the message."""
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
    version; `marks` are tables that a file of ours has had since the first version.
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
        """Open for reading only. If there is no log beside the file, SQLite must be told so."""
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
        """Move everything into the one file and close it; the database cannot be used afterwards."""
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
        """The same with the checksum of each row at its end, unchecked: `is_intact` tells."""
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
        """Report a value that cannot be read from an intact row as damage from before checksums."""
        try:
            yield
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedError(_damaged(self.path, f"a row of '{table}' cannot be read")) from error

    def select(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a query gives."""
        try:
            return self._connection.execute(query, values).fetchall()
        except _FAILURES as error:
            if "decode" not in str(error):
                raise self._error(error) from error
        # One text is not Unicode any more: its checksum identifies the row, and the others are read.
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
    """Whether a write-ahead log has not changed for long, as after a crash."""
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

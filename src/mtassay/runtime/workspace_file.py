"""The file of a workspace: find and open it, close it, shrink it, copy it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mtassay.data.errors import WorkspaceError
from mtassay.data.nouns import Statistics
from mtassay.runtime.database import Database

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

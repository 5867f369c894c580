"""The file of a workspace: opened in its folder, closed, made smaller, copied."""

from __future__ import annotations

from pathlib import Path

from mtassay.database import Database
from mtassay.errors import WorkspaceError
from mtassay.store.schema import MIGRATIONS, TABLES

__all__ = ["DEFAULT", "WorkspaceFile"]

DEFAULT = Path(".mtassay/workspace.db")


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

    def vacuum(self) -> int:
        """Give back the space of what was deleted; gives how many bytes."""
        return self._database.vacuum()

    def backup(self, path: Path) -> None:
        """A copy of the whole workspace as it is now."""
        self._database.backup(path)


def _make_folder(folder: Path) -> None:
    """Create the workspace's folder; our own default one tells git to leave it alone."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        if folder.name == DEFAULT.parent.name:
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")

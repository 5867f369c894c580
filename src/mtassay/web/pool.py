"""Open workspaces for the threads of a server: each is lent to one request at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, LifoQueue

from mtassay.api import open_workspace
from mtassay.store import Workspace

__all__ = ["WorkspacePool"]


class WorkspacePool:
    """Workspaces of one file; as many are opened as requests are served at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: LifoQueue[Workspace] = LifoQueue()

    @contextmanager
    def lend(self) -> Iterator[Workspace]:
        """A workspace that nobody else uses meanwhile."""
        try:
            workspace = self._idle.get_nowait()
        except Empty:
            workspace = open_workspace(self.path)
        try:
            yield workspace
        finally:
            self._idle.put(workspace)

    def close(self) -> None:
        """Close those that are not lent."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

"""Makes the agendas of runs beside the server, so that nobody waits for a large run to be read."""

from __future__ import annotations

import threading
from queue import Queue

from mtassay.agenda import is_prepared, prepare
from mtassay.errors import MtassayError
from mtassay.reviews.queue import asked_in
from mtassay.web.pool import WorkspacePool

__all__ = ["Preparer"]


class Preparer:
    """One thread that reads one run after another. `problems` are the runs that cannot be read, with why."""

    def __init__(self, pool: WorkspacePool) -> None:
        self.problems: dict[str, str] = {}
        self._pool = pool
        self._asked: Queue[str] = Queue()
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._work, name="agendas", daemon=True).start()

    def ask(self, run: str) -> None:
        """Make the agenda of a run soon."""
        with self._lock:
            if run not in self._seen:
                self._seen.add(run)
                self._asked.put(run)

    def ask_all(self) -> None:
        """Make those of all runs that have none, the newest first."""
        with self._pool.lend() as store:
            for run in store.runs():
                if asked_in(run) and not is_prepared(store, run):
                    self.ask(run.id)

    def _work(self) -> None:
        while True:
            run = self._asked.get()
            try:
                with self._pool.lend() as store:
                    prepare(store, run)
            except MtassayError as error:
                self.problems[run] = str(error)

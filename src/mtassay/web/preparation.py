"""Makes the agendas of runs beside the server, so that nobody waits for a large run to be read."""

from __future__ import annotations

import threading
import traceback
from queue import Queue

from mtassay.agenda import prepare
from mtassay.errors import MtassayError
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

    def _work(self) -> None:
        while True:
            run = self._asked.get()
            try:
                with self._pool.lend() as store:
                    prepare(store, run)
            except Exception as error:  # one run that cannot be read must not keep others waiting
                if not isinstance(error, MtassayError):
                    traceback.print_exc()
                self.problems[run] = str(error)

"""Processes of this machine as workers; they end with this one, however it ends."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, ClassVar

from mtassay.errors import WorkerError
from mtassay.executors.base import Spread, compute
from mtassay.processes import WorkerPool, process_count

__all__ = ["TRIES", "Processes"]

TRIES = 3
"""So many times a batch is tried that its worker does not survive."""


@dataclass(slots=True)
class _Job:
    function: bytes
    batch: Any
    future: Future[Any]
    losses: int = 0


class Processes(Spread[_Job]):
    """One worker per core, or as many as `MTASSAY_PROCESSES` says; they stay until the executor is closed."""

    name: ClassVar[str] = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or process_count()
        self._pool: WorkerPool | None = None

    @property
    def workers(self) -> int:
        """How many processes there are."""
        return self._workers

    def _submit(self, function: bytes, batch: Any) -> _Job:
        return _Job(function, batch, self._started(function, batch))

    def _started(self, function: bytes, batch: Any) -> Future[Any]:
        if self._pool is None:
            self._pool = WorkerPool(self._workers)
        try:
            return self._pool.submit(compute, function, batch)
        except BrokenProcessPool as error:
            # A worker was lost since; `_result` of the oldest job starts anew.
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def _result(self, job: _Job, jobs: Iterable[_Job]) -> Any:
        while True:
            try:
                return job.future.result()
            except BrokenProcessPool:
                job.losses += 1
                if job.losses == TRIES:
                    raise WorkerError(
                        f"{TRIES} workers were lost with the same batch; is there enough memory? "
                        "Set MTASSAY_PROCESSES to fewer processes, or take --executor local."
                    ) from None
                self._restart(jobs)

    def _restart(self, jobs: Iterable[_Job]) -> None:
        """All workers anew, for the jobs that are not done: one lost process takes the others with it."""
        self.close()
        for job in jobs:
            if not job.future.done() or job.future.cancelled() or job.future.exception() is not None:
                job.future = self._started(job.function, job.batch)

    def _cancel(self, jobs: Iterable[_Job]) -> None:
        for job in jobs:
            job.future.cancel()

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

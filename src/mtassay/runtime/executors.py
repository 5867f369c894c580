"""Executors for large work: this process, several processes, or a Ray cluster; results are the same."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Generic, Self, TypeVar

from mtassay.data.errors import UsageError, WorkerError
from mtassay.runtime.processes import WorkerPool, process_count

AHEAD = 2
"""Largest number of waiting or running batches per worker, until results are taken."""

Batch = TypeVar("Batch")
Answer = TypeVar("Answer")
Job = TypeVar("Job")


class Executor(ABC, Generic[Job]):
    """Computes a function of many batches with workers in other processes.

    The function depends only on its batch, so the place and number of its runs do not matter. It is pickled
    once, and unpickled once by each worker. A model in it should pickle as instructions to open it, so that
    each worker loads it once. The batches of a lost worker go to others.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def workers(self) -> int:
        """The number of batches that can be computed at the same time."""

    def map(self, function: Callable[[Batch], Answer], batches: Iterable[Batch]) -> Iterator[Answer]:
        """Yield the function of each batch, in order. An error is raised in place of the answer.

        Batches are taken only when there is room for them, so memory is bounded.
        """
        sent = self._send(function)
        source = iter(batches)
        jobs: deque[Job] = deque()
        try:
            while True:
                room = AHEAD * self.workers - len(jobs)
                jobs.extend(self._submit(sent, batch) for batch in islice(source, max(room, 0)))
                if not jobs:
                    return
                answer = self._result(jobs[0], jobs)
                jobs.popleft()
                yield answer
        finally:
            self._cancel(jobs)

    @abstractmethod
    def close(self) -> None:
        """End all workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, function: Callable[[Any], Any]) -> Any:
        """Pickle the function for `_submit`."""
        return pickle.dumps(function, pickle.HIGHEST_PROTOCOL)

    @abstractmethod
    def _submit(self, function: Any, batch: Any) -> Job:
        """Start computing a batch."""

    @abstractmethod
    def _result(self, job: Job, jobs: Iterable[Job]) -> Any:
        """Wait for the answer to a job; `jobs` are all jobs in progress."""

    @abstractmethod
    def _cancel(self, jobs: Iterable[Job]) -> None:
        """Cancel jobs."""


def compute(function: bytes, batch: Any) -> Any:
    """Compute the function of a batch in a worker, which unpickles it at the first batch."""
    return _unpickled(function)(batch)


@lru_cache(maxsize=8)
def _unpickled(function: bytes) -> Callable[[Any], Any]:
    opened: Callable[[Any], Any] = pickle.loads(function)
    return opened


TRIES = 3
"""Number of tries for a batch whose worker dies."""


@dataclass(slots=True)
class _Job:
    function: bytes
    batch: Any
    future: Future[Any]
    losses: int = 0


class Processes(Executor[_Job]):
    """One worker per core, or as many as `MTASSAY_PROCESSES` says; they run until the executor is closed."""

    name: ClassVar[str] = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or process_count()
        self._pool: WorkerPool | None = None

    @property
    def workers(self) -> int:
        """The number of processes."""
        return self._workers

    def _submit(self, function: bytes, batch: Any) -> _Job:
        return _Job(function, batch, self._started(function, batch))

    def _started(self, function: bytes, batch: Any) -> Future[Any]:
        if self._pool is None:
            self._pool = WorkerPool(self._workers)
        try:
            return self._pool.submit(compute, function, batch)
        except BrokenExecutor as error:
            # A worker was lost since then; `_result` of the oldest job starts again.
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def _result(self, job: _Job, jobs: Iterable[_Job]) -> Any:
        while True:
            try:
                return job.future.result()
            except BrokenExecutor:
                job.losses += 1
                if job.losses == TRIES:
                    raise WorkerError(
                        f"{TRIES} workers were lost with the same batch; is there enough memory? "
                        "Set MTASSAY_PROCESSES to fewer processes, or take `executor='local'`."
                    ) from None
                self._restart(jobs)

    def _restart(self, jobs: Iterable[_Job]) -> None:
        """Start all workers again for the open jobs, because one lost process ends the others."""
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


EXECUTORS = ("local", "processes", "ray")


def open_executor(name: str, *, address: str | None = None) -> Executor[Any] | None:
    """The executor of this name; `None` for `local`, which means this process.

    `address` is the address of a Ray cluster; without it, a cluster is started here.

    >>> open_executor("cluster")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No executor 'cluster'. Available: local, processes, ray.
    """
    if name not in EXECUTORS:
        raise UsageError(f"No executor '{name}'. Available: {', '.join(EXECUTORS)}.")
    if address is not None and name != "ray":
        raise UsageError("The address of a Ray cluster goes with the executor ray: add `executor='ray'`.")
    if name == "ray":
        from mtassay.runtime.ray_cluster import RayCluster

        return RayCluster(address)
    return Processes() if name == "processes" else None

"""What an executor is: it computes a pure function of many batches, in order, wherever it has room."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Generic, Self, TypeVar

__all__ = ["AHEAD", "Executor", "Local", "Spread", "compute"]

AHEAD = 2
"""Batches that wait or are computed, for each worker: no more are made before results are taken."""

Batch = TypeVar("Batch")
Answer = TypeVar("Answer")
Job = TypeVar("Job")


class Executor(ABC):
    """Computes a function of many batches.

    The function depends on nothing but its batch, so that it does not matter where it is computed, nor how
    often. It is pickled once, and unpickled once by each worker: a model in it should pickle as the way to
    open it, and is then loaded once by each worker.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many batches can be computed at the same time."""

    @abstractmethod
    def map(self, function: Callable[[Batch], Answer], batches: Iterable[Batch]) -> Iterator[Answer]:
        """The function of each batch, in order. Its error is raised in the place of an answer.

        Batches are taken as there is room for them, so that memory is bounded however many there are.
        """

    def close(self) -> None:
        """End all workers."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Local(Executor):
    """Computes batch after batch in this process."""

    name: ClassVar[str] = "local"

    @property
    def workers(self) -> int:
        """One: this process."""
        return 1

    def map(self, function: Callable[[Batch], Answer], batches: Iterable[Batch]) -> Iterator[Answer]:
        return map(function, batches)


class Spread(Executor, Generic[Job]):
    """An executor with workers elsewhere. A lost worker costs the batches that it had, which go to others."""

    def map(self, function: Callable[[Batch], Answer], batches: Iterable[Batch]) -> Iterator[Answer]:
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

    def _send(self, function: Callable[[Any], Any]) -> Any:
        """The function, pickled, as `_submit` wants it."""
        return pickle.dumps(function, pickle.HIGHEST_PROTOCOL)

    @abstractmethod
    def _submit(self, function: Any, batch: Any) -> Job:
        """Have it computed."""

    @abstractmethod
    def _result(self, job: Job, jobs: Iterable[Job]) -> Any:
        """The answer to a job, waited for; `jobs` are all that are under way."""

    @abstractmethod
    def _cancel(self, jobs: Iterable[Job]) -> None:
        """Nobody wants these any more."""


def compute(function: bytes, batch: Any) -> Any:
    """What a worker does: the function, unpickled at its first batch, of a batch."""
    return _unpickled(function)(batch)


@lru_cache(maxsize=8)
def _unpickled(function: bytes) -> Callable[[Any], Any]:
    opened: Callable[[Any], Any] = pickle.loads(function)
    return opened

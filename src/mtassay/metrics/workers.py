"""Spread a slow function over the cores of this machine, with the same result as a plain loop."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from mtassay.errors import UsageError

VARIABLE = "MTASSAY_PROCESSES"
WATCHER = "mtassay-progress"
"""The name of a thread that only looks on: it holds no lock that a forked process could miss."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def process_count() -> int:
    """How many processes may work: the environment's `MTASSAY_PROCESSES`, or one per core.

    1 inside a worker process, so that workers do not start workers.
    """
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None and multiprocessing.parent_process() is not None:
        return 1
    setting = os.environ.get(VARIABLE, "")
    if not setting:
        return os.cpu_count() or 1
    if not setting.isdecimal() or int(setting) < 1:
        raise UsageError(f"{VARIABLE} is {setting!r}. Set it to the number of processes, 1 or more.")
    return int(setting)


def map_in_processes(
    function: Callable[[Item], Answer], items: Sequence[Item], *, processes: int, start_method: str = ""
) -> list[Answer]:
    """`[function(item) for item in items]`, computed in that many processes.

    The function must be importable by name and depend on nothing but the item. What a process leaves
    undone, because it was killed or could not be started, is computed here.
    """
    answers: list[Answer] = []
    processes = min(processes, len(items))
    if processes > 1:
        import multiprocessing  # slow to load, and needed only for large work
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        context = multiprocessing.get_context(start_method or _start_method())
        chunk = -(-len(items) // (8 * processes))
        executor = None
        try:
            executor = ProcessPoolExecutor(processes, mp_context=context)
            for answer in executor.map(function, items, chunksize=chunk):
                answers.append(answer)  # One by one, to keep those that came before a failure.
        except (BrokenProcessPool, OSError, ImportError, NotImplementedError):
            pass
        finally:
            if executor is not None:
                executor.shutdown(cancel_futures=True)
    answers.extend(map(function, items[len(answers) :]))
    return answers


def _start_method() -> str:
    """A fork starts at once and does not run the caller's script again, but is unsafe beside threads."""
    others = [t for t in threading.enumerate() if t is not threading.main_thread() and t.name != WATCHER]
    return "fork" if sys.platform == "linux" and not others else "spawn"

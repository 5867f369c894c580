"""Worker processes and programs that always end with this process.

A worker waits in a thread for the end of its parent. A shell beside each program reads a pipe that this
process holds, and ends the program with it. A pipe closes with its process even after `kill -9`, on Linux and
on macOS.
"""

from __future__ import annotations

import errno
import gc
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mtassay.data.errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Future


VARIABLE = "MTASSAY_PROCESSES"
WATCHER = "mtassay-progress"
"""The name of threads that only watch, without locks that a forked process could need."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def process_count() -> int:
    """The number of processes to use: the environment's `MTASSAY_PROCESSES`, or one per available core.

    1 inside a worker process, so that workers do not start workers.
    """
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None and multiprocessing.parent_process() is not None:
        return 1
    setting = os.environ.get(VARIABLE, "")
    if not setting:
        return core_count()
    if not setting.isdecimal() or int(setting) < 1:
        raise UsageError(f"{VARIABLE} is {setting!r}. Set it to the number of processes, 1 or more.")
    return int(setting)


def core_count() -> int:
    """Count the cores that this process may use; on a shared machine often fewer than exist."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_in_processes(
    function: Callable[[Item], Answer], items: Sequence[Item], *, processes: int, start_method: str = ""
) -> list[Answer]:
    """Compute `[function(item) for item in items]` in that many processes, including this one.

    The function must be importable by name and depend only on the item. Items that a killed or missing
    process leaves undone are computed here.
    """
    processes = min(processes, len(items))
    answers: dict[int, Answer] = {}
    if processes > 1:
        in_processes = _map_in_forks if (start_method or _start_method()) == "fork" else _map_in_a_pool
        answers = in_processes(function, items, processes)
    return [answers[i] if i in answers else function(item) for i, item in enumerate(items)]


# Pieces per process (several, so that others can help a slow process), and the limit of all.
_PIECES, _MOST_PIECES = 8, 512
# Bytes of a piece's number in the pipe, which has the numbers of all pieces at once.
_NUMBER = 8


def _map_in_forks(
    function: Callable[[Item], Answer], items: Sequence[Item], processes: int
) -> dict[int, Answer]:
    """The answers by place. Forks have the items already, so only answers are written and read."""
    size = -(-len(items) // min(_PIECES * processes, _MOST_PIECES))
    queue, way = os.pipe()
    # The pipe holds all the work; each process takes the next piece from it.
    os.write(way, b"".join(start.to_bytes(_NUMBER) for start in range(0, len(items), size)))
    os.close(way)

    def share() -> dict[int, Answer]:
        answers: dict[int, Answer] = {}
        while number := os.read(queue, _NUMBER):
            start = int.from_bytes(number)
            answers.update((i, function(items[i])) for i in range(start, min(start + size, len(items))))
        return answers

    with ExitStack() as stack:
        stack.callback(os.close, queue)
        others = [stack.enter_context(computed_beside(share)) for _ in range(processes - 1)]
        answers = share()
        for other in others:
            answers |= other()
    return answers


def _map_in_a_pool(
    function: Callable[[Item], Answer], items: Sequence[Item], processes: int
) -> dict[int, Answer]:
    """Return the received answers by place, from processes that share nothing with this one."""
    import multiprocessing  # slow to load, and needed only for large work
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    answers: dict[int, Answer] = {}
    executor = None
    done = False
    try:
        executor = ProcessPoolExecutor(min(processes, 61), mp_context=context, initializer=_end_with_parent)
        with _hidden_script(), _deaf_to_ctrl_c():
            coming = executor.map(function, items, chunksize=-(-len(items) // (_PIECES * processes)))
        answers.update(enumerate(coming))  # one by one, to keep those that came before a failure
        done = True
    except (BrokenProcessPool, OSError, ImportError, NotImplementedError):
        pass
    finally:
        if executor is not None:
            # After Ctrl-C nobody needs the current work of the workers.
            executor.shutdown(wait=done, cancel_futures=True)
    return answers


def each_in_threads(function: Callable[[Item], None], items: Iterable[Item], *, most: int = 8) -> None:
    """Call the function with each item in threads; it should release Python's lock, as NumPy does.

    The order of calls must not matter. There are `most` threads at most, with one item at a time each.
    """
    coming = iter(items)
    turn = threading.Lock()
    failures: list[BaseException] = []
    end: Any = object()

    def work() -> None:
        try:
            while not failures:
                with turn:
                    item = next(coming, end)
                if item is end:
                    return
                function(item)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(min(process_count(), most) - 1)]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@contextmanager
def computed_beside(function: Callable[[], Answer]) -> Iterator[Callable[[], Answer]]:
    """Start computing a function in a fork, and return a call that gives its result.

    The function must change nothing that is used here. Without a second core or a safe fork, or if the fork
    fails, the call computes the result in this process.
    """
    if process_count() == 1 or not can_fork():
        yield function
        return
    pipes: list[int] = []
    child = 0
    try:
        try:
            pipes += os.pipe()
            pipes += os.pipe()
            answer_end, answer_way, life_end, life = pipes
            with _deaf_to_ctrl_c(), warnings.catch_warnings():
                # Python warns of threads, but the watcher is the only one.
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
                if child == 0:
                    _answer_and_exit(function, answer_way, life_end, (answer_end, life))
        except OSError:
            yield function
            return
        os.close(answer_way)
        os.close(life_end)
        del pipes[1:3]

        def answer() -> Answer:
            with open(answer_end, "rb", closefd=False) as pipe:
                length = int.from_bytes(pipe.read(_NUMBER))
                written = pipe.read()
            if not written or len(written) != length:
                return function()
            result: Answer = pickle.loads(written)
            return result

        yield answer
    finally:
        for end in pipes:
            os.close(end)
        if child:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)  # others may hold its pipes, so it would go on
            with suppress(ChildProcessError):  # if nobody is told about children
                os.waitpid(child, 0)


def _answer_and_exit(
    function: Callable[[], object], answer_way: int, life_end: int, others: Sequence[int]
) -> NoReturn:
    """In a fork: one computation, without this program's own actions at exit."""
    code = 1
    try:
        for end in others:
            os.close(end)
        sys.stderr = os.fdopen(os.dup(2), "w")  # a thread of the parent may hold the lock of this one
        threading.Thread(target=_wait_for_end_of_pipe, args=(life_end,), daemon=True).start()
        gc.disable()  # to look at what is there already would copy it, and what comes does not stay long
        os.environ[VARIABLE] = "1"
        written = pickle.dumps(function(), pickle.HIGHEST_PROTOCOL)
        with open(answer_way, "wb") as pipe:
            pipe.write(len(written).to_bytes(_NUMBER))
            pipe.write(written)
        code = 0
    finally:
        os._exit(code)


def _wait_for_end_of_pipe(end: int) -> None:
    os.read(end, 1)
    os._exit(1)


class WorkerPool:
    """Worker processes that serve many calls, until the pool is closed or this process ends."""

    def __init__(self, processes: int) -> None:
        import multiprocessing  # slow to load, and needed only for large work
        from concurrent.futures import ProcessPoolExecutor

        context = multiprocessing.get_context(_start_method())
        self._pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_end_with_parent)

    def submit(self, function: Callable[..., Answer], *arguments: Any) -> Future[Answer]:
        """Compute a function that is importable by name. `BrokenProcessPool` after a worker died."""
        with _hidden_script(), _deaf_to_ctrl_c():
            return self._pool.submit(function, *arguments)

    def close(self) -> None:
        """End the workers; their current work is lost."""
        workers = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()


def _end_with_parent() -> None:
    """Make a starting worker end with the process that asked for its work."""
    threading.Thread(target=_wait_for_end_of_parent, daemon=True).start()


def _wait_for_end_of_parent() -> None:
    from multiprocessing import connection, parent_process

    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


@contextmanager
def _hidden_script() -> Iterator[None]:
    """Keep new processes from running the caller's script again, since they do not need it."""
    main = sys.modules["__main__"]
    kept = {name: getattr(main, name) for name in ("__file__", "__spec__") if hasattr(main, name)}
    try:
        main.__spec__ = None
        if "__file__" in kept:
            del main.__file__
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Make processes started in this context ignore Ctrl-C; this process handles it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def can_fork() -> bool:
    """Whether a fork of this process is safe: it starts at once and has everything here, except threads."""
    others = [t for t in threading.enumerate() if t is not threading.main_thread() and t.name != WATCHER]
    return sys.platform == "linux" and not others


def _start_method() -> str:
    return "fork" if can_fork() else "spawn"


@dataclass(frozen=True, slots=True)
class HeldProgram:
    """A program, and the end of the pipe that keeps it alive."""

    process: subprocess.Popen[bytes]
    end: int | None = None

    def release(self) -> None:
        """Release the program: processes that it started may continue without us."""
        if self.end is not None:
            with suppress(OSError):  # nobody reads any more
                os.write(self.end, b"\n")
            os.close(self.end)


# The pipe gives a line when the program is released, and ends when we have ended. In a subshell within a
# subshell, so that the program has no child that it knows nothing of.
_HOLD = '({ read -r _ || kill -KILL 0; } < "/dev/fd/$0" > /dev/null 2>&1 &); exec "$@"'


def start_program(arguments: Sequence[str]) -> HeldProgram:
    """Start a program with pipes for its three streams, in a session of its own, so all of it can be ended.

    `OSError` if it cannot be started. It is killed, with all that it started, when this process ends.
    """
    pipe = subprocess.PIPE
    if sys.platform == "win32":
        return HeldProgram(subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe))
    program = arguments[0]
    if shutil.which(program) is None:
        reason = errno.EACCES if Path(program).exists() else errno.ENOENT
        raise OSError(reason, os.strerror(reason), program)
    read_end, our_end = os.pipe()
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _HOLD, str(read_end), *arguments],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
            pass_fds=[read_end],
        )
    except BaseException:
        os.close(our_end)
        raise
    finally:
        os.close(read_end)
    return HeldProgram(process, our_end)

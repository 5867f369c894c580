"""A computation beside another one: by a fork where that is safe, else by the call."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from mtassay.data.errors import InputError
from mtassay.runtime.processes import computed_beside, each_in_threads
from mtassay.stats.family import swap_trials

needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely")


@pytest.fixture(autouse=True)
def two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_PROCESSES", "2")


@needs_fork
def test_another_process_computes_the_answer() -> None:
    # In a process of its own: what ran here before may have left threads behind, and then nothing is forked.
    code = """
with computed_beside(lambda: (os.getpid(), "x" * 1_000_000)) as answer:
    pid, text = answer()
print(pid != os.getpid(), len(text))
"""
    assert printed(code) == ["True", "1000000"]


def printed(code: str) -> list[str]:
    code = f"import os, time\nfrom mtassay.runtime.processes import computed_beside\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_with_one_process_the_call_computes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_PROCESSES", "1")
    with computed_beside(os.getpid) as answer:
        assert answer() == os.getpid()


def test_beside_another_thread_nothing_is_forked() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        with computed_beside(os.getpid) as answer:
            assert answer() == os.getpid()
    finally:
        end.set()
        thread.join()


@needs_fork
def test_what_the_fork_leaves_undone_is_computed_here() -> None:
    here = os.getpid()

    def compute() -> int:
        if os.getpid() != here:
            os._exit(9)
        return 7

    with computed_beside(compute) as answer:
        assert answer() == 7


def test_an_error_is_raised_by_the_call() -> None:
    def compute() -> int:
        raise InputError("there is nothing")

    with computed_beside(compute) as answer, pytest.raises(InputError, match="there is nothing"):
        answer()


@needs_fork
def test_a_fork_whose_answer_nobody_waits_for_ends_at_once() -> None:
    code = """
start = time.monotonic()
try:
    with computed_beside(lambda: time.sleep(600)):
        raise RuntimeError
except RuntimeError:
    print(time.monotonic() - start < 300)  # not a timing: it would sleep for twice as long
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none")
"""
    assert printed(code) == ["True", "none"]


@needs_fork
def test_a_fork_that_others_keep_alive_ends_all_the_same() -> None:
    # A worker of somebody else has copies of all pipes; the answer is more than a pipe takes.
    code = """
with computed_beside(lambda: "x" * 1_000_000) as answer:
    other = os.fork()
    if other == 0:
        time.sleep(600)
        os._exit(0)
    time.sleep(0.5)
os.kill(other, 9)
print("ended")
"""
    assert printed(code) == ["ended"]


@needs_fork
def test_who_is_not_told_of_children_gets_the_answer() -> None:
    code = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
with computed_beside(lambda: 7) as answer:
    print(answer())
"""
    assert printed(code) == ["7"]


def test_a_command_that_was_loaded_leaves_all_threads_to_the_programs_it_starts() -> None:
    look = "import os, mtassay.app.cli.main as m; m.build_app(['score']); print(sorted(os.environ))"
    alone = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    shown = subprocess.run(
        [sys.executable, "-c", look], env=alone, capture_output=True, text=True, check=True
    )
    assert "OPENBLAS_NUM_THREADS" not in shown.stdout


@pytest.mark.parametrize("processes", ["1", "2"])
def test_threads_call_a_function_with_each_item_and_raise_what_it_raises(
    processes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTASSAY_PROCESSES", processes)
    seen: list[int] = []
    each_in_threads(seen.append, iter(range(20)))
    assert sorted(seen) == list(range(20))
    with pytest.raises(ZeroDivisionError):
        each_in_threads(lambda item: seen.append(1 // item), range(20))


@pytest.mark.parametrize("processes", ["1", "3"])
def test_trials_are_the_same_in_any_number_of_threads(
    processes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    statistics = np.random.default_rng(1).integers(0, 9, size=(40, 3, 2))
    expected = swap_trials([statistics], [_ratio], trials=300, seed=7)
    monkeypatch.setenv("MTASSAY_PROCESSES", processes)
    monkeypatch.setattr("mtassay.stats.resampling._CHUNK_BYTES", 32 * 8 * 40)  # 32 trials at a time
    assert np.array_equal(swap_trials([statistics], [_ratio], trials=300, seed=7), expected)


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sums[..., 0] / (1 + sums[..., 1]))

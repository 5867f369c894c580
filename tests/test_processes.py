"""What we start ends with us: workers and programs, also after a kill that nobody can answer."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import MAIN

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PATIENCE = 60.0
"""Seconds after which something that has not happened will not. Only a failing test waits so long."""
Start = Callable[..., subprocess.Popen[bytes]]
DEATHS = [signal.SIGKILL, signal.SIGTERM]
if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # under nohup, programs ignore it as they should
    DEATHS.append(signal.SIGHUP)


def write_hard_texts(folder: Path) -> None:
    """References and two systems that TER needs worker processes and many seconds for."""
    draw = random.Random(1)
    words = [f"w{number}" for number in range(60)]
    for name in ("ref", "a", "b"):
        lines = [" ".join(draw.choices(words, k=80)) for _ in range(4000)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def processes_in(folder: Path) -> list[int]:
    """All living processes that work in this folder, no matter who started them."""
    listed = subprocess.run(["ps", "-Ao", "pid=,stat="], capture_output=True, text=True, check=True).stdout
    living = [
        int(pid) for pid, state in (line.split()[:2] for line in listed.splitlines()) if state[0] != "Z"
    ]
    return [pid for pid in living if _folder_of(pid) == str(folder.resolve())]


def _folder_of(pid: int) -> str:
    if sys.platform == "linux":
        try:
            return os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
        except OSError:
            return ""
    found = subprocess.run(
        ["lsof", "-a", "-p", str(pid), "-d", "cwd", "-Fn"], capture_output=True, text=True, check=False
    )
    return found.stdout.rpartition("\nn")[2].strip()


def wait_for(folder: Path, least: int, most: int) -> list[int]:
    """The processes in the folder, once they are so many."""
    until = time.monotonic() + PATIENCE
    while not least <= len(living := processes_in(folder)) <= most:
        assert time.monotonic() < until, f"{len(living)} processes, not {least} to {most}"
        time.sleep(0.05)
    return living


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts mtassay in the folder; nothing of it is left behind, even if the test fails."""
    started: list[subprocess.Popen[bytes]] = []

    def call(*words: object, **environment: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*MAIN, *map(str, words)],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )
        started.append(process)
        return process

    yield call
    for process in started:
        process.kill()
        process.wait()
    for pid in processes_in(tmp_path):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("death", DEATHS, ids=lambda number: number.name)
def test_workers_end_with_their_parent(start: Start, tmp_path: Path, death: signal.Signals) -> None:
    write_hard_texts(tmp_path)
    words = ("score", "-r", "ref.txt", "-t", "a.txt", "-t", "b.txt", "-m", "ter", "--no-cache")
    parent = start(*words, MTASSAY_PROCESSES="3")
    workers = wait_for(tmp_path, 3, 9)
    assert parent.pid in workers
    parent.send_signal(death)
    assert parent.wait(PATIENCE) == -death
    wait_for(tmp_path, 0, 0)


@pytest.mark.parametrize("death", DEATHS, ids=lambda number: number.name)
@pytest.mark.parametrize("command", ["sleep 600", "sleep 600 | cat; sleep 600"])
def test_programs_end_with_who_asked_them(
    start: Start, tmp_path: Path, command: str, death: signal.Signals
) -> None:
    (tmp_path / "source.txt").write_text("One.\nTwo.\n", encoding="utf-8")
    parent = start("translate", "-l", "en-de", "-t", f"x=command:{command}", "source.txt", "-o", "out.txt")
    programs = wait_for(tmp_path, 3, 9)  # itself, the program, and the shell that holds the leash
    assert parent.pid in programs
    parent.send_signal(death)
    assert parent.wait(PATIENCE) == -death
    wait_for(tmp_path, 0, 0)


def test_a_program_that_has_answered_leaves_nothing_of_ours_behind(start: Start, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("One.\nTwo.\n", encoding="utf-8")
    parent = start("translate", "-l", "en-de", "-t", "x=command:cat", "source.txt", "-o", "out.txt")
    assert parent.wait(PATIENCE) == 0
    wait_for(tmp_path, 0, 0)
    assert (tmp_path / "out.txt").read_text("utf-8") == "One.\nTwo.\n"

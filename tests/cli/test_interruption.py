"""Ctrl-C is one line and exit code 130, at every moment and twice too; what was finished is kept."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import pytest

from mtassay.app.cli.interruption import LINE
from tests.cli.conftest import MAIN, SURROUNDINGS
from tests.test_processes import PATIENCE, processes_in, wait_for, write_hard_texts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

# Says when Ctrl-C is heard: before that it is Python's own, which nobody can change.
HEARING = [
    sys.executable,
    "-c",
    "import mtassay.__main__ as command; from mtassay.app.cli.interruption import CTRL_C; "
    "catch = CTRL_C.catch; "
    "CTRL_C.catch = lambda: (catch(), print(flush=True)); command.main()",
]
SCORE = ("score", "-r", "ref.txt", "-t", "a.txt", "-t", "b.txt", "-m", "bleu,ter", "--no-cache", "-q")
TRANSLATE = (
    "translate", "-l", "en-de", "-t", "x=command:sleep 0.3; cat", "source.txt", "-o", "out.txt", "-q",
)  # fmt: skip
INVARIANCE = (
    "invariance", "run", "source.txt", "-l", "en-pt", "-t", "x=fake:upper", "--structure", "dependency", "-q",
)  # fmt: skip
MOMENTS = {
    "while it is loaded": (SCORE, [0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3]),
    "while workers run": (SCORE, [1.5, 2.0]),
    "while a program translates": (TRANSLATE, [0.4, 0.7, 1.0]),
    "while sentences are annotated": (INVARIANCE, [0.5, 1.0, 2.0]),
}


def start(folder: Path, words: Sequence[object]) -> subprocess.Popen[str]:
    """The command, once it hears Ctrl-C; in a group of its own, as a terminal has it."""
    process = subprocess.Popen(
        [*HEARING, *map(str, words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        env={**os.environ, **SURROUNDINGS},
    )
    out(process).readline()
    return process


def out(process: subprocess.Popen[str]) -> TextIO:
    assert process.stdout is not None
    return process.stdout  # type: ignore[return-value]


def press(process: subprocess.Popen[str]) -> None:
    """Ctrl-C goes to all processes of the group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_is_one_line_at_every_moment(tmp_path: Path, moment: str, times: int) -> None:
    write_hard_texts(tmp_path)
    sentences = [f"The old man of {year} bought a red car in the city." for year in range(1800, 2200)]
    (tmp_path / "source.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    words, delays = MOMENTS[moment]
    for delay in delays:
        process = start(tmp_path, words)
        time.sleep(delay)
        for _ in range(times):
            press(process)
        _, said = process.communicate(timeout=PATIENCE)
        # On a fast machine it may be done before.
        assert (process.returncode, said) in [(130, f"{LINE}\n"), (0, "")], f"after {delay} s"
        wait_for(tmp_path, 0, 0)


def test_the_answers_that_came_before_ctrl_c_are_kept(tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("".join(f"{i}\n" for i in range(1000)), encoding="utf-8")
    process = start(
        tmp_path, ("translate", "-l", "en-de", "-t", "x=fake:upper?delay=0.05&batch=1", *TRANSLATE[5:])
    )
    workspace = tmp_path / ".mtassay" / "workspace.db"
    until = time.monotonic() + PATIENCE
    while kept_answers(workspace) < 5:
        assert time.monotonic() < until, "nothing is answered"
        time.sleep(0.02)
    before = kept_answers(workspace)
    press(process)
    press(process)
    _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, f"{LINE}\n")
    assert before <= kept_answers(workspace) < 1000
    assert not (tmp_path / "out.txt").exists()


def kept_answers(workspace: Path) -> int:
    if not workspace.exists():
        return 0
    database = sqlite3.connect(workspace)
    try:
        (count,) = database.execute("SELECT COUNT(*) FROM answers").fetchone()
        return int(count)
    except sqlite3.Error:
        return 0
    finally:
        database.close()


SWALLOW = """\
import signal, sys
from mtassay.app.cli.interruption import CTRL_C
CTRL_C.catch()
class Closed:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)  # where nothing can be raised, Python prints a traceback
Closed()
try:
    import no_such_package
except ImportError:
    pass
assert CTRL_C.is_pressed
CTRL_C.end()
"""


def test_ctrl_c_that_something_swallows_stops_all_the_same() -> None:
    done = subprocess.run([sys.executable, "-c", SWALLOW], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, f"{LINE}\n")


def test_who_is_not_to_hear_ctrl_c_does_not(tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("One.\n", encoding="utf-8")
    process = subprocess.Popen(
        [*MAIN, "translate", "-l", "en-de", "-t", "x=command:sleep 2; cat", "source.txt"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as nohup, and & in a script
    )
    until = time.monotonic() + PATIENCE
    while len(processes_in(tmp_path)) < 3:
        assert time.monotonic() < until
        time.sleep(0.02)
    press(process)
    printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed, said) == (0, "One.\n", "")

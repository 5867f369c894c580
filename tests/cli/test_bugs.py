"""What nobody expected reaches a person as one line, with an exit code of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BROKEN = """
import sys
import mtassay.app.cli.score_command as module
from mtassay import __main__

def score() -> None:
    print("a table")
    {breaks}

module.score = score
sys.argv[0] = "mtassay"
__main__.main()
"""


def run(folder: Path, breaks: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = BROKEN.format(breaks=breaks)
    return subprocess.run(
        [sys.executable, "-c", program, "score", *words],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_bug_is_one_line_and_exit_code_70_and_what_was_printed_stays(tmp_path: Path) -> None:
    done = run(tmp_path, "{}['a\\n\\x1bkey']")
    assert (done.returncode, done.stdout) == (70, "a table\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("mtassay: a bug of ours, sorry: KeyError: 'a\\n\\x1bkey' (app/cli/main.py line ")
    assert line.endswith("What was finished is kept. Run the same with --debug and send us what it says.")


def test_debug_adds_the_traceback_and_keeps_the_exit_code(tmp_path: Path) -> None:
    done = run(tmp_path, "1 / 0", "--debug")
    assert done.returncode == 70
    assert "Traceback (most recent call last)" in done.stderr
    assert "mtassay: a bug of ours, sorry: ZeroDivisionError: division by zero" in done.stderr


@pytest.mark.parametrize("error", ["RecursionError()", "AssertionError('\\ud800')", "UnicodeError(2)"])
def test_every_kind_of_bug_is_one_line(tmp_path: Path, error: str) -> None:
    done = run(tmp_path, f"raise {error}")
    assert done.returncode == 70
    assert len(done.stderr.splitlines()) == 1


def test_too_little_memory_is_no_bug(tmp_path: Path) -> None:
    done = run(tmp_path, "raise MemoryError")
    assert done.returncode == 2
    assert done.stderr.startswith("mtassay: there is not enough memory")


def test_what_breaks_before_the_command_line_is_there_is_one_line_too(tmp_path: Path) -> None:
    program = "import sys; sys.modules['typer'] = None; from mtassay.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 70
    (line,) = done.stderr.splitlines()
    assert "a bug of ours" in line

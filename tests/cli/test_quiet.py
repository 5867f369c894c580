"""Progress is for who looks on; with -q standard error has nothing but errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.formats.suite_files import read_suite
from tests.cli.conftest import Run
from tests.cli.terminal import Terminal

SLOW = "x=fake:upper?delay=0.05&in_flight=1&batch=1"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "source.txt").write_text("".join(f"sentence {i}\n" for i in range(60)), encoding="utf-8")
    return tmp_path


def test_who_looks_on_sees_how_far_it_is(texts: Path) -> None:
    with Terminal(texts, "translate", "-l", "en-de", "-t", SLOW, "source.txt", "-o", "out.txt") as terminal:
        terminal.wait_for("of 60")
        assert terminal.finish() == 0


def test_a_quiet_command_shows_no_progress_in_a_terminal(texts: Path) -> None:
    words = ("translate", "-l", "en-de", "-t", SLOW, "source.txt", "-o", "out.txt", "-q")
    with Terminal(texts, *words) as terminal:
        assert terminal.finish() == 0
        assert terminal.seen == ""


def test_a_log_has_no_progress(run_process: Run, texts: Path) -> None:
    done = run_process("translate", "-l", "en-de", "-t", SLOW, "source.txt", "-o", "out.txt")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_quiet_command_does_not_say_stands_with_the_result(run: Run, tmp_path: Path) -> None:
    item = read_suite("en-pt").items[0].id
    rows = ["id\toutput", f"{item}\tUm texto.", "nobody\tUm texto."]
    (tmp_path / "a.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = ("suite", "run", "en-pt", "-t", "a.tsv")
    loud, quiet = run(*words), run(*words, "-q")
    note = "1 outputs left out: their ids are not in the suite"
    assert loud.returncode == quiet.returncode == 0
    assert note in loud.stderr
    assert "kept as" in loud.stderr
    assert quiet.stderr == ""
    assert note in quiet.stdout


def test_a_quiet_command_still_tells_errors(run: Run, texts: Path) -> None:
    done = run("translate", "-l", "en-de", "-t", "x=command:false", "source.txt", "-q", "-o", "out.txt")
    assert done.returncode == 3
    assert "not translated" in done.stderr

"""What a newcomer sees first: short footnotes, lines that wrap at words, one table of runs."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

import mtassay as mt
from mtassay.app.cli.frame import say
from mtassay.methods.headlines import COLUMNS
from tests.cli.conftest import Run

SENTENCES = [f"Sentence number {n} is a little longer than the others." for n in range(40)]
WORSE = [text.replace("little", "bit") if n % 2 else text for n, text in enumerate(SENTENCES)]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, texts in {"ref": SENTENCES, "new": SENTENCES, "old": WORSE}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return tmp_path


def score(run: Run, *more: str) -> str:
    done = run("score", "-r", "ref.txt", "-t", "old.txt", "-t", "new.txt", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_below_a_table_of_score_are_three_lines_at_most(run: Run, files: Path) -> None:
    parts = [part.split("\n") for part in score(run).split("\n\n")]
    for lines in parts:
        rules = [number for number, line in enumerate(lines) if line and set(line) == {"─"}]
        if rules:
            sentences = [line for line in lines[rules[-1] + 1 :] if not re.search(r" {2,}", line)]
            assert len(sentences) <= 3, lines


def test_explain_columns_has_every_column_of_score(run: Run, files: Path) -> None:
    shown = score(run)
    told = run("explain", "columns").stdout
    assert all(f"{column}: " in told for column in COLUMNS)
    for column in ("±", "#", "Δ", "p", "detectable", "more needed"):
        assert column in shown
        assert column in COLUMNS


def test_runs_list_is_one_table_at_80_columns(run: Run, files: Path) -> None:
    name = "a-system-with-a-very-long-name-"
    systems = [part for n in range(5) for part in ("-t", f"{name}{n}=new.txt")]
    assert run("score", "-r", "ref.txt", "-l", "en-pt", *systems).returncode == 0
    listed = run("runs", "list").stdout
    assert listed.count("Run ") == 1
    assert max(map(len, listed.splitlines())) <= 80


def test_a_message_in_a_terminal_replaces_the_line_of_progress_and_wraps_at_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "60")
    text = "mtassay: " + " ".join(["something-to-know"] * 12)
    say(text)
    shown = stream.getvalue()
    assert shown.startswith("\r\x1b[K")
    lines = shown.removeprefix("\r\x1b[K").rstrip("\n").split("\n")
    assert max(map(len, lines)) <= 60
    assert " ".join(lines) == text


def test_a_message_in_a_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("mtassay: " + "a word " * 40)
    assert capsys.readouterr().err.count("\n") == 1


def test_a_notebook_shows_no_hints_of_the_command_line(files: Path) -> None:
    run: Any = mt.score({"old": WORSE, "new": SENTENCES}, [SENTENCES], samples=100)
    page = run._repr_html_()
    assert "<table>" in page
    assert not re.search(r"\bmtassay [a-z]|\s--[a-z]", page)

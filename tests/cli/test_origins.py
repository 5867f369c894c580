"""What a number rests on: answers from earlier, the program that gave them, and what `fresh` does."""

from __future__ import annotations

import json
import shlex
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.translation import translate_with
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Origin, Output, Request
from mtassay.runtime import database as file
from mtassay.runtime.workspace import Workspace
from mtassay.systems.client import Tally, answer_key, translate_all
from mtassay.systems.command import Command
from mtassay.systems.fake import Fake
from tests.cli.conftest import Run

PAIR = parse_pair("en-pt")
TEXTS = ["one", "two", "three"]
REQUESTS = [Request(str(i), text) for i, text in enumerate(TEXTS)]

Write = Callable[[str], str]


@pytest.fixture
def program(tmp_path: Path) -> Write:
    """Writes a program that answers every line with this mark before it, and gives the command."""

    def write(mark: str) -> str:
        path = tmp_path / "engine.py"
        path.write_text(f"import sys\nfor line in sys.stdin: print({mark!r} + line, end='')\n", "utf-8")
        return shlex.join([sys.executable, str(path)])

    return write


def origin_of(engine: Fake | Command, workspace: Workspace, **how: object) -> Origin:
    told: list[Tally] = []
    translate_all(engine, REQUESTS, answers=workspace, report=told.append, **how)  # type: ignore[arg-type]
    return told[-1].origin


def set_dates(path: Path, *dates: str) -> None:
    """The answers, in their order, as if they had been given then."""
    with sqlite3.connect(path) as database:
        for number, date in enumerate(dates, 1):
            database.execute("UPDATE answers SET stored = ?, checksum = NULL WHERE id = ?", (date, number))


def test_answers_of_now_and_of_earlier_are_told_apart_with_the_dates_of_the_latter(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    fake = Fake(name="f", pair=PAIR)
    assert origin_of(fake, workspace) == Origin(3)
    set_dates(tmp_path / "w.db", "2026-01-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00")
    with sqlite3.connect(tmp_path / "w.db") as database:
        database.execute("DELETE FROM answers WHERE id = 3")
    assert origin_of(fake, workspace) == Origin(
        3, 2, "2026-01-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00"
    )


def test_what_was_answered_since_the_work_began_is_not_from_earlier(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    fake = Fake(name="f", pair=PAIR)
    began = workspace.newest_answer
    origin_of(fake, workspace)
    assert origin_of(fake, workspace, began=began) == Origin(3)
    assert origin_of(fake, workspace, began=began, fresh=True) == Origin(3)
    assert fake.counts.texts == 3
    assert origin_of(fake, workspace).earlier == 3


def test_fresh_asks_again_and_keeps_both_answers_and_the_newest_counts(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    marks = iter("ab")
    fake = Fake(name="f", pair=PAIR, respond=lambda text: next(marks) + text)
    request = [Request("1", "x")]
    for fresh, expected in ((False, "ax"), (False, "ax"), (True, "bx"), (False, "bx")):
        (output,) = translate_all(fake, request, answers=workspace, fresh=fresh)
        assert output.text == expected
    with sqlite3.connect(tmp_path / "w.db") as database:
        rows = database.execute("SELECT text, source FROM answers ORDER BY id").fetchall()
    assert rows == [("ax", "x"), ("bx", "x")]


def test_a_workspace_of_an_earlier_schema_keeps_its_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrations = file.MIGRATIONS
    monkeypatch.setattr(file, "MIGRATIONS", migrations[:3])
    Workspace(tmp_path / "w.db").close()
    fake = Fake(name="f", pair=PAIR)
    key = answer_key(fake.signature, REQUESTS[0])
    with sqlite3.connect(tmp_path / "w.db") as database:
        database.execute(
            "INSERT INTO answers VALUES (?, ?, 'old', '{}', '2025-05-05T05:05:05+00:00')",
            (key, fake.signature),
        )
    monkeypatch.setattr(file, "MIGRATIONS", migrations)
    workspace = Workspace(tmp_path / "w.db")
    assert workspace.find_answers([key])[key].output == Output("", "old")
    origin = origin_of(fake, workspace)
    assert (origin.answers, origin.earlier, origin.newest[:10]) == (3, 1, "2025-05-05")
    assert origin_of(fake, workspace, fresh=True) == Origin(3)
    assert [answer.output.text for answer in workspace.answers_of(fake.signature)] == TEXTS


def test_a_program_is_known_by_the_content_of_its_files(program: Write, tmp_path: Path) -> None:
    command = program("<")
    before = Command(name="c", pair=PAIR, command=command).program
    assert before == Command(name="other", pair=PAIR, command=command).program != ""
    in_shell = Command(name="c", pair=PAIR, command=f"{command}|cat").program
    program("> ")
    assert Command(name="c", pair=PAIR, command=command).program != before
    assert Command(name="c", pair=PAIR, command=f"{command}|cat").program != in_shell
    (tmp_path / "table.txt").write_text("a", encoding="utf-8")
    with_table = Command(name="c", pair=PAIR, command=f"{command} '{tmp_path}/table.txt'")
    first = with_table.program
    (tmp_path / "table.txt").write_text("bc", encoding="utf-8")
    assert with_table.program != first
    assert Command(name="c", pair=PAIR, command="no-such-program-at-all").program == ""


def test_a_changed_program_behind_the_same_command_is_told(program: Write, tmp_path: Path) -> None:
    """The command and so its signature stay the same: only the file differs."""
    how = {
        "langpair": "en-pt",
        "metrics": "chrf",
        "samples": 100,
        "checks": "none",
        "workspace": tmp_path / "w.db",
    }
    first = mt.score({"nmt": f"command:{program('<')}"}, [["<one", "<two"]], ["one", "two"], **how)
    assert first.notes == []
    assert first.result.basis["answers"]["nmt"]["earlier"] == 0
    heard: list[str] = []
    system = {"nmt": f"command:{program('changed: ')}"}
    again = mt.score(system, [["<one", "<two"]], ["one", "two"], **how, save=True, listen=heard.append)
    day = again.record.started[:10]
    (note,) = again.notes
    assert note == (
        f"nmt: 2 of 2 answers are from earlier ({day}), 2 of them by another version of its program; "
        "--fresh asks again."
    )
    assert heard == [note]
    answers = mt.load(workspace=tmp_path / "w.db").result.basis["answers"]["nmt"]
    assert (answers["answers"], answers["earlier"], answers["other_program"]) == (2, 2, 2)
    assert answers["oldest"][:10] == answers["newest"][:10] == day
    assert json.loads(again.render("json"))["basis"]["answers"]["nmt"] == answers
    fresh = mt.score(system, [["<one", "<two"]], ["one", "two"], **how, fresh=True)
    assert [output.text for output in fresh.outputs["nmt"]] == ["changed: one", "changed: two"]
    assert fresh.notes == []


def test_a_saved_run_that_is_judged_again_says_how_old_its_answers_were(tmp_path: Path) -> None:
    how = {"item": "false-friends-nouns-1", "workspace": tmp_path / "w.db"}
    mt.suite("en-pt", {"f": "fake:copy"}, **how)
    set_dates(tmp_path / "w.db", "2026-01-01T00:00:00+00:00")
    run = mt.suite("en-pt", {"f": "fake:copy"}, **how, save=True)
    judged = mt.load(workspace=tmp_path / "w.db").judge(workspace=tmp_path / "w.db", reviews=False)
    told = "f: 1 of 1 answers are from earlier (2026-01-01); --fresh asks again."
    assert told in run.notes
    assert told in judged.notes
    assert judged.result.basis["answers"] == run.result.basis["answers"]


def test_translations_say_what_is_from_earlier(tmp_path: Path) -> None:
    how = {"langpair": "en-pt", "workspace": tmp_path / "w.db"}
    assert translate_with(["a"], {"f": "fake:upper"}, **how).notes == []
    found = translate_with(["a", "b"], {"f": "fake:upper"}, **how)
    assert (found.origins["f"].answers, found.origins["f"].earlier) == (2, 1)
    (note,) = found.notes
    assert note.startswith("f: 1 of 2 answers are from earlier (")
    assert translate_with(["a", "b"], {"f": "fake:upper"}, **how, fresh=True).notes == []


def test_the_commands_say_so(run: Run, program: Write, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("one\ntwo\n", encoding="utf-8")
    system = ("-l", "en-pt", "-t", f"nmt=command:{program('<')}")
    assert "from earlier" not in run("translate", *system, "source.txt").stderr
    program("> ")
    again = run("translate", *system, "source.txt")
    assert again.stdout == "<one\n<two\n"
    assert "nmt: 2 of 2 answers are from earlier (" in again.stderr
    fresh = run("translate", *system, "source.txt", "--fresh")
    assert fresh.stdout == "> one\n> two\n"
    assert "from earlier" not in fresh.stderr


def test_a_document_has_the_note_that_was_said_on_standard_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("one two\n", encoding="utf-8")
    words = ("score", "-l", "en-pt", "-s", "source.txt", "-r", "source.txt", "-t", "f=fake:upper")
    run(*words)
    text, document = run(*words), run(*words, "-f", "md")
    assert "f: 1 of 1 answers are from earlier" in text.stderr
    # Who redirects the tables into a file has the notes in it.
    assert "f: 1 of 1 answers are from earlier" in text.stdout
    assert "f: 1 of 1 answers are from earlier" in document.stdout


@pytest.mark.parametrize(
    "command",
    [
        *("score", "translate", "suite run", "suite check", "suite accept"),
        *("invariance run", "behavior run", "behavior generate"),
    ],
)
def test_every_command_that_asks_live_engines_can_ask_again(run: Run, command: str) -> None:
    assert "--fresh" in run(*command.split(), "--help-all").stdout

"""What commands keep by themselves: where, for how long, and what goes on with it without an id."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app import campaign_work, reviewing
from mtassay.app.runs import workspace_path
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run

WORDS = ("score", "-r", "ref.txt", "-m", "chrf", "--samples", "100")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("O gato dorme.\nA casa é azul.\n", encoding="utf-8")
    (tmp_path / "old.txt").write_text("O gato dorme.\nCasa verde.\n", encoding="utf-8")
    (tmp_path / "new.txt").write_text("O gato dorme.\nA casa é azul.\n", encoding="utf-8")


def kept(run: Run) -> list[str]:
    return [entry["id"] for entry in json.loads(run("runs", "list", "-f", "json").stdout)]


def test_a_run_is_kept_unless_somebody_says_no(run: Run, tmp_path: Path) -> None:
    assert run(*WORDS, "-t", "old.txt", "--no-save").returncode == 0
    assert kept(run) == []  # the workspace is there, for what was measured
    done = run(*WORDS, "-t", "old.txt")
    (name,) = kept(run)
    assert f"mtassay: kept as {name}; see it again: mtassay runs show\n" in done.stderr
    assert run(*WORDS, "-t", "old.txt", "--save").returncode == 2


def test_compare_report_and_explain_go_on_with_the_newest_runs(run: Run, tmp_path: Path) -> None:
    run(*WORDS, "-t", "nmt=old.txt")
    assert "No earlier run of score has cases of run" in run("compare").stderr
    run(*WORDS, "-t", "nmt=new.txt")
    newest, oldest = kept(run)
    assert f"score · nmt · {oldest} → {newest}" in run("compare").stdout
    assert "A casa é azul." in run("explain", "2").stdout
    assert run("report", "-q").returncode == 0
    assert (tmp_path / "report.html").exists()
    assert newest in run("runs", "show").stdout


def test_a_workspace_is_found_from_folders_below_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.delenv("MTASSAY_WORKSPACE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.chdir(below)
    new = Path(".mtassay/workspace.db")
    assert workspace_path() == new
    run(*WORDS, "-t", "old.txt")
    assert workspace_path() == tmp_path / new
    assert workspace_path("other.db") == Path("other.db")
    (below / ".mtassay").mkdir()
    assert workspace_path() == new
    (below / ".mtassay").rmdir()
    monkeypatch.setenv("HOME", str(tmp_path / "a"))
    assert workspace_path() == new  # what is above the home directory belongs to others
    monkeypatch.setenv("HOME", str(tmp_path))
    assert workspace_path() == tmp_path / new
    monkeypatch.setenv("MTASSAY_WORKSPACE", "of-the-environment.db")
    assert workspace_path() == Path("of-the-environment.db")


def test_where_nothing_can_be_written_the_result_is_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".mtassay").write_text("a file where the folder would be")
    done = run(*WORDS, "-t", "old.txt")
    assert done.returncode == 0
    assert "chrF2" in done.stdout
    assert "mtassay: not kept: .mtassay/workspace.db cannot be written." in done.stderr


def test_old_runs_go_and_those_with_reviews_a_campaign_or_a_purpose_stay(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    store = Workspace(path)

    def save(name: str, output: str = "Os pais.", *, is_temporary: bool = True) -> None:
        made = mt.suite("en-pt", {"nmt": [output]}, item="false-friends-nouns-1")
        store.save_run(replace(made.record, id=name), is_temporary=is_temporary)

    for name in ("oldest", "older", "asked-for", "baseline"):
        save(name, is_temporary=name != "asked-for")
    store.keep_run("baseline")
    save("reviewed", "Familiares.")
    save("campaign", "Parentela.")
    save("new")
    reviewing.decide("correct", run="reviewed", case="false-friends-nouns-1", system="nmt", workspace=path)
    campaign_work.create("spring", ["campaign"], reviewers="anna,ben", question="da", workspace=path)
    assert store.tidy(keep=4) == []
    assert store.tidy(keep=1) == ["older", "oldest"]
    assert [entry.id for entry in store.runs()] == ["new", "campaign", "reviewed", "baseline", "asked-for"]


def test_what_was_deleted_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    tidy = Workspace.tidy
    monkeypatch.setattr(Workspace, "tidy", lambda store: tidy(store, keep=1))
    run(*WORDS, "-t", "old.txt")
    done = run(*WORDS, "-t", "new.txt")
    assert "mtassay: deleted 1 old run: of runs that nobody reviewed, the newest 200 are kept." in done.stderr
    assert len(kept(run)) == 1


def test_several_runs_are_deleted_and_with_their_texts_nothing_is_left(run: Run, tmp_path: Path) -> None:
    for name in ("old.txt", "new.txt", "old.txt"):
        run(*WORDS, "-t", name)
    newest, *others = kept(run)
    said = "".join(f"Deleted run {name}. Bring it back: --undo\n" for name in others)
    assert run("runs", "delete", *others).stdout == said
    assert kept(run) == [newest]
    assert run("runs", "delete", others[0], "--undo").stdout == f"Run {others[0]} is back.\n"
    assert set(kept(run)) == {newest, others[0]}
    assert run("runs", "show", others[0]).returncode == 0
    assert run("runs", "delete", others[0], "--undo").returncode == 2, "it is not in the trash any more"
    assert "would be deleted" in run("runs", "delete", others[0], "--dry-run").stdout
    assert "Would delete 1 run" in run("runs", "delete", others[0], "--dry-run", "--with-texts").stdout
    assert set(kept(run)) == {newest, others[0]}
    run("runs", "delete", others[0])
    gone = run("runs", "delete", "last", "--with-texts")
    assert "Deleted 1 run, 0 answers of engines, 0 reviews and the cache. None of" in gone.stdout
    for path in (tmp_path / ".mtassay").iterdir():
        assert b"Casa verde" not in path.read_bytes(), path


def test_a_copied_file_has_every_answer_when_a_command_has_ended(run: Run, tmp_path: Path) -> None:
    run(*WORDS, "-t", "old.txt")
    path = tmp_path / ".mtassay/workspace.db"
    other = Workspace(path)  # as a server that has the file open, and reads now and then
    assert other.runs()
    for number in range(3):
        done = run("review", "decide", "last", "1", "old", str(80 + number), "--question", "da")
        assert done.returncode == 0, done.stderr
        (tmp_path / "copy.db").write_bytes(path.read_bytes())  # without the log beside it
        with closing(Workspace(tmp_path / "copy.db")) as copy:
            assert copy.reviews_count == number + 1
        assert other.reviews_count == number + 1

"""The workspace: nothing finished is lost, nothing half-written is seen, strangers are refused."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from mtassay.data.errors import UsageError, WorkspaceError
from mtassay.data.nouns import Output, Result, Review, Run, Segment, Statistics
from mtassay.data.subjects import Subject
from mtassay.runtime import workspace as kept
from mtassay.runtime.workspace import Workspace


def a_run(run_id: str, *, started: str = "2026-01-01T00:00:00+00:00") -> Run:
    return Run(run_id, "score", {}, ["x"], started, {}, Result())


def test_a_run_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    workspace.save_run(a_run("2026-a"))
    workspace.save_run(a_run("2027-b", started="2027-01-01T00:00:00+00:00"))
    assert workspace.run("2026").id == "2026-a"
    assert workspace.run("last").id == "2027-b"
    with pytest.raises(UsageError, match="could be any of 2 runs: 2027-b, 2026-a"):
        workspace.run("202")
    with pytest.raises(UsageError, match="No run 'x'"):
        workspace.run("x")


def test_deleting_a_run_deletes_what_belongs_to_it(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    workspace.save_run(
        replace(a_run("r"), segments=[Segment("1", "a", ("b",))], outputs={"x": [Output("1", "b")]})
    )
    workspace.delete_run("r")
    database = sqlite3.connect(tmp_path / "w.db")
    for table in ("runs", "segments", "outputs", "findings", "statistics"):
        assert database.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,)


def test_statistics_come_back_whole_or_of_one_case(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    entry = Statistics("bleu", "x", ["1", "2"], ["a", "b"], np.array([[1, 300], [0, 2]]), "nrefs:1")
    segments = [Segment("1", "a", ("b",)), Segment("2", "c", ("d",))]
    workspace.save_run(replace(a_run("r"), segments=segments, statistics=[entry]))
    (whole,) = workspace.run("r").statistics
    assert (whole.metric, whole.system, whole.signature, whole.group) == ("bleu", "x", "nrefs:1", "all")
    assert (whole.ids, whole.columns, whole.values.tolist()) == (["1", "2"], ["a", "b"], [[1, 300], [0, 2]])
    (part,) = workspace.run("r", case="2").statistics
    assert (part.ids, part.values.tolist()) == (["2"], [[0, 2]])


def test_a_file_that_is_no_workspace_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "w.db").write_text("This is a text file, long enough not to be taken for empty." * 20)
    with pytest.raises(WorkspaceError, match=r"w\.db: cannot open the workspace"):
        Workspace(tmp_path / "w.db")


def test_a_workspace_from_the_future_is_left_alone(tmp_path: Path) -> None:
    Workspace(tmp_path / "w.db").close()
    database = sqlite3.connect(tmp_path / "w.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(WorkspaceError, match="made by a newer mtassay"):
        Workspace(tmp_path / "w.db")


def test_several_processes_may_open_a_new_workspace_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "w.db")
    code = (
        f"from pathlib import Path; from mtassay.runtime import workspace as w; w.Workspace(Path({path!r}))"
    )
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(subprocess.run, [sys.executable, "-c", code], check=True) for _ in range(4)]
    assert all(job.result().returncode == 0 for job in jobs)


def test_a_new_workspace_waits_for_whoever_makes_the_same_file(tmp_path: Path) -> None:
    """SQLite answers 'locked' at once when the log is turned on while another is about to write."""
    other = sqlite3.connect(tmp_path / "w.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    leaving = Timer(0.2, other.close)
    leaving.start()
    Workspace(tmp_path / "w.db").close()
    leaving.join()


def test_the_cache_makes_room_by_dropping_what_is_oldest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "CACHE_BYTES", 250)
    workspace = Workspace(tmp_path / "w.db")
    for key in ("a", "b", "c"):
        workspace.remember([(key, b"x" * 100)])
    assert [workspace.recall(key) is not None for key in ("a", "b", "c")] == [False, True, True]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a POSIX signal")
def test_a_killed_process_loses_nothing_that_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    code = f"""
from pathlib import Path
from mtassay.runtime.workspace import Workspace
workspace = Workspace(Path({str(path)!r}))
for i in range(10**6):
    workspace.remember([(f"{{i}}", b"x" * 1000), (f"{{i}}-twin", b"y" * 1000)])
    print(i, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    finished = -1
    deadline = time.monotonic() + 60
    while finished < 50 and time.monotonic() < deadline:
        finished = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    workspace = Workspace(path)
    for i in range(finished + 1):
        assert workspace.recall(f"{i}") is not None
    twins = sqlite3.connect(path).execute("SELECT COUNT(*) FROM cache").fetchone()[0]
    assert twins % 2 == 0, "a transaction is there as a whole or not at all"


def test_the_default_folder_hides_itself_from_git(tmp_path: Path) -> None:
    Workspace(tmp_path / ".mtassay" / "workspace.db")
    assert (tmp_path / ".mtassay" / ".gitignore").read_text() == "*\n"


def test_a_workspace_that_may_not_be_written_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Workspace(tmp_path / "w.db")
    subject = Subject("1", ("a",), ("b",))
    review = Review(subject.id, "suite", "correct", "ana", at="2026-11-15T10:00:00+00:00")
    first.add_reviews([review], [subject])
    first.remember([("key", b"value")])
    first.close()
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    second = Workspace(tmp_path / "w.db")
    assert second.read_only
    assert second.reviews() == [review]
    second.remember([("other", b"value")])
    assert (second.recall("key"), second.recall("other")) == (b"value", None)
    with pytest.raises(WorkspaceError, match="readonly"):
        second.add_reviews([review], [Subject("2", (), ())])

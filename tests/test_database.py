"""The workspace under attack: foreign files, damage, locks, full disks, other processes."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from mtassay.app.cli.main import main
from mtassay.data.errors import MtassayError, UsageError, WorkspaceError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request, Result, Review, Run, Segment
from mtassay.data.subjects import Subject
from mtassay.review.campaign_store import CampaignStore
from mtassay.review.campaigns import Campaign, CampaignSubject
from mtassay.runtime import database
from mtassay.runtime.database import DamagedError, LockedError
from mtassay.runtime.workspace import Workspace
from mtassay.systems.client import answer_key, translate_all
from mtassay.systems.live import Limits, LiveSystem

SECRET = "The merger with Quibbleworth is planned for May."


def a_run(name: str, *texts: str) -> Run:
    segments = [Segment(str(i), text, (f"Ref {text}",)) for i, text in enumerate(texts)]
    outputs = {"a": [Output(segment.id, f"Out {segment.source}") for segment in segments]}
    return Run(name, "score", {}, ["a"], "2026", {}, Result(), [], segments, outputs)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w.db")


def test_the_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.execute("PRAGMA user_version = 3")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(WorkspaceError, match="of another program"):
        Workspace(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["places.sqlite"]


def test_a_workspace_of_an_earlier_version_is_taken_for_ours(tmp_path: Path, workspace: Workspace) -> None:
    workspace.save_run(a_run("r1", "Yes."))
    workspace.close()
    old = sqlite3.connect(tmp_path / "w.db")
    old.execute("PRAGMA application_id = 0")
    for table in ("runs", "segments", "outputs"):
        old.execute(f"UPDATE {table} SET checksum = NULL")
    old.commit()
    old.close()
    assert Workspace(tmp_path / "w.db").run("r1").segments[0].source == "Yes."


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE outputs SET text = 'Another text.'",
        "UPDATE segments SET source = 'Another.'",
        "UPDATE runs SET result = '{'",
        "UPDATE runs SET result = '[]', checksum = NULL",
        "UPDATE segments SET tags = 'x', checksum = NULL",
        "UPDATE outputs SET text = CAST(x'ff41' AS TEXT)",
    ],
)
def test_a_run_that_is_not_what_was_stored_is_named_and_can_be_deleted(
    tmp_path: Path, workspace: Workspace, change: str
) -> None:
    workspace.save_run(a_run("bad", "Yes."))
    workspace.close()
    connection = sqlite3.connect(tmp_path / "w.db")
    connection.execute(change)
    connection.commit()
    connection.close()
    workspace = Workspace(tmp_path / "w.db")
    workspace.save_run(a_run("good", "No."))
    with pytest.raises(DamagedError, match=r"run bad cannot be read .* mtassay runs delete bad"):
        workspace.run("bad")
    assert "good" in [run.id for run in workspace.runs()]
    assert workspace.run("good").segments[0].source == "No."
    workspace.delete_run("bad")
    assert [run.id for run in workspace.runs()] == ["good"]


def test_an_empty_name_is_no_run(workspace: Workspace) -> None:
    workspace.save_run(a_run("r1", "Yes."))
    with pytest.raises(UsageError, match="No run ''"):
        workspace.delete_run("")
    assert workspace.runs()


@pytest.mark.parametrize("seed", range(12))
def test_no_bit_flip_and_no_cut_is_a_traceback_or_another_text(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "w.db"
    workspace = Workspace(path)
    texts = [f"Sentence number {i} of many, long enough to be found." for i in range(40)]
    workspace.save_run(a_run("r1", *texts))
    workspace.close()
    draw = random.Random(seed)
    data = bytearray(path.read_bytes())
    if seed % 4 == 3:
        del data[draw.randrange(len(data)) :]
    else:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)
    try:
        store = Workspace(path)
        store.runs()
        run = store.run("r1")
    except MtassayError:
        return
    assert [segment.source for segment in run.segments] == texts
    assert [output.text for output in run.outputs["a"]] == [f"Out {text}" for text in texts]


def test_what_was_deleted_gives_its_space_back(tmp_path: Path, workspace: Workspace) -> None:
    workspace.save_run(a_run("r1", *("x" * 1000 for _ in range(500))))
    workspace.close()
    large = (tmp_path / "w.db").stat().st_size
    workspace = Workspace(tmp_path / "w.db")
    workspace.delete_run("r1")
    workspace.close()
    assert (tmp_path / "w.db").stat().st_size < large / 4


def test_the_one_file_is_the_whole_truth_after_a_few_seconds(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CHECKPOINT_S", -1)
    workspace.save_run(a_run("r1", SECRET))
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "w.db").write_bytes((tmp_path / "w.db").read_bytes())
    assert Workspace(tmp_path / "moved" / "w.db").run("r1").segments[0].source == SECRET


def test_a_backup_is_whole_although_somebody_writes(tmp_path: Path, workspace: Workspace) -> None:
    workspace.save_run(a_run("r1", "Yes."))
    workspace.backup(tmp_path / "copy.db")
    workspace.save_run(a_run("r2", "No."))
    assert [run.id for run in Workspace(tmp_path / "copy.db").runs()] == ["r1"]


def test_nothing_of_purged_texts_is_left(tmp_path: Path, workspace: Workspace) -> None:
    run = a_run("r1", SECRET)
    workspace.save_run(run)
    workspace.save_run(a_run("r2", "Yes."))
    request = Request("1", SECRET)
    workspace.keep_answers("s", {"k": Output("", f"Out {SECRET}")}, requests={"k": request})
    workspace.keep_answers("s", {"k2": Output("", "Sim.")}, requests={"k2": Request("2", "Yes.")})
    workspace.remember([("c", SECRET.encode())])
    subject = Subject("1", (SECRET,), (f"Out {SECRET}",))
    workspace.add_reviews([Review(subject.id, "q", "yes", "ann", "", "2026")], [subject])
    purged = workspace.purge(["r1"])
    assert purged == (["r1"], 1, 1, [])
    workspace.close()
    for file in tmp_path.iterdir():
        assert b"Quibbleworth" not in file.read_bytes()
    left = Workspace(tmp_path / "w.db")
    assert [run.id for run in left.runs()] == ["r2"]
    assert left.find_answers(["k2"])["k2"].output.text == "Sim."


def test_other_runs_with_the_same_texts_are_named(workspace: Workspace) -> None:
    workspace.save_run(a_run("r1", SECRET))
    workspace.save_run(a_run("r2", SECRET))
    assert list(workspace.purge(["r1"]).others) == ["r2"]


def test_a_review_goes_with_the_last_run_that_has_its_subject(workspace: Workspace) -> None:
    workspace.save_run(a_run("r1", "Yes.", "No."))
    workspace.save_run(a_run("r2", "Yes."))
    shared, alone = (Subject(str(n), (text,), (f"Out {text}",)) for n, text in enumerate(("Yes.", "No.")))
    # Another output to a source of both runs, which only the first one has.
    other = Subject("0", ("Yes.",), ("Ref No.",))
    subjects = [shared, alone, other]
    workspace.add_reviews([Review(s.id, "q", "yes", "ann", "", "2026") for s in subjects], subjects)
    campaign = Campaign("c", "q", ("r1",), ("ann",), created="2026")
    entries = [
        CampaignSubject(n, s.id, 1, "r1", s.case_id, "", "", ("a",), 0, n, "") for n, s in enumerate(subjects)
    ]
    campaigns = CampaignStore(workspace)
    campaigns.save(campaign, entries, subjects)
    for subject in subjects:
        workspace.keep_answers(
            "s",
            {subject.id: Output("", subject.outputs[0])},
            requests={subject.id: Request("1", subject.sources[0] or "")},
        )
    assert workspace.purge(["r1"]) == (["r1"], 2, 2, ["r2"])
    assert [review.subject for review in workspace.reviews()] == [shared.id]
    assert [entry.subject for entry in campaigns.subjects(campaign)] == [shared.id]
    assert list(workspace.find_answers([subject.id for subject in subjects])) == [shared.id]
    assert workspace.purge(["r2"]) == (["r2"], 1, 1, [])
    assert workspace.reviews() == []


COMMANDS = ("runs list", "runs show last", "explain 1", "review next --reviewer ben", "report last -o r.html")


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_one_line_whatever_byte_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    import mtassay as mt

    path = tmp_path / "w.db"
    mt.score({"a": ["Sim."]}, [["Sim."]], metrics="chrf", samples=100, save=True, workspace=path)
    store = Workspace(path)
    subject = Subject("1", (None,), ("Sim.",))
    store.add_reviews([Review(subject.id, "suite", "correct", "ann", "", "2026")], [subject])
    store.close()
    content = path.read_bytes()
    used = [place for place, byte in enumerate(content) if byte]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTASSAY_WORKSPACE", str(path))
    drawn = random.Random(seed)
    for number in range(40):
        damaged = bytearray(content)
        for _ in range(drawn.choice([1, 1, 5])):
            damaged[drawn.choice(used)] = drawn.choice([0xFF, 0xC3, 0, drawn.randrange(256)])
        for file in tmp_path.glob("w.db*"):
            file.unlink()
        path.write_bytes(damaged)
        words = COMMANDS[number % len(COMMANDS)].split()
        monkeypatch.setattr(sys, "argv", ["mtassay", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        told = capsys.readouterr().err
        assert stop.value.code in (0, 2), told
        assert stop.value.code == 0 or (told.count("\n"), told[:9]) == (1, "mtassay: "), told
        Path("r.html").unlink(missing_ok=True)


def test_a_name_in_the_schema_that_is_no_text_is_told_as_damage(tmp_path: Path) -> None:
    Workspace(tmp_path / "w.db").close()
    content = (tmp_path / "w.db").read_bytes()
    (tmp_path / "w.db").write_bytes(content.replace(b"CREATE TABLE runs", b"CREATE TABL\xff runs"))
    with pytest.raises(DamagedError, match=r"w\.db: the file is damaged .*Put a backup in its place"):
        Workspace(tmp_path / "w.db")


def test_a_text_without_checksum_that_is_no_utf8_is_damage(tmp_path: Path, workspace: Workspace) -> None:
    workspace.save_run(a_run("r1", "Yes."))
    subject = Subject("0", ("Yes.",), ("Out Yes.",))
    workspace.add_reviews([Review(subject.id, "suite", "correct", "ann", "", "2026")], [subject])
    with workspace.database.transaction() as connection:
        connection.execute("UPDATE subjects SET content = content || CAST(X'FF' AS TEXT), checksum = NULL")
        connection.execute("UPDATE segments SET source = CAST(X'E441' AS TEXT), checksum = NULL")
    with pytest.raises(DamagedError, match="a row of 'subjects' is not what was stored"):
        workspace.subjects()
    with pytest.raises(DamagedError, match="run r1 cannot be read"):
        workspace.run("r1")


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("PRAGMA max_page_count = 70", "the disk is full .*Make room"),
        ("PRAGMA query_only = ON", "it may not be written .*Choose another"),
    ],
)
def test_why_the_file_cannot_be_written_is_told(workspace: Workspace, statement: str, told: str) -> None:
    workspace.database._connection.execute(statement)
    with pytest.raises(WorkspaceError, match=told) as raised:
        workspace.save_run(a_run("r1", *("x" * 5000 for _ in range(200))))
    assert not isinstance(raised.value, LockedError)
    workspace.database._connection.execute("PRAGMA max_page_count = 100000")
    workspace.database._connection.execute("PRAGMA query_only = OFF")
    assert workspace.runs() == []
    workspace.save_run(a_run("r1", "Yes."))


def test_a_limit_on_the_size_of_files_is_not_a_busy_file(tmp_path: Path) -> None:
    code = (
        "import resource; from pathlib import Path; from tests.test_database import *\n"
        f"store = Workspace(Path({str(tmp_path / 'w.db')!r}))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "try: store.save_run(a_run('r1', *('x' * 5000 for _ in range(200))))\n"
        "except WorkspaceError as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.match(
        r"UnavailableError .*its disk fails \(.*SQLITE_IOERR_WRITE\)\. Check the disk", done.stdout
    )


def test_answers_wait_beside_a_locked_file_and_go_in_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE_S", 0.05)
    workspace = Workspace(tmp_path / "w.db")
    lock = sqlite3.connect(tmp_path / "w.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    workspace.keep_answers("s", {"k": Output("", "Sim.")}, requests={"k": Request("1", "Yes.")})
    assert workspace.waiting == 1
    assert "Sim." in (tmp_path / "w.db-answers.jsonl").read_text(encoding="utf-8")
    lock.execute("COMMIT")
    lock.close()
    later = Workspace(tmp_path / "w.db")
    assert later.find_answers(["k"])["k"].output.text == "Sim."
    assert not (tmp_path / "w.db-answers.jsonl").exists()


def test_a_line_beside_the_file_that_was_cut_off_costs_itself_only(tmp_path: Path) -> None:
    Workspace(tmp_path / "w.db").close()
    row = ["k", "s", "Sim.", "{}", "2026", "", "Yes.", None]
    beside = tmp_path / "w.db-answers.jsonl"
    beside.write_text(f'{json.dumps(row)}\n["k2", "s", "Nã', encoding="utf-8")
    assert Workspace(tmp_path / "w.db").find_answers(["k", "k2"]).keys() == {"k"}


@dataclass(frozen=True, kw_only=True)
class Counting(LiveSystem):
    """Answers after a moment, and notes what it was asked."""

    scheme: ClassVar[str] = "counting"
    subject: ClassVar[str] = ""
    asked: list[str] = field(default_factory=list)

    @property
    def signature(self) -> str:
        return "counting"

    @property
    def limits(self) -> Limits:
        return Limits(batch=3, in_flight=2)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        time.sleep(0.005)
        self.asked.extend(request.text or "" for request in requests)
        return [Output(request.id, (request.text or "").upper()) for request in requests]


def test_two_at_once_with_the_same_questions_ask_each_of_them_once(tmp_path: Path) -> None:
    engine = Counting(name="c", pair=parse_pair("en-pt"))
    requests = [Request(str(i), f"text {i}") for i in range(90)]
    Workspace(tmp_path / "w.db").close()

    def go() -> list[str | None]:
        outputs = translate_all(engine, requests, answers=Workspace(tmp_path / "w.db"))
        return [output.text for output in outputs]

    with ThreadPoolExecutor(3) as pool:
        results = [job.result() for job in [pool.submit(go) for _ in range(3)]]
    assert all(result == [f"TEXT {i}" for i in range(90)] for result in results)
    assert sorted(engine.asked) == sorted(f"text {i}" for i in range(90))


def test_what_a_dead_process_was_asking_for_is_asked_again(tmp_path: Path) -> None:
    engine = Counting(name="c", pair=parse_pair("en-pt"))
    key = answer_key(engine.signature, Request("1", "text"))
    code = (
        "from pathlib import Path; from mtassay.runtime.workspace import Workspace\n"
        f"Workspace(Path({str(tmp_path / 'w.db')!r})).claim([{key!r}])"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    outputs = translate_all(engine, [Request("1", "text")], answers=Workspace(tmp_path / "w.db"))
    assert [output.text for output in outputs] == ["TEXT"]


def test_a_run_that_cannot_be_saved_is_shown_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mtassay as mt

    monkeypatch.setattr(database, "PATIENCE_S", 0.05)
    Workspace(tmp_path / "w.db").close()
    lock = sqlite3.connect(tmp_path / "w.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    texts = {"a": ["Sim."], "b": ["Não."]}
    run = mt.score(texts, [["Sim."]], metrics="chrf", samples=100, save=True, workspace=tmp_path / "w.db")
    assert run.result.scores
    assert "locked" in run.trouble
    lock.close()

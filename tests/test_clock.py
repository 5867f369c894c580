"""The order of a workspace is that in which things came, whatever the clock said when they did."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from mtassay.app import campaign_work, reviewing
from mtassay.app.history import find_snapshots
from mtassay.data.errors import PluginWarning
from mtassay.data.formats.review_files import review_record
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request, Result, Review, Run, Segment
from mtassay.data.subjects import Subject, decide, review_now, subjects_in
from mtassay.review.campaign_store import CampaignStore
from mtassay.review.queue import ReviewQueue, prepare
from mtassay.runtime import database as file
from mtassay.runtime.workspace import Workspace
from mtassay.systems.client import translate_all
from mtassay.systems.fake import Fake
from tests.cli.reviewing import save_run

LATE, EARLY = "9998-12-31T00:00:00+00:00", "2026-01-01T00:00:00+00:00"


def a_run(name: str, started: str) -> Run:
    segments = [Segment("1", "Yes.")]
    return Run(name, "score", {}, ["a"], started, {}, Result(), [], segments, {"a": [Output("1", "Sim.")]})


def test_the_run_that_was_saved_last_is_the_last_one(tmp_path: Path) -> None:
    store = Workspace(tmp_path / "w.db")
    for name, started in (("first", LATE), ("second", EARLY)):
        store.save_run(a_run(name, started))
    assert store.named("last") == ["second"]
    assert [run.id for run in store.runs()] == ["second", "first"]
    assert store.runs_with("1", "Yes.") == ["second", "first"]
    (before,) = find_snapshots("a", workspace=tmp_path / "w.db", like=store.run("second"))
    assert before.run == "first"
    store.database.vacuum()
    assert store.named("last") == ["second"]


def test_the_answer_that_came_last_holds(tmp_path: Path) -> None:
    save_run(tmp_path)
    path = tmp_path / ".mtassay" / "workspace.db"
    store = Workspace(path)
    run = store.run("last")
    one, other = list(dict.fromkeys(subjects_in(run).values()))[:2]
    prepare(store, run.id)
    campaign_work.create("c", reviewers="anna,ben", overlap=1, workspace=path)
    said = [
        (one, "correct", "anna", LATE),
        (other, "correct", "anna", "2030-01-01T00:00:00+00:00"),
        (one, "incorrect", "ben", LATE),
        (one, "incorrect", "anna", EARLY),
    ]
    for subject, answer, name, at in said:
        store.add_reviews([Review(subject.id, "suite", answer, name, at=at)], [subject])
    assert decide(store.reviews())[one.id, "suite"].answer == "incorrect"
    assert decide(store.reviews_about([other.id, one.id]))[one.id, "suite"].answer == "incorrect"
    run_queue = ReviewQueue(store, run.id, "suite")
    entry = run_queue.entry(one.id, reviewer="anna")
    assert (entry.answer, entry.mine) == ("incorrect", "incorrect")
    # Ratings are what people said before they could see others' answers: anna changed hers after ben's.
    assert run_queue.ratings()[one.id] == {"anna": "correct", "ben": "incorrect"}
    assert run_queue.latest_of("anna") == one.id
    assert run_queue.latest_of("anna", before=one.id) == other.id
    desk = CampaignStore(store)
    inside = {entry.subject for entry in desk.subjects(desk.campaign("c"))}
    assert desk.latest(desk.campaign("c"), "anna") == next(s.id for s in (one, other) if s.id in inside)


def test_the_campaign_that_was_made_last_is_the_last_one(tmp_path: Path) -> None:
    save_run(tmp_path)
    path = tmp_path / ".mtassay" / "workspace.db"
    store = CampaignStore(Workspace(path))
    campaign_work.create("b", reviewers="anna", workspace=path)
    store.save(replace(store.campaign("b"), name="a", created=EARLY), [], [])
    assert [campaign.name for campaign in store.campaigns()] == ["a", "b"]
    assert store.campaign("last").name == "a"
    store.close("b")
    assert store.campaign("last").name == "a"


def test_an_import_comes_when_it_is_imported_and_only_once(tmp_path: Path) -> None:
    store = Workspace(tmp_path / "w.db")
    subject = Subject("1", ("Yes.",), ("Sim.",))
    said = [Review(subject.id, "suite", answer, "anna", at=LATE) for answer in ("correct", "incorrect")]
    sheet = tmp_path / "reviews.jsonl"
    sheet.write_text("".join(json.dumps(review_record(review, subject)) + "\n" for review in said))
    assert reviewing.import_reviews(sheet, workspace=tmp_path / "w.db").added == 2
    assert decide(store.reviews())[subject.id, "suite"].answer == "incorrect"
    store.add_reviews([review_now(subject.id, "suite", "correct", "anna")], [subject])
    assert reviewing.import_reviews(sheet, workspace=tmp_path / "w.db").added == 0
    assert decide(store.reviews())[subject.id, "suite"].answer == "correct"
    # A file that was written from here says the same elsewhere.
    again = tmp_path / "again.jsonl"
    records = reviewing.reviews(workspace=tmp_path / "w.db")
    again.write_text("".join(json.dumps(record) + "\n" for record in records))
    reviewing.import_reviews(again, workspace=tmp_path / "other.db")
    assert decide(Workspace(tmp_path / "other.db").reviews())[subject.id, "suite"].answer == "correct"


def test_fresh_asks_again_for_answers_of_a_clock_that_was_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Workspace(tmp_path / "w.db")
    replies = iter("ab")
    engine = Fake(name="f", pair=parse_pair("en-pt"), respond=lambda _: next(replies))
    monkeypatch.setattr("mtassay.runtime.workspace.now_exactly", lambda: LATE)
    translate_all(engine, [Request("1", "x")], answers=store)
    monkeypatch.setattr("mtassay.runtime.workspace.now_exactly", lambda: EARLY)
    (output,) = translate_all(engine, [Request("1", "x")], answers=store, fresh=True)
    assert output.text == "b"
    assert [answer.output.text for answer in store.answers_of(engine.signature)] == ["b"]


def test_a_workspace_that_went_by_the_clock_goes_by_the_order_of_coming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrations = file.MIGRATIONS
    monkeypatch.setattr(file, "MIGRATIONS", migrations[:8])
    old = Workspace(tmp_path / "w.db")
    for name, started in (("first", LATE), ("second", EARLY)):
        old.save_run(a_run(name, started))
    subject = Subject("1", ("Yes.",), ("Sim.",))
    for answer, at in (("correct", LATE), ("incorrect", EARLY)):
        old.add_reviews([Review(subject.id, "suite", answer, "anna", at=at)], [subject])
    with old.database.transaction() as connection:
        connection.execute("INSERT INTO standings VALUES (?, 'suite', 'correct', 0)", (subject.id,))
        connection.execute("INSERT INTO standings_mark VALUES (2, 2)")
        for name, created in (("a", "2026-03"), ("b", "2026-02")):
            record = {"name": name, "question": "suite", "runs": ["first"], "reviewers": ["anna"]}
            content = json.dumps(record | {"assignments": [], "created": created})
            old.database.insert("campaigns", [(name, content)])
    old.close()
    monkeypatch.setattr(file, "MIGRATIONS", migrations)
    with pytest.warns(PluginWarning, match="is upgraded; as it was: .*w.db.schema-8"):
        store = Workspace(tmp_path / "w.db")
    copy = sqlite3.connect(tmp_path / "w.db.schema-8")
    assert copy.execute("PRAGMA user_version").fetchone() == (8,)
    assert copy.execute("SELECT COUNT(*) FROM reviews").fetchone() == (2,)
    assert store.named("last") == ["second"]
    assert [review.answer for review in store.reviews()] == ["correct", "incorrect"]
    assert store.database.select("SELECT * FROM standings") == []
    # These were kept without an order; their dates are all that is known.
    assert [campaign.name for campaign in CampaignStore(store).campaigns()] == ["a", "b"]

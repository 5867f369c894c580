"""The queues of each method, and of one that nobody knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fastapi.testclient import TestClient

from mtassay.app import reviewing
from mtassay.app.library import behavior
from mtassay.app.review_cards import languages
from mtassay.data import registry
from mtassay.data.formats.annotation_files import correction_records
from mtassay.data.method import Method
from mtassay.data.nouns import Finding, Output, Question, Result, Run, Segment
from mtassay.data.questions import all_questions
from mtassay.data.subjects import decide
from mtassay.review.queue import ReviewQueue
from mtassay.runtime.workspace import Workspace
from tests.cli.test_behavior_review import OUTPUTS, TEXTS
from tests.cli.test_review_invariance import FINDINGS, SEGMENTS, TOLD
from tests.cli.test_review_invariance import TEXTS as VARIANT_TEXTS
from tests.web.conftest import client_of
from tests.web.test_pages import answer, fields


def save(path: Path, run: Run) -> Path:
    store = Workspace(path)
    store.save_run(run)
    store.close()
    return path


@pytest.fixture
def issues(tmp_path: Path) -> Iterator[TestClient]:
    outputs = {
        name: [Output(segment.id, text) for segment, text in zip(SEGMENTS, texts, strict=True)]
        for name, texts in VARIANT_TEXTS.items()
    }
    about = ("r1", "invariance", {"pair": "en-pt"}, list(VARIANT_TEXTS), "2026-01-01", {}, Result())
    run = Run(*about, findings=FINDINGS, segments=SEGMENTS, outputs=outputs)
    with client_of(save(tmp_path / "workspace.db", run)) as browser:
        yield browser


def test_an_issue_shows_original_and_variant_with_what_differs_and_no_verdict(issues: TestClient) -> None:
    html = issues.get("/runs/r1/invariance").text
    assert "The <mark>young</mark> dog barked." in html
    assert "O <mark>jovem foi latido</mark>." in html
    words = re.findall(r"[\w:]+", re.sub("<[^>]+>", " ", html.partition("<main")[2]))
    assert not set(words) & set(TOLD)


def test_the_kind_of_an_error_and_its_correction_are_exported(issues: TestClient, tmp_path: Path) -> None:
    html = issues.get("/runs/r1/invariance").text
    html = answer(issues, html, "correct")
    answer(issues, html, "mistranslation", correction="O cachorro jovem latiu.")
    store = Workspace(tmp_path / "workspace.db")
    (correction,) = correction_records(decide(store.reviews("invariance")), store.subjects())
    assert (correction["correction"], correction["by"], correction["error"]) == (
        "O cachorro jovem latiu.",
        "lena",
        "mistranslation",
    )


@pytest.fixture
def pairs(tmp_path: Path) -> Iterator[TestClient]:
    cases = [{"id": id_, "capability": "noun", **TEXTS} for id_ in OUTPUTS]
    outputs = [{"id": id_, "output": a, "edited_output": b} for id_, (a, b) in OUTPUTS.items()]
    for name, records in (("c.jsonl", cases), ("nmt.jsonl", outputs)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / name).write_text(lines, encoding="utf-8")
    behavior(
        tmp_path / "c.jsonl",
        None,
        {"nmt": tmp_path / "nmt.jsonl"},
        langpair="en-pt",
        quality="chrf",
        min_quality=0.5,
        max_change=0.2,
        save=True,
        workspace=tmp_path / "workspace.db",
        quiet=True,
    )
    with client_of(tmp_path / "workspace.db") as browser:
        yield browser


def queue_of(browser: TestClient, question: str) -> str:
    run = browser.get("/api/runs").json()[0]
    assert question in run["questions"]
    return f"/runs/{run['id']}/{question}"


def test_a_pair_is_rated_with_only_what_the_question_is_about(pairs: TestClient, tmp_path: Path) -> None:
    html = pairs.get(queue_of(pairs, "ssf")).text
    main = html.partition("<main")[2]
    assert ("A dog." in main) != ("A cow." in main)
    assert "Um" not in main.partition("<form")[0]
    answer(pairs, html, "satisfied")
    both = pairs.get(queue_of(pairs, "ta")).text
    assert ("A dog." in both and "Um cão." in both) != ("A cow." in both and "Uma vaca." in both)
    assert [(r["question"], r["answer"]) for r in reviewing.reviews(workspace=tmp_path / "workspace.db")] == [
        ("ssf", "satisfied")
    ]


def test_where_the_error_is_can_be_said(pairs: TestClient, tmp_path: Path) -> None:
    html = pairs.get(queue_of(pairs, "place")).text
    assert "A <mark>dog</mark>." in html
    assert "A <mark>cow</mark>." in html
    answer(pairs, html, "e")
    assert reviewing.reviews(workspace=tmp_path / "workspace.db")[0]["answer"] == "edit"


@dataclass(frozen=True)
class Lengths(Method):
    """A method of another package: is something missing?"""

    name: ClassVar[str] = "lengths-elsewhere"
    asks: ClassVar[Any] = (
        Question("lengths-elsewhere", "Is something missing?", {"m": "missing", "f": "full"}),
        Question("how-much", "How much is missing, in percent?", kind="number"),
        Question("why-so", "Why?", kind="text"),
    )

    def cases(self, segments: Any, context: Any) -> Any:
        raise NotImplementedError

    judge = score = cases


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setitem(registry.ours()["method"], Lengths.name, f"{__name__}:Lengths")
    all_questions.cache_clear()
    segments = [Segment(str(n), f"Source {n}.") for n in range(3)]
    run = Run(
        *("r1", Lengths.name, {}, ["a"], "2026-01-01", {}, Result()),
        findings=[Finding(s.id, "a", "lengths", "fail", 1.0, {"why": "short"}) for s in segments],
        segments=segments,
        outputs={"a": [Output(s.id, f"Output {s.id}") for s in segments]},
    )
    with client_of(save(tmp_path / "workspace.db", run)) as browser:
        yield browser
    all_questions.cache_clear()


def test_a_method_that_nobody_knows_has_its_queue(foreign: TestClient) -> None:
    html = answer(foreign, foreign.get("/runs/r1/lengths-elsewhere").text, "m")
    assert "Is something missing?" in html
    assert "2 open" in html


@pytest.mark.parametrize(
    ("question", "good", "bad"), [("how-much", "12.5", "much"), ("why-so", "tired", " ")]
)
def test_numbers_and_texts_are_asked_by_their_kind(
    foreign: TestClient, tmp_path: Path, question: str, good: str, bad: str
) -> None:
    html = foreign.get(f"/runs/r1/{question}").text
    form = fields(html)
    assert foreign.post(form.pop("action"), data={**form, "answer": bad}).status_code == 400
    answer(foreign, html, good)
    assert [r["answer"] for r in reviewing.reviews(workspace=tmp_path / "workspace.db")] == [good]


def test_an_agenda_follows_reviews_that_go_away(tmp_path: Path, workspace: Path) -> None:
    with client_of(workspace) as browser:
        run = browser.get("/api/runs").json()[0]["id"]
        answer(browser, browser.get(f"/runs/{run}/suite").text, "correct")
    store = Workspace(workspace)
    run_queue = ReviewQueue(store, run, "suite")
    assert run_queue.waiting("ben") == 2
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM reviews")
    assert run_queue.waiting("ben") == 3
    assert run_queue.next_for("ben") is not None


def test_a_suite_whose_name_looks_like_a_pair_has_its_own_pair() -> None:
    facts = {"facts": "my-german · en-de · 5 items"}
    assert languages(Run("r", "suite", facts, [], "2026", {}, Result())) == ("en", "de")

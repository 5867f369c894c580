"""`mtassay review` and `explain` on an invariance run: blind, and with all evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mtassay.app.cli.session import Session
from mtassay.app.reviewing import load_pending
from mtassay.data.nouns import Finding, Output, Result, Segment
from mtassay.data.nouns import Run as SavedRun
from mtassay.report.case_text import Screen
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run
from tests.cli.terminal import Terminal

SEGMENTS = [
    Segment("7", "The small dog barked."),
    Segment(
        "7/1-young",
        "The young dog barked.",
        tags={"original": "7", "edit": {"start": 4, "end": 9, "before": "small", "after": "young"}},
    ),
]
TEXTS = {
    "alpha": ["O cachorro pequeno latiu.", "O jovem foi latido."],
    "beta": ["O cão pequeno latiu.", "O cão jovem latiu."],
}
VARIANT: dict[str, Any] = {
    "id": "7/1-young",
    "source": "The young dog barked.",
    "output": "O jovem foi latido.",
    "before": "small",
    "after": "young",
    "distance": 47.0,
    "differences": ["aux:pass: 0 → 1"],
}
ISSUE = {"status": "suspicious", "threshold": 4, "compared": 1, "variants": [VARIANT]}
FINDINGS = [
    Finding("7", "alpha", "invariance:dependency", "fail", 47.0, ISSUE),
    Finding("7/1-young", "alpha", "under-translation", "fail", 1.0, {"why": "'dog' leaves no trace"}),
    Finding(
        "7", "beta", "invariance:dependency", "pass", 0.0, {"status": "stable", "threshold": 4, "compared": 1}
    ),
]
TOLD = ("47", "threshold", "dependency", "aux:pass", "trace", "stable", "suspicious", "alpha", "beta")
"""What a reviewer must not see."""


@pytest.fixture
def store(tmp_path: Path) -> Workspace:
    store = Workspace(tmp_path / ".mtassay" / "workspace.db")
    outputs = {
        name: [Output(segment.id, text) for segment, text in zip(SEGMENTS, texts, strict=True)]
        for name, texts in TEXTS.items()
    }
    about = ("r1", "invariance", {}, list(TEXTS), "2026-01-01", {}, Result())
    store.save_run(SavedRun(*about, FINDINGS, SEGMENTS, outputs))
    return store


def test_reviewing_is_blind_and_keeps_every_label(store: Workspace) -> None:
    shown: list[str] = []
    keys = iter("xw")
    queue = load_pending(store, {})
    session = Session(store, "anna", queue, Screen(80, False), lambda: next(keys), str, shown.append)
    assert session.run() == "2 answered (1 several, 1 mistranslation), 0 left."
    text = "\n".join(shown)
    assert not [word for word in (*TOLD, "7/1") if word in text]
    assert f"1 system · {queue[1].subject.id[:10]}\n" in text
    for words in ("The small dog barked.", "O jovem foi latido.", "o over", "x several", "q quit"):
        assert words in text
    assert max(map(len, text.splitlines())) <= 80
    assert {review.question for review in store.reviews()} == {"invariance"}


def test_what_reviewers_said_of_other_outputs_is_not_shown(store: Workspace, run: Run) -> None:
    assert run("review", "decide", "last", "7", "beta", "under", "--reviewer", "ben").returncode == 0
    for double in (False, True):
        shown: list[str] = []
        session = Session(
            store,
            "anna",
            load_pending(store, {})[:1],
            Screen(80, False),
            lambda: "q",
            str,
            shown.append,
            double=double,
        )
        session.run()
        assert "O cão pequeno latiu." not in "\n".join(shown)


def test_lists_and_sheets_are_blind_too(store: Workspace, run: Run) -> None:
    for words in (["next"], ["next", "-f", "json"], ["next", "-f", "tsv"], ["export", "--open"]):
        done = run("review", *words)
        assert done.returncode == 0, done.stderr
        assert "O jovem foi latido." in done.stdout
        assert not [word for word in TOLD if word in done.stdout]
        assert ("7/1-young" in done.stdout) is ("--open" in words)  # which a sheet needs to be read back


def test_a_blind_queue_is_counted_by_its_question(store: Workspace, tmp_path: Path) -> None:
    with Terminal(tmp_path, "review", "next", "--reviewer", "anna") as terminal:
        assert "2 open for anna (question: invariance)." in terminal.wait_for("b back")
        terminal.press("q")
        assert terminal.finish() == 0


def test_a_filled_sheet_comes_back(store: Workspace, run: Run, tmp_path: Path) -> None:
    assert run("review", "export", "--open", "-o", "sheet.tsv").returncode == 0
    header, *rows = (tmp_path / "sheet.tsv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "sheet.tsv").write_text("\n".join([header, *(f"c{row}" for row in rows)]), encoding="utf-8")
    done = run("review", "import", "sheet.tsv")
    assert done.stdout == "2 added, 0 already there, 0 left empty.\n"


def test_a_label_goes_out_and_comes_back(store: Workspace, run: Run) -> None:
    subject = json.loads(run("review", "next", "-f", "json").stdout)[1]["subject"]
    done = run("review", "decide", subject[:8], "m", "--reviewer", "anna")
    assert (
        done.stdout == f"anna: modification. Subject {subject[:10]} (case 7/1-young) is now modification.\n"
    )
    assert run("review", "export", "-o", "labels.jsonl").returncode == 0
    assert run("review", "import", "labels.jsonl").stdout == "0 added, 1 already there, 0 left empty.\n"
    bad = run("review", "decide", subject, "incorrect")
    assert (bad.returncode, bad.stderr.count("\n")) == (2, 1)
    assert "'incorrect' is no answer. Available: correct (c), under (d), over (o)" in bad.stderr


def test_explaining_an_original_tells_all_that_the_run_found(store: Workspace, run: Run) -> None:
    shown = run("explain", "7").stdout
    assert "issue suspicious · alpha · subject " in shown
    assert "  why      distance 47, beyond the threshold of 4; 1 variant compared" in shown
    assert "           small → young · distance 47: aux:pass: 0 → 1" in shown
    assert "O jovem foi latido." in shown
    assert "stable · beta" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_explaining_a_variant_names_its_original_and_what_a_reviewer_may_decide(
    store: Workspace, run: Run
) -> None:
    shown = run("explain", "7/1-young").stdout
    assert shown.startswith("7/1-young · from 7: small → young\n")
    assert "reported · alpha · subject " in shown
    assert "why distance 47 from the output to 7, beyond the threshold of 4: aux:pass: 0 → 1" in " ".join(
        shown.split()
    )
    assert "'dog' leaves no trace" in shown
    assert "no finding · beta · subject " in shown


def test_a_reviewed_variant_still_says_what_the_run_found(store: Workspace, run: Run) -> None:
    run("review", "decide", "last", "7/1-young", "alpha", "mistranslation", "--reviewer", "anna")
    run("review", "decide", "last", "7/1-young", "beta", "correct", "--reviewer", "anna")
    shown = " ".join(run("explain", "7/1-young").stdout.split())
    assert "mistranslation by reviewers (the run said reported) · alpha · subject " in shown
    assert "correct by reviewers (the run said nothing) · beta · subject " in shown
    story = json.loads(run("explain", "7/1-young", "-f", "json").stdout)
    assert story["history"][0]["statuses"] == {"alpha": "reported", "beta": ""}
    assert [answer["found"] for answer in story["answers"]] == ["reported", None]


@pytest.mark.parametrize(
    ("labels", "head"),
    [
        (["correct"], "issue suspicious · its output: correct by reviewers · alpha"),
        (
            ["correct", "under"],
            "issue confirmed (the run said suspicious) · its output: correct by reviewers",
        ),
        (
            ["correct", "correct"],
            "issue cleared (the run said suspicious) · its output: correct by reviewers",
        ),
        (["unsure", "under"], "issue confirmed (the run said suspicious) · alpha"),
    ],
)
def test_an_issue_and_the_output_of_its_original_are_told_apart(
    store: Workspace, run: Run, labels: list[str], head: str
) -> None:
    for segment, label in zip(SEGMENTS, labels, strict=False):
        assert run("review", "decide", "last", segment.id, "alpha", label).returncode == 0
    shown = run("explain", "7").stdout
    assert head in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80
    issue = head.split()[1]
    answers = json.loads(run("explain", "7", "-f", "json").stdout)["answers"]
    assert [answer["issue"] for answer in answers] == [issue, None]
    assert f"alpha\tissue {issue}" in run("explain", "7", "-f", "tsv").stdout

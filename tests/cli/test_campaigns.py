"""`mtassay review campaign`, and reviewing in one, from the command line and at a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mtassay.app.cli.session import END, Session
from mtassay.data.questions import COMMON_QUESTIONS
from mtassay.data.subjects import Pending
from mtassay.report.case_text import Screen
from mtassay.review.pending import pending_in
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run
from tests.cli.reviewing import save_run


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Run:
    save_run(tmp_path)
    return run


def next_subject(run: Run, reviewer: str, *words: str) -> str:
    done = run("review", "next", "--campaign", "spring", "--reviewer", reviewer, "-f", "json", *words)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    return str(record["subject"]) if record else ""


def decide(run: Run, subject: str, answer: str, reviewer: str, *words: str) -> str:
    done = run("review", "decide", subject, answer, "--campaign", "spring", "--reviewer", reviewer, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_campaign_from_beginning_to_end(saved: Run) -> None:
    made = saved(
        *("review", "campaign", "create", "spring", "--reviewers", "anna,ben"),
        *("--adjudicators", "dora", "--overlap", "1"),
    )
    assert made.stdout == ("Campaign 'spring' asks suite: 3 outputs, 6 answers of 2 reviewers wanted.\n")
    assert "mtassay serve" in made.stderr
    first = next_subject(saved, "anna")
    assert decide(saved, first, "correct", "anna").endswith("waits for others.\n")
    assert next_subject(saved, "anna") != first
    told = decide(saved, first, "incorrect", "ben", "--note", "lost")
    assert told == f"ben: incorrect. Subject {first[:10]} is now disputed.\n  reviewer 1: correct\n"
    shown = saved("review", "next", "--campaign", "spring", "--reviewer", "dora", "--adjudicate").stdout
    assert "answers    reviewer 1: correct\n           reviewer 2: incorrect (lost)" in shown
    assert f"mtassay review decide {first[:10]} ANSWER --campaign spring --adjudicate" in shown
    assert "is now incorrect" in decide(saved, first, "incorrect", "dora", "--adjudicate")
    assert next_subject(saved, "dora", "--adjudicate") == ""
    text = saved("review", "campaign", "show", "spring").stdout
    assert "To adjudicate: 0; adjudicated: 1." in text
    assert "0.0 % to 79.3 %  1" in text  # Wilson's interval of 0 of 1
    assert all(len(line) <= 80 for line in text.splitlines())
    record = json.loads(saved("review", "campaign", "show", "last", "-f", "json").stdout)
    assert [entry["answered"] for entry in record["reviewers"]] == [1, 1]
    assert "is closed since" in saved("review", "campaign", "close", "spring").stdout
    assert (
        "Nothing is left for anna"
        in saved("review", "next", "--campaign", "spring", "--reviewer", "anna").stdout
    )
    assert "closed" in saved("review", "campaign", "show").stdout
    assert "all answers are kept" in saved("review", "campaign", "close", "spring", "--delete").stdout
    assert "There are no campaigns yet" in saved("review", "campaign", "show").stdout


def test_what_cannot_be_is_one_line_that_says_what_to_do(saved: Run) -> None:
    done = saved("review", "campaign", "create", "spring")
    assert (done.returncode, done.stderr) == (
        2,
        "mtassay: A campaign needs reviewers: --reviewers anna,ben\n",
    )
    done = saved("review", "next", "--adjudicate", "--reviewer", "anna")
    assert "--adjudicate goes with --campaign" in done.stderr
    done = saved("review", "campaign", "show", "last")
    assert "No campaign 'last'" in done.stderr
    assert "mtassay review campaign create NAME" in done.stderr


def test_entities_errors_and_ratings_are_typed_by_words(saved: Run) -> None:
    listed = saved("review", "next", "--question", "entities", "--reviewer", "anna").stdout
    assert "ANSWER --question entities" in listed
    assert "0 systems" not in listed
    place = ("review", "decide", "last", "negation-1", "alpha")
    done = saved(*place, "PER: Ninguém", "--question", "entities", "--reviewer", "anna")
    assert done.stdout.startswith("anna: PER: Ninguém. ")
    done = saved(*place, "m, 3: falou; o, 2, source: anything", "--question", "mqm", "--reviewer", "anna")
    assert "accuracy/mistranslation, major: falou; accuracy/omission, minor, source: anything" in done.stdout
    done = saved(*place, "e, 2: fala; score: 40", "--question", "esa", "--reviewer", "anna")
    assert "e, 2: fala" not in done.stdout
    done = saved(*place, "m, 3: disse", "--question", "mqm", "--reviewer", "anna")
    assert "'disse' is not in the target" in done.stderr
    done = saved(*place, "300", "--question", "da", "--reviewer", "anna")
    assert "Write a whole number from 0 to 100" in done.stderr


def sitting(store: Workspace, queue: list[Pending], lines: list[str]) -> tuple[str, str]:
    """What a person sees who types these lines, and the summary."""
    typed: Iterator[str] = iter(lines)
    shown: list[str] = []
    session = Session(
        *(store, "anna", queue, Screen(80, False)),
        *(lambda: next(typed, END), lambda _: next(typed, END), shown.append),
    )
    summary = session.run()
    return "\n".join(shown), summary


def test_ratings_are_typed_at_the_terminal_and_a_bad_one_is_asked_again(saved: Run, tmp_path: Path) -> None:
    store = Workspace(tmp_path / ".mtassay" / "workspace.db")
    queue = pending_in(store.run("last"), question=COMMON_QUESTIONS["da"])[:2]
    shown, summary = sitting(store, queue, ["eighty", "80", "b", "70", "s"])
    assert "Write a whole number from 0 to 100" in shown
    assert "'eighty' is no answer." in shown
    assert "you said   80" in shown
    assert summary == "1 answered, 1 left."
    assert [review.answer for review in store.reviews("da")] == ["80", "70"]


def test_answers_are_written_for_other_programs_and_read_back(saved: Run, tmp_path: Path) -> None:
    place = ("review", "decide", "last", "negation-1", "alpha")
    saved(*place, "85", "--question", "da", "--reviewer", "anna")
    saved(*place, "m, 3: falou", "--question", "mqm", "--reviewer", "anna")
    saved(*place, "PER: Ninguém", "--question", "entities", "--reviewer", "anna")
    done = saved("review", "export", "--as", "ratings", "-o", "ratings.tsv")
    # The same output is that of two systems.
    assert done.stderr == "mtassay: wrote 2 records to ratings.tsv\n"
    rows = (tmp_path / "ratings.tsv").read_text(encoding="utf-8").splitlines()
    assert rows[:2] == ["system\tid\trater\tmqm\tda", "alpha\tnegation-1\tanna\t-5.0\t85.0"]
    assert "<v>falou</v>" in saved("review", "export", "--as", "mqm").stdout
    lines = saved("review", "export", "--as", "mtme").stdout.splitlines()
    assert (lines[0][:18], lines[1]) == ('alpha\t{"errors": [', "alpha\tNone")
    (entities,) = saved("review", "export", "--as", "entities").stdout.splitlines()
    assert json.loads(entities)["entities"][0]["text"] == "Ninguém"
    words = ("review", "export", "--question", "mqm", "--as")
    for form in ("labelstudio", "pearmut"):
        assert saved(*words, form, "-o", f"{form}.json").returncode == 0
        done = saved("review", "import", f"{form}.json")
        assert done.stdout == "0 added, 1 already there, 0 left empty.\n", done.stderr
    assert "<Labels" in (tmp_path / "labelstudio.xml").read_text(encoding="utf-8")


def test_what_is_open_goes_to_other_programs(saved: Run, tmp_path: Path) -> None:
    words = ("review", "export", "--open", "--question", "esa", "--reviewer", "anna", "--as")
    done = saved(*words, "pearmut", "-o", "campaign.json")
    assert done.stderr == "mtassay: wrote 4 open outputs to campaign.json\n"
    campaign = json.loads((tmp_path / "campaign.json").read_text(encoding="utf-8"))
    assert (campaign["info"]["users"], len(campaign["data"])) == (["anna"], 4)
    done = saved("review", "export", "--open", "--as", "labelstudio", "-o", "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert [task["data"]["question"] for task in tasks] == ["suite"] * 3
    assert "status" not in tasks[0]["data"]
    done = saved("review", "export", "--open", "--as", "pearmut", "-o", "no.json")
    assert "Pearmut does not ask 'suite'" in done.stderr
    done = saved("review", "export", "--open", "--as", "mqm", "-o", "no.tsv")
    assert "leave --open out" in done.stderr
    assert not (tmp_path / "no.json").exists()

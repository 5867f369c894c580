"""`mtassay explain`: one case with every output, all evidence, decisions and history, of any method."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run
from tests.cli.reviewing import save_run


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Run:
    save_run(tmp_path)
    return run


def test_equal_outputs_are_shown_once_with_their_evidence(saved: Run) -> None:
    shown = saved("explain", "negation-1").stdout
    assert "negation-1 · Negation · Negative concord" in shown
    assert "source     [[Nobody]] said [[anything]]." in shown
    assert shown.count("Ninguém falou.") == 1
    assert "undecided · alpha, beta · subject " in shown
    assert "conflict · gamma" in shown
    assert "  output   [[Ninguém disse nada]], ele [[disse algo]]." in shown
    assert "'disse algo' is wrong (negative regex: disse algo)" in shown


def test_decisions_are_shown_with_their_history(saved: Run) -> None:
    saved("review", "decide", "last", "negation-1", "alpha", "correct", "--reviewer", "anna")
    saved("review", "decide", "last", "negation-1", "alpha", "i", "--reviewer", "anna", "--note", "no: falou")
    shown = saved("explain", "negation-1").stdout
    assert "incorrect by reviewers (the run said undecided) · alpha, beta" in shown
    assert shown.index("anna: correct") < shown.index("anna: incorrect (no: falou)")
    assert "  holds    incorrect (1 of 1 reviewer)" in shown
    saved("review", "decide", "last", "negation-1", "alpha", "correct", "--reviewer", "ben")
    assert "  holds    nothing: reviewers disagree" in saved("explain", "negation-1").stdout


def test_earlier_runs_are_told_newest_first(saved: Run, tmp_path: Path) -> None:
    (tmp_path / "alpha.tsv").write_text("id\toutput\nnegation-1\tNinguém disse nada.\n", encoding="utf-8")
    saved("suite", "run", "suite.yaml", "-t", "alpha=alpha.tsv")
    newest, oldest = Workspace(tmp_path / ".mtassay" / "workspace.db").runs()
    shown = saved("explain", "negation-1").stdout
    assert f"run {newest.id} · suite" in shown
    header, _, alpha, beta, _ = shown.splitlines()[-5:]
    assert header.split() == ["system", newest.id, oldest.id]
    assert alpha.split() == ["alpha", "correct", "undecided"]
    assert beta.split() == ["beta", "–", "undecided"]
    assert f"run {oldest.id} · suite" in saved("explain", "negation-1", "--run", oldest.id).stdout


def test_other_sentences_of_the_same_id_are_told_apart(run: Run, tmp_path: Path) -> None:
    cat = ("The cat sleeps.", "O gato dorme.")
    for name, texts in {"news": cat, "chat": ("Hello there.", "Olá."), "more": cat}.items():
        for side, text in zip("sr", texts, strict=True):
            (tmp_path / f"{name}.{side}").write_text(f"{text}\n", encoding="utf-8")
        (tmp_path / f"{name}.txt").write_text(f"{texts[1]}\n", encoding="utf-8")
        files = ["-s", f"{name}.s", "-r", f"{name}.r", "-t", f"x={name}.txt", "-l", "en-pt"]
        assert run("score", *files, "-m", "chrf", "-q").returncode == 0
    more, chat, news = Workspace(tmp_path / ".mtassay" / "workspace.db").runs()
    done = run("explain", "1")
    assert done.stdout.count("The cat sleeps.") == 1
    assert [it.id in done.stdout for it in (news, more, chat)] == [True, True, False]
    story = json.loads(run("explain", "1", "--run", chat.id, "-f", "json").stdout)
    assert (story["source"], [past["run"] for past in story["history"]]) == ("Hello there.", [chat.id])


def test_a_missing_output_says_why(saved: Run) -> None:
    shown = saved("explain", "tense-1").stdout
    assert "skipped · gamma\n  why      " in shown
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_json_has_everything(saved: Run) -> None:
    saved("review", "decide", "last", "negation-1", "alpha", "correct", "--reviewer", "anna")
    story = json.loads(saved("explain", "negation-1", "--format", "json").stdout)
    assert story["tags"]["phenomenon"] == "Negative concord"
    first = story["answers"][0]
    assert (first["systems"], first["status"], first["found"]) == (["alpha", "beta"], "correct", "undecided")
    assert [review["reviewer"] for review in first["reviews"]] == ["anna"]
    assert story["history"][0]["statuses"] == {"alpha": "undecided", "beta": "undecided", "gamma": "conflict"}


@pytest.mark.parametrize(("form", "expected"), [("tsv", "alpha, beta\tundecided"), ("md", "| alpha, beta |")])
def test_tables_have_a_row_for_each_output(saved: Run, form: str, expected: str) -> None:
    assert expected in saved("explain", "negation-1", "--format", form).stdout


def test_a_score_run_shows_its_findings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("Hello {name}!\nBye.\n")
    (tmp_path / "r.txt").write_text("Olá, {name}!\nTchau.\n", encoding="utf-8")
    (tmp_path / "x.txt").write_text("Olá!\nTchau.\n", encoding="utf-8")
    words = ("-s", "s.txt", "-r", "r.txt", "-t", "x=x.txt", "-t", "y=r.txt", "-l", "en-pt")
    assert run("score", *words).returncode == 0
    shown = run("explain", "1").stdout
    assert "source     Hello {name}!" in shown
    assert "fail: check:placeholders · x\n  output   Olá!" in shown
    assert "{name} is missing" in shown
    assert "no finding · y\n  output   Olá, {name}!" in shown
    assert "subject" not in shown


def test_a_case_that_is_not_there_is_answered_with_near_ones(saved: Run) -> None:
    done = saved("explain", "negaton-1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "No case 'negaton-1'" in done.stderr
    assert "Near: negation-1." in done.stderr
    assert "Near: tense-1." in saved("explain", "TENSE", "--run", "last").stderr
    assert "No id is near it. See 'mtassay runs list'" in saved("explain", "zzzzzz").stderr

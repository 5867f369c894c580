"""How the rules of a suite grow: accept, and judging a saved run again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.app.page.page_html import render_page
from mtassay.app.reports import report_page
from mtassay.app.runs import load
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.subjects import Subject
from tests.cli.conftest import Run

SUITE = """\
# kept
langpair: en-pt
match: {case: ignore, whitespace: collapse}
items:
  - id: neg
    category: Negation
    phenomenon: Concord
    source: Nobody said anything.
    positive_regex:
      - disse nada
    negative_regex: disse algo   # no concord
  - id: novel
    category: Lexis
    phenomenon: False friends
    source: She read a novel.
"""
OUTPUTS = {
    "a": ("Ninguém disse nada.", "Ela leu um romance."),
    "b": ("Ninguém falou nada.", "Ela leu um romance."),
    "c": ("Ninguém disse algo.", "Ela leu uma novela."),
}
SYSTEMS = ("-t", "a.tsv", "-t", "b.tsv", "-t", "c.tsv")


@pytest.fixture(autouse=True)
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text(SUITE, encoding="utf-8")
    for name, (neg, novel) in OUTPUTS.items():
        (tmp_path / f"{name}.tsv").write_text(f"id\toutput\nneg\t{neg}\nnovel\t{novel}\n", encoding="utf-8")
    return path


@pytest.fixture
def decide(run: Run) -> Callable[..., None]:
    """Saves a run and lets a reviewer answer about an output."""
    assert run("suite", "run", "s.yaml", *SYSTEMS).returncode == 0

    def answer(output: str, answer: str, reviewer: str, *more: str) -> None:
        subject = Subject("novel", ("She read a novel.",), (output,)).id
        done = run("review", "decide", subject, answer, "--reviewer", reviewer, *more)
        assert done.returncode == 0, done.stderr

    return answer


def test_reviews_become_tokens_with_who_and_when(run: Run, decide: Callable[..., None], suite: Path) -> None:
    decide("Ela leu um romance.", "correct", "ana")
    decide("Ela leu uma novela.", "incorrect", "ana", "--note", "a soap opera")
    done = run("suite", "accept", "s.yaml", "--all", "--yes")
    assert done.returncode == 0
    assert "2 rules added to s.yaml" in done.stdout
    item = read_suite(suite).items[1]
    assert [rule.text for rule in item.positive_tokens] == ["Ela leu um romance."]
    (negative,) = item.negative_tokens
    assert (negative.text, negative.author, negative.note) == ("Ela leu uma novela.", "ana", "a soap opera")
    assert suite.read_text(encoding="utf-8").startswith(SUITE)
    again = run("suite", "accept", "s.yaml", "--all", "--yes")
    assert again.stdout == "0 rules added to s.yaml\n"
    assert "the rules say already" in again.stderr


def test_reviews_become_an_expression(run: Run, decide: Callable[..., None], suite: Path) -> None:
    decide("Ela leu um romance.", "correct", "ana")
    decide("Ela leu uma novela.", "incorrect", "ana")
    done = run("suite", "accept", "s.yaml", "novel", "--as", "regex")
    assert done.returncode == 0, done.stderr
    item = read_suite(suite).items[1]
    assert [rule.text for rule in item.positive_regex] == [r"\bromance\b"]
    assert [rule.text for rule in item.negative_regex] == [r"\bnovela\b"]


def test_all_asks_first_or_needs_yes(run: Run, decide: Callable[..., None], suite: Path) -> None:
    decide("Ela leu um romance.", "correct", "ana")
    done = run("suite", "accept", "s.yaml", "--all")
    assert done.returncode == 2
    assert done.stdout == "novel: positive token Ela leu um romance.\n"
    assert "--all would write 1 rule. Look at them, and add --yes; nothing was written." in done.stderr
    assert suite.read_text(encoding="utf-8") == SUITE


def test_what_is_disputed_is_named_and_not_accepted(
    run: Run, decide: Callable[..., None], suite: Path
) -> None:
    decide("Ela leu um romance.", "correct", "ana")
    decide("Ela leu uma novela.", "correct", "ana")
    subject = Subject("novel", ("She read a novel.",), ("Ela leu uma novela.",)).id
    assert run("review", "decide", subject, "incorrect", "--reviewer", "ben").returncode == 0
    done = run("suite", "accept", "s.yaml", "--all", "--yes")
    assert "'Ela leu uma novela.' is disputed (ana says correct, ben says incorrect)" in done.stderr
    assert "1 rule added" in done.stdout
    assert read_suite(suite).items[1].negative_tokens == ()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("neg", "--correct", "--regex", "disse"),
            "also matches 'Ninguém disse algo.', known to be incorrect",
        ),
        (("neg", "--correct", "--regex", "(nada"), "bad pattern '(nada'"),
        (("neg", "--correct", "--regex", "disse nada"), "has the expression 'disse nada' already"),
        (("neg",), "Nobody has reviewed an output of 'neg'. Choose, with --correct or --incorrect: "),
        (("novel", "--correct"), "Choose, with --correct or --incorrect: "),
        (("zzz",), "No item or subject 'zzz'"),
        ((), "Say what to accept"),
        (("--all", "--regex", "x"), "--regex PATTERN goes with one SUBJECT"),
    ],
)
def test_what_cannot_be_accepted_leaves_the_file_alone(
    run: Run, suite: Path, words: tuple[str, ...], message: str
) -> None:
    done = run("suite", "accept", "s.yaml", *words, *SYSTEMS)
    assert done.returncode == 2
    assert message in done.stderr
    assert suite.read_text(encoding="utf-8") == SUITE


def test_answers_given_later_count_wherever_a_saved_run_is_shown(
    run: Run, decide: Callable[..., None], tmp_path: Path
) -> None:
    workspace = tmp_path / ".mtassay/workspace.db"
    assert "Reviewers settled none of 6 outputs" in run("runs", "show").stdout
    decide("Ela leu um romance.", "correct", "anna")  # of a and b
    decide("Ela leu uma novela.", "incorrect", "ben")
    shown = run("runs", "show").stdout
    again = run("suite", "run", "s.yaml", "--run", "last", "--no-save").stdout
    rows = [[row for row in text.splitlines() if row[:5] in ("Lexis", "micro")] for text in (shown, again)]
    assert rows[0] == rows[1] != []
    assert "3 verdicts changed since the test, by answers of reviewers." in shown
    assert "Reviewers settled 3 of 6 outputs" in shown
    assert "settled none" not in shown
    loaded = load(workspace=workspace)
    assert [loaded.result.counts["c"][status] for status in ("incorrect", "undecided")] == [2, 0]
    assert run("report", "-o", "r.md").returncode == 0
    for text in (
        (tmp_path / "r.md").read_text("utf-8"),
        render_page(report_page(["last"], workspace=workspace)),
    ):
        assert "3 verdicts changed" in text
        assert "1 output waits for people" in text
    assert "reviewers settled this output" in run("compare", "last:a", "last:c").stdout
    assert "incorrect by reviewers (the run said undecided)" in run("explain", "novel").stdout
    decide("Ela leu uma novela.", "unsure", "ben")  # takes the answer back
    assert "2 verdicts changed" in run("runs", "show").stdout


def test_a_run_is_judged_again_and_compared_with_itself(run: Run, suite: Path) -> None:
    run("suite", "run", "s.yaml", *SYSTEMS)
    (old,) = json.loads(run("runs", "list", "-f", "json").stdout)
    suite.write_text(SUITE.replace("disse nada", "nada"), encoding="utf-8")
    done = run("suite", "run", "s.yaml", "--run", "last")
    assert done.returncode == 0
    assert "mtassay runs show" in done.stderr
    found = json.loads(run("compare", f"{old['id']}:b", "last:b", "-f", "json").stdout)
    assert [(c["case_id"], c["new"]) for c in found["cases"]] == [("neg", "pass")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "s.yaml", "--run", "last"), "No run 'last': there is no workspace yet"),
        (("run", "s.yaml", "--run", "last", "-t", "a.tsv"), "A saved run already has its outputs"),
    ],
)
def test_what_is_missing_is_one_line(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("suite", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


OTHER = """\
langpair: en-pt
items:
  - {id: neg, category: C, phenomenon: P, source: Another sentence.}
"""


@pytest.fixture
def two_suites(run: Run, tmp_path: Path) -> str:
    """A run of the suite, and a newer one of another suite whose item has the same id; gives the older."""
    run("suite", "run", "s.yaml", *SYSTEMS)
    (tmp_path / "other.yaml").write_text(OTHER, encoding="utf-8")
    (tmp_path / "o.tsv").write_text("id\toutput\nneg\tOutra frase.\n", encoding="utf-8")
    assert run("suite", "run", "other.yaml", "-t", "o.tsv").returncode == 0
    newer, older = json.loads(run("runs", "list", "-f", "json").stdout)
    assert newer["id"] != older["id"]
    return str(older["id"])


def test_the_newest_run_of_the_suite_counts_not_that_of_another_one(run: Run, two_suites: str) -> None:
    again = run("suite", "run", "s.yaml", "--run", "last", "--no-save").stdout
    assert again.startswith("en-pt · 2 items")
    found = json.loads(run("review", "next", "--suite", "s.yaml", "-f", "json").stdout)
    assert {record["case_id"] for record in found} == {"neg", "novel"}
    other = json.loads(run("review", "next", "-f", "json").stdout)
    assert [record["sources"] for record in other] == [["Another sentence."]]


def test_a_suite_without_a_run_of_its_own_says_so(run: Run, two_suites: str, tmp_path: Path) -> None:
    (tmp_path / "third.yaml").write_text(OTHER.replace("Another", "One more"), encoding="utf-8")
    assert "of third.yaml" in run("suite", "run", "third.yaml", "--run", "last").stderr
    assert "There is no saved run of third.yaml yet" in run("review", "next", "--suite", "third.yaml").stderr


def test_a_run_may_be_named_by_its_id(run: Run, two_suites: str) -> None:
    named = run("suite", "run", "s.yaml", "--run", two_suites, "--no-save")
    assert named.stdout == run("suite", "run", "s.yaml", "--run", "last").stdout != ""


def test_new_rules_make_an_approved_item_a_draft_again(run: Run, suite: Path) -> None:
    run("suite", "approve", "s.yaml", "neg", "novel", "--by", "jsilva")
    done = run("suite", "accept", "s.yaml", "neg", "--correct", "--regex", "falou", *SYSTEMS)
    assert done.returncode == 0, done.stderr
    assert "1 item is a draft again, since the rules changed: mtassay suite approve s.yaml neg" in done.stderr
    assert [item.approver for item in read_suite(suite).items] == ["", "jsilva"]


def test_the_only_undecided_output_needs_no_name(run: Run, suite: Path) -> None:
    done = run("suite", "accept", "s.yaml", "neg", "--correct", *SYSTEMS)
    assert done.returncode == 0, done.stderr
    assert [rule.text for rule in read_suite(suite).items[0].positive_tokens] == ["Ninguém falou nada."]


def test_several_undecided_outputs_are_named_to_choose_from(run: Run) -> None:
    done = run("suite", "accept", "s.yaml", "novel", "--correct", *SYSTEMS)
    assert done.returncode == 2
    for text in ("Ela leu um romance.", "Ela leu uma novela."):
        subject = Subject("novel", ("She read a novel.",), (text,)).id
        assert f"{subject[:10]} '{text}'" in done.stderr
        accepted = run("suite", "accept", "s.yaml", subject[:10], "--correct", *SYSTEMS)
        assert accepted.returncode == 0, accepted.stderr


def test_an_endless_or_hostile_output_is_shown_short_and_safe(run: Run, suite: Path) -> None:
    (suite.parent / "a.tsv").write_text(
        f"id\toutput\nneg\tLeu \x1b[2J{' x' * 1000}\nnovel\tLeu \x1b[2J{' x' * 5000}\n", encoding="utf-8"
    )
    run("suite", "run", "s.yaml", "-t", "a.tsv")
    for item in ("neg", "novel"):
        run("review", "decide", "last", item, "a", "correct", "--reviewer", "ana")
    done = run("suite", "accept", "s.yaml", "--all", "--yes")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert max(map(len, (done.stdout + done.stderr).splitlines())) < 400
    assert "1 rule added" in done.stdout
    assert "is not written: it has 10,008 characters, a token 5,000 at most" in done.stderr
    assert read_suite(suite).items[1].positive_tokens == ()

"""How the rules of a suite grow: sample, suggest, accept, rejudge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.formats.suite import read_suite
from mtassay.reviews import Subject
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
    assert run("suite", "run", "s.yaml", *SYSTEMS, "--save").returncode == 0

    def answer(output: str, answer: str, reviewer: str, *more: str) -> None:
        subject = Subject("novel", ("She read a novel.",), (output,)).id
        done = run("review", "decide", subject, answer, "--reviewer", reviewer, *more)
        assert done.returncode == 0, done.stderr

    return answer


def test_a_sample_shows_each_output_of_items_without_rules_once(run: Run) -> None:
    done = run("suite", "sample", "s.yaml", *SYSTEMS)
    assert done.returncode == 0
    assert done.stdout == (
        "novel · Lexis › False friends\n"
        "  She read a novel.\n"
        "    2 × Ela leu um romance.\n"
        "    1 × Ela leu uma novela.\n"
    )


def test_a_sample_of_all_items_says_how_they_are_judged(run: Run, tmp_path: Path) -> None:
    run("suite", "sample", "s.yaml", *SYSTEMS, "--all", "-o", "out.tsv")
    rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()]
    assert [row[4:] for row in rows if row[0] == "neg"] == [
        ["Ninguém disse nada.", "correct", "1", "a"],
        ["Ninguém falou nada.", "undecided", "1", "b"],
        ["Ninguém disse algo.", "incorrect", "1", "c"],
    ]
    run("suite", "sample", "s.yaml", *SYSTEMS, "--all", "-o", "out.jsonl")
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").open(encoding="utf-8")]
    assert [output["systems"] for output in records[1]["outputs"]] == [["a", "b"], ["c"]]


def test_a_live_engine_is_asked_once_for_a_sample(run: Run, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    script = tmp_path / "engine.sh"
    script.write_text(f"tee -a {counter} | tr a-z A-Z\n", encoding="utf-8")
    words = ("suite", "sample", "s.yaml", "-t", f"loud=command:sh {script}", "--all")
    first, second = run(*words), run(*words)
    assert first.returncode == 0, first.stderr
    assert "SHE READ A NOVEL." in first.stdout
    assert first.stdout == second.stdout
    assert counter.read_text(encoding="utf-8").count("She read a novel.") == 1


def test_an_engine_that_fails_is_exit_code_3_and_its_items_say_so(run: Run) -> None:
    done = run("suite", "sample", "s.yaml", "-t", "bad=command:false")
    assert done.returncode == 3
    assert "no output: bad" in done.stdout
    assert "not translated" in done.stderr


def test_a_suggestion_can_be_copied_and_settles_what_it_says(run: Run, suite: Path) -> None:
    done = run("suite", "suggest", "s.yaml", *SYSTEMS)
    assert done.returncode == 0
    assert r"positive \bnada\b" in done.stdout
    assert "undecided → correct (1 ×): Ninguém falou nada." in done.stdout
    line = r"mtassay suite accept s.yaml neg --correct --regex '\bnada\b' -t a.tsv -t b.tsv -t c.tsv"
    assert f"    {line}\n" in done.stdout
    accepted = run("suite", "accept", "s.yaml", "neg", "--correct", "--regex", r"\bnada\b", *SYSTEMS)
    assert accepted.returncode == 0, accepted.stderr
    assert [rule.text for rule in read_suite(suite).items[0].positive_regex] == ["disse nada", r"\bnada\b"]
    assert suite.read_text(encoding="utf-8").startswith(SUITE.partition("    negative_regex")[0])


def test_without_anything_settled_the_token_is_proposed(run: Run) -> None:
    done = run("suite", "suggest", "s.yaml", *SYSTEMS, "--item", "novel")
    assert "no expression: no output of it is settled yet" in done.stdout
    lines = [line.strip() for line in done.stdout.splitlines() if "suite accept" in line]
    assert len(lines) == 2
    words = lines[0].split()[1:]
    accepted = run(*words, MTASSAY_REVIEWER="eva")
    assert accepted.stdout == "novel: positive token Ela leu um romance.\n1 rule added to s.yaml\n"


def test_reviews_become_tokens_with_who_and_when(run: Run, decide: Callable[..., None], suite: Path) -> None:
    decide("Ela leu um romance.", "correct", "ana")
    decide("Ela leu uma novela.", "incorrect", "ana", "--note", "a soap opera")
    done = run("suite", "accept", "s.yaml", "--all")
    assert done.returncode == 0
    assert "2 rules added to s.yaml" in done.stdout
    item = read_suite(suite).items[1]
    assert [rule.text for rule in item.positive_tokens] == ["Ela leu um romance."]
    (negative,) = item.negative_tokens
    assert (negative.text, negative.author, negative.note) == ("Ela leu uma novela.", "ana", "a soap opera")
    assert suite.read_text(encoding="utf-8").startswith(SUITE)
    again = run("suite", "accept", "s.yaml", "--all")
    assert again.stdout == "0 rules added to s.yaml\n"
    assert "the rules say already" in again.stderr


def test_reviews_become_an_expression(run: Run, decide: Callable[..., None], suite: Path) -> None:
    decide("Ela leu um romance.", "correct", "ana")
    decide("Ela leu uma novela.", "incorrect", "ana")
    done = run("suite", "accept", "s.yaml", "novel", "--as", "regex")
    assert done.returncode == 0, done.stderr
    item = read_suite(suite).items[1]
    assert [rule.text for rule in item.positive_regex] == [r"\bum\b"]
    assert [rule.text for rule in item.negative_regex] == [r"\buma\b"]


def test_what_is_disputed_is_named_and_not_accepted(
    run: Run, decide: Callable[..., None], suite: Path
) -> None:
    decide("Ela leu um romance.", "correct", "ana")
    decide("Ela leu uma novela.", "correct", "ana")
    subject = Subject("novel", ("She read a novel.",), ("Ela leu uma novela.",)).id
    assert run("review", "decide", subject, "incorrect", "--reviewer", "ben").returncode == 0
    done = run("suite", "accept", "s.yaml", "--all")
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
        (("neg",), "Nobody has reviewed an output of 'neg'"),
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


def test_rejudging_shows_each_verdict_that_changed(run: Run, suite: Path) -> None:
    run("suite", "run", "s.yaml", *SYSTEMS, "--save")
    same = run("suite", "rejudge", "s.yaml")
    assert "No verdict changed." in same.stdout
    suite.write_text(SUITE.replace("disse nada", "nada"), encoding="utf-8")
    done = run("suite", "rejudge", "s.yaml")
    assert done.returncode == 0
    assert "b         0 → 1          0      2 → 1        1" in done.stdout
    assert "neg: undecided → correct (b)\n  Ninguém falou nada.\n" in done.stdout
    assert "before: no rule applies\n  now: matches positive regex nada\n" in done.stdout
    found = json.loads(run("suite", "rejudge", "s.yaml", "-f", "json").stdout)
    assert found["systems"]["b"] == {"old": {"undecided": 2}, "new": {"correct": 1, "undecided": 1}}
    assert [(c["item"], c["old"], c["new"], c["systems"]) for c in found["changes"]] == [
        ("neg", "undecided", "correct", ["b"])
    ]
    tsv = run("suite", "rejudge", "s.yaml", "-f", "tsv").stdout.splitlines()
    assert tsv[1].split("\t")[:4] == ["b", "neg", "undecided", "correct"]


def test_a_new_judgement_can_be_kept(run: Run, suite: Path) -> None:
    run("suite", "run", "s.yaml", *SYSTEMS, "--save")
    suite.write_text(SUITE.replace("disse nada", "nada"), encoding="utf-8")
    assert "mtassay runs show" in run("suite", "rejudge", "s.yaml", "--save").stderr
    assert len(json.loads(run("runs", "list", "-f", "json").stdout)) == 2
    assert "No verdict changed." in run("suite", "rejudge", "s.yaml").stdout


def test_items_that_ask_something_else_now_are_left_out_and_counted(run: Run, suite: Path) -> None:
    run("suite", "run", "s.yaml", *SYSTEMS, "--save")
    suite.write_text(SUITE.replace("She read a novel.", "She wrote a novel."), encoding="utf-8")
    done = run("suite", "rejudge", "s.yaml")
    assert "Left out: items whose source has changed since: 1" in done.stdout


def test_two_versions_of_a_file_are_compared_without_a_run(run: Run, suite: Path) -> None:
    (suite.parent / "old.yaml").write_text(SUITE, encoding="utf-8")
    suite.write_text(SUITE.replace("disse algo", "ninguém"), encoding="utf-8")
    done = run("suite", "rejudge", "s.yaml", "--against", "old.yaml", *SYSTEMS)
    assert done.returncode == 0, done.stderr
    assert "neg: correct → conflict (a)" in done.stdout
    assert "neg: undecided → incorrect (b)" in done.stdout
    assert not (suite.parent / ".mtassay").exists() or not json.loads(
        run("runs", "list", "-f", "json").stdout
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rejudge", "s.yaml"), "There is no saved run of a suite yet"),
        (("rejudge", "s.yaml", "--against", "s.yaml"), "--against needs outputs"),
        (("rejudge", "s.yaml", "-t", "a.tsv"), "A saved run has its outputs"),
        (("suggest", "s.yaml"), "There are no outputs"),
        (("sample", "s.yaml"), "There is no system to ask"),
        (("sample", "s.yaml", "-t", "a.tsv", "-o", "x.doc"), "Choose .jsonl or .tsv"),
    ],
)
def test_what_is_missing_is_one_line(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("suite", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1

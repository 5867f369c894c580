"""`mtassay suite run` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SUITE = """\
suite: Small
langpair: en-pt
match: {case: ignore, unicode: NFC, whitespace: collapse}
items:
- {id: n1, category: Negation, phenomenon: Negation, source: Nobody came., positive_regex: ninguém}
- {id: n2, category: Negation, phenomenon: Negation, source: I never eat., positive_regex: nunca,
   negative_regex: sempre}
- {id: f1, category: False friends, phenomenon: Nouns, source: A library., positive_regex: biblioteca,
   negative_regex: livraria, tags: [books]}
"""
FILES = {
    "suite.yaml": SUITE,
    "a.tsv": "id\toutput\nn1\tNinguém veio.\nn2\tEu nunca como.\nf1\tUma biblioteca.\n",
    "b.tsv": "id\toutput\nf1\tUma livraria.\nn2\tOutra coisa.\n",
    "more.tsv": "id\toutput\nf1\tUma livraria.\nzz\tX\n",
    "other.tsv": "id\toutput\nzz\tX\n",
    "lines.txt": "Ninguém veio.\nSempre.\nUma livraria\n",
    "bad.yaml": SUITE.replace("ninguém", "'(ninguém'"),
    "twice.yaml": SUITE.replace("id: n2", "id: n1"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_has_counts_and_scores_by_group(run: Run, folder: Path) -> None:
    result = json.loads(run("suite", "run", "suite.yaml", "-t", "a.tsv", "-t", "b.tsv", "-f", "json").stdout)
    assert result["counts"]["b"] == {
        "correct": 0,
        "incorrect": 1,
        "undecided": 1,
        "conflict": 0,
        "skipped": 1,
        "error": 0,
    }
    groups = {(s["name"], s["group"]): (s["value"], s["n"]) for s in result["scores"] if s["system"] == "a"}
    assert groups["accuracy", "micro"] == (100, 1)
    assert groups["accuracy", "False friends"] == (100, 1)
    assert groups["accuracy:phenomenon", "Nouns"] == (100, 1)
    assert groups["accuracy", "Negation"] == (None, 0)


@pytest.mark.parametrize("form", ["text", "md", "latex", "tsv"])
def test_every_format_shows_the_averages(run: Run, folder: Path, form: str) -> None:
    shown = run("suite", "run", "suite.yaml", "-t", "a.tsv", "-t", "b.tsv", "--phenomena", "-f", form).stdout
    assert "macro" in shown
    assert "Nouns" in shown


def test_what_is_open_is_said_with_the_next_step(run: Run, folder: Path) -> None:
    done = run("suite", "run", "suite.yaml", "-t", "b.tsv")
    assert "mtassay: 1 output is not settled. To settle: mtassay review next" in done.stderr
    assert "mtassay: or in a browser: mtassay serve" in done.stderr
    again = run("runs", "show", "last", "--phenomena").stdout
    assert "False friends" in again
    assert "Nouns" in again


def test_equal_outputs_that_are_open_are_counted_as_people_will_see_them(run: Run, folder: Path) -> None:
    (folder / "c.tsv").write_bytes((folder / "b.tsv").read_bytes())
    done = run("suite", "run", "suite.yaml", "-t", "b.tsv", "-t", "c.tsv")
    assert "mtassay: 2 outputs (1 different) are not settled." in done.stderr


def test_filters_choose_items_and_ignore_other_outputs(run: Run, folder: Path) -> None:
    result = run("suite", "run", "suite.yaml", "-t", "a.tsv", "--category", "false*", "-f", "json")
    assert json.loads(result.stdout)["counts"]["a"]["correct"] == 1
    result = run("suite", "run", "suite.yaml", "-t", "a.tsv", "--tag", "books", "-f", "json")
    assert json.loads(result.stdout)["counts"]["a"]["correct"] == 1


def test_outputs_may_be_lines_in_the_order_of_the_items(run: Run, folder: Path) -> None:
    result = run("suite", "run", "suite.yaml", "-t", "lines.txt", "-f", "json")
    counts = json.loads(result.stdout)["counts"]["lines"]
    assert (counts["correct"], counts["incorrect"]) == (1, 2)


def test_outputs_of_unknown_items_are_counted_and_left_out(run: Run, folder: Path) -> None:
    done = run("suite", "run", "suite.yaml", "-t", "more.tsv", "-f", "json")
    assert "more: 1 outputs left out: their ids are not in the suite" in done.stderr
    assert json.loads(done.stdout)["counts"]["more"]["incorrect"] == 1


def test_findings_are_written_with_texts_and_evidence(run: Run, folder: Path) -> None:
    run("suite", "run", "suite.yaml", "-t", "a.tsv", "--findings", "f.jsonl")
    first = json.loads((folder / "f.jsonl").read_text(encoding="utf-8").split("\n")[0])
    assert first["output"] == "Ninguém veio."
    assert first["evidence"]["matches"][0]["span"] == [0, 7]


def test_a_live_engine_is_asked(run: Run, folder: Path) -> None:
    result = run("suite", "run", "suite.yaml", "-t", "echo=fake:copy", "-f", "json")
    counts = json.loads(result.stdout)["counts"]["echo"]
    assert (counts["incorrect"], counts["undecided"]) == (3, 0)  # a copy of the source is no translation


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["suite.yaml"], "There is no system to judge"),
        (
            ["nowhere.yaml", "-t", "a.tsv"],
            "There is no suite file nowhere.yaml. Suites of language packs",
        ),
        (["bad.yaml", "-t", "a.tsv"], "bad.yaml line 5: item 'n1': bad pattern '(ninguém' (missing )"),
        (["twice.yaml", "-t", "a.tsv"], "two items have the id 'n1'"),
        (
            ["suite.yaml", "-t", "a.tsv", "--category", "Negatoin"],
            "No item has the category 'Negatoin'. Near: Nega",
        ),
        (["suite.yaml", "-t", "other.tsv"], "no id matches the suite's ids"),
        (["suite.yaml", "-t", "a.tsv", "--approved"], "No item of suite.yaml meets all the conditions"),
    ],
)
def test_mistakes_are_one_line(run: Run, folder: Path, words: list[str], message: str) -> None:
    done = run("suite", "run", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().split("\n")) == 1


def test_a_broken_workspace_is_said_and_not_ignored(run: Run, folder: Path) -> None:
    (folder / "w.db").write_text("this is no database, whatever its name says", encoding="utf-8")
    done = run("suite", "run", "suite.yaml", "-t", "a.tsv", MTASSAY_WORKSPACE="w.db")
    assert done.returncode == 2
    assert "w.db: cannot open the workspace (file is not a database)" in done.stderr


def test_systems_that_answer_alike_are_named(run: Run, folder: Path) -> None:
    done = run("suite", "run", "suite.yaml", "-t", "a.tsv", "-t", "twin=a.tsv")
    assert "a and twin gave the same outputs." in done.stdout


def test_a_rule_that_takes_too_long_is_named(run: Run, folder: Path) -> None:
    slow = "positive_regex: {regex: '(a|aa)+$', engine: regex}"
    (folder / "slow.yaml").write_text(SUITE.replace("positive_regex: ninguém", slow), encoding="utf-8")
    (folder / "slow.tsv").write_text(f"id\toutput\nn1\t{'a' * 60}b\n", encoding="utf-8")
    done = run("suite", "run", "slow.yaml", "-t", "slow.tsv")
    assert "Rules took too long and settled nothing: n1." in done.stdout


def test_a_dead_engine_gives_its_reason_and_no_empty_tables(run: Run, folder: Path) -> None:
    done = run("suite", "run", "suite.yaml", "-t", "x=command:no-such-command-here")
    assert done.returncode == 3
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-t", "x=nosuchengine:foo"], "no engine 'nosuchengine'. See: mtassay doctor"),
        (
            ["-t", "folders"],
            "no files in the folder folders, only folders (2021): give one of them.",
        ),
        (["--categroy", "x"], "Try: mtassay suite run --help"),
        (["-t", "a.tsv", "--category", "\x1b[31m"], r"\x1b[31m"),
    ],
)
def test_mistakes_say_what_to_do(run: Run, folder: Path, words: list[str], message: str) -> None:
    (folder / "folders" / "2021").mkdir(parents=True)
    done = run("suite", "run", "suite.yaml", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "\x1b" not in done.stderr

"""Making suite files as a person does: add, approve, list, convert."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from mtassay.data.formats.suite_files import read_suite
from tests.cli.conftest import MAIN, Run

ADD = (
    "suite",
    "add",
    "s.yaml",
    "--category",
    "Negation",
    "--phenomenon",
    "Scope",
    "--source",
    "Not all came.",
)


@pytest.fixture
def suite(run: Run, tmp_path: Path) -> Path:
    """A new suite without items."""
    assert run("suite", "add", "s.yaml", "-l", "en-de").returncode == 0
    return tmp_path / "s.yaml"


def test_a_new_suite_says_what_to_do_next_and_is_never_written_over(run: Run, suite: Path) -> None:
    content = read_suite(suite)
    assert (content.name, content.langpair, content.items) == ("s", "en-de", ())
    assert (content.matching.case, content.matching.unicode, content.matching.whitespace) == (
        "ignore",
        "NFC",
        "collapse",
    )
    checked = run("suite", "check", "s.yaml")
    assert checked.returncode == 0
    assert "no-items: there are no items yet; add one: mtassay suite add s.yaml" in checked.stdout
    again = run("suite", "add", "s.yaml", "-l", "en-de")
    assert again.returncode == 2
    assert "is there already" in again.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("new.txt", "-l", "en-de"), "a new suite is YAML"),
        (("new.yaml", "-l", "no"), "no"),
        (("none/new.yaml", "-l", "en-de"), "There is no folder"),
    ],
)
def test_a_new_suite_that_cannot_be_is_one_line(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("suite", "add", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_added_item_has_an_id_an_author_and_dated_rules(run: Run, suite: Path) -> None:
    before = suite.read_text(encoding="utf-8")
    words = ("--focus", "Not all", "--positive", "nicht alle", "--negative", r"alle\b.*\bnicht")
    done = run(*ADD, *words, "--reference", "Nicht alle kamen.", MTASSAY_REVIEWER="ana")
    assert (done.returncode, done.stderr) == (0, "")
    (item,) = read_suite(suite).items
    assert (item.id, item.author, item.focus) == ("negation-scope-001", "ana", ("Not all",))
    assert [rule.text for rule in item.negative_regex] == [r"alle\b.*\bnicht"]
    assert item.positive_regex[0].author == "ana"
    assert len(item.positive_regex[0].date) == 10
    assert suite.read_text(encoding="utf-8").startswith(before.replace("items: []\n", "items:\n"))
    run(*ADD)
    assert [item.id for item in read_suite(suite).items] == ["negation-scope-001", "negation-scope-002"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--positive", "(nicht"), "bad pattern '(nicht'"),
        (("--positive", "{{nie}}"), "no macro 'nie'"),
        (("--source", ""), "An item needs --source too."),
    ],
)
def test_an_item_that_cannot_be_leaves_the_file_alone(
    run: Run, suite: Path, words: tuple[str, ...], message: str
) -> None:
    before = suite.read_bytes()
    done = run(*ADD, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert suite.read_bytes() == before


def test_the_first_item_may_begin_the_file_and_one_that_cannot_be_leaves_none(
    run: Run, tmp_path: Path
) -> None:
    failed = run(*ADD, "-l", "en-de", "--positive", "(nicht")
    assert (failed.returncode, (tmp_path / "s.yaml").exists()) == (2, False)
    assert "Make one: mtassay suite add s.yaml -l SRC-TGT" in run(*ADD).stderr
    assert run(*ADD, "-l", "en-de").returncode == 0
    content = read_suite(tmp_path / "s.yaml")
    assert (content.langpair, len(content.items)) == ("en-de", 1)


def test_what_is_wrong_with_a_new_item_is_said_at_once(run: Run, suite: Path) -> None:
    done = run(*ADD, "--positive", "nicht alle", "--reference", "Keiner kam.")
    assert done.returncode == 0
    assert "negation-scope-001: reference-not-correct" in done.stderr


def test_many_items_come_from_a_table(run: Run, suite: Path, tmp_path: Path) -> None:
    table = tmp_path / "items.tsv"
    table.write_text(
        "source\tphenomenon\tpositive_regex\treferences\n"
        "No one came.\tNobody\t(niemand|keiner) kam\tNiemand kam. | Keiner kam.\n"
        "Never!\tNever\t\t\n",
        encoding="utf-8",
    )
    done = run("suite", "add", "s.yaml", "--from", "items.tsv", "--category", "Negation", "--author", "eva")
    assert done.returncode == 0
    one, two = read_suite(suite).items
    assert (one.category, one.references) == ("Negation", ("Niemand kam.", "Keiner kam."))
    assert [rule.text for rule in one.positive_regex] == ["(niemand|keiner) kam"]
    assert (two.id, two.has_rules, two.author) == ("negation-never-001", False, "eva")


def test_a_table_that_is_added_twice_doubles_nothing(run: Run, suite: Path, tmp_path: Path) -> None:
    table = tmp_path / "items.tsv"
    header = "source\tphenomenon\tcategory\tpositive\n"
    table.write_text(f"{header}No one came.\tNobody\tNegation\tniemand\n", encoding="utf-8")
    run("suite", "add", "s.yaml", "--from", "items.tsv")
    table.write_text(
        f"{header}No one came.\tNobody\tNegation\tniemand\nNever!\tNever\tNegation\tnie\n", encoding="utf-8"
    )
    done = run("suite", "add", "s.yaml", "--from", "items.tsv")
    assert done.returncode == 0
    assert done.stdout == "Added negation-never-001: Never!\nAlready there, not added again: 1 item\n"
    again = run("suite", "add", "s.yaml", "--from", "items.tsv")
    assert (again.returncode, again.stdout) == (0, "Already there, not added again: 2 items\n")
    assert [item.source for item in read_suite(suite).items] == ["No one came.", "Never!"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source\tcolour\nx\ty\n", "items.tsv line 1: no column 'colour'"),
        ("source\tphenomenon\tcategory\nx\tP\tC\ny\tP\t\n", "items.tsv line 3: there is no category"),
        ("source\tphenomenon\tcategory\nx\tP\n", "items.tsv line 2: 2 columns, expected 3"),
        (
            "source\tphenomenon\tcategory\tpositive\tpositive_regex\nx\tP\tC\ta\tb\n",
            "items.tsv line 1: the column 'positive' occurs twice: 4 and 5; keep one",
        ),
        ("source\tphenomenon\tcategory\tpositive\nx\tP\tC\t(\n", "items.tsv line 2: bad pattern"),
    ],
)
def test_a_bad_table_adds_nothing(run: Run, suite: Path, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "items.tsv").write_text(text, encoding="utf-8")
    done = run("suite", "add", "s.yaml", "--from", "items.tsv")
    assert done.returncode == 2
    assert message in done.stderr
    assert read_suite(suite).items == ()


def test_in_a_terminal_it_asks_for_what_is_missing(suite: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*MAIN, "suite", "add", "s.yaml", "--category", "Negation"],
        cwd=suite.parent,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "MTASSAY_REVIEWER": "ana"},
    )
    os.close(follower)
    os.write(leader, b"Scope\nNot all came.\n\nnicht alle\n\nNicht alle kamen.\n")
    assert process.wait(timeout=60) == 0
    os.close(leader)
    (item,) = read_suite(suite).items
    assert (item.phenomenon, item.source, item.focus) == ("Scope", "Not all came.", ())
    assert [rule.text for rule in item.positive_regex] == ["nicht alle"]
    assert item.references == ("Nicht alle kamen.",)


def test_an_author_cannot_approve_and_a_second_person_can(run: Run, suite: Path) -> None:
    run(*ADD, "--author", "ana")
    own = run("suite", "approve", "s.yaml", "negation-*", "--by", "ana")
    assert own.returncode == 2
    assert "ana wrote negation-scope-001: another person must approve" in own.stderr
    assert read_suite(suite).items[0].is_draft
    done = run("suite", "approve", "s.yaml", "negation-scope-001", "--by", "ben")
    assert done.stdout == "Approved 1 by ben\n"
    assert not read_suite(suite).items[0].is_draft
    again = run("suite", "approve", "s.yaml", "*", "--by", "eva")
    assert again.stdout == "Approved 0 by eva; 1 approved before\n"
    assert read_suite(suite).items[0].approver == "ben"
    assert "No item has the id 'nope'" in run("suite", "approve", "s.yaml", "nope", "--by", "ben").stderr


def test_a_suite_that_comes_with_mtassay_is_not_edited(run: Run) -> None:
    done = run("suite", "approve", "en-pt", "*", "--by", "ben")
    assert done.returncode == 2
    assert "mtassay suite convert en-pt en-pt.yaml" in done.stderr


def test_the_list_counts_items_rules_drafts_and_hidden_ones(run: Run, suite: Path, tmp_path: Path) -> None:
    run(*ADD, "--positive", "nicht alle")
    run(*ADD)
    (record,) = json.loads(run("suite", "list", "s.yaml", "-f", "json").stdout)
    assert record == {
        "category": "Negation",
        "phenomenon": "Scope",
        "items": 2,
        "with_rules": 1,
        "drafts": 2,
        "hidden": 0,
    }
    text = run("suite", "list", "s.yaml").stdout
    assert "· Scope" in text
    assert text.splitlines()[-1].split() == ["all", "2", "1", "2", "0"]
    assert run("suite", "list", "s.yaml", "-f", "tsv").stdout.splitlines()[1].split("\t")[:3] == [
        "Negation",
        "Scope",
        "2",
    ]
    ours = json.loads(run("suite", "list", "-f", "json").stdout)
    assert {"en-pt", "pt-en"} <= {record["suite"] for record in ours}


def test_a_suite_becomes_a_file_of_ones_own_with_its_comments(run: Run, suite: Path, tmp_path: Path) -> None:
    done = run("suite", "convert", "s.yaml", "t.yaml")
    assert (done.returncode, done.stdout) == (0, "Wrote 0 items to t.yaml\n")
    assert (tmp_path / "t.yaml").read_bytes() == suite.read_bytes()
    again = run("suite", "convert", "s.yaml", "t.yaml")
    assert again.returncode == 2
    assert "add --force" in again.stderr
    assert run("suite", "convert", "s.yaml", "t.yaml", "--force").returncode == 0
    assert "a suite is written as .yaml or .yml" in run("suite", "convert", "s.yaml", "s.json").stderr
    (tmp_path / "items.json").write_text('{"items": []}', encoding="utf-8")
    assert run("suite", "convert", "items.json", "u.yaml").returncode == 0
    assert "only read. Convert it first" in run("suite", "add", "items.json", *ADD[3:]).stderr


def test_people_who_add_at_once_all_get_an_id(suite: Path) -> None:
    sources = [f"Not all {number} came." for number in range(6)]
    added = [
        subprocess.Popen([*MAIN, *ADD[:-1], source], cwd=suite.parent, stderr=subprocess.PIPE, text=True)
        for source in sources
    ]
    for process in added:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    items = read_suite(suite).items
    assert [item.id for item in items] == [f"negation-scope-{number:03}" for number in range(1, 7)]
    assert {item.source for item in items} == set(sources)


def test_a_list_keeps_the_order_of_the_file(run: Run, suite: Path) -> None:
    for category, phenomenon in (("Z", "y"), ("A", "c"), ("Z", "x"), ("A", "b")):
        words = ("--category", category, "--phenomenon", phenomenon, "--source", f"{category}{phenomenon}.")
        assert run("suite", "add", "s.yaml", *words).returncode == 0
    done = run("suite", "list", "s.yaml")
    assert [line.split("  ")[0] for line in done.stdout.splitlines()[3:]] == [
        *("Z", "· y", "· x"),
        *("A", "· c", "· b"),
        "all",
    ]
    records = json.loads(run("suite", "list", "s.yaml", "-f", "json").stdout)
    assert [(r["category"], r["phenomenon"]) for r in records] == [
        ("Z", "y"),
        ("Z", "x"),
        ("A", "c"),
        ("A", "b"),
    ]


def test_one_of_a_kind_is_not_called_many(run: Run, suite: Path) -> None:
    run(*ADD, "--positive", "nicht alle")
    assert run("suite", "list", "s.yaml").stdout.startswith("s · en-de · 1 item\n")
    (suite.parent / "a.tsv").write_text("id\toutput\nnegation-scope-001\tNicht alle.\n", encoding="utf-8")
    facts = run("suite", "run", "s.yaml", "-t", "a.tsv").stdout
    assert "1 item · 1 category · 1 phenomenon · 1 draft" in " ".join(facts.split())

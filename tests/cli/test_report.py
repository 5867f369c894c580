"""`mtassay report`, and the report at the end of `mtassay run`, as a user types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import mtassay
from mtassay.app.plans.plan_runs import run_plan
from tests.cli.conftest import Run
from tests.cli.test_compare import runs as runs  # a fixture
from tests.cli.test_plan import states, two_outputs


def test_the_last_run_is_written_as_a_page_beside_the_reader(
    run: Run, runs: list[str], tmp_path: Path
) -> None:
    done = run("report")
    assert (done.returncode, done.stderr) == (0, "mtassay: the report is report.html\n")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert runs[2] in page
    assert "100.0\u00a0%" in page


def test_the_ending_says_what_is_written(run: Run, runs: list[str], tmp_path: Path) -> None:
    assert run("report", runs[0], runs[1], "-o", "both.md", "-q").stderr == ""
    told = (tmp_path / "both.md").read_text(encoding="utf-8")
    assert told.startswith("# nmt\n")
    assert [line for line in told.splitlines() if line.startswith("## suite")] == [
        f"## suite · {name}" for name in runs[:2]
    ]


def test_themes_can_be_left_out(run: Run, runs: list[str], tmp_path: Path) -> None:
    done = run("report", "--no-themes", "-o", "plain.html")
    assert (done.returncode, done.stderr) == (0, "mtassay: the report is plain.html\n")


def test_markdown_is_not_written_into_a_page(run: Run, runs: list[str], tmp_path: Path) -> None:
    assert run("report", "-f", "md").stderr == "mtassay: the report is report.md\n"
    assert not (tmp_path / "report.html").exists()


def test_what_got_worse_since_an_earlier_run(run: Run, runs: list[str], tmp_path: Path) -> None:
    done = run("report", runs[1], "--against", runs[0], "-o", "worse.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "worse.html").read_text(encoding="utf-8")
    assert "1 case broken, 1 case fixed." in page
    assert "Eu <mark>sempre</mark> como." in page


def test_two_runs_side_by_side_are_a_page(run: Run, runs: list[str], tmp_path: Path) -> None:
    done = run("compare", runs[0], runs[1], "-o", "changes.html")
    assert (done.returncode, done.stderr) == (0, "mtassay: the page is changes.html\n")
    assert "1 case broken" in (tmp_path / "changes.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["-o", "report.pdf"],
            "report.pdf: a report ends in .html or .md, or say which it is: --format html",
        ),
        (["-o", "no/report.html"], "no/report.html: cannot write: there is no such folder"),
        (["nothing"], "There is no run, system or file 'nothing'."),
        (["--against", "other"], "other"),
    ],
)
def test_mistakes_are_one_line(run: Run, runs: list[str], words: list[str], message: str) -> None:
    done = run("report", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_reviewers_agreement_stands_in_the_report(run: Run, runs: list[str], tmp_path: Path) -> None:
    for reviewer in ("anna", "bert"):
        for case in ("n1", "n2", "f1"):
            decided = run("review", "decide", "last", case, "nmt", "correct", "--reviewer", reviewer)
            assert decided.returncode == 0, decided.stderr
    assert run("report").returncode == 0
    assert "How far reviewers agree" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_plan_writes_its_report_beside_itself_and_steps_stay_unchanged(run: Run, tmp_path: Path) -> None:
    two_outputs(tmp_path)
    run("init")
    done = run("run")
    assert "mtassay: the report is mtassay.html\n" in done.stderr
    page = (tmp_path / "mtassay.html").read_text(encoding="utf-8")
    assert "new has the better BLEU" in page
    assert "references: reference.txt" in page  # the plan itself
    assert states(run("run").stdout) == {"score": "unchanged"}


def test_a_plan_or_an_option_says_where_or_no(run: Run, tmp_path: Path) -> None:
    two_outputs(tmp_path)
    run("init")
    plan = tmp_path / "mtassay.yaml"
    text = plan.read_text(encoding="utf-8")
    assert "report" not in run("run", "--no-report").stderr
    assert not (tmp_path / "mtassay.html").exists()
    assert json.loads(run("run", "--report", "here.md", "-f", "json").stdout)["report"].endswith("here.md")
    plan.write_text(text + "\nreport: there.html\n", encoding="utf-8")
    assert run_plan(plan, quiet=True).report == tmp_path / "there.html"
    plan.write_text(text + "\nreport: no\n", encoding="utf-8")
    assert run_plan(plan, quiet=True).report is None
    plan.write_text(text + "\nreport: there.pdf\n", encoding="utf-8")
    wrong = run("run", "--check")
    assert wrong.returncode == 2
    assert "report: 'there.pdf' must end in .html or .md, or be yes or no" in wrong.stderr


def test_a_report_that_cannot_be_written_takes_nothing_with_it(run: Run, tmp_path: Path) -> None:
    two_outputs(tmp_path)
    run("init")
    (tmp_path / "mtassay.html").mkdir()
    done = run("run")
    assert done.returncode == 0
    assert "mtassay: no report: " in done.stderr
    assert states(done.stdout) == {"score": "done"}


def test_the_library_writes_a_run_and_several(tmp_path: Path) -> None:
    one = mtassay.score({"a": ["Olá."], "b": ["Oi."]}, [["Olá."]], metrics="chrf", samples=100)
    assert one.report(tmp_path / "one.html").exists()
    both = mtassay.write_report(
        [one, one], tmp_path / "both.html", names=["first", "second"], title="Two runs"
    )
    page = both.read_text(encoding="utf-8")
    assert "<bdi>Two runs</bdi></h1>" in page
    assert "second" in page


def test_terminal_markdown_page_app_and_notebook_say_the_same(run: Run, tmp_path: Path) -> None:
    """The advice and its reasons, by what the plan says that counts, which saved runs remember."""
    pytest.importorskip("fastapi", reason="the review page needs fastapi: pip install 'mtassay[review]'")
    from tests.web.conftest import client_of

    two_outputs(tmp_path)
    plan = "budget: {prices: {old: 20, new: 1}, currency: EUR}\npriorities: [cost, quality]\n"
    assert run("init").returncode == 0
    with (tmp_path / "mtassay.yaml").open("a", encoding="utf-8") as file:
        file.write(plan)
    terminal = run("run").stdout
    assert run("report", "-o", "told.md", "-q").returncode == 0
    workspace = tmp_path / ".mtassay" / "workspace.db"
    saved = mtassay.load(workspace=workspace)
    with client_of(workspace) as browser:
        app = browser.get("/report", params={"run": saved.id}).text
    pages = {
        "terminal": terminal,
        "page": (tmp_path / "mtassay.html").read_text(encoding="utf-8"),
        "markdown": (tmp_path / "told.md").read_text(encoding="utf-8"),
        "app": app,
        "notebook": saved._repr_html_(),
    }
    for name, text in pages.items():
        plain = " ".join(re.sub(r"<[^>]+>|\\", "", text).replace("\u00a0", " ").split())
        for sentence in (
            "Ship new.",
            "Sure: it is cheaper. Price of a million characters: new 1.00, old 20.00 EUR.",
            "Priorities: cost, then quality.",
        ):
            assert sentence in plain, (name, sentence)

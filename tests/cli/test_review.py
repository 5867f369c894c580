"""`mtassay review` without a terminal: lists, single decisions, files and agreement."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.subjects import Subject, review_now
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run
from tests.cli.reviewing import HOSTILE, save_run

FALOU = Subject("negation-1", ("Nobody said anything.",), ("Ninguém falou.",))


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Run:
    save_run(tmp_path)
    return run


def open_now(run: Run, *words: object) -> list[dict[str, Any]]:
    done = run("review", "next", "--order", "systems", "--format", "json", *words, MTASSAY_REVIEWER="anna")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_open_outputs_are_listed_once_those_of_most_systems_first(saved: Run) -> None:
    found = open_now(saved)
    assert [(r["case_id"], r["status"], r["n_systems"]) for r in found] == [
        ("negation-1", "undecided", 2),
        ("negation-1", "conflict", 1),
        ("tense-1", "undecided", 1),
    ]
    assert found[0]["subject"] == FALOU.id
    assert (found[0]["context"], found[0]["item_note"]) == ("They all sat there.", "concord is obligatory")
    assert found[0]["references"] == ["Ninguém disse nada."]
    assert "systems" not in found[0]
    assert open_now(saved, "--show-systems")[0]["systems"] == ["alpha", "beta"]
    assert len(open_now(saved, "--limit", 1)) == 1


def test_by_default_items_that_need_the_fewest_answers_come_first(saved: Run) -> None:
    assert [r["case_id"] for r in open_now(saved, "--order", "fair")] == [
        "tense-1",
        "negation-1",
        "negation-1",
    ]


@pytest.mark.parametrize(
    ("words", "cases"),
    [
        (["--category", "neg*"], ["negation-1", "negation-1"]),
        (["--phenomenon", "past"], ["tense-1"]),
        (["--item", "tense-1", "--item", "negation-*"], ["negation-1", "negation-1", "tense-1"]),
        (["--system", "gamma"], ["negation-1"]),
        (["--system", "beta", "--category", "Verb*"], ["tense-1"]),
    ],
)
def test_a_reviewer_chooses_what_to_look_at(saved: Run, words: list[str], cases: list[str]) -> None:
    assert [record["case_id"] for record in open_now(saved, *words)] == cases


def test_a_name_that_nothing_has_is_said(saved: Run) -> None:
    done = saved("review", "next", "--category", "Negatoin")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "No such output has the category 'Negatoin'. Near: Negation." in done.stderr


def test_a_sample_is_drawn_by_the_seed(saved: Run) -> None:
    draws = [
        [r["subject"] for r in open_now(saved, "--sample", 2, "--seed", seed)] for seed in (1, 1, 2, 3, 4)
    ]
    assert draws[0] == draws[1]
    assert all(len(draw) == 2 for draw in draws)
    assert len(set(map(tuple, draws))) > 1


def json_rows(run: Run, folder: Path, seed: int) -> list[dict[str, Any]]:
    assert run("review", "export", "--mixed", "--seed", seed, "-o", "s.jsonl", "--force").returncode == 0
    lines = (folder / "s.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_the_list_is_blind_short_and_safe_to_print(saved: Run) -> None:
    done = saved("review", "next", "--reviewer", "anna")
    assert done.returncode == 0, done.stderr
    assert "2 systems" in done.stdout
    assert not [name for name in ("alpha", "beta", "gamma") if name in done.stdout]
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert r"Ele \x1b[2Jcorria \u202eriarroc" in done.stdout
    assert "characters)…" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "alpha, beta" in saved("review", "next", "--show-systems").stdout
    for form in ("tsv", "md", "latex"):
        table = saved("review", "next", "--format", form).stdout
        assert FALOU.id in table
        assert "\x1b" not in table


def test_deciding_closes_an_output_and_counts_in_the_next_run(saved: Run, tmp_path: Path) -> None:
    done = saved("review", "decide", FALOU.id[:6], "incorrect", "--reviewer", "ben", "--note", "no verb")
    assert done.stdout == f"ben: incorrect. Subject {FALOU.id[:10]} (case negation-1) is now incorrect.\n"
    assert len(open_now(saved)) == 2
    assert len(open_now(saved, "--double")) == 3
    again = saved("suite", "run", "suite.yaml", "-t", "alpha=alpha.tsv", "--format", "json")
    assert json.loads(again.stdout)["counts"]["alpha"] == {
        **dict.fromkeys(("undecided", "conflict", "skipped", "error"), 0),
        **{"correct": 1, "incorrect": 1},
    }


def test_an_output_can_be_named_by_run_case_and_system(saved: Run) -> None:
    done = saved("review", "decide", "last", "negation-1", "alpha", "c", "--reviewer", "ben")
    assert f"Subject {FALOU.id[:10]}" in done.stdout
    disputed = saved("review", "decide", FALOU.id, "incorrect", "--reviewer", "carla")
    assert "is now disputed" in disputed.stdout
    assert open_now(saved)[0]["status"] == "disputed"
    unsure = saved("review", "decide", "last", "tense-1", "beta", "unsure")
    assert "is now still open" in unsure.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["zz", "correct"], "No subject begins with 'zz'. See: mtassay review next --list"),
        (["", "correct"], "4 subjects begin with ''. Write more of the id."),
        ([FALOU.id, "good"], "'good' is no answer. Available: correct (c), incorrect (i), unsure (u)."),
        (["correct"], "Write: mtassay review decide SUBJECT ANSWER, or: RUN CASE SYSTEM ANSWER."),
        (["last", "negation-1", "delta", "c"], "It has: alpha, beta, gamma."),
        (["last", "negation-9", "alpha", "c"], "No case 'negation-9'"),
        (["last", "tense-1", "gamma", "c"], "gamma has no output for case 'tense-1'"),
        (["older", "tense-1", "gamma", "c"], "No run 'older'"),
    ],
)
def test_a_mistake_is_one_line_and_keeps_nothing(
    saved: Run, tmp_path: Path, words: list[str], message: str
) -> None:
    done = saved("review", "decide", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert Workspace(tmp_path / ".mtassay/workspace.db").reviews() == []


def test_a_sheet_goes_out_and_comes_back_once(saved: Run, tmp_path: Path) -> None:
    done = saved("review", "export", "--open", "--order", "run", "--reviewer", "anna", "-o", "sheet.tsv")
    assert "wrote 3 open outputs to sheet.tsv" in done.stderr
    header, first, *rest = (tmp_path / "sheet.tsv").read_text(encoding="utf-8").splitlines()
    assert header.startswith("answer\tnote\treviewer\t")
    assert "alpha" not in first
    filled = "\n".join([header, "incorrect\tno verb" + first[1:], *rest])
    (tmp_path / "sheet.tsv").write_text(filled, encoding="utf-8")
    assert saved("review", "import", "sheet.tsv").stdout == "1 added, 0 already there, 2 left empty.\n"
    assert saved("review", "import", "sheet.tsv").stdout == "0 added, 1 already there, 2 left empty.\n"
    (review,) = Workspace(tmp_path / ".mtassay/workspace.db").reviews()
    assert (review.subject, review.answer, review.reviewer, review.note) == (
        FALOU.id,
        "incorrect",
        "anna",
        "no verb",
    )
    # An old sheet does not undo what its author said later.
    saved("review", "decide", FALOU.id, "correct", "--reviewer", "anna")
    assert saved("review", "import", "sheet.tsv").stdout == "0 added, 1 already there, 2 left empty.\n"


def test_a_sheet_that_is_there_is_not_written_over_unasked(saved: Run, tmp_path: Path) -> None:
    (tmp_path / "sheet.tsv").write_text("filled in", encoding="utf-8")
    saved("review", "decide", FALOU.id, "correct")
    for words in (("--open",), ()):
        done = saved("review", "export", *words, "-o", "sheet.tsv")
        assert (done.returncode, done.stdout) == (2, "")
        assert "sheet.tsv is there already. Choose another name, or add --force." in done.stderr
        assert (tmp_path / "sheet.tsv").read_text(encoding="utf-8") == "filled in"
    assert saved("review", "export", "--open", "-o", "sheet.tsv", "--force").returncode == 0
    assert "filled in" not in (tmp_path / "sheet.tsv").read_text(encoding="utf-8")


def test_agreement_is_about_the_question_that_has_answers(saved: Run, tmp_path: Path) -> None:
    store = Workspace(tmp_path / ".mtassay/workspace.db")

    def answer(question: str, word: str) -> None:
        reviews = [review_now(FALOU.id, question, word, name) for name in ("anna", "ben")]
        store.add_reviews(reviews, [FALOU])

    answer("invariance", "under")
    done = saved("review", "agreement")
    assert done.returncode == 0, done.stderr
    assert "anna × ben" in done.stdout
    assert "Question: invariance." in done.stdout
    assert json.loads(saved("review", "agreement", "-f", "json").stdout)["question"] == "invariance"
    answer("ta", "fair")
    several = saved("review", "agreement")
    assert several.returncode == 2
    assert several.stderr == (
        "mtassay: Nobody has answered the question 'suite' yet. There are answers to: invariance, ta. "
        "Add --question NAME\n"
    )
    assert "Question: ta." in saved("review", "agreement", "--question", "ta").stdout
    answer("suite", "correct")
    assert "Question" not in saved("review", "agreement").stdout


@pytest.mark.parametrize("name", ["reviews.jsonl", "reviews.tsv"])
def test_reviews_move_to_another_workspace(saved: Run, tmp_path: Path, name: str) -> None:
    for reviewer, answer in (("ben", "correct"), ("carla", "incorrect"), ("ben", "incorrect")):
        saved("review", "decide", "last", "tense-1", "beta", answer, "--reviewer", reviewer)
    assert "are for --open" in saved("review", "export", "--all", "-o", name).stderr
    saved("review", "export", "-o", name)
    done = saved("review", "import", name, "--workspace", "other.db")
    assert done.stdout == "3 added, 0 already there, 0 left empty.\n"
    assert saved("review", "import", name).stdout == "0 added, 3 already there, 0 left empty.\n"
    here, there = (Workspace(tmp_path / path) for path in (".mtassay/workspace.db", "other.db"))
    assert there.reviews() == here.reviews()
    assert next(iter(there.subjects().values())).outputs == (HOSTILE,)


def test_one_bad_row_means_that_nothing_is_imported(saved: Run, tmp_path: Path) -> None:
    saved("review", "export", "--open", "-o", "sheet.tsv")
    header, first, second, *_ = (tmp_path / "sheet.tsv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "sheet.tsv").write_text("\n".join([header, f"correct{first}", f"maybe{second}"]))
    done = saved("review", "import", "sheet.tsv", "--reviewer", "anna")
    assert done.returncode == 2
    assert done.stderr == (
        "mtassay: sheet.tsv line 3: 'maybe' is no answer. "
        "Available: correct (c), incorrect (i), unsure (u).\n"
    )
    assert Workspace(tmp_path / ".mtassay/workspace.db").reviews() == []


def test_a_sheet_that_names_nobody_is_the_work_of_who_imports_it(saved: Run, tmp_path: Path) -> None:
    saved("review", "export", "--open", "-o", "sheet.tsv")
    header, first, second, third = (tmp_path / "sheet.tsv").read_text(encoding="utf-8").splitlines()
    rows = [header, f"correct{first}", f"correct\t\tben{second[2:]}", third]
    (tmp_path / "sheet.tsv").write_text("\n".join(rows), encoding="utf-8")
    done = saved("review", "import", "sheet.tsv", MTASSAY_REVIEWER="anna")
    assert done.stdout == "2 added, 0 already there, 1 left empty.\n"
    assert done.stderr == "mtassay: the file does not say who gave 1 answer: taken as anna's\n"
    again = saved("review", "import", "sheet.tsv", "--reviewer", "carla", MTASSAY_REVIEWER="anna")
    assert (again.stdout, again.stderr) == ("1 added, 1 already there, 1 left empty.\n", "")
    reviews = Workspace(tmp_path / ".mtassay/workspace.db").reviews()
    assert sorted(review.reviewer for review in reviews) == ["anna", "ben", "carla"]
    bad = saved("review", "import", "sheet.tsv", "--reviewer", "\x1b[31m")
    assert (bad.returncode, bad.stderr.count("\n")) == (2, 1)
    assert "Say who reviews" in bad.stderr


def test_agreement_of_two_reviewers_and_their_dispute(saved: Run) -> None:
    lonely = saved("review", "agreement")
    assert (lonely.returncode, lonely.stdout) == (2, "")
    assert "Agreement needs two reviewers; nobody has answered yet." in lonely.stderr
    for number, record in enumerate(open_now(saved)):
        saved("review", "decide", record["subject"], "correct", "--reviewer", "anna")
        answer = "incorrect" if number == 0 else "correct"
        saved("review", "decide", record["subject"], answer, "--reviewer", "ben")
    found = json.loads(saved("review", "agreement", "--disputed", "--format", "json").stdout)
    by_measure = {entry["measure"]: entry for entry in found["agreement"]}
    assert by_measure["agreement"]["value"] == pytest.approx(2 / 3)
    assert by_measure["agreement"]["n"] == 3
    # Ben says correct to 2 of 3, Anna to all: that is what chance gives, too.
    assert by_measure["cohen"]["value"] == pytest.approx(0)
    (dispute,) = found["disputed"]
    assert (dispute["subject"], dispute["answers"]) == (FALOU.id, {"anna": "correct", "ben": "incorrect"})
    text = saved("review", "agreement", "--disputed").stdout
    assert "anna × ben" in text
    assert "66.7 %  20.8 % to 93.9 %  3" in text  # Wilson's interval of 2 of 3
    assert f"{FALOU.id[:10]} · negation-1 · anna: correct, ben: incorrect" in text
    assert "Disputed (no answer has a majority): 1.\n" in text
    assert "nsure" not in text
    saved("review", "decide", FALOU.id, "unsure", "--reviewer", "carla")
    text = saved("review", "agreement").stdout
    assert "Disputed (no answer has a majority): 1; see --disputed." in text
    assert "Answers 'unsure', which are no ratings: 1." in text
    assert (
        "No question 'x'. Available: suite, invariance, behavior, place, ssf, tsf, ta, check, entities, mqm, "
        in saved("review", "agreement", "--question", "x").stderr
    )


def test_a_score_run_has_nothing_to_review_and_last_means_the_last_that_has(
    saved: Run, tmp_path: Path
) -> None:
    (tmp_path / "r.txt").write_text("a b c d\n")
    assert saved("score", "-r", "r.txt", "-t", "x=r.txt").returncode == 0
    run_id = json.loads(saved("runs", "list", "--format", "json").stdout)[0]["id"]
    assert len(open_now(saved)) == 3
    done = saved("review", "next", run_id)
    assert done.returncode == 2
    assert "is of the method score, which asks people nothing" in done.stderr


def test_all_runs_are_one_queue(saved: Run, tmp_path: Path) -> None:
    (tmp_path / "delta.tsv").write_text("id\toutput\nnegation-1\tNinguém falou.\ntense-1\tCorria.\n")
    saved("suite", "run", "suite.yaml", "-t", "delta=delta.tsv")
    assert [(r["case_id"], r["n_systems"]) for r in open_now(saved)] == [("negation-1", 1), ("tense-1", 1)]
    found = open_now(saved, "--all")
    assert (found[0]["subject"], found[0]["n_systems"]) == (FALOU.id, 3)
    assert len(found) == 4


def test_without_a_workspace_there_is_one_line(run: Run) -> None:
    done = run("review", "next")
    assert done.returncode == 2
    assert "There is no workspace .mtassay/workspace.db yet" in done.stderr


WRITER = """
import sys
from pathlib import Path
from mtassay.data.subjects import Subject, review_now
from mtassay.runtime.workspace import Workspace
name, path = sys.argv[1:]
workspace = Workspace(Path(path))
print("ready", flush=True)
sys.stdin.readline()
for number in range(200):
    subject = Subject(str(number), ("a",), ("b",))
    workspace.add_reviews([review_now(subject.id, "suite", "correct", name)], [subject])
"""


def test_two_reviewers_can_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("anna", "ben")
    ]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    reviews = Workspace(path).reviews()
    counts = {name: sum(review.reviewer == name for review in reviews) for name in ("anna", "ben")}
    assert counts == {"anna": 200, "ben": 200}
    assert len(Workspace(path).subjects()) == 200

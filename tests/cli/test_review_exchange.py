"""What people answered, for other programs: each form with each question is written, or one line says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.app.exchange import FORMS
from mtassay.data.nouns import Output, Result, Review, Segment
from mtassay.data.nouns import Run as SavedRun
from mtassay.data.questions import NumberQuestion, SpanQuestion, all_questions
from mtassay.data.subjects import CORRECT, Subject
from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run, run

__all__ = ["run"]  # a fixture

SUBJECT = Subject("1", ("Good.",), ("Bom.",))
WRITABLE = {
    "entities": {"entities"},
    "mqm": {"mqm", "esa"},
    "mtme": {"mqm", "esa"},
    "esa": {"esa"},
    "ratings": {"mqm", "esa", "adequacy", "fluency", "informativeness", "da"},
    "corrections": {name for name, q in all_questions().items() if CORRECT in q.keys.values()},
    "labelstudio": set(all_questions()),
    "pearmut": {"mqm", "esa", "adequacy", "fluency", "informativeness", "da"},
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A run of one output, which nobody has said anything of."""
    store = Workspace(tmp_path / ".mtassay" / "workspace.db")
    segments, outputs = [Segment("1", "Good.", ("Bom.",))], {"x": [Output("1", "Bom.")]}
    store.save_run(
        SavedRun("20260101-run", "score", {}, ["x"], "2026-01-01", {}, Result(), (), segments, outputs)
    )
    return store


def answers(name: str) -> list[str]:
    """A typical answer to a question, and that somebody is unsure."""
    question = all_questions()[name]
    if isinstance(question, SpanQuestion):
        span = {"start": 0, "end": 3, "label": next(iter(question.labels.values()))}
        if question.severities:
            span["severity"] = "major"
        return [json.dumps({"spans": [span], **({"score": 50} if question.scored else {})}), "unsure"]
    if isinstance(question, NumberQuestion):
        return [f"{question.low:g}", "unsure"]
    return [*list(question.keys.values())[:1], "unsure"] if question.keys else ["Bem.", "unsure"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_answered", [True, False])
def test_every_form_writes_a_question_or_says_which_it_can(
    run: Run, workspace: Workspace, form: str, is_answered: bool
) -> None:
    for name in all_questions():
        if is_answered:
            reviews = [
                Review(SUBJECT.id, name, answer, who, "", "2026-01-01T00:00:00+00:00")
                for who, answer in zip(("anna", "ben"), answers(name), strict=True)
            ]
            workspace.add_reviews(reviews, [SUBJECT])
    for name in [*all_questions(), "nobody"]:
        done = run("review", "export", "--as", form, "--question", name)
        if name in WRITABLE[form]:
            left = f"mtassay: left out 1 answer 'unsure', as {form} has none\n"
            assert (done.returncode, done.stderr) == (
                0,
                left * (is_answered and form not in ("labelstudio", "corrections")),
            ), name
        else:
            assert (done.returncode, done.stdout) == (2, ""), name
            assert done.stderr.count("\n") == 1
            choices = ("it asks ratings, mqm and esa",) if form == "pearmut" else sorted(WRITABLE[form])
            if name != "nobody":
                assert all(choice in done.stderr for choice in choices), done.stderr
        opened = run("review", "export", "--open", "--as", form, "--question", name)
        assert opened.returncode in (0, 2), opened.stderr
        assert opened.stderr.count("\n") == (opened.returncode == 2)
    assert run("review", "export", "--as", form).returncode in (0, 2)


@pytest.mark.parametrize("form", FORMS)
def test_without_a_run_there_is_one_line(run: Run, form: str, tmp_path: Path) -> None:
    for words in (["last"], ["nosuch"], ["last", "--question", "mqm"], ["last", "--open"]):
        for is_made in (False, True):
            if is_made:
                Workspace(tmp_path / ".mtassay" / "workspace.db")
            done = run("review", "export", *words, "--as", form)
            assert done.returncode == 2, done.stderr
            assert done.stderr.count("\n") == 1

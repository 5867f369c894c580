"""How a suite grows, from the library: suggest, accept, check, judge again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.app import library, rulebook, runs
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.nouns import Review
from mtassay.data.subjects import Subject
from mtassay.methods.suite.acceptance import Wish
from mtassay.methods.suite.material import suite_runs
from mtassay.runtime.workspace import Workspace

TEXT = """\
langpair: en-pt
match: {case: ignore, whitespace: collapse}
items:
  - id: neg
    category: Negation
    phenomenon: Concord
    source: Nobody said anything.
    positive_regex:
      - disse nada
    negative_regex: disse algo
  - id: novel
    category: Lexis
    phenomenon: False friends
    source: She read a novel.
"""
SYSTEMS = {
    "a": ["Ninguém disse nada.", "Ela leu um romance."],
    "b": ["Ninguém falou nada.", "Ela leu um romance."],
    "c": ["Ninguém disse algo.", "Ela leu uma novela."],
}


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(TEXT, encoding="utf-8")
    return tmp_path / "s.yaml"


def save_run() -> str:
    return library.suite("s.yaml", SYSTEMS, save=True, quiet=True).id


def test_what_is_accepted_stands_in_the_file(suite: Path) -> None:
    wish = Wish("eva", ("neg",), correct=True, regex=r"\bnada\b")
    outcome = rulebook.accept("s.yaml", wish, SYSTEMS)
    assert outcome.lines == [r"neg: positive expression \bnada\b"]
    assert [rule.text for rule in read_suite(suite).items[0].positive_regex] == ["disse nada", r"\bnada\b"]
    with pytest.raises(UsageError, match="known to be incorrect"):
        rulebook.accept("s.yaml", Wish("eva", ("neg",), correct=True, regex="disse"), SYSTEMS)


def test_reviews_become_tokens(suite: Path) -> None:
    save_run()
    subject = Subject("novel", ("She read a novel.",), ("Ela leu uma novela.",))
    review = Review(subject.id, "suite", "incorrect", "ana", at="2026-11-15T10:00:00+00:00")
    Workspace(Path(".mtassay/workspace.db")).add_reviews([review], [subject])
    outcome = rulebook.accept("s.yaml", Wish("eva", everything=True))
    assert outcome.lines == ["novel: negative token Ela leu uma novela."]
    (token,) = read_suite(suite).items[1].negative_tokens
    assert (token.text, token.author) == ("Ela leu uma novela.", "ana")


def test_a_wish_says_what_it_wants() -> None:
    with pytest.raises(UsageError, match="Say what to accept"):
        rulebook.accept("s.yaml", Wish("eva"))


def test_rejudging_shows_what_changed_and_can_be_kept(suite: Path) -> None:
    old = save_run()
    suite.write_text(TEXT.replace("disse nada", "nada").replace("She read", "She wrote"), encoding="utf-8")
    found = rulebook.rejudge("s.yaml", save=True, quiet=True)
    assert [(f.case_id, f.system) for f in found.record.findings if f.verdict == "pass"] == [
        ("neg", "a"),
        ("neg", "b"),
    ]
    assert suite_runs(Workspace(Path(".mtassay/workspace.db"))) == [found.id, old]
    again = runs.load(found.id)
    assert again.judge(alpha=0.1, quiet=True).result.counts == again.result.counts


def test_two_files_are_compared_on_the_same_outputs() -> None:
    Path("new.yaml").write_text(TEXT.replace("disse algo", "ninguém"), encoding="utf-8")
    run = save_run()
    found = rulebook.rejudge("new.yaml", run, quiet=True)
    judged = {f.system: f.evidence["status"] for f in found.record.findings if f.case_id == "neg"}
    assert judged == {"a": "conflict", "b": "incorrect", "c": "incorrect"}

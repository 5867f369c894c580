"""Reviewing where keys need Enter, and where the input ends."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from mtassay.app.cli import session as keys
from mtassay.app.cli.session import Session
from mtassay.app.reviewing import load_pending
from mtassay.app.reviewing import reviewer_name as who
from mtassay.data.errors import UsageError
from mtassay.methods.suite.rule_judge import VerdictEvidence
from mtassay.report.case_text import Screen
from mtassay.runtime.workspace import Workspace
from tests.cli.reviewing import save_run


def test_lines_are_answers_where_single_keys_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_run(tmp_path)
    store = Workspace(tmp_path / ".mtassay" / "workspace.db")
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct\n\nI\n"))
    monkeypatch.setitem(sys.modules, "termios", None)  # as on Windows
    shown: list[str] = []
    session = Session(
        store, "anna", load_pending(store, {}), Screen(80, False), keys.read_key, keys.read_line, shown.append
    )
    assert session.run() == "2 answered (1 correct, 1 incorrect), 1 left."
    assert [review.answer for review in store.reviews()] == ["correct", "incorrect"]


def test_a_reviewer_needs_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_REVIEWER", "ben")
    assert (who(None), who(" anna ")) == ("ben", "anna")
    with pytest.raises(UsageError, match="Say who reviews"):
        who("\x1b[31m")


@pytest.mark.parametrize(
    ("text", "match", "spans"),
    [
        ("a bank", {"span": [2, 6], "match": "bank"}, [(2, 6)]),
        ("a  bank", {"span": [2, 6], "match": "bank"}, [(3, 7)]),  # judged with its white space collapsed
        ("a BANK", {"span": [2, 6], "match": "bank"}, []),
        ("a bank", {"span": [0, 6], "match": "a bank", "kind": "negative_tokens"}, []),
    ],
)
def test_a_match_is_marked_where_it_stands_in_the_output(
    text: str, match: dict[str, object], spans: list[tuple[int, int]]
) -> None:
    assert VerdictEvidence.read({"matches": [match]}).spans(text) == spans

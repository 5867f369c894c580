"""Words of an output become a rule, on the page: tried on all that is known, then written into the suite."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from mtassay.api import access, people
from mtassay.formats.suite import read_suite
from tests.web.conftest import client_of
from tests.web.test_pages import fields, run_of

FALOU, BOTH = "Ninguém falou.", "Ninguém disse nada, ele disse algo."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Suites are named as from the folder of the run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def card_of(workspace: Path, text: str) -> str:
    waiting = people.pending(workspace=workspace).waiting
    subject = next(entry.subject.id for entry in waiting if entry.subject.outputs[0] == text)
    return f"/runs/{run_of(workspace)}/suite/cards/{subject}"


def told(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html[html.index('id="trial"') :]).split())


def test_a_card_shows_the_rules_and_what_they_match(browser: TestClient, workspace: Path) -> None:
    html = browser.get(card_of(workspace, BOTH)).text
    assert "<mark>Ninguém disse nada</mark>, ele <mark>disse algo</mark>." in html
    assert "make a rule" in html


def test_selected_words_become_a_pattern_with_all_that_it_would_do(
    browser: TestClient, workspace: Path
) -> None:
    html = browser.get(f"{card_of(workspace, FALOU)}/rule", params={"words": "falou"}).text
    assert r'value="\bfalou\b"' in html
    assert "Of 3 known outputs to this source it settles 1, flips 0 and contradicts 0." in told(html)


@pytest.mark.parametrize(
    ("pattern", "kind", "expected"),
    [
        ("falou", "right", "Fine. Of 3 known outputs to this source it settles 1, flips 0"),
        ("Ninguém", "wrong", "settles 1, flips 0 and contradicts 1."),
        ("Ninguém", "wrong", "It breaks what is known."),
        ("chuva", "right", "It does not match this output. Of 3 known outputs"),
        ("(falou", "right", "bad pattern"),
        ("", "right", "Write an expression"),
    ],
)
def test_a_pattern_is_tried_on_all_known_outputs(
    browser: TestClient, workspace: Path, pattern: str, kind: str, expected: str
) -> None:
    html = browser.get(f"{card_of(workspace, FALOU)}/rule", params={"pattern": pattern, "kind": kind}).text
    assert expected in told(html)
    assert ('<button class="main" disabled' in html) == ("Fine" not in expected)


def test_an_accepted_rule_stands_in_the_file_and_answers_its_output(
    browser: TestClient, workspace: Path, folder: Path
) -> None:
    card = card_of(workspace, FALOU)
    form = fields(browser.get(card).text)
    sent = {"csrf": form["csrf"], "id": "1", "pattern": r"\bfalou\b", "kind": "right"}
    assert browser.post(f"{card}/rule", data=sent).status_code == 200
    item = read_suite(folder / "suite.yaml").items[0]
    assert [(rule.text, rule.author) for rule in item.positive_regex][1:] == [(r"\bfalou\b", "lena")]
    assert [review["answer"] for review in people.reviews(workspace=workspace)] == ["correct"]


def test_a_rule_that_breaks_what_is_known_is_not_written(
    browser: TestClient, workspace: Path, folder: Path
) -> None:
    card = card_of(workspace, FALOU)
    before = (folder / "suite.yaml").read_bytes()
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "pattern": "Ninguém", "kind": "wrong"}
    refused = browser.post(f"{card}/rule", data=sent)
    assert (refused.status_code, "also matches" in refused.text) == (400, True)
    assert (folder / "suite.yaml").read_bytes() == before
    assert not people.reviews(workspace=workspace)


def test_what_a_rule_contradicts_may_be_a_review(browser: TestClient, workspace: Path) -> None:
    waiting = people.pending(workspace=workspace).waiting
    queue = {entry.subject.outputs[0]: entry.subject.id for entry in waiting}
    people.decide("incorrect", queue[BOTH], reviewer="ben", workspace=workspace)
    card = f"/runs/{run_of(workspace)}/suite/cards/{queue[FALOU]}"
    html = browser.get(f"{card}/rule", params={"pattern": "Ninguém", "kind": "right"}).text
    assert "contradicts 1" in told(html)
    assert "known by review" in told(html)


def test_reviewers_who_are_no_admins_write_no_rules(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    card = card_of(workspace, FALOU)
    with client_of(workspace) as browser:
        browser.get(f"/enter/{secret}")
        page = browser.get(card).text
        assert "make a rule" not in page
        assert browser.get(f"{card}/rule").status_code == 403
        sent = {"csrf": fields(page)["csrf"], "pattern": "falou", "kind": "right"}
        assert browser.post(f"{card}/rule", data=sent).status_code == 403

"""Words of an output become a rule, on the page: tried on all that is known, then written into the suite."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from mtassay.app import access, reviewing
from mtassay.data.formats.suite_files import read_suite
from mtassay.runtime.database import UnavailableError
from tests.web.conftest import client_of
from tests.web.test_pages import fields, run_of

FALOU, BOTH = "Ninguém falou.", "Ninguém disse nada, ele disse algo."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Suites are named as from the folder of the run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def card_of(workspace: Path, text: str) -> str:
    waiting = reviewing.pending(workspace=workspace).waiting
    subject = next(entry.subject.id for entry in waiting if entry.subject.outputs[0] == text)
    return f"/runs/{run_of(workspace)}/suite/cards/{subject}"


def told(html: str) -> str:
    return unescape(" ".join(re.sub("<[^>]+>", " ", html[html.index('id="trial"') :]).split()))


def test_a_card_shows_the_rules_and_what_they_match(browser: TestClient, workspace: Path) -> None:
    html = browser.get(card_of(workspace, BOTH)).text
    assert "<mark>Ninguém disse nada</mark>, ele <mark>disse algo</mark>." in html
    assert "make a rule" in html


def test_selected_words_become_a_pattern_with_all_that_it_would_do(
    browser: TestClient, workspace: Path
) -> None:
    asked = {"words": "falou", "kind": "correct"}
    html = browser.get(f"{card_of(workspace, FALOU)}/rule", params=asked).text
    assert r'value="\bfalou\b"' in html
    assert "It looks for the word 'falou', not 'Falou'." in told(html)
    assert "Of 3 known outputs to this source it settles 1, flips 0 and contradicts 0." in told(html)


def test_a_piece_of_a_word_becomes_the_whole_word(browser: TestClient, workspace: Path) -> None:
    asked = {"words": "guém fal", "kind": "correct"}
    html = browser.get(f"{card_of(workspace, FALOU)}/rule", params=asked).text
    assert r'value="\bNinguém falou\b"' in html


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("fal", "'fal', also inside a longer word, not 'Fal'"),
        ("fal(ou|a)", "in this output, 'falou'"),
        (r"\b(?:Ninguém|Nada)\b.*falou", "in this output, 'Ninguém falou'"),
        (r"\bNinguém\b.*\bfalou\b", "the word 'Ninguém' and later the word 'falou'"),
    ],
)
def test_the_form_says_in_words_what_the_rule_finds(
    browser: TestClient, workspace: Path, pattern: str, found: str
) -> None:
    asked = {"pattern": pattern, "kind": "correct"}
    html = browser.get(f"{card_of(workspace, FALOU)}/rule", params=asked).text
    assert f"It looks for {found}" in told(html)
    assert "the edge of a word" in html


@pytest.mark.parametrize(
    ("pattern", "kind", "expected"),
    [
        ("falou", "correct", "Fine. Of 3 known outputs to this source it settles 1, flips 0"),
        ("Ninguém", "incorrect", "settles 1, flips 0 and contradicts 1."),
        ("Ninguém", "incorrect", "It breaks what is known."),
        ("chuva", "correct", "It does not match this output. Of 3 known outputs"),
        ("(falou", "correct", "bad pattern"),
        ("", "correct", "Write an expression"),
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
    sent = {"csrf": form["csrf"], "id": "1", "pattern": r"\bfalou\b", "kind": "correct"}
    assert browser.post(f"{card}/rule", data=sent).status_code == 200
    item = read_suite(folder / "suite.yaml").items[0]
    assert [(rule.text, rule.author) for rule in item.positive_regex][1:] == [(r"\bfalou\b", "lena")]
    assert [review["answer"] for review in reviewing.reviews(workspace=workspace)] == ["correct"]


def test_a_rule_made_of_an_answer_tells_it_to_nobody_who_has_not_answered(
    browser: TestClient, workspace: Path
) -> None:
    card = card_of(workspace, FALOU)
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "pattern": r"\bfalou\b", "kind": "correct"}
    assert 'aria-label="Rules"' in browser.get(card).text
    assert browser.post(f"{card}/rule", data={**sent, "id": "1"}).status_code == 200
    assert 'aria-label="Rules"' in browser.get(card).text
    secret = access.invite("anna", workspace=workspace)
    with client_of(workspace) as other:
        other.get(f"/enter/{secret}")
        assert 'aria-label="Rules"' not in other.get(card).text
        answer_card(other, card, "incorrect")
        assert "the rules of today say correct" in other.get(card).text


def test_a_rule_that_breaks_what_is_known_is_not_written(
    browser: TestClient, workspace: Path, folder: Path
) -> None:
    card = card_of(workspace, FALOU)
    before = (folder / "suite.yaml").read_bytes()
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "pattern": "Ninguém", "kind": "incorrect"}
    refused = browser.post(f"{card}/rule", data=sent)
    assert (refused.status_code, "also matches" in refused.text) == (400, True)
    assert (folder / "suite.yaml").read_bytes() == before
    assert not reviewing.reviews(workspace=workspace)


def test_what_a_rule_contradicts_may_be_a_review(browser: TestClient, workspace: Path) -> None:
    waiting = reviewing.pending(workspace=workspace).waiting
    queue = {entry.subject.outputs[0]: entry.subject.id for entry in waiting}
    reviewing.decide("incorrect", queue[BOTH], reviewer="ben", workspace=workspace)
    card = f"/runs/{run_of(workspace)}/suite/cards/{queue[FALOU]}"
    html = browser.get(f"{card}/rule", params={"pattern": "Ninguém", "kind": "correct"}).text
    assert "contradicts 1" in told(html)
    assert "known by review" in told(html)


def test_reviewers_who_are_no_admins_propose_rules_and_write_none(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    before = {path: path.read_bytes() for path in workspace.parent.parent.glob("*.yaml")}
    card = card_of(workspace, FALOU)
    with client_of(workspace) as browser:
        browser.get(f"/enter/{secret}")
        page = browser.get(card).text
        assert "make a rule" not in page
        assert browser.get(f"{card}/rule").status_code == 403
        sent = {"csrf": fields(page)["csrf"], "pattern": "falou", "kind": "correct"}
        assert "an admin will look at it" in browser.post(f"{card}/rule", data=sent).text
    assert before == {path: path.read_bytes() for path in before}


def answer_card(browser: TestClient, card: str, said: str) -> None:
    form = fields(browser.get(card).text)
    assert browser.post(form.pop("action"), data={**form, "answer": said}).status_code == 200


def checked(html: str) -> list[str]:
    return re.findall(r'name="kind" value="(\w+)" checked', html)


@pytest.mark.parametrize("said", ["correct", "incorrect"])
def test_the_form_of_a_rule_begins_with_ones_own_answer(
    browser: TestClient, workspace: Path, said: str
) -> None:
    card = card_of(workspace, FALOU)
    answer_card(browser, card, said)
    html = browser.get(f"{card}/rule", params={"words": "falou"}).text
    assert checked(html) == [said]
    assert f"Accept the rule, answer {said}, next" in told(html)
    assert '<button class="main" disabled' not in html


@pytest.mark.parametrize("said", ["", "unsure"])
def test_without_an_answer_nothing_is_chosen_and_nothing_can_be_accepted(
    browser: TestClient, workspace: Path, folder: Path, said: str
) -> None:
    card = card_of(workspace, FALOU)
    if said:
        answer_card(browser, card, said)
    before = (folder / "suite.yaml").read_bytes()
    html = browser.get(f"{card}/rule", params={"words": "falou"}).text
    assert checked(html) == []
    assert r'value="\bfalou\b"' in html
    assert "Choose correct or incorrect first." in told(html)
    assert '<button class="main" disabled' in html
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "pattern": "falou"}
    for kind in ({}, {"kind": ""}, {"kind": "right"}):
        refused = browser.post(f"{card}/rule", data={**sent, **kind})
        assert (refused.status_code, "Choose correct or incorrect first." in refused.text) == (400, True)
    assert (folder / "suite.yaml").read_bytes() == before


def test_a_rule_may_not_contradict_ones_own_answer(
    browser: TestClient, workspace: Path, folder: Path
) -> None:
    card = card_of(workspace, FALOU)
    answer_card(browser, card, "incorrect")
    before = (folder / "suite.yaml").read_bytes()
    html = browser.get(f"{card}/rule", params={"pattern": "falou", "kind": "correct"}).text
    assert "contradicts 1." in told(html)
    assert "incorrect → correct Ninguém falou. known by your answer" in told(html)
    assert '<button class="main" disabled' in html
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "pattern": "falou", "kind": "correct"}
    refused = browser.post(f"{card}/rule", data=sent)
    assert (refused.status_code, "You answered incorrect here" in refused.text) == (400, True)
    assert (folder / "suite.yaml").read_bytes() == before
    assert [review["answer"] for review in reviewing.reviews(workspace=workspace)] == ["incorrect"]


@pytest.mark.parametrize(
    ("pattern", "is_short"),
    [
        (r"\bN\b|f", True),
        ("f", True),
        ("(?i)FA", True),
        (r"\bfa", True),
        ("fal", False),
        (r"\w+ falou", False),
    ],
)
def test_an_expression_of_one_or_two_letters_is_warned_of(
    browser: TestClient, workspace: Path, pattern: str, is_short: bool
) -> None:
    asked = {"pattern": pattern, "kind": "correct"}
    text = told(browser.get(f"{card_of(workspace, FALOU)}/rule", params=asked).text)
    assert ("matches nearly everything" in text) == is_short
    assert ("Fine." in text) != is_short


def test_what_was_written_is_told_with_its_file(browser: TestClient, workspace: Path) -> None:
    card = card_of(workspace, FALOU)
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "pattern": r"\bfalou\b", "kind": "incorrect"}
    html = browser.post(f"{card}/rule", data=sent, headers={"hx-request": "true"}).text
    written = r"incorrect if \bfalou\b (it looks for the word 'falou', not 'Falou')"
    assert f"Written to suite.yaml: {written}. To take it out, edit the file." in unescape(html)


def test_a_card_says_where_rules_of_today_contradict_ones_answer(
    browser: TestClient, workspace: Path, folder: Path
) -> None:
    card = card_of(workspace, FALOU)
    answer_card(browser, card, "incorrect")
    assert "You said incorrect" in browser.get(card).text
    assert "the rules of today say" not in browser.get(card).text
    suite = folder / "suite.yaml"
    suite.write_text(suite.read_text("utf-8").replace("[Ninguém disse nada]", "[Ninguém]"), "utf-8")
    assert "You said incorrect, and the rules of today say correct" in browser.get(card).text


def rules_in(folder: Path) -> list[str]:
    (item, *_) = read_suite(folder / "suite.yaml").items
    return [rule.text for rule in (*item.positive_regex, *item.negative_regex)]


def test_no_rule_is_written_while_the_workspace_is_busy(
    browser: TestClient, workspace: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mtassay.runtime.database.PATIENCE_S", 0.01)
    card = card_of(workspace, FALOU)
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "id": "1", "pattern": "falou", "kind": "correct"}
    before = (folder / "suite.yaml").read_bytes()
    with closing(sqlite3.connect(workspace, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert browser.post(f"{card}/rule", data=sent).status_code == 503
    assert (folder / "suite.yaml").read_bytes() == before
    assert browser.post(f"{card}/rule", data=sent).status_code == 200
    assert "falou" in rules_in(folder)
    assert [review["answer"] for review in reviewing.reviews(workspace=workspace)] == ["correct"]


def written(html: str) -> tuple[str, str]:
    """What is in the fields of a card: note and correction."""
    (note,) = re.findall(r'name="note"[^>]* value="([^"]*)"', html)
    (correction,) = re.findall(r'<textarea name="correction"[^>]*>([^<]*)<', html)
    return note, correction


def test_whoever_makes_a_rule_keeps_their_note_and_correction(browser: TestClient, workspace: Path) -> None:
    card = card_of(workspace, BOTH)
    html = browser.get(card).text
    form = fields(html)
    fixed = "Ninguém disse nada."
    said = {"answer": "incorrect", "note": "two clauses", "correction": fixed}
    browser.post(form.pop("action"), data={**form, **said})
    sent = {"csrf": form["csrf"], "pattern": "nada, ele", "kind": "incorrect"}
    assert browser.post(f"{card}/rule", data=sent).status_code == 200
    newest = max(reviewing.reviews(workspace=workspace), key=lambda review: review["at"])
    assert newest["note"] == f"two clauses\nfix: {fixed}"
    assert written(browser.get(card).text) == ("two clauses", fixed)


def test_who_wants_to_change_rules_that_are_gone_is_told_so(
    browser: TestClient, workspace: Path, folder: Path
) -> None:
    card = card_of(workspace, BOTH)
    suite = folder / "suite.yaml"
    suite.write_text(suite.read_text("utf-8").replace("source: Nobody", "source: No one"), "utf-8")
    refused = browser.get(f"{card}/rule")
    assert (refused.status_code, "does not have its item any more" in refused.text) == (400, True)


@pytest.mark.parametrize("headers", [{}, {"hx-request": "true"}])
def test_what_was_filtered_by_stays_when_rules_change(
    browser: TestClient, workspace: Path, headers: dict[str, str]
) -> None:
    query = "category=Negation&double=1"
    html = browser.get(f"{card_of(workspace, BOTH)}?{query}").text
    (link,) = re.findall(r'id="make-rule"[^>]* href="(.+?)"', html)
    form = browser.get(link.replace("&amp;", "&")).text
    assert f"?{query}" in re.findall(r"<nav.*</nav>", form)[0].replace("&amp;", "&")
    (action,) = re.findall(r'class="rule-form" method="post" action="([^"]+)"', form)
    sent = {"csrf": fields(html)["csrf"], "answer": "incorrect", "pattern": "nada, ele", "kind": "incorrect"}
    answer = browser.post(action.replace("&amp;", "&"), data=sent, headers=headers)
    assert answer.status_code == 200
    assert query in re.findall(r'data-key="s" href="([^"]+)"', answer.text)[0].replace("&amp;", "&")


def test_a_full_disk_is_not_told_as_busy(
    browser: TestClient, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> int:
        raise UnavailableError(f"{workspace}: the disk is full.")

    card = card_of(workspace, FALOU)
    sent = {"csrf": fields(browser.get(card).text)["csrf"], "id": "1", "answer": "correct"}
    monkeypatch.setattr("mtassay.runtime.workspace.Workspace.add_reviews", full)
    told = browser.post(card, data=sent)
    assert (told.status_code, "busy" in told.text, "The disk of the workspace is full" in told.text) == (
        507,
        False,
        True,
    )
    assert str(workspace) not in told.text
    assert "the disk is full" in capsys.readouterr().err

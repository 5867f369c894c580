"""Campaigns on the page: spans, ratings, several people, disputes, audits; and files of answers."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mtassay.app import access, campaign_work, reviewing
from mtassay.app.campaign_progress import report
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Output, Result, Run, Segment
from mtassay.runtime.workspace import Workspace
from tests.cli import conftest as command_line
from tests.web.conftest import client_of

run = command_line.run

TEXTS = [
    ("Maria loves Lisbon.", "A Maria ama Lisboa.", "Maria gosta de Lisboa <b>muito</b>."),
    ("He wrote it.", "هو كتبها.", "هو كتب."),
    ("A cat.", "猫です。", "猫だ。"),
    ("Good.", "Bom.", "Bem."),
]


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """A run of two systems with references, in three scripts."""
    path = tmp_path / "workspace.db"
    segments = [Segment(str(n), source, (reference,)) for n, (source, reference, _) in enumerate(TEXTS)]
    outputs = {
        "x": [Output(str(n), output) for n, (_, _, output) in enumerate(TEXTS)],
        "y": [Output(str(n), f"{reference} (y)") for n, (_, reference, _) in enumerate(TEXTS)],
    }
    run = Run("20260101-rated", "score", {}, ["x", "y"], "2026-01-01", {}, Result(), (), segments, outputs)
    Workspace(path).save_run(run)
    return path


def page_of(client: TestClient, path: str, **headers: str) -> str:
    response = client.get(path, headers=headers)
    assert response.status_code == 200, response.text
    return response.text


def field(html: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert found, name
    return found[1]


def subject_of(html: str) -> str:
    found = re.search(r'data-card="([^"]+)"', html)
    assert found, html
    return found[1]


def answer(client: TestClient, name: str, path: str = "card", **fields: str) -> Any:
    """Answer what comes next in a campaign, as a form without scripts does."""
    html = page_of(client, f"/campaign/{'next' if path == 'card' else path}?name={name}")
    form = {"csrf": field(html, "csrf"), "id": field(html, "id"), **fields}
    return client.post(f"/campaign/{path}?name={name}&subject={subject_of(html)}", data=form)


def answers_in(workspace: Path, question: str) -> list[dict[str, Any]]:
    return [record for record in reviewing.reviews(workspace=workspace) if record["question"] == question]


def clients(workspace: Path, *names: str) -> list[TestClient]:
    """A browser for each of these people, who are invited."""
    opened = []
    for name in names:
        secret = access.invite(name, admin=name == "root", workspace=workspace)
        client = client_of(workspace)
        assert client.get(f"/enter/{secret}").status_code == 200
        opened.append(client)
    return opened


# Spans and numbers ---------------------------------------------------------------------------------------


def test_entities_are_marked_by_offsets_or_by_words(rated: Path) -> None:
    campaign_work.create("names", question="entities", reviewers="lena", workspace=rated)
    with client_of(rated) as client:
        html = page_of(client, "/campaign/next?name=names")
        assert re.search(r'<span data-start="\d+" data-end="\d+">', html)
        done = answer(client, "names", answer='{"spans": [{"start": 0, "end": 1, "label": "PER"}]}')
        assert done.status_code == 200
        assert 'Before this you said <b dir="auto">PER: ' in done.text
        assert answer(client, "names", answer="").status_code == 200
    assert [record["answer"] for record in answers_in(rated, "entities")] == [
        '{"spans": [{"start": 0, "end": 1, "label": "PER"}]}',
        '{"spans": []}',
    ]


def test_typed_words_and_a_score_become_an_answer(rated: Path) -> None:
    campaign_work.create("esa", question="esa", reviewers="lena", item=["3"], system=["x"], workspace=rated)
    with client_of(rated) as client:
        refused = answer(client, "esa", answer="e, 2: Bem")
        assert (refused.status_code, "score" in refused.text) == (400, True)
        assert answer(client, "esa", answer="e, 2: Bem; o, 1, source: Good", score="60").status_code == 200
    (record,) = answers_in(rated, "esa")
    assert json.loads(record["answer"]) == {
        "spans": [
            {"start": 0, "end": 3, "label": "error", "severity": "major"},
            {"start": 0, "end": 4, "label": "omission", "severity": "minor", "side": "source"},
        ],
        "score": 60,
    }


def test_a_score_alone_says_that_nothing_is_wrong(rated: Path) -> None:
    campaign_work.create("esa", question="esa", reviewers="lena", workspace=rated)
    with client_of(rated) as client:
        assert answer(client, "esa", answer="", score="100").status_code == 200
        assert answer(client, "esa", answer="unsure", score="50").status_code == 200
        assert answer(client, "esa", answer='{"spans": []}', score="nan").status_code == 400
    assert [r["answer"] for r in answers_in(rated, "esa")] == ['{"spans": [], "score": 100}', "unsure"]


def test_a_span_after_the_end_of_its_text_is_refused(rated: Path) -> None:
    campaign_work.create("mqm", question="mqm", reviewers="lena", workspace=rated)
    span = {"start": 0, "end": 999, "label": "other", "severity": "minor"}
    with client_of(rated) as client:
        refused = answer(client, "mqm", answer=json.dumps({"spans": [span]}))
    assert refused.status_code == 400
    assert "ends after the target" in refused.text
    assert not answers_in(rated, "mqm")


def test_an_error_without_a_category_is_refused(rated: Path) -> None:
    campaign_work.create("mqm", question="mqm", reviewers="lena", workspace=rated)
    with client_of(rated) as client:
        for more in ({}, {"label": ""}):
            sent = json.dumps({"spans": [{"start": 0, "end": 3, "severity": "major", **more}]})
            refused = answer(client, "mqm", answer=sent)
            assert refused.status_code == 400
            assert "has no category. Choose one: accuracy/addition" in refused.text
    assert not answers_in(rated, "mqm")


@pytest.mark.parametrize(
    ("question", "good", "bad"), [("adequacy", "5", "6"), ("fluency", "1", "0"), ("da", "85", "101")]
)
def test_ratings_are_numbers_in_their_range(rated: Path, question: str, good: str, bad: str) -> None:
    campaign_work.create("rate", question=question, reviewers="lena", workspace=rated)
    with client_of(rated) as client:
        assert answer(client, "rate", answer=bad).status_code == 400
        assert answer(client, "rate", answer=good).status_code == 200
        html = page_of(client, "/campaign/next?name=rate")
    assert [record["answer"] for record in answers_in(rated, question)] == [good]
    assert ("data-digits" in html) == (question == "da")


def test_systems_are_not_named_and_everybody_has_an_order_of_their_own(rated: Path) -> None:
    campaign_work.create("rate", question="da", reviewers="anna,ben", overlap=1, seed=1, workspace=rated)
    orders = []
    for client in clients(rated, "anna", "ben"):
        seen = []
        while 'id="card"' in (html := page_of(client, "/campaign/next?name=rate")):
            assert "system" not in re.sub(r"<[^>]+>", " ", html)
            seen.append(subject_of(html))
            answer(client, "rate", answer="50")
        orders.append(seen)
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    assert len(orders[0]) == 8


def test_texts_are_escaped_and_marked_by_the_word(rated: Path) -> None:
    campaign_work.create("mqm", question="mqm", reviewers="lena", system=["x"], workspace=rated)
    with client_of(rated) as client:
        pages = []
        while 'id="card"' in (html := page_of(client, "/campaign/next?name=mqm")):
            pages.append(html)
            answer(client, "mqm", answer="none")
    (hostile,) = (html for html in pages if "gosta" in html)
    assert "<b>muito" not in hostile
    assert '<span data-start="22" data-end="23">&lt;</span>' in hostile
    (chinese,) = (html for html in pages if "猫" in html)
    assert '<span data-start="0" data-end="1">猫</span><span data-start="1" data-end="2">だ</span>' in chinese


# Several people ------------------------------------------------------------------------------------------


def test_nobody_sees_another_answer_before_both_have_answered(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna,ben", adjudicators="dora", overlap=1, workspace=workspace)
    anna, ben, dora = clients(workspace, "anna", "ben", "dora")
    said = answer(anna, "spring", answer="correct").text
    assert "Others said" not in said
    subject = answers_in(workspace, "suite")[0]["subject"]
    assert "nothing" not in page_of(dora, "/campaign/disputes?name=spring")
    assert 'id="card"' not in page_of(dora, "/campaign/disputes?name=spring")
    html = page_of(ben, "/campaign/next?name=spring")
    form = {"csrf": field(html, "csrf"), "answer": "incorrect"}
    done = ben.post(f"/campaign/card?name=spring&subject={subject}", data=form)
    assert "Others said: <b>reviewer 1</b> correct" in done.text
    assert "What others said" in page_of(anna, f"/campaign/card?name=spring&subject={subject}")
    dispute = page_of(dora, "/campaign/disputes?name=spring")
    assert subject_of(dispute) == subject
    assert '<b>reviewer 1</b>: <span dir="auto">correct' in dispute
    assert answer(dora, "spring", "disputes", answer="incorrect").status_code == 200
    assert 'id="card"' not in page_of(dora, "/campaign/disputes?name=spring")
    assert [r["standing"] for r in answers_in(workspace, "suite")] == ["", "", "adjudication"]


def test_an_answer_that_is_sent_twice_is_kept_once(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="lena", workspace=workspace)
    with client_of(workspace) as client:
        html = page_of(client, "/campaign/next?name=spring")
        form = {"csrf": field(html, "csrf"), "id": field(html, "id"), "answer": "correct"}
        for _ in range(3):
            done = client.post(f"/campaign/card?name=spring&subject={subject_of(html)}", data=form)
            assert done.status_code == 200
    assert len(answers_in(workspace, "suite")) == 1


def test_back_shows_the_last_answer_and_skip_leaves_an_output_for_later(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="lena", workspace=workspace)
    with client_of(workspace) as client:
        first = subject_of(page_of(client, "/campaign/next?name=spring"))
        second = subject_of(page_of(client, f"/campaign/next?name=spring&skip={first}"))
        assert first != second
        assert answer(client, "spring", answer="correct").status_code == 200
        last = answers_in(workspace, "suite")[0]["subject"]
        html = page_of(client, "/campaign/back?name=spring")
        assert subject_of(html) == last
        assert 'aria-current="true"' in html
        everything = f"{first},{second}"
        while 'id="card"' in (html := page_of(client, f"/campaign/next?name=spring&skip={everything}")):
            everything += f",{subject_of(html)}"
        assert "Show what I skipped" in html


def test_progress_and_agreement_are_live(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna,ben", overlap=1, workspace=workspace)
    anna, ben = clients(workspace, "anna", "ben")
    assert "as soon as two reviewers" in page_of(anna, "/campaign?name=spring")
    for client in (anna, ben):
        while 'id="card"' in page_of(client, "/campaign/next?name=spring"):
            answer(client, "spring", answer="correct")
    html = page_of(anna, "/campaign?name=spring")
    assert "ben" not in html
    assert "100.0 %" in html
    assert "Agreement by phenomenon" in html
    assert "6 of 6 answers" in page_of(anna, "/campaigns")


# Who may -------------------------------------------------------------------------------------------------


def test_a_campaign_is_made_in_a_form_by_an_admin(workspace: Path) -> None:
    with client_of(workspace) as client:
        html = page_of(client, "/campaigns/new")
        form = {"csrf": field(html, "csrf"), "name": "spring / 2", "reviewers": "lena, ben", "overlap": "50"}
        bad = client.post("/campaigns", data={**form, "sample": "many"})
        assert (bad.status_code, "is no whole number" in bad.text) == (400, True)
        assert 'value="spring / 2"' in bad.text
        assert client.post("/campaigns", data={**form, "reviewers": ""}).status_code == 400
        made = client.post("/campaigns", data={**form, "question": "da", "sample": "2"})
        assert made.status_code == 200
        assert client.post("/campaigns", data=form).status_code == 400  # the name is taken
        (campaign,) = campaign_work.campaigns(workspace=workspace)
        assert (campaign.name, campaign.question, campaign.overlap) == ("spring / 2", "da", 0.5)
        assert "spring / 2" in page_of(client, "/campaigns")
        closed = client.post("/campaign/close?name=spring%20/%202", data=form)
        assert "closed on" in closed.text


UNFINISHABLE = [
    ({"reviewers": "anna,ben", "adjudicators": "ben"}, "Nobody could settle disputes: ben would answer"),
    ({"reviewers": "anna", "adjudicators": "anna"}, "Nobody could settle disputes: anna would answer"),
    ({"reviewers": "anna,ben", "raters": 3}, "3 reviewers are to answer each output of the overlap, but"),
    ({"reviewers": "anna", "overlap": 1}, "the campaign has one reviewer"),
]


@pytest.mark.parametrize(("words", "why"), UNFINISHABLE)
def test_what_can_never_be_done_is_refused_alike_by_form_library_and_command(
    workspace: Path, run: command_line.Run, words: dict[str, Any], why: str
) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        campaign_work.create("c", **words, workspace=workspace)
    options = [part for key, value in words.items() for part in (f"--{key}", value)]
    done = run("review", "campaign", "create", "c", *options, "--workspace", workspace)
    assert done.returncode == 2
    assert why in done.stderr
    assert "`" not in done.stderr  # the command speaks of its options
    with client_of(workspace) as client:
        form = {"csrf": field(page_of(client, "/campaigns/new"), "csrf"), "name": "c"}
        percent = {key: 100 if key == "overlap" else value for key, value in words.items()}
        sent = client.post("/campaigns", data={**form, **percent})
        assert sent.status_code == 400
        assert str(refused.value) in html.unescape(sent.text)
    assert not campaign_work.campaigns(workspace=workspace)


def test_the_form_and_the_library_make_the_same_campaign(workspace: Path) -> None:
    with client_of(workspace) as client:
        for reviewers in ("anna", "anna,ben"):
            form = {"csrf": field(page_of(client, "/campaigns/new"), "csrf"), "name": f"form {reviewers}"}
            form |= {"reviewers": reviewers, "overlap": "", "raters": "2"}
            assert client.post("/campaigns", data=form).status_code == 200
            made = campaign_work.create(f"library {reviewers}", reviewers=reviewers, workspace=workspace)
            (same,) = (
                c for c in campaign_work.campaigns(workspace=workspace) if c.name == f"form {reviewers}"
            )
            assert replace(same, name=made.name, created=made.created) == made


def test_who_was_never_invited_is_told_of_to_the_admin(workspace: Path, run: command_line.Run) -> None:
    anna, root = clients(workspace, "anna", "root")
    done = run("review", "campaign", "create", "c", "--reviewers", "anna,carla", "--workspace", workspace)
    line = "Not invited to the review page: carla. Invite them: mtassay review invite NAME"
    assert f"mtassay: {line}\n" in done.stderr
    assert line in page_of(root, "/campaign?name=c")
    assert line not in page_of(anna, "/campaign?name=c")
    assert line in report("c", workspace=workspace).cautions
    clients(workspace, "carla")
    assert line not in page_of(root, "/campaign?name=c")


def test_strangers_see_no_campaign_and_reviewers_make_none(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna", workspace=workspace)
    anna, ben = clients(workspace, "anna", "ben")
    token = field(page_of(ben, "/"), "csrf")
    assert "spring" in page_of(anna, "/campaigns")
    assert "spring" not in page_of(ben, "/campaigns")
    for path in ("/campaign", "/campaign/next", "/campaign/back", "/campaign/disputes"):
        assert ben.get(f"{path}?name=spring").status_code == 404
    assert anna.get("/campaign/disputes?name=spring").status_code == 400
    assert ben.post("/campaign/card?name=spring&subject=x", data={"csrf": token}).status_code == 404
    for path in ("/campaigns/new", "/report?run=last", "/history?run=last"):
        assert ben.get(path).status_code == 403
    for path in ("/campaigns", "/campaign/close?name=spring"):
        assert ben.post(path, data={"csrf": token}).status_code == 403


def test_nothing_is_changed_without_the_token_of_the_page(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="lena", workspace=workspace)
    with client_of(workspace) as client:
        html = page_of(client, "/campaign/next?name=spring")
        where = f"/campaign/card?name=spring&subject={subject_of(html)}"
        for path in (where, "/campaigns", "/campaign/close?name=spring"):
            assert client.post(path, data={"answer": "correct", "csrf": "wrong"}).status_code == 403
    assert not reviewing.reviews(workspace=workspace)

"""The review page without a browser: what each page shows, and what each form does."""

from __future__ import annotations

import html as html_text
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import mtassay
from mtassay.app import review_cards, reviewing
from mtassay.data.nouns import Review, Run
from mtassay.review.queue import prepare
from mtassay.runtime.workspace import Workspace
from tests.web.conftest import client_of


def test_the_first_page_shows_the_last_result_of_each_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = "".join(f"This is the line number {n} of the text.\n" for n in range(12))
    for name, text in (("ref.txt", texts), ("good.txt", texts), ("bad.txt", texts.replace("line", "word"))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    plan = """\
pair: en-pt
systems: {good: good.txt, bad: bad.txt}
test_sets: {news: {source: ref.txt, references: [ref.txt]}}
steps: {score: {metrics: [bleu], checks: none}}
gates: [NUMBER]
report: no
"""
    for rule in ("bleu >= 10", "bleu >= 99"):
        (tmp_path / "mtassay.yaml").write_text(plan.replace("NUMBER", rule), encoding="utf-8")
        done = mtassay.run_plan(quiet=True)
    run = done.runs["score"].id
    place = tmp_path / ".mtassay" / "workspace.db"
    for is_shown in (True, False):
        with client_of(place, show_systems=is_shown) as browser:
            html = browser.get("/").text
            rows = re.findall(r'<tr><th scope="row">(.*?)</td></tr>', html, re.DOTALL)
            told = [re.sub(r"<[^>]*>", " ", row) for row in rows]
            assert ["failed" in row for row in told] == [True, False]  # the rule of today, for each system
            assert all(row.startswith("bleu &gt;= 99 ") for row in told)
            assert [("bad" in told[0], "good" in told[1])] == [(is_shown, is_shown)]
            assert html.count(f'href="/report?run={run}"') == 2
            assert browser.get(f"/report?run={run}").status_code == 200


def run_of(workspace: Path) -> str:
    return Workspace(workspace).runs()[0].id


def fields(html: str) -> dict[str, str]:
    """The hidden fields of the form for an answer."""
    form = html[html.index('<form class="answer"') :]
    found = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
    found["action"] = re.findall(r' action="([^"]*)"', form)[0].replace("&amp;", "&")
    return found


def answer(browser: TestClient, html: str, said: str, **more: str) -> str:
    form = fields(html)
    action = form.pop("action")
    response = browser.post(
        action, data={**form, "answer": said, **more}, headers={"origin": str(browser.base_url)}
    )
    assert response.status_code == 200, response.text
    return response.text


@pytest.fixture
def queue(workspace: Path) -> str:
    return f"/runs/{run_of(workspace)}/suite"


def test_home_says_what_waits(browser: TestClient, workspace: Path) -> None:
    browser.get(f"/runs/{run_of(workspace)}/suite")  # reads the run
    html = browser.get("/").text
    assert "Review 3 open" in html
    assert "Browse all 4" in html


def test_a_queue_is_answered_to_its_end_with_plain_forms(
    browser: TestClient, workspace: Path, queue: str
) -> None:
    html = browser.get(queue).text
    for said in ("correct", "incorrect", "unsure"):
        html = answer(browser, html, said)
    assert "Nothing waits for you here" in html
    reviews = reviewing.reviews(workspace=workspace)
    assert [review["answer"] for review in reviews] == ["correct", "incorrect", "unsure"]
    assert {review["reviewer"] for review in reviews} == {"lena"}


def test_cases_that_need_the_fewest_answers_come_first(browser: TestClient, queue: str) -> None:
    html = browser.get(queue).text
    assert "He ran." in html
    assert "Nobody said anything." not in html


def test_a_card_shows_what_is_needed_to_judge(browser: TestClient, queue: str) -> None:
    html = answer(browser, browser.get(queue).text, "correct")
    text = re.sub("<[^>]+>", "", html)
    for part in ("Negative concord", "They all sat there.", "Ninguém disse nada.", "concord is obligatory"):
        assert part in text
    assert "<mark>Nobody</mark>" in html
    assert "alpha" not in html  # who translated is not shown


def test_an_answer_that_is_sent_twice_is_kept_once(browser: TestClient, workspace: Path, queue: str) -> None:
    html = browser.get(queue).text
    answer(browser, html, "correct")
    answer(browser, html, "correct")
    assert len(reviewing.reviews(workspace=workspace)) == 1


def test_going_back_changes_ones_mind_and_keeps_both(
    browser: TestClient, workspace: Path, queue: str
) -> None:
    html = browser.get(queue).text
    first = fields(html)["action"]
    answer(browser, html, "correct")
    again = browser.get(f"{queue}/back").text
    assert fields(again)["action"] == first
    assert "You said correct" in again
    answer(browser, again, "incorrect")
    assert [review["answer"] for review in reviewing.reviews(workspace=workspace)] == ["correct", "incorrect"]


def test_a_skipped_output_comes_again_at_the_end(browser: TestClient, queue: str) -> None:
    seen = []
    address = queue
    for _ in range(4):
        html = browser.get(address).text
        seen.append(fields(html)["action"])
        address = re.findall(r'data-key="s" href="([^"]*)"', html)[0].replace("&amp;", "&")
    assert len(set(seen)) == 3
    assert seen[0] == seen[3]


def test_a_correction_is_kept_as_exports_read_it(browser: TestClient, workspace: Path, queue: str) -> None:
    answer(browser, browser.get(queue).text, "incorrect", note="odd", correction=" Ele\ncorreu. ")
    assert reviewing.reviews(workspace=workspace)[0]["note"] == "odd\nfix: Ele correu."


def test_an_answer_that_is_none_is_refused_and_nothing_kept(
    browser: TestClient, workspace: Path, queue: str
) -> None:
    form = fields(browser.get(queue).text)
    response = browser.post(form.pop("action"), data={**form, "answer": "maybe"})
    assert response.status_code == 400
    assert "&#39;maybe&#39; is no answer" in response.text
    assert not reviewing.reviews(workspace=workspace)


def test_lists_are_filtered(browser: TestClient, workspace: Path) -> None:
    address = f"/browse/{run_of(workspace)}/suite"
    for query, count in (
        ("", 4),
        ("?system=gamma", 4),
        ("?phenomenon=Past", 2),
        ("?verdict=correct", 1),
        ("?text=ninguém", 1 + 1),
        ("?text=%25", 0),
        ("?answer=open", 4),
        ("?answer=correct", 0),
        ("?reviewer=lena", 0),
    ):
        assert f"<p>{count} output" in browser.get(address + query).text, query


def test_lists_name_systems_only_where_that_was_asked_for(browser: TestClient, workspace: Path) -> None:
    address = f"/browse/{run_of(workspace)}/suite"
    html = browser.get(address).text
    assert not {"alpha", "beta", "gamma"} & set(re.findall(r"\w+", html))
    assert "mtassay serve --show-systems" in html
    with client_of(workspace, show_systems=True) as seeing:
        html = seeing.get(address).text
        assert {"alpha", "beta", "gamma"} <= set(re.findall(r"\w+", html))
        assert "--show-systems" not in html
        for query, count in (("?system=alpha", 2), ("?system=gamma", 1)):
            assert f"<p>{count} output" in seeing.get(address + query).text, query


def test_home_names_the_suite_and_no_system(browser: TestClient, workspace: Path, queue: str) -> None:
    browser.get(queue)
    html = browser.get("/").text
    assert f"suite Portuguese <small>{run_of(workspace)}</small>" in html
    assert not {"alpha", "beta", "gamma"} & set(re.findall(r"\w+", html))


def test_going_back_shows_ones_own_note_and_correction(browser: TestClient, queue: str) -> None:
    first = browser.get(queue).text
    assert 'data-key="n" value=""' in first
    answer(browser, first, "unsure", note="first thought")
    again = browser.get(f"{queue}/back").text
    answer(browser, again, "incorrect", note='odd "word"', correction="Ele correu.")
    html = browser.get(f"{queue}/back").text
    assert 'data-key="n" value="odd &#34;word&#34;"' in html
    assert ">Ele correu.</textarea>" in html


def test_a_card_that_was_settled_since_says_so(browser: TestClient, workspace: Path, queue: str) -> None:
    html = browser.get(queue).text
    assert '<span class="status">undecided</span>' in html
    answer(browser, html, "incorrect")
    html = browser.get(f"{queue}/back").text
    assert "settled: incorrect, was undecided" in html
    assert '<span class="status">undecided</span>' not in html


def test_what_others_settled_is_not_told_before_one_has_answered(
    browser: TestClient, workspace: Path, queue: str
) -> None:
    entry = reviewing.pending(workspace=workspace).waiting[0]
    reviewing.decide("incorrect", entry.subject.id, reviewer="ben", workspace=workspace)
    html = browser.get(f"{queue}?double=1").text
    while f'data-card="{entry.subject.id}"' not in html:
        html = browser.get(re.findall(r'data-key="s" href="([^"]*)"', html)[0].replace("&amp;", "&")).text
    assert '<span class="calm">settled, was ' in html


def test_what_is_decided_is_found_by_answer_and_reviewer(
    browser: TestClient, workspace: Path, queue: str
) -> None:
    answer(browser, browser.get(queue).text, "correct")
    address = f"/browse/{run_of(workspace)}/suite"
    assert "<p>1 output" in browser.get(f"{address}?answer=correct&reviewer=lena").text
    assert "<p>3 outputs" in browser.get(f"{address}?answer=open").text


def test_what_came_in_by_the_command_line_counts_at_once(
    browser: TestClient, workspace: Path, queue: str
) -> None:
    browser.get(queue)
    for entry in reviewing.pending(reviewer="ben", workspace=workspace).waiting[:2]:
        reviewing.decide("correct", entry.subject.id, reviewer="ben", workspace=workspace)
    assert "1 open" in browser.get(queue).text
    reviewing.decide("incorrect", entry.subject.id, reviewer="ann", workspace=workspace)
    assert "2 open" in browser.get(queue).text  # disputed, so it waits again


@pytest.mark.parametrize(
    "path", ["/runs/none/suite", "/runs/none/none/cards/x", "/browse/x/suite", "/nothing"]
)
def test_what_is_not_there_is_a_page_that_says_so(browser: TestClient, path: str) -> None:
    response = browser.get(path)
    assert response.status_code == 404
    assert "<h1>That did not work</h1>" in response.text


def test_home_tells_progress_pace_and_agreement(browser: TestClient, workspace: Path, queue: str) -> None:
    waiting = [entry.subject for entry in reviewing.pending(workspace=workspace).waiting]
    times = ("10:00:00", "10:00:08", "10:00:20")
    said = {"ann": ("correct", "correct", "incorrect"), "ben": ("correct", "incorrect", "unsure")}
    reviews = [
        Review(subject.id, "suite", answer, name, at=f"2026-01-01T{at}+00:00")
        for name, answers in said.items()
        for subject, answer, at in zip(waiting, answers, times, strict=True)
    ]
    Workspace(workspace).add_reviews(reviews, waiting)
    browser.get(queue)
    home = " ".join(re.sub("<[^>]+>", " ", browser.get("/").text).split())
    # By hand: gaps of 8 and 12 seconds; of two outputs that both answered they agree on one.
    assert "ann 3 10.0 s n = 2 ben 3 10.0 s n = 2" in home
    told = " ".join(re.sub("<[^>]+>", " ", browser.get(f"{queue}/agreement").text).split())
    assert "Agreement of 2 reviewers on 2 outputs that two or more answered: 50% [0%, 100%]" in told
    assert "1 disputed" in home


class Slow(Workspace):
    """A workspace in which somebody else is faster: the queue is there when this one has looked for runs."""

    def runs(self) -> list[Run]:
        runs = super().runs()
        prepare(Workspace(self.path), runs[0].id)
        return runs


def test_who_comes_second_to_a_new_run_gets_its_agenda(workspace: Path) -> None:
    assert review_cards.open_queue(Slow(workspace), run_of(workspace), "suite").total == 4


# What is in the workspace -----------------------------------------------------------------------------------


def test_the_first_page_lists_saved_runs_and_what_waits(browser: TestClient, workspace: Path) -> None:
    html = browser.get("/").text
    assert f'name="run" value="{run_of(workspace)}"' in html
    assert f'href="/history?run={run_of(workspace)}"' in html
    assert "What waits" in html


def test_the_report_of_a_saved_run_is_the_one_that_the_command_writes(
    browser: TestClient, workspace: Path, tmp_path: Path
) -> None:
    run = run_of(workspace)
    served = browser.get(f"/report?run={run}")
    path = mtassay.write_report(run, tmp_path / "report.html", themes=False, workspace=workspace)
    written = path.read_text("utf-8")
    main = re.compile(r"<main.*</main>", re.DOTALL)
    assert main.findall(served.text) == main.findall(written)
    policy = served.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors 'none'")
    assert "unsafe" not in policy
    assert policy.partition("; frame")[0] in html_text.unescape(written)


def test_a_report_says_what_gates_say_and_what_changed(browser: TestClient, workspace: Path) -> None:
    run = run_of(workspace)
    gated = browser.get("/report", params={"run": run, "rules": "accuracy/micro >= 99 %"}).text
    assert "accuracy/micro &gt;= 99 %" in gated
    refused = browser.get(f"/report?run={run}&against=none")
    assert refused.status_code == 400
    assert browser.get("/report?run=nothing").status_code == 400
    assert browser.get("/report").status_code == 422


def test_systems_are_followed_over_their_runs(browser: TestClient, workspace: Path) -> None:
    page = browser.get(f"/history?run={run_of(workspace)}").text
    assert "Over time" in page
    assert all(f'<caption data-plain="name">{system}: ' in page for system in ("alpha", "beta", "gamma"))
    assert browser.get("/history?run=none").status_code == 400

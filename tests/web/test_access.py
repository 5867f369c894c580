"""Who gets in, and what no request may do."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mtassay.app import access, campaign_work, reviewing
from mtassay.app.web.application import make_application
from mtassay.app.web.server import HEADERS, LARGEST_BODY, serve
from mtassay.app.web.visits import Site
from mtassay.data.errors import UsageError
from tests.web.conftest import client_of
from tests.web.test_pages import fields, run_of


def test_the_local_person_is_admin_while_nobody_is_invited(browser: TestClient, workspace: Path) -> None:
    assert browser.get("/api/me").json()["role"] == "admin"
    access.invite("anna", workspace=workspace)
    assert browser.get("/api/me").status_code == 401
    assert browser.get("/").status_code == 401


def test_a_link_lets_its_person_in_until_it_is_revoked(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    with client_of(workspace) as browser:
        page = browser.get(f"/enter/{secret}")
        cookie = page.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        me = browser.get("/api/me").json()
        assert (me["name"], me["role"]) == ("anna", "reviewer")
        access.revoke("anna", workspace=workspace)
        access.invite("ben", workspace=workspace)
        assert browser.get("/").status_code == 401
        assert browser.get(f"/enter/{secret}").status_code == 401


def test_a_link_can_end_by_itself_or_lead_into_one_campaign(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna,ben", workspace=workspace)
    campaign_work.create("autumn", reviewers="anna,ben", workspace=workspace)
    ended = access.invite("ben", days=-1, workspace=workspace)
    anna = access.invite("anna", days=2, campaign="spring", workspace=workspace)
    with client_of(workspace) as browser:
        assert browser.get(f"/enter/{ended}").status_code == 401
        assert browser.get(f"/enter/{anna}").status_code == 200
        assert "spring" in browser.get("/").text
        assert "autumn" not in browser.get("/").text
        assert browser.get("/campaign/next?name=spring").status_code == 200
        assert browser.get("/campaign/next?name=autumn").status_code == 404
        for path in (f"/runs/{run_of(workspace)}/suite", "/report?run=last", "/api/runs"):
            assert browser.get(path).status_code == 403
    deeds = [(who, deed) for _, who, deed in access.journal(workspace=workspace)]
    assert deeds == [
        ("ben", "was invited as reviewer"),
        ("anna", "was invited as reviewer to spring"),
        ("anna", "came in"),
    ]


PRIVATE = ("/", "/campaigns", "/report?run=last", "/history?run=last", "/api/me", "/api/runs")


@pytest.mark.parametrize("name", ["127.0.0.1", "review.example.org"])
def test_the_page_stays_closed_when_the_last_invitation_is_revoked(workspace: Path, name: str) -> None:
    secret = access.invite("anna", admin=True, workspace=workspace)
    hosts = () if name == "127.0.0.1" else (name,)
    with client_of(workspace, hosts=hosts) as anna, client_of(workspace, hosts=hosts) as stranger:
        for browser in (anna, stranger):
            browser.base_url = f"http://{name}:8765"
        anna.get(f"/enter/{secret}")
        assert anna.get("/api/me").json()["role"] == "admin"
        form = fields(anna.get(f"/runs/{run_of(workspace)}/suite").text)
        access.revoke("anna", workspace=workspace)
        for browser in (anna, stranger):
            assert {path: browser.get(path).status_code for path in PRIVATE} == dict.fromkeys(PRIVATE, 401)
        assert anna.post(form.pop("action"), data={**form, "answer": "correct"}).status_code == 401
        assert anna.get(f"/enter/{secret}").status_code == 401
        bearer = {"authorization": f"Bearer {secret}"}
        assert stranger.get("/api/me", headers=bearer).status_code == 401
    assert access.invitations(workspace=workspace) == []
    assert not reviewing.reviews(workspace=workspace)


@pytest.mark.parametrize("name", ["review.example.org", "127.0.0.1", "localhost"])
def test_a_server_with_another_name_is_never_open(workspace: Path, name: str) -> None:
    with client_of(workspace, hosts=("review.example.org",)) as browser:
        host = {"host": name}  # a proxy may name the machine that it asks
        assert {path: browser.get(path, headers=host).status_code for path in PRIVATE} == dict.fromkeys(
            PRIVATE, 401
        )


def test_other_names_of_this_machine_leave_the_page_open(workspace: Path) -> None:
    with client_of(workspace, hosts=("localhost", "::1")) as browser:
        assert browser.get("/", headers={"host": "[::1]:8765"}).status_code == 200


@pytest.mark.parametrize("header", ["forwarded", "via", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"])
def test_who_comes_through_a_proxy_is_not_the_local_person(browser: TestClient, header: str) -> None:
    assert browser.get("/api/me", headers={header: "127.0.0.1"}).status_code == 401


def test_behind_a_proxy_with_https_the_cookie_is_for_https_and_answers_are_taken(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    application = make_application(Site(workspace, "127.0.0.1", 8765, "lena", hosts=("review.example.org",)))

    async def proxy(scope: Any, receive: Any, send: Any) -> None:
        await application({**scope, "scheme": "http"}, receive, send)

    sent_by_proxy = {"x-forwarded-proto": "https"}
    with TestClient(proxy, base_url="https://review.example.org", headers=sent_by_proxy) as browser:
        assert "; secure" in browser.get(f"/enter/{secret}").headers["set-cookie"].lower()
        form = fields(browser.get(f"/runs/{run_of(workspace)}/suite").text)
        action, form = form.pop("action"), {**form, "answer": "correct"}
        for origin, status in (("https://evil.example", 403), ("https://review.example.org", 303)):
            sent = browser.post(action, data=form, headers={"origin": origin}, follow_redirects=False)
            assert sent.status_code == status


def test_a_revoked_person_can_be_invited_and_revoked_again(workspace: Path) -> None:
    old = access.invite("anna", workspace=workspace)
    access.revoke("anna", workspace=workspace)
    with pytest.raises(UsageError, match=r"No invitation for 'anna'. Invited: nobody\."):
        access.revoke("anna", workspace=workspace)
    new = access.invite("anna", workspace=workspace)
    with client_of(workspace) as browser:
        for secret, status in ((old, 401), (new, 200)):
            bearer = {"authorization": f"Bearer {secret}"}
            assert browser.get("/api/me", headers=bearer).status_code == status


def test_only_who_asks_for_it_opens_a_closed_page_again(workspace: Path) -> None:
    access.invite("anna", workspace=workspace)
    with pytest.raises(UsageError, match="Still invited: anna"):
        serve(workspace, port=0, reopen=True)
    access.revoke("anna", workspace=workspace)
    with pytest.raises(UsageError, match=r"All invitations .* were revoked.*mtassay serve --reopen"):
        serve(workspace, port=0)
    with pytest.raises(UsageError, match=r"--reopen is only for this machine, not for review\.example\.org"):
        serve(workspace, port=0, hosts=["review.example.org"], reopen=True)
    with client_of(workspace) as browser:
        assert browser.get("/").status_code == 401
        access.reopen(workspace=workspace)
        assert browser.get("/api/me").json()["role"] == "admin"


def test_a_new_link_makes_the_old_one_worthless(workspace: Path) -> None:
    old = access.invite("anna", workspace=workspace)
    new = access.invite("anna", admin=True, workspace=workspace)
    with client_of(workspace) as browser:
        assert browser.get("/api/me", headers={"authorization": f"Bearer {old}"}).status_code == 401
        me = browser.get("/api/me", headers={"authorization": f"Bearer {new}"}).json()
        assert (me["name"], me["role"]) == ("anna", "admin")


def test_the_workspace_does_not_hold_the_secret(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    rows = sqlite3.connect(workspace).execute("SELECT * FROM invitations").fetchall()
    assert secret not in str(rows)
    assert len(rows) == 1


@pytest.mark.parametrize("token", ["", "x", "local-" + "x" * 50, "'; DROP TABLE invitations; --", "é" * 100])
def test_a_forged_token_opens_nothing(workspace: Path, token: str) -> None:
    access.invite("anna", workspace=workspace)
    with client_of(workspace) as browser:
        browser.cookies.set("mtassay_8765", token.encode().hex() if "é" in token else token)
        assert browser.get("/").status_code == 401
        bearer = {"authorization": f"Bearer {token}".encode()}
        assert browser.get("/api/runs", headers=bearer).status_code == 401
        assert browser.get(f"/enter/{token}").status_code in (401, 404)


def test_without_its_csrf_token_nothing_changes(browser: TestClient, workspace: Path) -> None:
    form = fields(browser.get(f"/runs/{run_of(workspace)}/suite").text)
    action = form.pop("action")
    for csrf in ("", "0" * 64, "é"):
        sent = browser.post(action, data={**form, "csrf": csrf, "answer": "correct"})
        assert sent.status_code == 403, csrf
    assert browser.post(f"/api{action}", json={"answer": "correct"}).status_code == 403
    assert not reviewing.reviews(workspace=workspace)


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}],
)
def test_a_form_on_another_site_changes_nothing(
    browser: TestClient, workspace: Path, headers: dict[str, str]
) -> None:
    form = fields(browser.get(f"/runs/{run_of(workspace)}/suite").text)
    assert browser.post(form.pop("action"), data={**form, "answer": "c"}, headers=headers).status_code == 403
    assert not reviewing.reviews(workspace=workspace)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", "127.0.0.1:x"])
def test_a_request_must_name_the_host_that_is_bound(browser: TestClient, host: str) -> None:
    assert browser.get("/", headers={"host": host}).status_code == 421
    assert browser.get("/", headers={"host": "localhost:8765"}).status_code == 200


def test_every_answer_has_its_headers(browser: TestClient) -> None:
    for path in ("/", "/nothing", "/static/review.css", "/api/runs", "/api/openapi.json"):
        headers = browser.get(path).headers
        assert {key: headers[key] for key in HEADERS} == HEADERS, path
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_a_large_body_is_refused(browser: TestClient, workspace: Path) -> None:
    form = fields(browser.get(f"/runs/{run_of(workspace)}/suite").text)
    action = form.pop("action")
    assert browser.post(action, data={**form, "note": "x" * LARGEST_BODY}).status_code == 413

    def parts():  # type: ignore[no-untyped-def]  # a body whose length is not said before
        for _ in range(100):
            yield b"note=" + b"x" * 1000

    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert browser.post(action, content=parts(), headers=kind).status_code == 413


def test_scripts_in_outputs_are_shown_as_text(workspace: Path, tmp_path: Path) -> None:
    with client_of(workspace) as browser:
        html = browser.get(f"/runs/{run_of(workspace)}/suite?category=<script>alert(1)</script>").text
        assert "<script>alert" not in html
        assert "\x1b" not in browser.get(f"/runs/{run_of(workspace)}/suite").text


@pytest.mark.parametrize("path", ["/static/../pages.py", "/static/%2e%2e/pages.py", "/static/..%2fpages.py"])
def test_no_path_leads_out_of_the_static_files(browser: TestClient, path: str) -> None:
    assert browser.get(path).status_code == 404


@pytest.mark.parametrize(
    ("host", "hosts"), [("0.0.0.0", []), ("127.0.0.1", ["review.example.org"]), ("127.0.0.1", ["10.0.0.1"])]
)
def test_other_names_need_an_invitation_first(workspace: Path, host: str, hosts: list[str]) -> None:
    for _ in range(2):
        with pytest.raises(UsageError, match="nobody is invited: mtassay review invite NAME --admin"):
            serve(workspace, host=host, hosts=hosts, port=0)
        access.invite("anna", workspace=workspace)
        access.revoke("anna", workspace=workspace)


def test_no_address_is_told_of_a_server_that_is_stopped_while_it_starts(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        signal.raise_signal(signal.SIGINT)  # Ctrl-C
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    monkeypatch.setattr("mtassay.app.web.application.make_application", lambda site, watches: application)
    told: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        serve(workspace, port=0, listen=told.append)
    assert told == []


def test_on_another_host_nobody_is_let_in_without_a_link(workspace: Path) -> None:
    with client_of(workspace, host="192.0.2.1") as browser:
        assert browser.get("/").status_code == 401


def test_a_reviewer_does_not_see_systems_nor_what_others_said(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    run = run_of(workspace)
    entry = reviewing.pending(workspace=workspace).waiting[0]
    reviewing.decide("correct", entry.subject.id, reviewer="zoe", workspace=workspace)
    with client_of(workspace) as browser:
        browser.get(f"/enter/{secret}")
        html = browser.get(f"/browse/{run}/suite").text
        assert "beta" not in html
        assert "holds: correct" not in html
        card = browser.get(f"/runs/{run}/suite/cards/{entry.subject.id}").text
        assert "zoe" not in card
        form = fields(card)
        browser.post(form.pop("action"), data={**form, "answer": "incorrect"})
        card = browser.get(f"/runs/{run}/suite/cards/{entry.subject.id}").text
        assert "<b>correct</b> reviewer 1" in card
        assert "zoe" not in card + browser.get("/").text


def test_a_filter_by_answer_is_about_ones_own_answers_for_who_may_not_see_others(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    run = run_of(workspace)
    entry = reviewing.pending(workspace=workspace).waiting[0]
    reviewing.decide("correct", entry.subject.id, reviewer="zoe", workspace=workspace)
    with client_of(workspace) as browser:
        browser.get(f"/enter/{secret}")
        assert "<p>0 outputs" in browser.get(f"/browse/{run}/suite?answer=correct").text
        assert "<p>4 outputs" in browser.get(f"/browse/{run}/suite?answer=open").text
        listed = f"/api/runs/{run}/suite/cards?answer="
        assert browser.get(f"{listed}correct").json()["total"] == 0
        form = fields(browser.get(f"/runs/{run}/suite/cards/{entry.subject.id}").text)
        browser.post(form.pop("action"), data={**form, "answer": "incorrect"})
        assert "<p>1 output" in browser.get(f"/browse/{run}/suite?answer=incorrect").text
        assert browser.get(f"{listed}open").json()["total"] == 3


def test_the_first_page_does_not_name_systems_to_a_reviewer(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    with client_of(workspace) as browser:
        browser.get(f"/enter/{secret}")
        browser.get(f"/runs/{run_of(workspace)}/suite")
        html = browser.get("/").text
        assert "Review 3 open" in html
        assert "alpha" not in html

"""The interface for programs."""

from __future__ import annotations

from pathlib import Path

from fastapi.testclient import TestClient

from mtassay.app import access, reviewing
from tests.web.conftest import client_of
from tests.web.test_pages import run_of


def test_a_program_reviews_with_its_token(workspace: Path) -> None:
    secret = access.invite("anna", workspace=workspace)
    queue = f"/api/runs/{run_of(workspace)}/suite"
    with client_of(workspace) as client:
        client.headers["authorization"] = f"Bearer {secret}"
        seen = []
        while card := client.get(f"{queue}/next").json():
            sent = {"answer": "correct", "id": f"mine-{len(seen)}"}
            kept = client.post(f"{queue}/cards/{card['subject']}", json=sent).json()
            assert kept == {"answer": "correct", "holds": "correct", "is_disputed": False, "is_new": True}
            seen.append(card["subject"])
        assert len(set(seen)) == 3
        again = client.post(f"{queue}/cards/{seen[-1]}", json={"answer": "correct", "id": "mine-2"}).json()
        assert again["is_new"] is False
        other = client.post(f"{queue}/cards/{seen[0]}", json={"answer": "correct", "id": "mine-2"})
        assert other.status_code == 400
    assert len(reviewing.reviews(workspace=workspace)) == 3


def test_a_page_of_ours_uses_the_token_of_its_person(browser: TestClient, workspace: Path) -> None:
    queue = f"/api/runs/{run_of(workspace)}/suite"
    me = browser.get("/").cookies and browser.get("/api/me").json()
    subject = browser.get(f"{queue}/next").json()["subject"]
    headers = {"x-csrf-token": me["csrf"]}
    kept = browser.post(f"{queue}/cards/{subject}", json={"answer": "i"}, headers=headers)
    assert kept.json()["answer"] == "incorrect"


def test_lists_are_paged(browser: TestClient, workspace: Path) -> None:
    queue = f"/api/runs/{run_of(workspace)}/suite/cards"
    first = browser.get(f"{queue}?limit=3").json()
    rest = browser.get(f"{queue}?limit=3&offset=3").json()
    assert (first["total"], len(first["cards"]), len(rest["cards"])) == (4, 3, 1)
    assert len({card["subject"] for card in first["cards"] + rest["cards"]}) == 4


def test_the_interface_describes_itself(browser: TestClient) -> None:
    paths = browser.get("/api/openapi.json").json()["paths"]
    assert "/api/runs/{run}/{question}/next" in paths
    assert not [path for path in paths if not path.startswith("/api/")]
    assert browser.get("/docs").status_code == 404

"""Suites in the browser: begun in an empty folder, written, approved by a second person, proposed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from mtassay.app import access
from mtassay.data.formats.suite_files import read_suite
from mtassay.runtime.workspace import Workspace
from tests.cli.reviewing import save_run
from tests.web.conftest import client_of
from tests.web.test_pages import run_of

ITEM = {
    "category": "Negation",
    "phenomenon": "Scope",
    "source": "Not everybody came.",
    "positive": "nem todos\nnem toda a gente",
    "negative": "ninguém",
    "references": "Nem todos vieram.",
    "right": "Nem todos vieram mesmo.",
    "wrong": "Ninguém veio.",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    Workspace(tmp_path / ".mtassay" / "workspace.db").close()
    return tmp_path


def enter(place: Path, name: str, *, admin: bool = True) -> TestClient:
    path = place / ".mtassay" / "workspace.db"
    client = client_of(path)
    assert client.get(f"/enter/{access.invite(name, admin=admin, workspace=path)}").status_code == 200
    return client


def send(client: TestClient, page: str, path: str, **fields: str) -> str:
    csrf = re.search(r'name="csrf" value="([^"]+)"', client.get(page).text)
    assert csrf
    return str(client.post(path, data={"csrf": csrf[1], **fields}).text)


def test_a_suite_is_begun_and_written_in_an_empty_folder(place: Path) -> None:
    anna, ben = enter(place, "anna"), enter(place, "ben")
    assert "There is no suite in this folder yet." in anna.get("/suites").text
    send(anna, "/suites", "/suites", name="verbs", langpair="en-pt")
    for number in range(5):
        source = f"Not everybody came {number} times."
        said = send(anna, "/suites/verbs", "/suites/verbs", **{**ITEM, "source": source})
        assert "Added negation-scope-00" in said
    suite = read_suite(place / "verbs.yaml")
    assert (len(suite.items), suite.langpair) == (5, "en-pt")
    first = suite.items[0]
    assert [rule.text for rule in first.positive_tokens] == ["Nem todos vieram mesmo."]
    assert [rule.text for rule in first.negative_regex] == ["ninguém"]
    before = (place / "verbs.yaml").read_text()
    own = send(anna, "/suites/verbs", f"/suites/verbs?item={first.id}", act="approve")
    assert "another person must approve" in own
    send(ben, "/suites/verbs", f"/suites/verbs?item={first.id}", act="approve")
    assert "<td>by ben</td>" in anna.get("/suites/verbs").text
    after = (place / "verbs.yaml").read_text()
    assert set(after.splitlines()) - set(before.splitlines()) == {"    approver: ben"}
    send(anna, "/suites/verbs", f"/suites/verbs?item={first.id}", note="after a quantifier")
    changed = read_suite(place / "verbs.yaml").items[0]
    assert (changed.note, changed.approver, changed.is_draft) == ("after a quantifier", "", True)
    deeds = [
        deed for _, who, deed in access.journal(workspace=place / ".mtassay/workspace.db") if who == "ben"
    ]
    assert deeds[-1] == f"verbs: Approved {first.id}."


def test_nobody_changes_or_approves_an_item_that_somebody_else_has_changed_meanwhile(place: Path) -> None:
    anna, ben = enter(place, "anna"), enter(place, "ben")
    send(anna, "/suites", "/suites", name="verbs", langpair="en-pt")
    send(anna, "/suites/verbs", "/suites/verbs", **ITEM)
    page = "/suites/verbs?item=negation-scope-001"
    (seen, *_) = re.findall(r'name="version" value="([^"]+)"', ben.get(page).text)
    send(anna, page, page, note="from anna")
    for sent in ({"act": "approve"}, {"note": "from ben"}):
        assert "Somebody has changed this item" in send(ben, page, page, version=seen, **sent)
    (item,) = read_suite(place / "verbs.yaml").items
    assert (item.note, item.is_draft) == ("from anna", True)
    (seen, *_) = re.findall(r'name="version" value="([^"]+)"', ben.get(page).text)
    assert "Approved" in send(ben, page, page, version=seen, act="approve")


def test_outputs_are_judged_in_the_browser_and_what_is_open_waits_for_people(place: Path) -> None:
    anna, ben = enter(place, "anna"), enter(place, "ben", admin=False)
    send(anna, "/suites", "/suites", name="verbs", langpair="en-pt")
    for source in ("Not everybody came.", "Not everybody went."):
        send(anna, "/suites/verbs", "/suites/verbs", **{**ITEM, "source": source})
    sent = {"system": "nmt", "outputs": "Nem todos vieram hoje.\r\nPouca gente foi."}
    assert "Judged 2 outputs of nmt: 1 correct, 1 to settle." in send(
        anna, "/suites/verbs", "/suites/verbs", act="judge", **sent
    )
    run = run_of(place / ".mtassay" / "workspace.db")
    assert ben.get(f"/api/runs/{run}/suite/next").json()["output"] == "Pouca gente foi."
    said = send(anna, "/suites/verbs", "/suites/verbs", act="judge", system="nmt", outputs="one")
    assert "2 items, but 1 line: write one for each item." in said
    assert "Only admins change suites" in send(ben, "/suites/verbs", "/suites/verbs", act="judge", **sent)


def test_an_example_that_the_expressions_judge_otherwise_is_refused(place: Path) -> None:
    anna = enter(place, "anna")
    send(anna, "/suites", "/suites", name="verbs", langpair="en-pt")
    said = send(anna, "/suites/verbs", "/suites/verbs", **{**ITEM, "right": "Ninguém veio ontem."})
    assert "The expressions call" in said
    assert read_suite(place / "verbs.yaml").items == ()
    for wrong in ("../x", "a b", ""):
        assert 'class="problem"' in send(anna, "/suites", "/suites", name=wrong, langpair="en-pt")
    assert [path.name for path in place.glob("*.yaml")] == ["verbs.yaml"]


def test_what_others_propose_waits_for_an_editor(place: Path) -> None:
    anna, carla = enter(place, "anna"), enter(place, "carla", admin=False)
    send(anna, "/suites", "/suites", name="verbs", langpair="en-pt")
    assert "New suite" not in carla.get("/suites").text
    assert carla.post("/suites", data={"csrf": "x", "name": "mine", "langpair": "en-pt"}).status_code == 403
    said = send(carla, "/suites/verbs", "/suites/verbs", **ITEM)
    assert "Proposed: an admin will look at it." in said
    assert read_suite(place / "verbs.yaml").items == ()
    page = anna.get("/suites").text
    assert "by carla" in page
    (number,) = re.findall(r'action="/proposals/(\d+)"', page)
    assert "Added" in send(anna, "/suites", f"/proposals/{number}", act="accept")
    (item,) = read_suite(place / "verbs.yaml").items
    assert item.author == "carla"
    assert "settled already" in send(anna, "/suites", f"/proposals/{number}", act="accept")
    assert "Approved" in send(anna, "/suites/verbs", f"/suites/verbs?item={item.id}", act="approve")


def test_a_rule_that_a_reviewer_proposes_is_tried_before_an_editor_accepts_it(tmp_path: Path) -> None:
    save_run(tmp_path)
    path = tmp_path / ".mtassay" / "workspace.db"
    run = run_of(path)
    carla, anna = enter(tmp_path, "carla", admin=False), enter(tmp_path, "anna")
    cards = carla.get(f"/api/runs/{run}/suite/cards").json()["cards"]
    card = next(card for card in cards if card["status"] == "undecided")
    before = (tmp_path / "suite.yaml").read_text(encoding="utf-8")
    page = f"/runs/{run}/suite/cards/{card['subject']}"
    word = max(re.findall(r"\w+", card["output"]), key=len)
    said = send(carla, page, f"{page}/rule", pattern=rf"\b{word}\b", kind="correct")
    assert "Proposed" in said
    assert (tmp_path / "suite.yaml").read_text(encoding="utf-8") == before
    listed = anna.get("/suites").text
    assert "it settles 1" in listed
    assert "it settles" not in carla.get("/suites").text, "others' answers could be told from it"
    (number,) = re.findall(r'action="/proposals/(\d+)"', listed)
    send(anna, "/suites", f"/proposals/{number}", act="accept")
    rules = [rule for item in read_suite(tmp_path / "suite.yaml").items for rule in item.positive_regex]
    assert [(rule.text, rule.author) for rule in rules if rule.author == "carla"] == [
        (rf"\b{word}\b", "carla")
    ]


def test_rules_come_and_go_on_the_page_of_an_item_and_only_their_lines_change(place: Path) -> None:
    anna, ben = enter(place, "anna"), enter(place, "ben")
    send(anna, "/suites", "/suites", name="verbs", langpair="en-pt")
    send(anna, "/suites/verbs", "/suites/verbs", **ITEM)
    page = "/suites/verbs?item=negation-scope-001"
    send(ben, page, page, act="approve")
    before = (place / "verbs.yaml").read_text().splitlines()
    tried = send(ben, page, page, act="try", positive="nem todos\nnem toda", negative="ninguém|nem todos v")
    assert "conflict" in tried
    assert "contradicted" in tried
    assert (place / "verbs.yaml").read_text().splitlines() == before
    said = send(ben, page, page, positive="nem todos\nnem toda", negative="ninguém")
    assert "Changed negation-scope-001." in said
    after = (place / "verbs.yaml").read_text().splitlines()
    assert set(before) - set(after) == {"      - regex: nem toda a gente", "    approver: ben"}
    assert set(after) - set(before) == {"      - regex: nem toda", "        author: ben", "    approver: ''"}
    (item,) = read_suite(place / "verbs.yaml").items
    assert [(r.text, r.author) for r in item.positive_regex] == [("nem todos", "anna"), ("nem toda", "ben")]
    for broken, why in (("nem (", "bad pattern"), ("veio", "The expressions call")):
        assert why in send(anna, page, page, positive=broken, negative="")
    assert "An item needs a source." in send(anna, page, page, source=" ")
    assert read_suite(place / "verbs.yaml").items == (item,)


def test_a_macro_is_set_unless_a_rule_could_not_be_read_any_more(place: Path) -> None:
    anna = enter(place, "anna")
    send(anna, "/suites", "/suites", name="verbs", langpair="en-pt")
    set_macro = {"act": "macro", "macro": "nobody"}
    send(anna, "/suites/verbs", "/suites/verbs", **set_macro, pattern="ninguém|nenhum")
    send(anna, "/suites/verbs", "/suites/verbs", **{**ITEM, "negative": "{{nobody}} veio"})
    send(anna, "/suites/verbs", "/suites/verbs", **set_macro, pattern="ninguém")
    said = send(anna, "/suites/verbs", "/suites/verbs", **set_macro, pattern="(ninguém")
    assert "bad pattern" in said
    suite = read_suite(place / "verbs.yaml")
    assert suite.macros == {"nobody": "ninguém"}
    assert "# macros:" in (place / "verbs.yaml").read_text(), "comments stay"


def test_people_are_invited_in_the_browser_and_who_invites_stays_in(place: Path) -> None:
    with client_of(place / ".mtassay" / "workspace.db") as lena:
        page = send(lena, "/people", "/people", name="ben", role="reviewer")
        bens, own = re.findall(r"<code>http://127.0.0.1:8765(/enter/[\w-]+)</code>", page)
        me = lena.get("/api/me").json()
        assert (me["name"], me["role"]) == ("lena", "admin")
        with client_of(place / ".mtassay" / "workspace.db") as ben:
            assert ben.get("/").status_code == 401
            ben.get(bens)
            assert ben.get("/people").status_code == 403
            send(lena, "/people", "/people", name="ben", act="revoke")
            assert ben.get("/").status_code == 401
            ben.get(own)
            assert ben.get("/api/me").json()["name"] == "lena"
        assert "Another admin" in send(lena, "/people", "/people", name="lena", act="revoke")
        assert "That is you" in send(lena, "/people", "/people", name="lena", role="reviewer")
        assert lena.get("/people").status_code == 200

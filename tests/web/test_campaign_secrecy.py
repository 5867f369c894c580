"""No page shows a reviewer what another said before all who are to answer have done so."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from httpx import Response

from mtassay.app import access, campaign_work, library, review_cards
from mtassay.app.web.application import make_application
from mtassay.app.web.visits import Site
from mtassay.data.nouns import Review
from mtassay.runtime.workspace import Workspace
from tests.cli import conftest as command_line
from tests.cli.reviewing import SUITE
from tests.web.conftest import client_of

run = command_line.run

SECRET = "known to ben alone"
LATER = "2026-01-01T00:00:0{}+00:00"
ESA = '{{"spans": [{{"start": 0, "end": {0}, "label": "error", "severity": "minor"}}], "score": {0}0}}'
SAID = {"suite": ("correct", "incorrect", "unsure"), "esa": (ESA.format(1), ESA.format(4), "unsure")}
"""What anna says to each question, then what ben says in three worlds."""
QUERIES = [{}, {"double": "1", "last": "SUBJECT", "before": "SUBJECT", "item": "negation-1"}]
FILTERS = [
    *({"answer": answer} for answer in ("open", "disputed", "correct", "incorrect")),
    {"reviewer": "ben"},
    {"text": SECRET},
]
FORMS = [
    {"answer": "incorrect", "pattern": "x", "kind": "correct"},
    {"answer": "withdraw", "pattern": "falou", "kind": "incorrect", "act": "try", "source": "Nobody"},
    {"act": "accept", "name": "more", "langpair": "en-pt", "reviewers": "anna,ben,carla,rita"},
    {"act": "revoke", "name": "eve"},
]
"""What is sent to each address that takes a form: answers, rules, trials, settings."""
ROLES = ["anna", "carla", "rita", "dora", "eve", "frank", "gone", ""]
"""Who answered already, who is to answer, the same as an admin, who adjudicates, who is in no campaign, who
was invited to the campaign alone, who was shut out, and nobody."""
SEEING = ("anna", "carla", "rita")
"""Whose pages show most: of the second question only theirs are looked at each time."""


def routes_of(app: Any) -> list[APIRoute]:
    """All routes, also those of routers that FastAPI keeps whole."""
    parts = [getattr(route, "original_router", None) for route in app.routes]
    found = [*app.routes, *(route for part in parts if part is not None for route in part.routes)]
    routes = [route for route in found if isinstance(route, APIRoute)]
    assert len(routes) > 30
    return routes


class World:
    """One workspace in which ben answered in one way, and who looks at it."""

    def __init__(
        self, place: Path, run: str, question: str, subjects: list[str], secrets: dict[str, str]
    ) -> None:
        self.site = Site(place, "127.0.0.1", 8765, "lena")
        self.run, self.question, self.subjects, self.secrets = run, question, subjects, secrets
        self.guard = make_application(self.site)

    def client(self, name: str) -> TestClient:
        client = TestClient(self.guard, base_url="http://127.0.0.1:8765", raise_server_exceptions=False)
        if name:
            assert client.get(f"/enter/{self.secrets[name]}").status_code == (401 if name == "gone" else 200)
        return client

    def addresses(self, method: str) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Every address that takes a method: the path of its route, itself, and what can be in its query."""
        for route in routes_of(self.guard._app):
            if method not in route.methods:
                continue
            values = {
                "run": [self.run],
                "question": list(dict.fromkeys(["suite", self.question])),
                "subject": self.subjects,
                "secret": ["none"],
                "name": ["suite"],
                "number": ["1"],
            }
            names = re.findall(r"{(\w+)}", route.path)
            for chosen in product(*(values[name] for name in names)):
                path = route.path.format(**dict(zip(names, chosen, strict=True)))
                subjects = self.subjects if path.startswith("/campaign") else self.subjects[:1]
                is_list = path.startswith("/browse") or path.endswith("/cards")
                for query, subject in product([*QUERIES, *(FILTERS if is_list else [])], subjects):
                    here = {key: value.replace("SUBJECT", subject) for key, value in query.items()}
                    more = {"name": "spring", "subject": subject, "run": self.run}
                    yield route.path, path, {**more, **here}


@pytest.fixture
def worlds(workspace: Path, tmp_path: Path, request: pytest.FixtureRequest) -> list[World]:
    """Anna has answered one output; ben, of two, said one thing here and another there; carla nothing yet."""
    question, more = getattr(request, "param", ("suite", ""))
    store = Workspace(workspace)
    (run,) = (run.id for run in store.runs())
    campaign_work.create(
        *("spring", run),
        question=question,
        reviewers=f"anna,ben,carla{more}",
        adjudicators="dora",
        overlap=1,
        raters=4 if more else 3,
        seed=1,
        workspace=workspace,
    )
    review_cards.open_queue(store, run, "suite")
    people = ("anna", "ben", "carla", "dora", "eve", "gone")
    secrets = {name: access.invite(name, workspace=workspace) for name in people}
    access.revoke("gone", workspace=workspace)
    secrets["frank"] = access.invite("frank", campaign="spring", workspace=workspace)
    for admin in ("root", "rita"):
        secrets[admin] = access.invite(admin, admin=True, workspace=workspace)
    subjects = sorted(store.subjects().values(), key=lambda subject: subject.case_id)
    mine, other = subjects[0], subjects[1]  # two outputs to one source
    assert mine.case_id == other.case_id
    said = SAID[question]
    store.add_reviews([Review(mine.id, question, said[0], "anna", "mine", LATER.format(0))], [mine])
    made = []
    for number, answer in enumerate(said):
        folder = tmp_path / f"world-{number}"
        folder.mkdir()
        (folder / "suite.yaml").write_bytes((tmp_path / "suite.yaml").read_bytes())
        with sqlite3.connect(workspace) as source, sqlite3.connect(folder / "w.db") as copy:
            source.backup(copy)
        reviews = [
            Review(subject.id, question, answer, "ben", f"{SECRET} ({answer})", LATER.format(1 + at))
            for at, subject in enumerate((mine, other))
        ]
        Workspace(folder / "w.db").add_reviews(reviews, [mine, other])
        made.append(World(folder / "w.db", run, question, [mine.id, other.id, subjects[2].id], secrets))
    return made


def told(response: Response) -> str:
    """A page without what is drawn at random, or tells the time."""
    assert response.status_code < 500, (response.url, response.text)
    text = re.sub(r'name="id" value="[^"]*"|/enter/[\w-]+|\d\d:\d\d(:\d\d)?(\.\d+)?', "", response.text)
    return f"{response.status_code} {text}".replace(f'value="{SECRET}"', "")


@pytest.mark.parametrize(
    ("worlds", "name"),
    [
        pytest.param(
            (question, ",rita"), name, marks=[] if question == "suite" or name in SEEING else pytest.mark.slow
        )
        for question, name in product(("suite", "esa"), ROLES)
    ],
    indirect=["worlds"],
)
def test_no_page_depends_on_what_another_said_while_somebody_is_to_answer(
    worlds: list[World], name: str, tmp_path: Path
) -> None:
    """Every address of the application, by GET, then by POST with every form, as everybody who may come."""
    here = worlds[0]
    opened = set()
    with ExitStack() as stack:
        clients = [stack.enter_context(world.client(name)) for world in worlds]
        for route, path, query in here.addresses("GET"):
            pages = [told(client.get(path, params=query)) for client in clients]
            assert len(set(pages)) == 1, (path, query)
            assert SECRET not in pages[0], (path, query)
            opened |= {route} if pages[0].startswith(("200", "303")) else set()
        csrf = clients[0].get("/api/me").json().get("csrf", "")
        for (route, path, query), form in product(here.addresses("POST"), FORMS):
            # To end a campaign, to change who answers, and a last answer show what others said.
            if route in ENDS or (name == "carla" and here.subjects[0] in f"{path} {query}"):
                continue
            form = {"csrf": csrf, "suite": "", **form}
            pages = []
            for client in clients:
                (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")  # which all worlds share
                pages.append(told(client.post(path, params=query, data=form)))
            assert len(set(pages)) == 1, (path, query, form)
            assert SECRET not in pages[0], (path, query, form)
    if name == "rita":  # a new address must be among them: reports hold what others said
        missed = {route for route, _, _ in here.addresses("GET")} - opened - {"/enter/{secret}"}
        assert missed == {"/report", "/history", "/campaign/disputes"}
    assert ("/campaign/disputes" in opened) == (name == "dora")
    if name in ("", "gone"):
        assert not opened


ENDS = ("/campaign/close", "/campaign/people", "/leave")


def test_an_admin_sees_it_in_time_and_a_reviewer_once_all_have_answered(worlds: list[World]) -> None:
    here = worlds[0]
    subject = here.subjects[0]
    card = f"/runs/{here.run}/suite/cards/{subject}"
    with here.client("root") as root, here.client("anna") as anna, here.client("carla") as carla:
        for path in (card, f"/api{card}"):
            assert SECRET in root.get(path).text
        campaign_work.cards("spring", "carla", workspace=here.site.path).answer(subject, "correct")
        for client in (anna, carla):
            for path in (card, f"/api{card}", f"/campaign/card?name=spring&subject={subject}"):
                assert SECRET in client.get(path).text


def test_what_is_sent_back_after_an_answer_does_not_depend_on_another(worlds: list[World]) -> None:
    said = []
    for world in worlds:
        headers = {"authorization": f"Bearer {world.secrets['anna']}"}
        with TestClient(world.guard, base_url="http://127.0.0.1:8765", headers=headers) as anna:
            card = f"/api/runs/{world.run}/suite/cards/{world.subjects[0]}"
            said.append(anna.post(card, json={"answer": "incorrect"}).text)
    assert said[0] == '{"answer":"incorrect","holds":"","is_disputed":false,"is_new":true}'
    assert len(set(said)) == 1


def test_no_command_of_a_reviewer_depends_on_another(worlds: list[World], run: command_line.Run) -> None:
    subject = worlds[0].subjects[0]
    commands = [
        ["next", "--list", "--reviewer", "anna"],
        ["next", "--list", "--reviewer", "anna", "--double"],
        ["next", "--list", "--reviewer", "carla"],
        ["next", "--campaign", "spring", "--reviewer", "carla"],
        ["export", "--open", "--reviewer", "anna"],
        ["decide", subject, "incorrect", "--reviewer", "anna"],
        ["decide", subject, "correct", "--campaign", "spring", "--reviewer", "anna"],
    ]
    for words in commands:
        told = []
        for world in worlds:
            done = run("review", *words, "--workspace", world.site.path)
            assert done.returncode == 0, done.stderr
            told.append(done.stdout)
        assert len(set(told)) == 1, words
        assert SECRET not in told[0]


def test_a_new_run_does_not_tell_what_is_not_settled_yet(worlds: list[World], tmp_path: Path) -> None:
    found = []
    for world in worlds:
        run = library.suite(
            tmp_path / "suite.yaml",
            {"alpha": tmp_path / "alpha.tsv"},
            workspace=world.site.path,
            quiet=True,
        )
        found.append([(f.case_id, f.verdict) for f in run.findings])
        assert any("do not count yet: an open campaign waits" in note for note in run.result.notes)
    assert found[0] == found[1]
    campaign_work.close("spring", workspace=worlds[0].site.path)
    run = library.suite(
        tmp_path / "suite.yaml",
        {"alpha": tmp_path / "alpha.tsv"},
        workspace=worlds[0].site.path,
        quiet=True,
    )
    assert [(f.case_id, f.verdict) for f in run.findings] != found[0]


def test_an_admin_who_is_a_reviewer_of_the_campaign_is_blind_as_well(workspace: Path) -> None:
    campaign_work.create("c", reviewers="lena,ben,carla", overlap=1, raters=3, workspace=workspace)
    card = campaign_work.cards("c", "ben", workspace=workspace).next()
    assert card is not None
    campaign_work.cards("c", "ben", workspace=workspace).answer(card.subject.id, "correct", note=SECRET)
    run = card.campaign.runs[0]
    with client_of(workspace) as lena:
        page = lena.get(f"/runs/{run}/suite/cards/{card.subject.id}").text
        assert SECRET not in page
        assert "holds: correct" not in lena.get(f"/browse/{run}/suite").text
        assert "<p>0 outputs" in lena.get(f"/browse/{run}/suite?answer=correct").text


def test_two_campaigns_about_one_output_both_have_to_be_done(workspace: Path) -> None:
    campaign_work.create("first", reviewers="anna,ben", adjudicators="dora", overlap=1, workspace=workspace)
    campaign_work.create("second", reviewers="carla", workspace=workspace)
    card = campaign_work.cards("first", "anna", workspace=workspace).next()
    assert card is not None
    subject = card.subject.id
    campaign_work.cards("first", "anna", workspace=workspace).answer(subject, "correct")
    done = campaign_work.cards("first", "ben", workspace=workspace).answer(subject, "incorrect")
    assert (done.answers, done.decision) == ({}, None)
    assert campaign_work.cards("first", "dora", workspace=workspace, adjudicates=True).next() is None
    campaign_work.cards("second", "carla", workspace=workspace).answer(subject, "unsure")
    dispute = campaign_work.cards("first", "dora", workspace=workspace, adjudicates=True).next()
    assert dispute is not None
    assert sorted(dispute.answers) == ["reviewer 1", "reviewer 2", "reviewer 3"]


def test_an_export_says_what_is_still_open(worlds: list[World], run: command_line.Run) -> None:
    here = worlds[0]
    line = "Campaign 'spring' is open: 6 of 9 answers are still to come, about 3 outputs."
    words = ("review", "export", "--workspace", here.site.path)
    assert f"mtassay: {line}" in run(*words).stderr
    campaign_work.close("spring", workspace=here.site.path)
    done = run(*words)
    assert "is open" not in done.stderr
    assert '"campaign": ""' in done.stdout

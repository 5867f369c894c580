"""Attention checks, calibration and exclusion: who does not look is found, and counts in no agreement."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app import campaign_work, reviewing
from mtassay.app.campaign_progress import report
from mtassay.data.errors import UsageError
from mtassay.review.campaign_store import CampaignStore
from mtassay.review.quality_control import damaged, kind_of_check
from mtassay.runtime.workspace import Workspace

N = 24
CREATE = {"question": "da", "overlap": 1.0, "seed": 1}


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """A run of one system on three documents of eight sentences."""
    path = tmp_path / "w.db"
    sources = [f"Sentence number {n} of a text." for n in range(N)]
    outputs = [f"Frase número {n} de um texto qualquer." for n in range(N)]
    references = [f"A frase {n} de um texto." for n in range(N)]
    documents = tmp_path / "documents.txt"
    documents.write_text("".join(f"doc-{n // 8}\n" for n in range(N)), encoding="utf-8")
    settings = {"metrics": "chrf", "documents": documents, "checks": "none", "langpair": "en-pt"}
    mt.score({"a": outputs}, references=[references], source=sources, save=True, workspace=path, **settings)
    return path


def statuses(path: Path) -> dict[str, str]:
    shelf = CampaignStore(Workspace(path))
    return {entry.subject: entry.status for entry in shelf.subjects(shelf.campaign("c"))}


def answer_all(path: Path, people: str, careless: str = "") -> dict[str, list[str]]:
    """Everybody answers all they get: carefully, or always 100; gives what each met, in order."""
    kinds = statuses(path)
    met: dict[str, list[str]] = {}
    for name in people.split(","):
        own: dict[str, str] = {}
        while card := campaign_work.cards("c", name, workspace=path).next():
            status = kinds[card.subject.id]
            kind, _, original = status.partition(":")
            good = own.setdefault(original or card.subject.id, str(70 + len(own) % 20))
            said = {"damaged": "10", "reference": "95"}.get(kind, good)
            said = "100" if name == careless else said
            campaign_work.cards("c", name, workspace=path).answer(card.subject.id, said)
            met.setdefault(name, []).append(card.subject.id)
    return met


def test_checks_find_who_does_not_look_and_agreement_leaves_them_out(rated: Path) -> None:
    people = "anna,ben,carla"
    campaign_work.create(
        "c", reviewers=people, raters=3, attention=0.25, exclude_below=0.7, workspace=rated, **CREATE
    )
    kinds = Counter(kind_of_check(status) for status in statuses(rated).values())
    assert kinds == {"": N, "damaged": 2, "reference": 2, "repeated": 2}
    answer_all(rated, people, careless="carla")
    found = report("c", workspace=rated)
    told = {entry.reviewer: (entry.share[0], entry.why_excluded) for entry in found.checked if entry.share}
    assert told["anna"] == told["ben"] == (1.0, "")
    assert told["carla"][1] == "passed less than 70 % of the checks"
    (share, low, high), *_ = [entry.consistency for entry in found.checked if entry.consistency]
    assert (share, round(low, 2), high) == (1.0, 0.34, 1.0), "two repeated outputs, both answered alike"
    assert {name for entry in found.agreement for name in entry.reviewers} == {"anna", "ben"}
    assert {entry.n for entry in found.agreement} == {N}, "checks are in no agreement"
    assert found.to_adjudicate <= N
    assert "Attention checks and calibration" in [table.title for table in found.tables()]
    kept = {record["subject"] for record in reviewing.pending(question="da", workspace=rated).records()}
    assert kept.isdisjoint({s for s, status in statuses(rated).items() if kind_of_check(status)})


def test_the_calibration_round_comes_first_for_everybody_and_counts_nowhere(rated: Path) -> None:
    campaign_work.create("c", reviewers="anna,ben", raters=2, calibration=4, workspace=rated, **CREATE)
    first = {subject for subject, status in statuses(rated).items() if status == "calibration"}
    met = answer_all(rated, "anna,ben")
    assert len(first) == 4
    assert {name: set(seen[:4]) for name, seen in met.items()} == {"anna": first, "ben": first}
    found = report("c", workspace=rated)
    assert {entry.n for entry in found.agreement} == {N - 4}
    assert [(entry.reviewer, entry.calibration) for entry in found.checked] == [("anna", 4), ("ben", 4)]


def test_documents_come_whole_and_in_order_with_what_stands_around(rated: Path) -> None:
    campaign_work.create("c", reviewers="anna", workspace=rated, question="da", seed=3)
    cases = []
    while card := campaign_work.cards("c", "anna", workspace=rated).next():
        here = [line for line in card.document if line.is_here]
        assert [line.output for line in here] == [card.subject.outputs[-1]]
        assert {line.answer for line in card.document if line.answer} <= {"80"}
        assert sum(bool(line.answer) for line in card.document) == min(len(cases) % 8, 6)
        campaign_work.cards("c", "anna", workspace=rated).answer(card.subject.id, "80")
        cases.append(int(card.subject.case_id))
    assert sorted(cases) == list(range(1, N + 1))
    for begin in range(0, N, 8):
        document = cases[begin : begin + 8]
        assert document == list(range(document[0], document[0] + 8))


def test_an_answer_can_be_taken_back_until_others_can_be_seen(rated: Path) -> None:
    campaign_work.create("c", reviewers="anna,ben", raters=2, workspace=rated, **CREATE)
    card = campaign_work.cards("c", "anna", workspace=rated).next()
    assert card is not None
    subject = card.subject.id
    with pytest.raises(UsageError, match="You have no answer"):
        campaign_work.cards("c", "anna", workspace=rated).answer(subject, "withdraw")
    campaign_work.cards("c", "anna", workspace=rated).answer(subject, "70")
    assert campaign_work.cards("c", "anna", workspace=rated).answer(subject, "withdraw").holds == "withdrawn"
    assert Workspace(rated).reviews() == []
    again = campaign_work.cards("c", "anna", workspace=rated).next()
    assert again is not None
    assert again.subject.id == subject, "it waits for her as before"
    for name in ("anna", "ben"):
        campaign_work.cards("c", name, workspace=rated).answer(subject, "70")
    with pytest.raises(UsageError, match="You have seen the answers of others"):
        campaign_work.cards("c", "anna", workspace=rated).answer(subject, "withdraw")
    assert len(Workspace(rated).reviews()) == 2


def test_rules_that_make_no_sense_are_refused(rated: Path) -> None:
    for wrong in ({"exclude_below": 0.5}, {"attention": 0.9}):
        with pytest.raises(UsageError):
            campaign_work.create("c", reviewers="anna", workspace=rated, **{**CREATE, **wrong})
    assert damaged("abcdefgh", "stuvwxyz") == "abstuvgh"

"""Campaigns from Python: two people and an adjudicator, many at once, and what comes of it."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import pytest

from mtassay.app import campaign_progress, campaign_work, reviewing
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Output, Result, Review, Run, Segment
from mtassay.review.campaign_store import HANDOUT_S, CampaignStore
from mtassay.runtime.workspace import Workspace
from tests.cli.reviewing import save_run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A run of a suite with three open outputs, and one that a rule settles."""
    save_run(tmp_path)
    return tmp_path / ".mtassay" / "workspace.db"


def save_many(path: Path, count: int) -> Path:
    """A run with so many outputs of one system."""
    segments = [Segment(str(n), f"Text {n}.", tags={"category": "A" if n % 2 else "B"}) for n in range(count)]
    outputs = {"x": [Output(str(n), f"Texto {n}.") for n in range(count)]}
    run = Run("many", "score", {}, ["x"], "2026-01-01", {}, Result(), (), segments, outputs)
    Workspace(path).save_run(run)
    return path


def work(name: str, reviewer: str, workspace: Path, answer: str = "correct") -> list[str]:
    """Answer all that this reviewer gets; gives the subjects in order."""
    done = []
    while card := campaign_work.cards(name, reviewer, workspace=workspace).next():
        campaign_work.cards(name, reviewer, workspace=workspace).answer(card.subject.id, answer)
        done.append(card.subject.id)
    return done


def test_two_people_and_an_adjudicator(workspace: Path) -> None:
    campaign_work.create(
        "spring", reviewers="anna,ben", adjudicators="dora", overlap=1, seed=3, workspace=workspace
    )
    card = campaign_work.cards("spring", "anna", workspace=workspace).next()
    assert card is not None
    first = campaign_work.cards("spring", "anna", workspace=workspace).answer(card.subject.id[:10], "c")
    assert (first.review.answer, first.answers, first.decision) == ("correct", {}, None)
    assert campaign_work.cards("spring", "dora", workspace=workspace, adjudicates=True).next() is None
    second = campaign_work.cards("spring", "ben", workspace=workspace).answer(card.subject.id, "i")
    assert {name: review.answer for name, review in second.answers.items()} == {"reviewer 1": "correct"}
    assert second.decision is not None
    assert second.decision.is_disputed
    dispute = campaign_work.cards("spring", "dora", workspace=workspace, adjudicates=True).next()
    assert dispute is not None
    assert sorted(dispute.answers) == ["reviewer 1", "reviewer 2"]
    done = campaign_work.cards("spring", "dora", adjudicates=True, workspace=workspace).answer(
        dispute.subject.id, "i"
    )
    assert done.decision is not None
    assert (done.decision.answer, done.decision.is_adjudicated) == ("incorrect", True)
    assert campaign_work.cards("spring", "dora", workspace=workspace, adjudicates=True).next() is None
    # What holds for everybody else is the adjudication, also after a reviewer insists.
    campaign_work.cards("spring", "ben", workspace=workspace).answer(card.subject.id, "c")
    found = campaign_progress.report("spring", workspace=workspace)
    assert (found.subjects, found.wanted, found.given, found.complete) == (3, 6, 2, 1)
    assert (found.to_adjudicate, found.adjudicated) == (0, 1)
    assert [(p.reviewer, p.answered, p.left) for p in found.progress] == [("anna", 1, 2), ("ben", 1, 2)]
    exported = reviewing.reviews(workspace=workspace)
    assert [r["standing"] for r in exported] == ["", "", "adjudication", ""]


def test_only_those_who_belong_to_it_take_part(workspace: Path) -> None:
    campaign_work.create("c", reviewers="anna,ben,carla", adjudicators="ben", overlap=1, workspace=workspace)
    card = campaign_work.cards("c", "anna", workspace=workspace).next()
    assert card is not None
    with pytest.raises(UsageError, match=r"'zoe' is no reviewer of 'c'\. Who is: [a-z ]+$"):
        campaign_work.cards("c", "zoe", workspace=workspace).next()
    with pytest.raises(UsageError, match="'zoe' is no reviewer"):
        campaign_work.cards("c", "zoe", workspace=workspace).answer(card.subject.id, "c")
    with pytest.raises(UsageError, match=r"'anna' is no adjudicator of 'c'\. Who is: [a-z ]+$"):
        campaign_work.cards("c", "anna", workspace=workspace, adjudicates=True).next()
    with pytest.raises(UsageError, match="Not all reviewers have answered"):
        campaign_work.cards("c", "ben", adjudicates=True, workspace=workspace).answer(card.subject.id, "c")
    campaign_work.cards("c", "anna", workspace=workspace).answer(card.subject.id, "c")
    campaign_work.cards("c", "ben", workspace=workspace).answer(card.subject.id, "i")
    # Nobody settles a dispute of their own.
    assert campaign_work.cards("c", "ben", workspace=workspace, adjudicates=True).next() is None
    with pytest.raises(UsageError, match="another must settle it"):
        campaign_work.cards("c", "ben", adjudicates=True, workspace=workspace).answer(card.subject.id, "c")
    with pytest.raises(UsageError, match="'x' is no answer"):
        campaign_work.cards("c", "anna", workspace=workspace).answer(card.subject.id, "x")
    with pytest.raises(UsageError, match="No subject of 'c' begins with 'zzz'"):
        campaign_work.cards("c", "anna", workspace=workspace).answer("zzz", "c")


def test_a_closed_campaign_asks_nobody_and_keeps_all_answers(workspace: Path) -> None:
    campaign_work.create("c", reviewers="anna", workspace=workspace)
    card = campaign_work.cards("c", "anna", workspace=workspace).next()
    assert card is not None
    campaign_work.cards("c", "anna", workspace=workspace).answer(card.subject.id, "c")
    campaign_work.close("c", workspace=workspace)
    assert campaign_work.cards("c", "anna", workspace=workspace).next() is None
    with pytest.raises(UsageError, match="was closed on"):
        campaign_work.cards("c", "anna", workspace=workspace).answer(card.subject.id, "c")
    assert campaign_progress.report("c", workspace=workspace).given == 1
    with pytest.raises(UsageError, match="There is a campaign 'c' already"):
        campaign_work.create("c", reviewers="anna", workspace=workspace)
    campaign_work.delete("c", workspace=workspace)
    assert campaign_work.campaigns(workspace=workspace) == []
    assert len(reviewing.reviews(workspace=workspace)) == 1
    with pytest.raises(UsageError, match="Make one: mtassay review campaign create NAME"):
        campaign_work.close("c", workspace=workspace)


def test_a_subject_that_somebody_has_before_them_goes_to_nobody_else_until_it_expires(
    tmp_path: Path,
) -> None:
    path = save_many(tmp_path / "w.db", 2)
    campaign_work.create("c", reviewers="anna,ben,carla", question="da", overlap=0, workspace=path)
    first = campaign_work.cards("c", "anna", workspace=path).next()
    again = campaign_work.cards("c", "anna", workspace=path).next()
    second = campaign_work.cards("c", "ben", workspace=path).next()
    assert first is not None
    assert again is not None
    assert second is not None
    assert again.subject == first.subject != second.subject
    assert campaign_work.cards("c", "carla", workspace=path).next() is None
    store = Workspace(path)
    with store.database.transaction() as connection:
        connection.execute("UPDATE handouts SET until = until - ? WHERE reviewer = 'anna'", (HANDOUT_S + 1,))
    third = campaign_work.cards("c", "carla", workspace=path).next()
    assert third is not None
    assert third.subject == first.subject
    # Who comes back late is not refused: the answer counts beside the other one.
    campaign_work.cards("c", "anna", workspace=path).answer(first.subject.id, "50")
    campaign_work.cards("c", "carla", workspace=path).answer(first.subject.id, "60")
    assert sum(p.answered for p in campaign_progress.report("c", workspace=path).progress) == 2


def test_what_is_skipped_comes_last_and_is_free_for_others(tmp_path: Path) -> None:
    path = save_many(tmp_path / "w.db", 3)
    campaign_work.create("c", reviewers="anna,ben", question="da", overlap=0, seed=1, workspace=path)
    first = campaign_work.cards("c", "anna", workspace=path).next()
    assert first is not None
    second = campaign_work.cards("c", "anna", skip=[first.subject.id], workspace=path).next()
    assert second is not None
    assert second.subject != first.subject
    assert set(work("c", "ben", path, "50")) >= {first.subject.id}


def test_the_answers_of_two_people_are_as_many_as_the_overlap_wants(tmp_path: Path) -> None:
    path = save_many(tmp_path / "w.db", 20)
    campaign_work.create("c", reviewers="anna,ben", question="da", overlap=0.25, seed=1, workspace=path)
    anna = work("c", "anna", path, "50")
    ben = work("c", "ben", path, "70")
    assert len(anna) == 20
    assert len(ben) == 5
    found = campaign_progress.report("c", workspace=path)
    assert (found.given, found.wanted, found.complete) == (25, 25, 20)
    by_measure = {entry.measure: entry for entry in found.agreement}
    assert (by_measure["agreement"].value, by_measure["agreement"].n) == (1.0, 5)  # 20 points apart
    # Of 90 ordered pairs of ratings 50 differ, by 20 each; the two ratings of one output always do.
    assert by_measure["krippendorff"].value == pytest.approx(1 - 400 / (50 * 400 / 90))
    assert {name for name, rows in found.groups["category"].items() if rows} <= {"A", "B"}


def test_twenty_reviewers_at_once_get_each_subject_as_often_as_wanted(tmp_path: Path) -> None:
    path = save_many(tmp_path / "w.db", 60)
    names = [f"r{n}" for n in range(20)]
    campaign_work.create("c", reviewers=names, question="da", overlap=0.5, seed=1, workspace=path)
    failures: list[BaseException] = []

    def review(name: str) -> None:
        try:
            work("c", name, path, "50")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=review, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    store = Workspace(path)
    desk = CampaignStore(store)
    subjects = desk.subjects(desk.campaign("c"))
    answered = Counter(review.subject for review in store.reviews())
    assert answered == {e.subject: e.wanted for e in subjects}
    assert len(store.reviews()) == 90


def test_the_order_of_a_queue_is_the_reviewers_own(tmp_path: Path) -> None:
    path = save_many(tmp_path / "w.db", 12)
    campaign_work.create("c", reviewers="anna,ben", question="da", overlap=1, workspace=path)
    anna, ben = (work("c", name, path, "50") for name in ("anna", "ben"))
    assert anna != ben
    assert sorted(anna) == sorted(ben)


def test_what_the_rules_settled_is_mixed_in_unseen(workspace: Path) -> None:
    campaign = campaign_work.create("audit", reviewers="anna", settled=10, workspace=workspace)
    assert campaign.is_blind
    assert len(CampaignStore(Workspace(workspace)).subjects(campaign)) == 4
    while card := campaign_work.cards("audit", "anna", workspace=workspace).next():
        assert card.pending.question.is_blind
        assert [line.text for line in card.lines] == list(card.subject.outputs)
        campaign_work.cards("audit", "anna", workspace=workspace).answer(card.subject.id, "i")


def test_agreement_is_kept_until_somebody_answers_again(workspace: Path) -> None:
    campaign_work.create("c", reviewers="anna,ben", overlap=1, workspace=workspace)
    work("c", "anna", workspace)
    before = campaign_progress.report("c", workspace=workspace)
    assert campaign_progress.report("c", workspace=workspace) == before
    work("c", "ben", workspace)
    after = campaign_progress.report("c", workspace=workspace)
    assert [e.value for e in after.agreement if e.measure == "agreement"] == [1.0]


def test_an_answer_that_is_copied_after_the_reveal_does_not_raise_agreement(tmp_path: Path) -> None:
    path = save_many(tmp_path / "w.db", 10)
    campaign_work.create("c", reviewers="anna,ben", question="adequacy", overlap=1, workspace=path)
    for reviewer in ("anna", "ben"):
        work("c", reviewer, path, "5" if reviewer == "anna" else "3")
    before = campaign_progress.report("c", seed=1, workspace=path)
    last = campaign_work.cards("c", "anna", workspace=path).latest()
    assert last is not None
    campaign_work.cards("c", "anna", workspace=path).answer(last, "3")
    after = campaign_progress.report("c", seed=1, workspace=path)
    assert (before.changed, after.changed) == (0, 1)
    assert after.agreement == before.agreement
    assert after.record()["changed_after_reveal"] == 1
    notes = [note for table in after.tables() for note in table.notes]
    assert any(note.startswith("Changed after the answers of others") for note in notes)


def test_purging_a_run_takes_its_subjects_out_of_campaigns(workspace: Path) -> None:
    campaign_work.create("c", reviewers="anna", workspace=workspace)
    work("c", "anna", workspace)
    store = Workspace(workspace)
    store.purge(["last"])
    assert CampaignStore(store).subjects(CampaignStore(store).campaign("c")) == []
    assert "falou" not in workspace.read_bytes().decode("utf-8", "ignore")


def test_what_was_answered_can_be_seen_again_with_all_that_may_be_known_since(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna,ben", overlap=1, workspace=workspace)
    first, second, third = work("spring", "anna", workspace)
    assert campaign_work.cards("spring", "anna", workspace=workspace).latest() == third
    assert campaign_work.cards("spring", "anna", workspace=workspace).latest(third) == second
    assert campaign_work.cards("spring", "anna", workspace=workspace).latest(first) is None
    assert campaign_work.cards("spring", "ben", workspace=workspace).latest() is None
    alone = campaign_work.cards("spring", "anna", workspace=workspace).card(first)
    assert (alone.mine and alone.mine.answer, alone.answers) == ("correct", {})
    unseen = campaign_work.cards("spring", "ben", workspace=workspace).card(first)
    assert (unseen.mine, unseen.answers) == (None, {})
    campaign_work.cards("spring", "ben", workspace=workspace).answer(first, "i")
    both = campaign_work.cards("spring", "anna", workspace=workspace).card(first)
    assert {name: review.answer for name, review in both.answers.items()} == {"reviewer 1": "incorrect"}
    with pytest.raises(UsageError, match="'carla' is no reviewer"):
        campaign_work.cards("spring", "carla", workspace=workspace).card(first)


def test_answers_are_counted_as_wanted_given_and_left(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna,ben", overlap=1, workspace=workspace)
    store = Workspace(workspace)
    desk, campaign = CampaignStore(store), campaign_work.campaigns(workspace=store)[0]
    assert (desk.counts(campaign), desk.left(campaign, "ben")) == ((0, 6, 3), 3)
    work("spring", "anna", workspace)
    assert (desk.counts(campaign), desk.left(campaign, "anna"), desk.left(campaign, "ben")) == (
        (3, 6, 3),
        0,
        3,
    )
    assert desk.left(campaign, "carla") == 0
    assert desk.left(campaign_work.close("spring", workspace=store), "ben") == 0


def test_an_answer_with_a_receipt_is_kept_once(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna", workspace=workspace)
    card = campaign_work.cards("spring", "anna", workspace=workspace).next()
    assert card is not None
    for receipt in ("one", "one", "two"):
        campaign_work.cards("spring", "anna", workspace=workspace).answer(
            card.subject.id, "c", receipt=receipt
        )
    assert len(reviewing.reviews(workspace=workspace)) == 2


def test_an_adjudicator_may_leave_a_dispute_for_later(workspace: Path) -> None:
    campaign_work.create("spring", reviewers="anna,ben", adjudicators="dora", overlap=1, workspace=workspace)
    assert campaign_work.cards("spring", "dora", workspace=workspace, adjudicates=True).next() is None
    work("spring", "anna", workspace)
    work("spring", "ben", workspace, answer="incorrect")
    first = campaign_work.cards("spring", "dora", workspace=workspace, adjudicates=True).next()
    assert first is not None
    second = campaign_work.cards(
        "spring", "dora", skip=[first.subject.id], workspace=workspace, adjudicates=True
    ).next()
    assert second is not None
    assert second.subject.id != first.subject.id


def test_when_people_change_nothing_deadlocks_and_their_answers_count(tmp_path: Path) -> None:
    path = save_many(tmp_path / "w.db", 6)
    campaign_work.create("c", reviewers="anna,ben", question="da", overlap=1, workspace=path)
    for _ in range(2):
        card = campaign_work.cards("c", "ben", workspace=path).next()
        assert card is not None
        campaign_work.cards("c", "ben", workspace=path).answer(card.subject.id, "80")
    with pytest.raises(UsageError, match="4 outputs could never get all of their answers from anna"):
        campaign_work.change_people("c", "anna", workspace=path)
    with pytest.raises(UsageError, match="Nobody could settle disputes: anna, carla would"):
        campaign_work.change_people("c", "anna,carla", "anna,carla", workspace=path)
    changed = campaign_work.change_people("c", "anna,carla", "dora", workspace=path)
    assert (changed.active, changed.left) == (["anna", "carla"], ("ben",))
    assert campaign_work.cards("c", "ben", workspace=path).next() is None
    assert len(work("c", "anna", path, "80")) == 6
    assert len(work("c", "carla", path, "20")) == 4
    found = campaign_progress.report("c", workspace=path)
    assert (found.given, found.wanted, found.complete, found.to_adjudicate) == (12, 12, 6, 4)
    assert campaign_work.cards("c", "dora", adjudicates=True, workspace=path).left == 4
    assert {name for entry in found.agreement for name in entry.reviewers} == {"anna", "ben", "carla"}


def test_checks_are_for_whoever_is_there(tmp_path: Path) -> None:
    path = save_many(tmp_path / "w.db", 6)
    campaign_work.create("c", reviewers="anna,ben", question="da", overlap=0, attention=0.5, workspace=path)
    campaign_work.change_people("c", "anna,carla,dora", workspace=path)
    met = {name: work("c", name, path, "80") for name in ("anna", "carla", "dora")}
    found = campaign_progress.report("c", workspace=path)
    assert (found.given, found.complete) == (found.wanted, found.subjects)
    assert {len(met[name]) for name in ("carla", "dora")} == {found.subjects - 6}


def test_side_by_side_shows_what_other_systems_made_of_it_and_what_one_said(tmp_path: Path) -> None:
    segments = [Segment(str(n), f"Text {n}.", document="d") for n in range(2)]
    outputs = {name: [Output(str(n), f"{name.upper()} {n}.") for n in range(2)] for name in "xyz"}
    run = Run("r", "score", {}, ["x", "y", "z"], "2026-01-01", {}, Result(), (), segments, outputs)
    path = tmp_path / "w.db"
    Workspace(path).save_run(run)
    campaign_work.create("c", reviewers="anna", question="da", side_by_side=True, workspace=path)
    seen = []
    while card := campaign_work.cards("c", "anna", workspace=path).next():
        case = card.subject.case_id
        beside = {line.output: line.answer for line in card.beside}
        assert {*beside, card.subject.outputs[-1]} == {f"{name} {case}." for name in "XYZ"}
        assert sum(said == "70" for said in beside.values()) == seen.count(case)
        seen.append(case)
        campaign_work.cards("c", "anna", workspace=path).answer(card.subject.id, "70")
    assert seen in (["0"] * 3 + ["1"] * 3, ["1"] * 3 + ["0"] * 3), "the outputs to a sentence come together"


def test_an_export_says_how_long_each_answer_took(workspace: Path) -> None:
    store = Workspace(workspace)
    campaign_work.create("spring", reviewers="anna", workspace=workspace)
    subjects = list(store.subjects().values())
    times = ("10:00:00", "10:00:07", "12:00:00")
    store.add_reviews(
        [
            Review(subject.id, "suite", "correct", "anna", at=f"2026-01-01T{at}+00:00")
            for subject, at in zip(subjects, times, strict=False)
        ],
        subjects[:3],
    )
    assert [record["seconds"] for record in reviewing.reviews(workspace=workspace)] == ["", "7.0", ""]

"""Who answers what in a campaign, who may see what, and how fast people are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Review, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import Decision, Pending, Subject, decide
from mtassay.review.campaigns import (
    Assignment,
    Campaign,
    CampaignSubject,
    adjudicable,
    cautions,
    frozen_answers,
    judge_record,
    may_get,
    own_order,
    planned,
    read_assignment,
    refuse_unfinishable,
    second_opinion,
)

SUITE = find_question("suite")
PEOPLE = Campaign("spring", "suite", ("r1",), ("anna", "ben", "carla"), ("dora",), overlap=0.5, seed=1)


def entries(count: int) -> list[Pending]:
    """Outputs of two systems to items of two categories, in turn."""
    return [
        Pending(
            Subject(f"i{number // 2}", ("Yes.",), (f"Sim {number}",)),
            SUITE,
            "r1",
            ("x" if number % 2 else "y",),
            "undecided",
            Segment(f"i{number // 2}", "Yes.", tags={"category": "A" if number % 4 < 2 else "B"}),
        )
        for number in range(count)
    ]


def test_the_overlap_is_a_share_drawn_by_the_seed() -> None:
    subjects = planned(PEOPLE, entries(40))
    assert Counter(entry.wanted for entry in subjects) == {1: 20, 2: 20}
    assert planned(PEOPLE, entries(40)) == subjects
    other = Campaign("spring", "suite", ("r1",), ("anna", "ben"), overlap=0.5, seed=2)
    assert [e.wanted for e in planned(other, entries(40))] != [e.wanted for e in subjects]


def test_everybody_has_an_order_of_their_own_with_the_outputs_to_one_item_together() -> None:
    subjects = planned(PEOPLE, entries(40))
    orders = {name: own_order(PEOPLE, subjects, name) for name in PEOPLE.reviewers}
    assert len({tuple(order) for order in orders.values()}) == 3
    for name, order in orders.items():
        assert sorted(order) == subjects
        assert own_order(PEOPLE, reversed(subjects), name) == order
        cases = [entry.case_id for entry in order]
        assert all(cases[at] == cases[at + 1] for at in range(0, 40, 2))


def test_an_assignment_chooses_by_category_item_and_system() -> None:
    mine = (read_assignment("anna:category=A,system=x"), read_assignment("anna:item=i1"))
    campaign = Campaign("c", "suite", ("r1",), ("anna", "ben"), assignments=mine, overlap=1)
    subjects = planned(campaign, entries(8))
    chosen = [entry for entry in subjects if may_get(campaign, entry, "anna")]
    assert [(e.case_id, e.systems) for e in chosen] == [
        ("i0", ("x",)),
        ("i1", ("y",)),
        ("i1", ("x",)),
        ("i2", ("x",)),
    ]
    # Ben gets any; what only he may answer is answered once, though the overlap is of all.
    assert all(may_get(campaign, entry, "ben") for entry in subjects)
    assert [e.wanted for e in subjects] == [2 if e in chosen else 1 for e in subjects]
    assert not any(may_get(campaign, entry, "emil") for entry in subjects)


def test_outputs_that_nobody_is_assigned_are_refused() -> None:
    only = Campaign("c", "suite", ("r1",), ("anna",), assignments=(Assignment("anna", category=("A",)),))
    with pytest.raises(UsageError, match="4 of 8 outputs are assigned to nobody, as i1"):
        planned(only, entries(8))


def test_an_assignment_that_gives_a_reviewer_nothing_is_refused() -> None:
    none = Campaign(
        "c", "suite", ("r1",), ("anna", "ben"), assignments=(Assignment("anna", category=("Z",)),)
    )
    with pytest.raises(
        UsageError, match=r"The assignment gives anna nothing\. No output of the campaign has"
    ):
        planned(none, entries(8))


def test_what_may_keep_a_campaign_from_being_done_is_told() -> None:
    sure = replace(PEOPLE, overlap=1)
    assert cautions(sure, planned(sure, entries(8)), ()) == []
    assert cautions(sure, planned(sure, entries(8)), ("anna", "ben")) == [
        "Not invited to the review page: carla, dora. Invite them: mtassay review invite NAME"
    ]
    own = replace(sure, adjudicators=("carla",))  # who answers two outputs of three
    refuse_unfinishable(own, planned(own, entries(8)))
    (line,) = cautions(own, planned(own, entries(8)))
    assert line.startswith("8 of 8 outputs may be answered by every adjudicator as a reviewer")
    parts = tuple(read_assignment(f"{name}:category={part}") for name, part in (("anna", "A"), ("ben", "B")))
    split = Campaign("c", "suite", ("r1",), ("anna", "ben"), assignments=parts, overlap=0.5)
    (line,) = cautions(split, planned(split, entries(8)))
    assert line.startswith("4 of 4 outputs of the overlap are assigned to fewer than 2 reviewers")
    few = replace(PEOPLE, overlap=0)
    assert cautions(few, planned(few, entries(2))) == [
        "Only 2 answers are wanted: some of the reviewers will get nothing."
    ]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": " "}, "needs a name"),
        ({"reviewers": ()}, "needs reviewers"),
        ({"reviewers": ("anna", "anna")}, "named twice"),
        ({"overlap": 1.5}, "share from 0 to 1"),
        ({"raters": 1}, "two reviewers or more"),
        ({"assignments": (Assignment("zoe"),)}, "'zoe' has an assignment, but the reviewers are: anna, ben"),
    ],
)
def test_a_campaign_that_cannot_be_is_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Campaign.of({**PEOPLE.record(), "assignments": [], **_listed(changes)})


def _listed(changes: dict[str, object]) -> dict[str, object]:
    given = changes.get("assignments")
    return {**changes, "assignments": [{"reviewer": a.reviewer} for a in given]} if given else changes  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["anna", "anna:", "anna:colour=red", ":category=A", "anna:category="])
def test_an_assignment_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="Write it as anna:category=Negation"):
        read_assignment(text)


def test_a_campaign_is_the_same_after_json() -> None:
    campaign = Campaign("c", "suite", ("r1",), ("anna",), assignments=(Assignment("anna", item=("i*",)),))
    assert Campaign.of(campaign.record()) == campaign


ENTRY = CampaignSubject(0, "s", 2, "r1", "i0", "A", "", ("x",), (), 1, 1, "undecided")


def said(**answers: str) -> Decision:
    reviews = [
        Review("s", "suite", answer, name, at="2026-01-01T00:00:00+00:00", is_adjudication=name == "dora")
        for name, answer in answers.items()
    ]
    return decide(reviews)["s", "suite"]


@pytest.mark.parametrize(
    ("answers", "waits"),
    [
        ({"anna": "correct"}, False),
        ({"anna": "correct", "ben": "correct"}, False),
        ({"anna": "correct", "ben": "incorrect"}, True),
        ({"anna": "unsure", "ben": "unsure"}, True),
        ({"anna": "correct", "ben": "unsure"}, False),
        ({"anna": "correct", "ben": "incorrect", "dora": "correct"}, False),
        ({"anna": "correct", "ben": "incorrect", "dora": "unsure"}, True),
    ],
)
def test_what_reviewers_see_differently_waits_for_an_adjudicator(
    answers: dict[str, str], waits: bool
) -> None:
    assert adjudicable(PEOPLE, ENTRY, said(**answers), SUITE) is waits


@pytest.mark.parametrize(
    ("order", "verdict", "closed", "counts", "changed"),
    [
        # Anna changes her mind while ben has not answered: her last answer counts.
        ("anna=c anna=i ben=i", "", "", "anna=i ben=i", 0),
        # She copies his: her answer before counts.
        ("anna=c ben=i anna=i", "", "", "anna=c ben=i", 1),
        # Going back to one's own first answer is no change, though something was seen.
        ("anna=c ben=i anna=i anna=c", "", "", "anna=c ben=i", 0),
        # The judge speaks right after one's own answer.
        ("anna=c anna=i ben=i ben=c", "incorrect", "", "anna=c ben=i", 2),
        # The adjudicator has seen both, and is not blind as a third reviewer.
        ("anna=c ben=i dora=i", "", "", "anna=c ben=i", 0),
        # Zoe is no reviewer of the campaign: neither complete by her answer, nor counted.
        ("anna=c zoe=i anna=i", "", "", "anna=i", 0),
        # A closed campaign shows what there is.
        ("anna=c zoe=i | anna=i", "", "closed", "anna=c", 1),
    ],
)
def test_what_counts_as_blind_is_the_last_answer_before_others_can_be_seen(
    order: str, verdict: str, closed: str, counts: str, changed: int
) -> None:
    words = order.split()
    campaign = replace(
        PEOPLE,
        reviewers=("anna", "ben", "dora"),
        created="00",
        closed=f"{words.index('|'):02}" if closed else "",
    )
    reviews = [
        Review("s", "suite", word.partition("=")[2], word.partition("=")[0], at=f"{at:02}")
        for at, word in enumerate(words)
        if word != "|"
    ]
    found = frozen_answers(reviews, {"s": [(campaign, ENTRY._replace(verdict=verdict))]})
    own = [review for review in found.reviews if review.reviewer != "zoe"]
    assert " ".join(f"{r.reviewer}={r.answer}" for r in own) == counts
    assert len(found.changed) == changed


def test_before_a_campaign_began_others_could_be_seen_at_once() -> None:
    reviews = [
        Review("s", "suite", answer, name, at=f"0{at}")
        for at, (name, answer) in enumerate([("anna", "c"), ("ben", "i"), ("anna", "i")])
    ]
    campaign = replace(PEOPLE, created="5")
    for seals in ({"s": [(campaign, ENTRY._replace(wanted=3))]}, {}):  # without a campaign, too
        found = frozen_answers(reviews, seals)
        assert [r.answer for r in found.reviews] == ["c", "i"]
        assert [(r.reviewer, r.answer) for r in found.changed] == [("anna", "i")]


def test_a_machine_says_how_often_it_agreed_with_what_this_person_answered() -> None:
    judged = [("s0", "correct", "correct", None), ("s1", "correct", "incorrect", 0.9)]
    judged.append(("s2", "unsure", "incorrect", None))
    assert second_opinion(PEOPLE, judged, "s9") is None
    opinion = second_opinion(PEOPLE, judged, "s1")
    assert opinion is not None
    assert (opinion.verdict, opinion.agrees, opinion.agreed, opinion.n) == ("incorrect", False, 1, 2)
    # Wilson's interval of 1 of 2.
    assert (opinion.low, opinion.high) == (pytest.approx(0.0945, abs=1e-4), pytest.approx(0.9055, abs=1e-4))


def test_precision_and_recall_of_a_judge_by_hand() -> None:
    verdicts = ["incorrect"] * 4 + ["correct"] * 5 + [""]
    truth = ["incorrect"] * 3 + ["correct"] + ["incorrect"] * 2 + ["correct"] * 3 + ["incorrect"]
    subjects = [ENTRY._replace(subject=f"s{i}", verdict=v) for i, v in enumerate(verdicts)]
    decisions = decide(
        Review(f"s{i}", "suite", answer, "anna", at="2026-01-01T00:00:00+00:00")
        for i, answer in enumerate(truth)
    )
    record = judge_record(PEOPLE, subjects, decisions)
    assert (record.n, record.wrong, record.flagged, record.hits) == (9, 5, 4, 3)
    assert record.precision is not None
    assert record.recall is not None
    assert (record.precision[0], record.recall[0]) == (0.75, 0.6)
    assert judge_record(PEOPLE, subjects[-1:], decisions).precision is None

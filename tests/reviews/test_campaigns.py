"""Who answers what in a campaign, who may see what, and how fast people are."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Review, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import Decision, Pending, Subject, decide
from mtassay.review.campaigns import (
    Campaign,
    CampaignSubject,
    adjudicable,
    cautions,
    frozen_answers,
    own_order,
    planned,
    refuse_unfinishable,
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
    ],
)
def test_a_campaign_that_cannot_be_is_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Campaign.of({**PEOPLE.record(), **changes})


def test_a_campaign_is_the_same_after_json() -> None:
    record = json.loads(json.dumps(PEOPLE.record()))
    assert Campaign.of(record) == PEOPLE
    # What campaigns had before.
    assert Campaign.of({**record, "judge": "run", "low_is_error": False, "assignments": []}) == PEOPLE


ENTRY = CampaignSubject(0, "s", 2, "r1", "i0", "A", "", ("x",), 1, 1, "undecided")


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
    ("order", "closed", "counts", "changed"),
    [
        # Anna changes her mind while ben has not answered: her last answer counts.
        ("anna=c anna=i ben=i", "", "anna=i ben=i", 0),
        # She copies his: her answer before counts.
        ("anna=c ben=i anna=i", "", "anna=c ben=i", 1),
        # Going back to one's own first answer is no change, though something was seen.
        ("anna=c ben=i anna=i anna=c", "", "anna=c ben=i", 0),
        # The adjudicator has seen both, and is not blind as a third reviewer.
        ("anna=c ben=i dora=i", "", "anna=c ben=i", 0),
        # Zoe is no reviewer of the campaign: neither complete by her answer, nor counted.
        ("anna=c zoe=i anna=i", "", "anna=i", 0),
        # A closed campaign shows what there is.
        ("anna=c zoe=i | anna=i", "closed", "anna=c", 1),
    ],
)
def test_what_counts_as_blind_is_the_last_answer_before_others_can_be_seen(
    order: str, closed: str, counts: str, changed: int
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
    found = frozen_answers(reviews, {"s": [(campaign, ENTRY)]})
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

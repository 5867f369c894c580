"""Studies with known truth: what is called blind is what people said by themselves."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mtassay.app import reviewing
from mtassay.app.access import invite
from mtassay.app.campaign_progress import report
from mtassay.data.nouns import Review
from mtassay.data.subjects import Subject
from mtassay.review.campaign_store import CampaignStore, frozen_reviews
from mtassay.review.campaigns import Campaign, CampaignSubject
from mtassay.runtime.workspace import Workspace

N = 150
FLIP = {"correct": "incorrect", "incorrect": "correct"}


def study(place: Path, *, error: float, seed: int, copies: bool) -> Path:
    """Two raters see the truth, and each errs independently with a planted rate; one may copy afterwards."""
    draw = random.Random(seed)
    store = Workspace(place)
    subjects = [Subject(f"s{n}", (f"Source {n}.",), (f"Output {n}.",)) for n in range(N)]
    campaign = Campaign("study", "suite", ("r",), ("anna", "ben"), overlap=1, seed=1, created="2026-01-01")
    entries = [
        CampaignSubject(n, s.id, 2, "r", s.case_id, "", "", ("x",), n, n, "undecided")
        for n, s in enumerate(subjects)
    ]
    CampaignStore(store).save(campaign, entries, subjects)
    reviews = []
    for number, subject in enumerate(subjects):
        truth = draw.choice(["correct", "incorrect"])
        said = {name: FLIP[truth] if draw.random() < error else truth for name in ("anna", "ben")}
        for place_in_turn, (name, answer) in enumerate(said.items()):
            at = f"2026-01-02T{number // 60:02}:{number % 60:02}:0{place_in_turn}+00:00"
            reviews.append(Review(subject.id, "suite", answer, name, at=at))
        if copies and said["anna"] != said["ben"]:
            reviews.append(replace(reviews[-2], answer=said["ben"], at="2026-01-03T00:00:00+00:00"))
    store.add_reviews(reviews, subjects)
    return store.path


@pytest.mark.parametrize("error", [0.05, 0.3])
def test_agreement_of_frozen_answers_is_the_planted_one_within_its_interval(
    tmp_path: Path, error: float
) -> None:
    # Both right or both wrong; chance is one half by construction, so kappa is 2 p - 1.
    planted = (1 - error) ** 2 + error**2
    expected = {"agreement": planted, "cohen": 2 * planted - 1, "krippendorff": 2 * planted - 1}
    inside = Counter[str]()
    for seed in range(20):
        place = study(tmp_path / f"{seed}.db", error=error, seed=seed, copies=True)
        for entry in report("study", workspace=place).agreement:
            if entry.measure in expected:
                assert entry.low is not None
                assert entry.high is not None
                inside[entry.measure] += entry.low <= expected[entry.measure] <= entry.high
    # An interval of 95 % has the truth in 17 or more of 20 studies with a probability of 98 %.
    assert inside.keys() == expected.keys()
    assert min(inside.values()) >= 17, inside


def test_a_rater_who_copies_after_the_reveal_changes_nothing_called_blind(tmp_path: Path) -> None:
    honest = study(tmp_path / "honest.db", error=0.2, seed=3, copies=False)
    copied = study(tmp_path / "copied.db", error=0.2, seed=3, copies=True)
    before, after = (report("study", workspace=place) for place in (honest, copied))
    assert after.agreement == before.agreement
    assert after.to_adjudicate < before.to_adjudicate
    assert (before.changed, after.changed) == (0, before.to_adjudicate)
    first, second = (reviewing.agreement("suite", workspace=place) for place in (honest, copied))
    assert second.found == first.found
    assert (len(first.disputed), second.changed, len(second.disputed)) == (after.changed, after.changed, 0)
    assert any("Changed after" in note for note in second.tables()[0].notes)


@pytest.mark.parametrize("joins", [False, True])
def test_what_an_admin_says_who_could_see_the_answers_is_not_blind(tmp_path: Path, joins: bool) -> None:
    store = Workspace(tmp_path / "w.db")
    subject = Subject("s", ("Source.",), ("Output.",))
    campaign = Campaign("study", "suite", ("r",), ("anna", "ben", "rita"), raters=3, created="2026-01-01")
    if joins:
        campaign = replace(campaign, reviewers=("anna", "ben"))
    entry = CampaignSubject(0, subject.id, 3, "r", "s", "", "", ("x",), 0, 0, "undecided")
    CampaignStore(store).save(campaign, [entry], [subject])
    invite("rita", admin=True, workspace=store.path)
    invite("rita", workspace=store.path)  # who is no admin any more has seen as much
    if joins:
        CampaignStore(store).change_people(campaign, ["anna", "ben", "rita"], [])
    store.add_reviews(
        [
            Review(subject.id, "suite", "correct", name, at=f"2099-01-0{n}")
            for n, name in ((1, "anna"), (2, "rita"))
        ],
        [subject],
    )
    blind = {review.reviewer for review in frozen_reviews(store, "suite").reviews}
    assert blind == ({"anna"} if joins else {"anna", "rita"})

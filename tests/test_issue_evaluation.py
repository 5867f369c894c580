"""Issues against labels, as the page of the papers counts them, on rankings small enough to check."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.questions import find_question
from mtassay.methods.invariance.issues import Far, VariantRanking, find_issues

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench" / "reproduce"))
from issue_evaluation import ERROR_TYPES, Rate, evaluate, precision_of, sweep

RANKINGS = [
    VariantRanking("1", (Far("1a", 9), Far("1b", 6), Far("1c", 5), Far("1d", 1))),
    VariantRanking("2", (Far("2a", 7), Far("2b", 4))),
    VariantRanking("3", (Far("3a", 5), Far("3b", 5))),
    VariantRanking("4", (Far("4a", 4), Far("4b", 0))),
    VariantRanking("5", ()),
]
LABELS = {
    **{"1": "correct", "1a": "correct", "1b": "under", "1c": "under", "1d": "over"},
    **{"2": "logic", "2a": "logic", "2b": "correct"},
    **{"3": "correct", "3a": "disputed", "3b": "correct"},
    "4a": "correct",
}


def counted(rate: Rate) -> tuple[int, int, int]:
    return rate.wrong, rate.n, rate.undecided


def test_an_issue_is_buggy_if_the_original_or_a_shown_variant_is_wrong() -> None:
    found = evaluate(RANKINGS, LABELS, threshold=4)
    assert found.issues == 3  # "4a" is as far as the threshold, not farther
    # Top-1: 1 and 1a are right, 2 is a wrong original, of 3 nothing wrong is known and 3a is open.
    # From top-2 on, 1b is shown, too.
    assert [counted(top.accuracy) for top in found.tops] == [(1, 2, 1), (2, 2, 1), (2, 2, 1)]
    assert found.tops[0].accuracy.value == 0.5


def test_the_interval_is_wilsons() -> None:
    # 64 of 92 issues are the paper's top-1 accuracy of SIT (Dep) with Google, 69.5 %; the interval by hand:
    # centre (0.69565 + 1.92073/92) / (1 + 3.84146/92) = 0.68781, reach 0.09217.
    rate = precision_of(map(str, range(92)), {str(i): "under" if i < 64 else "correct" for i in range(92)})
    assert rate.value == pytest.approx(0.69565, abs=1e-5)
    assert (rate.low, rate.high) == (pytest.approx(0.5956, abs=5e-4), pytest.approx(0.7800, abs=5e-4))


def test_new_errors_are_those_of_a_kind_that_the_original_has_not() -> None:
    found = evaluate(RANKINGS, LABELS, threshold=4)
    assert counted(found.originals) == (1, 3, 0)
    # 1b and 1c are both "under", which is one error; 2a is wrong as its original is.
    assert [top.new_errors for top in found.tops] == [0, 1, 1]
    assert [top.unclear for top in found.tops] == [0, 0, 0]


@pytest.mark.parametrize(
    ("original", "variants", "surely", "perhaps"),
    [
        ("correct", ("under", "over"), 2, 0),
        ("correct", ("under", "under"), 1, 0),
        ("under", ("under", "over"), 1, 0),
        ("under", ("several", "correct"), 1, 0),  # several is more than the one of the original
        ("several", ("under", "over"), 0, 2),
        (None, ("under", "correct"), 0, 1),
        ("unsure", ("under", None), 0, 1),
        ("correct", ("correct", None), 0, 0),
    ],
)
def test_what_the_original_may_have_too_is_counted_apart(
    original: str | None, variants: tuple[str | None, str | None], surely: int, perhaps: int
) -> None:
    labels = dict(zip(("1", "a", "b"), (original, *variants), strict=True))
    known = {pair: label for pair, label in labels.items() if label is not None}
    (_, top) = evaluate([VariantRanking("1", (Far("a", 2), Far("b", 1)))], known, threshold=0, top=2).tops
    assert (top.new_errors, top.unclear) == (surely, perhaps)


def test_pairs_are_counted_by_what_is_wrong_with_them() -> None:
    found = evaluate(RANKINGS, LABELS, threshold=4)
    types = [{kind: n for kind, n in top.types.items() if n} for top in found.tops]
    # The original 2 and its farthest variant are both illogical; 1d is not far enough.
    assert types == [{"logic": 2}, {"logic": 2, "under": 1}, {"logic": 2, "under": 2}]
    assert [top.unlabelled for top in found.tops] == [1, 1, 1]
    assert list(found.tops[0].types) == list(ERROR_TYPES)


def test_variants_that_were_not_reported_have_a_rate_of_their_own() -> None:
    found = evaluate(RANKINGS, LABELS, threshold=4, top=1)
    assert counted(found.reported) == (1, 2, 1)  # 1a, 2a; 3a is disputed
    assert counted(found.unreported) == (3, 6, 1)  # wrong: 1b, 1c, 1d; correct: 2b, 3b, 4a; open: 4b


def test_precision_counts_a_pair_once_and_nothing_unlabelled() -> None:
    assert counted(precision_of(["1b", "1b", "1a", "4b", "9"], LABELS)) == (1, 2, 2)
    nothing = precision_of([], LABELS)
    assert (nothing.value, nothing.low, nothing.high) == (None, None, None)


def test_a_sweep_has_every_threshold_that_makes_a_difference() -> None:
    points = sweep(RANKINGS, LABELS)
    assert [(p.threshold, p.issues, *counted(p.accuracy)) for p in points] == [
        (0, 4, 1, 2, 2),  # 1 is right, 2 buggy, 3 and 4 are open
        (4, 3, 1, 2, 1),
        (5, 2, 1, 2, 0),
        (7, 1, 0, 1, 0),
    ]


def test_nothing_compared_gives_nothing() -> None:
    assert (
        sweep([], {})
        == sweep([VariantRanking("1", ())], {})
        == sweep([VariantRanking("1", (Far("a", 0),))], {})
        == []
    )
    empty = evaluate([], {}, threshold=4)
    assert (empty.issues, empty.tops[0].accuracy.value, empty.unreported.n) == (0, None, 0)


def test_every_answer_of_the_question_is_correct_or_a_type_of_error() -> None:
    assert set(find_question("invariance").keys.values()) == {"correct", *ERROR_TYPES}


rankings = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6).map(
    lambda distances: [
        VariantRanking(str(i), tuple(Far(f"{i}/{j}", d) for j, d in enumerate(sorted(row, reverse=True))))
        for i, row in enumerate(distances)
    ]
)
answers = st.sampled_from([None, "unsure", "correct", *ERROR_TYPES])


@given(rankings, st.data())
def test_every_point_of_a_sweep_is_what_evaluating_there_says(
    made: list[VariantRanking], data: st.DataObject
) -> None:
    pairs = [pair for r in made for pair in (r.original, *(far.variant for far in r.variants))]
    drawn = {pair: data.draw(answers) for pair in pairs}
    labels = {pair: label for pair, label in drawn.items() if label is not None}
    points = sweep(made, labels)
    for point in points:
        found = evaluate(made, labels, threshold=point.threshold)
        assert (point.issues, point.accuracy) == (found.issues, found.tops[0].accuracy)
    sizes = {len(find_issues(made, threshold)) for threshold in range(10)} - {0}
    assert {point.issues for point in points} == sizes


@given(rankings, st.integers(0, 9), st.data())
def test_nothing_is_dropped_and_more_variants_never_make_an_issue_less_buggy(
    made: list[VariantRanking], threshold: int, data: st.DataObject
) -> None:
    pairs = [pair for r in made for pair in (r.original, *(far.variant for far in r.variants))]
    drawn = {pair: data.draw(answers) for pair in pairs}
    found = evaluate(made, {p: label for p, label in drawn.items() if label is not None}, threshold=threshold)
    buggy = [top.accuracy.wrong for top in found.tops]
    assert buggy == sorted(buggy)
    assert all(top.accuracy.n + top.accuracy.undecided == found.issues for top in found.tops)
    variants = sum(len(ranking.variants) for ranking in made)
    assert sum(rate.n + rate.undecided for rate in (found.reported, found.unreported)) == variants

"""What a repair brought."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Segment
from mtassay.meta.repair.corrections import Correction, Repaired, compare_bleu, count_outcomes, errors_fixed

GOOD = Correction("1", "A blue vase.", "Um vaso.", "Um vaso azul.", "anna")


def repaired(before: str | None, after: str | None) -> Repaired:
    return Repaired(GOOD, before, after)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ("Um vaso.", "Um vaso azul.", "fixed"),
        ("Um vaso.", " Um  vaso azul.", "fixed"),
        ("Um vaso azul.", "Um vaso azul.", "right before"),
        ("Um vaso azul.", "Um vaso.", "changed"),
        ("Um vaso.", "Um jarro azul.", "changed"),
        ("Um vaso.", "Um vaso.", "same"),
        (None, "Um vaso azul.", "failed"),
        ("Um vaso.", None, "failed"),
    ],
)
def test_an_outcome_compares_before_after_and_the_correction(
    before: str | None, after: str | None, outcome: str
) -> None:
    assert repaired(before, after).outcome == outcome


def test_shares_are_of_the_errors_and_have_intervals() -> None:
    rows = [
        *[repaired("Um vaso.", "Um vaso azul.")] * 2,
        repaired("Um vaso.", "Um jarro."),
        repaired("Um vaso.", "Um vaso."),
        repaired("Um vaso azul.", "Um vaso azul."),  # was no error
    ]
    equal, changed = errors_fixed(rows)
    assert (equal.value, equal.n, changed.value, changed.n) == (0.5, 4, 0.75, 4)
    # Wilson with z = 1.96: (0.5 + z²/8 ± z·sqrt(1/16 + z²/64)) / (1 + z²/4).
    assert (equal.low, equal.high) == (pytest.approx(0.1500, abs=1e-4), pytest.approx(0.8500, abs=1e-4))
    assert count_outcomes(rows) == {"fixed": 2, "right before": 1, "changed": 1, "same": 1, "failed": 0}


def test_a_translation_that_failed_is_an_error_that_was_not_fixed() -> None:
    equal, changed = errors_fixed([repaired("Um vaso.", None), repaired("Um vaso.", "Um vaso azul.")])
    assert (equal.value, changed.value, equal.n) == (0.5, 0.5, 2)


def test_without_errors_there_is_no_share() -> None:
    assert [score.value for score in errors_fixed([])] == [None, None]


SEGMENTS = [Segment(str(i), "s", (text,)) for i, text in enumerate(["a b c d e", "f g h i j", "k l m n o"])]


def test_bleu_before_and_after_is_that_of_the_metric() -> None:
    references = [segment.references[0] for segment in SEGMENTS]
    result = compare_bleu(SEGMENTS, ["a b c d x", "f g h i j", "k l m n o"], references)
    before, after = result.scores
    assert after.value == pytest.approx(100)
    # Precisions 14/15, 11/12, 8/9, 5/6 in 15 words: by hand, 100 times their geometric mean.
    assert before.value == pytest.approx(100 * (14 / 15 * 11 / 12 * 8 / 9 * 5 / 6) ** 0.25)
    (change,) = result.comparisons
    assert (change.a, change.b, change.delta) == (
        "after",
        "before",
        pytest.approx(after.value - before.value),
    )


def test_only_what_both_translated_is_compared_and_the_rest_is_counted() -> None:
    result = compare_bleu(SEGMENTS, ["a b c d e", None, "k l m n o"], ["a b c d e", "f g h i j", None])
    assert [score.n for score in result.scores] == [1, 1]
    assert result.counts == {"before": {"missing": 1}, "after": {"missing": 1}}


def test_nothing_to_compare_has_no_score() -> None:
    result = compare_bleu(SEGMENTS, [None] * 3, [None] * 3)
    assert [(score.value, score.n) for score in result.scores] == [(None, 0), (None, 0)]

"""BLEU of every order from one measurement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment
from mtassay.measures.bleu import BLEU
from mtassay.meta.measurement import OrderSweep, parse_orders
from mtassay.meta.rated_material import RatingFrame

SEGMENTS = [
    Segment("1", None, ("the cat sat on the old mat today",)),
    Segment("2", None, ("a dog ran to the far end of the park",)),
]
OUTPUTS = {
    "near": ["the cat sat on the old mat", "a dog ran to the end of the park"],
    "far": ["cat on the old mat", "dogs at the end of a park"],
}
FRAME = RatingFrame(list(OUTPUTS), ["1", "2"])


def test_every_order_has_the_score_and_signature_of_its_own_bleu() -> None:
    sweep = OrderSweep.of("bleu:lowercase=yes:order=3", BLEU(lowercase=True, order=3), range(1, 7))
    assert sweep.widest == "bleu:lowercase=yes:order=6"
    raters = sweep.raters(BLEU(lowercase=True, order=6).measure(SEGMENTS, OUTPUTS), FRAME)
    assert [rater.name for rater in raters] == [f"bleu:lowercase=yes:order={n}" for n in range(1, 7)]
    for order, rater in enumerate(raters, start=1):
        metric = BLEU(lowercase=True, order=order)
        measured = metric.measure(SEGMENTS, OUTPUTS)
        assert rater.points.tolist() == [float(metric.aggregate(s.values.sum(axis=0))) for s in measured]
        assert rater.segments is not None
        assert rater.segments.tolist() == [metric.unit_scores(s.values).tolist() for s in measured]


def test_an_order_that_a_system_never_matches_is_undefined() -> None:
    sweep = OrderSweep.of("bleu", BLEU(), range(3, 6))
    raters = sweep.raters(sweep.metric.measure(SEGMENTS, OUTPUTS), FRAME)
    # The longest n-grams that "far" shares are "on the old mat" (4).
    assert [rater.undefined for rater in raters] == ["", "", "no n-gram of this length matches: 5 of far"]


@pytest.mark.parametrize("widest", [3, 4, 6])
def test_signatures_name_every_order_but_four(widest: int) -> None:
    metric = BLEU(order=widest)
    signature = metric.signature(SEGMENTS, extra={"seed": 1})
    measured = [replace(entry, signature=signature) for entry in metric.measure(SEGMENTS, OUTPUTS)]
    raters = OrderSweep.of("bleu", metric, range(1, widest + 1)).raters(measured, FRAME)
    for order, rater in enumerate(raters, start=1):
        assert rater.signature == BLEU(order=order).signature(SEGMENTS, extra={"seed": 1})


@pytest.mark.parametrize("text", ["", "0-4", "4-1", "1-65", "x", "1-", "-3"])
def test_bad_orders_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="n-gram lengths"):
        parse_orders(text)


def test_weights_and_a_sweep_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="uniform weights"):
        OrderSweep.of("bleu", BLEU(order=2, weights=(0.5, 0.5)), range(1, 3))

"""The quality of translations, and the thresholds for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from mtassay.data.errors import UsageError
from mtassay.measures.chrf import ChrF
from mtassay.measures.ter import TER
from mtassay.methods.behavior import translation_quality as module
from mtassay.methods.behavior.translation_quality import Translated, qualities
from mtassay.methods.behavior.verdict_thresholds import (
    THRESHOLDS,
    caution,
    thresholds_for,
)
from tests.methods.behavior.fakes import Memory, Shared

ITEMS = [
    Translated("x", "a b c d", ("a b c d", "a b c z")),
    Translated("x", "a b", ("z z", None)),
    Translated("y", "a b c d", ("", "a b")),
]


def test_each_item_and_system_has_a_quality() -> None:
    found = qualities({"shared": Shared()}, ITEMS, ["one", "two"], Memory())
    assert found.tolist()[0] == [1.0, 0.75]
    assert found[1, 0] == 0.0


def test_a_missing_output_and_an_undefined_score_have_none() -> None:
    found = qualities({"shared": Shared()}, ITEMS, ["one", "two"], Memory())
    assert np.isnan(found[1, 1])
    assert np.isnan(found[2, 0])
    assert found[2, 1] == 1.0


def test_percent_become_shares_and_less_can_be_better() -> None:
    items = [Translated("", "the cat sat", ("the cat sat", "a dog ran"))]
    chrf = qualities({"chrf": ChrF()}, items, ["same", "other"], Memory())
    ter = qualities({"ter": TER()}, items, ["same", "other"], Memory())
    assert chrf[0, 0] == pytest.approx(1)
    assert 0 <= chrf[0, 1] < 0.3
    assert ter.tolist() == [[1.0, 0.0]]  # three of three words are wrong


def test_several_metrics_are_averaged() -> None:
    items = [Translated("", "a b c d", ("a b c z",))]
    both = qualities({"shared": Shared(), "ter": TER()}, items, ["s"], Memory())
    assert both[0, 0] == pytest.approx((0.75 + 0.75) / 2)


def test_equal_items_are_measured_once_and_in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 2)
    metric = Shared()
    items = [Translated("x", "a b", (text,)) for text in ("a", "b", "a z", "a", "b")]
    found = qualities({"shared": metric}, items, ["s"], Memory())
    assert found[:, 0].tolist() == [1, 1, 0.5, 1, 1]
    assert metric.calls == [2, 1]


def test_what_was_measured_before_is_not_measured_again() -> None:
    context, metric = Memory(), Shared()
    first = qualities({"shared": metric}, ITEMS, ["one", "two"], context)
    again = qualities({"shared": metric}, ITEMS, ["one", "two"], context)
    np.testing.assert_array_equal(first, again)
    assert metric.calls == [3]
    assert context.recalled == 2  # one for each system


def test_a_metric_that_counts_in_larger_units_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Whole(Shared):
        name: ClassVar[str] = "whole"

        def measure(self, segments, outputs):  # type: ignore[no-untyped-def]
            return super().measure(segments[:1], {name: texts[:1] for name, texts in outputs.items()})

    with pytest.raises(UsageError, match="'whole' does not score single segments"):
        qualities({"whole": Whole()}, ITEMS, ["one", "two"], Memory())


def test_no_items_are_no_work() -> None:
    assert qualities({"shared": Shared()}, [], ["one"], Memory()).shape == (0, 1)


@pytest.mark.parametrize(
    ("quality", "given", "expected"),
    [
        ("comet", {}, (0.8, 0.05)),  # section 4.1 of the paper
        ("comet:batch_size=64:gpus=1", {}, (0.8, 0.05)),  # changes the speed only
        ("comet", {"beta": 0.1}, (0.8, 0.1)),
        ("nee", {"alpha": 0.5, "beta": 0.2}, (0.5, 0.2)),
        ("chrf", {"target": "zh"}, (THRESHOLDS["chrf"].alpha, THRESHOLDS["chrf"].beta)),
    ],
)
def test_thresholds_are_those_of_the_very_measure(
    quality: str, given: dict[str, float], expected: tuple[float, float]
) -> None:
    found = thresholds_for(quality, **given)  # type: ignore[arg-type]
    assert (found.alpha, found.beta) == expected


@pytest.mark.parametrize(
    "quality", ["nee", "comet:model=Unbabel/XCOMET-XL", "use:against=source", "use+comet"]
)
def test_a_measure_without_thresholds_never_takes_those_of_another(quality: str) -> None:
    with pytest.raises(UsageError, match="Give `min_quality` and `max_change`"):
        thresholds_for(quality, alpha=0.5)


def test_thresholds_found_for_one_language_are_not_taken_for_another() -> None:
    with pytest.raises(UsageError, match="are valid for translations into zh only"):
        thresholds_for("chrf", target="pt")


@pytest.mark.parametrize(
    ("quality", "pair", "alpha", "beta", "warns", "names_thresholds"),
    [
        ("use", "en-pt", None, None, True, True),
        ("use", "en-pt", 0.7, None, True, True),
        ("use", "en-pt", 0.7, 0.1, True, False),
        ("use", "en-zh", None, None, True, False),
        ("use+chrf", "de-zh", None, None, True, True),
        ("comet", "en-pt", None, None, False, False),
    ],
)
def test_who_reads_rates_by_the_encoder_is_told_what_it_cannot_see(
    quality: str, pair: str, alpha: float | None, beta: float | None, warns: bool, names_thresholds: bool
) -> None:
    text = caution(quality, pair, alpha=alpha, beta=beta)
    assert ("often misses" in text, f"not on {pair}" in text) == (warns, names_thresholds)
    assert ("such cases pass" in caution(quality, pair, direct=False)) is warns

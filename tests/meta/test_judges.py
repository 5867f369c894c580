"""What judges are worth: areas and agreement that can be checked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from mtassay.data.errors import UsageError
from mtassay.meta.detect import JudgedDetector, PairKey
from mtassay.meta.judges import (
    CalibrationSettings,
    calibrate_judge,
    compare_judges,
    error_scores,
)


def judge(name: str, scores: Sequence[float | None], wrong: Sequence[bool]) -> JudgedDetector:
    keys = [PairKey(str(i)) for i in range(len(wrong))]
    return JudgedDetector(
        name,
        frozenset(key for key, score in zip(keys, scores, strict=True) if score is not None and score > 0.5),
        dict(zip(keys, wrong, strict=True)),
        {key: score for key, score in zip(keys, scores, strict=True) if score is not None},
    )


def test_equal_judges_cannot_be_told_apart_and_unequal_ones_are() -> None:
    wrong = [n % 2 == 0 for n in range(60)]
    perfect = judge("perfect", [float(w) + n / 1000 for n, w in enumerate(wrong)], wrong)
    guess = judge("guess", [(n * 37 % 60) / 60 for n in range(60)], wrong)
    twin = replace(perfect, name="twin")
    result, _ = compare_judges([perfect, twin, guess], set(), CalibrationSettings(), {})
    entries = {(entry.a, entry.b): entry for entry in result.comparisons}
    assert (entries["perfect", "twin"].delta, entries["perfect", "twin"].more) == (0, None)
    assert entries["perfect", "guess"].more == 0
    assert entries["perfect", "guess"].p is not None
    assert entries["perfect", "guess"].p < 0.001


def test_judges_of_other_outputs_are_not_compared() -> None:
    wrong = [True, False] * 20
    a = judge("a", [0.9, 0.1] * 20, wrong)
    b = replace(a, name="b", labels=dict(list(a.labels.items())[:30]))
    result, summaries = compare_judges([a, b], set(), CalibrationSettings(), {})
    assert result.comparisons == []
    assert [summary.n for summary in summaries] == [40, 30]


def test_outputs_of_one_source_are_of_one_group_whatever_was_edited() -> None:
    keys = [PairKey("1.noun/edited"), PairKey("1.verb/edited"), PairKey("2.noun/edited")]
    given = JudgedDetector("j", frozenset(), dict.fromkeys(keys, True), dict.fromkeys(keys, 0.5))
    sources = {"1.noun/edited": "A cat sat.", "1.verb/edited": "A cat sat."}
    assert error_scores(given, sources).sources == ["A cat sat.", "A cat sat.", "2.noun"]


def test_too_few_labels_are_refused_with_how_many_are_needed() -> None:
    with pytest.raises(
        UsageError, match=r"20 labelled outputs, 10 of them wrong, are too few. Label 30 or more"
    ):
        calibrate_judge(judge("j", [0.9, 0.1] * 10, [True, False] * 10), CalibrationSettings())
    with pytest.raises(UsageError, match="8 or more of either kind"):
        calibrate_judge(judge("j", [0.1] * 40, [True] * 5 + [False] * 35), CalibrationSettings())


def test_a_judge_that_cannot_meet_the_wish_says_how_far_it_can_be_trusted() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=300)
    wrong = (rng.random(300) < 1 / (1 + np.exp(-0.8 * scores))).tolist()
    found = calibrate_judge(judge("j", scores.tolist(), wrong), CalibrationSettings(precision=0.97))
    assert found.threshold is None
    assert found.most is not None
    assert 0.5 <= found.most < 0.95

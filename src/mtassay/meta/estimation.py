"""How well quality estimation tells wrong outputs from right ones.

Quality estimation sees one output at a time, so it is judged over all outputs of a category and not in pairs:
by the probability that a correct output scores above an incorrect one, of whatever item.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.formats.evaluation_files import ChallengePair
from mtassay.data.nouns import Result, Score
from mtassay.meta.challenge import ChallengeSettings, MetricScores, grouped, item_codes
from mtassay.stats import proportions, tails
from mtassay.stats.comparisons import Compare, defined, joined, ranked
from mtassay.stats.correlation import AUC, auc, auc_covariance
from mtassay.stats.proportions import standardized

Drawn = Literal["segments", "documents", "systems", ""]
"""What the interval comes from: units or systems drawn again, or nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`value` over `n` units with the ends of its 95 % interval; nan where undefined.

    Units are systems or translations, and for accuracies pairs of them. `groups` is how many groups the value
    is the mean of, and `epsilon` up to which difference scores of the metric are tied; nan where that is no
    question. `reason` tells why the value, or only the interval, is missing; after a colon, for whom.
    """

    statistic: str
    value: float
    n: int
    low: float = math.nan
    high: float = math.nan
    drawn: Drawn = ""
    reason: str = ""
    groups: int = 0
    epsilon: float = math.nan


PAIRED = ("pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq")
"""The statistics that are about pairs."""

_WAYS: dict[Drawn, str] = {
    "segments": "segments drawn again, the same ones for both",
    "documents": "documents drawn again, the same ones for both",
    "systems": "systems drawn again",
}


def describe_intervals(drawn: Drawn, samples: int, *, due_to: str = "") -> str:
    """Where all intervals of a table come from; `due_to` names who has nothing better to draw."""
    why = f", since system scores of {due_to} do not follow from scores of segments" if due_to else ""
    return f"[ ]: 95 % interval; {_WAYS[drawn]}, {samples:,} times{why}."


Floats = NDArray[np.float64]
AREA = "auc"


@dataclass(frozen=True, slots=True, eq=False)
class _Outputs:
    """The different outputs of all items, each once, with the score (outputs, metrics) of every metric."""

    groups: Sequence[str]
    items: NDArray[np.int64]
    is_correct: NDArray[np.bool_]
    scores: Floats

    def area(self, rows: Sequence[int], column: int, *, among: Sequence[int]) -> AUC:
        """The area of one metric over those of the rows that all metrics `among` have a score for."""
        chosen = np.asarray(rows, dtype=np.int64)
        kept = chosen[~np.isnan(self.scores[chosen][:, list(among)]).any(axis=1)]
        return auc(self.scores[kept, column], self.is_correct[kept], self.items[kept])


def discrimination(
    pairs: Sequence[ChallengePair], metrics: Sequence[MetricScores], settings: ChallengeSettings
) -> Result:
    """The area under the ROC curve (0 to 1, 0.5 is chance) in each group, then "micro" and "macro".

    Scores are named "auc", with the metric as `system`; n is the number of outputs. An output that is in
    several pairs counts once. A group without correct or without incorrect outputs has the value `None`.
    Intervals and the one-tailed z-tests of the best metric against others respect that outputs of one item
    are not independent (Obuchowski 1997).
    """
    if not metrics:
        return Result()
    outputs = _outputs(pairs, metrics, settings)
    results = []
    for group, parts in grouped(outputs.groups).items():
        scores = [_score(group, metric, i, outputs, parts) for i, metric in enumerate(metrics)]
        results.append(Result(scores))
        if len(metrics) > 1:
            results.append(ranked(scores, _comparison(outputs, parts), alpha=settings.alpha))
    return joined(results)


def _outputs(
    pairs: Sequence[ChallengePair], metrics: Sequence[MetricScores], settings: ChallengeSettings
) -> _Outputs:
    seen: set[tuple[str, str]] = set()
    groups: list[str] = []
    item_of, _ = item_codes(pairs)
    codes: list[int] = []
    correct: list[bool] = []
    scores: list[list[float]] = []
    for place, pair in enumerate(pairs):
        for is_correct, text in ((True, pair.correct), (False, pair.incorrect)):
            if (pair.item, text) in seen:
                continue
            seen.add((pair.item, text))
            groups.append(getattr(pair, settings.by))
            codes.append(int(item_of[place]))
            correct.append(is_correct)
            side = "correct" if is_correct else "incorrect"
            scores.append([float(getattr(metric, side)[place]) for metric in metrics])
    return _Outputs(groups, np.array(codes), np.array(correct), np.array(scores))


def _score(
    group: str, metric: MetricScores, column: int, outputs: _Outputs, parts: Sequence[Sequence[int]]
) -> Score:
    areas = [outputs.area(rows, column, among=[column]) for rows in parts]
    defined_areas = [area for area in areas if not math.isnan(area.value)]
    n = sum(area.positives + area.negatives for area in defined_areas)
    if not defined_areas:
        return Score(AREA, metric.name, group, None, n, signature=metric.signature)
    value = float(np.mean([area.value for area in defined_areas]))
    if len(defined_areas) == 1:
        low, high = defined_areas[0].interval()
    else:
        trials = np.array([area.trials for area in defined_areas])
        low, high = map(
            float, proportions.macro_interval([area.value for area in defined_areas] * trials, trials)
        )
    return Score(AREA, metric.name, group, value, n, defined(low), defined(high), metric.signature)


def _comparison(outputs: _Outputs, parts: Sequence[Sequence[int]]) -> Compare:
    return lambda a, others: np.array([_p(outputs, parts, a, b) for b in others])


def _p(outputs: _Outputs, parts: Sequence[Sequence[int]], a: int, b: int) -> float:
    """One-tailed p-value that metric a has the greater area, or mean of areas, on their common outputs."""
    differences, variances = [], []
    for rows in parts:
        first, second = (outputs.area(rows, column, among=[a, b]) for column in (a, b))
        if not math.isnan(first.value):
            differences.append(first.value - second.value)
            variances.append(first.variance + second.variance - 2 * auc_covariance(first, second))
    if not differences:
        return math.nan
    # A category of a single item has no variance to give; it is a small part of a mean of many.
    variance = np.nansum(variances) / len(variances) ** 2 if not np.isnan(variances).all() else math.nan
    steps = standardized(np.array(np.mean(differences)), np.array(variance))
    return float(tails.normal_tail(steps))

"""Judges of the same labelled outputs side by side: how good, how dear, better together, and sure of it?"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import Comparison, Result, Score
from mtassay.meta.calibration import CalibrationSettings, ErrorScores, error_scores
from mtassay.meta.costs import Cost
from mtassay.meta.detect import JudgedDetector
from mtassay.stats.calibration import FlaggedCounts, fit_logistic, flag_held_out, folds_by_group, logistic
from mtassay.stats.correlation import AUC, auc, auc_covariance, average_ranks

__all__ = ["CombinedJudges", "JudgeSummary", "compare_judges"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """One judge: what it calls wrong against the labels, its area where it has scores, and its cost.

    `kappa` is Cohen's, of its verdicts with the labels; nan where it says the same of all.
    """

    name: str
    cells: FlaggedCounts
    kappa: float
    area: AUC | None
    cost: Cost
    is_calibrated: bool

    @property
    def n(self) -> int:
        """How many labelled outputs."""
        return sum(self.cells)


@dataclass(frozen=True, slots=True)
class CombinedJudges:
    """The areas of two judges together: of the mean of their ranks, and of a logistic model, held out."""

    names: tuple[str, str]
    by_ranks: AUC
    by_logistic: AUC


def compare_judges(
    judges: Sequence[JudgedDetector],
    costs: Mapping[str, Cost],
    calibrated: Collection[str],
    settings: CalibrationSettings,
    sources: Mapping[str, str],
) -> tuple[Result, list[JudgeSummary], list[CombinedJudges]]:
    """Each judge, every two of them together, and every two compared.

    Those in `calibrated` call wrong what a threshold for the wished precision says, found on other folds; all
    others what they flag. A comparison is of areas, or where one has none, of how many verdicts are right
    (McNemar); `more` is how many more labels would tell the two apart with a power of 80 %.
    """
    given = {judge.name: error_scores(judge, sources) for judge in judges}
    verdicts = {j.name: _verdicts(j, given[j.name], j.name in calibrated, settings) for j in judges}
    summaries = []
    for judge in judges:
        own, flagged = given[judge.name], verdicts[judge.name]
        kappa = stats.cohen_kappa(flagged.tolist(), own.is_error.tolist())
        area = _area(own) if judge.scores else None
        cells = FlaggedCounts.of(flagged, own.is_error)
        cost = costs.get(judge.name, Cost(0))
        summaries.append(JudgeSummary(judge.name, cells, kappa, area, cost, judge.name in calibrated))
    combined, comparisons = [], []
    for a, b in combinations(judges, 2):
        if list(a.labels) != list(b.labels):
            continue
        first, second = given[a.name], given[b.name]
        if a.scores and b.scores:
            combined.append(_combined((a.name, b.name), first, second, settings))
        comparisons.append(_compared(a.name, b.name, summaries, first.is_error, verdicts))
    return Result(_scores(summaries, combined), comparisons, counts=_counts(summaries)), summaries, combined


def _verdicts(
    judge: JudgedDetector, given: ErrorScores, is_calibrated: bool, settings: CalibrationSettings
) -> NDArray[np.bool_]:
    if not is_calibrated:
        return np.array([key in judge.flagged for key in judge.labels], dtype=bool)
    return flag_held_out(
        given.scores,
        given.is_error,
        given.sources,
        settings.precision,
        folds=settings.folds,
        seed=settings.seed,
    )


def _codes(sources: Sequence[str]) -> NDArray[np.int64]:
    ids: dict[str, int] = {}
    return np.array([ids.setdefault(source, len(ids)) for source in sources], dtype=np.int64)


def _filled(scores: Floats) -> Floats:
    """Outputs without a score are those that nothing speaks against."""
    return np.where(np.isnan(scores), np.nanmin(scores, initial=0.0) - 1, scores)


def _area(given: ErrorScores) -> AUC:
    return auc(_filled(given.scores), given.is_error, _codes(given.sources))


def _combined(
    names: tuple[str, str], a: ErrorScores, b: ErrorScores, settings: CalibrationSettings
) -> CombinedJudges:
    both = np.column_stack([_filled(a.scores), _filled(b.scores)])
    ranks = average_ranks(both[:, 0]) + average_ranks(both[:, 1])
    parts = folds_by_group(a.sources, settings.folds, seed=settings.seed)
    held = np.zeros(len(both))
    for part in range(settings.folds):
        learn = parts != part
        held[~learn] = logistic(both[~learn], fit_logistic(both[learn], a.is_error[learn]))
    codes = _codes(a.sources)
    return CombinedJudges(names, auc(ranks, a.is_error, codes), auc(held, a.is_error, codes))


def _compared(
    a: str,
    b: str,
    summaries: Sequence[JudgeSummary],
    is_error: NDArray[np.bool_],
    verdicts: Mapping[str, NDArray[np.bool_]],
) -> Comparison:
    by_name = {summary.name: summary for summary in summaries}
    one, other = by_name[a].area, by_name[b].area
    n = len(is_error)
    if one is not None and other is not None:
        name, delta = "auc", one.value - other.value
        error = math.sqrt(max(one.variance + other.variance - 2 * auc_covariance(one, other), 0.0))
    else:
        name = "right"
        only = [(verdicts[x] == is_error) & (verdicts[y] != is_error) for x, y in ((a, b), (b, a))]
        wins, losses = (int(part.sum()) for part in only)
        delta = (wins - losses) / n
        error = math.sqrt(max(wins + losses - (wins - losses) ** 2 / n, 0.0)) / n
    p = float(2 * stats.normal_tail(np.array(abs(delta) / error))) if error > 0 else 1.0
    return Comparison(name, "all", a, b, delta, min(p, 1.0), more=stats.units_to_settle(delta, error, n))


def _scores(summaries: Sequence[JudgeSummary], combined: Sequence[CombinedJudges]) -> list[Score]:
    scores = []
    for summary in summaries:
        cells = summary.cells
        for name, n in (("precision", cells.hits + cells.alarms), ("recall", cells.hits + cells.misses)):
            low, high = (100 * end for end in stats.wilson(cells.hits, n))
            value = 100 * cells.hits / n if n else None
            scores.append(Score(name, summary.name, "all", value, n, *((low, high) if n else (None, None))))
        if summary.area is not None:
            scores.append(_score_of(summary.area, "auc", summary.name, summary.n))
        kappa = None if math.isnan(summary.kappa) else summary.kappa
        scores.append(Score("kappa", summary.name, "all", kappa, summary.n, decimals=2))
        for name, amount in (
            ("seconds", summary.cost.seconds),
            ("calls", float(summary.cost.calls) if summary.cost.outputs else None),
            ("price", summary.cost.price if summary.cost.outputs else None),
        ):
            each = summary.cost.per_thousand(amount)
            scores.append(Score(f"{name}:1000", summary.name, "all", each, summary.cost.outputs, decimals=2))
    for pair in combined:
        name = " + ".join(pair.names)
        n = pair.by_ranks.positives + pair.by_ranks.negatives
        scores.append(_score_of(pair.by_ranks, "auc:ranks", name, n))
        scores.append(_score_of(pair.by_logistic, "auc:logistic", name, n))
    return scores


def _score_of(area: AUC, name: str, judge: str, n: int) -> Score:
    if math.isnan(area.value):
        return Score(name, judge, "all", None, n, decimals=2)
    low, high = area.interval()
    return Score(name, judge, "all", area.value, n, float(low), float(high), decimals=2)


def _counts(summaries: Sequence[JudgeSummary]) -> dict[str, dict[str, int]]:
    return {
        s.name: {
            "labelled": s.n,
            "errors": s.cells.hits + s.cells.misses,
            "flagged": s.cells.hits + s.cells.alarms,
        }
        for s in summaries
    }

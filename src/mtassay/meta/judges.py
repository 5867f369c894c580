"""Finds a judge's threshold for a wanted precision on labelled outputs, and tests it on others."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.nouns import EDITED, Comparison, Result, Score
from mtassay.meta.detect import DetectionSettings, JudgedDetector, area_of, detect
from mtassay.stats import proportions, rater_agreement, tails
from mtassay.stats.comparisons import units_to_settle
from mtassay.stats.correlation import AUC, auc_covariance
from mtassay.stats.thresholds import FlaggedCounts, flag_held_out, threshold_for_precision

FEWEST_LABELS = 30
"""With fewer labels, or fewer than 8 of one kind, nothing is calibrated."""
_FEWEST_OF_A_KIND = 8


@dataclass(frozen=True, slots=True)
class CalibrationSettings:
    """The precision to reach (0 to 1), the number of folds to hold out in turn, and their seed."""

    precision: float = 0.8
    folds: int = 5
    seed: int | None = 12345


@dataclass(frozen=True, slots=True, eq=False)
class ErrorScores:
    """A judge's scores of labelled outputs; higher means a more certain error, nan means no score.

    `sources` says which outputs have the same source.
    """

    scores: NDArray[np.float64]
    is_error: NDArray[np.bool_]
    sources: Sequence[str]


def error_scores(judge: JudgedDetector, sources: Mapping[str, str]) -> ErrorScores:
    """A judge's scores of its labelled outputs; without scores, flagged outputs have the score 1.

    `sources` has source texts by the id of an output; for an edited source, the text of its original. An id
    without a text is a source of its own.
    """
    sign = -1.0 if judge.low_is_error else 1.0
    keys = list(judge.labels)
    if judge.scores:
        values = [sign * judge.scores[key] if key in judge.scores else np.nan for key in keys]
    else:
        values = [float(key in judge.flagged) for key in keys]
    return ErrorScores(
        np.array(values, dtype=np.float64),
        np.array([judge.labels[key] for key in keys], dtype=bool),
        [sources.get(key.id, key.id.removesuffix(EDITED)) for key in keys],
    )


@dataclass(frozen=True, slots=True)
class CalibratedJudge:
    """A judge with its calibrated threshold; `None` if the precision cannot be reached.

    `threshold` is on the judge's own scale, and `low_is_error` says on which side outputs are called wrong.
    `held_out` counts results on outputs whose labels were not used for the threshold. `most` is the highest
    precision that can be reached, in steps of 5 %. `parameters` has the resulting parameters of a method,
    such as alpha, and `quality` names their measure.
    """

    name: str
    label: str
    threshold: float | None
    low_is_error: bool
    wished: float
    held_out: FlaggedCounts
    most: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    quality: str = ""

    @property
    def n(self) -> int:
        """The number of labelled outputs."""
        return sum(self.held_out)

    def tell(self, engine: str) -> str:
        """Describe the judge's results with this threshold in one line."""
        cells = self.held_out
        wholes = (cells.hits + cells.misses, cells.hits + cells.alarms)
        seen, right = (round(10 * cells.hits / max(whole, 1)) for whole in wholes)
        return (
            f"sees {seen} of 10 errors of {engine}, and {right} of 10 that it reports are errors "
            f"(n = {self.n})"
        )

    def scores(self) -> list[Score]:
        """Precision and recall (percent) on held-out outputs, with Wilson's intervals."""
        cells = self.held_out
        parts = {"precision": cells.hits + cells.alarms, "recall": cells.hits + cells.misses}
        return [
            proportions.share_score(what, self.name, "held out", cells.hits, n, label=self.label)
            for what, n in parts.items()
        ]


def calibrate_judge(
    judge: JudgedDetector,
    settings: CalibrationSettings,
    *,
    sources: Mapping[str, str] | None = None,
    label: str = "",
) -> CalibratedJudge:
    """Find the threshold for the wanted precision, and test it on held-out outputs, grouped by source."""
    given = error_scores(judge, sources or {})
    if not _is_enough(given.is_error):
        wrong = int(given.is_error.sum())
        raise UsageError(
            f"{judge.name}: {len(given.is_error):,} labelled outputs, {wrong:,} of them wrong, are too few. "
            f"Label {FEWEST_LABELS} or more, with {_FEWEST_OF_A_KIND} or more of either kind."
        )
    flagged = _flagged(given, settings)
    limit = _threshold(given, settings.precision, settings)
    cells = FlaggedCounts.of(flagged, given.is_error)
    lower = [level / 100 for level in range(95, 0, -5) if limit is None and level / 100 < settings.precision]
    most = next((level for level in lower if _threshold(given, level, settings) is not None), None)
    own = None if limit is None else (-limit if judge.low_is_error else limit)
    return CalibratedJudge(
        judge.name, label or judge.name, own, judge.low_is_error, settings.precision, cells, most
    )


def _is_enough(is_error: NDArray[np.bool_]) -> bool:
    """Whether there are enough labels of both kinds to learn from."""
    wrong = int(is_error.sum())
    return len(is_error) >= FEWEST_LABELS and min(wrong, len(is_error) - wrong) >= _FEWEST_OF_A_KIND


def _threshold(given: ErrorScores, precision: float, settings: CalibrationSettings) -> float | None:
    return threshold_for_precision(
        given.scores, given.is_error, given.sources, precision, folds=settings.folds, seed=settings.seed
    )


def calibration_result(judges: Sequence[CalibratedJudge]) -> Result:
    """A result with all judges' precision and recall, and the number of labelled outputs."""
    counts = {
        judge.name: {
            "labelled": judge.n,
            "errors": judge.held_out.hits + judge.held_out.misses,
            "flagged": judge.held_out.hits + judge.held_out.alarms,
        }
        for judge in judges
    }
    return Result([score for judge in judges for score in judge.scores()], counts=counts)


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """A judge's agreement with the labels, and its area if it has scores.

    `judge` flags the outputs that it calls wrong. `kappa` is Cohen's kappa of its verdicts and the labels;
    nan if all its verdicts are equal.
    """

    judge: JudgedDetector
    kappa: float
    area: AUC | None
    is_calibrated: bool

    @property
    def name(self) -> str:
        """The name of the judge."""
        return self.judge.name

    @property
    def n(self) -> int:
        """The number of labelled outputs."""
        return len(self.judge.labels)


def compare_judges(
    judges: Sequence[JudgedDetector],
    calibrated: Collection[str],
    settings: CalibrationSettings,
    sources: Mapping[str, str],
) -> tuple[Result, list[JudgeSummary]]:
    """Summarise each judge, and compare every pair.

    Judges in `calibrated` call outputs wrong by a threshold that was found on other folds for the wanted
    precision; other judges use their flags. Areas are compared, or without areas the numbers of right
    verdicts (McNemar). `more` is how many more labels a significant difference needs at a power of 80 %.
    """
    given = {judge.name: error_scores(judge, sources) for judge in judges}
    summaries = []
    for judge in judges:
        own, is_calibrated = given[judge.name], judge.name in calibrated
        decided = _calibrated(judge, own, settings) if is_calibrated else judge
        verdicts = np.array([key in decided.flagged for key in decided.labels], dtype=np.float64)
        kappa = rater_agreement.estimate_kappa(verdicts, own.is_error.astype(np.float64), samples=1).value
        summaries.append(JudgeSummary(decided, kappa, area_of(judge, sources), is_calibrated))
    comparisons = []
    for a, b in combinations(summaries, 2):
        if not a.n or list(a.judge.labels) != list(b.judge.labels):
            continue
        comparisons.append(_compared(a, b, given[a.name].is_error))
    drawn = DetectionSettings(seed=settings.seed)
    found = detect([summary.judge for summary in summaries], settings=drawn, sources=sources)
    kappas = ((s, None if math.isnan(s.kappa) else s.kappa) for s in summaries)
    scores = [*found.scores, *(Score("kappa", s.name, "all", k, s.n, decimals=2) for s, k in kappas)]
    return replace(found, scores=scores, comparisons=comparisons), summaries


def _calibrated(judge: JudgedDetector, given: ErrorScores, settings: CalibrationSettings) -> JudgedDetector:
    """Return the judge with flags by a threshold from other folds."""
    keys = zip(judge.labels, _flagged(given, settings).tolist(), strict=True)
    return replace(judge, flagged=frozenset(key for key, is_wrong in keys if is_wrong))


def _flagged(given: ErrorScores, settings: CalibrationSettings) -> NDArray[np.bool_]:
    """Which outputs a threshold from other folds flags."""
    columns = (given.scores, given.is_error, given.sources)
    return flag_held_out(*columns, settings.precision, folds=settings.folds, seed=settings.seed)


def _compared(a: JudgeSummary, b: JudgeSummary, is_error: NDArray[np.bool_]) -> Comparison:
    n = len(is_error)
    if a.area is not None and b.area is not None:
        name, delta = "auc", a.area.value - b.area.value
        error = math.sqrt(max(a.area.variance + b.area.variance - 2 * auc_covariance(a.area, b.area), 0.0))
    else:
        name = "right"
        first, second = (
            np.array([key in one.judge.flagged for key in one.judge.labels]) == is_error for one in (a, b)
        )
        wins, losses = int((first & ~second).sum()), int((second & ~first).sum())
        delta = (wins - losses) / n
        error = math.sqrt(max(wins + losses - (wins - losses) ** 2 / n, 0.0)) / n
    p = float(2 * tails.normal_tail(np.array(abs(delta) / error))) if error > 0 else 1.0
    return Comparison(name, "all", a.name, b.name, delta, min(p, 1.0), more=units_to_settle(delta, error, n))

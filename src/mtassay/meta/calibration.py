"""A judge's threshold for a wished precision, from labelled outputs, and what it then does on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import EDITED, Result, Score
from mtassay.errors import UsageError
from mtassay.meta.detect import JudgedDetector
from mtassay.reviews.audit import TrackRecord
from mtassay.stats.calibration import FlaggedCounts, flag_held_out, threshold_for_precision

__all__ = [
    "CalibratedJudge",
    "CalibrationSettings",
    "ErrorScores",
    "calibrate_judge",
    "calibration_result",
    "error_scores",
]

FEWEST_LABELS = 30
"""Below so many labels, or 8 of either kind, nothing is calibrated."""
_FEWEST_OF_A_KIND = 8


@dataclass(frozen=True, slots=True)
class CalibrationSettings:
    """The precision to reach, between 0 and 1, how many folds are held out in turn, and their seed."""

    precision: float = 0.8
    folds: int = 5
    seed: int | None = 12345


@dataclass(frozen=True, slots=True, eq=False)
class ErrorScores:
    """What a judge gave to labelled outputs: the higher, the surer is an error; nan where it said nothing.

    `sources` tells which outputs are of one source.
    """

    scores: NDArray[np.float64]
    is_error: NDArray[np.bool_]
    sources: Sequence[str]


def error_scores(judge: JudgedDetector, sources: Mapping[str, str]) -> ErrorScores:
    """The scores of a judge on its labelled outputs, or 1 for what it flags where it has none.

    `sources` has for the id of an output the text that it, or what it was edited from, translates; an id
    without one is a source of its own.
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
    """A judge with the threshold that was found; `None` where the precision cannot be met.

    `threshold` is on the judge's own scale, and `low_is_error` says on which side of it outputs are called
    wrong. `held_out` counts what happens to outputs whose labels had no part in the threshold; `most` is the
    highest precision, in steps of 5 %, that can be met. `parameters` are those of a method that follow from
    it, such as alpha, and `quality` names the measure that these are about.
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
        """How many outputs are labelled."""
        return sum(self.held_out)

    def record(self, engine: str) -> TrackRecord:
        """What is known of the judge with this threshold."""
        cells = self.held_out
        return TrackRecord(
            engine, self.n, cells.hits + cells.misses, cells.hits + cells.alarms, cells.hits, undecided=0
        )

    def scores(self) -> list[Score]:
        """Precision and recall on held-out outputs in percent, with Wilson's intervals."""
        cells = self.held_out
        parts = {"precision": cells.hits + cells.alarms, "recall": cells.hits + cells.misses}
        return [_share(what, self.name, self.label, cells.hits, n) for what, n in parts.items()]


def _share(name: str, judge: str, label: str, hits: int, n: int) -> Score:
    if not n:
        return Score(name, judge, "held out", None, 0, label=label)
    low, high = stats.wilson(hits, n)
    return Score(name, judge, "held out", 100 * hits / n, n, 100 * low, 100 * high, label=label)


def calibrate_judge(
    judge: JudgedDetector,
    settings: CalibrationSettings,
    *,
    sources: Mapping[str, str] | None = None,
    label: str = "",
) -> CalibratedJudge:
    """The threshold for the wished precision, and what it does on held-out outputs, grouped by source."""
    given = error_scores(judge, sources or {})
    wrong = int(given.is_error.sum())
    right = len(given.is_error) - wrong
    if len(given.is_error) < FEWEST_LABELS or min(wrong, right) < _FEWEST_OF_A_KIND:
        raise UsageError(
            f"{judge.name}: {len(given.is_error):,} labelled outputs, {wrong:,} of them wrong, are too few. "
            f"Label {FEWEST_LABELS} or more, with {_FEWEST_OF_A_KIND} or more of either kind."
        )
    flagged = flag_held_out(
        given.scores,
        given.is_error,
        given.sources,
        settings.precision,
        folds=settings.folds,
        seed=settings.seed,
    )
    limit = _threshold(given, settings.precision, settings)
    cells = FlaggedCounts.of(flagged, given.is_error)
    lower = [level / 100 for level in range(95, 0, -5) if limit is None and level / 100 < settings.precision]
    most = next((level for level in lower if _threshold(given, level, settings) is not None), None)
    own = None if limit is None else (-limit if judge.low_is_error else limit)
    return CalibratedJudge(
        judge.name, label or judge.name, own, judge.low_is_error, settings.precision, cells, most
    )


def _threshold(given: ErrorScores, precision: float, settings: CalibrationSettings) -> float | None:
    return threshold_for_precision(
        given.scores, given.is_error, given.sources, precision, folds=settings.folds, seed=settings.seed
    )


def calibration_result(judges: Sequence[CalibratedJudge]) -> Result:
    """Precision and recall of all, and how many outputs are labelled."""
    counts = {
        judge.name: {
            "labelled": judge.n,
            "errors": judge.held_out.hits + judge.held_out.misses,
            "flagged": judge.held_out.hits + judge.held_out.alarms,
        }
        for judge in judges
    }
    return Result([score for judge in judges for score in judge.scores()], counts=counts)

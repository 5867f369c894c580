"""Quality of a detector of wrong translations, measured on people's labels of the same pairs.

It has precision and recall as in table 6 of Wu, Liu, Yeung (2023), and a curve if there are scores. A pair is
a source with a system's output. Unlabelled pairs never count as right or wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.nouns import EDITED, Result, Score
from mtassay.stats import proportions, resampling
from mtassay.stats.correlation import AUC, auc


class PairKey(NamedTuple):
    """A pair, identified by its segment and its system (empty if there is only one system)."""

    id: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class JudgedDetector:
    """The flags of a detector, and the labels (True: wrong) of the pairs that it could have flagged.

    Higher `scores` (with `low_is_error`, lower ones) mean a more certain error; pairs without a score rank
    below all others. `silent` counts the pairs that the detector could not judge, by reason; they are not
    flagged. `complement` names the value that is 1 minus a score, if there is such a value.
    """

    name: str
    flagged: frozenset[PairKey]
    labels: Mapping[PairKey, bool]
    scores: Mapping[PairKey, float] = field(default_factory=dict)
    silent: Mapping[str, int] = field(default_factory=dict)
    low_is_error: bool = False
    complement: str = ""


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """Settings of the intervals of F1."""

    samples: int = 1000
    seed: int | None = 12345


def detect(
    detectors: Sequence[JudgedDetector],
    *,
    settings: DetectionSettings | None = None,
    sources: Mapping[str, str] | None = None,
) -> Result:
    """Measure each detector's precision, recall and F1 (percent), and area under the ROC curve (0 to 1).

    The n of precision counts the labelled pairs among the flagged ones, and the n of recall the wrong pairs;
    both have Wilson's 95 % intervals. F1 covers all labelled pairs, and its interval comes from resampling
    them. There is an area if labelled pairs have at least two different scores; `sources` is as in `area_of`.
    `counts` has the numbers of flagged pairs and of flagged pairs without a label.
    """
    chosen = settings or DetectionSettings()
    scores: list[Score] = []
    counts = {}
    for detector in detectors:
        cells = _cells(detector)
        scores += [
            proportions.share_score("precision", detector.name, "all", cells.hits, cells.hits + cells.alarms),
            proportions.share_score("recall", detector.name, "all", cells.hits, cells.hits + cells.misses),
            _f1(detector.name, cells, chosen),
        ]
        if (area := area_of(detector, sources)) is not None:
            low, high = map(float, area.interval())
            scores.append(Score("auc", detector.name, "all", area.value, len(detector.labels), low, high))
        counts[detector.name] = {
            "flagged": len(detector.flagged),
            "unlabelled": len(detector.flagged - detector.labels.keys()),
            "labelled": len(detector.labels),
            "errors": cells.hits + cells.misses,
            **{f"silent: {why}": n for why, n in detector.silent.items() if n},
        }
    return Result(scores, counts=counts)


def area_of(detector: JudgedDetector, sources: Mapping[str, str] | None = None) -> AUC | None:
    """The area under the ROC curve of all labelled pairs; `None` without a curve.

    `sources` has source texts by the id of an output; for an edited source, the text of its original. Outputs
    of one source are a cluster, and an id without a source text is a cluster of its own.
    """
    values, is_error = _ranked(detector)
    if values is None:
        return None
    known, ids = sources or {}, dict[str, int]()
    texts = (known.get(key.id, key.id.removesuffix(EDITED)) for key in detector.labels)
    return auc(values, is_error, [ids.setdefault(text, len(ids)) for text in texts])


class _Cells(NamedTuple):
    """Counts of labelled pairs: flagged and wrong, flagged and right, not flagged and wrong, neither."""

    hits: int
    alarms: int
    misses: int
    rest: int


def _cells(detector: JudgedDetector) -> _Cells:
    counts = {(flag, wrong): 0 for flag in (True, False) for wrong in (True, False)}
    for key, wrong in detector.labels.items():
        counts[key in detector.flagged, wrong] += 1
    return _Cells(*counts.values())


def _f1(detector: str, cells: _Cells, settings: DetectionSettings) -> Score:
    n = sum(cells)
    value = float(_f1_of(np.array(cells)))
    if math.isnan(value):
        return Score("f1", detector, "all", None, n)
    # Only the number of sampled pairs of each kind matters, so the numbers are sampled directly.
    drawn = np.random.default_rng(settings.seed).multinomial(n, np.array(cells) / n, size=settings.samples)
    low, high = resampling.interval(_f1_of(drawn))
    return Score("f1", detector, "all", 100 * value, n, 100 * float(low), 100 * float(high))


def _f1_of(cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """F1 in percent; nan if no pair is flagged and none is wrong."""
    hits, alarms, misses = (cells[..., place] for place in range(3))
    with np.errstate(invalid="ignore"):
        return np.asarray(2 * hits / (2 * hits + alarms + misses), np.float64)


def _ranked(detector: JudgedDetector) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
    """The score of each labelled pair (high for errors, -inf if missing); `None` if there is no curve."""
    sign = -1 if detector.low_is_error else 1
    scores = detector.scores
    values = np.array([sign * scores[k] if k in scores else -math.inf for k in detector.labels], np.float64)
    is_error = np.fromiter(detector.labels.values(), np.bool_, len(detector.labels))
    scored = np.unique(values[values > -np.inf])
    if len(scored) < 2 or is_error.all() or not is_error.any():
        return None, is_error
    return values, is_error

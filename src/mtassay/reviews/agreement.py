"""How far reviewers agree on a question: in percent, by Cohen's and Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from mtassay.reviews.subjects import Decision
from mtassay.stats import (
    agreement_interval,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
    wilson,
)

__all__ = ["AgreementCoefficient", "agreements"]

_Row = list[str | None]


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """One coefficient on the `n` subjects that two or more of the reviewers rated, with its 95 % interval.

    `value` is `None` where it is undefined, and `remark` says why it is not given.
    """

    measure: str
    reviewers: tuple[str, ...]
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    remark: str = ""


def agreements(
    decisions: Mapping[tuple[str, str], Decision], question: str, *, seed: int | None = 12345
) -> Iterator[AgreementCoefficient]:
    """First each pair of reviewers (agreement, cohen), then all of them (agreement, fleiss, krippendorff).

    Of two reviewers the agreement is there once. `unsure` counts as no rating. Of a reviewer who changed
    an answer the newest one counts.
    """
    ratings = [decision.ratings for (_, asked), decision in decisions.items() if asked == question]
    reviewers = sorted({reviewer for rated in ratings for reviewer in rated})
    rows: dict[str, _Row] = {name: [rated.get(name) for rated in ratings] for name in reviewers}
    for pair in combinations(reviewers, 2):
        first, second = (rows[name] for name in pair)
        both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
        same = sum(a == b for a, b in both)
        interval = wilson(same, len(both))
        yield _agreement("agreement", pair, same / len(both) if both else math.nan, len(both), interval)
        yield _measured("cohen", pair, [first, second], _cohen, seed)
    if len(reviewers) < 2:
        return
    everyone, all_rows = tuple(reviewers), list(rows.values())
    sizes = [len(rated) for rated in ratings if len(rated) > 1]
    if len(reviewers) > 2:
        yield _measured("agreement", everyone, all_rows, observed_agreement, seed)
    if len(set(sizes)) > 1:
        remark = f"not given: subjects have from {min(sizes)} to {max(sizes)} ratings"
        yield AgreementCoefficient("fleiss", everyone, None, len(sizes), remark=remark)
    else:
        yield _measured("fleiss", everyone, all_rows, fleiss_kappa, seed)
    yield _measured("krippendorff", everyone, all_rows, krippendorff_alpha, seed)


def _cohen(two: Any) -> float:
    return cohen_kappa(*two)


def _measured(
    measure: str,
    reviewers: tuple[str, ...],
    rows: Sequence[_Row],
    function: Callable[[Any], float],
    seed: int | None,
) -> AgreementCoefficient:
    rated = [place for place in range(len(rows[0])) if sum(row[place] is not None for row in rows) > 1]
    kept = [[row[place] for place in rated] for row in rows]
    # One subject drawn again and again is always itself, which says nothing.
    interval = agreement_interval(function, kept, seed=seed) if len(rated) > 1 else (math.nan, math.nan)
    return _agreement(measure, reviewers, function(kept), len(rated), interval)


def _agreement(
    measure: str, reviewers: tuple[str, ...], value: float, n: int, interval: tuple[float, float]
) -> AgreementCoefficient:
    low, high = (None if math.isnan(end) else float(end) for end in interval)
    if math.isnan(value):
        remark = "undefined: all ratings are the same" if n else "undefined: no subject in common"
        return AgreementCoefficient(measure, reviewers, None, n, remark=remark)
    return AgreementCoefficient(measure, reviewers, float(value), n, low, high)

"""How stable systems are: the share of originals without an issue, and what the companion detectors flag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import Cluster, Comparison, Finding, Result, Score

__all__ = ["stability"]

STABLE, FLAGGED = "stable", "flagged"


def stability(
    findings: Sequence[Finding],
    counts: Mapping[str, Mapping[str, int]],
    *,
    detector: str,
    companions: Sequence[str],
    alpha: float,
    signature: str,
) -> Result:
    """In percent, with Wilson's intervals at 95 %.

    `stable` is of the originals that could be compared; `flagged` is of all pairs of source and output, with
    one group for each companion detector. Two systems are compared on the originals that both have, by the
    exact paired test, two-sided.
    """
    verdicts: dict[str, dict[str, bool]] = {system: {} for system in counts}
    for finding in findings:
        if finding.detector == detector and finding.verdict in ("pass", "fail"):
            verdicts[finding.system][finding.case_id] = finding.verdict == "pass"
    scores = [
        _share(STABLE, system, "all", sum(found.values()), len(found), signature)
        for system, found in verdicts.items()
    ]
    flagged: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        if finding.detector in companions and finding.verdict == "fail":
            flagged.setdefault((finding.system, finding.detector), set()).add(finding.case_id)
    for companion in companions:
        for system, count in counts.items():
            hits = len(flagged.get((system, companion), ()))
            scores.append(_share(FLAGGED, system, companion, hits, count["pairs"], signature))
    comparisons, p = _comparisons(verdicts)
    order = sorted(range(len(verdicts)), key=lambda i: -(scores[i].value or 0))
    names = list(verdicts)
    ranked = stats.clusters(order, p, alpha=alpha) if len(names) > 1 else []
    clusters = [Cluster(STABLE, "all", i, tuple(names[j] for j in part)) for i, part in enumerate(ranked, 1)]
    return Result(scores, comparisons, clusters, counts)


def _share(name: str, system: str, group: str, hits: int, n: int, signature: str) -> Score:
    if n == 0:
        return Score(name, system, group, None, 0, signature=signature)
    low, high = stats.wilson(hits, n)
    return Score(name, system, group, 100 * hits / n, n, 100 * low, 100 * high, signature)


def _comparisons(verdicts: Mapping[str, Mapping[str, bool]]) -> tuple[list[Comparison], NDArray[np.float64]]:
    names = list(verdicts)
    p = np.full((len(names), len(names)), np.nan)
    comparisons = []
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        both = [case for case in verdicts[a] if case in verdicts[b]]
        only_a = sum(verdicts[a][case] and not verdicts[b][case] for case in both)
        only_b = sum(verdicts[b][case] and not verdicts[a][case] for case in both)
        if not both:
            comparisons.append(Comparison(STABLE, "all", a, b, None, None))
            continue
        one_sided = float(stats.exact_test(max(only_a, only_b), min(only_a, only_b)))
        p[i, j] = p[j, i] = min(1.0, 2 * one_sided)
        delta = 100 * (only_a - only_b) / len(both)
        comparisons.append(Comparison(STABLE, "all", a, b, delta, float(p[i, j])))
    return comparisons, p

"""How stable systems are: the share of originals without an issue, and what the companion detectors flag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mtassay import stats
from mtassay.core import Cluster, Comparison, Finding, Result, Score
from mtassay.stats.paired import compare_shares, rank_shares

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
    comparisons, clusters = _compared(verdicts, alpha)
    return Result(scores, comparisons, clusters, counts)


def _share(name: str, system: str, group: str, hits: int, n: int, signature: str) -> Score:
    if n == 0:
        return Score(name, system, group, None, 0, signature=signature)
    low, high = stats.wilson(hits, n)
    return Score(name, system, group, 100 * hits / n, n, 100 * low, 100 * high, signature)


def _compared(
    verdicts: Mapping[str, Mapping[str, bool]], alpha: float
) -> tuple[list[Comparison], list[Cluster]]:
    names = list(verdicts)
    cases = list(dict.fromkeys(case for found in verdicts.values() for case in found))
    passed = np.array([[verdicts[name].get(case, np.nan) for case in cases] for name in names], dtype=float)
    pairs = compare_shares(passed)
    comparisons = [
        Comparison(STABLE, "all", names[pair.a], names[pair.b], 100 * pair.delta, pair.p)
        if pair.n
        else Comparison(STABLE, "all", names[pair.a], names[pair.b], None, None)
        for pair in pairs
    ]
    ranked = rank_shares(passed, pairs, alpha=alpha) if len(names) > 1 else []
    clusters = [Cluster(STABLE, "all", rank, tuple(names[i] for i in part)) for rank, part in ranked]
    return comparisons, clusters

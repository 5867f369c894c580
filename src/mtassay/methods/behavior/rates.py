"""Pass rates per capability and system, with intervals, comparisons and clusters (tables 4 and 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from mtassay import stats
from mtassay.core import Cluster, Comparison, Finding, Result, Score
from mtassay.methods.behavior.capabilities.choose import in_usual_order
from mtassay.stats.paired import Settled, compare_shares, rank_shares

__all__ = ["ALL", "PASS_RATE", "UNDECIDED", "pass_rates"]

PASS_RATE, UNDECIDED, ALL = "pass rate", "undecided", "all"


def pass_rates(
    findings: Sequence[Finding],
    systems: Sequence[str],
    counts: Mapping[str, Mapping[str, int]],
    *,
    level: float = 0.05,
    signature: str = "",
) -> Result:
    """In percent, with Wilson's intervals at 95 %: all cases first, then each capability in the usual order.

    A rate is of the cases that passed or failed; where some are undecided, their share of all judged cases
    stands beside it under the name `undecided`. Two systems are compared on the cases that both have
    settled, by the exact paired test, two-sided.
    """
    groups = _groups(findings)
    settled = _settled(findings, systems)
    scores: list[Score] = []
    comparisons: list[Comparison] = []
    clusters: list[Cluster] = []
    row = {case: number for number, case in enumerate(_cases(findings))}
    for group, cases in {ALL: list(row), **groups}.items():
        part = settled[:, [row[case] for case in cases]]
        for system, values in zip(systems, part, strict=True):
            decided = values[values >= 0]
            scores.append(_share(PASS_RATE, system, group, int(decided.sum()), len(decided), signature))
            if undecided := int((values == _NEITHER).sum()):
                judged = len(decided) + undecided
                scores.append(_share(UNDECIDED, system, group, undecided, judged, signature))
        part = np.where(part >= 0, part, np.nan)
        compared = compare_shares(part)
        comparisons += [
            Comparison(PASS_RATE, group, systems[c.a], systems[c.b], _percent(c.delta), _defined(c.p))
            for c in compared
        ]
        if len(systems) > 1:
            clusters += [
                Cluster(PASS_RATE, group, rank, tuple(systems[i] for i in members))
                for rank, members in rank_shares(part, compared, alpha=level)
            ]
    return Result(scores, comparisons, clusters, counts)


_NEITHER = -1.0
_VALUES = {"pass": 1.0, "fail": 0.0, "undecided": _NEITHER}


def _cases(findings: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.case_id for finding in findings))


def _groups(findings: Sequence[Finding]) -> dict[str, list[str]]:
    groups: dict[str, dict[str, None]] = {}
    for finding in findings:
        groups.setdefault(str(finding.evidence["capability"]), {})[finding.case_id] = None
    return {group: list(groups[group]) for group in in_usual_order(groups)}


def _settled(findings: Sequence[Finding], systems: Sequence[str]) -> Settled:
    """(systems, cases): 1 passed, 0 failed, -1 undecided, nan not judged."""
    column = {case: number for number, case in enumerate(_cases(findings))}
    row = {system: number for number, system in enumerate(systems)}
    table = np.full((len(row), len(column)), np.nan)
    for finding in findings:
        table[row[finding.system], column[finding.case_id]] = _VALUES.get(finding.verdict or "", np.nan)
    return table


def _share(name: str, system: str, group: str, hits: int, n: int, signature: str) -> Score:
    if n == 0:
        return Score(name, system, group, None, 0, signature=signature)
    low, high = stats.wilson(hits, n)
    return Score(name, system, group, 100 * hits / n, n, 100 * low, 100 * high, signature)


def _percent(share: float) -> float | None:
    return 100 * share if math.isfinite(share) else None


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None

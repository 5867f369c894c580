"""From distances to issues, at most one for each original, and from issues to how stable systems are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mtassay import stats
from mtassay.core import Cluster, Comparison, Finding, Result, Score
from mtassay.methods.invariance.answers import Answered
from mtassay.methods.invariance.evidence import Evidence
from mtassay.stats.comparison import compare_shares, rank_shares

__all__ = ["Far", "Issue", "Ranking", "count_findings", "find_issues", "rank", "stability"]


class Far(NamedTuple):
    """A variant and how far its translation is from the original's."""

    variant: str
    distance: float


class Ranking(NamedTuple):
    """All compared variants of one original, farthest first; equally far ones in the order they were made."""

    original: str
    variants: tuple[Far, ...]


class Issue(NamedTuple):
    """An original with those of its variants that are farther than the threshold, farthest first."""

    original: str
    variants: tuple[Far, ...]

    def pairs(self, top: int) -> tuple[str, ...]:
        """What a person looks at: the original and its `top` farthest variants."""
        return (self.original, *(far.variant for far in self.variants[:top]))


def rank(original: str, distances: Sequence[Far]) -> Ranking:
    """The variants by distance. Sorting is stable, so ties keep their order on any machine."""
    return Ranking(original, tuple(sorted(distances, key=lambda far: -far.distance)))


def find_issues(rankings: Sequence[Ranking], threshold: float) -> list[Issue]:
    """The issues, in the order of the originals; strictly farther than the threshold, as in the paper.

    >>> find_issues([Ranking("1", (Far("1/a", 5), Far("1/b", 4))), Ranking("2", (Far("2/a", 4),))], 4)
    [Issue(original='1', variants=(Far(variant='1/a', distance=5),))]
    """
    issues = []
    for ranking in rankings:
        far = tuple(far for far in ranking.variants if far.distance > threshold)
        if far:
            issues.append(Issue(ranking.original, far))
    return issues


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


def count_findings(found: Sequence[Finding], material: Sequence[Answered], issues: int) -> dict[str, int]:
    """What became of the originals, of which there is one finding each, and how much was compared."""
    verdicts = Counter(finding.verdict for finding in found)
    return {
        "originals": len(found),
        "variants": sum(len(each.compared) for each in material),
        "pairs": sum(len(each.answers) for each in material),
        "issues": issues,
        "pass": verdicts["pass"],
        "fail": verdicts["fail"],
        "skipped": verdicts["skipped"],
        "error": verdicts["error"],
        "unread": sum(len(each.unread) for each in material),
        "filtered": sum(len(Evidence.of(finding).filtered) for finding in found),
    }
